// RUN: ll-opt --remove-layout-conversions='explain=true report=%t.json' -split-input-file -verify-diagnostics %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json

// A remark states the outcome of each conversion, and the reason for each that remains.

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // expected-remark@+1 {{with 1 conversion, the minimum for the chosen rematerialisations; before the pass}}
  tt.func @f(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<64x64x!tt.ptr<f32>, #columns>, %c: tensor<64x64x!tt.ptr<f32>, #rows>) {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
    %k = arith.constant dense<1.0> : tensor<64x64xf32, #rows>
    // expected-remark@+1 {{conversion removed: the value is rematerialised in this layout}}
    %ck = ttg.convert_layout %k : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    // expected-remark@+1 {{conversion kept: }}
    %cx = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %y = arith.addf %cx, %ck : tensor<64x64xf32, #columns>
    tt.store %q, %y : tensor<64x64x!tt.ptr<f32>, #columns>
    %z = arith.mulf %cx, %cx : tensor<64x64xf32, #columns>
    // expected-remark@+1 {{conversion removed: the value is produced in this layout}}
    %cz = ttg.convert_layout %z : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
    tt.store %c, %cz : tensor<64x64x!tt.ptr<f32>, #rows>
    tt.return
  }
}

// REPORT: [{"function":"f","target":"cuda:90","before":{"cycles":{{[0-9.]+}},"conversions":3},"after":{"cycles":{{[0-9.]+}},"conversions":1},"bound":{{[0-9.]+}},"optimal":true,"scratch_budget":null,
// REPORT-SAME: "remaining":[{"tensor":"64x64xf32","from":"#ttg.blocked<{sizePerThread = [1, 4],
// REPORT-SAME: "runs":1,"reason":"cost","next_best":{{[0-9.]+}}}]
// REPORT-SAME: "outcome":"rematerialised"
// REPORT-SAME: "outcome":"kept"
// REPORT-SAME: "outcome":"producer_changed"
