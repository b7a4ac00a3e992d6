// Tensors that are written to buffers in which other elements are adjacent get a layout for the write.
// RUN: ll-opt --choose-transfer-layouts %s | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#from = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#to = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#bytes = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#to8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The read keeps its token, and happens before the store to its buffer.
  // CHECK-LABEL: @copy
  // CHECK: [[X:%.*]] = ttg.local_load %arg0 token %arg2 : {{.*}} -> tensor<32x128xf32, #linear>
  // CHECK-NEXT: ttg.local_store %arg3, %arg0
  // CHECK-NEXT: ttg.local_store [[X]], %arg1
  tt.func public @copy(%a: !ttg.memdesc<32x128xf32, #from, #smem, mutable>, %b: !ttg.memdesc<32x128xf32, #to, #smem, mutable>, %t: !ttg.async.token, %new: tensor<32x128xf32, #rows>) {
    %x = ttg.local_load %a token %t : !ttg.memdesc<32x128xf32, #from, #smem, mutable> -> tensor<32x128xf32, #rows>
    ttg.local_store %new, %a : tensor<32x128xf32, #rows> -> !ttg.memdesc<32x128xf32, #from, #smem, mutable>
    ttg.local_store %x, %b : tensor<32x128xf32, #rows> -> !ttg.memdesc<32x128xf32, #to, #smem, mutable>
    tt.return
  }

  // Another user reads the tensor in its layout.
  // CHECK-LABEL: @shared_tensor
  // CHECK-DAG: [[X:%.*]] = ttg.local_load %arg0 : {{.*}} -> tensor<32x128xf32, #blocked>
  // CHECK-DAG: [[Y:%.*]] = ttg.local_load %arg0 : {{.*}} -> tensor<32x128xf32, #linear>
  // CHECK: ttg.local_alloc [[Y]]
  // CHECK: arith.addf [[X]], [[X]]
  tt.func public @shared_tensor(%a: !ttg.memdesc<32x128xf32, #from, #smem, mutable>) -> (!ttg.memdesc<32x128xf32, #to, #smem>, tensor<32x128xf32, #rows>) {
    %x = ttg.local_load %a : !ttg.memdesc<32x128xf32, #from, #smem, mutable> -> tensor<32x128xf32, #rows>
    %b = ttg.local_alloc %x : (tensor<32x128xf32, #rows>) -> !ttg.memdesc<32x128xf32, #to, #smem>
    %y = arith.addf %x, %x : tensor<32x128xf32, #rows>
    tt.return %b, %y : !ttg.memdesc<32x128xf32, #to, #smem>, tensor<32x128xf32, #rows>
  }

  // The same elements are adjacent in both buffers.
  // CHECK-LABEL: @same_order
  // CHECK: ttg.local_load {{.*}} -> tensor<32x128xf32, #blocked>
  tt.func public @same_order(%a: !ttg.memdesc<32x128xf32, #from, #smem, mutable>) -> !ttg.memdesc<32x128xf32, #from, #smem> {
    %x = ttg.local_load %a : !ttg.memdesc<32x128xf32, #from, #smem, mutable> -> tensor<32x128xf32, #rows>
    %b = ttg.local_alloc %x : (tensor<32x128xf32, #rows>) -> !ttg.memdesc<32x128xf32, #from, #smem>
    tt.return %b : !ttg.memdesc<32x128xf32, #from, #smem>
  }

  // A tensor that is not read from a buffer is converted.
  // CHECK-LABEL: @computed
  // CHECK: [[X:%.*]] = ttg.convert_layout %arg0 : tensor<128x128xf8E4M3FN, {{.*}}> -> tensor<128x128xf8E4M3FN, [[TILE:#linear[0-9]*]]>
  // CHECK-NEXT: ttg.local_alloc [[X]]
  // CHECK: [[Y:%.*]] = ttg.convert_layout %arg1 : tensor<128x128xf8E4M3FN, {{.*}}> -> tensor<128x128xf8E4M3FN, [[TILE]]>
  // CHECK-NEXT: ttg.local_store [[Y]], %arg2
  tt.func public @computed(%x: tensor<128x128xf8E4M3FN, #bytes>, %y: tensor<128x128xf8E4M3FN, #bytes>, %b: !ttg.memdesc<128x128xf8E4M3FN, #to8, #smem, mutable>) -> !ttg.memdesc<128x128xf8E4M3FN, #to8, #smem> {
    %a = ttg.local_alloc %x : (tensor<128x128xf8E4M3FN, #bytes>) -> !ttg.memdesc<128x128xf8E4M3FN, #to8, #smem>
    ttg.local_store %y, %b : tensor<128x128xf8E4M3FN, #bytes> -> !ttg.memdesc<128x128xf8E4M3FN, #to8, #smem, mutable>
    tt.return %a : !ttg.memdesc<128x128xf8E4M3FN, #to8, #smem>
  }

  // The buffer has the order of the registers.
  // CHECK-LABEL: @computed_in_order
  // CHECK-NOT: ttg.convert_layout
  tt.func public @computed_in_order(%x: tensor<32x128xf32, #rows>) -> !ttg.memdesc<32x128xf32, #from, #smem> {
    %a = ttg.local_alloc %x : (tensor<32x128xf32, #rows>) -> !ttg.memdesc<32x128xf32, #from, #smem>
    tt.return %a : !ttg.memdesc<32x128xf32, #from, #smem>
  }
}
