//! The text of layouts, as Tilus prints them.

use core::fmt::{self, Display, Write};

use super::{MultiFunction, RegisterLayout, SharedLayout, Swizzle, TensorMemoryLayout};

struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (i, item) in self.0.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            item.fmt(f)?;
        }
        f.write_char(']')
    }
}

impl Display for RegisterLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "RegisterLayout(shape={}, mode_shape={}, spatial_modes={}, local_modes={})",
            List(self.shape()),
            List(self.mode_shape()),
            List(self.spatial_modes()),
            List(self.local_modes())
        )
    }
}

impl Display for MultiFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "multi_function(shape={}, mode_shape={}, modes={})",
            List(self.shape()),
            List(self.mode_shape()),
            List(self.modes())
        )
    }
}

impl Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Swizzle(base={}, bits={}, shift={})",
            self.base(),
            self.bits(),
            self.shift()
        )
    }
}

impl Display for SharedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "SharedLayout(shape={}, mode_shape={}, mode_strides={}, swizzle=",
            List(self.shape()),
            List(self.mode_shape()),
            List(self.mode_strides())
        )?;
        match self.swizzle() {
            Some(swizzle) => write!(f, "{swizzle})"),
            None => f.write_str("None)"),
        }
    }
}

impl Display for TensorMemoryLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "TMemoryLayout(shape={}, column_strides={}, lane_offset={})",
            List(self.shape()),
            List(self.column_strides()),
            self.lane_offset()
        )
    }
}
