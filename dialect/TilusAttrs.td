// The dialect `tilus`: register layouts of Tilus as encodings, spelled as Tilus prints them or as chains.
#ifndef LL_TILUS_ATTRS
#define LL_TILUS_ATTRS

include "TritonGPUAttrs.td"

def Tilus_Dialect : Dialect {
  let name = "tilus";
  let cppNamespace = "::ll::tilus";
  let summary = "Register layouts of Tilus as encodings of tensors";
  let dependentDialects = ["::ll::ttg::TritonGPUDialect"];
  let extraClassDeclaration = LL_DialectHooks.text;
}

def Tilus_Register : AttrDef<Tilus_Dialect, "Register"> {
  let mnemonic = "register";
  let summary = "a register layout of Tilus";
  let description = [{
    The layout maps each element to a thread and to a local index in this thread. Threads are numbered by lanes, then
    warps, with `threadsPerWarp` (32 if absent) lanes per warp. A tensor that is larger than the layout's shape repeats
    the layout, and a smaller tensor has replicas.
    ```mlir
    #tilus.register<"local(2, 1).spatial(8, 4).local(1, 2)">
    #tilus.register<"RegisterLayout(shape=[16, 8], mode_shape=[2, 8, 4, 2], spatial_modes=[1, 2], local_modes=[0, 3])">
    #tilus.register<"spatial(8, 8)", threadsPerWarp = 64>
    ```
    - tilus_register_c1: the text must be a register layout as Tilus prints layouts, or a chain of `spatial`
      and `local`
    - tilus_register_c2: extents of modes and replications must be powers of two
    - tilus_register_c3: `threadsPerWarp` must be a power of two
  }];
  let parameters = (ins LL_Quoted<"tilus_register_c1">:$layout, LL_DefaultInt<"32">:$threadsPerWarp);
  let assemblyFormat = "`<` $layout (`,` struct($threadsPerWarp)^)? `>`";
}

#endif
