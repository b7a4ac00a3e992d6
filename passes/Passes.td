// Passes: name, options, help. The Rust file of the same name in this folder carries each out.
#ifndef LL_PASSES
#define LL_PASSES

include "mlir/Pass/PassBase.td"

def ConvertEncodingsToLinear : Pass<"convert-encodings-to-linear", "::mlir::ModuleOp"> {
  let summary = "Spell every encoding of a tensor as #ttg.linear";
  let description = [{
    Two encodings of one layout become one attribute, so that files can be read and compared.
    Nothing moves: every tensor keeps its layout.
  }];
}

def FoldLayoutConversions : Pass<"fold-layout-conversions", "::mlir::ModuleOp"> {
  let summary = "Remove conversions between layouts that are equal as linear maps";
  let description = [{
    A `ttg.convert_layout` whose operand and result have the same layout moves nothing, whatever
    the encodings are called; it disappears. A chain of conversions becomes one, or none.
  }];
}

def ConvertLayoutsToLLVM : Pass<"convert-layouts-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower tensors with layouts to the LLVM dialect, for NVVM or ROCDL";
  let description = [{
    Every tensor becomes one LLVM value per register that a thread holds; index arithmetic follows
    from the layouts. `arith`, `math`, `scf` and `cf` are finished by MLIR's own conversions. The
    shared memory a CTA needs is recorded in bytes as the module's `ttg.shared`.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "GPU to lower for, as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::ROCDL::ROCDLDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

#endif
