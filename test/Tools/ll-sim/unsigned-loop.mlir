// From 0 to 0xC0000000 in steps of 0x40000000 are three rounds, as an unsigned loop counts.
// RUN: printf '\003\000\000\000' > %t.three
// RUN: ll-sim %s -q --arg out=zeros:i32:1 --expect out=%t.three

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%out: !tt.ptr<i32>) {
    %lo = arith.constant 0 : i32
    %hi = arith.constant -1073741824 : i32
    %st = arith.constant 1073741824 : i32
    %one = arith.constant 1 : i32
    %x = scf.for unsigned %i = %lo to %hi step %st iter_args(%a = %lo) -> (i32) : i32 {
      %n = arith.addi %a, %one : i32
      scf.yield %n : i32
    }
    tt.store %out, %x : !tt.ptr<i32>
    tt.return
  }
}
