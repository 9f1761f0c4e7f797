// RUN: cube-opt %s --cse --allow-unregistered-dialect | FileCheck %s

// Pure operations with equal operands are merged; topology operations that read different values are not.
// CHECK-LABEL: @pure
// CHECK-COUNT-1: cube.topology absolute_pos{{$}}
// CHECK-COUNT-1: cube.topology absolute_pos_x
// CHECK-COUNT-1: cube.len %x
// CHECK-COUNT-1: cube.len %y
// CHECK-COUNT-1: cube.divui
// CHECK-COUNT-1: cube.divsi
// CHECK-NOT: cube.{{topology|len|div}}
// CHECK: cube.return
cube.kernel @pure(%x: !cube.array<i32>, %y: !cube.array<i32>) {
  %0 = cube.topology absolute_pos
  %1 = cube.topology absolute_pos
  %2 = cube.topology absolute_pos_x
  %3 = cube.len %x : !cube.array<i32>
  %4 = cube.len %x : !cube.array<i32>
  %5 = cube.len %y : !cube.array<i32>
  %6 = cube.divui %0, %2 : i32
  %7 = cube.divui %1, %2 : i32
  %8 = cube.divsi %1, %2 : i32
  "test.use"(%0, %1, %2, %3, %4, %5, %6, %7, %8) : (i32, i32, i32, i32, i32, i32, i32, i32, i32) -> ()
  cube.return
}

// Loads without a write between them are merged. A store to any buffer between them prevents this, because buffers can
// share their bytes. A checked load is not merged with a promised load.
// CHECK-LABEL: @loads
// CHECK: %[[A:.*]] = cube.load %x[%i] checked
// CHECK-NEXT: %[[P:.*]] = cube.load %x[%i] inbounds
// CHECK-NEXT: cube.store %[[A]], %y[%i]
// CHECK-NEXT: %[[B:.*]] = cube.load %x[%i] checked
// CHECK-NEXT: "test.use"(%[[A]], %[[A]], %[[P]], %[[B]])
cube.kernel @loads(%x: !cube.array<i32>, %y: !cube.array<i32>, %i: i32) {
  %0 = cube.load %x[%i] checked : !cube.array<i32> -> i32
  %1 = cube.load %x[%i] checked : !cube.array<i32> -> i32
  %2 = cube.load %x[%i] inbounds : !cube.array<i32> -> i32
  cube.store %0, %y[%i] checked : i32, !cube.array<i32>
  %3 = cube.load %x[%i] checked : !cube.array<i32> -> i32
  "test.use"(%0, %1, %2, %3) : (i32, i32, i32, i32) -> ()
  cube.return
}

// A call can write memory, so the loads around it are not merged; of two equal stores both are kept.
// CHECK-LABEL: @effects
// CHECK: cube.load
// CHECK: cube.call @f
// CHECK: cube.load
// CHECK: cube.store
// CHECK: cube.store
// CHECK: cube.return
cube.func @f(%x: !cube.array<i32>) { cube.return }
cube.kernel @effects(%x: !cube.array<i32>, %i: i32) {
  %0 = cube.load %x[%i] checked : !cube.array<i32> -> i32
  cube.call @f(%x) : (!cube.array<i32>) -> ()
  %1 = cube.load %x[%i] checked : !cube.array<i32> -> i32
  "test.use"(%0, %1) : (i32, i32) -> ()
  cube.store %0, %x[%i] checked : i32, !cube.array<i32>
  cube.store %0, %x[%i] checked : i32, !cube.array<i32>
  cube.return
}

// Unused operations are removed, including loads; stores and calls are kept.
// CHECK-LABEL: @dead
// CHECK-NEXT: cube.store
// CHECK-NEXT: cube.call
// CHECK-NEXT: cube.return
cube.kernel @dead(%x: !cube.array<i32>, %i: i32) {
  %0 = cube.load %x[%i] inbounds : !cube.array<i32> -> i32
  %1 = cube.divui %i, %i : i32
  %2 = cube.topology unit_pos
  cube.store %i, %x[%i] : i32, !cube.array<i32>
  cube.call @f(%x) : (!cube.array<i32>) -> ()
  cube.return
}
