//! What can be wrong with an encoding, its text, or the shape it is laid over.

use core::fmt;
use std::borrow::Cow;
use std::error::Error;

use super::spelling::nearest;
use super::{FAMILIES, Ints};
use crate::layout::LayoutError;

/// Words that are fixed, or have a number of the encoding in them.
type Words = Cow<'static, str>;

/// The reason why an encoding, its text, or its layout on a shape does not exist.
///
/// ```
/// use linear_layout::encoding::Encoding;
/// let text = "#ttg.blocked<{sizePerThread = [3], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>";
/// let err = text.parse::<Encoding>().unwrap_err();
/// assert_eq!(err.to_string(), "`sizePerThread[0]` is 3, expected a power of two; the nearest ones are 2 and 4");
/// assert!(err.is_invalid_encoding());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct EncodingError(Box<Broken>);

/// What is wrong, and which rule it breaks, by its label; some errors of the text break none.
#[derive(Clone, PartialEq, Eq)]
struct Broken {
    kind: Kind,
    rule: Option<&'static str>,
}

/// Says which rule an error breaks, where it does not say so yet: the innermost check knows best.
pub(crate) trait OfRule: Sized {
    /// The rule with this label.
    #[must_use]
    fn of_rule(self, label: &'static str) -> Self {
        self.of_rules(|_| Some(label))
    }

    /// The rule whose label is chosen by what is wrong, for a check that is that of several rules.
    #[must_use]
    fn of_rules(self, label: impl FnOnce(&Kind) -> Option<&'static str>) -> Self;
}

impl OfRule for EncodingError {
    fn of_rules(mut self, label: impl FnOnce(&Kind) -> Option<&'static str>) -> Self {
        if self.0.rule.is_none() {
            self.0.rule = label(&self.0.kind);
        }
        self
    }
}

impl<T> OfRule for Result<T, EncodingError> {
    fn of_rules(self, label: impl FnOnce(&Kind) -> Option<&'static str>) -> Self {
        self.map_err(|error| error.of_rules(label))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    // Text.
    Syntax {
        at: usize,
        expected: &'static str,
        found: String,
    },
    UnknownFamily {
        name: String,
    },
    UnknownAlias {
        name: String,
    },
    DuplicateAlias {
        name: String,
    },
    UnknownKey {
        family: &'static str,
        key: String,
        valid: &'static str,
    },
    DuplicateKey {
        key: String,
    },
    MissingKey {
        family: &'static str,
        key: &'static str,
    },
    NumberTooLarge {
        at: usize,
    },
    Negative {
        at: usize,
        value: i64,
    },
    TooDeep {
        limit: usize,
    },
    TooMany {
        key: String,
        limit: usize,
    },
    TrailingText {
        at: usize,
        found: String,
    },
    // A layout of another system, in quotes.
    Quoted {
        at: usize,
        is_syntax: bool,
        key: Option<&'static str>,
        reason: String,
    },
    // Fields.
    RankMismatch {
        what: &'static str,
        found: usize,
        than: &'static str,
        expected: usize,
    },
    RankUnsupported {
        what: &'static str,
        found: usize,
        expected: &'static str,
    },
    NotPowerOfTwo {
        what: &'static str,
        index: Option<usize>,
        value: u64,
    },
    NotPermutation {
        what: &'static str,
        order: Ints,
    },
    BadValue {
        what: &'static str,
        value: u64,
        expected: Words,
    },
    NoPairs,
    NotOfCluster,
    BadInstruction {
        family: &'static str,
        shape: Ints,
        expected: &'static str,
    },
    Duplicate {
        what: &'static str,
        value: u64,
    },
    WrongFamily {
        what: &'static str,
        found: &'static str,
        expected: &'static str,
    },
    BasisLength {
        what: &'static str,
        basis: Ints,
        expected: usize,
    },
    NotOneDim {
        what: &'static str,
        basis: Ints,
    },
    NotEvenStep {
        what: &'static str,
        basis: Ints,
    },
    NotSinglePower {
        what: &'static str,
        basis: Ints,
    },
    NotSurjective {
        what: &'static str,
        missed: Ints,
    },
    NotInjective {
        what: &'static str,
        basis: Ints,
        advice: &'static str,
    },
    NotOutermost {
        basis: Ints,
    },
    TooManyBases {
        what: &'static str,
        found: usize,
        limit: usize,
    },
    WrongDims {
        what: &'static str,
        expected: &'static str,
    },
    // An encoding on a shape.
    ShapeRank {
        family: &'static str,
        found: usize,
        expected: usize,
    },
    ShapeSize {
        dim: usize,
        size: u64,
    },
    ShapeTooLarge {
        bits: u32,
    },
    TooManyBits,
    TooSmall {
        family: &'static str,
        dim: &'static str,
        found: u64,
        expected: u64,
    },
    FixedShape {
        family: &'static str,
        dim: usize,
        found: u64,
        expected: u64,
    },
    NoLayout {
        family: &'static str,
        reason: Words,
    },
    // Inference.
    CannotInfer {
        op: &'static str,
        reason: &'static str,
    },
    Axis {
        op: &'static str,
        axis: usize,
        rank: usize,
    },
    ElementCount {
        op: &'static str,
        src: u64,
        dst: u64,
    },
    Layout(LayoutError),
}

impl EncodingError {
    #[cold]
    pub(crate) fn new(kind: Kind) -> Self {
        Self(Box::new(Broken { kind, rule: None }))
    }

    #[cold]
    pub(crate) fn bad_value(what: &'static str, value: u32, expected: impl Into<Words>) -> Self {
        Self::new(Kind::BadValue {
            what,
            value: u64::from(value),
            expected: expected.into(),
        })
    }

    #[cold]
    pub(crate) fn no_layout(family: &'static str, reason: impl Into<Words>) -> Self {
        Self::new(Kind::NoLayout {
            family,
            reason: reason.into(),
        })
    }

    /// Returns this error of a value as one of the key that has the value.
    #[cold]
    pub(crate) fn at_key(mut self, name: &str) -> Self {
        if let Kind::TooMany { key, .. } = &mut self.0.kind
            && key.is_empty()
        {
            name.clone_into(key);
        }
        self
    }

    /// Returns the key of the encoding's text that the error is about, where it is about one.
    ///
    /// ```
    /// use linear_layout::encoding::Encoding;
    /// let text = "#ttg.shared_linear<{offset = [[1], [2]]}, alignment = 12>";
    /// assert_eq!(text.parse::<Encoding>().unwrap_err().key(), Some("alignment"));
    /// ```
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        match &self.0.kind {
            Kind::UnknownKey { key, .. } | Kind::DuplicateKey { key } => Some(key),
            Kind::TooMany { key, .. } => Some(key).filter(|key| !key.is_empty()).map(|k| &**k),
            Kind::RankMismatch { what, .. }
            | Kind::RankUnsupported { what, .. }
            | Kind::NotPowerOfTwo { what, .. }
            | Kind::NotPermutation { what, .. }
            | Kind::BadValue { what, .. }
            | Kind::WrongFamily { what, .. }
            | Kind::BasisLength { what, .. }
            | Kind::NotOneDim { what, .. }
            | Kind::NotEvenStep { what, .. }
            | Kind::NotSinglePower { what, .. }
            | Kind::NotSurjective { what, .. }
            | Kind::NotInjective { what, .. }
            | Kind::TooManyBases { what, .. } => Some(what),
            Kind::NotOfCluster => Some("twoCTAs"),
            Kind::BadInstruction { .. } => Some("instrShape"),
            Kind::NotOutermost { .. } => Some("block"),
            Kind::Quoted { key, .. } => *key,
            _ => None,
        }
    }

    /// Returns the error as one of the value of this key.
    #[cold]
    pub(crate) fn of_key(mut self, name: &'static str) -> Self {
        match &mut self.0.kind {
            Kind::Quoted { key, .. } => *key = Some(name),
            Kind::NoLayout { reason, .. } => {
                let reason = core::mem::take(reason).into_owned();
                self.0.kind = Kind::Quoted {
                    at: 0,
                    is_syntax: false,
                    key: Some(name),
                    reason,
                };
            }
            _ => {}
        }
        self
    }

    /// Returns the label of the rule that is broken, where the error is that of a rule.
    ///
    /// `ll-opt --explain-rule=blocked_c2` says what a label stands for.
    ///
    /// ```
    /// use linear_layout::encoding::Encoding;
    /// let text = "#ttg.blocked<{sizePerThread = [3], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>";
    /// assert_eq!(text.parse::<Encoding>().unwrap_err().rule(), Some("blocked_c2"));
    /// ```
    #[must_use]
    pub fn rule(&self) -> Option<&'static str> {
        self.0.rule
    }

    /// Returns whether the text cannot be read at all.
    #[must_use]
    pub fn is_syntax(&self) -> bool {
        matches!(
            self.0.kind,
            Kind::Syntax { .. }
                | Kind::UnknownFamily { .. }
                | Kind::UnknownAlias { .. }
                | Kind::DuplicateAlias { .. }
                | Kind::UnknownKey { .. }
                | Kind::DuplicateKey { .. }
                | Kind::MissingKey { .. }
                | Kind::NumberTooLarge { .. }
                | Kind::Negative { .. }
                | Kind::TooDeep { .. }
                | Kind::TooMany { .. }
                | Kind::TrailingText { .. }
                | Kind::Quoted {
                    is_syntax: true,
                    ..
                }
        )
    }

    /// Returns whether the encoding itself breaks a rule, whatever the shape.
    #[must_use]
    pub fn is_invalid_encoding(&self) -> bool {
        !self.is_syntax() && !self.is_invalid_shape() && !self.is_inference()
    }

    /// Returns whether the encoding is sound but has no layout on the given shape.
    #[must_use]
    pub fn is_invalid_shape(&self) -> bool {
        matches!(
            self.0.kind,
            Kind::ShapeRank { .. }
                | Kind::ShapeSize { .. }
                | Kind::ShapeTooLarge { .. }
                | Kind::TooManyBits
                | Kind::TooSmall { .. }
                | Kind::FixedShape { .. }
                | Kind::NoLayout { .. }
        )
    }

    /// Returns whether no encoding could be inferred through an operation.
    #[must_use]
    pub fn is_inference(&self) -> bool {
        matches!(
            self.0.kind,
            Kind::CannotInfer { .. } | Kind::Axis { .. } | Kind::ElementCount { .. }
        )
    }

    /// Returns the byte offset in the text where reading stopped, for errors of the text.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        match self.0.kind {
            Kind::Syntax { at, .. }
            | Kind::NumberTooLarge { at }
            | Kind::Negative { at, .. }
            | Kind::TrailingText { at, .. } => Some(at),
            Kind::Quoted { at, key: None, .. } => Some(at),
            _ => None,
        }
    }
}

impl From<LayoutError> for EncodingError {
    #[cold]
    fn from(e: LayoutError) -> Self {
        Self::new(Kind::Layout(e))
    }
}

impl EncodingError {
    pub(super) fn is_unknown_key(&self) -> bool {
        matches!(self.0.kind, Kind::UnknownKey { .. })
    }

    /// Returns whether the text begins with a name that no encoding has.
    pub(crate) fn is_unknown_family(&self) -> bool {
        matches!(self.0.kind, Kind::UnknownFamily { .. })
    }
}

impl fmt::Debug for EncodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncodingError({:?})", self.0.kind)
    }
}

impl fmt::Display for EncodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            Kind::Syntax {
                at,
                expected,
                found,
            } => {
                write!(f, "expected {expected} at byte {at}, found {found}")
            }
            Kind::Quoted { reason, .. } => f.write_str(reason),
            Kind::UnknownFamily { name } => unknown_family(f, name),
            Kind::UnknownAlias { name } => {
                write!(
                    f,
                    "alias `#{name}` is not defined; define it with `#{name} = ...` first"
                )
            }
            Kind::DuplicateAlias { name } => write!(f, "alias `#{name}` is defined twice"),
            Kind::UnknownKey { family, key, valid } => {
                write!(f, "unexpected key `{key}` in `{family}`; ")?;
                // The keys stand between backticks; one that is known is wrong for another reason.
                let keys = valid.split('`').skip(1).step_by(2);
                match nearest(key, keys.filter(|known| known != key)) {
                    Some(near) => write!(f, "the nearest key is `{near}`"),
                    None => write!(f, "the keys are {valid}"),
                }
            }
            Kind::DuplicateKey { key } => write!(f, "key `{key}` is given twice"),
            Kind::MissingKey { family, key } => {
                write!(f, "`{family}` needs the key `{key}`")?;
                match *key {
                    "register" | "lane" | "warp" | "block" | "offset" => {
                        write!(f, "; write `{key} = []` where it has no bases")
                    }
                    _ => Ok(()),
                }
            }
            Kind::NumberTooLarge { at } => {
                write!(f, "number at byte {at} does not fit into 32 bits")
            }
            Kind::Negative { at, value } => {
                write!(f, "number at byte {at} is {value}, expected zero or more")
            }
            Kind::TooDeep { limit } => {
                write!(f, "encodings are nested more than {limit} deep")
            }
            Kind::TooMany { key, limit } => {
                let what = if key.is_empty() { "the list" } else { key };
                write!(f, "`{what}` is too long: expected at most {limit} items")
            }
            Kind::TrailingText { at, found } => {
                write!(
                    f,
                    "expected the end of the text at byte {at}, found {found}"
                )
            }
            Kind::RankMismatch {
                what,
                found,
                than,
                expected,
            } => {
                write!(
                    f,
                    "`{what}` has rank {found}, expected {expected} as `{than}` has"
                )
            }
            Kind::RankUnsupported {
                what,
                found,
                expected,
            } => {
                write!(f, "`{what}` has rank {found}, expected {expected}")
            }
            Kind::NotPowerOfTwo { what, index, value } => {
                match index {
                    Some(i) => write!(f, "`{what}[{i}]` is {value}, expected a power of two")?,
                    None => write!(f, "`{what}` is {value}, expected a power of two")?,
                }
                nearest_powers(f, *value)
            }
            Kind::NotPermutation { what, order } => write!(
                f,
                "`{what}` is {order}, expected a permutation of {}",
                Ints::collect((0..order.len() as u32).rev())
            ),
            Kind::BadValue {
                what,
                value,
                expected,
            } => {
                write!(f, "`{what}` is {value}, expected {expected}")
            }
            Kind::NoPairs => f.write_str(
                "`padded_shared` has no padding, expected a pair `interval:+padding` or more; \
                 `#ttg.shared_linear` lays out a buffer without",
            ),
            Kind::NotOfCluster => f.write_str(
                "`twoCTAs` is true, expected false unless the first basis of `CGALayout` is [1, 0]",
            ),
            Kind::BadInstruction {
                family,
                shape,
                expected,
            } => {
                write!(
                    f,
                    "instruction shape {shape} does not exist for `{family}`; expected {expected}"
                )
            }
            Kind::Duplicate { what, value } => {
                write!(
                    f,
                    "`{what}` {value} is given twice; give it once, with one padding"
                )
            }
            Kind::WrongFamily {
                what,
                found,
                expected,
            } => {
                write!(f, "`{what}` is a `{found}`, expected {expected}")
            }
            Kind::BasisLength {
                what,
                basis,
                expected,
            } => {
                write!(
                    f,
                    "basis {basis} of `{what}` has rank {}, expected {expected}: a number for each dim",
                    basis.len()
                )
            }
            Kind::NotSinglePower { what, basis } => write!(
                f,
                "basis {basis} of `{what}` moves in several dims or by no power of two, expected \
                 zeros with at most one power of two"
            ),
            Kind::NotOneDim { what, basis } => write!(
                f,
                "basis {basis} of `{what}` moves in several dims, expected one; only `warp` may do that"
            ),
            Kind::NotEvenStep { what, basis } => write!(
                f,
                "basis {basis} of `{what}` moves by no power of two, expected one; only `lane` and \
                 `warp` may do that"
            ),
            Kind::NotSurjective { what, missed } => write!(
                f,
                "no bases of `{what}` add up to {missed}, expected some for every element; \
                 add {missed}, or make larger bases smaller"
            ),
            Kind::NotInjective {
                what,
                basis,
                advice,
            } => write!(
                f,
                "basis {basis} of `{what}` leads to where others lead already, expected another \
                 element; {advice}"
            ),
            Kind::NotOutermost { basis } => write!(
                f,
                "basis {basis} of `block` moves within the part of one CTA, expected beyond it: what a \
                 CTA holds must be contiguous along each dim"
            ),
            Kind::WrongDims { what, expected } => {
                write!(
                    f,
                    "layout of `{what}` has the wrong dims, expected {expected}"
                )
            }
            Kind::ShapeRank {
                family,
                found,
                expected,
            } => {
                write!(
                    f,
                    "shape has rank {found}, but the `{family}` encoding has rank {expected}"
                )
            }
            Kind::ShapeSize { dim, size } => {
                write!(
                    f,
                    "shape has {size} elements along dim{dim}, expected a power of two"
                )?;
                nearest_powers(f, *size)
            }
            Kind::ShapeTooLarge { bits } => write!(
                f,
                "shape has 2^{bits} elements, expected at most 2^62 and 2^31 along one dim"
            ),
            Kind::TooManyBits => f.write_str(
                "the layout has too many bases, expected at most 64, and 62 of one dim; \
                 make the encoding or the shape smaller",
            ),
            Kind::TooManyBases { what, found, limit } => {
                write!(f, "`{what}` has {found} bases, expected at most {limit}")
            }
            Kind::TooSmall {
                family,
                dim,
                found,
                expected,
            } => write!(
                f,
                "shape of one CTA has {found} elements along {dim}, but the tile of `{family}` has {expected}"
            ),
            Kind::FixedShape {
                family,
                dim,
                found,
                expected,
            } => write!(
                f,
                "shape has {found} elements along dim{dim}, but this `{family}` encoding is fixed to {expected}"
            ),
            Kind::NoLayout { family, reason } => {
                write!(f, "`{family}` has no linear layout here: {reason}")
            }
            Kind::CannotInfer { op, reason } => {
                write!(f, "cannot infer an encoding through `{op}`: {reason}")
            }
            Kind::Axis { op, axis, rank } => {
                write!(
                    f,
                    "`{op}` has axis {axis}, expected less than the rank {rank}"
                )
            }
            Kind::ElementCount { op, src, dst } => {
                write!(
                    f,
                    "`{op}` turns {src} elements into {dst}; the counts must be equal"
                )
            }
            Kind::Layout(e) => write!(f, "{e}"),
        }
    }
}

/// An encoding with a name that no family has.
fn unknown_family(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    write!(f, "unknown encoding `{name}`; ")?;
    let family = name.split_once('.').map_or(name, |(_, family)| family);
    match nearest(family, FAMILIES.iter().map(|(_, known)| *known)) {
        Some(near) => FAMILIES
            .iter()
            .filter(|(_, known)| *known == near)
            .try_for_each(|(dialect, _)| write!(f, "the nearest is `#{dialect}.{near}`")),
        None => {
            let known = FAMILIES
                .iter()
                .map(|(dialect, name)| format!("`#{dialect}.{name}`"));
            write!(
                f,
                "the known ones are {}",
                known.collect::<Vec<_>>().join(", ")
            )
        }
    }
}

fn nearest_powers(f: &mut fmt::Formatter<'_>, value: u64) -> fmt::Result {
    match value.checked_next_power_of_two() {
        Some(_) if value == 0 => f.write_str("; the nearest one is 1"),
        Some(above) => write!(f, "; the nearest ones are {} and {above}", above / 2),
        None => Ok(()),
    }
}

impl Error for EncodingError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0.kind {
            Kind::Layout(e) => Some(e),
            _ => None,
        }
    }
}
