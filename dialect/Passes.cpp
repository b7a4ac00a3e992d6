// One generic class for all passes: the MLIR side of a pass implemented in Rust.
#include "dialect/Bridge.h"
#include "linear-layout-mlir/src/sys/bridge.rs.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

// Defines GEN_PASS_DEF_* for every pass of passes/Passes.td.
#define LL_DEFINE_PASSES
#include "PassList.inc"
#undef LL_DEFINE_PASSES

namespace ll {
#define GEN_PASS_DECL
#include "Passes.h.inc"

namespace {

// Option values for the FFI; the table of passes determines which member is used.
using Values = std::vector<bridge::OptionValue>;

template <typename T> void cross(Values &values, const T &value) {
  if constexpr (std::is_integral_v<T>)
    values.push_back({{}, int64_t(value)});
  else
    values.push_back({bridge::bytes(value), 0});
}

// A list is its length and its values.
template <typename List> void crossList(Values &values, const List &list) {
  cross(values, list.size());
  for (const auto &value : list)
    cross(values, value);
}

std::unique_ptr<Pass> create(bridge::FollowUp pass) {
  switch (pass) {
  case bridge::FollowUp::ToLlvm:
    return createConvertToLLVMPass();
  case bridge::FollowUp::ReconcileCasts:
    return createReconcileUnrealizedCastsPass();
  case bridge::FollowUp::Cse:
    return createCSEPass();
  }
  llvm_unreachable("Rust names only the passes of the enum");
}

// The keys in an option string, `a=1 b={2,3}`; spaces in brackets or quotes do not separate options.
std::vector<StringRef> keysOf(StringRef options) {
  std::vector<StringRef> keys;
  while (!(options = options.ltrim()).empty()) {
    size_t depth = 0, end = 0;
    char quote = 0;
    for (; end < options.size(); ++end) {
      char c = options[end];
      if (quote)
        quote = c == quote ? 0 : quote;
      else if (c == '"' || c == '\'')
        quote = c;
      else if (c == '{' || c == '[')
        ++depth;
      else if (c == '}' || c == ']')
        depth -= depth != 0;
      else if (depth == 0 && llvm::isSpace(c))
        break;
    }
    keys.push_back(options.take_front(end).split('=').first);
    options = options.drop_front(end);
  }
  return keys;
}

// Runs the Rust pass, then the pipeline that it returns.
template <typename Base, uint16_t number>
struct RustPass : Base {
  using Base::Base;

  virtual Values values() = 0;
  // The keys of the pass's options.
  virtual std::vector<StringRef> keys() = 0;

  LogicalResult initializeOptions(
      StringRef options, function_ref<LogicalResult(const Twine &)> errorHandler) override {
    std::vector<StringRef> known = keys();
    for (StringRef key : keysOf(options)) {
      if (llvm::is_contained(known, key))
        continue;
      // The nearest comes first.
      key = key.take_front(100);
      llvm::sort(known, [&](StringRef a, StringRef b) {
        return std::pair(key.edit_distance(a), a) < std::pair(key.edit_distance(b), b);
      });
      std::string list;
      for (StringRef option : known)
        list += (list.empty() ? "`" : ", `") + option.str() + "`";
      return errorHandler("`" + this->getArgument() + "` has no option `" + key + "`; " +
                          (list.empty() ? "the pass has no options" : "valid options are " + list));
    }
    return Base::initializeOptions(options, errorHandler);
  }

  void runOnOperation() override {
    Operation *op = this->getOperation().getOperation();
    Values list = values();
    rust::Slice<const bridge::OptionValue> options{list.data(), list.size()};
    bridge::PassOutcome outcome = bridge::run_pass(number, options, wrap(op));
    if (!outcome.succeeded)
      return this->signalPassFailure();
    if (outcome.pipeline.empty() && outcome.follow_ups.empty())
      return;
    OpPassManager manager(op->getName());
    std::string pipeline(outcome.pipeline);
    if (failed(parsePassPipeline(pipeline, manager)))
      return this->signalPassFailure();
    for (bridge::FollowUp pass : outcome.follow_ups)
      manager.addPass(create(pass));
    if (failed(this->runPipeline(manager, this->getOperation())) ||
        !bridge::finish_pass(number, options, wrap(op)))
      this->signalPassFailure();
  }
};

#define LL_OPTION(Name) visit(this->Name, [](Values &l, auto &o) { cross(l, o.getValue()); });
#define LL_LIST_OPTION(Name) visit(this->Name, [](Values &l, auto &o) { crossList(l, o); });
#define LL_PASS(Name, number, ...)                                                                 \
  struct Name : RustPass<impl::Name##Base<Name>, number> {                                         \
    using RustPass::RustPass;                                                                      \
    template <typename Visit> void visitOptions(Visit visit) { (void)visit; __VA_ARGS__ }          \
    Values values() override {                                                                     \
      Values list;                                                                                 \
      visitOptions([&](auto &option, auto crossing) { crossing(list, option); });                  \
      return list;                                                                                 \
    }                                                                                              \
    std::vector<StringRef> keys() override {                                                       \
      std::vector<StringRef> list;                                                                 \
      visitOptions([&](auto &option, auto) { list.push_back(option.ArgStr); });                    \
      return list;                                                                                 \
    }                                                                                              \
  };
#include "PassList.inc"
#undef LL_PASS
#undef LL_LIST_OPTION
#undef LL_OPTION

} // namespace
} // namespace ll

void ll::bridge::register_passes() {
#define LL_PASS(Name, ...) registerPass([] { return create##Name(); });
#include "PassList.inc"
#undef LL_PASS
}

rust::String ll::bridge::unknown_pass(rust::Slice<const uint8_t> text) {
  StringRef pipeline(reinterpret_cast<const char *>(text.data()), text.size());
  while (!pipeline.empty()) {
    StringRef name = pipeline.take_until([](char c) { return StringRef("({,)").contains(c); });
    pipeline = pipeline.drop_front(name.size());
    // `builtin.module(` is the operation that passes run on.
    bool isAnchor = pipeline.starts_with("(");
    size_t depth = 0, end = 0;
    if (pipeline.starts_with("{"))
      for (; end < pipeline.size(); ++end) {
        depth += pipeline[end] == '{';
        depth -= pipeline[end] == '}';
        if (depth == 0)
          break;
      }
    pipeline = pipeline.drop_front(std::min(end + 1, pipeline.size()));
    name = name.trim();
    if (!isAnchor && !name.empty() && !PassInfo::lookup(name) && !PassPipelineInfo::lookup(name))
      return rust::String::lossy(name.data(), name.size());
  }
  return {};
}
