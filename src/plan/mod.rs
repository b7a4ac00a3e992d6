//! How a conversion is carried out: a plan is plain data with a cost.
