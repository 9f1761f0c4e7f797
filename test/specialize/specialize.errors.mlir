// RUN: cube-opt %s --allow-unregistered-dialect --inline --specialize=params=N=8,F=f16 --verify-diagnostics --split-input-file

// Recursion cannot be inlined.
cube.func @again(%a: i32) -> i32 {
  %b = cube.call @again(%a) : (i32) -> i32
  cube.return %b : i32
}
cube.kernel @recursion comptime(@N : i32, @F : type)(%x: !cube.array<i32>, %i: i32) {
  // expected-error@+1 {{the call of @again cannot be inlined because the function calls itself; kernels have no recursion, use a loop [CUBE0300]}}
  %v = cube.call @again(%i) : (i32) -> i32
  cube.store %v, %x[%i] : i32, !cube.array<i32>
  cube.return
}

// -----

// expected-error@+1 {{kernel @unknown has no comptime parameter F; it declares N [CUBE0301]}}
cube.kernel @unknown comptime(@N : i32 = 4)() { cube.return }

// -----

// expected-error@+1 {{comptime parameter @N requires a float, an integer or a line of them, not '8' [CUBE0302]}}
cube.kernel @value_for_a_type comptime(@N : type, @F : type)() { cube.return }

// -----

// expected-error@+1 {{comptime parameter @F requires a value of type i32, not 'f16' [CUBE0302]}}
cube.kernel @type_for_a_value comptime(@N : i32, @F : i32)() { cube.return }

// -----

// expected-error@+1 {{comptime parameter @M of kernel @missing has no value and no default; give it with params=M=... [CUBE0303]}}
cube.kernel @missing comptime(@N : i32, @F : type, @M : i32)() { cube.return }

// -----

// A parameter in a type that no verifier sees.
cube.kernel @left comptime(@N : i32 = 4, @F : type)(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 {{comptime parameter @G is not declared by the kernel; add it to comptime(...) [CUBE0304]}}
  %v = "test.make"() : () -> vector<4x!cube.param<@G>>
  cube.return
}

// -----

cube.kernel @empty comptime(@N : i32, @F : type, @S : i32 = 0)(%i: i32) {
  // expected-error@+1 {{the size of shared or local memory must be an i32 of at least 1, and comptime parameter @S is 0 : i32; choose at least 1 [CUBE0114]}}
  %s = cube.alloc : !cube.shared<@S x i32>
  cube.store %i, %s[%i] : i32, !cube.shared<@S x i32>
  cube.return
}

// -----

cube.kernel @negative comptime(@N : i32, @F : type, @S : i32 = -1)(%i: i32, %v: f32) {
  // expected-error@+1 {{the size of shared or local memory must be an i32 of at least 1, and comptime parameter @S is -1 : i32; choose at least 1 [CUBE0114]}}
  %s = cube.alloc : !cube.local<@S x f32>
  cube.store %v, %s[%i] : f32, !cube.local<@S x f32>
  cube.return
}
