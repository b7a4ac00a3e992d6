//! The same function with fewer modes.

use super::error::{CuteError, Kind};
use super::layout::{Layout, LayoutRef};
use super::mode::Mode;
use super::tuple::{Builder, IntTuple, Leaves, Tuple, TupleRef};

impl Layout {
    /// Returns the layout with as few modes as there can be that is the same function of 0..size.
    ///
    /// Neighbours merge where the second goes on where the first ends, and modes of one step go: in
    /// `(2,(1,6)):(1,(7,2))` 6 steps of 2 follow 2 steps of 1.
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(2,(1,6)):(1,(7,2))".parse()?;
    /// assert_eq!(layout.coalesce().to_string(), "12:1");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// Size and [`at`](Self::at) on 0..size stay. Two layouts are the same function on it exactly if they coalesce to
    /// the same layout.
    #[must_use]
    pub fn coalesce(&self) -> Self {
        Self::of_modes(coalesced(self.leaves()))
    }

    /// Returns the layout of which each mode is coalesced that stands at a number of the profile: those of
    /// `(_,_)` are the first two. Modes behind the profile stay.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "((2,2),(1,6)):((1,2),(7,4))".parse()?;
    /// assert_eq!(layout.coalesce_by(&"(1,1)".parse()?)?.to_string(), "(4,6):(1,4)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// When the profile has more modes than the layout.
    pub fn coalesce_by(&self, profile: &IntTuple) -> Result<Self, CuteError> {
        self.at_profile(profile, |part| Self::of_modes(coalesced(part.leaves)))
    }

    /// Returns the layout without what does not move: modes of stride 0 and of one step; coalesced.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(2,4,3):(1,0,2)".parse()?;
    /// assert_eq!(layout.filter().to_string(), "6:1");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// It reaches the same indices.
    #[must_use]
    pub fn filter(&self) -> Self {
        Self::of_modes(filtered(self.leaves()))
    }

    /// Returns the layout filtered at the numbers of the profile, as [`coalesce_by`](Self::coalesce_by) does it.
    /// # Errors
    /// When the profile has more modes than the layout.
    pub fn filter_by(&self, profile: &IntTuple) -> Result<Self, CuteError> {
        self.at_profile(profile, |part| Self::of_modes(filtered(part.leaves)))
    }

    /// Returns the layout whose modes of stride 0 have one step.
    #[must_use]
    pub fn filter_zeros(&self) -> Self {
        let filter = |mode: &Mode| match mode.stride {
            0 => Mode::new(1, 0),
            _ => *mode,
        };
        // Shapes only shrink.
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
                return Err(Kind::RankDiffers {
                    what: "the profile",
                    found: profile.rank(),
                    expected: part.rank(),
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

/// The fewest modes of the same function on 0..size.
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

/// The fewest modes of the same function on all whole numbers, of which the last goes on without end.
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

/// What moves, coalesced.
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
