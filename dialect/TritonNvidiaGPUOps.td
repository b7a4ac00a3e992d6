// Operations of `ttng`.
#ifndef LL_TRITONNVIDIAGPU_OPS
#define LL_TRITONNVIDIAGPU_OPS

include "TritonAttrs.td"
include "TritonGPUTypes.td"
include "TritonNvidiaGPUAttrs.td"
include "TritonNvidiaGPUTypes.td"
include "TritonTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TTNG_SharedMemory : Resource<"::ll::ttg::SharedMemory">;
def TTNG_TensorMemory : Resource<"::ll::ttng::TensorMemory">;

// Operands by what happens to the memory behind them.
def TTNG_SharedRead : Arg<TTG_MemDescType, "", [MemRead<TTNG_SharedMemory>]>;
def TTNG_SharedWrite : Arg<TTG_MemDescType, "", [MemWrite<TTNG_SharedMemory>]>;
def TTNG_SharedUpdate : Arg<TTG_MemDescType, "", [MemRead<TTNG_SharedMemory>,
                                                  MemWrite<TTNG_SharedMemory>]>;
def TTNG_TensorRead : Arg<TTG_MemDescType, "", [MemRead<TTNG_TensorMemory>]>;
def TTNG_TensorWrite : Arg<TTG_MemDescType, "", [MemWrite<TTNG_TensorMemory>]>;
def TTNG_TensorUpdate : Arg<TTG_MemDescType, "", [MemRead<TTNG_TensorMemory>,
                                                  MemWrite<TTNG_TensorMemory>]>;
def TTNG_DescRead : Arg<TT_TensorDescType, "", [MemRead<TT_GlobalMemory>]>;
def TTNG_DescUpdate : Arg<TT_TensorDescType, "", [MemRead<TT_GlobalMemory>,
                                                  MemWrite<TT_GlobalMemory>]>;
def TTNG_AnyTensorDesc : AnyTypeOf<[TT_TensorDescType, TTNG_TensorDescIm2ColType],
                                   "tensor descriptor">;

class TTNG_Op<string mnemonic, list<Trait> traits = []>
    : Op<TritonNvidiaGPU_Dialect, mnemonic, !listconcat(traits, [LL_Verified])>;

//===-- Hopper: products by warp groups -----------------------------------------------------===//

def TTNG_FenceAsyncSharedOp : TTNG_Op<"fence_async_shared"> {
  let summary = "order accesses to shared memory before those of asynchronous units";
  let arguments = (ins BoolAttr:$bCluster);
  let assemblyFormat = "attr-dict";
}

def TTNG_WarpGroupDotOp : TTNG_Op<"warp_group_dot", [
    TypesMatchWith<"result has the accumulator's type", "d", "c", "$_self">]> {
  let summary = "matrix product by a group of four warps, `a` and `b` in shared memory";
  let description = [{
    `d = a * b + c`; `a` may be in registers. With `isAsync` it is under way until
    `ttng.warp_group_dot_wait`.
    - the result's layout is `#ttg.nvidia_mma` version 3
    - the shapes are M x K, K x N and M x N
    - `a` in registers is operand 0 of the result's layout
  }];
  let arguments = (ins TTG_TensorOrMemDesc:$a, TTG_MemDescType:$b, TT_FpIntTensor:$c,
                       Optional<I1>:$useC,
                       DefaultValuedAttr<TT_InputPrecision, "::ll::tt::InputPrecision::IEEE">:$inputPrecision,
                       DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc,
                       DefaultValuedAttr<BoolAttr, "false">:$isAsync);
  let results = (outs TT_FpIntTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` $useC^)? attr-dict `:` type($a) `*` qualified(type($b)) `->` type($d)
  }];
}

def TTNG_WarpGroupDotWaitOp : TTNG_Op<"warp_group_dot_wait", [
    AllTypesMatch<["inputs", "outputs"]>]> {
  let summary = "wait until at most `pendings` products of the warp group are under way";
  let description = [{
    Values that a product writes or reads pass through, so that no use moves before the wait.
  }];
  let arguments = (ins Variadic<TTG_TensorOrMemDesc>:$inputs, I32Attr:$pendings,
                       UnitAttr:$warpGroupLocal);
  let results = (outs Variadic<TTG_TensorOrMemDesc>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
}

//===-- Barriers in shared memory -----------------------------------------------------------===//

def TTNG_InitBarrierOp : TTNG_Op<"init_barrier"> {
  let summary = "make a barrier that `count` arrivals complete";
  let description = [{
    - a barrier is a buffer of i64 in shared memory, of rank 1 and mutable
  }];
  let arguments = (ins TTNG_SharedWrite:$alloc, I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
}

def TTNG_InvalBarrierOp : TTNG_Op<"inval_barrier"> {
  let summary = "end of a barrier's life";
  let description = [{
    - a barrier is a mutable buffer of i64 in shared memory, of rank 1
  }];
  let arguments = (ins TTNG_SharedWrite:$alloc);
  let assemblyFormat = "$alloc attr-dict `:` qualified(type($alloc))";
}

def TTNG_BarrierExpectOp : TTNG_Op<"barrier_expect"> {
  let summary = "let a barrier wait for so many bytes of copies";
  let description = [{
    - a barrier is a mutable buffer of i64 in shared memory, of rank 1
  }];
  let arguments = (ins TTNG_SharedWrite:$alloc, I32Attr:$size, OptionalAttr<I32Attr>:$fromCTA,
                       I1:$pred);
  let assemblyFormat = "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))";
}

def TTNG_WaitBarrierOp : TTNG_Op<"wait_barrier", [AttrSizedOperandSegments]> {
  let summary = "wait until a barrier leaves a phase";
  let description = [{
    Buffers given as `deps` may be used by others until then.
    - a barrier is a mutable buffer of i64 in shared memory, of rank 1
  }];
  let arguments = (ins TTNG_SharedUpdate:$alloc, I32:$phase, Optional<I1>:$pred,
                       Variadic<TTG_MemDescType>:$deps);
  let assemblyFormat = [{
    $alloc `,` $phase (`,` $pred^)? (`deps` $deps^)?
    attr-dict `:` qualified(type($alloc)) (`,` qualified(type($deps))^)?
  }];
}

def TTNG_ArriveBarrierOp : TTNG_Op<"arrive_barrier"> {
  let summary = "arrive at a barrier `count` times";
  let description = [{
    - a barrier is a mutable buffer of i64 in shared memory, of rank 1
    - `count` is at least 1
  }];
  let arguments = (ins TTNG_SharedUpdate:$alloc, I32Attr:$count, OptionalAttr<I32Attr>:$fromCTA,
                       OptionalAttr<I32Attr>:$multicastCTA, Optional<I1>:$pred);
  let assemblyFormat = "$alloc `,` $count (`,` $pred^)? attr-dict `:` qualified(type($alloc))";
}

def TTNG_AsyncCopyMbarrierArriveOp : TTNG_Op<"async_copy_mbarrier_arrive"> {
  let summary = "arrive at a barrier when the copies issued so far are done";
  let arguments = (ins TTNG_SharedWrite:$barrier, UnitAttr:$noIncrement);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

def TTNG_ClusterBarrierOp : TTNG_Op<"cluster_barrier"> {
  let summary = "wait for all threads of the cluster";
  let arguments = (ins DefaultValuedAttr<BoolAttr, "false">:$relaxed);
  let assemblyFormat = "attr-dict";
}

def TTNG_FenceMBarrierInitReleaseClusterOp : TTNG_Op<"fence_mbarrier_init_release_cluster"> {
  let summary = "let the cluster see barriers that were made";
  let assemblyFormat = "attr-dict";
}

//===-- Copies by the tensor memory accelerator ---------------------------------------------===//

def TTNG_AsyncTMACopyGlobalToLocalOp : TTNG_Op<"async_tma_copy_global_to_local", [
    AttrSizedOperandSegments]> {
  let summary = "start to copy a block into shared memory; a barrier learns of the bytes";
  let arguments = (ins Arg<TTNG_AnyTensorDesc, "", [MemRead<TT_GlobalMemory>]>:$desc,
                       Variadic<I32>:$coord, Variadic<I16>:$offsets, TTNG_SharedWrite:$barrier,
                       TTNG_SharedWrite:$result, I1:$pred, UnitAttr:$multicast,
                       OptionalAttr<LL_CachePolicy>:$cachePolicy,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let assemblyFormat = [{
    $desc `[` $coord `]` (`offsets` `=` `[` $offsets^ `]`)? $result `,` $barrier `,` $pred
    attr-dict `:` qualified(type($desc)) `,` qualified(type($barrier)) `->` qualified(type($result))
  }];
}

def TTNG_AsyncTMACopyLocalToGlobalOp : TTNG_Op<"async_tma_copy_local_to_global"> {
  let summary = "start to copy a block out of shared memory";
  let arguments = (ins TTNG_DescUpdate:$desc, Variadic<I32>:$coord, TTNG_SharedRead:$src,
                       OptionalAttr<LL_CachePolicy>:$cachePolicy);
  let assemblyFormat = [{
    $desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))
  }];
}

def TTNG_AsyncTMAReduceOp : TTNG_Op<"async_tma_reduce"> {
  let summary = "start to combine a block of shared memory with global memory";
  let arguments = (ins TT_DescriptorReduceKind:$kind, TTNG_DescUpdate:$desc, Variadic<I32>:$coord,
                       TTNG_SharedRead:$src);
  let assemblyFormat = [{
    $kind `,` $desc `[` $coord `]` $src
    attr-dict `:` qualified(type($desc)) `,` qualified(type($src))
  }];
}

def TTNG_AsyncTMAGatherOp : TTNG_Op<"async_tma_gather"> {
  let summary = "start to copy rows into shared memory";
  let arguments = (ins TTNG_DescRead:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset,
                       TTNG_SharedWrite:$barrier, TTNG_SharedWrite:$result, I1:$pred,
                       UnitAttr:$multicast, OptionalAttr<LL_CachePolicy>:$cachePolicy);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $result `,` $barrier `,` $pred
    attr-dict `:` type(operands)
  }];
}

def TTNG_AsyncTMAScatterOp : TTNG_Op<"async_tma_scatter"> {
  let summary = "start to copy rows out of shared memory";
  let arguments = (ins TTNG_DescUpdate:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset,
                       TTNG_SharedRead:$src, OptionalAttr<LL_CachePolicy>:$cachePolicy);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)
  }];
}

def TTNG_TMAStoreWaitOp : TTNG_Op<"async_tma_store_wait"> {
  let summary = "wait until at most `pendings` copies out of shared memory still read it";
  let arguments = (ins I32Attr:$pendings, UnitAttr:$read_only);
  let assemblyFormat = "attr-dict";
}

def TTNG_AsyncSharedStoreOp : TTNG_Op<"async_shared_store"> {
  let summary = "start to write to the shared memory of another CTA";
  let arguments = (ins TT_Tensor:$src, TTNG_SharedWrite:$dst, TTNG_SharedWrite:$barrier);
}

def TTNG_ReinterpretTensorDescOp : TTNG_Op<"reinterpret_tensor_descriptor", [Pure]> {
  let summary = "a pointer to a descriptor as the descriptor";
  let arguments = (ins TT_PtrType:$rawDesc);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = [{
    $rawDesc attr-dict `:` qualified(type($rawDesc)) `to` qualified(type($result))
  }];
}

def TTNG_TensormapCreateOp : TTNG_Op<"tensormap_create", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "write a descriptor to memory";
  let arguments = (ins TT_PtrType:$desc_ptr, TT_PtrType:$global_address, Variadic<I32>:$box_dim,
                       Variadic<I32>:$global_dim, Variadic<I64>:$global_stride,
                       Variadic<I32>:$element_stride,
                       ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<15>]>:$elem_type,
                       ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<2>]>:$interleave_layout,
                       ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<3>]>:$swizzle_mode,
                       ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<1>]>:$fill_mode);
  let assemblyFormat = [{
    $desc_ptr `,` $global_address `,` `[` $box_dim `]` `,` `[` $global_dim `]` `,`
    `[` $global_stride `]` `,` `[` $element_stride `]`
    attr-dict `:` functional-type(operands, results)
  }];
}

def TTNG_TensormapFenceproxyAcquireOp : TTNG_Op<"tensormap_fenceproxy_acquire", [
    MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "see a descriptor that was written to memory";
  let arguments = (ins TT_PtrType:$desc_ptr);
  let assemblyFormat = "$desc_ptr attr-dict `:` qualified(type($desc_ptr))";
}

//===-- Blackwell: tensor memory ------------------------------------------------------------===//

def TTNG_TMEMAllocOp : TTNG_Op<"tmem_alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a buffer in tensor memory, with contents or without";
  let description = [{
    - the buffer is in tensor memory
    - a buffer without contents is mutable
    - contents and buffer have the same shape and element type
  }];
  let arguments = (ins Optional<TT_Tensor>:$src);
  let results = (outs TTG_MemDescType:$result, Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
}

def TTNG_TMEMLoadOp : TTNG_Op<"tmem_load", [AttrSizedResultSegments]> {
  let summary = "read tensor memory into registers, and reduce its rows on request";
  let description = [{
    - the buffer is in tensor memory
    - buffer and result have the same shape and element type
  }];
  let arguments = (ins TTNG_TensorRead:$src, Optional<TTG_AsyncToken>:$dep,
                       OptionalAttr<TTNG_TMEMLoadReduceModifierEnum>:$redOp,
                       OptionalAttr<BoolAttr>:$abs, OptionalAttr<BoolAttr>:$NaN);
  let results = (outs TT_Tensor:$result, Optional<TTG_AsyncToken>:$token,
                      Optional<TT_Tensor>:$red);
  let assemblyFormat = [{
    $src `` custom<Token>($dep, type($token))
    attr-dict `:` qualified(type($src)) `->` type($result) (`,` type($red)^)?
  }];
}

def TTNG_TMEMStoreOp : TTNG_Op<"tmem_store"> {
  let summary = "write registers to tensor memory";
  let description = [{
    - the buffer is in tensor memory
    - the buffer is mutable
    - value and buffer have the same shape and element type
  }];
  let arguments = (ins TTNG_TensorWrite:$dst, Optional<TTG_AsyncToken>:$dep, TT_Tensor:$src,
                       I1:$pred);
  let results = (outs Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = [{
    $src `,` $dst `` custom<Token>($dep, type($token)) `,` $pred
    attr-dict `:` type($src) `->` qualified(type($dst))
  }];
}

def TTNG_TMEMSubSliceOp : TTNG_Op<"tmem_subslice", [Pure]> {
  let summary = "some columns of a buffer in tensor memory";
  let arguments = (ins TTG_MemDescType:$src, I32Attr:$offset,
                       DefaultValuedAttr<I32Attr, "1">:$dim);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
}

def TTNG_TMEMCopyOp : TTNG_Op<"tmem_copy"> {
  let summary = "start to copy from shared to tensor memory";
  let arguments = (ins TTNG_SharedRead:$src, TTNG_TensorWrite:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` qualified(type(operands))";
}

def TTNG_TMEMWaitOp : TTNG_Op<"tmem_wait"> {
  let summary = "wait for loads from or stores to tensor memory";
  let arguments = (ins TTNG_TMEMWaitKind:$kind);
  let assemblyFormat = "$kind attr-dict";
}

//===-- Blackwell: products -----------------------------------------------------------------===//

def TTNG_TCGen5MMAOp : TTNG_Op<"tc_gen5_mma", [AttrSizedOperandSegments]> {
  let summary = "matrix product in tensor memory";
  let description = [{
    `d += a * b`, or `d = a * b` where `useD` is false. With `is_async`, barriers learn of its end.
  }];
  let arguments = (ins TTNG_SharedRead:$a, TTNG_SharedRead:$b, TTNG_TensorUpdate:$d,
                       Optional<TTG_AsyncToken>:$acc_dep, I1:$useD, I1:$pred,
                       Variadic<TTG_MemDescType>:$barriers, Variadic<I1>:$barrier_preds,
                       UnitAttr:$is_async, UnitAttr:$two_ctas, UnitAttr:$multicast,
                       UnitAttr:$is_unsigned);
  let results = (outs Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $useD `,` $pred
    `` custom<BarriersAndPreds>($barriers, $barrier_preds)
    attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($d))
    (`,` qualified(type($barriers))^)?
  }];
}

def TTNG_TCGen5MMAScaledOp : TTNG_Op<"tc_gen5_mma_scaled", [AttrSizedOperandSegments]> {
  let summary = "matrix product in tensor memory, of operands with a scale per block of elements";
  let arguments = (ins TTNG_SharedRead:$a, TTNG_SharedRead:$b, TTNG_TensorUpdate:$d,
                       Optional<TTG_AsyncToken>:$acc_dep, TTNG_TensorRead:$a_scale,
                       TTNG_TensorRead:$b_scale, TT_ScaleDotElemType:$a_type,
                       TT_ScaleDotElemType:$b_type, I1:$useD, I1:$pred,
                       Variadic<TTG_MemDescType>:$barriers, Variadic<I1>:$barrier_preds,
                       UnitAttr:$two_ctas, UnitAttr:$multicast, UnitAttr:$is_async);
  let results = (outs Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $a_scale `,` $b_scale `,`
    $useD `,` $pred `lhs` `=` $a_type `rhs` `=` $b_type
    `` custom<BarriersAndPreds>($barriers, $barrier_preds)
    attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($d)) `,`
    qualified(type($a_scale)) `,` qualified(type($b_scale)) (`,` qualified(type($barriers))^)?
  }];
}

def TTNG_TCGen5CommitOp : TTNG_Op<"tc_gen5_commit", [AttrSizedOperandSegments]> {
  let summary = "arrive at a barrier when the products issued so far are done";
  let arguments = (ins TTNG_SharedWrite:$barrier, Optional<I1>:$pred,
                       Variadic<TTG_MemDescType>:$descs);
  let assemblyFormat = [{
    $barrier (`,` $pred^)? (`descs` $descs^)? attr-dict
    `:` qualified(type($barrier)) (`,` qualified(type($descs))^)?
  }];
}

//===-- Blackwell: launching clusters -------------------------------------------------------===//

def TTNG_CLCTryCancelOp : TTNG_Op<"clc_try_cancel"> {
  let summary = "start to take over the work of a cluster that is not launched yet";
  let arguments = (ins TTNG_SharedWrite:$result, TTNG_SharedWrite:$mbarrier);
  let assemblyFormat = [{
    $result `,` $mbarrier attr-dict `:` qualified(type($result)) `,` qualified(type($mbarrier))
  }];
}

def TTNG_CLCTryCancelSyncOp : TTNG_Op<"clc_try_cancel_sync"> {
  let summary = "take over the work of a cluster that is not launched yet";
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TTNG_CLCLoadResultOp : TTNG_Op<"clc_load_result"> {
  let summary = "read the answer to `ttng.clc_try_cancel`";
  let arguments = (ins TTNG_SharedRead:$src);
  let results = (outs I128:$clcResult);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` type($clcResult)";
}

def TTNG_CLCIsCanceledOp : TTNG_Op<"clc_is_canceled", [Pure]> {
  let summary = "whether work was taken over";
  let arguments = (ins I128:$clcResult);
  let results = (outs I1:$is_canceled);
  let assemblyFormat = "$clcResult attr-dict `:` type($clcResult) `->` type($is_canceled)";
}

def TTNG_CLCGetProgramIdOp : TTNG_Op<"clc_get_program_id", [Pure]> {
  let summary = "index of the work that was taken over, along one axis of the grid";
  let arguments = (ins I128:$clcResult, TT_ProgramDim:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$clcResult `,` $dim attr-dict `:` type($clcResult) `->` type($result)";
}

//===-- Blackwell: arithmetic ---------------------------------------------------------------===//

def TTNG_PackedArithOp : TTNG_Op<"packed_arith", [Pure, Elementwise, LL_SameEncoding,
                                                  SameOperandsAndResultShape]> {
  let summary = "arithmetic on two numbers at a time";
  let arguments = (ins TTNG_PackedArithOpKind:$op_kind, Variadic<TT_Tensor>:$srcs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$op_kind $srcs attr-dict `:` functional-type($srcs, $result)";
}

#endif
