// Attributes of `ttng`: layouts of tensor memory.
#ifndef LL_TRITONNVIDIAGPU_ATTRS
#define LL_TRITONNVIDIAGPU_ATTRS

include "TritonGPUAttrs.td"
include "TritonEnums.td"
include "TritonNvidiaGPUDialect.td"

class TTNG_Attr<string name, string attrMnemonic> : AttrDef<TritonNvidiaGPU_Dialect, name> {
  let mnemonic = attrMnemonic;
}

class LL_DefaultEnum<EnumInfo enum, string value> : EnumParameter<enum> {
  let defaultValue = enum.cppType # "::" # value;
}

def TTNG_TensorMemorySpace : TTNG_Attr<"TensorMemorySpace", "tensor_memory"> {
  let summary = "the memory beside the tensor cores of Blackwell";
}

def TTNG_TensorMemoryEncoding : TTNG_Attr<"TensorMemoryEncoding", "tensor_memory_encoding"> {
  let summary = "tensor memory in blocks with the shape of a matrix instruction's result";
  let description = [{
    A block has `blockM` rows and `blockN` columns. Elements that are adjacent in a row are `colStride`
    columns of tensor memory apart.
    ```mlir
    #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
    ```
    - tensor_memory_encoding_c1: with `twoCTAs`, `CGALayout` must begin with `[1, 0]`, since each CTA holds
      half of the rows
    - tensor_memory_encoding_c2: `blockM` must be 64 or 128
    - tensor_memory_encoding_c3: `blockN` must be a power of two of at most 512
    - tensor_memory_encoding_c4: `colStride` must be 1, 2 or 4
    - tensor_memory_encoding_c5: `colStride` must be 1 if `fp4Padded` is set
    - tensor_memory_encoding_c6: a buffer must have the rows of a block in each CTA
    - tensor_memory_encoding_c7: blocks of 64 rows for two CTAs must have at least two columns
  }];
  let parameters = (ins LL_Int<>:$blockM, LL_Int<>:$blockN, LL_Int<>:$colStride,
                        LL_CGALayout:$CGALayout, LL_OptionalBool<>:$twoCTAs,
                        LL_OptionalBool<>:$fp4Padded);
  let assemblyFormat = "`<` struct(params) `>`";
}

def TTNG_TensorMemoryScalesEncoding
    : TTNG_Attr<"TensorMemoryScalesEncoding", "tensor_memory_scales_encoding"> {
  let summary = "tensor memory that holds the scales of a scaled matrix product";
  let description = [{
    ```mlir
    #ttng.tensor_memory_scales_encoding<>
    ```
  }];
  let parameters = (ins LL_CGALayout:$CGALayout,
                        LL_DefaultEnum<TTNG_ScalesBlockRepOrder, "mnThenK">:$blockRepOrder);
  let assemblyFormat = "`<` struct(params) `>`";
}

// `#ttng.redOp<max>`
def TTNG_TMEMLoadReduceModifierEnum
    : EnumAttr<TritonNvidiaGPU_Dialect, TTNG_TMEMLoadReduceModifier, "redOp"> {
  let assemblyFormat = "`<` $value `>`";
}

def TTNG_CachePolicy : TTNG_Attr<"CachePolicy", "cache_policy"> {
  let summary = "the use of each cache by a global access";
  let description = [{
    ```mlir
    #ttng.cache_policy<l1 = evict_first, l2_prefetch_size = 128 : i32>
    ```
    - cache_policy_c1: `cache_modifier` and `l1` must not be combined
    - cache_policy_c2: `l2_primary`, `l2_secondary` and `l2_fraction` must be given together
    - cache_policy_c3: `l2_primary` must be a priority of the L2 cache
    - cache_policy_c4: `l2_secondary` must be `evict_first` or `evict_unchanged`
    - cache_policy_c5: `l2_fraction` must be an f32 above 0 and up to 1
    - cache_policy_c6: `l2_prefetch_size` must be an i32 of 64, 128 or 256
  }];
  let parameters = (ins
      LL_DefaultEnum<TT_CacheModifier, "NONE">:$cache_modifier,
      LL_DefaultEnum<TTNG_CacheEvictionPriority, "NONE">:$l1,
      LL_DefaultEnum<TTNG_CacheEvictionPriority, "NONE">:$l2_primary,
      LL_DefaultEnum<TTNG_CacheEvictionPriority, "NONE">:$l2_secondary,
      OptionalParameter<"::mlir::FloatAttr", "part of the lines that the primary is for">:$l2_fraction,
      OptionalParameter<"::mlir::IntegerAttr", "in bytes">:$l2_prefetch_size);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif
