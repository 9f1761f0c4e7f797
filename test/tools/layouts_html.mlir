// An HTML page with pictures of a kernel's layouts: the declared layouts, each access, and the shared memory banks.
// RUN: cube-opt %s --layouts-html=%t.html && FileCheck %s --input-file=%t.html
// RUN: cube-opt %s --layouts-html=%t.again.html && cmp %t.html %t.again.html
// RUN: not cube-opt %s --layouts-html=/no/such/folder/page.html 2>&1 | FileCheck %s --check-prefix=NOWHERE

// CHECK: <title>Layouts of layouts_html.mlir</title>
// CHECK: <h2>@k, line {{[0-9]+}}: layout.constant</h2>
// CHECK-NEXT: <pre>S&lt;3,0,3&gt; o 0 o (8,8):(8,1)</pre>
// CHECK-NEXT: <div class="picture">
// CHECK-NEXT: <svg
// CHECK: <pre>layout: (256,256):(256,1)
// CHECK-NEXT: elements: 65536, too many to draw</pre>
// CHECK: layout.load, coordinates and elements {alignment = 4, below = 65284, packed = 1, sectors = 8, width = 1}</h2>
// CHECK: layout.store, coordinates and elements {alignment = 4, below = 64, cycles = 1, degree = 1, width = 1}</h2>
// CHECK: layout.store, banks of the first plane</h2>
// CHECK-NEXT: <pre>before: 8:8: degree 2, phases 2 (without conflicts 1)
// CHECK-NEXT: after: S&lt;3,0,3&gt; o 3 o 8:8: degree 1, phases 1 (without conflicts 1)</pre>
// NOWHERE: cannot write /no/such/folder/page.html
cube.kernel @k(%x: !cube.array<f32>) cube_dim(8) {
  %unit = cube.topology unit_pos_x
  %large = layout.constant #layout.layout<(256,256):(256,1)>
  %v = layout.view %x, %large : !cube.array<f32> -> !layout.view<f32>
  %m = cube.alloc : !cube.shared<64 x f32>
  %l = layout.constant #layout.layout<Sw<3,0,3> o 0 o (8,8):(8,1)>
  %w = layout.view %m, %l : !cube.shared<64 x f32> -> !layout.view<f32>
  %e = layout.load %v at <(?,3)>(%unit) : !layout.view<f32> -> f32
  layout.store %e, %w at <(?,3)>(%unit) : f32, !layout.view<f32>
  cube.return
}
