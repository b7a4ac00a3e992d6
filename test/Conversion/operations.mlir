// Operations that become one or a few of LLVM's, for both vendors.
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --check-prefixes=CHECK,NVVM
// RUN: ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{target=hip:gfx1100})' %s | FileCheck %s --check-prefixes=CHECK,ROCDL

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @assumption
  tt.func public @assumption(%o: !tt.ptr<i32>, %n: i32) {
    // CHECK: %[[COND:.+]] = llvm.icmp "sge" %{{.+}}, %{{.+}} : i32
    // CHECK: llvm.intr.assume %[[COND]] : i1
    %zero = arith.constant 0 : i32
    %t = arith.cmpi sge, %n, %zero : i32
    llvm.intr.assume %t : i1
    // CHECK: %[[ANY:.+]] = llvm.mlir.poison : i32
    // CHECK: llvm.select %[[COND]], %{{.+}}, %[[ANY]]
    %p = ub.poison : i32
    %v = arith.select %t, %n, %p : i32
    tt.store %o, %v : !tt.ptr<i32>
    tt.return
  }

  // CHECK-LABEL: llvm.func @products
  tt.func public @products(%o: !tt.ptr<i64>, %a: i64, %b: i64, %c: i32) {
    // NVVM: llvm.call_intrinsic "llvm.nvvm.mulhi.ll"
    // NVVM: llvm.mul %{{.+}}, %{{.+}} : i64
    // ROCDL-COUNT-4: llvm.mul %{{.+}}, %{{.+}} : i64
    %low, %high = arith.mulsi_extended %a, %b : i64
    // CHECK: llvm.sext %{{.+}} : i32 to i64
    // CHECK: llvm.mul
    // CHECK: llvm.lshr
    // CHECK: llvm.trunc %{{.+}} : i64 to i32
    %low32, %high32 = arith.mulsi_extended %c, %c : i32
    %wide = arith.extsi %high32 : i32 to i64
    %x = arith.addi %low, %high : i64
    %y = arith.addi %x, %wide : i64
    tt.store %o, %y : !tt.ptr<i64>
    tt.return
  }

  // CHECK-LABEL: llvm.func @upper_half
  tt.func public @upper_half(%o: !tt.ptr<i32>, %a: i32) {
    // CHECK: llvm.zext %{{.+}} : i32 to i64
    // CHECK: llvm.mul
    // CHECK: llvm.lshr
    // CHECK: llvm.trunc %{{.+}} : i64 to i32
    %high = tt.mulhiui %a, %a : i32
    tt.store %o, %high : !tt.ptr<i32>
    tt.return
  }

  // CHECK-LABEL: llvm.func @choice
  tt.func public @choice(%o: !tt.ptr<i32>, %n: i32, %a: i32, %b: i32) {
    %i = arith.index_cast %n : i32 to index
    // CHECK: llvm.switch %{{.+}} : i64
    // CHECK: 2: ^
    // CHECK: 5: ^
    %r = scf.index_switch %i -> i32
    case 2 { scf.yield %a : i32 }
    case 5 { scf.yield %b : i32 }
    default {
      %s = arith.addi %a, %b : i32
      scf.yield %s : i32
    }
    // Without cases there is nothing to choose.
    // CHECK-NOT: llvm.switch
    // NVVM: llvm.inline_asm {{.*}}st.global
    // NVVM: llvm.inline_asm {{.*}}st.global
    scf.index_switch %i
    default {
      tt.store %o, %a : !tt.ptr<i32>
      scf.yield
    }
    tt.store %o, %r : !tt.ptr<i32>
    tt.return
  }

  // CHECK-LABEL: llvm.func @casts
  tt.func public @casts(%p: !tt.ptr<f32>, %h: f16, %d: f64) {
    // CHECK: llvm.ptrtoint %{{.+}} : !llvm.ptr<1> to i64
    // CHECK: llvm.inttoptr %{{.+}} : i64 to !llvm.ptr<1>
    %i = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
    %four = arith.constant 4 : i64
    %j = arith.addi %i, %four : i64
    %q = tt.int_to_ptr %j : i64 -> !tt.ptr<i32>
    // CHECK: %[[WIDE:.+]] = llvm.fpext %{{.+}} : f16 to f32
    // CHECK: llvm.bitcast %[[WIDE]] : f32 to i32
    %f = tt.fp_to_fp %h : f16 -> f32
    %bits = tt.bitcast %f : f32 -> i32
    tt.store %q, %bits : !tt.ptr<i32>
    // Between formats of 16 bits: through binary32, rounded once.
    // CHECK: llvm.fptrunc %[[WIDE]] : f32 to bf16
    %b = tt.fp_to_fp %h, rounding = rtne : f16 -> bf16
    %bq = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<bf16>
    tt.store %bq, %b : !tt.ptr<bf16>
    // Towards zero: by an instruction, or one step back where the nearest is greater.
    // NVVM: llvm.inline_asm "cvt.rz.f32.f64 $0, $1;", "=f,d" %{{.+}} : (f64) -> f32
    // ROCDL: llvm.fptrunc %{{.+}} : f64 to f32
    // ROCDL: llvm.fcmp "ogt"
    // ROCDL: llvm.sub %{{.+}}, %{{.+}} : i32
    %t = tt.fp_to_fp %d, rounding = rtz : f64 -> f32
    tt.store %p, %t : !tt.ptr<f32>
    tt.return
  }

  // The bits of floats that LLVM does not have are integers.
  // CHECK-LABEL: llvm.func @eight_bits
  // CHECK-SAME: i8
  // CHECK-NOT: f8E5M2
  tt.func public @eight_bits(%x: !tt.ptr<f8E5M2>, %s: f8E5M2, %c: i1) {
    // CHECK: llvm.mlir.constant(62 : i8) : i8
    %one = arith.constant 1.5 : f8E5M2
    %v = tt.load %x : !tt.ptr<f8E5M2>
    %a = arith.select %c, %one, %v : f8E5M2
    %b = arith.select %c, %s, %a : f8E5M2
    tt.store %x, %b : !tt.ptr<f8E5M2>
    tt.return
  }
}
