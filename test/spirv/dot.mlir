// RUN: cubec %s --target spirv:vulkan1.3 --emit asm -o - | FileCheck %s --check-prefix=NATIVE
// RUN: cubec %s --target spirv:vulkan1.2 --emit asm -o - | FileCheck %s --check-prefix=EXPANDED

// Every implementation of Vulkan 1.3 has dot products of bytes. On other chips, the bytes are extended by shifts.
// NATIVE-DAG: OpCapability DotProduct{{$}}
// NATIVE-DAG: OpCapability DotProductInput4x8BitPacked
// NATIVE: OpSDot %{{.*}} %{{.*}} %{{.*}} PackedVectorFormat4x8Bit
// NATIVE-NOT: OpShiftRightArithmetic
// EXPANDED-NOT: OpSDot
// EXPANDED-COUNT-8: OpShiftRightArithmetic
// EXPANDED-NOT: OpSDot
cube.kernel @dot(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %a = cube.load %x[%i] : !cube.array<i32> -> i32
  %b = cube.load %y[%i] : !cube.array<i32> -> i32
  %r = cube.dot %a, %b : i32
  cube.store %r, %y[%i] : i32, !cube.array<i32>
  cube.return
}
