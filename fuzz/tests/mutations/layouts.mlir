// Tiles with ragged ends, thread-value layouts, accesses to neighbouring elements, a pitch known only at launch.
cube.kernel @k(%x: !cube.array<f32>, %k: !cube.array<i32>, %h: !cube.array<f16>, %b: !cube.array<bf16>, %t: !cube.tensor<f32>, %y: !cube.array<f32>, %r: !cube.array<i32>, %n: i32, %a: i32) cube_dim(40) {
  %unit = cube.topology unit_pos
  %cube = cube.topology cube_pos
  %matrix = layout.constant #layout.layout<(7,10):(10,1)>
  %tile = layout.constant #layout.layout<(4,8):(1,1)>
  %threads = layout.constant #layout.layout<(4,2):(2,1)>
  %values = layout.constant #layout.layout<(1,4):(4,1)>
  %tv, %all = layout.make_tv %threads, %values
  %vx = layout.view %x, %matrix : !cube.array<f32> -> !layout.view<f32>
  %vy = layout.view %y, %matrix : !cube.array<f32> -> !layout.view<f32>
  %tx = layout.zipped_divide %vx by modes %tile ragged : !layout.view<f32>
  %ty = layout.zipped_divide %vy by modes %tile ragged : !layout.view<f32>
  %bx = layout.slice %tx at <((_,_),(?,0))>(%cube) : !layout.view<f32>
  %by = layout.slice %ty at <((_,_),(?,0))>(%cube) : !layout.view<f32>
  %px = layout.compose %bx, %tv : !layout.view<f32>
  %py = layout.compose %by, %tv : !layout.view<f32>
  %v = layout.load %px at <(?,_)>(%unit) : !layout.view<f32> -> vector<4xf32>
  %w = arith.addf %v, %v : vector<4xf32>
  layout.store %w, %py at <(?,_)>(%unit) : vector<4xf32>, !layout.view<f32>
  // Lines at constant positions, for wide accesses.
  %m = cube.alloc : !cube.shared<80 x i32>
  %pairs = layout.constant #layout.layout<(40,2):(2,1)>
  %shared = layout.view %m, %pairs : !cube.shared<80 x i32> -> !layout.view<i32>
  %e = cube.load %k[%unit] : !cube.array<i32> -> i32
  layout.store %e, %shared at <(?,0)>(%unit) : i32, !layout.view<i32>
  layout.store %unit, %shared at <(?,1)>(%unit) : i32, !layout.view<i32>
  cube.sync cube
  %back = layout.constant #layout.layout<(40,2):(1,40)>
  %turned = layout.view %m, %back : !cube.shared<80 x i32> -> !layout.view<i32>
  %f = layout.load %turned at <(?,1)>(%unit) : !layout.view<i32> -> i32
  // A layout with a pitch that is known only at launch.
  %pitched = layout.make #layout.layout<(2,5):(?,1)>(%n)
  %o = layout.crd2idx %pitched at <(1,?)>(%a)
  %g = arith.addi %f, %o : i32
  %vr = layout.view %r, %pitched : !cube.array<i32> -> !layout.view<i32>
  layout.store %g, %vr at <(?,?)>(%cube, %unit) : i32, !layout.view<i32>
  cube.return
}
