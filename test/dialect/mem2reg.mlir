// RUN: cube-opt %s --sroa --structured-mem2reg | FileCheck %s

// A local array with constant indices becomes one cell for each element, and each cell becomes an SSA value.
// CHECK-LABEL: @cells
// CHECK-NOT: cube.alloc
// CHECK: cube.store %n, %a[%c1_i32]
cube.kernel @cells(%a: !cube.array<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %cell = cube.alloc : !cube.local<1 x i32>
  %pair = cube.alloc : !cube.local<2 x i32>
  cube.store %n, %cell[%zero] : i32, !cube.local<1 x i32>
  cube.store %n, %pair[%zero] : i32, !cube.local<2 x i32>
  cube.store %one, %pair[%one] : i32, !cube.local<2 x i32>
  %v = cube.load %cell[%zero] : !cube.local<1 x i32> -> i32
  %w = cube.load %pair[%one] : !cube.local<2 x i32> -> i32
  cube.store %v, %a[%w] : i32, !cube.array<i32>
  cube.return
}

// Shared memory is kept, because other units can read it. A local array with a dynamic index is kept too.
// CHECK-LABEL: @kept
// CHECK: cube.alloc : !cube.shared<1 x i32>
// CHECK: cube.alloc : !cube.local<2 x i32>
cube.kernel @kept(%a: !cube.array<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %s = cube.alloc : !cube.shared<1 x i32>
  %p = cube.alloc : !cube.local<2 x i32>
  cube.store %n, %s[%zero] : i32, !cube.shared<1 x i32>
  cube.store %n, %p[%n] : i32, !cube.local<2 x i32>
  %v = cube.load %p[%zero] : !cube.local<2 x i32> -> i32
  cube.store %v, %a[%zero] : i32, !cube.array<i32>
  cube.return
}
