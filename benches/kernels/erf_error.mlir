// Computes the largest error of the f32 erf in ULP, relative to the f64 erf. `--cube-count 16777216` covers all 2^32
// inputs. The result is the bits of an f32. If both functions return NaN, the error is 0.
cube.kernel @erf_error(%most: !cube.array<i32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %x = arith.bitcast %i : i32 to f32
  %y = math.erf %x : f32
  %wide = arith.extf %x : f32 to f64
  %exact = math.erf %wide : f64
  %got = arith.extf %y : f32 to f64
  %difference = arith.subf %got, %exact : f64
  %size = math.absf %difference : f64
  %bits = arith.bitcast %exact : f64 to i64
  %exponents = arith.constant 0x7ff0000000000000 : i64
  %least = arith.constant 0x3810000000000000 : i64
  %places = arith.constant 0x0170000000000000 : i64
  %exponent = arith.andi %bits, %exponents : i64
  %normal = arith.maxui %exponent, %least : i64
  %unit_bits = arith.subi %normal, %places : i64
  %unit = arith.bitcast %unit_bits : i64 to f64
  %units = arith.divf %size, %unit : f64
  %none = arith.constant 0.0 : f32
  %error = arith.truncf %units : f64 to f32
  %is_nan = math.isnan %wide : f64
  %counted = arith.select %is_nan, %none, %error : f32
  %pattern = arith.bitcast %counted : f32 to i32
  %old = cube.atomic_rmw maxui %pattern, %most[%zero] : i32, !cube.array<i32>
  cube.return
}
