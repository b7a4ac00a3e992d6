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
  let summary = "tensor memory in blocks of the matrix instruction's result";
  let description = [{
    Blocks of `blockM` rows and `blockN` columns, with `colStride` columns from one element to the next.
    ```mlir
    #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
    ```
    - tensor_memory_encoding_c1: `twoCTAs` work on two halves of the rows: `CGALayout` begins with `[1, 0]`
    - tensor_memory_encoding_c2: `blockM` is 64 or 128
    - tensor_memory_encoding_c3: `blockN` is a power of two up to 512
    - tensor_memory_encoding_c4: `colStride` is 1, 2 or 4
    - tensor_memory_encoding_c5: it is 1 where 4-bit data is padded
    - tensor_memory_encoding_c6: a buffer has the rows of a block in each CTA
    - tensor_memory_encoding_c7: blocks of 64 rows for two CTAs have two columns or more
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
  let summary = "how a global access uses each cache";
  let description = [{
    ```mlir
    #ttng.cache_policy<l1 = evict_first, l2_prefetch_size = 128 : i32>
    ```
    - cache_policy_c1: there is a `cache_modifier` or a priority in `l1`, not both
    - cache_policy_c2: `l2_primary`, `l2_secondary` and `l2_fraction` come together
    - cache_policy_c3: `l2_primary` is a priority of that cache
    - cache_policy_c4: `l2_secondary` is `evict_first` or `evict_unchanged`
    - cache_policy_c5: `l2_fraction` is an f32 above 0 and up to 1
    - cache_policy_c6: `l2_prefetch_size` is an i32 of 64, 128 or 256
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
