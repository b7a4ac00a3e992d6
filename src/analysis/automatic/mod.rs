//! Inference of layouts that a program leaves open.
//!
//! ```text
//! %a = tt.make_range : tensor<32xi32, #gluon.auto_encoding>     class 0: follows from class 1
//! %b = tt.expand_dims %a                                        class 1, with all values of the same encoding
//! %c = tt.broadcast %b
//! %d = gluon.set_auto_layout %c -> tensor<64x32xi32, #blocked>  requires #blocked of class 1
//! ```
//! `constraints` computes the classes of values with one encoding, the encodings that follow from each other, and the
//! conversions between classes; `resolve` propagates required encodings along them. No conversion is added: conflicting
//! requirements are an error.
//!
//! A class constrained by nothing but conversions has several candidates, the encodings at their other ends.
//! [`super::assignment::cheapest`] chooses among them by the costs of plans.

mod constraints;
mod resolve;

pub(crate) use constraints::{Constraints, open_layout_of};
pub(crate) use resolve::{Requirement, resolve};
