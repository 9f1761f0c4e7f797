// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl:core},cube.kernel(check-barrier-uniformity))' | FileCheck %s --check-prefixes=ALL,WORDS
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx},cube.kernel(check-barrier-uniformity))' | FileCheck %s --check-prefixes=ALL,WIDE

// An `index` is compared as the integer type of the chip's addresses; WGSL has no i64. Without plane operations, each
// unit whose condition differs counts itself.
// ALL-LABEL: cube.kernel @cases
// WORDS-NOT: {{i64|cube.plane_}}
// WORDS: arith.index_castui %{{.*}} : index to i32
// WORDS-NOT: cube.plane_
// WORDS: cube.atomic_rmw addi
// WORDS-NOT: cube.plane_
// WIDE: arith.index_castui %{{.*}} : index to i64
// WIDE: cube.plane_reduce addi
// WIDE: cube.plane_elect
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
