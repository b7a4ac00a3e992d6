#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}, alignment = 16>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @product(%p: !tt.ptr<f32>) {
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
    %a = ttg.local_alloc %x ALIGNMENT : (tensor<64x64xf16, #mma>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
    %b = ttg.local_alloc %x : (tensor<64x64xf16, #mma>) -> !ttg.memdesc<64x64xf16, #columns, #smem>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %zero : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #columns, #smem> -> tensor<64x64xf32, #mma>
    %q = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    tt.store %q, %d : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }
}
