//! Black-box tests of the public API: one binary, one module for each subject.

mod conversions;
mod linear_layout_vectors;
