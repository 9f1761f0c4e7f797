//===- CubeMemory.td: buffers, slices, shared and local memory, loads and stores, and atomics ---------------------===//
// Included by CubeOps.td.

class Cube_MeasureOp<string mnemonic, Type of, list<Trait> traits = []> : Cube_Op<mnemonic, [Pure] # traits> {
  let lastLevel = "flat";
  let arguments = (ins of:$buffer);
  let results = (outs I32:$result);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer))";
}
class Cube_DimensionOp<string mnemonic> : Cube_Op<mnemonic, [Pure]> {
  let lastLevel = "flat";
  let arguments = (ins Cube_TensorType:$buffer, I32:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$buffer `,` $dim attr-dict `:` qualified(type($buffer))";
}

def Cube_LenOp : Cube_MeasureOp<"len", Cube_Buffer, [RustFold]> {
  let summary = "the number of lines of a buffer that the host passes, as a u32";
  let description = [{
    The length of a tensor is the product of its shape divided by the line size. The length of a slice is `end -
    start`, or zero if the difference is negative.
  }];
}

def Cube_BufferLenOp : Cube_MeasureOp<"buffer_len", Cube_Buffer, [RustFold]> {
  let summary = "the number of lines of a buffer's memory, against which accesses are checked, as a u32";
}

def Cube_RankOp : Cube_MeasureOp<"rank", Cube_TensorType> {
  let summary = "the number of dimensions of a tensor, as a u32";
}

def Cube_ShapeOp : Cube_DimensionOp<"shape"> {
  let summary = "the extent of a tensor along a dimension, in elements, as a u32; 0 for dimensions beyond the rank";
}

def Cube_StrideOp : Cube_DimensionOp<"stride"> {
  let summary = "the distance between neighbours along a dimension, in elements, as a u32; 0 for dimensions beyond the rank";
}

let lastLevel = "flat" in def Cube_CoordinateOp : Cube_Op<"coordinate", [Pure]> {
  let summary = "the coordinate of the element at an offset, along one dimension: offset / stride % shape";
  let arguments = (ins Cube_TensorType:$buffer, I32:$index, I32:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$buffer `,` $index `,` $dim attr-dict `:` qualified(type($buffer))";
}

def Cube_SliceOp : Cube_Op<"slice", [Pure, RustVerify<"memory::slice">]> {
  let summary = "the lines of a buffer from `start` up to, but not including, `end`";
  let description = [{
    An access to a slice is checked against the length of the slice and the length of the underlying buffer. The
    bounds of a slice of a slice are relative to the start of the outer slice. The length of a slice is `end - start`,
    or zero if `end` is below `start`.
  }];
  let arguments = (ins Cube_Buffer:$buffer, I32:$start, I32:$end);
  let results = (outs Cube_SliceType:$result);
  let assemblyFormat = "$buffer `[` $start `to` $end `]` attr-dict `:` qualified(type($buffer)) `->` qualified(type($result))";
}

let lastLevel = "flat" in def Cube_AllocOp : Cube_Op<"alloc", [RustVerify<"memory::alloc">, DeclareOpInterfaceMethods<DestructurableAllocationOpInterface>]> {
  let summary = "memory of a cube or of a unit, with undefined initial contents";
  let description = [{
    Shared memory is one allocation for all units of a cube, and exists while the cube runs. Local memory is
    accessible to one unit only. Each operation `cube.alloc` of a kernel is one allocation, even if a unit executes
    the operation several times. A read of an unwritten line returns an arbitrary value, and the interpreter reports
    the read. If a source language initialises memory, its front end stores the initial values: `Array::new` of Rust
    stores zeros.
  }];
  let results = (outs Res<AnyTypeOf<[Cube_SharedType, Cube_LocalType]>, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let extraClassDefinition = [{
    // A local array that is accessed only at constant indices consists of separate cells. SROA splits it.
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

// Converts a load or store of a local array to a load or store of a cell; `$cppClass` is either operation.
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

let lastLevel = "flat" in def Cube_LoadOp : Cube_Op<"load", [DeclareOpInterfaceMethods<ConditionallySpeculatable>, RustVerify<"memory::access">,
                                   DeclareOpInterfaceMethods<DestructurableAccessorOpInterface>]> {
  let summary = "reads a line of a buffer";
  let description = [{
    The index of the line is a `u32`. A `checked` load outside the buffer returns zero. An `inbounds` load outside the
    buffer is undefined behaviour. Without `checked` or `inbounds`, the load is checked, except in a kernel with the
    attribute `unchecked`. With `inbounds`, the author of the kernel promises that the index is in bounds. With
    `inbounds by REASON`, the compiler has proved that the index is in bounds. The reason `guard` is a condition
    around the access. The reason `loop_bound` is the bound of the loop whose counter is the index. The reason `range`
    is the range of the index and the size of the memory. The reason `length` is the range of the index and a
    condition on the length of the buffer. The pass `remove-checks` derives each proof again. If a proof no longer
    holds, the access becomes checked. A pass that copies or moves the access, or changes its index, drops the proof.

    An access with `align` moves 2, 4, 8 or 16 neighbouring elements of a buffer whose lines have one element. The
    value of `align` is the alignment of the address in bytes. If a pass changes the index, `align` becomes the size
    of an element.
  }];
  let arguments = (ins Arg<Cube_Buffer, "", [MemRead]>:$buffer, I32:$index, OptionalAttr<Cube_BoundsAttr>:$bounds, OptionalAttr<Cube_ProofAttr>:$proof,
                       OptionalAttr<I32Attr>:$align);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$buffer `[` $index `]` `` custom<Bounds>($bounds) (`by` `` $proof^)? attr-dict `:` qualified(type($buffer)) `->` type($result)";
  let extraClassDefinition = !strconcat([{
    ::mlir::Speculation::Speculatability $cppClass::getSpeculatability() {
      return getBounds() == ::cube::Bounds::Checked ? ::mlir::Speculation::Speculatable
                                                    : ::mlir::Speculation::NotSpeculatable;
    }
  }], Cube_Rewire.methods);
}

let lastLevel = "flat" in def Cube_StoreOp : Cube_Op<"store", [RustVerify<"memory::access">, DeclareOpInterfaceMethods<DestructurableAccessorOpInterface>]> {
  let summary = "writes a line of a buffer";
  let description = [{
    A `checked` store outside the buffer has no effect. An `inbounds` store outside the buffer is undefined behaviour.
    `align` has the meaning of `align` in `cube.load`.
  }];
  let arguments = (ins AnyType:$value, Arg<Cube_Buffer, "", [MemWrite]>:$buffer, I32:$index,
                       OptionalAttr<Cube_BoundsAttr>:$bounds, OptionalAttr<Cube_ProofAttr>:$proof, OptionalAttr<I32Attr>:$align);
  let assemblyFormat = "$value `,` $buffer `[` $index `]` `` custom<Bounds>($bounds) (`by` `` $proof^)? attr-dict `:` type($value) `,` qualified(type($buffer))";
  let extraClassDefinition = Cube_Rewire.methods;
}

//===- Atomics ----------------------------------------------------------------------------------------------------------===//

// Atomics are relaxed: each is indivisible for all units, and orders no other access. An atomic out of bounds returns 0 and writes nothing.
class Cube_AtomicOp<string mnemonic, list<Trait> traits = []> : Cube_Op<mnemonic, [RustVerify<"memory::atomic">,
    TypesMatchWith<"the index must be i32 into a buffer of the dialect and `index` into a memref", "buffer", "index", [{
      ::llvm::isa<::mlir::MemRefType>($_self) ? ::mlir::Type(::mlir::IndexType::get($_self.getContext()))
                                              : ::mlir::Type(::mlir::IntegerType::get($_self.getContext(), 32))}]>] # traits> {
  let lastLevel = "legal";
}

def Cube_AtomicLoadOp : Cube_AtomicOp<"atomic_load"> {
  let access = "AtomicLoad buffer";
  let summary = "reads a number atomically";
  let arguments = (ins Arg<Cube_AtomicBuffer, "", [MemRead]>:$buffer, Cube_AtomicIndex:$index,
                       OptionalAttr<Cube_BoundsAttr>:$bounds, OptionalAttr<Cube_ProofAttr>:$proof);
  let results = (outs Cube_Number:$result);
  let assemblyFormat = "$buffer `[` $index `]` `` custom<Bounds>($bounds) (`by` `` $proof^)? attr-dict `:` qualified(type($buffer)) `->` type($result)";
}

def Cube_AtomicStoreOp : Cube_AtomicOp<"atomic_store"> {
  let access = "AtomicStore buffer";
  let summary = "writes a number atomically";
  let arguments = (ins Cube_Number:$value, Arg<Cube_AtomicBuffer, "", [MemWrite]>:$buffer, Cube_AtomicIndex:$index,
                       OptionalAttr<Cube_BoundsAttr>:$bounds, OptionalAttr<Cube_ProofAttr>:$proof);
  let assemblyFormat = "$value `,` $buffer `[` $index `]` `` custom<Bounds>($bounds) (`by` `` $proof^)? attr-dict `:` type($value) `,` qualified(type($buffer))";
}

def Cube_AtomicRmwOp : Cube_AtomicOp<"atomic_rmw", [AllTypesMatch<["value", "result"]>]> {
  let access = "AtomicRmw buffer";
  let summary = "replaces a number in memory atomically by its combination with a value, and returns the old number";
  let description = [{ The operations `minf` and `maxf` ignore a NaN operand, and order -0 below +0. }];
  let arguments = (ins Cube_CombineAttr:$kind, Cube_Number:$value, Arg<Cube_AtomicBuffer, "", [MemRead, MemWrite]>:$buffer,
                       Cube_AtomicIndex:$index, OptionalAttr<Cube_BoundsAttr>:$bounds, OptionalAttr<Cube_ProofAttr>:$proof);
  let results = (outs Cube_Number:$result);
  let assemblyFormat = "`` $kind $value `,` $buffer `[` $index `]` `` custom<Bounds>($bounds) (`by` `` $proof^)? attr-dict `:` type($value) `,` qualified(type($buffer))";
}

def Cube_AtomicCasOp : Cube_AtomicOp<"atomic_cas", [AllTypesMatch<["expected", "value", "result"]>]> {
  let access = "AtomicCas buffer";
  let summary = "writes a number atomically if the old number has the bits of `expected`, and returns the old number";
  let arguments = (ins Cube_Number:$expected, Cube_Number:$value, Arg<Cube_AtomicBuffer, "", [MemRead, MemWrite]>:$buffer,
                       Cube_AtomicIndex:$index, OptionalAttr<Cube_BoundsAttr>:$bounds, OptionalAttr<Cube_ProofAttr>:$proof);
  let results = (outs Cube_Number:$result);
  let assemblyFormat = "$expected `,` $value `,` $buffer `[` $index `]` `` custom<Bounds>($bounds) (`by` `` $proof^)? attr-dict `:` type($value) `,` qualified(type($buffer))";
}
