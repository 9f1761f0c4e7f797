// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90},cube.kernel(plan-shared-memory))' --cube-remarks=analysis,missed,passed --cube-stats -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl:core},cube.kernel(plan-shared-memory))' --cube-remarks=missed | FileCheck %s --check-prefix=TYPED
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90},cube.kernel(plan-shared-memory{typed}))' | FileCheck %s --check-prefix=TYPED
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(plan-shared-memory))' | FileCheck %s --check-prefix=TYPED

// The first and the third array share bytes, because the second barrier separates their accesses. With typed memory,
// their types are different.
// CHECK-LABEL: cube.kernel @phases(
// CHECK:         cube.alloc {cube.shared_offset = 0 : i64} : !cube.shared<256 x f32>
// CHECK-NEXT:    cube.alloc {cube.shared_offset = 1024 : i64} : !cube.shared<128 x i32>
// CHECK-NEXT:    cube.alloc {cube.shared_offset = 0 : i64} : !cube.shared<64 x f16>
// SAID:      remark: passed [plan-shared-memory:share] the allocation shares bytes with another allocation, because a barrier separates their accesses
// SAID:      remark: analysis [plan-shared-memory:live] the allocation has its own bytes, because each other allocation is live together with it
// SAID:      remark: passed [plan-shared-memory:share]
// TYPED-LABEL: cube.kernel @phases(
// TYPED:         cube.alloc : !cube.shared<256 x f32>
// TYPED-NEXT:    cube.alloc : !cube.shared<128 x i32>
// TYPED-NEXT:    cube.alloc : !cube.shared<64 x f16>
cube.kernel @phases(%out: !cube.array<i32>, %x: f32, %n: i32, %h: f16) cube_dim(64) {
  %unit = cube.topology unit_pos
  %s = cube.alloc : !cube.shared<256 x f32>
  %t = cube.alloc : !cube.shared<128 x i32>
  %u = cube.alloc : !cube.shared<64 x f16>
  cube.store %x, %s[%unit] inbounds : f32, !cube.shared<256 x f32>
  cube.sync cube
  %a = cube.load %s[%n] inbounds : !cube.shared<256 x f32> -> f32
  cube.store %n, %t[%unit] inbounds : i32, !cube.shared<128 x i32>
  cube.sync cube
  %b = cube.load %t[%n] inbounds : !cube.shared<128 x i32> -> i32
  cube.store %h, %u[%unit] inbounds : f16, !cube.shared<64 x f16>
  cube.store %b, %out[%unit] inbounds : i32, !cube.array<i32>
  cube.return
}

// With typed memory, arrays of one type become one array. The largest array is at the start of the kernel.
// SAID: remark: passed [plan-shared-memory:share]
// CHECK-LABEL: cube.kernel @one_type(
// CHECK:         cube.alloc {cube.shared_offset = 0 : i64} : !cube.shared<64 x i32>
// CHECK:         cube.alloc {cube.shared_offset = 0 : i64} : !cube.shared<128 x i32>
// TYPED-LABEL: cube.kernel @one_type(
// TYPED-NEXT:    %[[T:.*]] = cube.alloc : !cube.shared<128 x i32>
// TYPED-NOT:     cube.alloc
// TYPED:         cube.store %n, %[[T]][%{{.*}}] inbounds : i32, !cube.shared<128 x i32>
// TYPED-NEXT:    cube.sync cube
// TYPED-NEXT:    cube.store %n, %[[T]][%{{.*}}] inbounds : i32, !cube.shared<128 x i32>
cube.kernel @one_type(%n: i32) cube_dim(64) {
  %unit = cube.topology unit_pos
  %s = cube.alloc : !cube.shared<64 x i32>
  cube.store %n, %s[%unit] inbounds : i32, !cube.shared<64 x i32>
  cube.sync cube
  %t = cube.alloc : !cube.shared<128 x i32>
  cube.store %n, %t[%unit] inbounds : i32, !cube.shared<128 x i32>
  cube.return
}

// An array with atomic accesses is an array of another type in WGSL.
// TYPED-LABEL: cube.kernel @atomics(
// TYPED-COUNT-2: cube.alloc : !cube.shared<64 x i32>
cube.kernel @atomics(%n: i32) cube_dim(64) {
  %unit = cube.topology unit_pos
  %s = cube.alloc : !cube.shared<64 x i32>
  %t = cube.alloc : !cube.shared<64 x i32>
  cube.store %n, %s[%unit] inbounds : i32, !cube.shared<64 x i32>
  cube.sync cube
  %old = cube.atomic_rmw addi %n, %t[%unit] inbounds : i32, !cube.shared<64 x i32>
  cube.return
}

// The two small arrays are live together, and both fit into the bytes of the large array. The alignment of an
// offset is 16 bytes, or a line if it is longer.
// CHECK-LABEL: cube.kernel @both_fit(
// CHECK:         cube.alloc {cube.shared_offset = 0 : i64} : !cube.shared<100 x i8>
// CHECK-NEXT:    cube.alloc {cube.shared_offset = 128 : i64} : !cube.shared<2 x f32, 8>
// CHECK-NEXT:    cube.alloc {cube.shared_offset = 0 : i64} : !cube.shared<64 x i32>
cube.kernel @both_fit(%n: i32, %b: i8, %x: f32) cube_dim(64) {
  %v = vector.broadcast %x : f32 to vector<8xf32>
  %zero = arith.constant 0 : i32
  %s = cube.alloc : !cube.shared<100 x i8>
  %t = cube.alloc : !cube.shared<2 x f32, 8>
  %u = cube.alloc : !cube.shared<64 x i32>
  cube.store %b, %s[%zero] inbounds : i8, !cube.shared<100 x i8>
  cube.store %v, %t[%zero] inbounds : vector<8xf32>, !cube.shared<2 x f32, 8>
  cube.sync cube
  cube.store %n, %u[%zero] inbounds : i32, !cube.shared<64 x i32>
  cube.return
}

// The accesses of a loop with barriers interfere, because the next iteration follows the last phase.
// SAID-COUNT-2: remark: analysis [plan-shared-memory:live]
// CHECK-LABEL: cube.kernel @tiles(
// CHECK-COUNT-2: cube.alloc : !cube.shared<64 x i32>
cube.kernel @tiles(%n: i32) cube_dim(64) {
  %unit = cube.topology unit_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = cube.alloc : !cube.shared<64 x i32>
  %t = cube.alloc : !cube.shared<64 x i32>
  scf.for %i = %zero to %n step %one : i32 {
    cube.store %n, %s[%unit] inbounds : i32, !cube.shared<64 x i32>
    cube.sync cube
    cube.store %n, %t[%unit] inbounds : i32, !cube.shared<64 x i32>
    cube.sync cube
  }
  cube.return
}

// Only some units reach the barrier.
// SAID: remark: missed [plan-shared-memory:divergent] no allocations share bytes, because only some units can reach this barrier; guard the accesses instead of the barrier
// CHECK-LABEL: cube.kernel @divergent(
// CHECK-COUNT-2: cube.alloc : !cube.shared<64 x i32>
cube.kernel @divergent(%n: i32) cube_dim(64) {
  %unit = cube.topology unit_pos
  %s = cube.alloc : !cube.shared<64 x i32>
  %t = cube.alloc : !cube.shared<64 x i32>
  %c = arith.cmpi ult, %unit, %n : i32
  cube.store %n, %s[%unit] inbounds : i32, !cube.shared<64 x i32>
  scf.if %c {
    cube.sync cube
  }
  cube.store %n, %t[%unit] inbounds : i32, !cube.shared<64 x i32>
  cube.return
}

// An array that is selected at run time has its own bytes.
// SAID: remark: missed [plan-shared-memory:escapes] the allocation has its own bytes, because 'arith.select' is not an access; access the array directly
// CHECK-LABEL: cube.kernel @selected(
// CHECK-COUNT-3: cube.alloc : !cube.shared<64 x i32>
cube.kernel @selected(%n: i32, %p: i1) cube_dim(64) {
  %unit = cube.topology unit_pos
  %s = cube.alloc : !cube.shared<64 x i32>
  %t = cube.alloc : !cube.shared<64 x i32>
  %u = cube.alloc : !cube.shared<64 x i32>
  %v = arith.select %p, %s, %t : !cube.shared<64 x i32>
  cube.store %n, %v[%unit] inbounds : i32, !cube.shared<64 x i32>
  cube.sync cube
  cube.store %n, %u[%unit] inbounds : i32, !cube.shared<64 x i32>
  cube.return
}

// SAID: plan-shared-memory {{ *}}9 allocations that share bytes
// SAID: plan-shared-memory {{ *}}2560 bytes after
// SAID: plan-shared-memory {{ *}}3376 bytes before
