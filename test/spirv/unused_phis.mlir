// A value that two nested loops carry and nothing else reads has no phi. NVIDIA's driver (580.159.04) ends the process for such values.
// RUN: cubec %s --target spirv:vulkan1.3 --emit asm -o - | FileCheck %s
// The two counters are left.
// CHECK-COUNT-2: OpPhi
// CHECK-NOT: OpPhi
cube.kernel @unused(%y: !cube.array<i32>, %n: i32) cube_dim(8) {
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %outer:2 = scf.while (%i = %n, %flag = %true) : (i32, i1) -> (i32, i1) {
    %go = arith.cmpi ne, %i, %zero : i32
    scf.condition(%go) %i, %flag : i32, i1
  } do {
  ^bb0(%i: i32, %flag: i1):
    cube.store %i, %y[%i] : i32, !cube.array<i32>
    %next = arith.subi %i, %one : i32
    %inner:2 = scf.while (%k = %n, %seen = %flag) : (i32, i1) -> (i32, i1) {
      %go = arith.cmpi ne, %k, %zero : i32
      scf.condition(%go) %k, %seen : i32, i1
    } do {
    ^bb0(%k: i32, %seen: i1):
      %less = arith.subi %k, %one : i32
      %both = arith.andi %k, %less : i32
      %is = arith.cmpi ult, %i, %less : i32
      cube.store %both, %y[%k] : i32, !cube.array<i32>
      scf.yield %both, %is : i32, i1
    }
    scf.yield %next, %inner#1 : i32, i1
  }
  cube.return
}
