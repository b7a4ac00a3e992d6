//! Selection of the kernel and the machine, and launch parameters of a module.

use crate::error::{FaultKind, KernelError};
use crate::ir::{Attribute, Operation};
use crate::launch::Machine;
use linear_layout::target::Target;

/// The launch parameters in the attributes of a module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModuleInfo {
    /// The target `ttg.target`, such as `cuda:90` or `hip:gfx942`.
    pub target: Option<String>,
    /// Lanes per warp, `ttg.threads-per-warp`.
    pub threads_per_warp: Option<u32>,
    /// Warps per block, `ttg.num-warps`.
    pub num_warps: Option<u32>,
    /// Bytes of dynamic shared memory, `ttg.shared`.
    pub shared: Option<u32>,
    /// Bytes of global scratch memory and of profile scratch memory per thread block, from the attributes
    /// `ttg.global_scratch_memory_size` and `ttg.profile_scratch_memory_size`. If the module does not have the
    /// first attribute, this is `None`, and the kernel has no parameters for the addresses of scratch memory.
    pub scratch: Option<[u32; 2]>,
}

pub(super) fn collect_top<'m>(root: &'m Operation, out: &mut Vec<&'m Operation>) {
    for op in root
        .regions
        .iter()
        .flatten()
        .flat_map(|block| &block.operations)
    {
        if matches!(&*op.name, "builtin.module" | "gpu.module") {
            collect_top(op, out);
        } else {
            out.push(op);
        }
    }
}

pub(super) fn has_body(function: &Operation) -> bool {
    let body = function.regions.first();
    body.is_some_and(|blocks| !blocks.is_empty())
}

pub(super) fn pick_kernel<'m>(
    functions: &[&'m Operation],
    entry: Option<&str>,
) -> Result<&'m Operation, KernelError> {
    let bodies = functions.iter().copied().filter(|f| has_body(f));
    let bodies: Vec<&Operation> = bodies.collect();
    let is_kernel = |f: &&&Operation| {
        f.attribute("nvvm.kernel").is_some() || f.attribute("rocdl.kernel").is_some()
    };
    let marked: Vec<&Operation> = bodies.iter().filter(is_kernel).copied().collect();
    let candidates = if marked.is_empty() { &bodies } else { &marked };
    let names = || {
        let names = bodies.iter().filter_map(|f| f.str("sym_name"));
        names
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let launch = |text: String| KernelError::new(FaultKind::Launch, text);
    match (entry, candidates.as_slice()) {
        (Some(entry), _) => bodies
            .iter()
            .copied()
            .find(|f| f.str("sym_name") == Some(entry))
            .ok_or_else(|| {
                launch(format!("the module has no function `{entry}` with a body"))
                    .note(format!("the functions with a body are {}", names()))
            }),
        (None, [kernel]) => Ok(kernel),
        (None, []) => Err(
            launch("the module has no `llvm.func` with a body".to_owned())
                .note("lower the module to the LLVM dialect first"),
        ),
        (None, _) => Err(launch("the module has several kernels".to_owned())
            .note(format!("choose one of {}", names()))),
    }
}

pub(super) fn module_info(root: &Operation) -> ModuleInfo {
    let count = |name| root.int(name).and_then(|value| u32::try_from(value).ok());
    ModuleInfo {
        target: root.str("ttg.target").map(str::to_owned),
        threads_per_warp: count("ttg.threads-per-warp"),
        num_warps: count("ttg.num-warps"),
        shared: count("ttg.shared"),
        scratch: count("ttg.global_scratch_memory_size")
            .map(|bytes| [bytes, count("ttg.profile_scratch_memory_size").unwrap_or(0)]),
    }
}

/// Returns the machine of the module's target. If the module has no target, a kernel with the attribute
/// `rocdl.kernel` or with a ROCDL operation gets an AMD machine, and any other kernel gets an NVIDIA machine.
pub(super) fn machine_of(kernel: &Operation, info: &ModuleInfo) -> Result<Machine, KernelError> {
    let Some(name) = &info.target else {
        let blocks = kernel.regions.iter().flatten();
        let uses_rocdl = blocks
            .flat_map(|block| &block.operations)
            .any(|op| op.name.starts_with("rocdl."));
        return Ok(
            if uses_rocdl || kernel.attribute("rocdl.kernel").is_some() {
                Machine::amd(info.threads_per_warp.unwrap_or(64))
            } else {
                Machine::nvidia()
            },
        );
    };
    let target = Target::parse(name).map_err(|error| {
        KernelError::new(FaultKind::Launch, format!("the module has an {error}"))
    })?;
    let mut machine = Machine::of(target);
    if let Some(lanes) = info.threads_per_warp {
        if !target.warp_sizes.contains(&lanes) {
            let sizes: Vec<String> = target.warp_sizes.iter().map(u32::to_string).collect();
            let text = format!(
                "target `{name}` has warps of {} lanes, but the module has warps of {lanes} lanes",
                sizes.join(" or ")
            );
            return Err(KernelError::new(FaultKind::Launch, text)
                .note("change the attribute `ttg.threads-per-warp`"));
        }
        machine.lanes_per_warp = lanes;
    }
    Ok(machine)
}

/// Returns the sizes along x, y and z that the attribute `attribute` of the kernel specifies. An axis that the
/// attribute omits has size 1. Returns `None` if the kernel does not have the attribute.
fn sizes(kernel: &Operation, attribute: &str) -> Option<[u32; 3]> {
    let axes = |values: &[i64]| {
        let mut sizes = [1; 3];
        for (size, &value) in sizes.iter_mut().zip(values) {
            *size = u32::try_from(value).unwrap_or(0);
        }
        sizes
    };
    match kernel.attribute(attribute)? {
        Attribute::Ints(values) => Some(axes(values)),
        Attribute::Array(values) => {
            let values = values.iter().filter_map(|v| match v {
                Attribute::Int(v, _) => i64::try_from(*v).ok(),
                _ => None,
            });
            Some(axes(&values.collect::<Vec<_>>()))
        }
        _ => None,
    }
}

/// Returns the blocks per cluster along each axis, 1 by default.
pub(super) fn cluster_size(kernel: &Operation) -> [u32; 3] {
    let size = sizes(kernel, "nvvm.cluster_dim");
    size.map_or([1; 3], |size| size.map(|blocks| blocks.max(1)))
}

pub(super) fn block_size(
    kernel: &Operation,
    info: &ModuleInfo,
    machine: Machine,
) -> Option<[u32; 3]> {
    let names = ["nvvm.reqntid", "rocdl.reqd_work_group_size"];
    if let Some(size) = names.iter().find_map(|name| sizes(kernel, name)) {
        return Some(size);
    }
    // "128,128" fixes the size; "1,256" is a range.
    let flat = kernel
        .str("rocdl.flat_work_group_size")
        .and_then(|text| text.split_once(','));
    if let Some((low, high)) = flat
        && low.trim() == high.trim()
        && let Ok(threads) = low.trim().parse()
    {
        return Some([threads, 1, 1]);
    }
    info.num_warps
        .map(|warps| [warps * machine.lanes_per_warp, 1, 1])
}
