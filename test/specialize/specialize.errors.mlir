// RUN: cube-opt %s --allow-unregistered-dialect --inline --specialize=params=N=8,F=f16 --verify-diagnostics --split-input-file

// Recursive functions cannot be inlined.
cube.func @again(%a: i32) -> i32 {
  %b = cube.call @again(%a) : (i32) -> i32
  cube.return %b : i32
}
cube.kernel @recursion comptime(@N : i32, @F : type)(%x: !cube.array<i32>, %i: i32) {
  // expected-error@+1 CUBE0300 {callee = "again"}
  %v = cube.call @again(%i) : (i32) -> i32
  cube.store %v, %x[%i] : i32, !cube.array<i32>
  cube.return
}

// -----

// expected-error@+1 CUBE0301 {kernel = "unknown", name = "F"}
cube.kernel @unknown comptime(@N : i32 = 4)() { cube.return }

// -----

// expected-error@+1 CUBE0302.value {param = "N", kind = "a float, an integer or a line of them", given = "8"}
cube.kernel @value_for_a_type comptime(@N : type, @F : type)() { cube.return }

// -----

// expected-error@+1 CUBE0302.value {param = "F", kind = "a value of type i32", given = "f16"}
cube.kernel @type_for_a_value comptime(@N : i32, @F : i32)() { cube.return }

// -----

// expected-error@+1 CUBE0303 {param = "M", kernel = "missing"}
cube.kernel @missing comptime(@N : i32, @F : type, @M : i32)() { cube.return }

// -----

// A parameter in a type that no verifier checks.
cube.kernel @left comptime(@N : i32 = 4, @F : type)(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 CUBE0304 {name = "G"}
  %v = "test.make"() : () -> vector<4x!cube.param<@G>>
  cube.return
}

// -----

cube.kernel @empty comptime(@N : i32, @F : type, @S : i32 = 0)(%i: i32) {
  // expected-error@+1 CUBE0114 {name = "S", value = "0 : i32"}
  %s = cube.alloc : !cube.shared<@S x i32>
  cube.store %i, %s[%i] : i32, !cube.shared<@S x i32>
  cube.return
}

// -----

cube.kernel @negative comptime(@N : i32, @F : type, @S : i32 = -1)(%i: i32, %v: f32) {
  // expected-error@+1 CUBE0114 {name = "S", value = "-1 : i32"}
  %s = cube.alloc : !cube.local<@S x f32>
  cube.store %v, %s[%i] : f32, !cube.local<@S x f32>
  cube.return
}
