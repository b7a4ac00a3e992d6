// The dialect `ttg`: encodings that lay tensors out over a GPU, and the operations on them.
#ifndef LL_TRITONGPU_DIALECT
#define LL_TRITONGPU_DIALECT

include "TritonDialect.td"

def TritonGPU_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::ll::ttg";
  let summary = "Tensor layouts and the operations that move data between them";
  let description = [{
    A module that uses encodings has attributes with the sizes of the machine: `"ttg.num-warps"`,
    `"ttg.threads-per-warp"`, `"ttg.num-ctas"` and `ttg.target`.
    - ttg_c2: a module with encodings has `"ttg.num-warps"`
    - ttg_c3: these numbers are powers of two
    - ttg_c4: the attributes stand on a module, `"ttg.num-warps"` also on a function

    Every encoding, beside the rules of its own:
    - encoding_c1: it is for 1 to 16 dimensions
    - encoding_c2: a tensor or buffer has as many dimensions as its encoding is for, a buffer also one more
    - encoding_c3: the sizes of what it lays out are powers of two
    - encoding_c4: they are at most 2^31, and 2^62 together
    - encoding_c5: a layout has at most 64 bases, and 62 of one hardware dimension
    - encoding_c6: its numbers are integers from 0 to 2^31 - 1, in lists as deep as expected, its switches
      `true` or `false`
    - encoding_c7: a key is given once
    - encoding_c8: a tensor has an encoding for registers
    - encoding_c9: encodings are nested at most 32 deep in each other
    - encoding_c10: every element of a tensor or a buffer has a place

    `CGALayout`, the distribution of a tensor over the CTAs of a cluster, in tiles of one CTA; one CTA if absent:
    - cga_layout_c1: a basis has a number for each dimension
    - cga_layout_c2: it is zero, or one power of two along one dimension
    - cga_layout_c3: no two bases lead to the same piece
    - cga_layout_c4: no piece is left out
    - cga_layout_c5: there are at most 16 bases
    - cga_layout_c6: where the bases of `block` are written out, a CTA holds what is contiguous along each
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
