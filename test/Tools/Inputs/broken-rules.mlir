tt.func @f() {
  %0 = tt.make_range {end = 4 : i32, start = 4 : i32} : tensor<4xi32>
  tt.return
}

// -----

#e = #ttg.blocked<{sizePerThread = [3], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>

// -----

tt.func private @f(!tt.ptr<tensor<4xi32>>)
