//! Inference of layouts that a program leaves open.
//!
//! ```text
//! %a = tt.make_range : tensor<32xi32, #gluon.auto_encoding>     class 0: follows from class 1
//! %b = tt.expand_dims %a                                        class 1, with all values of the same encoding
//! %c = tt.broadcast %b
//! %d = gluon.set_auto_layout %c -> tensor<64x32xi32, #blocked>  requires #blocked of class 1
//! ```
//! `constraints` collects classes of values with the same encoding, inference edges between classes, and conversions
//! between classes. `resolve` propagates required encodings along the edges. No conversion is added; conflicting
//! requirements are an error.
//!
//! If only conversions constrain a class, its candidates are the encodings at the other end of each conversion.
//! [`super::assignment::cheapest`] chooses among the candidates by plan costs.

mod constraints;
mod resolve;

pub(crate) use constraints::{Constraints, open_layout_of};
pub(crate) use resolve::{Requirement, resolve};
