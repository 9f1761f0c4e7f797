// Atomics on shared and local memory, which are ordinary accesses on the CPU: no update is lost if lanes of a vector
// have equal addresses, if units are under a branch, or if the last plane is partial. The floats are integers, so the
// order of the sums has no effect.
// SKIP: wgpu it has no atomic accesses of f16 in shared memory
// SKIP: wgpu-spirv it has no atomic accesses of f16 in shared memory
// RUN-ARGS: --arg x=%S/data/own_atomics.x.npy --arg sums=zeros:9 --arg halves=zeros:3 --arg tickets=zeros:120 --arg own=zeros:120 --arg won=zeros:3 --cube-count 3 \
// RUN-ARGS:   --check sums=%S/data/own_atomics.sums.npy --check halves=%S/data/own_atomics.halves.npy --check tickets=%S/data/own_atomics.tickets.npy \
// RUN-ARGS:   --check own=%S/data/own_atomics.own.npy --check won=%S/data/own_atomics.won.npy
cube.kernel @own_atomics(%x: !cube.array<i32> {cube.host = "u32"}, %sums: !cube.array<f32>, %halves: !cube.array<f16>,
                         %tickets: !cube.array<i32> {cube.host = "u32"}, %own: !cube.array<i32> {cube.host = "u32"},
                         %won: !cube.array<i32> {cube.host = "u32"}) cube_dim(40) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %forty = arith.constant 40 : i32
  %fzero = arith.constant 0.0 : f32
  %hzero = arith.constant 0.0 : f16
  %hone = arith.constant 1.0 : f16
  %part = cube.alloc : !cube.shared<3 x f32>
  %small = cube.alloc : !cube.shared<1 x f16>
  %counters = cube.alloc : !cube.shared<3 x i32>
  %given = cube.alloc : !cube.shared<40 x i32>
  %cells = cube.alloc : !cube.local<2 x i32>
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %cube = cube.topology cube_pos
  %few = arith.cmpi ult, %u, %three : i32
  scf.if %few {
    cube.atomic_store %fzero, %part[%u] : f32, !cube.shared<3 x f32>
    cube.atomic_store %zero, %counters[%u] : i32, !cube.shared<3 x i32>
    cube.atomic_store %hzero, %small[%zero] : f16, !cube.shared<1 x f16>
  }
  cube.store %zero, %given[%u] : i32, !cube.shared<40 x i32>
  cube.sync cube

  // Three float sums, and sums of halves from every third unit.
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %bin = cube.remui %v, %three : i32
  %f = arith.uitofp %v : i32 to f32
  %s = cube.atomic_rmw addf %f, %part[%bin] : f32, !cube.shared<3 x f32>
  %odd = cube.remui %i, %three : i32
  %rare = arith.cmpi eq, %odd, %one : i32
  scf.if %rare {
    %h = cube.atomic_rmw addf %hone, %small[%zero] : f16, !cube.shared<1 x f16>
  }
  // Each unit receives a unique ticket.
  %ticket = cube.atomic_rmw addi %one, %counters[%zero] : i32, !cube.shared<3 x i32>
  %once = cube.atomic_rmw addi %one, %given[%ticket] : i32, !cube.shared<40 x i32>
  // One compare and swap succeeds. The maximum is computed by an atomic whose result is unused.
  %who = arith.addi %u, %one : i32
  %before = cube.atomic_cas %zero, %who, %counters[%one] : i32, !cube.shared<3 x i32>
  %first = arith.cmpi eq, %before, %zero : i32
  scf.if %first {
    %w = cube.atomic_rmw addi %one, %won[%cube] : i32, !cube.array<i32>
  }
  %most = cube.atomic_rmw maxui %v, %counters[%two] : i32, !cube.shared<3 x i32>
  // Local memory: 1 + 2 + the unit's value, then an exchange.
  %cell = arith.andi %u, %one : i32
  cube.atomic_store %one, %cells[%cell] : i32, !cube.local<2 x i32>
  %l1 = cube.atomic_rmw addi %two, %cells[%cell] : i32, !cube.local<2 x i32>
  %l2 = cube.atomic_rmw addi %v, %cells[%cell] : i32, !cube.local<2 x i32>
  %l3 = cube.atomic_rmw exchange %zero, %cells[%cell] : i32, !cube.local<2 x i32>
  %l4 = cube.atomic_load %cells[%cell] : !cube.local<2 x i32> -> i32
  %l5 = arith.addi %l3, %l4 : i32
  cube.sync cube

  %once_more = cube.load %given[%u] : !cube.shared<40 x i32> -> i32
  cube.store %once_more, %tickets[%i] : i32, !cube.array<i32>
  %top = cube.atomic_load %counters[%two] : !cube.shared<3 x i32> -> i32
  %all = arith.addi %l5, %top : i32
  cube.store %all, %own[%i] : i32, !cube.array<i32>
  scf.if %few {
    %p = cube.atomic_load %part[%u] : !cube.shared<3 x f32> -> f32
    %row = arith.muli %cube, %three : i32
    %at = arith.addi %row, %u : i32
    cube.store %p, %sums[%at] : f32, !cube.array<f32>
  }
  %one_unit = arith.cmpi eq, %u, %zero : i32
  scf.if %one_unit {
    %q = cube.atomic_load %small[%zero] : !cube.shared<1 x f16> -> f16
    cube.store %q, %halves[%cube] : f16, !cube.array<f16>
  }
  cube.return
}
