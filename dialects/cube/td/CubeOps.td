//===- CubeOps.td: the operations of the cube dialect ----------------------------------------------------------------===//
#ifndef CUBE_OPS_TD
#define CUBE_OPS_TD

include "CubeDialect.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/MemorySlotInterfaces.td"
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

def Cube_Number : AnyTypeOf<[AnySignlessInteger, AnyFloat, Cube_ParamType]>;
def Cube_Value : AnyTypeOf<[Cube_Number, FixedVectorOfRankAndType<[1], [Cube_Number]>], "number or line of numbers">;
def Cube_Buffer : AnyTypeOf<[Cube_ArrayType, Cube_TensorType, Cube_SharedType, Cube_LocalType, Cube_SliceType],
                            "array, tensor, shared or local memory, or a slice of one">;
// Atomics stay cube operations at level legal, where buffers are memrefs and indices are `index`.
def Cube_AtomicBuffer : AnyTypeOf<[Cube_Buffer, AnyMemRef], "buffer">;
def Cube_AtomicIndex : AnyTypeOf<[I32, Index], "index">;

// What plane operations read and barriers write: which units take part. It keeps a plane operation where its units are.
def Cube_Plane : Resource<"::cube::PlaneResource">;
def Cube_Output : Resource<"::cube::OutputResource">;
def Cube_ReadsPlane : MemoryEffects<[MemRead<Cube_Plane>]>;

//===- Kernels and functions ------------------------------------------------------------------------------------------===//

class Cube_FuncLike<string mnemonic, list<Trait> traits> : Cube_Op<mnemonic,
    [FunctionOpInterface, IsolatedFromAbove, SingleBlock, AffineScope, AutomaticAllocationScope, RustVerify]
    # traits> {
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  code functionLike = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
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
  // Nothing outside the module can call it, so symbol-dce may remove it, private or not.
  let extraClassDeclaration = functionLike # [{ bool canDiscardOnUseEmpty() { return true; } }];
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
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::verifySymbolUses(::mlir::SymbolTableCollection &tables) {
      auto callee = tables.lookupNearestSymbolFrom<::cube::FuncOp>(*this, getCalleeAttr());
      if (!callee)
        return emitOpError() << "calls " << getCalleeAttr()
                             << ", which is not a cube.func of this module; define it or mend the name [CUBE0112]";
      auto type = ::mlir::FunctionType::get(getContext(), getOperandTypes(), getResultTypes());
      if (callee.getFunctionType() != type)
        return emitOpError() << "has type " << type << " but " << getCalleeAttr() << " has type "
                             << callee.getFunctionType() << " [CUBE0113]";
      return ::mlir::success();
    }
  }];
}

def Cube_ReturnOp : Cube_Op<"return", [Terminator, ReturnLike, RustVerify]> {
  let summary = "ends a kernel (without values) or a function, also from inside `cube.if`, `cube.for` and `cube.loop`";
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
  let extraClassDefinition = [{
    // What the cube dim tells; counts and absolute values are only known at launch, and linear ones may wrap.
    void $cppClass::inferResultRanges(::llvm::ArrayRef<::mlir::ConstantIntRanges>, ::mlir::SetIntRangeFn set) {
      auto bounds = [&](uint64_t lo, uint64_t hi) {
        set(getResult(), ::mlir::ConstantIntRanges::fromUnsigned(::llvm::APInt(32, lo), ::llvm::APInt(32, hi)));
      };
      auto kernel = (*this)->getParentOfType<::cube::KernelOp>();
      unsigned kind = static_cast<unsigned>(getValue()), axis = kind % 4;
      if (!kernel || kernel.getCubeDim().size() != 3)
        return bounds(0, UINT32_MAX);
      ::llvm::ArrayRef<int32_t> dim = kernel.getCubeDim();
      uint64_t all = uint64_t(dim[0]) * dim[1] * dim[2], units = axis ? dim[axis - 1] : all;
      switch (kind / 4) {
      case 1: return bounds(0, units - 1);                          // unit_pos
      case 2: return bounds(0, axis ? UINT32_MAX - 1 : UINT32_MAX); // cube_pos
      case 3: return bounds(units, units);                          // cube_dim
      case 4: return bounds(axis ? 1 : 0, UINT32_MAX);              // cube_count: an empty launch runs no unit
      case 7: return bounds(axis ? 0 : 1, axis == 1 ? all - 1 : 128 - axis / 2); // plane_dim, plane_pos, lane
      default: return bounds(0, UINT32_MAX);                        // absolute_pos, clusters
      }
    }
  }];
}

//===- Buffers --------------------------------------------------------------------------------------------------------===//

class Cube_MeasureOp<string mnemonic, Type of, list<Trait> traits = []> : Cube_Op<mnemonic, [Pure] # traits> {
  let arguments = (ins of:$buffer);
  let results = (outs I32:$result);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer))";
}
class Cube_DimensionOp<string mnemonic> : Cube_Op<mnemonic, [Pure]> {
  let arguments = (ins Cube_TensorType:$buffer, I32:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$buffer `,` $dim attr-dict `:` qualified(type($buffer))";
}

def Cube_LenOp : Cube_MeasureOp<"len", Cube_Buffer,
    [RustFold, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the number of lines of a buffer as the host gave it, as a u32";
  let description = [{
    Of a tensor, the product of its shape divided by the line size; of a slice, `end - start`, or 0 if that is negative.
  }];
  let extraClassDefinition = [{
    void $cppClass::inferResultRanges(::llvm::ArrayRef<::mlir::ConstantIntRanges>, ::mlir::SetIntRangeFn set) {
      set(getResult(), ::mlir::ConstantIntRanges::fromUnsigned(::llvm::APInt(32, 0), ::llvm::APInt::getMaxValue(32)));
    }
  }];
}

def Cube_BufferLenOp : Cube_MeasureOp<"buffer_len", Cube_Buffer,
    [RustFold, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the number of lines that a buffer's memory holds, against which accesses are checked, as a u32";
  let extraClassDefinition = [{
    void $cppClass::inferResultRanges(::llvm::ArrayRef<::mlir::ConstantIntRanges>, ::mlir::SetIntRangeFn set) {
      set(getResult(), ::mlir::ConstantIntRanges::fromUnsigned(::llvm::APInt(32, 0), ::llvm::APInt::getMaxValue(32)));
    }
  }];
}

def Cube_RankOp : Cube_MeasureOp<"rank", Cube_TensorType> {
  let summary = "the number of dimensions of a tensor, as a u32";
}

def Cube_ShapeOp : Cube_DimensionOp<"shape"> {
  let summary = "the extent of a tensor along a dimension, in elements, as a u32; 0 from the rank on";
}

def Cube_StrideOp : Cube_DimensionOp<"stride"> {
  let summary = "the distance of neighbours along a dimension, in elements, as a u32; 0 from the rank on";
}

def Cube_CoordinateOp : Cube_Op<"coordinate", [Pure]> {
  let summary = "the coordinate along a dimension of the element at an offset: offset / stride % shape";
  let arguments = (ins Cube_TensorType:$buffer, I32:$index, I32:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$buffer `,` $index `,` $dim attr-dict `:` qualified(type($buffer))";
}

def Cube_SliceOp : Cube_Op<"slice", [Pure, RustVerify]> {
  let summary = "the lines of a buffer from `start` up to `end`";
  let description = [{
    Lines of the slice are checked against its own length and against the buffer behind it. A slice of a slice counts
    from the start of that slice. Its length is `end - start`, or 0 where `end` is below `start`.
  }];
  let arguments = (ins Cube_Buffer:$buffer, I32:$start, I32:$end);
  let results = (outs Cube_SliceType:$result);
  let assemblyFormat = "$buffer `[` $start `to` $end `]` attr-dict `:` qualified(type($buffer)) `->` qualified(type($result))";
}

def Cube_AllocOp : Cube_Op<"alloc", [RustVerify, DeclareOpInterfaceMethods<PromotableAllocationOpInterface>,
                                     DeclareOpInterfaceMethods<DestructurableAllocationOpInterface>]> {
  let summary = "memory of a cube or of a unit, with no defined content";
  let description = [{
    Shared memory is one piece for all units of a cube and lives as long as the cube; local memory is of one unit. Each
    operation is one allocation however often it runs.
  }];
  let results = (outs Res<AnyTypeOf<[Cube_SharedType, Cube_LocalType]>, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let extraClassDefinition = [{
    // A local cell of one line is a variable; handed to mem2reg.
    ::llvm::SmallVector<::mlir::MemorySlot> $cppClass::getPromotableSlots() {
      auto local = ::llvm::dyn_cast<::cube::LocalType>(getType());
      if (!local || local.getLines() != 1) return {};
      return {::mlir::MemorySlot{getResult(), local.getLineType()}};
    }
    ::mlir::Value $cppClass::getDefaultValue(const ::mlir::MemorySlot &slot, ::mlir::OpBuilder &builder) {
      return ::mlir::arith::ConstantOp::create(builder, getLoc(), builder.getZeroAttr(slot.elemType));
    }
    void $cppClass::handleBlockArgument(const ::mlir::MemorySlot &, ::mlir::BlockArgument, ::mlir::OpBuilder &) {}
    ::std::optional<::mlir::PromotableAllocationOpInterface> $cppClass::handlePromotionComplete(
        const ::mlir::MemorySlot &, ::mlir::Value initial, ::mlir::OpBuilder &) {
      if (initial && initial.use_empty()) initial.getDefiningOp()->erase();
      erase();
      return ::std::nullopt;
    }
    // A local array that is only accessed at constant places is that many cells; handed to SROA.
    ::llvm::SmallVector<::mlir::DestructurableMemorySlot> $cppClass::getDestructurableSlots() {
      auto local = ::llvm::dyn_cast<::cube::LocalType>(getType());
      if (!local || local.getLines() < 2 || local.getLines() > 64) return {};
      auto cell = ::cube::LocalType::get(getContext(), ::mlir::Builder(getContext()).getI32IntegerAttr(1),
                                         local.getElementType(), local.getLine());
      ::mlir::DestructurableMemorySlot slot{::mlir::MemorySlot{getResult(), local}, ::llvm::DenseMap<::mlir::Attribute, ::mlir::Type>()};
      for (int64_t i = 0; i < local.getLines(); ++i)
        slot.subelementTypes[::mlir::Builder(getContext()).getI32IntegerAttr(i)] = cell;
      return {slot};
    }
    ::llvm::DenseMap<::mlir::Attribute, ::mlir::MemorySlot> $cppClass::destructure(
        const ::mlir::DestructurableMemorySlot &slot, const ::llvm::SmallPtrSetImpl<::mlir::Attribute> &used,
        ::mlir::OpBuilder &builder, ::mlir::SmallVectorImpl<::mlir::DestructurableAllocationOpInterface> &made) {
      ::llvm::DenseMap<::mlir::Attribute, ::mlir::MemorySlot> cells;
      for (auto [index, type] : slot.subelementTypes)
        if (used.contains(index)) {
          auto cell = $cppClass::create(builder, getLoc(), type);
          cells.try_emplace(index, ::mlir::MemorySlot{cell.getResult(), ::llvm::cast<::cube::LocalType>(type).getLineType()});
          made.push_back(cell);
        }
      return cells;
    }
    ::std::optional<::mlir::DestructurableAllocationOpInterface> $cppClass::handleDestructuringComplete(
        const ::mlir::DestructurableMemorySlot &, ::mlir::OpBuilder &) {
      erase();
      return ::std::nullopt;
    }
  }];
}

// How a load or store of a local array becomes one of a cell; `$cppClass` is either.
class Cube_RewireMethods { code methods = [{
    bool $cppClass::canRewire(const ::mlir::DestructurableMemorySlot &slot,
                              ::llvm::SmallPtrSetImpl<::mlir::Attribute> &used,
                              ::mlir::SmallVectorImpl<::mlir::MemorySlot> &, const ::mlir::DataLayout &) {
      ::llvm::APInt at;
      if (getBuffer() != slot.ptr || !::mlir::matchPattern(getIndex(), ::mlir::m_ConstantInt(&at))) return false;
      auto place = ::mlir::Builder(getContext()).getI32IntegerAttr(at.getZExtValue());
      return slot.subelementTypes.contains(place) && (used.insert(place), true);
    }
    ::mlir::DeletionKind $cppClass::rewire(const ::mlir::DestructurableMemorySlot &,
        ::llvm::DenseMap<::mlir::Attribute, ::mlir::MemorySlot> &cells, ::mlir::OpBuilder &builder,
        const ::mlir::DataLayout &) {
      ::llvm::APInt at;
      (void)::mlir::matchPattern(getIndex(), ::mlir::m_ConstantInt(&at));
      getBufferMutable().assign(cells.at(builder.getI32IntegerAttr(at.getZExtValue())).ptr);
      ::mlir::OpBuilder before(*this);
      getIndexMutable().assign(::mlir::arith::ConstantOp::create(before, getLoc(), before.getI32IntegerAttr(0)));
      return ::mlir::DeletionKind::Keep;
    }
}]; }
def Cube_Rewire : Cube_RewireMethods;

def Cube_LoadOp : Cube_Op<"load", [DeclareOpInterfaceMethods<ConditionallySpeculatable>, RustVerify,
                                   DeclareOpInterfaceMethods<PromotableMemOpInterface>,
                                   DeclareOpInterfaceMethods<DestructurableAccessorOpInterface>]> {
  let summary = "reads a line of a buffer";
  let description = [{
    The index is a `u32`. A `checked` load outside the buffer gives zero; an `inbounds` load there is undefined.
    Without either word the kernel decides: `unchecked` kernels promise all accesses.
  }];
  let arguments = (ins Arg<Cube_Buffer, "", [MemRead]>:$buffer, I32:$index, OptionalAttr<Cube_BoundsAttr>:$bounds);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$buffer `[` $index `]` `` custom<Bounds>($bounds) attr-dict `:` qualified(type($buffer)) `->` type($result)";
  let extraClassDefinition = !strconcat([{
    ::mlir::Speculation::Speculatability $cppClass::getSpeculatability() {
      return getBounds() == ::cube::Bounds::Checked ? ::mlir::Speculation::Speculatable
                                                    : ::mlir::Speculation::NotSpeculatable;
    }
    bool $cppClass::loadsFrom(const ::mlir::MemorySlot &slot) { return getBuffer() == slot.ptr; }
    bool $cppClass::storesTo(const ::mlir::MemorySlot &) { return false; }
    ::mlir::Value $cppClass::getStored(const ::mlir::MemorySlot &, ::mlir::OpBuilder &, ::mlir::Value,
                                       const ::mlir::DataLayout &) { return {}; }
    bool $cppClass::canUsesBeRemoved(const ::mlir::MemorySlot &slot,
                                     const ::llvm::SmallPtrSetImpl<::mlir::OpOperand *> &,
                                     ::llvm::SmallVectorImpl<::mlir::OpOperand *> &, const ::mlir::DataLayout &) {
      return ::mlir::matchPattern(getIndex(), ::mlir::m_Zero()) && getType() == slot.elemType;
    }
    ::mlir::DeletionKind $cppClass::removeBlockingUses(const ::mlir::MemorySlot &,
        const ::llvm::SmallPtrSetImpl<::mlir::OpOperand *> &, ::mlir::OpBuilder &, ::mlir::Value value,
        const ::mlir::DataLayout &) {
      getResult().replaceAllUsesWith(value);
      return ::mlir::DeletionKind::Delete;
    }
  }], Cube_Rewire.methods);
}

def Cube_StoreOp : Cube_Op<"store", [RustVerify, DeclareOpInterfaceMethods<PromotableMemOpInterface>,
                                     DeclareOpInterfaceMethods<DestructurableAccessorOpInterface>]> {
  let summary = "writes a line of a buffer";
  let description = [{ A `checked` store outside the buffer is dropped; an `inbounds` store there is undefined. }];
  let arguments = (ins AnyType:$value, Arg<Cube_Buffer, "", [MemWrite]>:$buffer, I32:$index,
                       OptionalAttr<Cube_BoundsAttr>:$bounds);
  let assemblyFormat = "$value `,` $buffer `[` $index `]` `` custom<Bounds>($bounds) attr-dict `:` type($value) `,` qualified(type($buffer))";
  let extraClassDefinition = !strconcat([{
    bool $cppClass::loadsFrom(const ::mlir::MemorySlot &) { return false; }
    bool $cppClass::storesTo(const ::mlir::MemorySlot &slot) { return getBuffer() == slot.ptr; }
    ::mlir::Value $cppClass::getStored(const ::mlir::MemorySlot &, ::mlir::OpBuilder &, ::mlir::Value,
                                       const ::mlir::DataLayout &) { return getValue(); }
    bool $cppClass::canUsesBeRemoved(const ::mlir::MemorySlot &slot,
                                     const ::llvm::SmallPtrSetImpl<::mlir::OpOperand *> &,
                                     ::llvm::SmallVectorImpl<::mlir::OpOperand *> &, const ::mlir::DataLayout &) {
      return ::mlir::matchPattern(getIndex(), ::mlir::m_Zero()) && getValue().getType() == slot.elemType;
    }
    ::mlir::DeletionKind $cppClass::removeBlockingUses(const ::mlir::MemorySlot &,
        const ::llvm::SmallPtrSetImpl<::mlir::OpOperand *> &, ::mlir::OpBuilder &, ::mlir::Value,
        const ::mlir::DataLayout &) { return ::mlir::DeletionKind::Delete; }
  }], Cube_Rewire.methods);
}

//===- Atomics ----------------------------------------------------------------------------------------------------------===//

// Relaxed: each is one step for all units, and orders nothing else. Outside the buffer they do nothing and give 0.
class Cube_AtomicOp<string mnemonic, list<Trait> traits = []> : Cube_Op<mnemonic, [RustVerify,
    TypesMatchWith<"the index must be i32 into a buffer of the dialect and `index` into a memref", "buffer", "index", [{
      ::llvm::isa<::mlir::MemRefType>($_self) ? ::mlir::Type(::mlir::IndexType::get($_self.getContext()))
                                              : ::mlir::Type(::mlir::IntegerType::get($_self.getContext(), 32))}]>] # traits>;

def Cube_AtomicLoadOp : Cube_AtomicOp<"atomic_load"> {
  let summary = "reads a number in one step";
  let arguments = (ins Arg<Cube_AtomicBuffer, "", [MemRead]>:$buffer, Cube_AtomicIndex:$index,
                       OptionalAttr<Cube_BoundsAttr>:$bounds);
  let results = (outs Cube_Number:$result);
  let assemblyFormat = "$buffer `[` $index `]` `` custom<Bounds>($bounds) attr-dict `:` qualified(type($buffer)) `->` type($result)";
}

def Cube_AtomicStoreOp : Cube_AtomicOp<"atomic_store"> {
  let summary = "writes a number in one step";
  let arguments = (ins Cube_Number:$value, Arg<Cube_AtomicBuffer, "", [MemWrite]>:$buffer, Cube_AtomicIndex:$index,
                       OptionalAttr<Cube_BoundsAttr>:$bounds);
  let assemblyFormat = "$value `,` $buffer `[` $index `]` `` custom<Bounds>($bounds) attr-dict `:` type($value) `,` qualified(type($buffer))";
}

def Cube_AtomicRmwOp : Cube_AtomicOp<"atomic_rmw", [AllTypesMatch<["value", "result"]>]> {
  let summary = "combines a number in memory with a value in one step and gives the number that was there";
  let arguments = (ins Cube_CombineAttr:$kind, Cube_Number:$value, Arg<Cube_AtomicBuffer, "", [MemRead, MemWrite]>:$buffer,
                       Cube_AtomicIndex:$index, OptionalAttr<Cube_BoundsAttr>:$bounds);
  let results = (outs Cube_Number:$result);
  let assemblyFormat = "`` $kind $value `,` $buffer `[` $index `]` `` custom<Bounds>($bounds) attr-dict `:` type($value) `,` qualified(type($buffer))";
}

def Cube_AtomicCasOp : Cube_AtomicOp<"atomic_cas", [AllTypesMatch<["expected", "value", "result"]>]> {
  let summary = "writes a number if the one in memory has the bits of `expected`, in one step; gives what was there";
  let arguments = (ins Cube_Number:$expected, Cube_Number:$value, Arg<Cube_AtomicBuffer, "", [MemRead, MemWrite]>:$buffer,
                       Cube_AtomicIndex:$index, OptionalAttr<Cube_BoundsAttr>:$bounds);
  let results = (outs Cube_Number:$result);
  let assemblyFormat = "$expected `,` $value `,` $buffer `[` $index `]` `` custom<Bounds>($bounds) attr-dict `:` type($value) `,` qualified(type($buffer))";
}

//===- Units together -----------------------------------------------------------------------------------------------------===//

def Cube_SyncOp : Cube_Op<"sync", [MemoryEffects<[MemRead, MemWrite, MemRead<Cube_Plane>, MemWrite<Cube_Plane>]>]> {
  let summary = "a barrier: no unit passes before all units of the scope are there, and they see each other's writes";
  let description = [{
    `cube` orders shared and global memory among the units of a cube, `storage` only global memory, `plane` both among
    the units of a plane. All units of the scope must reach it.
  }];
  let arguments = (ins Cube_ScopeAttr:$scope);
  let assemblyFormat = "`` $scope attr-dict";
}

// Absent lanes of a partial last plane give the identity; all present lanes of the plane must take part.
def Cube_PlaneElectOp : Cube_Op<"plane_elect", [Cube_ReadsPlane]> {
  let summary = "true in exactly one unit of the plane, the one with the lowest lane";
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

def Cube_PlaneVoteOp : Cube_Op<"plane_vote", [Cube_ReadsPlane]> {
  let summary = "whether a condition holds in all, or in any, units of the plane";
  let arguments = (ins Cube_VoteAttr:$vote, I1:$value);
  let results = (outs I1:$result);
  let assemblyFormat = "`` $vote $value attr-dict";
}

def Cube_PlaneBallotOp : Cube_Op<"plane_ballot", [Cube_ReadsPlane]> {
  let summary = "a bit for each lane where the condition holds, lane 0 in the lowest bit of the first word";
  let arguments = (ins I1:$value);
  let results = (outs FixedVectorOfLengthAndType<[4], [I32]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Cube_PlaneReduceOp : Cube_Op<"plane_reduce", [Cube_ReadsPlane, SameOperandsAndResultType, RustVerify]> {
  let summary = "all values of the plane combined, given to every unit";
  let arguments = (ins Cube_CombineAttr:$kind, Cube_Value:$value);
  let results = (outs Cube_Value:$result);
  let assemblyFormat = "`` $kind $value attr-dict `:` type($result)";
}

def Cube_PlaneScanOp : Cube_Op<"plane_scan", [Cube_ReadsPlane, SameOperandsAndResultType, RustVerify]> {
  let summary = "the values of the lanes up to this one combined, with or without its own";
  let arguments = (ins Cube_ScanAttr:$scan, Cube_CombineAttr:$kind, Cube_Value:$value);
  let results = (outs Cube_Value:$result);
  let assemblyFormat = "`` $scan `` $kind $value attr-dict `:` type($result)";
}

def Cube_PlaneBroadcastOp : Cube_Op<"plane_broadcast", [Cube_ReadsPlane, AllTypesMatch<["value", "result"]>]> {
  let summary = "the value of one lane, the same for all units of the plane";
  let arguments = (ins Cube_Value:$value, I32:$lane);
  let results = (outs Cube_Value:$result);
  let assemblyFormat = "$value `,` $lane attr-dict `:` type($result)";
}

def Cube_PlaneShuffleOp : Cube_Op<"plane_shuffle", [Cube_ReadsPlane, AllTypesMatch<["value", "result"]>]> {
  let summary = "the value of another lane: a lane, the own one xor a mask, or that many down or up";
  let description = [{ Where that lane is absent the unit's own value. `up` reads lane - n, `down` lane + n. }];
  let arguments = (ins Cube_ShuffleAttr:$shuffle, Cube_Value:$value, I32:$operand);
  let results = (outs Cube_Value:$result);
  let assemblyFormat = "`` $shuffle $value `,` $operand attr-dict `:` type($result)";
}

//===- Control flow with exits ----------------------------------------------------------------------------------------------===//

class Cube_ControlOp<string mnemonic, list<Trait> traits = []> : Cube_Op<mnemonic,
    [SingleBlock, RecursiveMemoryEffects, RustVerify] # traits>;
class Cube_IfLikeOp<string mnemonic> : Cube_ControlOp<mnemonic> {
  let arguments = (ins I1:$condition);
  let regions = (region SizedRegion<1>:$then, AnyRegion:$otherwise);
  let assemblyFormat = "$condition custom<Body>($then) (`else` custom<Body>($otherwise)^)? attr-dict";
}
class Cube_ForLikeOp<string mnemonic> : Cube_ControlOp<mnemonic, [AllTypesMatch<["lower", "upper", "step"]>]> {
  let arguments = (ins Cube_ScalarInt:$lower, Cube_ScalarInt:$upper, Cube_ScalarInt:$step, UnitAttr:$unsignedCmp);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`unsigned` $unsignedCmp^)? custom<For>($lower, $upper, $step, type($lower), $body) attr-dict";
}
class Cube_ExitOp<string mnemonic> : Cube_Op<mnemonic, [Terminator, RustVerify]> { let assemblyFormat = "attr-dict"; }

def Cube_IfOp : Cube_IfLikeOp<"if"> {
  let summary = "one of two blocks, which may leave loops and functions";
  let description = [{
    Like `scf.if` without results: values leave through local memory. A block ends in `cube.yield`, which is not
    written, or in `cube.break`, `cube.continue`, `cube.return` or `cube.terminate`.
  }];
}

def Cube_ForOp : Cube_ForLikeOp<"for"> {
  let summary = "a counted loop that may be left";
  let description = [{
    From `lower` to below `upper`; `unsigned` compares so. The step is positive. With the attribute `cube.unroll` it is
    unrolled whole, with `cube.unroll = N : i32` by N.
  }];
}

def Cube_LoopOp : Cube_ControlOp<"loop"> {
  let summary = "a loop that runs until it is left";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Body>($body) attr-dict";
}

def Cube_ComptimeIfOp : Cube_IfLikeOp<"comptime_if"> {
  let summary = "one of two blocks, chosen when the kernel is specialised";
  let description = [{ The condition must be a constant once comptime parameters have values; `specialize` then keeps one block. }];
}

def Cube_ComptimeForOp : Cube_ForLikeOp<"comptime_for"> {
  let summary = "a loop that is unrolled when the kernel is specialised";
  let description = [{ Bounds and step must be constants once comptime parameters have values. }];
}

def Cube_YieldOp : Cube_Op<"yield", [Pure, Terminator, RustVerify]> {
  let summary = "ends a block of `cube.if`, `cube.for` or `cube.loop`; not written";
  let assemblyFormat = "attr-dict";
}

def Cube_BreakOp : Cube_ExitOp<"break"> { let summary = "leaves the loop around it"; }
def Cube_ContinueOp : Cube_ExitOp<"continue"> { let summary = "goes on with the next turn of the loop around it"; }
def Cube_TerminateOp : Cube_ExitOp<"terminate"> { let summary = "ends the unit, also from inside a function"; }

//===- Lanes and conversions ------------------------------------------------------------------------------------------------===//

def Cube_ExtractOp : Cube_Op<"extract", [Pure, RustVerify, RustFold]> {
  let summary = "a lane of a line; 0 from outside it";
  let arguments = (ins FixedVectorOfRankAndType<[1], [Cube_Number]>:$line, I32:$index);
  let results = (outs Cube_Number:$result);
  let assemblyFormat = "$line `[` $index `]` attr-dict `:` type($line) `->` type($result)";
}

def Cube_InsertOp : Cube_Op<"insert", [Pure, AllTypesMatch<["line", "result"]>, RustVerify, RustFold]> {
  let summary = "a line with one lane replaced; unchanged where the index is outside it";
  let arguments = (ins Cube_Number:$value, FixedVectorOfRankAndType<[1], [Cube_Number]>:$line, I32:$index);
  let results = (outs FixedVectorOfRankAndType<[1], [Cube_Number]>:$result);
  let assemblyFormat = "$value `,` $line `[` $index `]` attr-dict `:` type($value) `,` type($line)";
}

def Cube_CastOp : Cube_Op<"cast", [Pure, RustVerify, RustFold]> {
  let summary = "a number or line converted to another type, with a result for every value";
  let description = [{
    Integers are signed unless `from_unsigned` or `to_unsigned` says otherwise; a bool is unsigned and true where the
    number is not 0. Float to integer rounds towards zero and stays in the integer's range, NaN gives 0. Integer to
    integer keeps the low bits, or clamps with `saturate`. To a float rounds to nearest even or as `round` says; what is
    too large becomes infinite (NaN in formats without infinity), or the largest finite number with `saturate`.
  }];
  let arguments = (ins Cube_Value:$value, UnitAttr:$from_unsigned, UnitAttr:$to_unsigned, UnitAttr:$saturate,
                       OptionalAttr<Cube_RoundingAttr>:$rounding);
  let results = (outs Cube_Value:$result);
  let assemblyFormat = "$value (`from_unsigned` $from_unsigned^)? (`to_unsigned` $to_unsigned^)? (`saturate` $saturate^)? (`round` `` $rounding^)? attr-dict `:` type($value) `to` type($result)";
}

def Cube_PrintOp : Cube_Op<"print", [MemoryEffects<[MemWrite<Cube_Output>]>, RustVerify]> {
  let summary = "prints a line for debugging; each `{}` of the text stands for a value";
  let arguments = (ins StrAttr:$text, Variadic<Cube_Value>:$values);
  let assemblyFormat = "$text (`(` $values^ `)` `:` type($values))? attr-dict";
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
def Cube_AddSISatOp : Cube_TotalOp<"addsi_sat", "signed sum, clamped to the range of the type">;
def Cube_AddUISatOp : Cube_TotalOp<"addui_sat", "unsigned sum, clamped to the range of the type">;
def Cube_SubSISatOp : Cube_TotalOp<"subsi_sat", "signed difference, clamped to the range of the type">;
def Cube_SubUISatOp : Cube_TotalOp<"subui_sat", "unsigned difference, 0 where it is negative">;

def Cube_ReverseBitsOp : Cube_Op<"reverse_bits", [Pure, SameOperandsAndResultType, RustFold]> {
  let summary = "the bits of an integer in the opposite order";
  let arguments = (ins Cube_Int:$value);
  let results = (outs Cube_Int:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

#endif
