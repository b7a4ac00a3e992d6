#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @product() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x32xf32, #rows, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<32x64xf32, #columns, #smem, mutable>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %zero : !ttg.memdesc<64x32xf32, #rows, #smem, mutable> * !ttg.memdesc<32x64xf32, #columns, #smem, mutable> -> tensor<64x64xf32, #mma>
    tt.return
  }
}
