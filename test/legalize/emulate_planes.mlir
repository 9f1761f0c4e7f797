// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl:core-shared-planes},cube.kernel(emulate-planes,canonicalize,cse))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl:core-subgroups},cube.kernel(emulate-planes))' | FileCheck %s --check-prefix=NATIVE
// RUN: cubec %s --target wgsl:core-shared-planes --kernel sum -o - | FileCheck %s --check-prefix=WGSL
// RUN: not cubec %s --target wgsl:core-shared-planes --kernel divergent -o %t 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not cubec %s --target wgsl:core-shared-planes --kernel elected -o %t 2>&1 | FileCheck %s --check-prefix=ELECTED

// A reduction of eight lanes has three steps, each after a barrier. Of 20 units, only the last plane is partial.
// CHECK-LABEL: @sum
// CHECK-NOT: cube.plane_reduce
// CHECK: %[[TILE:.*]] = cube.alloc : !cube.shared<20 x f32>
// CHECK: %[[LANE:.*]] = arith.andi %[[UNIT:.*]], %c7
// CHECK: %[[FIRST:.*]] = arith.subi %[[UNIT]], %[[LANE]]
// CHECK: %[[REST:.*]] = arith.subi %c20{{.*}}, %[[FIRST]]
// CHECK: %[[COUNT:.*]] = arith.minui %[[REST]], %c8
// CHECK: cube.store %{{.*}}, %[[TILE]][%[[UNIT]]]
// CHECK: cube.sync cube
// CHECK: %[[FOUR:.*]] = arith.addi %[[LANE]], %c4
// CHECK: %[[LOW:.*]] = arith.cmpi ult, %[[LANE]], %c4
// CHECK: %[[THERE:.*]] = arith.cmpi ult, %[[FOUR]], %[[COUNT]]
// CHECK: %[[TAKES:.*]] = arith.andi %[[LOW]], %[[THERE]]
// CHECK: scf.if %[[TAKES]]
// CHECK: arith.addf
// CHECK: cube.store
// CHECK: cube.sync cube
// CHECK: scf.if
// CHECK: cube.sync cube
// CHECK: scf.if
// CHECK: cube.sync cube
// CHECK: cube.load %[[TILE]][%[[FIRST]]]
// CHECK: cube.sync cube
// CHECK-NOT: cube.sync
// CHECK: cube.return
// NATIVE-LABEL: @sum
// NATIVE: cube.plane_reduce addf
// WGSL-NOT: subgroup
// WGSL: var<workgroup> shared_1: array<f32, 20>;
// WGSL: workgroupBarrier();
cube.kernel @sum(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(20) attributes {cube.plane_dim = 8 : i32} {
  %i = cube.topology unit_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %s = cube.plane_reduce addf %v : f32
  cube.store %s, %y[%i] : f32, !cube.array<f32>
  cube.return
}

// There is one shared allocation for each element type, and a bool is stored as a word. Full planes need no lane count.
// CHECK-LABEL: @moves
// CHECK-COUNT-2: cube.alloc
// CHECK-NOT: cube.alloc
// CHECK-NOT: arith.minui
// CHECK: %[[WORD:.*]] = arith.extui %{{.*}} : i1 to i32
// CHECK: cube.store %[[WORD]]
// CHECK: cube.sync cube
// CHECK: cube.load
// CHECK: cube.sync cube
// CHECK: arith.cmpi ne
// CHECK: cube.store %{{.*}} : vector<2xf32>, !cube.shared<64 x f32, 2>
// CHECK-NOT: cube.plane
// CHECK-NOT: unit_pos_plane
// CHECK: cube.return
cube.kernel @moves(%x: !cube.array<f32, 2>, %y: !cube.array<f32, 2>, %by: i32) cube_dim(64) {
  %i = cube.topology unit_pos
  %lane = cube.topology unit_pos_plane
  %v = cube.load %x[%i] : !cube.array<f32, 2> -> vector<2xf32>
  %odd = arith.cmpi ult, %lane, %by : i32
  %o = cube.plane_shuffle xor %odd, %by : i1
  %m = cube.plane_shuffle up %v, %by : vector<2xf32>
  %r = arith.select %o, %m, %v : vector<2xf32>
  cube.store %r, %y[%i] : vector<2xf32>, !cube.array<f32, 2>
  cube.return
}

// A plane barrier becomes a cube barrier.
// CHECK-LABEL: @barrier
// CHECK: cube.sync cube
// CHECK: cube.return
cube.kernel @barrier() cube_dim(64) {
  cube.sync plane
  cube.return
}

// REFUSED: error[CUBE0410]
// REFUSED-SAME: uniform control flow
cube.kernel @divergent(%x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology unit_pos
  %four = arith.constant 4 : i32
  %few = arith.cmpi ult, %i, %four : i32
  scf.if %few {
    %s = cube.plane_reduce addi %i : i32
    cube.store %s, %x[%i] : i32, !cube.array<i32>
  }
  cube.return
}

// Unit 0 is not active in the branch, so lane 0 cannot be the elected lane.
// ELECTED: error[CUBE0410]
// ELECTED-SAME: uniform control flow
cube.kernel @elected(%x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology unit_pos
  %four = arith.constant 4 : i32
  %many = arith.cmpi uge, %i, %four : i32
  scf.if %many {
    %e = cube.plane_elect
    scf.if %e {
      cube.store %i, %x[%i] : i32, !cube.array<i32>
    }
  }
  cube.return
}
