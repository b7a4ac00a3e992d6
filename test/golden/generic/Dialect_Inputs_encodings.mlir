#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>
#generic_linear = #ttg.generic_linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 1], [16, 0]], block = []}>
#linear = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = [[1, 0]], instrShape = [16, 8]}>
#mma1 = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#mma2 = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 4], isTransposed = false, CGALayout = [[1, 0]], tilesPerWarp = [2, 1], elementBitWidth = 64}>
#mma3 = #ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = [[1, 0], [2, 0]]}}>
#mma4 = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {register = [[0, 1]], warp = [[1, 0], [2, 0]]}, CGALayout = [[1, 0]], instrShape = [16, 16, 32]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], CGALayout = [[0, 1]]}>
#shared1 = #ttg.amd_rotating_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#shared2 = #ttg.padded_shared<[32:+4, 128:+8] {order = [1, 0], shape = [16, 32]}>
#shared3 = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [2, 4]}>
#shared4 = #ttg.padded_shared<[32:+4] {offset = [[1, 0], [0, 1], [0, 2], [2, 0]], block = [[0, 4]]}>
#shared5 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#shared6 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared7 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8, fp4Padded = true, CGALayout = [[0, 1]]}>
#shared8 = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16, rank = 3}>
#shared9 = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0]]}, alignment = 16>
#shared10 = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0]], block = [[2, 0]]}, alignment = 32>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
#tmem1 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 2, CGALayout = [[1, 0]], twoCTAs = true>
#tmem2 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, fp4Padded = true>
#tmem_scales = #ttng.tensor_memory_scales_encoding<>
#tmem_scales1 = #ttng.tensor_memory_scales_encoding<CGALayout = [[1, 0]]>
#shared11 = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #shared5}>
"builtin.module"() ({
^bb0:
}) {x.a1 = #blocked, x.a2 = #mma, x.a3 = #ttg.dot_op<{opIdx = 0, parent = #blocked}>, x.a4 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>, x.a5 = #mma1, x.a6 = #mma2, x.a7 = #mma3, x.a8 = #mma4, x.a9 = #shared, x.b1 = #shared1, x.b2 = #shared2, x.b3 = #shared3, x.b4 = #shared4, x.b5 = #shared11, x.b6 = #shared6, x.b7 = #shared7, x.b8 = #shared8, x.b9 = #shared9, x.c1 = #shared10, x.c2 = #tmem, x.c3 = #tmem1, x.c4 = #tmem_scales, x.c6 = #tmem_scales1, x.c7 = #generic_linear, x.c8 = #smem, x.c9 = #ttng.tensor_memory, x.d1 = #ttg.slice<{dim = 0, parent = #blocked}>, x.d2 = #linear, x.d3 = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>, x.d5 = #tmem2} : () -> ()
