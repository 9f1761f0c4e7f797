// Halves a number while it is even; 0 is even for ever, and a launch with a 0 does not end.
cube.kernel @odd_part(%x: !cube.array<i32> {cube.host = "u32"}) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = cube.topology absolute_pos
  %start = cube.load %x[%i] : !cube.array<i32> -> i32
  %odd = scf.while (%v = %start) : (i32) -> i32 {
    %bit = arith.andi %v, %one : i32
    %even = arith.cmpi eq, %bit, %zero : i32
    scf.condition(%even) %v : i32
  } do {
  ^bb0(%v: i32):
    cube.turn
    %half = cube.shrui %v, %one : i32
    scf.yield %half : i32
  }
  cube.store %odd, %x[%i] : i32, !cube.array<i32>
  cube.return
}
