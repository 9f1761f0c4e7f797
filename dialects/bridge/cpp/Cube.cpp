//===- Cube.cpp: types, attributes, assembly and interfaces of the cube dialect -------------------------------------===//
#include "Cube.h"
#include "Bridge.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cube;
namespace fn = mlir::function_interface_impl;

// The word is optional, which a format can print but not parse for an enum.
static ParseResult parseBounds(OpAsmParser &p, BoundsAttr &bounds) {
  StringRef word;
  if (succeeded(p.parseOptionalKeyword(&word, {"checked", "inbounds"})))
    bounds = BoundsAttr::get(p.getContext(), *symbolizeBounds(word));
  return success();
}
static void printBounds(OpAsmPrinter &p, Operation *, BoundsAttr b) { if (b) p << ' ' << stringifyBounds(b.getValue()); }

#include "CubeDialect.cpp.inc"
#include "CubeEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "CubeTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "CubeAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "CubeOps.cpp.inc"

//===- Registration -----------------------------------------------------------------------------------------------===//

namespace {
// Everything may be inlined; a return hands its operands over.
struct CubeInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Operation *, bool) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  void handleTerminator(Operation *op, ValueRange values) const final {
    for (auto [from, to] : llvm::zip(values, op->getOperands()))
      from.replaceAllUsesWith(to);
  }
};
} // namespace

void CubeDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "CubeTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "CubeAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "CubeOps.cpp.inc"
      >();
  addInterfaces<CubeInliner>();
}

Operation *CubeDialect::materializeConstant(OpBuilder &b, Attribute value, Type type, Location at) {
  return arith::ConstantOp::materialize(b, value, type, at);
}

//===- Types --------------------------------------------------------------------------------------------------------===//

LogicalResult ArrayType::verify(function_ref<InFlightDiagnostic()> emitError, Type element, int64_t line) {
  if (!isa<IntegerType, FloatType>(element))
    return emitError() << "element type of an array must be an integer or a float, not " << element
                       << "; write a line of elements as !cube.array<T, N> [CUBE0110]";
  if (line < 1 || line > 16 || (line & (line - 1)))
    return emitError() << "line size must be 1, 2, 4, 8 or 16, not " << line << " [CUBE0111]";
  return success();
}

const llvm::fltSemantics &ParamType::getFloatSemantics() const { return llvm::APFloat::IEEEdouble(); }

//===- Kernels and functions ------------------------------------------------------------------------------------------===//

// comptime(@N : i32 = 4, @F : type)
static ParseResult parseComptime(OpAsmParser &p, NamedAttrList &attrs) {
  SmallVector<Attribute> decls;
  auto one = [&]() -> ParseResult {
    StringAttr name;
    Type type = NoneType::get(p.getContext());
    Attribute value;
    if (p.parseSymbolName(name) || p.parseColon())
      return failure();
    bool isType = succeeded(p.parseOptionalKeyword("type"));
    if (!isType && p.parseType(type))
      return failure();
    if (succeeded(p.parseOptionalEqual())) {
      if (isType) {
        Type chosen;
        if (p.parseType(chosen))
          return failure();
        value = TypeAttr::get(chosen);
      } else if (p.parseAttribute(value, type))
        return failure();
    }
    decls.push_back(ComptimeAttr::get(p.getContext(), name, type, value));
    return success();
  };
  if (p.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, one))
    return failure();
  attrs.set("comptime", p.getBuilder().getArrayAttr(decls));
  return success();
}

static void printComptime(OpAsmPrinter &p, ArrayAttr decls) {
  p << " comptime(";
  llvm::interleaveComma(decls.getAsRange<ComptimeAttr>(), p, [&](ComptimeAttr decl) {
    p.printSymbolName(decl.getName());
    p << " : ";
    bool isType = isa<NoneType>(decl.getType());
    isType ? p << "type" : p << decl.getType();
    if (!decl.getValue())
      return;
    p << " = ";
    if (isType)
      p << cast<TypeAttr>(decl.getValue()).getValue();
    else
      p.printAttributeWithoutType(decl.getValue());
  });
  p << ')';
}

static ParseResult parseFuncLike(OpAsmParser &p, OperationState &state, bool kernel) {
  Builder &b = p.getBuilder();
  StringAttr name;
  if (!kernel)
    (void)impl::parseOptionalVisibilityKeyword(p, state.attributes);
  if (p.parseSymbolName(name, SymbolTable::getSymbolAttrName(), state.attributes))
    return failure();
  if (kernel && succeeded(p.parseOptionalKeyword("comptime")) && parseComptime(p, state.attributes))
    return failure();

  SmallVector<OpAsmParser::Argument> args;
  SmallVector<DictionaryAttr> resultAttrs;
  SmallVector<Type> resultTypes;
  bool variadic = false;
  if (fn::parseFunctionSignatureWithArguments(p, /*allowVariadic=*/false, args, variadic, resultTypes, resultAttrs))
    return failure();
  SmallVector<Type> argTypes = llvm::map_to_vector(args, [](auto &arg) { return arg.type; });
  state.addAttribute("function_type", TypeAttr::get(b.getFunctionType(argTypes, resultTypes)));
  // The names of arguments are what a user binds values to; MLIR itself forgets them.
  SmallVector<StringRef> names = llvm::map_to_vector(args, [](auto &arg) { return arg.ssaName.name.drop_front(); });
  if (llvm::any_of(names, [](StringRef n) { return !llvm::isDigit(n.front()); }))
    state.addAttribute("arg_names", b.getStrArrayAttr(names));

  if (kernel) {
    SmallVector<int32_t> dim;
    if (succeeded(p.parseOptionalKeyword("cube_dim")) &&
        p.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                  [&] { return p.parseInteger(dim.emplace_back()); }))
      return failure();
    dim.resize(std::max<size_t>(dim.size(), 3), 1);
    state.addAttribute("cube_dim", b.getDenseI32ArrayAttr(dim));
    if (succeeded(p.parseOptionalKeyword("unchecked")))
      state.addAttribute("unchecked", b.getUnitAttr());
  }
  if (p.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  call_interface_impl::addArgAndResultAttrs(b, state, args, resultAttrs, b.getStringAttr("arg_attrs"),
                                            b.getStringAttr("res_attrs"));
  return p.parseRegion(*state.addRegion(), args);
}

static void printFuncLike(OpAsmPrinter &p, FunctionOpInterface op) {
  bool kernel = isa<KernelOp>(op);
  p << ' ';
  if (auto visibility = op->getAttrOfType<StringAttr>(SymbolTable::getVisibilityAttrName()))
    p << visibility.getValue() << ' ';
  p.printSymbolName(op.getName());
  if (auto decls = op->getAttrOfType<ArrayAttr>("comptime"))
    printComptime(p, decls);
  fn::printFunctionSignature(p, op, op.getArgumentTypes(), /*isVariadic=*/false, op.getResultTypes());
  if (kernel) {
    ArrayRef<int32_t> dim = cast<KernelOp>(op).getCubeDim();
    while (dim.size() > 1 && dim.size() <= 3 && dim.back() == 1)
      dim = dim.drop_back();
    p << " cube_dim(";
    llvm::interleaveComma(dim, p);
    p << ')';
    if (op->hasAttr("unchecked"))
      p << " unchecked";
  }
  fn::printFunctionAttributes(p, op, {"sym_visibility", "function_type", "comptime", "cube_dim", "unchecked",
                                      "arg_names", "arg_attrs", "res_attrs"});
  p << ' ';
  p.printRegion(op->getRegion(0), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/true);
}

static void nameArguments(Operation *op, Region &region, OpAsmSetValueNameFn setName) {
  auto names = op->getAttrOfType<ArrayAttr>("arg_names");
  if (names && !region.empty() && names.size() == region.getNumArguments())
    for (auto [arg, name] : llvm::zip(region.getArguments(), names.getAsRange<StringAttr>()))
      setName(arg, name.getValue());
}

ParseResult KernelOp::parse(OpAsmParser &p, OperationState &state) { return parseFuncLike(p, state, true); }
ParseResult FuncOp::parse(OpAsmParser &p, OperationState &state) { return parseFuncLike(p, state, false); }
void KernelOp::print(OpAsmPrinter &p) { printFuncLike(p, *this); }
void FuncOp::print(OpAsmPrinter &p) { printFuncLike(p, *this); }
void KernelOp::getAsmBlockArgumentNames(Region &r, OpAsmSetValueNameFn f) { nameArguments(*this, r, f); }
void FuncOp::getAsmBlockArgumentNames(Region &r, OpAsmSetValueNameFn f) { nameArguments(*this, r, f); }

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto callee = tables.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "calls " << getCalleeAttr()
                         << ", which is not a cube.func of this module; define it or mend the name [CUBE0112]";
  auto type = FunctionType::get(getContext(), getOperandTypes(), getResultTypes());
  if (callee.getFunctionType() != type)
    return emitOpError() << "has type " << type << " but " << getCalleeAttr() << " has type "
                         << callee.getFunctionType() << " [CUBE0113]";
  return success();
}

//===- Ranges --------------------------------------------------------------------------------------------------------===//

// Largest value (inclusive) of a topology value given the cube dim; counts and absolute values are only known at launch.
void TopologyOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setRange) {
  auto bounds = [&](uint64_t lo, uint64_t hi) {
    setRange(getResult(), ConstantIntRanges::fromUnsigned(APInt(32, lo), APInt(32, hi)));
  };
  auto kernel = (*this)->getParentOfType<KernelOp>();
  unsigned kind = static_cast<unsigned>(getValue()), axis = kind % 4;
  if (!kernel || kernel.getCubeDim().size() != 3)
    return bounds(0, UINT32_MAX);
  ArrayRef<int32_t> dim = kernel.getCubeDim();
  uint64_t units = axis ? dim[axis - 1] : uint64_t(dim[0]) * dim[1] * dim[2];
  switch (kind / 4) {
  case 1: return bounds(0, units - 1);          // unit_pos
  case 2: return bounds(0, axis ? UINT32_MAX - 1 : UINT32_MAX); // cube_pos; the linear one may wrap
  case 3: return bounds(units, units);          // cube_dim
  case 4: return bounds(axis ? 1 : 0, UINT32_MAX); // cube_count: an empty launch runs no unit; the product may wrap
  default: return bounds(0, UINT32_MAX);        // absolute_pos
  }
}

void LenOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setRange) {
  setRange(getResult(), ConstantIntRanges::fromUnsigned(APInt(32, 0), APInt::getMaxValue(32)));
}

//===- C API ---------------------------------------------------------------------------------------------------------===//

MlirType cubeArrayTypeGet(MlirType element, int64_t line) {
  return wrap(ArrayType::get(unwrap(element).getContext(), unwrap(element), line));
}

bool cubeArrayTypeParts(MlirType type, MlirType *element, int64_t *line) {
  if (auto array = dyn_cast<ArrayType>(unwrap(type)))
    return *element = wrap(array.getElementType()), *line = array.getLine(), true;
  return false;
}

bool cubeComptimeAttrParts(MlirAttribute attr, MlirStringRef *name, MlirType *type, MlirAttribute *value) {
  if (auto decl = dyn_cast<ComptimeAttr>(unwrap(attr)))
    return *name = wrap(decl.getName().getValue()), *type = wrap(decl.getType()), *value = wrap(decl.getValue()), true;
  return false;
}

bool cubeParamName(MlirAttribute attr, MlirType type, MlirStringRef *name) {
  if (auto param = dyn_cast_or_null<ParamAttr>(unwrap(attr)))
    return *name = wrap(param.getName().getValue()), true;
  if (auto param = dyn_cast_or_null<ParamType>(unwrap(type)))
    return *name = wrap(param.getName().getValue()), true;
  return false;
}

void cubeSubstituteParams(MlirOperation op, intptr_t count, const MlirStringRef *names, const MlirAttribute *values) {
  llvm::StringMap<Attribute> chosen;
  for (intptr_t i = 0; i < count; ++i)
    chosen[unwrap(names[i])] = unwrap(values[i]);
  auto typeOf = [&](Type type) -> Type {
    auto param = dyn_cast<ParamType>(type);
    auto value = param ? dyn_cast_or_null<TypeAttr>(chosen.lookup(param.getName().getValue())) : TypeAttr();
    return value ? value.getValue() : Type();
  };
  auto convert = [lost = false](APFloat value, FloatType to) mutable {
    value.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    return value;
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ParamType type) -> std::optional<Type> {
    return typeOf(type) ? typeOf(type) : Type(type);
  });
  // Constants were read in double precision; they are rounded once, to the chosen type.
  replacer.addReplacement([&](FloatAttr attr) -> std::optional<std::pair<Attribute, WalkResult>> {
    if (auto to = dyn_cast_or_null<FloatType>(typeOf(attr.getType())))
      return std::make_pair(Attribute(FloatAttr::get(to, convert(attr.getValue(), to))), WalkResult::skip());
    return std::nullopt;
  });
  replacer.addReplacement([&](DenseFPElementsAttr attr) -> std::optional<std::pair<Attribute, WalkResult>> {
    auto to = dyn_cast_or_null<FloatType>(typeOf(attr.getElementType()));
    if (!to)
      return std::nullopt;
    auto bits = [&](const APFloat &value) { return convert(value, to).bitcastToAPInt(); };
    return std::make_pair(Attribute(attr.mapValues(to, bits)), WalkResult::skip());
  });
  // Values may have parameter types themselves.
  for (auto &entry : chosen)
    entry.second = replacer.replace(entry.second);
  replacer.addReplacement([&](ParamAttr attr) -> std::optional<Attribute> {
    Attribute to = chosen.lookup(attr.getName().getValue());
    return to ? to : Attribute(attr);
  });
  replacer.recursivelyReplaceElementsIn(unwrap(op), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
