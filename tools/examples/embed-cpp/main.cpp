// A compiler in C++ that takes linear-layout in: it reads a kernel in Triton's GPU dialect, says
// which of its conversions move nothing, and lowers it.  embed-cpp kernel.ttgir cuda:90
#include "linear_layout_c.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: embed-cpp FILE TARGET, as in: embed-cpp kernel.ttgir cuda:90\n";
    return 2;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  linearLayoutRegisterDialects(wrap(&registry));
  registerTransformsPasses();
  linearLayoutRegisterPasses();
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], sources, &context);
  if (!module)
    return 1;

  module->walk([](Operation *op) {
    bool isSame = false;
    if (op->getName().getStringRef() == "ttg.convert_layout" &&
        succeeded(unwrap(linearLayoutCompare(wrap(op->getOperand(0).getType()),
                                             wrap(op->getResult(0).getType()), &isSame))))
      op->emitRemark() << (isSame ? "moves nothing" : "moves elements between threads or registers");
  });

  auto passes = PassManager::on<ModuleOp>(&context);
  std::string pipeline = "canonicalize,convert-layouts-to-llvm{target=" + std::string(argv[2]) + "}";
  if (failed(parsePassPipeline(pipeline, passes)) || failed(passes.run(*module)))
    return 1;
  module->print(llvm::outs());
  llvm::outs() << '\n';
}
