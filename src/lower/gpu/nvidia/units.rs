//! The units of Hopper by PTX: MLIR's operations have no predicate, or lack a form.

use super::Nvidia;
use crate::ir::builders::{llvm, nvvm};
use crate::lower::emit::Emitter;
use crate::lower::gpu::isa::Gpu;
use crate::lower::gpu::units::{BoxAccess, BoxDirection, DescriptorField, MbarrierAction, UnitIsa};
use crate::sys::build::Val;

/// The address of shared memory as PTX takes it, in a register of 32 bits.
fn address<'c>(e: &mut Emitter<'c>, pointer: Val<'c>) -> Val<'c> {
    let i32 = e.types.i32;
    e.pure(llvm::ptrtoint(pointer, i32))
}

impl UnitIsa for Nvidia {
    fn elected<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>) -> Val<'c> {
        let warp = gpu.warp(e);
        let is_first = e.is_zero(warp);
        let i1 = e.types.i1;
        let elected = e.pure(nvvm::elect_sync(None, i1));
        e.and(is_first, elected)
    }

    fn mbarrier<'c>(
        &self,
        e: &mut Emitter<'c>,
        object: Val<'c>,
        action: MbarrierAction,
        by: Val<'c>,
    ) {
        let object = address(e, object);
        let asked = match action {
            MbarrierAction::Init(arrivals) => format!("init.shared::cta.b64 [$1], {arrivals}"),
            MbarrierAction::Invalidate => "inval.shared::cta.b64 [$1]".to_owned(),
            MbarrierAction::Expect(bytes) => {
                format!("arrive.expect_tx.shared::cta.b64 _, [$1], {bytes}")
            }
            MbarrierAction::Arrive(1) => "arrive.shared::cta.b64 _, [$1]".to_owned(),
            MbarrierAction::Arrive(count) => format!("arrive.shared::cta.b64 _, [$1], {count}"),
        };
        let text = format!("@$0 mbarrier.{asked};");
        e.inline_asm(&text, "b,r,~{memory}", &[by, object], None);
    }

    fn wait<'c>(&self, e: &mut Emitter<'c>, object: Val<'c>, parity: Val<'c>) {
        let object = address(e, object);
        let text = "{\n.reg .pred complete;\nwaitLoop:\n\
             mbarrier.try_wait.parity.shared::cta.b64 complete, [$0], $1;\n\
             @!complete bra.uni waitLoop;\n}";
        e.inline_asm(text, "r,r,~{memory}", &[object, parity], None);
    }

    fn copy_box<'c>(&self, e: &mut Emitter<'c>, access: &BoxAccess<'c>, by: Val<'c>) {
        let shared = address(e, access.shared);
        let rank = access.coordinates.len();
        let mut operands = vec![by, shared, access.descriptor];
        operands.extend(&access.coordinates);
        let mut constraints = format!("b,r,l{}", ",r".repeat(rank));
        let coordinates: Vec<String> = (3..3 + rank).map(|i| format!("${i}")).collect();
        let tensor = format!("[$2, {{{}}}]", coordinates.join(", "));
        let text = match access.direction {
            BoxDirection::Load { mbarrier } => {
                operands.push(address(e, mbarrier));
                constraints += ",r";
                format!(
                    "@$0 cp.async.bulk.tensor.{rank}d.shared::cta.global.mbarrier::complete_tx::bytes [$1], \
                     {tensor}, [${}];",
                    3 + rank
                )
            }
            BoxDirection::Store => format!(
                "@$0 cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group {tensor}, [$1];"
            ),
            BoxDirection::Reduce(kind) => format!(
                "@$0 cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{}.bulk_group {tensor}, [$1];",
                kind.name()
            ),
        };
        constraints += ",~{memory}";
        e.inline_asm(&text, &constraints, &operands, None);
    }

    fn commit_boxes(&self, e: &mut Emitter<'_>) {
        e.operation(nvvm::cp_async_bulk_commit_group());
    }

    fn wait_for_boxes(&self, e: &mut Emitter<'_>, most: u32, only_reads: bool) {
        e.operation(nvvm::cp_async_bulk_wait_group(i64::from(most)).read(only_reads));
    }

    fn set_field<'c>(&self, e: &mut Emitter<'c>, descriptor: Val<'c>, field: DescriptorField<'c>) {
        let object = address(e, descriptor);
        let place = |ordinal: Option<usize>| match ordinal {
            Some(i) => format!("[$0], {i}"),
            None => "[$0]".to_owned(),
        };
        let (name, bits, given, value) = match field {
            DescriptorField::Known(name, value) => (name, 32, format!("[$0], {value}"), None),
            DescriptorField::Word(name, i, value) => {
                (name, 32, format!("{}, $1", place(i)), Some((value, ",r")))
            }
            DescriptorField::Long(name, i, value) => {
                (name, 64, format!("{}, $1", place(i)), Some((value, ",l")))
            }
        };
        let text = format!("tensormap.replace.tile.{name}.shared::cta.b1024.b{bits} {given};");
        let mut operands = vec![object];
        let mut constraints = "r".to_owned();
        if let Some((value, constraint)) = value {
            operands.push(value);
            constraints += constraint;
        }
        constraints += ",~{memory}";
        e.inline_asm(&text, &constraints, &operands, None);
    }

    fn publish_descriptor<'c>(&self, e: &mut Emitter<'c>, global: Val<'c>, shared: Val<'c>) {
        let shared = address(e, shared);
        let text = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned \
             [$0], [$1], 128;";
        e.inline_asm(text, "l,r,~{memory}", &[global, shared], None);
    }

    fn acquire_descriptor<'c>(&self, e: &mut Emitter<'c>, global: Val<'c>) {
        // `ptxas` does not order copies behind the fence alone.
        let text = "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;\n\
             cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;";
        e.inline_asm(text, "l,~{memory}", &[global], None);
    }
}
