//===- RustTraits.td: operations whose verifiers and folders are Rust, found by their names ------------------------===//
#ifndef CUBE_RUST_TRAITS_TD
#define CUBE_RUST_TRAITS_TD

include "mlir/IR/OpBase.td"

def RustVerify : NativeOpTrait<"RustVerify"> { let cppNamespace = "::cube"; }
// Units do it together: no pass may change which units reach it. `isConvergent` in Bridge.cpp reads it.
def Convergent : NativeOpTrait<"Convergent"> { let cppNamespace = "::cube"; }
def RustFold : NativeOpTrait<"RustFold"> { let cppNamespace = "::cube"; }

#endif
