// A loop whose trip count depends on the data: the length of the Collatz sequence of each number.
// RUN-ARGS: --arg n=%S/data/control.n.npy --arg r=zeros:n --check r=%S/data/control.r.npy
cube.kernel @collatz(%n: !cube.array<i32> {cube.host = "u32"}, %r: !cube.array<i32> {cube.host = "u32"}) cube_dim(64) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %3 = arith.constant 3 : i32
  %i = cube.topology absolute_pos
  %len = cube.len %n : !cube.array<i32>
  %inside = arith.cmpi ult, %i, %len : i32
  scf.if %inside {
    %start = cube.load %n[%i] : !cube.array<i32> -> i32
    %last:2 = scf.while (%v = %start, %steps = %0) : (i32, i32) -> (i32, i32) {
      %goes_on = arith.cmpi ne, %v, %1 : i32
      scf.condition(%goes_on) %v, %steps : i32, i32
    } do {
    ^bb0(%v: i32, %steps: i32):
      %rest = cube.remui %v, %2 : i32
      %odd = arith.cmpi ne, %rest, %0 : i32
      %next = scf.if %odd -> (i32) {
        %triple = arith.muli %v, %3 : i32
        %more = arith.addi %triple, %1 : i32
        scf.yield %more : i32
      } else {
        %half = cube.divui %v, %2 : i32
        scf.yield %half : i32
      }
      %count = arith.addi %steps, %1 : i32
      scf.yield %next, %count : i32, i32
    }
    cube.store %last#1, %r[%i] : i32, !cube.array<i32>
  }
  cube.return
}
