// RUN: cubec %s --target wgsl:core --kernel branch -o - | FileCheck %s --check-prefix=BRANCH
// RUN: cubec %s --target wgsl:core --kernel counted -o - | FileCheck %s --check-prefix=FOR
// RUN: cubec %s --target wgsl:core --kernel strided -o - | FileCheck %s --check-prefix=STEP
// RUN: cubec %s --target wgsl:core --kernel repeated -o - | FileCheck %s --check-prefix=WHILE
// RUN: cubec %s --target wgsl:core --kernel switched -o - | FileCheck %s --check-prefix=SWITCH

// The result of a branch is a variable; source lines are emitted as comments.
// BRANCH: // control.mlir:[[#@LINE+14]]
// BRANCH-NEXT: let [[C:v[0-9]+]] = bitcast<i32>(arguments.n) < 0i;
// BRANCH-NEXT: // control.mlir:[[#@LINE+13]]
// BRANCH-NEXT: var [[R:r[0-9]+]]: u32;
// BRANCH-NEXT: if ([[C]]) {
// BRANCH-NEXT: // control.mlir:[[#@LINE+11]]
// BRANCH: [[R]] = [[V:v[0-9]+]];
// BRANCH-NEXT: }
// BRANCH-NEXT: else {
// BRANCH: [[R]] =
// BRANCH-NEXT: }
cube.kernel @branch(%n: i32, %out: !cube.array<i32>) cube_dim(1) {
  %i0 = arith.constant 0 : i32
  %i7 = arith.constant 7 : i32
  %less = arith.cmpi slt, %n, %i0 : i32
  %r = scf.if %less -> i32 {
    %q = cube.divui %n, %i7 : i32
    scf.yield %q : i32
  } else {
    %q = cube.load %out[%i7] : !cube.array<i32> -> i32
    scf.yield %q : i32
  }
  cube.store %r, %out[%i0] : i32, !cube.array<i32>
  cube.return
}

// A loop with step 1 compares its counter with the bound.
// FOR: var [[I:r[0-9]+]]: u32;
// FOR: var [[S:r[0-9]+]]: u32;
// FOR: [[S]] = 0u;
// FOR: [[I]] = 0u;
// FOR: for (; {{.*}}[[I]]{{.*}} < {{.*}}; [[I]] = [[I]] + 1u) {
// FOR: [[S]] = [[T:v[0-9]+]];
// FOR-NEXT: }
// FOR: = [[S]];
cube.kernel @counted(%n: i32, %out: !cube.array<i32>) cube_dim(1) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %sum = scf.for unsigned %i = %i0 to %n step %i1 iter_args(%s = %i0) -> i32 : i32 {
    %q = cube.load %out[%i] : !cube.array<i32> -> i32
    %t = arith.addi %s, %q : i32
    scf.yield %t : i32
  }
  cube.store %sum, %out[%i0] : i32, !cube.array<i32>
  cube.return
}

// For any other step, the trip count is computed before the loop, because the counter can wrap in the last iteration.
// STEP: [[D:v[0-9]+]] = arguments.last - arguments.first;
// STEP: {{v[0-9]+}} / 3u;
// STEP: bitcast<i32>(arguments.first) < bitcast<i32>(arguments.last);
// STEP: [[N:v[0-9]+]] = select(0u, {{v[0-9]+}}, {{v[0-9]+}});
// STEP: for (; [[I:r[0-9]+]] < [[N]]; [[I]] = [[I]] + 1u) {
// STEP: [[I]] * 3u;
cube.kernel @strided(%first: i32, %last: i32, %out: !cube.array<i32>) cube_dim(1) {
  %i3 = arith.constant 3 : i32
  scf.for %i = %first to %last step %i3 : i32 {
    cube.store %i, %out[%i] : i32, !cube.array<i32>
  }
  cube.return
}

// WHILE: loop {
// WHILE: if (!{{v[0-9]+}}) {
// WHILE-NEXT: break;
// WHILE-NEXT: }
cube.kernel @repeated(%n: i32, %out: !cube.array<i32>) cube_dim(1) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %r = scf.while (%v = %n) : (i32) -> i32 {
    %more = arith.cmpi ugt, %v, %i1 : i32
    scf.condition(%more) %v : i32
  } do {
  ^bb0(%v: i32):
    %h = cube.shrui %v, %i1 : i32
    scf.yield %h : i32
  }
  cube.store %r, %out[%i0] : i32, !cube.array<i32>
  cube.return
}

// SWITCH: var [[R:r[0-9]+]]: u32;
// SWITCH: if ([[N:[a-z.]+]] == 3u) {
// SWITCH-NEXT: [[R]] = 30u;
// SWITCH-NEXT: }
// SWITCH-NEXT: else if ([[N]] == 0xffffffffu) {
// SWITCH: else {
// SWITCH: [[R]] = 1u;
cube.kernel @switched(%n: i32, %out: !cube.array<i32>) cube_dim(1) {
  %i0 = arith.constant 0 : i32
  %at = arith.index_castui %n : i32 to index
  %r = scf.index_switch %at -> i32
  case 3 {
    %a = arith.constant 30 : i32
    scf.yield %a : i32
  }
  case 4294967295 {
    %a = arith.constant 40 : i32
    scf.yield %a : i32
  }
  default {
    %a = arith.constant 1 : i32
    scf.yield %a : i32
  }
  cube.store %r, %out[%i0] : i32, !cube.array<i32>
  cube.return
}
