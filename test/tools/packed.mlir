// RUN: cubec %s --kernel blend --target nvptx -o - | FileCheck %s --check-prefix=BLEND
// RUN: cubec %s --kernel sums --target nvptx -o - | FileCheck %s --check-prefix=SUMS
// PTX for vectors of 16-bit integers: LLVM packs two lanes into a register.

// The last lane of %kept is unused, so LLVM leaves half of the register undefined; the compiler sets it to zero. ptxas
// miscompiles a packed addition of a constant if one half is unused, so the PTX contains no such addition.
// BLEND: .visible .entry blend(
// BLEND: mov.b16 [[ZERO:%rs[0-9]+]], 0;
// BLEND-NOT: add.s16x2
// BLEND: {{.*}}, [[ZERO]]};
// BLEND-NOT: add.s16x2
// BLEND: ret;
cube.kernel @blend(%x: !cube.array<i16, 4>, %r: !cube.array<i16, 4>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i16, 4> -> vector<4xi16>
  %last = vector.extract %v[3] : i16 from vector<4xi16>
  %factor = vector.broadcast %last : i16 to vector<4xi16>
  %product = arith.muli %v, %factor : vector<4xi16>
  %more = arith.constant dense<127> : vector<4xi16>
  %kept = arith.addi %product, %more : vector<4xi16>
  %s = vector.insert %last, %kept[3] : i16 into vector<4xi16>
  cube.store %s, %r[%i] : vector<4xi16>, !cube.array<i16, 4>
  cube.return
}

// Values from memory are not constants, so the addition remains packed.
// SUMS: add.s16x2
// SUMS: add.s16x2
cube.kernel @sums(%x: !cube.array<i16, 4>, %y: !cube.array<i16, 4>, %r: !cube.array<i16, 4>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i16, 4> -> vector<4xi16>
  %w = cube.load %y[%i] : !cube.array<i16, 4> -> vector<4xi16>
  %s = arith.addi %v, %w : vector<4xi16>
  cube.store %s, %r[%i] : vector<4xi16>, !cube.array<i16, 4>
  cube.return
}
