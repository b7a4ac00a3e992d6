//! Parser for Triton's text form of a layout.

use core::str::FromStr;

use super::linear_layout::pack;
use super::side::{LayoutSide, MAX_DIMS};
use super::{Dim, LayoutError, LinearLayout, Role};

/// Parses Triton's text form of a layout, as printed by [`Display`](core::fmt::Display).
///
/// White space between tokens is ignored. The bases of a dim must be numbered 1, 2, 4, ... in this order.
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout};
/// let l: LinearLayout = "
///  - lane=1 -> (0, 1)
///    lane=2 -> (1, 0)
///  - warp is a size 1 dimension
/// where out dims are: [dim0 (size 2), dim1 (size 2)]".parse()?;
/// assert_eq!(l.in_bits(Dim::LANE), 2);
/// let e = " - lane=2 -> (1)".parse::<LinearLayout>().unwrap_err();
/// assert_eq!(e.to_string(), "expected `=1`, the first basis of the dim, at byte 7 of the layout text");
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
/// # Laws
/// `l.to_string().parse() == Ok(l)` (property `text_round_trip`) if every dim name is an identifier.
/// # Errors
/// Returns an error with a byte offset if the syntax is wrong. If the syntax is correct but the layout is invalid,
/// returns the error that [`from_bases_sized`](LinearLayout::from_bases_sized) returns.
impl FromStr for LinearLayout {
    type Err = LayoutError;

    fn from_str(text: &str) -> Result<Self, LayoutError> {
        LayoutParser { text, at: 0 }.layout()
    }
}

/// The components of one printed basis, e.g. `(0, 1)`.
///
/// They cannot be packed yet, because the text names the out-dims after all bases.
#[derive(Clone, Copy)]
struct Components {
    values: [u64; MAX_DIMS],
    len: usize,
}

struct LayoutParser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> LayoutParser<'a> {
    fn layout(mut self) -> Result<LinearLayout, LayoutError> {
        if self.eat("(") {
            let outs = self.empty()?;
            return Ok(LinearLayout::zero(LayoutSide::EMPTY, outs));
        }
        let mut ins = LayoutSide::EMPTY;
        let mut bases = [Components {
            values: [0; MAX_DIMS],
            len: 0,
        }; 64];
        while self.eat("-") {
            let dim = self.name("the name of an in-dim")?;
            let first = ins.bits();
            let mut bits = 0;
            if !self.eat("is a size 1 dimension") {
                self.power(0)?;
                loop {
                    let Some(basis) = bases.get_mut(first + bits) else {
                        return Err(LayoutError::too_many_bits(Role::In, dim, first + bits + 1));
                    };
                    *basis = self.components()?;
                    bits += 1;
                    if self.peek("-") || self.peek("where out dims are:") {
                        break;
                    }
                    let at = self.at;
                    if self.name("`-`, the same dim name, or `where out dims are:`")? != dim {
                        return Err(LayoutError::parse(at, "the dim name of the previous basis"));
                    }
                    self.power(bits)?;
                }
            }
            ins.push(Role::In, dim, bits)?;
        }
        self.expect("where out dims are:", "`-` or `where out dims are:`")?;
        let outs = self.outs()?;
        self.end()?;
        let mut layout = LinearLayout::zero(ins, outs);
        let mut at = 0;
        for i in 0..ins.len() {
            for bit in 0..ins.log2(i) {
                let basis = &bases[at];
                layout.cols[at] = pack(&outs, ins.dim(i), bit, &basis.values[..basis.len])?;
                at += 1;
            }
        }
        Ok(layout)
    }

    /// Parses `empty layout)` or `empty layout with out-dims [...])`, and returns the out-dims.
    fn empty(&mut self) -> Result<LayoutSide, LayoutError> {
        self.expect("empty layout", "`empty layout`")?;
        let outs = if self.eat("with out-dims") {
            self.outs()?
        } else {
            LayoutSide::EMPTY
        };
        self.expect(")", "`)`")?;
        self.end()?;
        Ok(outs)
    }

    fn outs(&mut self) -> Result<LayoutSide, LayoutError> {
        let mut outs = LayoutSide::EMPTY;
        self.expect("[", "`[`")?;
        if self.eat("]") {
            return Ok(outs);
        }
        loop {
            let dim = self.name("the name of an out-dim")?;
            self.expect("(size", "`(size`")?;
            outs.push_size(Role::Out, dim, self.number()?)?;
            self.expect(")", "`)`")?;
            if self.eat("]") {
                return Ok(outs);
            }
            self.expect(",", "`,` or `]`")?;
        }
    }

    /// Parses the image of a basis, e.g. `-> (0, 1)`.
    fn components(&mut self) -> Result<Components, LayoutError> {
        let mut list = Components {
            values: [0; MAX_DIMS],
            len: 0,
        };
        self.expect("->", "`->`")?;
        self.expect("(", "`(`")?;
        if self.eat(")") {
            return Ok(list);
        }
        loop {
            let value = self.number()?;
            let Some(to) = list.values.get_mut(list.len) else {
                return Err(LayoutError::too_many_dims(Role::Out, MAX_DIMS));
            };
            *to = value;
            list.len += 1;
            if self.eat(")") {
                return Ok(list);
            }
            self.expect(",", "`,` or `)`")?;
        }
    }

    /// Parses the number of a basis, e.g. `=4`. Returns an error if the number is not `2^bit`.
    fn power(&mut self, bit: usize) -> Result<(), LayoutError> {
        let at = self.at;
        self.expect("=", "`=` or `is a size 1 dimension`")?;
        if bit < 64 && self.number()? == 1 << bit {
            return Ok(());
        }
        let expected = if bit == 0 {
            "`=1`, the first basis of the dim,"
        } else {
            "`=` and twice the previous number"
        };
        Err(LayoutError::parse(at, expected))
    }

    fn number(&mut self) -> Result<u64, LayoutError> {
        self.skip_space();
        let rest = self.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let value = rest[..digits]
            .parse()
            .map_err(|_| LayoutError::parse(self.at, "a number below 2^64"))?;
        self.at += digits;
        Ok(value)
    }

    /// Parses the name of a dim. The name ends at `=`, a bracket, a comma, a line break or
    /// ` is a size 1 dimension`. `expected` describes the name in the error message.
    fn name(&mut self, expected: &'static str) -> Result<Dim, LayoutError> {
        self.skip_space();
        let rest = self.rest();
        let end = rest
            .find(['=', '(', ')', '[', ']', '\n', ','])
            .unwrap_or(rest.len());
        let end = rest[..end].find(" is a size 1 dimension").unwrap_or(end);
        let name = rest[..end].trim_end();
        if name.is_empty() || end == rest.len() {
            return Err(LayoutError::parse(self.at, expected));
        }
        self.at += name.len();
        Dim::try_named(name)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn peek(&mut self, token: &str) -> bool {
        self.skip_space();
        self.rest().starts_with(token)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str, expected: &'static str) -> Result<(), LayoutError> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(LayoutError::parse(self.at, expected))
        }
    }

    fn end(&mut self) -> Result<(), LayoutError> {
        self.skip_space();
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(LayoutError::parse(self.at, "the end of the text"))
        }
    }
}
