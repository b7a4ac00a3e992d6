// Encodings: how the elements of a tensor are laid out over registers, lanes, warps and CTAs, or
// over shared memory. Spelled exactly as Triton 3.9 spells them.
//
// An encoding's meaning (its linear layout) and its rules live in src/encoding; the text form is
// what the two sides share, so a parameter is declared here and nowhere else in C++. The rules are
// checked in one place, where the dialect parses an attribute.
#ifndef LL_TRITONGPU_ATTRS
#define LL_TRITONGPU_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "TritonGPUDialect.td"

// `[1, 2, 4]`
class LL_IntList<string desc = ""> : ArrayRefParameter<"unsigned", desc> {
  let parser = "::ll::parseIntList($_parser)";
  let printer = "::ll::printIntList($_printer, $_self)";
}
// `[[0, 1], [0, 2]]`: one basis per bit, least significant first; null means absent.
class LL_Bases<string desc = ""> : AttrOrTypeParameter<"::mlir::ArrayAttr", desc> {
  let parser = "::ll::parseBases($_parser)";
  let printer = "::ll::printBases($_printer, $_self)";
}
class LL_OptionalBases<string desc = ""> : LL_Bases<desc> {
  let defaultValue = "::mlir::ArrayAttr()";
}
def LL_CGALayout : LL_OptionalBases<"bases of the CTAs of a cluster; absent for one CTA">;

class TTG_Attr<string name, string attrMnemonic> : AttrDef<TritonGPU_Dialect, name> {
  let mnemonic = attrMnemonic;
}

class TTG_Encoding<string name, string attrMnemonic> : TTG_Attr<name, attrMnemonic> {
  let assemblyFormat = "`<` `{` struct(params) `}` `>`";
}

def TTG_BlockedEncoding : TTG_Encoding<"BlockedEncoding", "blocked"> {
  let summary = "each thread holds a small block; blocks tile the tensor by lanes, then warps";
  let parameters = (ins LL_IntList<>:$sizePerThread, LL_IntList<>:$threadsPerWarp,
                        LL_IntList<>:$warpsPerCTA, LL_IntList<>:$order,
                        LL_CGALayout:$CGALayout);
}

def TTG_SliceEncoding : TTG_Encoding<"SliceEncoding", "slice"> {
  let summary = "the parent's layout with one dimension removed";
  let parameters = (ins "unsigned":$dim, "::mlir::Attribute":$parent);
}

def TTG_LinearEncoding : TTG_Encoding<"LinearEncoding", "linear"> {
  let summary = "a layout given by its bases";
  // In text the parameters are `register`, `lane`, `warp`, `block`; the first is a C++ keyword, so
  // the format is written by hand.
  let parameters = (ins LL_Bases<>:$registers, LL_Bases<>:$lanes, LL_Bases<>:$warps,
                        LL_Bases<>:$blocks);
  let assemblyFormat = ?;
  let hasCustomAssemblyFormat = 1;
}

def TTG_SwizzledSharedEncoding : TTG_Encoding<"SwizzledSharedEncoding", "swizzled_shared"> {
  let summary = "shared memory, rows permuted by XOR in units of `vec` elements";
  let parameters = (ins "unsigned":$vec, "unsigned":$perPhase, "unsigned":$maxPhase,
                        LL_IntList<>:$order, LL_CGALayout:$CGALayout);
}

def TTG_SharedMemorySpace : TTG_Attr<"SharedMemorySpace", "shared_memory"> {
  let summary = "the memory that the threads of a CTA share";
}

#endif
