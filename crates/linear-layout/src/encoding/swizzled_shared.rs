//! `#ttg.swizzled_shared`: shared-memory layouts in which an XOR permutes each row.

use crate::number::narrow;
use core::fmt;
use core::ops::Deref;

use super::cga::{check_rank, fmt_cga, permutation, same_rank};
use super::error::{EncodingErrorKind, RuleLabel};
use super::text::{Parser, require, unknown_key};
use super::tiling::{OFFSET, SHARED, Tiling};
use super::{CgaLayout, Encoding, EncodingError, Ints};

const FAMILY: &str = "swizzled_shared";
const KEYS: &str = "`vec`, `perPhase`, `maxPhase`, `order`, `CGALayout`";

/// The layout of a tensor in shared memory in which the vectors of `vec` elements are permuted within each row: the
/// column of a vector is XORed with a number that depends on the row.
///
/// Row `r` has the phase `(r / per_phase) % max_phase`. Column `c` of the row is stored at column
/// `c ^ (vec * phase)`. For example, with `vec = 2, perPhase = 1, maxPhase = 4`, a 4x8 tensor is stored as follows
/// (the numbers are columns):
/// ```text
/// row 0:  0 1 2 3 4 5 6 7
/// row 1:  2 3 0 1 6 7 4 5
/// row 2:  4 5 6 7 0 1 2 3
/// row 3:  6 7 4 5 2 3 0 1
/// ```
/// # Shape
/// (offset, block) -> (dim0, dim1, ...).
/// # Units
/// `vec` counts elements, `per_phase` counts rows, and `max_phase` counts phases. `order` lists the dims, the
/// fastest dim first. The first dim in `order` is the column index, and the second one is the row index.
/// # Source
/// Triton's `SwizzledSharedEncodingAttr`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SwizzledSharedEncoding {
    pub(super) swizzle: SwizzleParameters,
}

/// The swizzle parameters of a [`SwizzledSharedEncoding`] or `AmdRotatingSharedEncoding`. Both types dereference to
/// this type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SwizzleParameters {
    vec: u32,
    per_phase: u32,
    max_phase: u32,
    pub(super) order: Ints,
    cga: CgaLayout,
}

impl Deref for SwizzledSharedEncoding {
    type Target = SwizzleParameters;

    fn deref(&self) -> &SwizzleParameters {
        &self.swizzle
    }
}

impl SwizzleParameters {
    /// Returns the number of elements in a vector. The swizzle moves whole vectors.
    #[must_use]
    pub fn vec(&self) -> u32 {
        self.vec
    }

    /// Returns the number of consecutive rows with the same phase.
    #[must_use]
    pub fn per_phase(&self) -> u32 {
        self.per_phase
    }

    /// Returns the number of distinct phases.
    #[must_use]
    pub fn max_phase(&self) -> u32 {
        self.max_phase
    }

    /// Returns the order of the dims, the fastest dim first.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the parameter `CGALayout`, which describes the distribution of the tensor over the CTAs of a
    /// cluster.
    #[must_use]
    pub fn cga_layout(&self) -> &CgaLayout {
        &self.cga
    }

    pub(crate) fn rank(&self) -> usize {
        self.order.len()
    }

    pub(crate) fn new(
        [vec, per_phase, max_phase]: [u32; 3],
        order: &[u32],
        cga: CgaLayout,
    ) -> Result<Self, EncodingError> {
        check_rank("order", order.len())?;
        same_rank("CGALayout", &Ints::filled(0, cga.rank()), "order", order)
            .of_rule("cga_layout_c1")?;
        permutation("order", order)?;
        Ok(Self {
            vec,
            per_phase,
            max_phase,
            order: Ints::from_slice(order)?,
            cga,
        })
    }

    pub(crate) fn parse(family: &'static str, p: &mut Parser<'_>) -> Result<Self, EncodingError> {
        let (mut numbers, mut order, mut cga) = ([0; 3], None, None);
        p.dict(|p, key| {
            match key {
                "vec" => numbers[0] = p.number()?,
                "perPhase" => numbers[1] = p.number()?,
                "maxPhase" => numbers[2] = p.number()?,
                "order" => order = Some(p.numbers()?),
                "CGALayout" => cga = Some(p.bases()?),
                _ => return unknown_key(family, key, KEYS),
            }
            Ok(())
        })?;
        let order = require(order, family, "order")?;
        check_rank("order", order.len())?;
        let cga = CgaLayout::from_bases(order.len(), &cga.unwrap_or_default())?;
        Self::new(numbers, &order, cga)
    }

    /// Returns the parameters for the tensor with permuted dims. Dim `i` of the permuted tensor is dim `order[i]`
    /// of the original tensor.
    pub(crate) fn permute(&self, order: &[usize]) -> Self {
        let moved =
            |dim: u32| narrow::<u32>(order.iter().position(|o| *o == dim as usize).unwrap_or(0));
        Self {
            order: Ints::collect(self.order.iter().map(|d| moved(*d))),
            cga: self.cga.permute(order),
            ..*self
        }
    }

    /// Returns the swizzled layout of a tensor with the shape `shape`. `reach` returns log2 of the size of the
    /// swizzle pattern along a dim. `phase` returns the phase of a row, and is called only for the rows 1, 2, 4,
    /// .... `family` is the name of the encoding in error messages.
    pub(crate) fn lay(
        &self,
        family: &'static str,
        shape: &[u64],
        reach: impl Fn(&Tiling, usize) -> u8,
        phase: impl Fn(u64) -> u64,
    ) -> Result<Tiling, EncodingError> {
        let mut tiling = Tiling::new(family, &SHARED, shape, &self.cga)?;
        let mut dims = self.order.iter().map(|d| *d as usize);
        if self.order.len() >= 2
            && let (Some(col), Some(row)) = (dims.next(), dims.next())
        {
            let (cols_log2, rows_log2) = (reach(&tiling, col), reach(&tiling, row));
            if rows_log2 > 0 && (self.per_phase == 0 || self.max_phase == 0) {
                let reason = format!(
                    "`perPhase` is {} and `maxPhase` is {}, expected 1 or more of each",
                    self.per_phase, self.max_phase
                );
                return Err(EncodingError::no_layout(family, reason));
            }
            tiling.lay_log2(OFFSET, cols_log2, col);
            for bit in 0..rows_log2 {
                let shift = (u64::from(self.vec) * phase(1 << bit)) & ((1 << cols_log2) - 1);
                let column =
                    tiling.component_in_cta(row, 1 << bit) | tiling.component_in_cta(col, shift);
                tiling.push(OFFSET, column);
            }
            tiling.advance(row, rows_log2);
        }
        for dim in dims {
            let bits = reach(&tiling, dim);
            tiling.lay_log2(OFFSET, bits, dim);
        }
        tiling.lay_ctas(1, &self.cga);
        Ok(tiling)
    }

    pub(crate) fn fmt(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            vec,
            per_phase,
            max_phase,
            order,
            cga,
        } = self;
        write!(
            f,
            "#ttg.{name}<{{vec = {vec}, perPhase = {per_phase}, maxPhase = {max_phase}, order = {order}"
        )?;
        fmt_cga(f, cga)?;
        f.write_str("}>")
    }
}

/// Returns the label of the rule that is violated if an error of this kind occurs. Returns `None` if the kind of
/// error does not concern the swizzle parameters.
fn rules(kind: &EncodingErrorKind) -> Option<&'static str> {
    match kind {
        EncodingErrorKind::NotPermutation { .. } => Some("swizzled_shared_c1"),
        EncodingErrorKind::NoLayout { .. } => Some("swizzled_shared_c2"),
        _ => None,
    }
}

impl SwizzledSharedEncoding {
    /// Returns the encoding with these swizzle parameters. If `vec`, `per_phase` and `max_phase` are all 1, there
    /// is no swizzle. `order` lists the dims, the fastest dim first.
    ///
    /// # Errors
    /// Returns an error if `order` is not a permutation, or the ranks of `order` and `cga` differ.
    pub fn new(
        vec: u32,
        per_phase: u32,
        max_phase: u32,
        order: &[u32],
        cga: CgaLayout,
    ) -> Result<Self, EncodingError> {
        Ok(Self {
            swizzle: SwizzleParameters::new([vec, per_phase, max_phase], order, cga)
                .of_rules(rules)?,
        })
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        let (per, max) = (u64::from(self.per_phase()), u64::from(self.max_phase()));
        self.swizzle
            .lay(FAMILY, shape, Tiling::limit, |row| (row / per) % max)
            .of_rules(rules)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        Ok(Self {
            swizzle: SwizzleParameters::parse(FAMILY, p).of_rules(rules)?,
        }
        .into())
    }
}

impl fmt::Display for SwizzledSharedEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.swizzle.fmt(FAMILY, f)
    }
}
