// The dialect `ttg`: encodings that lay tensors out over a GPU, and the operations on them.
#ifndef LL_TRITONGPU_DIALECT
#define LL_TRITONGPU_DIALECT

include "TritonDialect.td"

def TritonGPU_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::ll::ttg";
  let summary = "Tensor layouts and the operations that move data between them";
  let description = [{
    A module that uses encodings has the attributes `"ttg.num-warps"` (warps per CTA),
    `"ttg.threads-per-warp"` (lanes per warp), `"ttg.num-ctas"` (CTAs per cluster) and `ttg.target`.
    - ttg_c2: a module whose tensors have encodings must have the attribute `"ttg.num-warps"`
    - ttg_c3: the numbers of warps, threads and CTAs of a module must be powers of two
    - ttg_c4: the attributes of this dialect must be on a module, or `"ttg.num-warps"` on a function

    Every encoding, beside the rules of its own:
    - encoding_c1: an encoding must have 1 to 16 dimensions
    - encoding_c2: a tensor must have the rank of its encoding, and a buffer at most one dimension more
    - encoding_c3: the sizes of tensors and buffers must be powers of two
    - encoding_c4: a tensor or buffer must have at most 2^31 elements per dimension, and 2^62 in total
    - encoding_c5: a layout must have at most 64 bases, and 62 of one hardware dimension
    - encoding_c6: parameters must be integers from 0 to 2^31 - 1, lists nested as expected, and flags `true`
      or `false`
    - encoding_c7: a key must not be given twice
    - encoding_c8: the encoding of a tensor must be a register encoding
    - encoding_c9: encodings must be nested at most 32 deep
    - encoding_c10: the encoding must place every element of a tensor or buffer

    `CGALayout`, the distribution of a tensor over the CTAs of a cluster, in tiles of one CTA; one CTA if absent:
    - cga_layout_c1: a basis must have one number per dimension
    - cga_layout_c2: a basis must be zero, or a power of two along one dimension
    - cga_layout_c3: no two bases may lead to the same piece
    - cga_layout_c4: the bases must reach every piece
    - cga_layout_c5: there must be at most 16 bases
    - cga_layout_c6: if the bases of `block` are given, the elements of a CTA must be contiguous along each
      dimension
  }];
  let dependentDialects = ["::ll::tt::TritonDialect"];
  let hasCanonicalizer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = LL_DialectHooks.text # [{
    // Layouts of the types and encodings of this context, computed once each.
    const ::ll::LayoutCacheHolder &getLayoutCache() const { return *layoutCache; }
    // True if aliases describe encodings, instead of Triton's numbering.
    bool hasPrettyAliases() const { return prettyAliases; }
    void usePrettyAliases() { prettyAliases = true; }

  private:
    std::shared_ptr<::ll::LayoutCacheHolder> layoutCache;
    bool prettyAliases = false;

  public:
  }];
}

#endif
