// CPU code for atomics: an instruction for a buffer; none for shared and local memory, which one thread accesses.
// RUN: cubec %s --target cpu:x86-64-v3 --emit llvm -o - | FileCheck %s
// CHECK-LABEL: define {{.*}}@histogram(
// CHECK-NOT:     {{atomicrmw add|cmpxchg| atomic }}
// CHECK:         atomicrmw umax
// CHECK-NOT:     {{atomicrmw add|cmpxchg| atomic }}
cube.kernel @histogram(%x: !cube.array<i32> {cube.host = "u32"}, %counts: !cube.array<i32> {cube.host = "u32"}) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %fone = arith.constant 1.0 : f32
  %three = arith.constant 3 : i32
  %mine = cube.alloc : !cube.shared<64 x i32>
  %weights = cube.alloc : !cube.shared<64 x f32>
  %own = cube.alloc : !cube.local<4 x i32>
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  cube.atomic_store %zero, %mine[%u] : i32, !cube.shared<64 x i32>
  cube.atomic_store %fone, %weights[%u] : f32, !cube.shared<64 x f32>
  cube.sync cube
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %n = cube.atomic_rmw addi %one, %mine[%v] : i32, !cube.shared<64 x i32>
  %w = cube.atomic_rmw addf %fone, %weights[%v] : f32, !cube.shared<64 x f32>
  %place = arith.andi %v, %three : i32
  cube.atomic_store %u, %own[%place] : i32, !cube.local<4 x i32>
  %seen = cube.atomic_cas %zero, %v, %own[%place] : i32, !cube.local<4 x i32>
  cube.sync cube
  %count = cube.atomic_load %mine[%u] : !cube.shared<64 x i32> -> i32
  %weight = cube.atomic_load %weights[%u] : !cube.shared<64 x f32> -> f32
  %whole = arith.fptoui %weight : f32 to i32
  %both = arith.addi %count, %whole : i32
  %all = arith.addi %both, %seen : i32
  %old = cube.atomic_rmw maxui %all, %counts[%u] : i32, !cube.array<i32>
  cube.return
}
