//===- Cube.cpp: types, attributes, assembly and interfaces of the cube dialect -------------------------------------===//
#include "Cube.h"
#include "Bridge.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#define GET_OP_CLASSES
#include "CubeOps.h.inc"

using namespace mlir;
using namespace cube;
namespace fn = mlir::function_interface_impl;

// The word is optional. A declarative format can print, but not parse, an optional enum.
static ParseResult parseBounds(OpAsmParser &p, BoundsAttr &bounds) {
  StringRef word;
  if (succeeded(p.parseOptionalKeyword(&word, {"checked", "inbounds"})))
    bounds = BoundsAttr::get(p.getContext(), *symbolizeBounds(word));
  return success();
}
static void printBounds(OpAsmPrinter &p, Operation *, BoundsAttr b) { if (b) p << ' ' << stringifyBounds(b.getValue()); }

// A size is a number, or `@P` for a comptime parameter.
static ParseResult parseSize(AsmParser &p, Attribute &size) {
  StringAttr name;
  int32_t number = 0;
  if (succeeded(p.parseOptionalSymbolName(name)))
    return size = ParamAttr::get(p.getContext(), FlatSymbolRefAttr::get(name)), success();
  return p.parseInteger(number) ? failure() : (size = p.getBuilder().getI32IntegerAttr(number), success());
}
static void printSize(AsmPrinter &p, Attribute size) {
  auto param = dyn_cast<ParamAttr>(size);
  param ? p << param.getName() : p << cast<IntegerAttr>(size).getInt();
}

// A block without a written terminator ends in cube.yield.
static ParseResult parseBody(OpAsmParser &p, Region &region, ArrayRef<OpAsmParser::Argument> args = {}) {
  if (p.parseRegion(region, args))
    return failure();
  auto yield = [](OpBuilder &b, Location at) { return Operation::create(OperationState(at, YieldOp::getOperationName())); };
  mlir::impl::ensureRegionTerminator(region, p.getBuilder(), p.getBuilder().getUnknownLoc(), yield);
  return success();
}
static void printBody(OpAsmPrinter &p, Operation *, Region &region) {
  bool yields = !region.empty() && !region.front().empty() && isa<YieldOp>(region.front().back());
  p.printRegion(region, /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/!yields);
}
// %i = %lower to %upper step %step : type { ... }
static ParseResult parseFor(OpAsmParser &p, OpAsmParser::UnresolvedOperand &lower, OpAsmParser::UnresolvedOperand &upper,
                            OpAsmParser::UnresolvedOperand &step, Type &type, Region &body) {
  OpAsmParser::Argument i;
  if (p.parseArgument(i) || p.parseEqual() || p.parseOperand(lower) || p.parseKeyword("to") || p.parseOperand(upper) ||
      p.parseKeyword("step") || p.parseOperand(step) || p.parseColonType(type))
    return failure();
  i.type = type;
  return parseBody(p, body, i);
}
static void printFor(OpAsmPrinter &p, Operation *op, Value lower, Value upper, Value step, Type type, Region &body) {
  p << body.getArgument(0) << " = " << lower << " to " << upper << " step " << step << " : " << type << ' ';
  printBody(p, op, body);
}

static ParseResult parseFuncLike(OpAsmParser &, OperationState &, bool kernel);
static void printFuncLike(OpAsmPrinter &, FunctionOpInterface), nameArguments(Operation *, Region &, OpAsmSetValueNameFn);

#include "CubeEnums.cpp.inc"
#define DIALECT(part) Cube##part
#include "Registration.inc"
Operation *CubeDialect::materializeConstant(OpBuilder &b, Attribute value, Type type, Location at) {
  return arith::ConstantOp::materialize(b, value, type, at);
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
  // Users bind values to arguments by name. MLIR does not keep the names, so an attribute stores them.
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

//===- C API ---------------------------------------------------------------------------------------------------------===//

MlirType cubeBufferTypeGet(int32_t kind, MlirAttribute size, MlirType element, int64_t line) {
  Type t = unwrap(element);
  switch (kind) {
  case CubeArray: return wrap(ArrayType::get(t.getContext(), t, line));
  case CubeTensor: return wrap(cube::TensorType::get(t.getContext(), t, line));
  case CubeSlice: return wrap(SliceType::get(t.getContext(), t, line));
  case CubeShared: return wrap(SharedType::get(t.getContext(), unwrap(size), t, line));
  default: return wrap(LocalType::get(t.getContext(), unwrap(size), t, line));
  }
}

bool cubeBufferTypeParts(MlirType type, int32_t *kind, MlirAttribute *size, MlirType *element, int64_t *line) {
  auto parts = [&](int32_t of, auto t) { return *kind = of, *element = wrap(t.getElementType()), *line = t.getLine(), true; };
  return llvm::TypeSwitch<Type, bool>(unwrap(type))
      .Case<ArrayType>([&](auto t) { return parts(CubeArray, t); })
      .Case<cube::TensorType>([&](auto t) { return parts(CubeTensor, t); })
      .Case<SliceType>([&](auto t) { return parts(CubeSlice, t); })
      .Case<SharedType>([&](auto t) { return *size = wrap(t.getSize()), parts(CubeShared, t); })
      .Case<LocalType>([&](auto t) { return *size = wrap(t.getSize()), parts(CubeLocal, t); })
      .Default(false);
}

bool cubeComptimeAttrParts(MlirAttribute attr, MlirStringRef *name, MlirType *type, MlirAttribute *value) {
  if (auto decl = dyn_cast<ComptimeAttr>(unwrap(attr)))
    return *name = wrap(decl.getName().getValue()), *type = wrap(decl.getType()), *value = wrap(decl.getValue()), true;
  return false;
}

MlirAttribute cubeTargetFields(MlirAttribute attr) {
  auto target = dyn_cast_or_null<TargetAttr>(unwrap(attr));
  return target ? wrap(Attribute(target.getFields())) : MlirAttribute{nullptr};
}

MlirAttribute cubeTargetGet(MlirAttribute fields) {
  auto all = cast<DictionaryAttr>(unwrap(fields));
  all.getContext()->getOrLoadDialect<CubeDialect>();
  return wrap(Attribute(TargetAttr::get(all.getContext(), all)));
}

MlirStringRef cubeWordOf(MlirAttribute attr) {
  return TypeSwitch<Attribute, MlirStringRef>(unwrap(attr))
      .Case<BoundsAttr, CombineAttr, ProofAttr, RoundingAttr, ScanAttr, ScopeAttr, ShuffleAttr, TopologyAttr, VoteAttr>(
          [](auto held) { return wrap(stringifyEnum(held.getValue())); })
      .Default(MlirStringRef{nullptr, 0});
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
    return value.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost), value;
  };
  AttrTypeReplacer replacer;
  // An array of lines is written as lines of an array.
  replacer.addReplacement([&](Type type) -> std::optional<Type> {
    int32_t kind; int64_t line; MlirType element; MlirAttribute size{};
    bool isBuffer = cubeBufferTypeParts(wrap(type), &kind, &size, &element, &line);
    auto v = isBuffer ? dyn_cast_or_null<VectorType>(typeOf(unwrap(element))) : VectorType();
    return v ? unwrap(cubeBufferTypeGet(kind, size, wrap(v.getElementType()), line * v.getNumElements())) : std::optional<Type>();
  });
  replacer.addReplacement([&](ParamType type) { return std::optional<Type>(typeOf(type) ? typeOf(type) : Type(type)); });
  // Constants were read in double precision. They are rounded once, to the chosen type.
  replacer.addReplacement([&](FloatAttr attr) -> std::optional<std::pair<Attribute, WalkResult>> {
    if (auto to = dyn_cast_or_null<FloatType>(typeOf(attr.getType())))
      return std::make_pair(Attribute(FloatAttr::get(to, convert(attr.getValue(), to))), WalkResult::skip());
    return std::nullopt;
  });
  replacer.addReplacement([&](DenseFPElementsAttr attr) -> std::optional<std::pair<Attribute, WalkResult>> {
    auto to = dyn_cast_or_null<FloatType>(typeOf(attr.getElementType()));
    auto bits = [&](const APFloat &value) { return convert(value, to).bitcastToAPInt(); };
    return !to ? std::optional<std::pair<Attribute, WalkResult>>() : std::make_pair(Attribute(attr.mapValues(to, bits)), WalkResult::skip());
  });
  // Values can have parameter types.
  for (auto &entry : chosen)
    entry.second = replacer.replace(entry.second);
  replacer.addReplacement([&](ParamAttr attr) {
    return std::optional<Attribute>(chosen.contains(attr.getName().getValue()) ? chosen.at(attr.getName().getValue()) : attr);
  });
  replacer.recursivelyReplaceElementsIn(unwrap(op), /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
}
