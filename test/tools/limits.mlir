// The compiler rejects a kernel that exceeds a chip's limits, and warns if some devices have higher limits.
// RUN: not cubec %s --kernel many --target nvptx:sm_80 -o - 2>&1 | FileCheck %s --check-prefix=CUDA
// RUN: not cubec %s --kernel many --target amdgpu:gfx942 -o - 2>&1 | FileCheck %s --check-prefix=HIP
// RUN: cubec %s --kernel many --target cpu -o %t.o 2>&1 | FileCheck %s --check-prefix=CPU --allow-empty
// RUN: cubec %s --kernel many --target wgsl:core -o - 2>&1 | FileCheck %s --check-prefix=WGSL
// RUN: cubec %s --kernel many --target wgsl:core --message-format json -o %t.wgsl 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: cubec %s --kernel deep --target spirv:vulkan1.1 -o %t.spv 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: cubec %s --kernel few --target wgsl:core -o - 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: cubec %s --kernel emulated --target wgsl:core-shared-planes -o - 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: cubec %s --kernel emulated --target spirv:vulkan1.1-shared-planes -o %t.spv 2>&1 | FileCheck %s --check-prefix=SPIRV
// RUN: cubec %s --kernel emulated --target spirv:vulkan1.3-full -o %t.spv 2>&1 | FileCheck %s --check-prefix=NATIVE --allow-empty
// RUN: cubec %s --kernel bools --target wgsl:core -o - 2>&1 | FileCheck %s --check-prefix=BOOLS

// CUDA: limits.mlir:[[#@LINE+6]]:1: error[CUBE0321]: a cube of kernel many has 4096 units, but nvptx:sm_80 allows at most 1024; choose a smaller cube_dim
// HIP: limits.mlir:[[#@LINE+5]]:1: error[CUBE0321]: a cube of kernel many has 4096 units, but amdgpu:gfx942 allows at most 1024
// CPU-NOT: {{error|warning}}
// WGSL: limits.mlir:[[#@LINE+3]]:1: warning[CUBE0321]: a cube of kernel many has 4096 units, but wgsl:core guarantees only 256; choose a smaller cube_dim, or a device with a higher limit
// WGSL: @workgroup_size(4096, 1, 1)
// JSON: "code":"CUBE0321"{{.*}}"severity":"warning"
cube.kernel @many(%x: !cube.array<i32>) cube_dim(4096) {
  %u = cube.topology unit_pos
  cube.store %u, %x[%u] : i32, !cube.array<i32>
  cube.return
}

// DEEP: limits.mlir:[[#@LINE+1]]:1: warning[CUBE0321]: a cube of kernel deep has 65 units along z, but spirv:vulkan1.1 guarantees only 64
cube.kernel @deep(%x: !cube.array<i32>) cube_dim(1, 1, 65) {
  %u = cube.topology unit_pos
  cube.store %u, %x[%u] : i32, !cube.array<i32>
  cube.return
}

// FEW-NOT: warning
// FEW: @workgroup_size(256, 1, 1)
cube.kernel @few(%x: !cube.array<i32>) cube_dim(256) {
  %u = cube.topology unit_pos
  cube.store %u, %x[%u] : i32, !cube.array<i32>
  cube.return
}

// A chip without subgroups reduces in shared memory: 512 bytes, in addition to the kernel's 16000 bytes.
// TILE: limits.mlir:[[#@LINE+3]]:1: warning[CUBE0321]: kernel emulated uses 16512 bytes of shared memory, but wgsl:core-shared-planes guarantees only 16384
// SPIRV: limits.mlir:[[#@LINE+2]]:1: warning[CUBE0321]: kernel emulated uses 16512 bytes of shared memory, but spirv:vulkan1.1-shared-planes guarantees only 16384
// NATIVE-NOT: warning
cube.kernel @emulated(%x: !cube.array<f32>) cube_dim(128) {
  %tile = cube.alloc : !cube.shared<4000 x f32>
  %u = cube.topology unit_pos
  %v = cube.load %x[%u] : !cube.array<f32> -> f32
  cube.store %v, %tile[%u] : f32, !cube.shared<4000 x f32>
  cube.sync cube
  %w = cube.load %tile[%u] : !cube.shared<4000 x f32> -> f32
  %s = cube.plane_reduce addf %w : f32
  cube.store %s, %x[%u] : f32, !cube.array<f32>
  cube.return
}

// A bool has four bytes in WGSL's shared memory.
// BOOLS: limits.mlir:[[#@LINE+1]]:1: warning[CUBE0321]: kernel bools uses 20000 bytes of shared memory, but wgsl:core guarantees only 16384
cube.kernel @bools(%x: !cube.array<i32>) cube_dim(256) {
  %tile = cube.alloc : !cube.shared<5000 x i1>
  %u = cube.topology unit_pos
  %v = cube.load %x[%u] : !cube.array<i32> -> i32
  %zero = arith.constant 0 : i32
  %set = arith.cmpi eq, %v, %zero : i32
  cube.store %set, %tile[%u] : i1, !cube.shared<5000 x i1>
  cube.sync cube
  %w = cube.load %tile[%u] : !cube.shared<5000 x i1> -> i1
  %n = arith.extui %w : i1 to i32
  cube.store %n, %x[%u] : i32, !cube.array<i32>
  cube.return
}
