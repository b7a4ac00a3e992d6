//! Construction and inspection of operations, blocks and values.
//!
//! melior ties values to the block from which they were read, but passes keep values in tables while blocks change.
//! Handles of this module live as long as the current [`Rewriter`](super::Rewriter), which keeps erased objects alive.

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{
    Attribute, AttributeLike, BlockLike, BlockRef, Identifier, Location, OperationRef, Region,
    RegionLike, RegionRef, Type, TypeLike, Value, ValueLike,
};

/// A value with the lifetime of the rewriter.
pub type Val<'c> = Value<'c, 'c>;
/// A block with the lifetime of the rewriter.
pub type Blk<'c> = BlockRef<'c, 'c>;
/// An operation with the lifetime of the rewriter.
pub type Op<'c> = OperationRef<'c, 'c>;

/// The specification of a new operation.
#[derive(Debug)]
pub struct Spec<'s, 'c> {
    /// Full name of the operation, for example `llvm.add`.
    pub name: &'s str,
    /// Source location.
    pub location: Location<'c>,
    /// Operands.
    pub operands: &'s [Val<'c>],
    /// Result types.
    pub results: &'s [Type<'c>],
    /// Inherent and discardable attributes.
    pub attributes: &'s [(Identifier<'c>, Attribute<'c>)],
    /// Regions, owned by the new operation.
    pub regions: Vec<Region<'c>>,
    /// Successor blocks. They must be in the region that contains the operation.
    pub successors: &'s [Blk<'c>],
}

impl Spec<'_, '_> {
    pub(super) fn create(self) -> Result<mlir_sys::MlirOperation, String> {
        use mlir_sys as m;
        let name = self.name;
        let named: Vec<m::MlirNamedAttribute> = self
            .attributes
            .iter()
            .map(|(key, value)| m::MlirNamedAttribute {
                name: key.to_raw(),
                attribute: value.to_raw(),
            })
            .collect();
        let operands: Vec<m::MlirValue> = self.operands.iter().map(ValueLike::to_raw).collect();
        let results: Vec<m::MlirType> = self.results.iter().map(TypeLike::to_raw).collect();
        let regions: Vec<m::MlirRegion> = self.regions.into_iter().map(Region::into_raw).collect();
        let successors: Vec<m::MlirBlock> = self.successors.iter().map(|b| b.to_raw()).collect();
        // SAFETY: all handles are alive and of one context; `mlirOperationCreate` copies the lists and takes ownership
        // of the regions.
        let raw = unsafe {
            let text = m::MlirStringRef {
                data: name.as_ptr().cast(),
                length: name.len(),
            };
            let mut state = m::mlirOperationStateGet(text, self.location.to_raw());
            let state = &raw mut state;
            m::mlirOperationStateAddOperands(
                state,
                operands.len().cast_signed(),
                operands.as_ptr(),
            );
            m::mlirOperationStateAddResults(state, results.len().cast_signed(), results.as_ptr());
            m::mlirOperationStateAddAttributes(state, named.len().cast_signed(), named.as_ptr());
            m::mlirOperationStateAddOwnedRegions(
                state,
                regions.len().cast_signed(),
                regions.as_ptr(),
            );
            m::mlirOperationStateAddSuccessors(
                state,
                successors.len().cast_signed(),
                successors.as_ptr(),
            );
            m::mlirOperationCreate(state)
        };
        if raw.ptr.is_null() {
            return Err(format!("cannot make `{name}`"));
        }
        Ok(raw)
    }
}

/// Returns result `i` of an operation.
///
/// # Panics
/// Panics if `i` is out of range.
#[must_use]
pub fn result<'c>(op: OperationRef<'_, 'c>, i: usize) -> Val<'c> {
    assert!(i < op.result_count(), "result {i} of {}", op.result_count());
    // SAFETY: the operation is alive and has that many results.
    unsafe {
        Value::from_raw(mlir_sys::mlirOperationGetResult(
            op.to_raw(),
            i.cast_signed(),
        ))
    }
}

/// Returns result 0 of an operation that has one result.
///
/// # Panics
/// Panics if the operation has no result.
#[must_use]
pub fn only_result<'c>(op: OperationRef<'_, 'c>) -> Val<'c> {
    result(op, 0)
}

/// Returns the results of an operation.
#[must_use]
pub fn results<'c>(op: OperationRef<'_, 'c>) -> Vec<Val<'c>> {
    (0..op.result_count()).map(|i| result(op, i)).collect()
}

/// Returns the operands of an operation.
#[must_use]
pub fn operands<'c>(op: OperationRef<'_, 'c>) -> Vec<Val<'c>> {
    (0..op.operand_count()).map(|i| operand(op, i)).collect()
}

/// Returns operand 0 of an operation that has one operand.
///
/// # Panics
/// Panics if the operation has no operand.
#[must_use]
pub fn only_operand<'c>(op: OperationRef<'_, 'c>) -> Val<'c> {
    operand(op, 0)
}

/// Returns operand `i` of an operation.
///
/// # Panics
/// Panics if `i` is out of range.
#[must_use]
pub fn operand<'c>(op: OperationRef<'_, 'c>, i: usize) -> Val<'c> {
    assert!(
        i < op.operand_count(),
        "operand {i} of {}",
        op.operand_count()
    );
    // SAFETY: the operation is alive and has that many operands.
    unsafe {
        Value::from_raw(mlir_sys::mlirOperationGetOperand(
            op.to_raw(),
            i.cast_signed(),
        ))
    }
}

/// Returns argument `i` of a block.
///
/// # Panics
/// Panics if `i` is out of range.
#[must_use]
pub fn argument<'c>(block: BlockRef<'_, 'c>, i: usize) -> Val<'c> {
    assert!(
        i < block.argument_count(),
        "argument {i} of {}",
        block.argument_count()
    );
    // SAFETY: the block is alive and has that many arguments.
    unsafe {
        Value::from_raw(mlir_sys::mlirBlockGetArgument(
            block.to_raw(),
            i.cast_signed(),
        ))
    }
}

/// Returns the only block of region `region` of an operation. `None` if there is no such region, or if it has no
/// block or several.
#[must_use]
pub fn single_block<'c>(op: OperationRef<'_, 'c>, region: usize) -> Option<Blk<'c>> {
    // melior's own error prints the whole operation.
    if region >= op.region_count() {
        return None;
    }
    block_of(op.region(region).ok()?)
}

/// Returns the only block of a region, or `None` for any other number of blocks.
#[must_use]
pub fn block_of<'c>(region: RegionRef<'_, 'c>) -> Option<Blk<'c>> {
    let block = region.first_block()?;
    if block.next_in_region().is_some() {
        return None;
    }
    // SAFETY: the block lives as long as the operation it is read from.
    Some(unsafe { BlockRef::from_raw(block.to_raw()) })
}

/// Returns the only block of a module's first region, or `None` if there is no such block.
#[must_use]
pub fn module_body<'c>(module: OperationRef<'_, 'c>) -> Option<Blk<'c>> {
    single_block(module, 0)
}

/// Returns the blocks of region `region` of an operation. Empty if there is no such region.
#[must_use]
pub fn blocks<'c>(op: OperationRef<'_, 'c>, region: usize) -> Vec<Blk<'c>> {
    op.region(region).map_or_else(|_| Vec::new(), blocks_of)
}

/// Returns the arguments of a block.
#[must_use]
pub fn block_arguments<'c>(block: Blk<'c>) -> Vec<Val<'c>> {
    (0..block.argument_count())
        .map(|i| argument(block, i))
        .collect()
}

/// Returns the operands of a block's terminator. Empty for an empty block.
#[must_use]
pub fn terminator_operands<'c>(block: Blk<'c>) -> Vec<Val<'c>> {
    let end = operations(block).pop();
    end.map(operands).unwrap_or_default()
}

/// Returns the blocks of a region.
#[must_use]
pub fn blocks_of<'c>(region: RegionRef<'_, 'c>) -> Vec<Blk<'c>> {
    let mut all = Vec::new();
    let mut next = region.first_block();
    while let Some(block) = next {
        // SAFETY: the block lives as long as the operation it is read from.
        all.push(unsafe { BlockRef::from_raw(block.to_raw()) });
        next = block.next_in_region();
    }
    all
}

/// Returns the successor blocks of an operation.
#[must_use]
pub fn successors<'c>(op: OperationRef<'_, 'c>) -> Vec<Blk<'c>> {
    op.successors()
        // SAFETY: a successor lives as long as its terminator.
        .map(|block| unsafe { BlockRef::from_raw(block.to_raw()) })
        .collect()
}

/// Returns the operations of a block.
#[must_use]
pub fn operations<'c>(block: BlockRef<'_, 'c>) -> Vec<Op<'c>> {
    let mut all = Vec::new();
    let mut next = block.first_operation();
    while let Some(op) = next {
        // SAFETY: the operation lives as long as its block.
        all.push(unsafe { OperationRef::from_raw(op.to_raw()) });
        next = op.next_in_block();
    }
    all
}

/// Returns an operation and all nested operations, in textual order.
#[must_use]
pub fn in_order<'c>(root: Op<'c>) -> Vec<Op<'c>> {
    let mut all = Vec::new();
    let mut stack = vec![root];
    while let Some(op) = stack.pop() {
        all.push(op);
        let within = (0..op.region_count()).flat_map(|i| blocks(op, i));
        let mut within: Vec<Op<'c>> = within.flat_map(operations).collect();
        within.reverse();
        stack.append(&mut within);
    }
    all
}

/// Returns the parent operation.
#[must_use]
pub fn parent<'c>(op: OperationRef<'_, 'c>) -> Option<Op<'c>> {
    let parent = op.parent_operation()?;
    // SAFETY: an operation outlives its body.
    Some(unsafe { OperationRef::from_raw(parent.to_raw()) })
}

/// Returns the operations that contain `op`, directly or indirectly, innermost first.
pub fn ancestors<'c>(op: OperationRef<'_, 'c>) -> impl Iterator<Item = Op<'c>> {
    std::iter::successors(parent(op), |op| parent(*op))
}

/// Returns the block that contains `op`, or `None` for an operation outside a block.
#[must_use]
pub fn block_around<'c>(op: OperationRef<'_, 'c>) -> Option<Blk<'c>> {
    let block = op.block()?;
    // SAFETY: a block outlives its operations.
    Some(unsafe { BlockRef::from_raw(block.to_raw()) })
}

/// Returns true if an operation is in a block itself, and not in a region nested in the block.
#[must_use]
pub fn is_in(op: OperationRef<'_, '_>, block: BlockRef<'_, '_>) -> bool {
    op.block()
        .is_some_and(|around| super::block_id(around) == super::block_id(block))
}

/// Returns the operation that follows `op` in its block. `None` for the last operation.
#[must_use]
pub fn next<'c>(op: OperationRef<'_, 'c>) -> Option<Op<'c>> {
    let next = op.next_in_block()?;
    // SAFETY: the operation lives as long as its block.
    Some(unsafe { OperationRef::from_raw(next.to_raw()) })
}

/// Returns the context of an operation.
#[must_use]
pub fn context<'c>(op: OperationRef<'c, '_>) -> &'c Context {
    super::context_of(op.context())
}

/// Returns the value of an integer attribute of at most 64 bits, or `None` for other attributes.
///
/// The value is sign-extended unless the type is unsigned: `-1 : i32`, `-1 : si32`, `-1 : index` and `true`
/// give -1; `255 : ui8` gives 255. Unlike melior's conversion, this function prints no rejected attribute.
#[must_use]
pub fn integer_value(attribute: Attribute<'_>) -> Option<i64> {
    let number = Some(attribute).filter(Attribute::is_integer)?;
    let number = IntegerAttribute::try_from(number).ok()?;
    let type_ = number.r#type();
    if !type_.is_integer() {
        return Some(number.value());
    }
    let type_ = IntegerType::try_from(type_).ok()?;
    match type_.width() {
        0..=64 if type_.is_signless() => Some(number.value()),
        0..=64 if type_.is_signed() => Some(number.signed_value()),
        0..=64 => i64::try_from(number.unsigned_value()).ok(),
        _ => None,
    }
}

/// Returns the integer attribute `name`, or `None` if it is absent or not an integer.
#[must_use]
pub fn integer_attribute(op: OperationRef<'_, '_>, name: &str) -> Option<i64> {
    integer_value(op.attribute(name).ok()?)
}

/// Returns the bits of an 8-bit float attribute, for example `0x3C` for `1.0 : f8E5M2`. `None` for other
/// attributes.
#[must_use]
pub fn float8_bits(attribute: Attribute<'_>) -> Option<u8> {
    // SAFETY: the attribute is alive; the value is read only of a float, through a splat tensor of one byte.
    unsafe {
        let raw = attribute.to_raw();
        if !mlir_sys::mlirAttributeIsAFloat(raw) {
            return None;
        }
        let type_ = mlir_sys::mlirAttributeGetType(raw);
        if mlir_sys::mlirFloatTypeGetWidth(type_) != 8 {
            return None;
        }
        let none = mlir_sys::mlirAttributeGetNull();
        let tensor = mlir_sys::mlirRankedTensorTypeGet(1, [1].as_ptr(), type_, none);
        let dense = mlir_sys::mlirDenseElementsAttrSplatGet(tensor, raw);
        Some(*mlir_sys::mlirDenseElementsAttrGetRawData(dense).cast())
    }
}

/// Returns the element that a splat constant repeats, or `None` for other attributes.
#[must_use]
pub fn splat_value<'c>(elements: Attribute<'c>) -> Option<Attribute<'c>> {
    // SAFETY: the attribute is alive, and is a splat.
    unsafe {
        let raw = elements.to_raw();
        (mlir_sys::mlirAttributeIsADenseElements(raw)
            && mlir_sys::mlirDenseElementsAttrIsSplat(raw))
        .then(|| Attribute::from_raw(mlir_sys::mlirDenseElementsAttrGetSplatValue(raw)))
    }
}

/// Returns the elements of a constant tensor in row-major order. `None` if the attribute is no such constant, or if
/// `shape` has a different number of elements.
#[must_use]
pub fn dense_elements<'c>(elements: Attribute<'c>, shape: &[u64]) -> Option<Vec<Attribute<'c>>> {
    let count = shape.iter().product::<u64>();
    let raw = elements.to_raw();
    // SAFETY: the attribute is alive, and the number of elements is read only of elements attributes.
    let is_whole = unsafe {
        mlir_sys::mlirAttributeIsADenseElements(raw)
            && mlir_sys::mlirElementsAttrGetNumElements(raw).cast_unsigned() == count
    };
    if !is_whole {
        return None;
    }
    let element = |flat: u64| {
        let mut rest = flat;
        let mut index: Vec<u64> = shape
            .iter()
            .rev()
            .map(|size| {
                let own = rest % size;
                rest /= size;
                own
            })
            .collect();
        index.reverse();
        // SAFETY: the index has an entry per dimension, each below its size.
        unsafe {
            let rank = index.len().cast_signed();
            let value = mlir_sys::mlirElementsAttrGetValue(raw, rank, index.as_mut_ptr());
            Attribute::from_raw(value)
        }
    };
    Some((0..count).map(element).collect())
}

/// Returns the bits of an integer or float attribute of at most 64 bits. `None` for other attributes.
#[must_use]
pub fn number_bits(attribute: Attribute<'_>) -> Option<u64> {
    if let Some(number) = integer_value(attribute) {
        return Some(number.cast_unsigned());
    }
    // SAFETY: the attribute is alive; the width is read only of a float, and no more bytes than it has are read of a
    // splat tensor of it.
    unsafe {
        let raw = attribute.to_raw();
        if !mlir_sys::mlirAttributeIsAFloat(raw) {
            return None;
        }
        let type_ = mlir_sys::mlirAttributeGetType(raw);
        let bytes = mlir_sys::mlirFloatTypeGetWidth(type_) as usize / 8;
        if !matches!(bytes, 1 | 2 | 4 | 8) {
            return None;
        }
        let none = mlir_sys::mlirAttributeGetNull();
        let tensor = mlir_sys::mlirRankedTensorTypeGet(1, [1].as_ptr(), type_, none);
        let dense = mlir_sys::mlirDenseElementsAttrSplatGet(tensor, raw);
        let data = mlir_sys::mlirDenseElementsAttrGetRawData(dense).cast::<u8>();
        let mut bits = [0; 8];
        bits[..bytes].copy_from_slice(std::slice::from_raw_parts(data, bytes));
        Some(u64::from_le_bytes(bits))
    }
}

/// Returns a splat constant of the tensor type `type_`.
#[must_use]
pub fn splat<'c>(type_: Type<'c>, element: Attribute<'c>) -> Attribute<'c> {
    // SAFETY: type and attribute are alive and of one context.
    unsafe {
        Attribute::from_raw(mlir_sys::mlirDenseElementsAttrSplatGet(
            type_.to_raw(),
            element.to_raw(),
        ))
    }
}

/// Returns the discardable attributes of an operation: those that its ODS declaration does not contain.
#[must_use]
pub fn discardable_attributes<'c>(
    op: OperationRef<'c, '_>,
) -> Vec<(Identifier<'c>, Attribute<'c>)> {
    let all = 0..op.discardable_attribute_count();
    all.filter_map(|i| op.discardable_attribute_at(i).ok())
        .collect()
}

/// Returns the inherent and the discardable attributes.
#[must_use]
pub fn attributes<'c>(op: OperationRef<'c, '_>) -> Vec<(Identifier<'c>, Attribute<'c>)> {
    op.attributes().collect()
}
