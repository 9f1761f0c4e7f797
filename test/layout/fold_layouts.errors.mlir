// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(fold-layouts))' --verify-diagnostics --split-input-file

// A layout operation that the algebra refuses is an error at the operation; a note gives an index as a counterexample.
cube.kernel @witness(%y: !cube.array<i32>, %i: i32) {
  %a = layout.constant #layout.layout<(4,3):(1,10)>
  %b = layout.constant #layout.layout<6:1>
  // expected-error@+2 CUBE0333.algebra {op = "layout.compose", why = "no layout computes (4,3):(1,10) o 6:1: the values stay on a line for 4 steps of 1, and 4 does not divide 6; the nearest inner layout that works is 4:1", location = ""}
  // expected-note@+1 {{index 4 must have the offset 10, but the closest layout 6:1 gives 4}}
  %c = layout.compose %a, %b : !layout.layout
  %o = layout.crd2idx %c at <?>(%i)
  cube.store %o, %y[%i] : i32, !cube.array<i32>
  cube.return
}

// -----

// Tiles that do not divide the matrix, without `ragged`.
cube.kernel @tiles(%x: !cube.array<f32>, %i: i32) {
  %m = layout.constant #layout.layout<(7,9):(9,1)>
  %t = layout.constant #layout.layout<(2,4):(1,1)>
  %v = layout.view %x, %m : !cube.array<f32> -> !layout.view<f32>
  // expected-error@+2 CUBE0333.algebra {op = "layout.zipped_divide", why = "mode 0: composition 7:9 o (2,4):(1,2): (2,4):(1,2) reaches index 7, but 7:9 ends at 6; shrink the inner layout or round the outer shape up", location = ""}
  // expected-note@+1 {{index 7 (counted inside mode 0) of the result is outside: it has no offset}}
  %z = layout.zipped_divide %v by modes %t : !layout.view<f32>
  %e = layout.load %z at <((0,0),?)>(%i) : !layout.view<f32> -> f32
  cube.return
}

// -----

cube.kernel @injective() {
  %a = layout.constant #layout.layout<(4,2):(1,2)>
  // expected-error@+1 CUBE0333.algebra {op = "layout.left_inverse", why = "(4,2):(1,2) has no left inverse: indices 4 and 2 share offset 2", location = ""}
  %b = layout.left_inverse %a
  cube.return
}

// -----

cube.kernel @gaps() {
  %a = layout.constant #layout.layout<(4,2):(1,8)>
  %b = layout.constant #layout.layout<2:1>
  // expected-error@+1 CUBE0333.algebra {op = "layout.make_tv", why = "threads (4,2):(1,8) are numbered up to 11, but there are 8; number them without gaps or repetition", location = ""}
  %c, %d = layout.make_tv %a, %b
  cube.return
}

// -----

cube.kernel @nesting(%x: !cube.array<f32>, %i: i32) {
  %m = layout.constant #layout.layout<(4,8):(8,1)>
  %v = layout.view %x, %m : !cube.array<f32> -> !layout.view<f32>
  // expected-error@+1 CUBE0333.rank {op = "layout.slice", rank = "2", at = " in mode 1", of = "1"}
  %s = layout.slice %v at <(?,(_,?))>(%i, %i) : !layout.view<f32>
  // expected-error@+1 CUBE0333.outside {op = "layout.load", coordinate = "4", at = " in mode 0", extent = "4"}
  %e = layout.load %v at <(4,?)>(%i) : !layout.view<f32> -> f32
  // expected-error@+1 CUBE0335.lanes {op = "layout.load", lanes = "4", ty = "vector<4xf32>", count = "8", line = "1", expected = "8"}
  %f = layout.load %v at <(?,_)>(%i) : !layout.view<f32> -> vector<4xf32>
  // expected-error@+1 CUBE0333.mode {op = "layout.size", mode = "2", rank = "2"}
  %g = layout.size %v mode 2 : !layout.view<f32>
  // expected-error@+1 CUBE0176.results {op = "layout.idx2crd", given = "3", leaves = "2"}
  %h:3 = layout.idx2crd %i, %m : i32, i32, i32
  cube.return
}

// -----

cube.kernel @chosen(%x: !cube.array<f32>, %p: i1, %i: i32) {
  %a = layout.constant #layout.layout<(4,8):(8,1)>
  %b = layout.constant #layout.layout<(4,8):(1,4)>
  %c = arith.select %p, %a, %b : !layout.layout
  // expected-error@+1 CUBE0334.chosen {op = "layout.view"}
  %v = layout.view %x, %c : !cube.array<f32> -> !layout.view<f32>
  %e = layout.load %v at <(0,?)>(%i) : !layout.view<f32> -> f32
  cube.return
}

// -----

cube.kernel @unknown(%x: !cube.array<f32>, %n: i32, %i: i32) {
  %a = layout.make #layout.layout<(?,8):(8,1)>(%n)
  // expected-error@+1 CUBE0336.known {op = "layout.complement", what = "operand 0 of 'layout.complement'"}
  %b = layout.complement %a to 64
  %v = layout.view %x, %a : !cube.array<f32> -> !layout.view<f32>
  // expected-error@+1 CUBE0335.open {op = "layout.load"}
  %e = layout.load %v at <(_,0)> : !layout.view<f32> -> vector<8xf32>
  cube.return
}

// -----

cube.kernel @swizzle() {
  %a = layout.constant #layout.layout<Sw<3,3,3> o 0 o (8,64):(64,1)>
  // expected-error@+1 CUBE0333.swizzled {op = "layout.right_inverse", what = "operand 0 of 'layout.right_inverse'"}
  %b = layout.right_inverse %a
  cube.return
}

// -----

// Offsets that do not fit in 63 bits.
cube.kernel @large() {
  %a = layout.constant #layout.layout<4294967296:1>
  // expected-error@+1 CUBE0333.algebra {op = "layout.logical_product", why = "the product of 4294967296:1 and 4294967296:1 exceeds 2^63-1 offsets", location = ""}
  %b = layout.logical_product %a, %a
  cube.return
}
