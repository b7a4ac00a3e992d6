// Buffers in partitions, of a padded encoding as large as a piece or as the whole, in a function that is called.
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1250 %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>
#whole = #ttg.padded_shared<[128:+4] {order = [1, 0], shape = [16, 16]}>
#piece = #ttg.padded_shared<[128:+4] {order = [1, 0], shape = [4, 16]}>
#of_whole = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #whole}>
#of_piece = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #piece}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel(%x: f16) {
    %0 = tt.splat %x : f16 -> tensor<16x16xf16, #blocked>
    tt.call @alloc(%0) : (tensor<16x16xf16, #blocked>) -> ()
    tt.return
  }

  // CHECK-LABEL: llvm.func internal @alloc(
  // CHECK-COUNT-4: llvm.store {{.*}}, !llvm.ptr<3>
  tt.func private @alloc(%arg0: tensor<16x16xf16, #blocked>) {
    %0 = ttg.local_alloc %arg0 : (tensor<16x16xf16, #blocked>) -> !ttg.memdesc<16x16xf16, #of_whole, #smem, mutable>
    %1 = ttg.local_alloc %arg0 : (tensor<16x16xf16, #blocked>) -> !ttg.memdesc<16x16xf16, #of_piece, #smem, mutable>
    tt.return
  }
}
