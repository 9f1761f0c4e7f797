// RUN: cubec %s --target wgsl:core -o - | FileCheck %s
// RUN: cubec %s --target spirv:vulkan1.3 --emit asm -o - | FileCheck %s --check-prefix=SPIRV

// WGSL and SPIR-V have no float atomics: a sum is a loop of compare-exchange on bits, and the whole array is atomic.
// CHECK: @group(0) @binding(0) var<storage, read_write> x: array<atomic<u32>>;
// CHECK: var [[OLD:r[0-9]+]] = atomicLoad(&x[0u]);
// CHECK-NEXT: loop {
// CHECK-NEXT: let [[SEEN:t[0-9]+]] = atomicCompareExchangeWeak(&x[0u], [[OLD]], bitcast<u32>(bitcast<f32>([[OLD]]) + {{r[0-9]+}}));
// CHECK-NEXT: if ([[SEEN]].exchanged) { break; }
// CHECK-NEXT: [[OLD]] = [[SEEN]].old_value;
// CHECK-NEXT: }
// CHECK-NEXT: bitcast<f32>([[OLD]]);
// CHECK: atomicStore(&x[1u], bitcast<u32>({{r[0-9]+}}));

// SPIRV: [[F:%[0-9]+]] = OpTypeFloat 32
// SPIRV: OpUGreaterThan
// SPIRV: [[FIRST:%[0-9]+]] = OpAtomicLoad
// SPIRV: [[SEEN:%[0-9]+]] = OpPhi {{%[0-9]+}} [[FIRST]] {{%[0-9]+}} [[EXCHANGED:%[0-9]+]]
// SPIRV: [[OLD:%[0-9]+]] = OpBitcast [[F]] [[SEEN]]
// SPIRV: [[NEW:%[0-9]+]] = OpFAdd [[F]] [[OLD]]
// SPIRV: [[BITS:%[0-9]+]] = OpBitcast {{%[0-9]+}} [[NEW]]
// SPIRV: [[EXCHANGED]] = OpAtomicCompareExchange {{.*}} [[BITS]] [[SEEN]]
// SPIRV: OpINotEqual {{%[0-9]+}} [[EXCHANGED]] [[SEEN]]
// SPIRV-NEXT: OpLoopMerge
// SPIRV: OpAtomicStore
cube.kernel @sum(%x: !cube.array<f32>) cube_dim(32) {
  %i = cube.topology absolute_pos_x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %old = cube.atomic_rmw addf %v, %x[%zero] : f32, !cube.array<f32>
  cube.store %old, %x[%one] : f32, !cube.array<f32>
  cube.return
}
