// Shuffles by constants up to the largest u32. If the sum or difference is outside of the plane, even by wrapping
// around, the unit keeps its own value. A Python model computed the expected values.
// The second line has no expected values: its results are compared with the interpreter, with the device's plane size.
// SKIP: wgpu@--check the expected values are those of planes of 32 lanes, which not every adapter has
// SKIP: wgpu-spirv@--check the expected values are those of planes of 32 lanes, which not every adapter has
// RUN-ARGS: --arg y=zeros:768 --cube-count 1 --check y=%S/data/plane_shuffle_far.y.npy
// RUN-ARGS: --arg y=zeros:768 --cube-count 1
cube.kernel @plane_shuffle_far(%y: !cube.array<i32>) cube_dim(32) {
  %u = cube.topology unit_pos
  %one = arith.constant 1 : i32
  %square = arith.muli %u, %u : i32
  %v = arith.addi %square, %one : i32
  %n0 = arith.constant 3 : i32
  %a0 = cube.plane_shuffle up %v, %n0 : i32
  %b0 = arith.constant 0 : i32
  %p0 = arith.addi %u, %b0 : i32
  cube.store %a0, %y[%p0] : i32, !cube.array<i32>
  %n1 = arith.constant 32 : i32
  %a1 = cube.plane_shuffle up %v, %n1 : i32
  %b1 = arith.constant 32 : i32
  %p1 = arith.addi %u, %b1 : i32
  cube.store %a1, %y[%p1] : i32, !cube.array<i32>
  %n2 = arith.constant 2147483647 : i32
  %a2 = cube.plane_shuffle up %v, %n2 : i32
  %b2 = arith.constant 64 : i32
  %p2 = arith.addi %u, %b2 : i32
  cube.store %a2, %y[%p2] : i32, !cube.array<i32>
  %n3 = arith.constant -2147483648 : i32
  %a3 = cube.plane_shuffle up %v, %n3 : i32
  %b3 = arith.constant 96 : i32
  %p3 = arith.addi %u, %b3 : i32
  cube.store %a3, %y[%p3] : i32, !cube.array<i32>
  %n4 = arith.constant -31 : i32
  %a4 = cube.plane_shuffle up %v, %n4 : i32
  %b4 = arith.constant 128 : i32
  %p4 = arith.addi %u, %b4 : i32
  cube.store %a4, %y[%p4] : i32, !cube.array<i32>
  %n5 = arith.constant -1 : i32
  %a5 = cube.plane_shuffle up %v, %n5 : i32
  %b5 = arith.constant 160 : i32
  %p5 = arith.addi %u, %b5 : i32
  cube.store %a5, %y[%p5] : i32, !cube.array<i32>
  %n6 = arith.constant 3 : i32
  %a6 = cube.plane_shuffle down %v, %n6 : i32
  %b6 = arith.constant 192 : i32
  %p6 = arith.addi %u, %b6 : i32
  cube.store %a6, %y[%p6] : i32, !cube.array<i32>
  %n7 = arith.constant 32 : i32
  %a7 = cube.plane_shuffle down %v, %n7 : i32
  %b7 = arith.constant 224 : i32
  %p7 = arith.addi %u, %b7 : i32
  cube.store %a7, %y[%p7] : i32, !cube.array<i32>
  %n8 = arith.constant 2147483647 : i32
  %a8 = cube.plane_shuffle down %v, %n8 : i32
  %b8 = arith.constant 256 : i32
  %p8 = arith.addi %u, %b8 : i32
  cube.store %a8, %y[%p8] : i32, !cube.array<i32>
  %n9 = arith.constant -2147483648 : i32
  %a9 = cube.plane_shuffle down %v, %n9 : i32
  %b9 = arith.constant 288 : i32
  %p9 = arith.addi %u, %b9 : i32
  cube.store %a9, %y[%p9] : i32, !cube.array<i32>
  %n10 = arith.constant -31 : i32
  %a10 = cube.plane_shuffle down %v, %n10 : i32
  %b10 = arith.constant 320 : i32
  %p10 = arith.addi %u, %b10 : i32
  cube.store %a10, %y[%p10] : i32, !cube.array<i32>
  %n11 = arith.constant -1 : i32
  %a11 = cube.plane_shuffle down %v, %n11 : i32
  %b11 = arith.constant 352 : i32
  %p11 = arith.addi %u, %b11 : i32
  cube.store %a11, %y[%p11] : i32, !cube.array<i32>
  %n12 = arith.constant 3 : i32
  %a12 = cube.plane_shuffle xor %v, %n12 : i32
  %b12 = arith.constant 384 : i32
  %p12 = arith.addi %u, %b12 : i32
  cube.store %a12, %y[%p12] : i32, !cube.array<i32>
  %n13 = arith.constant 32 : i32
  %a13 = cube.plane_shuffle xor %v, %n13 : i32
  %b13 = arith.constant 416 : i32
  %p13 = arith.addi %u, %b13 : i32
  cube.store %a13, %y[%p13] : i32, !cube.array<i32>
  %n14 = arith.constant 2147483647 : i32
  %a14 = cube.plane_shuffle xor %v, %n14 : i32
  %b14 = arith.constant 448 : i32
  %p14 = arith.addi %u, %b14 : i32
  cube.store %a14, %y[%p14] : i32, !cube.array<i32>
  %n15 = arith.constant -2147483648 : i32
  %a15 = cube.plane_shuffle xor %v, %n15 : i32
  %b15 = arith.constant 480 : i32
  %p15 = arith.addi %u, %b15 : i32
  cube.store %a15, %y[%p15] : i32, !cube.array<i32>
  %n16 = arith.constant -31 : i32
  %a16 = cube.plane_shuffle xor %v, %n16 : i32
  %b16 = arith.constant 512 : i32
  %p16 = arith.addi %u, %b16 : i32
  cube.store %a16, %y[%p16] : i32, !cube.array<i32>
  %n17 = arith.constant -1 : i32
  %a17 = cube.plane_shuffle xor %v, %n17 : i32
  %b17 = arith.constant 544 : i32
  %p17 = arith.addi %u, %b17 : i32
  cube.store %a17, %y[%p17] : i32, !cube.array<i32>
  %n18 = arith.constant 3 : i32
  %a18 = cube.plane_shuffle idx %v, %n18 : i32
  %b18 = arith.constant 576 : i32
  %p18 = arith.addi %u, %b18 : i32
  cube.store %a18, %y[%p18] : i32, !cube.array<i32>
  %n19 = arith.constant 32 : i32
  %a19 = cube.plane_shuffle idx %v, %n19 : i32
  %b19 = arith.constant 608 : i32
  %p19 = arith.addi %u, %b19 : i32
  cube.store %a19, %y[%p19] : i32, !cube.array<i32>
  %n20 = arith.constant 2147483647 : i32
  %a20 = cube.plane_shuffle idx %v, %n20 : i32
  %b20 = arith.constant 640 : i32
  %p20 = arith.addi %u, %b20 : i32
  cube.store %a20, %y[%p20] : i32, !cube.array<i32>
  %n21 = arith.constant -2147483648 : i32
  %a21 = cube.plane_shuffle idx %v, %n21 : i32
  %b21 = arith.constant 672 : i32
  %p21 = arith.addi %u, %b21 : i32
  cube.store %a21, %y[%p21] : i32, !cube.array<i32>
  %n22 = arith.constant -31 : i32
  %a22 = cube.plane_shuffle idx %v, %n22 : i32
  %b22 = arith.constant 704 : i32
  %p22 = arith.addi %u, %b22 : i32
  cube.store %a22, %y[%p22] : i32, !cube.array<i32>
  %n23 = arith.constant -1 : i32
  %a23 = cube.plane_shuffle idx %v, %n23 : i32
  %b23 = arith.constant 736 : i32
  %p23 = arith.addi %u, %b23 : i32
  cube.store %a23, %y[%p23] : i32, !cube.array<i32>
  cube.return
}
