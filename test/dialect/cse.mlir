// RUN: cube-opt %s --cse --allow-unregistered-dialect | FileCheck %s

// Pure operations of equal operands are one; which value a topology operation reads makes a difference.
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

// Loads with nothing between are one; with a store between they are two, whichever buffer it goes to, because buffers
// may share their bytes. Checked and promised loads are different loads.
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

// A call can write, and equal stores are both kept.
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

// Unused operations are removed, loads too; stores and calls stay.
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
