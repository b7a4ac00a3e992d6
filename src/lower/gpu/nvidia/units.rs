//! Hopper's asynchronous units, by PTX where NVVM lacks a predicate or a variant.

use super::Nvidia;
use super::access::l2_policy;
use crate::ir::builders::{llvm, nvvm};
use crate::lower::emit::{Emitter, ICmpPredicate};
use crate::lower::gpu::isa::Gpu;
use crate::lower::gpu::units::{
    Accumulation, BoxAccess, BoxDirection, DescriptorField, GroupFactor, GroupProduct,
    MbarrierAction, UnitIsa,
};
use crate::lower::types::bits_of;
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

/// Converts a shared-memory pointer to the 32-bit integer that PTX instructions take as an address.
pub(super) fn address<'c>(e: &mut Emitter<'c>, pointer: Val<'c>) -> Val<'c> {
    let i32 = e.types.i32;
    e.pure(llvm::ptrtoint(pointer, i32))
}

impl UnitIsa for Nvidia {
    fn elected<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, warps: u32) -> Val<'c> {
        let i1 = e.types.i1;
        let is_among_first = (warps < gpu.num_warps).then(|| {
            let warp = gpu.warp(e);
            let warps = e.i32(warps);
            e.icmp(ICmpPredicate::Ult, warp, warps)
        });
        let elected = e.pure(nvvm::elect_sync(None, i1));
        match is_among_first {
            Some(is_among_first) => e.and(is_among_first, elected),
            None => elected,
        }
    }

    fn mbarrier<'c>(
        &self,
        e: &mut Emitter<'c>,
        object: Val<'c>,
        action: MbarrierAction,
        by: Val<'c>,
    ) {
        let object = address(e, object);
        let instruction = match action {
            MbarrierAction::Init(arrivals) => format!("init.shared::cta.b64 [$1], {arrivals}"),
            MbarrierAction::Invalidate => "inval.shared::cta.b64 [$1]".to_owned(),
            MbarrierAction::Expect(bytes) => {
                format!("arrive.expect_tx.shared::cta.b64 _, [$1], {bytes}")
            }
            MbarrierAction::Arrive(1) => "arrive.shared::cta.b64 _, [$1]".to_owned(),
            MbarrierAction::Arrive(count) => format!("arrive.shared::cta.b64 _, [$1], {count}"),
        };
        let text = format!("@$0 mbarrier.{instruction};");
        e.inline_asm(&text, "b,r,~{memory}", &[by, object], None);
    }

    fn arrive_after_copies<'c>(&self, e: &mut Emitter<'c>, object: Val<'c>, is_expected: bool) {
        e.operation(nvvm::cp_async_mbarrier_arrive(object).noinc(is_expected));
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
        let mut asm = Assembly::of(e, &[]);
        let by = asm.input("b", by);
        let shared = asm.input("r", shared);
        let descriptor = asm.input("l", access.descriptor);
        let rank = access.coordinates.len();
        let coordinates = asm.inputs("r", &access.coordinates);
        let tensor = format!("[{descriptor}, {coordinates}]");
        let hint = match access.second {
            Some(_) => ".L2::cache_hint",
            None => "",
        };
        let mut text = match access.direction {
            BoxDirection::Load { mbarrier } => {
                let mbarrier = address(e, mbarrier);
                let mbarrier = asm.input("r", mbarrier);
                let (mut mode, mut offsets) = ("", String::new());
                if !access.pixel_offsets.is_empty() {
                    mode = ".im2col";
                    offsets = format!(", {}", asm.inputs("h", &access.pixel_offsets));
                }
                format!(
                    "@{by} cp.async.bulk.tensor.{rank}d.shared::cta.global{mode}.mbarrier::complete_tx::bytes{hint} \
                     [{shared}], {tensor}, [{mbarrier}]{offsets}"
                )
            }
            BoxDirection::Store => format!(
                "@{by} cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group{hint} {tensor}, [{shared}]"
            ),
            BoxDirection::Reduce(kind) => format!(
                "@{by} cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{}.bulk_group{hint} {tensor}, [{shared}]",
                kind.name()
            ),
        };
        if let Some(second) = &access.second {
            let policy = l2_policy(e, second);
            text += &format!(", {}", asm.input("l", policy));
        }
        asm.emit(e, &(text + ";"));
    }

    fn commit_boxes(&self, e: &mut Emitter<'_>) {
        e.operation(nvvm::cp_async_bulk_commit_group());
    }

    fn wait_for_boxes(&self, e: &mut Emitter<'_>, most: u32, only_reads: bool) {
        e.operation(nvvm::cp_async_bulk_wait_group(i64::from(most)).read(only_reads));
    }

    fn set_field<'c>(&self, e: &mut Emitter<'c>, descriptor: Val<'c>, field: DescriptorField<'c>) {
        let object = address(e, descriptor);
        let target = |ordinal: Option<usize>| match ordinal {
            Some(i) => format!("[$0], {i}"),
            None => "[$0]".to_owned(),
        };
        let (name, bits, arguments, value) = match field {
            DescriptorField::Constant(name, value) => (name, 32, format!("[$0], {value}"), None),
            DescriptorField::Word(name, i, value) => {
                (name, 32, format!("{}, $1", target(i)), Some((value, ",r")))
            }
            DescriptorField::Long(name, i, value) => {
                (name, 64, format!("{}, $1", target(i)), Some((value, ",l")))
            }
        };
        let text = format!("tensormap.replace.tile.{name}.shared::cta.b1024.b{bits} {arguments};");
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
        // The fence alone does not keep `ptxas` from moving copies above it.
        let text = "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;\n\
             cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;";
        e.inline_asm(text, "l,~{memory}", &[global], None);
    }

    fn opaque_copies<'c>(&self, e: &mut Emitter<'c>, values: &[Val<'c>]) -> Vec<Val<'c>> {
        let mut asm = Assembly::of(e, values);
        asm.tie(values);
        asm.emit(e, "")
    }

    fn fence_products(&self, e: &mut Emitter<'_>) {
        e.operation(nvvm::wgmma_fence_aligned());
    }

    fn copy_word<'c>(&self, e: &mut Emitter<'c>, word: Val<'c>) -> Val<'c> {
        let type_ = word.r#type();
        let text = format!("={0},{0}", register(e, type_));
        e.inline_asm("mov.b32 $0, $1;", &text, &[word], Some(type_))
            .expect("the assembly has a result")
    }

    fn multiply<'c>(&self, e: &mut Emitter<'c>, product: &GroupProduct<'c>) -> Vec<Val<'c>> {
        let count = product.sums.len();
        let mut asm = Assembly::of(e, &product.sums);
        if !matches!(product.accumulation, Accumulation::None) {
            asm.tie(&product.sums);
        }
        let a = match product.a {
            GroupFactor::Tile(descriptor) => asm.input("l", descriptor),
            GroupFactor::Words(words) => {
                let words = words.map(|word| asm.input("r", word));
                format!("{{{}}}", words.join(", "))
            }
        };
        let b = asm.input("l", product.b);
        let mut before = String::new();
        let accumulates = match product.accumulation {
            Accumulation::None => "0",
            Accumulation::Always => "1",
            Accumulation::If(condition) => {
                let i32 = e.types.i32;
                let condition = e.zext(condition, i32);
                let number = asm.input("r", condition);
                before = format!(".reg .pred p;\nsetp.ne.b32 p, {number}, 0;\n");
                "p"
            }
        };
        let mut flags = String::new();
        if !product.is_integer {
            flags += ", 1, 1";
        }
        if let Some((a, b)) = product.transposed {
            let both = a.into_iter().chain([b]);
            flags.extend(both.map(|is_transposed| format!(", {}", u8::from(is_transposed))));
        }
        let name = &product.instruction;
        let sums = list(0, count);
        let text = format!("{{\n{before}{name} {sums}, {a}, {b}, {accumulates}{flags};\n}}");
        asm.emit(e, &text)
    }

    fn commit_products(&self, e: &mut Emitter<'_>) {
        e.operation(nvvm::wgmma_commit_group_sync_aligned());
    }

    fn wait_for_products<'c>(
        &self,
        e: &mut Emitter<'c>,
        most: u32,
        registers: &[Val<'c>],
    ) -> Vec<Val<'c>> {
        let mut asm = Assembly::of(e, registers);
        asm.tie(registers);
        asm.emit(e, &format!("wgmma.wait_group.sync.aligned {most};"))
    }
}

fn register<'c>(e: &Emitter<'c>, type_: Type<'c>) -> &'static str {
    match bits_of(type_) {
        64 if type_ == e.types.i64 => "l",
        64 => "d",
        _ if type_ == e.types.f32 => "f",
        _ => "r",
    }
}

fn list(start: usize, count: usize) -> String {
    let all: Vec<String> = (start..start + count).map(|i| format!("${i}")).collect();
    format!("{{{}}}", all.join(", "))
}

struct Assembly<'c> {
    results: Vec<Type<'c>>,
    constraints: Vec<String>,
    operands: Vec<Val<'c>>,
}

impl<'c> Assembly<'c> {
    fn of(e: &Emitter<'c>, like: &[Val<'c>]) -> Self {
        let results: Vec<Type<'c>> = like.iter().map(|value| value.r#type()).collect();
        let constraints = results
            .iter()
            .map(|type_| format!("={}", register(e, *type_)));
        Self {
            constraints: constraints.collect(),
            results,
            operands: Vec::new(),
        }
    }

    /// Adds `values` as operands that are tied to the results: operand i uses the register of result i.
    fn tie(&mut self, values: &[Val<'c>]) {
        self.constraints
            .extend((0..values.len()).map(|i| i.to_string()));
        self.operands.extend(values);
    }

    /// Adds an operand and returns its placeholder for the text.
    fn input(&mut self, constraint: &str, value: Val<'c>) -> String {
        self.constraints.push(constraint.to_owned());
        self.operands.push(value);
        format!("${}", self.constraints.len() - 1)
    }

    /// Adds operands and returns their placeholders as a vector, e.g. `{$3, $4}`.
    fn inputs(&mut self, constraint: &str, values: &[Val<'c>]) -> String {
        let all = values.iter().map(|value| self.input(constraint, *value));
        format!("{{{}}}", all.collect::<Vec<_>>().join(", "))
    }

    fn emit(self, e: &mut Emitter<'c>, text: &str) -> Vec<Val<'c>> {
        let type_ = match self.results[..] {
            [] => None,
            [one] => Some(one),
            _ => Some(e.struct_type(&self.results)),
        };
        let mut constraints = self.constraints;
        constraints.push("~{memory}".to_owned());
        let result = e.inline_asm(text, &constraints.join(","), &self.operands, type_);
        match (result, &self.results[..]) {
            (Some(one), [_]) => vec![one],
            (Some(result), types) => {
                let parts = types.iter().enumerate();
                parts
                    .map(|(i, type_)| e.extract_value(result, i, *type_))
                    .collect()
            }
            (None, _) => Vec::new(),
        }
    }
}
