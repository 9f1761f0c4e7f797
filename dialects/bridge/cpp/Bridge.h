//===- Bridge.h: what Rust calls; the Rust side is src/lib.rs --------------------------------------------------------===//
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
  void (*bounds)(MlirOperation op, uint64_t *least, uint64_t *most); // of the result, if they are known
  bool (*runPass)(const CubePassDecl *decl, MlirOperation op, const void *pass);
  // False after saying what is wrong with the parameters of the attribute called `name`.
  bool (*verifyAttribute)(MlirStringRef name, MlirAttribute parameters, MlirStringCallback say, void *to);
  // The parameters of the attribute called `name` as its text says them, and the text that they were made of.
  void (*parseWords)(MlirStringRef name, MlirStringRef text, void (*say)(const int64_t *words, intptr_t count, void *to), void *to);
  void (*printWords)(MlirStringRef name, const int64_t *words, intptr_t count, MlirStringCallback say, void *to);
};

void cubeSetCallbacks(const CubeCallbacks *callbacks);
void cubeRegisterDialects(MlirDialectRegistry registry); // ours and all of upstream
void cubeInsertDialects(MlirDialectRegistry registry);   // only Cube's dialects, for a foreign context
void cubeRegisterPass(const CubePassDecl *decl);
void cubeRegisterPipeline(MlirStringRef name, MlirStringRef summary, MlirStringRef passes);
bool cubePassOptionBool(const void *pass, intptr_t index);
int64_t cubePassOptionInt(const void *pass, intptr_t index);
MlirStringRef cubePassOptionText(const void *pass, intptr_t index);
intptr_t cubePassOptionListSize(const void *pass, intptr_t index);
MlirStringRef cubePassOptionListItem(const void *pass, intptr_t index, intptr_t item);
void cubePassMarkUnchanged(const void *pass);

// Parses text or bytecode into a module, and wraps any other top level in a module; null after diagnostics.
MlirModule cubeParseModule(MlirContext context, MlirStringRef source, MlirStringRef name);

// Buffers: the size is that of shared and local memory, an i32 attribute or a #cube.param; null for the others.
enum CubeBufferKind { CubeArray = 0, CubeTensor = 1, CubeSlice = 2, CubeShared = 3, CubeLocal = 4 };
MlirType cubeBufferTypeGet(int32_t kind, MlirAttribute size, MlirType element, int64_t line);
bool cubeBufferTypeParts(MlirType type, int32_t *kind, MlirAttribute *size, MlirType *element, int64_t *line);
bool cubeComptimeAttrParts(MlirAttribute attr, MlirStringRef *name, MlirType *type, MlirAttribute *value);
// Attributes of the layout dialect are numbers (1: a layout, 2: a coordinate, 0: another attribute); types alike (2: a view).
MlirAttribute cubeWordsAttrGet(MlirContext context, bool coord, intptr_t count, const int64_t *words);
int32_t cubeWordsAttrParts(MlirAttribute attr, const int64_t **words, intptr_t *count);
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
// 0: is a terminator, 1: is convergent by trait, 2: can be speculated, 3: has no memory effects, 4: has the memory effects
// of its regions.
bool cubeOpAsk(MlirOperation op, int32_t question);
// 0 read, 1 write, 2 alloc, 3 free; the value is null where the effect names none.
typedef void (*CubeEffectCallback)(void *to, int32_t kind, MlirValue value, MlirStringRef resource);
// The effects of the operation without those of what is inside; false where they are unknown.
bool cubeOpEffects(MlirOperation op, CubeEffectCallback each, void *to);
// Links an ELF object into a shared object with lld; both are names of files. On failure its words go to `said`.
bool cubeLinkShared(const char *object, const char *output, MlirStringCallback said, void *to);
int cubeOptMain(int argc, char **argv, const char *tool);
int cubeLspMain(int argc, char **argv);
}
