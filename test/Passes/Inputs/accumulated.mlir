// Rows that a loop reduces and accumulates, compared with accumulation element by element and a final reduction.
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>
#rest = #ttg.slice<{dim = 1, parent = #rows}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @sum(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32>, %want: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %start = arith.constant dense<5> : tensor<16xi32, #rest>
    %none = arith.constant dense<0> : tensor<16x64xi32, #rows>
    %step = arith.constant dense<1024> : tensor<16x64xi32, #rows>
    %width = arith.constant dense<64> : tensor<16x1xi32, #rows>
    %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #rest>
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32, #rest> -> tensor<16x1xi32, #rows>
    %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
    %row = arith.muli %i2, %width : tensor<16x1xi32, #rows>
    %row2 = tt.broadcast %row : tensor<16x1xi32, #rows> -> tensor<16x64xi32, #rows>
    %j3 = tt.broadcast %j2 : tensor<1x64xi32, #rows> -> tensor<16x64xi32, #rows>
    %at = arith.addi %row2, %j3 : tensor<16x64xi32, #rows>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x64x!tt.ptr<i32>, #rows>
    %first = tt.addptr %xs, %at : tensor<16x64x!tt.ptr<i32>, #rows>, tensor<16x64xi32, #rows>
    %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start, %all = %none, %p = %first) -> (tensor<16xi32, #rest>, tensor<16x64xi32, #rows>, tensor<16x64x!tt.ptr<i32>, #rows>) : i32 {
      %v = tt.load %p : tensor<16x64x!tt.ptr<i32>, #rows>
      %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
      ^bb0(%a: i32, %b: i32):
        %c = arith.addi %a, %b : i32
        tt.reduce.return %c : i32
      }) : (tensor<16x64xi32, #rows>) -> tensor<16xi32, #rest>
      %acc2 = arith.addi %acc, %s : tensor<16xi32, #rest>
      %all2 = arith.addi %all, %v : tensor<16x64xi32, #rows>
      %p2 = tt.addptr %p, %step : tensor<16x64x!tt.ptr<i32>, #rows>, tensor<16x64xi32, #rows>
      scf.yield %acc2, %all2, %p2 : tensor<16xi32, #rest>, tensor<16x64xi32, #rows>, tensor<16x64x!tt.ptr<i32>, #rows>
    }
    %w = "tt.reduce"(%r#1) <{axis = 1 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<16x64xi32, #rows>) -> tensor<16xi32, #rest>
    %w2 = arith.addi %start, %w : tensor<16xi32, #rest>
    %outs = tt.splat %out : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>, #rest>
    %out2 = tt.addptr %outs, %i : tensor<16x!tt.ptr<i32>, #rest>, tensor<16xi32, #rest>
    tt.store %out2, %r#0 : tensor<16x!tt.ptr<i32>, #rest>
    %wants = tt.splat %want : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>, #rest>
    %want2 = tt.addptr %wants, %i : tensor<16x!tt.ptr<i32>, #rest>, tensor<16xi32, #rest>
    tt.store %want2, %w2 : tensor<16x!tt.ptr<i32>, #rest>
    tt.return
  }

  tt.func public @most(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>, %want: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %start = arith.constant dense<0.5> : tensor<16xf32, #rest>
    %none = arith.constant dense<0xFF800000> : tensor<16x64xf32, #rows>
    %step = arith.constant dense<1024> : tensor<16x64xi32, #rows>
    %width = arith.constant dense<64> : tensor<16x1xi32, #rows>
    %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #rest>
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32, #rest> -> tensor<16x1xi32, #rows>
    %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
    %row = arith.muli %i2, %width : tensor<16x1xi32, #rows>
    %row2 = tt.broadcast %row : tensor<16x1xi32, #rows> -> tensor<16x64xi32, #rows>
    %j3 = tt.broadcast %j2 : tensor<1x64xi32, #rows> -> tensor<16x64xi32, #rows>
    %at = arith.addi %row2, %j3 : tensor<16x64xi32, #rows>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>, #rows>
    %first = tt.addptr %xs, %at : tensor<16x64x!tt.ptr<f32>, #rows>, tensor<16x64xi32, #rows>
    %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start, %all = %none, %p = %first) -> (tensor<16xf32, #rest>, tensor<16x64xf32, #rows>, tensor<16x64x!tt.ptr<f32>, #rows>) : i32 {
      %v = tt.load %p : tensor<16x64x!tt.ptr<f32>, #rows>
      %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.maximumf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<16x64xf32, #rows>) -> tensor<16xf32, #rest>
      %acc2 = arith.maximumf %acc, %s : tensor<16xf32, #rest>
      %all2 = arith.maximumf %all, %v : tensor<16x64xf32, #rows>
      %p2 = tt.addptr %p, %step : tensor<16x64x!tt.ptr<f32>, #rows>, tensor<16x64xi32, #rows>
      scf.yield %acc2, %all2, %p2 : tensor<16xf32, #rest>, tensor<16x64xf32, #rows>, tensor<16x64x!tt.ptr<f32>, #rows>
    }
    %w = "tt.reduce"(%r#1) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x64xf32, #rows>) -> tensor<16xf32, #rest>
    %w2 = arith.maximumf %start, %w : tensor<16xf32, #rest>
    %outs = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #rest>
    %out2 = tt.addptr %outs, %i : tensor<16x!tt.ptr<f32>, #rest>, tensor<16xi32, #rest>
    tt.store %out2, %r#0 : tensor<16x!tt.ptr<f32>, #rest>
    %wants = tt.splat %want : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #rest>
    %want2 = tt.addptr %wants, %i : tensor<16x!tt.ptr<f32>, #rest>, tensor<16xi32, #rest>
    tt.store %want2, %w2 : tensor<16x!tt.ptr<f32>, #rest>
    tt.return
  }
}
