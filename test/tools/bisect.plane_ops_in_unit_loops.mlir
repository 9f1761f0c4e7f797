// RUN: cube-run %s --bisect --cube-count 1 --arg x=iota:16 --arg y=zeros:16 | FileCheck %s

// The interpreter executes each iteration of split-barrier-regions' loops over units as a separate unit, so that planes
// synchronise. Carried values are shared: no unit may overwrite one before all units have read it.
// CHECK: split-barrier-regions same
// CHECK: no pass changes the result
cube.kernel @k(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(16) {
  %u = cube.topology unit_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %c31 = arith.constant 31 : i32
  %c = cube.topology cube_pos
  %v = cube.load %x[%c] : !cube.array<i32> -> i32
  cube.sync plane
  %sum = scf.for %i = %zero to %three step %one iter_args(%acc = %one) -> (i32) : i32 {
    %times = arith.muli %acc, %c31 : i32
    %more = arith.maxsi %v, %i : i32
    %next = arith.addi %times, %more : i32
    cube.sync cube
    scf.yield %next : i32
  }
  cube.store %sum, %y[%u] : i32, !cube.array<i32>
  cube.return
}
