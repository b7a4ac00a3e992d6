// Passes: names, options, and descriptions with an example that test/rust/reference.rs runs. The Rust file of the same
// name in this folder implements each pass.
#ifndef LL_PASSES
#define LL_PASSES

include "mlir/Pass/PassBase.td"

// Options and dialects of several passes.
defvar LL_Target = Option<"target", "target", "std::string", "\"\"",
    "GPU to lower for, such as `cuda:90` or `hip:gfx942` (default: the module's `ttg.target`)">;
defvar LL_Abi = Option<"abi", "abi", "std::string", "\"plain\"",
    "Kernel ABI: `plain`, the declared arguments; `triton`, the arguments of Triton's launcher, with two more "
    "pointers to scratch memory">;
defvar LL_Shared = Option<"shared", "shared", "std::string", "\"auto\"",
    "Shared-memory limit of a function: `auto`, trade shared memory for fewer barriers while occupancy stays the same; "
    "or `baseline`, never more than Triton would allocate">;
defvar LL_Bounds = Option<"bounds", "bounds", "bool", "false",
    "Annotate shared-memory allocations and index bounds for the checks of `ll-sim`">;
defvar LL_CallLibraries = Option<"callLibraries", "call-libraries", "bool", "false",
    "Call the functions named by `tt.extern_elementwise`, and the vendor's library for f32 functions, as Triton's "
    "lowering does (default: known functions are expanded in place)">;
defvar LL_LaneReductions = Option<"laneReductions", "lane-reductions", "std::string", "\"cheapest\"",
    "Reductions across lanes: `cheapest`; or `butterfly`, in which lanes never exchange halves of their rows, a candidate "
    "for kernels that spill registers">;
defvar LL_TritonIndices = Option<"tritonIndices", "triton-indices", "bool", "false",
    "Assume for global accesses, as Triton does, that dividends of signed divisions are not negative, and that offsets of "
    "pointers do not overflow (default: both must follow from the kernel, or from `llvm.intr.assume`)">;
defvar LL_SharedLimit = Option<"sharedLimit", "shared-limit", "std::string", "\"error\"",
    "Severity if a function needs more shared memory than the GPU has: `error`; or `warning`, which leaves the check to "
    "the launcher, as Triton does">;
defvar LL_Memory = Option<"memory", "memory", "std::string", "\"pinned\"",
           "Layouts of loads and stores of whole tensors: `pinned`, or `free` to change at their own cost">;
defvar LL_NumStages = Option<"numStages", "num-stages", "int64_t", "3",
    "Stages of a software-pipelined loop without the attribute `tt.num_stages`; fewer if shared memory is too small, 1 for "
    "no pipelining">;
defvar LL_PrefetchStages = Option<"numStages", "num-stages", "int64_t", "1",
    "The same option of a later `pipeline-loops`: values that it prefetches can be read in any layout at the cost of a load "
    "from shared memory; 1 if no such pass follows">;
defvar LL_DistinctArguments = Option<"distinctArguments", "distinct-arguments", "bool", "false",
    "Assume that different pointer arguments of a kernel point to disjoint memory, so that loads of later iterations may "
    "start before a store. Triton assumes more: that no store of a loop changes what the loop loads">;
defvar LL_LoweredDialects = [
  "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::ROCDL::ROCDLDialect",
  "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
  "::mlir::cf::ControlFlowDialect"];

def ConvertEncodingsToLinear : Pass<"convert-encodings-to-linear", "::mlir::ModuleOp"> {
  let summary = "Replace encodings of tensors and buffers by `#ttg.linear` and its shared-memory counterpart";
  let description = [{
    Two encodings of one layout become one attribute, which simplifies reading and comparing files. No data moves: all
    layouts stay the same. Encodings whose kind an operation requires are kept: `#ttg.nvidia_mma` and its
    `#ttg.dot_op` for products, and `#ttg.nvmma_shared` for buffers that matrix or copy hardware accesses. The option
    `keep` excludes more families of encodings; `only` restricts the pass to the listed families. Padded and
    partitioned buffers are kept, since they have no list of bases. `recognize-encodings` is the inverse pass.

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
    The inverse of `convert-encodings-to-linear`: bases are replaced by an encoding with the same layout on every
    shape that the bases are used with. The first candidates are the encodings that the module already uses. The next
    candidates for tensors are blocked encodings, encodings of results and operands of matrix instructions, and slices
    of such encodings; for buffers, they are swizzled, NVIDIA and rotating encodings. Bases that no candidate
    describes are kept. Parameters that the layout does not determine get defaults: the first matching instruction of
    a family, and the smallest possible tile where the tile is larger than the tensor.

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
    A `ttg.convert_layout` between two encodings of the same layout moves no data, and is removed. Chains of conversions
    are folded, common conversions are eliminated, and unused loop-carried values are not converted.

    For the remaining conversions, the layouts of views and of memory accesses are chosen with the prices of
    `remove-layout-conversions`; all other operations keep their layouts. Constants, ranges, splats, addresses and masks
    are rematerialised in the required layout; a conversion of a view is hoisted above the view; a load uses the layout
    after the conversion of its result, and a store uses the layout before the conversion of its operand. No access to
    global memory becomes more expensive. Prices are computed for the module's GPU; the default is sm_90, or gfx942 for
    warps of 64 lanes. Each conversion costs 130 cycles more than its plan, the default of `conversion-cost`. Layouts of
    arithmetic on data and of loop-carried values are kept, since their choice requires a view of the whole kernel.

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
    By default, the lowering of this project rounds quotients and roots to nearest, bounds the error of functions, and
    does not fuse operations. Triton's lowering approximates and fuses. This pass adds fast-math flags: `contract` to
    sums and products, and `afn` to `math.exp`, `math.exp2`, `math.sqrt` and `math.rsqrt`, and for NVIDIA also to
    `arith.divf` (within 2 units in the last place, `div.full.f32`) and `arith.remf`. `tt.precise_divf`,
    `tt.precise_sqrt` and operations on f64 get no `afn`.

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
    conversions lower `scf`, `cf` and the type `index`. The module attribute `ttg.shared` of the result is the number of
    bytes of shared memory per CTA.

    With `abi=triton`, Triton's launcher can run the kernels: each kernel takes two more arguments, the addresses of
    scratch memory in global memory (`ttg.global_scratch_alloc`), whose size the module records.

    Functions use more shared memory than Triton's if that saves barriers and leaves occupancy as it is: conversions use
    fewer passes through scratch memory, and buffers get disjoint bytes. Occupancy follows from the threads of a CTA, from
    shared memory, and from the registers that the tensors of conversions need; it does not account for different kernels
    on one SM. With `shared=baseline`, functions use no more shared memory than Triton's.

    With `bounds=true`, attributes record the range of each shared-memory allocation and the bounds of dynamic
    indices; the instructions do not change. `ll-sim` sets this option for its checks; a module that `ll-opt` has
    lowered needs it if `ll-sim` is to check it.

    A function that needs more shared memory than the GPU has is an error. With `shared-limit=warning` the function is
    lowered, for a launcher that checks the size or for a larger GPU of the same family; `ll-sim` and the driver
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
        %4 = llvm.getelementptr %arg0[%3] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        %5 = llvm.load %4 {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
        ...
        %8 = llvm.fadd %6, %6 : f32
        %9 = llvm.fadd %7, %7 : f32
        ...
        llvm.store %12, %4 {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
        llvm.return
      }
    }
    ```
  }];
  let options = [
    LL_Target, LL_Abi, LL_Shared, LL_SharedLimit, LL_LaneReductions, LL_TritonIndices, LL_Bounds, LL_CallLibraries,
    Option<"explain", "explain", "bool", "false",
           "Emit a remark at each operation that uses shared memory: wavefronts, bank conflicts, barriers, scratch bytes">
  ];
  let dependentDialects = LL_LoweredDialects;
}

def CountAsyncWaits : Pass<"count-async-waits", "::mlir::ModuleOp"> {
  let summary = "Relax waits for copies to the groups of their tokens";
  let description = [{
    The attribute `num` of a `ttg.async_wait` is raised to the number of groups that are committed after the groups of
    the wait's tokens, the minimum over all paths. A wait without tokens, or with a token of an unknown commit, is
    kept. Reads after the wait must depend on its tokens, as in Triton, whose pipeliner leaves `num = 0` for gfx1250.

    `convert-layouts-to-llvm` converts numbers of groups to numbers of instructions for GPUs that count instructions.

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
    `tt.dot_scaled` becomes a `tt.dot` whose operands are the elements multiplied by their scales, in bf16 (in f16 if
    an operand is f16). Products of 4-bit or 8-bit floats and powers of two are exact in these types, except for
    overflow and underflow. A scale of 255 gives NaN unless `fastMath` is set. `amdg.scaled_upcast_fp4` and
    `amdg.scaled_upcast_fp8`, which compute the operands of such a product on AMD GPUs, are decomposed in the same
    way. `amdg.scaled_downcast_fp4` and `amdg.scaled_downcast_fp8` become a division by the scales in f32 and one
    rounding to nearest even, where numbers beyond the range become the largest one. `amdg.local_load_packed_transposed`
    becomes a load of the bytes that a thread needs, whose halves it combines. A `tt.dot_scaled` is kept if the target
    has an instruction with scales and the result has the layout of this instruction, as in Triton's TTGIR for gfx950,
    gfx1250 and sm_120; operands and scales are then converted.

    A `tt.dot` of f32 with `inputPrecision = tf32x3`, `bf16x3` or `bf16x6` becomes three, three or six products of
    parts, if the target has an instruction for tf32 or bf16; otherwise the product is kept, and computed in f32.

    Layouts of results do not change; operands are converted to `#ttg.linear` encodings. `layout-pipeline` runs this
    pass before `choose-matrix-instructions`, and `convert-layouts-to-llvm` runs it first. The pass corresponds to
    Triton's `tritongpu-accelerate-matmul` and `tritongpu-F32DotTC`.

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
    Each `tt.dot` whose operands are not in the layouts of a matrix instruction is rewritten to the layouts of a matrix
    instruction: `wgmma` (sm_90), `mma.sync` (sm_75 and later), MFMA or WMMA. Conversions are inserted around the
    product; `remove-layout-conversions` moves the conversions of a loop-carried accumulator out of the loop.

    On sm_90, a product becomes a `ttng.warp_group_dot` if this is legal: one CTA, a multiple of 4 warps, two dimensions,
    M a multiple of 64, N of 8, K of 32 bytes, element types of `wgmma`, and operands that fit in shared memory. B is
    stored to a `#ttg.nvmma_shared` buffer, and so is A if it is loaded; a computed A stays in registers. A `tt.trans`
    of an operand becomes a `ttg.memdesc_trans` of the buffer. The buffer of a loop-invariant operand is filled before
    the loop. The product is synchronous (`isAsync = false`). For example, with A and B loaded:
    ```
    %as = ttg.local_alloc %a : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %bs = ttg.local_alloc %b : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %cm = ttg.convert_layout %c : tensor<128x128xf32, #blocked> -> tensor<128x128xf32, #mma>
    %dm = ttng.warp_group_dot %as, %bs, %cm : ... -> tensor<128x128xf32, #mma>
    %d  = ttg.convert_layout %dm : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #blocked>
    ```

    For all other products, candidates are all instructions of the target for the element types and `inputPrecision`, all
    distributions of warps over the result, several values of `kWidth`, and on AMD also transposed results, all in
    Triton's encodings.
    The choice minimises the cost of the whole function: the plan of each product, spilled registers, conversions of
    operands and results (weighted by loop depth, with the latency of their barriers), and the layouts of all other
    values. In attention, for example, the first of the two chained products keeps each row in one warp if that saves
    the exchange between warps in front of the second product. `explain` states the choice.

    A product does not change if multiplications and additions in each lane cost least, or if the target has no
    instruction for the types: f32 with `inputPrecision = ieee` on NVIDIA GPUs, or a sum of f16 on CDNA and gfx11.

    The pass corresponds to Triton's `tritongpu-accelerate-matmul` and `tritonamdgpu-accelerate-matmul`. It does not
    choose instructions with operands in tensor memory (`tcgen05`).

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
    LL_TritonIndices,
    Option<"explain", "explain", "bool", "false",
           "Emit a remark at each product: the chosen instruction, or the reason for none, and the reason against `wgmma`">
  ];
  let dependentDialects = ["::ll::ttng::TritonNvidiaGPUDialect"];
}

def ChooseDescriptorEncodings : Pass<"choose-descriptor-encodings", "::mlir::ModuleOp"> {
  let summary = "Choose the layout in shared memory of the blocks of tensor descriptors";
  let description = [{
    A `!tt.tensordesc` without encoding gets the `#ttg.nvmma_shared` with the widest swizzle that the rows of its block
    fill: 128, 64 or 32 bytes, or none for narrower rows and for fewer than 8 rows. The launcher encodes the descriptors
    of arguments for this layout. Modules for GPUs without TMA, and for clusters, are unchanged. The pass corresponds to
    Triton's `triton-nvidia-optimize-descriptor-encoding`.

    Before:
    ```mlir
    #rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
      tt.func @f(%d: !tt.tensordesc<64x64xf16>, %i: i32) -> tensor<64x64xf16, #rows> {
        %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16, #rows>
        tt.return %x : tensor<64x64xf16, #rows>
      }
    }
    ```
    After:
    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    #shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
    module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
      tt.func @f(%arg0: !tt.tensordesc<64x64xf16, #shared>, %arg1: i32) -> tensor<64x64xf16, #blocked> {
        %0 = tt.descriptor_load %arg0[%arg1, %arg1] : !tt.tensordesc<64x64xf16, #shared> -> tensor<64x64xf16, #blocked>
        tt.return %0 : tensor<64x64xf16, #blocked>
      }
    }
    ```
  }];
  let options = [LL_Target];
}

def LowerDescriptors : Pass<"lower-descriptors", "::mlir::ModuleOp"> {
  let summary = "Lower accesses through tensor descriptors to TMA copies";
  let description = [{
    `tt.descriptor_load` becomes a TMA copy to a buffer, a wait at an mbarrier, and a load of the buffer; a load that
    only fills a buffer fills it directly. `tt.descriptor_store` and `tt.descriptor_reduce` become a buffer, a TMA copy
    from it, and a wait until the bytes are in global memory. `tt.make_tensor_descriptor` writes a descriptor to scratch
    memory in global memory (`abi=triton`). `tt.descriptor_gather` and `tt.descriptor_scatter` are unchanged, as are
    modules for GPUs without TMA and for clusters. The pass corresponds to Triton's `triton-nvidia-tma-lowering`.

    Before:
    ```mlir
    #rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    #shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
    module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
      tt.func @f(%d: !tt.tensordesc<64x64xf16, #shared>, %x: tensor<64x64xf16, #rows>, %i: i32) {
        tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<64x64xf16, #shared>, tensor<64x64xf16, #rows>
        tt.return
      }
    }
    ```
    After:
    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    #shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
    #smem = #ttg.shared_memory
    module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
      tt.func @f(%arg0: !tt.tensordesc<64x64xf16, #shared>, %arg1: tensor<64x64xf16, #blocked>, %arg2: i32) {
        %0 = ttg.local_alloc %arg1 : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
        ttng.async_tma_copy_local_to_global %arg0[%arg2, %arg2] %0 : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<64x64xf16, #shared, #smem>
        ttng.async_tma_store_wait {pendings = 0 : i32}
        tt.return
      }
    }
    ```
  }];
  let options = [LL_Target];
  let dependentDialects = ["::ll::ttng::TritonNvidiaGPUDialect", "::mlir::arith::ArithDialect"];
}

def RemoveLayoutConversions : Pass<"remove-layout-conversions", "::mlir::ModuleOp"> {
  let summary = "Assign layouts to all values of a kernel at minimal cost";
  let description = [{
    The layouts of all values are chosen jointly to minimise the cost of the kernel: conversions, reductions and scans
    by the costs of their plans, memory accesses by the sectors that they touch, other operations by their
    instructions, all weighted by loop depth. Constants, ranges and addresses are rematerialised if that is cheaper
    than a conversion. The kernel is then rewritten once. Its predicted cost never increases, and a second run changes
    nothing.

    Loads and stores of whole tensors keep their layouts unless `memory=free`, and so do products, atomic accesses,
    calls and all operations that require a layout or are unknown. One exception: if a tensor of the same shape is
    scanned along another axis than the contiguous dimension, loads and stores may give each thread consecutive elements
    along this axis, with narrower vectors. A warp still accesses whole rows.

    Each conversion costs `conversion-cost=N` cycles more than its plan, independent of its execution count. The
    default of 130 cycles models the latency of a conversion, which its plan does not contain. With N = 0, small
    conversions stay in the loop of a matrix product if another layout saves a few predicted cycles; on an H200, such
    conversions took 6 % of the loop's time. Use N = 0 to consider only the costs of plans, and a larger N to reduce
    code size or register pressure. `barrier-cost=N` adds to this penalty where a thread block has several warps, since
    conversions through shared memory then need barriers. Where a thread block has one warp, the penalty is at most 10
    cycles per execution instead, for conversions that move data and for each access of a load but the first; it is part
    of the predicted cycles. Otherwise the predicted cycles do not include the penalties, so that they may exceed the
    predicted cycles of the input. Among assignments of equal cost, the assignment with the fewest conversions is chosen.

    With `num-stages=N` and `distinct-arguments`, the same options as of a later `pipeline-loops`, a value that this pass
    prefetches costs a read of shared memory in any layout that takes no more registers per thread than the layout of its
    load, without a penalty. Its conversion then moves in front of arithmetic on the value. This does not apply to
    functions whose live tensors take more than 1.5 times the registers of a thread.

    With `min-gain=N`, a function changes only if its predicted cycles fall by at least N percent. Use this option for
    layouts that another compiler has optimised: predictions do not distinguish layouts whose costs differ little, and
    on an H100 such changes took 1.0 to 1.5 of the time (ADR 46).

    With `scratch-budget=N`, each conversion, reduction and scan must fit in N bytes of shared memory, in addition to
    the kernel's own buffers. Use this option if shared memory limits occupancy. A conversion may then take several
    passes, or be placed elsewhere; `explain` states the cost. If no assignment fits, the operation with the largest
    excess gets an error.

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
    LL_TritonIndices,
    Option<"loopWeight", "loop-weight", "int64_t", "8",
           "Assumed number of iterations of a loop">,
    Option<"conversionCost", "conversion-cost", "int64_t", "130",
           "Penalty of each conversion beyond the cost of its plan, in cycles, independent of its execution count">,
    Option<"barrierCost", "barrier-cost", "int64_t", "0",
           "The same penalty in addition, in functions with several warps: a conversion may then need barriers">,
    LL_PrefetchStages,
    LL_DistinctArguments,
    Option<"minGain", "min-gain", "int64_t", "0",
           "Percentage of a function's predicted cycles that other layouts must save; otherwise the function is unchanged">,
    Option<"blockedScans", "blocked-scans", "bool", "false",
           "Scans get only `#ttg.blocked` layouts, which Triton's lowering requires">,
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
    elementwise operations, views, reductions, loops, branches and calls. A tensor with `#gluon.coalesced_encoding`
    gets the layout that `coalesce` chooses for its pointers. No conversion is added: conflicting requirements are an
    error that names the operations, and a tensor without any requirement is also an error. If only conversions
    constrain a tensor, it gets the layout at the other end of one of these conversions, so that the cost of plans on
    the module's GPU (default: sm_90, or gfx942 for warps of 64 lanes) is lowest.

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
    Each access to global memory through a tensor of pointers gets its own blocked layout: the dimension with the
    largest contiguity comes first, and each thread holds as many elements along this dimension as one access can
    move. Dependent accesses of one shape and order use the widest vector that any of these accesses supports, except
    that a store never exceeds the width that it supports itself. Operands are converted to the new layout, and
    results are converted back; `remove-layout-conversions` removes conversions that are not needed. The pass
    corresponds to Triton's `tritongpu-coalesce`.

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
  let options = [LL_TritonIndices];
}

def HoistLoads : Pass<"hoist-loads", "::mlir::ModuleOp"> {
  let summary = "Move loads from global memory above operations that wait for shared memory";
  let description = [{
    A back end cannot move a load above a barrier. The latency of a load after a conversion, a reduction, or an access to
    a shared-memory buffer therefore adds to the latency of the loads in front of it. This pass moves such a load up
    within its block, with the operations that compute its operands, so that both latencies overlap. A load does not
    cross stores to global memory, atomic operations, explicit barriers, assertions, or other loads. It stays if the
    tensors that are live in between would occupy more than half of the registers of a thread.

    Before:
    ```mlir
    #rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
    #shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
    module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
      tt.func @f(%p: tensor<32x16x!tt.ptr<f32>, #rows>, %q: tensor<32x16x!tt.ptr<f32>, #rows>) {
        %0 = tt.load %p : tensor<32x16x!tt.ptr<f32>, #rows>
        %1 = ttg.local_alloc %0 : (tensor<32x16xf32, #rows>) -> !ttg.memdesc<32x16xf32, #shared, #ttg.shared_memory>
        %2 = tt.load %q : tensor<32x16x!tt.ptr<f32>, #rows>
        %3 = ttg.local_load %1 : !ttg.memdesc<32x16xf32, #shared, #ttg.shared_memory> -> tensor<32x16xf32, #rows>
        %4 = arith.addf %2, %3 : tensor<32x16xf32, #rows>
        tt.store %q, %4 : tensor<32x16x!tt.ptr<f32>, #rows>
        tt.return
      }
    }
    ```
    After:
    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
    #shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
    #smem = #ttg.shared_memory
    module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
      tt.func @f(%arg0: tensor<32x16x!tt.ptr<f32>, #blocked>, %arg1: tensor<32x16x!tt.ptr<f32>, #blocked>) {
        %0 = tt.load %arg0 : tensor<32x16x!tt.ptr<f32>, #blocked>
        %1 = tt.load %arg1 : tensor<32x16x!tt.ptr<f32>, #blocked>
        %2 = ttg.local_alloc %0 : (tensor<32x16xf32, #blocked>) -> !ttg.memdesc<32x16xf32, #shared, #smem>
        %3 = ttg.local_load %2 : !ttg.memdesc<32x16xf32, #shared, #smem> -> tensor<32x16xf32, #blocked>
        %4 = arith.addf %1, %3 : tensor<32x16xf32, #blocked>
        tt.store %arg1, %4 : tensor<32x16x!tt.ptr<f32>, #blocked>
        tt.return
      }
    }
    ```
  }];
}

def ChooseTransferLayouts : Pass<"choose-transfer-layouts", "::mlir::ModuleOp"> {
  let summary = "Choose the layouts of tensors that are written to transposed buffers";
  let description = [{
    A tensor that is read from a buffer and only written to another one may have any layout. If other elements are
    adjacent in the two buffers, as with an operand of `wgmma` that is transposed, the layout of a load from global memory
    has bank conflicts: with rows of 128 bytes, all lanes of a store hit two banks. Here each thread transposes a tile of
    vectors of both buffers, and the lanes reach different banks in both. The layout changes where the plans of the accesses
    then cost less. If the tensor has other users, the copy gets a read of its own. A tensor that is not read from a buffer, such as
    a loaded one, is converted before the write where the plan of the conversion costs less than the conflicts.

    Before:
    ```mlir
    #rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
    #from = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
    #to = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
    module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
      tt.func @f(%from: !ttg.memdesc<32x128xf32, #from, #ttg.shared_memory, mutable>) -> !ttg.memdesc<32x128xf32, #to, #ttg.shared_memory> {
        %0 = ttg.local_load %from : !ttg.memdesc<32x128xf32, #from, #ttg.shared_memory, mutable> -> tensor<32x128xf32, #rows>
        %1 = ttg.local_alloc %0 : (tensor<32x128xf32, #rows>) -> !ttg.memdesc<32x128xf32, #to, #ttg.shared_memory>
        tt.return %1 : !ttg.memdesc<32x128xf32, #to, #ttg.shared_memory>
      }
    }
    ```
    After:
    ```mlir
    #linear = #ttg.linear<{register = [[1, 0], [0, 1], [0, 2], [0, 16], [16, 0]], lane = [[2, 0], [4, 0], [0, 4], [8, 0], [0, 8]], warp = [[0, 32], [0, 64]], block = []}>
    #shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
    #shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
    #smem = #ttg.shared_memory
    module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
      tt.func @f(%arg0: !ttg.memdesc<32x128xf32, #shared, #smem, mutable>) -> !ttg.memdesc<32x128xf32, #shared1, #smem> {
        %0 = ttg.local_load %arg0 : !ttg.memdesc<32x128xf32, #shared, #smem, mutable> -> tensor<32x128xf32, #linear>
        %1 = ttg.local_alloc %0 : (tensor<32x128xf32, #linear>) -> !ttg.memdesc<32x128xf32, #shared1, #smem>
        tt.return %1 : !ttg.memdesc<32x128xf32, #shared1, #smem>
      }
    }
    ```
  }];
}

def ReduceDataDuplication : Pass<"reduce-data-duplication", "::mlir::ModuleOp"> {
  let summary = "Move operands of products through shared-memory buffers";
  let description = [{
    A conversion to `#ttg.dot_op` through shared memory becomes a `ttg.local_alloc` and a `ttg.local_load`: each
    element is stored once, and many threads read it. The `ttg.local_load` is placed at the first use of the operand,
    so that global loads between the two operations do not wait for the buffer's barrier. If the first use is in a
    loop, the `ttg.local_load` is placed in front of the loop, unless the loop would then spill registers. The swizzle
    is the swizzle that is cheapest to fill and to read on the module's GPU; Triton's
    `tritongpu-reduce-data-duplication` takes the swizzle from a table. With `only-cheaper`, a conversion is kept if
    its plan costs less than the buffer and its result takes at most 16 32-bit words per thread. All conversions of one
    tensor in a block, to any layout, then read one buffer if a store and their loads cost less than their plans, and if
    eight such buffers fit in shared memory.

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
           "Keep conversions whose plans cost less than a buffer; let several conversions of a tensor share one">
  ];
}

def PipelineLoops : Pass<"pipeline-loops", "::mlir::ModuleOp"> {
  let summary = "Prefetch operands of products in loops by asynchronous copies";
  let description = [{
    A load in a loop that feeds a product of the loop becomes an asynchronous copy to shared memory, which starts
    `num-stages` - 1 iterations before the product. The buffer of the load becomes `num-stages` slots: iteration `i`
    reads slot `i` modulo `num-stages`. A load without a buffer gets one, from which each thread reads what it has
    copied. Copies after the last iteration are masked off. A loop with `tt.num_stages` prefetches its other loads of
    tensors as well. The pass corresponds to Triton's `tritongpu-pipeline`; the copies of an iteration start before its
    reads, so that the loop needs one barrier instead of two.

    If the buffer of a load transposes the tensor, copies to it would be narrow. Copies of 16 bytes then fill a swizzled
    slot, and threads copy the slot to the buffer.

    A product of warp groups whose result is only yielded stays in flight while the next product starts. If this is
    the product of the next iteration, the buffers get one slot more. If the iteration also needs results of other
    products, this happens only if a single block is resident per processor. If TMA makes all copies, at most two iterations
    ahead, and another block is resident, the iteration waits for its product.

    A loop is unchanged if it writes to global memory (but for stores to other arguments than the loads', with
    `distinct-arguments`), contains a loop, or has asynchronous copies already; if the
    addresses depend on other operations than arithmetic and loads; if the GPU lacks copies to any shared address; or
    if two slots do not fit in shared memory. `explain` gives the reason.

    Before:
    ```mlir
    #rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
    #mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
    #left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
    #right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
    #shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
    module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {
      tt.func @f(%p: tensor<64x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x16xf16, #right>, %n: i32) -> tensor<64x16xf32, #mma> {
        %zero = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %none = arith.constant dense<0.0> : tensor<64x16xf32, #mma>
        %offset = arith.constant dense<32> : tensor<64x32xi32, #rows>
        %sum, %end = scf.for %i = %zero to %n step %one iter_args(%c = %none, %at = %p) -> (tensor<64x16xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #rows>) : i32 {
          %x = tt.load %at : tensor<64x32x!tt.ptr<f16>, #rows>
          %buffer = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>
          %left = ttg.local_load %buffer : !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory> -> tensor<64x32xf16, #left>
          %d = tt.dot %left, %y, %c : tensor<64x32xf16, #left> * tensor<32x16xf16, #right> -> tensor<64x16xf32, #mma>
          %next = tt.addptr %at, %offset : tensor<64x32x!tt.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
          scf.yield %d, %next : tensor<64x16xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #rows>
        }
        tt.return %sum : tensor<64x16xf32, #mma>
      }
    }
    ```
    After:
    ```mlir
    ...
        %0 = ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16, #shared, #smem, mutable>
        ...
        %11 = ttg.async_copy_global_to_local %arg0, %9 mask %10 : tensor<64x32x!tt.ptr<f16>, #blocked> -> <64x32xf16, #shared, #smem, mutable>
        %12 = ttg.async_commit_group tokens %11
        ...
          %26 = ttg.async_wait {num = 1 : i32}
          ...
          %31 = ttg.async_copy_global_to_local %arg5, %29 mask %30 : tensor<64x32x!tt.ptr<f16>, #blocked> -> <64x32xf16, #shared, #smem, mutable>
          %32 = ttg.async_commit_group tokens %31
          ...
          %39 = ttg.memdesc_index %0[%arg6] : !ttg.memdesc<3x64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
          %40 = ttg.local_load %39 : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
          ...
        ttg.local_dealloc %0 : !ttg.memdesc<3x64x32xf16, #shared, #smem, mutable>
    ...
    ```
  }];
  let options = [
    LL_Target,
    LL_NumStages,
    LL_TritonIndices,
    LL_DistinctArguments,
    Option<"explain", "explain", "bool", "false",
           "Emit a remark at each loop: the slots, or the reason for none">
  ];
  let dependentDialects = ["::ll::ttng::TritonNvidiaGPUDialect"];
}

def OptimizeThreadLocality : Pass<"optimize-thread-locality", "::mlir::ModuleOp"> {
  let summary = "Avoid data exchange between threads in reductions and gathers";
  let description = [{
    A `tt.reshape` with `allow_reorder` gets a layout in which a reduction along one axis stays within threads. A
    `tt.gather` gets a layout with whole rows of its source in each warp, if its plan then costs less. If a loop reduces
    tensors along the last dimension and accumulates the results with the operation of the reduction, each thread
    accumulates its own elements, and one reduction follows the loop; this reassociates sums of floats.
    `remove-layout-conversions` removes conversions that are not needed. The pass corresponds to Triton's
    `tritongpu-optimize-thread-locality`.

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
    An elementwise operation whose operands are `tt.splat`s is computed once, on scalars. An elementwise operation
    whose operands are `tt.broadcast`s from the same shape is computed on that shape. A thread then computes on the
    registers of a row instead of the registers of a tile. The pass corresponds to Triton's
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

def OrderReshapes : Pass<"order-reshapes", "::mlir::ModuleOp"> {
  let summary = "Keep the order of elements in reshapes";
  let description = [{
    A `tt.reshape` with `allow_reorder` becomes one without, followed by a conversion to the layout of before.
    `remove-layout-conversions` then finds a layout of the result in which no conversion is needed, as for a reduction of
    all elements. A reshape with `efficient_layout` is unchanged.

    Before:
    ```mlir
    #rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
    #line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%x: tensor<8x64xf32, #rows>) -> tensor<512xf32, #line> {
        %0 = tt.reshape %x allow_reorder : tensor<8x64xf32, #rows> -> tensor<512xf32, #line>
        tt.return %0 : tensor<512xf32, #line>
      }
    }
    ```
    After:
    ```mlir
    ...
    #blocked2 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%arg0: tensor<8x64xf32, #blocked>) -> tensor<512xf32, #blocked1> {
        %0 = tt.reshape %arg0 : tensor<8x64xf32, #blocked> -> tensor<512xf32, #blocked2>
        %1 = ttg.convert_layout %0 : tensor<512xf32, #blocked2> -> tensor<512xf32, #blocked1>
        tt.return %1 : tensor<512xf32, #blocked1>
      }
    }
    ```
  }];
}

def LayoutPipeline : Pass<"layout-pipeline", "::mlir::ModuleOp"> {
  let summary = "Lower kernels with default layouts to the LLVM dialect";
  let description = [{
    Runs `resolve-auto-layouts`, `order-reshapes`, `coalesce`, `decompose-products`, `choose-matrix-instructions`,
    `choose-descriptor-encodings`, `remove-layout-conversions`, `reduce-data-duplication` with `only-cheaper`,
    `fold-layout-conversions`, `pipeline-loops`, `lower-descriptors`, `choose-transfer-layouts`, `hoist-loads` and
    `convert-layouts-to-llvm`, in this order. The input is IR that Triton's `convert-triton-to-tritongpu` has produced.

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
        %7 = llvm.load %6 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        ...
        llvm.store %20, %6 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
        llvm.return
      }
    }
    ```
  }];
  let options = [LL_Target, LL_Abi, LL_Shared, LL_SharedLimit, LL_TritonIndices, LL_Memory, LL_NumStages,
                 LL_DistinctArguments,
                 Option<"lower", "lower", "bool", "true",
                        "Run `convert-layouts-to-llvm` at the end; `false` leaves TTGIR with layouts">];
  let dependentDialects = !listconcat(LL_LoweredDialects, ["::ll::ttng::TritonNvidiaGPUDialect"]);
}

#endif
