// C = A * B, where the columns of A and of B are contiguous in memory and B is loaded as its transpose.
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [WARPS, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, WARPS], order = [0, 1]}>
#l = #ttg.dot_op<{opIdx = 0, parent = #b}>
#r = #ttg.dot_op<{opIdx = 1, parent = #b}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = WARPS : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @mm(%A: !tt.ptr<TYPE> {tt.divisibility = 16 : i32}, %B: !tt.ptr<TYPE> {tt.divisibility = 16 : i32}, %C: !tt.ptr<SUM> {tt.divisibility = 16 : i32}) {
    %zero = arith.constant dense<0.0> : tensor<128x64xSUM, #b>
    %a_rows = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %a_columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %a_row = tt.expand_dims %a_rows {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<128x1xi32, #b>
    %a_column = tt.expand_dims %a_columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
    %a_pitch = arith.constant dense<128> : tensor<1x64xi32, #b>
    %a_scaled = arith.muli %a_column, %a_pitch : tensor<1x64xi32, #b>
    %a_row_offsets = tt.broadcast %a_row : tensor<128x1xi32, #b> -> tensor<128x64xi32, #b>
    %a_column_offsets = tt.broadcast %a_scaled : tensor<1x64xi32, #b> -> tensor<128x64xi32, #b>
    %a_offsets = arith.addi %a_row_offsets, %a_column_offsets : tensor<128x64xi32, #b>
    %a_base = tt.splat %A : !tt.ptr<TYPE> -> tensor<128x64x!tt.ptr<TYPE>, #b>
    %a_pointers = tt.addptr %a_base, %a_offsets : tensor<128x64x!tt.ptr<TYPE>, #b>, tensor<128x64xi32, #b>
    %a_loaded = tt.load %a_pointers : tensor<128x64x!tt.ptr<TYPE>, #b>
    %b_rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %b_columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %b_row = tt.expand_dims %b_rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
    %b_column = tt.expand_dims %b_columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
    %b_pitch = arith.constant dense<64> : tensor<1x64xi32, #b>
    %b_scaled = arith.muli %b_column, %b_pitch : tensor<1x64xi32, #b>
    %b_row_offsets = tt.broadcast %b_row : tensor<64x1xi32, #b> -> tensor<64x64xi32, #b>
    %b_column_offsets = tt.broadcast %b_scaled : tensor<1x64xi32, #b> -> tensor<64x64xi32, #b>
    %b_offsets = arith.addi %b_row_offsets, %b_column_offsets : tensor<64x64xi32, #b>
    %b_base = tt.splat %B : !tt.ptr<TYPE> -> tensor<64x64x!tt.ptr<TYPE>, #b>
    %b_pointers = tt.addptr %b_base, %b_offsets : tensor<64x64x!tt.ptr<TYPE>, #b>, tensor<64x64xi32, #b>
    %b_loaded = tt.load %b_pointers : tensor<64x64x!tt.ptr<TYPE>, #b>
    %b_transposed = tt.trans %b_loaded {order = array<i32: 1, 0>} : tensor<64x64xTYPE, #b> -> tensor<64x64xTYPE, #t>
    %l = ttg.convert_layout %a_loaded : tensor<128x64xTYPE, #b> -> tensor<128x64xTYPE, #l>
    %r = ttg.convert_layout %b_transposed : tensor<64x64xTYPE, #t> -> tensor<64x64xTYPE, #r>
    %d = tt.dot %l, %r, %zero, inputPrecision = tf32 {maxNumImpreciseAcc = 64 : i32} : tensor<128x64xTYPE, #l> * tensor<64x64xTYPE, #r> -> tensor<128x64xSUM, #b>
    %c_rows = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %c_columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %c_row = tt.expand_dims %c_rows {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<128x1xi32, #b>
    %c_column = tt.expand_dims %c_columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
    %c_pitch = arith.constant dense<64> : tensor<128x1xi32, #b>
    %c_scaled = arith.muli %c_row, %c_pitch : tensor<128x1xi32, #b>
    %c_row_offsets = tt.broadcast %c_scaled : tensor<128x1xi32, #b> -> tensor<128x64xi32, #b>
    %c_column_offsets = tt.broadcast %c_column : tensor<1x64xi32, #b> -> tensor<128x64xi32, #b>
    %c_offsets = arith.addi %c_row_offsets, %c_column_offsets : tensor<128x64xi32, #b>
    %c_base = tt.splat %C : !tt.ptr<SUM> -> tensor<128x64x!tt.ptr<SUM>, #b>
    %c_pointers = tt.addptr %c_base, %c_offsets : tensor<128x64x!tt.ptr<SUM>, #b>, tensor<128x64xi32, #b>
    tt.store %c_pointers, %d : tensor<128x64x!tt.ptr<SUM>, #b>
    tt.return
  }
}
