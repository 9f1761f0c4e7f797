//===- CubeOps.td: the operations of the cube dialect ----------------------------------------------------------------===//
#ifndef CUBE_OPS_TD
#define CUBE_OPS_TD

include "CubeDialect.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

// Verifiers and folders are Rust: dialects/cube/src/{verify,fold}.rs, found by the op's name.
def RustVerify : NativeOpTrait<"RustVerify"> { let cppNamespace = "::cube"; }
def RustFold : NativeOpTrait<"RustFold"> { let cppNamespace = "::cube"; }

class Cube_Op<string mnemonic, list<Trait> traits = []> : Op<Cube_Dialect, mnemonic, traits>;

def Cube_ScalarInt : Type<And<[AnySignlessInteger.predicate, CPred<"$_self.getIntOrFloatBitWidth() <= 64">]>,
                          "signless integer of at most 64 bits">;
def Cube_Int : AnyTypeOf<[Cube_ScalarInt, FixedVectorOfRankAndType<[1], [Cube_ScalarInt]>]>;

//===- Kernels and functions ------------------------------------------------------------------------------------------===//

class Cube_FuncLike<string mnemonic, list<Trait> traits> : Cube_Op<mnemonic,
    [FunctionOpInterface, IsolatedFromAbove, SingleBlock, AffineScope, AutomaticAllocationScope, RustVerify]
    # traits> {
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Cube_KernelOp : Cube_FuncLike<"kernel", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "the entry point of a launch, run once by every unit";
  let description = [{
    Arguments are buffers and scalars; `cube_dim` gives the units of a cube. `comptime` declares parameters that
    `specialize` replaces by values. Buffer accesses are checked unless the kernel says `unchecked`, which is the
    caller's promise that every access is in bounds. On an argument, `cube.host = "u32"` tells the host's type where the
    IR's signless type leaves it open, and `cube.access = "read"` forbids stores.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       DenseI32ArrayAttr:$cube_dim, UnitAttr:$unchecked, OptionalAttr<ArrayAttr>:$comptime,
                       OptionalAttr<StrArrayAttr>:$arg_names, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
}

def Cube_FuncOp : Cube_FuncLike<"func", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a function that kernels and other functions of the module call; always inlined";
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       TypeAttrOf<FunctionType>:$function_type, OptionalAttr<StrArrayAttr>:$arg_names,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
}

def Cube_CallOp : Cube_Op<"call", [CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a call of a `cube.func`";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)";
  let extraClassDeclaration = [{
    operand_range getArgOperands() { return getOperands(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getOperandsMutable(); }
    ::mlir::CallInterfaceCallable getCallableForCallee() { return getCalleeAttr(); }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
  }];
}

def Cube_ReturnOp : Cube_Op<"return", [Pure, Terminator, ReturnLike, RustVerify]> {
  let summary = "ends a kernel (without values) or a function";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}

//===- Values known before the kernel runs -----------------------------------------------------------------------------===//

def Cube_ConstantOp : Cube_Op<"constant", [Pure, RustVerify]> {
  let summary = "a value given by a comptime parameter";
  let description = [{ `specialize` turns it into an `arith.constant`. }];
  let arguments = (ins Cube_ParamAttr:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Cube_TopologyOp : Cube_Op<"topology", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "where this unit is: its position, the size of cubes, the number of cubes";
  let description = [{
    A 32-bit value with the meaning of a `u32`. Without an axis it is linear: `unit_pos = x + dim_x * (y + dim_y * z)`,
    `absolute_pos = x + (dim_x * count_x) * (y + dim_y * count_y * z)` over absolute positions.
  }];
  let arguments = (ins Cube_TopologyAttr:$value);
  let results = (outs I32:$result);
  let assemblyFormat = "`` $value attr-dict";
}

//===- Buffers --------------------------------------------------------------------------------------------------------===//

def Cube_LenOp : Cube_Op<"len", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the number of lines of a buffer, as a u32";
  let arguments = (ins Cube_ArrayType:$buffer);
  let results = (outs I32:$result);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer))";
}

def Cube_LoadOp : Cube_Op<"load", [DeclareOpInterfaceMethods<ConditionallySpeculatable>, RustVerify]> {
  let summary = "reads a line of a buffer";
  let description = [{
    The index is a `u32`. A `checked` load outside the buffer gives zero; an `inbounds` load there is undefined.
    Without either word the kernel decides: `unchecked` kernels promise all accesses.
  }];
  let arguments = (ins Arg<Cube_ArrayType, "", [MemRead]>:$buffer, I32:$index, OptionalAttr<Cube_BoundsAttr>:$bounds);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$buffer `[` $index `]` `` custom<Bounds>($bounds) attr-dict `:` qualified(type($buffer)) `->` type($result)";
  let extraClassDefinition = [{
    ::mlir::Speculation::Speculatability $cppClass::getSpeculatability() {
      return getBounds() == ::cube::Bounds::Checked ? ::mlir::Speculation::Speculatable
                                                    : ::mlir::Speculation::NotSpeculatable;
    }
  }];
}

def Cube_StoreOp : Cube_Op<"store", [RustVerify]> {
  let summary = "writes a line of a buffer";
  let description = [{ A `checked` store outside the buffer is dropped; an `inbounds` store there is undefined. }];
  let arguments = (ins AnyType:$value, Arg<Cube_ArrayType, "", [MemWrite]>:$buffer, I32:$index,
                       OptionalAttr<Cube_BoundsAttr>:$bounds);
  let assemblyFormat = "$value `,` $buffer `[` $index `]` `` custom<Bounds>($bounds) attr-dict `:` type($value) `,` qualified(type($buffer))";
}

//===- Total integer operations ------------------------------------------------------------------------------------------===//

class Cube_TotalOp<string mnemonic, string meaning> : Cube_Op<mnemonic,
    [Pure, SameOperandsAndResultType, RustFold]> {
  let summary = meaning;
  let arguments = (ins Cube_Int:$lhs, Cube_Int:$rhs);
  let results = (outs Cube_Int:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Cube_DivUIOp : Cube_TotalOp<"divui", "unsigned division; x / 0 = x">;
def Cube_DivSIOp : Cube_TotalOp<"divsi", "signed division towards zero; x / 0 = x, MIN / -1 = MIN">;
def Cube_RemUIOp : Cube_TotalOp<"remui", "unsigned remainder; x % 0 = 0">;
def Cube_RemSIOp : Cube_TotalOp<"remsi", "signed remainder with the sign of the dividend; x % 0 = 0, MIN % -1 = 0">;
def Cube_ShLOp : Cube_TotalOp<"shl", "shift left by the amount modulo the width">;
def Cube_ShRUIOp : Cube_TotalOp<"shrui", "logical shift right by the amount modulo the width">;
def Cube_ShRSIOp : Cube_TotalOp<"shrsi", "arithmetic shift right by the amount modulo the width">;

#endif
