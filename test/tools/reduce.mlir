// cube-reduce: the reduced kernel, its determinism, and rejected requests.

// For a compiler error, only the operations that cause the error are kept.
// RUN: cube-reduce %s --kernel largest --fails CUBE0412 --target wgsl -o %t.mlir 2> %t.log | FileCheck %s --check-prefix=REPLAY
// REPLAY: cubec {{.*}}.mlir --target wgsl
// RUN: FileCheck %s --check-prefix=LOG --input-file=%t.log
// LOG: start {{[0-9]+}} operations
// LOG: done 4 operations
// RUN: FileCheck %s --check-prefix=LARGEST --input-file=%t.mlir
// LARGEST: cube.kernel @largest(%y: !cube.array<f32>, %i: i32) cube_dim(1) {
// LARGEST-NEXT: arith.constant 0
// LARGEST-NEXT: cube.plane_reduce maxf
// LARGEST-NEXT: cube.store
// LARGEST-NEXT: cube.return
// LARGEST: // cube-reduce: 4 of {{[0-9]+}} operations are left
// LARGEST-NEXT: // cubec THIS_FILE --target wgsl
// RUN: not cubec %t.mlir --target wgsl -o - 2>&1 | FileCheck %s --check-prefix=STILL
// STILL: CUBE0412
// The same input gives the same output, and a reduced kernel cannot be reduced further.
// RUN: cube-reduce %s --kernel largest --fails CUBE0412 --target wgsl -o %t.2.mlir -q && cmp %t.mlir %t.2.mlir
// RUN: cube-reduce %t.mlir --fails CUBE0412 --target wgsl -o %t.3.mlir -q && grep -v '^//' %t.mlir > %t.a && grep -v '^//' %t.3.mlir | cmp %t.a -

// A pass of the given pipeline crashes.
// RUN: env CUBE_TEST_PASSES=1 cube-reduce %s --fails crash --pipeline 'builtin.module(cube.kernel(test-panic))' -o %t.panic.mlir -q
// RUN: FileCheck %s --check-prefix=PANIC --input-file=%t.panic.mlir
// PANIC: cube.kernel @{{[a-z]+}}() cube_dim(1) {
// PANIC-NEXT: cube.return
// PANIC-NOT: cube.kernel @

// Interpreter and CPU differ: exp is within 2 ULP, but not exact. Guard, parameter and most data are removed.
// RUN: cube-reduce %s --kernel exp --differs interp:cpu --ulp 0 --arg x=random:9 --arg y=zeros:x --arg s=0.75 --max-tests 60 -o %t.exp.mlir -q > %t.again
// RUN: FileCheck %s --check-prefix=EXP --input-file=%t.exp.mlir
// EXP: cube.kernel @exp(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim({{[0-9]}}) {
// EXP-NEXT: cube.topology
// EXP-NEXT: cube.load
// EXP-NEXT: math.exp
// EXP-NEXT: cube.store
// EXP-NEXT: cube.return
// EXP: operations are left, {{[1-9]}} of {{[0-9]+}} units; to see it
// RUN: FileCheck %s --check-prefix=AGAIN --input-file=%t.again
// AGAIN: cube-run {{.*}} --backend cpu --against interp --ulp 0 --arg x=iota:{{[0-9]}} --arg y=zeros:{{[0-9]}} --cube-count 1,1,1
// RUN: not cube-run %t.exp.mlir --backend cpu --against interp --ulp 0 --arg x=iota:9 --arg y=zeros:x 2>&1 | FileCheck %s --check-prefix=DIFFER
// DIFFER: error[CUBE0609]: the results of cpu and interp differ: {{.*}} elements of y
// RUN: cube-run %t.exp.mlir --against interp --ulp 2 --arg x=iota:9 --arg y=zeros:x | FileCheck %s --check-prefix=AGREE
// AGREE: cpu and interp agree within 2 ulp
// RUN: cube-run %t.exp.mlir --backend interp --against cpu --arg x=iota:9 --arg y=zeros:x | FileCheck %s --check-prefix=TOLERANCE
// TOLERANCE: interp and cpu agree within the tolerances of semantics/tables/tolerance.toml

// A pass changes the result; undefined behaviour simulates a miscompilation. The assumptions of the pass are kept.
// RUN: cube-reduce %s --kernel believes --differs interp:passes --arg v=2147483647 --arg x=random:9 --arg y=zeros:9 -o %t.pass.mlir -q | FileCheck %s --check-prefix=BISECT
// BISECT: cube-run {{.*}} --bisect --arg
// RUN: FileCheck %s --check-prefix=PASS --input-file=%t.pass.mlir
// PASS: arith.addi {{.*}} overflow<nsw>
// PASS-NOT: cube.load
// PASS: cube-reduce:
// PASS-NOT: math.exp
// PASS-NOT: scf.

// The test can be any command.
// RUN: cube-reduce %t.mlir --test '%{tools}/cube c {} --emit specialize -o - | grep -q maxf' -o %t.cmd.mlir -q | FileCheck %s --check-prefix=COMMAND
// COMMAND: {{.*}}cube c {{.*}}.mlir --emit specialize -o - | grep -q maxf
// RUN: FileCheck %s --check-prefix=MAXIMUM --input-file=%t.cmd.mlir
// MAXIMUM: cube.kernel @largest(%y: !cube.array<f32>, %i: i32) cube_dim(1) {
// MAXIMUM: cube.plane_reduce maxf
// MAXIMUM-NOT: cube.kernel @
// A test that exceeds its time limit fails.
// RUN: not cube-reduce %s --test 'sleep 60' --timeout 1 -o %t.late.mlir 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error[CUBE0614]: the test of cube-reduce fails for the initial {{.*}}reduce.mlir: it takes more than 1 s

// RUN: not cube-reduce %s --kernel exp --fails CUBE0412 --target wgsl -o %t.no.mlir 2>&1 | FileCheck %s --check-prefix=NOT
// NOT: error[CUBE0614]: the test of cube-reduce fails for the initial {{.*}}reduce.mlir: it ends with 0
// RUN: not cube-reduce %s --kernel exp --differs interp:cpu --arg x=random:9 --arg y=zeros:x --arg s=0.75 -o %t.no.mlir 2>&1 | FileCheck %s --check-prefix=WITHIN
// WITHIN: error[CUBE0614]: {{.*}}: interp and cpu agree within 4 units in the last place; --ulp 0 requires equal numbers, and distinguishes 0 from -0
// RUN: test ! -e %t.no.mlir
// RUN: cube-reduce %s 2> %t.err || test $? = 2 && FileCheck %s --check-prefix=WHAT --input-file=%t.err
// WHAT: error[CUBE0604]: name the failure to preserve: --fails, --differs or --test
// RUN: cube-reduce %s --fails CUBE0000 2> %t.err || test $? = 2 && FileCheck %s --check-prefix=CODE --input-file=%t.err
// CODE: error[CUBE0604]: --fails CUBE0000: expected an error code or crash
// RUN: cube-reduce %s --differs cpu 2> %t.err || test $? = 2 && FileCheck %s --check-prefix=PAIR --input-file=%t.err
// PAIR: error[CUBE0604]: --differs cpu is not interp:BACKEND or interp:passes
// RUN: not cube-reduce %t.absent --fails crash 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error[CUBE0602]

cube.func private @half(%v: f32) -> f32 {
  %h = arith.constant 5.0e-01 : f32
  %r = arith.mulf %v, %h : f32
  cube.return %r : f32
}
cube.kernel @exp comptime(@N : i32 = 1)(%x: !cube.array<f32>, %y: !cube.array<f32>, %s: f32) cube_dim(8) {
  %i = cube.topology absolute_pos
  %n = cube.constant <@N> : i32
  %c = arith.cmpi uge, %i, %n : i32
  scf.if %c {
    %v = cube.load %x[%i] : !cube.array<f32> -> f32
    %e = math.exp %v : f32
    %f = arith.subf %e, %s : f32
    cube.store %f, %y[%i] : f32, !cube.array<f32>
  }
  cube.return
}
cube.kernel @believes(%v: i32, %x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology absolute_pos
  %least = arith.constant -2147483648 : i32
  %one = arith.constant 1 : i32
  %w = cube.load %x[%i] : !cube.array<i32> -> i32
  %next = arith.addi %v, %one overflow<nsw> : i32
  %more = arith.cmpi sgt, %next, %least : i32
  %r = arith.extui %more : i1 to i32
  %s = arith.xori %r, %w : i32
  cube.store %s, %y[%i] : i32, !cube.array<i32>
  cube.return
}
cube.kernel @largest(%x: !cube.array<f32, 4>, %y: !cube.array<f32>, %i: i32) cube_dim(8) {
  %v = cube.load %x[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %a = arith.addf %v, %v fastmath<fast> : vector<4xf32>
  %t = arith.constant true
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = scf.for %j = %zero to %i step %one iter_args(%c = %a) -> (vector<4xf32>) : i32 {
    %d = arith.mulf %c, %a : vector<4xf32>
    scf.yield %d : vector<4xf32>
  }
  %w = scf.if %t -> f32 {
    %q = vector.reduction <add>, %b : vector<4xf32> into f32
    %p = cube.plane_reduce maxf %q : f32
    scf.yield %p : f32
  } else {
    %z = arith.constant 3.0 : f32
    scf.yield %z : f32
  }
  cube.store %w, %y[%i] : f32, !cube.array<f32>
  cube.return
}
