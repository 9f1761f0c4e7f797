// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(reuse-accesses))' --cube-remarks=missed,passed --cube-stats -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said

// A load is replaced by the value of an earlier in-bounds store or load, also in branches and loops without writes.
// CHECK-LABEL: cube.kernel @known(
// CHECK:         cube.store %k, %x[%i] inbounds
// CHECK-NEXT:    %[[B:.*]] = cube.load %y[%i] checked
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      arith.addi %{{.*}}, %[[B]] : i32
// CHECK-NEXT:      arith.addi %{{.*}}, %k : i32
// CHECK-NEXT:      scf.yield
// CHECK:         cube.store %{{.*}}, %z[%i] checked
// SAID: passed [reuse-accesses:loaded] the value that was loaded from the same element is used instead of this load
// SAID: passed [reuse-accesses:stored] the value of the store to the same element is used instead of this load
cube.kernel @known(%x: !cube.array<i32>, %y: !cube.array<i32>, %z: !cube.array<i32>, %i: i32, %k: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cube.store %k, %x[%i] inbounds : i32, !cube.array<i32>
  %b = cube.load %y[%i] checked : !cube.array<i32> -> i32
  %s = scf.for unsigned %c = %zero to %k step %one iter_args(%t = %zero) -> (i32) : i32 {
    %again = cube.load %y[%i] inbounds : !cube.array<i32> -> i32
    %u = arith.addi %t, %again : i32
    %a = cube.load %x[%i] checked : !cube.array<i32> -> i32
    %v = arith.addi %u, %a : i32
    scf.yield %v : i32
  }
  cube.store %s, %z[%i] checked : i32, !cube.array<i32>
  cube.return
}

// A checked store out of bounds has no effect, and the load gives 0. A load of another width gives another value.
// CHECK-LABEL: cube.kernel @checked_store(
// CHECK:         cube.store %k, %x[%i] checked
// CHECK-NEXT:    cube.load %x[%i] checked
// CHECK-NEXT:    cube.load %x[%i] inbounds {align = 8 : i32} : !cube.array<i32> -> vector<2xi32>
cube.kernel @checked_store(%x: !cube.array<i32>, %i: i32, %k: i32) {
  cube.store %k, %x[%i] checked : i32, !cube.array<i32>
  %a = cube.load %x[%i] checked : !cube.array<i32> -> i32
  %b = cube.load %x[%i] inbounds {align = 8 : i32} : !cube.array<i32> -> vector<2xi32>
  %c = vector.extract %b[1] : i32 from vector<2xi32>
  %d = arith.addi %a, %c : i32
  cube.store %d, %x[%d] checked : i32, !cube.array<i32>
  cube.return
}

// Not replaced: a write to an index that can be equal, another argument, a loop that writes, a barrier, an atomic.
// CHECK-LABEL: cube.kernel @lost(
// CHECK-COUNT-6: cube.load %x[%i] checked
// SAID: missed [reuse-accesses:written] the element is read again, because an operation between the two accesses can write this element
// SAID: missed [reuse-accesses:may-be-written] the element is read again, because another argument, which can alias the buffer, is written between the two accesses
// SAID: missed [reuse-accesses:branch]
// SAID: missed [reuse-accesses:units-synchronise]
// SAID: missed [reuse-accesses:atomic]
cube.kernel @lost(%x: !cube.array<i32>, %y: !cube.array<i32>, %n: !cube.array<i32> {cube.noalias}, %i: i32, %j: i32, %p: i1) {
  %a = cube.load %x[%i] checked : !cube.array<i32> -> i32
  cube.store %a, %x[%j] checked : i32, !cube.array<i32>
  %b = cube.load %x[%i] checked : !cube.array<i32> -> i32
  cube.store %b, %y[%j] checked : i32, !cube.array<i32>
  %c = cube.load %x[%i] checked : !cube.array<i32> -> i32
  scf.if %p {
    cube.store %c, %y[%i] checked : i32, !cube.array<i32>
  }
  %d = cube.load %x[%i] checked : !cube.array<i32> -> i32
  cube.sync cube
  %e = cube.load %x[%i] checked : !cube.array<i32> -> i32
  %old = cube.atomic_rmw addi %e, %n[%j] checked : i32, !cube.array<i32>
  %f = cube.load %x[%i] checked : !cube.array<i32> -> i32
  cube.store %f, %n[%i] checked : i32, !cube.array<i32>
  cube.return
}

// Local memory is private, also across barriers; different lines of one buffer do not alias.
// CHECK-LABEL: cube.kernel @own(
// CHECK:         cube.sync cube
// CHECK-NOT:     cube.load
// CHECK:         %[[S:.*]] = arith.addi %k, %i
// CHECK:         cube.store %[[S]], %x
cube.kernel @own(%x: !cube.array<i32>, %i: i32, %k: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %cells = cube.alloc : !cube.local<4 x i32>
  cube.store %k, %cells[%zero] inbounds : i32, !cube.local<4 x i32>
  cube.store %i, %cells[%one] inbounds : i32, !cube.local<4 x i32>
  cube.sync cube
  %a = cube.load %cells[%zero] inbounds : !cube.local<4 x i32> -> i32
  %b = cube.load %cells[%one] inbounds : !cube.local<4 x i32> -> i32
  %s = arith.addi %a, %b : i32
  cube.store %s, %x[%i] checked : i32, !cube.array<i32>
  cube.return
}

// A store that is overwritten before a possible read is removed; so are stores to memory that is never read.
// CHECK-LABEL: cube.kernel @overwritten(
// CHECK-NOT:     cube.store
// CHECK:         cube.store %b, %x[%i]
// CHECK-NEXT:    cube.load %y[%i]
// CHECK-NEXT:    cube.store %{{.*}}, %x[%i]
// CHECK-NEXT:    cube.sync cube
// CHECK-NEXT:    cube.store %a, %x[%i]
// CHECK-NEXT:    cube.return
// SAID: passed [reuse-accesses:never-read] nothing reads this memory, so the store is removed
cube.kernel @overwritten(%x: !cube.array<i32>, %y: !cube.array<i32>, %i: i32, %a: i32, %b: i32) {
  %zero = arith.constant 0 : i32
  %cells = cube.alloc : !cube.shared<4 x i32>
  cube.store %a, %cells[%zero] inbounds : i32, !cube.shared<4 x i32>
  cube.store %a, %x[%i] checked : i32, !cube.array<i32>
  cube.store %b, %x[%i] checked : i32, !cube.array<i32>
  %v = cube.load %y[%i] checked : !cube.array<i32> -> i32
  cube.store %v, %x[%i] checked : i32, !cube.array<i32>
  cube.sync cube
  cube.store %a, %x[%i] checked : i32, !cube.array<i32>
  cube.return
}

// SAID: reuse-accesses {{ *}}5 loads kept

// A store to a storage type rounds the value, so the load is kept. An arithmetic type stores the value exactly.
// CHECK-LABEL: cube.kernel @rounded(
// CHECK:         cube.store %f, %x[%i] inbounds
// CHECK-NEXT:    cube.load %x[%i] inbounds
// CHECK:         cube.store %g, %y[%i] inbounds
// CHECK-NEXT:    cube.load %y[%i] inbounds
// CHECK:         cube.store %h, %z[%i] inbounds
// CHECK-NOT:     cube.load %z
cube.kernel @rounded(%x: !cube.array<tf32>, %y: !cube.array<f8E5M2>, %z: !cube.array<bf16>, %i: i32, %f: tf32, %g: f8E5M2, %h: bf16) {
  %one = arith.constant 1 : i32
  cube.store %f, %x[%i] inbounds : tf32, !cube.array<tf32>
  %a = cube.load %x[%i] inbounds : !cube.array<tf32> -> tf32
  cube.store %a, %x[%one] inbounds : tf32, !cube.array<tf32>
  cube.store %g, %y[%i] inbounds : f8E5M2, !cube.array<f8E5M2>
  %b = cube.load %y[%i] inbounds : !cube.array<f8E5M2> -> f8E5M2
  cube.store %b, %y[%one] inbounds : f8E5M2, !cube.array<f8E5M2>
  cube.store %h, %z[%i] inbounds : bf16, !cube.array<bf16>
  %c = cube.load %z[%i] inbounds : !cube.array<bf16> -> bf16
  cube.store %c, %z[%one] inbounds : bf16, !cube.array<bf16>
  cube.return
}
