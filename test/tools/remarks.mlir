// Three kinds of remarks, as text and in LLVM's format.

// A rewrite emits a remark `passed`; a rule that does not match emits a remark `analysis`.
// RUN: cube-opt %s --cube-remarks --pass-pipeline='builtin.module(cube.kernel(expand-casts,expand-integers))' 2>&1 >/dev/null | FileCheck %s --check-prefix=RULES

// Remarks are selected by kind and by pass; MLIR prints the source line.
// RUN: cube-opt %s --cube-remarks=missed,passed --cube-remarks-filter='^remove' --compile-to=legalize -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHECKS
// RUN: cube-opt %s --cube-remarks=analysis --cube-remarks-filter=remove --compile-to=legalize -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// NONE-NOT: remark

// The options of mlir-opt select remarks of Cube's passes too; output formats that would omit them are rejected.
// RUN: cube-opt %s --remarks-filter='^remove' --compile-to=legalize -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHECKS
// RUN: cube-opt %s --remarks-filter-missed remove --remarks-filter-passed=normalize --compile-to=legalize -o /dev/null 2>&1 | FileCheck %s --check-prefix=KINDS
// KINDS-NOT: passed [remove-checks
// KINDS-DAG: missed [remove-checks
// KINDS-DAG: passed [normalize-loops
// RUN: cube-opt %s --remarks-filter-failed=. --compile-to=legalize -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: not cube-opt %s --remarks-filter=. --remark-format=yaml --compile-to=legalize 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: error[CUBE0604]: --remark-format=yaml would omit the remarks of Cube's passes; write the remarks with --cube-remarks-yaml=FILE

// cubec prints the same remarks, for the passes of the target.
// RUN: cubec %s --kernel guards --remarks=passed -o /dev/null 2>&1 | FileCheck %s --check-prefix=CUBEC
// CUBEC: remarks.mlir:{{[0-9]+}}:10: remark: passed [remove-checks:guard]
// CUBEC: remark: passed [normalize-loops:count] the loop counts its iterations, because its counter plus its step can
// RUN: cubec %S/../../examples/kernels/row_sum.mlir --remarks=passed --remarks-filter='unit|loop' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SUM
// SUM-DAG: remark: passed [tighten-loop-bounds:shrink]
// SUM-DAG: remark: passed [unroll-and-jam-units:jam] 4 units run this reduction side by side
// Remarks are written even if the compilation fails.
// RUN: not cubec %s --kernel k --target cpu:none --remarks-yaml %t.none 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: CUBE0501

// LLVM's tools read the YAML file, which has one document for each remark, in the format of opt-viewer.
// RUN: cubec %s --kernel guards --remarks-yaml %t.yaml -o /dev/null
// RUN: llvm-remarkutil 'count' --parser=yaml --group-by=function %t.yaml | FileCheck %s --check-prefix=COUNT
// COUNT: guards,{{[1-9]}}
// RUN: llvm-remarkutil yaml2bitstream %t.yaml -o %t.bitstream && llvm-remarkutil bitstream2yaml %t.bitstream -o - | FileCheck %s --check-prefix=YAML
// YAML: --- !Passed
// YAML-NEXT: Pass: {{ *}}remove-checks
// YAML-NEXT: Name: {{ *}}guard
// YAML: remarks.mlir',
// YAML: Line: {{[0-9]+}},
// YAML: Function: {{ *}}guards
// YAML-NEXT: Args:
// YAML-NEXT: Reason: {{.*}}the index is below the length
// YAML: --- !Missed
// YAML: Suggestion:
// RUN: cube-opt %s --compile-to=optimize --cube-remarks-yaml=%t.opt.yaml -o /dev/null && llvm-remarkutil 'count' --parser=yaml --group-by=function %t.opt.yaml | FileCheck %s --check-prefix=OPT
// OPT: k,{{[0-9]+}}

// RUN: cube-opt %s --cube-remarks=mised 2> %t.err || test $? = 2 && FileCheck %s --check-prefix=KIND --input-file=%t.err
// KIND: error[CUBE0604]: mised is an unknown kind of remark; choose one of passed, missed, analysis; did you mean missed?
// RUN: cubec %s --remarks --remarks-filter='(' 2> %t.err || test $? = 2 && FileCheck %s --check-prefix=REGEX --input-file=%t.err
// REGEX: error[CUBE0604]: '(' is not a regular expression
cube.kernel @guards(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %n = cube.len %x : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    // CHECKS: remarks.mlir:[[#@LINE+1]]:10: remark: passed [remove-checks:guard] the index is below the length of the buffer by the guard around it
    %v = cube.load %x[%i] : !cube.array<f32> -> f32
    // CHECKS: remarks.mlir:[[#@LINE+1]]:5: remark: missed [remove-checks:other-limit] {{.*}} a value other than the length of this buffer; compare with cube.len of the buffer that is accessed
    cube.store %v, %y[%i] : f32, !cube.array<f32>
  }
  %signed = arith.cmpi slt, %i, %n : i32
  scf.if %signed {
    // CHECKS: remarks.mlir:[[#@LINE+1]]:10: remark: missed [remove-checks:other-comparison] {{.*}}; compare with arith.cmpi ult, %index, %length
    %v = cube.load %x[%i] : !cube.array<f32> -> f32
    cube.store %v, %y[%one] : f32, !cube.array<f32>
  }
  scf.for %t = %zero to %n step %one : i32 {
    // CHECKS: remarks.mlir:[[#@LINE+1]]:10: remark: missed [remove-checks:signed-loop] {{.*}}; write the loop as scf.for unsigned
    %v = cube.load %x[%t] : !cube.array<f32> -> f32
    cube.store %v, %y[%zero] : f32, !cube.array<f32>
  }
  scf.for unsigned %t = %zero to %n step %three : i32 {
    %v = cube.load %x[%zero] : !cube.array<f32> -> f32
    cube.store %v, %y[%zero] : f32, !cube.array<f32>
  }
  cube.return
}
cube.kernel @k(%x: !cube.array<f64>, %y: !cube.array<f32>, %z: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  // CHECKS: remarks.mlir:[[#@LINE+2]]:8: remark: missed [remove-checks:no-guard] the check stays, because nothing around the access compares this index with the length of its buffer; put the access into an scf.if with the condition arith.cmpi ult, %index, %length
  // CHECKS-NEXT: %v = cube.load
  %v = cube.load %x[%i] checked : !cube.array<f64> -> f64
  // RULES: remarks.mlir:[[#@LINE+1]]:8: remark: analysis [expand-casts:truncf] no match, because the conversion is an instruction everywhere
  %a = arith.truncf %v : f64 to f32
  // RULES: remarks.mlir:[[#@LINE+1]]:8: remark: passed [expand-integers:divui] 'cube.divui' is rewritten
  %b = cube.divui %i, %i : i32
  cube.store %a, %y[%i] : f32, !cube.array<f32>
  cube.store %b, %z[%i] : i32, !cube.array<i32>
  cube.return
}
