// RUN: cubec %s --target spirv:vulkan1.3-full --kernel add --emit asm -o - | FileCheck %s --check-prefix=ADD
// RUN: cubec %s --target spirv:vulkan1.3-full --kernel add --emit asm --remarks=passed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: cubec %s --target spirv:vulkan1.3-full --kernel halves --emit asm -o - | FileCheck %s --check-prefix=HALF
// RUN: cubec %s --target wgsl:core --kernel add -o - | FileCheck %s --check-prefix=WGSL
// RUN: cubec %s --target spirv:vulkan1.3 --kernel add --emit asm -o - | FileCheck %s --check-prefix=NARROW

// `coarsen` gives a unit four elements. The buffer is declared twice: once with the elements, and once as an array of
// vectors for the aligned accesses. If the kernel writes the buffer, both variables are aliased.
// REMARK: each unit computes 4 neighbouring elements, and 2 accesses load or store all 4 at once
// ADD: OpName [[X:%[0-9]+]] "x"
// ADD: OpName [[XS:%[0-9]+]] "x_vectors"
// ADD: OpName [[Y:%[0-9]+]] "y"
// ADD: OpName [[YS:%[0-9]+]] "y_vectors"
// ADD-DAG: OpDecorate [[X]] Binding 0
// ADD-DAG: OpDecorate [[X]] NonWritable
// ADD-DAG: OpDecorate [[XS]] Binding 0
// ADD-DAG: OpDecorate [[XS]] NonWritable
// ADD-DAG: OpDecorate [[Y]] Binding 1
// ADD-DAG: OpDecorate [[Y]] Aliased
// ADD-DAG: OpDecorate [[YS]] Binding 1
// ADD-DAG: OpDecorate [[YS]] Aliased
// ADD: [[FLOAT:%[0-9]+]] = OpTypeFloat 32
// ADD: [[LINE:%[0-9]+]] = OpTypeVector [[FLOAT]] 4
// ADD: [[TWO:%[0-9]+]] = OpConstant {{%[0-9]+}} 2
// ADD: [[AT:%[0-9]+]] = OpShiftRightLogical {{%[0-9]+}} {{%[0-9]+}} [[TWO]]
// ADD-NEXT: [[P:%[0-9]+]] = OpAccessChain {{%[0-9]+}} [[XS]] {{%[0-9]+}} [[AT]]
// ADD-NEXT: OpLoad [[LINE]] [[P]]
// ADD: OpAccessChain {{%[0-9]+}} [[YS]]
// ADD: OpCompositeConstruct [[LINE]]
// ADD: OpAccessChain {{%[0-9]+}} [[X]]
// ADD: OpAccessChain {{%[0-9]+}} [[Y]]

// Chips without integers of 64 bits and WGSL do not coarsen kernels.
// WGSL-NOT: vec4
// WGSL: var<storage, read> x: array<f32>;
// WGSL: var<storage, read_write> y: array<f32>;
// NARROW-NOT: _vectors
cube.kernel @add(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = arith.addf %v, %v : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

// 16 bytes are two vectors of four numbers.
// HALF: OpName [[XS:%[0-9]+]] "x_vectors"
// HALF: [[HALF:%[0-9]+]] = OpTypeFloat 16
// HALF: [[LINE:%[0-9]+]] = OpTypeVector [[HALF]] 4
// HALF-COUNT-2: OpLoad [[LINE]]
cube.kernel @halves(%x: !cube.array<f16>, %y: !cube.array<f16>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f16> -> f16
  %r = arith.addf %v, %v : f16
  cube.store %r, %y[%i] : f16, !cube.array<f16>
  cube.return
}
