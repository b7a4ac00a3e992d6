//! `fold-layout-conversions`: removes redundant conversions.
//!
//! Folds conversions between equal layouts, chains, repeated and dead conversions. For the rest, [`assignment`] chooses
//! the layouts of views and memory accesses, at the prices of `remove-layout-conversions`. All other operations keep
//! their layouts.

use super::Pass;
use super::context::PassContext;
use super::inventory::Inventory;
use super::proof::Claim;
use super::respell::{Respelling, attribute, root};
use super::rewrite_layouts::{drop_dead, functions, rewrite};
use super::table::{FoldLayoutConversionsOptions, RemoveLayoutConversionsOptions};
use crate::analysis::assignment::{self, ConversionOutcome, PriceCache, Role, Scope};
use crate::ir::ops::scf;
use crate::ir::ops::ttg::ConvertLayout;
use crate::ir::{OpKind, TensorLayout, TensorType, canonical};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, FollowUp, Reported};
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use std::collections::HashMap;
use std::sync::Arc;

const MAX_ROUNDS: usize = 16;

impl Pass for FoldLayoutConversionsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let folding = Folding {
            context,
            explain: self.explain,
        };
        let mut kept = HashMap::new();
        // A round may merge two layouts into two spellings of one layout, which the next round unifies.
        for turn in 0..MAX_ROUNDS {
            let is_respelled;
            (kept, is_respelled) = folding.unify_spellings();
            if turn > 0 && !is_respelled {
                break;
            }
            folding.rounds();
        }
        folding.explain_remaining(&kept);
        Ok(Vec::new())
    }

    fn claim(&self) -> Option<Claim> {
        Some(Claim::Registers)
    }
}

enum KeepReason<'c> {
    /// The conversion remains because this operation requires the present encoding of the operand or of the result.
    RequiredBy(Op<'c>),
    /// The conversion remains because its two encodings, which have the same layout on its shape, have different
    /// layouts on another shape of the module.
    DiffersElsewhere,
}

struct Folding<'a, 'c> {
    context: &'a PassContext<'c>,
    explain: bool,
}

fn conversion(op: Op<'_>) -> Option<ConvertLayout<'_, '_>> {
    ConvertLayout::of(op)
}

fn conversion_of<'c>(value: Val<'c>) -> Option<ConvertLayout<'c, 'c>> {
    conversion(sys::defining_operation(value)?)
}

fn is_pure(op: Op<'_>) -> bool {
    op.result_count() == 1 && op.region_count() == 0 && Role::of(op).is_pure()
}

fn conversions<'c>(context: &PassContext<'c>) -> Vec<ConvertLayout<'c, 'c>> {
    let all = build::in_order(context.module()).into_iter();
    all.filter_map(conversion).collect()
}

impl<'c> Folding<'_, 'c> {
    fn remark(&self, op: Op<'c>, text: impl FnOnce() -> String) {
        if self.explain {
            self.context.remark(op, &text());
        }
    }

    fn layout(&self, type_: Type<'c>) -> Option<Arc<TensorLayout>> {
        let tensor = TensorType::of(type_)?;
        self.context.layouts().tensor(&tensor).ok()
    }

    fn layouts(&self, cvt: ConvertLayout<'c, 'c>) -> Option<[Arc<TensorLayout>; 2]> {
        let [from, to] = [cvt.src(), cvt.result()].map(|value| value.r#type());
        Some([self.layout(from)?, self.layout(to)?])
    }

    /// Makes the two encodings of each conversion between equal layouts identical, by replacing one of them in the
    /// whole module.
    ///
    /// Returns the reason why each remaining conversion keeps both encodings, keyed by the id of the conversion.
    /// The Boolean is true if any encoding was replaced.
    fn unify_spellings(&self) -> (HashMap<usize, KeepReason<'c>>, bool) {
        let mut kept = HashMap::new();
        let mut is_respelled = false;
        for cvt in conversions(self.context) {
            let Some([from, to]) = self.layouts(cvt) else {
                continue;
            };
            let (old, new) = (root(&to.encoding), root(&from.encoding));
            if from.unique != to.unique || old == new {
                continue;
            }
            let mut reason = KeepReason::DiffersElsewhere;
            let mut is_done = false;
            for (old, new) in [(old, new), (new, old)] {
                let context = self.context;
                let inventory = context.get::<Inventory<'_>>();
                if is_done || !inventory.allows(context.layouts(), old, new) {
                    continue;
                }
                let module = context.module();
                let Some((from, to)) = attribute(module, old).zip(attribute(module, new)) else {
                    continue;
                };
                match Respelling::of(from, to).carry_out(context) {
                    Ok(()) => {
                        is_done = true;
                        self.remark(cvt.op(), || {
                            format!("replaced `{old}` by `{new}` in the whole module: both are the same layout")
                        });
                    }
                    Err(Some(op)) => reason = KeepReason::RequiredBy(op),
                    Err(None) => {}
                }
            }
            is_respelled |= is_done;
            if !is_done {
                kept.insert(sys::operation_id(cvt.op()), reason);
            }
        }
        (kept, is_respelled)
    }

    fn rounds(&self) {
        for _ in 0..MAX_ROUNDS {
            let before = self.context.rewriter().changes();
            self.round();
            if self.context.rewriter().changes() == before && !self.choose() {
                break;
            }
        }
    }

    fn round(&self) {
        let rewriter = self.context.rewriter();
        self.drop_unused_arguments();
        self.eliminate_common();
        rewriter.each(build::in_order(self.context.module()), |op| {
            use OpKind as K;
            match OpKind::of(op) {
                Some(K::TtgConvertLayout) => drop(self.fold(op)),
                // These may not need a conversion of their operand.
                Some(K::TtReshape | K::TtTrans | K::TtSplit | K::TtngTMEMStore) => {
                    self.look_through(op);
                }
                _ => {}
            }
        });
    }

    /// Simplifies the conversion `op` at the end of a chain of conversions. Applies the first of these steps that
    /// is possible:
    ///
    /// - If the result of `op` is unused, `op` is erased.
    /// - If an earlier value of the chain has the type of the result, this value replaces the result.
    /// - If the operand of `op` has no layout, the nearest earlier value of the chain that has a layout becomes the operand. This step does not apply to a conversion that must use warp shuffles.
    fn fold(&self, op: Op<'c>) -> Option<()> {
        let rewriter = self.context.rewriter();
        let cvt = conversion(op)?;
        let (own, result) = (cvt.src(), cvt.result());
        if sys::is_unused(result) {
            self.erase_unused(result);
            return Some(());
        }
        if let Some(source) = self.chain_start(cvt) {
            self.remark(op, || {
                if source == own {
                    "conversion removed: operand and result have the same layout".to_owned()
                } else {
                    "conversion removed: the value before the preceding conversions has the result layout"
                        .to_owned()
                }
            });
            rewriter.replace(op, &[source]);
            self.erase_unused(own);
            return Some(());
        }
        if cvt.force_warp_shuffle() {
            return None;
        }
        let source = self.with_layout(own);
        if source != own {
            self.remark(op, || {
                "operand replaced by the value before the preceding conversions".to_owned()
            });
            rewriter.set_operand(op, cvt.src_at().start, source);
            self.erase_unused(own);
        }
        Some(())
    }

    /// Follows the chain of conversions backwards from the operand of `cvt`, and returns the first value that has
    /// the result type of `cvt`.
    fn chain_start(&self, cvt: ConvertLayout<'c, 'c>) -> Option<Val<'c>> {
        let wanted = cvt.result().r#type();
        let mut source = cvt.src();
        while source.r#type() != wanted {
            source = conversion_of(source)?.src();
        }
        Some(source)
    }

    /// Follows a chain of conversions backwards from `value`, and returns the first value that has a layout. If no
    /// value has one, returns the start of the chain.
    fn with_layout(&self, mut value: Val<'c>) -> Val<'c> {
        while self.layout(value.r#type()).is_none() {
            let Some(cvt) = conversion_of(value) else {
                break;
            };
            value = cvt.src();
        }
        value
    }

    /// Assigns layouts to views and memory accesses. Returns true if a cheaper assignment was applied.
    fn choose(&self) -> bool {
        let options = RemoveLayoutConversionsOptions::default_options(
            self.context.default_gpu(),
            Scope::ViewsAndAccesses,
        );
        let rewriter = self.context.rewriter();
        let mut plans = PriceCache::of(options);
        let mut is_changed = false;
        for function in functions(self.context.module()) {
            let is_converted = |op: &Op<'c>| conversion(*op).is_some();
            if !build::in_order(function).iter().any(is_converted) {
                continue;
            }
            let drop_dead = || {
                drop_dead(rewriter, function, &mut |op| {
                    if conversion(op).is_some() {
                        self.remark(op, || {
                            "conversion removed: the result has no uses".to_owned()
                        });
                    }
                });
            };
            drop_dead();
            let mut kernel = assignment::read(function, options.loop_weight, self.context.get());
            let found = assignment::improve(&mut kernel, options, &mut plans, self.explain);
            let Some((assignment, explanation)) = found else {
                continue;
            };
            is_changed = true;
            for (outcome, conversion) in explanation
                .iter()
                .flat_map(|report| report.outcomes.iter().zip(&kernel.conversions))
            {
                if !matches!(outcome, ConversionOutcome::Kept(_)) {
                    self.context.remark(conversion.op, &outcome.to_string());
                }
            }
            rewrite(rewriter, &mut kernel, &assignment);
            drop_dead();
        }
        is_changed
    }

    /// Simplifies `op` if one of its operands is the result of a layout conversion. If `op` also accepts the type
    /// before the conversion, `op` then reads the source of the conversion instead of its result.
    fn look_through(&self, op: Op<'c>) {
        let at = (0..op.operand_count()).find_map(|i| {
            let value = build::operand(op, i);
            Some((i, value, conversion_of(value)?))
        });
        let Some((i, value, cvt)) = at else { return };
        let before = cvt.op();
        let (from, to) = (cvt.src().r#type(), cvt.result().r#type());
        // Including replicated registers.
        let is_same =
            matches!((self.layout(from), self.layout(to)), (Some(a), Some(b)) if a.full == b.full);
        if OpKind::TtReshape.is(op) && !is_same && !sys::has_one_use(value) {
            return;
        }
        let name = sys::identifier_text(op.name());
        canonical::canonicalize(self.context.rewriter(), op);
        let is_gone = sys::uses(value).is_empty();
        let is_other = !is_gone && i < op.operand_count() && build::operand(op, i) != value;
        if is_gone || is_other {
            self.remark(before, || {
                format!(
                    "conversion not needed: `{name}` accepts the layout of the conversion operand"
                )
            });
            self.erase_unused(value);
        }
    }

    fn eliminate_common(&self) {
        for region in self.context.module().regions() {
            for block in build::blocks_of(region) {
                self.eliminate_common_in(block, &mut HashMap::new());
            }
        }
    }

    fn eliminate_common_in(&self, block: Blk<'c>, available: &mut HashMap<[usize; 2], Val<'c>>) {
        let mut own = Vec::new();
        for op in build::operations(block) {
            if let Some(cvt) = conversion(op).filter(|cvt| !cvt.force_warp_shuffle()) {
                let result = cvt.result();
                let key = [sys::value_id(cvt.src()), sys::type_id(result.r#type())];
                if let Some(first) = available.get(&key) {
                    self.remark(op, || {
                        "conversion removed: an earlier conversion has the same operand and result type".to_owned()
                    });
                    self.context.rewriter().replace(op, &[*first]);
                } else {
                    available.insert(key, result);
                    own.push(key);
                }
                continue;
            }
            for region in op.regions() {
                for block in build::blocks_of(region) {
                    self.eliminate_common_in(block, available);
                }
            }
        }
        for key in own {
            available.remove(&key);
        }
    }

    /// Finds loop-carried values whose final results are unused, and whose computation includes a layout
    /// conversion. The loop is changed to yield these values unchanged, and the operations that computed them are
    /// erased.
    fn drop_unused_arguments(&self) {
        let rewriter = self.context.rewriter();
        for op in build::in_order(self.context.module()) {
            let Some(body) = scf::For::of(op).and_then(|op| build::block_of(op.region())) else {
                continue;
            };
            let Some(end) = build::operations(body).pop() else {
                continue;
            };
            for i in 0..op.result_count().min(end.operand_count()) {
                let (argument, yielded) = (build::argument(body, i + 1), build::operand(end, i));
                if yielded == argument || !sys::is_unused(build::result(op, i)) {
                    continue;
                }
                let Some(made) = self.unused_slice(argument, end, i) else {
                    continue;
                };
                if !made.iter().any(|op| conversion(*op).is_some()) {
                    continue;
                }
                rewriter.set_operand(end, i, argument);
                self.erase_dead(made);
            }
        }
    }

    /// Returns the operations that become dead if the loop yields the loop-carried value `argument` unchanged as
    /// operand `i` of the terminator `end`. These are the pure operations that depend on `argument`, and
    /// conversions whose results only these operations or operand `i` use.
    ///
    /// Returns `None` if `argument`, or a value that depends on it, is used by an impure operation or by another
    /// operand of `end`.
    fn unused_slice(&self, argument: Val<'c>, end: Op<'c>, i: usize) -> Option<Vec<Op<'c>>> {
        let mut found: Vec<Op<'c>> = Vec::new();
        let mut waiting = vec![argument];
        while let Some(value) = waiting.pop() {
            for (user, at) in sys::uses(value) {
                if user == end && at == i {
                    continue;
                }
                if !is_pure(user) || user == end {
                    return None;
                }
                if !found.contains(&user) {
                    found.push(user);
                    waiting.push(build::only_result(user));
                }
            }
        }
        // The yielded value may be a conversion of another one.
        let mut source = sys::defining_operation(build::operand(end, i));
        while let Some(op) = source.filter(|op| conversion(*op).is_some() && !found.contains(op)) {
            let is_sole = sys::uses(build::only_result(op))
                .iter()
                .all(|(user, at)| found.contains(user) || (*user == end && *at == i));
            if !is_sole {
                break;
            }
            found.push(op);
            source = sys::defining_operation(build::only_operand(op));
        }
        Some(found)
    }

    fn erase_dead(&self, mut ops: Vec<Op<'c>>) {
        loop {
            let before = ops.len();
            ops.retain(|op| {
                if !build::results(*op).into_iter().all(sys::is_unused) {
                    return true;
                }
                if conversion(*op).is_some() {
                    self.remark(*op, || {
                        "conversion removed: the result has no uses".to_owned()
                    });
                }
                self.context.rewriter().erase(*op);
                false
            });
            if ops.is_empty() || ops.len() == before {
                return;
            }
        }
    }

    /// Erases unused conversions at the end of a chain: the conversion that defines `value`, and then each source
    /// that becomes unused.
    fn erase_unused(&self, mut value: Val<'c>) {
        while sys::is_unused(value) {
            let Some(cvt) = sys::defining_operation(value).and_then(conversion) else {
                return;
            };
            self.remark(cvt.op(), || {
                "conversion removed: the result has no uses".to_owned()
            });
            value = cvt.src();
            self.context.rewriter().erase(cvt.op());
        }
    }

    fn explain_remaining(&self, kept: &HashMap<usize, KeepReason<'c>>) {
        if !self.explain {
            return;
        }
        for cvt in conversions(self.context) {
            let Some([from, to]) = self.layouts(cvt) else {
                continue;
            };
            let text = match kept.get(&sys::operation_id(cvt.op())) {
                _ if from.unique != to.unique => format!(
                    "conversion kept: data moves from `{}` to `{}`",
                    from.encoding, to.encoding
                ),
                Some(KeepReason::RequiredBy(op)) => format!(
                    "conversion kept: no data moves, but `{}` requires `{}`",
                    sys::identifier_text(op.name()),
                    to.encoding
                ),
                Some(KeepReason::DiffersElsewhere) | None => format!(
                    "conversion kept: its layouts are equal for this shape, \
                     but `{}` and `{}` differ for other tensor shapes in the module",
                    from.encoding, to.encoding
                ),
            };
            self.context.remark(cvt.op(), &text);
        }
    }
}
