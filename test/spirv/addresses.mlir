// RUN: cubec %s --target spirv:vulkan1.3-full-addresses --emit asm -o - | FileCheck %s --check-prefixes=ADDRESS,V13
// RUN: cubec %s --target spirv:vulkan1.2-full-addresses --emit asm -o - | FileCheck %s --check-prefixes=ADDRESS,V12
// RUN: cubec %s --target spirv:vulkan1.3-full --emit asm -o - | FileCheck %s --check-prefix=BOUND

// Buffers have no bindings: two words of the uniform block are the address of a buffer. The uniform block is the only
// binding. An index has 64 bits, and each access states its alignment. The access is compared with the length.
// V13: ; Version: 1.6
// V12: ; Version: 1.5
// ADDRESS: OpCapability PhysicalStorageBufferAddresses
// ADDRESS: OpMemoryModel PhysicalStorageBuffer64 GLSL450
// ADDRESS: OpDecorate [[ARGUMENTS:%[0-9]+]] Binding 0
// ADDRESS-NOT: Binding
// ADDRESS-NOT: NonWritable
// ADDRESS: [[WORDS:%[0-9]+]] = OpCompositeConstruct
// ADDRESS: OpBitcast {{%[0-9]+}} [[WORDS]]
// ADDRESS: OpULessThan
// ADDRESS: [[INDEX:%[0-9]+]] = OpUConvert
// ADDRESS: OpAccessChain {{%[0-9]+}} {{%[0-9]+}} {{%[0-9]+}} [[INDEX]]
// ADDRESS: OpLoad {{%[0-9]+}} {{%[0-9]+}} Aligned 4
// ADDRESS: OpStore {{%[0-9]+}} {{%[0-9]+}} Aligned 4
// ADDRESS: OpAtomicIAdd
// BOUND-NOT: PhysicalStorageBuffer
// BOUND: OpMemoryModel Logical GLSL450
// BOUND: NonWritable
// BOUND-NOT: Aligned
cube.kernel @count(%x: !cube.array<f32>, %y: !cube.array<f32>, %n: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  cube.store %v, %y[%i] : f32, !cube.array<f32>
  %old = cube.atomic_rmw addi %one, %n[%zero] : i32, !cube.array<i32>
  cube.return
}
