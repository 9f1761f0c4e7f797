// lld as a library: links an object to a shared object. For AMD GPUs, the shared object is the code object.
#include "Bridge.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

// lld has global state, so only one link runs at a time. After a crash inside of lld, the state is unknown, and lld is not used again.
static std::mutex turn;
static bool usable = true;

bool cubeLinkShared(const char *object, const char *output, MlirStringCallback said, void *to) {
  std::lock_guard<std::mutex> lock(turn);
  std::string text;
  llvm::raw_string_ostream stream(text);
  const char *arguments[] = {"ld.lld", "-shared", "--threads=1", object, "-o", output};
  lld::Result result = {1, usable};
  if (usable)
    result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  else
    stream << "lld crashed before in this process";
  usable = result.canRunAgain;
  if (result.retCode == 0)
    return true;
  said(mlirStringRefCreate(text.data(), text.size()), to);
  return false;
}
