//===- Layout.cpp: the layout dialect --------------------------------------------------------------------------------===//
#include "Cube.h"
using namespace mlir;
using namespace cube::layout;
#define DIALECT(part) Layout##part
#include "Registration.inc"
// What is not a layout is a number.
Operation *LayoutDialect::materializeConstant(OpBuilder &b, Attribute value, Type type, Location at) {
  auto own = dyn_cast<LayoutAttr>(value);
  return own ? ConstantOp::create(b, at, type, own) : arith::ConstantOp::materialize(b, value, type, at);
}
