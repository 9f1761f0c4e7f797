// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90},cube.kernel(narrow-floats-to-nvvm))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_75},cube.kernel(narrow-floats-to-nvvm))' | FileCheck %s --check-prefix=OLD
// RUN: cubec %s --kernel narrow --target nvptx:sm_90 -o - | FileCheck %s --check-prefix=PTX
// RUN: cubec %s --kernel narrow --target nvptx:sm_75 -o - | FileCheck %s --check-prefix=PTX75

// The upper half of a pair is the first operand. A single number and an odd number of lanes keep their conversions, and chips
// below sm_80 have no such instruction.
// CHECK-LABEL: cube.kernel @narrow
// CHECK:         %[[LOW:.*]] = vector.extract %{{.*}}[0] : f32 from vector<4xf32>
// CHECK:         %[[HIGH:.*]] = vector.extract %{{.*}}[1] : f32 from vector<4xf32>
// CHECK:         nvvm.convert.f32x2.to.f16x2 %[[HIGH]], %[[LOW]] {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
// CHECK:         nvvm.convert.f32x2.to.f16x2
// CHECK:         nvvm.convert.f32x2.to.bf16x2
// CHECK-NOT:     nvvm.convert
// CHECK:         arith.truncf %{{.*}} : f32 to f16
// CHECK:         arith.truncf %{{.*}} : vector<3xf32> to vector<3xf16>
// CHECK:         arith.truncf %{{.*}} : vector<2xf64> to vector<2xf16>
// OLD-NOT:     nvvm.convert
// CHECK-LABEL: cube.kernel @lanes
// CHECK:         %[[PAIR:.*]] = nvvm.convert.f32x2.to.f16x2 %{{.*}}, %{{.*}} {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
// CHECK-NEXT:    %[[A:.*]] = vector.extract %[[PAIR]][0] : f16 from vector<2xf16>
// CHECK-NEXT:    %[[B:.*]] = vector.extract %[[PAIR]][1] : f16 from vector<2xf16>
// CHECK:         vector.from_elements %[[A]], %[[B]]
// CHECK:         arith.truncf
// CHECK:         arith.truncf
// CHECK-NOT:     nvvm.convert
// CHECK-LABEL: cube.kernel @rounds_down
// CHECK-NOT:     nvvm.convert
// CHECK:         arith.truncf %{{.*}} downward : vector<2xf32> to vector<2xf16>
// PTX-COUNT-3: cvt.rn.{{b?}}f16x2.f32
// PTX75-NOT:   f16x2.f32
cube.kernel @narrow(%x: !cube.array<f32, 4>, %a: !cube.array<f16, 4>, %b: !cube.array<bf16, 2>, %c: !cube.array<f16>,
                    %d: !cube.array<f16>, %e: !cube.array<f16, 2>, %wide: !cube.array<f64, 2>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f32, 4> -> vector<4xf32>
  %four = arith.truncf %v : vector<4xf32> to vector<4xf16>
  cube.store %four, %a[%i] checked : vector<4xf16>, !cube.array<f16, 4>
  %low = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  %two = arith.truncf %low : vector<2xf32> to vector<2xbf16>
  cube.store %two, %b[%i] checked : vector<2xbf16>, !cube.array<bf16, 2>
  %first = vector.extract %v[0] : f32 from vector<4xf32>
  %one = arith.truncf %first : f32 to f16
  cube.store %one, %c[%i] checked : f16, !cube.array<f16>
  %most = vector.extract_strided_slice %v {offsets = [0], sizes = [3], strides = [1]} : vector<4xf32> to vector<3xf32>
  %three = arith.truncf %most : vector<3xf32> to vector<3xf16>
  %last = vector.extract %three[2] : f16 from vector<3xf16>
  cube.store %last, %d[%i] checked : f16, !cube.array<f16>
  %w = cube.load %wide[%i] checked : !cube.array<f64, 2> -> vector<2xf64>
  %n = arith.truncf %w : vector<2xf64> to vector<2xf16>
  cube.store %n, %e[%i] checked : vector<2xf16>, !cube.array<f16, 2>
  cube.return
}

// Two numbers of one vector are a pair. The third conversion is used before the fourth.
cube.kernel @lanes(%x: !cube.array<f32>, %a: !cube.array<f16, 2>, %b: !cube.array<f16>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %one = arith.constant 1.0 : f32
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  %w = arith.addf %v, %one : f32
  %p = arith.truncf %v : f32 to f16
  %q = arith.truncf %w : f32 to f16
  %both = vector.from_elements %p, %q : vector<2xf16>
  cube.store %both, %a[%i] checked : vector<2xf16>, !cube.array<f16, 2>
  %r = arith.truncf %v : f32 to f16
  %back = arith.extf %r : f16 to f32
  %sum = arith.addf %back, %one : f32
  %s = arith.truncf %sum : f32 to f16
  cube.store %s, %b[%i] checked : f16, !cube.array<f16>
  cube.return
}

// The instruction rounds to nearest even.
cube.kernel @rounds_down(%x: !cube.array<f32, 2>, %a: !cube.array<f16, 2>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f32, 2> -> vector<2xf32>
  %n = arith.truncf %v downward : vector<2xf32> to vector<2xf16>
  cube.store %n, %a[%i] checked : vector<2xf16>, !cube.array<f16, 2>
  cube.return
}
