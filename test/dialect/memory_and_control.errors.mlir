// RUN: cube-opt %s --split-input-file --verify-diagnostics

// Rejected operations of memory, planes, control flow, lanes and conversions, with their complete messages.

// expected-error@+1 CUBE0110.element {ty = "'vector<4xf32>'"}
cube.kernel @k(%x: !cube.tensor<vector<4xf32>>) { cube.return }

// -----

// expected-error@+1 CUBE0111.line {line = "3"}
cube.kernel @k(%x: !cube.tensor<f32, 3>) { cube.return }

// -----

// expected-error@+1 CUBE0110.element {ty = "'vector<4xf32>'"}
cube.kernel @k(%x: !cube.slice<vector<4xf32>>) { cube.return }

// -----

// expected-error@+1 CUBE0111.line {line = "3"}
cube.kernel @k(%x: !cube.slice<f32, 3>) { cube.return }

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0114.number {size = "0 : i32"}
  %m = cube.alloc : !cube.shared<0 x f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0114.number {size = "-4 : i32"}
  %m = cube.alloc : !cube.local<-4 x f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0111.line {line = "5"}
  %m = cube.alloc : !cube.local<4 x f32, 5>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0110.element {ty = "'index'"}
  %m = cube.alloc : !cube.shared<4 x index>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0138 {op = "cube.alloc", bytes = "400000000"}
  %m = cube.alloc : !cube.shared<100000000 x f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0137 {op = "cube.slice", given = "!cube.slice<f32>", of = "!cube.array<i32>", expected = "!cube.slice<i32>"}
  %s = cube.slice %x[%n to %n] : !cube.array<i32> -> !cube.slice<f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0137 {op = "cube.slice", given = "!cube.slice<i32, 4>", of = "!cube.array<i32>", expected = "!cube.slice<i32>"}
  %s = cube.slice %x[%n to %n] : !cube.array<i32> -> !cube.slice<i32, 4>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %m = cube.alloc : !cube.shared<8 x f32, 4>
  // expected-error@+1 CUBE0133.line {op = "cube.load", word = "reads", ty = "f32", buffer = "!cube.shared<8 x f32, 4>", expected = "vector<4xf32>"}
  %v = cube.load %m[%n] : !cube.shared<8 x f32, 4> -> f32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %m = cube.alloc : !cube.local<8 x f32>
  // expected-error@+1 CUBE0133.line {op = "cube.store", word = "writes", ty = "i32", buffer = "!cube.local<8 x f32>", expected = "f32"}
  cube.store %n, %m[%n] : i32, !cube.local<8 x f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %m = cube.alloc : !cube.shared<8 x i32, 2>
  // expected-error@+1 CUBE0139.lines {op = "cube.atomic_rmw", buffer = "!cube.shared<8 x i32, 2>", line = "2"}
  %v = cube.atomic_rmw addi %n, %m[%n] : i32, !cube.shared<8 x i32, 2>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %m = cube.alloc : !cube.shared<8 x i1>
  // expected-error@+1 CUBE0139.number {op = "cube.atomic_load", element = "i1"}
  %v = cube.atomic_load %m[%n] : !cube.shared<8 x i1> -> i1
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %m = cube.alloc : !cube.shared<8 x tf32>
  %v = cube.load %m[%n] : !cube.shared<8 x tf32> -> tf32
  // expected-error@+1 CUBE0139.number {op = "cube.atomic_store", element = "tf32"}
  cube.atomic_store %v, %m[%n] : tf32, !cube.shared<8 x tf32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0133.element {op = "cube.atomic_load", ty = "i32", buffer = "!cube.array<f32>", element = "f32"}
  %v = cube.atomic_load %f[%n] : !cube.array<f32> -> i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0133.element {op = "cube.atomic_cas", ty = "i32", buffer = "!cube.array<f32>", element = "f32"}
  %v = cube.atomic_cas %n, %n, %f[%n] : i32, !cube.array<f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0140 {op = "cube.atomic_rmw", element = "i32", word = "addf"}
  %v = cube.atomic_rmw addf %n, %x[%n] : i32, !cube.array<i32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0140 {op = "cube.atomic_rmw", element = "i32", word = "muli"}
  %v = cube.atomic_rmw muli %n, %x[%n] : i32, !cube.array<i32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %v = cube.load %f[%n] : !cube.array<f32> -> f32
  // expected-error@+1 CUBE0140 {op = "cube.atomic_rmw", element = "f32", word = "andi"}
  %r = cube.atomic_rmw andi %v, %f[%n] : f32, !cube.array<f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0140 {op = "cube.plane_reduce", element = "i32", word = "subi"}
  %r = cube.plane_reduce subi %n : i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0140 {op = "cube.plane_scan", element = "i32", word = "exchange"}
  %r = cube.plane_scan inclusive exchange %n : i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0140 {op = "cube.plane_reduce", element = "i32", word = "addf"}
  %r = cube.plane_reduce addf %n : i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %v = arith.constant 1.0 : f8E4M3FN
  // expected-error@+1 CUBE0141 {op = "cube.plane_reduce", element = "f8E4M3FN"}
  %r = cube.plane_reduce addf %v : f8E4M3FN
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %zero = arith.constant 0 : i32
  // expected-error@+1 CUBE0143.step {op = "cube.for", step = "0"}
  cube.for %i = %n to %n step %zero : i32 {
  }
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %down = arith.constant -1 : i32
  // expected-error@+1 CUBE0143.step {op = "cube.for", step = "-1"}
  cube.for %i = %n to %n step %down : i32 {
  }
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %down = arith.constant -2 : i32
  // expected-error@+1 CUBE0143.step {op = "cube.comptime_for", step = "-2"}
  cube.comptime_for %i = %n to %n step %down : i32 {
  }
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0143.counter {op = "cube.for", ty = "i32"}
  "cube.for"(%n, %n, %n) ({
  ^bb0(%i: i64):
    cube.yield
  }) : (i32, i32, i32) -> ()
  cube.return
}

// -----

func.func @f() {
  // expected-error@+1 CUBE0144 {op = "cube.break", around = "func.func"}
  cube.break
}

// -----

func.func @f() {
  // expected-error@+1 CUBE0144 {op = "cube.continue", around = "func.func"}
  cube.continue
}

// -----

func.func @f() {
  // expected-error@+1 CUBE0144 {op = "cube.terminate", around = "func.func"}
  cube.terminate
}

// -----

func.func @f() {
  // expected-error@+1 CUBE0144 {op = "cube.yield", around = "func.func"}
  cube.yield
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  cube.if %p {
    // expected-error@+1 CUBE0145.outside {op = "cube.break"}
    cube.break
  }
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  cube.if %p {
    // expected-error@+1 CUBE0145.outside {op = "cube.continue"}
    cube.continue
  }
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  cube.loop {
    scf.if %p {
      cube.if %p {
        // expected-error@+1 CUBE0145.through {op = "cube.break", around = "scf.if"}
        cube.break
      }
    }
  }
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  scf.if %p {
    cube.if %p {
      // expected-error@+1 CUBE0130 {op = "cube.return", around = "scf.if"}
      cube.return
    }
  }
  cube.return
}

// -----

cube.func @f(%p: i1) -> (i32, i32) {
  %c = arith.constant 1 : i32
  cube.if %p {
    // expected-error@+1 CUBE0131 {op = "cube.return", given = "i32", expected = "i32, i32"}
    cube.return %c : i32
  }
  cube.return %c, %c : i32, i32
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %v = arith.constant dense<1.0> : vector<4xf32>
  // expected-error@+1 CUBE0146.lane {op = "cube.extract", one = "f64", line = "vector<4xf32>", element = "f32"}
  %l = cube.extract %v[%n] : vector<4xf32> -> f64
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %v = arith.constant dense<1.0> : vector<4xf32>
  // expected-error@+1 CUBE0146.lane {op = "cube.insert", one = "i32", line = "vector<4xf32>", element = "f32"}
  %l = cube.insert %n, %v[%n] : i32, vector<4xf32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %v = arith.constant dense<1.0> : vector<4xf32>
  // expected-error@+1 CUBE0147 {op = "cube.cast", from = "vector<4xf32>", to = "vector<2xf16>"}
  %l = cube.cast %v : vector<4xf32> to vector<2xf16>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %v = arith.constant 1.0 : f32
  // expected-error@+1 CUBE0148 {op = "cube.cast", word = "from_unsigned", why = "f32 is not an integer"}
  %l = cube.cast %v from_unsigned : f32 to i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0148 {op = "cube.cast", word = "to_unsigned", why = "f32 is not an integer"}
  %l = cube.cast %n to_unsigned : i32 to f32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0148 {op = "cube.cast", word = "round", why = "only conversions from float to float have a rounding mode"}
  %l = cube.cast %n round upward : i32 to f32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0149 {op = "cube.print", places = "2", values = "1"}
  cube.print "{} {}"(%n) : i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 CUBE0149 {op = "cube.print", places = "0", values = "1"}
  cube.print "hello"(%n) : i32
  cube.return
}

// -----

// expected-error@+1 CUBE0125.inside {op = "cube.kernel", index = "0", ty = "!cube.slice<f32>"}
cube.kernel @k(%s: !cube.slice<f32>) { cube.return }

// -----

// expected-error@+1 CUBE0125.inside {op = "cube.kernel", index = "0", ty = "!cube.shared<4 x f32>"}
cube.kernel @k(%s: !cube.shared<4 x f32>) { cube.return }

// -----

// expected-error@+1 CUBE0150 {op = "cube.kernel", index = "0"}
cube.kernel @k(%n: i32 {cube.derived = 3 : i32}) { cube.return }

// -----

// expected-error@+1 CUBE0150 {op = "cube.kernel", index = "0"}
cube.kernel @k(%n: f32 {cube.derived = "len(x)"}) { cube.return }

// -----

// expected-error@+1 CUBE0151 {op = "cube.kernel", index = "0", word = "host"}
cube.kernel @k(%n: i32 {cube.len = "host"}) { cube.return }

// -----

// expected-error@+1 CUBE0151 {op = "cube.kernel", index = "0", word = "mine"}
cube.kernel @k(%n: !cube.array<f32> {cube.len = "mine"}) { cube.return }

// -----

// expected-error@+1 CUBE0128.noalias {op = "cube.kernel", index = "0"}
cube.kernel @k(%n: i32 {cube.noalias}) { cube.return }

// -----

// expected-error@+1 CUBE0127.differs {op = "cube.kernel", index = "0", name = "e4m3", host = "f8E4M3FN", ty = "f32"}
cube.kernel @k(%n: !cube.array<f32> {cube.host = "e4m3"}) { cube.return }

// -----

cube.kernel @k(%p: i1) {
  // expected-error@+1 CUBE0142 {op = "cube.if", last = "llvm.unreachable"}
  "cube.if"(%p) ({
    llvm.unreachable
  }, {}) : (i1) -> ()
  cube.return
}

// -----

cube.kernel @proof_of_a_check(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 CUBE0370.bounds {op = "cube.load", word = "guard"}
  %v = cube.load %x[%i] checked by guard : !cube.array<f32> -> f32
  cube.return
}

// -----

cube.kernel @proof_alone(%x: !cube.array<i32>, %i: i32) {
  // expected-error@+1 CUBE0370.bounds {op = "cube.atomic_rmw", word = "loop_bound"}
  %v = cube.atomic_rmw addi %i, %x[%i] by loop_bound : i32, !cube.array<i32>
  cube.return
}

// -----

cube.kernel @proof_of_several_lines(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 CUBE0370.one_line {op = "cube.load", word = "length"}
  %v = cube.load %x[%i] inbounds by length {align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
  cube.return
}

// -----

cube.kernel @unknown_proof(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+2 {{expected ::cube::Proof to be one of: guard, loop_bound, range, length}}
  // expected-error@+1 {{failed to parse Cube_ProofAttr parameter}}
  %v = cube.load %x[%i] inbounds by trust : !cube.array<f32> -> f32
  cube.return
}

// -----

cube.kernel @range_of_an_argument(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 CUBE0371.length {op = "cube.load", ty = "!cube.array<f32>"}
  %v = cube.load %x[%i] inbounds by range : !cube.array<f32> -> f32
  cube.return
}

// -----

cube.kernel @index_beyond(%v: f32) {
  %m = cube.alloc : !cube.shared<64 x f32>
  %i = arith.constant 64 : i32
  // expected-error@+1 CUBE0371.range {op = "cube.store", n = "64", ty = "!cube.shared<64 x f32>"}
  cube.store %v, %m[%i] inbounds by range : f32, !cube.shared<64 x f32>
  cube.return
}

// -----

// The predicate can replace the index by 2^32 - 1, so the range of the coordinate does not prove the index in bounds.
cube.kernel @index_behind_a_predicate(%i: i32, %v: f32) {
  %m = cube.alloc : !cube.shared<64 x f32>
  %63 = arith.constant 63 : i32
  %beyond = arith.constant -1 : i32
  %j = arith.andi %i, %63 : i32
  %in = arith.cmpi ult, %i, %63 : i32
  %k = arith.select %in, %j, %beyond : i32
  // expected-error@+1 CUBE0371.range {op = "cube.store", n = "4294967295", ty = "!cube.shared<64 x f32>"}
  cube.store %v, %m[%k] inbounds by range : f32, !cube.shared<64 x f32>
  cube.return
}
