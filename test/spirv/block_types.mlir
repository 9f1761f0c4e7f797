// The block types of two buffers differ, although their elements are equal. NVIDIA's driver (580.159.04) treats each variable as
// constant whose type is also the type of a `NonWritable` variable: a loop that adds to an element of %y read the value before the loop.
// RUN: cubec %s --target spirv:vulkan1.3-full --emit asm -o - | FileCheck %s
// CHECK: OpDecorate %[[X:[0-9]+]] NonWritable
// CHECK: %[[ARRAY:[0-9]+]] = OpTypeRuntimeArray
// CHECK-NEXT: %[[OF_X:[0-9]+]] = OpTypeStruct %[[ARRAY]]{{$}}
// CHECK-NEXT: %[[TO_X:[0-9]+]] = OpTypePointer StorageBuffer %[[OF_X]]
// CHECK-NEXT: %[[X]] = OpVariable  %[[TO_X]]  StorageBuffer
// CHECK-NEXT: %[[OF_Y:[0-9]+]] = OpTypeStruct %[[ARRAY]]{{$}}
// CHECK-NEXT: %[[TO_Y:[0-9]+]] = OpTypePointer StorageBuffer %[[OF_Y]]
// CHECK-NEXT: OpVariable  %[[TO_Y]]  StorageBuffer
cube.kernel @sums(%x: !cube.array<i32>, %y: !cube.array<i32>, %n: i32) cube_dim(4) {
  %i = cube.topology absolute_pos
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cube.store %z, %y[%i] : i32, !cube.array<i32>
  cube.for %k = %z to %n step %one : i32 {
    %v = cube.load %x[%k] : !cube.array<i32> -> i32
    %o = cube.load %y[%i] : !cube.array<i32> -> i32
    %s = arith.addi %o, %v : i32
    cube.store %s, %y[%i] : i32, !cube.array<i32>
  }
  cube.return
}
