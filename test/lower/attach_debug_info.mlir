// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-debug-info{folder=/src})' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-debug-info{folder=/src lines=true})' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LINES --implicit-check-not=dbg.declare --implicit-check-not=alloca

// LINES: llvm.store %arg2, %arg1 {{.*}} loc("k.mlir":4:3)
// LINES: llvm.store %arg2, %arg1 {{.*}} loc(fused<#llvm.di_lexical_block_file<{{.*}}file = <"f.mlir" in "/src">{{.*}}>["f.mlir":7:5])
// LINES: loc(fused<#llvm.di_subprogram<{{.*}}isOptimized = true, emissionKind = LineTablesOnly{{.*}}>["k.mlir":2:1])

// The entry function is unchanged; the body function becomes a subprogram with the kernel's name.
// CHECK-LABEL: llvm.func @k(
// CHECK: } loc("k.mlir":2:1)
llvm.func @k(%p: !llvm.ptr) {
  llvm.return loc("k.mlir":2:1)
} loc("k.mlir":2:1)

// A variable becomes a cell that contains its address; the cell is set before every store to the variable.
// CHECK-LABEL: llvm.func internal @k.body(
// The debug type of a buffer is a pointer.
// CHECK: %[[OUT:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: llvm.store %arg1, %[[OUT]]
// CHECK: llvm.intr.dbg.declare #llvm.di_local_variable<{{.*}}name = "out"{{.*}}type = #llvm.di_derived_type<tag = DW_TAG_pointer_type, baseType = #llvm.di_composite_type<{{.*}}count = 4 : i64{{.*}}= %[[OUT]]
// CHECK: %[[ROW:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: llvm.intr.dbg.declare #llvm.di_local_variable<scope = #llvm.di_subprogram<{{.*}}name = "k", linkageName = "k.body", file = <"k.mlir" in "/src">, line = 2{{.*}}name = "row"{{.*}}type = #llvm.di_composite_type<tag = DW_TAG_array_type, {{.*}}name = "u32", sizeInBits = 32, encoding = DW_ATE_unsigned>{{.*}}sizeInBits = 256{{.*}}count = 8 : i64{{.*}}#llvm.di_expression<[DW_OP_deref]> = %[[ROW]]
// CHECK: %[[V:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: llvm.store %{{.*}}, %[[V]]
// CHECK: llvm.intr.dbg.declare #llvm.di_local_variable<{{.*}}name = "v"{{.*}}line = 4, type = #llvm.di_basic_type<tag = DW_TAG_base_type, name = "f32", sizeInBits = 32, encoding = DW_ATE_float>>{{.*}}= %[[V]]
llvm.func internal @k.body(%p: !llvm.ptr, %q: !llvm.ptr, %a: f32, %r: vector<8xi32>, %m: vector<8xi1>) attributes {cube.debug = ["", "out: vector<4xf32>"]} {
  // CHECK: llvm.store %arg1, %[[V]]
  // CHECK: llvm.store %arg2, %arg1 {{.*}} loc("k.mlir":4:3)
  llvm.store %a, %q : f32, !llvm.ptr loc("v: f32"("k.mlir":4:3))
  // Name, call-site and fused locations around a location are ignored; another file gets a lexical block.
  // CHECK: llvm.store %arg1, %[[V]]
  // CHECK: llvm.store %arg2, %arg1 {{.*}} loc(fused<#llvm.di_lexical_block_file<{{.*}}file = <"f.mlir" in "/src">{{.*}}>["f.mlir":7:5])
  llvm.store %a, %q : f32, !llvm.ptr loc(callsite("v: f32"("f.mlir":7:5) at "k.mlir":5:3))
  // CHECK: llvm.store %arg0, %[[ROW]]
  // CHECK: llvm.intr.masked.store
  llvm.intr.masked.store %r, %p, %m {alignment = 4 : i32} : vector<8xi32>, vector<8xi1> into !llvm.ptr loc(fused["row: u32"("k.mlir":6:3), "k.mlir":7:3])
  // Stores whose location names no variable are kept: a name without a type, and an unknown type.
  // CHECK-NEXT: llvm.store %arg2, %arg1 {{.*}} loc("k.mlir":8:3)
  // CHECK-NEXT: llvm.store %arg2, %arg1 {{.*}} loc("k.mlir":9:3)
  llvm.store %a, %q : f32, !llvm.ptr loc("w"("k.mlir":8:3))
  llvm.store %a, %q : f32, !llvm.ptr loc("z: matrix"("k.mlir":9:3))
  llvm.return loc("k.mlir":10:1)
} loc("k.mlir":2:1)
// CHECK: } loc(fused<#llvm.di_subprogram<{{.*}}name = "k"{{.*}}>["k.mlir":2:1])
