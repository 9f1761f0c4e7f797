// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl:core},cube.kernel(check-barrier-uniformity))' | FileCheck %s --check-prefixes=ALL,WORDS
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx},cube.kernel(check-barrier-uniformity))' | FileCheck %s --check-prefixes=ALL,WIDE

// An index is compared in the integer that the chip computes addresses in: WGSL has no i64.
// ALL-LABEL: cube.kernel @cases
// WORDS-NOT: i64
// WORDS: arith.index_castui %{{.*}} : index to i32
// WIDE: arith.index_castui %{{.*}} : index to i64
cube.kernel @cases(%x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %case = arith.index_castui %v : i32 to index
  scf.index_switch %case
  case 0 {
    cube.sync cube
    scf.yield
  }
  default {
    cube.sync cube
    scf.yield
  }
  cube.return
}
