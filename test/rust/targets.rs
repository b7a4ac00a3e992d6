//! The table of targets, compared with LLVM's assembler and back ends.

use linear_layout::target::{Assembly, ScaledConversion, TARGETS, Target};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs a tool of the LLVM installation with which the project is built. It reads `input` from standard input and
/// writes no file.
fn llvm(tool: &str, arguments: &[&str], input: &str) -> Output {
    let path = Path::new(env!("MLIR_SYS_220_PREFIX"))
        .join("bin")
        .join(tool);
    let mut child = Command::new(&path)
        .args(arguments)
        .args(["-filetype=null", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|reason| panic!("{}: {reason}", path.display()));
    let mut stdin = child.stdin.take().unwrap();
    // A tool that fails may not read all of its input.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// Returns the targets whose assembly language is `assembly`.
fn targets(assembly: Assembly) -> impl Iterator<Item = &'static Target> {
    TARGETS.iter().filter(move |t| t.assembly == assembly)
}

/// The text of an AMD instruction, and a function that tells if a target has it according to the target table.
type Instruction = (&'static str, fn(&Target) -> bool);

const AMD: [Instruction; 12] = [
    ("v_permlane16_swap_b32 v0, v1", |t| t.has_lane_swap(4)),
    ("v_permlane32_swap_b32 v0, v1", |t| t.has_lane_swap(5)),
    ("v_permlanex16_b32 v0, v1, s0, s1", |t| {
        t.instructions.permlane_x16
    }),
    (
        "v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
        |t| t.instructions.dpp,
    ),
    (
        "v_mov_b32_dpp v0, v1 row_ror:8 row_mask:0xf bank_mask:0xf",
        |t| t.instructions.dpp,
    ),
    (
        "v_mov_b32_dpp v0, v1 row_xmask:1 row_mask:0xf bank_mask:0xf",
        |t| t.instructions.dpp_xmask,
    ),
    // One spelling on CDNA 4, another since.
    ("ds_read_b64_tr_b16 v[0:1], v2", |t| {
        t.instructions.read_transposed
    }),
    ("ds_load_tr16_b128 v[0:3], v4", |t| {
        t.instructions.load_transposed
    }),
    ("cluster_load_b32 v0, v[2:3], off", |t| {
        t.instructions.clusters
    }),
    ("v_cvt_scalef32_pk_f32_fp8 v[2:3], v3, v4", |t| {
        t.instructions.scaled_conversion == ScaledConversion::Words
    }),
    ("v_cvt_scale_pk8_f32_fp8 v[10:17], v[20:21], v8", |t| {
        t.instructions.scaled_conversion == ScaledConversion::Eights
    }),
    // gfx90a has it for words, too, which Triton does not use.
    ("buffer_load_dword v1, s[8:11], 0 offen lds", |t| {
        t.instructions.buffer_to_shared || t.name == "hip:gfx90a"
    }),
];

/// Checks that the assembler accepts an instruction exactly on those GPUs that have it according to the target
/// table.
#[test]
fn amd_instructions_are_those_of_the_assembler() {
    let text: String = AMD.iter().map(|(text, _)| format!("{text}\n")).collect();
    for target in targets(Assembly::Gcn) {
        let cpu = format!("-mcpu={}", target.llvm_cpu);
        let triple = format!("-triple={}", target.llvm_triple);
        let message = llvm("llvm-mc", &[&triple, &cpu], &text).stderr;
        let message = String::from_utf8_lossy(&message);
        for (line, (text, has)) in (1..).zip(AMD) {
            let is_taken = !message.contains(&format!("<stdin>:{line}:"));
            assert_eq!(is_taken, has(target), "{target}: {text}\n{message}");
        }
    }
}

/// Checks that the limit of shared memory in the target table is exactly that of the back end.
#[test]
fn amd_shared_memory_is_that_of_the_back_end() {
    for target in targets(Assembly::Gcn) {
        let cpu = format!("-mcpu={}", target.llvm_cpu);
        let triple = format!("-mtriple={}", target.llvm_triple);
        for (bytes, fits) in [
            (target.max_shared_bytes, true),
            (target.max_shared_bytes + 1, false),
        ] {
            let text = format!(
                "@s = addrspace(3) global [{bytes} x i8] poison
                 define amdgpu_kernel void @k(i32 %i) {{
                   %p = getelementptr i8, ptr addrspace(3) @s, i32 %i
                   store volatile i8 0, ptr addrspace(3) %p
                   ret void
                 }}"
            );
            let output = llvm("llc", &[&triple, &cpu], &text);
            assert_eq!(output.status.success(), fits, "{target}: {bytes} bytes");
        }
    }
}

/// A call of an NVIDIA intrinsic, its declaration, and a function that tells if a target has it according to the
/// target table.
type Intrinsic = (&'static str, &'static str, fn(&Target) -> bool);

const NVIDIA: [Intrinsic; 5] = [
    (
        "call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3) %p)",
        "declare i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3))",
        |t| t.instructions.load_matrix,
    ),
    (
        "call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3) %p, i32 0)",
        "declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3), i32)",
        |t| t.instructions.store_matrix,
    ),
    (
        "call {i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8.p3(ptr addrspace(3) %p)",
        "declare {i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8.p3(ptr addrspace(3))",
        |t| t.instructions.byte_matrices,
    ),
    (
        "call void @llvm.nvvm.stmatrix.sync.aligned.m16n8.x1.trans.b8.p3(ptr addrspace(3) %p, i32 0)",
        "declare void @llvm.nvvm.stmatrix.sync.aligned.m16n8.x1.trans.b8.p3(ptr addrspace(3), i32)",
        |t| t.instructions.byte_matrices,
    ),
    (
        "call void @llvm.nvvm.tcgen05.alloc.shared.cg1(ptr addrspace(3) %p, i32 32)",
        "declare void @llvm.nvvm.tcgen05.alloc.shared.cg1(ptr addrspace(3), i32)",
        // LLVM 22 compiles for sm_107 as for any GPU of compute capability 10.
        |t| t.instructions.tensor_memory && t.llvm_cpu.ends_with('a'),
    ),
];

/// Checks that the back end compiles a kernel that converts a byte to a condition in one basic block, and stores
/// the byte in another basic block.
#[test]
fn the_back_end_compiles_bytes_that_are_conditions() {
    let text =
        "define amdgpu_kernel void @k(ptr addrspace(1) %p, i1 %skip) !reqd_work_group_size !0 {
  %thread = tail call i32 @llvm.amdgcn.workitem.id.x()
  %half = and i32 %thread, 32
  %offset = sext i32 %half to i64
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %offset
  %bytes = load <4 x i8>, ptr addrspace(1) %at, align 4
  %byte = extractelement <4 x i8> %bytes, i64 2
  %is_odd = trunc i8 %byte to i1
  br i1 %skip, label %end, label %store
store:
  store i32 0, ptr addrspace(1) %p
  br label %end
end:
  %bit = select i1 %is_odd, i8 1, i8 0
  store i8 %byte, ptr addrspace(3) null
  ret void
}
!0 = !{i32 64, i32 1, i32 1}
";
    for target in targets(Assembly::Gcn) {
        let cpu = format!("-mcpu={}", target.llvm_cpu);
        let triple = format!("-mtriple={}", target.llvm_triple);
        let features = format!("-mattr={}", target.llvm_features);
        let output = llvm("llc", &[&triple, &cpu, &features, "-O3"], text);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{target}: {message}");
    }
}

/// Checks that the back end selects an instruction exactly on those GPUs that have it according to the target
/// table. Cluster instructions are not tested: the back end selects them on every GPU, and only `ptxas` rejects
/// them.
#[test]
fn nvidia_instructions_are_those_of_the_back_end() {
    for target in targets(Assembly::Ptx) {
        let cpu = format!("-mcpu={}", target.llvm_cpu);
        let triple = format!("-mtriple={}", target.llvm_triple);
        let features = format!("-mattr={}", target.llvm_features);
        for (call, declaration, has) in NVIDIA {
            let text = format!(
                "{declaration}\ndefine void @k(ptr addrspace(3) %p) {{\n {call}\n ret void\n}}\n"
            );
            let output = llvm("llc", &[&triple, &cpu, &features], &text);
            assert_eq!(output.status.success(), has(target), "{target}: {call}");
        }
    }
}
