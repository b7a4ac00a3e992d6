//! `fold-layout-conversions`: conversions that move nothing disappear.

use super::Pass;
use super::context::PassContext;
use super::inventory::Inventory;
use super::price::{Price, Prices};
use super::proof::Claim;
use super::respell::{Respelling, attribute, in_order, root};
use super::table::FoldLayoutConversionsOptions;
use super::ways::{self, Search};
use crate::ir::ops::ttg::ConvertLayout;
use crate::ir::ops::{scf, tt, ttg};
use crate::ir::verify::takes_swizzled_warps;
use crate::ir::{OpKind, TensorLayout, TensorType, canonical};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, FollowUp, Reported};
use linear_layout::access::Sharing;
use linear_layout::target::Access;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::collections::HashMap;
use std::sync::Arc;

/// Each round leaves less to pay; a kernel that needs more of them is folded by the next run.
const MAX_ROUNDS: usize = 16;

impl Pass for FoldLayoutConversionsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let folding = Folding {
            context,
            prices: Prices::of(context),
            explain: self.explain,
        };
        let mut kept = HashMap::new();
        // What a round leaves may be two spellings of one layout, where there were two layouts before.
        for turn in 0..MAX_ROUNDS {
            let is_respelled;
            (kept, is_respelled) = folding.unify_spellings();
            if turn > 0 && !is_respelled {
                break;
            }
            folding.rounds();
        }
        folding.explain_rest(&kept);
        Ok(Vec::new())
    }

    fn claim(&self) -> Option<Claim> {
        Some(Claim::Registers)
    }
}

/// Why a conversion between two spellings of one layout keeps both.
enum Kept<'c> {
    /// This operation asks for one of them.
    AskedBy(Op<'c>),
    /// They are two layouts on other tensors of the module.
    DiffersElsewhere,
}

struct Folding<'a, 'c> {
    context: &'a PassContext<'c>,
    prices: Prices<'c>,
    /// Whether to tell the user what becomes of each conversion.
    explain: bool,
}

fn conversion(op: Op<'_>) -> Option<ConvertLayout<'_, '_>> {
    ConvertLayout::of(op)
}

fn conversions<'c>(context: &PassContext<'c>) -> Vec<ConvertLayout<'c, 'c>> {
    let all = in_order(context.module()).into_iter();
    all.filter_map(conversion).collect()
}

impl<'c> Folding<'_, 'c> {
    fn remark(&self, op: Op<'c>, text: impl FnOnce() -> String) {
        if self.explain {
            self.context.remark(op, &text());
        }
    }

    /// The layouts that a conversion goes between.
    fn layouts(&self, cvt: ConvertLayout<'c, 'c>) -> Option<[Arc<TensorLayout>; 2]> {
        let layout = |type_| {
            let tensor = TensorType::of(type_)?;
            self.context.layouts().tensor(&tensor).ok()
        };
        Some([layout(cvt.src().r#type())?, layout(cvt.result().r#type())?])
    }

    /// Gives two spellings of one layout one spelling, wherever a conversion goes between them; returns why
    /// the others keep theirs, and whether any does not.
    fn unify_spellings(&self) -> (HashMap<usize, Kept<'c>>, bool) {
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
            let mut reason = Kept::DiffersElsewhere;
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
                            format!("`{old}` is spelled `{new}` everywhere: they are one layout")
                        });
                    }
                    Err(Some(op)) => reason = Kept::AskedBy(op),
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

    /// Looks at every operation until nothing changes.
    fn rounds(&self) {
        for _ in 0..MAX_ROUNDS {
            let before = self.context.rewriter().changes();
            self.round();
            if self.context.rewriter().changes() == before {
                break;
            }
        }
    }

    /// Looks at every operation once.
    fn round(&self) {
        let rewriter = self.context.rewriter();
        self.drop_unused_arguments();
        self.share();
        rewriter.each(in_order(self.context.module()), |op| {
            use OpKind as K;
            match OpKind::of(op) {
                Some(K::TtgConvertLayout) => drop(self.fold(op)),
                Some(K::TtStore) => drop(self.store(op)),
                Some(K::TtgLocalStore | K::TtgLocalAlloc) => drop(self.buffer_store(op)),
                // What these need no conversion for, they look through.
                Some(K::TtReshape | K::TtTrans | K::TtSplit | K::TtngTMEMStore) => {
                    self.look_through(op);
                }
                _ => {}
            }
        });
    }

    /// A conversion whose result can be had for less, goes: its operand is one, or its layout is given by what made
    /// the operand, or the conversion costs less before that.
    fn fold(&self, op: Op<'c>) -> Option<()> {
        let rewriter = self.context.rewriter();
        let cvt = conversion(op)?;
        let (own, result) = (cvt.src(), cvt.result());
        if sys::is_unused(result) {
            self.erase_unused(result);
            return Some(());
        }
        if let Some(source) = self.beginning(cvt) {
            self.remark(op, || {
                if source == own {
                    "is removed: its operand has the layout of its result".to_owned()
                } else {
                    "is removed: the conversions before it began with this layout".to_owned()
                }
            });
            rewriter.replace(op, &[source]);
            self.erase_unused(own);
            return Some(());
        }
        if cvt.force_warp_shuffle() {
            return None;
        }
        if let Some(source) = self.nearer(cvt) {
            self.remark(op, || {
                "takes its operand from before the conversions that made it".to_owned()
            });
            rewriter.set_operand(op, cvt.src_at().start, source);
            self.erase_unused(own);
            return Some(());
        }
        let mut search = Search::before(&self.prices, self.context.layouts(), op);
        let found = search.data(own, result.r#type())?;
        let maker = search.maker(found)?;
        let mut gain = search.gain(op, &[own]);
        let price = search.price_of(op);
        gain -= price;
        if gain >= Price::FREE {
            return None;
        }
        let dying = search.dying(op, &[own]);
        let made = *search.carry_out(rewriter)?.get(found)?;
        self.remark(op, || {
            let maker = sys::identifier_text(maker.name());
            if search.conversions() == 0 {
                format!("is removed: `{maker}` gives this layout, which costs no more")
            } else {
                let mut left = price;
                left += gain;
                let (before, after) = (price.clocks(), left.clocks());
                format!("moves before `{maker}`: {after} clk instead of {before}")
            }
        });
        rewriter.replace(op, &[made]);
        self.erase_dying(dying);
        Some(())
    }

    /// The value in a chain of conversions that has the type of the last one's result.
    fn beginning(&self, cvt: ConvertLayout<'c, 'c>) -> Option<Val<'c>> {
        let wanted = cvt.result().r#type();
        let mut source = cvt.src();
        while source.r#type() != wanted {
            source = ways::conversion(source)?.src();
        }
        Some(source)
    }

    /// The value of a chain of conversions from which a conversion costs least, where that is not its operand.
    fn nearer(&self, cvt: ConvertLayout<'c, 'c>) -> Option<Val<'c>> {
        let to = cvt.result().r#type();
        let mut best = None;
        // What is paid before the conversion, for this conversion only.
        let mut saved = 0;
        let mut is_sole = true;
        let mut source = cvt.src();
        let own = self.prices.conversion(source.r#type(), to);
        while let Some(inner) = ways::conversion(source) {
            is_sole &= sys::has_one_use(source);
            let paid = self
                .prices
                .conversion(inner.src().r#type(), source.r#type());
            source = inner.src();
            let Some((own, paid)) = own.zip(paid) else {
                // Without layouts there is nothing to choose by, and one conversion is less than two.
                best = Some((i64::MIN, source));
                continue;
            };
            saved += if is_sole { paid } else { 0 };
            if let Some(price) = self.prices.conversion(source.r#type(), to) {
                let price = price - saved;
                let least = best.map_or(own, |(least, _)| least);
                if price < least || (price == least && is_sole) {
                    best = Some((price, source));
                }
            }
        }
        best.map(|(_, source)| source)
    }

    /// A store in the layout that its value is converted from, where that asks no more of memory.
    fn store(&self, op: Op<'c>) -> Option<()> {
        let store = tt::Store::of(op)?;
        let (pointer, value, mask) = (store.ptr(), store.value(), store.mask());
        let cvt = ways::conversion(value)?;
        let source = cvt.src();
        let tensor = TensorType::of(source.r#type())?;
        let encoding = tensor.encoding?;
        let traffic = |type_| {
            self.prices
                .traffic(op, pointer, mask, type_, Sharing::Owners)
        };
        if !traffic(source.r#type())?.is_at_most(&traffic(value.r#type())?) {
            return None;
        }
        let mut search = Search::before(&self.prices, self.context.layouts(), op);
        let data = search.data(value, source.r#type())?;
        search.is_there(data)?;
        let mut operands = vec![(store.value_at().start, data)];
        operands.push((store.ptr_at().start, search.address(pointer, encoding)?));
        if let Some(mask) = mask {
            operands.push((store.mask_at().start, search.address(mask, encoding)?));
        }
        let released: Vec<Val<'c>> = [value, pointer].into_iter().chain(mask).collect();
        if search.gain(op, &released) >= Price::FREE {
            return None;
        }
        self.remark(cvt.op(), || {
            let name = sys::identifier_text(op.name());
            format!("is not needed by `{name}`, which asks no more of memory in the layout of its operand")
        });
        let dying = search.dying(op, &released);
        let made = search.carry_out(self.context.rewriter())?;
        for (i, node) in operands {
            self.context.rewriter().set_operand(op, i, made[node]);
        }
        self.erase_dying(dying);
        Some(())
    }

    /// A store to a buffer in the layout that its value is converted from, where that costs no more.
    fn buffer_store(&self, op: Op<'c>) -> Option<()> {
        let (value, at, buffer) = if let Some(store) = ttg::LocalStore::of(op) {
            (store.src(), store.src_at().start, store.dst())
        } else {
            let alloc = ttg::LocalAlloc::of(op)?;
            (alloc.src()?, alloc.src_at().start, alloc.result())
        };
        let cvt = ways::conversion(value)?;
        let source = cvt.src();
        let [from, _] = self.layouts(cvt)?;
        let is_swizzled = from.encoding.is_generic();
        if is_swizzled && !takes_swizzled_warps(OpKind::of(op)?) {
            return None;
        }
        let cost = |type_| {
            self.prices
                .buffer_access(type_, buffer.r#type(), Access::Store)
        };
        let before = cost(value.r#type())?
            + if sys::has_one_use(value) {
                self.prices.conversion(source.r#type(), value.r#type())?
            } else {
                0
            };
        let after = cost(source.r#type())?;
        if after > before {
            return None;
        }
        self.remark(cvt.op(), || {
            let name = sys::identifier_text(op.name());
            format!("is not needed by `{name}`, which takes any layout")
        });
        self.context.rewriter().set_operand(op, at, source);
        self.erase_unused(value);
        Some(())
    }

    /// An operation that may take its operand from before a conversion does, where that moves nothing.
    fn look_through(&self, op: Op<'c>) {
        let at = (0..op.operand_count()).find_map(|i| {
            let value = build::operand(op, i);
            Some((i, value, ways::conversion(value)?))
        });
        let Some((i, value, cvt)) = at else { return };
        let before = cvt.op();
        let (from, to) = (cvt.src().r#type(), cvt.result().r#type());
        if OpKind::TtReshape.is(op) && !self.prices.is_same(from, to) && !sys::has_one_use(value) {
            return;
        }
        let name = sys::identifier_text(op.name());
        canonical::canonicalize(self.context.rewriter(), op);
        let is_gone = sys::uses(value).is_empty();
        let is_other = !is_gone && i < op.operand_count() && build::operand(op, i) != value;
        if is_gone || is_other {
            self.remark(before, || format!("is not needed by `{name}`"));
            self.erase_unused(value);
        }
    }

    /// A conversion that was made before is not made again.
    fn share(&self) {
        for region in self.context.module().regions() {
            for block in build::blocks_of(region) {
                self.share_in(block, &mut HashMap::new());
            }
        }
    }

    fn share_in(&self, block: Blk<'c>, made: &mut HashMap<[usize; 2], Val<'c>>) {
        let mut own = Vec::new();
        for op in build::operations(block) {
            if let Some(cvt) = conversion(op).filter(|cvt| !cvt.force_warp_shuffle()) {
                let result = cvt.result();
                let key = [sys::value_id(cvt.src()), sys::type_id(result.r#type())];
                if let Some(first) = made.get(&key) {
                    self.remark(op, || {
                        "is removed: the same conversion was made before".to_owned()
                    });
                    self.context.rewriter().replace(op, &[*first]);
                } else {
                    made.insert(key, result);
                    own.push(key);
                }
                continue;
            }
            for region in op.regions() {
                for block in build::blocks_of(region) {
                    self.share_in(block, made);
                }
            }
        }
        for key in own {
            made.remove(&key);
        }
    }

    /// What a loop carries and nobody looks at, it carries unchanged: what makes it is not needed.
    fn drop_unused_arguments(&self) {
        let rewriter = self.context.rewriter();
        for op in in_order(self.context.module()) {
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
                self.erase_dying(made);
            }
        }
    }

    /// The pure operations on a loop's argument that nobody but the loop's own `i`-th yield needs, last ones first.
    fn unused_slice(&self, argument: Val<'c>, end: Op<'c>, i: usize) -> Option<Vec<Op<'c>>> {
        let mut found: Vec<Op<'c>> = Vec::new();
        let mut waiting = vec![argument];
        while let Some(value) = waiting.pop() {
            for (user, at) in sys::uses(value) {
                if user == end && at == i {
                    continue;
                }
                if !ways::is_pure(user) || user == end {
                    return None;
                }
                if !found.contains(&user) {
                    found.push(user);
                    waiting.push(build::only_result(user));
                }
            }
        }
        // What the yield takes from elsewhere may be a conversion, too.
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

    /// Erases what nobody needs any more.
    fn erase_dying(&self, mut ops: Vec<Op<'c>>) {
        loop {
            let before = ops.len();
            ops.retain(|op| {
                if !build::results(*op).into_iter().all(sys::is_unused) {
                    return true;
                }
                if conversion(*op).is_some() {
                    self.remark(*op, || "is removed: nothing uses it".to_owned());
                }
                self.context.rewriter().erase(*op);
                false
            });
            if ops.is_empty() || ops.len() == before {
                return;
            }
        }
    }

    /// Erases the conversion that makes a value nobody uses, and then those that only it used.
    fn erase_unused(&self, mut value: Val<'c>) {
        while sys::is_unused(value) {
            let Some(cvt) = sys::defining_operation(value).and_then(conversion) else {
                return;
            };
            self.remark(cvt.op(), || "is removed: nothing uses it".to_owned());
            value = cvt.src();
            self.context.rewriter().erase(cvt.op());
        }
    }

    /// Says why each conversion that is left stays.
    fn explain_rest(&self, kept: &HashMap<usize, Kept<'c>>) {
        if !self.explain {
            return;
        }
        for cvt in conversions(self.context) {
            let Some([from, to]) = self.layouts(cvt) else {
                continue;
            };
            let text = match kept.get(&sys::operation_id(cvt.op())) {
                _ if from.unique != to.unique => format!(
                    "stays: data moves from `{}` to `{}`",
                    from.encoding, to.encoding
                ),
                Some(Kept::AskedBy(op)) => format!(
                    "stays, and moves nothing: `{}` asks for `{}` by its kind",
                    sys::identifier_text(op.name()),
                    to.encoding
                ),
                Some(Kept::DiffersElsewhere) | None => format!(
                    "stays, and moves nothing: `{}` and `{}` differ on other tensors",
                    from.encoding, to.encoding
                ),
            };
            self.context.remark(cvt.op(), &text);
        }
    }
}
