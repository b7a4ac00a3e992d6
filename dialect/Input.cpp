// Bytecode is tried in a child process, since MLIR's reader trusts what it reads: a damaged file makes
// it write outside its tables.
#include "dialect/Bridge.h"
#include "linear-layout/src/sys/bridge.rs.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace {

constexpr int tooDeep = 3;

// Whether operations are nested in each other more than `most` deep; does not recurse.
bool isNestedDeeper(Operation *op, uint32_t most) {
  SmallVector<std::pair<Operation *, uint32_t>> pending = {{op, 0}};
  while (!pending.empty()) {
    auto [next, depth] = pending.pop_back_val();
    if (depth > most)
      return true;
    for (Region &region : next->getRegions())
      for (Operation &inner : region.getOps())
        if (inner.getNumRegions() != 0)
          pending.push_back({&inner, depth + 1});
  }
  return false;
}

// What the child does: reads, and says with its exit status what it found. Errors are left to the
// parent, which finds them again; so are the verifiers, which are not what is tried here.
[[noreturn]] void readAndExit(StringRef bytecode, uint32_t most) {
  for (int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SIGPIPE})
    std::signal(signal, SIG_DFL);
  rlimit noCore = {0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  // On some damage the reader never ends; in this time it reads gigabytes.
  rlimit seconds = {10, 10};
  setrlimit(RLIMIT_CPU, &seconds);
  int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    ll::bridge::register_dialects(reinterpret_cast<size_t>(&registry));
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.allowUnregisteredDialects();
    ParserConfig config(&context, /*verifyAfterParse=*/false);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytecode, config);
    if (module && isNestedDeeper(*module, most)) {
      // What is nested so deep cannot be taken down either.
      _exit(tooDeep);
    }
  }
  _exit(0);
}

} // namespace

int32_t ll::bridge::try_bytecode(rust::Slice<const uint8_t> bytecode, uint32_t most) {
  StringRef text(reinterpret_cast<const char *>(bytecode.data()), bytecode.size());
  pid_t child = fork();
  if (child == 0)
    readAndExit(text, most);
  int status = 0;
  // Without a child nothing is tried, and the parent reads as it always did.
  if (child < 0 || waitpid(child, &status, 0) != child)
    return 0;
  if (WIFSIGNALED(status))
    return WTERMSIG(status);
  // LLVM may end the process with a status of its own.
  return WEXITSTATUS(status) == tooDeep ? -1 : WEXITSTATUS(status) == 0 ? 0 : SIGABRT;
}
