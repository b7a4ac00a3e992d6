#include "dialect/Unknown.h"
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"
#include "linear-layout-mlir/src/sys/bridge.rs.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

void ll::emitUnknown(InFlightDiagnostic diagnostic, StringRef kind, StringRef dialect,
                     StringRef name, ArrayRef<StringRef> known) {
  std::vector<rust::String> names;
  for (StringRef each : known)
    names.emplace_back(each.data(), each.size());
  bridge::UnknownName words =
      bridge::unknown_name(bridge::view(kind), bridge::bytes(dialect), bridge::bytes(name),
                           rust::Slice<const rust::String>(names.data(), names.size()));
  diagnostic << std::string(words.message);
  if (!words.note.empty())
    diagnostic.attachNote() << std::string(words.note);
}

LogicalResult ll::rewordKey(Diagnostic &diagnostic, StringRef dialect, const char *text) {
  std::string said = diagnostic.str();
  StringRef key = said;
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
      !key.consume_front("duplicate or unknown struct parameter name: "))
    return failure();
  StringRef mnemonic =
      StringRef(text).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  std::string words(
      bridge::wrong_key(bridge::view(dialect), bridge::view(mnemonic), bridge::view(key)));
  if (words.empty())
    return failure();
  emitError(diagnostic.getLocation()) << words;
  return success();
}

static void emitUnknownOperation(InFlightDiagnostic diagnostic, MLIRContext *context,
                                 StringRef fullName) {
  auto [dialect, name] = fullName.split('.');
  SmallVector<StringRef> known;
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getDialectNamespace() == dialect)
      known.push_back(op.getStringRef().split('.').second);
  ll::emitUnknown(std::move(diagnostic), "operation", dialect, name, known);
}

// A hook is a reference to a function, so it holds nothing.
static ParseResult rejectOperation(OpAsmParser &parser, OperationState &state) {
  emitUnknownOperation(emitError(parser.getEncodedSourceLoc(parser.getNameLoc())),
                       parser.getContext(), state.name.getStringRef());
  return failure();
}

std::optional<Dialect::ParseOpHook> ll::rejectUnknownOperation(const Dialect &dialect,
                                                               StringRef name) {
  if (RegisteredOperationName::lookup(name, dialect.getContext()))
    return dialect.Dialect::getParseOperationHook(name);
  return Dialect::ParseOpHook(rejectOperation);
}

// What MLIR says of a dialect that is not registered: in custom form, of a type and of an attribute.
// The name stands behind it, up to the second character.
static constexpr std::pair<StringLiteral, char> beforeDialect[] = {
    {"Dialect `", '\''}, {"`!\"", '"'}, {"#\"", '"'}};

// Triton's dialects that we do not have.
static constexpr StringLiteral otherDialects[] = {"nvg", "nvws", "proton", "proton_gpu",
                                                  "tti"};

// What Triton 3.1 and before called dialects that we have.
static constexpr std::pair<StringLiteral, StringLiteral> formerDialects[] = {
    {"triton_gpu", "ttg"}, {"triton_nvidia_gpu", "ttng"}};

// Says more of Triton's dialects that are not registered than MLIR's words do.
static LogicalResult emitOtherDialect(Location location, StringRef words) {
  StringRef name;
  for (auto [before, after] : beforeDialect)
    if (words.starts_with(before))
      name = words.drop_front(before.size()).split(after).first;
  if (llvm::is_contained(otherDialects, name)) {
    emitError(location) << '`' << name
                        << "` is not supported; Triton's dialects `tt`, `ttg`, `ttng`, `amdg` and `gluon` are";
    return success();
  }
  for (auto [former, now] : formerDialects)
    if (name == former) {
      emitError(location) << '`' << name << "` is called `" << now << "` since Triton 3.2";
      return success();
    }
  return failure();
}

// What a handler of diagnostics does with an error: success where it has taken care of it.
static LogicalResult reword(MLIRContext *context, Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  StringRef words = text;
  // The parser of the parameter has said why, without names of C++.
  bool isOurs = words.starts_with("failed to parse TT") ||
                words.starts_with("failed to parse Cute_") ||
                words.starts_with("failed to parse Tilus_");
  if (isOurs && words.contains(" parameter '"))
    return success();
  if (words.consume_front("expected ::ll::")) {
    StringRef values = words.split(" to be one of: ").second;
    if (values.empty())
      return failure();
    emitError(diagnostic.getLocation()) << "expected one of " << values;
    return success();
  }
  if (succeeded(emitOtherDialect(diagnostic.getLocation(), words)))
    return success();
  if (!words.consume_front("unregistered operation '"))
    return failure();
  StringRef name = words.split('\'').first;
  Dialect *dialect = context->getLoadedDialect(name.split('.').first);
  if (!isa_and_present<ll::tt::TritonDialect, ll::ttg::TritonGPUDialect,
                       ll::ttng::TritonNvidiaGPUDialect, ll::amdg::TritonAMDGPUDialect,
                       ll::cute::CuteDialect, ll::tilus::TilusDialect, ll::gluon::GluonDialect>(dialect))
    return failure();
  emitUnknownOperation(emitError(diagnostic.getLocation()), context, name);
  return success();
}

void ll::rewordGeneratedErrors(MLIRContext *context) {
  context->getDiagEngine().registerHandler([context](Diagnostic &diagnostic) -> LogicalResult {
    return diagnostic.getSeverity() == DiagnosticSeverity::Error ? reword(context, diagnostic)
                                                                  : failure();
  });
}
