//! Errors of an encoding, of its text, or of the shape that it lays out.

use crate::number::narrow;
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

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Kind {
    // Text.
    #[error("expected {expected} at byte {at}, found {found}")]
    Syntax {
        at: usize,
        expected: &'static str,
        found: String,
    },
    #[error("unknown encoding `{name}`; {}", nearest_family(.name))]
    UnknownFamily { name: String },
    #[error("alias `#{name}` is not defined; define it with `#{name} = ...` first")]
    UnknownAlias { name: String },
    #[error("alias `#{name}` is defined twice")]
    DuplicateAlias { name: String },
    #[error("unexpected key `{key}` in `{family}`; {}", nearest_key(.key, .valid))]
    UnknownKey {
        family: &'static str,
        key: String,
        valid: &'static str,
    },
    #[error("key `{key}` is given twice")]
    DuplicateKey { key: String },
    #[error("`{family}` needs the key `{key}`{}", match *.key {
            "register" | "lane" | "warp" | "block" | "offset" => format!("; write `{key} = []` where it has no bases"),
            _ => String::new() })]
    MissingKey {
        family: &'static str,
        key: &'static str,
    },
    #[error("number at byte {at} does not fit into 32 bits")]
    NumberTooLarge { at: usize },
    #[error("number at byte {at} is {value}, expected zero or more")]
    Negative { at: usize, value: i64 },
    #[error("encodings are nested more than {limit} deep")]
    TooDeep { limit: usize },
    #[error("`{}` is too long: expected at most {limit} items", if .key.is_empty() { "the list" } else { .key })]
    TooMany { key: String, limit: usize },
    #[error("expected the end of the text at byte {at}, found {found}")]
    TrailingText { at: usize, found: String },
    // A layout of another system, in quotes.
    #[error("{reason}")]
    Quoted {
        at: usize,
        is_syntax: bool,
        key: Option<&'static str>,
        reason: String,
    },
    // Fields.
    #[error("`{what}` has rank {found}, expected {expected} as `{than}` has")]
    RankMismatch {
        what: &'static str,
        found: usize,
        than: &'static str,
        expected: usize,
    },
    #[error("`{what}` has rank {found}, expected {expected}")]
    RankUnsupported {
        what: &'static str,
        found: usize,
        expected: &'static str,
    },
    #[error("`{what}{}` is {value}, expected a power of two{}",
            .index.map_or_else(String::new, |i| format!("[{i}]")), nearest_powers(*.value))]
    NotPowerOfTwo {
        what: &'static str,
        index: Option<usize>,
        value: u64,
    },
    #[error("`{what}` is {order}, expected a permutation of {}", Ints::collect((0..narrow::<u32>(order.len())).rev()))]
    NotPermutation { what: &'static str, order: Ints },
    #[error("`{what}` is {value}, expected {expected}")]
    BadValue {
        what: &'static str,
        value: u64,
        expected: Words,
    },
    #[error(
        "`padded_shared` has no padding, expected a pair `interval:+padding` or more; `#ttg.shared_linear` lays out a \
         buffer without"
    )]
    NoPairs,
    #[error("`twoCTAs` is true, expected false unless the first basis of `CGALayout` is [1, 0]")]
    NotOfCluster,
    #[error("instruction shape {shape} does not exist for `{family}`; expected {expected}")]
    BadInstruction {
        family: &'static str,
        shape: Ints,
        expected: &'static str,
    },
    #[error("`{what}` {value} is given twice; give it once, with one padding")]
    Duplicate { what: &'static str, value: u64 },
    #[error("`{what}` is a `{found}`, expected {expected}")]
    WrongFamily {
        what: &'static str,
        found: &'static str,
        expected: &'static str,
    },
    #[error("basis {basis} of `{what}` has rank {}, expected {expected}: a number for each dim", .basis.len())]
    BasisLength {
        what: &'static str,
        basis: Ints,
        expected: usize,
    },
    #[error(
        "basis {basis} of `{what}` moves in several dims, expected one; only `warp` may do that"
    )]
    NotOneDim { what: &'static str, basis: Ints },
    #[error(
        "basis {basis} of `{what}` moves by no power of two, expected one; only `lane` and `warp` may do that"
    )]
    NotEvenStep { what: &'static str, basis: Ints },
    #[error(
        "basis {basis} of `{what}` moves in several dims or by no power of two, expected zeros with at most one power \
         of two"
    )]
    NotSinglePower { what: &'static str, basis: Ints },
    #[error(
        "no bases of `{what}` add up to {missed}, expected some for every element; add {missed}, or make larger bases \
         smaller"
    )]
    NotSurjective { what: &'static str, missed: Ints },
    #[error(
        "basis {basis} of `{what}` leads to where others lead already, expected another element; {advice}"
    )]
    NotInjective {
        what: &'static str,
        basis: Ints,
        advice: &'static str,
    },
    #[error(
        "basis {basis} of `block` moves within the part of one CTA, expected beyond it: what a CTA holds must be \
         contiguous along each dim"
    )]
    NotOutermost { basis: Ints },
    #[error("`{what}` has {found} bases, expected at most {limit}")]
    TooManyBases {
        what: &'static str,
        found: usize,
        limit: usize,
    },
    #[error("layout of `{what}` has the wrong dims, expected {expected}")]
    WrongDims {
        what: &'static str,
        expected: &'static str,
    },
    // An encoding on a shape.
    #[error("shape has rank {found}, but the `{family}` encoding has rank {expected}")]
    ShapeRank {
        family: &'static str,
        found: usize,
        expected: usize,
    },
    #[error("shape has {size} elements along dim{dim}, expected a power of two{}", nearest_powers(*.size))]
    ShapeSize { dim: usize, size: u64 },
    #[error("shape has 2^{bits} elements, expected at most 2^62 and 2^31 along one dim")]
    ShapeTooLarge { bits: u32 },
    #[error(
        "the layout has too many bases, expected at most 64, and 62 of one dim; make the encoding or the shape smaller"
    )]
    TooManyBits,
    #[error(
        "shape of one CTA has {found} elements along {dim}, but the tile of `{family}` has {expected}"
    )]
    TooSmall {
        family: &'static str,
        dim: &'static str,
        found: u64,
        expected: u64,
    },
    #[error(
        "shape has {found} elements along dim{dim}, but this `{family}` encoding is fixed to {expected}"
    )]
    FixedShape {
        family: &'static str,
        dim: usize,
        found: u64,
        expected: u64,
    },
    #[error("`{family}` has no linear layout here: {reason}")]
    NoLayout { family: &'static str, reason: Words },
    // Inference.
    #[error("cannot infer an encoding through `{op}`: {reason}")]
    CannotInfer {
        op: &'static str,
        reason: &'static str,
    },
    #[error("`{op}` has axis {axis}, expected less than the rank {rank}")]
    Axis {
        op: &'static str,
        axis: usize,
        rank: usize,
    },
    #[error("`{op}` turns {src} elements into {dst}; the counts must be equal")]
    ElementCount {
        op: &'static str,
        src: u64,
        dst: u64,
    },
    #[error("{0}")]
    Layout(#[source] LayoutError),
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

    /// Returns true if the text cannot be read at all.
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

    /// Returns true if the encoding itself breaks a rule, whatever the shape.
    #[must_use]
    pub fn is_invalid_encoding(&self) -> bool {
        !self.is_syntax() && !self.is_invalid_shape() && !self.is_inference()
    }

    /// Returns true if the encoding is sound but has no layout on the given shape.
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

    /// Returns true if no encoding could be inferred through an operation.
    #[must_use]
    pub fn is_inference(&self) -> bool {
        matches!(
            self.0.kind,
            Kind::CannotInfer { .. } | Kind::Axis { .. } | Kind::ElementCount { .. }
        )
    }

    /// Returns where in its text an encoding is wrong: where reading stopped, or at what the message names first.
    #[must_use]
    pub fn place_in(&self, text: &str) -> Option<usize> {
        self.offset().or_else(|| {
            let message = self.to_string();
            let named = message.split('`').nth(1)?;
            // `sizePerThread[0]` is the value of a key.
            let key = named.split('[').next().filter(|key| !key.is_empty())?;
            text.find(named).or_else(|| text.find(key))
        })
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

    /// Returns true if the text begins with a name that no encoding has.
    pub(crate) fn is_unknown_family(&self) -> bool {
        matches!(self.0.kind, Kind::UnknownFamily { .. })
    }
}

impl fmt::Debug for EncodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncodingError({:?})", self.0.kind)
    }
}

/// The nearest name of an encoding, or all of them.
fn nearest_family(name: &str) -> String {
    let family = name.split_once('.').map_or(name, |(_, family)| family);
    let near = nearest(family, FAMILIES.iter().map(|(_, known)| *known));
    let listed = FAMILIES
        .iter()
        .filter(|(_, known)| near.is_none_or(|near| *known == near));
    let listed: Vec<_> = listed
        .map(|(dialect, name)| format!("`#{dialect}.{name}`"))
        .collect();
    let lead = if near.is_some() {
        "the nearest is"
    } else {
        "the known ones are"
    };
    format!("{lead} {}", listed.join(", "))
}

/// The nearest of the keys that stand between backticks in `valid`, or all of them.
fn nearest_key(key: &str, valid: &str) -> String {
    // A key that is known is wrong for another reason.
    let known = valid
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|known| *known != key);
    match nearest(key, known) {
        Some(near) => format!("the nearest key is `{near}`"),
        None => format!("the keys are {valid}"),
    }
}

fn nearest_powers(value: u64) -> String {
    match value.checked_next_power_of_two() {
        Some(_) if value == 0 => "; the nearest one is 1".into(),
        Some(above) => format!("; the nearest ones are {} and {above}", above / 2),
        None => String::new(),
    }
}

impl fmt::Display for EncodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.kind.fmt(f)
    }
}

impl Error for EncodingError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.kind.source()
    }
}
