// Barriers under conditions that seem to differ between units, but are uniform in this launch: a counted loop that
// begins at the unit's number, a branch on a loaded value, a loop that a variable ends with a switch inside, and an
// early return. A Python model computed the expected values.
// RUN-ARGS: --arg x=%S/data/agree.x.npy --arg y=zeros:40 --cube-count 2 --check y=%S/data/agree.y.npy
cube.kernel @agree(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(20) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %s = cube.alloc : !cube.shared<20 x i32>
  %u = cube.topology unit_pos
  %d = cube.topology cube_dim
  %abs = cube.topology absolute_pos
  %n = cube.buffer_len %x : !cube.array<i32>
  %m = arith.subi %d, %one : i32
  %r = arith.subi %m, %u : i32
  %m0 = cube.buffer_len %y : !cube.array<i32>
  %idle = arith.cmpi uge, %abs, %m0 : i32
  cube.if %idle { cube.terminate }
  // A counted loop that begins at the unit's number; all units have the same trip count.
  cube.for %i = %u to %n step %d : i32 {
    %v = cube.load %x[%i] : !cube.array<i32> -> i32
    cube.sync cube
    cube.store %v, %s[%u] : i32, !cube.shared<20 x i32>
    cube.sync cube
    %w = cube.load %s[%r] : !cube.shared<20 x i32> -> i32
    %old = cube.load %y[%abs] : !cube.array<i32> -> i32
    %scaled = arith.muli %old, %seven : i32
    %new = arith.addi %scaled, %w : i32
    cube.store %new, %y[%abs] : i32, !cube.array<i32>
  }
  // In a branch on a loaded value, a loop whose exit depends on memory, with a switch inside.
  %at = cube.remui %abs, %n : i32
  %c = cube.load %x[%at] : !cube.array<i32> -> i32
  %ge = arith.cmpi sge, %c, %zero : i32
  cube.if %ge {
    %cell = cube.alloc : !cube.local<1 x i32>
    cube.store %u, %cell[%zero] : i32, !cube.local<1 x i32>
    cube.loop {
      %k = cube.load %cell[%zero] : !cube.local<1 x i32> -> i32
      %done = arith.cmpi uge, %k, %n : i32
      cube.if %done { cube.break }
      %next = arith.addi %k, %d : i32
      cube.store %next, %cell[%zero] : i32, !cube.local<1 x i32>
      %q = cube.divui %k, %d : i32
      %qi = arith.index_castui %q : i32 to index
      scf.index_switch %qi
      case 0 {
        cube.sync cube
        cube.store %k, %s[%r] : i32, !cube.shared<20 x i32>
        cube.sync cube
        scf.yield
      }
      default {
        %p = cube.load %s[%u] : !cube.shared<20 x i32> -> i32
        cube.sync cube
        %p2 = arith.addi %p, %q : i32
        cube.store %p2, %s[%r] : i32, !cube.shared<20 x i32>
        cube.sync cube
        scf.yield
      }
      cube.yield
    }
    %p = cube.load %s[%u] : !cube.shared<20 x i32> -> i32
    %old = cube.load %y[%abs] : !cube.array<i32> -> i32
    %new = arith.addi %old, %p : i32
    cube.store %new, %y[%abs] : i32, !cube.array<i32>
  }
  cube.return
}
