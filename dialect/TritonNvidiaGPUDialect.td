// The dialect `ttng`: NVIDIA-specific operations and types.
#ifndef LL_TRITONNVIDIAGPU_DIALECT
#define LL_TRITONNVIDIAGPU_DIALECT

include "TritonDialect.td"

def TritonNvidiaGPU_Dialect : Dialect {
  let name = "ttng";
  let cppNamespace = "::ll::ttng";
  let summary = "NVIDIA-specific operations and layouts of Triton's GPU IR";
  let dependentDialects = ["::ll::ttg::TritonGPUDialect"];
  let extraClassDeclaration = LL_DialectHooks.text;
}

#endif
