// RUN: cubec %s --kernel divide --target nvptx:sm_90 -o - | FileCheck %s
// RUN: cubec %s --kernel divide --target nvptx:sm_75 -o - | FileCheck %s
// RUN: cubec %s --kernel loop --target nvptx:sm_90 -o - | FileCheck %s --check-prefix=LOOP
// RUN: cubec %s --kernel whole --target nvptx:sm_90 -o - | FileCheck %s --check-prefix=WHOLE

// A division by an argument of the launch is a product with a 64-bit addend, of which the upper half is used. The form with a
// carry is one machine instruction.
// CHECK: .entry divide
// CHECK-NOT: mad.wide.u32 {{.*}}, %rd{{[0-9]+}};{{$}}
// CHECK: .reg .b32 {{.*}}%half<5>;
// CHECK: mov.b64 {{.*}}{%half0, %half1}, [[ADDEND:%rd[0-9]+]];
// CHECK: mad.lo.cc.u32 {{.*}}%half2, [[X:%r[0-9]+]], [[FACTOR:%r[0-9]+]], %half0;
// CHECK: madc.hi.u32 {{.*}}[[UPPER:%r[0-9]+]], [[X]], [[FACTOR]], %half1;
// CHECK: shr.u32 {{.*}}, [[UPPER]], %r
cube.kernel @divide(%n: i32, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos_y
  %q = cube.divui %i, %n : i32
  cube.store %q, %y[%i] : i32, !cube.array<i32>
  cube.return
}

// LLVM extends the factor before the loop, and writes the product in the loop as `mad.lo.s64`.
// LOOP: .entry loop
// LOOP-NOT: mad.lo.s64
// LOOP: madc.hi.u32
// LOOP-NOT: mad.lo.s64
// LOOP: ret;
cube.kernel @loop(%n: i32, %last: i32, %x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %j = %zero to %last step %one : i32 {
    %v = cube.load %x[%j] : !cube.array<i32> -> i32
    %q = cube.divui %v, %n : i32
    cube.store %q, %y[%j] : i32, !cube.array<i32>
  }
  cube.return
}

// The whole sum is used.
// WHOLE: .entry whole
// WHOLE-NOT: madc
// WHOLE: ret;
cube.kernel @whole(%n: i32, %addend: i64, %y: !cube.array<i64>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %a = arith.extui %i : i32 to i64
  %b = arith.extui %n : i32 to i64
  %product = arith.muli %a, %b : i64
  %sum = arith.addi %product, %addend : i64
  cube.store %sum, %y[%i] : i64, !cube.array<i64>
  cube.return
}
