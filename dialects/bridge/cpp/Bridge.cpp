//===- Bridge.cpp: passes written in Rust, and the main functions of MLIR's tools -------------------------------------===//
#include "Bridge.h"
#include "Cube.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

using namespace mlir;

static CubeCallbacks callbacks;

LogicalResult cube::verifyInRust(Operation *op) { return success(!callbacks.verify || callbacks.verify(wrap(op))); }

void cube::boundInRust(Operation *op, SetIntRangeFn set) {
  uint64_t least = 0, most = UINT32_MAX;
  if (callbacks.bounds)
    callbacks.bounds(wrap(op), &least, &most);
  set(op->getResult(0), ConstantIntRanges::fromUnsigned(APInt(32, least), APInt(32, most)));
}

LogicalResult cube::TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, DictionaryAttr fields) {
  std::string why;
  auto say = [](MlirStringRef part, void *to) { static_cast<std::string *>(to)->append(part.data, part.length); };
  if (!callbacks.verifyAttribute || callbacks.verifyAttribute(wrap(StringRef("cube.target")), wrap(fields), say, &why))
    return success();
  return emitError() << why;
}

LogicalResult cube::parseNumbers(AsmParser &p, StringRef name, SmallVectorImpl<int64_t> &numbers) {
  std::string text;
  for (int open = p.parseLess() ? -1 : 0; open >= 0;) {
    StringRef word;
    APInt number;
    if (succeeded(p.parseOptionalLParen())) text += '(';
    else if (succeeded(p.parseOptionalRParen())) text += ')';
    else if (succeeded(p.parseOptionalComma())) text += ',';
    else if (succeeded(p.parseOptionalColon())) text += ':';
    else if (succeeded(p.parseOptionalQuestion())) text += '?';
    else if (succeeded(p.parseOptionalLess())) ++open, text += '<';
    else if (open && succeeded(p.parseOptionalGreater())) --open, text += '>';
    else if (succeeded(p.parseOptionalKeyword(&word))) text += word == "o" ? " o " : word.str();
    else if (auto digits = p.parseOptionalInteger(number); digits.has_value()) {
      if (failed(*digits))
        return failure();
      SmallString<24> decimal;
      number.toStringSigned(decimal);
      text += decimal.str();
    } else {
      auto say = [](const int64_t *all, intptr_t count, void *to) { static_cast<SmallVectorImpl<int64_t> *>(to)->append(all, all + count); };
      if (callbacks.parseNumbers)
        callbacks.parseNumbers(wrap(name), wrap(StringRef(text)), say, &numbers);
      return p.parseGreater();
    }
  }
  return failure();
}

void cube::printNumbers(AsmPrinter &p, StringRef name, ArrayRef<int64_t> numbers) {
  auto say = [](MlirStringRef part, void *to) { *static_cast<AsmPrinter *>(to) << unwrap(part); };
  p << '<';
  if (callbacks.printNumbers)
    callbacks.printNumbers(wrap(name), numbers.data(), numbers.size(), say, &p);
  p << '>';
}

LogicalResult cube::foldInRust(Operation *op, ArrayRef<Attribute> operands, FoldResults &results) {
  if (!callbacks.fold)
    return failure();
  SmallVector<MlirAttribute> constants = llvm::map_to_vector(operands, [](Attribute a) { return wrap(a); });
  CubeFold fold = callbacks.fold(wrap(op), constants.size(), constants.data());
  if (fold.kind == 1)
    results.push_back(unwrap(fold.attribute));
  else if (fold.kind == 2)
    results.push_back(unwrap(fold.value));
  return success(fold.kind != 0);
}

namespace {
template <typename... Dialects> void insertOneOf(DialectRegistry &registry, StringRef name) {
  ((name == Dialects::getDialectNamespace() ? registry.insert<Dialects>() : void()), ...);
}
void insertDialect(DialectRegistry &registry, StringRef name) {
  insertOneOf<cube::CubeDialect, cube::layout::LayoutDialect, arith::ArithDialect, cf::ControlFlowDialect,
              func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect,
              math::MathDialect, memref::MemRefDialect, scf::SCFDialect, ub::UBDialect, vector::VectorDialect>(registry, name);
}

// The class of all passes written in Rust. The declaration has name, anchor and options of the pass. Rust runs the pass.
class RustPass : public Pass {
public:
  RustPass(const CubePassDecl *decl, TypeID id)
      : Pass(id, decl->anchor.length ? std::optional<StringRef>(unwrap(decl->anchor)) : std::nullopt), decl(decl) {
    for (const CubeOptionDecl &o : ArrayRef(decl->options, decl->optionCount)) {
      StringRef name = unwrap(o.name), initial = unwrap(o.defaultValue);
      llvm::cl::desc help(unwrap(o.summary));
      auto &slot = options.emplace_back();
      int64_t number = 0;
      switch (o.kind) {
      case CubeBool: slot.flag = std::make_unique<Option<bool>>(*this, name, help, llvm::cl::init(initial == "true")); break;
      case CubeInt:
        (void)initial.getAsInteger(10, number);
        slot.number = std::make_unique<Option<int64_t>>(*this, name, help, llvm::cl::init(number));
        break;
      case CubeText:
        slot.text = std::make_unique<Option<std::string>>(*this, name, help, llvm::cl::init(initial.str()));
        break;
      default: slot.list = std::make_unique<ListOption<std::string>>(*this, name, help); break;
      }
    }
  }

  StringRef getName() const override { return unwrap(decl->argument); }
  StringRef getArgument() const override { return unwrap(decl->argument); }
  StringRef getDescription() const override { return unwrap(decl->summary); }
  void getDependentDialects(DialectRegistry &registry) const override {
    for (MlirStringRef name : ArrayRef(decl->dialects, decl->dialectCount))
      insertDialect(registry, unwrap(name));
  }
  std::unique_ptr<Pass> clonePass() const override {
    auto copy = std::make_unique<RustPass>(decl, getTypeID());
    copy->copyOptionValuesFrom(this);
    return copy;
  }
  bool canScheduleOn(RegisteredOperationName) const override { return true; }
  void runOnOperation() override {
    if (!callbacks.runPass(decl, wrap(getOperation()), this))
      signalPassFailure();
  }
  void markUnchanged() { markAllAnalysesPreserved(); }

  struct Slot {
    std::unique_ptr<Option<bool>> flag;
    std::unique_ptr<Option<int64_t>> number;
    std::unique_ptr<Option<std::string>> text;
    std::unique_ptr<ListOption<std::string>> list;
  };
  SmallVector<Slot, 0> options;

private:
  const CubePassDecl *decl;
};

const RustPass &asPass(const void *pass) { return *static_cast<const RustPass *>(pass); }
} // namespace

void cubeSetCallbacks(const CubeCallbacks *given) { callbacks = *given; }

void cubeRegisterDialects(MlirDialectRegistry registry) {
  registerAllDialects(*unwrap(registry));
  registerAllExtensions(*unwrap(registry));
  cubeInsertDialects(registry);
}
void cubeInsertDialects(MlirDialectRegistry registry) { unwrap(registry)->insert<cube::CubeDialect, cube::layout::LayoutDialect>(); }

void cubeRegisterPass(const CubePassDecl *decl) {
  static TypeIDAllocator ids; // registration happens on one thread, once a pass
  TypeID id = ids.allocate();
  registerPass([decl, id] { return std::make_unique<RustPass>(decl, id); });
}

void cubeRegisterPipeline(MlirStringRef name, MlirStringRef summary, MlirStringRef passes) {
  registerPassPipeline(
      unwrap(name), unwrap(summary),
      [text = unwrap(passes).str()](OpPassManager &pm, StringRef options, function_ref<LogicalResult(const Twine &)> error) {
        if (!options.empty())
          return error("a phase takes no options; give them to its passes");
        return parsePassPipeline(text, pm);
      },
      [](function_ref<void(const detail::PassOptions &)>) {});
}

bool cubePassOptionBool(const void *pass, intptr_t i) { return asPass(pass).options[i].flag->getValue(); }
int64_t cubePassOptionInt(const void *pass, intptr_t i) { return asPass(pass).options[i].number->getValue(); }
MlirStringRef cubePassOptionText(const void *pass, intptr_t i) { return wrap(StringRef(asPass(pass).options[i].text->getValue())); }
intptr_t cubePassOptionListSize(const void *pass, intptr_t i) { return asPass(pass).options[i].list->size(); }
MlirStringRef cubePassOptionListItem(const void *pass, intptr_t i, intptr_t item) {
  return wrap(StringRef((*asPass(pass).options[i].list)[item]));
}
void cubePassMarkUnchanged(const void *pass) { const_cast<RustPass &>(asPass(pass)).markUnchanged(); }

void cubeEmit(MlirLocation at, int32_t severity, MlirStringRef message, intptr_t noteCount, const MlirLocation *noteAt,
              const MlirStringRef *notes) {
  Location location = unwrap(at);
  InFlightDiagnostic diagnostic = severity == 0   ? emitError(location)
                                  : severity == 1 ? emitWarning(location)
                                                  : emitRemark(location);
  diagnostic << unwrap(message);
  for (intptr_t i = 0; i < noteCount; ++i)
    diagnostic.attachNote(unwrap(noteAt[i])) << unwrap(notes[i]);
}

MlirModule cubeParseModule(MlirContext context, MlirStringRef source, MlirStringRef name) {
  return wrap(parseSourceString<ModuleOp>(unwrap(source), unwrap(context), unwrap(name)).release());
}

bool cubeOpAsk(MlirOperation raw, int32_t question) {
  Operation *op = unwrap(raw);
  switch (question) {
  case 0: return op->hasTrait<OpTrait::IsTerminator>();
  case 1: return op->hasTrait<cube::Convergent>();
  case 2: return isSpeculatable(op);
  case 3: return isMemoryEffectFree(op);
  default: return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  }
}

bool cubeOpEffects(MlirOperation raw, CubeEffectCallback each, void *to) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(unwrap(raw));
  if (!interface)
    return unwrap(raw)->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    int32_t kind = isa<MemoryEffects::Read>(effect.getEffect())    ? 0
                   : isa<MemoryEffects::Write>(effect.getEffect()) ? 1
                   : isa<MemoryEffects::Allocate>(effect.getEffect()) ? 2 : 3;
    each(to, kind, wrap(effect.getValue()), wrap(effect.getResource()->getName()));
  }
  return true;
}

int cubeOptMain(int argc, char **argv, const char *tool) {
  DialectRegistry registry;
  cubeRegisterDialects(wrap(&registry));
  return asMainReturnCode(MlirOptMain(argc, argv, tool, registry));
}

int cubeLspMain(int argc, char **argv) {
  DialectRegistry registry;
  cubeRegisterDialects(wrap(&registry));
  return asMainReturnCode(MlirLspServerMain(argc, argv, registry));
}
