// RUN: cube-opt %s --check-vectors | FileCheck %s

// One-dimensional vectors and operations of level source are unchanged.
// CHECK-LABEL: @allowed(
cube.kernel @allowed(%x: !cube.array<i32, 8>, %f: !cube.array<f32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  %g = cube.load %f[%i] : !cube.array<f32, 8> -> vector<8xf32>
  // CHECK: vector.bitcast
  %1 = vector.bitcast %g : vector<8xf32> to vector<16xi16>
  // CHECK: vector.deinterleave
  %2, %3 = vector.deinterleave %v : vector<8xi32> -> vector<4xi32>
  // CHECK: vector.interleave
  %4 = vector.interleave %2, %3 : vector<4xi32> -> vector<8xi32>
  // CHECK: vector.extract_strided_slice
  %5 = vector.extract_strided_slice %v {offsets = [2], sizes = [4], strides = [1]} : vector<8xi32> to vector<4xi32>
  // CHECK: vector.insert_strided_slice
  %6 = vector.insert_strided_slice %5, %v {offsets = [3], strides = [1]} : vector<4xi32> into vector<8xi32>
  // CHECK: vector.fma
  %7 = vector.fma %g, %g, %g : vector<8xf32>
  // CHECK: vector.step
  %8 = vector.step : vector<8xindex>
  // CHECK: vector.to_elements
  %9:8 = vector.to_elements %v : vector<8xi32>
  // CHECK: vector.from_elements
  %10 = vector.from_elements %9#1, %9#0 : vector<2xi32>
  // CHECK: vector.reduction
  %11 = vector.reduction <add>, %v : vector<8xi32> into i32
  // CHECK: vector.shuffle
  %12 = vector.shuffle %v, %v [0, 15, 3] : vector<8xi32>, vector<8xi32>
  // CHECK: vector.broadcast
  %13 = vector.broadcast %11 : i32 to vector<8xi32>
  // CHECK: vector.insert
  %14 = vector.insert %11, %13[2] : i32 into vector<8xi32>
  // CHECK: vector.extract
  %15 = vector.extract %14[2] : i32 from vector<8xi32>
  // CHECK: vector.shape_cast
  %16 = vector.shape_cast %14 : vector<8xi32> to vector<8xi32>
  cube.return
}
