//! Atomic accesses as PTX: `atom`, `ld`, `st`, and `red` for an unused old value.

use super::access::Words;
use super::units;
use crate::ir::ops::{MemSemantic, MemSyncScope, RMWOp};
use crate::lower::emit::Emitter;
use crate::lower::gpu::atomic::{AtomicAccess, AtomicAction, AtomicMemory};
use crate::lower::gpu::isa::Gpu;
use crate::sys;
use crate::sys::build::Val;
use melior::ir::{Type, TypeLike};

/// Returns the name that LLVM uses for a memory scope on NVIDIA GPUs. `None` is the system scope.
pub(super) fn scope_name(scope: MemSyncScope) -> Option<&'static str> {
    match scope {
        MemSyncScope::Cta => Some("block"),
        MemSyncScope::Gpu => Some("device"),
        MemSyncScope::System => None,
    }
}

fn is_bf16(element: Type<'_>) -> bool {
    element == Type::bfloat16(sys::context_of(element.context()))
}

pub(super) fn elements(gpu: Gpu, op: RMWOp, element: Type<'_>) -> usize {
    let has_vectors = gpu.target.instructions.vector_atomics;
    match sys::float_width(element) {
        _ if op != RMWOp::Fadd => 1,
        Some(32) if has_vectors => 4,
        // Two elements per word, up to four words.
        Some(16) if has_vectors => 8,
        Some(16) if !is_bf16(element) => 2,
        _ => 1,
    }
}

/// Returns the PTX operation and the PTX type of an atomic access, for example `add.noftz` and `f16x2`. Returns
/// `None` if PTX has no operation for this access. The caller then emits an atomic operation of LLVM instead.
fn opcode(
    gpu: Gpu,
    access: &AtomicAccess<'_, '_>,
    action: &AtomicAction<'_>,
) -> Option<(&'static str, String)> {
    let at = &access.at;
    let bits = at.element_bits;
    let AtomicAction::Rmw(op, _) = action else {
        // Compare-exchange, loads and stores are untyped.
        let is_compared = matches!(action, AtomicAction::CompareExchange(_));
        return (!is_compared || bits >= 16).then(|| ("cas", format!("b{bits}")));
    };
    if *op == RMWOp::Fadd {
        let is_packed = at.width > 1 && bits == 16;
        let half = match (is_bf16(at.element), is_packed) {
            (false, false) => "f16",
            (false, true) => "f16x2",
            (true, false) => "bf16",
            (true, true) => "bf16x2",
        };
        return match bits {
            16 if is_bf16(at.element) && !gpu.target.instructions.vector_atomics => None,
            16 => Some(("add.noftz", half.to_owned())),
            _ => Some(("add", format!("f{bits}"))),
        };
    }
    let (name, kind) = match op {
        RMWOp::And => ("and", 'b'),
        RMWOp::Or => ("or", 'b'),
        RMWOp::Xor => ("xor", 'b'),
        RMWOp::Xchg => ("exch", 'b'),
        RMWOp::Add | RMWOp::Fadd => ("add", 'u'),
        RMWOp::Max => ("max", 's'),
        RMWOp::Min => ("min", 's'),
        RMWOp::Umax => ("max", 'u'),
        RMWOp::Umin => ("min", 'u'),
    };
    (bits >= 32).then(|| (name, format!("{kind}{bits}")))
}

/// Emits an atomic access. Returns `None` for a store, otherwise the old value, or 0 if the mask is false. The
/// returned value is undefined if `access.is_used` is false.
pub(super) fn access<'c>(
    gpu: Gpu,
    e: &mut Emitter<'c>,
    access: &AtomicAccess<'_, 'c>,
    action: AtomicAction<'c>,
) -> Option<Val<'c>> {
    let Some((name, type_)) = opcode(gpu, access, &action) else {
        return access.by_llvm(e, action, scope_name(access.scope));
    };
    let at = &access.at;
    let memory = match access.memory {
        AtomicMemory::Global => "global",
        AtomicMemory::Shared => "shared",
    };
    let order = format!("{}.{}.{memory}", access.sem.name(), access.scope.name());
    let words = Words::of(e, at);
    // `red` cannot acquire, and there is no `red.exch`.
    let is_red = !access.is_used
        && matches!(access.sem, MemSemantic::Relaxed | MemSemantic::Release)
        && !matches!(action, AtomicAction::Rmw(RMWOp::Xchg, _));
    let (opcode, values) = match action {
        AtomicAction::Rmw(_, value) => {
            let verb = if is_red { "red" } else { "atom" };
            let opcode = format!("{verb}.{order}.{name}{}.{type_}", words.suffix());
            (opcode, vec![value])
        }
        AtomicAction::CompareExchange(values) => {
            (format!("atom.{order}.{name}.{type_}"), values.to_vec())
        }
        AtomicAction::Load => (format!("ld.{order}.{type_}"), Vec::new()),
        AtomicAction::Store(value) => (format!("st.{order}.{type_}"), vec![value]),
    };
    let has_result = match action {
        AtomicAction::Rmw(..) => !is_red,
        AtomicAction::CompareExchange(_) | AtomicAction::Load => true,
        AtomicAction::Store(_) => false,
    };
    let results = if has_result { words.count } else { 0 };

    let mut constraints = vec![format!("={}", words.constraint); results];
    let (pointer, constraint) = match access.memory {
        AtomicMemory::Global => (at.pointer, "l"),
        AtomicMemory::Shared => (units::address(e, at.pointer), "r"),
    };
    let mut operands = vec![pointer];
    constraints.push(constraint.to_owned());
    let mut arguments = format!("[${results}]");
    for value in values {
        arguments += &format!(", {}", words.list(results + operands.len()));
        let parts = words.split(e, value);
        constraints.extend(vec![words.constraint.to_owned(); parts.len()]);
        operands.extend(parts);
    }
    let mut text = String::new();
    if let Some(mask) = at.mask {
        for i in 0..results {
            text += &format!("mov.{} ${i}, 0x0;\n", words.register);
        }
        text += &format!("@${} ", results + operands.len());
        constraints.push("b".to_owned());
        operands.push(mask);
    }
    text += &if has_result {
        format!("{opcode} {}, {arguments};", words.list(0))
    } else {
        format!("{opcode} {arguments};")
    };
    let result = has_result.then(|| words.result_type(e));
    let found = e.inline_asm(&text, &constraints.join(","), &operands, result);
    let type_ = at.type_(e);
    match found {
        Some(found) => Some(words.join(e, found, type_)),
        // The old value is unused.
        None if !matches!(action, AtomicAction::Store(_)) => Some(e.undefined(type_)),
        None => None,
    }
}
