//! Black-box tests of the public API: one binary, one module for each subject.

mod linear_layout_vectors;
