//! Warp-group products (`wgmma`): legality, layouts and the rewrite of a `tt.dot`.
//!
//! ```text
//! %d = tt.dot %a, %b, %c     becomes
//! %as = ttg.local_alloc %a                      #ttg.nvmma_shared
//! %bs = ttg.local_alloc %b                      #ttg.nvmma_shared
//! %d  = ttng.warp_group_dot %as, %bs, %c        #ttg.nvidia_mma of version 3
//! ```
//! Every legal product is rewritten, without a comparison of prices. On Hopper, `mma.sync` reaches about two thirds of
//! the throughput of `wgmma`. Its operands pass through shared memory as well, and take registers in addition.
//!
//! - B is in shared memory. A is in shared memory if it is loaded. A computed A, such as the probabilities of attention,
//!   stays in registers.
//! - A transposed tensor is stored untransposed, and its buffer is transposed by `ttg.memdesc_trans`.
//! - Buffers of 16-bit elements keep the order of the tensor in memory. `wgmma` requires other buffers to be contiguous
//!   along K, so the store transposes where necessary.
//! - A buffer is filled before the outermost loop in which its tensor is invariant. Products that read the same tensor
//!   share the buffer.
//! - Warps are distributed along M first, and along N only if M has fewer than 16 rows per warp. Rows of chained products
//!   then stay in one warp.
//!
//! Not here: asynchronous products and multi-buffers (a software pipeliner).
//!
//! # Source
//! Triton's `tritongpu-accelerate-matmul` and `tritongpu-optimize-dot-operands`.

use super::{PassContext, attribute, is_of_instruction};
use crate::analysis::assignment::Role;
use crate::analysis::effects::OpId;
use crate::analysis::pressure::is_loop;
use crate::ir::ops::{scf, tt, ttg, ttng};
use crate::ir::{Layouts, ModuleInfo, OpView, ProductTypes, TensorType, builders, memdesc};
use crate::sys;
use crate::sys::build::{self, Blk, Op, Val};
use linear_layout::encoding::{
    CgaLayout, DotOperandEncoding, Encoding, NvidiaMmaEncoding, NvmmaSharedEncoding,
};
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::plan::memory::BufferLayout;
use linear_layout::plan::warp_group::{
    FactorBuffer, LeftFactor, WarpGroupOperands, WarpGroupPlan, plan_warp_group_product,
};
use linear_layout::target::{Number, Target};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Number of rows in the instruction's tile. These rows are divided among the four warps of a warp group.
const TILE_ROWS: u64 = 64;
/// Number of rows of the tile that each warp holds.
const WARP_ROWS: u64 = 16;
const MIN_COLUMNS: u64 = 8;
const MAX_COLUMNS: u64 = 256;
const WARPS_OF_GROUP: u64 = 4;
/// Size of the instruction's tile along K, in bits. It is the same for all element types.
const TILE_K_BITS: u32 = 256;
/// Minimum value of `maxNumImpreciseAcc` for `wgmma` with 8-bit floats and an f32 result. `wgmma` sums at least
/// this number of products with reduced precision, so it cannot satisfy a smaller limit.
const MIN_IMPRECISE: i64 = 32;
const TRANSPOSITION: [i32; 2] = [1, 0];

/// The operands, layouts and plan of a warp-group product.
struct WarpGroupProduct<'c> {
    a: LeftPlacement<'c>,
    b: Rc<BufferOperand<'c>>,
    d: Arc<Encoding>,
    plan: WarpGroupPlan,
}

#[derive(Clone)]
enum LeftPlacement<'c> {
    Registers(Rc<RegisterOperand>),
    Buffer(Rc<BufferOperand<'c>>),
}

/// An operand A that is in registers.
struct RegisterOperand {
    encoding: Encoding,
    layout: LinearLayout,
}

/// An operand in shared memory.
struct BufferOperand<'c> {
    /// The tensor that is stored in the buffer: the source of the operand, before layout conversions and at most
    /// one transposition.
    source: Val<'c>,
    stored: Encoding,
    /// The encoding of the transposed view of the buffer. `None` if the operand is not transposed.
    transposed: Option<Encoding>,
    layout: BufferLayout,
}

/// Allocated buffers. The key consists of the stored tensor, the type of the buffer, and the block that contains
/// the allocation.
type Buffers<'c> = HashMap<(usize, usize, usize), Val<'c>>;

/// Visits the products in `function`. If a warp-group product is legal, replaces the product by it, and calls
/// `remark` with the product and an explanation.
///
/// Returns the reason why each remaining product is not replaced, keyed by the product. Products whose result
/// already has the layout of a matrix instruction, or has no known layout, are skipped without a reason.
pub(super) fn use_warp_groups<'c>(
    context: &PassContext<'c>,
    function: Op<'c>,
    target: &Target,
    remark: impl Fn(Op<'c>, &str),
) -> HashMap<OpId, String> {
    let derived = derived_from_products(function);
    let mut buffers = Buffers::new();
    let mut reasons = HashMap::new();
    for dot in build::in_order(function)
        .into_iter()
        .filter_map(tt::Dot::of)
    {
        let result = TensorType::of(dot.d().r#type());
        let encoding = result.and_then(|result| context.layouts().of_tensor(&result).ok());
        if encoding.is_none_or(|encoding| is_of_instruction(&encoding)) {
            continue;
        }
        match product(dot, target, &derived) {
            Ok(product) => {
                remark(dot.op(), &explanation(&product));
                rewrite(context, dot, &product, &mut buffers);
            }
            Err(reason) => {
                reasons.insert(sys::operation_id(dot.op()), reason);
            }
        }
    }
    reasons
}

fn explanation(product: &WarpGroupProduct<'_>) -> String {
    let left = match product.a {
        LeftPlacement::Registers(_) => "A in registers, B in shared memory",
        LeftPlacement::Buffer(_) => "A and B in shared memory",
    };
    format!(
        "product uses {} ({} per warp group), with {left} and the result in `{}`",
        product.plan.instruction(),
        product.plan.issues().len(),
        product.d
    )
}

/// Plans the warp-group product for a `tt.dot`.
///
/// # Errors
/// Returns the reason why a warp-group product is not legal.
fn product<'c>(
    dot: tt::Dot<'c, 'c>,
    target: &Target,
    derived: &HashSet<usize>,
) -> Result<WarpGroupProduct<'c>, String> {
    let tensors = [dot.a(), dot.c()].map(|value| TensorType::of(value.r#type()));
    let [Some(a), Some(d)] = tensors else {
        return Err("the operands are not tensors".to_owned());
    };
    let types = ProductTypes::of(dot).map_err(|error| error.message)?;
    let (factors, sum) = (types.factors[0], types.sum);
    let warps = ModuleInfo::num_warps(dot.op()).unwrap_or(1);
    let bits = factors[0].bits();
    check(dot, (a.shape, d.shape), (factors, sum), warps)?;
    let [rows, columns] = [d.shape[0], d.shape[1]];
    let d = result_encoding(rows, columns, bits, warps)?;
    let sums = unique(&d, &[rows, columns])?;
    let a_shape = a.shape;
    let lefts: Vec<LeftPlacement<'c>> = if is_in_registers(dot.a(), derived) {
        let encoding = DotOperandEncoding::new(0, Arc::clone(&d), 32 / bits);
        let encoding = Encoding::from(encoding.map_err(|error| error.to_string())?);
        let layout = unique(&encoding, a.shape)?;
        vec![LeftPlacement::Registers(Rc::new(RegisterOperand {
            encoding,
            layout,
        }))]
    } else {
        let all = buffer_operands(dot.a(), 1, bits)?;
        all.into_iter().map(LeftPlacement::Buffer).collect()
    };
    let rights = buffer_operands(dot.b(), 0, bits)?;
    let mut first_reason = None;
    for a in &lefts {
        for b in &rights {
            let operands = WarpGroupOperands {
                d: &sums,
                a: a.factor(),
                b: b.factor(),
                k: a_shape[1],
                factors,
                sum,
                target,
            };
            let plan = plan_warp_group_product(&operands).map_err(|error| error.to_string());
            let plan = plan.and_then(|plan| fits(a, b, target).map(|()| plan));
            match plan {
                Ok(plan) => {
                    let (a, b) = (a.clone(), Rc::clone(b));
                    return Ok(WarpGroupProduct { a, b, d, plan });
                }
                Err(reason) => first_reason = first_reason.or(Some(reason)),
            }
        }
    }
    Err(first_reason.unwrap_or_else(|| "no layout of the operands fits `wgmma`".to_owned()))
}

/// Checks the conditions of `ttng.warp_group_dot` on sizes, types and threads. The planner checks the other
/// conditions.
fn check(
    dot: tt::Dot<'_, '_>,
    (a, d): (&[u64], &[u64]),
    (factors, sum): ([Number; 2], Number),
    warps: u64,
) -> Result<(), String> {
    let needs = |holds: bool, reason: String| if holds { Ok(()) } else { Err(reason) };
    let (rank, ctas) = (d.len(), ModuleInfo::num_ctas(dot.op()));
    needs(
        rank == 2,
        format!("the result has {rank} dimensions, `wgmma` requires 2"),
    )?;
    needs(
        ctas == 1,
        format!("`ttg.num-ctas` is {ctas}, warp-group products require 1"),
    )?;
    needs(
        warps.is_multiple_of(WARPS_OF_GROUP),
        format!("the kernel has {warps} warps, `wgmma` requires a multiple of {WARPS_OF_GROUP}"),
    )?;
    let bits = factors[0].bits();
    needs(
        matches!(bits, 8 | 16 | 32),
        format!("operand elements have {bits} bits, `wgmma` requires 8, 16 or 32"),
    )?;
    let [rows, columns, k] = [d[0], d[1], a[1]];
    needs(
        rows.is_multiple_of(TILE_ROWS),
        format!("the result has {rows} rows, `wgmma` requires a multiple of {TILE_ROWS}"),
    )?;
    needs(
        columns.is_multiple_of(MIN_COLUMNS),
        format!("the result has {columns} columns, `wgmma` requires a multiple of {MIN_COLUMNS}"),
    )?;
    let tile_k = u64::from(TILE_K_BITS / bits);
    needs(
        k.is_multiple_of(tile_k),
        format!("the operands have {k} elements along K, `wgmma` requires a multiple of {tile_k}"),
    )?;
    let (is_float8, imprecise) = (
        matches!(factors[0], Number::E4m3 | Number::E5m2),
        dot.max_num_imprecise_acc(),
    );
    needs(
        !is_float8 || sum != Number::F32 || imprecise >= MIN_IMPRECISE,
        format!(
            "`maxNumImpreciseAcc` is {imprecise}, `wgmma` requires at least {MIN_IMPRECISE} for {}",
            factors[0]
        ),
    )
}

/// Returns the encoding of the result of a warp-group product. As many warps as possible are distributed along M,
/// so that each of them has at least 16 rows of its own. The remaining warps are distributed along N.
///
/// This way, a reduction along N between two chained products exchanges little or no data between warps. The
/// instruction has as many columns as possible, because each instruction reads A once.
fn result_encoding(
    rows: u64,
    columns: u64,
    bits: u32,
    warps: u64,
) -> Result<Arc<Encoding>, String> {
    let along_rows = (rows / WARP_ROWS).min(warps).max(WARPS_OF_GROUP);
    let along_columns = warps / along_rows;
    let tile_columns = (columns / along_columns).clamp(MIN_COLUMNS, MAX_COLUMNS);
    let small = |size: u64| u32::try_from(size).map_err(|error| error.to_string());
    let spread = [small(along_rows)?, small(along_columns)?];
    let tile = [small(WARP_ROWS)?, small(tile_columns)?, TILE_K_BITS / bits];
    let cga = CgaLayout::single(2).map_err(|error| error.to_string())?;
    let mma = NvidiaMmaEncoding::new(3, 0, &spread, cga, &tile);
    let mma = mma.map_err(|error| error.to_string())?;
    Ok(Arc::new(Encoding::from(mma)))
}

fn unique(encoding: &Encoding, shape: &[u64]) -> Result<LinearLayout, String> {
    let full = encoding.to_surjective_layout(shape);
    let full = full.map_err(|error| error.to_string())?;
    full.remove_zero_bases(Dim::REGISTER)
        .map_err(|error| error.to_string())
}

impl LeftPlacement<'_> {
    fn factor(&self) -> LeftFactor<'_> {
        match self {
            Self::Registers(operand) => LeftFactor::Registers(&operand.layout),
            Self::Buffer(operand) => LeftFactor::Buffer(operand.factor()),
        }
    }
}

impl BufferOperand<'_> {
    const fn factor(&self) -> FactorBuffer<'_> {
        FactorBuffer {
            layout: &self.layout,
            view_mask: 0,
        }
    }
}

fn fits(a: &LeftPlacement<'_>, b: &BufferOperand<'_>, target: &Target) -> Result<(), String> {
    let left = match a {
        LeftPlacement::Registers(_) => 0,
        LeftPlacement::Buffer(a) => a.layout.size_bytes(1),
    };
    let (bytes, most) = (left + b.layout.size_bytes(1), target.max_shared_bytes);
    if bytes <= u64::from(most) {
        return Ok(());
    }
    Err(format!(
        "the operands take {bytes} bytes of shared memory, `{}` has {most}",
        target.name
    ))
}

/// Returns the buffers that may hold an operand, in order of preference. `k_dim` is the operand's dimension along
/// K.
///
/// # Errors
/// Returns the reason if no buffer can hold the operand.
fn buffer_operands<'c>(
    operand: Val<'c>,
    k_dim: usize,
    bits: u32,
) -> Result<Vec<Rc<BufferOperand<'c>>>, String> {
    let (source, is_transposed) = stored_tensor(operand);
    let Some(tensor) = TensorType::of(source.r#type()) else {
        return Err("an operand is not a tensor".to_owned());
    };
    let encoding = Layouts::of(source.context()).of_tensor(&tensor);
    if encoding.is_ok_and(|encoding| encoding.is_generic()) {
        return Err("`ttg.local_alloc` does not support `#ttg.generic_linear`".to_owned());
    }
    let k_dim = if is_transposed { 1 - k_dim } else { k_dim };
    let in_memory = contiguous_dim(source);
    let dims = match bits {
        16 => vec![in_memory, 1 - in_memory],
        _ => vec![k_dim],
    };
    let shape = tensor.shape;
    let mut all = Vec::new();
    let mut first_reason = None;
    for dim in dims {
        match buffer_operand(source, shape, (dim, is_transposed), bits) {
            Ok(operand) => all.push(Rc::new(operand)),
            Err(reason) => first_reason = first_reason.or(Some(reason)),
        }
    }
    match first_reason {
        Some(reason) if all.is_empty() => Err(reason),
        _ => Ok(all),
    }
}

/// Returns the buffer for the tensor `source`. The buffer is contiguous along `dim`, and has the widest possible
/// swizzle.
fn buffer_operand<'c>(
    source: Val<'c>,
    shape: &[u64],
    (dim, is_transposed): (usize, bool),
    bits: u32,
) -> Result<BufferOperand<'c>, String> {
    let failed = |error: linear_layout::encoding::EncodingError| error.to_string();
    // As TMA fills it.
    let block =
        NvmmaSharedEncoding::of_block(&[shape[1 - dim], shape[dim]], bits).map_err(failed)?;
    let swizzle = block.swizzle_bytes();
    if swizzle == 0 {
        let row_bytes = shape[dim] * u64::from(bits) / 8;
        return Err(format!(
            "rows of an operand have {row_bytes} bytes, `wgmma` requires at least 32"
        ));
    }
    let encoding = |is_transposed: bool| {
        let cga = CgaLayout::single(2)?;
        let encoding = NvmmaSharedEncoding::new(swizzle, is_transposed, bits, false, cga)?;
        Ok(Encoding::from(encoding))
    };
    let stored = encoding(dim == 0).map_err(failed)?;
    let (view, shape) = match is_transposed {
        true => (
            Some(encoding(dim != 0).map_err(failed)?),
            vec![shape[1], shape[0]],
        ),
        false => (None, shape.to_vec()),
    };
    let seen = view.as_ref().unwrap_or(&stored);
    let layout = seen.to_surjective_layout(&shape).map_err(failed)?;
    let layout = BufferLayout::new(layout, &[], bits).map_err(|error| error.to_string())?;
    Ok(BufferOperand {
        source,
        stored,
        transposed: view,
        layout,
    })
}

/// Follows an operand back through layout conversions and at most one transposition. Returns the tensor before
/// them, and true if there is a transposition.
fn stored_tensor(operand: Val<'_>) -> (Val<'_>, bool) {
    let (mut source, mut is_transposed) = (operand, false);
    while let Some(op) = sys::defining_operation(source) {
        let trans = tt::Trans::of(op).filter(|_| !is_transposed);
        if let Some(convert) = ttg::ConvertLayout::of(op) {
            source = convert.src();
        } else if let Some(trans) = trans.filter(|trans| trans.order() == TRANSPOSITION) {
            source = trans.src();
            is_transposed = true;
        } else {
            break;
        }
    }
    (source, is_transposed)
}

/// Returns true if operand A should be in registers instead of a buffer. This is the case if A is not loaded from
/// memory but computed, and A is not transposed.
///
/// For 16-bit elements, the result of a product already has the register layout that operand A needs, so no data
/// moves. A transposition moves data between threads in any case, so a transposed A is stored to a buffer.
fn is_in_registers(a: Val<'_>, derived: &HashSet<usize>) -> bool {
    let (source, is_transposed) = stored_tensor(a);
    let is_computed = match sys::defining_operation(source) {
        None => derived.contains(&sys::value_id(source)),
        Some(op) => !is_load(op),
    };
    is_computed && !is_transposed
}

fn is_load(op: Op<'_>) -> bool {
    matches!(
        OpView::of(op),
        Some(OpView::TtLoad(_) | OpView::TtDescriptorLoad(_) | OpView::TtDescriptorGather(_))
    )
}

/// Returns the dimension along which the elements of the matrix `source` are contiguous. If `source` is computed
/// elementwise from a load, this is the dimension along which the loaded elements are contiguous in memory.
/// Otherwise, it is the dimension along which the elements of each thread are contiguous.
fn contiguous_dim(source: Val<'_>) -> usize {
    let layouts = Layouts::of(source.context());
    let order = |value: Val<'_>| {
        let tensor = TensorType::of(value.r#type())?;
        let encoding = layouts.of_tensor(&tensor).ok()?;
        let order = encoding.order_for_memory(tensor.shape).ok()?;
        order.first().map(|dim| *dim as usize)
    };
    let shape_of =
        |value: Val<'_>| TensorType::of(value.r#type()).map(|tensor| tensor.shape.to_vec());
    let shape = shape_of(source);
    let mut seen = HashSet::new();
    let mut queue = vec![source];
    while let Some(value) = queue.pop() {
        let Some(op) = sys::defining_operation(value).filter(|_| seen.insert(sys::value_id(value)))
        else {
            continue;
        };
        match Role::of(op) {
            Role::Access { is_store: false } => {
                if let Some(dim) = order(value) {
                    return dim;
                }
            }
            Role::Conversion | Role::Elementwise => {
                let operands = build::operands(op).into_iter();
                queue.extend(operands.filter(|operand| shape_of(*operand) == shape));
            }
            // The elements of a descriptor are contiguous along the last dimension.
            _ if is_load(op) => return 1,
            _ => {}
        }
    }
    order(source).unwrap_or(1)
}

/// Returns the identities of all values that are computed from results of products.
fn derived_from_products(function: Op<'_>) -> HashSet<usize> {
    let products = build::in_order(function).into_iter();
    let products =
        products.filter(|op| tt::Dot::of(*op).is_some() || ttng::WarpGroupDot::of(*op).is_some());
    let mut queue: Vec<Val<'_>> = products.map(build::only_result).collect();
    let mut derived = HashSet::new();
    while let Some(value) = queue.pop() {
        if !derived.insert(sys::value_id(value)) {
            continue;
        }
        for (user, at) in sys::uses(value) {
            match Role::of(user) {
                Role::Conversion
                | Role::Elementwise
                | Role::View
                | Role::Reduction
                | Role::Scan => {
                    queue.extend(build::results(user));
                }
                Role::Loop => {
                    let initial = at.checked_sub(user.operand_count() - user.result_count());
                    queue.extend(initial.into_iter().flat_map(|at| carried(user, at)));
                }
                Role::Terminator => {
                    let around = build::parent(user);
                    queue.extend(around.into_iter().flat_map(|around| carried(around, at)));
                }
                _ => {}
            }
        }
    }
    derived
}

/// `op` is a loop or a conditional, and `at` is the index of one of its results. Returns the values that receive
/// the carried or yielded value at this index: the result itself and, if `op` is a loop, the corresponding argument
/// of its body.
fn carried(op: Op<'_>, at: usize) -> Vec<Val<'_>> {
    let result = (at < op.result_count()).then(|| build::result(op, at));
    let body = scf::For::of(op).and_then(|loop_| build::block_of(loop_.region()));
    let argument = body.and_then(|body| build::block_arguments(body).get(at + 1).copied());
    result.into_iter().chain(argument).collect()
}

fn rewrite<'c>(
    context: &PassContext<'c>,
    dot: tt::Dot<'c, 'c>,
    product: &WarpGroupProduct<'c>,
    buffers: &mut Buffers<'c>,
) -> Option<()> {
    let (op, rewriter) = (dot.op(), context.rewriter());
    let convert = |value: Val<'c>, encoding: &Encoding| {
        let tensor = TensorType::of(value.r#type())?;
        let type_ = tensor.with_encoding(attribute(op, encoding)?);
        builders::ttg::convert_layout(value, type_).before(rewriter, op)
    };
    let a = match &product.a {
        LeftPlacement::Registers(operand) => convert(dot.a(), &operand.encoding)?,
        LeftPlacement::Buffer(operand) => buffer(context, op, operand, buffers)?,
    };
    let b = buffer(context, op, &product.b, buffers)?;
    let c = convert(dot.c(), &product.d)?;
    // Both operations have the same attributes for the precision.
    let d = builders::ttng::warp_group_dot(a, b, c, None)
        .with_discardable(&build::attributes(op))
        .before(rewriter, op)?;
    let result = builders::ttg::convert_layout(d, dot.d().r#type()).before(rewriter, op)?;
    rewriter.replace(op, &[result]);
    Some(())
}

/// Returns the buffer that holds an operand. Allocates the buffer, unless an earlier product already uses the same
/// one.
fn buffer<'c>(
    context: &PassContext<'c>,
    op: Op<'c>,
    operand: &BufferOperand<'c>,
    buffers: &mut Buffers<'c>,
) -> Option<Val<'c>> {
    let rewriter = context.rewriter();
    let tensor = TensorType::of(operand.source.r#type())?;
    let [rows, columns] = *tensor.shape else {
        return None;
    };
    let type_of = |shape: &[u64], encoding: &Encoding| {
        memdesc(shape, tensor.element, attribute(op, encoding)?, false)
    };
    let stored = type_of(tensor.shape, &operand.stored)?;
    let place = first_use_outside_loops(op, operand.source);
    let block = build::block_around(place)?;
    let key = (
        sys::value_id(operand.source),
        sys::type_id(stored),
        sys::block_id(block),
    );
    let buffer = match buffers.get(&key) {
        Some(known) => *known,
        None => {
            let buffer = builders::ttg::local_alloc(Some(operand.source), stored);
            let buffer = buffer.before(rewriter, place)?;
            buffers.insert(key, buffer);
            buffer
        }
    };
    let Some(transposed) = &operand.transposed else {
        return Some(buffer);
    };
    let view = type_of(&[columns, rows], transposed)?;
    builders::ttg::memdesc_trans(buffer, &TRANSPOSITION, view).before(rewriter, op)
}

/// Returns the outermost loop around `op` that does not contain the definition of `value`. Returns `op` itself if
/// there is no such loop. An operation inserted in front of the returned operation computes with `value` once for
/// all iterations.
fn first_use_outside_loops<'c>(op: Op<'c>, value: Val<'c>) -> Op<'c> {
    let (mut place, mut at) = (op, op);
    while !build::block_around(at).is_none_or(|block| defines(block, value)) {
        let Some(around) = build::parent(at) else {
            break;
        };
        if is_loop(around) {
            place = around;
        }
        at = around;
    }
    place
}

fn defines<'c>(block: Blk<'c>, value: Val<'c>) -> bool {
    match sys::defining_operation(value) {
        Some(op) => build::is_in(op, block),
        None => {
            let arguments = build::block_arguments(block);
            let mut arguments = arguments.into_iter().map(sys::value_id);
            arguments.any(|argument| argument == sys::value_id(value))
        }
    }
}
