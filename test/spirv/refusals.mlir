// RUN: cubec %s --target spirv:vulkan1.3-full --kernel wide -o %t 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not cubec %s --target spirv:vulkan1.3 --kernel halves -o %t 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not cubec %s --target spirv:vulkan1.3 --kernel halves --emit llvm -o %t 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not cubec %s --target spirv:vulkan1.3 --kernel too_much_local -o - 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: cubec %s --target spirv:vulkan1.3 --kernel most_local -o %t.spv

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

// A unit has at most 32 KiB of local memory.
// LOCAL: refusals.mlir:[[#@LINE+1]]:1: error[CUBE0410]: 'cube.kernel' is not supported on target spirv: it needs 32772 bytes of local memory, but the chip has 32768
cube.kernel @too_much_local(%x: !cube.array<i32>, %v: i32) cube_dim(32) {
  %i = cube.topology unit_pos
  %own = cube.alloc : !cube.local<8193 x i32>
  cube.store %i, %own[%v] : i32, !cube.local<8193 x i32>
  %r = cube.load %own[%i] : !cube.local<8193 x i32> -> i32
  cube.store %r, %x[%i] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @most_local(%x: !cube.array<i32>, %v: i32) cube_dim(32) {
  %i = cube.topology unit_pos
  %own = cube.alloc : !cube.local<8192 x i32>
  cube.store %i, %own[%v] : i32, !cube.local<8192 x i32>
  %r = cube.load %own[%i] : !cube.local<8192 x i32> -> i32
  cube.store %r, %x[%i] : i32, !cube.array<i32>
  cube.return
}
