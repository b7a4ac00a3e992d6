//! Bit matrices over GF(2): the only room that knows how bits are packed.
