//! Coalescing: merging modes of a layout without changing its function.

use super::error::{CuteError, ErrorKind};
use super::layout::{Layout, LayoutRef};
use super::mode::Mode;
use super::tuple::{Builder, IntTuple, Leaves, Tuple, TupleRef};

impl Layout {
    /// Returns the layout with the fewest modes that equals `self` as a function on 0..size.
    ///
    /// Modes of shape 1 are removed. Two adjacent modes merge if the second continues the first: in
    /// `(2,(1,6)):(1,(7,2))`, `2:1` has the indices 0 and 1, and `6:2` continues with 2. The result is `12:1`.
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(2,(1,6)):(1,(7,2))".parse()?;
    /// assert_eq!(layout.coalesce().to_string(), "12:1");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// The size and [`at`](Self::at) on 0..size are preserved. Two layouts with the same size are equal functions
    /// on 0..size if and only if they coalesce to the same layout.
    #[must_use]
    pub fn coalesce(&self) -> Self {
        Self::of_modes(coalesced(self.leaves()))
    }

    /// Coalesces parts of the layout separately. Each number of `profile` selects the mode at the same position of
    /// the layout, and this mode is coalesced. The values of the numbers have no effect. Modes beyond the profile
    /// are unchanged.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "((2,2),(1,6)):((1,2),(7,4))".parse()?;
    /// assert_eq!(layout.coalesce_by(&"(1,1)".parse()?)?.to_string(), "(4,6):(1,4)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if the profile has more modes than the layout.
    pub fn coalesce_by(&self, profile: &IntTuple) -> Result<Self, CuteError> {
        self.at_profile(profile, |part| Self::of_modes(coalesced(part.leaves)))
    }

    /// Removes the modes of stride 0 and the modes of shape 1, and coalesces the remaining modes.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(2,4,3):(1,0,2)".parse()?;
    /// assert_eq!(layout.filter().to_string(), "6:1");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// The image (the set of indices) is preserved.
    #[must_use]
    pub fn filter(&self) -> Self {
        Self::of_modes(filtered(self.leaves()))
    }

    /// Applies [`filter`](Self::filter) to parts of the layout separately. `profile` selects the parts as in
    /// [`coalesce_by`](Self::coalesce_by).
    /// # Errors
    /// Returns an error if the profile has more modes than the layout.
    pub fn filter_by(&self, profile: &IntTuple) -> Result<Self, CuteError> {
        self.at_profile(profile, |part| Self::of_modes(filtered(part.leaves)))
    }

    /// Replaces each mode of stride 0 by `1:0`. Unlike [`filter`](Self::filter), preserves the nesting.
    #[must_use]
    pub fn filter_zeros(&self) -> Self {
        let filter = |mode: &Mode| match mode.stride {
            0 => Mode::new(1, 0),
            _ => *mode,
        };
        Self::trusted(self.tuple().map(filter))
    }

    fn at_profile(
        &self,
        profile: &IntTuple,
        f: impl Fn(LayoutRef<'_>) -> Self,
    ) -> Result<Self, CuteError> {
        fn go(
            part: LayoutRef<'_>,
            profile: TupleRef<'_, i64>,
            f: &impl Fn(LayoutRef<'_>) -> Layout,
        ) -> Result<Tuple<Mode>, CuteError> {
            if profile.is_leaf() {
                return Ok(f(part).into_tuple());
            }
            if profile.rank() > part.rank() {
                return Err(ErrorKind::RankTooLarge {
                    what: "the profile",
                    found: profile.rank(),
                    of: "layout",
                    most: part.rank(),
                }
                .into());
            }
            let mut modes = Builder::new();
            let mut profiles = profile.items();
            for item in part.items() {
                match profiles.next() {
                    Some(profile) => modes.push(go(item, profile, f)?.as_ref())?,
                    None => modes.push(item)?,
                }
            }
            modes.finish()
        }
        Self::checked(go(self.as_ref(), profile.as_ref(), &f)?)
    }
}

/// Returns the shortest list of modes that gives each coordinate in 0..size the same index as `modes`.
#[inline]
pub(crate) fn coalesced(modes: &[Mode]) -> Leaves<Mode> {
    let mut found = Leaves::new();
    for &mode in modes {
        if mode.shape != 1 {
            push_merged(&mut found, mode);
        }
    }
    found
}

/// Returns the shortest list of modes that gives each integer coordinate the same index as `modes`. The last mode
/// is treated as unbounded.
#[inline]
pub(crate) fn coalesced_unbounded(modes: &[Mode]) -> Leaves<Mode> {
    let mut found = Leaves::new();
    if let [modes @ .., last] = modes {
        for &mode in modes {
            if mode.shape != 1 {
                push_merged(&mut found, mode);
            }
        }
        push_merged(&mut found, *last);
    }
    found
}

/// Drops the modes of stride 0 and of shape 1, and coalesces the remaining modes.
#[inline]
pub(crate) fn filtered(modes: &[Mode]) -> Leaves<Mode> {
    let mut found = Leaves::new();
    for &mode in modes {
        if mode.shape != 1 && mode.stride != 0 {
            push_merged(&mut found, mode);
        }
    }
    found
}

#[inline]
fn push_merged(modes: &mut Leaves<Mode>, mode: Mode) {
    match modes.last_mut() {
        Some(last) if last.shape.checked_mul(last.stride) == Some(mode.stride) => {
            last.shape *= mode.shape;
        }
        _ => modes.push(mode),
    }
}
