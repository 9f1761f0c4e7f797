#!/usr/bin/env python3
"""Writes 100,000 operations of the cube dialect to cube.mlir, and 100,000 similar operations of memref and arith to upstream.mlir.
The files serve to measure the times of parsing, verifying and printing: python3 benches/parse/generate.py FOLDER"""
import sys

COUNT = 10_000

CUBE = """  %a{k} = cube.load %x[%i] : !cube.array<f32> -> f32
  %b{k} = cube.divui %i, %n : i32
  %c{k} = cube.plane_reduce addf %a{k} : f32
  cube.store %c{k}, %m[%b{k}] : f32, !cube.shared<64 x f32>
  %d{k} = cube.atomic_rmw addi %b{k}, %y[%i] : i32, !cube.array<i32>
  %e{k} = cube.load %m[%d{k}] : !cube.shared<64 x f32> -> f32
  %f{k} = cube.plane_shuffle xor %e{k}, %n : f32
  %g{k} = cube.cast %f{k} : f32 to i32
  %h{k} = cube.addsi_sat %g{k}, %d{k} : i32
  cube.store %h{k}, %y[%i] : i32, !cube.array<i32>
"""

UPSTREAM = """  %a{k} = memref.load %x[%i] : memref<?xf32>
  %b{k} = arith.divui %j, %n : i32
  %c{k} = arith.addf %a{k}, %a{k} : f32
  memref.store %c{k}, %m[%i] : memref<64xf32>
  %d{k} = memref.atomic_rmw addi %b{k}, %y[%i] : (i32, memref<?xi32>) -> i32
  %e{k} = memref.load %m[%i] : memref<64xf32>
  %f{k} = arith.mulf %e{k}, %a{k} : f32
  %g{k} = arith.fptosi %f{k} : f32 to i32
  %h{k} = arith.addi %g{k}, %d{k} : i32
  memref.store %h{k}, %y[%i] : memref<?xi32>
"""


def whole(head, part, tail):
    return head + "".join(part.replace("{k}", str(k)) for k in range(COUNT)) + tail


folder = sys.argv[1]
with open(f"{folder}/cube.mlir", "w") as file:
    head = """cube.kernel @k(%x: !cube.array<f32>, %n: i32, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %m = cube.alloc : !cube.shared<64 x f32>
"""
    file.write(whole(head, CUBE, "  cube.return\n}\n"))
with open(f"{folder}/upstream.mlir", "w") as file:
    head = """func.func @k(%x: memref<?xf32>, %n: i32, %i: index, %y: memref<?xi32>) {
  %j = arith.index_cast %i : index to i32
  %m = memref.alloca() : memref<64xf32>
"""
    file.write(whole(head, UPSTREAM, "  return\n}\n"))
