// Upstream operations of TTGIR, which Rust matches by kind.
#ifndef LL_UPSTREAM
#define LL_UPSTREAM

include "mlir/Dialect/Arith/IR/ArithOps.td"
include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.td"
include "mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td"
include "mlir/Dialect/LLVMIR/LLVMOps.td"
include "mlir/Dialect/LLVMIR/ROCDLOps.td"
include "mlir/Dialect/Math/IR/MathOps.td"
include "mlir/Dialect/SCF/IR/SCFOps.td"
include "mlir/Dialect/UB/IR/UBOps.td"

class LL_Upstream<list<Op> selected> {
  list<Op> ops = selected;
}

// Selected operations of large dialects: assumptions on scalars, AMD's scheduling hints and fences, and what staggers its
// warps.
def LL_UpstreamSelected : LL_Upstream<[LLVM_AssumeOp, LLVM_FenceOp, ROCDL_IglpOpt, ROCDL_SBarrierOp, ROCDL_SchedBarrier,
                                       ROCDL_SchedGroupBarrier, ROCDL_SetPrioOp, ROCDL_ThreadIdXOp]>;

#endif
