// RUN: cube-opt %s | cube-opt | FileCheck %s
// RUN: cube-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// The textual forms of the dialect; layouts use CuTe's notation.
// CHECK-LABEL: @text
// CHECK: layout.constant #layout.layout<(4,(2,8)):(1,(4,32))>
// CHECK: layout.constant #layout.layout<8:1>
// CHECK: layout.constant #layout.layout<Sw<3,4,3> o 16 o ((8,4),8):((64,1),4)>
// CHECK: layout.constant #layout.layout<Sw<1,2,-3> o 0 o 64:1>
// CHECK: layout.make #layout.layout<(?,(2,?)):(?,(1,2))>(%n, %n, %m)
// CHECK: layout.slice %{{.*}} at <((_,_),?)>(%i) : !layout.view<f32>
// CHECK: layout.load %{{.*}} at <(?,3)>(%i) bounds checked : !layout.view<f32> -> f32
// CHECK: layout.load %{{.*}} at <_> : !layout.view<f32> -> vector<4xf32>
// CHECK: layout.store %{{.*}}, %{{.*}} at <(?,?)>(%i, %i) bounds inbounds : f32, !layout.view<f32>
// CHECK: layout.view %{{.*}} : !cube.array<f32, 4> -> !layout.view<vector<4xf32>>
cube.kernel @text(%x: !cube.array<f32>, %l: !cube.array<f32, 4>, %n: i32, %m: i32, %i: i32) {
  %a = layout.constant #layout.layout<(4,(2,8)):(1,(4,32))>
  %b = layout.constant #layout.layout<8:1>
  %c = layout.constant #layout.layout< Sw<3,4,3> o 16 o ( (8, 4), 8 ):((64,1),4)>
  %d = layout.constant #layout.layout<Sw<1,2,-3> o 0 o 64:1>
  %e = layout.make #layout.layout<(?,(2,?)):(?,(1,2))>(%n, %n, %m)
  %v = layout.view %x, %a : !cube.array<f32> -> !layout.view<f32>
  %t = layout.constant #layout.layout<(2,2):(1,1)>
  %z = layout.zipped_divide %v by modes %t ragged : !layout.view<f32>
  %s = layout.slice %z at <((_,_),?)>(%i) : !layout.view<f32>
  %f = layout.load %v at <(?,3)>(%i) bounds checked : !layout.view<f32> -> f32
  %r = layout.slice %v at <(_,3)> : !layout.view<f32>
  %g = layout.load %r at <_> : !layout.view<f32> -> vector<4xf32>
  layout.store %f, %v at <(?,?)>(%i, %i) bounds inbounds : f32, !layout.view<f32>
  %w = layout.view %l, %b : !cube.array<f32, 4> -> !layout.view<vector<4xf32>>
  %h = layout.load %w at <?>(%i) : !layout.view<vector<4xf32>> -> vector<4xf32>
  cube.return
}

// Layout operations on constants fold. If the layout algebra refuses the operation, it does not fold.
// FOLD-LABEL: @folds
// FOLD-DAG: %[[A:.*]] = arith.constant 69 : i32
// FOLD-DAG: %[[B:.*]] = arith.constant 512 : i32
// FOLD-DAG: layout.compose
// FOLD: cube.store %[[A]]
// FOLD: cube.store %[[B]]
cube.kernel @folds(%y: !cube.array<i32>, %i: i32) {
  %l = layout.constant #layout.layout<(4,(2,8)):(1,(4,32))>
  %one = arith.constant 1 : i32
  %a = layout.crd2idx %l at <(?,5)>(%one)
  %m = layout.constant #layout.layout<(64,64):(64,1)>
  %tile = layout.constant #layout.layout<(2,4):(1,1)>
  %z = layout.zipped_divide %m by modes %tile : !layout.layout
  %b = layout.size %z mode 1 : !layout.layout
  %p = layout.constant #layout.layout<(4,3):(1,10)>
  %q = layout.constant #layout.layout<6:1>
  %no = layout.compose %p, %q : !layout.layout
  %c = layout.crd2idx %no at <?>(%i)
  cube.store %a, %y[%i] : i32, !cube.array<i32>
  cube.store %b, %y[%i] : i32, !cube.array<i32>
  cube.store %c, %y[%i] : i32, !cube.array<i32>
  cube.return
}
