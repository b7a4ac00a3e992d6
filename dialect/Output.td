// Operations for which Rust builders are generated: operations that lowering emits, and operations of this project and
// of upstream dialects that passes create.
#ifndef LL_OUTPUT
#define LL_OUTPUT

include "mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td"
include "mlir/Dialect/LLVMIR/LLVMOps.td"
include "mlir/Dialect/LLVMIR/NVVMOps.td"
include "mlir/Dialect/LLVMIR/ROCDLOps.td"

def LL_Built {
  list<string> names = [
    "arith.addf", "arith.addi", "arith.andi", "arith.cmpf", "arith.cmpi", "arith.constant", "arith.divui", "arith.extf",
    "arith.extui", "arith.maxui", "arith.minui", "arith.mulf", "arith.muli", "arith.ori", "arith.select", "arith.shli",
    "arith.shrui", "arith.subf", "arith.subi", "arith.truncf", "arith.trunci", "arith.xori", "llvm.add", "llvm.addrspacecast", "llvm.alloca", "llvm.and", "llvm.ashr", "llvm.atomicrmw",
    "llvm.bitcast", "llvm.br", "llvm.call", "llvm.call_intrinsic", "llvm.cmpxchg", "llvm.cond_br",
    "llvm.extractelement", "llvm.extractvalue", "llvm.fadd", "llvm.fcmp", "llvm.fdiv", "llvm.fence", "llvm.fmul",
    "llvm.fneg", "llvm.fpext", "llvm.fptosi", "llvm.fptoui", "llvm.fptrunc", "llvm.frem", "llvm.fsub",
    "llvm.func", "llvm.getelementptr", "llvm.icmp", "llvm.inline_asm", "llvm.insertelement", "llvm.insertvalue",
    "llvm.intr.abs", "llvm.intr.bitreverse", "llvm.intr.ceil", "llvm.intr.copysign", "llvm.intr.cos",
    "llvm.intr.ctlz", "llvm.intr.ctpop", "llvm.intr.cttz", "llvm.intr.exp", "llvm.intr.exp2", "llvm.intr.fabs",
    "llvm.intr.floor", "llvm.intr.fma", "llvm.intr.log", "llvm.intr.log10", "llvm.intr.log2", "llvm.intr.maximum",
    "llvm.intr.maxnum", "llvm.intr.minimum", "llvm.intr.minnum", "llvm.intr.round", "llvm.intr.roundeven",
    "llvm.intr.sin", "llvm.intr.smax", "llvm.intr.smin", "llvm.intr.sqrt", "llvm.intr.trap", "llvm.intr.trunc",
    "llvm.intr.umax", "llvm.intr.umin", "llvm.inttoptr", "llvm.load", "llvm.lshr", "llvm.mlir.addressof",
    "llvm.mlir.constant", "llvm.mlir.poison", "llvm.mlir.undef", "llvm.mlir.zero", "llvm.mul", "llvm.or",
    "llvm.ptrtoint", "llvm.return", "llvm.sdiv", "llvm.select", "llvm.sext", "llvm.shl", "llvm.sitofp",
    "llvm.srem", "llvm.store", "llvm.sub", "llvm.switch", "llvm.trunc", "llvm.udiv", "llvm.uitofp", "llvm.urem",
    "llvm.xor", "llvm.zext", "nvvm.bar.warp.sync", "nvvm.barrier", "nvvm.barrier0", "nvvm.cluster.arrive",
    "nvvm.cluster.wait", "nvvm.cp.async.bulk.commit.group", "nvvm.cp.async.mbarrier.arrive",
    "nvvm.cp.async.bulk.wait_group", "nvvm.cp.async.commit.group",
    "nvvm.cp.async.shared.global", "nvvm.cp.async.wait.group", "nvvm.elect.sync", "nvvm.ldmatrix", "nvvm.mapa",
    "nvvm.read.ptx.sreg.cluster.ctarank", "nvvm.read.ptx.sreg.clusterid.x", "nvvm.read.ptx.sreg.clusterid.y",
    "nvvm.read.ptx.sreg.clusterid.z", "nvvm.read.ptx.sreg.ctaid.x",
    "nvvm.read.ptx.sreg.ctaid.y", "nvvm.read.ptx.sreg.ctaid.z", "nvvm.read.ptx.sreg.nclusterid.x", "nvvm.read.ptx.sreg.nclusterid.y",
    "nvvm.read.ptx.sreg.nclusterid.z", "nvvm.read.ptx.sreg.nctaid.x",
    "nvvm.read.ptx.sreg.nctaid.y", "nvvm.read.ptx.sreg.nctaid.z", "nvvm.read.ptx.sreg.tid.x", "nvvm.redux.sync",
    "nvvm.setmaxregister", "nvvm.shfl.sync", "nvvm.stmatrix", "nvvm.vote.sync", "nvvm.wgmma.commit.group.sync.aligned",
    "nvvm.wgmma.fence.aligned", "rocdl.ballot", "rocdl.barrier",
    "rocdl.ds.load.tr16.b128", "rocdl.ds.load.tr8.b64", "rocdl.ds.read.tr16.b64", "rocdl.ds.read.tr8.b64",
    "rocdl.ds_bpermute", "rocdl.ds_swizzle", "rocdl.global.load.async.to.lds.b128",
    "rocdl.global.load.async.to.lds.b32", "rocdl.global.load.async.to.lds.b64", "rocdl.global.load.lds",
    "rocdl.make.buffer.rsrc", "rocdl.permlane16.swap",
    "rocdl.permlane32.swap", "rocdl.permlanex16", "rocdl.raw.ptr.buffer.load", "rocdl.raw.ptr.buffer.load.lds",
    "rocdl.raw.ptr.buffer.store", "rocdl.readfirstlane", "rocdl.s.barrier", "rocdl.s.wait.asynccnt",
    "rocdl.s.waitcnt", "rocdl.update.dpp", "rocdl.workgroup.id.x", "rocdl.workgroup.id.y",
    "rocdl.workgroup.id.z", "rocdl.workitem.id.x", "scf.for", "scf.yield", "tt.bitcast", "tt.broadcast", "tt.dot",
    "tt.elementwise_inline_asm", "tt.expand_dims", "tt.fp_to_fp", "tt.load", "tt.make_range", "tt.reshape", "tt.splat", "tt.split", "tt.trans",
    "ttg.async_commit_group", "ttg.async_copy_global_to_local", "ttg.async_wait", "ttg.convert_layout", "ttg.fp4_to_fp",
    "ttg.local_alloc", "ttg.local_dealloc", "ttg.local_load", "ttg.memdesc_index", "ttg.memdesc_trans",
    "ttg.global_scratch_alloc", "ttng.async_tma_copy_global_to_local",
    "ttng.async_tma_copy_local_to_global", "ttng.async_tma_reduce", "ttng.async_tma_store_wait", "ttng.barrier_expect",
    "ttng.init_barrier", "ttng.inval_barrier", "ttng.reinterpret_tensor_descriptor", "ttng.tensormap_create",
    "ttng.tensormap_fenceproxy_acquire", "ttng.wait_barrier", "ttng.warp_group_dot", "ttng.warp_group_dot_wait"
  ];
}

#endif
