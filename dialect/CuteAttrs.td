// The dialect `cute`: layouts of CuTe as encodings, spelled as CuTe prints them.
#ifndef LL_CUTE_ATTRS
#define LL_CUTE_ATTRS

include "TritonGPUAttrs.td"

def Cute_Dialect : Dialect {
  let name = "cute";
  let cppNamespace = "::ll::cute";
  let summary = "Layouts of CuTe as encodings of tensors and buffers";
  let dependentDialects = ["::ll::ttg::TritonGPUDialect"];
  let extraClassDeclaration = LL_DialectHooks.text;
}

def Cute_Layout : AttrDef<Cute_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "a CuTe layout: a map from buffer elements to offsets, or from threads and values to elements";
  let description = [{
    As the encoding of a buffer, the layout maps each element to an offset in elements; each mode is a dimension. As the
    encoding of a tensor, the layout maps each thread and value to the column-major number of an element in a tile of
    shape `tile`. A larger tensor repeats the tile, and a smaller tensor has replicas. Without `tile`, the tile is the
    whole tensor. Threads are numbered by lanes, then warps, with `threadsPerWarp` (32 if absent) lanes per warp.
    ```mlir
    #cute.layout<"(8,64):(64,1)">
    #cute.layout<"Sw<3,3,3> o 0 o (8,64):(64,1)">
    #cute.layout<"(8,64):(64,1)", swizzle = "Sw<3,3,3>">
    #cute.layout<"((4,8),(2,2)):((32,1),(16,8))">
    #cute.layout<"((4,8),(2,2)):((32,1),(16,8))", tile = [16, 8]>
    ```
    - cute_layout_c1: the text must be a layout as CuTe prints layouts, with at most one swizzle
    - cute_layout_c2: extents must be powers of two
    - cute_layout_c3: the layout must be linear over GF(2): the first index is 0, and no sum of strides
      carries
    - cute_layout_c4: `threadsPerWarp` must be a power of two

    As the encoding of a buffer:
    - cute_layout_c5: the top-level modes must have the sizes of the dimensions
    - cute_layout_c6: each offset must hold exactly one element
    - cute_layout_c10: an encoding of a buffer must not have `threadsPerWarp`

    As the encoding of a tensor:
    - cute_layout_c7: an encoding of a tensor must have two modes, threads and values
    - cute_layout_c8: the layout must reach every element of the tile, and no other element
    - cute_layout_c9: a value index must step by zero or by a power of two along one dimension, and a thread
      index within a warp along one dimension
  }];
  let parameters = (ins LL_Quoted<"cute_layout_c1">:$layout,
                        LL_OptionalQuoted<"cute_layout_c1">:$swizzle, LL_OptionalIntList<>:$tile,
                        LL_DefaultInt<"32">:$threadsPerWarp);
  let assemblyFormat = "`<` $layout (`,` struct($swizzle, $tile, $threadsPerWarp)^)? `>`";
}

#endif
