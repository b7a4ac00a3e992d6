//! Composition of layouts.

use super::coalesce::{coalesced, coalesced_unbounded};
use super::error::{CuteError, ErrorKind};
use super::layout::{Layout, at_of};
use super::mode::Mode;
use super::tiler::{Tiler, UntiledModes, by_tiler};
use super::tuple::{Leaves, Nodes, Tuple};

/// Maximum number of elements that are compared one by one to verify a property that no rule proves.
pub(crate) const MAX_COMPARED: i64 = 1 << 16;

impl Layout {
    /// Returns the composition of two functions, which maps c to `self.at(inner.at(c))`. The result has the profile
    /// of `inner`, except that a mode of `inner` becomes a tuple if its indices span several modes of `self`.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let rows: Layout = "(4,6):(6,1)".parse()?;
    /// assert_eq!(rows.composition(&"(2,6):(2,4)".parse()?)?.to_string(), "(2,6):(12,1)");
    /// assert_eq!(
    ///     rows.composition(&"3:2".parse()?).unwrap_err().to_string(),
    ///     "inner mode 3:2 makes 3 steps in outer mode 4:6, where 2 steps fit; expected a multiple of 2; the \
    ///      nearest inner shape is 2"
    /// );
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// `a.composition(&b)?.at(i) == a.at(b.at(i)?)` for i in 0..size(b). From size(a) on, the last mode of `a` is
    /// treated as unbounded. If this mode has shape 1, the preceding mode may be treated as unbounded instead.
    /// # Errors
    /// Returns an error if the result is not a layout:
    /// - a stride of `inner` exceeds the size of a mode of `self`, but is not divisible by this size,
    /// - a mode of `inner` takes more steps than fit in a mode of `self`, but not a multiple of the number that
    ///   fits, or
    /// - the indices that several modes of `inner` contribute add up to a carry from one mode of `self` into the
    ///   next.
    ///
    /// Also returns an error if the result could be verified only by comparing more than 65536 elements.
    pub fn composition(&self, inner: &Self) -> Result<Self, CuteError> {
        let outer = coalesced_unbounded(self.leaves());
        let mut is_exact = true;
        let found = compose(&outer, inner, &mut is_exact)?;
        if !is_exact {
            check(self, &outer, inner, &found)?;
        }
        Ok(found)
    }

    /// Returns the composition of the layout with a tiler. With [`Tiler::Modes`], mode `i` is composed with entry
    /// `i` of the list. As in CuTe's C++ implementation, modes beyond the list are dropped.
    ///
    /// ```
    /// use linear_layout_cute::{Layout, Tiler};
    /// let layout: Layout = "(4,6,8):(6,1,24)".parse()?;
    /// let tiler = Tiler::Modes(vec![Tiler::Size(2), Tiler::Layout("3:2".parse()?)]);
    /// assert_eq!(layout.composition_by(&tiler)?.to_string(), "(2,3):(6,2)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error in the same cases as [`composition`](Self::composition). The error then states the number
    /// of the mode. Also returns an error if the tiler has more modes than the layout.
    pub fn composition_by(&self, tiler: &Tiler) -> Result<Self, CuteError> {
        by_tiler(self, tiler, UntiledModes::Dropped, &Self::composition)
    }
}

/// Composes `outer` and `inner` by CuTe's rule. Sets `is_exact` to false if the rule does not prove that the result
/// is correct.
///
/// An index of `inner` is a coordinate of `outer`: a number in mixed radix, with one digit per mode of `outer`. A
/// stride of `inner` that is not below the extent of a digit must be divisible by this extent; otherwise, an error
/// is returned. The rule proves the result if
/// - no stride of `inner` is negative, or `outer` has only one mode,
/// - a mode of `inner` that continues in the next digit has a stride that divides the extent of the digit, and
/// - in each digit except the last, the contributions of all modes of `inner` add up to less than the extent.
#[inline]
fn compose(outer: &[Mode], inner: &Layout, is_exact: &mut bool) -> Result<Layout, CuteError> {
    let [digits @ .., last] = outer else {
        return Err(ErrorKind::EmptyTuple.into());
    };
    let times = |a: i64, b: i64| a.checked_mul(b).ok_or(ErrorKind::Overflow);
    let mut modes = Leaves::new();
    let mut nodes = Nodes::new();
    let mut largest = Leaves::<i64>::from_elem(0, digits.len());
    let mut leaves = inner.leaves().iter();
    for &node in inner.tuple().nodes() {
        if node != 0 {
            nodes.push(node);
            continue;
        }
        let Some(&mode) = leaves.next() else { break };
        let before = modes.len();
        let Mode {
            shape: mut steps,
            stride,
        } = mode;
        if steps == 1 || stride == 0 {
            modes.push(Mode::new(steps, 0));
            nodes.push(0);
            continue;
        }
        // A negative index is correct only if the unbounded last digit is the only digit.
        *is_exact &= stride > 0 || digits.is_empty();
        let sign = stride.signum();
        let mut step = stride.checked_abs().ok_or(ErrorKind::Overflow)?;
        for (digit, largest) in digits.iter().zip(largest.iter_mut()) {
            if step >= digit.shape {
                if step % digit.shape != 0 {
                    return Err(ErrorKind::StrideNotDivisible {
                        inner: mode,
                        outer: *digit,
                        step,
                    }
                    .into());
                }
                step /= digit.shape;
                continue;
            }
            let room = match step {
                1 => digit.shape,
                _ => (digit.shape - 1) / step + 1,
            };
            let here = room.min(steps);
            modes.push(Mode::new(here, sign * times(step, digit.stride)?));
            *largest = largest.saturating_add((here - 1) * step);
            if here == steps {
                steps = 1;
                break;
            }
            if steps % here != 0 {
                return Err(ErrorKind::ShapeNotDivisible {
                    inner: mode,
                    outer: *digit,
                    steps,
                    room,
                }
                .into());
            }
            *is_exact &= step == 1 || digit.shape % step == 0;
            steps /= here;
            step = 1;
        }
        if steps > 1 || modes.len() == before {
            modes.push(Mode::new(steps, sign * times(step, last.stride)?));
        }
        let count = modes.len() - before;
        if count > 1 {
            nodes.push(u16::try_from(count).unwrap_or(u16::MAX));
        }
        for _ in 0..count {
            nodes.push(0);
        }
    }
    let fits = |(digit, largest): (&Mode, &i64)| *largest < digit.shape;
    *is_exact &= digits.iter().zip(largest.iter()).all(fits);
    Layout::checked(Tuple::from_parts(nodes, modes))
}

#[cold]
fn check(layout: &Layout, outer: &[Mode], inner: &Layout, found: &Layout) -> Result<(), CuteError> {
    if inner.size() > MAX_COMPARED {
        return Err(ErrorKind::NotDecided {
            size: inner.size(),
            limit: MAX_COMPARED,
        }
        .into());
    }
    for i in 0..inner.size() {
        let between = inner.at(i)?;
        let expected = at_of(outer, between)?;
        if found.at(i)? == expected {
            continue;
        }
        // Beyond the end of the outer layout, a last mode of shape 1 may be ignored.
        let shorter = coalesced(layout.leaves());
        if between >= layout.size() && !shorter.is_empty() && *shorter != *outer {
            let mut is_exact = true;
            let other = compose(&shorter, inner, &mut is_exact)?;
            if is_exact && other.has_modes_of(found) {
                return Ok(());
            }
        }
        return Err(ErrorKind::NotAdditive {
            at: i,
            between,
            expected,
            found: found.at(i)?,
        }
        .into());
    }
    Ok(())
}

impl Layout {
    /// Returns true if both layouts have the same modes, except that the strides of modes of shape 1 may differ.
    fn has_modes_of(&self, other: &Self) -> bool {
        let mut pairs = self.leaves().iter().zip(other.leaves());
        self.tuple().is_congruent(other.tuple())
            && pairs.all(|(a, b)| a == b || (a.shape == 1 && b.shape == 1))
    }
}
