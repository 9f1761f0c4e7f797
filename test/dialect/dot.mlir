// RUN: cube-opt %s | cube-opt | FileCheck %s
// RUN: cube-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: cube.kernel @uses_dot
// CHECK:         cube.dot %{{.*}}, %{{.*}} : i32
// CHECK:         cube.dot %{{.*}}, %{{.*}} : vector<2xi32>
cube.kernel @uses_dot(%x: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %d = cube.dot %v, %i : i32
  %line = vector.from_elements %v, %d : vector<2xi32>
  %both = cube.dot %line, %line : vector<2xi32>
  %r = vector.extract %both[1] : i32 from vector<2xi32>
  cube.store %r, %out[%i] : i32, !cube.array<i32>
  cube.return
}

// The bytes of 0x80ff0201 are 1, 2, -1 and -128. The sum of their squares is 16390.
// FOLD-LABEL: cube.kernel @folds
// FOLD:         %[[C:.*]] = arith.constant 16390 : i32
// FOLD:         cube.store %[[C]]
cube.kernel @folds(%x: i32, %out: !cube.array<i32>) cube_dim(1) {
  %c = arith.constant -2130771455 : i32
  %r = cube.dot %c, %c : i32
  cube.store %r, %out[%x] : i32, !cube.array<i32>
  cube.return
}
