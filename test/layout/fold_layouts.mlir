// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(fold-layouts))' --split-input-file | FileCheck %s

// A chain of views folds to one layout, in which the remaining modes precede the modes that have a coordinate.
// CHECK-LABEL: @chain
// CHECK: %[[L:.*]] = layout.constant #layout.layout<((8,4),(4,2),(32,4)):((1,512),(8192,256),(8,2048))>
// CHECK: %[[V:.*]] = layout.view %x, %[[L]]
// CHECK: layout.load %[[V]] at <(_,?,?)>(%cube, %unit) : !layout.view<f16> -> vector<32xf16>
cube.kernel @chain(%x: !cube.array<f16>, %y: !cube.array<f16>, %cube: i32, %unit: i32) {
  %m = layout.constant #layout.layout<(64,512):(512,1)>
  %threads = layout.constant #layout.layout<(4,32):(32,1)>
  %values = layout.constant #layout.layout<(4,8):(8,1)>
  %tv, %tile = layout.make_tv %threads, %values
  %v = layout.view %x, %m : !cube.array<f16> -> !layout.view<f16>
  %t = layout.zipped_divide %v by modes %tile : !layout.view<f16>
  %b = layout.slice %t at <((_,_),?)>(%cube) : !layout.view<f16>
  %c = layout.compose %b, %tv : !layout.view<f16>
  %e = layout.load %c at <(?,_)>(%unit) : !layout.view<f16> -> vector<32xf16>
  %w = layout.view %y, %m : !cube.array<f16> -> !layout.view<f16>
  %f = vector.extract %e[0] : f16 from vector<32xf16>
  layout.store %f, %w at <(1,2)> : f16, !layout.view<f16>
  cube.return
}

// -----

// Constant components of a coordinate become a part of the layout's offset.
// CHECK-LABEL: @numbers
// CHECK: layout.constant #layout.layout<Sw<0,4,3> o 514 o 1:0>
// CHECK: layout.load %{{.*}} at <0>
// CHECK: layout.constant #layout.layout<Sw<3,3,3> o 4 o (4,8):(1,64)>
// CHECK: layout.load %{{.*}} at <(_,?)>(%i)
cube.kernel @numbers(%x: !cube.array<f32>, %i: i32) {
  %m = layout.constant #layout.layout<(64,512):(512,1)>
  %v = layout.view %x, %m : !cube.array<f32> -> !layout.view<f32>
  %a = layout.load %v at <(1,2)> : !layout.view<f32> -> f32
  %s = layout.constant #layout.layout<Sw<3,3,3> o 0 o (8,(4,16)):(64,(1,4))>
  %w = layout.view %x, %s : !cube.array<f32> -> !layout.view<f32>
  %r = layout.slice %w at <(?,(_,1))>(%i) : !layout.view<f32>
  %b = layout.load %r at <_> : !layout.view<f32> -> vector<4xf32>
  cube.return
}

// -----

// Operations of the algebra fold, also for dynamic layouts if the result does not depend on the unknown numbers.
// CHECK-LABEL: @algebra
// CHECK-DAG: layout.constant #layout.layout<((1,4),(2048,512)):((0,1),(2048,4))>
// CHECK-DAG: layout.constant #layout.layout<((2,2),3):((24,2),8)>
// CHECK-DAG: layout.constant #layout.layout<((32,4),(8,4)):((128,4),(16,1))>
// CHECK: layout.make #layout.layout<(?,8):(?,1)>(%n, %n)
cube.kernel @algebra(%y: !cube.array<i32>, %n: i32, %i: i32) {
  %a = layout.constant #layout.layout<(2048,2048):(2048,1)>
  %t = layout.constant #layout.layout<(1,4):(1,1)>
  %z = layout.zipped_divide %a by modes %t : !layout.layout
  %c = layout.constant #layout.layout<(6,2):(8,2)>
  %d = layout.constant #layout.layout<(4,3):(3,1)>
  %e = layout.compose %c, %d : !layout.layout
  %threads = layout.constant #layout.layout<(4,32):(32,1)>
  %values = layout.constant #layout.layout<(4,8):(8,1)>
  %tv, %tile = layout.make_tv %threads, %values
  %m = layout.make #layout.layout<(?,8):(?,1)>(%n, %n)
  %o = layout.crd2idx %m at <(?,3)>(%i)
  cube.store %o, %y[%i] : i32, !cube.array<i32>
  cube.return
}
