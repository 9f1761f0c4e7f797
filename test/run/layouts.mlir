// Views under layouts: tiles, thread-value layouts, ragged ends, pitches known at launch, swizzled shared memory.
// RUN-ARGS: --kernel tv --arg a=%S/data/layouts.a.npy --arg b=%S/data/layouts.b.npy --arg c=zeros:8192 --cube-count 2 \
// RUN-ARGS:   --check c=%S/data/layouts.sum.npy
// RUN-ARGS: --kernel tv_checked --arg a=%S/data/layouts.a.npy --arg b=%S/data/layouts.b.npy --arg c=zeros:8192 --cube-count 3 \
// RUN-ARGS:   --check c=%S/data/layouts.sum.npy
// RUN-ARGS: --kernel tv_checked --arg a=%S/data/layouts.short.npy --arg b=%S/data/layouts.b.npy --arg c=zeros:8192 --cube-count 3 \
// RUN-ARGS:   --check c=%S/data/layouts.short_sum.npy
// RUN-ARGS: --kernel ragged --arg x=%S/data/layouts.seven.npy --arg y=zeros:63 --cube-count 12 --check y=%S/data/layouts.seven.npy
// RUN-ARGS: --kernel ragged_promised --arg x=%S/data/layouts.seven.npy --arg y=zeros:63 --cube-count 12 \
// RUN-ARGS:   --check y=%S/data/layouts.seven.npy
// RUN-ARGS: --kernel pitch --arg x=%S/data/layouts.seven.npy --arg y=zeros:63 --arg m=7 --arg n=9 --cube-count 4,3 \
// RUN-ARGS:   --check y=%S/data/layouts.seven.npy
// RUN-ARGS: --kernel turned --arg x=%S/data/layouts.square.npy --arg y=zeros:1024 --cube-count 1 --check y=%S/data/layouts.turned.npy
// RUN-ARGS: --kernel part --arg x=%S/data/layouts.seven.npy --arg y=zeros:8 --cube-count 1 --check y=%S/data/layouts.part.npy
// RUN-ARGS: --kernel meet --arg x=iota:256 --arg y=zeros:251 --cube-count 1 --check y=%S/data/layouts.meet.npy
// RUN-ARGS: --kernel huge --arg x=iota:4 --arg y=zeros:4 --arg m=65536 --arg n=65536 --cube-count 1 \
// RUN-ARGS:   --check y=%S/data/layouts.four.npy

// The third kernel of the article, on a matrix of 32 by 256: each unit adds 4 rows of 8 neighbouring elements.
cube.kernel @tv(%a: !cube.array<f32> {cube.align = 16 : i32}, %b: !cube.array<f32> {cube.align = 16 : i32},
                %c: !cube.array<f32> {cube.align = 16 : i32}) cube_dim(128) unchecked {
  cube.call @add_tile(%a, %b, %c) : (!cube.array<f32>, !cube.array<f32>, !cube.array<f32>) -> ()
  cube.return
}
// The article's kernel with one cube too many and a buffer that is too short: it must not access memory out of bounds.
cube.kernel @tv_checked(%a: !cube.array<f32> {cube.align = 16 : i32}, %b: !cube.array<f32> {cube.align = 16 : i32},
                        %c: !cube.array<f32> {cube.align = 16 : i32}) cube_dim(128) {
  cube.call @add_tile(%a, %b, %c) : (!cube.array<f32>, !cube.array<f32>, !cube.array<f32>) -> ()
  cube.return
}
cube.func @add_tile(%a: !cube.array<f32>, %b: !cube.array<f32>, %c: !cube.array<f32>) {
  %matrix = layout.constant #layout.layout<(32,256):(256,1)>
  %threads = layout.constant #layout.layout<(4,32):(32,1)>
  %values = layout.constant #layout.layout<(4,8):(8,1)>
  %tv, %tile = layout.make_tv %threads, %values
  %ma = layout.view %a, %matrix : !cube.array<f32> -> !layout.view<f32>
  %mb = layout.view %b, %matrix : !cube.array<f32> -> !layout.view<f32>
  %mc = layout.view %c, %matrix : !cube.array<f32> -> !layout.view<f32>
  %x = cube.call @mine(%ma, %tile, %tv) : (!layout.view<f32>, !layout.layout, !layout.layout) -> vector<32xf32>
  %y = cube.call @mine(%mb, %tile, %tv) : (!layout.view<f32>, !layout.layout, !layout.layout) -> vector<32xf32>
  %z = arith.addf %x, %y : vector<32xf32>
  %tiles = layout.zipped_divide %mc by modes %tile : !layout.view<f32>
  %cube = cube.topology cube_pos_x
  %unit = cube.topology unit_pos_x
  %own = layout.slice %tiles at <((_,_),?)>(%cube) : !layout.view<f32>
  %pair = layout.compose %own, %tv : !layout.view<f32>
  layout.store %z, %pair at <(?,_)>(%unit) : vector<32xf32>, !layout.view<f32>
  cube.return
}
// A view is the argument of a function.
cube.func @mine(%matrix: !layout.view<f32>, %tile: !layout.layout, %tv: !layout.layout) -> vector<32xf32> {
  %tiles = layout.zipped_divide %matrix by modes %tile : !layout.view<f32>
  %cube = cube.topology cube_pos_x
  %unit = cube.topology unit_pos_x
  %own = layout.slice %tiles at <((_,_),?)>(%cube) : !layout.view<f32>
  %pair = layout.compose %own, %tv : !layout.view<f32>
  %mine = layout.load %pair at <(?,_)>(%unit) : !layout.view<f32> -> vector<32xf32>
  cube.return %mine : vector<32xf32>
}

// Tiles of 2 by 4 of a matrix of 7 by 9: the last tiles extend beyond the end of both axes.
cube.kernel @ragged(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(2) {
  cube.call @copy_ragged(%x, %y) : (!cube.array<i32>, !cube.array<i32>) -> ()
  cube.return
}
// Ragged tiles need predicates even if accesses are promised to be in bounds.
cube.kernel @ragged_promised(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(2) unchecked {
  cube.call @copy_ragged(%x, %y) : (!cube.array<i32>, !cube.array<i32>) -> ()
  cube.return
}
cube.func @copy_ragged(%x: !cube.array<i32>, %y: !cube.array<i32>) {
  %matrix = layout.constant #layout.layout<(7,9):(9,1)>
  %tile = layout.constant #layout.layout<(2,4):(1,1)>
  %vx = layout.view %x, %matrix : !cube.array<i32> -> !layout.view<i32>
  %vy = layout.view %y, %matrix : !cube.array<i32> -> !layout.view<i32>
  %tx = layout.zipped_divide %vx by modes %tile ragged : !layout.view<i32>
  %ty = layout.zipped_divide %vy by modes %tile ragged : !layout.view<i32>
  %cube = cube.topology cube_pos_x
  %unit = cube.topology unit_pos_x
  %v = layout.load %tx at <((?,_),?)>(%unit, %cube) : !layout.view<i32> -> vector<4xi32>
  layout.store %v, %ty at <((?,_),?)>(%unit, %cube) : vector<4xi32>, !layout.view<i32>
  cube.return
}

// Ragged tiles of a matrix whose shape and pitch are known at launch, with accesses to single elements.
cube.kernel @pitch(%x: !cube.array<i32>, %y: !cube.array<i32>, %m: i32, %n: i32) cube_dim(4, 2) {
  %matrix = layout.make #layout.layout<(?,?):(?,1)>(%m, %n, %n)
  %tile = layout.constant #layout.layout<(2,4):(1,1)>
  %vx = layout.view %x, %matrix : !cube.array<i32> -> !layout.view<i32>
  %vy = layout.view %y, %matrix : !cube.array<i32> -> !layout.view<i32>
  %tx = layout.zipped_divide %vx by modes %tile ragged : !layout.view<i32>
  %ty = layout.zipped_divide %vy by modes %tile ragged : !layout.view<i32>
  %row = cube.topology cube_pos_x
  %column = cube.topology cube_pos_y
  %own = layout.slice %tx at <((_,_),(?,?))>(%row, %column) : !layout.view<i32>
  // The tile with transposed index: unit x accesses a column.
  %order = layout.constant #layout.layout<(4,2):(2,1)>
  %turned = layout.compose %own, %order : !layout.view<i32>
  %i = cube.topology unit_pos_x
  %j = cube.topology unit_pos_y
  %v = layout.load %turned at <(?,?)>(%i, %j) : !layout.view<i32> -> i32
  layout.store %v, %ty at <((?,?),(?,?))>(%j, %i, %row, %column) : i32, !layout.view<i32>
  cube.return
}

// A transposition through shared memory; the swizzle avoids bank conflicts of rows and of columns.
cube.kernel @turned(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(32) {
  %rows = layout.constant #layout.layout<(32,32):(32,1)>
  %swizzled = layout.constant #layout.layout<Sw<5,0,5> o 0 o (32,32):(32,1)>
  %memory = cube.alloc : !cube.shared<1024 x i32>
  %shared = layout.view %memory, %swizzled : !cube.shared<1024 x i32> -> !layout.view<i32>
  %vx = layout.view %x, %rows : !cube.array<i32> -> !layout.view<i32>
  %vy = layout.view %y, %rows : !cube.array<i32> -> !layout.view<i32>
  %unit = cube.topology unit_pos_x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %all = arith.constant 32 : i32
  scf.for %row = %zero to %all step %one : i32 {
    %v = layout.load %vx at <(?,?)>(%row, %unit) : !layout.view<i32> -> i32
    layout.store %v, %shared at <(?,?)>(%row, %unit) : i32, !layout.view<i32>
  }
  cube.sync cube
  scf.for %row = %zero to %all step %one : i32 {
    %v = layout.load %shared at <(?,?)>(%unit, %row) : !layout.view<i32> -> i32
    layout.store %v, %vy at <(?,?)>(%row, %unit) : i32, !layout.view<i32>
  }
  cube.return
}

// A view of a slice that begins at the third row; accesses beyond the slice are out of bounds.
cube.kernel @part(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(8) {
  %from = arith.constant 18 : i32
  %to = arith.constant 24 : i32
  %slice = cube.slice %x[%from to %to] : !cube.array<i32> -> !cube.slice<i32>
  %row = layout.constant #layout.layout<9:1>
  %view = layout.view %slice, %row : !cube.slice<i32> -> !layout.view<i32>
  %i = cube.topology unit_pos_x
  %v = layout.load %view at <?>(%i) : !layout.view<i32> -> i32
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}

// Wide accesses on both sides of a barrier; the last access is partly out of bounds.
cube.kernel @meet(%x: !cube.array<f32> {cube.align = 16 : i32}, %y: !cube.array<f32> {cube.align = 16 : i32}) cube_dim(64) {
  %unit = cube.topology unit_pos_x
  %m = cube.alloc : !cube.shared<256 x f32>
  %l = layout.constant #layout.layout<(64,4):(4,1)>
  %r = layout.constant #layout.layout<(64,4):(1,64)>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %w = layout.view %m, %l : !cube.shared<256 x f32> -> !layout.view<f32>
  %t = layout.view %m, %r : !cube.shared<256 x f32> -> !layout.view<f32>
  %o = layout.view %y, %l : !cube.array<f32> -> !layout.view<f32>
  %e = layout.load %v at <(?,_)>(%unit) : !layout.view<f32> -> vector<4xf32>
  layout.store %e, %w at <(?,_)>(%unit) : vector<4xf32>, !layout.view<f32>
  cube.sync cube
  %f = layout.load %t at <(?,_)>(%unit) : !layout.view<f32> -> vector<4xf32>
  layout.store %f, %o at <(?,_)>(%unit) : vector<4xf32>, !layout.view<f32>
  cube.return
}

// A mode of 2^64 elements contains every index, although the product of its extents is 0 in 64 bits.
cube.kernel @huge(%x: !cube.array<f32>, %y: !cube.array<f32>, %m: i32, %n: i32) cube_dim(4) {
  %u = cube.topology unit_pos
  %layout = layout.make #layout.layout<((?,?,4294967296)):((1,0,0))>(%m, %n)
  %view = layout.view %x, %layout : !cube.array<f32> -> !layout.view<f32>
  %value = layout.load %view at <(?)>(%u) : !layout.view<f32> -> f32
  cube.store %value, %y[%u] : f32, !cube.array<f32>
  cube.return
}
