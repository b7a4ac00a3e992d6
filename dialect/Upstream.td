// The operations of MLIR that stand in TTGIR, so that Rust knows them by kind and not by name.
#ifndef LL_UPSTREAM
#define LL_UPSTREAM

include "mlir/Dialect/Arith/IR/ArithOps.td"
include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.td"
include "mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td"
include "mlir/Dialect/LLVMIR/ROCDLOps.td"
include "mlir/Dialect/Math/IR/MathOps.td"
include "mlir/Dialect/SCF/IR/SCFOps.td"
include "mlir/Dialect/UB/IR/UBOps.td"

class LL_Upstream<list<Op> selected> {
  list<Op> ops = selected;
}

// Of dialects that are too large to be known whole, these: what is known of a scalar, and AMD's hints for scheduling.
def LL_UpstreamSelected : LL_Upstream<[LLVM_AssumeOp, ROCDL_IglpOpt, ROCDL_SchedBarrier, ROCDL_SchedGroupBarrier,
                                       ROCDL_SetPrioOp]>;

#endif
