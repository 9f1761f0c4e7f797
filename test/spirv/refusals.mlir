// RUN: cubec %s --target spirv:vulkan1.3-full --kernel wide -o %t 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not cubec %s --target spirv:vulkan1.3 --kernel halves -o %t 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not cubec %s --target spirv:vulkan1.3 --kernel halves --emit llvm -o %t 2>&1 | FileCheck %s --check-prefix=FORM

// WIDE: refusals.mlir:[[#@LINE+1]]:{{.*}} warning[CUBE0321]: kernel wide uses 80000 bytes of shared memory, but spirv:vulkan1.3-full guarantees only 16384
cube.kernel @wide(%x: !cube.array<f32>) cube_dim(32) {
  %tile = cube.alloc : !cube.shared<20000 x f32>
  %u = cube.topology unit_pos
  %v = cube.load %x[%u] : !cube.array<f32> -> f32
  cube.store %v, %tile[%u] : f32, !cube.shared<20000 x f32>
  cube.sync cube
  %w = cube.load %tile[%u] : !cube.shared<20000 x f32> -> f32
  cube.store %w, %x[%u] : f32, !cube.array<f32>
  cube.return
}

// HALF: error[CUBE0412]: 'cube.kernel' requires type f16, which spirv:vulkan1.3 does not support; use another element type, or compile for a chip with f16
// FORM: error[CUBE0508]
cube.kernel @halves(%x: !cube.array<f16>) cube_dim(32) {
  %u = cube.topology unit_pos
  %v = cube.load %x[%u] : !cube.array<f16> -> f16
  cube.store %v, %x[%u] : f16, !cube.array<f16>
  cube.return
}
