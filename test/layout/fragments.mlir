// RUN: cube-opt %s --compile-to=layout | FileCheck %s

// A fragment is local memory under a layout. It becomes SSA values, so no allocation is left.
// CHECK-LABEL: @fragment
// CHECK: cube.load %x[%{{.*}}] checked
// CHECK: cube.load %x[%{{.*}}] checked
// CHECK-NOT: cube.alloc
// CHECK-COUNT-2: arith.mulf
// CHECK-NOT: cube.load
// CHECK-COUNT-2: cube.store %{{.*}}, %x[%{{.*}}] checked
cube.kernel @fragment(%x: !cube.array<f32>) cube_dim(8) {
  %i = cube.topology unit_pos_x
  %l = layout.constant #layout.layout<(8,2):(1,8)>
  %f = layout.constant #layout.layout<2:1>
  %two = arith.constant 2.0 : f32
  %m = cube.alloc : !cube.local<2 x f32>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %w = layout.view %m, %f : !cube.local<2 x f32> -> !layout.view<f32>
  %e = layout.load %v at <(?,_)>(%i) : !layout.view<f32> -> vector<2xf32>
  layout.store %e, %w at <_> : vector<2xf32>, !layout.view<f32>
  %a = layout.load %w at <0> : !layout.view<f32> -> f32
  %b = layout.load %w at <1> : !layout.view<f32> -> f32
  %c = arith.mulf %a, %two : f32
  %d = arith.mulf %b, %two : f32
  layout.store %c, %w at <0> : f32, !layout.view<f32>
  layout.store %d, %w at <1> : f32, !layout.view<f32>
  %g = layout.load %w at <_> : !layout.view<f32> -> vector<2xf32>
  layout.store %g, %v at <(?,_)>(%i) : vector<2xf32>, !layout.view<f32>
  cube.return
}
