// Activations and normalisations, each in a kernel without fast-math flags and in a kernel with all flags: GELU by
// tanh, the sigmoid, a step of softmax and of layernorm over rows of 1024.

cube.kernel @gelu_exact(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %c = arith.constant 0.044715 : f32
  %k = arith.constant 0.7978845608 : f32
  %v2 = arith.mulf %v, %v fastmath<none> : f32
  %v3 = arith.mulf %v2, %v fastmath<none> : f32
  %t0 = arith.mulf %v3, %c fastmath<none> : f32
  %t1 = arith.addf %v, %t0 fastmath<none> : f32
  %t2 = arith.mulf %t1, %k fastmath<none> : f32
  %t3 = math.tanh %t2 fastmath<none> : f32
  %t4 = arith.addf %t3, %one fastmath<none> : f32
  %t5 = arith.mulf %v, %half fastmath<none> : f32
  %r = arith.mulf %t5, %t4 fastmath<none> : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @gelu_fast(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %c = arith.constant 0.044715 : f32
  %k = arith.constant 0.7978845608 : f32
  %v2 = arith.mulf %v, %v fastmath<fast> : f32
  %v3 = arith.mulf %v2, %v fastmath<fast> : f32
  %t0 = arith.mulf %v3, %c fastmath<fast> : f32
  %t1 = arith.addf %v, %t0 fastmath<fast> : f32
  %t2 = arith.mulf %t1, %k fastmath<fast> : f32
  %t3 = math.tanh %t2 fastmath<fast> : f32
  %t4 = arith.addf %t3, %one fastmath<fast> : f32
  %t5 = arith.mulf %v, %half fastmath<fast> : f32
  %r = arith.mulf %t5, %t4 fastmath<fast> : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @sigmoid_exact(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %one = arith.constant 1.0 : f32
  %n = arith.negf %v fastmath<none> : f32
  %e = math.exp %n fastmath<none> : f32
  %d = arith.addf %e, %one fastmath<none> : f32
  %r = arith.divf %one, %d fastmath<none> : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @sigmoid_fast(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %one = arith.constant 1.0 : f32
  %n = arith.negf %v fastmath<fast> : f32
  %e = math.exp %n fastmath<fast> : f32
  %d = arith.addf %e, %one fastmath<fast> : f32
  %r = arith.divf %one, %d fastmath<fast> : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @softmax_exact(%x: !cube.array<f32>, %y: !cube.array<f32>, %parts: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %ten = arith.constant 10 : i32
  %r0 = cube.shrui %i, %ten : i32
  %two = arith.constant 2 : i32
  %one_i = arith.constant 1 : i32
  %ra = arith.muli %r0, %two : i32
  %rb = arith.addi %ra, %one_i : i32
  %m = cube.load %parts[%ra] : !cube.array<f32> -> f32
  %s = cube.load %parts[%rb] : !cube.array<f32> -> f32
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %d = arith.subf %v, %m fastmath<none> : f32
  %e = math.exp %d fastmath<none> : f32
  %r = arith.divf %e, %s fastmath<none> : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @softmax_fast(%x: !cube.array<f32>, %y: !cube.array<f32>, %parts: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %ten = arith.constant 10 : i32
  %r0 = cube.shrui %i, %ten : i32
  %two = arith.constant 2 : i32
  %one_i = arith.constant 1 : i32
  %ra = arith.muli %r0, %two : i32
  %rb = arith.addi %ra, %one_i : i32
  %m = cube.load %parts[%ra] : !cube.array<f32> -> f32
  %s = cube.load %parts[%rb] : !cube.array<f32> -> f32
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %d = arith.subf %v, %m fastmath<fast> : f32
  %e = math.exp %d fastmath<fast> : f32
  %r = arith.divf %e, %s fastmath<fast> : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @layernorm_exact(%x: !cube.array<f32>, %y: !cube.array<f32>, %parts: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %ten = arith.constant 10 : i32
  %r0 = cube.shrui %i, %ten : i32
  %two = arith.constant 2 : i32
  %one_i = arith.constant 1 : i32
  %ra = arith.muli %r0, %two : i32
  %rb = arith.addi %ra, %one_i : i32
  %m = cube.load %parts[%ra] : !cube.array<f32> -> f32
  %s = cube.load %parts[%rb] : !cube.array<f32> -> f32
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %eps = arith.constant 1.0e-5 : f32
  %d = arith.subf %v, %m fastmath<none> : f32
  %q = arith.addf %s, %eps fastmath<none> : f32
  %w = math.sqrt %q fastmath<none> : f32
  %r = arith.divf %d, %w fastmath<none> : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @layernorm_fast(%x: !cube.array<f32>, %y: !cube.array<f32>, %parts: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %ten = arith.constant 10 : i32
  %r0 = cube.shrui %i, %ten : i32
  %two = arith.constant 2 : i32
  %one_i = arith.constant 1 : i32
  %ra = arith.muli %r0, %two : i32
  %rb = arith.addi %ra, %one_i : i32
  %m = cube.load %parts[%ra] : !cube.array<f32> -> f32
  %s = cube.load %parts[%rb] : !cube.array<f32> -> f32
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %eps = arith.constant 1.0e-5 : f32
  %d = arith.subf %v, %m fastmath<fast> : f32
  %q = arith.addf %s, %eps fastmath<fast> : f32
  %w = math.sqrt %q fastmath<fast> : f32
  %r = arith.divf %d, %w fastmath<fast> : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}
