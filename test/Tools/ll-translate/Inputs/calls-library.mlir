module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32} {
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @exponentials(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.call @__nv_expf(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
