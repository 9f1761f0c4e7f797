// RUN: cubec %s --target amdgpu:gfx942 --emit llvm -o - | FileCheck %s
// RUN: cubec %s --target nvptx --emit llvm -o - | FileCheck %s --check-prefix=OTHER

// Three branches meet, and the value of one is an element of local memory in registers. A lane leaves its loop after a number of rounds
// that differs from lane to lane.
// CHECK:     extractelement
// CHECK:     asm "", "=v,0"
// CHECK:     phi i32
// OTHER-NOT: asm
cube.kernel @branches(%x: !cube.array<i32>, %r: !cube.array<i32>) cube_dim(53) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %c11 = arith.constant 11 : i32
  %c13 = arith.constant 13 : i32
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %acc = cube.alloc : !cube.local<9 x i32>
  cube.for unsigned %q = %c0 to %c7 step %c1 : i32 {
    cube.store %q, %acc[%q] : i32, !cube.local<9 x i32>
  }
  %n1 = cube.remui %v, %c7 : i32
  cube.for unsigned %a = %c0 to %c11 step %c1 : i32 {
    %s0 = arith.addi %a, %v : i32
    %m = cube.remui %s0, %c5 : i32
    %skip = arith.cmpi eq, %m, %c3 : i32
    cube.if %skip {
      cube.continue
    }
    %count = cube.alloc : !cube.local<1 x i32>
    cube.store %c0, %count[%c0] : i32, !cube.local<1 x i32>
    cube.loop {
      %k = cube.load %count[%c0] : !cube.local<1 x i32> -> i32
      %k1 = arith.addi %k, %c1 : i32
      cube.store %k1, %count[%c0] : i32, !cube.local<1 x i32>
      %over = arith.cmpi ugt, %k1, %m : i32
      cube.if %over {
        cube.break
      }
      %at = cube.remui %s0, %c7 : i32
      %old = cube.load %acc[%at] : !cube.local<9 x i32> -> i32
      %p = arith.muli %old, %c3 : i32
      %p1 = arith.addi %p, %k1 : i32
      cube.store %p1, %acc[%at] : i32, !cube.local<9 x i32>
    }
  }
  %sw = arith.index_castui %n1 : i32 to index
  %t = scf.index_switch %sw -> i32
  case 1 {
    %y = arith.muli %v, %c3 : i32
    scf.yield %y : i32
  }
  case 4 {
    %y = arith.subi %v, %c3 : i32
    scf.yield %y : i32
  }
  default {
    %y = cube.load %acc[%c2] : !cube.local<9 x i32> -> i32
    scf.yield %y : i32
  }
  %f = cube.load %acc[%n1] : !cube.local<9 x i32> -> i32
  %g = arith.xori %f, %t : i32
  cube.store %g, %r[%i] : i32, !cube.array<i32>
  cube.return
}
