//! Operations, blocks and values: what a new one is made of, and how those that are there are read.
//!
//! melior ties a value to the block it was read from. A pass keeps values in tables while it changes
//! blocks, so here all are tied to one lifetime, that of the work they belong to: a
//! [`Rewriter`](super::Rewriter) sees to it that nothing goes before that ends.

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{
    Attribute, AttributeLike, BlockLike, BlockRef, Identifier, Location, OperationRef, Region,
    RegionLike, RegionRef, Type, TypeLike, Value, ValueLike,
};

/// A value that lives as long as the work on it.
pub type Val<'c> = Value<'c, 'c>;
/// A block that lives as long as the work on it.
pub type Blk<'c> = BlockRef<'c, 'c>;
/// An operation that lives as long as the work on it.
pub type Op<'c> = OperationRef<'c, 'c>;

/// What an operation is made of.
#[derive(Debug)]
pub struct Spec<'s, 'c> {
    /// Its full name, as `llvm.add`.
    pub name: &'s str,
    /// Where in the source it comes from.
    pub location: Location<'c>,
    /// Its operands.
    pub operands: &'s [Val<'c>],
    /// The types of its results.
    pub results: &'s [Type<'c>],
    /// Its attributes, inherent ones included.
    pub attributes: &'s [(Identifier<'c>, Attribute<'c>)],
    /// Its regions; consumed.
    pub regions: Vec<Region<'c>>,
    /// The blocks that it may go to, of the region it is put into.
    pub successors: &'s [Blk<'c>],
}

impl Spec<'_, '_> {
    /// Makes the operation, which nobody owns yet.
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
        // SAFETY: all handles are alive and of one context; `mlirOperationCreate` copies the lists and
        // takes over the regions.
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

/// The i-th result of an operation.
///
/// # Panics
/// It has fewer.
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

/// The result of an operation that has one.
///
/// # Panics
/// It has none.
#[must_use]
pub fn only_result<'c>(op: OperationRef<'_, 'c>) -> Val<'c> {
    result(op, 0)
}

/// The results of an operation, in order.
#[must_use]
pub fn results<'c>(op: OperationRef<'_, 'c>) -> Vec<Val<'c>> {
    (0..op.result_count()).map(|i| result(op, i)).collect()
}

/// The operands of an operation, in order.
#[must_use]
pub fn operands<'c>(op: OperationRef<'_, 'c>) -> Vec<Val<'c>> {
    (0..op.operand_count()).map(|i| operand(op, i)).collect()
}

/// The operand of an operation that has one.
///
/// # Panics
/// It has none.
#[must_use]
pub fn only_operand<'c>(op: OperationRef<'_, 'c>) -> Val<'c> {
    operand(op, 0)
}

/// The i-th operand of an operation.
///
/// # Panics
/// It has fewer.
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

/// The i-th argument of a block.
///
/// # Panics
/// It has fewer.
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

/// The only block of a region of an operation, where there is just one.
#[must_use]
pub fn single_block<'c>(op: OperationRef<'_, 'c>, region: usize) -> Option<Blk<'c>> {
    // melior's own error prints the operation with all that is in it.
    if region >= op.region_count() {
        return None;
    }
    block_of(op.region(region).ok()?)
}

/// The only block of a region, where there is just one.
#[must_use]
pub fn block_of<'c>(region: RegionRef<'_, 'c>) -> Option<Blk<'c>> {
    let block = region.first_block()?;
    if block.next_in_region().is_some() {
        return None;
    }
    // SAFETY: the block lives as long as the operation it is read from.
    Some(unsafe { BlockRef::from_raw(block.to_raw()) })
}

/// The block of a module that its operations stand in.
#[must_use]
pub fn module_body<'c>(module: OperationRef<'_, 'c>) -> Option<Blk<'c>> {
    single_block(module, 0)
}

/// The blocks of a region of an operation, in order.
#[must_use]
pub fn blocks<'c>(op: OperationRef<'_, 'c>, region: usize) -> Vec<Blk<'c>> {
    op.region(region).map_or_else(|_| Vec::new(), blocks_of)
}

/// The blocks of a region, in order.
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

/// The blocks that an operation may go to, in order.
#[must_use]
pub fn successors<'c>(op: OperationRef<'_, 'c>) -> Vec<Blk<'c>> {
    op.successors()
        // SAFETY: the block lives as long as the operation that goes to it.
        .map(|block| unsafe { BlockRef::from_raw(block.to_raw()) })
        .collect()
}

/// The operations of a block, in order.
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

/// Returns an operation and those within it, in the order of the text.
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

/// The operation around an operation.
#[must_use]
pub fn parent<'c>(op: OperationRef<'_, 'c>) -> Option<Op<'c>> {
    let parent = op.parent_operation()?;
    // SAFETY: an operation lives as long as what lies in it.
    Some(unsafe { OperationRef::from_raw(parent.to_raw()) })
}

/// The block that an operation stands in.
#[must_use]
pub fn block_around<'c>(op: OperationRef<'_, 'c>) -> Option<Blk<'c>> {
    let block = op.block()?;
    // SAFETY: a block lives as long as what stands in it.
    Some(unsafe { BlockRef::from_raw(block.to_raw()) })
}

/// The operation that follows one in its block.
#[must_use]
pub fn next<'c>(op: OperationRef<'_, 'c>) -> Option<Op<'c>> {
    let next = op.next_in_block()?;
    // SAFETY: the operation lives as long as its block.
    Some(unsafe { OperationRef::from_raw(next.to_raw()) })
}

/// The context of an operation.
#[must_use]
pub fn context<'c>(op: OperationRef<'c, '_>) -> &'c Context {
    super::context_of(op.context())
}

/// The number that an attribute is, or nothing for one that is no integer of at most 64 bits.
///
/// `-1 : i32`, `-1 : si32` and `-1 : index` are -1, and so is `true`; `255 : ui8` is 255. MLIR has a
/// function for each kind of type, which takes no other. melior's own conversion prints what it
/// refuses, which may be a large constant.
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

/// The number that an attribute of an operation is, where it has it and it is one.
#[must_use]
pub fn integer_attribute(op: OperationRef<'_, '_>, name: &str) -> Option<i64> {
    integer_value(op.attribute(name).ok()?)
}

/// The bits of a constant float of 8 bits, `0x3C` of `1.0 : f8E5M2`; nothing for another attribute.
#[must_use]
pub fn float8_bits(attribute: Attribute<'_>) -> Option<u8> {
    // SAFETY: the attribute is alive; the value is asked only of a float, and of the tensor of one
    // element that is made of it the only byte is read.
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

/// The element that all elements of a constant tensor are, if they are all the same.
#[must_use]
pub fn splat_value<'c>(elements: Attribute<'c>) -> Option<Attribute<'c>> {
    // SAFETY: the attribute is alive; the value is asked only of a splat.
    unsafe {
        let raw = elements.to_raw();
        (mlir_sys::mlirAttributeIsADenseElements(raw)
            && mlir_sys::mlirDenseElementsAttrIsSplat(raw))
        .then(|| Attribute::from_raw(mlir_sys::mlirDenseElementsAttrGetSplatValue(raw)))
    }
}

/// The elements of a constant tensor of a shape, the last dimension fastest; nothing for another attribute.
#[must_use]
pub fn dense_elements<'c>(elements: Attribute<'c>, shape: &[u64]) -> Option<Vec<Attribute<'c>>> {
    let count = shape.iter().product::<u64>();
    let raw = elements.to_raw();
    // SAFETY: the attribute is alive, and is asked for a number of elements only where it has elements.
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
        // SAFETY: the index has as many numbers as the tensor has dimensions, each below its size.
        unsafe {
            let rank = index.len().cast_signed();
            let value = mlir_sys::mlirElementsAttrGetValue(raw, rank, index.as_mut_ptr());
            Attribute::from_raw(value)
        }
    };
    Some((0..count).map(element).collect())
}

/// The bits of a constant number or float of at most 64 bits, as an element of a tensor has them.
#[must_use]
pub fn number_bits(attribute: Attribute<'_>) -> Option<u64> {
    if let Some(number) = integer_value(attribute) {
        return Some(number.cast_unsigned());
    }
    // SAFETY: the attribute is alive; the width is asked only of a float, and of the tensor of one element that is
    // made of it no more bytes are read than it has.
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

/// The constant tensor of a type whose elements are all one number or float.
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

/// What passes have noted beside an operation: the attributes that its declaration does not have.
#[must_use]
pub fn discardable_attributes<'c>(
    op: OperationRef<'c, '_>,
) -> Vec<(Identifier<'c>, Attribute<'c>)> {
    let all = 0..op.discardable_attribute_count();
    all.filter_map(|i| op.discardable_attribute_at(i).ok())
        .collect()
}

/// All attributes of an operation, inherent and discardable.
#[must_use]
pub fn attributes<'c>(op: OperationRef<'c, '_>) -> Vec<(Identifier<'c>, Attribute<'c>)> {
    op.attributes().collect()
}
