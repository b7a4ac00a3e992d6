// The dialect `ttg`: encodings that lay tensors out over a GPU, and the operations on them.
#ifndef LL_TRITONGPU_DIALECT
#define LL_TRITONGPU_DIALECT

include "mlir/IR/OpBase.td"

def TritonGPU_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::ll::ttg";
  let summary = "Tensor layouts and the operations that move data between them";
  let description = [{
    A module that uses encodings says what they are for: `"ttg.num-warps"`,
    `"ttg.threads-per-warp"`, `"ttg.num-ctas"` and `ttg.target`.
    - ttg_c2: a module with encodings says `"ttg.num-warps"`
    - ttg_c3: these numbers are powers of two
    - ttg_c4: the attributes stand on a module, `"ttg.num-warps"` also on a function
  }];
  let dependentDialects = ["::ll::tt::TritonDialect"];
  let hasCanonicalizer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr, ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
    // Layouts of the types and encodings of this context, computed once each.
    const ::ll::LayoutCacheHolder &getLayoutCache() const { return *layoutCache; }
    // Whether aliases are named by what encodings are, and not as Triton names them.
    bool hasPrettyAliases() const { return prettyAliases; }
    void usePrettyAliases() { prettyAliases = true; }

  private:
    std::shared_ptr<::ll::LayoutCacheHolder> layoutCache;
    bool prettyAliases = false;

  public:
  }];
}

#endif
