// Blurs a picture: each value becomes the weighted mean of its 3 x 3 neighbourhood (1 2 1 / 2 4 2 / 1 2 1).
//
// A picture is a buffer of bytes in row-major order with %channels bytes for each pixel. A cube has 16 x 16 units, and
// a unit computes one pixel. `cube.host` declares bytes and sizes as unsigned, because IR integers have no sign.
cube.kernel @blur(%src: !cube.array<i8> {cube.host = "u8"}, %dst: !cube.array<i8> {cube.host = "u8"},
                  %width: i32 {cube.host = "u32"}, %height: i32 {cube.host = "u32"},
                  %channels: i32 {cube.host = "u32"}) cube_dim(16, 16) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %3 = arith.constant 3 : i32
  %x = cube.topology absolute_pos_x
  %y = cube.topology absolute_pos_y
  %in_row = arith.cmpi ult, %x, %width : i32
  %in_column = arith.cmpi ult, %y, %height : i32
  %inside = arith.andi %in_row, %in_column : i1
  scf.if %inside {
    scf.for unsigned %c = %0 to %channels step %1 : i32 {
      %half = arith.constant 8 : i32  // half of the divisor, to round the mean to nearest
      %sum = scf.for unsigned %dy = %0 to %3 step %1 iter_args(%rows = %half) -> (i32) : i32 {
        %near_y = cube.call @neighbour(%y, %dy, %height) : (i32, i32, i32) -> i32
        %row = scf.for unsigned %dx = %0 to %3 step %1 iter_args(%so_far = %rows) -> (i32) : i32 {
          %near_x = cube.call @neighbour(%x, %dx, %width) : (i32, i32, i32) -> i32
          %from = cube.call @index(%near_x, %near_y, %c, %width, %channels) : (i32, i32, i32, i32, i32) -> i32
          %byte = cube.load %src[%from] : !cube.array<i8> -> i8
          %value = arith.extui %byte : i8 to i32
          %middle_x = arith.andi %dx, %1 : i32  // 1 if %dx is 1, the middle of 0, 1, 2
          %middle_y = arith.andi %dy, %1 : i32
          %shift = arith.addi %middle_x, %middle_y : i32
          %weighted = cube.shl %value, %shift : i32
          %next = arith.addi %so_far, %weighted : i32
          scf.yield %next : i32
        }
        scf.yield %row : i32
      }
      %weights = arith.constant 16 : i32
      %mean = cube.divui %sum, %weights : i32
      %r = arith.trunci %mean : i32 to i8
      %to = cube.call @index(%x, %y, %c, %width, %channels) : (i32, i32, i32, i32, i32) -> i32
      cube.store %r, %dst[%to] : i8, !cube.array<i8>
    }
  }
  cube.return
}

// The coordinate before (0), at (1) or after (2) %at, clamped to the border.
cube.func @neighbour(%at: i32, %step: i32, %size: i32) -> i32 {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %moved = arith.addi %at, %step : i32
  %back = arith.subi %moved, %1 : i32
  %not_before = arith.maxsi %back, %0 : i32
  %last = arith.subi %size, %1 : i32
  %near = arith.minsi %not_before, %last : i32
  cube.return %near : i32
}

cube.func @index(%x: i32, %y: i32, %channel: i32, %width: i32, %channels: i32) -> i32 {
  %row = arith.muli %y, %width : i32
  %pixel = arith.addi %row, %x : i32
  %first = arith.muli %pixel, %channels : i32
  %index = arith.addi %first, %channel : i32
  cube.return %index : i32
}
