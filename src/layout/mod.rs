//! The layout algebra: linear maps between named dimensions.
