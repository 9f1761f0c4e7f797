//===- RustTraits.td: traits of operations whose verifiers and folders are Rust functions ------------------------===//
#ifndef CUBE_RUST_TRAITS_TD
#define CUBE_RUST_TRAITS_TD

include "mlir/IR/OpBase.td"

// `rule` is the path of the Rust function that verifies the operation, relative to the dialect's module `verify`.
class RustVerify<string rule_> : NativeOpTrait<"RustVerify"> { let cppNamespace = "::cube"; string rule = rule_; }
// A convergent operation: no pass is allowed to change which units reach it. `isConvergent` in Bridge.cpp reads it.
def Convergent : NativeOpTrait<"Convergent"> { let cppNamespace = "::cube"; }
def RustFold : NativeOpTrait<"RustFold"> { let cppNamespace = "::cube"; }

#endif
