// RUN: cube-opt %s --resolve-comptime | FileCheck %s

// Bounds of inner loops can depend on outer counters; a condition can be an expression.
// CHECK-LABEL: @nested
// CHECK-NOT: cube.comptime
// CHECK-COUNT-3: cube.store
// CHECK-NOT: cube.store
// CHECK: cube.return
cube.kernel @nested(%x: !cube.array<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  cube.comptime_for %i = %zero to %three step %one : i32 {
    cube.comptime_for %j = %zero to %i step %one : i32 {
      cube.store %j, %x[%i] : i32, !cube.array<i32>
    }
  }
  cube.return
}

// CHECK-LABEL: @decided
// CHECK-NOT: cube.comptime
// CHECK: cube.store %[[A:.*]], %x[%[[A]]] : i32
// CHECK-NOT: cube.store
cube.kernel @decided(%x: !cube.array<i32>) {
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %rest = cube.remui %three, %two : i32
  %odd = arith.cmpi eq, %rest, %rest : i32
  cube.comptime_if %odd {
    cube.store %two, %x[%two] : i32, !cube.array<i32>
  } else {
    cube.store %three, %x[%two] : i32, !cube.array<i32>
  }
  %never = arith.cmpi ult, %three, %two : i32
  cube.comptime_if %never {
    cube.store %three, %x[%three] : i32, !cube.array<i32>
  }
  cube.return
}

// An unsigned counter exceeds the largest signed value, and a step beyond the largest unsigned value ends the loop.
// CHECK-LABEL: @unsigned
// CHECK: cube.store %c2147483647_i32
// CHECK: cube.store %c-2147483648_i32
// CHECK-NOT: cube.store
// CHECK: cube.return
cube.kernel @unsigned(%x: !cube.array<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %middle = arith.constant 2147483647 : i32
  %after = arith.constant 2147483649 : i32
  cube.comptime_for unsigned %i = %middle to %after step %one : i32 {
    cube.store %i, %x[%zero] : i32, !cube.array<i32>
  }
  cube.return
}
