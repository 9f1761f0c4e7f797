// RUN: not cubec %s --target wgsl:core --kernel long -o - 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not cubec %s --target wgsl:core-f16 --kernel float_atomic -o - 2>&1 | FileCheck %s --check-prefix=ATOMIC
// RUN: not cubec %s --target wgsl:core --kernel plane -o - 2>&1 | FileCheck %s --check-prefix=PLANE
// RUN: not cubec %s --target wgsl:core-subgroups --kernel plane_barrier -o - 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: not cubec %s --target wgsl:core-subgroups --kernel divergent -o - 2>&1 | FileCheck %s --check-prefix=DIVERGENT
// RUN: not cubec %s --target wgsl:core --kernel wide -o - 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: cubec %s --target wgsl:core --kernel shared -o - 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not cubec %s --target wgsl:core --kernel local -o - 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not cubec %s --target wgsl:core --kernel plane --emit llvm -o - 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not cubec %s --target wgsl:web --kernel plane -o - 2>&1 | FileCheck %s --check-prefix=CHIP

// LONG: refused.errors.mlir:[[#@LINE+1]]:1: error[CUBE0412]: 'cube.kernel' requires type i64, which wgsl:core does not support;
cube.kernel @long(%x: !cube.array<i64>) cube_dim(1) {
  cube.return
}

cube.kernel @float_atomic(%x: !cube.array<f16>, %v: f16) cube_dim(1) {
  %i0 = arith.constant 0 : i32
  // ATOMIC: refused.errors.mlir:[[#@LINE+1]]:8: error[CUBE0412]: 'cube.atomic_rmw' is not supported on target wgsl: the description of the chip lists no atomic sums of f16 in global memory;
  %a = cube.atomic_rmw addf %v, %x[%i0] : f16, !cube.array<f16>
  cube.return
}

// FORM: error[CUBE0508]: target wgsl cannot produce llvm; choose one of code
// CHIP: error[CUBE0501]:
cube.kernel @plane(%x: !cube.array<i32>, %v: i32) cube_dim(32) {
  %i = cube.topology unit_pos
  // PLANE: refused.errors.mlir:[[#@LINE+1]]:8: error[CUBE0412]: 'cube.plane_reduce' is not supported on target wgsl: the description of the chip lists no reductions of planes;
  %a = cube.plane_reduce addi %i : i32
  cube.store %a, %x[%i] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @plane_barrier(%x: !cube.array<i32>) cube_dim(32) {
  %i = cube.topology unit_pos
  cube.store %i, %x[%i] : i32, !cube.array<i32>
  // BARRIER: refused.errors.mlir:[[#@LINE+1]]:3: error[CUBE0412]: 'cube.sync' is not supported on target wgsl: the description of the chip lists no barriers of planes;
  cube.sync plane
  cube.return
}

cube.kernel @divergent(%x: !cube.array<i32>, %v: i32) cube_dim(32) {
  %i = cube.topology unit_pos
  %few = arith.cmpi ult, %i, %v : i32
  // DIVERGENT: refused.errors.mlir:[[#@LINE+1]]:3: error[CUBE0410]: 'scf.if' is not supported on target wgsl: WGSL accepts barriers and plane operations only in uniform control flow
  scf.if %few {
    %a = cube.plane_reduce addi %i : i32
    cube.store %a, %x[%i] : i32, !cube.array<i32>
  }
  cube.return
}

cube.kernel @wide(%x: !cube.array<i32>) cube_dim(32) attributes {cube.plane_dim = 16 : i32} {
  %i = cube.topology unit_pos
  // WIDE: refused.errors.mlir:[[#@LINE+1]]:8: error[CUBE0410]: 'cube.topology' is not supported on target wgsl: planes of the chip have one unit, but cube.plane_dim requests more
  %a = cube.topology plane_dim
  cube.store %a, %x[%i] : i32, !cube.array<i32>
  cube.return
}

// A device can have more shared memory than WebGPU guarantees, so the compiler only warns.
// SHARED: refused.errors.mlir:[[#@LINE+2]]:1: warning[CUBE0321]: kernel shared uses 16400 bytes of shared memory, but wgsl:core guarantees only 16384; use less shared memory, or choose a device with a higher limit
// SHARED: var<workgroup>
cube.kernel @shared(%x: !cube.array<i32>, %v: i32) cube_dim(32) {
  %i = cube.topology unit_pos
  %tile = cube.alloc : !cube.shared<4097 x i32>
  cube.store %i, %tile[%v] : i32, !cube.shared<4097 x i32>
  cube.sync cube
  %r = cube.load %tile[%i] : !cube.shared<4097 x i32> -> i32
  cube.store %r, %x[%i] : i32, !cube.array<i32>
  cube.return
}

// LOCAL: refused.errors.mlir:[[#@LINE+1]]:1: error[CUBE0410]: 'cube.kernel' is not supported on target wgsl: it needs 8196 bytes of local memory, but the chip has 8192
cube.kernel @local(%x: !cube.array<i32>, %v: i32) cube_dim(32) {
  %i = cube.topology unit_pos
  %own = cube.alloc : !cube.local<2049 x i32>
  cube.store %i, %own[%v] : i32, !cube.local<2049 x i32>
  %r = cube.load %own[%i] : !cube.local<2049 x i32> -> i32
  cube.store %r, %x[%i] : i32, !cube.array<i32>
  cube.return
}
