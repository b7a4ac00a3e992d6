// Reads bytecode in a child process, since MLIR's reader does not validate its input: a damaged file causes writes out of
// bounds. The child writes the module again, and the parent reads only that.
#include "dialect/Bridge.h"
#include "linear-layout-mlir/src/sys/bridge.rs.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace {

// Exit statuses of the child; with the first two its output is bytecode and an error message.
constexpr int written = 0, refused = 2, tooDeep = 3;

// Returns true if operations are nested more than `most` deep; does not recurse.
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

// Writes all bytes to a file descriptor, or ends the process.
void writeOrExit(int to, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(to, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      abort();
    bytes = bytes.drop_front(count);
  }
}

// The child: reads the file and reports by its exit status. The parent reports violated rules; the verifiers run here,
// too, since they may end by a signal.
[[noreturn]] void readAndExit(StringRef bytecode, StringRef name, uint32_t most, int to) {
  for (int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SIGPIPE})
    std::signal(signal, SIG_DFL);
  rlimit noCore = {0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  // The reader does not terminate on some damaged files; this limit is enough for gigabytes.
  rlim_t time = 10 + bytecode.size() / (1 << 20);
  rlimit seconds = {time, time};
  setrlimit(RLIMIT_CPU, &seconds);
  int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  ll::bridge::register_dialects(wrap(&registry));
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(bytecode, name, false), SMLoc());
  std::string text;
  llvm::raw_string_ostream stream(text);
  SourceMgrDiagnosticHandler handler(*sources, &context, stream);
  FallbackAsmResourceMap resources;
  ParserConfig config(&context, /*verifyAfterParse=*/false, &resources);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, config);
  if (!module) {
    writeOrExit(to, text);
    _exit(refused);
  }
  // Destroying IR of this depth would overflow the stack, too.
  if (isNestedDeeper(*module, most))
    _exit(tooDeep);
  ScopedDiagnosticHandler silent(&context, [](Diagnostic &) { return success(); });
  (void)verify(*module);
  text.clear();
  if (failed(writeBytecodeToFile(*module, stream, BytecodeWriterConfig(resources))))
    abort();
  writeOrExit(to, text);
  // Freeing may fail, too.
  module = {};
  _exit(written);
}

} // namespace

ll::bridge::TriedBytecode ll::bridge::try_bytecode(rust::Slice<const uint8_t> bytecode,
                                                   rust::Str name, uint32_t most) {
  TriedBytecode tried{BytecodeOutcome::Untried, {}, 0};
  StringRef text(reinterpret_cast<const char *>(bytecode.data()), bytecode.size());
  int ends[2];
  if (pipe(ends) != 0)
    return tried;
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    readAndExit(text, view(name), most, ends[1]);
  }
  close(ends[1]);
  if (child > 0) {
    std::array<uint8_t, 1 << 16> block;
    for (;;) {
      ssize_t count = read(ends[0], block.data(), block.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        break;
      for (ssize_t i = 0; i < count; ++i)
        tried.bytes.push_back(block[i]);
    }
  }
  close(ends[0]);
  int status = 0;
  // Without a child process the parent reads the file itself.
  if (child < 0 || waitpid(child, &status, 0) != child)
    return tried;
  if (WIFSIGNALED(status)) {
    tried.outcome = BytecodeOutcome::Damaged;
    tried.signal = WTERMSIG(status);
    return tried;
  }
  switch (WEXITSTATUS(status)) {
  case written:
    tried.outcome = BytecodeOutcome::Written;
    break;
  case refused:
    tried.outcome = BytecodeOutcome::Refused;
    break;
  case tooDeep:
    tried.outcome = BytecodeOutcome::TooDeep;
    break;
  default:
    // LLVM may end the process with a status of its own.
    tried.outcome = BytecodeOutcome::Damaged;
    tried.signal = SIGABRT;
  }
  return tried;
}
