// Functions with early exits, slices, local arrays, comptime parameters, tensors, loops with steps, math, casts, lanes.
cube.kernel @k comptime(@N : i32 = 3)
    (%x: !cube.array<f32>, %k: !cube.array<i32>, %h: !cube.array<f16>, %b: !cube.array<bf16>, %t: !cube.tensor<f32>, %y: !cube.array<f32>, %r: !cube.array<i32>, %n: i32, %a: i32) cube_dim(40) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %fzero = arith.constant 0.0 : f32
  %count = cube.constant <@N> : i32
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %w = cube.load %k[%i] : !cube.array<i32> -> i32
  %plus = cube.call @limited(%w, %a) : (i32, i32) -> i32
  %cells = cube.alloc : !cube.local<4 x i32>
  cube.store %plus, %cells[%zero] : i32, !cube.local<4 x i32>
  cube.store %w, %cells[%one] : i32, !cube.local<4 x i32>
  cube.comptime_for %c = %zero to %count step %one : i32 {
    %at = arith.addi %i, %c : i32
    %next = cube.load %k[%at] : !cube.array<i32> -> i32
    %before = cube.load %cells[%zero] : !cube.local<4 x i32> -> i32
    %more = arith.addi %before, %next : i32
    cube.store %more, %cells[%zero] : i32, !cube.local<4 x i32>
    cube.yield
  }
  %many = arith.cmpi ugt, %count, %two : i32
  cube.comptime_if %many {
    %before = cube.load %cells[%one] : !cube.local<4 x i32> -> i32
    %more = arith.muli %before, %a : i32
    cube.store %more, %cells[%one] : i32, !cube.local<4 x i32>
    cube.yield
  }
  %part = cube.slice %k[%a to %i] : !cube.array<i32> -> !cube.slice<i32>
  %s = cube.load %part[%two] checked : !cube.slice<i32> -> i32
  %rows = cube.shape %t, %zero : !cube.tensor<f32>
  %row = cube.remui %i, %rows : i32
  %stride = cube.stride %t, %zero : !cube.tensor<f32>
  %corner = arith.muli %row, %stride : i32
  %e = cube.load %t[%corner] : !cube.tensor<f32> -> f32
  %sum = scf.for unsigned %j = %zero to %i step %n iter_args(%so_far = %zero) -> (i32) : i32 {
    %m = arith.xori %j, %w : i32
    %after = arith.addi %so_far, %m : i32
    scf.yield %after : i32
  }
  %first = cube.load %cells[%zero] : !cube.local<4 x i32> -> i32
  %second = cube.load %cells[%one] : !cube.local<4 x i32> -> i32
  %mixed = arith.subi %first, %second : i32
  %divided = cube.divsi %mixed, %n : i32
  %shifted = cube.shl %divided, %row : i32
  %all = arith.addi %shifted, %sum : i32
  %with = arith.addi %all, %s : i32
  %line = vector.from_elements %with, %mixed, %sum, %w : vector<4xi32>
  %lane = cube.extract %line[%row] : vector<4xi32> -> i32
  %total = arith.addi %with, %lane : i32
  cube.store %total, %r[%i] : i32, !cube.array<i32>
  %exp = math.exp %v : f32
  %wide = cube.cast %w : i32 to f32
  %f = arith.subf %exp, %wide : f32
  %hv = cube.load %h[%i] : !cube.array<f16> -> f16
  %hi = cube.cast %hv : f16 to i32
  %hf = cube.cast %hi : i32 to f32
  %g = arith.addf %f, %e : f32
  %fs = arith.addf %g, %hf : f32
  cube.store %fs, %y[%i] : f32, !cube.array<f32>
  cube.return
}

cube.func @limited(%v: i32, %most: i32) -> i32 {
  %much = arith.cmpi sgt, %v, %most : i32
  cube.if %much { cube.return %most : i32 }
  %less = arith.subi %v, %most : i32
  cube.return %less : i32
}
