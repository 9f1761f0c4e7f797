// RUN: cube-opt %s --split-input-file --verify-diagnostics

// What operations of memory, planes, control flow, lanes and conversions refuse, with the whole message.

// expected-error@+1 {{element type of a buffer must be an integer or a float, not 'vector<4xf32>'; write a line of elements as !cube.array<T, N> [CUBE0110]}}
cube.kernel @k(%x: !cube.tensor<vector<4xf32>>) { cube.return }

// -----

// expected-error@+1 {{line size must be 1, 2, 4, 8 or 16, not 3 [CUBE0111]}}
cube.kernel @k(%x: !cube.tensor<f32, 3>) { cube.return }

// -----

// expected-error@+1 {{element type of a buffer must be an integer or a float, not 'vector<4xf32>'; write a line of elements as !cube.array<T, N> [CUBE0110]}}
cube.kernel @k(%x: !cube.slice<vector<4xf32>>) { cube.return }

// -----

// expected-error@+1 {{line size must be 1, 2, 4, 8 or 16, not 3 [CUBE0111]}}
cube.kernel @k(%x: !cube.slice<f32, 3>) { cube.return }

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{the size of shared or local memory must be an i32 of at least 1 or a comptime parameter of that type, not 0 : i32 [CUBE0114]}}
  %m = cube.alloc : !cube.shared<0 x f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{the size of shared or local memory must be an i32 of at least 1 or a comptime parameter of that type, not -4 : i32 [CUBE0114]}}
  %m = cube.alloc : !cube.local<-4 x f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{line size must be 1, 2, 4, 8 or 16, not 5 [CUBE0111]}}
  %m = cube.alloc : !cube.local<4 x f32, 5>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{element type of a buffer must be an integer or a float, not 'index'; write a line of elements as !cube.array<T, N> [CUBE0110]}}
  %m = cube.alloc : !cube.shared<4 x index>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.alloc' allocates 400000000 bytes, the limit of all targets is 268435456; use smaller tiles, or a buffer of the host [CUBE0138]}}
  %m = cube.alloc : !cube.shared<100000000 x f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.slice' gives a !cube.slice<f32>, but a part of !cube.array<i32> is !cube.slice<i32> [CUBE0137]}}
  %s = cube.slice %x[%n to %n] : !cube.array<i32> -> !cube.slice<f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.slice' gives a !cube.slice<i32, 4>, but a part of !cube.array<i32> is !cube.slice<i32> [CUBE0137]}}
  %s = cube.slice %x[%n to %n] : !cube.array<i32> -> !cube.slice<i32, 4>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %m = cube.alloc : !cube.shared<8 x f32, 4>
  // expected-error@+1 {{'cube.load' reads a f32, but a line of !cube.shared<8 x f32, 4> is vector<4xf32> [CUBE0133]}}
  %v = cube.load %m[%n] : !cube.shared<8 x f32, 4> -> f32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %m = cube.alloc : !cube.local<8 x f32>
  // expected-error@+1 {{'cube.store' writes a i32, but a line of !cube.local<8 x f32> is f32 [CUBE0133]}}
  cube.store %n, %m[%n] : i32, !cube.local<8 x f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %m = cube.alloc : !cube.shared<8 x i32, 2>
  // expected-error@+1 {{'cube.atomic_rmw' works on !cube.shared<8 x i32, 2>, whose lines have 2 elements; atomics take lines of one [CUBE0139]}}
  %v = cube.atomic_rmw addi %n, %m[%n] : i32, !cube.shared<8 x i32, 2>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %m = cube.alloc : !cube.shared<8 x i1>
  // expected-error@+1 {{'cube.atomic_load' works on i1; atomics take integers and floats of 8 to 64 bits that can be computed with [CUBE0139]}}
  %v = cube.atomic_load %m[%n] : !cube.shared<8 x i1> -> i1
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %m = cube.alloc : !cube.shared<8 x tf32>
  %v = cube.load %m[%n] : !cube.shared<8 x tf32> -> tf32
  // expected-error@+1 {{'cube.atomic_store' works on tf32; atomics take integers and floats of 8 to 64 bits that can be computed with [CUBE0139]}}
  cube.atomic_store %v, %m[%n] : tf32, !cube.shared<8 x tf32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.atomic_load' works with a i32, but an element of !cube.array<f32> is f32 [CUBE0133]}}
  %v = cube.atomic_load %f[%n] : !cube.array<f32> -> i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.atomic_cas' works with a i32, but an element of !cube.array<f32> is f32 [CUBE0133]}}
  %v = cube.atomic_cas %n, %n, %f[%n] : i32, !cube.array<f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.atomic_rmw' cannot combine i32 by addf; choose from exchange, addi, subi, minsi, minui, maxsi, maxui, andi, ori, xori [CUBE0140]}}
  %v = cube.atomic_rmw addf %n, %x[%n] : i32, !cube.array<i32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.atomic_rmw' cannot combine i32 by muli; choose from exchange, addi, subi, minsi, minui, maxsi, maxui, andi, ori, xori [CUBE0140]}}
  %v = cube.atomic_rmw muli %n, %x[%n] : i32, !cube.array<i32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %v = cube.load %f[%n] : !cube.array<f32> -> f32
  // expected-error@+1 {{'cube.atomic_rmw' cannot combine f32 by andi; choose from exchange, addf, subf, minf, maxf [CUBE0140]}}
  %r = cube.atomic_rmw andi %v, %f[%n] : f32, !cube.array<f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.plane_reduce' cannot combine i32 by subi; choose from addi, muli, minsi, minui, maxsi, maxui, andi, ori, xori [CUBE0140]}}
  %r = cube.plane_reduce subi %n : i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.plane_scan' cannot combine i32 by exchange; choose from addi, muli, minsi, minui, maxsi, maxui, andi, ori, xori [CUBE0140]}}
  %r = cube.plane_scan inclusive exchange %n : i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.plane_reduce' cannot combine i32 by addf; choose from addi, muli, minsi, minui, maxsi, maxui, andi, ori, xori [CUBE0140]}}
  %r = cube.plane_reduce addf %n : i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %v = arith.constant 1.0 : f8E4M3FN
  // expected-error@+1 {{'cube.plane_reduce' works on f8E4M3FN, which is only stored; convert it with cube.cast first [CUBE0141]}}
  %r = cube.plane_reduce addf %v : f8E4M3FN
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %zero = arith.constant 0 : i32
  // expected-error@+1 {{'cube.for' has the step 0; steps are positive: count up, and compute the descending value inside [CUBE0143]}}
  cube.for %i = %n to %n step %zero : i32 {
  }
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %down = arith.constant -1 : i32
  // expected-error@+1 {{'cube.for' has the step -1; steps are positive: count up, and compute the descending value inside [CUBE0143]}}
  cube.for %i = %n to %n step %down : i32 {
  }
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %down = arith.constant -2 : i32
  // expected-error@+1 {{'cube.comptime_for' has the step -2; steps are positive: count up, and compute the descending value inside [CUBE0143]}}
  cube.comptime_for %i = %n to %n step %down : i32 {
  }
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.for' has a body that does not take one i32; give it the counter [CUBE0143]}}
  "cube.for"(%n, %n, %n) ({
  ^bb0(%i: i64):
    cube.yield
  }) : (i32, i32, i32) -> ()
  cube.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'cube.break' stands in func.func; it may only end a block of cube.if, cube.for, cube.loop and their comptime forms [CUBE0144]}}
  cube.break
}

// -----

func.func @f() {
  // expected-error@+1 {{'cube.continue' stands in func.func; it may only end a block of cube.if, cube.for, cube.loop and their comptime forms [CUBE0144]}}
  cube.continue
}

// -----

func.func @f() {
  // expected-error@+1 {{'cube.terminate' stands in func.func; it may only end a block of cube.if, cube.for, cube.loop and their comptime forms [CUBE0144]}}
  cube.terminate
}

// -----

func.func @f() {
  // expected-error@+1 {{'cube.yield' stands in func.func; it may only end a block of cube.if, cube.for, cube.loop and their comptime forms [CUBE0144]}}
  cube.yield
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  cube.if %p {
    // expected-error@+1 {{'cube.break' is not in a loop that it could leave: cube.kernel is around it; use cube.for or cube.loop, and cube.if between [CUBE0145]}}
    cube.break
  }
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  cube.if %p {
    // expected-error@+1 {{'cube.continue' is not in a loop that it could leave: cube.kernel is around it; use cube.for or cube.loop, and cube.if between [CUBE0145]}}
    cube.continue
  }
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  cube.loop {
    scf.if %p {
      cube.if %p {
        // expected-error@+1 {{'cube.break' is not in a loop that it could leave: scf.if is around it; use cube.for or cube.loop, and cube.if between [CUBE0145]}}
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
      // expected-error@+1 {{'cube.return' stands in scf.if; it may only end a cube.kernel or a cube.func, directly or from inside cube.if, cube.for and cube.loop [CUBE0130]}}
      cube.return
    }
  }
  cube.return
}

// -----

cube.func @f(%p: i1) -> (i32, i32) {
  %c = arith.constant 1 : i32
  cube.if %p {
    // expected-error@+1 {{'cube.return' returns (i32), but the signature says (i32, i32) [CUBE0131]}}
    cube.return %c : i32
  }
  cube.return %c, %c : i32, i32
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %v = arith.constant dense<1.0> : vector<4xf32>
  // expected-error@+1 {{'cube.extract' has f64 for a lane of vector<4xf32>, whose lanes are f32 [CUBE0146]}}
  %l = cube.extract %v[%n] : vector<4xf32> -> f64
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %v = arith.constant dense<1.0> : vector<4xf32>
  // expected-error@+1 {{'cube.insert' has i32 for a lane of vector<4xf32>, whose lanes are f32 [CUBE0146]}}
  %l = cube.insert %n, %v[%n] : i32, vector<4xf32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %v = arith.constant dense<1.0> : vector<4xf32>
  // expected-error@+1 {{'cube.cast' converts vector<4xf32> to vector<2xf16>; both need the same number of lanes [CUBE0147]}}
  %l = cube.cast %v : vector<4xf32> to vector<2xf16>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  %v = arith.constant 1.0 : f32
  // expected-error@+1 {{'cube.cast' has `from_unsigned`, but f32 is no integer; leave the word out [CUBE0148]}}
  %l = cube.cast %v from_unsigned : f32 to i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.cast' has `to_unsigned`, but f32 is no integer; leave the word out [CUBE0148]}}
  %l = cube.cast %n to_unsigned : i32 to f32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.cast' has `round`, but only conversions of floats to floats round as asked; leave the word out [CUBE0148]}}
  %l = cube.cast %n round upward : i32 to f32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.print' has 2 places {} for 1 values; write one {} for each value [CUBE0149]}}
  cube.print "{} {}"(%n) : i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %f: !cube.array<f32>, %n: i32, %p: i1) {
  // expected-error@+1 {{'cube.print' has 0 places {} for 1 values; write one {} for each value [CUBE0149]}}
  cube.print "hello"(%n) : i32
  cube.return
}

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has type !cube.slice<f32>, which lives only inside a launch; take !cube.array or !cube.tensor, and make it with cube.alloc or cube.slice [CUBE0125]}}
cube.kernel @k(%s: !cube.slice<f32>) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has type !cube.shared<4 x f32>, which lives only inside a launch; take !cube.array or !cube.tensor, and make it with cube.alloc or cube.slice [CUBE0125]}}
cube.kernel @k(%s: !cube.shared<4 x f32>) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has cube.derived, which is a text such as "shape(x, 0)" on a scalar of i32 or i64 [CUBE0150]}}
cube.kernel @k(%n: i32 {cube.derived = 3 : i32}) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has cube.derived, which is a text such as "shape(x, 0)" on a scalar of i32 or i64 [CUBE0150]}}
cube.kernel @k(%n: f32 {cube.derived = "len(x)"}) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has cube.len = "host"; on a buffer it is "host" where the host gives a length of its own, or "buffer" where that is the memory's [CUBE0151]}}
cube.kernel @k(%n: i32 {cube.len = "host"}) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has cube.len = "mine"; on a buffer it is "host" where the host gives a length of its own, or "buffer" where that is the memory's [CUBE0151]}}
cube.kernel @k(%n: !cube.array<f32> {cube.len = "mine"}) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has cube.noalias but is no buffer; remove it [CUBE0128]}}
cube.kernel @k(%n: i32 {cube.noalias}) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has cube.host = "e4m3", which is f8E4M3FN in IR, but its type is f32 [CUBE0127]}}
cube.kernel @k(%n: !cube.array<f32> {cube.host = "e4m3"}) { cube.return }

// -----

cube.kernel @k(%p: i1) {
  // expected-error@+1 {{'cube.if' has a block that ends in llvm.unreachable; end it in cube.yield (which need not be written), cube.break, cube.continue, cube.return or cube.terminate [CUBE0142]}}
  "cube.if"(%p) ({
    llvm.unreachable
  }, {}) : (i1) -> ()
  cube.return
}

// -----

cube.kernel @proof_of_a_check(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 {{'cube.load' is proven by guard, but not inbounds; write `inbounds by guard` [CUBE0370]}}
  %v = cube.load %x[%i] checked by guard : !cube.array<f32> -> f32
  cube.return
}

// -----

cube.kernel @proof_alone(%x: !cube.array<i32>, %i: i32) {
  // expected-error@+1 {{'cube.atomic_rmw' is proven by loop_bound, but not inbounds; write `inbounds by loop_bound` [CUBE0370]}}
  %v = cube.atomic_rmw addi %i, %x[%i] by loop_bound : i32, !cube.array<i32>
  cube.return
}

// -----

cube.kernel @proof_of_several_lines(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 {{'cube.load' is proven by length, but proofs are of one line; several at once are promised with `inbounds` alone [CUBE0370]}}
  %v = cube.load %x[%i] inbounds by length {cube.align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
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
  // expected-error@+1 {{'cube.load' is proven by range, but the length of !cube.array<f32> is only known at the launch; write checked [CUBE0371]}}
  %v = cube.load %x[%i] inbounds by range : !cube.array<f32> -> f32
  cube.return
}

// -----

cube.kernel @index_beyond(%v: f32) {
  %m = cube.alloc : !cube.shared<64 x f32>
  %i = arith.constant 64 : i32
  // expected-error@+1 {{'cube.store' is proven by range, but the index can be 64, outside !cube.shared<64 x f32>; write checked [CUBE0371]}}
  cube.store %v, %m[%i] inbounds by range : f32, !cube.shared<64 x f32>
  cube.return
}

// -----

// The predicate of a coordinate makes the index 2^32 - 1 outside: what was proven of the coordinate is not of that.
cube.kernel @index_behind_a_predicate(%i: i32, %v: f32) {
  %m = cube.alloc : !cube.shared<64 x f32>
  %63 = arith.constant 63 : i32
  %beyond = arith.constant -1 : i32
  %j = arith.andi %i, %63 : i32
  %in = arith.cmpi ult, %i, %63 : i32
  %k = arith.select %in, %j, %beyond : i32
  // expected-error@+1 {{'cube.store' is proven by range, but the index can be 4294967295, outside !cube.shared<64 x f32>; write checked [CUBE0371]}}
  cube.store %v, %m[%k] inbounds by range : f32, !cube.shared<64 x f32>
  cube.return
}
