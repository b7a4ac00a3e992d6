//! Printer for Triton's text form of a layout.

use core::fmt;

use super::LinearLayout;
use super::side::LayoutSide;

/// Prints the layout exactly as Triton does, including the leading newline.
///
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout};
/// let l = LinearLayout::from_bases(
///     &[(Dim::REGISTER, &[&[0, 1], &[0, 2]]), (Dim::LANE, &[&[1, 0]]), (Dim::WARP, &[])],
///     &[Dim::out(0), Dim::out(1)],
/// )?;
/// assert_eq!(l.to_string(), "
///  - register=1 -> (0, 1)
///    register=2 -> (0, 2)
///  - lane=1 -> (1, 0)
///  - warp is a size 1 dimension
/// where out dims are: [dim0 (size 2), dim1 (size 4)]");
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
impl fmt::Display for LinearLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\n")?;
        if self.ins.len() == 0 {
            if self.outs.len() == 0 {
                return f.write_str("(empty layout)");
            }
            f.write_str("(empty layout with out-dims ")?;
            write_outs(&self.outs, f)?;
            return f.write_str(")");
        }
        for dim in self.in_dims() {
            let columns = self.columns_of(dim);
            if columns.is_empty() {
                writeln!(f, " - {dim} is a size 1 dimension")?;
            }
            for (bit, &col) in columns.iter().enumerate() {
                let lead = if bit == 0 { " - " } else { "   " };
                writeln!(f, "{lead}{dim}={} -> {}", 1u64 << bit, self.unpack(col))?;
            }
        }
        f.write_str("where out dims are: ")?;
        write_outs(&self.outs, f)
    }
}

fn write_outs(outs: &LayoutSide, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("[")?;
    for i in 0..outs.len() {
        let comma = if i == 0 { "" } else { ", " };
        write!(f, "{comma}{} (size {})", outs.dim(i), outs.size(i))?;
    }
    f.write_str("]")
}

impl fmt::Debug for LinearLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LinearLayout {{{self}}}")
    }
}
