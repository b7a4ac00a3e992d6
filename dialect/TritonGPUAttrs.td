// Encodings: how the elements of a tensor are laid out over registers, lanes, warps and CTAs, or
// over shared memory. Spelled exactly as Triton 3.9 spells them.
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
// An encoding inside another one, as the rule with this label asks.
class LL_Inner<string rule> : AttrOrTypeParameter<"::mlir::Attribute", "an encoding"> {
  let parser = "::ll::parseInnerEncoding($_parser, \"" # rule # "\")";
}
// A layout of another system, in quotes, in letters that need no escape, as the rule with this label asks.
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
  let summary = "each thread holds a small block; blocks tile the tensor by lanes, then warps";
  let description = [{
    A thread holds 1 x 4 neighbours, a warp of 8 x 4 threads 8 x 16 elements, the CTA 32 x 16; `order`
    names the dimensions, fastest first. A larger tensor repeats that, a smaller one is held several
    times.
    ```mlir
    #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
    ```
    - blocked_c1: the four lists have one length
    - blocked_c2: sizes, threads and warps are powers of two
    - blocked_c3: `order` names each dimension once
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
    - slice_c1: the parent is an encoding for registers
    - slice_c2: it has two dimensions or more
    - slice_c3: `dim` is one of them
  }];
  let parameters = (ins LL_Int<>:$dim, LL_Inner<"slice_c1">:$parent);
}

// In text the parameters are `register`, `lane`, `warp`, `block`, of which the first is a C++
// keyword; as named bases they need no hand-written list of fields.
def TTG_LinearEncoding : TTG_Encoding<"LinearEncoding", "linear"> {
  let summary = "a layout given by its bases";
  let description = [{
    One basis for each bit of an index, the lowest first: lane 1 holds the element at (0, 2).
    ```mlir
    #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
    ```
    - linear_c1: the keys are `register`, `lane`, `warp` and `block`
    - linear_c2: a basis has a number for each dimension
    - linear_c3: it is zero, or one power of two along one dimension
    - linear_c4: no two bases lead to the same element
    - linear_c5: every element up to the largest is reached
  }];
  let parameters = (ins LL_NamedBases<"of `register`, `lane`, `warp`, `block`">:$bases);
  let assemblyFormat = "`<` $bases `>`";
}

def TTG_GenericLinearEncoding : TTG_Encoding<"GenericLinearEncoding", "generic_linear"> {
  let summary = "a layout given by its bases, where warps may be swizzled";
  let description = [{
    As `#ttg.linear`, but a basis of `warp` may move in several dimensions at once.
    ```mlir
    #ttg.generic_linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 1], [16, 0]], block = []}>
    ```
    - generic_linear_c1: only operations on single elements, views, loads and stores, products and
      conversions take tensors that have it, or a slice of it
    - generic_linear_c2: the keys are `register`, `lane`, `warp` and `block`
    - generic_linear_c3: a basis has a number for each dimension
    - generic_linear_c4: one of `register`, `lane` or `block` moves in one dimension at most
    - generic_linear_c5: one of `register` moves by a power of two, or not at all
    - generic_linear_c6: every element up to the largest is reached
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
    - nvidia_mma_c1: `versionMajor` is 2 or 3

    As the encoding of a tensor:
    - nvidia_mma_c2: `instrShape` has a size for each dimension, of which there are two or more
    - nvidia_mma_c3: warps are powers of two
    - nvidia_mma_c4: a tile is made of 8 rows of 4 lanes, in powers of two
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
    - amd_mfma_c1: `version` is 0 to 4
    - amd_mfma_c2: `instrShape` begins with 32 x 32, 16 x 16, 64 x 4 or 4 x 64
    - amd_mfma_c3: `elementBitWidth` is 32 or 64

    As the encoding of a tensor:
    - amd_mfma_c4: there are two dimensions, or three with a batch
    - amd_mfma_c5: `tilesPerWarp` has a number for each
    - amd_mfma_c6: warps and tiles are powers of two
    - amd_mfma_c7: a result of 64 x 4 is transposed
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
    - amd_wmma_c1: `version` is 1 to 3
    - amd_wmma_c2: `instrShape` is one of that version
    - amd_wmma_c3: the keys of `ctaLayout` are `register` and `warp`
    - amd_wmma_c4: its bases have a number for each dimension
    - amd_wmma_c5: they reach every tile up to the largest
    - amd_wmma_c6: as the encoding of a tensor, there are two dimensions, or three with a batch
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
    `opIdx` is 0 for the left operand and 1 for the right; a thread holds `kWidth` neighbours along
    the dimension that is summed.
    ```mlir
    #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
    ```
    - dot_op_c1: `opIdx` is 0 or 1
    - dot_op_c2: the parent is the result of a product: `blocked`, `nvidia_mma`, `amd_mfma` or `amd_wmma`
    - dot_op_c3: the right operand of version 3 of `nvidia_mma` is in shared memory
    - dot_op_c4: `kWidth` is one of the parent's instructions, none for `blocked`
    - dot_op_c5: as the encoding of a tensor, there are two dimensions or more
    - dot_op_c6: there, `kWidth` is a power of two
  }];
  let parameters = (ins LL_Int<>:$opIdx, LL_Inner<"dot_op_c2">:$parent,
                        LL_DefaultInt<"0">:$kWidth);
}

//===-- Shared memory -----------------------------------------------------------------------===//

def TTG_SwizzledSharedEncoding : TTG_Encoding<"SwizzledSharedEncoding", "swizzled_shared"> {
  let summary = "shared memory, rows permuted by XOR in units of `vec` elements";
  let description = [{
    Of `perPhase` rows each, `maxPhase` groups have their vectors exchanged by XOR with the group's
    number, so that a column lies in different banks.
    ```mlir
    #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
    ```
    - swizzled_shared_c1: `order` names each dimension once
    - swizzled_shared_c2: as the encoding of a buffer, `perPhase` and `maxPhase` are not 0
  }];
  let parameters = (ins LL_Int<>:$vec, LL_Int<>:$perPhase, LL_Int<>:$maxPhase,
                        LL_IntList<>:$order, LL_CGALayout:$CGALayout);
}

def TTG_AMDRotatingSharedEncoding
    : TTG_Encoding<"AMDRotatingSharedEncoding", "amd_rotating_shared"> {
  let summary = "shared memory, rows permuted by XOR with a phase that rotates from block to block";
  let description = [{
    ```mlir
    #ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
    ```
    - amd_rotating_shared_c1: `order` names each dimension once
    - amd_rotating_shared_c2: as the encoding of a buffer, `perPhase` and `maxPhase` are not 0
  }];
  let parameters = (ins LL_Int<>:$vec, LL_Int<>:$perPhase, LL_Int<>:$maxPhase,
                        LL_IntList<>:$order, LL_CGALayout:$CGALayout);
}

def TTG_PaddedSharedEncoding : TTG_Encoding<"PaddedSharedEncoding", "padded_shared"> {
  let summary = "shared memory with a gap after every so many elements";
  let description = [{
    Here 4 elements are left out after every 32, and 8 after every 128.
    ```mlir
    #ttg.padded_shared<[32:+4, 128:+8] {order = [1, 0], shape = [16, 32]}>
    ```
    - padded_shared_c1: there is a pair of an interval and a padding, or more
    - padded_shared_c2: intervals and paddings are powers of two
    - padded_shared_c3: no interval is given twice
    - padded_shared_c4: the keys are `order` and `shape`, or `offset` and `block`
    - padded_shared_c5: a basis has a number for each dimension
    - padded_shared_c6: each offset holds another element
    - padded_shared_c7: a basis is zero, or one power of two along one dimension
    - padded_shared_c8: every element up to the largest is reached
    - padded_shared_c9: `order` names each dimension of `shape` once
    - padded_shared_c10: a buffer has the shape that is written out
  }];
  let parameters = (ins LL_IntList<>:$intervals, LL_IntList<>:$paddings,
                        LL_NamedBases<"`order` and `shape`, or bases of `offset` and `block`">:$linear);
  let assemblyFormat = ?;
  let hasCustomAssemblyFormat = 1;
}

def TTG_PartitionedSharedEncoding
    : TTG_Encoding<"PartitionedSharedEncoding", "partitioned_shared"> {
  let summary = "shared memory in pieces that are allocated apart";
  let description = [{
    ```mlir
    #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #shared}>
    ```
    - partitioned_shared_c1: `partitionLayout` is an encoding for shared memory
    - partitioned_shared_c2: `numPartitions` is a power of two, 2 or more
    - partitioned_shared_c3: `numGroups` is a power of two
    - partitioned_shared_c4: `partitionDim` is one of the dimensions
    - partitioned_shared_c5: as the encoding of a buffer, each piece has an element or more
  }];
  let parameters = (ins LL_Int<>:$numPartitions, LL_Int<>:$numGroups, LL_Int<>:$partitionDim,
                        LL_Inner<"partitioned_shared_c1">:$partitionLayout);
}

def TTG_NVMMASharedEncoding : TTG_Encoding<"NVMMASharedEncoding", "nvmma_shared"> {
  let summary = "shared memory as NVIDIA's tensor cores and TMA read it";
  let description = [{
    Rows of `swizzlingByteWidth` bytes, whose 16-byte pieces are exchanged by XOR with the row.
    ```mlir
    #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
    ```
    - nvmma_shared_c1: elements have bits
    - nvmma_shared_c2: `swizzlingByteWidth` is 0, 32, 64 or 128

    As the encoding of a buffer:
    - nvmma_shared_c3: 4-bit data is padded with a swizzle of 128 bytes, in elements of 8 bits
    - nvmma_shared_c4: with a swizzle, elements have a power of two of bits
    - nvmma_shared_c5: with a swizzle there are two dimensions or more
    - nvmma_shared_c6: and 8 rows or more
  }];
  let parameters = (ins LL_Int<>:$swizzlingByteWidth, LL_Bool<>:$transposed,
                        LL_Int<>:$elementBitWidth, LL_OptionalBool<>:$fp4Padded,
                        LL_Rank:$rank, LL_CGALayout:$CGALayout);
}

def TTG_SharedLinearEncoding : TTG_Encoding<"SharedLinearEncoding", "shared_linear"> {
  let summary = "shared memory given by its bases";
  let description = [{
    ```mlir
    #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0]]}, alignment = 16>
    ```
    - shared_linear_c1: `alignment` is a power of two
    - shared_linear_c2: the keys are `offset` and `block`, of which the second may be absent
    - shared_linear_c3: a basis has a number for each dimension
    - shared_linear_c4: every element up to the largest is reached
    - shared_linear_c5: bases that are not zero lead to different elements
    - shared_linear_c6: a buffer has the shape that is written out
  }];
  let parameters = (ins LL_NamedBases<"of `offset` and `block`">:$bases, LL_Int<>:$alignment);
  let assemblyFormat = "`<` $bases `,` `alignment` `=` $alignment `>`";
}

//===-- Memory spaces -----------------------------------------------------------------------===//

def TTG_SharedMemorySpace : TTG_Attr<"SharedMemorySpace", "shared_memory"> {
  let summary = "the memory that the threads of a CTA share";
}

#endif
