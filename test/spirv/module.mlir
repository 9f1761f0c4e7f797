// RUN: cubec %s --target spirv:vulkan1.1-full --kernel halves --emit asm -o - | FileCheck %s --check-prefix=HALF
// RUN: cubec %s --target spirv:vulkan1.3 --kernel flags --emit asm -o - | FileCheck %s --check-prefix=BITS
// RUN: cubec %s --target spirv:vulkan1.1-full --kernel flags --emit asm -o - | FileCheck %s --check-prefix=BYTE
// RUN: cubec %s --target spirv:vulkan1.3-full --kernel sums --emit asm -o - | FileCheck %s --check-prefix=SUM
// RUN: cubec %s --target spirv:vulkan1.3 --kernel shared --emit asm -o - | FileCheck %s --check-prefix=SHARED
// RUN: cubec %s --target spirv:vulkan1.3 --kernel located --emit asm -o - | FileCheck %s --check-prefix=RUST
// RUN: cubec %s --target spirv:vulkan1.3 --kernel shared -o %t.a && cubec %s --target spirv:vulkan1.3 --kernel shared -o %t.b && cmp %t.a %t.b

// Capabilities follow from the used operations, extensions from the version. A 64-bit scalar is two uniform words.
// HALF: Version: 1.3
// HALF: OpCapability Float16
// HALF: OpCapability Int64
// HALF: OpCapability StorageBuffer16BitAccess
// HALF: OpCapability SignedZeroInfNanPreserve
// HALF: OpExtension "SPV_KHR_float_controls"
// In SPIR-V 1.3 the entry point lists only input and output variables.
// HALF: OpEntryPoint GLCompute [[F:%[0-9]+]] "halves" [[CUBE:%[0-9]+]] [[UNIT:%[0-9]+]]{{$}}
// HALF: OpExecutionMode [[F]] LocalSize 32 1 1
// HALF: OpExecutionMode [[F]] SignedZeroInfNanPreserve 16
// HALF: OpString "module.mlir"
// The words of the grid begin at a multiple of 16 bytes, after the length and the two words of the scalar.
// HALF: OpMemberDecorate [[B:%[0-9]+]] 2 Offset 8
// HALF: OpMemberDecorate [[B]] 3 Offset 16
// HALF: OpMemberDecorate [[B]] 10 Offset 44
// HALF: OpDecorate {{%[0-9]+}} NoContraction
// HALF: [[HALF:%[0-9]+]] = OpTypeFloat 16
// HALF: [[LINE:%[0-9]+]] = OpTypeVector [[HALF]] 4
// HALF: [[PAIR:%[0-9]+]] = OpTypeVector {{%[0-9]+}} 2
// HALF: OpCompositeConstruct [[PAIR]]
// HALF: OpLine {{%[0-9]+}} [[#@LINE+5]] 0
// HALF: OpLoad [[LINE]]
// HALF: OpFAdd [[HALF]]
cube.kernel @halves(%x: !cube.array<f16, 4>, %n: i64) cube_dim(32) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f16, 4> -> vector<4xf16>
  %t = arith.sitofp %n : i64 to f16
  %l = vector.broadcast %t : f16 to vector<4xf16>
  %w = arith.addf %v, %l : vector<4xf16>
  cube.store %w, %x[%i] : vector<4xf16>, !cube.array<f16, 4>
  cube.return
}

// A chip without 8-bit storage packs four bools into a word, which other units can write at the same time.
// BITS-NOT: Int8
// BITS: OpAtomicLoad
// BITS: OpAtomicAnd
// BITS-NEXT: OpAtomicOr
// BYTE: OpCapability Int8
// BYTE: OpCapability StorageBuffer8BitAccess
// BYTE: OpExtension "SPV_KHR_8bit_storage"
// BYTE: OpTypeInt 8 0
// BYTE-NOT: OpAtomic
cube.kernel @flags(%x: !cube.array<i1>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %true = arith.constant true
  %v = cube.load %x[%i] : !cube.array<i1> -> i1
  %w = arith.xori %v, %true : i1
  cube.store %w, %x[%i] : i1, !cube.array<i1>
  cube.return
}

// Integer sums use SPIR-V's group operations. Floats are added in the order of the interpreter.
// SUM: OpCapability GroupNonUniformArithmetic
// SUM: OpGroupNonUniformIAdd
// SUM: OpAtomicIAdd
// SUM: OpGroupNonUniformBallotBitCount
// SUM-COUNT-7: OpFAdd
cube.kernel @sums(%x: !cube.array<i32>, %y: !cube.array<f32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %f = cube.load %y[%i] : !cube.array<f32> -> f32
  %s = cube.plane_reduce addi %v : i32
  %old = cube.atomic_rmw addi %s, %x[%i] : i32, !cube.array<i32>
  %g = cube.plane_reduce addf %f : f32
  cube.store %g, %y[%i] : f32, !cube.array<f32>
  cube.return
}

// A loop has a merge and a continue block; its counter and its loop-carried value are variables.
// SHARED: [[TILE:%[0-9]+]] = OpVariable {{%[0-9]+}} Workgroup
// SHARED: OpControlBarrier
// SHARED: OpLoopMerge [[END:%[0-9]+]] [[NEXT:%[0-9]+]] None
// SHARED: OpBranchConditional {{%[0-9]+}} {{%[0-9]+}} [[END]]
// SHARED: OpAccessChain {{%[0-9]+}} [[TILE]]
// SHARED: [[NEXT]] = OpLabel
// SHARED: [[END]] = OpLabel
cube.kernel @shared(%x: !cube.array<f32>, %n: i32) cube_dim(32) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %tile = cube.alloc : !cube.shared<32 x f32>
  %u = cube.topology unit_pos
  %v = cube.load %x[%u] : !cube.array<f32> -> f32
  cube.store %v, %tile[%u] : f32, !cube.shared<32 x f32>
  cube.sync cube
  %sum = scf.for unsigned %i = %i0 to %n step %i1 iter_args(%s = %z) -> f32 : i32 {
    %q = cube.load %tile[%i] : !cube.shared<32 x f32> -> f32
    %t = arith.addf %s, %q : f32
    scf.yield %t : f32
  }
  cube.store %sum, %x[%u] : f32, !cube.array<f32>
  cube.return
}

// The lines of a kernel in Rust are lines of its Rust file.
// RUST: [[FILE:%[0-9]+]] = OpString "saxpy.rs"
// RUST: OpLine [[FILE]] 8 0
// RUST: OpFAdd
// RUST: OpLine [[FILE]] 9 0
// RUST: OpStore
cube.kernel @located(%x: !cube.array<f32>) cube_dim(32) unchecked {
  %i = cube.topology unit_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32 loc("src/saxpy.rs":7:3)
  %w = arith.addf %v, %v : f32 loc("src/saxpy.rs":8:3)
  cube.store %w, %x[%i] : f32, !cube.array<f32> loc("src/saxpy.rs":9:3)
  cube.return
}
