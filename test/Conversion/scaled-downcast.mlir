// AMD's conversions to 8-bit and 4-bit floats with scales: against a division by the power of two and, for 4 bits, a
// table of the numbers at which the result changes.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir
// RUN: ll-sim %t.mlir --entry fp8 --arg out=zeros:i8:512 --arg want=full:1:i8:512 --expect-same out=want
// RUN: ll-sim %t.mlir --entry fp4 --arg out=zeros:i8:256 --arg want=full:1:i8:256 --expect-same out=want
// RUN: ll-sim %t.mlir --entry fp4_rows --arg out=zeros:i8:256 --arg want=full:1:i8:256 --expect-same out=want

#d = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 64], warpsPerCTA = [1, 1], order = [0, 1]}>
#rows4 = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [1, 64], warpsPerCTA = [1, 1], order = [0, 1]}>
// A scale for 32 elements of a row: in all lanes that have them.
#blocks = #ttg.linear<{register = [], lane = [[0, 0], [0, 0], [0, 1], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
// A scale for 8 elements of a column.
#columns = #ttg.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
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

  // The number n of an element becomes (n - 256) / 32, which includes ties and numbers beyond 6.
  tt.func private @numbers(%n: tensor<8x64xi32, #d>) -> tensor<8x64xf32, #d> {
    %c256 = arith.constant dense<256> : tensor<8x64xi32, #d>
    %m = arith.subi %n, %c256 : tensor<8x64xi32, #d>
    %f = arith.sitofp %m : tensor<8x64xi32, #d> to tensor<8x64xf32, #d>
    %step = arith.constant dense<0.03125> : tensor<8x64xf32, #d>
    %x = arith.mulf %f, %step : tensor<8x64xf32, #d>
    tt.return %x : tensor<8x64xf32, #d>
  }

  // The bits of the nearest `f4E2M1FN`, by comparison with the numbers halfway between its neighbours.
  tt.func private @nearest(%x: tensor<8x64xf32, #d>) -> tensor<8x64xi32, #d> {
    %zero = arith.constant dense<0.0> : tensor<8x64xf32, #d>
    %negative = arith.cmpf olt, %x, %zero : tensor<8x64xf32, #d>
    %minus = arith.subf %zero, %x : tensor<8x64xf32, #d>
    %a = arith.select %negative, %minus, %x : tensor<8x64xi1, #d>, tensor<8x64xf32, #d>
    %t1 = arith.constant dense<0.25> : tensor<8x64xf32, #d>
    %t2 = arith.constant dense<0.75> : tensor<8x64xf32, #d>
    %t3 = arith.constant dense<1.25> : tensor<8x64xf32, #d>
    %t4 = arith.constant dense<1.75> : tensor<8x64xf32, #d>
    %t5 = arith.constant dense<2.5> : tensor<8x64xf32, #d>
    %t6 = arith.constant dense<3.5> : tensor<8x64xf32, #d>
    %t7 = arith.constant dense<5.0> : tensor<8x64xf32, #d>
    %b1 = arith.cmpf ogt, %a, %t1 : tensor<8x64xf32, #d>
    %b2 = arith.cmpf oge, %a, %t2 : tensor<8x64xf32, #d>
    %b3 = arith.cmpf ogt, %a, %t3 : tensor<8x64xf32, #d>
    %b4 = arith.cmpf oge, %a, %t4 : tensor<8x64xf32, #d>
    %b5 = arith.cmpf ogt, %a, %t5 : tensor<8x64xf32, #d>
    %b6 = arith.cmpf oge, %a, %t6 : tensor<8x64xf32, #d>
    %b7 = arith.cmpf ogt, %a, %t7 : tensor<8x64xf32, #d>
    %e1 = arith.extui %b1 : tensor<8x64xi1, #d> to tensor<8x64xi32, #d>
    %e2 = arith.extui %b2 : tensor<8x64xi1, #d> to tensor<8x64xi32, #d>
    %e3 = arith.extui %b3 : tensor<8x64xi1, #d> to tensor<8x64xi32, #d>
    %e4 = arith.extui %b4 : tensor<8x64xi1, #d> to tensor<8x64xi32, #d>
    %e5 = arith.extui %b5 : tensor<8x64xi1, #d> to tensor<8x64xi32, #d>
    %e6 = arith.extui %b6 : tensor<8x64xi1, #d> to tensor<8x64xi32, #d>
    %e7 = arith.extui %b7 : tensor<8x64xi1, #d> to tensor<8x64xi32, #d>
    %s1 = arith.addi %e1, %e2 : tensor<8x64xi32, #d>
    %s2 = arith.addi %s1, %e3 : tensor<8x64xi32, #d>
    %s3 = arith.addi %s2, %e4 : tensor<8x64xi32, #d>
    %s4 = arith.addi %s3, %e5 : tensor<8x64xi32, #d>
    %s5 = arith.addi %s4, %e6 : tensor<8x64xi32, #d>
    %s6 = arith.addi %s5, %e7 : tensor<8x64xi32, #d>
    %c8 = arith.constant dense<8> : tensor<8x64xi32, #d>
    %c0 = arith.constant dense<0> : tensor<8x64xi32, #d>
    %sign = arith.select %negative, %c8, %c0 : tensor<8x64xi1, #d>, tensor<8x64xi32, #d>
    %code = arith.ori %s6, %sign : tensor<8x64xi32, #d>
    tt.return %code : tensor<8x64xi32, #d>
  }

  // A scale for each element: the byte of 2^(i / 128).
  tt.func public @fp8(%out: !tt.ptr<i8>, %want: !tt.ptr<i8>) {
    %n = tt.call @places() : () -> tensor<8x64xi32, #d>
    %x = tt.call @numbers(%n) : (tensor<8x64xi32, #d>) -> tensor<8x64xf32, #d>
    %c6 = arith.constant dense<6> : tensor<8x64xi32, #d>
    %e = arith.shrui %n, %c6 : tensor<8x64xi32, #d>
    %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #blocks}>>
    %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #blocks}>> -> tensor<8x1xi32, #blocks>
    %i3 = tt.broadcast %i2 : tensor<8x1xi32, #blocks> -> tensor<8x2xi32, #blocks>
    %bias = arith.constant dense<123> : tensor<8x2xi32, #blocks>
    %b = arith.addi %i3, %bias : tensor<8x2xi32, #blocks>
    %scale = arith.trunci %b : tensor<8x2xi32, #blocks> to tensor<8x2xi8, #blocks>
    %y = amdg.scaled_downcast_fp8 %x scale %scale {axis = 1 : i32} : tensor<8x64xf32, #d>, tensor<8x2xi8, #blocks> -> tensor<8x64xf8E4M3FN, #d>
    // The row r has the scale 2^(r - 4).
    %one = arith.constant dense<1> : tensor<8x64xi32, #d>
    %p = arith.shli %one, %e : tensor<8x64xi32, #d>
    %f = arith.sitofp %p : tensor<8x64xi32, #d> to tensor<8x64xf32, #d>
    %sixteen = arith.constant dense<16.0> : tensor<8x64xf32, #d>
    %x16 = arith.mulf %x, %sixteen : tensor<8x64xf32, #d>
    %q = arith.divf %x16, %f : tensor<8x64xf32, #d>
    %z = tt.fp_to_fp %q, rounding = rtne : tensor<8x64xf32, #d> -> tensor<8x64xf8E4M3FN, #d>
    %yb = tt.bitcast %y : tensor<8x64xf8E4M3FN, #d> -> tensor<8x64xi8, #d>
    %zb = tt.bitcast %z : tensor<8x64xf8E4M3FN, #d> -> tensor<8x64xi8, #d>
    %po = tt.splat %out : !tt.ptr<i8> -> tensor<8x64x!tt.ptr<i8>, #d>
    %qo = tt.addptr %po, %n : tensor<8x64x!tt.ptr<i8>, #d>, tensor<8x64xi32, #d>
    tt.store %qo, %yb : tensor<8x64x!tt.ptr<i8>, #d>
    %pw = tt.splat %want : !tt.ptr<i8> -> tensor<8x64x!tt.ptr<i8>, #d>
    %qw = tt.addptr %pw, %n : tensor<8x64x!tt.ptr<i8>, #d>, tensor<8x64xi32, #d>
    tt.store %qw, %zb : tensor<8x64x!tt.ptr<i8>, #d>
    tt.return
  }

  // The bytes of the nearest numbers, two along a row.
  tt.func private @pack(%code: tensor<8x64xi32, #d>, %out: !tt.ptr<i8>) {
    %r = tt.reshape %code : tensor<8x64xi32, #d> -> tensor<8x32x2xi32, #ttg.blocked<{sizePerThread = [1, 4, 2], threadsPerWarp = [8, 8, 1], warpsPerCTA = [1, 1, 1], order = [2, 1, 0]}>>
    %low, %high = tt.split %r : tensor<8x32x2xi32, #ttg.blocked<{sizePerThread = [1, 4, 2], threadsPerWarp = [8, 8, 1], warpsPerCTA = [1, 1, 1], order = [2, 1, 0]}>> -> tensor<8x32xi32, #s>
    %c16 = arith.constant dense<16> : tensor<8x32xi32, #s>
    %h = arith.muli %high, %c16 : tensor<8x32xi32, #s>
    %b = arith.addi %low, %h : tensor<8x32xi32, #s>
    %bytes = arith.trunci %b : tensor<8x32xi32, #s> to tensor<8x32xi8, #s>
    tt.call @store(%out, %bytes) : (!tt.ptr<i8>, tensor<8x32xi8, #s>) -> ()
    tt.return
  }

  tt.func private @store(%p: !tt.ptr<i8>, %x: tensor<8x32xi8, #s>) {
    %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #s}>>
    %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #s}>> -> tensor<8x1xi32, #s>
    %w = arith.constant dense<32> : tensor<8x1xi32, #s>
    %i3 = arith.muli %i2, %w : tensor<8x1xi32, #s>
    %i4 = tt.broadcast %i3 : tensor<8x1xi32, #s> -> tensor<8x32xi32, #s>
    %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #s}>>
    %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #s}>> -> tensor<1x32xi32, #s>
    %j3 = tt.broadcast %j2 : tensor<1x32xi32, #s> -> tensor<8x32xi32, #s>
    %n = arith.addi %i4, %j3 : tensor<8x32xi32, #s>
    %s = tt.splat %p : !tt.ptr<i8> -> tensor<8x32x!tt.ptr<i8>, #s>
    %at = tt.addptr %s, %n : tensor<8x32x!tt.ptr<i8>, #s>, tensor<8x32xi32, #s>
    tt.store %at, %x : tensor<8x32x!tt.ptr<i8>, #s>
    tt.return
  }

  // A scale for 32 elements: 2^r, where r is the row.
  tt.func public @fp4(%out: !tt.ptr<i8>, %want: !tt.ptr<i8>) {
    %n = tt.call @places() : () -> tensor<8x64xi32, #d>
    %x = tt.call @numbers(%n) : (tensor<8x64xi32, #d>) -> tensor<8x64xf32, #d>
    %c6 = arith.constant dense<6> : tensor<8x64xi32, #d>
    %e = arith.shrui %n, %c6 : tensor<8x64xi32, #d>
    %one = arith.constant dense<1> : tensor<8x64xi32, #d>
    %p = arith.shli %one, %e : tensor<8x64xi32, #d>
    %f = arith.sitofp %p : tensor<8x64xi32, #d> to tensor<8x64xf32, #d>
    %scaled = arith.mulf %x, %f : tensor<8x64xf32, #d>
    %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #blocks}>>
    %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #blocks}>> -> tensor<8x1xi32, #blocks>
    %i3 = tt.broadcast %i2 : tensor<8x1xi32, #blocks> -> tensor<8x2xi32, #blocks>
    %bias = arith.constant dense<127> : tensor<8x2xi32, #blocks>
    %b = arith.addi %i3, %bias : tensor<8x2xi32, #blocks>
    %scale = arith.trunci %b : tensor<8x2xi32, #blocks> to tensor<8x2xi8, #blocks>
    %y = amdg.scaled_downcast_fp4 %scaled scale %scale {axis = 1 : i32} : tensor<8x64xf32, #d>, tensor<8x2xi8, #blocks> -> tensor<8x32xi8, #s>
    tt.call @store(%out, %y) : (!tt.ptr<i8>, tensor<8x32xi8, #s>) -> ()
    %code = tt.call @nearest(%x) : (tensor<8x64xf32, #d>) -> tensor<8x64xi32, #d>
    tt.call @pack(%code, %want) : (tensor<8x64xi32, #d>, !tt.ptr<i8>) -> ()
    tt.return
  }

  // Pairs along the first dimension, from bf16: the columns have scales 1.
  tt.func public @fp4_rows(%out: !tt.ptr<i8>, %want: !tt.ptr<i8>) {
    %n = tt.call @places() : () -> tensor<8x64xi32, #d>
    %x = tt.call @numbers(%n) : (tensor<8x64xi32, #d>) -> tensor<8x64xf32, #d>
    %h = arith.truncf %x : tensor<8x64xf32, #d> to tensor<8x64xbf16, #d>
    %t = ttg.convert_layout %h : tensor<8x64xbf16, #d> -> tensor<8x64xbf16, #rows>
    %scale = arith.constant dense<127> : tensor<1x64xi8, #columns>
    %y = amdg.scaled_downcast_fp4 %t scale %scale {axis = 0 : i32} : tensor<8x64xbf16, #rows>, tensor<1x64xi8, #columns> -> tensor<4x64xi8, #rows4>
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows4}>>
    %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows4}>> -> tensor<1x64xi32, #rows4>
    %j3 = tt.broadcast %j2 : tensor<1x64xi32, #rows4> -> tensor<4x64xi32, #rows4>
    %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, #ttg.slice<{dim = 1, parent = #rows4}>>
    %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<4xi32, #ttg.slice<{dim = 1, parent = #rows4}>> -> tensor<4x1xi32, #rows4>
    %w = arith.constant dense<64> : tensor<4x1xi32, #rows4>
    %i3 = arith.muli %i2, %w : tensor<4x1xi32, #rows4>
    %i4 = tt.broadcast %i3 : tensor<4x1xi32, #rows4> -> tensor<4x64xi32, #rows4>
    %at = arith.addi %i4, %j3 : tensor<4x64xi32, #rows4>
    %po = tt.splat %out : !tt.ptr<i8> -> tensor<4x64x!tt.ptr<i8>, #rows4>
    %qo = tt.addptr %po, %at : tensor<4x64x!tt.ptr<i8>, #rows4>, tensor<4x64xi32, #rows4>
    tt.store %qo, %y : tensor<4x64x!tt.ptr<i8>, #rows4>
    // The expected bytes, by the comparisons.
    %wide = arith.extf %h : tensor<8x64xbf16, #d> to tensor<8x64xf32, #d>
    %code = tt.call @nearest(%wide) : (tensor<8x64xf32, #d>) -> tensor<8x64xi32, #d>
    %back = ttg.convert_layout %code : tensor<8x64xi32, #d> -> tensor<8x64xi32, #rows>
    %r = tt.reshape %back : tensor<8x64xi32, #rows> -> tensor<4x2x64xi32, #ttg.blocked<{sizePerThread = [4, 2, 1], threadsPerWarp = [1, 1, 64], warpsPerCTA = [1, 1, 1], order = [1, 0, 2]}>>
    %tr = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<4x2x64xi32, #ttg.blocked<{sizePerThread = [4, 2, 1], threadsPerWarp = [1, 1, 64], warpsPerCTA = [1, 1, 1], order = [1, 0, 2]}>> -> tensor<4x64x2xi32, #ttg.blocked<{sizePerThread = [4, 1, 2], threadsPerWarp = [1, 64, 1], warpsPerCTA = [1, 1, 1], order = [2, 0, 1]}>>
    %low, %high = tt.split %tr : tensor<4x64x2xi32, #ttg.blocked<{sizePerThread = [4, 1, 2], threadsPerWarp = [1, 64, 1], warpsPerCTA = [1, 1, 1], order = [2, 0, 1]}>> -> tensor<4x64xi32, #rows4>
    %c16 = arith.constant dense<16> : tensor<4x64xi32, #rows4>
    %hi = arith.muli %high, %c16 : tensor<4x64xi32, #rows4>
    %both = arith.addi %low, %hi : tensor<4x64xi32, #rows4>
    %bytes = arith.trunci %both : tensor<4x64xi32, #rows4> to tensor<4x64xi8, #rows4>
    %pw = tt.splat %want : !tt.ptr<i8> -> tensor<4x64x!tt.ptr<i8>, #rows4>
    %qw = tt.addptr %pw, %at : tensor<4x64x!tt.ptr<i8>, #rows4>, tensor<4x64xi32, #rows4>
    tt.store %qw, %bytes : tensor<4x64x!tt.ptr<i8>, #rows4>
    tt.return
  }
}
