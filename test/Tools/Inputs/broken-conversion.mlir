// A conversion may not change the shape.
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<32xf32, #blocked>) {
    %0 = ttg.convert_layout %x : tensor<32xf32, #blocked> -> tensor<64xf32, #blocked>
    tt.return
  }
}
