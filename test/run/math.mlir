// Math functions must be within the bounds of semantics/tables/ulp.toml, relative to exact values. Row k is function k.
// RUN-ARGS: --kernel all --arg x=%S/data/math.x.npy --arg r=zeros:6x500 --cube-count 16 --check r=%S/data/math.rx.npy --ulp 2
// RUN-ARGS: --kernel positive --arg x=%S/data/math.p.npy --arg r=zeros:4x500 --cube-count 16 --check r=%S/data/math.rp.npy --ulp 2

cube.kernel @all(%x: !cube.array<f32>, %r: !cube.array<f32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %n = cube.len %x : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] : !cube.array<f32> -> f32
    %exp = math.exp %v : f32
    cube.store %exp, %r[%i] : f32, !cube.array<f32>
    %at1 = arith.addi %i, %n : i32
    %exp2 = math.exp2 %v : f32
    cube.store %exp2, %r[%at1] : f32, !cube.array<f32>
    %at2 = arith.addi %at1, %n : i32
    %sin = math.sin %v : f32
    cube.store %sin, %r[%at2] : f32, !cube.array<f32>
    %at3 = arith.addi %at2, %n : i32
    %cos = math.cos %v : f32
    cube.store %cos, %r[%at3] : f32, !cube.array<f32>
    %at4 = arith.addi %at3, %n : i32
    %tanh = math.tanh %v : f32
    cube.store %tanh, %r[%at4] : f32, !cube.array<f32>
    %at5 = arith.addi %at4, %n : i32
    %erf = math.erf %v : f32
    cube.store %erf, %r[%at5] : f32, !cube.array<f32>
  }
  cube.return
}

cube.kernel @positive(%x: !cube.array<f32>, %r: !cube.array<f32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %n = cube.len %x : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] : !cube.array<f32> -> f32
    %log = math.log %v : f32
    cube.store %log, %r[%i] : f32, !cube.array<f32>
    %at1 = arith.addi %i, %n : i32
    %log2 = math.log2 %v : f32
    cube.store %log2, %r[%at1] : f32, !cube.array<f32>
    %at2 = arith.addi %at1, %n : i32
    %sqrt = math.sqrt %v : f32
    cube.store %sqrt, %r[%at2] : f32, !cube.array<f32>
    %at3 = arith.addi %at2, %n : i32
    %rsqrt = math.rsqrt %v : f32
    cube.store %rsqrt, %r[%at3] : f32, !cube.array<f32>
  }
  cube.return
}
