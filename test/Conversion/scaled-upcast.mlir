// AMD's widening of 4-bit and 8-bit floats by scales: against a multiplication by the power of two.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir
// RUN: ll-sim %t.mlir --entry fp4 --arg out=zeros:f16:512 --arg want=full:1.0:f16:512 --expect-same out=want
// RUN: ll-sim %t.mlir --entry fp4_blocks --arg out=zeros:bf16:512 --arg want=full:1.0:bf16:512 --expect-same out=want
// RUN: ll-sim %t.mlir --entry fp8 --arg out=zeros:f16:512 --arg want=full:1.0:f16:512 --expect-same out=want

#s = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#d = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
// A scale for 32 elements: in all lanes that have them.
#blocks = #ttg.linear<{register = [], lane = [[0, 0], [0, 0], [0, 1], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // The number of a byte, in rows of 32.
  tt.func private @bytes() -> tensor<8x32xi8, #s> {
    %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #s}>>
    %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #s}>> -> tensor<8x1xi32, #s>
    %w = arith.constant dense<32> : tensor<8x1xi32, #s>
    %i3 = arith.muli %i2, %w : tensor<8x1xi32, #s>
    %i4 = tt.broadcast %i3 : tensor<8x1xi32, #s> -> tensor<8x32xi32, #s>
    %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #s}>>
    %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #s}>> -> tensor<1x32xi32, #s>
    %j3 = tt.broadcast %j2 : tensor<1x32xi32, #s> -> tensor<8x32xi32, #s>
    %n = arith.addi %i4, %j3 : tensor<8x32xi32, #s>
    %bytes = arith.trunci %n : tensor<8x32xi32, #s> to tensor<8x32xi8, #s>
    tt.return %bytes : tensor<8x32xi8, #s>
  }

  // The number of an element, in rows of 64.
  tt.func private @places() -> tensor<8x64xi32, #d> {
    %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #d}>>
    %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #d}>> -> tensor<8x1xi32, #d>
    %w = arith.constant dense<64> : tensor<8x1xi32, #d>
    %i3 = arith.muli %i2, %w : tensor<8x1xi32, #d>
    %i4 = tt.broadcast %i3 : tensor<8x1xi32, #d> -> tensor<8x64xi32, #d>
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #d}>>
    %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #d}>> -> tensor<1x64xi32, #d>
    %j3 = tt.broadcast %j2 : tensor<1x64xi32, #d> -> tensor<8x64xi32, #d>
    %n = arith.addi %i4, %j3 : tensor<8x64xi32, #d>
    tt.return %n : tensor<8x64xi32, #d>
  }

  // 2^(i / 128), and the exponent's byte.
  tt.func private @scales(%n: tensor<8x64xi32, #d>) -> (tensor<8x64xf32, #d>, tensor<8x64xi8, #d>) {
    %c7 = arith.constant dense<7> : tensor<8x64xi32, #d>
    %e = arith.shrui %n, %c7 : tensor<8x64xi32, #d>
    %one = arith.constant dense<1> : tensor<8x64xi32, #d>
    %p = arith.shli %one, %e : tensor<8x64xi32, #d>
    %f = arith.sitofp %p : tensor<8x64xi32, #d> to tensor<8x64xf32, #d>
    %bias = arith.constant dense<127> : tensor<8x64xi32, #d>
    %b = arith.addi %e, %bias : tensor<8x64xi32, #d>
    %byte = arith.trunci %b : tensor<8x64xi32, #d> to tensor<8x64xi8, #d>
    tt.return %f, %byte : tensor<8x64xf32, #d>, tensor<8x64xi8, #d>
  }

  tt.func private @store(%p: !tt.ptr<f16>, %n: tensor<8x64xi32, #d>, %x: tensor<8x64xf16, #d>) {
    %s = tt.splat %p : !tt.ptr<f16> -> tensor<8x64x!tt.ptr<f16>, #d>
    %at = tt.addptr %s, %n : tensor<8x64x!tt.ptr<f16>, #d>, tensor<8x64xi32, #d>
    tt.store %at, %x : tensor<8x64x!tt.ptr<f16>, #d>
    tt.return
  }

  // A scale for each element.
  tt.func public @fp4(%out: !tt.ptr<f16>, %want: !tt.ptr<f16>) {
    %bytes = tt.call @bytes() : () -> tensor<8x32xi8, #s>
    %n = tt.call @places() : () -> tensor<8x64xi32, #d>
    %power, %scale = tt.call @scales(%n) : (tensor<8x64xi32, #d>) -> (tensor<8x64xf32, #d>, tensor<8x64xi8, #d>)
    %x = amdg.scaled_upcast_fp4 %bytes scale %scale {axis = 1 : i32} : tensor<8x32xi8, #s>, tensor<8x64xi8, #d> -> tensor<8x64xf16, #d>
    tt.call @store(%out, %n, %x) : (!tt.ptr<f16>, tensor<8x64xi32, #d>, tensor<8x64xf16, #d>) -> ()
    %y = ttg.fp4_to_fp %bytes {axis = 1 : i32} : tensor<8x32xi8, #s> -> tensor<8x64xf16, #d>
    %h = arith.truncf %power : tensor<8x64xf32, #d> to tensor<8x64xf16, #d>
    %z = arith.mulf %y, %h : tensor<8x64xf16, #d>
    tt.call @store(%want, %n, %z) : (!tt.ptr<f16>, tensor<8x64xi32, #d>, tensor<8x64xf16, #d>) -> ()
    tt.return
  }

  // One for 32: 2^r, where r is the row.
  tt.func public @fp4_blocks(%out: !tt.ptr<bf16>, %want: !tt.ptr<bf16>) {
    %bytes = tt.call @bytes() : () -> tensor<8x32xi8, #s>
    %n = tt.call @places() : () -> tensor<8x64xi32, #d>
    %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #blocks}>>
    %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #blocks}>> -> tensor<8x1xi32, #blocks>
    %i3 = tt.broadcast %i2 : tensor<8x1xi32, #blocks> -> tensor<8x2xi32, #blocks>
    %bias = arith.constant dense<127> : tensor<8x2xi32, #blocks>
    %b = arith.addi %i3, %bias : tensor<8x2xi32, #blocks>
    %scale = arith.trunci %b : tensor<8x2xi32, #blocks> to tensor<8x2xi8, #blocks>
    %x = amdg.scaled_upcast_fp4 %bytes scale %scale {axis = 1 : i32} : tensor<8x32xi8, #s>, tensor<8x2xi8, #blocks> -> tensor<8x64xbf16, #d>
    %c6 = arith.constant dense<6> : tensor<8x64xi32, #d>
    %e = arith.shrui %n, %c6 : tensor<8x64xi32, #d>
    %one = arith.constant dense<1> : tensor<8x64xi32, #d>
    %p = arith.shli %one, %e : tensor<8x64xi32, #d>
    %f = arith.sitofp %p : tensor<8x64xi32, #d> to tensor<8x64xbf16, #d>
    %y = ttg.fp4_to_fp %bytes {axis = 1 : i32} : tensor<8x32xi8, #s> -> tensor<8x64xbf16, #d>
    %z = arith.mulf %y, %f : tensor<8x64xbf16, #d>
    %po = tt.splat %out : !tt.ptr<bf16> -> tensor<8x64x!tt.ptr<bf16>, #d>
    %qo = tt.addptr %po, %n : tensor<8x64x!tt.ptr<bf16>, #d>, tensor<8x64xi32, #d>
    tt.store %qo, %x : tensor<8x64x!tt.ptr<bf16>, #d>
    %pw = tt.splat %want : !tt.ptr<bf16> -> tensor<8x64x!tt.ptr<bf16>, #d>
    %qw = tt.addptr %pw, %n : tensor<8x64x!tt.ptr<bf16>, #d>, tensor<8x64xi32, #d>
    tt.store %qw, %z : tensor<8x64x!tt.ptr<bf16>, #d>
    tt.return
  }

  // Scales of bf16.
  tt.func public @fp8(%out: !tt.ptr<f16>, %want: !tt.ptr<f16>) {
    %n = tt.call @places() : () -> tensor<8x64xi32, #d>
    %power, %byte = tt.call @scales(%n) : (tensor<8x64xi32, #d>) -> (tensor<8x64xf32, #d>, tensor<8x64xi8, #d>)
    %scale = arith.truncf %power : tensor<8x64xf32, #d> to tensor<8x64xbf16, #d>
    %c63 = arith.constant dense<63> : tensor<8x64xi32, #d>
    %m = arith.andi %n, %c63 : tensor<8x64xi32, #d>
    %f = arith.sitofp %m : tensor<8x64xi32, #d> to tensor<8x64xf32, #d>
    %e = tt.fp_to_fp %f, rounding = rtne : tensor<8x64xf32, #d> -> tensor<8x64xf8E4M3FN, #d>
    %x = amdg.scaled_upcast_fp8 %e scale %scale : tensor<8x64xf8E4M3FN, #d>, tensor<8x64xbf16, #d> -> tensor<8x64xf16, #d>
    tt.call @store(%out, %n, %x) : (!tt.ptr<f16>, tensor<8x64xi32, #d>, tensor<8x64xf16, #d>) -> ()
    %y = tt.fp_to_fp %e : tensor<8x64xf8E4M3FN, #d> -> tensor<8x64xf16, #d>
    %h = arith.truncf %power : tensor<8x64xf32, #d> to tensor<8x64xf16, #d>
    %z = arith.mulf %y, %h : tensor<8x64xf16, #d>
    tt.call @store(%want, %n, %z) : (!tt.ptr<f16>, tensor<8x64xi32, #d>, tensor<8x64xf16, #d>) -> ()
    tt.return
  }
}
