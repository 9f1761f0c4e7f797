// A plane barrier after a loop that units leave in different iterations, behind a condition that the loop computes. The
// condition is uniform in each iteration, but not after the loop. O3 removes the loop. The barrier waits for the
// lanes that reach it, so the kernel is valid.

// RUN: cubec %s --target nvptx -o - | FileCheck %s
// RUN: cubec %s --target amdgpu --emit asm -o - | FileCheck %s --check-prefix=AMD

// CHECK: vote.sync.ballot.b32 [[MASK:%r[0-9]+]]
// CHECK-NEXT: @%p{{[0-9]+}} bra
// CHECK-NEXT: bar.warp.sync [[MASK]]
// AMD: k:
// AMD: s_endpgm
cube.kernel @k() cube_dim(2) {
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = cube.topology unit_pos_x
  cube.for %i = %zero to %unit step %one : i32 {
    cube.if %true {
      cube.return
    }
  }
  cube.sync plane
  cube.return
}
