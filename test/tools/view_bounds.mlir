// RUN: not cube-run %s --backend interp --find bounds --arg x=iota:32 --arg y=zeros:8 2>&1 | FileCheck %s

// The second coordinate is 8, but its mode has extent 4. The finding does not contain the linear index.
// CHECK: view_bounds.mlir:[[@LINE+6]]:{{[0-9]+}}: error[CUBE0710]: bounds: 'layout.load' reads x at a coordinate outside of the shape of its view, in unit (0, 0, 0)
cube.kernel @k(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %l = layout.constant #layout.layout<(8,4):(4,1)>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %j = cube.topology cube_dim_x
  %e = layout.load %v at <(?,?)>(%i, %j) : !layout.view<f32> -> f32
  cube.store %e, %y[%i] : f32, !cube.array<f32>
  cube.return
}
