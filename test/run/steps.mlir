// The step exceeds the range of u32: 0xFFFFFFFE is the only iteration, although 0xFFFFFFFE + 3 wraps around to 1.
// RUN-ARGS: --arg y=zeros:1 --arg from=4294967294 --arg to=4294967295 --arg step=3 --cube-count 1 --check y=%S/data/steps.y.npy
cube.kernel @steps(%y: !cube.array<i32> {cube.host = "u32"}, %from: i32 {cube.host = "u32"}, %to: i32 {cube.host = "u32"},
                   %step: i32 {cube.host = "u32"}) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %turns = scf.for unsigned %i = %from to %to step %step iter_args(%n = %zero) -> (i32) : i32 {
    %next = arith.addi %n, %one : i32
    scf.yield %next : i32
  }
  cube.store %turns, %y[%zero] : i32, !cube.array<i32>
  cube.return
}
