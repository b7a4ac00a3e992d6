//! Structural matching of types, attributes and locations, one level at a time.
//!
//! Only the outermost level is converted; callers recurse.

use super::bridge::{MlirOperation, MlirType, ffi};
use super::build::{self, dense_elements, integer_value, number_bits, splat_value};
use super::{FileLocation, Text, file_location, float_width, owned_by_context, string_value};
use melior::ir::{
    Attribute, AttributeLike, Identifier, Location, OperationRef, Type, TypeLike as _,
};
use std::collections::HashSet;

/// The parts of a type of the LLVM dialect, or of a builtin type that the LLVM dialect uses.
#[derive(Clone, Debug)]
pub enum TypeParts<'c> {
    /// An integer of any signedness. Contains its width in bits.
    Integer(u32),
    /// The type `index`.
    Index,
    /// A floating-point type.
    Float,
    /// `!llvm.ptr`. Contains its address space.
    Pointer(u32),
    /// A vector of fixed size. Contains the number and the type of its elements.
    Vector(u64, Type<'c>),
    /// `!llvm.array`. Contains the number and the type of its elements.
    Array(u64, Type<'c>),
    /// `!llvm.struct` whose body is known.
    Struct {
        /// True if there is no padding between the fields.
        packed: bool,
        /// Field types.
        fields: Vec<Type<'c>>,
    },
    /// `!llvm.void`.
    Void,
    /// Any other type.
    Other,
}

/// Returns the parts of a type.
#[must_use]
pub fn type_parts<'c>(type_: Type<'c>) -> TypeParts<'c> {
    use mlir_sys as m;
    let raw = type_.to_raw();
    let array = ffi::array_info(MlirType(raw));
    // SAFETY: the type is alive, and only accessors of its kind are used; C++ returned a type of the same context, or
    // null.
    unsafe {
        if m::mlirTypeIsAInteger(raw) {
            TypeParts::Integer(m::mlirIntegerTypeGetWidth(raw))
        } else if m::mlirTypeIsAIndex(raw) {
            TypeParts::Index
        } else if m::mlirTypeIsAFloat(raw) {
            TypeParts::Float
        } else if m::mlirTypeIsALLVMPointerType(raw) {
            TypeParts::Pointer(m::mlirLLVMPointerTypeGetAddressSpace(raw))
        } else if m::mlirTypeIsAVector(raw) && !m::mlirVectorTypeIsScalable(raw) {
            let element = Type::from_raw(m::mlirShapedTypeGetElementType(raw));
            TypeParts::Vector(shape(raw).iter().product(), element)
        } else if let Some(element) = Type::from_option_raw(array.element.0) {
            TypeParts::Array(array.count, element)
        } else if m::mlirTypeIsALLVMStructType(raw) && !m::mlirLLVMStructTypeIsOpaque(raw) {
            let fields = 0..m::mlirLLVMStructTypeGetNumElementTypes(raw);
            let field = |i| Type::from_raw(m::mlirLLVMStructTypeGetElementType(raw, i));
            TypeParts::Struct {
                packed: m::mlirLLVMStructTypeIsPacked(raw),
                fields: fields.map(field).collect(),
            }
        } else if m::mlirTypeEqual(raw, m::mlirLLVMVoidTypeGet(m::mlirTypeGetContext(raw))) {
            TypeParts::Void
        } else {
            TypeParts::Other
        }
    }
}

/// Returns the sizes of a shaped type.
///
/// # Safety
/// The type must be alive and have a static shape.
unsafe fn shape(raw: mlir_sys::MlirType) -> Vec<u64> {
    // SAFETY: guaranteed by the caller; the rank bounds the dimensions.
    unsafe {
        let rank = isize::try_from(mlir_sys::mlirShapedTypeGetRank(raw)).unwrap_or(0);
        let size = |i| mlir_sys::mlirShapedTypeGetDimSize(raw, i).cast_unsigned();
        (0..rank).map(size).collect()
    }
}

/// The parts of a builtin attribute.
#[derive(Clone, Debug)]
pub enum AttributeParts<'c> {
    /// `unit`.
    Unit,
    /// `true` or `false`, of type `i1`.
    Bool(bool),
    /// An integer of at most 64 bits, and its type. The integer is sign-extended unless the type is unsigned.
    Integer(i64, Type<'c>),
    /// The bits of a float of at most 64 bits, and its type.
    Float(u64, Type<'c>),
    /// A string.
    String(Text<'c>),
    /// A type.
    Type(Type<'c>),
    /// A symbol reference. Contains the name of the innermost symbol.
    Symbol(Text<'c>),
    /// An array attribute.
    Array(Vec<Attribute<'c>>),
    /// A dense array (`array<...>`) of integers or Booleans.
    Integers(Vec<i64>),
    /// The elements of a constant vector or tensor, in row-major order. A splat has only one element here.
    Elements {
        /// Element type.
        element: Type<'c>,
        /// True for a splat.
        splat: bool,
        /// Zero-extended bits of each element.
        bits: Vec<u64>,
    },
    /// A dictionary.
    Dictionary(Vec<(Identifier<'c>, Attribute<'c>)>),
    /// Any other attribute.
    Other,
}

/// Returns the parts of an attribute.
#[must_use]
pub fn attribute_parts<'c>(attribute: Attribute<'c>) -> AttributeParts<'c> {
    use AttributeParts as P;
    use mlir_sys as m;
    let raw = attribute.to_raw();
    // SAFETY: the attribute is alive, and only accessors of its kind are used; its context owns its text.
    unsafe {
        if m::mlirAttributeIsABool(raw) {
            P::Bool(m::mlirBoolAttrGetValue(raw))
        } else if let Some(text) = string_value(attribute) {
            P::String(text)
        } else if m::mlirAttributeIsAType(raw) {
            P::Type(Type::from_raw(m::mlirTypeAttrGetValue(raw)))
        } else if m::mlirAttributeIsAInteger(raw) || m::mlirAttributeIsAFloat(raw) {
            let type_ = Type::from_raw(m::mlirAttributeGetType(raw));
            match (integer_value(attribute), number_bits(attribute)) {
                (Some(value), _) => P::Integer(value, type_),
                (None, Some(bits)) => P::Float(bits, type_),
                (None, None) => P::Other,
            }
        } else if m::mlirAttributeIsAUnit(raw) {
            P::Unit
        } else if m::mlirAttributeIsASymbolRef(raw) {
            P::Symbol(owned_by_context(m::mlirSymbolRefAttrGetLeafReference(raw)))
        } else if m::mlirAttributeIsAArray(raw) {
            let all = 0..m::mlirArrayAttrGetNumElements(raw);
            let element = |i| Attribute::from_raw(m::mlirArrayAttrGetElement(raw, i));
            P::Array(all.map(element).collect())
        } else if m::mlirAttributeIsADictionary(raw) {
            P::Dictionary(entries(raw))
        } else if m::mlirAttributeIsADenseElements(raw) {
            elements(attribute).unwrap_or(P::Other)
        } else {
            integers(raw).map_or(P::Other, P::Integers)
        }
    }
}

/// Returns the entries of a dictionary attribute.
///
/// # Safety
/// The attribute must be alive and a dictionary.
unsafe fn entries<'c>(dictionary: mlir_sys::MlirAttribute) -> Vec<(Identifier<'c>, Attribute<'c>)> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let all = 0..mlir_sys::mlirDictionaryAttrGetNumElements(dictionary);
        all.map(|i| {
            let entry = mlir_sys::mlirDictionaryAttrGetElement(dictionary, i);
            (
                Identifier::from_raw(entry.name),
                Attribute::from_raw(entry.attribute),
            )
        })
        .collect()
    }
}

/// Returns the elements of an `array<...>` of integers or Booleans. `None` for other attributes.
///
/// # Safety
/// The attribute must be alive.
unsafe fn integers(raw: mlir_sys::MlirAttribute) -> Option<Vec<i64>> {
    use mlir_sys as m;
    // SAFETY: guaranteed by the caller; elements are read with the type of the array, within its size.
    let all = |read: &dyn Fn(isize) -> i64| unsafe {
        let all = 0..m::mlirDenseArrayGetNumElements(raw);
        Some(all.map(read).collect())
    };
    // SAFETY: as above.
    unsafe {
        if m::mlirAttributeIsADenseI64Array(raw) {
            all(&|i| m::mlirDenseI64ArrayGetElement(raw, i))
        } else if m::mlirAttributeIsADenseI32Array(raw) {
            all(&|i| m::mlirDenseI32ArrayGetElement(raw, i).into())
        } else if m::mlirAttributeIsADenseI16Array(raw) {
            all(&|i| m::mlirDenseI16ArrayGetElement(raw, i).into())
        } else if m::mlirAttributeIsADenseI8Array(raw) {
            all(&|i| m::mlirDenseI8ArrayGetElement(raw, i).into())
        } else if m::mlirAttributeIsADenseBoolArray(raw) {
            all(&|i| m::mlirDenseBoolArrayGetElement(raw, i).into())
        } else {
            None
        }
    }
}

/// Returns the elements of a dense constant. `None` unless the elements are numbers of at most 64 bits.
fn elements<'c>(attribute: Attribute<'c>) -> Option<AttributeParts<'c>> {
    use mlir_sys as m;
    let raw = attribute.to_raw();
    // SAFETY: an elements attribute has a type with a shape and an element type.
    let (shape, element, splat) = unsafe {
        let shaped = m::mlirAttributeGetType(raw);
        let element = Type::from_raw(m::mlirShapedTypeGetElementType(shaped));
        let splat = m::mlirDenseElementsAttrIsSplat(raw);
        (shape(shaped), element, splat)
    };
    let width = match type_parts(element) {
        TypeParts::Integer(width) if width <= 64 => width,
        TypeParts::Index => 64,
        TypeParts::Float => float_width(element)?,
        _ => return None,
    };
    let count = if splat { 1 } else { shape.iter().product() };
    let bits = match width {
        8 | 16 | 32 | 64 if count > 0 => {
            let bytes = width as usize / 8;
            // SAFETY: MLIR stores elements of these widths contiguously, and a splat as one.
            let data = unsafe {
                let data = m::mlirDenseElementsAttrGetRawData(raw).cast::<u8>();
                std::slice::from_raw_parts(data, usize::try_from(count).ok()? * bytes)
            };
            let number = |chunk: &[u8]| {
                let bytes = chunk.iter().rev();
                bytes.fold(0, |bits, byte| bits << 8 | u64::from(*byte))
            };
            data.chunks_exact(bytes).map(number).collect()
        }
        _ => {
            let all = match splat_value(attribute) {
                Some(one) => vec![one],
                None => dense_elements(attribute, &shape)?,
            };
            let mask = u64::MAX >> (64 - width.clamp(1, 64));
            let all = all.into_iter().map(number_bits);
            all.map(|bits| Some(bits? & mask)).collect::<Option<_>>()?
        }
    };
    Some(AttributeParts::Elements {
        element,
        splat,
        bits,
    })
}

/// Returns the inherent attributes, then the discardable attributes. Each group is sorted by name.
#[must_use]
pub fn attributes<'c>(op: OperationRef<'c, '_>) -> Vec<(Identifier<'c>, Attribute<'c>)> {
    let inherent = ffi::properties(MlirOperation(op.to_raw())).0;
    let mut all = Vec::new();
    // SAFETY: C++ returned an attribute of the same context, or null.
    unsafe {
        if !inherent.ptr.is_null() && mlir_sys::mlirAttributeIsADictionary(inherent) {
            all = entries(inherent);
        }
    }
    all.extend(build::discardable_attributes(op));
    all
}

/// Returns the first file location that MLIR prints for a location. At a call site, the callee precedes the caller.
#[must_use]
pub fn first_file_location(location: Location<'_>) -> Option<FileLocation> {
    use mlir_sys as m;
    let mut pending = vec![location.to_raw()];
    // Locations may share parts.
    let mut seen = HashSet::new();
    while let Some(raw) = pending.pop() {
        // SAFETY: a location and its parts are alive as long as their context, and only accessors of their kind are
        // used.
        unsafe {
            if let Some(found) = file_location(Location::from_raw(raw)) {
                return Some(found);
            }
            if !seen.insert(raw.ptr as usize) {
                continue;
            }
            if m::mlirLocationIsAName(raw) {
                pending.push(m::mlirLocationNameGetChildLoc(raw));
            } else if m::mlirLocationIsACallSite(raw) {
                pending.push(m::mlirLocationCallSiteGetCaller(raw));
                pending.push(m::mlirLocationCallSiteGetCallee(raw));
            } else if m::mlirLocationIsAFused(raw) {
                let count = m::mlirLocationFusedGetNumLocations(raw);
                let mut parts = vec![raw; count as usize];
                m::mlirLocationFusedGetLocations(raw, parts.as_mut_ptr());
                pending.extend(parts.into_iter().rev());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{AttributeParts as P, attribute_parts, first_file_location};
    use crate::testing::context;
    use melior::ir::operation::OperationLike;
    use melior::ir::{Attribute, Module};

    #[test]
    fn elements_have_the_bits_of_their_type() {
        let context = context();
        let bits = |text: &str| {
            let attribute = Attribute::parse(&context, text).expect("it is an attribute");
            match attribute_parts(attribute) {
                P::Elements { splat, bits, .. } => Some((splat, bits)),
                _ => None,
            }
        };
        for (text, splat, expected) in [
            (
                "dense<[1, -2]> : vector<2xi32>",
                false,
                vec![1, 0xffff_fffe],
            ),
            (
                "dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>",
                false,
                vec![1, 2, 3, 4],
            ),
            ("dense<-1> : vector<4xi64>", true, vec![u64::MAX]),
            (
                "dense<[true, false, true]> : vector<3xi1>",
                false,
                vec![1, 0, 1],
            ),
            ("dense<[-1, 7]> : tensor<2xi4>", false, vec![15, 7]),
            (
                "dense<[1.5, -0.0]> : vector<2xf16>",
                false,
                vec![0x3e00, 0x8000],
            ),
            ("dense<0x7FC1> : vector<2xbf16>", true, vec![0x7fc1]),
            (
                "dense<[1.0, 2.0]> : tensor<2xf8E5M2>",
                false,
                vec![0x3c, 0x40],
            ),
            ("dense<3> : tensor<index>", true, vec![3]),
            ("dense<> : tensor<0xf32>", false, vec![]),
        ] {
            assert_eq!(bits(text), Some((splat, expected)), "{text}");
        }
        assert_eq!(bits("dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>"), None);
        assert_eq!(bits("dense<1> : tensor<1xi65>"), None);
    }

    #[test]
    fn the_first_place_is_the_one_that_mlir_writes_first() {
        let context = context();
        for (location, expected) in [
            ("\"a\":1:2", Some(("a", 1, 2))),
            ("\"a\":1:2 to 3:4", Some(("a", 1, 2))),
            ("\"x\"(\"a\":1:2)", Some(("a", 1, 2))),
            ("callsite(\"x\"(\"a\":1:2) at \"b\":3:4)", Some(("a", 1, 2))),
            ("callsite(unknown at \"b\":3:4)", Some(("b", 3, 4))),
            (
                "fused<\"m\">[unknown, \"a\":1:2, \"b\":3:4]",
                Some(("a", 1, 2)),
            ),
            ("\"x\"", None),
            ("unknown", None),
        ] {
            let text = format!("module {{}} loc({location})");
            let module = Module::parse(&context, &text).expect("it is a module");
            let found = first_file_location(module.as_operation().location());
            let found = found
                .as_ref()
                .map(|place| (&*place.file, place.line, place.column));
            assert_eq!(found, expected, "{location}");
        }
        // Each location contains the previous one twice.
        let doubled = |i: usize| format!("#loc{} = loc(callsite(#loc{i} at #loc{i}))\n", i + 1);
        let many: String = (0..64).map(doubled).collect();
        let text = format!("#loc0 = loc(unknown)\n{many}module {{}} loc(#loc64)");
        let module = Module::parse(&context, &text).expect("it is a module");
        assert_eq!(first_file_location(module.as_operation().location()), None);
    }
}
