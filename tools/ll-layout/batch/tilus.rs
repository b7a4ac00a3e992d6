//! Questions about layouts of Tilus.

use super::Operation;

/// The operations, by name.
pub(super) const OPS: &[Operation] = &[];
