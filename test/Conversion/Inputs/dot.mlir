// A product of 32 x K and K x 32, and the same by multiplication and reduction of a 32 x 32 x K tensor: `out` and `want`.
// The words in capitals are replaced by dot.test.
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, LANES], warpsPerCTA = [4, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [4, LANES, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#d = #ttg.slice<{dim = 2, parent = #c}>
#mma = ENCODING
#l = #ttg.dot_op<{opIdx = 0, parent = #mma KWIDTH}>
#r = #ttg.dot_op<{opIdx = 1, parent = #mma KWIDTH}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "TARGET", "ttg.threads-per-warp" = WARP : i32} {
  tt.func public @dot(%out: !tt.ptr<f32>, %want: !tt.ptr<f32>) {
    // Left: ((5 m + 3 k) % 8 - 4) LEFT, right: ((7 k + 3 n) % 8 - 3) RIGHT.
    %m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<32x1xi32, #b>
    %k = tt.make_range {end = KSIZE : i32, start = 0 : i32} : tensor<KSIZExi32, #ttg.slice<{dim = 0, parent = #b}>>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<KSIZExi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1xKSIZExi32, #b>
    %lm = tt.broadcast %m2 : tensor<32x1xi32, #b> -> tensor<32xKSIZExi32, #b>
    %lk = tt.broadcast %k2 : tensor<1xKSIZExi32, #b> -> tensor<32xKSIZExi32, #b>
    %l5 = arith.constant dense<5> : tensor<32xKSIZExi32, #b>
    %l3 = arith.constant dense<3> : tensor<32xKSIZExi32, #b>
    %l7 = arith.constant dense<7> : tensor<32xKSIZExi32, #b>
    %l4 = arith.constant dense<4> : tensor<32xKSIZExi32, #b>
    %l0 = arith.muli %lm, %l5 : tensor<32xKSIZExi32, #b>
    %l1 = arith.muli %lk, %l3 : tensor<32xKSIZExi32, #b>
    %l2 = arith.addi %l0, %l1 : tensor<32xKSIZExi32, #b>
    %l6 = arith.andi %l2, %l7 : tensor<32xKSIZExi32, #b>
    %l8 = arith.subi %l6, %l4 : tensor<32xKSIZExi32, #b>
    %lf = arith.constant dense<LEFT> : tensor<32xKSIZExi32, #b>
    %l10 = arith.muli %l8, %lf : tensor<32xKSIZExi32, #b>
    %l9 = arith.sitofp %l10 : tensor<32xKSIZExi32, #b> to tensor<32xKSIZExf32, #b>
    %left = CAST %l9 ROUND : tensor<32xKSIZExf32, #b> TO tensor<32xKSIZExELEMENT, #b>
    %a = ttg.convert_layout %left : tensor<32xKSIZExELEMENT, #b> -> tensor<32xKSIZExELEMENT, #l>

    %n = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %n2 = tt.expand_dims %n {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x32xi32, #b>
    %j = tt.make_range {end = KSIZE : i32, start = 0 : i32} : tensor<KSIZExi32, #ttg.slice<{dim = 1, parent = #b}>>
    %j2 = tt.expand_dims %j {axis = 1 : i32} : tensor<KSIZExi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<KSIZEx1xi32, #b>
    %rn = tt.broadcast %n2 : tensor<1x32xi32, #b> -> tensor<KSIZEx32xi32, #b>
    %rk = tt.broadcast %j2 : tensor<KSIZEx1xi32, #b> -> tensor<KSIZEx32xi32, #b>
    %r3 = arith.constant dense<3> : tensor<KSIZEx32xi32, #b>
    %r7 = arith.constant dense<7> : tensor<KSIZEx32xi32, #b>
    %r0 = arith.muli %rk, %r7 : tensor<KSIZEx32xi32, #b>
    %r1 = arith.muli %rn, %r3 : tensor<KSIZEx32xi32, #b>
    %r2 = arith.addi %r0, %r1 : tensor<KSIZEx32xi32, #b>
    %r6 = arith.andi %r2, %r7 : tensor<KSIZEx32xi32, #b>
    %r8 = arith.subi %r6, %r3 : tensor<KSIZEx32xi32, #b>
    %rf = arith.constant dense<RIGHT> : tensor<KSIZEx32xi32, #b>
    %r10 = arith.muli %r8, %rf : tensor<KSIZEx32xi32, #b>
    %r9 = arith.sitofp %r10 : tensor<KSIZEx32xi32, #b> to tensor<KSIZEx32xf32, #b>
    %right = CAST %r9 ROUND : tensor<KSIZEx32xf32, #b> TO tensor<KSIZEx32xELEMENT, #b>
    %b = ttg.convert_layout %right : tensor<KSIZEx32xELEMENT, #b> -> tensor<KSIZEx32xELEMENT, #r>

    // The sum begins with one.
    %one = arith.constant dense<ONE> : tensor<32x32xSUM, #mma>
    %dot = tt.dot %a, %b, %one, inputPrecision = PRECISION : tensor<32xKSIZExELEMENT, #l> * tensor<KSIZEx32xELEMENT, #r> -> tensor<32x32xSUM, #mma>
    %float = OUTCAST %dot : tensor<32x32xSUM, #mma> to tensor<32x32xf32, #mma>
    %result = ttg.convert_layout %float : tensor<32x32xf32, #mma> -> tensor<32x32xf32, #b>

    %tm = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #d}>>
    %tm2 = tt.expand_dims %tm {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #d}>> -> tensor<32x1xi32, #d>
    %tm3 = tt.expand_dims %tm2 {axis = 2 : i32} : tensor<32x1xi32, #d> -> tensor<32x1x1xi32, #c>
    %tm4 = tt.broadcast %tm3 : tensor<32x1x1xi32, #c> -> tensor<32x32xKSIZExi32, #c>
    %tn = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #d}>>
    %tn2 = tt.expand_dims %tn {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #d}>> -> tensor<1x32xi32, #d>
    %tn3 = tt.expand_dims %tn2 {axis = 2 : i32} : tensor<1x32xi32, #d> -> tensor<1x32x1xi32, #c>
    %tn4 = tt.broadcast %tn3 : tensor<1x32x1xi32, #c> -> tensor<32x32xKSIZExi32, #c>
    %tk = tt.make_range {end = KSIZE : i32, start = 0 : i32} : tensor<KSIZExi32, #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #c}>}>>
    %tk2 = tt.expand_dims %tk {axis = 0 : i32} : tensor<KSIZExi32, #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #c}>}>> -> tensor<1xKSIZExi32, #ttg.slice<{dim = 0, parent = #c}>>
    %tk3 = tt.expand_dims %tk2 {axis = 0 : i32} : tensor<1xKSIZExi32, #ttg.slice<{dim = 0, parent = #c}>> -> tensor<1x1xKSIZExi32, #c>
    %tk4 = tt.broadcast %tk3 : tensor<1x1xKSIZExi32, #c> -> tensor<32x32xKSIZExi32, #c>
    %t3 = arith.constant dense<3> : tensor<32x32xKSIZExi32, #c>
    %t4 = arith.constant dense<4> : tensor<32x32xKSIZExi32, #c>
    %t5 = arith.constant dense<5> : tensor<32x32xKSIZExi32, #c>
    %t7 = arith.constant dense<7> : tensor<32x32xKSIZExi32, #c>
    %u0 = arith.muli %tm4, %t5 : tensor<32x32xKSIZExi32, #c>
    %u1 = arith.muli %tk4, %t3 : tensor<32x32xKSIZExi32, #c>
    %u2 = arith.addi %u0, %u1 : tensor<32x32xKSIZExi32, #c>
    %u3 = arith.andi %u2, %t7 : tensor<32x32xKSIZExi32, #c>
    %u4 = arith.subi %u3, %t4 : tensor<32x32xKSIZExi32, #c>
    %v0 = arith.muli %tk4, %t7 : tensor<32x32xKSIZExi32, #c>
    %v1 = arith.muli %tn4, %t3 : tensor<32x32xKSIZExi32, #c>
    %v2 = arith.addi %v0, %v1 : tensor<32x32xKSIZExi32, #c>
    %v3 = arith.andi %v2, %t7 : tensor<32x32xKSIZExi32, #c>
    %v4 = arith.subi %v3, %t3 : tensor<32x32xKSIZExi32, #c>
    %uf = arith.constant dense<LEFT> : tensor<32x32xKSIZExi32, #c>
    %u5 = arith.muli %u4, %uf : tensor<32x32xKSIZExi32, #c>
    %vf = arith.constant dense<RIGHT> : tensor<32x32xKSIZExi32, #c>
    %v5 = arith.muli %v4, %vf : tensor<32x32xKSIZExi32, #c>
    %p = arith.muli %u5, %v5 : tensor<32x32xKSIZExi32, #c>
    %s = "tt.reduce"(%p) <{axis = 2 : i32}> ({
    ^bb0(%x: i32, %y: i32):
      %z = arith.addi %x, %y : i32
      tt.reduce.return %z : i32
    }) : (tensor<32x32xKSIZExi32, #c>) -> tensor<32x32xi32, #d>
    %s1 = arith.constant dense<1> : tensor<32x32xi32, #d>
    %s2 = arith.addi %s, %s1 : tensor<32x32xi32, #d>
    %s3 = arith.sitofp %s2 : tensor<32x32xi32, #d> to tensor<32x32xf32, #d>
    %expected = ttg.convert_layout %s3 : tensor<32x32xf32, #d> -> tensor<32x32xf32, #b>

    %o32 = arith.constant dense<32> : tensor<32x1xi32, #b>
    %om = arith.muli %m2, %o32 : tensor<32x1xi32, #b>
    %om2 = tt.broadcast %om : tensor<32x1xi32, #b> -> tensor<32x32xi32, #b>
    %on2 = tt.broadcast %n2 : tensor<1x32xi32, #b> -> tensor<32x32xi32, #b>
    %at = arith.addi %om2, %on2 : tensor<32x32xi32, #b>
    %po = tt.splat %out : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #b>
    %po2 = tt.addptr %po, %at : tensor<32x32x!tt.ptr<f32>, #b>, tensor<32x32xi32, #b>
    tt.store %po2, %result : tensor<32x32x!tt.ptr<f32>, #b>
    %pw = tt.splat %want : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #b>
    %pw2 = tt.addptr %pw, %at : tensor<32x32x!tt.ptr<f32>, #b>, tensor<32x32xi32, #b>
    tt.store %pw2, %expected : tensor<32x32x!tt.ptr<f32>, #b>
    tt.return
  }
}
