//! The inputs of a layout that reach a given output.

use core::fmt;

use crate::f2::Echelon;
use crate::layout::{Dim, LinearLayout};

/// A solver that finds the holders of an output: all inputs that the layout maps to this output.
///
/// For example, two lanes hold the same two elements in this layout:
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout};
/// # use linear_layout::view::Holders;
/// let l = LinearLayout::from_bases(
///     &[(Dim::REGISTER, &[&[1]]), (Dim::LANE, &[&[0]])], &[Dim::out(0)])?;
/// let holders = Holders::new(&l);
/// assert_eq!(holders.of(1).collect::<Vec<_>>(), [0b01, 0b11]); // register 1 of lanes 0 and 1
/// assert_eq!(holders.copies(), Some(2));
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
/// # Units
/// Inputs and outputs are packed as in [`LinearLayout::apply_packed`]: the first dim in the low bits.
#[derive(Clone, Debug)]
pub struct Holders {
    echelon: Echelon,
    /// Basis of the kernel of the layout, in ascending order. The highest set bit of each vector is zero in all
    /// other vectors.
    kernel: Vec<u64>,
}

impl Holders {
    /// Prepares the solver for a layout.
    #[must_use]
    pub fn new(layout: &LinearLayout) -> Self {
        let mut echelon = Echelon::new();
        let mut kernel: Vec<u64> = Vec::new();
        for (i, &column) in layout.columns().iter().enumerate() {
            if let Some(vector) = echelon.insert(i, column) {
                // Column `i` is free. The highest bit of `vector` is therefore `i`, and no other vector has this bit.
                kernel.push(vector);
            }
        }
        Self { echelon, kernel }
    }

    /// Returns the inputs that the layout maps to `output`, in ascending order. If `output` is outside the image,
    /// there are none.
    pub fn of(&self, output: u64) -> impl Iterator<Item = u64> + '_ {
        let first = self.echelon.solve(output);
        let count = self.copies().unwrap_or(u64::MAX);
        // `first` is the smallest solution, because all free bits are zero. The solutions ascend with `which`, because
        // the vectors are in the order of their free bits.
        first.into_iter().flat_map(move |first| {
            (0..count).map(move |which| {
                let chosen = self.kernel.iter().enumerate();
                chosen
                    .filter(|(i, _)| which >> i & 1 == 1)
                    .fold(first, |x, (_, vector)| x ^ vector)
            })
        })
    }

    /// Returns the number of inputs that the layout maps to each element of its image, or `None` if this number is
    /// 2^64.
    #[must_use]
    pub fn copies(&self) -> Option<u64> {
        1u64.checked_shl(u32::try_from(self.kernel.len()).unwrap_or(u32::MAX))
    }
}

/// A packed input of a layout. `Display` prints the register or the memory location that the input selects.
///
/// A register prints as `T<thread>:<register>`; threads are numbered through all warps of a CTA. Offsets, and the
/// rows and columns of tensor memory, print as numbers. If the layout distributes elements over several CTAs, the
/// CTA index comes first, as in `B1:T6:1`.
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout};
/// # use linear_layout::view::InPoint;
/// let l = LinearLayout::from_bases(&[
///     (Dim::REGISTER, &[&[1]]), (Dim::LANE, &[&[2], &[4]]), (Dim::WARP, &[&[8]])], &[Dim::out(0)])?;
/// assert_eq!(InPoint::new(&l, 0b1_10_1).to_string(), "T6:1"); // warp 1, lane 2: 4 + 2
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct InPoint<'l> {
    layout: &'l LinearLayout,
    packed: u64,
}

/// Input dims whose indices print in the form `T<thread>:<register>`.
const THREADED: [Dim; 3] = [Dim::REGISTER, Dim::LANE, Dim::WARP];

impl<'l> InPoint<'l> {
    /// Creates the point that the packed input `packed` selects in `layout`.
    #[must_use]
    pub fn new(layout: &'l LinearLayout, packed: u64) -> Self {
        Self { layout, packed }
    }

    /// Returns each input dim together with the point's index in this dim, in the order of the layout's input dims.
    pub fn indices(&self) -> impl Iterator<Item = (Dim, u64)> + 'l {
        let mut rest = self.packed;
        self.layout.in_shape().map(move |(dim, size)| {
            let index = rest & (size - 1);
            rest = crate::f2::shr(rest, size.trailing_zeros() as usize);
            (dim, index)
        })
    }

    /// Returns the point's index in the input dim `dim`, or 0 if the layout does not have this dim.
    #[must_use]
    pub fn index(&self, dim: Dim) -> u64 {
        self.indices()
            .find(|(d, _)| *d == dim)
            .map_or(0, |(_, i)| i)
    }

    /// Returns the index of the selected thread among all threads of the layout. Lanes vary fastest, then warps,
    /// then CTAs. Returns `None` if points of this layout do not print as `T<thread>:<register>`.
    pub(crate) fn thread(&self) -> Option<u64> {
        // Sizes multiply to at most 2^64, and the index is below the product.
        let dims = [Dim::LANE, Dim::WARP, Dim::BLOCK];
        let is_held = matches!(style(self.layout), Style::Threads);
        is_held.then(|| {
            dims.iter().rev().fold(0u64, |thread, dim| {
                let size = self.layout.in_size(*dim);
                thread.wrapping_mul(size).wrapping_add(self.index(*dim))
            })
        })
    }

    /// Returns a legend for the printed points of `layout`, in which each number is replaced by a formula over the
    /// input dims. Examples are `T<lane>:<register>` for a single warp, and `T<32 * warp + lane>:<register>` for
    /// several warps of 32 lanes.
    pub(crate) fn legend(layout: &LinearLayout) -> String {
        let mut text = String::new();
        for (dim, letter) in before(layout) {
            text += &format!("{letter}<{dim}>:");
        }
        text + &match style(layout) {
            Style::Threads => {
                let threads = match (layout.in_size(Dim::LANE), layout.in_size(Dim::WARP)) {
                    (_, 1) => "lane".to_owned(),
                    (lanes, _) => format!("{lanes} * warp + lane"),
                };
                format!("T<{threads}>:<register>")
            }
            Style::Numbers => {
                let names: Vec<String> = counted(layout).map(|d| format!("<{d}>")).collect();
                match names.as_slice() {
                    [] => "()".to_owned(),
                    names => names.join(","),
                }
            }
        }
    }
}

enum Style {
    Threads,
    Numbers,
}

fn style(layout: &LinearLayout) -> Style {
    let is_known = |d: Dim| THREADED.contains(&d) || d == Dim::BLOCK;
    let has_any = layout.in_dims().any(|d| THREADED.contains(&d));
    if has_any && layout.in_dims().all(is_known) {
        Style::Threads
    } else {
        Style::Numbers
    }
}

/// Returns the input dims whose index prints as a prefix, each with the letter of the prefix: `B` for `block`, as
/// in `B1:`, and `P` for `partition`. Dims of size 1 are omitted. If the layout has a single input dim, the result
/// is empty.
fn before(layout: &LinearLayout) -> impl Iterator<Item = (Dim, char)> + '_ {
    [(Dim::BLOCK, 'B'), (Dim::PARTITION, 'P')]
        .into_iter()
        .filter(|(dim, _)| layout.in_size(*dim) > 1 && layout.num_in_dims() > 1)
}

/// Returns the input dims whose index prints as a bare number in a layout that does not print threads. These are
/// all dims except `block` and `partition`. If the layout has a single input dim, the result is this dim, even if
/// it is `block` or `partition`.
fn counted(layout: &LinearLayout) -> impl Iterator<Item = Dim> + '_ {
    let is_alone = layout.num_in_dims() == 1;
    layout
        .in_dims()
        .filter(move |d| is_alone || (*d != Dim::BLOCK && *d != Dim::PARTITION))
}

impl fmt::Display for InPoint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (dim, letter) in before(self.layout) {
            write!(f, "{letter}{}:", self.index(dim))?;
        }
        match style(self.layout) {
            Style::Threads => {
                // Sizes multiply to at most 2^64, and the index is below the product.
                let lanes = self.layout.in_size(Dim::LANE);
                let thread = self
                    .index(Dim::WARP)
                    .wrapping_mul(lanes)
                    .wrapping_add(self.index(Dim::LANE));
                write!(f, "T{thread}:{}", self.index(Dim::REGISTER))
            }
            Style::Numbers if counted(self.layout).next().is_none() => f.write_str("()"),
            Style::Numbers => {
                for (i, dim) in counted(self.layout).enumerate() {
                    write!(f, "{}{}", if i == 0 { "" } else { "," }, self.index(dim))?;
                }
                Ok(())
            }
        }
    }
}
