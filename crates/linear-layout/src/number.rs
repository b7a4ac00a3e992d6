//! Exact narrowing conversions of integers.
//!
//! Dims, bits, registers and lanes are stored as small as their limits allow (64 bits, [`MAX_DIMS`](crate::layout) dims,
//! 2^32 values of a plan) and counted as `usize` or `u64`.

/// Converts `number` to a narrower type without loss.
///
/// # Panics
/// If it does not fit, because the caller did not check a limit.
#[inline]
#[track_caller]
pub(crate) fn narrow<To>(number: impl TryInto<To>) -> To {
    match number.try_into() {
        Ok(number) => number,
        Err(_) => panic!("a number does not fit in `{}`", std::any::type_name::<To>()),
    }
}
