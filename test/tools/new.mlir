// `cubec new` writes a starter crate. frontend/tests/tests/starter.rs builds the crate and runs its tests.

// RUN: rm -rf %t && mkdir %t
// RUN: cubec new %t/my-kernels | FileCheck %s --check-prefix=MADE
// MADE: made my-kernels: cd {{.*}}/my-kernels && cargo test; the project builds only after cube-mlir is published: until then, pass --path
// RUN: FileCheck %s --check-prefix=MANIFEST --input-file=%t/my-kernels/Cargo.toml
// MANIFEST: name = "my-kernels"
// MANIFEST: [dependencies]
// MANIFEST-NEXT: cube-mlir = "{{[0-9.]+}}"
// RUN: grep -q 'use my_kernels::saxpy;' %t/my-kernels/tests/saxpy.rs && test -s %t/my-kernels/benches/saxpy.rs
// RUN: cubec new %t/two --git https://example.org/cube.git && grep -q '^cube-mlir = { git = "https://example.org/cube.git" }' %t/two/Cargo.toml
// RUN: cubec new %t/three --path %S/../.. && grep -q '^cube-mlir = { path = "/.*/cube" }' %t/three/Cargo.toml

// RUN: not cubec new %t/two 2>&1 | FileCheck %s --check-prefix=THERE
// THERE: error[CUBE0960]: {{.*}}/two exists already; name a new folder
// RUN: not cubec new %t/2two 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error[CUBE0960]: '2two' is not a valid name of a crate; begin with a letter, and use letters, digits, - and _
// RUN: not cubec new %t/match 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error[CUBE0960]: 'match' is a reserved word of Rust or cargo; use another name, for example match-kernels
// RUN: not cubec new %t/four --path %t 2>&1 | FileCheck %s --check-prefix=CHECKOUT
// CHECKOUT: error[CUBE0960]: {{.*}} is not a checkout of Cube, because {{.*}}/cube/Cargo.toml does not exist
// RUN: test ! -e %t/four
// RUN: cubec new 2> %t.err || test $? = 2 && FileCheck %s --check-prefix=NOTHING --input-file=%t.err
// NOTHING: required arguments were not provided
