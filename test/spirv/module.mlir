// RUN: cubec %s --target spirv:vulkan1.1-full --kernel halves --emit asm -o - | FileCheck %s --check-prefix=HALF
// RUN: cubec %s --target spirv:vulkan1.3 --kernel flags --emit asm -o - | FileCheck %s --check-prefix=BITS
// RUN: cubec %s --target spirv:vulkan1.1-full --kernel flags --emit asm -o - | FileCheck %s --check-prefix=BYTE
// RUN: cubec %s --target spirv:vulkan1.3-full --kernel sums --emit asm -o - | FileCheck %s --check-prefix=SUM
// RUN: cubec %s --target spirv:vulkan1.3 --kernel shared --emit asm -o - | FileCheck %s --check-prefix=SHARED
// RUN: cubec %s --target spirv:vulkan1.3 --kernel joined --emit asm -o - | FileCheck %s --check-prefix=JOIN
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
// The uniform block is an array of vectors of four words: the length and the two words of the scalar, and the words of the grid.
// HALF: OpDecorate [[LINES:%[0-9]+]] ArrayStride 16
// HALF: OpDecorate {{%[0-9]+}} NoContraction
// HALF: [[FOUR:%[0-9]+]] = OpConstant {{%[0-9]+}} 4
// HALF: [[LINES]] = OpTypeArray {{%[0-9]+}} [[FOUR]]
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

// A loop has a merge and a continue block. Its counter and its loop-carried value are phis of the block with its condition.
// A checked load whose other value is a constant has no block for the constant.
// SHARED: [[ZERO:%[0-9]+]] = OpConstant {{%[0-9]+}} 0
// SHARED: [[TILE:%[0-9]+]] = OpVariable {{%[0-9]+}} Workgroup
// SHARED-NOT: OpVariable {{%[0-9]+}} Function
// SHARED: [[START:%[0-9]+]] = OpLabel
// SHARED: OpSelectionMerge [[LOADED:%[0-9]+]] None
// SHARED-NEXT: OpBranchConditional {{%[0-9]+}} [[LOAD:%[0-9]+]] [[LOADED]]
// SHARED-NEXT: [[LOAD]] = OpLabel
// SHARED: [[V:%[0-9]+]] = OpLoad
// SHARED-NEXT: OpBranch [[LOADED]]
// SHARED-NEXT: [[LOADED]] = OpLabel
// SHARED-NEXT: OpPhi {{%[0-9]+}} {{%[0-9]+}} [[START]] [[V]] [[LOAD]]
// SHARED: OpControlBarrier
// SHARED-NEXT: OpBranch [[HEADER:%[0-9]+]]
// SHARED-NEXT: [[HEADER]] = OpLabel
// SHARED-NEXT: [[I:%[0-9]+]] = OpPhi {{%[0-9]+}} [[ZERO]] [[LOADED]] [[NEXT_I:%[0-9]+]] [[NEXT:%[0-9]+]]
// SHARED-NEXT: [[S:%[0-9]+]] = OpPhi {{%[0-9]+}} {{%[0-9]+}} [[LOADED]] [[T:%[0-9]+]] [[NEXT]]
// SHARED: [[MORE:%[0-9]+]] = OpULessThan {{%[0-9]+}} [[I]]
// SHARED-NEXT: OpLoopMerge [[END:%[0-9]+]] [[NEXT]] None
// SHARED-NEXT: OpBranchConditional [[MORE]] {{%[0-9]+}} [[END]]
// SHARED: OpAccessChain {{%[0-9]+}} [[TILE]] [[I]]
// SHARED: [[T]] = OpFAdd {{%[0-9]+}} [[S]]
// SHARED: [[NEXT_I]] = OpIAdd {{%[0-9]+}} [[I]]
// SHARED-NEXT: OpBranch [[NEXT]]
// SHARED-NEXT: [[NEXT]] = OpLabel
// SHARED-NEXT: OpBranch [[HEADER]]
// SHARED-NEXT: [[END]] = OpLabel
// SHARED: OpStore {{%[0-9]+}} [[S]]
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

// Positions are computed once, at the start of the function. The values of a switch and of a nested branch come from the
// blocks that end in them. The condition of a while is in a separate block if it contains a branch, and the results of
// the while are the values that the condition forwards.
// JOIN: [[ONE:%[0-9]+]] = OpConstant {{%[0-9]+}} 1
// JOIN: [[START:%[0-9]+]] = OpLabel
// JOIN: [[CUBE:%[0-9]+]] = OpLoad
// JOIN: [[POS:%[0-9]+]] = OpIAdd
// JOIN: OpSelectionMerge [[SWITCHED:%[0-9]+]] None
// JOIN-NEXT: OpSwitch {{%[0-9]+}} [[DEFAULT:%[0-9]+]] 0 [[CASE:%[0-9]+]]
// JOIN-NEXT: [[CASE]] = OpLabel
// JOIN: OpBranchConditional {{%[0-9]+}} [[THEN:%[0-9]+]] [[ELSE:%[0-9]+]]
// JOIN: [[ELSE]] = OpLabel
// JOIN: OpBranch [[INNER:%[0-9]+]]
// JOIN-NEXT: [[INNER]] = OpLabel
// JOIN-NEXT: [[A:%[0-9]+]] = OpPhi {{%[0-9]+}} {{%[0-9]+}} [[THEN]] {{%[0-9]+}} [[ELSE]]
// JOIN-NEXT: OpBranch [[SWITCHED]]
// JOIN-NEXT: [[DEFAULT]] = OpLabel
// JOIN-NEXT: OpBranch [[SWITCHED]]
// JOIN-NEXT: [[SWITCHED]] = OpLabel
// JOIN-NEXT: [[B:%[0-9]+]] = OpPhi {{%[0-9]+}} [[A]] [[INNER]] [[ONE]] [[DEFAULT]]
// JOIN: [[HEADER:%[0-9]+]] = OpLabel
// JOIN-NEXT: [[W:%[0-9]+]] = OpPhi {{%[0-9]+}} [[B]] [[SWITCHED]]
// JOIN-NEXT: OpLoopMerge [[END:%[0-9]+]]
// JOIN-NEXT: OpBranch [[CONDITION:%[0-9]+]]
// JOIN-NEXT: [[CONDITION]] = OpLabel
// JOIN: [[F:%[0-9]+]] = OpPhi
// JOIN: OpBranchConditional {{%[0-9]+}} {{%[0-9]+}} [[END]]
// JOIN: [[END]] = OpLabel
// JOIN: OpStore {{%[0-9]+}} [[F]]
cube.kernel @joined(%x: !cube.array<i32>, %n: i32) cube_dim(32) unchecked {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = cube.topology absolute_pos_x
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %case = arith.index_cast %v : i32 to index
  %b = scf.index_switch %case -> i32
  case 0 {
    %p = arith.cmpi ult, %n, %i : i32
    %a = scf.if %p -> i32 {
      %y = cube.load %x[%n] : !cube.array<i32> -> i32
      scf.yield %y : i32
    } else {
      %y = cube.load %x[%c0] : !cube.array<i32> -> i32
      scf.yield %y : i32
    }
    scf.yield %a : i32
  }
  default {
    scf.yield %c1 : i32
  }
  %r = scf.while (%w = %b) : (i32) -> i32 {
    %p = arith.cmpi ult, %w, %n : i32
    %f = scf.if %p -> i32 {
      %y = cube.load %x[%w] : !cube.array<i32> -> i32
      scf.yield %y : i32
    } else {
      scf.yield %w : i32
    }
    %more = arith.cmpi ult, %f, %n : i32
    scf.condition(%more) %f : i32
  } do {
  ^bb0(%g: i32):
    %next = arith.addi %g, %c1 : i32
    scf.yield %next : i32
  }
  %j = cube.topology absolute_pos_x
  cube.store %r, %x[%j] : i32, !cube.array<i32>
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
