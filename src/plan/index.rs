//! Index arithmetic as a program: a linear map applied to run-time bits.
