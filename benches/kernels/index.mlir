// Kernels dominated by index arithmetic with shapes that are known only at launch: a permuted copy of four dimensions,
// im2col for a convolution, and window partitioning with a cyclic shift for attention.

// y[a, b, c, d] is the element of x at strides that the host has permuted.
cube.kernel @permute(%x: !cube.array<f32>, %y: !cube.array<f32>, %n1: i32 {cube.host = "u32"}, %n2: i32 {cube.host = "u32"}, %n3: i32 {cube.host = "u32"}, %s0: i32 {cube.host = "u32"}, %s1: i32 {cube.host = "u32"}, %s2: i32 {cube.host = "u32"}, %s3: i32 {cube.host = "u32"}) cube_dim(256) {
  %i = cube.topology absolute_pos
  %d = cube.remui %i, %n3 : i32
  %abc = cube.divui %i, %n3 : i32
  %c = cube.remui %abc, %n2 : i32
  %ab = cube.divui %abc, %n2 : i32
  %b = cube.remui %ab, %n1 : i32
  %a = cube.divui %ab, %n1 : i32
  %ma = arith.muli %a, %s0 : i32
  %mb = arith.muli %b, %s1 : i32
  %mc = arith.muli %c, %s2 : i32
  %md = arith.muli %d, %s3 : i32
  %t0 = arith.addi %ma, %mb : i32
  %t1 = arith.addi %t0, %mc : i32
  %t2 = arith.addi %t1, %md : i32
  %v = cube.load %x[%t2] : !cube.array<f32> -> f32
  cube.store %v, %y[%i] : f32, !cube.array<f32>
  cube.return
}

// y[n, oy, ox, c, ky, kx] of x[n, c, h, w]: the divisors are products of scalars of the launch.
cube.kernel @im2col(%x: !cube.array<f32>, %y: !cube.array<f32>, %channels: i32 {cube.host = "u32"}, %h: i32 {cube.host = "u32"}, %w: i32 {cube.host = "u32"}, %oh: i32 {cube.host = "u32"}, %ow: i32 {cube.host = "u32"}, %kh: i32 {cube.host = "u32"}, %kw: i32 {cube.host = "u32"}, %pad: i32 {cube.host = "u32"}) cube_dim(256) {
  %i = cube.topology absolute_pos
  %kk = arith.muli %kh, %kw : i32
  %row = arith.muli %channels, %kk : i32
  %k = cube.remui %i, %row : i32
  %p = cube.divui %i, %row : i32
  %c = cube.divui %k, %kk : i32
  %kr = cube.remui %k, %kk : i32
  %ky = cube.divui %kr, %kw : i32
  %kx = cube.remui %kr, %kw : i32
  %oo = arith.muli %oh, %ow : i32
  %n = cube.divui %p, %oo : i32
  %pr = cube.remui %p, %oo : i32
  %oy = cube.divui %pr, %ow : i32
  %ox = cube.remui %pr, %ow : i32
  %y0 = arith.addi %oy, %ky : i32
  %x0 = arith.addi %ox, %kx : i32
  %iy = arith.subi %y0, %pad : i32
  %ix = arith.subi %x0, %pad : i32
  %in_y = arith.cmpi ult, %iy, %h : i32
  %in_x = arith.cmpi ult, %ix, %w : i32
  %in = arith.andi %in_y, %in_x : i1
  %nc = arith.muli %n, %channels : i32
  %plane = arith.addi %nc, %c : i32
  %ph = arith.muli %plane, %h : i32
  %py = arith.addi %ph, %iy : i32
  %pw = arith.muli %py, %w : i32
  %at = arith.addi %pw, %ix : i32
  %zero = arith.constant 0.0 : f32
  %v = scf.if %in -> f32 {
    %l = cube.load %x[%at] : !cube.array<f32> -> f32
    scf.yield %l : f32
  } else {
    scf.yield %zero : f32
  }
  cube.store %v, %y[%i] : f32, !cube.array<f32>
  cube.return
}

// Partitions an image of h x w tokens with ch channels into windows of win x win tokens, after a cyclic shift.
cube.kernel @window(%x: !cube.array<f32>, %y: !cube.array<f32>, %h: i32 {cube.host = "u32"}, %w: i32 {cube.host = "u32"}, %win: i32 {cube.host = "u32"}, %ch: i32 {cube.host = "u32"}, %shift: i32 {cube.host = "u32"}) cube_dim(256) {
  %i = cube.topology absolute_pos
  %c = cube.remui %i, %ch : i32
  %t = cube.divui %i, %ch : i32
  %area = arith.muli %win, %win : i32
  %in_window = cube.remui %t, %area : i32
  %window = cube.divui %t, %area : i32
  %ty = cube.divui %in_window, %win : i32
  %tx = cube.remui %in_window, %win : i32
  %columns = cube.divui %w, %win : i32
  %rows = cube.divui %h, %win : i32
  %per_image = arith.muli %rows, %columns : i32
  %n = cube.divui %window, %per_image : i32
  %place = cube.remui %window, %per_image : i32
  %wy = cube.divui %place, %columns : i32
  %wx = cube.remui %place, %columns : i32
  %y0 = arith.muli %wy, %win : i32
  %y1 = arith.addi %y0, %ty : i32
  %y2 = arith.addi %y1, %shift : i32
  %sy = cube.remui %y2, %h : i32
  %x0 = arith.muli %wx, %win : i32
  %x1 = arith.addi %x0, %tx : i32
  %x2 = arith.addi %x1, %shift : i32
  %sx = cube.remui %x2, %w : i32
  %ny = arith.muli %n, %h : i32
  %r0 = arith.addi %ny, %sy : i32
  %r1 = arith.muli %r0, %w : i32
  %r2 = arith.addi %r1, %sx : i32
  %r3 = arith.muli %r2, %ch : i32
  %at = arith.addi %r3, %c : i32
  %v = cube.load %x[%at] : !cube.array<f32> -> f32
  cube.store %v, %y[%i] : f32, !cube.array<f32>
  cube.return
}
