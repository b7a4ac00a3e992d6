// The dialect `tt`: operations of block-level tensor programs, before and after layouts are chosen.
#ifndef LL_TRITON_DIALECT
#define LL_TRITON_DIALECT

include "mlir/IR/OpBase.td"

// The members that `dialect/Definition.inc` defines.
class LL_Text<string words> {
  string text = words;
}
def LL_DialectHooks : LL_Text<[{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr, ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
}]>;

def Triton_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::ll::tt";
  let summary = "Block-level tensor operations, textually compatible with Triton 3.9";
  let description = [{
    One program instance (a CTA) computes on whole tensors. The encoding of a tensor is its
    distribution over threads; the encodings are in `ttg`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::cf::ControlFlowDialect"];
  let extraClassDeclaration = LL_DialectHooks.text;
}

#endif
