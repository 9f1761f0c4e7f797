// Comptime parameters: the number of neighbours to sum, and the element type, also in an inlined function.
// RUN-ARGS: --arg x=%S/data/comptime.x.npy --arg r=zeros:x --check r=%S/data/comptime.r4.npy
// RUN-ARGS: --param N=1 --arg x=%S/data/comptime.x.npy --arg r=zeros:x --check r=%S/data/comptime.r1.npy
// RUN-ARGS: --param N=2 --param F=f16 --arg x=%S/data/comptime.xh.npy --arg r=zeros:x --check r=%S/data/comptime.rh.npy
cube.kernel @window comptime(@N : i32 = 4, @F : type = f32)
    (%x: !cube.array<!cube.param<@F>>, %r: !cube.array<!cube.param<@F>>) cube_dim(32) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : !cube.param<@F>
  %n = cube.constant <@N> : i32
  %i = cube.topology absolute_pos
  %sum = scf.for unsigned %k = %0 to %n step %1 iter_args(%so_far = %zero) -> (!cube.param<@F>) : i32 {
    %at = arith.addi %i, %k : i32
    %next = cube.call @plus(%x, %at, %so_far) : (!cube.array<!cube.param<@F>>, i32, !cube.param<@F>) -> !cube.param<@F>
    scf.yield %next : !cube.param<@F>
  }
  cube.store %sum, %r[%i] : !cube.param<@F>, !cube.array<!cube.param<@F>>
  cube.return
}

cube.func @plus(%x: !cube.array<!cube.param<@F>>, %at: i32, %so_far: !cube.param<@F>) -> !cube.param<@F> {
  %v = cube.load %x[%at] : !cube.array<!cube.param<@F>> -> !cube.param<@F>
  %sum = arith.addf %so_far, %v : !cube.param<@F>
  cube.return %sum : !cube.param<@F>
}
