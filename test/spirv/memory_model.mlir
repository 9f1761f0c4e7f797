// RUN: cubec %s --target spirv:vulkan1.3-full-vulkan-memory --emit asm -o - | FileCheck %s --check-prefixes=VULKAN,CORE
// RUN: cubec %s --target spirv:vulkan1.1-full-vulkan-memory --emit asm -o - | FileCheck %s --check-prefixes=VULKAN,EXTENSION
// RUN: cubec %s --target spirv:vulkan1.3-full --emit asm -o - | FileCheck %s --check-prefix=GLSL

// In the Vulkan memory model, accesses to buffers and shared memory are not private, and a barrier makes the stores of a
// unit available and visible: 0x6148 is AcquireRelease, UniformMemory, WorkgroupMemory, MakeAvailable and MakeVisible.
// VULKAN: OpCapability VulkanMemoryModel
// VULKAN: OpCapability VulkanMemoryModelDeviceScope
// CORE-NOT: SPV_KHR_vulkan_memory_model
// EXTENSION: OpExtension "SPV_KHR_vulkan_memory_model"
// VULKAN: OpMemoryModel Logical Vulkan
// VULKAN: [[ORDER:%[0-9]+]] = OpConstant {{%[0-9]+}} 24904
// VULKAN: OpLoad {{%[0-9]+}} {{%[0-9]+}} NonPrivatePointer
// VULKAN: OpStore {{%[0-9]+}} {{%[0-9]+}} NonPrivatePointer
// VULKAN: OpControlBarrier {{%[0-9]+}} {{%[0-9]+}} [[ORDER]]
// VULKAN: OpAtomicIAdd
// GLSL-NOT: VulkanMemoryModel
// GLSL: OpMemoryModel Logical GLSL450
// GLSL: OpConstant {{%[0-9]+}} 328
// GLSL-NOT: NonPrivatePointer
cube.kernel @exchange(%x: !cube.array<f32>, %n: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 63 : i32
  %tile = cube.alloc : !cube.shared<64 x f32>
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  cube.store %v, %tile[%u] : f32, !cube.shared<64 x f32>
  cube.sync cube
  %other = arith.subi %last, %u : i32
  %w = cube.load %tile[%other] : !cube.shared<64 x f32> -> f32
  cube.store %w, %x[%i] : f32, !cube.array<f32>
  %old = cube.atomic_rmw addi %one, %n[%zero] : i32, !cube.array<i32>
  cube.return
}
