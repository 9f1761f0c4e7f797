// lld as a library: an object becomes a shared object, which for AMD GPUs is a code object.
#include "Bridge.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>
#include <string>

LLD_HAS_DRIVER(elf)

// lld keeps its state in globals, so one link runs at a time. After a crash inside of lld its state is unknown: it is not run again.
static std::mutex turn;
static bool usable = true;

bool cubeLinkShared(const char *object, const char *output, MlirStringCallback said, void *to) {
  std::lock_guard<std::mutex> lock(turn);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!usable) {
    stream << "lld crashed before in this process";
  } else {
    const char *arguments[] = {"ld.lld", "-shared", "--threads=1", object, "-o", output};
    lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    usable = result.canRunAgain;
    if (result.retCode == 0)
      return true;
  }
  said(mlirStringRefCreate(text.data(), text.size()), to);
  return false;
}
