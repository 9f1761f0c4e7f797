// RUN: cubec %s --target wgsl:core --kernel atomics -o - | FileCheck %s --check-prefix=ATOMIC
// RUN: cubec %s --target wgsl:core --kernel barriers -o - | FileCheck %s --check-prefix=BARRIER
// RUN: cubec %s --target wgsl:core --kernel bounded -o - | FileCheck %s --check-prefix=BOUND
// RUN: cubec %s --target wgsl:core --kernel halves -o - | FileCheck %s --check-prefix=HALVES
// RUN: cubec %s --target wgsl:core --kernel chosen -o - | FileCheck %s --check-prefix=CHOSEN
// RUN: cubec %s --target wgsl:core-subgroups --kernel planes -o - | FileCheck %s --check-prefix=PLANE
// RUN: cubec %s --target wgsl:core --kernel positions -o - | FileCheck %s --check-prefix=ALONE

// An array is atomic as a whole; its elements are signed if its minima are. A minimum of the other sign is a
// compare-exchange loop. So is a compare and swap, because WGSL's compare-exchange can fail spuriously.
// ATOMIC: var<storage, read_write> x: array<atomic<u32>>;
// ATOMIC: var<storage, read_write> y: array<atomic<i32>>;
// ATOMIC: atomicAdd(&x[0u], arguments.v)
// ATOMIC: atomicMax(&x[0u], arguments.v)
// ATOMIC: var [[OLD:r[0-9]+]] = atomicLoad(&x[0u]);
// ATOMIC-NEXT: loop {
// ATOMIC-NEXT: let [[SEEN:t[0-9]+]] = atomicCompareExchangeWeak(&x[0u], [[OLD]], bitcast<u32>(min(bitcast<i32>([[OLD]]), bitcast<i32>(arguments.v))));
// ATOMIC-NEXT: if ([[SEEN]].exchanged) { break; }
// ATOMIC-NEXT: [[OLD]] = [[SEEN]].old_value;
// ATOMIC: bitcast<u32>(atomicMin(&y[0u], bitcast<i32>(arguments.v)))
// ATOMIC: bitcast<u32>(atomicLoad(&y[1u]))
// ATOMIC: if ([[T:t[0-9]+]].exchanged | ({{r[0-9]+}} != {{.*}})) { break; }
// ATOMIC: atomicStore(&y[1u], bitcast<i32>(
cube.kernel @atomics(%x: !cube.array<i32>, %y: !cube.array<i32>, %v: i32) cube_dim(1) unchecked {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %a = cube.atomic_rmw addi %v, %x[%i0] : i32, !cube.array<i32>
  %b = cube.atomic_rmw maxui %v, %x[%i0] : i32, !cube.array<i32>
  %c = cube.atomic_rmw minsi %v, %x[%i0] : i32, !cube.array<i32>
  %d = cube.atomic_rmw minsi %v, %y[%i0] : i32, !cube.array<i32>
  %e = cube.load %y[%i1] : !cube.array<i32> -> i32
  %f = cube.atomic_cas %e, %v, %y[%i1] : i32, !cube.array<i32>
  %s0 = arith.addi %a, %b : i32
  %s1 = arith.addi %c, %d : i32
  %s2 = arith.addi %s0, %s1 : i32
  %s3 = arith.addi %s2, %f : i32
  cube.atomic_store %s3, %y[%i1] : i32, !cube.array<i32>
  cube.return
}

// WGSL's uniformity analysis accepts scalars of the launch. Only Cube's analysis proves a shared memory load uniform.
// BARRIER: var<workgroup> uniform_word: u32;
// BARRIER: let [[A:v[0-9]+]] = arguments.n < 8u;
// BARRIER: if ([[A]]) {
// BARRIER-NOT: workgroupUniformLoad
// BARRIER-NOT: storageBarrier
// BARRIER: workgroupBarrier();
// BARRIER: let [[B:v[0-9]+]] = {{.*}} == 0u;
// BARRIER: if (unit_index == 0u) {
// BARRIER-NEXT: uniform_word = select(0u, 1u, [[B]]);
// BARRIER-NEXT: }
// BARRIER-NEXT: let [[W:v[0-9]+]] = workgroupUniformLoad(&uniform_word);
// BARRIER-NEXT: if (([[W]] != 0u)) {
// BARRIER: workgroupBarrier();
cube.kernel @barriers(%n: i32, %out: !cube.array<i32>) cube_dim(32) {
  %i0 = arith.constant 0 : i32
  %i8 = arith.constant 8 : i32
  %u = cube.topology unit_pos
  %tile = cube.alloc : !cube.shared<32 x i32>
  cube.store %u, %tile[%u] : i32, !cube.shared<32 x i32>
  %few = arith.cmpi ult, %n, %i8 : i32
  scf.if %few {
    cube.sync cube
    cube.store %n, %tile[%u] : i32, !cube.shared<32 x i32>
  }
  cube.sync cube
  %first = cube.load %tile[%i0] : !cube.shared<32 x i32> -> i32
  %zero = arith.cmpi eq, %first, %i0 : i32
  scf.if %zero {
    cube.sync cube
    cube.store %n, %tile[%u] : i32, !cube.shared<32 x i32>
  }
  cube.sync storage
  %r = cube.load %tile[%u] : !cube.shared<32 x i32> -> i32
  cube.store %r, %out[%u] : i32, !cube.array<i32>
  cube.return
}

// The bounds of a loop are uniform by `workgroupUniformLoad` too.
// BOUND: uniform_word = [[N:v[0-9]+]];
// BOUND: let [[W:v[0-9]+]] = workgroupUniformLoad(&uniform_word);
// BOUND: for (; {{.*}} < {{.*}}[[W]]{{.*}}; {{.*}}) {
// BOUND: {{^ *}}workgroupBarrier(); storageBarrier();
cube.kernel @bounded(%in: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(32) unchecked {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %u = cube.topology unit_pos
  %tile = cube.alloc : !cube.shared<32 x i32>
  %n = cube.load %out[%i0] : !cube.array<i32> -> i32
  cube.sync cube
  scf.for %i = %i0 to %n step %i1 : i32 {
    %v = cube.load %in[%i] : !cube.array<i32> -> i32
    %s = arith.addi %v, %u : i32
    cube.store %s, %tile[%u] : i32, !cube.shared<32 x i32>
    cube.sync cube
    %w = cube.load %tile[%i] : !cube.shared<32 x i32> -> i32
    cube.store %w, %out[%u] : i32, !cube.array<i32>
    cube.sync cube
  }
  cube.return
}

// WGSL's uniformity analysis follows the variables of a function.
// HALVES-NOT: uniform_word
// HALVES: workgroupBarrier();
cube.kernel @halves(%n: i32, %out: !cube.array<i32>) cube_dim(32) unchecked {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %u = cube.topology unit_pos
  %tile = cube.alloc : !cube.shared<64 x i32>
  cube.store %u, %tile[%u] : i32, !cube.shared<64 x i32>
  %some = arith.cmpi ugt, %n, %i1 : i32
  %first = scf.if %some -> (i32) {
    %half = arith.shrui %n, %i1 : i32
    scf.yield %half : i32
  } else {
    scf.yield %n : i32
  }
  %last = scf.while (%half = %first) : (i32) -> i32 {
    %more = arith.cmpi ne, %half, %i0 : i32
    scf.condition(%more) %half : i32
  } do {
  ^bb0(%half: i32):
    cube.sync cube
    %other = arith.addi %u, %half : i32
    %v = cube.load %tile[%other] : !cube.shared<64 x i32> -> i32
    cube.sync cube
    cube.store %v, %tile[%u] : i32, !cube.shared<64 x i32>
    %next = arith.shrui %half, %i1 : i32
    scf.yield %next : i32
  }
  cube.store %last, %out[%u] : i32, !cube.array<i32>
  cube.return
}

// A variable is not uniform for WGSL if one of its values is not: here an element of a buffer that the kernel writes.
// CHOSEN: loop {
// CHOSEN: let [[MORE:v[0-9]+]] = {{.*}} != 0u;
// CHOSEN: uniform_word = select(0u, 1u, [[MORE]]);
// CHOSEN: workgroupUniformLoad(&uniform_word)
// CHOSEN: {{^ *}}storageBarrier();
cube.kernel @chosen(%out: !cube.array<i32>) cube_dim(32) unchecked {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %u = cube.topology unit_pos
  %first = cube.load %out[%i0] : !cube.array<i32> -> i32
  cube.sync cube
  %last = scf.while (%half = %first) : (i32) -> i32 {
    %more = arith.cmpi ne, %half, %i0 : i32
    scf.condition(%more) %half : i32
  } do {
  ^bb0(%half: i32):
    cube.sync cube
    %next = arith.shrui %half, %i1 : i32
    scf.yield %next : i32
  }
  cube.store %last, %out[%u] : i32, !cube.array<i32>
  cube.return
}

// A kernel with plane operations has its units along x. Float sums use the interpreter's order, integer sums WGSL's.
// PLANE: enable subgroups;
// PLANE: fn plane_count() -> u32 {
// PLANE: fn plane_addf_f32(value: f32, lane: u32) -> f32 {
// PLANE: for (var half = 64u; half != 0u; half = half / 2u) {
// PLANE: let other = subgroupShuffle(all, min(lane + half, 127u));
// PLANE-NEXT: if ((lane < half) & (lane + half < count)) {
// PLANE-NEXT: all = all + other;
// PLANE: fn plane_addi_u32(value: u32, lane: u32) -> u32 {
// PLANE-NEXT: return subgroupAdd(value);
// PLANE: @workgroup_size(64, 1, 1)
// PLANE-NEXT: fn planes(
// PLANE: @builtin(subgroup_size) plane_dim: u32,
// PLANE: @builtin(local_invocation_index) unit_index: u32,
// PLANE: @builtin(subgroup_invocation_id) unit_pos_plane: u32,
// PLANE: plane_addf_f32({{[rv][0-9]+}}, unit_pos_plane)
// PLANE: plane_addi_u32({{[rv][0-9]+}}, unit_pos_plane)
// PLANE: plane_exclusive_minui_u32({{[rv][0-9]+}}, unit_pos_plane)
// PLANE: plane_lane_u32({{[rv][0-9]+}}, select(128u, unit_pos_plane + [[BY:[a-z.]+]], [[BY]] < 128u))
// PLANE: subgroupAny({{v[0-9]+}})
// PLANE: subgroupBallot({{v[0-9]+}})
// PLANE: unit_pos_plane == 0u
cube.kernel @planes(%x: !cube.array<f32>, %y: !cube.array<i32>, %by: i32) cube_dim(16, 4) {
  %i0 = arith.constant 0 : i32
  %row = cube.topology unit_pos_y
  %i = cube.topology unit_pos
  %w = cube.topology plane_dim
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %a = cube.plane_reduce addf %v : f32
  %b = cube.load %y[%i] : !cube.array<i32> -> i32
  %c = cube.plane_reduce addi %b : i32
  %d = cube.plane_scan exclusive minui %b : i32
  %e = cube.plane_shuffle down %b, %by : i32
  %p = arith.cmpi slt, %b, %i0 : i32
  %f = cube.plane_vote any %p
  %g = cube.plane_ballot %p : vector<4xi32>
  %h = vector.extract %g[1] : i32 from vector<4xi32>
  %j = cube.plane_elect
  %s0 = arith.addi %c, %d : i32
  %s1 = arith.addi %e, %h : i32
  %s2 = arith.addi %s0, %s1 : i32
  %s3 = arith.addi %row, %w : i32
  %s4 = arith.addi %s2, %s3 : i32
  %s5 = arith.select %f, %s4, %i0 : i32
  %s6 = arith.select %j, %s5, %s0 : i32
  cube.store %a, %x[%i] : f32, !cube.array<f32>
  cube.store %s6, %y[%i] : i32, !cube.array<i32>
  cube.return
}

// On a chip without subgroups, a plane has one unit.
// ALONE-NOT: subgroup
// ALONE: 1u
// ALONE-NOT: subgroup
cube.kernel @positions(%y: !cube.array<i32>) cube_dim(32) unchecked {
  %i = cube.topology unit_pos
  %w = cube.topology plane_dim
  %p = cube.topology plane_pos
  %s = arith.addi %w, %p : i32
  cube.store %s, %y[%i] : i32, !cube.array<i32>
  cube.return
}

// If a kernel sets the plane width, the width is a constant; the launch rejects a device with another width.
// RUN: cubec %s --target wgsl:core-subgroups --kernel fixed -o - | FileCheck %s --check-prefix=FIXED
// RUN: cubec %s --target spirv:vulkan1.3-full --kernel fixed --emit asm -o - | FileCheck %s --check-prefix=WIDTH
// FIXED: // Subgroups have 16 units: the launch refuses other devices.
// FIXED-NOT: subgroup_size
// FIXED: unit_index / 16u
// WIDTH-NOT: SubgroupSize
// WIDTH: [[N:%[0-9]+]] = OpConstant {{%[0-9]+}} 16
// WIDTH: OpUDiv {{%[0-9]+}} {{%[0-9]+}} [[N]]
cube.kernel @fixed(%x: !cube.array<i32>) cube_dim(32) attributes {cube.plane_dim = 16 : i32} {
  %i = cube.topology unit_pos
  %p = cube.topology plane_pos
  cube.store %p, %x[%i] : i32, !cube.array<i32>
  cube.return
}
