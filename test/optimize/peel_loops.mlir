// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(peel-loops))' --cube-remarks=missed,passed --cube-stats -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(peel-loops{operations=3}))' | FileCheck %s --check-prefix=SMALL

// A loop with more operations than the option allows is not split.
// SMALL-LABEL: cube.kernel @sum(
// SMALL:         scf.for
// SMALL-NOT:     scf.for
// SMALL-LABEL: cube.kernel @guard(

// The first loop ends where the index can reach the length.
// SAID: remark: passed [peel-loops:peel] 1 checks are removed from all iterations except the last ones
// CHECK-LABEL: cube.kernel @sum(
// CHECK:         %[[LEN:.*]] = cube.buffer_len %x
// CHECK:         %[[SAFE:.*]] = cube.subui_sat %[[LEN]], %row : i32
// CHECK:         %[[END:.*]] = arith.minui %n, %[[SAFE]] : i32
// CHECK:         %[[NEXT:.*]] = arith.maxui %{{[^ ]*}}, %[[END]] : i32
// CHECK:         %[[MAIN:.*]] = scf.for unsigned %{{.*}} = %{{[^ ]*}} to %[[END]] step %{{[^ ]*}} iter_args(%{{.*}} = %{{[^ ]*}})
// CHECK:           cube.load %x[%{{.*}}] inbounds :
// CHECK:         scf.for unsigned %{{.*}} = %[[NEXT]] to %n step %{{[^ ]*}} iter_args(%{{.*}} = %[[MAIN]])
// CHECK:           cube.load %x[%{{.*}}] checked :
cube.kernel @sum(%x: !cube.array<i32>, %out: !cube.array<i32>, %n: i32, %row: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = cube.topology absolute_pos
  %s = scf.for unsigned %i = %zero to %n step %one iter_args(%t = %zero) -> (i32) : i32 {
    %at = arith.addi %row, %i : i32
    %v = cube.load %x[%at] checked : !cube.array<i32> -> i32
    %m = arith.addi %t, %v : i32
    scf.yield %m : i32
  }
  cube.store %s, %out[%unit] checked : i32, !cube.array<i32>
  cube.return
}

// The comparison of a guard is true in the first loop. With a factor, the end is a quotient. In steps of 4, the second
// loop begins at a multiple of 4.
// CHECK-LABEL: cube.kernel @guard(
// CHECK:         cube.divui
// CHECK:         %[[END:.*]] = arith.minui %n,
// CHECK:         %[[D:.*]] = cube.subui_sat %[[END]], %{{[^ ]*}}
// CHECK:         cube.divui %{{.*}}, %{{[^ ]*}}
// CHECK:         %[[COUNT:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    %[[GRID:.*]] = arith.addi %{{.*}}, %[[COUNT]] : i32
// CHECK:         %[[WRAPS:.*]] = arith.cmpi ult, %[[GRID]], %[[END]]
// CHECK:         %[[NEXT:.*]] = arith.select %[[WRAPS]], %n, %[[GRID]]
// CHECK:         %[[YES:.*]] = arith.constant true
// CHECK:         scf.for unsigned %{{.*}} = %{{[^ ]*}} to %[[END]] step %{{[^ ]*}}
// CHECK:           scf.if %[[YES]]
// CHECK:         scf.for unsigned %{{.*}} = %[[NEXT]] to %n step %{{[^ ]*}}
// CHECK:           scf.if %{{.*}} {
cube.kernel @guard(%out: !cube.array<i32>, %n: i32, %w: i32, %m: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  scf.for unsigned %i = %zero to %n step %four : i32 {
    %at = arith.muli %i, %w : i32
    %c = arith.cmpi ult, %at, %m : i32
    scf.if %c {
      cube.store %at, %out[%zero] inbounds : i32, !cube.array<i32>
    }
  }
  cube.return
}

// Units that synchronise in the loop stay together only if all of them leave the first loop in one iteration.
// SAID: remark: missed [peel-loops:divergent] all iterations are checked, because units synchronise in the loop, and the first failing check of each unit can be in a different iteration; check a number that is equal in all units
// CHECK-LABEL: cube.kernel @barrier(
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK-LABEL: cube.kernel @uniform_barrier(
// CHECK-COUNT-2: scf.for
// CHECK-NOT:     scf.for
cube.kernel @barrier(%x: !cube.array<i32>, %n: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = cube.topology unit_pos
  %s = cube.alloc : !cube.shared<64 x i32>
  scf.for unsigned %i = %zero to %n step %one : i32 {
    %at = arith.addi %unit, %i : i32
    %v = cube.load %x[%at] checked : !cube.array<i32> -> i32
    cube.store %v, %s[%unit] inbounds : i32, !cube.shared<64 x i32>
    cube.sync cube
  }
  cube.return
}
cube.kernel @uniform_barrier(%x: !cube.array<i32>, %n: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = cube.topology unit_pos
  %s = cube.alloc : !cube.shared<64 x i32>
  scf.for unsigned %i = %zero to %n step %one : i32 {
    %v = cube.load %x[%i] checked : !cube.array<i32> -> i32
    cube.store %v, %s[%unit] inbounds : i32, !cube.shared<64 x i32>
    cube.sync cube
  }
  cube.return
}

// A check would stay in the first loop.
// SAID: remark: missed [peel-loops:partial] all iterations are checked, because the check of another 'cube.load' would stay in each iteration; compute its index as a sum of products with the counter
// CHECK-LABEL: cube.kernel @partial(
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK-LABEL: cube.kernel @kept(
cube.kernel @partial(%x: !cube.array<i32>, %out: !cube.array<i32>, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %i = %zero to %n step %one : i32 {
    %at = cube.load %x[%i] checked : !cube.array<i32> -> i32
    %v = cube.load %x[%at] checked : !cube.array<i32> -> i32
    cube.store %v, %out[%i] checked : i32, !cube.array<i32>
  }
  cube.return
}

// A signed counter, a lower bound of the launch, a constant number of iterations, and an index that is not linear.
// SAID: remark: missed [peel-loops:counter] all iterations are checked, because the counter is not an unsigned number of 32 bits; write scf.for unsigned
// SAID: remark: missed [peel-loops:bounds] all iterations are checked, because the first value and the step of the loop are not constants; count from a constant in constant steps
// SAID: remark: missed [peel-loops:constant] all iterations are checked, because the number of iterations is constant, and a code generator can unroll the loop; guard the accesses before the loop
// CHECK-COUNT-4: scf.for
// CHECK-NOT:     scf.for
cube.kernel @kept(%x: !cube.array<i32>, %out: !cube.array<i32>, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %nine = arith.constant 9 : i32
  scf.for %i = %zero to %n step %one : i32 {
    cube.store %i, %out[%i] checked : i32, !cube.array<i32>
  }
  scf.for unsigned %i = %n to %n step %one : i32 {
    cube.store %i, %out[%i] checked : i32, !cube.array<i32>
  }
  scf.for unsigned %i = %zero to %nine step %one : i32 {
    cube.store %i, %out[%i] checked : i32, !cube.array<i32>
  }
  scf.for unsigned %i = %zero to %n step %one : i32 {
    %square = arith.muli %i, %i : i32
    cube.store %i, %out[%square] checked : i32, !cube.array<i32>
  }
  cube.return
}

// SAID: peel-loops 3 loops peeled
