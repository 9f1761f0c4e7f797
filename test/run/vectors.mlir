// Each operation of the vector dialect that kernels can use, on one-dimensional vectors.
// SKIP: wgpu@halved it has no i16
// RUN-ARGS: --kernel moved --arg x=iota:64 --arg r=zeros:x --check r=%S/data/vectors.moved.npy
// RUN-ARGS: --kernel halved --arg x=iota:64 --arg r=zeros:x --check r=%S/data/vectors.halved.npy
// RUN-ARGS: --kernel scalars --arg x=iota:64 --arg f=iota:64 --arg r=zeros:8 --arg s=zeros:8 \
// RUN-ARGS:   --check r=%S/data/vectors.r.npy --check s=%S/data/vectors.s.npy

// r = (x with lanes 2 to 5 copied to lanes 4 to 7) + (x with even and odd lanes swapped) + the lane number.
cube.kernel @moved(%x: !cube.array<i32, 8>, %r: !cube.array<i32, 8>) cube_dim(4) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  %part = vector.extract_strided_slice %v {offsets = [2], sizes = [4], strides = [1]} : vector<8xi32> to vector<4xi32>
  %on = vector.insert_strided_slice %part, %v {offsets = [4], strides = [1]} : vector<4xi32> into vector<8xi32>
  %even, %odd = vector.deinterleave %v : vector<8xi32> -> vector<4xi32>
  %swapped = vector.interleave %odd, %even : vector<4xi32> -> vector<8xi32>
  %sum = arith.addi %on, %swapped : vector<8xi32>
  %lane = vector.step : vector<8xindex>
  %number = arith.index_cast %lane : vector<8xindex> to vector<8xi32>
  %all = arith.addi %sum, %number : vector<8xi32>
  cube.store %all, %r[%i] : vector<8xi32>, !cube.array<i32, 8>
  cube.return
}

// The halves of each element are swapped, through vectors of another element width; the last lane is the first of x.
cube.kernel @halved(%x: !cube.array<i32, 4>, %r: !cube.array<i32, 4>) cube_dim(4) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32, 4> -> vector<4xi32>
  %halves = vector.bitcast %v : vector<4xi32> to vector<8xi16>
  %turned = vector.shuffle %halves, %halves [1, 0, 3, 2, 5, 4, 7, 6] : vector<8xi16>, vector<8xi16>
  %w = vector.bitcast %turned : vector<8xi16> to vector<4xi32>
  %elements:4 = vector.to_elements %w : vector<4xi32>
  %first = vector.extract %v[0] : i32 from vector<4xi32>
  %same = vector.from_elements %elements#0, %elements#1, %elements#2, %elements#3 : vector<4xi32>
  %one = vector.insert %first, %same[3] : i32 into vector<4xi32>
  %cast = vector.shape_cast %one : vector<4xi32> to vector<4xi32>
  cube.store %cast, %r[%i] : vector<4xi32>, !cube.array<i32, 4>
  cube.return
}

// r = the sum of x minus its largest lane; s = the sum of f * f + f, plus the largest and minus the smallest f.
cube.kernel @scalars(%x: !cube.array<i32, 8>, %f: !cube.array<f32, 8>, %r: !cube.array<i32>, %s: !cube.array<f32>)
    cube_dim(4) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  %sum = vector.reduction <add>, %v : vector<8xi32> into i32
  %most = vector.reduction <maxsi>, %v : vector<8xi32> into i32
  %less = arith.subi %sum, %most : i32
  cube.store %less, %r[%i] : i32, !cube.array<i32>
  %g = cube.load %f[%i] : !cube.array<f32, 8> -> vector<8xf32>
  %squares = vector.fma %g, %g, %g : vector<8xf32>
  %top = vector.reduction <maximumf>, %g : vector<8xf32> into f32
  %least = vector.reduction <minimumf>, %g : vector<8xf32> into f32
  %range = arith.subf %top, %least : f32
  %whole = vector.reduction <add>, %squares, %range : vector<8xf32> into f32
  cube.store %whole, %s[%i] : f32, !cube.array<f32>
  cube.return
}
