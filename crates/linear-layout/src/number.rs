//! Exact narrowing conversions of integers.
//!
//! Indices of dims, bits, registers and lanes are stored in types that are as narrow as the limits allow (64 bits,
//! [`MAX_DIMS`](crate::layout) dims, 2^32 values of a plan). Loops and sizes use `usize` or `u64`.

/// Converts `number` to a narrower type without loss.
///
/// # Panics
/// Panics if `number` does not fit. Then the caller has failed to check a limit.
#[inline]
#[track_caller]
pub(crate) fn narrow<To>(number: impl TryInto<To>) -> To {
    match number.try_into() {
        Ok(number) => number,
        Err(_) => panic!("a number does not fit in `{}`", std::any::type_name::<To>()),
    }
}
