// Passes: names, options, and help with an example that test/rust/reference.rs runs. The Rust file of the same name in
// this folder implements each.
#ifndef LL_PASSES
#define LL_PASSES

include "mlir/Pass/PassBase.td"

// Options and dialects of several passes.
defvar LL_Target = Option<"target", "target", "std::string", "\"\"",
    "GPU to lower for, such as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">;
defvar LL_Abi = Option<"abi", "abi", "std::string", "\"plain\"",
    "Kernel ABI: `plain`, the declared arguments; `triton`, the arguments of Triton's launcher, with two more "
    "pointers to scratch memory">;
defvar LL_Shared = Option<"shared", "shared", "std::string", "\"least\"",
    "Use of shared memory: `least`, never more than Triton would allocate; `fast`, trade shared memory for fewer "
    "barriers while occupancy stays the same">;
defvar LL_Bounds = Option<"bounds", "bounds", "bool", "false",
    "Annotate shared-memory allocations and index bounds for the checks of `ll-sim`">;
defvar LL_CallLibraries = Option<"callLibraries", "call-libraries", "bool", "false",
    "Call the functions named by `tt.extern_elementwise`, and the vendor's library for f32 functions, as Triton's "
    "lowering does (default: known functions are expanded in place)">;
defvar LL_LaneReductions = Option<"laneReductions", "lane-reductions", "std::string", "\"cheapest\"",
    "Reductions across lanes: `cheapest`; or `butterfly`, in which lanes never exchange halves of their rows, a candidate "
    "for kernels that spill registers">;
defvar LL_SharedLimit = Option<"sharedLimit", "shared-limit", "std::string", "\"error\"",
    "Severity if a function needs more shared memory than the GPU has: `error`; or `warning`, which leaves the check to "
    "the launcher, as Triton does">;
defvar LL_Memory = Option<"memory", "memory", "std::string", "\"pinned\"",
           "Layouts of loads and stores of whole tensors: `pinned`, or `free` to change at their own cost">;
defvar LL_LoweredDialects = [
  "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::ROCDL::ROCDLDialect",
  "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
  "::mlir::cf::ControlFlowDialect"];

def ConvertEncodingsToLinear : Pass<"convert-encodings-to-linear", "::mlir::ModuleOp"> {
  let summary = "Replace encodings of tensors and buffers by `#ttg.linear` and its shared-memory counterpart";
  let description = [{
    Two encodings of one layout become one attribute, which simplifies reading and comparing files. No data moves: all
    layouts stay the same. Encodings whose kind an operation requires are kept: `#ttg.nvidia_mma` and its `#ttg.dot_op`
    for products, `#ttg.nvmma_shared` for hardware that reads it. `keep` excludes more families; `only` restricts the pass
    to some. Padded and partitioned buffers have no list of bases. `recognize-encodings` is the inverse.

    Before:
    ```mlir
    #rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%x: tensor<16x16xf32, #rows>, %i: tensor<16xi32, #ttg.slice<{dim = 0, parent = #rows}>>) {
        tt.return
      }
    }
    ```
    After:
    ```mlir
    #linear = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%arg0: tensor<16x16xf32, #linear>, %arg1: tensor<16xi32, #ttg.slice<{dim = 0, parent = #linear}>>) {
        tt.return
      }
    }
    ```
  }];
  let options = [
    ListOption<"keep", "keep", "std::string",
               "Families of encodings to keep, such as `blocked,amd_mfma`">,
    ListOption<"only", "only", "std::string",
               "Families of encodings to replace, such as `blocked,swizzled_shared` (default: all)">
  ];
}

def RecognizeEncodings : Pass<"recognize-encodings", "::mlir::ModuleOp"> {
  let summary = "Replace lists of bases by structured encodings of the same layout";
  let description = [{
    The inverse of `convert-encodings-to-linear`: bases are replaced by an encoding with the same layout on every shape
    that they are used with. Candidates are the encodings of the module; then blocked encodings, results and operands of
    matrix instructions and slices of these; for buffers swizzled, NVIDIA's or rotating ones. Other bases are kept.
    Parameters that the layout does not determine get defaults: the first matching instruction of a family, and the
    smallest tile beyond the tensor.

    Before:
    ```mlir
    #bases = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%x: tensor<16x16xf32, #bases>, %i: tensor<16xi32, #ttg.slice<{dim = 0, parent = #bases}>>) {
        tt.return
      }
    }
    ```
    After:
    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%arg0: tensor<16x16xf32, #blocked>, %arg1: tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>>) {
        tt.return
      }
    }
    ```
  }];
  let options = [
    ListOption<"keep", "keep", "std::string",
               "Families of encodings to exclude, such as `amd_wmma`">,
    ListOption<"only", "only", "std::string",
               "Families of encodings to recognise, such as `blocked,slice` (default: all)">
  ];
}

def FoldLayoutConversions : Pass<"fold-layout-conversions", "::mlir::ModuleOp"> {
  let summary = "Remove redundant conversions, and choose layouts of views and memory accesses";
  let description = [{
    A `ttg.convert_layout` between equal layouts moves no data, whatever the encodings are, and is removed. Chains of
    conversions are folded, common conversions are eliminated, and unused loop-carried values are not converted.

    For the other conversions, the layouts of views and of accesses to memory are chosen as by
    `remove-layout-conversions`, by the same prices, with the layouts of all other operations as they are. Constants,
    ranges, splats, addresses and masks are rematerialised in the required layout; a conversion of a view is hoisted above
    the view; a load uses the converted layout, and a store that of the source. An access to global memory takes no layout
    in which it alone would cost more. Prices are those on the module's GPU, or on sm_90
    (gfx942 for warps of 64 lanes) by default. Each conversion costs 130 cycles more than its plan, the default of
    `conversion-cost`. Layouts of arithmetic on data and of loop-carried values are kept: they need the whole kernel.

    Before:
    ```mlir
    #rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    #bases = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%x: tensor<16x16xf32, #rows>) -> tensor<16x16xf32, #bases> {
        %0 = ttg.convert_layout %x : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #bases>
        tt.return %0 : tensor<16x16xf32, #bases>
      }
    }
    ```
    After:
    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%arg0: tensor<16x16xf32, #blocked>) -> tensor<16x16xf32, #blocked> {
        tt.return %arg0 : tensor<16x16xf32, #blocked>
      }
    }
    ```
  }];
  let options = [
    Option<"explain", "explain", "bool", "false",
           "Emit remarks on the outcome of each conversion, with reasons">
  ];
}

def UseTritonNumbers : Pass<"use-triton-numbers", "::mlir::ModuleOp"> {
  let summary = "Allow the floating-point approximations of Triton's own lowering";
  let description = [{
    By default the lowering rounds quotients and roots to nearest, bounds the error of functions and does not fuse
    operations; Triton's does neither. This pass adds fast-math flags: `contract` to sums and products, and `afn` to
    `math.exp`, `math.exp2`, `math.sqrt`, `math.rsqrt`, and for NVIDIA to `arith.divf` (within 2 units in the last
    place, `div.full.f32`). `tt.precise_divf`, `tt.precise_sqrt` and f64 stay exact.

    Before:
    ```mlir
    module attributes {ttg.target = "cuda:90"} {
      tt.func @f(%a: f32, %b: f32) -> f32 {
        %0 = arith.mulf %a, %b : f32
        %1 = arith.divf %0, %b fastmath<nnan> : f32
        tt.return %1 : f32
      }
    }
    ```
    After:
    ```mlir
    module attributes {ttg.target = "cuda:90"} {
      tt.func @f(%arg0: f32, %arg1: f32) -> f32 {
        %0 = arith.mulf %arg0, %arg1 fastmath<contract> : f32
        %1 = arith.divf %0, %arg1 fastmath<nnan,afn> : f32
        tt.return %1 : f32
      }
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "GPU whose accuracy is modelled, such as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">,
    Option<"fusion", "fusion", "bool", "true",
           "Fuse products with sums, as Triton does unless `enable_fp_fusion` is off">
  ];
}

def ConvertLayoutsToLLVM : Pass<"convert-layouts-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower tensors with layouts to the LLVM dialect, for NVVM or ROCDL";
  let description = [{
    Every tensor becomes one LLVM value per register of a thread; index arithmetic follows from the layouts. MLIR's own
    conversions lower `scf`, `cf` and the type `index`. The module's `ttg.shared` is the shared memory of a CTA in bytes.

    With `abi=triton` Triton's launcher can run the kernels: each takes two more arguments, the addresses of scratch
    memory in global memory (`ttg.global_scratch_alloc`), whose size the module records.

    With `shared=fast` functions use more shared memory if that saves barriers: conversions use one pass through scratch
    memory, and buffers keep disjoint bytes, as long as occupancy stays the same. Use it where barriers limit performance.
    The occupancy model does not account for different kernels on one SM.

    With `bounds=true` attributes record the range of each shared-memory allocation and the bounds of dynamic indices,
    without a change of instructions. `ll-sim` sets it for its checks; a module lowered by `ll-opt` needs it for the same.

    A function that needs more shared memory than the GPU has is an error. With `shared-limit=warning` it is lowered, for
    a launcher that checks the size or a larger GPU of the same family; `ll-sim` and the driver refuse to launch it.

    Before:
    ```mlir
    #pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
    module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32} {
      tt.func public @double(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
        %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #pairs>
        %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #pairs>
        %at = tt.addptr %ps, %i : tensor<256x!tt.ptr<f32>, #pairs>, tensor<256xi32, #pairs>
        %x = tt.load %at : tensor<256x!tt.ptr<f32>, #pairs>
        %y = arith.addf %x, %x : tensor<256xf32, #pairs>
        tt.store %at, %y : tensor<256x!tt.ptr<f32>, #pairs>
        tt.return
      }
    }
    ```
    After:
    ```mlir
    module attributes {"ttg.num-warps" = 4 : i32, ttg.shared = 0 : i32, ttg.target = "cuda:90"} {
      llvm.func @double(%arg0: !llvm.ptr<1> {llvm.align = 16 : i64}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
        ...
        %11 = llvm.getelementptr %arg0[%10] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        %12 = llvm.load %11 {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
        ...
        %15 = llvm.fadd %13, %13 : f32
        %16 = llvm.fadd %14, %14 : f32
        ...
        llvm.store %19, %11 {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
        llvm.return
      }
    }
    ```
  }];
  let options = [
    LL_Target, LL_Abi, LL_Shared, LL_SharedLimit, LL_LaneReductions, LL_Bounds, LL_CallLibraries,
    Option<"explain", "explain", "bool", "false",
           "Emit a remark at each operation that uses shared memory: wavefronts, bank conflicts, barriers, scratch bytes">
  ];
  let dependentDialects = LL_LoweredDialects;
}

def CountAsyncWaits : Pass<"count-async-waits", "::mlir::ModuleOp"> {
  let summary = "Relax waits for copies to the groups of their tokens";
  let description = [{
    `num` of a `ttg.async_wait` is raised to the least number of groups committed after those of its tokens, on any path. A
    wait without tokens, or for a token of an unknown commit, is kept. Reads after the wait must depend on its tokens, as
    in Triton, whose pipeliner leaves `num = 0` for gfx1250.

    `convert-layouts-to-llvm` converts groups to instruction counts for GPUs that count instructions.

    Before:
    ```mlir
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f() {
        %0 = ttg.async_commit_group
        %1 = ttg.async_commit_group
        %2 = ttg.async_wait %0 {num = 0 : i32}
        tt.return
      }
    }
    ```
    After:
    ```mlir
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f() {
        %0 = ttg.async_commit_group
        %1 = ttg.async_commit_group
        %2 = ttg.async_wait %0 {num = 1 : i32}
        tt.return
      }
    }
    ```
  }];
}

def DecomposeProducts : Pass<"decompose-products", "::mlir::ModuleOp"> {
  let summary = "Decompose products without a matrix instruction into supported ones";
  let description = [{
    `tt.dot_scaled` becomes a `tt.dot` of the elements times their scales in bf16 (in f16 where a factor is f16): 4-bit
    and 8-bit floats times powers of two are exact there, except for overflow and underflow. A scale of 255 gives NaN
    unless `fastMath`. `amdg.scaled_upcast_fp4` and `amdg.scaled_upcast_fp8`, the operands of such a product on AMD GPUs,
    are decomposed likewise. A `tt.dot_scaled` is kept if the target has an instruction with scales and the result has its
    layout, as in Triton's TTGIR for gfx950, gfx1250 and sm_120; operands and scales are then converted.

    A `tt.dot` of f32 with `inputPrecision = tf32x3`, `bf16x3` or `bf16x6` becomes three, three or six products of parts,
    if the target multiplies tf32 or bf16; otherwise it is kept, and computed in f32.

    Layouts of results do not change; operands get `#ttg.linear` encodings, between conversions. `layout-pipeline` runs it
    before `choose-matrix-instructions`, `convert-layouts-to-llvm` at its start. It corresponds to Triton's `tritongpu-accelerate-matmul` and `tritongpu-F32DotTC`.

    Before:
    ```mlir
    #rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
    module attributes {ttg.target = "cuda:80", "ttg.num-warps" = 1 : i32} {
      tt.func @f(%a: tensor<16x32xf8E4M3FN, #rows>, %b: tensor<32x16xf8E5M2, #rows>, %s: tensor<16x1xi8, #rows>) -> tensor<16x16xf32, #rows> {
        %zero = arith.constant dense<0.0> : tensor<16x16xf32, #rows>
        %d = tt.dot_scaled %a scale %s, %b, %zero lhs = e4m3 rhs = e5m2 {fastMath = true} : tensor<16x32xf8E4M3FN, #rows>, tensor<16x1xi8, #rows> * tensor<32x16xf8E5M2, #rows> -> tensor<16x16xf32, #rows>
        tt.return %d : tensor<16x16xf32, #rows>
      }
    }
    ```
    After:
    ```mlir
    ...
        %0 = tt.fp_to_fp %arg0 : tensor<16x32xf8E4M3FN, #blocked> -> tensor<16x32xbf16, #blocked>
        ...
        %8 = tt.reshape %7 : tensor<16x1x32xbf16, #blocked1> -> tensor<16x32xbf16, #blocked>
        %9 = arith.mulf %0, %8 : tensor<16x32xbf16, #blocked>
        %10 = ttg.convert_layout %9 : tensor<16x32xbf16, #blocked> -> tensor<16x32xbf16, #linear>
        %11 = tt.fp_to_fp %arg1 : tensor<32x16xf8E5M2, #blocked> -> tensor<32x16xbf16, #blocked>
        %12 = ttg.convert_layout %11 : tensor<32x16xbf16, #blocked> -> tensor<32x16xbf16, #linear1>
        %13 = tt.dot %10, %12, %cst : tensor<16x32xbf16, #linear> * tensor<32x16xbf16, #linear1> -> tensor<16x16xf32, #blocked>
        tt.return %13 : tensor<16x16xf32, #blocked>
    ...
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "GPU to decompose for, such as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ChooseMatrixInstructions : Pass<"choose-matrix-instructions", "::mlir::ModuleOp"> {
  let summary = "Choose the matrix instruction of each product by the cost of the whole kernel";
  let description = [{
    Rewrites each `tt.dot` whose operands are not in the layouts of a matrix instruction to layouts of one: `mma.sync`
    (sm_75 and later), MFMA or WMMA. Conversions are inserted around the product; `remove-layout-conversions` moves
    those of a loop-carried accumulator out of the loop.

    Candidates are all instructions of the target for the element types and `inputPrecision`, all distributions of
    warps over the result, several `kWidth`, and on AMD transposed results, each spelled in Triton's encodings. The choice minimises the cost of the whole function: the plan of each product,
    spilled registers, conversions of operands and results (weighted by loop depth, with the latency of their
    barriers), and the layouts of all other values. So the first of two chained products (attention) has its rows in
    one warp where that saves the exchange between warps in front of the second. `explain` states the choice.

    A product does not change where a multiplication and an addition in each lane cost least, or where the target has
    no instruction for the types: f32 with `inputPrecision = ieee` on NVIDIA GPUs, a sum of f16 on CDNA and gfx11.

    It corresponds to Triton's `tritongpu-accelerate-matmul` and `tritonamdgpu-accelerate-matmul`. Not chosen:
    instructions with operands in shared or tensor memory (`wgmma`, `tcgen05`).

    Before:
    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    #left = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
    #right = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
    module attributes {ttg.target = "cuda:80", "ttg.num-warps" = 4 : i32} {
      tt.func @f(%a: tensor<64x64xf16, #left>, %b: tensor<64x64xf16, #right>) -> tensor<64x64xf32, #blocked> {
        %zero = arith.constant dense<0.0> : tensor<64x64xf32, #blocked>
        %d = tt.dot %a, %b, %zero : tensor<64x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<64x64xf32, #blocked>
        tt.return %d : tensor<64x64xf32, #blocked>
      }
    }
    ```
    After:
    ```mlir
    ...
    #mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
    ...
        %3 = tt.dot %0, %1, %2 : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<64x64xf32, #mma>
        %4 = ttg.convert_layout %3 : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
        tt.return %4 : tensor<64x64xf32, #blocked>
    ...
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "GPU to choose for, such as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">,
    LL_Memory,
    Option<"explain", "explain", "bool", "false",
           "Emit a remark at each product: the chosen instruction, or the reason for none">
  ];
}

def RemoveLayoutConversions : Pass<"remove-layout-conversions", "::mlir::ModuleOp"> {
  let summary = "Assign layouts to all values of a kernel at minimal cost";
  let description = [{
    The layouts of all values are chosen jointly to minimise the cost of the kernel: conversions, reductions and scans by
    the costs of their plans, memory accesses by the sectors that they touch, other operations by their instructions, all
    weighted by loop depth. Constants, ranges and addresses are rematerialised where that is cheaper. The kernel is then
    rewritten once. Its predicted cost never increases, and a second run changes nothing.

    Loads and stores of whole tensors keep their layouts unless `memory=free`, and so do products, atomic accesses, calls
    and all operations that require a layout or are unknown.

    Each conversion costs `conversion-cost=N` cycles more than its plan, independent of its execution count. The default,
    130 cycles, stands for the latency that users of a converted value wait for, which plans do not model. With 0, small
    conversions stay in the loop of a matrix product where another layout predicts a few cycles less, and took 6 % of its
    time on an H200. Use 0 for the costs of plans only, and more to reduce code size or register pressure. The predicted
    cycles do not include N and may then exceed those of the input. Among equal costs, the fewest conversions win.

    With `scratch-budget=N` each conversion, reduction and scan must fit in N bytes of shared memory, in addition to the
    kernel's own buffers. Use it where shared memory limits occupancy. Conversions may then take several passes, or move;
    `explain` states the cost. If no assignment fits, the operation with the largest excess gets an error.

    Before:
    ```mlir
    #rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
    #columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
    module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32} {
      tt.func @f(%p: tensor<64x64x!tt.ptr<f32>, #rows>) {
        %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
        %c = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
        %y = arith.addf %c, %c : tensor<64x64xf32, #columns>
        %r = ttg.convert_layout %y : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
        tt.store %p, %r : tensor<64x64x!tt.ptr<f32>, #rows>
        tt.return
      }
    }
    ```
    After:
    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
    module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
      tt.func @f(%arg0: tensor<64x64x!tt.ptr<f32>, #blocked>) {
        %0 = tt.load %arg0 : tensor<64x64x!tt.ptr<f32>, #blocked>
        %1 = arith.addf %0, %0 : tensor<64x64xf32, #blocked>
        tt.store %arg0, %1 : tensor<64x64x!tt.ptr<f32>, #blocked>
        tt.return
      }
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "GPU to choose for, such as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">,
    LL_Memory,
    Option<"loopWeight", "loop-weight", "int64_t", "8",
           "Assumed number of iterations of a loop">,
    Option<"conversionCost", "conversion-cost", "int64_t", "130",
           "Penalty of each conversion beyond the cost of its plan, in cycles, independent of its execution count">,
    Option<"scratchBudget", "scratch-budget", "int64_t", "-1",
           "Limit for the shared memory of each conversion, reduction or scan, in bytes (default: that of the GPU)">,
    Option<"explain", "explain", "bool", "false",
           "Emit remarks on the cost and reason of each remaining conversion, and on the outcome of the others">,
    Option<"report", "report", "std::string", "\"\"",
           "File for the same information as JSON">,
    Option<"verify", "verify", "bool", "false",
           "Validate that every used register holds the same element as before, as `ll-opt --verify-layout-rewrites` does for all passes">
  ];
}

def ResolveAutoLayouts : Pass<"resolve-auto-layouts", "::mlir::ModuleOp"> {
  let summary = "Infer the layouts that a program leaves open";
  let description = [{
    A tensor with `#gluon.auto_encoding` gets the layout that `gluon.set_auto_layout` requires, propagated through
    elementwise operations, views, reductions, loops, branches and calls. One with `#gluon.coalesced_encoding` gets the
    layout that `coalesce` chooses for its pointers. No conversion is added: conflicting requirements are an error that
    names the operations, and so is a tensor without any. Where only conversions constrain a tensor, the layout of one end
    is taken, by the lowest cost of plans on the module's GPU (default: sm_90, or gfx942 for warps of 64 lanes).

    Before:
    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f() -> tensor<16x32xi32, #blocked> {
        %0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #gluon.auto_encoding>
        %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<32xi32, #gluon.auto_encoding> -> tensor<1x32xi32, #gluon.auto_encoding>
        %2 = tt.broadcast %1 : tensor<1x32xi32, #gluon.auto_encoding> -> tensor<16x32xi32, #gluon.auto_encoding>
        %3 = gluon.set_auto_layout %2 : tensor<16x32xi32, #gluon.auto_encoding> -> tensor<16x32xi32, #blocked>
        tt.return %3 : tensor<16x32xi32, #blocked>
      }
    }
    ```
    After:
    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f() -> tensor<16x32xi32, #blocked> {
        %0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
        %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
        %2 = tt.broadcast %1 : tensor<1x32xi32, #blocked> -> tensor<16x32xi32, #blocked>
        tt.return %2 : tensor<16x32xi32, #blocked>
      }
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "GPU for the cost model, such as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">
  ];
}

def Coalesce : Pass<"coalesce", "::mlir::ModuleOp"> {
  let summary = "Choose layouts in which neighbouring threads access neighbouring addresses";
  let description = [{
    Each access to global memory by a tensor of pointers gets a blocked layout of its own: the dimension with the largest
    contiguity first, and in each thread as many elements along it as one access can move. Dependent accesses of one shape
    and order get the widest vector of all, but stores no wider one than their own. Operands are converted to that layout
    and results back; `remove-layout-conversions` removes conversions that are not needed. It corresponds to Triton's
    `tritongpu-coalesce`.

    Before:
    ```mlir
    #default = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<512xf32, #default> {
        %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #default>
        %ps = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #default>
        %at = tt.addptr %ps, %i : tensor<512x!tt.ptr<f32>, #default>, tensor<512xi32, #default>
        %x = tt.load %at : tensor<512x!tt.ptr<f32>, #default>
        tt.return %x : tensor<512xf32, #default>
      }
    }
    ```
    After:
    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
    #blocked1 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<512xf32, #blocked> {
        %0 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
        %1 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
        %2 = tt.addptr %1, %0 : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
        %3 = ttg.convert_layout %2 : tensor<512x!tt.ptr<f32>, #blocked> -> tensor<512x!tt.ptr<f32>, #blocked1>
        %4 = tt.load %3 : tensor<512x!tt.ptr<f32>, #blocked1>
        %5 = ttg.convert_layout %4 : tensor<512xf32, #blocked1> -> tensor<512xf32, #blocked>
        tt.return %5 : tensor<512xf32, #blocked>
      }
    }
    ```
  }];
}

def ReduceDataDuplication : Pass<"reduce-data-duplication", "::mlir::ModuleOp"> {
  let summary = "Move operands of products through shared-memory buffers";
  let description = [{
    A conversion to `#ttg.dot_op` through shared memory becomes a `ttg.local_alloc` and a `ttg.local_load`: each element is
    stored once and read by many threads. The load is placed at the first use of the operand, so that loads in between do
    not wait for the buffer's barrier, and inside a loop that would otherwise spill registers. The swizzle is the cheapest
    to fill and to read on the module's GPU; Triton's `tritongpu-reduce-data-duplication` takes it from a table. With
    `only-cheaper` a conversion is kept if its plan costs less than the buffer and its result takes at most 16 words of a
    thread.

    Before:
    ```mlir
    #rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
    #mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
    #right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
    module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {
      tt.func @f(%x: tensor<32x64xf16, #rows>) -> tensor<32x64xf16, #right> {
        %0 = ttg.convert_layout %x : tensor<32x64xf16, #rows> -> tensor<32x64xf16, #right>
        tt.return %0 : tensor<32x64xf16, #right>
      }
    }
    ```
    After:
    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
    ...
      tt.func @f(%arg0: tensor<32x64xf16, #blocked>) -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> {
        %0 = ttg.local_alloc %arg0 : (tensor<32x64xf16, #blocked>) -> !ttg.memdesc<32x64xf16, #shared, #smem>
        %1 = ttg.local_load %0 : !ttg.memdesc<32x64xf16, #shared, #smem> -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
        tt.return %1 : tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
      }
    }
    ```
  }];
  let options = [
    Option<"onlyCheaper", "only-cheaper", "bool", "false",
           "Keep conversions whose plans cost less than a buffer">
  ];
}

def OptimizeThreadLocality : Pass<"optimize-thread-locality", "::mlir::ModuleOp"> {
  let summary = "Avoid data exchange between threads in reductions and gathers";
  let description = [{
    A `tt.reshape` with `allow_reorder` gets a layout in which a reduction along one axis stays within threads. A
    `tt.gather` gets a layout with whole rows of its source in each warp, if its plan costs less. A loop that accumulates
    reductions along the last dimension, with the operation of the reduction, accumulates in each thread and reduces once
    after the loop, which reassociates sums of floats. `remove-layout-conversions` removes conversions that are not needed.
    It corresponds to Triton's `tritongpu-optimize-thread-locality`.

    Before:
    ```mlir
    #line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
    #rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%x: tensor<2048xf32, #line>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #rows}>> {
        %0 = tt.reshape %x allow_reorder : tensor<2048xf32, #line> -> tensor<128x16xf32, #rows>
        %1 = "tt.reduce"(%0) <{axis = 1 : i32}> ({
        ^bb0(%l: f32, %r: f32):
          %s = arith.addf %l, %r : f32
          tt.reduce.return %s : f32
        }) : (tensor<128x16xf32, #rows>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #rows}>>
        tt.return %1 : tensor<128xf32, #ttg.slice<{dim = 1, parent = #rows}>>
      }
    }
    ```
    After:
    ```mlir
    ...
        %0 = tt.reshape %arg0 allow_reorder efficient_layout : tensor<2048xf32, #blocked> -> tensor<128x16xf32, #blocked2>
        %1 = ttg.convert_layout %0 : tensor<128x16xf32, #blocked2> -> tensor<128x16xf32, #blocked1>
    ...
    ```
  }];
}

def ReorderBroadcast : Pass<"reorder-broadcast", "::mlir::ModuleOp"> {
  let summary = "Sink splats and broadcasts below elementwise operations";
  let description = [{
    An elementwise operation on `tt.splat`s is computed once, on scalars; one on `tt.broadcast`s from one shape is computed
    on that shape. A thread then computes on the registers of a row instead of a tile. It corresponds to Triton's
    `triton-reorder-broadcast`.

    Before:
    ```mlir
    #rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%x: tensor<1x64xf32, #rows>) -> tensor<64x64xf32, #rows> {
        %0 = tt.broadcast %x : tensor<1x64xf32, #rows> -> tensor<64x64xf32, #rows>
        %1 = math.exp %0 : tensor<64x64xf32, #rows>
        tt.return %1 : tensor<64x64xf32, #rows>
      }
    }
    ```
    After:
    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%arg0: tensor<1x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
        ...
        %1 = math.exp %arg0 : tensor<1x64xf32, #blocked>
        %2 = tt.broadcast %1 : tensor<1x64xf32, #blocked> -> tensor<64x64xf32, #blocked>
        tt.return %2 : tensor<64x64xf32, #blocked>
      }
    }
    ```
  }];
}

def LayoutPipeline : Pass<"layout-pipeline", "::mlir::ModuleOp"> {
  let summary = "Lower kernels with default layouts to the LLVM dialect";
  let description = [{
    A pipeline of `resolve-auto-layouts`, `coalesce`, `decompose-products`, `choose-matrix-instructions`, `remove-layout-conversions`,
    `reduce-data-duplication` where a buffer is cheaper, `fold-layout-conversions` and `convert-layouts-to-llvm`, for IR
    as Triton's `convert-triton-to-tritongpu` leaves it.

    Before:
    ```mlir
    #default = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
    module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32} {
      tt.func public @double(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
        %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #default>
        %ps = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #default>
        %at = tt.addptr %ps, %i : tensor<512x!tt.ptr<f32>, #default>, tensor<512xi32, #default>
        %x = tt.load %at : tensor<512x!tt.ptr<f32>, #default>
        %y = arith.addf %x, %x : tensor<512xf32, #default>
        tt.store %at, %y : tensor<512x!tt.ptr<f32>, #default>
        tt.return
      }
    }
    ```
    After:
    ```mlir
    module attributes {"ttg.num-warps" = 4 : i32, ttg.shared = 0 : i32, ttg.target = "cuda:90"} {
      llvm.func @double(%arg0: !llvm.ptr<1> {llvm.align = 16 : i64}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
        ...
        %14 = llvm.load %13 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        ...
        llvm.store %27, %13 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
        llvm.return
      }
    }
    ```
  }];
  let options = [LL_Target, LL_Abi, LL_Shared, LL_SharedLimit, LL_Memory];
  let dependentDialects = LL_LoweredDialects;
}

#endif
