// RUN: cube-opt %s --units-to-loops --verify-diagnostics --split-input-file
// RUN: cube-opt %s --attach-target=target=amdgpu --kernel-to-rocdl --verify-diagnostics --split-input-file

// expected-error@+1 {{type !cube.array<f32> has no place at level legal: !cube ends before it [CUBE0332]}}
cube.kernel @buffers(%x: !cube.array<f32>) { cube.return }

// -----

cube.kernel @total(%x: i32) {
  // expected-error@+1 {{'cube.divui' does not belong to level legal (buffers are memrefs, every access is in bounds, integer operations are bare); an earlier pass should have replaced it [CUBE0331]}}
  %v = cube.divui %x, %x : i32
  cube.return
}
