//===- Layout.cpp: the layout dialect --------------------------------------------------------------------------------===//
#include "Bridge.h"
#include "Cube.h"
#include "mlir/CAPI/IR.h"
#define GET_OP_CLASSES
#include "LayoutOps.h.inc"
using namespace mlir;
using namespace cube::layout;
#define DIALECT(part) Layout##part
#include "Registration.inc"
MlirAttribute cubeNumbersAttrGet(MlirContext context, bool coord, intptr_t count, const int64_t *numbers) {
  ArrayRef<int64_t> all(numbers, count);
  return wrap(coord ? Attribute(CoordAttr::get(unwrap(context), all)) : Attribute(LayoutAttr::get(unwrap(context), all)));
}
int32_t cubeNumbersAttrParts(MlirAttribute attr, const int64_t **numbers, intptr_t *count) {
  auto layout = dyn_cast<LayoutAttr>(unwrap(attr));
  auto coord = dyn_cast<CoordAttr>(unwrap(attr));
  ArrayRef<int64_t> all = layout ? layout.getNumbers() : coord ? coord.getNumbers() : ArrayRef<int64_t>();
  return *numbers = all.data(), *count = all.size(), layout ? 1 : coord ? 2 : 0;
}
MlirType cubeLayoutTypeGet(MlirContext context) { return wrap(Type(LayoutType::get(unwrap(context)))); }
int32_t cubeLayoutTypeParts(MlirType type, MlirType *element) {
  if (auto view = dyn_cast<ViewType>(unwrap(type)))
    return *element = wrap(view.getElementType()), 2;
  return isa<LayoutType>(unwrap(type)) ? 1 : 0;
}

// Every value that is not a layout is a number.
Operation *LayoutDialect::materializeConstant(OpBuilder &b, Attribute value, Type type, Location at) {
  auto own = dyn_cast<LayoutAttr>(value);
  return own ? ConstantOp::create(b, at, type, own) : arith::ConstantOp::materialize(b, value, type, at);
}
