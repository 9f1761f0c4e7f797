// RUN: cube-opt %s | cube-opt | FileCheck %s --check-prefix=SAME
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(unroll))' | FileCheck %s --check-prefix=COPIED
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(unroll,remove-checks))' | FileCheck %s --check-prefix=RENEWED
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(resolve-slices))' | FileCheck %s --check-prefix=REWIRED
// RUN: cube-opt %s --pass-pipeline='builtin.module(inline,cube.kernel(remove-checks))' | FileCheck %s --check-prefix=INLINED

// A proof is part of the access and survives a round trip through text. Unrolling copies the access without its proof,
// because the loop bound is known only for the first iteration of each group; a later pass proves the copy again.
// SAME-LABEL: @copied
// SAME: cube.load %x[%{{.*}}] inbounds by loop_bound
// SAME: cube.load %x[%i] inbounds by guard
// COPIED-LABEL: @copied
// COPIED-COUNT-2: cube.load %x[%{{.*}}] checked
// COPIED: scf.for unsigned
// COPIED: cube.load %x[%{{.*}}] inbounds by loop_bound
// COPIED: cube.load %x[%i] inbounds by guard
// COPIED: cube.load %x[%i] inbounds :
// RENEWED-LABEL: @copied
// RENEWED: scf.for unsigned
// RENEWED-COUNT-2: cube.load %x[%{{.*}}] checked
// RENEWED: scf.for unsigned
// RENEWED: cube.load %x[%{{.*}}] inbounds by loop_bound
// RENEWED: cube.load %x[%i] inbounds by guard
cube.kernel @copied(%x: !cube.array<f32>, %i: i32) {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %n = cube.len %x : !cube.array<f32>
  scf.for unsigned %k = %zero to %n step %one : i32 {
    %v = cube.load %x[%k] inbounds by loop_bound : !cube.array<f32> -> f32
  } {cube.unroll = 2 : i32}
  %in = arith.cmpi ult, %i, %n : i32
  scf.if %in {
    %w = cube.load %x[%i] inbounds by guard : !cube.array<f32> -> f32
    %u = cube.load %x[%i] inbounds : !cube.array<f32> -> f32
  }
  cube.return
}

// Rewiring an access to the buffer and index of a slice removes its proof.
// REWIRED-LABEL: @rewired
// REWIRED: cube.load %x[%{{.*}}] checked
// REWIRED: cube.load %x[%{{.*}}] inbounds :
cube.kernel @rewired(%x: !cube.array<f32>, %i: i32, %a: i32, %b: i32) {
  %s = cube.slice %x[%a to %b] : !cube.array<f32> -> !cube.slice<f32>
  %n = cube.len %s : !cube.slice<f32>
  %in = arith.cmpi ult, %i, %n : i32
  scf.if %in {
    %w = cube.load %s[%i] inbounds by guard : !cube.slice<f32> -> f32
    %u = cube.load %s[%i] inbounds : !cube.slice<f32> -> f32
  }
  cube.return
}

// An upstream pass copies an access with its proof to another buffer and out of its guard; the proof must be dropped.
// INLINED-LABEL: @inlined
// INLINED: cube.load %y[%j] checked
cube.func @read(%x: !cube.array<f32>, %i: i32) -> f32 {
  %w = cube.load %x[%i] inbounds by guard : !cube.array<f32> -> f32
  cube.return %w : f32
}
cube.kernel @inlined(%y: !cube.array<f32>, %j: i32) {
  %v = cube.call @read(%y, %j) : (!cube.array<f32>, i32) -> f32
  cube.store %v, %y[%j] checked : f32, !cube.array<f32>
  cube.return
}
