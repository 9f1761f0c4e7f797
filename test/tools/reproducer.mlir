// --reproducer writes a file with all inputs of a failure; --replay runs it again, in any tool.

// An error of the code generator.
// RUN: not cubec %s --kernel largest --target wgsl -o - --reproducer %t.cpu.mlir 2>&1 | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: error[CUBE0412]
// WRITTEN: note: cubec ended by exit 1 with CUBE0412; to run it again: cubec --replay {{.*}}cpu.mlir
// RUN: FileCheck %s --check-prefix=NOTES --input-file=%t.cpu.mlir
// NOTES: cube.kernel @largest
// NOTES: // cube-reproducer 1, made by cubec
// NOTES: // word: %s
// NOTES: // word: wgsl
// NOTES: // end: exit 1
// NOTES-NEXT: // code: CUBE0412
// NOTES: // target: wgsl:core{{$}}
// NOTES: // pipeline: builtin.module(attach-target{target=wgsl:core},check-vectors,check-size,define-poison,mark-may-not-terminate,narrow-inclusive-loops,structure-exits,normalize-wide-loops,inline{default-pipeline=},remove-dead-functions,cube.kernel(specialize),
// RUN: not cubec --replay %t.cpu.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not cube-opt --replay %t.cpu.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error[CUBE0412]
// AGAIN: note: the same outcome as recorded: exit 1 with CUBE0412

// A failing pass: the reproducer keeps the original locations, also for standard input.
// RUN: not cube-opt - --emit-unit-loops --reproducer=%t.opt.mlir < %s 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not cube-run --replay %t.opt.mlir 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: :[[#@LINE+53]]:{{[0-9]+}}: error: 'cube.load' does not belong to level mixed
// A pass that panics.
// RUN: not env CUBE_TEST_PASSES=1 cube-opt %s --test-panic --reproducer=%t.panic.mlir 2>&1 | FileCheck %s --check-prefix=PANIC
// RUN: not env CUBE_TEST_PASSES=1 cube-opt --replay=%t.panic.mlir 2>&1 | FileCheck %s --check-prefix=PANIC
// PANIC: [CUBE0399]
// If the failure no longer occurs, here because the pass is missing, --replay reports it.
// RUN: not cube-opt --replay=%t.panic.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error[CUBE0613]: the command ended with exit 1, but the reproducer records exit 1 with CUBE0399

// A wrong result: the reproducer contains the device's limits, the launch and the data.
// RUN: cube-run %s --kernel fma --arg x=random:8:3 --out x=%t.npy
// RUN: not cube-run %s --kernel fma --arg x=random:8:4 --check x=%t.npy --reproducer %t.run.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error[CUBE0609]
// RUN: FileCheck %s --check-prefix=LAUNCH --input-file=%t.run.mlir
// LAUNCH: // word: x=random:8:4
// LAUNCH: // file: {{[0-9a-f]+}} {{.*}}.npy
// LAUNCH: // code: CUBE0609
// LAUNCH: // device: at most [{{.*}}] units per cube
// LAUNCH: // launch: cube dim     4, 1, 1
// LAUNCH: // launch: cube count   2, 1, 1
// RUN: not cube-run --replay %t.run.mlir 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: check x: max
// SAME: the same outcome as recorded: exit 1 with CUBE0609
// --replay finds a data file in the folder of the reproducer, and checks that the file is unchanged.
// RUN: mkdir %t.moved && cp %t.run.mlir %t.moved/r.mlir && mv %t.npy %t.moved && not cube-run --replay %t.moved/r.mlir 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: printf x >> %t.moved/*.npy && not cube-run --replay %t.moved/r.mlir 2>&1 | FileCheck %s --check-prefix=CHANGED
// CHANGED: error[CUBE0612]: the input {{.*}}.npy is missing or has changed

// The reproducer records the relevant environment variables; those of the replay are ignored.
// RUN: CUBE_CPU_GUARD=1 not cube-run %s --kernel outside --arg x=iota:33 --arg y=zeros:64 --cube-count 1 --reproducer %t.guard.mlir 2>&1 | FileCheck %s --check-prefix=GUARD
// GUARD: error[CUBE0941]
// RUN: FileCheck %s --check-prefix=VARIABLE --input-file=%t.guard.mlir
// VARIABLE: // variable: CUBE_CPU_GUARD=1
// RUN: not cube-run --replay %t.guard.mlir 2>&1 | FileCheck %s --check-prefix=GUARDED
// GUARDED: the same outcome as recorded: exit 1 with CUBE0941
// RUN: CUBE_CPU_TIME_LIMIT=0.1 not cube-run %s --kernel waits --arg x=zeros:1 --reproducer %t.waits.mlir 2>/dev/null
// RUN: CUBE_CPU_TIME_LIMIT=1000 not cube-run --replay %t.waits.mlir 2>&1 | FileCheck %s --check-prefix=WAITED
// WAITED: the same outcome as recorded: exit 1 with CUBE0944
// A reproducer cannot set any other environment variable.
// RUN: sed 's/^.. variable: .*/\/\/ variable: CUBE_COMPILER=x/' %t.waits.mlir > %t.sets.mlir && not cube-run --replay %t.sets.mlir 2>&1 | FileCheck %s --check-prefix=SETS
// SETS: error[CUBE0612]: {{.*}}it sets CUBE_COMPILER, which is not one of CUBE_CPU_GUARD

// A command that succeeds or has a usage error writes no reproducer.
// RUN: cubec %s --kernel twice -o %t.o --reproducer %t.none.mlir && test ! -e %t.none.mlir
// RUN: cubec %s --kernel twice --wrong --reproducer %t.none.mlir 2>/dev/null || test $? = 2 && test ! -e %t.none.mlir
// Other files are rejected as reproducers, and a reproducer cannot start another replay.
// RUN: not cubec --replay %s 2>&1 | FileCheck %s --check-prefix=NOTONE
// NOTONE: error[CUBE0612]: {{.*}} is not a reproducer:
// RUN: sed 's/^.. word: %%s/\/\/ word: --replay=x/' %t.cpu.mlir > %t.loop.mlir && not cubec --replay %t.loop.mlir 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: error[CUBE0612]: {{.*}}its command makes or runs a reproducer itself

cube.kernel @fma(%x: !cube.array<f32>) cube_dim(4) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %w = math.fma %v, %v, %v : f32
  cube.store %w, %x[%i] : f32, !cube.array<f32>
  cube.return
}
cube.kernel @twice(%x: !cube.array<f32>) {
  cube.return
}
cube.kernel @outside(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) unchecked {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}
cube.kernel @waits(%x: !cube.array<i32>) {
  %z = arith.constant 0 : i32
  cube.loop {
    %v = cube.atomic_load %x[%z] : !cube.array<i32> -> i32
    %s = arith.cmpi eq, %v, %z : i32
    cube.if %s {
      cube.continue
    }
    cube.break
  }
  cube.return
}
cube.kernel @largest(%x: !cube.array<f32>) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %w = cube.plane_reduce maxf %v : f32
  cube.store %w, %x[%i] : f32, !cube.array<f32>
  cube.return
}
