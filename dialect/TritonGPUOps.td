// Operations of `ttg`.
#ifndef LL_TRITONGPU_OPS
#define LL_TRITONGPU_OPS

include "TritonGPUAttrs.td"
include "TritonGPUTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "TritonTypes.td"

class TTG_Op<string mnemonic, list<Trait> traits = []>
    : Op<TritonGPU_Dialect, mnemonic, !listconcat(traits, [LL_Verified])>;

def TTG_ConvertLayoutOp : TTG_Op<"convert_layout", [Pure, SameOperandsAndResultShape,
                                                    SameOperandsAndResultElementType]> {
  let summary = "the same tensor in another layout";
  let description = [{
    With `force_warp_shuffle` the data must not leave its warp.
    - convert_layout_c1: `force_warp_shuffle` needs a conversion within one warp
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$force_warp_shuffle);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

#endif
