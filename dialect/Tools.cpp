// `ll-opt` and `ll-lsp-server`: MLIR's drivers with all upstream and own dialects and passes; and functions for
// `ll-translate` that LLVM's C API lacks.
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"
#include "linear-layout-mlir/src/sys/bridge.rs.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Target/TargetMachine.h"

#include <deque>

using namespace mlir;
using namespace ll;

namespace {

// Arguments in the form of `main`.
struct Argv {
  explicit Argv(rust::Slice<const uint8_t> arguments) {
    StringRef rest(reinterpret_cast<const char *>(arguments.data()), arguments.size());
    while (!rest.empty()) {
      auto [argument, others] = rest.split('\0');
      owned.push_back(argument.str());
      rest = others;
    }
    for (std::string &argument : owned)
      pointers.push_back(argument.data());
    pointers.push_back(nullptr);
  }

  int argc() const { return static_cast<int>(owned.size()); }
  char **argv() { return pointers.data(); }

private:
  std::vector<std::string> owned;
  std::vector<char *> pointers;
};

// Limits for the bytes of a type, attribute or operation, and of other text, in a diagnostic.
constexpr size_t mostOfPart = 1000, mostOfText = 8000;

// Returns true if a line of the input is too long to be printed below a diagnostic.
bool hasLongLines = false;

// Abbreviates a text of more than `most` bytes to its start and end.
std::string shortened(StringRef text, size_t most) {
  return (text.take_front(most * 3 / 4) + "..." + text.take_back(most / 5)).str();
}

// Abbreviates input text in diagnostics. The texts are owned for the lifetime of the context, since a diagnostic only
// refers to them.
struct BriefDiagnostics {
  std::deque<std::string> kept;

  void keep(DiagnosticArgument &argument, std::string text) {
    kept.push_back(std::move(text));
    argument = DiagnosticArgument(StringRef(kept.back()));
  }

  void shorten(DiagnosticArgument &argument) {
    using Kind = DiagnosticArgument::DiagnosticArgumentKind;
    std::string text;
    llvm::raw_string_ostream stream(text);
    size_t most = mostOfPart;
    switch (argument.getKind()) {
    case Kind::Attribute:
      stream << argument.getAsAttribute();
      break;
    case Kind::Type:
      stream << argument.getAsType();
      break;
    case Kind::String:
      if (argument.getAsString().size() <= mostOfText)
        return;
      stream << argument.getAsString();
      most = mostOfText;
      break;
    default:
      return;
    }
    if (text.size() > most)
      keep(argument, shortened(text, most));
  }

  // The first line of an operation that MLIR prints.
  void shortenOperation(MutableArrayRef<DiagnosticArgument> arguments) {
    for (DiagnosticArgument &argument : arguments) {
      auto [line, rest] = argument.getAsString().ltrim('\n').split('\n');
      std::string text = line.size() > mostOfPart ? shortened(line, mostOfPart) : line.str();
      keep(argument, rest.empty() ? text : text + " ...");
    }
  }

  void shorten(Diagnostic &diagnostic) {
    MutableArrayRef<DiagnosticArgument> arguments = diagnostic.getArguments();
    auto isText = [](const DiagnosticArgument &argument) {
      return argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::String;
    };
    // A note of two arguments is text and an operation; one with several lines starts on a new line.
    size_t count = arguments.size();
    if (diagnostic.getSeverity() == DiagnosticSeverity::Note && llvm::all_of(arguments, isText) &&
        (count == 2 || (count == 3 && arguments[1].getAsString() == "\n")))
      shortenOperation(arguments.drop_front());
    else
      for (DiagnosticArgument &argument : arguments)
        shorten(argument);
    for (Diagnostic &note : diagnostic.getNotes())
      shorten(note);
  }
};

// Prints a diagnostic and its notes without the line of the input.
void printWithoutSource(Diagnostic &diagnostic) {
  auto one = [](Diagnostic &diagnostic) {
    if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      llvm::errs() << place.getFilename().getValue() << ":" << place.getLine() << ":"
                   << place.getColumn() << ": ";
    switch (diagnostic.getSeverity()) {
    case DiagnosticSeverity::Error:
      llvm::errs() << "error: ";
      break;
    case DiagnosticSeverity::Warning:
      llvm::errs() << "warning: ";
      break;
    case DiagnosticSeverity::Remark:
      llvm::errs() << "remark: ";
      break;
    case DiagnosticSeverity::Note:
      llvm::errs() << "note: ";
      break;
    }
    llvm::errs() << diagnostic << "\n";
  };
  one(diagnostic);
  for (Diagnostic &note : diagnostic.getNotes())
    one(note);
}

// Registers a handler in front of the driver's, since a dialect is loaded while the driver runs. Idempotent in effect.
template <typename OfDialect> void makeDiagnosticsBrief(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, OfDialect *) {
    auto brief = std::make_shared<BriefDiagnostics>();
    context->getDiagEngine().registerHandler([brief](Diagnostic &diagnostic) {
      brief->shorten(diagnostic);
      if (!hasLongLines)
        return failure();
      printWithoutSource(diagnostic);
      return success();
    });
  });
}

void registerEverything(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  bridge::register_dialects(wrap(&registry));
  makeDiagnosticsBrief<tt::TritonDialect>(registry);
  makeDiagnosticsBrief<ttg::TritonGPUDialect>(registry);
  makeDiagnosticsBrief<LLVM::LLVMDialect>(registry);
}

// Skips the two LLVM passes of strength reduction.
struct StrengthReductionGate : llvm::OptPassGate {
  StrengthReductionGate(bool straightLine, bool loops) : straightLine(straightLine), loops(loops) {}
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef name, StringRef) const override {
    // Passes of functions are named by their argument, passes of loops by their title.
    return (straightLine || name != "slsr") && (loops || name != "Loop Strength Reduction");
  }
  bool straightLine, loops;
};

// The registered option or pass of the fewest edits, if those are few; passes are registered as options.
StringRef nearestOption(StringRef name) {
  StringRef nearest;
  unsigned best = std::max<unsigned>(2, name.size() / 4) + 1;
  for (auto &option : llvm::cl::getRegisteredOptions())
    if (unsigned distance = name.edit_distance(option.first, true, best); distance < best) {
      best = distance;
      nearest = option.first;
    }
  return nearest;
}

// Returns false for a textual pipeline with an unknown pass, and names the nearest one. Without a near one MLIR reports it.
bool arePassesKnown(StringRef pipeline) {
  rust::String unknown = bridge::unknown_pass(bridge::bytes(pipeline));
  StringRef name(unknown.data(), unknown.size()), nearest = nearestOption(name);
  if (name.empty() || nearest.empty())
    return true;
  llvm::errs() << "error: unknown pass `" << name << "` in `--pass-pipeline`\nnote: did you mean `" << nearest
               << "`? `--help` lists all passes\n";
  return false;
}

// Returns true if no long option is a misspelled one. LLVM would take its first letter for a short option.
bool areKnown(ArrayRef<char *> arguments) {
  auto &known = llvm::cl::getRegisteredOptions();
  for (StringRef argument : arguments) {
    if (!argument.consume_front("--") || argument.empty())
      continue;
    StringRef name = argument.take_until([](char c) { return c == '='; });
    if (name == "pass-pipeline" && !arePassesKnown(argument.drop_front(name.size()).ltrim('=')))
      return false;
    if (known.count(name))
      continue;
    StringRef nearest = nearestOption(name);
    if (nearest.empty())
      continue;
    llvm::errs() << "error: unknown option `--" << name << "`\nnote: did you mean `--" << nearest
                 << "`? `--help` lists all options\n";
    return false;
  }
  return true;
}

// Runs the driver on a file that it can read; with comments, into a string first.
LogicalResult opt(StringRef input, StringRef output, DialectRegistry &registry,
                  const MlirOptMainConfig &config, bool withComments) {
  if (input == "-" && llvm::sys::Process::FileDescriptorIsDisplayed(fileno(stdin)))
    llvm::errs() << "reading standard input; `ll-opt --help` shows how to name a file\n";
  bridge::ReadInput read = bridge::read_checked_input(bridge::bytes(input));
  std::string reason(read.refusal);
  StringRef text(reinterpret_cast<const char *>(read.bytes.data()), read.bytes.size());
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBufferCopy(text, input == "-" ? "<stdin>" : input);
  if (!config.shouldVerifyDiagnostics())
    for (StringRef rest = text; !rest.empty() && !hasLongLines;) {
      auto [line, others] = rest.split('\n');
      hasLongLines = line.size() > mostOfText;
      rest = others;
    }
  std::unique_ptr<llvm::ToolOutputFile> file =
      reason.empty() ? openOutputFile(output, &reason) : nullptr;
  if (!file) {
    llvm::errs() << reason << "\n";
    return failure();
  }
  LogicalResult result = failure();
  if (withComments) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    result = MlirOptMain(stream, std::move(buffer), registry, config);
    rust::Vec<uint8_t> commented = bridge::with_layout_comments(
        bridge::bytes(text), bridge::view(config.outputSplitMarker()));
    file->os().write(reinterpret_cast<const char *>(commented.data()), commented.size());
  } else {
    result = MlirOptMain(file->os(), std::move(buffer), registry, config);
  }
  if (succeeded(result))
    file->keep();
  return result;
}

} // namespace

int32_t bridge::opt_main(rust::Slice<const uint8_t> arguments, rust::Str overview,
                         rust::Str examples, rust::Str dialects, rust::Str lowered,
                         rust::Str version) {
  Argv args(arguments);
  int argc = args.argc();
  char **argv = args.argv();
  llvm::InitLLVM init(argc, argv);
  registerAllPasses();
  DialectRegistry registry;
  registerEverything(registry);

  namespace cl = llvm::cl;
  cl::OptionCategory category("Layout options");
  cl::opt<bool> prettyEncodings(
      "pretty-encodings", cl::cat(category),
      cl::desc("Name aliases by what the encodings are: #blocked_1x4_t8x4_w4x1, not #blocked"));
  cl::opt<bool> printLinearLayouts(
      "print-linear-layouts", cl::cat(category),
      cl::desc("Print the linear layout of each encoding in comments, one for each shape"));
  cl::opt<std::string> explainRule(
      "explain-rule", cl::cat(category), cl::value_desc("label"),
      cl::desc("Print the rule with a label such as reduce_c4 and a module that breaks the rule, "
               "and do nothing else; `list` lists all rules"));
  cl::opt<bool> listLoweredOperations(
      "list-lowered-operations", cl::cat(category),
      cl::desc("Print the operations that convert-layouts-to-llvm lowers, and do nothing else"));
  cl::opt<bool> ruleLabels(
      "rule-labels", cl::cat(category),
      cl::desc("Name the broken rule in a note below each error"));
  cl::opt<bool> verifyLayoutRewrites(
      "verify-layout-rewrites", cl::cat(category),
      cl::desc("Verify after each pass that only changes layouts that every used register of every "
               "thread holds the same element as before"));
  cl::SetVersionPrinter([version](raw_ostream &os) { os << view(version) << "\n"; });
  std::string end(view(examples));
  cl::extrahelp more(end);
  std::string header = registerCLIOptions(view(overview), registry);
  if (!areKnown(ArrayRef<char *>(argv + 1, argv + argc)))
    return 1;
  auto [input, output] = parseCLIOptions(argc, argv, header);

  if (explainRule.getNumOccurrences()) {
    bridge::RuleExplanation explanation = bridge::explain_rule(bridge::bytes(explainRule));
    raw_ostream &os = explanation.is_known ? llvm::outs() : llvm::errs();
    os << StringRef(explanation.text.data(), explanation.text.size());
    return !explanation.is_known;
  }
  if (listLoweredOperations) {
    llvm::outs() << view(lowered);
    return 0;
  }
  bridge::name_rules(ruleLabels);
  if (verifyLayoutRewrites)
    bridge::verify_layout_rewrites();
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects())
    llvm::outs() << view(dialects);
  if (config.shouldEmitBytecode() && (prettyEncodings || printLinearLayouts)) {
    StringRef option = prettyEncodings ? prettyEncodings.ArgStr : printLinearLayouts.ArgStr;
    llvm::errs() << "error: `--" << option
                 << "` has no effect on bytecode, which has neither aliases nor comments\n"
                 << "note: remove `--" << option << "` or `--emit-bytecode`\n";
    return 1;
  }
  if (prettyEncodings)
    registry.addExtension(+[](MLIRContext *, ttg::TritonGPUDialect *dialect) {
      dialect->usePrettyAliases();
    });
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  return asMainReturnCode(opt(input, output, registry, config, printLinearLayouts));
}

rust::String bridge::link_needed(LLVMModuleRef module, rust::Slice<const uint8_t> path) {
  llvm::Module &into = *llvm::unwrap(module);
  llvm::SMDiagnostic why;
  StringRef file(reinterpret_cast<const char *>(path.data()), path.size());
  // Only called functions are read.
  std::unique_ptr<llvm::Module> library = llvm::getLazyIRFileModule(file, why, into.getContext());
  if (!library)
    return why.getMessage().str();
  library->setTargetTriple(into.getTargetTriple());
  library->setDataLayout(into.getDataLayout());
  if (llvm::Linker::linkModules(into, std::move(library), llvm::Linker::Flags::LinkOnlyNeeded))
    return "the definitions of the library conflict with those of the module";
  return rust::String();
}

// The reason of the last fatal error in this thread.
static thread_local std::string fatalReason;

extern "C" bool linear_layout_run_recovered(void (*work)(void *), void *data,
                                            void (*report)(const char *, size_t, void *)) {
  using llvm::CrashRecoveryContext;
  static std::mutex mutex;
  static unsigned users = 0;
  {
    // Signal handlers are process-wide, so they are installed only during a call.
    std::lock_guard<std::mutex> lock(mutex);
    if (users++ == 0) {
      CrashRecoveryContext::Enable();
      llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
        fatalReason = reason;
        if (CrashRecoveryContext *current = CrashRecoveryContext::GetCurrent())
          current->HandleExit(1);
      });
    }
  }
  fatalReason.clear();
  CrashRecoveryContext context;
  bool finished = context.RunSafely([&] { work(data); });
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (--users == 0) {
      llvm::remove_fatal_error_handler();
      CrashRecoveryContext::Disable();
    }
  }
  if (!finished)
    report(fatalReason.data(), fatalReason.size(), data);
  return finished;
}

void bridge::select_strength_reduction(LLVMContextRef context, bool straight_line, bool loops) {
  // A context does not own its gate.
  static StrengthReductionGate gates[] = {{false, false}, {false, true}, {true, false}, {true, true}};
  llvm::unwrap(context)->setOptPassGate(gates[2 * straight_line + loops]);
}

bool bridge::set_option(rust::Str name, rust::Str value) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(view(name));
  if (found == options.end())
    return false;
  // A second occurrence would be an error of the command line.
  return found->second->getNumOccurrences() ||
         !found->second->addOccurrence(0, found->second->ArgStr, view(value));
}

template <typename Entry> static rust::Vec<rust::String> keysOf(llvm::ArrayRef<Entry> table) {
  rust::Vec<rust::String> keys;
  for (const Entry &entry : table)
    keys.push_back(rust::String(entry.Key));
  return keys;
}

rust::Vec<rust::String> bridge::processors(LLVMTargetMachineRef machine) {
  auto *target = reinterpret_cast<llvm::TargetMachine *>(machine);
  return keysOf(target->getMCSubtargetInfo()->getAllProcessorDescriptions());
}

rust::Vec<rust::String> bridge::processor_features(LLVMTargetMachineRef machine) {
  auto *target = reinterpret_cast<llvm::TargetMachine *>(machine);
  return keysOf(target->getMCSubtargetInfo()->getAllProcessorFeatures());
}

int32_t bridge::lsp_main(rust::Slice<const uint8_t> arguments) {
  Argv args(arguments);
  DialectRegistry registry;
  registerEverything(registry);
  return asMainReturnCode(MlirLspServerMain(args.argc(), args.argv(), registry));
}
