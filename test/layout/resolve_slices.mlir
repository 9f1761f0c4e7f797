// RUN: cube-opt %s --resolve-slices | FileCheck %s

// A checked access outside of the slice gets an index that is outside of every buffer.
// CHECK-LABEL: @checked
// CHECK: %[[LEN:.*]] = cube.subui_sat %b, %a
// CHECK: %[[AT:.*]] = arith.addi %a, %i
// CHECK: %[[IN:.*]] = arith.cmpi ult, %i, %[[LEN]]
// CHECK: %[[NOWHERE:.*]] = arith.constant -1
// CHECK: %[[INDEX:.*]] = arith.select %[[IN]], %[[AT]], %[[NOWHERE]]
// CHECK: cube.load %x[%[[INDEX]]] checked : !cube.array<f32>
// CHECK-NOT: cube.slice
cube.kernel @checked(%x: !cube.array<f32>, %y: !cube.array<f32>, %a: i32, %b: i32, %i: i32) {
  %s = cube.slice %x[%a to %b] : !cube.array<f32> -> !cube.slice<f32>
  %v = cube.load %s[%i] checked : !cube.slice<f32> -> f32
  cube.store %v, %y[%i] checked : f32, !cube.array<f32>
  cube.return
}

// A promised access is promised in the buffer. A slice of a slice begins inside the outer slice and is clipped to it.
// CHECK-LABEL: @nested
// CHECK: %[[OUTER:.*]] = cube.subui_sat %b, %a
// CHECK: %[[INNER:.*]] = cube.subui_sat %d, %c
// CHECK: %[[START:.*]] = arith.addi %a, %c
// CHECK: %[[LEFT:.*]] = cube.subui_sat %[[OUTER]], %c
// CHECK: %[[LIMIT:.*]] = arith.minui %[[INNER]], %[[LEFT]]
// CHECK: %[[AT:.*]] = arith.addi %[[START]], %i
// CHECK: cube.store %[[INNER]], %x[%[[AT]]] inbounds
// CHECK: cube.atomic_rmw addi %i, %x[%{{.*}}] checked
cube.kernel @nested(%x: !cube.array<i32>, %a: i32, %b: i32, %c: i32, %d: i32, %i: i32) {
  %s = cube.slice %x[%a to %b] : !cube.array<i32> -> !cube.slice<i32>
  %t = cube.slice %s[%c to %d] : !cube.slice<i32> -> !cube.slice<i32>
  %n = cube.len %t : !cube.slice<i32>
  cube.store %n, %t[%i] inbounds : i32, !cube.slice<i32>
  %o = cube.atomic_rmw addi %i, %t[%i] checked : i32, !cube.slice<i32>
  cube.return
}

// CHECK-LABEL: @memory
// CHECK: %[[ALL:.*]] = cube.buffer_len %x
// CHECK: %[[REST:.*]] = cube.subui_sat %[[ALL]], %a
// CHECK: arith.minui %{{.*}}, %[[REST]]
cube.kernel @memory(%x: !cube.array<i32>, %a: i32, %b: i32) {
  %s = cube.slice %x[%a to %b] : !cube.array<i32> -> !cube.slice<i32>
  %n = cube.buffer_len %s : !cube.slice<i32>
  cube.store %n, %x[%a] checked : i32, !cube.array<i32>
  cube.return
}

// The start of a slice is the length of another slice.
// CHECK-LABEL: @lengths
// CHECK: %[[N:.*]] = cube.subui_sat %b, %a
// CHECK: %[[AT:.*]] = arith.addi %[[N]], %i
// CHECK: cube.load %x[%[[AT]]] inbounds
cube.kernel @lengths(%x: !cube.array<i32>, %a: i32, %b: i32, %i: i32) {
  %s = cube.slice %x[%a to %b] : !cube.array<i32> -> !cube.slice<i32>
  %n = cube.len %s : !cube.slice<i32>
  %t = cube.slice %x[%n to %b] : !cube.array<i32> -> !cube.slice<i32>
  %v = cube.load %t[%i] inbounds : !cube.slice<i32> -> i32
  cube.store %v, %x[%i] checked : i32, !cube.array<i32>
  cube.return
}
