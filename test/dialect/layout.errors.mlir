// RUN: cube-opt %s --verify-diagnostics --split-input-file

cube.kernel @extent() {
  // expected-error@+1 CUBE0170 {op = "layout.constant", text = "(4,0):(1,4)", why = "", at = "an extent of 0; extents start at 1"}
  %a = layout.constant #layout.layout<(4,0):(1,4)>
  cube.return
}

// -----

cube.kernel @negative() {
  // expected-error@+1 CUBE0170 {op = "layout.constant", text = "(4,8):(1,-4)", why = "", at = "a negative number; extents, strides and coordinates start at 0 at byte 9 of it"}
  %a = layout.constant #layout.layout<(4,8):(1,-4)>
  cube.return
}

// -----

cube.kernel @nesting() {
  // expected-error@+1 CUBE0170 {op = "layout.constant", text = "(4,8):(1,(2,4))", why = "", at = "shape 8 and stride (2,4) are not nested alike"}
  %a = layout.constant #layout.layout<(4,8):(1,(2,4))>
  cube.return
}

// -----

cube.kernel @size() {
  // expected-error@+1 CUBE0170 {op = "layout.constant", text = "(4294967296,4294967296):(1,1)", why = "", at = "the size of the layout exceeds 2^63-1"}
  %a = layout.constant #layout.layout<(4294967296,4294967296):(1,1)>
  cube.return
}

// -----

cube.kernel @number() {
  // expected-error@+1 {{'layout.constant' has `99999999999999999999999:1`, which is not a layout: }}
  %a = layout.constant #layout.layout<99999999999999999999999:1>
  cube.return
}

// -----

cube.kernel @text() {
  // expected-error@+1 {{'layout.constant' has `(4,rows):(1,4)`, which is not a layout: }}
  %a = layout.constant #layout.layout<(4,rows):(1,4)>
  cube.return
}

// -----

cube.kernel @swizzle() {
  // expected-error@+1 {{'layout.constant' has `Sw<3,0,2> o 0 o 64:1`, which is not a layout: swizzle S<3,0,2>: the 3 source bits overlap the target bits; the shift must be at least 3 or at most -3}}
  %a = layout.constant #layout.layout<Sw<3,0,2> o 0 o 64:1>
  cube.return
}

// -----

cube.kernel @leaves(%n: i32) {
  // expected-error@+1 CUBE0171.count {op = "layout.make", operands = "1", leaves = "2"}
  %a = layout.make #layout.layout<(?,8):(?,1)>(%n)
  cube.return
}

// -----

cube.kernel @constant() {
  // expected-error@+1 CUBE0171.constant {op = "layout.constant"}
  %a = layout.constant #layout.layout<(?,8):(8,1)>
  cube.return
}

// -----

cube.kernel @coordinate(%i: i32) {
  %a = layout.constant #layout.layout<(4,8):(8,1)>
  // expected-error@+1 CUBE0172.keeps {op = "layout.crd2idx"}
  %b = layout.crd2idx %a at <(_,?)>(%i)
  cube.return
}

// -----

cube.kernel @operands(%i: i32) {
  %a = layout.constant #layout.layout<(4,8):(8,1)>
  // expected-error@+1 CUBE0172.places {op = "layout.crd2idx", given = "1", places = "2"}
  %b = layout.crd2idx %a at <(?,?)>(%i)
  cube.return
}

// -----

cube.kernel @complement() {
  %a = layout.constant #layout.layout<(4,8):(8,1)>
  // expected-error@+1 CUBE0173 {op = "layout.complement", to = "0"}
  %b = layout.complement %a to 0
  cube.return
}

// -----

cube.kernel @view(%x: !cube.array<f32, 4>) {
  %a = layout.constant #layout.layout<(4,8):(8,1)>
  // expected-error@+1 CUBE0174 {op = "layout.view", given = "!layout.view<f32>", buffer = "!cube.array<f32, 4>", line = "vector<4xf32>"}
  %b = layout.view %x, %a : !cube.array<f32, 4> -> !layout.view<f32>
  cube.return
}

// -----

cube.kernel @access(%x: !cube.array<f32>, %i: i32) {
  %a = layout.constant #layout.layout<(4,8):(8,1)>
  %v = layout.view %x, %a : !cube.array<f32> -> !layout.view<f32>
  // expected-error@+1 CUBE0175 {op = "layout.load", word = "reads", ty = "vector<8xf16>", view = "!layout.view<f32>", line = "f32", expected = "a vector of f32 for the modes with `_`"}
  %b = layout.load %v at <(?,_)>(%i) : !layout.view<f32> -> vector<8xf16>
  cube.return
}

// -----

// An access to several lines needs the promise `inbounds` and an alignment.
cube.kernel @wide(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 CUBE0177 {op = "cube.load", why = "is not inbounds; add `inbounds`, because a wide access cannot be checked"}
  %a = cube.load %x[%i] checked {align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
  cube.return
}

// -----

cube.kernel @three(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 CUBE0177 {op = "cube.load", why = "moves vector<3xf32>; use a vector of 2, 4, 8 or 16 elements of a buffer whose lines have one element"}
  %a = cube.load %x[%i] inbounds {align = 4 : i32} : !cube.array<f32> -> vector<3xf32>
  cube.return
}

// -----

// expected-error@+1 CUBE0178 {op = "cube.kernel", index = "0", bytes = "24"}
cube.kernel @align(%x: !cube.array<f32> {cube.align = 24 : i32}) { cube.return }

// -----

// A coordinate has at least one component.
cube.kernel @idx(%i: i32) {
  %a = layout.constant #layout.layout<(4,8):(8,1)>
  // expected-error@+1 CUBE0176.no_results {op = "layout.idx2crd"}
  "layout.idx2crd"(%i, %a) : (i32, !layout.layout) -> ()
  cube.return
}
