//===- RustTraits.td: operations whose verifiers and folders are Rust, found by their names ------------------------===//
#ifndef CUBE_RUST_TRAITS_TD
#define CUBE_RUST_TRAITS_TD

include "mlir/IR/OpBase.td"

def RustVerify : NativeOpTrait<"RustVerify"> { let cppNamespace = "::cube"; }
def RustFold : NativeOpTrait<"RustFold"> { let cppNamespace = "::cube"; }

#endif
