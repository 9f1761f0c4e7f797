// Buffers of lines: loads and stores of whole vectors, their elements, and lengths that count lines.
// SKIP: wgpu@swapped it has no f64
// SKIP: wgpu@bytes it has no i8
// RUN-ARGS: --kernel four --arg x=%S/data/lines.x.npy --arg y=%S/data/lines.y.npy --arg r=zeros:x --check r=%S/data/lines.r.npy
// RUN-ARGS: --kernel swapped --arg x=%S/data/lines.d.npy --arg r=zeros:x --check r=%S/data/lines.dr.npy
// RUN-ARGS: --kernel bytes --arg x=%S/data/lines.b.npy --arg r=zeros:x --check r=%S/data/lines.br.npy
// RUN-ARGS: --kernel flags --arg x=%S/data/lines.f.npy --arg r=zeros:x --check r=%S/data/lines.fr.npy

// r = x * y + element 2 of each line of x.
cube.kernel @four(%x: !cube.array<f32, 4>, %y: !cube.array<f32, 4>, %r: !cube.array<f32, 4>) cube_dim(8) {
  %i = cube.topology absolute_pos
  %n = cube.len %r : !cube.array<f32, 4>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %a = cube.load %x[%i] : !cube.array<f32, 4> -> vector<4xf32>
    %b = cube.load %y[%i] : !cube.array<f32, 4> -> vector<4xf32>
    %third = vector.extract %a[2] : f32 from vector<4xf32>
    %all = vector.broadcast %third : f32 to vector<4xf32>
    %p = arith.mulf %a, %b : vector<4xf32>
    %s = arith.addf %p, %all : vector<4xf32>
    cube.store %s, %r[%i] : vector<4xf32>, !cube.array<f32, 4>
  }
  cube.return
}

cube.kernel @swapped(%x: !cube.array<f64, 2>, %r: !cube.array<f64, 2>) cube_dim(4) {
  %i = cube.topology absolute_pos
  %a = cube.load %x[%i] : !cube.array<f64, 2> -> vector<2xf64>
  %0 = vector.extract %a[0] : f64 from vector<2xf64>
  %1 = vector.extract %a[1] : f64 from vector<2xf64>
  %s = vector.from_elements %1, %0 : vector<2xf64>
  cube.store %s, %r[%i] : vector<2xf64>, !cube.array<f64, 2>
  cube.return
}

cube.kernel @bytes(%x: !cube.array<i8, 16> {cube.host = "u8"}, %r: !cube.array<i8, 16> {cube.host = "u8"}) cube_dim(4) {
  %i = cube.topology absolute_pos
  %a = cube.load %x[%i] : !cube.array<i8, 16> -> vector<16xi8>
  %200 = arith.constant dense<200> : vector<16xi8>
  %s = arith.addi %a, %200 : vector<16xi8>
  cube.store %s, %r[%i] : vector<16xi8>, !cube.array<i8, 16>
  cube.return
}

// A bool takes a byte in a buffer, also in lines.
cube.kernel @flags(%x: !cube.array<i1, 8>, %r: !cube.array<i1, 8>) cube_dim(4) {
  %i = cube.topology absolute_pos
  %a = cube.load %x[%i] : !cube.array<i1, 8> -> vector<8xi1>
  %true = arith.constant dense<true> : vector<8xi1>
  %s = arith.xori %a, %true : vector<8xi1>
  cube.store %s, %r[%i] : vector<8xi1>, !cube.array<i1, 8>
  cube.return
}
