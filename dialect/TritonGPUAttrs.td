// Encodings: distributions of the elements of a tensor over registers, lanes, warps and CTAs, or over shared memory.
// Their text is the text of Triton 3.9.
//
// The semantics of an encoding (its linear layout), its rules and its canonical spelling are implemented in
// crates/linear-layout/src/encoding. Both sides exchange the text form, so a parameter is declared only here in C++. Rules
// and canonical spelling are applied where the dialect parses an attribute.
#ifndef LL_TRITONGPU_ATTRS
#define LL_TRITONGPU_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "TritonGPUDialect.td"

// `8`
class LL_Int<string desc = ""> : AttrOrTypeParameter<"unsigned", desc> {
  let parser = "::ll::parseInt($_parser)";
}
class LL_DefaultInt<string value> : LL_Int {
  let defaultValue = value;
}
// An optional parameter that is always printed: canonicalisation after parsing replaces the sentinel, which has no text
// form, by 0 or `false`.
def LL_AbsentInt : LL_DefaultInt<"~0u">;
// Absent is 0, which is not a valid rank.
def LL_Rank : LL_DefaultInt<"0"> {
  let parser = "::ll::parseRank($_parser)";
}
// `[1, 2, 4]`
class LL_IntList<string desc = ""> : ArrayRefParameter<"unsigned", desc> {
  let parser = "::ll::parseIntList($_parser)";
  let printer = "::ll::printIntList($_printer, $_self)";
}
class LL_OptionalIntList<string desc = ""> : LL_IntList<desc> {
  let defaultValue = "::llvm::SmallVector<unsigned>()";
  let comparator = "::llvm::ArrayRef<unsigned>($_lhs) == ::llvm::ArrayRef<unsigned>($_rhs)";
}
// `true` or `false`
class LL_Bool<string desc = ""> : AttrOrTypeParameter<"bool", desc> {
  let parser = "::ll::parseBool($_parser)";
  let printer = "$_printer << ($_self ? \"true\" : \"false\")";
}
class LL_OptionalBool<string desc = ""> : LL_Bool<desc> {
  let defaultValue = "false";
}
def LL_AbsentBool : DefaultValuedParameter<"int", "-1", "`false` if absent"> {
  let parser = "::ll::parseBool($_parser)";
  let printer = "$_printer << ($_self ? \"true\" : \"false\")";
}
// `[[0, 1], [0, 2]]`: one basis per bit, least significant first; null means absent.
class LL_Bases<string desc = ""> : AttrOrTypeParameter<"::mlir::ArrayAttr", desc> {
  let parser = "::ll::parseBases($_parser)";
  let printer = "::ll::printBases($_printer, $_self)";
}
class LL_OptionalBases<string desc = ""> : LL_Bases<desc> {
  let defaultValue = "::mlir::ArrayAttr()";
}
// `{register = [[0, 1]], warp = [[1, 0]]}`: bases by the dimension they belong to.
class LL_NamedBases<string desc = ""> : AttrOrTypeParameter<"::mlir::DictionaryAttr", desc> {
  let parser = "::ll::parseNamedBases($_parser)";
  let printer = "::ll::printNamedBases($_printer, $_self)";
}
// An encoding inside another encoding. An error has the label `rule`.
class LL_Inner<string rule> : AttrOrTypeParameter<"::mlir::Attribute", "an encoding"> {
  let parser = "::ll::parseInnerEncoding($_parser, \"" # rule # "\")";
}
// The text of a layout of another system, in quotes and without escapes. An error has the label `rule`.
class LL_Quoted<string rule, string desc = "a layout in quotes", string value = "">
    : StringRefParameter<desc, value> {
  let parser = "::ll::parseQuoted($_parser, \"" # rule # "\")";
  let printer = "$_printer << '\"' << $_self << '\"'";
}
class LL_OptionalQuoted<string rule> : LL_Quoted<rule, "absent for none", [{""}]>;
def LL_CGALayout : LL_OptionalBases<"bases of the CTAs of a cluster; absent for one CTA">;

class TTG_Attr<string name, string attrMnemonic> : AttrDef<TritonGPU_Dialect, name> {
  let mnemonic = attrMnemonic;
}

class TTG_Encoding<string name, string attrMnemonic> : TTG_Attr<name, attrMnemonic> {
  let assemblyFormat = "`<` `{` struct(params) `}` `>`";
}

//===-- Registers of threads ----------------------------------------------------------------===//

def TTG_BlockedEncoding : TTG_Encoding<"BlockedEncoding", "blocked"> {
  let summary = "each thread holds a small block; the blocks of lanes, then of warps, tile the tensor";
  let description = [{
    In the example, a thread holds 1 x 4 neighbouring elements, a warp of 8 x 4 threads holds 8 x 16
    elements, and the CTA with 4 x 1 warps holds 32 x 16 elements. `order` lists the dimensions,
    fastest first. A larger tensor repeats this tile, and a smaller tensor has replicas.
    ```mlir
    #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
    ```
    - blocked_c1: the four lists must have the same length
    - blocked_c2: sizes, threads and warps must be powers of two
    - blocked_c3: `order` must contain each dimension exactly once
  }];
  let parameters = (ins LL_IntList<>:$sizePerThread, LL_IntList<>:$threadsPerWarp,
                        LL_IntList<>:$warpsPerCTA, LL_IntList<>:$order,
                        LL_CGALayout:$CGALayout);
}

def TTG_SliceEncoding : TTG_Encoding<"SliceEncoding", "slice"> {
  let summary = "the parent's layout with one dimension removed";
  let description = [{
    The encoding of the result of a reduction along `dim`, and of the operand of `tt.expand_dims`.
    ```mlir
    #ttg.slice<{dim = 1, parent = #blocked}>
    ```
    - slice_c1: the parent must be a register encoding
    - slice_c2: the parent must have at least two dimensions
    - slice_c3: `dim` must be a dimension of the parent
  }];
  let parameters = (ins LL_Int<>:$dim, LL_Inner<"slice_c1">:$parent);
}

// In text the parameters are `register`, `lane`, `warp`, `block`, of which the first is a C++
// keyword; as named bases they need no hand-written list of fields.
def TTG_LinearEncoding : TTG_Encoding<"LinearEncoding", "linear"> {
  let summary = "a layout that is given by its bases";
  let description = [{
    Each list has one basis for each bit of an index, lowest bit first. In the example, register 0 of
    lane 1 holds the element at (0, 2).
    ```mlir
    #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
    ```
    - linear_c1: the keys must be `register`, `lane`, `warp` and `block`
    - linear_c2: a basis must have one number per dimension
    - linear_c3: a basis must be zero, or a power of two along one dimension
    - linear_c4: no two bases may lead to the same element
    - linear_c5: the bases must reach every element up to the largest
  }];
  let parameters = (ins LL_NamedBases<"of `register`, `lane`, `warp`, `block`">:$bases);
  let assemblyFormat = "`<` $bases `>`";
}

def TTG_GenericLinearEncoding : TTG_Encoding<"GenericLinearEncoding", "generic_linear"> {
  let summary = "a layout that is given by its bases, with swizzled warps";
  let description = [{
    Like `#ttg.linear`, except that a basis of `warp` may advance in several dimensions.
    ```mlir
    #ttg.generic_linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 1], [16, 0]], block = []}>
    ```
    - generic_linear_c1: only elementwise operations, views, loads, stores, products and conversions support
      tensors with this encoding or a slice of this encoding
    - generic_linear_c2: the keys must be `register`, `lane`, `warp` and `block`
    - generic_linear_c3: a basis must have one number per dimension
    - generic_linear_c4: a basis of `register`, `lane` or `block` must step along at most one dimension
    - generic_linear_c5: a basis of `register` must be zero or a power of two
    - generic_linear_c6: the bases must reach every element up to the largest
  }];
  let parameters = (ins LL_NamedBases<"of `register`, `lane`, `warp`, `block`">:$bases);
  let assemblyFormat = "`<` $bases `>`";
}

def TTG_NvidiaMmaEncoding : TTG_Encoding<"NvidiaMmaEncoding", "nvidia_mma"> {
  let summary = "the result of NVIDIA's `mma` (version 2) and `wgmma` (version 3)";
  let description = [{
    ```mlir
    #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
    #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
    ```
    - nvidia_mma_c1: `versionMajor` must be 2 or 3

    As the encoding of a tensor:
    - nvidia_mma_c2: `instrShape` must have one size per dimension, and at least two
    - nvidia_mma_c3: numbers of warps must be powers of two
    - nvidia_mma_c4: a tile must consist of 8 rows of 4 lanes, with sizes that are powers of two
  }];
  let parameters = (ins LL_Int<>:$versionMajor, LL_AbsentInt:$versionMinor,
                        LL_IntList<>:$warpsPerCTA, LL_CGALayout:$CGALayout,
                        LL_IntList<>:$instrShape);
}

def TTG_AMDMfmaEncoding : TTG_Encoding<"AMDMfmaEncoding", "amd_mfma"> {
  let summary = "the result of AMD's CDNA matrix instructions";
  let description = [{
    ```mlir
    #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
    ```
    - amd_mfma_c1: `version` must be 0 to 4
    - amd_mfma_c2: `instrShape` must begin with 32 x 32, 16 x 16, 64 x 4 or 4 x 64
    - amd_mfma_c3: `elementBitWidth` must be 32 or 64

    As the encoding of a tensor:
    - amd_mfma_c4: the rank must be 2, or 3 with a batch dimension
    - amd_mfma_c5: `tilesPerWarp` must have one number per dimension
    - amd_mfma_c6: numbers of warps and tiles must be powers of two
    - amd_mfma_c7: a result of 64 x 4 must be transposed
  }];
  let parameters = (ins LL_Int<>:$version, LL_IntList<>:$warpsPerCTA, LL_IntList<>:$instrShape,
                        LL_Bool<>:$isTransposed, LL_CGALayout:$CGALayout,
                        LL_OptionalIntList<"all 1 if absent">:$tilesPerWarp,
                        LL_DefaultInt<"32">:$elementBitWidth);
}

def TTG_AMDWmmaEncoding : TTG_Encoding<"AMDWmmaEncoding", "amd_wmma"> {
  let summary = "the result of AMD's RDNA matrix instructions";
  let description = [{
    `ctaLayout` is the distribution of instruction tiles over registers and warps.
    ```mlir
    #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[1, 0], [2, 0]]}, instrShape = [16, 16, 16]}>
    ```
    - amd_wmma_c1: `version` must be 1 to 3
    - amd_wmma_c2: `instrShape` must be an instruction shape of the version
    - amd_wmma_c3: the keys of `ctaLayout` must be `register` and `warp`
    - amd_wmma_c4: a basis of `ctaLayout` must have one number per dimension
    - amd_wmma_c5: the bases of `ctaLayout` must reach every tile up to the largest
    - amd_wmma_c6: the encoding of a tensor must have rank 2, or 3 with a batch dimension
  }];
  let parameters = (ins LL_Int<>:$version, LL_AbsentBool:$isTranspose,
                        LL_NamedBases<"of `register` and `warp`, in instruction tiles">:$ctaLayout,
                        LL_CGALayout:$CGALayout,
                        LL_OptionalIntList<"16 x 16 x 16 if absent">:$instrShape,
                        LL_Rank:$rank);
}

def TTG_DotOperandEncoding : TTG_Encoding<"DotOperandEncoding", "dot_op"> {
  let summary = "an operand of a matrix product whose result has the parent's layout";
  let description = [{
    `opIdx` is 0 for the left operand and 1 for the right operand. A thread holds `kWidth`
    consecutive elements along the reduction dimension K.
    ```mlir
    #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
    ```
    - dot_op_c1: `opIdx` must be 0 or 1
    - dot_op_c2: the parent must be the encoding of a product's result: `blocked`, `nvidia_mma`, `amd_mfma` or
      `amd_wmma`
    - dot_op_c3: the right operand of an `nvidia_mma` of version 3 must be in shared memory
    - dot_op_c4: `kWidth` must be a width of the parent's instructions, and absent for `blocked`
    - dot_op_c5: the encoding of a tensor must have at least two dimensions
    - dot_op_c6: in the encoding of a tensor, `kWidth` must be a power of two
  }];
  let parameters = (ins LL_Int<>:$opIdx, LL_Inner<"dot_op_c2">:$parent,
                        LL_DefaultInt<"0">:$kWidth);
}

//===-- Shared memory -----------------------------------------------------------------------===//

def TTG_SwizzledSharedEncoding : TTG_Encoding<"SwizzledSharedEncoding", "swizzled_shared"> {
  let summary = "shared memory in which XOR permutes the vectors of `vec` elements in each row";
  let description = [{
    Every `perPhase` consecutive rows form a group. The index of a vector in a row is XORed with the
    number of its group modulo `maxPhase`, so that the elements of a column are in different banks.
    ```mlir
    #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
    ```
    - swizzled_shared_c1: `order` must contain each dimension exactly once
    - swizzled_shared_c2: in the encoding of a buffer, `perPhase` and `maxPhase` must not be 0
  }];
  let parameters = (ins LL_Int<>:$vec, LL_Int<>:$perPhase, LL_Int<>:$maxPhase,
                        LL_IntList<>:$order, LL_CGALayout:$CGALayout);
}

def TTG_AMDRotatingSharedEncoding
    : TTG_Encoding<"AMDRotatingSharedEncoding", "amd_rotating_shared"> {
  let summary = "shared memory in which XOR with a phase that rotates from block to block permutes each row";
  let description = [{
    ```mlir
    #ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
    ```
    - amd_rotating_shared_c1: `order` must contain each dimension exactly once
    - amd_rotating_shared_c2: in the encoding of a buffer, `perPhase` and `maxPhase` must not be 0
  }];
  let parameters = (ins LL_Int<>:$vec, LL_Int<>:$perPhase, LL_Int<>:$maxPhase,
                        LL_IntList<>:$order, LL_CGALayout:$CGALayout);
}

def TTG_PaddedSharedEncoding : TTG_Encoding<"PaddedSharedEncoding", "padded_shared"> {
  let summary = "shared memory with gaps at regular intervals";
  let description = [{
    In the example, a gap of 4 elements follows every 32 elements, and a gap of 8 elements follows
    every 128 elements.
    ```mlir
    #ttg.padded_shared<[32:+4, 128:+8] {order = [1, 0], shape = [16, 32]}>
    ```
    - padded_shared_c1: at least one pair of an interval and a padding is required
    - padded_shared_c2: intervals and paddings must be powers of two
    - padded_shared_c3: intervals must be distinct
    - padded_shared_c4: the keys must be `order` and `shape`, or `offset` and `block`
    - padded_shared_c5: a basis must have one number per dimension
    - padded_shared_c6: each offset must hold a different element
    - padded_shared_c7: a basis must be zero, or a power of two along one dimension
    - padded_shared_c8: the bases must reach every element up to the largest
    - padded_shared_c9: `order` must contain each dimension of `shape` exactly once
    - padded_shared_c10: the buffer must have the shape of the encoding
  }];
  let parameters = (ins LL_IntList<>:$intervals, LL_IntList<>:$paddings,
                        LL_NamedBases<"`order` and `shape`, or bases of `offset` and `block`">:$linear);
  let assemblyFormat = ?;
  let hasCustomAssemblyFormat = 1;
}

def TTG_PartitionedSharedEncoding
    : TTG_Encoding<"PartitionedSharedEncoding", "partitioned_shared"> {
  let summary = "shared memory in several separately allocated pieces";
  let description = [{
    ```mlir
    #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #shared}>
    ```
    - partitioned_shared_c1: `partitionLayout` must be a shared-memory encoding
    - partitioned_shared_c2: `numPartitions` must be a power of two, and at least 2
    - partitioned_shared_c3: `numGroups` must be a power of two
    - partitioned_shared_c4: `partitionDim` must be a dimension of the buffer
    - partitioned_shared_c5: in the encoding of a buffer, each piece must have at least one element
  }];
  let parameters = (ins LL_Int<>:$numPartitions, LL_Int<>:$numGroups, LL_Int<>:$partitionDim,
                        LL_Inner<"partitioned_shared_c1">:$partitionLayout);
}

def TTG_NVMMASharedEncoding : TTG_Encoding<"NVMMASharedEncoding", "nvmma_shared"> {
  let summary = "shared memory in the layout that NVIDIA's tensor cores and TMA require";
  let description = [{
    Rows have `swizzlingByteWidth` bytes. The index of each 16-byte piece of a row is XORed with a
    number that depends on the row.
    ```mlir
    #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
    ```
    - nvmma_shared_c1: `elementBitWidth` must not be 0
    - nvmma_shared_c2: `swizzlingByteWidth` must be 0, 32, 64 or 128

    As the encoding of a buffer:
    - nvmma_shared_c3: 4-bit data must be padded with a swizzle of 128 bytes and elements of 8 bits
    - nvmma_shared_c4: with a swizzle, the element width must be a power of two
    - nvmma_shared_c5: with a swizzle, the rank must be at least 2
    - nvmma_shared_c6: with a swizzle, there must be at least 8 rows
  }];
  let parameters = (ins LL_Int<>:$swizzlingByteWidth, LL_Bool<>:$transposed,
                        LL_Int<>:$elementBitWidth, LL_OptionalBool<>:$fp4Padded,
                        LL_Rank:$rank, LL_CGALayout:$CGALayout);
}

def TTG_SharedLinearEncoding : TTG_Encoding<"SharedLinearEncoding", "shared_linear"> {
  let summary = "a layout of shared memory that is given by its bases";
  let description = [{
    ```mlir
    #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0]]}, alignment = 16>
    ```
    - shared_linear_c1: `alignment` must be a power of two
    - shared_linear_c2: the keys must be `offset` and optionally `block`
    - shared_linear_c3: a basis must have one number per dimension
    - shared_linear_c4: the bases must reach every element up to the largest
    - shared_linear_c5: no two nonzero bases may lead to the same element
    - shared_linear_c6: the buffer must have the shape of the encoding
  }];
  let parameters = (ins LL_NamedBases<"of `offset` and `block`">:$bases, LL_Int<>:$alignment);
  let assemblyFormat = "`<` $bases `,` `alignment` `=` $alignment `>`";
}

//===-- Memory spaces -----------------------------------------------------------------------===//

def TTG_SharedMemorySpace : TTG_Attr<"SharedMemorySpace", "shared_memory"> {
  let summary = "the memory that the threads of a CTA share";
}

#endif
