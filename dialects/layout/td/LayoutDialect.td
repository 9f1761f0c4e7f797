//===- LayoutDialect.td: layouts as values, views of buffers under layouts --------------------------------------------===//
#ifndef LAYOUT_DIALECT_TD
#define LAYOUT_DIALECT_TD

include "CubeDialect.td"

def Layout_Dialect : Dialect {
  let name = "layout";
  let cppNamespace = "::cube::layout";
  let summary = "CuTe's layout algebra, and views of buffers under layouts";
  let description = [{
    A layout is a function from coordinates to offsets, `(4,(2,8)):(1,(4,32))`. A view is a buffer with a layout. Each
    operation of the algebra either gives an exact result, or is refused with an index for which no result exists. The
    phase `layout` replaces all operations of the dialect: views and coordinates become index arithmetic.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::cube::CubeDialect", "::mlir::arith::ArithDialect"];
}

class Layout_Type<string name, string mnem> : TypeDef<Layout_Dialect, name> { let mnemonic = mnem; }

def Layout_LayoutType : Layout_Type<"Layout", "layout">, BuildableType<"$_builder.getType<::cube::layout::LayoutType>()"> {
  let summary = "a layout, whose numbers are known at compile time, except those that are operands of `layout.make`";
}

def Layout_ViewType : Layout_Type<"View", "view"> {
  let summary = "a view of a buffer; the parameter is the type of a line of the buffer";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

// The parameter encodes a layout or coordinate as integers (dialects/layout/src/encoding.rs). The text is converted to integers when
// MLIR parses the attribute, and the integers to text when MLIR prints the attribute.
class Layout_NumbersAttr<string name, string mnem> : AttrDef<Layout_Dialect, name> {
  let mnemonic = mnem;
  let parameters = (ins ArrayRefParameter<"int64_t">:$numbers);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = [{
    ::mlir::Attribute $cppClass::parse(::mlir::AsmParser &p, ::mlir::Type) {
      ::llvm::SmallVector<int64_t> numbers;
      return ::mlir::failed(::cube::parseNumbers(p, name, numbers)) ? ::mlir::Attribute() : get(p.getContext(), numbers);
    }
    void $cppClass::print(::mlir::AsmPrinter &p) const { ::cube::printNumbers(p, name, getNumbers()); }
  }];
}

def Layout_LayoutAttr : Layout_NumbersAttr<"Layout", "layout"> {
  let summary = "a layout in the notation of CuTe, with a shape and strides: `#layout.layout<(4,(2,8)):(1,(4,32))>`";
  let description = [{
    In `Sw<3,3,3> o 0 o (8,32):(32,1)`, the offset 0 is added to each offset of the layout `(8,32):(32,1)`, and the
    swizzle `Sw<3,3,3>` is applied to the sum. In `layout.make`, a leaf can be `?`.
  }];
}

def Layout_CoordAttr : Layout_NumbersAttr<"Coord", "coord"> {
  let summary = "a coordinate, in which `?` denotes an operand, and `_` denotes a mode that is kept: `#layout.coord<((_,_),?)>`";
}

#endif
