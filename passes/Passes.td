// Passes: name, options, help with an example that test/rust/reference.rs runs. The Rust file of the
// same name in this folder carries each out.
#ifndef LL_PASSES
#define LL_PASSES

include "mlir/Pass/PassBase.td"

// Options and dialects of several passes.
defvar LL_Target = Option<"target", "target", "std::string", "\"\"",
    "GPU to lower for, as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">;
defvar LL_Abi = Option<"abi", "abi", "std::string", "\"plain\"",
    "How kernels are called: `plain`, by their own arguments; `triton`, by those of Triton's launcher, "
    "two pointers to scratch memory more">;
defvar LL_Shared = Option<"shared", "shared", "std::string", "\"least\"",
    "How much shared memory functions take: `least`, no more than in the plain way, as Triton's; `fast`, all that "
    "saves barriers while as many blocks run at the same time">;
defvar LL_Bounds = Option<"bounds", "bounds", "bool", "false",
    "Mark allocations in shared memory and the bounds of indices, which `ll-sim` checks">;
defvar LL_CallLibraries = Option<"callLibraries", "call-libraries", "bool", "false",
    "Call what `tt.extern_elementwise` names, and the vendor's library for functions of f32, as Triton's lowering does; "
    "by default functions that are known here are computed in place">;
defvar LL_SharedLimit = Option<"sharedLimit", "shared-limit", "std::string", "\"error\"",
    "What is said of a function that takes more shared memory than the GPU has: `error`, and it is not lowered; "
    "`warning`, and the launcher decides, as Triton's does">;
defvar LL_Memory = Option<"memory", "memory", "std::string", "\"pinned\"",
           "Whether loads and stores of whole tensors keep their layouts: `pinned`, or `free` to take others at their own cost">;
defvar LL_LoweredDialects = [
  "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::ROCDL::ROCDLDialect",
  "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
  "::mlir::cf::ControlFlowDialect"];

def ConvertEncodingsToLinear : Pass<"convert-encodings-to-linear", "::mlir::ModuleOp"> {
  let summary = "Spell every encoding of a tensor or a buffer by its bases";
  let description = [{
    Two encodings of one layout become one attribute, so that files can be read and compared.
    Nothing moves: every tensor keeps its layout, and every buffer its own. An encoding that an operation asks for
    by its kind keeps its name: `#ttg.nvidia_mma` and the `#ttg.dot_op` of it where there are products,
    `#ttg.nvmma_shared` where the hardware reads it. So does one of a family that `keep` lists, and one of a family
    that `only` does not, where it lists any. Padded and partitioned buffers have no list of bases.
    `recognize-encodings` goes back.

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
               "Families of encodings that keep their names, as `blocked,amd_mfma`">,
    ListOption<"only", "only", "std::string",
               "Families of encodings to spell, as `blocked,swizzled_shared` (default: all)">
  ];
}

def RecognizeEncodings : Pass<"recognize-encodings", "::mlir::ModuleOp"> {
  let summary = "Spell lists of bases by the encoding that says the same";
  let description = [{
    The inverse of `convert-encodings-to-linear`: a layout that is written out gets the name of the family that
    says it, on every shape that it is used with: that of an encoding which the module has already, or else blocked,
    results and operands of matrix instructions, slices of them, and for buffers swizzled, NVIDIA's or rotating.
    What no family says stays written out. What leaves no trace in the layout is chosen: an instruction is the first
    of its family that holds elements in this way, and a box beyond the tensor is as small as can be.

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
               "Families of encodings whose names are not used, as `amd_wmma`">,
    ListOption<"only", "only", "std::string",
               "Families of encodings whose names are used, as `blocked,slice` (default: all)">
  ];
}

def FoldLayoutConversions : Pass<"fold-layout-conversions", "::mlir::ModuleOp"> {
  let summary = "Remove conversions that need not be there, and choose layouts of views and memory accesses";
  let description = [{
    A `ttg.convert_layout` whose operand and result have the same layout moves nothing, whatever
    the encodings are called; it disappears. A chain of conversions becomes one, or none; the same conversion is
    made once; what a loop carries and nobody looks at is not converted.

    For the other conversions, the layouts of views and of accesses to memory are chosen as by
    `remove-layout-conversions`, by the same prices, with the layouts of all other operations as they are. Constants,
    ranges, splats, addresses and masks are rematerialised in the layout that is asked for; a conversion of a view moves
    before the view; a load loads in another layout, and a store stores in the layout of what is converted. An access to
    global memory takes no layout in which it alone would cost more. Prices are those on the module's GPU, or on sm_90
    (gfx942 for warps of 64 lanes) where it names none. Each conversion counts 130 cycles beyond its plan, the default
    of `conversion-cost` there. Layouts of arithmetic on data and of loop-carried values stay as they are: they are a
    decision on the whole kernel.

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
           "Say what becomes of each conversion and why, as remarks">
  ];
}

def UseTritonNumbers : Pass<"use-triton-numbers", "::mlir::ModuleOp"> {
  let summary = "Allow floats to be as inexact, and as fast, as in Triton's own lowering";
  let description = [{
    Lowering rounds quotients and roots to nearest, keeps the error of functions within stated bounds and fuses
    nothing. Triton does not. This pass adds the flags that say so: `contract` to sums and products, and `afn` to
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
           "GPU that the numbers are for, as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">,
    Option<"fusion", "fusion", "bool", "true",
           "Fuse products with sums, as Triton does unless `enable_fp_fusion` is off">
  ];
}

def ConvertLayoutsToLLVM : Pass<"convert-layouts-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower tensors with layouts to the LLVM dialect, for NVVM or ROCDL";
  let description = [{
    Every tensor becomes one LLVM value per register that a thread holds; index arithmetic follows
    from the layouts. MLIR's own conversions finish `scf`, `cf` and what is of type `index`, where there is any.
    The shared memory a CTA needs is recorded in bytes as the module's `ttg.shared`.

    With `abi=triton` Triton's launcher can run the kernels: each takes two more arguments, the addresses of scratch
    memory in global memory (`ttg.global_scratch_alloc`), and the module says how many bytes of it a program needs.

    With `shared=fast` functions take more shared memory than they need where that saves barriers: conversions go one
    round, and what could use the same bytes lies apart, as long as no fewer blocks run on a processor at the same time.
    Change it where shared memory is plenty and barriers count. It misleads where kernels run side by side on a processor.

    With `bounds=true` the result says where each allocation in shared memory begins and ends, and the bound of each
    index that is known at run time only, in attributes that change no instruction. `ll-sim` lowers with it; a module
    that is lowered by `ll-opt` needs it for the same checks.

    A function that takes more shared memory than the GPU has is an error. With `shared-limit=warning` it is lowered
    all the same, for a launcher that checks the size itself or a larger GPU of the same family; `ll-sim` and the driver
    refuse to launch it.

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
    LL_Target, LL_Abi, LL_Shared, LL_SharedLimit, LL_Bounds, LL_CallLibraries,
    Option<"explain", "explain", "bool", "false",
           "Emit a remark at each operation that uses shared memory: wavefronts, bank conflicts, barriers, scratch bytes">
  ];
  let dependentDialects = LL_LoweredDialects;
}

def CountAsyncWaits : Pass<"count-async-waits", "::mlir::ModuleOp"> {
  let summary = "Let waits for copies wait for the groups of their tokens alone";
  let description = [{
    `num` of a `ttg.async_wait` becomes the least number of groups that are committed after those of its tokens, on any
    path, where that is more. A wait without tokens stays, and one for a token that is not known to be that of a commit.
    What is read after a wait must be of its tokens then, as in Triton, whose pipeliner leaves `num = 0` for gfx1250.

    `convert-layouts-to-llvm` turns groups into instructions where the GPU counts these.

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
  let summary = "Turn products that no instruction carries out into products that one does";
  let description = [{
    `tt.dot_scaled` becomes a `tt.dot` of the elements times their scales in bf16 (in f16 where a factor is f16): 4-bit
    and 8-bit floats times powers of two are exact there, but for what leaves the type's range. A scale of 255 gives NaN
    unless `fastMath`. So do `amdg.scaled_upcast_fp4` and `amdg.scaled_upcast_fp8`, the factors of such a product on AMD's
    GPUs. A `tt.dot_scaled` stays where the target has an instruction that multiplies by its scales and the result is laid
    out for that, as Triton's TTGIR for gfx950, gfx1250 and sm_120 has it; operands and scales are converted then.

    A `tt.dot` of f32 with `inputPrecision = tf32x3`, `bf16x3` or `bf16x6` becomes three, three or six products of parts,
    where the target multiplies tf32 or bf16; else it stays, and is computed in f32.

    Layouts of results do not change; operands are in `#ttg.linear` encodings, between conversions.
    `layout-pipeline` runs it before it chooses instructions, `convert-layouts-to-llvm` before everything else. Triton
    does the same in `tritongpu-accelerate-matmul` and `tritongpu-F32DotTC`.

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
           "GPU whose instructions count, as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">
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
           "GPU to choose for, as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">,
    LL_Memory,
    Option<"explain", "explain", "bool", "false",
           "Emit a remark at each product: the chosen instruction, or the reason for none">
  ];
}

def RemoveLayoutConversions : Pass<"remove-layout-conversions", "::mlir::ModuleOp"> {
  let summary = "Choose the layouts of a whole kernel so that it costs least";
  let description = [{
    Every value of a kernel gets the layout that makes the kernel as a whole cheapest: conversions by the plans
    that would carry them out, reductions and scans by theirs, accesses to memory by the sectors they touch,
    the rest by its instructions; what runs in a loop counts more. Constants, ranges and addresses are computed
    again where that is cheaper. Then the kernel is rewritten once. By these prices it never costs more than before,
    and a second run changes nothing.

    Loads and stores of whole tensors keep their layouts unless `memory=free`. So do products, atomic accesses,
    calls, and whatever else asks for a layout or is not known.

    Each conversion counts `conversion-cost=N` cycles beyond its plan, once however often it runs: it has to save N
    cycles more than its plan takes. The default, 130 cycles, stands for what a plan does not have: what uses a
    converted value waits for it. With 0, small conversions stay in the loop of a matrix product where another layout
    predicts a few cycles less, and took 6 % of its time on an H200. Set 0 for plans alone; set more where code size
    or the pressure on registers counts. The predicted cycles, in which N does not count, may then be more than the
    input's. Of what costs the same, that with the fewest conversions is taken.

    With `scratch-budget=N` layouts are chosen so that each conversion, reduction and scan can be carried out in N bytes
    of shared memory; what the kernel stores in buffers of its own comes on top. Set it where the shared memory of a block
    is what keeps blocks from running side by side. It costs conversions in more rounds, or in other places; `explain`
    says how much. Where no choice fits, that is an error at the operation that takes most.

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
           "GPU to choose for, as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">,
    LL_Memory,
    Option<"loopWeight", "loop-weight", "int64_t", "8",
           "How often the body of a loop counts">,
    Option<"conversionCost", "conversion-cost", "int64_t", "130",
           "Cycles that each conversion counts beyond its plan, once however often it runs; 0 weighs plans only">,
    Option<"scratchBudget", "scratch-budget", "int64_t", "-1",
           "Bytes of shared memory that each conversion, reduction or scan may take, beside buffers (default: what the GPU has)">,
    Option<"explain", "explain", "bool", "false",
           "Say what each conversion that is left costs and why it stays, and what became of the others, as remarks">,
    Option<"report", "report", "std::string", "\"\"",
           "File to write the same to, as JSON">,
    Option<"verify", "verify", "bool", "false",
           "Prove that every register that is used names the same element as before, as `ll-opt --verify-layout-rewrites` does of all passes">
  ];
}

def ResolveAutoLayouts : Pass<"resolve-auto-layouts", "::mlir::ModuleOp"> {
  let summary = "Find the layouts that a program leaves open";
  let description = [{
    A tensor with `#gluon.auto_encoding` gets the layout that `gluon.set_auto_layout` says of it, or of what it goes
    with: elementwise operations, views, reductions, loops, branches and calls. One with `#gluon.coalesced_encoding` gets
    that in which `coalesce` lets its pointers be accessed. Nothing is converted but where `ttg.convert_layout` stands:
    two layouts for one tensor are an error that names who asks for each, and so is a tensor whose layout nothing settles.
    What goes into and comes out of conversions only, may have the layout of either side; the one with the
    lowest cost of plans is taken, on the module's GPU (sm_90 where it names none, gfx942 for warps of 64 lanes).

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
           "GPU that costs are for, as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">
  ];
}

def Coalesce : Pass<"coalesce", "::mlir::ModuleOp"> {
  let summary = "Access memory in layouts in which neighbouring threads access neighbouring addresses";
  let description = [{
    Each access to global memory by a tensor of pointers gets a blocked layout of its own: first the dimension along
    which addresses run on furthest, and in each thread as many elements along it as one access can move. Accesses
    that depend on each other, on tensors of one shape and order, get the widest that any of them can use, but a store
    no wider than its own. Operands are converted to that layout and results back;
    `remove-layout-conversions` finds out what of this need not be there. As Triton's `tritongpu-coalesce`.

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
  let summary = "Give operands of products through buffers in shared memory";
  let description = [{
    A conversion to `#ttg.dot_op` that goes through shared memory becomes a `ttg.local_alloc` and a
    `ttg.local_load`, which stands where the operand is first used, so that loads in between do not wait for the
    buffer's barrier, and in a loop where the loop would otherwise spill registers: each element is stored once, and many threads read it. The buffer is swizzled as is cheapest to fill and to read on the module's GPU. Triton's
    `tritongpu-reduce-data-duplication` takes the swizzle from a table. With `only-cheaper` a conversion
    whose plan costs less than the buffer stays, where its result takes no more than 16 words of a thread.

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
  let summary = "Let one thread, or one warp, have what it would fetch from others";
  let description = [{
    A `tt.reshape` that may reorder gives its elements so that a reduction along one axis needs no other thread. A
    `tt.gather` works where each warp holds whole rows of what it gathers from, if its plan costs less there. What a loop
    accumulates of reductions along the last dimension, by what they combine with, is accumulated in each thread and
    reduced once, behind the loop: a sum of floats is then added up in another order. `remove-layout-conversions` finds
    out which of the conversions need not be there. As Triton's `tritongpu-optimize-thread-locality`.

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
  let summary = "Compute on what is copied, and copy then";
  let description = [{
    What is computed element by element of `tt.splat`s is computed once, of their elements; of `tt.broadcast`s of one
    shape, on that shape. A thread then works on the registers of a row and not of a tile. As Triton's
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
  let summary = "Lower kernels with default layouts to the LLVM dialect, by passes in order";
  let description = [{
    `resolve-auto-layouts`, `coalesce`, `decompose-products`, `choose-matrix-instructions`, `remove-layout-conversions`,
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
