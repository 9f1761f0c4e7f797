//===- LayoutOps.td: the operations of the layout dialect ------------------------------------------------------------===//
#ifndef LAYOUT_OPS_TD
#define LAYOUT_OPS_TD

include "LayoutDialect.td"
include "RustTraits.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Layout_Op<string mnemonic, list<Trait> traits = []> : Op<Layout_Dialect, mnemonic, traits> { string access = ""; }

def Layout_Buffer : AnyTypeOf<[Cube_ArrayType, Cube_TensorType, Cube_SharedType, Cube_LocalType, Cube_SliceType],
                              "array, tensor, shared or local memory, or a slice of one">;
def Layout_Shaped : AnyTypeOf<[Layout_LayoutType, Layout_ViewType], "layout or view">;

//===- Layouts ------------------------------------------------------------------------------------------------------===//

def Layout_ConstantOp : Layout_Op<"constant", [Pure, ConstantLike, RustVerify<"constant">, RustFold]> {
  let summary = "a constant layout";
  let arguments = (ins Layout_LayoutAttr:$value);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "qualified($value) attr-dict";
}

def Layout_MakeOp : Layout_Op<"make", [Pure, RustVerify<"make">, RustFold]> {
  let summary = "a layout whose placeholders `?` are replaced by the operands, in the order of the text";
  let arguments = (ins Layout_LayoutAttr:$form, Variadic<I32>:$leaves);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "qualified($form) `(` $leaves `)` attr-dict";
}

class Layout_UnaryOp<string mnemonic, string meaning> : Layout_Op<mnemonic, [Pure, RustFold]> {
  let summary = meaning;
  let arguments = (ins Layout_LayoutType:$layout);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "$layout attr-dict";
}
def Layout_CoalesceOp : Layout_UnaryOp<"coalesce", "the layout with the fewest modes that computes the same offsets">;
def Layout_FilterOp : Layout_UnaryOp<"filter", "the coalesced layout, without the modes that have stride 0 or extent 1">;
def Layout_RightInverseOp : Layout_UnaryOp<"right_inverse", "a right inverse, which maps offsets without gaps to indices: L(R(i)) = i">;
def Layout_LeftInverseOp : Layout_UnaryOp<"left_inverse", "a left inverse, which maps offsets to indices: R(L(i)) = i; the layout must be injective">;

def Layout_ComplementOp : Layout_Op<"complement", [Pure, RustVerify<"complement">, RustFold]> {
  let summary = "the complement of a layout: the offsets below `to` that the layout does not reach, in ascending order";
  let arguments = (ins Layout_LayoutType:$layout, I64Attr:$to);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "$layout `to` $to attr-dict";
}

class Layout_ShapedOp<string mnemonic, list<Trait> traits = []> : Layout_Op<mnemonic,
    [Pure, AllTypesMatch<["operand", "result"]>, RustFold] # traits>;

def Layout_ComposeOp : Layout_ShapedOp<"compose"> {
  let summary = "composes a layout or view with another layout: (A o B)(i) = A(B(i))";
  let arguments = (ins Layout_Shaped:$operand, Layout_LayoutType:$inner);
  let results = (outs Layout_Shaped:$result);
  let assemblyFormat = "$operand `,` $inner attr-dict `:` type($operand)";
}

class Layout_DivideOp<string mnemonic, string meaning> : Layout_ShapedOp<mnemonic> {
  let summary = meaning;
  let description = [{
    The tile is a layout that maps an index of the tile to an index of the divided layout. With `modes`, the tile has
    one layout for each mode. The extent of a divided mode must be a multiple of the tile. With `ragged`, the last
    tiles of a view can extend beyond the end of the view, where no elements exist.
  }];
  let arguments = (ins Layout_Shaped:$operand, Layout_LayoutType:$tile, UnitAttr:$modes, UnitAttr:$ragged);
  let results = (outs Layout_Shaped:$result);
  let assemblyFormat = "$operand `by` (`modes` $modes^)? $tile (`ragged` $ragged^)? attr-dict `:` type($operand)";
}
def Layout_LogicalDivideOp : Layout_DivideOp<"logical_divide", "divides a layout by a tile; each mode of the result has a tile and a rest: ((tile, rest), ...)">;
def Layout_ZippedDivideOp : Layout_DivideOp<"zipped_divide", "divides a layout by a tile; the result has one mode for all tiles and one for all rests: ((tile, ...), (rest, ...))">;
def Layout_TiledDivideOp : Layout_DivideOp<"tiled_divide", "divides a layout by a tile; the result has one mode for all tiles and one for each rest: ((tile, ...), rest, ...)">;
def Layout_FlatDivideOp : Layout_DivideOp<"flat_divide", "divides a layout by a tile; the result has one mode for each tile and each rest: (tile, ..., rest, ...)">;

class Layout_ProductOp<string mnemonic, string meaning> : Layout_Op<mnemonic, [Pure, RustFold]> {
  let summary = meaning;
  let arguments = (ins Layout_LayoutType:$block, Layout_LayoutType:$copies);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "$block `,` $copies attr-dict";
}
def Layout_LogicalProductOp : Layout_ProductOp<"logical_product", "repeats a layout: (block, copies)">;
def Layout_BlockedProductOp : Layout_ProductOp<"blocked_product", "repeats each mode of a layout, with contiguous blocks: ((block, copies), ...)">;
def Layout_RakedProductOp : Layout_ProductOp<"raked_product", "repeats each mode of a layout, with interleaved blocks: ((copies, block), ...)">;

def Layout_MakeTvOp : Layout_Op<"make_tv", [Pure]> {
  let summary = "a layout that maps a thread and a value to an index in a tile, and the layout of the tile";
  let arguments = (ins Layout_LayoutType:$threads, Layout_LayoutType:$values);
  let results = (outs Layout_LayoutType:$layout, Layout_LayoutType:$tile);
  let assemblyFormat = "$threads `,` $values attr-dict";
}

//===- Coordinates ----------------------------------------------------------------------------------------------------===//

def Layout_Crd2IdxOp : Layout_Op<"crd2idx", [Pure, RustVerify<"offset">, RustFold]> {
  let summary = "the offset of a coordinate, as a u32; a single number can be the coordinate of a nested mode";
  let arguments = (ins Layout_LayoutType:$layout, Layout_CoordAttr:$coord, Variadic<I32>:$indices);
  let results = (outs I32:$result);
  let assemblyFormat = "$layout `at` $coord (`(` $indices^ `)`)? attr-dict";
}

def Layout_Idx2CrdOp : Layout_Op<"idx2crd", [Pure, RustVerify<"coordinates">]> {
  let summary = "the coordinate of an index, with one number for each leaf of the shape; the leftmost leaf changes fastest";
  let arguments = (ins I32:$index, Layout_LayoutType:$layout);
  let results = (outs Variadic<I32>:$coords);
  let assemblyFormat = "$index `,` $layout attr-dict `:` type($coords)";
}

def Layout_SizeOp : Layout_Op<"size", [Pure, RustFold]> {
  let summary = "the number of indices of a layout or view, or of one of its modes, as a u32";
  let arguments = (ins Layout_Shaped:$operand, OptionalAttr<I64Attr>:$mode);
  let results = (outs I32:$result);
  let assemblyFormat = "$operand (`mode` $mode^)? attr-dict `:` type($operand)";
}

def Layout_SliceOp : Layout_Op<"slice", [Pure, AllTypesMatch<["operand", "result"]>, RustVerify<"slice">]> {
  let summary = "the modes whose coordinate is `_`; the other coordinates move the start of a view, and are ignored for a layout";
  let arguments = (ins Layout_Shaped:$operand, Layout_CoordAttr:$coord, Variadic<I32>:$indices);
  let results = (outs Layout_Shaped:$result);
  let assemblyFormat = "$operand `at` $coord (`(` $indices^ `)`)? attr-dict `:` type($operand)";
}

//===- Views ------------------------------------------------------------------------------------------------------------===//

def Layout_ViewOp : Layout_Op<"view", [Pure, RustVerify<"view">]> {
  let summary = "a view, which is a buffer with a layout whose offsets count lines";
  let arguments = (ins Layout_Buffer:$buffer, Layout_LayoutType:$layout);
  let results = (outs Layout_ViewType:$result);
  let assemblyFormat = "$buffer `,` $layout attr-dict `:` qualified(type($buffer)) `->` qualified(type($result))";
}

def Layout_LoadOp : Layout_Op<"load", [MemoryEffects<[MemRead]>, RustVerify<"access">]> {
  let access = "Load view";
  let summary = "reads an element of a view; with `_` in the coordinate, reads a vector of the remaining elements in order";
  let description = [{
    A checked read out of bounds returns zero. A read is out of bounds if a coordinate exceeds its mode, a ragged tile
    exceeds the tensor, or the offset exceeds the buffer. With `inbounds`, the author of the kernel promises that the
    access is in bounds. Without `checked` or `inbounds`, the access is checked, except in a kernel with the attribute
    `unchecked`.
  }];
  let arguments = (ins Layout_ViewType:$view, Layout_CoordAttr:$coord, Variadic<I32>:$indices,
                       OptionalAttr<Cube_BoundsAttr>:$bounds);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$view `at` $coord (`(` $indices^ `)`)? (`bounds` $bounds^)? attr-dict `:` qualified(type($view)) `->` type($result)";
}

def Layout_StoreOp : Layout_Op<"store", [MemoryEffects<[MemWrite]>, RustVerify<"access">]> {
  let access = "Store view";
  let summary = "writes an element of a view; with `_` in the coordinate, writes a vector of the remaining elements in order";
  let description = [{ A checked write out of bounds has no effect. }];
  let arguments = (ins AnyType:$value, Layout_ViewType:$view, Layout_CoordAttr:$coord, Variadic<I32>:$indices,
                       OptionalAttr<Cube_BoundsAttr>:$bounds);
  let assemblyFormat = "$value `,` $view `at` $coord (`(` $indices^ `)`)? (`bounds` $bounds^)? attr-dict `:` type($value) `,` qualified(type($view))";
}

#endif
