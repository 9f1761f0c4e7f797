// Collatz: no proof shows that this loop terminates for every number, so the loop is marked.
cube.kernel @collatz(%x: !cube.array<i32> {cube.host = "u32"}) cube_dim(64) {
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %i = cube.topology absolute_pos
  %start = cube.load %x[%i] : !cube.array<i32> -> i32
  %last = scf.while (%v = %start) : (i32) -> i32 {
    %more = arith.cmpi ugt, %v, %one : i32
    scf.condition(%more) %v : i32
  } do {
  ^bb0(%v: i32):
    cube.may_not_terminate
    %bit = arith.andi %v, %one : i32
    %even = arith.cmpi ne, %bit, %one : i32
    %half = cube.shrui %v, %one : i32
    %tripled = arith.muli %v, %three : i32
    %next = arith.addi %tripled, %one : i32
    %then = arith.select %even, %half, %next : i32
    scf.yield %then : i32
  }
  cube.store %last, %x[%i] : i32, !cube.array<i32>
  cube.return
}
