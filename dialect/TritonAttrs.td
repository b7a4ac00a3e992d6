// Attributes of `tt`.
#ifndef LL_TRITON_ATTRS
#define LL_TRITON_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "TritonDialect.td"
include "TritonEnums.td"

def TT_CachePolicy : AttrDef<Triton_Dialect, "CachePolicy"> {
  let mnemonic = "cache_policy";
  let summary = "the cache policy of a global access";
  let description = [{
    ```mlir
    #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>
    ```
  }];
  let parameters = (ins EnumParameter<TT_CacheModifier>:$cache_modifier,
                        EnumParameter<TT_EvictionPolicy>:$eviction_policy);
  let assemblyFormat = "`<` struct(params) `>`";
}

// A cache policy: the common policy `#tt.cache_policy`, or a vendor-specific policy.
def LL_CachePolicy : Attr<CPred<"::ll::isCachePolicy($_self)">, "cache policy"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}

#endif
