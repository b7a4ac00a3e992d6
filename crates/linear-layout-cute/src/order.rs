//! Compact layouts whose modes have a given order.

use super::error::{CuteError, ErrorKind};
use super::layout::Layout;
use super::mode::Mode;
use super::tuple::{IntTuple, Leaves, Tuple};

impl Layout {
    /// Returns the compact layout with the last mode fastest (CuTe's `LayoutRight`).
    pub(super) fn compact_right(shape: &IntTuple) -> Result<Self, CuteError> {
        let keys: Leaves<i64> = shape.leaves().iter().zip(1..).map(|(_, i)| -i).collect();
        compact_by(shape, &keys)
    }

    /// Returns the compact layout of `shape` with a given order of modes. The mode with the lowest number in
    /// `order` is the fastest. Among modes with equal numbers, earlier modes are faster.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout = Layout::ordered(&"(2,2,2,2)".parse()?, &"(0,2,3,1)".parse()?)?;
    /// assert_eq!(layout.to_string(), "(2,2,2,2):(1,4,8,2)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if `order` does not have one number for each mode, or if [`new`](Self::new) rejects the
    /// shape.
    pub fn ordered(shape: &IntTuple, order: &IntTuple) -> Result<Self, CuteError> {
        let mut keys = Leaves::new();
        collect_keys(shape, order, &mut keys)?;
        compact_by(shape, &keys)
    }

    /// Returns the compact layout of the same shape in which the strides have the same order as in `self`. Modes of
    /// stride 0 keep stride 0.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(5,16,3):(96,6,2)".parse()?;
    /// assert_eq!(layout.compact_like()?.to_string(), "(5,16,3):(48,3,1)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// No error is expected: the result has the size of `self` and no negative stride, so its indices fit in an
    /// `i64`.
    pub fn compact_like(&self) -> Result<Self, CuteError> {
        let keys: Leaves<i64> = self.leaves().iter().map(|mode| mode.stride).collect();
        let moving = self.filter_zeros();
        let compact = compact_by(&moving.shape(), &keys)?;
        let modes = self.leaves().iter().zip(compact.leaves());
        let modes = modes.map(|(mode, compact)| Mode::new(mode.shape, compact.stride));
        Self::checked(Tuple::with_nodes(self.tuple().nodes(), modes.collect()))
    }

    /// Returns the compact layout of the same shape for the registers of a thread (CuTe's `make_fragment_like`).
    ///
    /// Mode 0 is the fastest. The remaining modes follow in ascending order of their strides. Modes of stride 0
    /// keep stride 0.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "((2,2),3,4):((8,64),4,1)".parse()?;
    /// assert_eq!(layout.fragment_like()?.to_string(), "((2,2),3,4):((1,2),16,4)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// No error is expected: the result has the size of `self` and no negative stride, so its indices fit in an
    /// `i64`.
    pub fn fragment_like(&self) -> Result<Self, CuteError> {
        let mut keys: Leaves<i64> = Leaves::new();
        for (i, mode) in self.as_ref().items().enumerate() {
            for leaf in mode.leaves {
                keys.push(if i == 0 { i64::MIN } else { leaf.stride });
            }
        }
        let moving = self.filter_zeros();
        let compact = compact_by(&moving.shape(), &keys)?;
        let modes = self.leaves().iter().zip(compact.leaves());
        let modes = modes.map(|(mode, compact)| Mode::new(mode.shape, compact.stride));
        Self::checked(Tuple::with_nodes(self.tuple().nodes(), modes.collect()))
    }
}

fn collect_keys(
    shape: &IntTuple,
    order: &IntTuple,
    keys: &mut Leaves<i64>,
) -> Result<(), CuteError> {
    if order.is_leaf() {
        for _ in shape.leaves() {
            keys.push(order.leaves()[0]);
        }
        return Ok(());
    }
    if shape.is_leaf() || shape.rank() != order.rank() {
        return Err(ErrorKind::RankDiffers {
            what: "the order",
            found: order.rank(),
            expected: if shape.is_leaf() { 0 } else { shape.rank() },
        }
        .into());
    }
    let mut items = shape.items().zip(order.items());
    items.try_for_each(|(shape, order)| collect_keys(&shape, &order, keys))
}

/// Returns the compact layout of `shape`. `keys` has one key for each leaf; the leaf with the lowest key is the
/// fastest.
fn compact_by(shape: &IntTuple, keys: &[i64]) -> Result<Layout, CuteError> {
    let mut sorted: Vec<usize> = (0..keys.len()).collect();
    sorted.sort_by_key(|&i| keys[i]);
    let mut modes: Leaves<Mode> = shape.leaves().iter().map(|&s| Mode::new(s, 0)).collect();
    let mut next = 1_i64;
    for i in sorted {
        let mode = &mut modes[i];
        if mode.shape != 1 {
            mode.stride = next;
        }
        next = next.checked_mul(mode.shape).ok_or(ErrorKind::Overflow)?;
    }
    Layout::checked(Tuple::with_nodes(shape.nodes(), modes))
}
