//! Questions about layouts of one system as those of another.

use super::Operation;

/// The operations, by name.
pub(super) const OPS: &[Operation] = &[];
