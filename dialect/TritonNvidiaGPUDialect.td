// The dialect `ttng`: what exists on NVIDIA GPUs only.
#ifndef LL_TRITONNVIDIAGPU_DIALECT
#define LL_TRITONNVIDIAGPU_DIALECT

include "mlir/IR/OpBase.td"

def TritonNvidiaGPU_Dialect : Dialect {
  let name = "ttng";
  let cppNamespace = "::ll::ttng";
  let summary = "NVIDIA-specific operations and layouts of Triton's GPU IR";
  let dependentDialects = ["::ll::ttg::TritonGPUDialect"];
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr, ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

#endif
