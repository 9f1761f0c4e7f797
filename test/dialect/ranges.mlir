// RUN: cube-opt %s --int-range-optimizations --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: @ranges
cube.kernel @ranges(%x: !cube.array<f32>) cube_dim(8, 4, 2) {
  // CHECK-DAG: %[[T:.*]] = arith.constant true
  // CHECK-DAG: %[[F:.*]] = arith.constant false
  // CHECK-DAG: %[[C64:.*]] = arith.constant 64 : i32
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  %c63 = arith.constant 63 : i32
  %max = arith.constant -1 : i32
  // The position of a unit is less than the cube's size; the sizes of a cube are constants.
  %ux = cube.topology unit_pos_x
  %uy = cube.topology unit_pos_y
  %u = cube.topology unit_pos
  %dy = cube.topology cube_dim_y
  %d = cube.topology cube_dim
  %0 = arith.cmpi ule, %ux, %c7 : i32
  %1 = arith.cmpi ugt, %uy, %c3 : i32
  %2 = arith.cmpi ule, %u, %c63 : i32
  // CHECK: "test.use"(%[[T]], %[[F]], %[[T]], %[[C4]], %[[C64]])
  "test.use"(%0, %1, %2, %dy, %d) : (i1, i1, i1, i32, i32) -> ()
  // A comparison with the largest position is not decided, because the position can be equal to it.
  // CHECK: %[[A:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i32
  // CHECK: %[[B:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i32
  %3 = arith.cmpi ult, %ux, %c7 : i32
  %4 = arith.cmpi ult, %u, %c63 : i32
  // CHECK: "test.use"(%[[A]], %[[B]])
  "test.use"(%3, %4) : (i1, i1) -> ()
  // A launch without cubes executes no units, so cube counts are positive and positions are below the largest u32.
  // Linear counts and positions are products, which may wrap.
  %cx = cube.topology cube_count_x
  %px = cube.topology cube_pos_x
  %5 = arith.cmpi ugt, %cx, %c0 : i32
  %6 = arith.cmpi ult, %px, %max : i32
  // CHECK: "test.use"(%[[T]], %[[T]])
  "test.use"(%5, %6) : (i1, i1) -> ()
  %c = cube.topology cube_count
  %p = cube.topology cube_pos
  %a = cube.topology absolute_pos
  %n = cube.len %x : !cube.array<f32>
  // CHECK-COUNT-4: arith.cmpi
  %7 = arith.cmpi ugt, %c, %c0 : i32
  %8 = arith.cmpi ult, %p, %max : i32
  %9 = arith.cmpi sge, %a, %c0 : i32
  %10 = arith.cmpi sge, %n, %c0 : i32
  "test.use"(%7, %8, %9, %10) : (i1, i1, i1, i1) -> ()
  cube.return
}

// Along an axis with size 1, the position of every unit is 0.
// CHECK-LABEL: @one
// CHECK: %[[Z:.*]] = arith.constant 0 : i32
// CHECK: "test.use"(%[[Z]])
cube.kernel @one() cube_dim(8) {
  %y = cube.topology unit_pos_y
  "test.use"(%y) : (i32) -> ()
  cube.return
}

// The callers of a function are unknown, so its topology values have no range.
// CHECK-LABEL: @unknown
// CHECK: %[[Y:.*]] = cube.topology unit_pos_y
// CHECK: "test.use"(%[[Y]])
cube.func @unknown() {
  %y = cube.topology unit_pos_y
  "test.use"(%y) : (i32) -> ()
  cube.return
}
