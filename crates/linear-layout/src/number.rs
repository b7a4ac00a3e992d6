//! Exact narrowing conversions of integers.
//!
//! Indices are stored in the narrowest types that the limits allow. Loops and sizes use `usize` or `u64`.

/// Converts `number` to a narrower type without loss.
///
/// # Panics
/// Panics if `number` does not fit. The caller must check its limits first.
#[inline]
#[track_caller]
pub(crate) fn narrow<To>(number: impl TryInto<To>) -> To {
    match number.try_into() {
        Ok(number) => number,
        Err(_) => panic!("a number does not fit in `{}`", std::any::type_name::<To>()),
    }
}
