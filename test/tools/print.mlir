// The CPU and the interpreter print the same lines, in the order of the units of a cube.
// RUN: cube run %s --kernel values --arg x=iota:3 --arg n=-2 --cube-count 1 --backend cpu | FileCheck %s --check-prefix=VALUES
// RUN: cube run %s --kernel values --arg x=iota:3 --arg n=-2 --cube-count 1 --backend interp | FileCheck %s --check-prefix=VALUES
// RUN: cube c %s --kernel values --target nvptx -o - | FileCheck %s --check-prefix=PTX
// RUN: cube c %s --kernel values --target amdgpu --emit asm -o - | FileCheck %s --check-prefix=AMD
// VALUES: unit 0 has 0 of -2, true, [0, 0.5], 18446744073709551615? -1
// VALUES: unit 1 has 1 of -2, true, [1, 0.5], 18446744073709551615? -1
// VALUES: unit 2 has 2 of -2, false, [2, 0.5], 18446744073709551615? -1
// PTX: atom{{.*}}.add
// AMD: global_atomic_add
cube.kernel @values(%x: !cube.array<f32>, %n: i16) cube_dim(3) {
  %i = cube.topology absolute_pos
  %two = arith.constant 2 : i32
  %half = arith.constant 0.5 : f32
  %all = arith.constant -1 : i64
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %h = cube.cast %v : f32 to f16
  %low = arith.cmpi ult, %i, %two : i32
  %l = vector.from_elements %v, %half : vector<2xf32>
  cube.print "unit {} has {} of {}, {}, {}, {:u}? {}"(%i, %h, %n, %low, %l, %all, %all) : i32, f16, i16, i1, vector<2xf32>, i64, i64
  cube.return
}

// If the print buffer is full, a message reports the missing lines.
// RUN: cube run %s --kernel many --arg x=iota:200000 --cube-count 3125 | FileCheck %s --check-prefix=MANY
// MANY-COUNT-131071: line
// MANY-NOT: line
// MANY: ... and more, for which the 262142 words of a launch had no room
cube.kernel @many(%x: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  cube.print "line {}"(%i) : i32
  cube.return
}
