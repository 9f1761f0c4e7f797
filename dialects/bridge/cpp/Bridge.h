//===- Bridge.h: functions that Rust calls (src/lib.rs) ---------------------------------------------------------------===//
#pragma once
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Support.h"

extern "C" {
enum CubeOptionKind { CubeBool = 0, CubeInt = 1, CubeText = 2, CubeList = 3 };
struct CubeOptionDecl {
  MlirStringRef name, summary, defaultValue;
  int32_t kind;
};
struct CubePassDecl {
  MlirStringRef argument, summary, anchor;
  const MlirStringRef *dialects;
  intptr_t dialectCount;
  const CubeOptionDecl *options;
  intptr_t optionCount;
};
struct CubeFold {
  int32_t kind; // 0: no fold, 1: attribute, 2: value
  MlirAttribute attribute;
  MlirValue value;
};
struct CubeCallbacks {
  bool (*verify)(MlirOperation op);
  CubeFold (*fold)(MlirOperation op, intptr_t count, const MlirAttribute *operands);
  void (*bounds)(MlirOperation op, uint64_t *least, uint64_t *most); // the bounds of the result, if they are known
  bool (*runPass)(const CubePassDecl *decl, MlirOperation op, const void *pass);
  // Verifies the parameters of the attribute `name`. Calls `say` with an error text and returns false if they are invalid.
  bool (*verifyAttribute)(MlirStringRef name, MlirAttribute parameters, MlirStringCallback say, void *to);
  // Converts the text of the attribute `name` to numbers, and numbers to text.
  void (*parseNumbers)(MlirStringRef name, MlirStringRef text, void (*say)(const int64_t *numbers, intptr_t count, void *to), void *to);
  void (*printNumbers)(MlirStringRef name, const int64_t *numbers, intptr_t count, MlirStringCallback say, void *to);
};

void cubeSetCallbacks(const CubeCallbacks *callbacks);
void cubeRegisterDialects(MlirDialectRegistry registry); // all dialects of Cube and of MLIR
void cubeInsertDialects(MlirDialectRegistry registry);   // only Cube's dialects, for a foreign context
void cubeRegisterPass(const CubePassDecl *decl);
void cubeRegisterPipeline(MlirStringRef name, MlirStringRef summary, MlirStringRef passes);
bool cubePassOptionBool(const void *pass, intptr_t index);
int64_t cubePassOptionInt(const void *pass, intptr_t index);
MlirStringRef cubePassOptionText(const void *pass, intptr_t index);
intptr_t cubePassOptionListSize(const void *pass, intptr_t index);
MlirStringRef cubePassOptionListItem(const void *pass, intptr_t index, intptr_t item);
void cubePassMarkUnchanged(const void *pass);

// Parses text or bytecode into a module. Wraps any other top-level operation in a module. Null after diagnostics.
MlirModule cubeParseModule(MlirContext context, MlirStringRef source, MlirStringRef name);

// Buffer types. Shared and local memory has a size, an i32 attribute or a #cube.param. Other buffers have no size (null).
enum CubeBufferKind { CubeArray = 0, CubeTensor = 1, CubeSlice = 2, CubeShared = 3, CubeLocal = 4 };
MlirType cubeBufferTypeGet(int32_t kind, MlirAttribute size, MlirType element, int64_t line);
bool cubeBufferTypeParts(MlirType type, int32_t *kind, MlirAttribute *size, MlirType *element, int64_t *line);
bool cubeComptimeAttrParts(MlirAttribute attr, MlirStringRef *name, MlirType *type, MlirAttribute *value);
// The functions return the kind of an attribute (1: layout, 2: coordinate, 0: other) or of a type (1: layout, 2: view).
MlirAttribute cubeNumbersAttrGet(MlirContext context, bool coord, intptr_t count, const int64_t *numbers);
int32_t cubeNumbersAttrParts(MlirAttribute attr, const int64_t **numbers, intptr_t *count);
MlirType cubeLayoutTypeGet(MlirContext context);
int32_t cubeLayoutTypeParts(MlirType type, MlirType *element);
MlirAttribute cubeTargetFields(MlirAttribute attr); // the dictionary of a #cube.target, null for any other attribute
MlirAttribute cubeTargetGet(MlirAttribute fields); // the #cube.target of a dictionary, whose fields are not checked again
MlirStringRef cubeWordOf(MlirAttribute attr);      // the word of an enumeration of the cube dialect, null for any other attribute
bool cubeParamName(MlirAttribute attr, MlirType type, MlirStringRef *name);
void cubeSubstituteParams(MlirOperation op, intptr_t count, const MlirStringRef *names, const MlirAttribute *values);

// Emits a diagnostic (0 error, 1 warning, 2 remark) with notes.
void cubeEmit(MlirLocation at, int32_t severity, MlirStringRef message, intptr_t noteCount, const MlirLocation *noteAt,
              const MlirStringRef *notes);
// Questions about an operation. 0: is it a terminator? 1: has it the trait Convergent? 2: can it be speculated? 3: has it no
// memory effects? 4: has it exactly the memory effects of its regions?
bool cubeOpAsk(MlirOperation op, int32_t question);
// Kinds of effects: 0 read, 1 write, 2 alloc, 3 free. The value is null if the effect has no value.
typedef void (*CubeEffectCallback)(void *to, int32_t kind, MlirValue value, MlirStringRef resource);
// The effects of the operation, without the effects of nested operations. Returns false if the effects are unknown.
bool cubeOpEffects(MlirOperation op, CubeEffectCallback each, void *to);
// Links an ELF object to a shared object with lld. Both names are file names. After a failure, `said` receives the error text.
bool cubeLinkShared(const char *object, const char *output, MlirStringCallback said, void *to);
// Folds by MLIR's analysis of integer ranges; returns the number of operations whose results got full ranges after `limit` visits.
int64_t cubeFoldRanges(MlirOperation op, int64_t limit, bool *changed);
int cubeOptMain(int argc, char **argv, const char *tool);
int cubeLspMain(int argc, char **argv);
}
