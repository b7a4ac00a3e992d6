//! Emission of an LLVM module as text or object code.

use super::{Emit, Failure, link};
use crate::sys;
use inkwell::IntPredicate;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{FileType, TargetMachine};
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};
use linear_layout::target::{Assembly, Target};

/// Maximum number of candidates for which LLVM 22's straight-line strength reduction may run on a function. The
/// candidates are the additions, multiplications and address computations of the function.
///
/// The pass compares all pairs of candidates, at 1 to 4 µs each. For a kernel with 1500 candidates, the pass took
/// 2.2 of 2.3 seconds of compile time; without the pass, the code of this kernel is a quarter longer. Within the
/// limit, the pass took at most 0.13 s and removed up to a tenth of the instructions.
const MAX_STRENGTH_REDUCTIONS: usize = 512;

/// Replaces the limit [`MAX_STRENGTH_REDUCTIONS`] in functions with at least [`MANY_PRODUCTS`] products of two
/// variables, such as the rows of a tile times a variable stride. The pass derives each product from the one
/// before; without the pass, grouped matrix products spill up to 564 bytes. With this higher limit, the pass takes
/// about 0.15 s.
const MAX_WITH_MANY_PRODUCTS: usize = 1024;
const MANY_PRODUCTS: usize = 64;

/// Maximum number of comparisons of a sum for equality in a function for which LLVM's strength reduction in loops may run.
///
/// The pass turns `i + a == b` into `i == b - a`, and keeps each difference in a register across the loop, since it assumes
/// unlimited registers. The loss of a group-relative policy, which compares 32 columns per thread with a label, spilled 112
/// bytes.
const MAX_SUM_COMPARISONS: usize = 8;

/// Kind of output of a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Artifact {
    /// LLVM IR as text.
    Ir,
    /// PTX or AMDGCN assembly.
    Assembly,
    /// An AMD code object.
    Object,
}

impl Artifact {
    /// Returns the artifact that `emit` requests, or assembly if `emit` is `None`. Returns an error if LLVM cannot
    /// emit the artifact for the target.
    pub(super) fn choose(emit: Option<Emit>, target: &Target) -> Result<Self, Failure> {
        let requested = match emit {
            None => return Ok(Self::Assembly),
            Some(Emit::LlvmIr) => return Ok(Self::Ir),
            Some(Emit::Object) => return Self::object(target),
            Some(Emit::Ptx) => Assembly::Ptx,
            Some(Emit::Amdgcn) => Assembly::Gcn,
        };
        if requested == target.assembly {
            return Ok(Self::Assembly);
        }
        let ((format, vendor, _), (_, _, fix)) = (described(requested), described(target.assembly));
        Err(Failure::new(format!(
            "{format} is for {vendor} GPUs, but the target is `{}`",
            target.name
        ))
        .note(format!("use `{fix}`")))
    }

    fn object(target: &Target) -> Result<Self, Failure> {
        if target.has_objects {
            return Ok(Self::Object);
        }
        Err(Failure::new(format!(
            "objects for `{}` are not supported, because LLVM emits PTX, which `ptxas` assembles",
            target.name
        ))
        .note(format!(
            "use `ll-translate --emit=ptx -o kernel.ptx`, then \
             `ptxas -arch={} kernel.ptx -o kernel.cubin`",
            target.llvm_cpu
        )))
    }
}

/// Returns, for messages, the name of an assembly language, the vendor of its GPUs, and the command-line option
/// that requests this language.
fn described(assembly: Assembly) -> (&'static str, &'static str, &'static str) {
    match assembly {
        Assembly::Ptx => ("PTX", "NVIDIA", "--emit=ptx"),
        Assembly::Gcn => ("AMDGCN assembly", "AMD", "--emit=amdgcn"),
    }
}

pub(super) fn optimize(
    module: &Module<'_>,
    machine: &TargetMachine,
    optimize: u8,
) -> Result<(), Failure> {
    module.verify().map_err(|reason| {
        Failure::new(format!(
            "the translated module is not valid LLVM IR: {reason}"
        ))
    })?;
    if optimize > 0 {
        let options = PassBuilderOptions::create();
        options.set_loop_unrolling(true);
        options.set_loop_interleaving(optimize > 1);
        options.set_loop_vectorization(optimize > 1);
        options.set_loop_slp_vectorization(optimize > 1);
        module
            .run_passes(&format!("default<O{optimize}>"), machine, options)
            .map_err(|reason| Failure::new(format!("LLVM cannot optimise the module: {reason}")))?;
    }
    Ok(())
}

/// Emits a module as the given artifact. For assembly and objects, all called functions must be defined.
pub(super) fn emit(
    module: &Module<'_>,
    machine: &TargetMachine,
    artifact: Artifact,
) -> Result<Vec<u8>, Failure> {
    if artifact == Artifact::Ir {
        return Ok(module.print_to_string().to_bytes().to_vec());
    }
    let straight_line = module.get_functions().all(reduces_strength);
    let loops = module.get_functions().all(reduces_strength_in_loops);
    sys::select_strength_reduction(module, straight_line, loops);
    let file_type = match artifact {
        Artifact::Object => FileType::Object,
        Artifact::Assembly | Artifact::Ir => FileType::Assembly,
    };
    let bytes = machine
        .write_to_memory_buffer(module, file_type)
        .map_err(|reason| Failure::new(format!("LLVM cannot write the module: {reason}")))?
        .as_slice()
        .to_vec();
    match artifact {
        Artifact::Object => link::code_object(&bytes),
        // LLVM terminates text buffers by a null byte.
        Artifact::Assembly | Artifact::Ir => {
            Ok(bytes.strip_suffix(b"\0").unwrap_or(&bytes).to_vec())
        }
    }
}

/// Returns true if straight-line strength reduction may run on a function, because the function has few enough
/// candidates for the pass.
fn reduces_strength(function: FunctionValue<'_>) -> bool {
    let (mut candidates, mut products) = (0, 0);
    for block in function.get_basic_block_iter() {
        for instruction in block.get_instructions() {
            match instruction.get_opcode() {
                InstructionOpcode::Add | InstructionOpcode::GetElementPtr => candidates += 1,
                InstructionOpcode::Mul => {
                    candidates += 1;
                    products += usize::from(!has_constant_operand(instruction));
                }
                _ => {}
            }
        }
    }
    let most = match products {
        MANY_PRODUCTS.. => MAX_WITH_MANY_PRODUCTS,
        _ => MAX_STRENGTH_REDUCTIONS,
    };
    candidates <= most
}

/// Returns true if strength reduction in loops may run on a function, because the function has few comparisons for which the
/// pass would keep a register.
fn reduces_strength_in_loops(function: FunctionValue<'_>) -> bool {
    let blocks = function.get_basic_block_iter();
    let instructions = blocks.flat_map(|block| block.get_instructions());
    instructions.filter(|op| compares_sum(*op)).count() <= MAX_SUM_COMPARISONS
}

/// Returns true for a comparison for equality of a sum of two variables. LLVM turns a sum without carry into `or`.
fn compares_sum(op: InstructionValue<'_>) -> bool {
    let is_equality = matches!(
        op.get_icmp_predicate(),
        Some(IntPredicate::EQ | IntPredicate::NE)
    );
    let is_sum = |side| {
        let operand = op.get_operand(side).and_then(|operand| operand.value());
        let operand = operand.filter(|value| value.is_int_value());
        let sum = operand.and_then(|value| value.into_int_value().as_instruction());
        sum.is_some_and(|sum| {
            let sums = [InstructionOpcode::Add, InstructionOpcode::Or];
            sums.contains(&sum.get_opcode()) && !has_constant_operand(sum)
        })
    };
    is_equality && (is_sum(0) || is_sum(1))
}

/// Returns true if an operand of a product or sum is constant. Only the last operand is checked, since LLVM puts a constant
/// last.
fn has_constant_operand(op: InstructionValue<'_>) -> bool {
    let last = op.get_operand(1).and_then(|operand| operand.value());
    last.is_some_and(|last| last.is_int_value() && last.into_int_value().is_const())
}
