// Enumerations that appear in the text of operations and attributes.
#ifndef LL_TRITON_ENUMS
#define LL_TRITON_ENUMS

include "mlir/IR/EnumAttr.td"

class LL_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases>;

class TT_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : LL_I32Enum<name, summary, cases> {
  let cppNamespace = "::ll::tt";
}

class TTNG_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : LL_I32Enum<name, summary, cases> {
  let cppNamespace = "::ll::ttng";
}

//===-- tt ----------------------------------------------------------------------------------===//

def TT_ProgramDim : TT_I32Enum<"ProgramIDDim", "axis of the launch grid", [
  I32EnumAttrCase<"X", 0, "x">,
  I32EnumAttrCase<"Y", 1, "y">,
  I32EnumAttrCase<"Z", 2, "z">
]>;

def TT_CacheModifier : TT_I32Enum<"CacheModifier", "cache behaviour of a global access", [
  I32EnumAttrCase<"NONE", 1, "none">,
  I32EnumAttrCase<"CA", 2, "ca">,
  I32EnumAttrCase<"CG", 3, "cg">,
  I32EnumAttrCase<"WB", 4, "wb">,
  I32EnumAttrCase<"CS", 5, "cs">,
  I32EnumAttrCase<"WT", 6, "wt">,
  I32EnumAttrCase<"CV", 7, "cv">
]>;

def TT_EvictionPolicy : TT_I32Enum<"EvictionPolicy", "eviction hint of a global access", [
  I32EnumAttrCase<"NORMAL", 1, "evict_normal">,
  I32EnumAttrCase<"EVICT_FIRST", 2, "evict_first">,
  I32EnumAttrCase<"EVICT_LAST", 3, "evict_last">
]>;

def TT_PaddingOption : TT_I32Enum<"PaddingOption", "padding value of out-of-bounds reads", [
  I32EnumAttrCase<"PAD_ZERO", 1, "zero">,
  I32EnumAttrCase<"PAD_NAN", 2, "nan">
]>;

def TT_InputPrecision : TT_I32Enum<"InputPrecision", "input precision of an f32 product", [
  I32EnumAttrCase<"TF32", 0, "tf32">,
  I32EnumAttrCase<"TF32x3", 1, "tf32x3">,
  I32EnumAttrCase<"IEEE", 2, "ieee">,
  I32EnumAttrCase<"BF16x3", 3, "bf16x3">,
  I32EnumAttrCase<"BF16x6", 4, "bf16x6">
]>;

def TT_ScaleDotElemType : TT_I32Enum<"ScaleDotElemType", "element type of a scaled product", [
  I32EnumAttrCase<"E4M3", 0, "e4m3">,
  I32EnumAttrCase<"E5M2", 1, "e5m2">,
  I32EnumAttrCase<"E2M3", 2, "e2m3">,
  I32EnumAttrCase<"E3M2", 3, "e3m2">,
  I32EnumAttrCase<"E2M1", 4, "e2m1">,
  I32EnumAttrCase<"BF16", 5, "bf16">,
  I32EnumAttrCase<"FP16", 6, "fp16">
]>;

def TT_RMWOp : TT_I32Enum<"RMWOp", "operation of an atomic read-modify-write", [
  I32EnumAttrCase<"AND", 1, "and">,
  I32EnumAttrCase<"OR", 2, "or">,
  I32EnumAttrCase<"XOR", 3, "xor">,
  I32EnumAttrCase<"ADD", 4, "add">,
  I32EnumAttrCase<"FADD", 5, "fadd">,
  I32EnumAttrCase<"MAX", 6, "max">,
  I32EnumAttrCase<"MIN", 7, "min">,
  I32EnumAttrCase<"UMAX", 8, "umax">,
  I32EnumAttrCase<"UMIN", 9, "umin">,
  I32EnumAttrCase<"XCHG", 10, "exch">
]>;

def TT_MemSemantic : TT_I32Enum<"MemSemantic", "memory ordering of an atomic access", [
  I32EnumAttrCase<"RELAXED", 1, "relaxed">,
  I32EnumAttrCase<"ACQUIRE", 2, "acquire">,
  I32EnumAttrCase<"RELEASE", 3, "release">,
  I32EnumAttrCase<"ACQUIRE_RELEASE", 4, "acq_rel">
]>;

def TT_MemSyncScope : TT_I32Enum<"MemSyncScope", "synchronisation scope of an atomic access", [
  I32EnumAttrCase<"GPU", 1, "gpu">,
  I32EnumAttrCase<"CTA", 2, "cta">,
  I32EnumAttrCase<"SYSTEM", 3, "sys">
]>;

def TT_RoundingMode : TT_I32Enum<"RoundingMode", "rounding mode of a narrowing conversion", [
  I32EnumAttrCase<"RTZ", 0, "rtz">,
  I32EnumAttrCase<"RTNE", 1, "rtne">
]>;

def TT_PropagateNan : TT_I32Enum<"PropagateNan", "operands whose NaN is propagated", [
  I32EnumAttrCase<"NONE", 0, "none">,
  I32EnumAttrCase<"ALL", 65535, "all">
]>;

def TT_DescriptorReduceKind : TT_I32Enum<"DescriptorReduceKind", "operation of a reducing store", [
  I32EnumAttrCase<"ADD", 1, "add">,
  I32EnumAttrCase<"MIN", 2, "min">,
  I32EnumAttrCase<"MAX", 3, "max">,
  I32EnumAttrCase<"INC", 4, "inc">,
  I32EnumAttrCase<"DEC", 5, "dec">,
  I32EnumAttrCase<"AND", 6, "and">,
  I32EnumAttrCase<"OR", 7, "or">,
  I32EnumAttrCase<"XOR", 8, "xor">
]>;

def TT_PtrAddrSpace : TT_I32Enum<"PtrAddrSpace", "address space of a pointer", [
  I32EnumAttrCase<"Descriptor", 0, "descriptor">,
  I32EnumAttrCase<"Global", 1, "global">,
  I32EnumAttrCase<"Constant", 4, "constant">
]>;

//===-- ttg ---------------------------------------------------------------------------------===//

def TTG_AddrSpaceNone : I32BitEnumAttrCaseNone<"None", "none">;
def TTG_AddrSpaceLocal : I32BitEnumAttrCaseBit<"Local", 0, "local">;
def TTG_AddrSpaceGlobalRead : I32BitEnumAttrCaseBit<"GlobalRead", 1, "global_read">;
def TTG_AddrSpaceGlobalWrite : I32BitEnumAttrCaseBit<"GlobalWrite", 2, "global_write">;
def TTG_AddrSpaceTensorRead : I32BitEnumAttrCaseBit<"TensorRead", 3, "tensor_read">;
def TTG_AddrSpaceTensorWrite : I32BitEnumAttrCaseBit<"TensorWrite", 4, "tensor_write">;
def TTG_AddrSpaceAll : I32BitEnumAttrCaseGroup<"All", [
  TTG_AddrSpaceLocal, TTG_AddrSpaceGlobalRead, TTG_AddrSpaceGlobalWrite, TTG_AddrSpaceTensorRead,
  TTG_AddrSpaceTensorWrite
], "all">;

def TTG_AddrSpace : I32BitEnumAttr<"AddrSpace", "memory spaces ordered by a barrier", [
  TTG_AddrSpaceNone, TTG_AddrSpaceLocal, TTG_AddrSpaceGlobalRead, TTG_AddrSpaceGlobalWrite,
  TTG_AddrSpaceTensorRead, TTG_AddrSpaceTensorWrite, TTG_AddrSpaceAll
]> {
  let cppNamespace = "::ll::ttg";
  let separator = "|";
  let printBitEnumPrimaryGroups = 1;
}

//===-- ttng --------------------------------------------------------------------------------===//

def TTNG_ScalesBlockRepOrder : TTNG_I32Enum<"ScalesBlockRepOrder",
                                            "order in which blocks of scales repeat", [
  I32EnumAttrCase<"mnThenK", 0>,
  I32EnumAttrCase<"kThenMn", 1>
]>;

def TTNG_TMEMLoadReduceModifier : TTNG_I32Enum<"TMEMLoadReduceModifier",
                                               "reduction of a load from tensor memory", [
  I32EnumAttrCase<"MIN", 1, "min">,
  I32EnumAttrCase<"MAX", 2, "max">
]> {
  let genSpecializedAttr = 0;
}

def TTNG_TMEMWaitKind : TTNG_I32Enum<"TMEMWaitKind", "kind of tensor-memory accesses to wait for", [
  I32EnumAttrCase<"LOAD", 0, "load">,
  I32EnumAttrCase<"STORE", 1, "store">
]>;

def TTNG_PackedArithOpKind : TTNG_I32Enum<"PackedArithOpKind", "operation of packed arithmetic", [
  I32EnumAttrCase<"ADD", 0, "add">,
  I32EnumAttrCase<"SUB", 1, "sub">,
  I32EnumAttrCase<"MUL", 2, "mul">,
  I32EnumAttrCase<"FMA", 3, "fma">,
  I32EnumAttrCase<"MIN", 4, "min">,
  I32EnumAttrCase<"MAX", 5, "max">
]>;

def TTNG_CacheEvictionPriority : TTNG_I32Enum<"CacheEvictionPriority",
                                              "eviction priority of a cache line", [
  I32EnumAttrCase<"NONE", 0, "none">,
  I32EnumAttrCase<"EVICT_NORMAL", 1, "evict_normal">,
  I32EnumAttrCase<"EVICT_UNCHANGED", 2, "evict_unchanged">,
  I32EnumAttrCase<"EVICT_FIRST", 3, "evict_first">,
  I32EnumAttrCase<"EVICT_LAST", 4, "evict_last">,
  I32EnumAttrCase<"NO_ALLOCATE", 5, "no_allocate">
]>;

#endif
