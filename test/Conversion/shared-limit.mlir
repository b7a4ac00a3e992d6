// More shared memory than the GPU has is an error, or a warning for a launcher that decides itself.
// RUN: not ll-opt --convert-layouts-to-llvm %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: ll-opt --convert-layouts-to-llvm=shared-limit=warning %s 2>&1 | FileCheck %s --check-prefixes=WARNING,CHECK
// RUN: ll-opt --layout-pipeline=shared-limit=warning %s 2>&1 | FileCheck %s --check-prefixes=WARNING,CHECK
// RUN: not ll-opt --convert-layouts-to-llvm=shared-limit=warn %s 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: ll-translate '--lower=builtin.module(convert-layouts-to-llvm{shared-limit=warning})' --emit=ptx %s 2>&1 | FileCheck %s --check-prefix=WARNING

// ERROR: error: {{.*}}requires 262144 bytes of shared memory, but cuda:90 has 232448 per CTA
// WARNING: warning: {{.*}}requires 262144 bytes of shared memory, but cuda:90 has 232448 per CTA
// NAME: invalid option `shared-limit=warn`, expected error or warning
// CHECK: ttg.shared = 262144 : i32
// CHECK: llvm.func @f(
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    %0 = ttg.local_alloc : () -> !ttg.memdesc<65536xf32, #s, #smem, mutable>
    ttg.local_dealloc %0 : !ttg.memdesc<65536xf32, #s, #smem, mutable>
    tt.return
  }
}
