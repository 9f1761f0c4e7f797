// RUN: cubec %s --target spirv:vulkan1.3-full-float-atomics --kernel sums --emit asm -o - | FileCheck %s --check-prefix=ONE
// RUN: cubec %s --target spirv:vulkan1.3-full --kernel sums --emit asm -o - | FileCheck %s --check-prefix=LOOP
// RUN: cubec %s --target spirv:vulkan1.3-full-float-atomics --kernel others --emit asm -o - | FileCheck %s --check-prefix=LOOP
// RUN: cubec %s --target spirv:vulkan1.2-full-float-atomics --kernel shared --emit asm -o - | FileCheck %s --check-prefix=LOOP

// A chip with the capability adds by one instruction. A difference is a sum of the negated operand. All accesses to the
// buffer use the float type.
// ONE: OpCapability AtomicFloat32AddEXT
// ONE: OpExtension "SPV_EXT_shader_atomic_float_add"
// ONE: [[FLOAT:%[0-9]+]] = OpTypeFloat 32
// ONE: OpAtomicFAddEXT [[FLOAT]]
// ONE: [[MINUS:%[0-9]+]] = OpFNegate [[FLOAT]]
// ONE: OpAtomicFAddEXT [[FLOAT]] {{.*}} [[MINUS]]
// ONE: OpAtomicLoad [[FLOAT]]
// ONE-NOT: OpAtomicCompareExchange
// LOOP-NOT: AtomicFloat32AddEXT
// LOOP-NOT: OpAtomicFAddEXT
// LOOP: OpAtomicCompareExchange
cube.kernel @sums(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %v = cube.load %y[%i] : !cube.array<f32> -> f32
  %a = cube.atomic_rmw addf %v, %x[%zero] : f32, !cube.array<f32>
  %b = cube.atomic_rmw subf %v, %x[%i] : f32, !cube.array<f32>
  %c = cube.load %x[%i] : !cube.array<f32> -> f32
  cube.store %c, %y[%i] : f32, !cube.array<f32>
  cube.return
}

// The extension for minima does not define the result for NaN and for zeros of different signs. A buffer with other
// atomic operations keeps its bits as integers.
cube.kernel @others(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %v = cube.load %y[%i] : !cube.array<f32> -> f32
  %a = cube.atomic_rmw addf %v, %x[%zero] : f32, !cube.array<f32>
  %b = cube.atomic_rmw minf %v, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// The capability concerns storage buffers only.
cube.kernel @shared(%y: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology unit_pos
  %zero = arith.constant 0 : i32
  %sums = cube.alloc : !cube.shared<1 x f32>
  %v = cube.load %y[%i] : !cube.array<f32> -> f32
  cube.atomic_store %v, %sums[%zero] : f32, !cube.shared<1 x f32>
  cube.sync cube
  %a = cube.atomic_rmw addf %v, %sums[%zero] : f32, !cube.shared<1 x f32>
  cube.sync cube
  %c = cube.atomic_load %sums[%zero] : !cube.shared<1 x f32> -> f32
  cube.store %c, %y[%i] : f32, !cube.array<f32>
  cube.return
}
