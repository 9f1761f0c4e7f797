// A loop without a proof of termination, and a loop that a counter terminates.
cube.kernel @k(%x: !cube.array<f32>, %k: !cube.array<i32>, %h: !cube.array<f16>, %b: !cube.array<bf16>, %t: !cube.tensor<f32>, %y: !cube.array<f32>, %r: !cube.array<i32>, %n: i32, %a: i32) cube_dim(35) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = cube.topology absolute_pos
  %w = cube.load %k[%i] : !cube.array<i32> -> i32
  %bits:2 = scf.while (%left = %w, %count = %zero) : (i32, i32) -> (i32, i32) {
    %some = arith.cmpi ne, %left, %zero : i32
    scf.condition(%some) %left, %count : i32, i32
  } do {
  ^bb0(%left: i32, %count: i32):
    %less = arith.subi %left, %one : i32
    %rest = arith.andi %left, %less : i32
    %more = arith.addi %count, %one : i32
    scf.yield %rest, %more : i32, i32
  }
  %sum:2 = scf.while (%at = %zero, %sum = %w) : (i32, i32) -> (i32, i32) {
    %some = arith.cmpi ult, %at, %n : i32
    scf.condition(%some) %at, %sum : i32, i32
  } do {
  ^bb0(%at: i32, %sum: i32):
    %twice = arith.muli %sum, %a : i32
    %new = arith.addi %twice, %at : i32
    %next = arith.addi %at, %one : i32
    scf.yield %next, %new : i32, i32
  }
  %all = arith.subi %sum#1, %bits#1 : i32
  cube.store %all, %r[%i] : i32, !cube.array<i32>
  cube.return
}
