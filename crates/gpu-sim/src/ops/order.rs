//! Memory order and scope of atomic accesses; fences.

use super::{Family, OpRow, row};
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder, keyword};
use crate::exec::{Channel, Exec, Guard, Instruction, Regs};
use crate::ir::Operation;
use gpu_race::{Scope, Sync};
use linear_layout::target::Assembly;

pub(super) const FAMILY: Family = Family {
    title: "fences",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[OpRow] = &[
    row("llvm.fence", |d, op| {
        let sync = sync(d, op, "ordering")?;
        match sync {
            Some(sync) => fence(d, sync, None),
            None => Ok(()),
        }
    }),
    row("nvvm.memory.barrier", |d, op| {
        // An enum attribute prints as a name or as a number.
        let scope = match (op.str("scope").map(keyword), op.int("scope")) {
            (Some("cta"), _) | (_, Some(0)) => Scope::Block,
            (Some("cluster"), _) | (_, Some(1)) => Scope::Cluster,
            (Some("gpu"), _) | (_, Some(2)) => Scope::Device,
            _ => Scope::System,
        };
        fence(d, both_ways(scope), None)
    }),
    row("nvvm.fence.sc.cluster", |d, _| {
        fence(d, both_ways(Scope::Cluster), None)
    }),
];

/// Returns an acquire-release order with the scope `scope`.
pub(super) const fn both_ways(scope: Scope) -> Sync {
    Sync {
        acquires: true,
        releases: true,
        scope,
    }
}

#[derive(Debug)]
struct Fence {
    sync: Sync,
    guard: Option<Guard>,
}

impl Instruction for Fence {
    fn regs(&self) -> Regs {
        let guard: Vec<Reg> = self.guard.iter().map(|guard| guard.reg).collect();
        Regs::new([], guard)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.fence(self.sync, self.guard);
        if self.sync.releases && exec.launch.machine.assembly == Assembly::Gcn {
            // The back end waits for all copies to LDS before a release.
            return exec.wait_for_copies(Channel::Vector, 0, false);
        }
        Ok(())
    }
}

/// Emits a fence. Emits nothing if the scope of the fence is at most a warp, or if its memory order is relaxed.
pub(super) fn fence(d: &mut Decoder<'_>, sync: Sync, guard: Option<Guard>) -> DecodeResult {
    if sync.scope > Scope::Warp && (sync.acquires || sync.releases) {
        d.b.orders_threads();
        d.b.push(Fence { sync, guard });
    }
    Ok(())
}

fn scope(name: &str) -> Option<Scope> {
    // AMD's `-one-as` scopes order only one address space.
    let name = match name {
        "one-as" => "",
        name => name.strip_suffix("-one-as").unwrap_or(name),
    };
    Some(match name {
        "singlethread" => Scope::Thread,
        "wavefront" => Scope::Warp,
        "block" | "workgroup" => Scope::Block,
        "cluster" => Scope::Cluster,
        "device" | "agent" => Scope::Device,
        "" => Scope::System,
        _ => return None,
    })
}

/// Returns the memory order in the attribute `key`; `None` for a non-atomic operation. A volatile access counts as
/// a relaxed atomic access with system scope, as in PTX. Kernels for AMD GPUs use volatile accesses in the same
/// way.
pub(super) fn sync(d: &Decoder<'_>, op: &Operation, key: &str) -> DecodeResult<Option<Sync>> {
    let order = op.int(key).unwrap_or(0);
    if order == 0 {
        let is_volatile = op.attribute("volatile_").is_some();
        return Ok(is_volatile.then_some(Sync::relaxed(Scope::System)));
    }
    let name = op.str("syncscope").unwrap_or("");
    let Some(scope) = scope(name) else {
        let text = format!(
            "unknown synchronization scope `{name}`; expected `block`, `cluster` or `device` on NVIDIA GPUs, \
             `workgroup`, `cluster` or `agent` on AMD GPUs, or no scope for the system"
        );
        return Err(d.unsupported(op, text));
    };
    // LLVM's atomic orderings: 4 is acquire, 5 release, 6 both, 7 sequentially consistent.
    Ok(Some(Sync {
        acquires: matches!(order, 4 | 6 | 7),
        releases: matches!(order, 5..=7),
        scope,
    }))
}

fn scope_of_ptx(words: &[&str]) -> Option<Scope> {
    words.iter().find_map(|word| {
        Some(match *word {
            "cta" => Scope::Block,
            "cluster" => Scope::Cluster,
            "gpu" | "gl" => Scope::Device,
            "sys" => Scope::System,
            _ => return None,
        })
    })
}

/// Returns the memory order in the modifiers of a PTX statement; `None` if the statement is not atomic. The default for
/// atomic statements is relaxed with GPU scope.
pub(super) fn words_of_ptx(words: &[&str]) -> Option<Sync> {
    let says = |word: &str| words.contains(&word);
    if says("volatile") {
        return Some(Sync::relaxed(Scope::System));
    }
    let is_atomic = matches!(words[0], "atom" | "red");
    let acquires = says("acquire") || says("acq_rel");
    let releases = says("release") || says("acq_rel");
    if !is_atomic && !acquires && !releases && !says("relaxed") {
        return None;
    }
    Some(Sync {
        acquires,
        releases,
        scope: scope_of_ptx(words).unwrap_or(Scope::Device),
    })
}
