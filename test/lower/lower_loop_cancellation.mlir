// RUN: cube-opt %s --lower-loop-cancellation --split-input-file | FileCheck %s
// RUN: cubec %S/../specialize/mark_may_not_terminate.mlir --kernel computes --target cpu --emit lower -o - | FileCheck %s --check-prefix=CPU
// RUN: cubec %S/../specialize/mark_may_not_terminate.mlir --kernel computes --target nvptx --emit lower -o - | FileCheck %s --check-prefix=GPU
// RUN: cubec %S/../specialize/mark_may_not_terminate.mlir --kernel computes --target amdgpu --emit lower -o - | FileCheck %s --check-prefix=GPU
// RUN: cubec %S/../specialize/mark_may_not_terminate.mlir --kernel computes --target nvptx --emit llvm -o - | FileCheck %s --check-prefix=LOOP

// A cancelled loop stores its line and returns from the function.
// CHECK-LABEL: llvm.func @leaves
// CHECK: cf.cond_br %{{.*}}, ^[[OUT:bb[0-9]+]], ^[[ON:bb[0-9]+]]
// CHECK: ^[[OUT]]:
// CHECK-NEXT: llvm.store volatile
// CHECK-NEXT: llvm.return
// CHECK: ^[[ON]]:
// CHECK-NOT: cube.may_not_terminate
llvm.func @leaves(%stop: !llvm.ptr, %line: i32, %asked: i1) {
  cf.br ^iteration
^iteration:
  cf.cond_br %asked, ^leave, ^on
^leave:
  llvm.store volatile %line, %stop : i32, !llvm.ptr
  cube.may_not_terminate {leaves}
  cf.br ^on
^on:
  cf.br ^iteration
}

// -----

// Without a cancellation word, the mark is removed.
// CHECK-LABEL: llvm.func @without_word
// CHECK: ^[[MARK:bb[0-9]+]]:
// CHECK-NEXT: cf.br ^[[MARK]]
llvm.func @without_word() {
  cf.br ^iteration
^iteration:
  cube.may_not_terminate
  cf.br ^iteration
}

// The stored word is the line of the loop, 20, with the highest bit set: -2147483648 + 20.
// CPU: llvm.func internal @computes.body({{.*}}%[[STOP:arg[0-9]+]]: !llvm.ptr
// CPU: %[[LINE:.*]] = llvm.mlir.constant(-2147483628 : i32)
// CPU: llvm.load volatile %[[STOP]]
// CPU: llvm.store volatile %{{.*}}, %[[STOP]]
// CPU-NEXT: llvm.return
// GPU: llvm.func @computes
// GPU-NOT: volatile
// GPU: llvm.cond_br
// LOOP: [[SELF:[.a-z0-9]+]]: {{.*}}preds = {{.*}}, %[[SELF]]{{$}}
// LOOP-NEXT: br label %[[SELF]]
