//===- Cube.h: the C++ declarations of the cube dialect ------------------------------------------------------------===//
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/MemorySlotInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/TypeSwitch.h"

namespace cube {
// These functions call Rust code, which finds the verifier or folder by the name of the operation (dialects/cube).
mlir::LogicalResult verifyInRust(mlir::Operation *op);
using FoldResults = llvm::SmallVectorImpl<mlir::OpFoldResult>;
void boundInRust(mlir::Operation *op, mlir::SetIntRangeFn set);
mlir::LogicalResult foldInRust(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands, FoldResults &results);

// Rust converts the text between `<` and `>` of these attributes to numbers, and numbers to text.
mlir::LogicalResult parseNumbers(mlir::AsmParser &p, llvm::StringRef name, llvm::SmallVectorImpl<int64_t> &numbers);
void printNumbers(mlir::AsmPrinter &p, llvm::StringRef name, llvm::ArrayRef<int64_t> numbers);

template <typename Op> struct RustVerify : mlir::OpTrait::TraitBase<Op, RustVerify> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyInRust(op); }
};
template <typename Op> struct RustFold : mlir::OpTrait::TraitBase<Op, RustFold> {
  static mlir::LogicalResult foldTrait(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands, FoldResults &results) {
    return foldInRust(op, operands, results);
  }
};
template <typename Op> struct Convergent : mlir::OpTrait::TraitBase<Op, Convergent> {};
// Resources of effects: the participating units of a plane operation, and the printed text of a kernel.
struct PlaneResource : mlir::SideEffects::Resource::Base<PlaneResource> {
  llvm::StringRef getName() final { return "plane"; }
};
struct OutputResource : mlir::SideEffects::Resource::Base<OutputResource> {
  llvm::StringRef getName() final { return "output"; }
};
// All calls can be inlined. An inlined return is replaced by its operands.
struct Inliner : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Operation *, mlir::Operation *, bool) const final { return true; }
  bool isLegalToInline(mlir::Region *, mlir::Region *, bool, mlir::IRMapping &) const final { return true; }
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool, mlir::IRMapping &) const final { return true; }
  void handleTerminator(mlir::Operation *op, mlir::ValueRange values) const final {
    for (auto [from, to] : llvm::zip(values, op->getOperands()))
      from.replaceAllUsesWith(to);
  }
};
} // namespace cube

#include "Dialects.h.inc" // the output of mlir-tblgen for each dialect that build.rs lists
