// Every topology value of every unit, for cubes and grids of one, two and three dimensions. Unit p writes row p.
// RUN-ARGS: --kernel one --arg r=zeros:15x20 --cube-count 3 --check r=%S/data/topology.one.npy
// RUN-ARGS: --kernel one --arg r=zeros:60x20 --cube-count 3,2,2 --check r=%S/data/topology.flat.npy
// RUN-ARGS: --kernel two --arg r=zeros:48x20 --cube-count 2,3 --check r=%S/data/topology.two.npy
// RUN-ARGS: --kernel three --arg r=zeros:144x20 --cube-count 2,3,2 --check r=%S/data/topology.three.npy

cube.kernel @one(%r: !cube.array<i32> {cube.host = "u32"}) cube_dim(5) {
  %v0 = cube.topology absolute_pos
  %v1 = cube.topology absolute_pos_x
  %v2 = cube.topology absolute_pos_y
  %v3 = cube.topology absolute_pos_z
  %v4 = cube.topology unit_pos
  %v5 = cube.topology unit_pos_x
  %v6 = cube.topology unit_pos_y
  %v7 = cube.topology unit_pos_z
  %v8 = cube.topology cube_pos
  %v9 = cube.topology cube_pos_x
  %v10 = cube.topology cube_pos_y
  %v11 = cube.topology cube_pos_z
  %v12 = cube.topology cube_dim
  %v13 = cube.topology cube_dim_x
  %v14 = cube.topology cube_dim_y
  %v15 = cube.topology cube_dim_z
  %v16 = cube.topology cube_count
  %v17 = cube.topology cube_count_x
  %v18 = cube.topology cube_count_y
  %v19 = cube.topology cube_count_z
  %20 = arith.constant 20 : i32
  %at0 = arith.muli %v0, %20 : i32
  %1 = arith.constant 1 : i32
  cube.store %v0, %r[%at0] : i32, !cube.array<i32>
  %at1 = arith.addi %at0, %1 : i32
  cube.store %v1, %r[%at1] : i32, !cube.array<i32>
  %at2 = arith.addi %at1, %1 : i32
  cube.store %v2, %r[%at2] : i32, !cube.array<i32>
  %at3 = arith.addi %at2, %1 : i32
  cube.store %v3, %r[%at3] : i32, !cube.array<i32>
  %at4 = arith.addi %at3, %1 : i32
  cube.store %v4, %r[%at4] : i32, !cube.array<i32>
  %at5 = arith.addi %at4, %1 : i32
  cube.store %v5, %r[%at5] : i32, !cube.array<i32>
  %at6 = arith.addi %at5, %1 : i32
  cube.store %v6, %r[%at6] : i32, !cube.array<i32>
  %at7 = arith.addi %at6, %1 : i32
  cube.store %v7, %r[%at7] : i32, !cube.array<i32>
  %at8 = arith.addi %at7, %1 : i32
  cube.store %v8, %r[%at8] : i32, !cube.array<i32>
  %at9 = arith.addi %at8, %1 : i32
  cube.store %v9, %r[%at9] : i32, !cube.array<i32>
  %at10 = arith.addi %at9, %1 : i32
  cube.store %v10, %r[%at10] : i32, !cube.array<i32>
  %at11 = arith.addi %at10, %1 : i32
  cube.store %v11, %r[%at11] : i32, !cube.array<i32>
  %at12 = arith.addi %at11, %1 : i32
  cube.store %v12, %r[%at12] : i32, !cube.array<i32>
  %at13 = arith.addi %at12, %1 : i32
  cube.store %v13, %r[%at13] : i32, !cube.array<i32>
  %at14 = arith.addi %at13, %1 : i32
  cube.store %v14, %r[%at14] : i32, !cube.array<i32>
  %at15 = arith.addi %at14, %1 : i32
  cube.store %v15, %r[%at15] : i32, !cube.array<i32>
  %at16 = arith.addi %at15, %1 : i32
  cube.store %v16, %r[%at16] : i32, !cube.array<i32>
  %at17 = arith.addi %at16, %1 : i32
  cube.store %v17, %r[%at17] : i32, !cube.array<i32>
  %at18 = arith.addi %at17, %1 : i32
  cube.store %v18, %r[%at18] : i32, !cube.array<i32>
  %at19 = arith.addi %at18, %1 : i32
  cube.store %v19, %r[%at19] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @two(%r: !cube.array<i32> {cube.host = "u32"}) cube_dim(4, 2) {
  %v0 = cube.topology absolute_pos
  %v1 = cube.topology absolute_pos_x
  %v2 = cube.topology absolute_pos_y
  %v3 = cube.topology absolute_pos_z
  %v4 = cube.topology unit_pos
  %v5 = cube.topology unit_pos_x
  %v6 = cube.topology unit_pos_y
  %v7 = cube.topology unit_pos_z
  %v8 = cube.topology cube_pos
  %v9 = cube.topology cube_pos_x
  %v10 = cube.topology cube_pos_y
  %v11 = cube.topology cube_pos_z
  %v12 = cube.topology cube_dim
  %v13 = cube.topology cube_dim_x
  %v14 = cube.topology cube_dim_y
  %v15 = cube.topology cube_dim_z
  %v16 = cube.topology cube_count
  %v17 = cube.topology cube_count_x
  %v18 = cube.topology cube_count_y
  %v19 = cube.topology cube_count_z
  %20 = arith.constant 20 : i32
  %at0 = arith.muli %v0, %20 : i32
  %1 = arith.constant 1 : i32
  cube.store %v0, %r[%at0] : i32, !cube.array<i32>
  %at1 = arith.addi %at0, %1 : i32
  cube.store %v1, %r[%at1] : i32, !cube.array<i32>
  %at2 = arith.addi %at1, %1 : i32
  cube.store %v2, %r[%at2] : i32, !cube.array<i32>
  %at3 = arith.addi %at2, %1 : i32
  cube.store %v3, %r[%at3] : i32, !cube.array<i32>
  %at4 = arith.addi %at3, %1 : i32
  cube.store %v4, %r[%at4] : i32, !cube.array<i32>
  %at5 = arith.addi %at4, %1 : i32
  cube.store %v5, %r[%at5] : i32, !cube.array<i32>
  %at6 = arith.addi %at5, %1 : i32
  cube.store %v6, %r[%at6] : i32, !cube.array<i32>
  %at7 = arith.addi %at6, %1 : i32
  cube.store %v7, %r[%at7] : i32, !cube.array<i32>
  %at8 = arith.addi %at7, %1 : i32
  cube.store %v8, %r[%at8] : i32, !cube.array<i32>
  %at9 = arith.addi %at8, %1 : i32
  cube.store %v9, %r[%at9] : i32, !cube.array<i32>
  %at10 = arith.addi %at9, %1 : i32
  cube.store %v10, %r[%at10] : i32, !cube.array<i32>
  %at11 = arith.addi %at10, %1 : i32
  cube.store %v11, %r[%at11] : i32, !cube.array<i32>
  %at12 = arith.addi %at11, %1 : i32
  cube.store %v12, %r[%at12] : i32, !cube.array<i32>
  %at13 = arith.addi %at12, %1 : i32
  cube.store %v13, %r[%at13] : i32, !cube.array<i32>
  %at14 = arith.addi %at13, %1 : i32
  cube.store %v14, %r[%at14] : i32, !cube.array<i32>
  %at15 = arith.addi %at14, %1 : i32
  cube.store %v15, %r[%at15] : i32, !cube.array<i32>
  %at16 = arith.addi %at15, %1 : i32
  cube.store %v16, %r[%at16] : i32, !cube.array<i32>
  %at17 = arith.addi %at16, %1 : i32
  cube.store %v17, %r[%at17] : i32, !cube.array<i32>
  %at18 = arith.addi %at17, %1 : i32
  cube.store %v18, %r[%at18] : i32, !cube.array<i32>
  %at19 = arith.addi %at18, %1 : i32
  cube.store %v19, %r[%at19] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @three(%r: !cube.array<i32> {cube.host = "u32"}) cube_dim(3, 2, 2) {
  %v0 = cube.topology absolute_pos
  %v1 = cube.topology absolute_pos_x
  %v2 = cube.topology absolute_pos_y
  %v3 = cube.topology absolute_pos_z
  %v4 = cube.topology unit_pos
  %v5 = cube.topology unit_pos_x
  %v6 = cube.topology unit_pos_y
  %v7 = cube.topology unit_pos_z
  %v8 = cube.topology cube_pos
  %v9 = cube.topology cube_pos_x
  %v10 = cube.topology cube_pos_y
  %v11 = cube.topology cube_pos_z
  %v12 = cube.topology cube_dim
  %v13 = cube.topology cube_dim_x
  %v14 = cube.topology cube_dim_y
  %v15 = cube.topology cube_dim_z
  %v16 = cube.topology cube_count
  %v17 = cube.topology cube_count_x
  %v18 = cube.topology cube_count_y
  %v19 = cube.topology cube_count_z
  %20 = arith.constant 20 : i32
  %at0 = arith.muli %v0, %20 : i32
  %1 = arith.constant 1 : i32
  cube.store %v0, %r[%at0] : i32, !cube.array<i32>
  %at1 = arith.addi %at0, %1 : i32
  cube.store %v1, %r[%at1] : i32, !cube.array<i32>
  %at2 = arith.addi %at1, %1 : i32
  cube.store %v2, %r[%at2] : i32, !cube.array<i32>
  %at3 = arith.addi %at2, %1 : i32
  cube.store %v3, %r[%at3] : i32, !cube.array<i32>
  %at4 = arith.addi %at3, %1 : i32
  cube.store %v4, %r[%at4] : i32, !cube.array<i32>
  %at5 = arith.addi %at4, %1 : i32
  cube.store %v5, %r[%at5] : i32, !cube.array<i32>
  %at6 = arith.addi %at5, %1 : i32
  cube.store %v6, %r[%at6] : i32, !cube.array<i32>
  %at7 = arith.addi %at6, %1 : i32
  cube.store %v7, %r[%at7] : i32, !cube.array<i32>
  %at8 = arith.addi %at7, %1 : i32
  cube.store %v8, %r[%at8] : i32, !cube.array<i32>
  %at9 = arith.addi %at8, %1 : i32
  cube.store %v9, %r[%at9] : i32, !cube.array<i32>
  %at10 = arith.addi %at9, %1 : i32
  cube.store %v10, %r[%at10] : i32, !cube.array<i32>
  %at11 = arith.addi %at10, %1 : i32
  cube.store %v11, %r[%at11] : i32, !cube.array<i32>
  %at12 = arith.addi %at11, %1 : i32
  cube.store %v12, %r[%at12] : i32, !cube.array<i32>
  %at13 = arith.addi %at12, %1 : i32
  cube.store %v13, %r[%at13] : i32, !cube.array<i32>
  %at14 = arith.addi %at13, %1 : i32
  cube.store %v14, %r[%at14] : i32, !cube.array<i32>
  %at15 = arith.addi %at14, %1 : i32
  cube.store %v15, %r[%at15] : i32, !cube.array<i32>
  %at16 = arith.addi %at15, %1 : i32
  cube.store %v16, %r[%at16] : i32, !cube.array<i32>
  %at17 = arith.addi %at16, %1 : i32
  cube.store %v17, %r[%at17] : i32, !cube.array<i32>
  %at18 = arith.addi %at17, %1 : i32
  cube.store %v18, %r[%at18] : i32, !cube.array<i32>
  %at19 = arith.addi %at18, %1 : i32
  cube.store %v19, %r[%at19] : i32, !cube.array<i32>
  cube.return
}

// A one-dimensional kernel that uses only its linear position becomes a flat loop, in a grid of any shape.
// RUN-ARGS: --kernel position --arg r=zeros:60 --cube-count 3,2,2 --check r=%S/data/iota60.npy
cube.kernel @position(%r: !cube.array<i32> {cube.host = "u32"}) cube_dim(5) {
  %p = cube.topology absolute_pos
  cube.store %p, %r[%p] : i32, !cube.array<i32>
  cube.return
}
