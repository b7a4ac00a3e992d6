// RUN: triton-opt %s --convert-triton-amdgpu-to-llvm=gfx-arch=gfx942
// RUN: triton-opt %s --convert-triton-amdgpu-to-llvm="gfx-arch=gfx1250"
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @waves(%p: !tt.ptr<i32>) {
    tt.return
  }
}
