#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory
"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<128x64xf32, #blocked>, !ttg.memdesc<128x64xf32, #shared, #smem, mutable>, !ttg.memdesc<2xi64, #shared1, #smem, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: tensor<128x64xf32, #blocked>, %arg1: !ttg.memdesc<128x64xf32, #shared, #smem, mutable>, %arg2: !ttg.memdesc<2xi64, #shared1, #smem, mutable>):
    "ttng.async_shared_store"(%arg0, %arg1, %arg2) : (tensor<128x64xf32, #blocked>, !ttg.memdesc<128x64xf32, #shared, #smem, mutable>, !ttg.memdesc<2xi64, #shared1, #smem, mutable>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} : () -> ()
