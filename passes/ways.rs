//! How a value may be had in another layout, and what becomes of the operations that made it in the old one.
//!
//! A conversion of a value is one way. Others are operations that give it by themselves: what a conversion was made
//! from, a constant, a range or a splat made once more, a view of an operand that is had in the layout from which
//! the view gives the wanted one, a load that loads in it. [`Search`] finds the cheapest, as a list of nodes that
//! nothing has been done about; [`Search::gain`] says what it saves, with all that nobody needs any more;
//! [`Search::carry_out`] makes it.
//!
//! Missing on purpose: arithmetic done again, other than on addresses. That is a decision on a whole kernel.

use super::price::{Price, Prices};
use super::respell::attribute;
use crate::ir::ops::{arith, tt, ttg};
use crate::ir::{AnyKind, Layouts, OpKind, TensorType, UpstreamKind, builders, infer, verify};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Rewriter};
use linear_layout::access::Sharing;
use linear_layout::encoding::Encoding;
use linear_layout::target::Access;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, ValueLike};
use std::collections::{HashMap, HashSet};

/// Slices of addresses that are longer than this are not done again.
const MAX_DEPTH: usize = 48;

/// How a node of a way comes about.
enum How<'c> {
    /// It is there, perhaps under another name of the layout.
    There(Val<'c>),
    /// By a conversion.
    Converted(Val<'c>),
    /// By the same operation once more, where the way is needed.
    Again(Op<'c>, Vec<(usize, usize)>),
    /// By the operation itself, in its place: it touches memory.
    Instead(Op<'c>, Vec<(usize, usize)>),
}

struct Node<'c> {
    type_: Type<'c>,
    /// Before which operation it stands.
    place: Op<'c>,
    how: How<'c>,
    price: Price,
}

/// What kind of value is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Data, which nobody but the way needs.
    Sole,
    /// Data that others need, too.
    Shared,
    /// Addresses and masks.
    Address,
}

/// A search for ways, and what it has found so far; the price of what two ways share is paid once.
pub(super) struct Search<'s, 'c> {
    prices: &'s Prices<'c>,
    layouts: &'c Layouts,
    place: Op<'c>,
    nodes: Vec<Node<'c>>,
    /// By value, type and place.
    known: HashMap<[usize; 3], usize>,
}

impl<'s, 'c> Search<'s, 'c> {
    /// A search for what an operation needs.
    pub(super) fn before(prices: &'s Prices<'c>, layouts: &'c Layouts, place: Op<'c>) -> Self {
        Self {
            prices,
            layouts,
            place,
            nodes: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// Finds out how data may be had in a type.
    pub(super) fn data(&mut self, value: Val<'c>, type_: Type<'c>) -> Option<usize> {
        let role = role_of(value);
        self.want(value, type_, true, role, 0)
    }

    /// Finds out how an address or a mask may be had with an encoding.
    pub(super) fn address(&mut self, value: Val<'c>, encoding: Attribute<'c>) -> Option<usize> {
        let type_ = TensorType::of(value.r#type())?.with_encoding(encoding);
        self.want(value, type_, true, Role::Address, 0)
    }

    fn push(&mut self, value: Val<'c>, node: Node<'c>) -> usize {
        let key = key(value, node.type_, node.place);
        self.nodes.push(node);
        self.known.insert(key, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// A node for a value that is there, perhaps as another one that it was converted from.
    fn there(&mut self, value: Val<'c>, found: Val<'c>, type_: Type<'c>) -> usize {
        let node = Node {
            type_,
            place: self.place,
            how: How::There(found),
            price: Price::FREE,
        };
        self.push(value, node)
    }

    fn want(
        &mut self,
        value: Val<'c>,
        type_: Type<'c>,
        is_exact: bool,
        mut role: Role,
        depth: usize,
    ) -> Option<usize> {
        let place = self.place;
        if value.r#type() == type_ || (!is_exact && self.prices.is_same(value.r#type(), type_)) {
            return Some(self.there(value, value, type_));
        }
        if let Some(known) = self.known.get(&key(value, type_, place)) {
            return Some(*known);
        }
        // What conversions were made from, nearest first.
        let mut sources = vec![value];
        let mut last = value;
        while let Some(cvt) = conversion(last) {
            last = cvt.src();
            if role == Role::Sole {
                role = role_of(last);
            }
            if last.r#type() == type_ || (!is_exact && self.prices.is_same(last.r#type(), type_)) {
                return Some(self.there(value, last, type_));
            }
            sources.push(last);
        }
        let direct = sources
            .into_iter()
            .filter_map(|from| {
                let cost = self.prices.conversion(from.r#type(), type_)?;
                Some((Price::of_conversion(cost), from))
            })
            .min_by_key(|(price, _)| *price);
        let mark = self.nodes.len();
        let again = if depth < MAX_DEPTH {
            self.again(last, type_, role, depth)
        } else {
            None
        };
        let price = self.price_from(mark);
        match (again, direct) {
            (Some(found), None) => Some(found),
            (Some(found), Some((direct, _))) if price < direct => Some(found),
            (_, direct) => {
                self.nodes.truncate(mark);
                self.known.retain(|_, node| *node < mark);
                let (price, from) = direct?;
                let how = How::Converted(from);
                Some(self.push(
                    value,
                    Node {
                        type_,
                        place,
                        how,
                        price,
                    },
                ))
            }
        }
    }

    fn price_from(&self, mark: usize) -> Price {
        let mut sum = Price::FREE;
        for node in &self.nodes[mark..] {
            sum += node.price;
        }
        sum
    }

    /// Makes the value by its operation, in another layout.
    fn again(
        &mut self,
        value: Val<'c>,
        type_: Type<'c>,
        role: Role,
        depth: usize,
    ) -> Option<usize> {
        let op = sys::defining_operation(value)?;
        if op.result_count() != 1 || op.region_count() != 0 {
            return None;
        }
        use OpKind as K;
        use UpstreamKind as U;
        let place = self.place;
        let (price, is_exact, operand_role) = match AnyKind::of(op) {
            AnyKind::Own(K::TtSplat) => (0, true, role),
            AnyKind::Own(K::TtMakeRange) => (self.prices.arithmetic(type_)?, true, role),
            AnyKind::Upstream(U::ArithConstant) => {
                build::splat_value(arith::Constant::of(op)?.value())?;
                (0, true, role)
            }
            AnyKind::Own(K::TtTrans | K::TtReshape) => (0, false, role),
            AnyKind::Own(K::TtExpandDims | K::TtBroadcast | K::TtJoin) => (0, true, role),
            AnyKind::Own(K::TtgLocalLoad) if role == Role::Sole && self.is_beside(op) => {
                let load = ttg::LocalLoad::of(op)?;
                let cost = self
                    .prices
                    .buffer_access(type_, load.src().r#type(), Access::Load)?;
                let price = Price {
                    cost,
                    conversions: 0,
                };
                let how = How::Instead(op, Vec::new());
                return Some(self.push(
                    value,
                    Node {
                        type_,
                        place: op,
                        how,
                        price,
                    },
                ));
            }
            AnyKind::Own(K::TtLoad) if role == Role::Sole && self.is_beside(op) => {
                return self.load(tt::Load::of(op)?, type_, depth);
            }
            AnyKind::Own(K::TtAddPtr) if role == Role::Address => {
                (self.prices.arithmetic(type_)?, true, role)
            }
            AnyKind::Upstream(kind) if role == Role::Address && kind.is_elementwise() => {
                (self.prices.arithmetic(type_)?, true, role)
            }
            _ => return None,
        };
        let encoding = self.encoding(type_)?;
        let mut operands = Vec::new();
        for (i, operand) in build::operands(op).into_iter().enumerate() {
            let Some(tensor) = TensorType::of(operand.r#type()) else {
                continue;
            };
            let inferred = infer::operand_encoding(op, i, &encoding).ok()?;
            let wanted = tensor.with_encoding(attribute(op, &inferred)?);
            let role = match operand_role {
                Role::Sole => role_of(operand),
                other => other,
            };
            operands.push((i, self.want(operand, wanted, is_exact, role, depth + 1)?));
        }
        let how = How::Again(op, operands);
        let price = Price {
            cost: price,
            conversions: 0,
        };
        Some(self.push(
            value,
            Node {
                type_,
                place,
                how,
                price,
            },
        ))
    }

    /// A load that asks no more of memory in the other layout.
    fn load(&mut self, load: tt::Load<'c, 'c>, type_: Type<'c>, depth: usize) -> Option<usize> {
        let (op, pointer, mask) = (load.op(), load.ptr(), load.mask());
        let traffic = |type_| self.prices.traffic(op, pointer, mask, type_, Sharing::All);
        if load.is_volatile() || !traffic(type_)?.is_at_most(&traffic(load.result().r#type())?) {
            return None;
        }
        let encoding = TensorType::of(type_)?.encoding?;
        let outer = std::mem::replace(&mut self.place, op);
        let operands = self.beside(op, encoding, depth);
        self.place = outer;
        let how = How::Instead(op, operands?);
        let price = Price::FREE;
        Some(self.push(
            load.result(),
            Node {
                type_,
                place: op,
                how,
                price,
            },
        ))
    }

    /// All tensors among the operands, with an encoding.
    fn beside(
        &mut self,
        op: Op<'c>,
        encoding: Attribute<'c>,
        depth: usize,
    ) -> Option<Vec<(usize, usize)>> {
        let mut operands = Vec::new();
        for (i, operand) in build::operands(op).into_iter().enumerate() {
            if let Some(tensor) = TensorType::of(operand.r#type()) {
                let wanted = tensor.with_encoding(encoding);
                operands.push((
                    i,
                    self.want(operand, wanted, true, Role::Address, depth + 1)?,
                ));
            }
        }
        Some(operands)
    }

    fn encoding(&self, type_: Type<'c>) -> Option<std::sync::Arc<Encoding>> {
        self.layouts.of_tensor(&TensorType::of(type_)?).ok()
    }

    /// Whether an operation runs exactly as often as the place that the way is for.
    fn is_beside(&self, op: Op<'c>) -> bool {
        sys::block_of(op) == sys::block_of(self.place)
    }

    // --- what it saves ---

    /// What the ways cost more than what nobody needs any more once `user` takes them instead of `released`;
    /// below nothing, they are worth it.
    pub(super) fn gain(&self, user: Op<'c>, released: &[Val<'c>]) -> Price {
        let mut gain = self.price_from(0);
        for op in self.dying(user, released) {
            gain -= self.price_of(op);
        }
        gain
    }

    /// The operations that nobody needs any more, each after those that use it.
    pub(super) fn dying(&self, user: Op<'c>, released: &[Val<'c>]) -> Vec<Op<'c>> {
        let kept: HashSet<usize> = self
            .nodes
            .iter()
            .filter_map(|node| match &node.how {
                How::There(value) | How::Converted(value) => Some(sys::value_id(*value)),
                How::Again(..) | How::Instead(..) => None,
            })
            .collect();
        let replaced: Vec<usize> = self
            .nodes
            .iter()
            .filter_map(|node| match &node.how {
                How::Instead(op, _) => Some(sys::operation_id(*op)),
                _ => None,
            })
            .collect();
        let mut gone: HashSet<usize> = HashSet::from([sys::operation_id(user)]);
        let mut order = Vec::new();
        let mut waiting: Vec<Op<'c>> = released
            .iter()
            .filter_map(|value| sys::defining_operation(*value))
            .collect();
        loop {
            let before = order.len();
            let mut later = Vec::new();
            for op in std::mem::take(&mut waiting) {
                let id = sys::operation_id(op);
                if gone.contains(&id) || !(is_pure(op) || replaced.contains(&id)) {
                    continue;
                }
                let is_needed = build::results(op).into_iter().any(|result| {
                    kept.contains(&sys::value_id(result))
                        || sys::uses(result)
                            .iter()
                            .any(|(user, _)| !gone.contains(&sys::operation_id(*user)))
                });
                if is_needed {
                    later.push(op);
                    continue;
                }
                gone.insert(id);
                order.push(op);
                let operands = build::operands(op).into_iter();
                later.extend(operands.filter_map(sys::defining_operation));
            }
            if order.len() == before {
                return order;
            }
            waiting = later;
        }
    }

    /// What an operation costs as it is.
    pub(super) fn price_of(&self, op: Op<'c>) -> Price {
        if let Some(cvt) = ttg::ConvertLayout::of(op) {
            let cost = self
                .prices
                .conversion(cvt.src().r#type(), cvt.result().r#type());
            return Price::of_conversion(cost.unwrap_or(0));
        }
        let result = build::only_result(op).r#type();
        let cost = match AnyKind::of(op) {
            AnyKind::Own(OpKind::TtMakeRange | OpKind::TtAddPtr) => self.prices.arithmetic(result),
            AnyKind::Own(OpKind::TtgLocalLoad) => ttg::LocalLoad::of(op).and_then(|load| {
                self.prices
                    .buffer_access(result, load.src().r#type(), Access::Load)
            }),
            AnyKind::Upstream(kind) if kind.is_elementwise() => self.prices.arithmetic(result),
            _ => None,
        };
        Price {
            cost: cost.unwrap_or(0),
            conversions: 0,
        }
    }

    // --- what is said of it ---

    /// How many conversions the ways take.
    pub(super) fn conversions(&self) -> i64 {
        self.price_from(0).conversions
    }

    /// The operation that makes the value of a node, where it is neither there nor converted.
    pub(super) fn maker(&self, node: usize) -> Option<Op<'c>> {
        match &self.nodes[node].how {
            How::Again(op, _) | How::Instead(op, _) => Some(*op),
            How::There(_) | How::Converted(_) => None,
        }
    }

    /// The value that is there, where a node is one.
    pub(super) fn is_there(&self, node: usize) -> Option<Val<'c>> {
        match &self.nodes[node].how {
            How::There(value) => Some(*value),
            _ => None,
        }
    }

    // --- making it ---

    /// Makes all that was found; returns the value of each node.
    pub(super) fn carry_out(&self, rewriter: Rewriter<'c>) -> Option<Vec<Val<'c>>> {
        let mut values: Vec<Val<'c>> = Vec::new();
        for node in &self.nodes {
            let value = match &node.how {
                How::There(value) => *value,
                How::Converted(from) => {
                    builders::ttg::convert_layout(*from, node.type_).before(rewriter, node.place)?
                }
                How::Again(op, operands) | How::Instead(op, operands) => {
                    let made = rewriter.copy_before(node.place, *op);
                    for (i, operand) in operands {
                        rewriter.set_operand(made, *i, values[*operand]);
                    }
                    rewriter.set_result_type(made, 0, node.type_);
                    if let Some(constant) = arith::Constant::of(*op) {
                        let element = build::splat_value(constant.value())?;
                        let value = build::splat(node.type_, element);
                        rewriter.set_attribute(made, arith::Constant::VALUE_KEY, value);
                    }
                    // An operand under another name of its layout, where the operation asks for the name.
                    if verify::operation(made).is_err() {
                        for (i, operand) in operands {
                            let (value, type_) = (values[*operand], self.nodes[*operand].type_);
                            if value.r#type() != type_ {
                                let value = builders::ttg::convert_layout(value, type_);
                                let value = value.before(rewriter, made)?;
                                rewriter.set_operand(made, *i, value);
                            }
                        }
                    }
                    build::only_result(made)
                }
            };
            values.push(value);
        }
        Some(values)
    }
}

fn key<'c>(value: Val<'c>, type_: Type<'c>, place: Op<'c>) -> [usize; 3] {
    [
        sys::value_id(value),
        sys::type_id(type_),
        sys::operation_id(place),
    ]
}

fn role_of(value: Val<'_>) -> Role {
    if sys::has_one_use(value) {
        Role::Sole
    } else {
        Role::Shared
    }
}

/// The conversion that makes a value, if one does.
pub(super) fn conversion<'c>(value: Val<'c>) -> Option<ttg::ConvertLayout<'c, 'c>> {
    ttg::ConvertLayout::of(sys::defining_operation(value)?)
}

/// Whether an operation does nothing but make its result of its operands.
pub(super) fn is_pure(op: Op<'_>) -> bool {
    use OpKind as K;
    op.result_count() == 1
        && op.region_count() == 0
        && match AnyKind::of(op) {
            AnyKind::Own(kind) => matches!(
                kind,
                K::TtgConvertLayout
                    | K::TtSplat
                    | K::TtMakeRange
                    | K::TtTrans
                    | K::TtReshape
                    | K::TtExpandDims
                    | K::TtBroadcast
                    | K::TtJoin
                    | K::TtAddPtr
            ),
            AnyKind::Upstream(kind) => kind.is_elementwise() || kind == UpstreamKind::ArithConstant,
            AnyKind::Other => false,
        }
}
