// A computed lane index outside of the line reads 0 and writes nothing: indices -2 to 5 of a line of 4, and MIN.
// RUN-ARGS: --arg x=iota:4 --arg least=-2147483648 --arg r=ones:9 --arg s=ones:36 --cube-count 1 \
// RUN-ARGS:   --check r=%S/data/lanes.r.npy --check s=%S/data/lanes.s.npy
cube.kernel @lanes(%x: !cube.array<i32, 4>, %least: i32, %r: !cube.array<i32>, %s: !cube.array<i32, 4>) cube_dim(9) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %eight = arith.constant 8 : i32
  %nine = arith.constant 9 : i32
  %seven = arith.constant 7 : i32
  %unit = cube.topology unit_pos
  %from = arith.subi %unit, %two : i32
  %last = arith.cmpi eq, %unit, %eight : i32
  %at = arith.select %last, %least, %from : i32
  %line = cube.load %x[%zero] : !cube.array<i32, 4> -> vector<4xi32>
  %sevens = vector.broadcast %seven : i32 to vector<4xi32>
  %more = arith.addi %line, %sevens : vector<4xi32>
  %read = cube.extract %more[%at] : vector<4xi32> -> i32
  cube.store %read, %r[%unit] : i32, !cube.array<i32>
  %written = cube.insert %nine, %line[%at] : i32, vector<4xi32>
  cube.store %written, %s[%unit] : vector<4xi32>, !cube.array<i32, 4>
  cube.return
}
