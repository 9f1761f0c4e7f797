// Sums of the products of four signed bytes, on all pairs of 10 edge values and on 156 random pairs. Lines of four words have
// four results.
// RUN-ARGS: --kernel words --arg a=%S/data/dot.a.npy --arg b=%S/data/dot.b.npy --arg r=zeros:256 --check r=%S/data/dot.r.npy --cube-count 8
// RUN-ARGS: --kernel lines --arg a=%S/data/dot.a.npy --arg b=%S/data/dot.b.npy --arg r=zeros:256 --check r=%S/data/dot.r.npy --cube-count 2
cube.kernel @words(%a: !cube.array<i32>, %b: !cube.array<i32>, %r: !cube.array<i32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %x = cube.load %a[%i] : !cube.array<i32> -> i32
  %y = cube.load %b[%i] : !cube.array<i32> -> i32
  %d = cube.dot %x, %y : i32
  cube.store %d, %r[%i] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @lines(%a: !cube.array<i32, 4>, %b: !cube.array<i32, 4>, %r: !cube.array<i32, 4>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %x = cube.load %a[%i] : !cube.array<i32, 4> -> vector<4xi32>
  %y = cube.load %b[%i] : !cube.array<i32, 4> -> vector<4xi32>
  %d = cube.dot %x, %y : vector<4xi32>
  cube.store %d, %r[%i] : vector<4xi32>, !cube.array<i32, 4>
  cube.return
}
