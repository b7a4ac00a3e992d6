#include "dialect/Unknown.h"
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"
#include "linear-layout-mlir/src/sys/bridge.rs.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

static void describeUnknown(Diagnostic &diagnostic, StringRef kind, StringRef dialect,
                            StringRef name, ArrayRef<StringRef> known) {
  std::vector<rust::String> names;
  for (StringRef each : known)
    names.emplace_back(each.data(), each.size());
  ll::bridge::UnknownName words = ll::bridge::unknown_name(
      ll::bridge::view(kind), ll::bridge::bytes(dialect), ll::bridge::bytes(name),
      rust::Slice<const rust::String>(names.data(), names.size()));
  diagnostic << Twine(std::string(words.message));
  if (!words.note.empty())
    diagnostic.attachNote() << Twine(std::string(words.note));
}

void ll::emitUnknown(InFlightDiagnostic diagnostic, StringRef kind, StringRef dialect,
                     StringRef name, ArrayRef<StringRef> known) {
  describeUnknown(*diagnostic.getUnderlyingDiagnostic(), kind, dialect, name, known);
}

// Replaces an error of MLIR.
template <typename Describe> static LogicalResult replace(Diagnostic &error, Describe describe) {
  Diagnostic replaced(error.getLocation(), DiagnosticSeverity::Error);
  describe(replaced);
  error = std::move(replaced);
  return failure();
}

LogicalResult ll::rewordParsed(Diagnostic &diagnostic, StringRef dialect, StringRef text,
                               bool &hasFailed) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return failure();
  bool isFirst = !std::exchange(hasFailed, true);
  const DiagnosticArgument &last = diagnostic.getArguments().back();
  if (last.getKind() != DiagnosticArgument::DiagnosticArgumentKind::String)
    return failure();
  StringRef key = last.getAsString();
  // After an error of a parameter's parser, the generated parser names the C++ type.
  if (!isFirst && key.ends_with("`"))
    return success();
  // A key is read up to its `=` before it is checked, and the error ends with it.
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  StringRef before = text.rtrim(), mnemonic = text.take_while(isWord);
  if (!before.consume_back("=") || key.empty() || !llvm::all_of(key, isWord) ||
      !before.rtrim().ends_with(key))
    return failure();
  std::string words(
      bridge::wrong_key(bridge::view(dialect), bridge::view(mnemonic), bridge::view(key)));
  return words.empty() ? failure() : replace(diagnostic, [&](Diagnostic &error) {
    error << Twine(words);
  });
}

static void describeUnknownOperation(Diagnostic &diagnostic, MLIRContext *context,
                                     StringRef fullName) {
  auto [dialect, name] = fullName.split('.');
  SmallVector<StringRef> known;
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getDialectNamespace() == dialect)
      known.push_back(op.getStringRef().split('.').second);
  describeUnknown(diagnostic, "operation", dialect, name, known);
}

// A hook is a function reference and has no state.
static ParseResult rejectOperation(OpAsmParser &parser, OperationState &state) {
  InFlightDiagnostic error = emitError(parser.getEncodedSourceLoc(parser.getNameLoc()));
  describeUnknownOperation(*error.getUnderlyingDiagnostic(), parser.getContext(),
                           state.name.getStringRef());
  return failure();
}

std::optional<Dialect::ParseOpHook> ll::rejectUnknownOperation(const Dialect &dialect,
                                                               StringRef name) {
  if (RegisteredOperationName::lookup(name, dialect.getContext()))
    return dialect.Dialect::getParseOperationHook(name);
  return Dialect::ParseOpHook(rejectOperation);
}

// Unsupported dialects of Triton.
static constexpr StringLiteral otherDialects[] = {"nvg", "nvws", "proton", "proton_gpu",
                                                  "tti"};

// Names of supported dialects in Triton 3.1 and earlier.
static constexpr std::pair<StringLiteral, StringLiteral> formerDialects[] = {
    {"triton_gpu", "ttg"}, {"triton_nvidia_gpu", "ttng"}};

// Finds a dialect and an operation of it among the arguments of an error.
static std::pair<StringRef, StringRef> dialectIn(const Diagnostic &error) {
  using Kind = DiagnosticArgument::DiagnosticArgumentKind;
  SmallVector<StringRef> words;
  for (const DiagnosticArgument &argument : error.getArguments()) {
    if (argument.getKind() == Kind::String)
      words.push_back(argument.getAsString());
    else if (argument.getKind() == Kind::Attribute)
      // For a type or an attribute, MLIR passes the dialect as an attribute.
      if (auto name = dyn_cast_if_present<StringAttr>(argument.getAsAttribute()))
        return {name.getValue(), ""};
  }
  for (StringRef dialect : words)
    for (StringRef op : words)
      if (auto [before, name] = op.split('.'); before == dialect && !name.empty())
        return {dialect, op};
  return {};
}

// Handles an error of MLIR or its generated parsers, with more detail.
static LogicalResult reword(MLIRContext *context, Diagnostic &error) {
  MutableArrayRef<DiagnosticArgument> arguments = error.getArguments();
  using Kind = DiagnosticArgument::DiagnosticArgumentKind;
  // An enumeration by its C++ name, and its values.
  if (arguments.size() > 3 && arguments[1].getKind() == Kind::String &&
      arguments[1].getAsString().starts_with("::ll::"))
    return replace(error, [&](Diagnostic &replaced) {
      replaced << "expected one of ";
      for (const DiagnosticArgument &value : arguments.drop_front(3))
        replaced << Twine(value.getAsString());
    });
  auto [name, op] = dialectIn(error);
  if (llvm::is_contained(otherDialects, name))
    return replace(error, [name = name](Diagnostic &replaced) {
      replaced << Twine("dialect `" + name + "` is not supported; supported are `tt`, `ttg`, "
                                             "`ttng`, `amdg` and `gluon`");
    });
  for (auto [former, now] : formerDialects)
    if (name == former)
      return replace(error, [former = former, now = now](Diagnostic &replaced) {
        replaced << Twine("dialect `" + former + "` is named `" + now + "` since Triton 3.2");
      });
  if (isa_and_present<ll::tt::TritonDialect, ll::ttg::TritonGPUDialect,
                      ll::ttng::TritonNvidiaGPUDialect, ll::amdg::TritonAMDGPUDialect,
                      ll::cute::CuteDialect, ll::tilus::TilusDialect, ll::gluon::GluonDialect>(
          name.empty() ? nullptr : context->getLoadedDialect(name)) &&
      !op.empty() && !RegisteredOperationName::lookup(op, context))
    return replace(error, [context, op = op](Diagnostic &replaced) {
      describeUnknownOperation(replaced, context, op);
    });
  return failure();
}

void ll::rewordGeneratedErrors(MLIRContext *context) {
  context->getDiagEngine().registerHandler([context](Diagnostic &diagnostic) -> LogicalResult {
    return diagnostic.getSeverity() == DiagnosticSeverity::Error ? reword(context, diagnostic)
                                                                  : failure();
  });
}
