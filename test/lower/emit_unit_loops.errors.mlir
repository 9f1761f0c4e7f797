// RUN: cube-opt %s --emit-unit-loops --verify-diagnostics --split-input-file
// RUN: cube-opt %s --attach-target=target=amdgpu --kernel-to-rocdl --verify-diagnostics --split-input-file

// expected-error@+1 CUBE0332 {ty = "!cube.array<f32>", level = "legal", word = "!cube"}
cube.kernel @buffers(%x: !cube.array<f32>) { cube.return }

// -----

cube.kernel @total(%x: i32) {
  // expected-error@+1 CUBE0331 {op = "cube.divui", level = "legal", meaning = "a kernel with memrefs for buffers, with all accesses in bounds, and with integer operations of arith"}
  %v = cube.divui %x, %x : i32
  cube.return
}
