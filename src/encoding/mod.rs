//! Each encoding family as data, and its linear layout.
