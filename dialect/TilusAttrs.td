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
    Which thread holds an element, and at which of its places. Threads are the lanes of a warp, of which there are
    `threadsPerWarp` (32 if absent), then its other warps. A tensor larger than the layout's shape repeats it, of a
    smaller one there are copies.
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
