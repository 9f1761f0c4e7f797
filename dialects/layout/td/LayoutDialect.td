//===- LayoutDialect.td: layouts as values, views of buffers under layouts --------------------------------------------===//
#ifndef LAYOUT_DIALECT_TD
#define LAYOUT_DIALECT_TD

include "CubeDialect.td"

def Layout_Dialect : Dialect {
  let name = "layout";
  let cppNamespace = "::cube::layout";
  let summary = "CuTe's layout algebra, and views of buffers under layouts";
  let description = [{
    A layout is a function from coordinates to offsets, `(4,(2,8)):(1,(4,32))`. A view is a buffer under a layout. The
    algebra is exact: an operation gives a right layout or is refused with an index that proves it. Phase `layout` ends
    the dialect: views and coordinates become index arithmetic.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::cube::CubeDialect", "::mlir::arith::ArithDialect"];
}

class Layout_Type<string name, string mnem> : TypeDef<Layout_Dialect, name> { let mnemonic = mnem; }

def Layout_LayoutType : Layout_Type<"Layout", "layout">, BuildableType<"$_builder.getType<::cube::layout::LayoutType>()"> {
  let summary = "a layout, which is known at compile time except for placeholders that are operands of `layout.make`";
}

def Layout_ViewType : Layout_Type<"View", "view"> {
  let summary = "a view of a buffer; the parameter is the type of a line of the buffer";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

// The parameter is the attribute in numbers, as dialects/layout/src/encoding.rs writes and reads it: text is read when MLIR reads
// it and written when MLIR prints it, and no query sees it.
class Layout_WordsAttr<string name, string mnem> : AttrDef<Layout_Dialect, name> {
  let mnemonic = mnem;
  let parameters = (ins ArrayRefParameter<"int64_t">:$words);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = [{
    ::mlir::Attribute $cppClass::parse(::mlir::AsmParser &p, ::mlir::Type) {
      ::llvm::SmallVector<int64_t> words;
      return ::mlir::failed(::cube::parseWords(p, name, words)) ? ::mlir::Attribute() : get(p.getContext(), words);
    }
    void $cppClass::print(::mlir::AsmPrinter &p) const { ::cube::printWords(p, name, getWords()); }
  }];
}

def Layout_LayoutAttr : Layout_WordsAttr<"Layout", "layout"> {
  let summary = "a layout in the notation of CuTe, with a shape and strides: `#layout.layout<(4,(2,8)):(1,(4,32))>`";
  let description = [{
    `Sw<3,3,3> o 0 o (8,32):(32,1)` is a layout behind an offset and a swizzle. In `layout.make` a leaf can be `?`.
  }];
}

def Layout_CoordAttr : Layout_WordsAttr<"Coord", "coord"> {
  let summary = "a coordinate with numbers, `?` for operands and `_` for kept modes: `#layout.coord<((_,_),?)>`";
}

#endif
