// A kernel that stops with a message fails its launch with only this message; other printed lines go to the output.
// RUN: not cube-run %s --kernel stops --arg x=iota:3 --cube-count 1 --backend cpu 2>%t.cpu | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s --check-prefix=ERR --input-file %t.cpu
// RUN: not cube-run %s --kernel stops --arg x=iota:3 --cube-count 1 --backend interp 2>%t.interp | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s --check-prefix=ERR --input-file %t.interp
// RUN: not cube-run %s --kernel stops --arg x=iota:3 --cube-count 1 --backend interp --level legal 2>%t.legal | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s --check-prefix=ERR --input-file %t.legal
// OUT: about to
// OUT-NOT: 1 is too much
// ERR: error[CUBE0943]:{{.*}} 1 is too much of 3
cube.kernel @stops(%x: !cube.array<i32>) cube_dim(3) {
  %one = arith.constant 1 : i32
  %n = cube.buffer_len %x : !cube.array<i32>
  %u = cube.topology unit_pos
  %c = arith.cmpi eq, %u, %one : i32
  scf.if %c {
    cube.print "about to"
    cube.print "{:u} is too much of {}"(%u, %n) : i32, i32 fails
  }
  cube.return
}

// After 250,000 lines the buffer has no space for the message's values, so the message is printed without them.
// RUN: not cube-run %s --kernel full --arg x=iota:1 --cube-count 4096 --backend cpu 2>&1 | tail -5 | FileCheck %s --check-prefix=FULL
// FULL: error[CUBE0943]:{{.*}} ? is too much
cube.kernel @full(%x: !cube.array<i32>) cube_dim(64) {
  %u = cube.topology cube_pos
  %v = vector.from_elements %u, %u, %u, %u : vector<4xi32>
  cube.print "{}"(%v) : vector<4xi32>
  cube.sync cube
  %most = arith.constant 4094 : i32
  %late = arith.cmpi ugt, %u, %most : i32
  scf.if %late { cube.print "{} is too much"(%u) : i32 fails }
  cube.return
}

// The lines of a kernel that exceeds the step limit are printed too.
// RUN: not cube-run %s --kernel forever --arg x=iota:1 --cube-count 1 --backend interp --max-steps 1000 2>%t.steps | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s --check-prefix=STEPS --input-file %t.steps
// STEPS: stopped.mlir:[[#@LINE+6]]:{{[0-9]+}}: error[CUBE0702]: the launch exceeds 1000 steps at
// A kernel that exceeds the CPU time limit: the message names the loop.
// RUN: env CUBE_CPU_TIME_LIMIT=0.2 not cube-run %s --kernel forever --arg x=iota:1 --cube-count 1 --backend cpu 2>&1 | FileCheck %s --check-prefixes=LIMIT
// LIMIT: error[CUBE0944]: kernel 'forever': it was terminated in the loop at line [[#@LINE+3]] of its source, after the limit of 0.2 s
cube.kernel @forever(%x: !cube.array<i32>) cube_dim(1) {
  cube.print "about to"
  cube.loop { cube.continue }
  cube.return
}
