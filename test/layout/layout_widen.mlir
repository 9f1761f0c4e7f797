// RUN: cube-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(cube.kernel(layout-widen))' --cube-stats --cube-remarks=missed 2>%t.said | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAYS --input-file=%t.said

// Wide accesses: 16 bytes if the argument is aligned to 16 bytes, pairs if aligned to 8 bytes, otherwise none.
// CHECK-LABEL: @whole
// CHECK: layout.load {{.*}}layout.align = 16 : i64, layout.width = 4 : i64
// CHECK: layout.load {{.*}}layout.align = 8 : i64, layout.width = 2 : i64
// CHECK: layout.load %{{[0-9a-z]*}} at <(?,_)>(%i) :
// SAYS: missed [layout-widen:widen] elements of f32 are moved one by one; the first line's address is not known to be aligned; set cube.align = 16 on the argument
// With a pitch of 9 elements, only every fourth row is aligned.
// CHECK: layout.load %{{[0-9a-z]*}} at <(?,_)>(%i) :
// SAYS: a stride or the offset is not a multiple of the width; pad the pitch
// CHECK: layout.load %{{[0-9a-z]*}} at <(?,_)>(%i) :
// SAYS: the first mode of the elements does not have stride 1; order the values so that its stride is 1
cube.kernel @whole(%x: !cube.array<f32> {cube.align = 16 : i32}, %y: !cube.array<f32> {cube.align = 8 : i32}, %z: !cube.array<f32>, %i: i32) {
  %l = layout.constant #layout.layout<(8,8):(8,1)>
  %a = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %p = layout.load %a at <(?,_)>(%i) : !layout.view<f32> -> vector<8xf32>
  %b = layout.view %y, %l : !cube.array<f32> -> !layout.view<f32>
  %q = layout.load %b at <(?,_)>(%i) : !layout.view<f32> -> vector<8xf32>
  %c = layout.view %z, %l : !cube.array<f32> -> !layout.view<f32>
  %r = layout.load %c at <(?,_)>(%i) : !layout.view<f32> -> vector<8xf32>
  %m = layout.constant #layout.layout<(8,8):(9,1)>
  %d = layout.view %x, %m : !cube.array<f32> -> !layout.view<f32>
  %s = layout.load %d at <(?,_)>(%i) : !layout.view<f32> -> vector<8xf32>
  %n = layout.constant #layout.layout<(8,8):(1,8)>
  %e = layout.view %x, %n : !cube.array<f32> -> !layout.view<f32>
  %t = layout.load %e at <(?,_)>(%i) : !layout.view<f32> -> vector<8xf32>
  cube.return
}

// Accesses to neighbouring elements become one access: at the first of the loads, or at the last of the stores.
// CHECK-LABEL: @singles
// CHECK: %[[L:.*]] = layout.constant #layout.layout<(4,8):(1,8)>
// CHECK: %[[V:.*]] = layout.view %x, %[[L]]
// CHECK: %[[W:.*]] = layout.load %[[V]] at <(_,?)>(%i) {layout.align = 16 : i64, layout.width = 4 : i64} : !layout.view<f32> -> vector<4xf32>
// CHECK-COUNT-4: vector.extract %[[W]]
// CHECK-NOT: layout.load
// CHECK: %[[ALL:.*]] = vector.from_elements
// CHECK: layout.store %[[ALL]], %{{.*}} at <(_,?)>(%i) {layout.align = 16 : i64, layout.width = 4 : i64}
// CHECK-NOT: layout.store
cube.kernel @singles(%x: !cube.array<f32> {cube.align = 16 : i32}, %y: !cube.array<f32> {cube.align = 16 : i32}, %i: i32) {
  %l = layout.constant #layout.layout<(8,8):(8,1)>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %a = layout.load %v at <(?,0)>(%i) : !layout.view<f32> -> f32
  %b = layout.load %v at <(?,1)>(%i) : !layout.view<f32> -> f32
  %d = layout.load %v at <(?,3)>(%i) : !layout.view<f32> -> f32
  %c = layout.load %v at <(?,2)>(%i) : !layout.view<f32> -> f32
  %w = layout.view %y, %l : !cube.array<f32> -> !layout.view<f32>
  layout.store %a, %w at <(?,4)>(%i) : f32, !layout.view<f32>
  layout.store %b, %w at <(?,5)>(%i) : f32, !layout.view<f32>
  layout.store %c, %w at <(?,6)>(%i) : f32, !layout.view<f32>
  layout.store %d, %w at <(?,7)>(%i) : f32, !layout.view<f32>
  cube.return
}

// A write between the accesses can alias them, unless an argument is `cube.noalias`; accesses never move across a
// barrier.
// CHECK-LABEL: @between
// CHECK-COUNT-2: layout.load {{.*}} -> f32
// CHECK: layout.load {{.*}}layout.width = 2 : i64
// CHECK-COUNT-2: layout.load {{.*}} -> f32
cube.kernel @between(%x: !cube.array<f32> {cube.align = 16 : i32}, %y: !cube.array<f32>, %z: !cube.array<f32> {cube.noalias}, %i: i32) {
  %l = layout.constant #layout.layout<(8,8):(8,1)>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %a = layout.load %v at <(?,0)>(%i) : !layout.view<f32> -> f32
  cube.store %a, %y[%i] : f32, !cube.array<f32>
  %b = layout.load %v at <(?,1)>(%i) : !layout.view<f32> -> f32
  cube.store %b, %y[%i] : f32, !cube.array<f32>
  %c = layout.load %v at <(?,2)>(%i) : !layout.view<f32> -> f32
  cube.store %c, %z[%i] : f32, !cube.array<f32>
  %d = layout.load %v at <(?,3)>(%i) : !layout.view<f32> -> f32
  cube.store %d, %y[%i] : f32, !cube.array<f32>
  %e = layout.load %v at <(?,4)>(%i) : !layout.view<f32> -> f32
  cube.sync cube
  %f = layout.load %v at <(?,5)>(%i) : !layout.view<f32> -> f32
  cube.return
}

// SAYS: 6 accesses widened
// SAYS: 4 groups made

// An operation of an unknown dialect can write the memory, so no access moves across it.
// CHECK-LABEL: @unknown
// CHECK-COUNT-2: layout.load {{.*}} -> f32
// CHECK-NOT: layout.width
cube.kernel @unknown(%x: !cube.array<f32> {cube.align = 16 : i32}, %y: !cube.array<f32>, %i: i32) {
  %l = layout.constant #layout.layout<(8,8):(8,1)>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %a = layout.load %v at <(?,0)>(%i) : !layout.view<f32> -> f32
  "foreign.token_wait"(%x) : (!cube.array<f32>) -> ()
  %b = layout.load %v at <(?,1)>(%i) : !layout.view<f32> -> f32
  %s = arith.addf %a, %b : f32
  cube.store %s, %y[%i] : f32, !cube.array<f32>
  cube.return
}

// A vector store to a memref is treated like `cube.store`, because the memref can alias any buffer. A load from the
// memref does not prevent the wide access.
// CHECK-LABEL: @memref
// CHECK-COUNT-2: layout.load {{.*}} -> f32
// CHECK: layout.load {{.*}} -> vector<2xf32>
// CHECK-NOT: layout.load
cube.kernel @memref(%x: !cube.array<f32> {cube.align = 16 : i32}, %y: !cube.array<f32>, %i: i32) {
  %m = memref.alloca() : memref<8xf32>
  %at = arith.constant 0 : index
  %w = arith.constant dense<1.0> : vector<4xf32>
  %l = layout.constant #layout.layout<(8,8):(8,1)>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %a = layout.load %v at <(?,0)>(%i) : !layout.view<f32> -> f32
  vector.store %w, %m[%at] : memref<8xf32>, vector<4xf32>
  %b = layout.load %v at <(?,1)>(%i) : !layout.view<f32> -> f32
  vector.store %w, %m[%at] : memref<8xf32>, vector<4xf32>
  %c = layout.load %v at <(?,2)>(%i) : !layout.view<f32> -> f32
  %r = vector.load %m[%at] : memref<8xf32>, vector<4xf32>
  %d = layout.load %v at <(?,3)>(%i) : !layout.view<f32> -> f32
  %s = arith.addf %a, %b : f32
  %t = arith.addf %c, %d : f32
  %u = arith.addf %s, %t : f32
  cube.store %u, %y[%i] : f32, !cube.array<f32>
  cube.return
}
