// Every pass is one generic class: MLIR's side of a pass that is written in Rust.
#include "dialect/Bridge.h"
#include "linear-layout/src/sys/bridge.rs.h"

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

// Runs the Rust pass, then the pipeline of MLIR passes that it asks for, if any.
template <typename Base>
struct RustPass : Base {
  using Base::Base;

  void runOnOperation() override {
    std::string options;
    llvm::raw_string_ostream stream(options);
    this->printAsTextualPipeline(stream);
    bridge::PassOutcome outcome =
        bridge::run_pass(bridge::view(this->getArgument()), bridge::bytes(options),
                         bridge::handle(this->getOperation().getOperation()));
    if (!outcome.succeeded)
      return this->signalPassFailure();
    StringRef pipeline(outcome.pipeline.data(), outcome.pipeline.size());
    if (pipeline.empty())
      return;
    OpPassManager manager(this->getOperation().getOperation()->getName());
    if (failed(parsePassPipeline(pipeline, manager)) ||
        failed(this->runPipeline(manager, this->getOperation())) ||
        !bridge::finish_pass(bridge::view(this->getArgument()),
                             bridge::handle(this->getOperation().getOperation())))
      this->signalPassFailure();
  }
};

#define LL_PASS(Name)                                                                              \
  struct Name : RustPass<impl::Name##Base<Name>> {                                                 \
    using RustPass::RustPass;                                                                      \
  };
#include "PassList.inc"
#undef LL_PASS

} // namespace
} // namespace ll

void ll::bridge::register_passes() {
#define LL_PASS(Name) registerPass([] { return create##Name(); });
#include "PassList.inc"
#undef LL_PASS
  // Those that our passes ask for by name: a compiler that embeds us need not know them.
  registerConvertToLLVMPass();
  registerCSEPass();
  registerReconcileUnrealizedCastsPass();
  registerSCFToControlFlowPass();
}
