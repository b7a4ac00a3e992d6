//! Layouts that a program leaves open: what settles each.
//!
//! ```text
//! %a = tt.make_range : tensor<32xi32, #gluon.auto_encoding>     class 0: follows from class 1
//! %b = tt.expand_dims %a                                        class 1, with all that has one encoding with it
//! %c = tt.broadcast %b
//! %d = gluon.set_auto_layout %c -> tensor<64x32xi32, #blocked>  asks for #blocked on class 1
//! ```
//! `ties` finds which values have one encoding, which encodings follow from each other, and which are only
//! compared by a conversion that stands there; `settle` carries what is asked for along these ties. Nothing is
//! converted that the program does not convert: what is asked for in two ways is an error.
//!
//! What is settled by nothing but conversions may be laid out in several ways: as what it is converted from, or to.
//! These are [`settle::Variant`]s, of which [`super::assignment::cheapest`] takes the best by the cost of plans.

mod settle;
mod ties;

pub(crate) use settle::{Demand, Settled, settle};
pub(crate) use ties::{Ties, left_open};
