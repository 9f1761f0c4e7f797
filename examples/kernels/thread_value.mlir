// c = a + b for matrices of 64 by 512 halves. A cube adds a tile of 16 by 256 elements, a unit 4 rows of 8 elements.
cube.kernel @thread_value(%a: !cube.array<f16> {cube.align = 16 : i32}, %b: !cube.array<f16> {cube.align = 16 : i32},
                          %c: !cube.array<f16> {cube.align = 16 : i32}) cube_dim(128) unchecked {
  %threads = layout.constant #layout.layout<(4,32):(32,1)>
  %values = layout.constant #layout.layout<(4,8):(8,1)>
  %tv, %tile = layout.make_tv %threads, %values
  %x = cube.call @mine(%a, %tv, %tile) : (!cube.array<f16>, !layout.layout, !layout.layout) -> vector<32xf16>
  %y = cube.call @mine(%b, %tv, %tile) : (!cube.array<f16>, !layout.layout, !layout.layout) -> vector<32xf16>
  %z = arith.addf %x, %y : vector<32xf16>
  %matrix = layout.constant #layout.layout<(64,512):(512,1)>
  %view = layout.view %c, %matrix : !cube.array<f16> -> !layout.view<f16>
  %tiles = layout.zipped_divide %view by modes %tile : !layout.view<f16>
  %cube = cube.topology cube_pos_x
  %unit = cube.topology unit_pos_x
  %own = layout.slice %tiles at <((_,_),?)>(%cube) : !layout.view<f16>
  %pairs = layout.compose %own, %tv : !layout.view<f16>
  layout.store %z, %pairs at <(?,_)>(%unit) : vector<32xf16>, !layout.view<f16>
  cube.return
}
cube.func @mine(%buffer: !cube.array<f16>, %tv: !layout.layout, %tile: !layout.layout) -> vector<32xf16> {
  %matrix = layout.constant #layout.layout<(64,512):(512,1)>
  %view = layout.view %buffer, %matrix : !cube.array<f16> -> !layout.view<f16>
  %tiles = layout.zipped_divide %view by modes %tile : !layout.view<f16>
  %cube = cube.topology cube_pos_x
  %unit = cube.topology unit_pos_x
  %own = layout.slice %tiles at <((_,_),?)>(%cube) : !layout.view<f16>
  %pairs = layout.compose %own, %tv : !layout.view<f16>
  %mine = layout.load %pairs at <(?,_)>(%unit) : !layout.view<f16> -> vector<32xf16>
  cube.return %mine : vector<32xf16>
}
