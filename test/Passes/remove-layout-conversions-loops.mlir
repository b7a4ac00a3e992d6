// RUN: ll-opt --remove-layout-conversions=explain=true -verify-diagnostics %s

// One that stays in a loop says what an iteration pays for it.

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // expected-remark@+1 {{with 1 conversion}}
  tt.func @g(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<64x64x!tt.ptr<f32>, #columns>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %i = %zero to %n step %one : i32 {
      scf.for %j = %zero to %n step %one : i32 {
        %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
        // expected-remark@+1 {{ per iteration of the innermost of 2 loops, counted for 64 iterations}}
        %c = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
        tt.store %q, %c : tensor<64x64x!tt.ptr<f32>, #columns>
      }
    }
    tt.return
  }
}
