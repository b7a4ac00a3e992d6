// Encodings: how the elements of a tensor are laid out over registers, lanes, warps and CTAs, or
// over shared memory. Spelled exactly as Triton 3.9 spells them.
//
// An encoding's meaning (its linear layout), its rules and its normal spelling live in
// src/encoding; the text form is what the two sides share, so a parameter is declared here and
// nowhere else in C++. Rules and normal spelling are asked for in one place, where the dialect
// parses an attribute.
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
// Absent is 0, which no encoding's rank is.
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
  }];
  let parameters = (ins LL_IntList<>:$sizePerThread, LL_IntList<>:$threadsPerWarp,
                        LL_IntList<>:$warpsPerCTA, LL_IntList<>:$order,
                        LL_CGALayout:$CGALayout);
}

def TTG_SliceEncoding : TTG_Encoding<"SliceEncoding", "slice"> {
  let summary = "the parent's layout with one dimension removed";
  let description = [{
    What a reduction along `dim` gives, and what `tt.expand_dims` asks for.
    ```mlir
    #ttg.slice<{dim = 1, parent = #blocked}>
    ```
  }];
  let parameters = (ins LL_Int<>:$dim, "::mlir::Attribute":$parent);
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
  }];
  let parameters = (ins LL_Int<>:$versionMajor, LL_Int<>:$versionMinor,
                        LL_IntList<>:$warpsPerCTA, LL_CGALayout:$CGALayout,
                        LL_IntList<>:$instrShape);
}

def TTG_AMDMfmaEncoding : TTG_Encoding<"AMDMfmaEncoding", "amd_mfma"> {
  let summary = "the result of AMD's CDNA matrix instructions";
  let description = [{
    ```mlir
    #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
    ```
  }];
  let parameters = (ins LL_Int<>:$version, LL_IntList<>:$warpsPerCTA, LL_IntList<>:$instrShape,
                        LL_Bool<>:$isTransposed, LL_CGALayout:$CGALayout,
                        LL_OptionalIntList<"all 1 if absent">:$tilesPerWarp,
                        LL_DefaultInt<"32">:$elementBitWidth);
}

def TTG_AMDWmmaEncoding : TTG_Encoding<"AMDWmmaEncoding", "amd_wmma"> {
  let summary = "the result of AMD's RDNA matrix instructions";
  let description = [{
    `ctaLayout` says, in tiles of one instruction, which tiles a warp holds and where each warp begins.
    ```mlir
    #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[1, 0], [2, 0]]}, instrShape = [16, 16, 16]}>
    ```
  }];
  let parameters = (ins LL_Int<>:$version, LL_Bool<>:$isTranspose,
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
  }];
  let parameters = (ins LL_Int<>:$opIdx, "::mlir::Attribute":$parent,
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
  }];
  let parameters = (ins LL_Int<>:$numPartitions, LL_Int<>:$numGroups, LL_Int<>:$partitionDim,
                        "::mlir::Attribute":$partitionLayout);
}

def TTG_NVMMASharedEncoding : TTG_Encoding<"NVMMASharedEncoding", "nvmma_shared"> {
  let summary = "shared memory as NVIDIA's tensor cores and TMA read it";
  let description = [{
    Rows of `swizzlingByteWidth` bytes, whose 16-byte pieces are exchanged by XOR with the row.
    ```mlir
    #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
    ```
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
  }];
  let parameters = (ins LL_NamedBases<"of `offset` and `block`">:$bases, LL_Int<>:$alignment);
  let assemblyFormat = "`<` $bases `,` `alignment` `=` $alignment `>`";
}

//===-- Memory spaces -----------------------------------------------------------------------===//

def TTG_SharedMemorySpace : TTG_Attr<"SharedMemorySpace", "shared_memory"> {
  let summary = "the memory that the threads of a CTA share";
}

#endif
