// Divergent control flow in cubes with partial planes: stores in both arms of nested branches, loops that lanes leave
// at different iterations or never enter, and a private array with a varying index. A Python model computed the
// expected values for each unit; a wrong mask or an additional iteration changes them. The barrier makes the compiler
// vectorise each plane, so branches and loops become masks; fuzz/tests/kernels/divergence.rs breaks these masks.
// SKIP: wgpu it has no barriers of planes
// RUN-ARGS: --kernel k1 --arg x=%S/data/divergence.k1.x.npy --arg r=zeros:5 --cube-count 1 --check r=%S/data/divergence.k1.r.npy
// RUN-ARGS: --kernel k3 --arg x=%S/data/divergence.k3.x.npy --arg r=zeros:15 --cube-count 1 --check r=%S/data/divergence.k3.r.npy
// RUN-ARGS: --kernel k31 --arg x=%S/data/divergence.k31.x.npy --arg r=zeros:155 --cube-count 1 --check r=%S/data/divergence.k31.r.npy
// RUN-ARGS: --kernel k33 --arg x=%S/data/divergence.k33.x.npy --arg r=zeros:165 --cube-count 1 --check r=%S/data/divergence.k33.r.npy
// RUN-ARGS: --kernel k65 --arg x=%S/data/divergence.k65.x.npy --arg r=zeros:325 --cube-count 1 --check r=%S/data/divergence.k65.r.npy
cube.kernel @k1(%x: !cube.array<i32>, %r: !cube.array<i32>) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  %hundred = arith.constant 100 : i32
  %true = arith.constant true
  %u = cube.topology unit_pos
  %v = cube.load %x[%u] : !cube.array<i32> -> i32
  cube.sync plane
  %at = arith.muli %u, %five : i32
  %at1 = arith.addi %at, %one : i32
  %at2 = arith.addi %at, %two : i32
  %at3 = arith.addi %at, %three : i32
  %at4 = arith.addi %at, %four : i32
  %bit0 = arith.andi %v, %one : i32
  %bit1 = arith.andi %v, %two : i32
  %odd = arith.cmpi ne, %bit0, %zero : i32
  %second = arith.cmpi ne, %bit1, %zero : i32
  // Four paths through two branches, each with a separate store.
  scf.if %odd {
    scf.if %second {
      cube.store %v, %r[%at] : i32, !cube.array<i32>
    } else {
      %n = arith.subi %zero, %v : i32
      cube.store %n, %r[%at] : i32, !cube.array<i32>
    }
  } else {
    scf.if %second {
      %n = arith.addi %v, %hundred : i32
      cube.store %n, %r[%at] : i32, !cube.array<i32>
    }
  }
  // Each lane executes v mod 7 iterations; some lanes execute none.
  %trips = cube.remui %v, %seven : i32
  %sum = scf.for unsigned %i = %zero to %trips step %one iter_args(%s = %u) -> (i32) : i32 {
    %t = arith.muli %s, %three : i32
    %next = arith.addi %t, %i : i32
    scf.yield %next : i32
  }
  cube.store %sum, %r[%at1] : i32, !cube.array<i32>
  // Lanes with v = 0 or 1 never execute the loop body; each lane keeps its count when it leaves the loop.
  %steps:2 = scf.while (%n = %v, %count = %zero) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi ugt, %n, %one : i32
    scf.condition(%go) %n, %count : i32, i32
  } do {
  ^bb0(%n: i32, %count: i32):
    %h = cube.shrui %n, %one : i32
    %more = arith.addi %count, %one : i32
    scf.yield %h, %more : i32, i32
  }
  %ten = arith.muli %steps#1, %hundred : i32
  %both = arith.addi %ten, %steps#0 : i32
  cube.store %both, %r[%at2] : i32, !cube.array<i32>
  // A flag ends the loop early, like a break, if i * i exceeds v; each iteration counts the active lanes.
  %end:3 = scf.while (%i = %zero, %on = %true, %seen = %zero) : (i32, i1, i32) -> (i32, i1, i32) {
    %low = arith.cmpi ult, %i, %seven : i32
    %go = arith.andi %low, %on : i1
    scf.condition(%go) %i, %on, %seen : i32, i1, i32
  } do {
  ^bb0(%i: i32, %on: i1, %seen: i32):
    %sq = arith.muli %i, %i : i32
    %stay = arith.cmpi ule, %sq, %v : i32
    %next = arith.addi %i, %one : i32
    %seen2 = scf.if %stay -> (i32) {
      %weight = arith.addi %seen, %sq : i32
      scf.yield %weight : i32
    } else {
      %less = arith.subi %seen, %one : i32
      scf.yield %less : i32
    }
    scf.yield %next, %stay, %seen2 : i32, i1, i32
  }
  %far = arith.muli %end#0, %hundred : i32
  %last = arith.addi %far, %end#2 : i32
  cube.store %last, %r[%at3] : i32, !cube.array<i32>
  // A private array: each lane writes and reads at its own index; odd lanes write once more.
  %l = cube.alloc : !cube.local<8 x i32>
  scf.for unsigned %i = %zero to %seven step %one : i32 {
    %w = arith.addi %i, %v : i32
    cube.store %w, %l[%i] : i32, !cube.local<8 x i32>
  }
  %mine = cube.remui %v, %seven : i32
  scf.if %odd {
    cube.store %hundred, %l[%mine] : i32, !cube.local<8 x i32>
  }
  %near = cube.remui %u, %seven : i32
  %kept = cube.load %l[%near] : !cube.local<8 x i32> -> i32
  cube.store %kept, %r[%at4] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @k3(%x: !cube.array<i32>, %r: !cube.array<i32>) cube_dim(3) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  %hundred = arith.constant 100 : i32
  %true = arith.constant true
  %u = cube.topology unit_pos
  %v = cube.load %x[%u] : !cube.array<i32> -> i32
  cube.sync plane
  %at = arith.muli %u, %five : i32
  %at1 = arith.addi %at, %one : i32
  %at2 = arith.addi %at, %two : i32
  %at3 = arith.addi %at, %three : i32
  %at4 = arith.addi %at, %four : i32
  %bit0 = arith.andi %v, %one : i32
  %bit1 = arith.andi %v, %two : i32
  %odd = arith.cmpi ne, %bit0, %zero : i32
  %second = arith.cmpi ne, %bit1, %zero : i32
  // Four paths through two branches, each with a separate store.
  scf.if %odd {
    scf.if %second {
      cube.store %v, %r[%at] : i32, !cube.array<i32>
    } else {
      %n = arith.subi %zero, %v : i32
      cube.store %n, %r[%at] : i32, !cube.array<i32>
    }
  } else {
    scf.if %second {
      %n = arith.addi %v, %hundred : i32
      cube.store %n, %r[%at] : i32, !cube.array<i32>
    }
  }
  // Each lane executes v mod 7 iterations; some lanes execute none.
  %trips = cube.remui %v, %seven : i32
  %sum = scf.for unsigned %i = %zero to %trips step %one iter_args(%s = %u) -> (i32) : i32 {
    %t = arith.muli %s, %three : i32
    %next = arith.addi %t, %i : i32
    scf.yield %next : i32
  }
  cube.store %sum, %r[%at1] : i32, !cube.array<i32>
  // Lanes with v = 0 or 1 never execute the loop body; each lane keeps its count when it leaves the loop.
  %steps:2 = scf.while (%n = %v, %count = %zero) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi ugt, %n, %one : i32
    scf.condition(%go) %n, %count : i32, i32
  } do {
  ^bb0(%n: i32, %count: i32):
    %h = cube.shrui %n, %one : i32
    %more = arith.addi %count, %one : i32
    scf.yield %h, %more : i32, i32
  }
  %ten = arith.muli %steps#1, %hundred : i32
  %both = arith.addi %ten, %steps#0 : i32
  cube.store %both, %r[%at2] : i32, !cube.array<i32>
  // A flag ends the loop early, like a break, if i * i exceeds v; each iteration counts the active lanes.
  %end:3 = scf.while (%i = %zero, %on = %true, %seen = %zero) : (i32, i1, i32) -> (i32, i1, i32) {
    %low = arith.cmpi ult, %i, %seven : i32
    %go = arith.andi %low, %on : i1
    scf.condition(%go) %i, %on, %seen : i32, i1, i32
  } do {
  ^bb0(%i: i32, %on: i1, %seen: i32):
    %sq = arith.muli %i, %i : i32
    %stay = arith.cmpi ule, %sq, %v : i32
    %next = arith.addi %i, %one : i32
    %seen2 = scf.if %stay -> (i32) {
      %weight = arith.addi %seen, %sq : i32
      scf.yield %weight : i32
    } else {
      %less = arith.subi %seen, %one : i32
      scf.yield %less : i32
    }
    scf.yield %next, %stay, %seen2 : i32, i1, i32
  }
  %far = arith.muli %end#0, %hundred : i32
  %last = arith.addi %far, %end#2 : i32
  cube.store %last, %r[%at3] : i32, !cube.array<i32>
  // A private array: each lane writes and reads at its own index; odd lanes write once more.
  %l = cube.alloc : !cube.local<8 x i32>
  scf.for unsigned %i = %zero to %seven step %one : i32 {
    %w = arith.addi %i, %v : i32
    cube.store %w, %l[%i] : i32, !cube.local<8 x i32>
  }
  %mine = cube.remui %v, %seven : i32
  scf.if %odd {
    cube.store %hundred, %l[%mine] : i32, !cube.local<8 x i32>
  }
  %near = cube.remui %u, %seven : i32
  %kept = cube.load %l[%near] : !cube.local<8 x i32> -> i32
  cube.store %kept, %r[%at4] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @k31(%x: !cube.array<i32>, %r: !cube.array<i32>) cube_dim(31) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  %hundred = arith.constant 100 : i32
  %true = arith.constant true
  %u = cube.topology unit_pos
  %v = cube.load %x[%u] : !cube.array<i32> -> i32
  cube.sync plane
  %at = arith.muli %u, %five : i32
  %at1 = arith.addi %at, %one : i32
  %at2 = arith.addi %at, %two : i32
  %at3 = arith.addi %at, %three : i32
  %at4 = arith.addi %at, %four : i32
  %bit0 = arith.andi %v, %one : i32
  %bit1 = arith.andi %v, %two : i32
  %odd = arith.cmpi ne, %bit0, %zero : i32
  %second = arith.cmpi ne, %bit1, %zero : i32
  // Four paths through two branches, each with a separate store.
  scf.if %odd {
    scf.if %second {
      cube.store %v, %r[%at] : i32, !cube.array<i32>
    } else {
      %n = arith.subi %zero, %v : i32
      cube.store %n, %r[%at] : i32, !cube.array<i32>
    }
  } else {
    scf.if %second {
      %n = arith.addi %v, %hundred : i32
      cube.store %n, %r[%at] : i32, !cube.array<i32>
    }
  }
  // Each lane executes v mod 7 iterations; some lanes execute none.
  %trips = cube.remui %v, %seven : i32
  %sum = scf.for unsigned %i = %zero to %trips step %one iter_args(%s = %u) -> (i32) : i32 {
    %t = arith.muli %s, %three : i32
    %next = arith.addi %t, %i : i32
    scf.yield %next : i32
  }
  cube.store %sum, %r[%at1] : i32, !cube.array<i32>
  // Lanes with v = 0 or 1 never execute the loop body; each lane keeps its count when it leaves the loop.
  %steps:2 = scf.while (%n = %v, %count = %zero) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi ugt, %n, %one : i32
    scf.condition(%go) %n, %count : i32, i32
  } do {
  ^bb0(%n: i32, %count: i32):
    %h = cube.shrui %n, %one : i32
    %more = arith.addi %count, %one : i32
    scf.yield %h, %more : i32, i32
  }
  %ten = arith.muli %steps#1, %hundred : i32
  %both = arith.addi %ten, %steps#0 : i32
  cube.store %both, %r[%at2] : i32, !cube.array<i32>
  // A flag ends the loop early, like a break, if i * i exceeds v; each iteration counts the active lanes.
  %end:3 = scf.while (%i = %zero, %on = %true, %seen = %zero) : (i32, i1, i32) -> (i32, i1, i32) {
    %low = arith.cmpi ult, %i, %seven : i32
    %go = arith.andi %low, %on : i1
    scf.condition(%go) %i, %on, %seen : i32, i1, i32
  } do {
  ^bb0(%i: i32, %on: i1, %seen: i32):
    %sq = arith.muli %i, %i : i32
    %stay = arith.cmpi ule, %sq, %v : i32
    %next = arith.addi %i, %one : i32
    %seen2 = scf.if %stay -> (i32) {
      %weight = arith.addi %seen, %sq : i32
      scf.yield %weight : i32
    } else {
      %less = arith.subi %seen, %one : i32
      scf.yield %less : i32
    }
    scf.yield %next, %stay, %seen2 : i32, i1, i32
  }
  %far = arith.muli %end#0, %hundred : i32
  %last = arith.addi %far, %end#2 : i32
  cube.store %last, %r[%at3] : i32, !cube.array<i32>
  // A private array: each lane writes and reads at its own index; odd lanes write once more.
  %l = cube.alloc : !cube.local<8 x i32>
  scf.for unsigned %i = %zero to %seven step %one : i32 {
    %w = arith.addi %i, %v : i32
    cube.store %w, %l[%i] : i32, !cube.local<8 x i32>
  }
  %mine = cube.remui %v, %seven : i32
  scf.if %odd {
    cube.store %hundred, %l[%mine] : i32, !cube.local<8 x i32>
  }
  %near = cube.remui %u, %seven : i32
  %kept = cube.load %l[%near] : !cube.local<8 x i32> -> i32
  cube.store %kept, %r[%at4] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @k33(%x: !cube.array<i32>, %r: !cube.array<i32>) cube_dim(33) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  %hundred = arith.constant 100 : i32
  %true = arith.constant true
  %u = cube.topology unit_pos
  %v = cube.load %x[%u] : !cube.array<i32> -> i32
  cube.sync plane
  %at = arith.muli %u, %five : i32
  %at1 = arith.addi %at, %one : i32
  %at2 = arith.addi %at, %two : i32
  %at3 = arith.addi %at, %three : i32
  %at4 = arith.addi %at, %four : i32
  %bit0 = arith.andi %v, %one : i32
  %bit1 = arith.andi %v, %two : i32
  %odd = arith.cmpi ne, %bit0, %zero : i32
  %second = arith.cmpi ne, %bit1, %zero : i32
  // Four paths through two branches, each with a separate store.
  scf.if %odd {
    scf.if %second {
      cube.store %v, %r[%at] : i32, !cube.array<i32>
    } else {
      %n = arith.subi %zero, %v : i32
      cube.store %n, %r[%at] : i32, !cube.array<i32>
    }
  } else {
    scf.if %second {
      %n = arith.addi %v, %hundred : i32
      cube.store %n, %r[%at] : i32, !cube.array<i32>
    }
  }
  // Each lane executes v mod 7 iterations; some lanes execute none.
  %trips = cube.remui %v, %seven : i32
  %sum = scf.for unsigned %i = %zero to %trips step %one iter_args(%s = %u) -> (i32) : i32 {
    %t = arith.muli %s, %three : i32
    %next = arith.addi %t, %i : i32
    scf.yield %next : i32
  }
  cube.store %sum, %r[%at1] : i32, !cube.array<i32>
  // Lanes with v = 0 or 1 never execute the loop body; each lane keeps its count when it leaves the loop.
  %steps:2 = scf.while (%n = %v, %count = %zero) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi ugt, %n, %one : i32
    scf.condition(%go) %n, %count : i32, i32
  } do {
  ^bb0(%n: i32, %count: i32):
    %h = cube.shrui %n, %one : i32
    %more = arith.addi %count, %one : i32
    scf.yield %h, %more : i32, i32
  }
  %ten = arith.muli %steps#1, %hundred : i32
  %both = arith.addi %ten, %steps#0 : i32
  cube.store %both, %r[%at2] : i32, !cube.array<i32>
  // A flag ends the loop early, like a break, if i * i exceeds v; each iteration counts the active lanes.
  %end:3 = scf.while (%i = %zero, %on = %true, %seen = %zero) : (i32, i1, i32) -> (i32, i1, i32) {
    %low = arith.cmpi ult, %i, %seven : i32
    %go = arith.andi %low, %on : i1
    scf.condition(%go) %i, %on, %seen : i32, i1, i32
  } do {
  ^bb0(%i: i32, %on: i1, %seen: i32):
    %sq = arith.muli %i, %i : i32
    %stay = arith.cmpi ule, %sq, %v : i32
    %next = arith.addi %i, %one : i32
    %seen2 = scf.if %stay -> (i32) {
      %weight = arith.addi %seen, %sq : i32
      scf.yield %weight : i32
    } else {
      %less = arith.subi %seen, %one : i32
      scf.yield %less : i32
    }
    scf.yield %next, %stay, %seen2 : i32, i1, i32
  }
  %far = arith.muli %end#0, %hundred : i32
  %last = arith.addi %far, %end#2 : i32
  cube.store %last, %r[%at3] : i32, !cube.array<i32>
  // A private array: each lane writes and reads at its own index; odd lanes write once more.
  %l = cube.alloc : !cube.local<8 x i32>
  scf.for unsigned %i = %zero to %seven step %one : i32 {
    %w = arith.addi %i, %v : i32
    cube.store %w, %l[%i] : i32, !cube.local<8 x i32>
  }
  %mine = cube.remui %v, %seven : i32
  scf.if %odd {
    cube.store %hundred, %l[%mine] : i32, !cube.local<8 x i32>
  }
  %near = cube.remui %u, %seven : i32
  %kept = cube.load %l[%near] : !cube.local<8 x i32> -> i32
  cube.store %kept, %r[%at4] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @k65(%x: !cube.array<i32>, %r: !cube.array<i32>) cube_dim(65) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  %hundred = arith.constant 100 : i32
  %true = arith.constant true
  %u = cube.topology unit_pos
  %v = cube.load %x[%u] : !cube.array<i32> -> i32
  cube.sync plane
  %at = arith.muli %u, %five : i32
  %at1 = arith.addi %at, %one : i32
  %at2 = arith.addi %at, %two : i32
  %at3 = arith.addi %at, %three : i32
  %at4 = arith.addi %at, %four : i32
  %bit0 = arith.andi %v, %one : i32
  %bit1 = arith.andi %v, %two : i32
  %odd = arith.cmpi ne, %bit0, %zero : i32
  %second = arith.cmpi ne, %bit1, %zero : i32
  // Four paths through two branches, each with a separate store.
  scf.if %odd {
    scf.if %second {
      cube.store %v, %r[%at] : i32, !cube.array<i32>
    } else {
      %n = arith.subi %zero, %v : i32
      cube.store %n, %r[%at] : i32, !cube.array<i32>
    }
  } else {
    scf.if %second {
      %n = arith.addi %v, %hundred : i32
      cube.store %n, %r[%at] : i32, !cube.array<i32>
    }
  }
  // Each lane executes v mod 7 iterations; some lanes execute none.
  %trips = cube.remui %v, %seven : i32
  %sum = scf.for unsigned %i = %zero to %trips step %one iter_args(%s = %u) -> (i32) : i32 {
    %t = arith.muli %s, %three : i32
    %next = arith.addi %t, %i : i32
    scf.yield %next : i32
  }
  cube.store %sum, %r[%at1] : i32, !cube.array<i32>
  // Lanes with v = 0 or 1 never execute the loop body; each lane keeps its count when it leaves the loop.
  %steps:2 = scf.while (%n = %v, %count = %zero) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi ugt, %n, %one : i32
    scf.condition(%go) %n, %count : i32, i32
  } do {
  ^bb0(%n: i32, %count: i32):
    %h = cube.shrui %n, %one : i32
    %more = arith.addi %count, %one : i32
    scf.yield %h, %more : i32, i32
  }
  %ten = arith.muli %steps#1, %hundred : i32
  %both = arith.addi %ten, %steps#0 : i32
  cube.store %both, %r[%at2] : i32, !cube.array<i32>
  // A flag ends the loop early, like a break, if i * i exceeds v; each iteration counts the active lanes.
  %end:3 = scf.while (%i = %zero, %on = %true, %seen = %zero) : (i32, i1, i32) -> (i32, i1, i32) {
    %low = arith.cmpi ult, %i, %seven : i32
    %go = arith.andi %low, %on : i1
    scf.condition(%go) %i, %on, %seen : i32, i1, i32
  } do {
  ^bb0(%i: i32, %on: i1, %seen: i32):
    %sq = arith.muli %i, %i : i32
    %stay = arith.cmpi ule, %sq, %v : i32
    %next = arith.addi %i, %one : i32
    %seen2 = scf.if %stay -> (i32) {
      %weight = arith.addi %seen, %sq : i32
      scf.yield %weight : i32
    } else {
      %less = arith.subi %seen, %one : i32
      scf.yield %less : i32
    }
    scf.yield %next, %stay, %seen2 : i32, i1, i32
  }
  %far = arith.muli %end#0, %hundred : i32
  %last = arith.addi %far, %end#2 : i32
  cube.store %last, %r[%at3] : i32, !cube.array<i32>
  // A private array: each lane writes and reads at its own index; odd lanes write once more.
  %l = cube.alloc : !cube.local<8 x i32>
  scf.for unsigned %i = %zero to %seven step %one : i32 {
    %w = arith.addi %i, %v : i32
    cube.store %w, %l[%i] : i32, !cube.local<8 x i32>
  }
  %mine = cube.remui %v, %seven : i32
  scf.if %odd {
    cube.store %hundred, %l[%mine] : i32, !cube.local<8 x i32>
  }
  %near = cube.remui %u, %seven : i32
  %kept = cube.load %l[%near] : !cube.local<8 x i32> -> i32
  cube.store %kept, %r[%at4] : i32, !cube.array<i32>
  cube.return
}
