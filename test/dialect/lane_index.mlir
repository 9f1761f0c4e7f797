// A constant lane index in the source must be inside the line; a computed lane index has a result for every value.

// RUN: cubec %s --kernel inside -o %t.o
// RUN: cubec %s --kernel computed -o %t.o
// RUN: not cubec %s --kernel extract -o %t.o 2>&1 | FileCheck %s --check-prefix=EXTRACT
// RUN: not cubec %s --kernel insert -o %t.o 2>&1 | FileCheck %s --check-prefix=INSERT
// RUN: not cubec %s --kernel high -o %t.o 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: not cubec %s --kernel of_vector -o %t.o 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: not cubec %s --kernel below -o %t.o 2>&1 | FileCheck %s --check-prefix=BELOW

cube.kernel @inside(%x: !cube.array<f32, 4>, %out: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %v = cube.load %x[%zero] : !cube.array<f32, 4> -> vector<4xf32>
  %l = cube.extract %v[%three] : vector<4xf32> -> f32
  cube.store %l, %out[%zero] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @computed(%x: !cube.array<f32, 4>, %out: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %at = arith.addi %four, %zero : i32
  %v = cube.load %x[%zero] : !cube.array<f32, 4> -> vector<4xf32>
  %l = cube.extract %v[%at] : vector<4xf32> -> f32
  cube.store %l, %out[%zero] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @extract(%x: !cube.array<f32, 4>, %out: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %v = cube.load %x[%zero] : !cube.array<f32, 4> -> vector<4xf32>
  // EXTRACT: lane_index.mlir:[[#@LINE+1]]:{{[0-9]+}}: error[CUBE0146]: 'cube.extract' has the lane index 4, but vector<4xf32> has the lanes 0 to 3; use the index of an existing lane
  %l = cube.extract %v[%four] : vector<4xf32> -> f32
  cube.store %l, %out[%zero] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @insert(%x: !cube.array<f32, 2>, %out: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %v = cube.load %x[%zero] : !cube.array<f32, 2> -> vector<2xf32>
  %l = cube.load %out[%zero] : !cube.array<f32> -> f32
  // INSERT: lane_index.mlir:[[#@LINE+1]]:{{[0-9]+}}: error[CUBE0146]: 'cube.insert' has the lane index 7, but vector<2xf32> has the lanes 0 to 1;
  %w = cube.insert %l, %v[%seven] : f32, vector<2xf32>
  cube.store %w, %x[%zero] : vector<2xf32>, !cube.array<f32, 2>
  cube.return
}

cube.kernel @high(%x: !cube.array<f32, 4>, %out: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %minus = arith.constant -1 : i32
  %v = cube.load %x[%zero] : !cube.array<f32, 4> -> vector<4xf32>
  // HIGH: lane_index.mlir:[[#@LINE+1]]:{{[0-9]+}}: error[CUBE0146]: 'cube.extract' has the lane index 4294967295, but vector<4xf32> has
  %l = cube.extract %v[%minus] : vector<4xf32> -> f32
  cube.store %l, %out[%zero] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @of_vector(%x: !cube.array<f32, 4>, %out: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : index
  %v = cube.load %x[%zero] : !cube.array<f32, 4> -> vector<4xf32>
  // VECTOR: lane_index.mlir:[[#@LINE+1]]:{{[0-9]+}}: error[CUBE0146]: 'vector.extract' has the lane index 4, but vector<4xf32> has
  %l = vector.extract %v[%four] : f32 from vector<4xf32>
  cube.store %l, %out[%zero] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @below(%x: !cube.array<f32, 4>, %out: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %v = cube.load %x[%zero] : !cube.array<f32, 4> -> vector<4xf32>
  %l = cube.load %out[%zero] : !cube.array<f32> -> f32
  // BELOW: lane_index.mlir:[[#@LINE+1]]:{{[0-9]+}}: error[CUBE0146]: 'vector.insert' has the lane index -1, but vector<4xf32> has
  %w = vector.insert %l, %v[-1] : f32 into vector<4xf32>
  cube.store %w, %x[%zero] : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}
