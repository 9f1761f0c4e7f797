// Compiler attributes in a source file, and in a stage file that was edited.
// RUN: split-file %s %t

// RUN: not cubec %t/narrow.mlir -o - 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: not cube-run %t/narrow.mlir --arg y=zeros:8 --cube-count 1 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: narrow.mlir:5:3: error[CUBE0156]: 'scf.for' has the attribute cube.narrow, which only the compiler writes, on a loop; remove the attribute
// RUN: not cubec %t/count.mlir -o - 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: count.mlir:1:1: error[CUBE0156]: 'cube.kernel' has the attribute cube.cube_count, which only the compiler writes, on a kernel; remove the attribute
// RUN: not cubec %t/unknown.mlir -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown.mlir:5:3: error[CUBE0156]: 'scf.for' has the unknown attribute cube.unrol (did you mean cube.unroll?); remove the attribute, or choose one of cube.target, {{.*}}cube.unroll
// RUN: not cubec %t/buffer.mlir -o - 2>&1 | FileCheck %s --check-prefix=BUFFER
// BUFFER: buffer.mlir:1:1: error[CUBE0156]: 'cube.kernel' must have both the attribute cube.prints and a last buffer for printed text, or neither; restore the missing part
// RUN: not cubec %t/both.mlir -o - 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: both.mlir:1:1: error[CUBE0156]: 'cube.kernel' has the attribute cube.prints, which only the compiler writes

// A stage file contains compiler attributes exactly as the passes write them.
// RUN: cubec %t/prints.mlir --dump-tree %t/tree -o %t.o
// RUN: cp %t/tree/optimize/*-lower-print.mlir %t.print.mlir && cubec %t.print.mlir -o %t.again.o && cmp %t.o %t.again.o
// RUN: sed 's/cube.prints = ."i32x1|/cube.prints = ["i33x1|/' %t.print.mlir | not cubec - -o - 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: error[CUBE0156]: 'cube.kernel' has the invalid entry "i33x1|{} units" in cube.prints; write the types, a vertical bar and the format, as in "i32x1|{} units"
// RUN: sed 's/cube.prints = ."i32x1.*units".//' %t.print.mlir | not cubec - -o - 2>&1 | FileCheck %s --check-prefix=PAIR
// PAIR: error[CUBE0156]: 'cube.kernel' must have both the attribute cube.prints and a last buffer
// RUN: sed 's/cube.prints = /cube.cube_count = ["cubes(0)"], cube.prints = /' %t.print.mlir | not cubec - -o - 2>&1 | FileCheck %s --check-prefix=THREE
// THREE: error[CUBE0156]: 'cube.kernel' has an invalid attribute cube.cube_count; write three expressions for x, y and z, or remove the attribute
// RUN: sed 's/cube.prints = /cube.cube_count = ["sqrt(2)", "1", "1"], cube.prints = /' %t.print.mlir | not cubec - -o - 2>&1 | FileCheck %s --check-prefix=EXPRESSION
// EXPRESSION: error[CUBE0156]: 'cube.kernel' has an invalid attribute cube.cube_count: no function 'sqrt' at byte 0
// RUN: sed 's/cube.prints = /cube.overwritten = {z = "1"}, cube.prints = /' %t.print.mlir | not cubec - -o - 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error[CUBE0156]: 'cube.kernel' has an invalid attribute cube.overwritten; write an expression for each named buffer, or remove the attribute
// RUN: sed 's/cube.prints = /cube.overwritten = {y = "sqrt(2)"}, cube.prints = /' %t.print.mlir | not cubec - -o - 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN
// OVERWRITTEN: error[CUBE0156]: 'cube.kernel' has an invalid attribute cube.overwritten: no function 'sqrt' at byte 0
// RUN: sh -c 'cp %t/tree/lower/*-emit-unit-loops.mlir %t.loops.mlir' && sed 's/cube.scratch_bytes = [0-9]*/note = 1/' %t.loops.mlir | not cubec - -o - 2>&1 | FileCheck %s --check-prefix=LOST
// LOST: error[CUBE0156]: 'builtin.module' no longer has the attribute cube.scratch_bytes, which an earlier pass wrote; restore the attribute

//--- narrow.mlir
cube.kernel @k(%y: !cube.array<i32>) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %n = arith.constant 300 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %i = %zero to %n step %one : i32 {
    cube.store %i, %y[%zero] : i32, !cube.array<i32>
  } {cube.narrow = i8}
  cube.return
}
//--- count.mlir
cube.kernel @k(%y: !cube.array<i32>) cube_dim(1) attributes {cube.cube_count = ["1", "1", "1"]} {
  cube.return
}
//--- unknown.mlir
cube.kernel @k(%y: !cube.array<i32>) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %n = arith.constant 3 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %i = %zero to %n step %one : i32 {
    cube.store %i, %y[%zero] : i32, !cube.array<i32>
  } {cube.unrol = 3 : i32}
  cube.return
}
//--- buffer.mlir
cube.kernel @k(%y: !cube.array<i32> {cube.access = "prints"}) cube_dim(1) {
  cube.return
}
//--- both.mlir
cube.kernel @k(%y: !cube.array<i32> {cube.access = "prints"}) cube_dim(1) attributes {cube.prints = ["i32x1|{}"]} {
  cube.return
}
//--- prints.mlir
cube.kernel @k(%y: !cube.array<i32>) cube_dim(1) {
  %i = cube.topology absolute_pos
  cube.print "{} units"(%i) : i32
  cube.return
}
