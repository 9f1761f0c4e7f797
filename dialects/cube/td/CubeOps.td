//===- CubeOps.td: the operations of the cube dialect ----------------------------------------------------------------===//
#ifndef CUBE_OPS_TD
#define CUBE_OPS_TD

include "CubeDialect.td"
include "RustTraits.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/MemorySlotInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

// Verifiers and folders are Rust: dialects/cube/src/verify and fold.rs.

// The build script of dialects/mlir reads these fields. `lastLevel` is the last level that allows the operation: source, flat or
// legal. `access` is the kind of an access and its memory operand, if memory effects do not describe both. `planeResult` and
// `planeGroup` describe a plane operation. `integerFunction` is the `cube_target::IntegerFunction` that a chip can have.
class Cube_Op<string mnemonic, list<Trait> traits = []> : Op<Cube_Dialect, mnemonic, traits> {
  string lastLevel = "source";
  string access = "";
  string planeResult = "";
  string planeGroup = "";
  string integerFunction = "";
}

def Cube_ScalarInt : Type<And<[AnySignlessInteger.predicate, CPred<"$_self.getIntOrFloatBitWidth() <= 64">]>,
                          "signless integer of at most 64 bits">;
def Cube_Int : AnyTypeOf<[Cube_ScalarInt, FixedVectorOfRankAndType<[1], [Cube_ScalarInt]>]>;

def Cube_Number : AnyTypeOf<[AnySignlessInteger, AnyFloat, Cube_ParamType]>;
def Cube_Value : AnyTypeOf<[Cube_Number, FixedVectorOfRankAndType<[1], [Cube_Number]>], "number or line of numbers">;
def Cube_Buffer : AnyTypeOf<[Cube_ArrayType, Cube_TensorType, Cube_SharedType, Cube_LocalType, Cube_SliceType],
                            "array, tensor, shared or local memory, or a slice of one">;
// Atomics are also allowed at level legal, where buffers are memrefs and indices have the type `index`.
def Cube_AtomicBuffer : AnyTypeOf<[Cube_Buffer, AnyMemRef], "buffer">;
def Cube_AtomicIndex : AnyTypeOf<[I32, Index], "index">;

// This resource represents the active units. Plane operations read the resource, and barriers write it, so that no pass moves a
// plane operation into other control flow.
def Cube_Plane : Resource<"::cube::PlaneResource">;
def Cube_Output : Resource<"::cube::OutputResource">;
def Cube_ReadsPlane : MemoryEffects<[MemRead<Cube_Plane>]>;

//===- Kernels and functions ------------------------------------------------------------------------------------------===//

class Cube_FuncLike<string mnemonic, string rule, list<Trait> traits> : Cube_Op<mnemonic,
    [FunctionOpInterface, IsolatedFromAbove, SingleBlock, AffineScope, AutomaticAllocationScope, RustVerify<rule>]
    # traits> {
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  code functionLike = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    bool isPublic() {
      using ::mlir::SymbolTable;
      return SymbolTable::getSymbolVisibility(*this) == SymbolTable::Visibility::Public || CubeDialect::leavesEarly(*this);
    }
  }];
  let extraClassDeclaration = functionLike;
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &p, ::mlir::OperationState &state) {
      return ::parseFuncLike(p, state, getOperationName() == "cube.kernel");
    }
    void $cppClass::print(::mlir::OpAsmPrinter &p) { ::printFuncLike(p, *this); }
    void $cppClass::getAsmBlockArgumentNames(::mlir::Region &r, ::mlir::OpAsmSetValueNameFn f) { ::nameArguments(*this, r, f); }
  }];
}

let lastLevel = "legal" in def Cube_KernelOp : Cube_FuncLike<"kernel", "whole_kernel", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "the entry point of a launch, which every unit runs once";
  let description = [{
    The arguments of a kernel are buffers and scalars. The attribute `cube_dim` is the number of units of a cube. The
    attribute `comptime` declares parameters that the pass `specialize` replaces by values. Accesses of buffers are
    checked, except in kernels with the attribute `unchecked`. The author of an `unchecked` kernel promises that every
    access is in bounds. The attribute `cube.host = "u32"` of an argument is the argument's type on the host. The host's
    type is necessary because integers of the IR have no sign. The attribute `cube.access = "read"` of an argument
    forbids stores.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       DenseI32ArrayAttr:$cube_dim, UnitAttr:$unchecked, OptionalAttr<ArrayAttr>:$comptime,
                       OptionalAttr<StrArrayAttr>:$arg_names, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
}

def Cube_FuncOp : Cube_FuncLike<"func", "kernel::function", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a function that kernels and other functions of the module can call; the compiler inlines every call";
  // Code outside the module cannot call the function, so symbol-dce can remove it, even if it is not private.
  let extraClassDeclaration = functionLike # [{ bool canDiscardOnUseEmpty() { return true; } }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       TypeAttrOf<FunctionType>:$function_type, OptionalAttr<StrArrayAttr>:$arg_names,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
}

def Cube_CallOp : Cube_Op<"call", [Convergent, CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
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
    ::mlir::Operation *resolveCallableInTable(::mlir::SymbolTableCollection *tables) {
      ::mlir::Operation *callee = tables->lookupNearestSymbolFrom(*this, getCalleeAttr());
      return callee && !CubeDialect::leavesEarly(callee) ? callee : nullptr;
    }
    ::mlir::Operation *resolveCallable() {
      ::mlir::SymbolTableCollection tables;
      return resolveCallableInTable(&tables);
    }
  }];
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::verifySymbolUses(::mlir::SymbolTableCollection &tables) {
      auto callee = tables.lookupNearestSymbolFrom<::cube::FuncOp>(*this, getCalleeAttr());
      if (!callee)
        return emitError() << "'cube.call' calls " << getCalleeAttr()
                             << ", which is not a cube.func of this module; define the function or correct the name [CUBE0112]";
      auto type = ::mlir::FunctionType::get(getContext(), getOperandTypes(), getResultTypes());
      if (callee.getFunctionType() != type)
        return emitError() << "'cube.call' has type " << type << ", but " << getCalleeAttr() << " has type "
                             << callee.getFunctionType() << "; use equal types [CUBE0113]";
      return ::mlir::success();
    }
  }];
}

let lastLevel = "legal" in def Cube_ReturnOp : Cube_Op<"return", [Terminator, ReturnLike, RustVerify<"kernel::returns">]> {
  let summary = "ends a kernel, or ends a function and returns values; allowed also inside `cube.if`, `cube.for` and `cube.loop`";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}

//===- Values known before the kernel runs -----------------------------------------------------------------------------===//

def Cube_ConstantOp : Cube_Op<"constant", [Pure, RustVerify<"kernel::constant">]> {
  let summary = "the value of a comptime parameter";
  let description = [{ The pass `specialize` replaces this operation by an `arith.constant`. }];
  let arguments = (ins Cube_ParamAttr:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Cube_GenericOp : Cube_Op<"generic", [NoMemoryEffect, RustVerify<"kernel::generic">]> {
  let summary = "an operation for which `specialize` substitutes another one, selected by the instantiated type of a comptime parameter";
  let description = [{
    The word `float` precedes the name of an operation of arith, math or vector for floats and lines of floats. The
    word `int` precedes the name of an operation for integers. The first operand or result whose type is a parameter
    selects the operation. The operation for floats or the operation for integers can be omitted if the kernel does
    not support such types. The text `with {...}` after a name contains the attributes of the named operation. The
    pass `specialize` replaces `cube.generic` by the selected operation. If all instantiated types of a parameter are
    floats, a kernel can use operations of arith instead of `cube.generic`.
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$float_op, OptionalAttr<DictionaryAttr>:$float_attrs,
                       OptionalAttr<StrAttr>:$int_op, OptionalAttr<DictionaryAttr>:$int_attrs,
                       Variadic<AnyType>:$inputs);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    (`float` $float_op^)? (`with` $float_attrs^)? (`int` $int_op^)? (`with` $int_attrs^)? `(` $inputs `)` attr-dict `:`
    functional-type($inputs, results)
  }];
}

let lastLevel = "legal" in def Cube_TopologyOp : Cube_Op<"topology", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "a topology value, such as the position of the unit, the size of a cube or the number of cubes";
  let description = [{
    The result is a 32-bit value with the meaning of a `u32`. A size without an axis is the product of the sizes of
    all axes: `cube_dim = dim_x * dim_y * dim_z`, `cube_count = count_x * count_y * count_z`, `cube_cluster_dim =
    cluster_x * cluster_y * cluster_z`. A position without an axis is a linear index: `unit_pos = x + dim_x * (y +
    dim_y * z)`, `cube_pos = x + count_x * (y + count_y * z)`, `absolute_pos = x + dim_x * count_x * (y + dim_y *
    count_y * z)` for the absolute positions `x`, `y` and `z`. The positions of planes are `plane_pos = unit_pos /
    plane_dim` and `unit_pos_plane = unit_pos % plane_dim`.
  }];
  let arguments = (ins Cube_TopologyAttr:$value);
  let results = (outs I32:$result);
  let assemblyFormat = "`` $value attr-dict";
  let extraClassDefinition = [{
    void $cppClass::inferResultRanges(::llvm::ArrayRef<::mlir::ConstantIntRanges>, ::mlir::SetIntRangeFn set) { boundInRust(*this, set); }
  }];
}

//===- Included files -------------------------------------------------------------------------------------------------------===//

include "CubeMemory.td"
include "CubePlanes.td"
include "CubeControl.td"

//===- Lanes and conversions ------------------------------------------------------------------------------------------------===//

let lastLevel = "flat" in def Cube_ExtractOp : Cube_Op<"extract", [Pure, RustVerify<"lanes::lane">, RustFold]> {
  let summary = "reads a lane of a line; for an index out of bounds, the result is zero";
  let description = [{
    The index of the lane is unsigned. A constant index must be below the number of lanes (CUBE0146).
  }];
  let arguments = (ins FixedVectorOfRankAndType<[1], [Cube_Number]>:$line, I32:$index);
  let results = (outs Cube_Number:$result);
  let assemblyFormat = "$line `[` $index `]` attr-dict `:` type($line) `->` type($result)";
}

let lastLevel = "flat" in def Cube_InsertOp : Cube_Op<"insert", [Pure, AllTypesMatch<["line", "result"]>, RustVerify<"lanes::lane">, RustFold]> {
  let summary = "a copy of a line in which the value replaces one lane; for an index out of bounds, the copy is equal to the line";
  let description = [{
    The index of the lane is unsigned. A constant index must be below the number of lanes (CUBE0146).
  }];
  let arguments = (ins Cube_Number:$value, FixedVectorOfRankAndType<[1], [Cube_Number]>:$line, I32:$index);
  let results = (outs FixedVectorOfRankAndType<[1], [Cube_Number]>:$result);
  let assemblyFormat = "$value `,` $line `[` $index `]` attr-dict `:` type($value) `,` type($line)";
}

let lastLevel = "flat" in def Cube_CastOp : Cube_Op<"cast", [Pure, RustVerify<"lanes::cast">, RustFold]> {
  let summary = "converts a number or line to another type, with a result for every value";
  let description = [{
    Integers are signed, except with `from_unsigned` or `to_unsigned`. A bool is unsigned, and a nonzero number
    converts to true. A float converts to an integer by rounding towards zero and clamping to the range of the
    integer; NaN converts to zero. A conversion between integers keeps the low bits; with `saturate`, the conversion
    clamps the value. A conversion to a float rounds to nearest even, or as `round` specifies. An overflow gives
    infinity, or NaN in formats without infinity; with `saturate`, an overflow gives the largest finite number. In a
    format without infinity and NaN (`f4E2M1FN`, `f6E2M3FN`, `f6E3M2FN`), an overflow gives the largest number with the
    same sign, and NaN gives the largest number. `f8E8M0FNU` has no zero and no sign: a conversion rounds ties up, and
    all numbers below `2^-127` give `2^-127`. A float of 4 or 6 bits is the lower part of a byte in memory. A tf32 has 32 bits: a conversion to tf32 sets the lowest 13 bits to zero, and a conversion from tf32 ignores these bits.
  }];
  let arguments = (ins Cube_Value:$value, UnitAttr:$from_unsigned, UnitAttr:$to_unsigned, UnitAttr:$saturate,
                       OptionalAttr<Cube_RoundingAttr>:$rounding);
  let results = (outs Cube_Value:$result);
  let assemblyFormat = "$value (`from_unsigned` $from_unsigned^)? (`to_unsigned` $to_unsigned^)? (`saturate` $saturate^)? (`round` `` $rounding^)? attr-dict `:` type($value) `to` type($result)";
}

let lastLevel = "flat" in def Cube_PrintOp : Cube_Op<"print", [MemoryEffects<[MemWrite<Cube_Output>]>, RustVerify<"lanes::print">]> {
  let summary = "prints a line of text for debugging; the values replace the placeholders `{}` of the text in order";
  let description = [{
    Integers are printed as signed numbers; `{:u}` prints an unsigned number. The printed lines of a cube are in the
    order in which its units execute `cube.print`. A launch stores up to one megabyte of printed lines. If a launch
    prints more, the runtime reports the number of lost lines. With `fails`, the line is not printed: the launch
    fails, and the line is the text of the error.
  }];
  let arguments = (ins StrAttr:$text, Variadic<Cube_Value>:$values, UnitAttr:$fails);
  let assemblyFormat = "$text (`(` $values^ `)` `:` type($values))? (`fails` $fails^)? attr-dict";
}

//===- Total integer operations ------------------------------------------------------------------------------------------===//

class Cube_TotalOp<string mnemonic, string meaning> : Cube_Op<mnemonic,
    [Pure, SameOperandsAndResultType, RustFold]> {
  let lastLevel = "flat";
  let summary = meaning;
  let arguments = (ins Cube_Int:$lhs, Cube_Int:$rhs);
  let results = (outs Cube_Int:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

let integerFunction = "total_division" in {
def Cube_DivUIOp : Cube_TotalOp<"divui", "unsigned division; x / 0 = x">;
def Cube_DivSIOp : Cube_TotalOp<"divsi", "signed division towards zero; x / 0 = x, MIN / -1 = MIN">;
def Cube_RemUIOp : Cube_TotalOp<"remui", "unsigned remainder; x % 0 = 0">;
def Cube_RemSIOp : Cube_TotalOp<"remsi", "signed remainder with the sign of the dividend; x % 0 = 0, MIN % -1 = 0">;
}
let integerFunction = "total_shift" in {
def Cube_ShLOp : Cube_TotalOp<"shl", "shift left; the amount is taken modulo the width of the type">;
def Cube_ShRUIOp : Cube_TotalOp<"shrui", "logical shift right; the amount is taken modulo the width of the type">;
def Cube_ShRSIOp : Cube_TotalOp<"shrsi", "arithmetic shift right; the amount is taken modulo the width of the type">;
}
let integerFunction = "saturating_sum" in {
def Cube_AddSISatOp : Cube_TotalOp<"addsi_sat", "signed sum, clamped to the range of the type">;
def Cube_AddUISatOp : Cube_TotalOp<"addui_sat", "unsigned sum, clamped to the range of the type">;
def Cube_SubSISatOp : Cube_TotalOp<"subsi_sat", "signed difference, clamped to the range of the type">;
def Cube_SubUISatOp : Cube_TotalOp<"subui_sat", "unsigned difference, 0 if it is negative">;
}

let lastLevel = "flat", integerFunction = "reverse_bits" in def Cube_ReverseBitsOp : Cube_Op<"reverse_bits", [Pure, SameOperandsAndResultType, RustFold]> {
  let summary = "the bits of an integer in reverse order";
  let arguments = (ins Cube_Int:$value);
  let results = (outs Cube_Int:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Cube_Word : AnyTypeOf<[I32, FixedVectorOfRankAndType<[1], [I32]>], "i32 or a line of i32">;
let lastLevel = "flat", integerFunction = "dot" in def Cube_DotOp : Cube_Op<"dot", [Pure, SameOperandsAndResultType, RustFold]> {
  let summary = "sum of the products of signed bytes";
  let description = [{ Each operand holds four signed bytes, the first in the low bits. The sum of the four products is exact. }];
  let arguments = (ins Cube_Word:$a, Cube_Word:$b);
  let results = (outs Cube_Word:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($result)";
}

#endif
