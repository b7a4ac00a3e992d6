//! Errors in the text of an encoding, in its parameters, or in its layout on a shape.

use crate::number::narrow;
use core::fmt;
use std::borrow::Cow;
use std::error::Error;

use super::spelling::nearest;
use super::{FAMILIES, Ints};
use crate::layout::LayoutError;

type MessageText = Cow<'static, str>;

/// An error in the text of an encoding, in its parameters, or in its layout on a shape.
///
/// ```
/// use linear_layout::encoding::Encoding;
/// let text = "#ttg.blocked<{sizePerThread = [3], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>";
/// let err = text.parse::<Encoding>().unwrap_err();
/// assert_eq!(err.to_string(), "`sizePerThread[0]` is 3, expected a power of two; the nearest ones are 2 and 4");
/// assert!(err.is_invalid_encoding());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct EncodingError(Box<ErrorDetails>);

#[derive(Clone, PartialEq, Eq)]
struct ErrorDetails {
    kind: EncodingErrorKind,
    rule: Option<&'static str>,
}

/// An error, or a result that may hold an error, to which the label of a broken rule can be attached, e.g.
/// `blocked_c2`. An error that already has a label keeps this label.
pub(crate) trait RuleLabel: Sized {
    #[must_use]
    fn of_rule(self, label: &'static str) -> Self {
        self.of_rules(|_| Some(label))
    }

    /// Attaches the label that `label` returns for the kind of the error. If `label` returns `None`, or if the
    /// error already has a label, no label is attached.
    #[must_use]
    fn of_rules(self, label: impl FnOnce(&EncodingErrorKind) -> Option<&'static str>) -> Self;
}

impl RuleLabel for EncodingError {
    fn of_rules(mut self, label: impl FnOnce(&EncodingErrorKind) -> Option<&'static str>) -> Self {
        if self.0.rule.is_none() {
            self.0.rule = label(&self.0.kind);
        }
        self
    }
}

impl<T> RuleLabel for Result<T, EncodingError> {
    fn of_rules(self, label: impl FnOnce(&EncodingErrorKind) -> Option<&'static str>) -> Self {
        self.map_err(|error| error.of_rules(label))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EncodingErrorKind {
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
    #[error("`{family}` requires the key `{key}`{}", match *.key {
            "register" | "lane" | "warp" | "block" | "offset" => format!("; write `{key} = []` for no bases"),
            _ => String::new() })]
    MissingKey {
        family: &'static str,
        key: &'static str,
    },
    #[error("number at byte {at} does not fit into 32 bits; expected 0 to 4294967295")]
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
    #[error("`{what}` has rank {found}, expected {expected} to match `{than}`")]
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
        expected: MessageText,
    },
    #[error(
        "`padded_shared` has no padding, expected at least one pair `interval:+padding`; use \
         `#ttg.shared_linear` for a buffer without padding"
    )]
    NoPairs,
    #[error("`twoCTAs` is true, expected [1, 0] as the first basis of `CGALayout`")]
    NotOfCluster,
    #[error("instruction shape {shape} does not exist for `{family}`; expected {expected}")]
    BadInstruction {
        family: &'static str,
        shape: Ints,
        expected: &'static str,
    },
    #[error("`{what}` {value} is given twice, expected one padding for each interval")]
    Duplicate { what: &'static str, value: u64 },
    #[error("`{what}` is a `{found}`, expected {expected}")]
    WrongFamily {
        what: &'static str,
        found: &'static str,
        expected: &'static str,
    },
    #[error("basis {basis} of `{what}` has length {}, expected length {expected}: one number for each dim",
            .basis.len())]
    BasisLength {
        what: &'static str,
        basis: Ints,
        expected: usize,
    },
    #[error(
        "basis {basis} of `{what}` steps along several dims, expected at most one dim; only bases of `warp` \
         may step along several dims"
    )]
    NotOneDim { what: &'static str, basis: Ints },
    #[error(
        "basis {basis} of `{what}` has a step that is not a power of two; only `lane` and `warp` allow other \
         steps"
    )]
    NotEvenStep { what: &'static str, basis: Ints },
    #[error(
        "basis {basis} of `{what}` is invalid, expected all zeros or zeros with one power of two"
    )]
    NotSinglePower { what: &'static str, basis: Ints },
    #[error(
        "the bases of `{what}` do not reach element {missed}; add the basis {missed}, or replace a larger basis by it"
    )]
    NotSurjective { what: &'static str, missed: Ints },
    #[error(
        "basis {basis} of `{what}` depends linearly on earlier bases, expected a linearly independent basis; \
         {advice}"
    )]
    NotInjective {
        what: &'static str,
        basis: Ints,
        advice: &'static str,
    },
    #[error(
        "basis {basis} of `block` is not a step past the tile of one CTA along one dim, expected contiguous \
         CTA tiles"
    )]
    NotOutermost { basis: Ints },
    #[error("`{what}` has {found} bases, expected at most {limit}")]
    TooManyBases {
        what: &'static str,
        found: usize,
        limit: usize,
    },
    #[error("`{what}` has the wrong in-dims or out-dims, expected {expected}")]
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
    #[error(
        "shape has 2^{bits} elements or more, expected at most 2^62 in total and 2^31 along each dim"
    )]
    ShapeTooLarge { bits: u32 },
    #[error(
        "the layout has too many bases, expected at most 64 in total and 62 for each in-dim; make the encoding \
         or the shape smaller"
    )]
    TooManyBits,
    #[error(
        "shape has {found} elements along {dim}, expected a multiple of {expected} for `{family}`"
    )]
    TooSmall {
        family: &'static str,
        dim: &'static str,
        found: u64,
        expected: u64,
    },
    #[error(
        "shape has {found} elements along dim{dim}, but the `{family}` encoding has exactly {expected}"
    )]
    FixedShape {
        family: &'static str,
        dim: usize,
        found: u64,
        expected: u64,
    },
    #[error("`{family}` cannot be converted to a linear layout: {reason}")]
    NoLayout {
        family: &'static str,
        reason: MessageText,
    },
    // Inference.
    #[error("cannot infer an encoding through `{op}`: {reason}")]
    CannotInfer {
        op: &'static str,
        reason: &'static str,
    },
    #[error("`{op}` has axis {axis}, expected less than {rank}, the rank")]
    Axis {
        op: &'static str,
        axis: usize,
        rank: usize,
    },
    #[error("`{op}` turns {src} elements into {dst}; expected the same number of elements")]
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
    pub(crate) fn new(kind: EncodingErrorKind) -> Self {
        Self(Box::new(ErrorDetails { kind, rule: None }))
    }

    #[cold]
    pub(crate) fn syntax(at: usize, reason: String) -> Self {
        Self::new(EncodingErrorKind::Quoted {
            at,
            is_syntax: true,
            key: None,
            reason,
        })
    }

    #[cold]
    pub(crate) fn bad_value(
        what: &'static str,
        value: u32,
        expected: impl Into<MessageText>,
    ) -> Self {
        Self::new(EncodingErrorKind::BadValue {
            what,
            value: u64::from(value),
            expected: expected.into(),
        })
    }

    #[cold]
    pub(crate) fn no_layout(family: &'static str, reason: impl Into<MessageText>) -> Self {
        Self::new(EncodingErrorKind::NoLayout {
            family,
            reason: reason.into(),
        })
    }

    /// Sets the key of a `TooMany` error to `name`, if the error has no key yet. All other errors are unchanged.
    #[cold]
    pub(crate) fn at_key(mut self, name: &str) -> Self {
        if let EncodingErrorKind::TooMany { key, .. } = &mut self.0.kind
            && key.is_empty()
        {
            name.clone_into(key);
        }
        self
    }

    /// Returns the key that causes the error, if there is one.
    ///
    /// ```
    /// use linear_layout::encoding::Encoding;
    /// let text = "#ttg.shared_linear<{offset = [[1], [2]]}, alignment = 12>";
    /// assert_eq!(text.parse::<Encoding>().unwrap_err().key(), Some("alignment"));
    /// ```
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        match &self.0.kind {
            EncodingErrorKind::UnknownKey { key, .. } | EncodingErrorKind::DuplicateKey { key } => {
                Some(key)
            }
            EncodingErrorKind::TooMany { key, .. } => {
                Some(key).filter(|key| !key.is_empty()).map(|k| &**k)
            }
            EncodingErrorKind::RankMismatch { what, .. }
            | EncodingErrorKind::RankUnsupported { what, .. }
            | EncodingErrorKind::NotPowerOfTwo { what, .. }
            | EncodingErrorKind::NotPermutation { what, .. }
            | EncodingErrorKind::BadValue { what, .. }
            | EncodingErrorKind::WrongFamily { what, .. }
            | EncodingErrorKind::BasisLength { what, .. }
            | EncodingErrorKind::NotOneDim { what, .. }
            | EncodingErrorKind::NotEvenStep { what, .. }
            | EncodingErrorKind::NotSinglePower { what, .. }
            | EncodingErrorKind::NotSurjective { what, .. }
            | EncodingErrorKind::NotInjective { what, .. }
            | EncodingErrorKind::TooManyBases { what, .. } => Some(what),
            EncodingErrorKind::NotOfCluster => Some("twoCTAs"),
            EncodingErrorKind::BadInstruction { .. } => Some("instrShape"),
            EncodingErrorKind::NotOutermost { .. } => Some("block"),
            EncodingErrorKind::Quoted { key, .. } => *key,
            _ => None,
        }
    }

    /// Records that the key `name` causes the error. A `NoLayout` error is converted to a `Quoted` error, which can
    /// hold the key. Errors other than `Quoted` and `NoLayout` are unchanged.
    #[cold]
    pub(crate) fn of_key(mut self, name: &'static str) -> Self {
        match &mut self.0.kind {
            EncodingErrorKind::Quoted { key, .. } => *key = Some(name),
            EncodingErrorKind::NoLayout { reason, .. } => {
                let reason = core::mem::take(reason).into_owned();
                self.0.kind = EncodingErrorKind::Quoted {
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

    /// Returns the label of the broken rule, if there is one.
    ///
    /// The command `ll-opt --explain-rule=blocked_c2` explains the label `blocked_c2`.
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

    /// Returns true if the text cannot be parsed.
    #[must_use]
    pub fn is_syntax(&self) -> bool {
        matches!(
            self.0.kind,
            EncodingErrorKind::Syntax { .. }
                | EncodingErrorKind::UnknownFamily { .. }
                | EncodingErrorKind::UnknownAlias { .. }
                | EncodingErrorKind::DuplicateAlias { .. }
                | EncodingErrorKind::UnknownKey { .. }
                | EncodingErrorKind::DuplicateKey { .. }
                | EncodingErrorKind::MissingKey { .. }
                | EncodingErrorKind::NumberTooLarge { .. }
                | EncodingErrorKind::Negative { .. }
                | EncodingErrorKind::TooDeep { .. }
                | EncodingErrorKind::TooMany { .. }
                | EncodingErrorKind::TrailingText { .. }
                | EncodingErrorKind::Quoted {
                    is_syntax: true,
                    ..
                }
        )
    }

    /// Returns true if the parameters of the encoding break a rule that does not depend on the shape.
    #[must_use]
    pub fn is_invalid_encoding(&self) -> bool {
        !self.is_syntax() && !self.is_invalid_shape() && !self.is_inference()
    }

    /// Returns true if the encoding is valid but has no layout on the given shape.
    #[must_use]
    pub fn is_invalid_shape(&self) -> bool {
        matches!(
            self.0.kind,
            EncodingErrorKind::ShapeRank { .. }
                | EncodingErrorKind::ShapeSize { .. }
                | EncodingErrorKind::ShapeTooLarge { .. }
                | EncodingErrorKind::TooManyBits
                | EncodingErrorKind::TooSmall { .. }
                | EncodingErrorKind::FixedShape { .. }
                | EncodingErrorKind::NoLayout { .. }
        )
    }

    /// Returns true if no encoding could be inferred for the operand or the result of an operation.
    #[must_use]
    pub fn is_inference(&self) -> bool {
        matches!(
            self.0.kind,
            EncodingErrorKind::CannotInfer { .. }
                | EncodingErrorKind::Axis { .. }
                | EncodingErrorKind::ElementCount { .. }
        )
    }

    /// Returns the byte offset of the error in `text`, the text of the encoding.
    ///
    /// This is the offset at which parsing stopped. For an error without such an offset, it is the offset of the
    /// first name that the message quotes in backticks.
    #[must_use]
    pub fn offset_in(&self, text: &str) -> Option<usize> {
        self.offset().or_else(|| {
            let message = self.to_string();
            let named = message.split('`').nth(1)?;
            // `sizePerThread[0]` is an item of the value of the key `sizePerThread`.
            let key = named.split('[').next().filter(|key| !key.is_empty())?;
            text.find(named).or_else(|| text.find(key))
        })
    }

    /// Returns the byte offset at which parsing stopped, or `None` if the text was parsed and another check failed.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        match self.0.kind {
            EncodingErrorKind::Syntax { at, .. }
            | EncodingErrorKind::NumberTooLarge { at }
            | EncodingErrorKind::Negative { at, .. }
            | EncodingErrorKind::TrailingText { at, .. } => Some(at),
            EncodingErrorKind::Quoted { at, key: None, .. } => Some(at),
            _ => None,
        }
    }
}

impl From<LayoutError> for EncodingError {
    #[cold]
    fn from(e: LayoutError) -> Self {
        Self::new(EncodingErrorKind::Layout(e))
    }
}

impl EncodingError {
    pub(super) fn is_unknown_key(&self) -> bool {
        matches!(self.0.kind, EncodingErrorKind::UnknownKey { .. })
    }

    pub(crate) fn is_unknown_alias(&self) -> bool {
        matches!(self.0.kind, EncodingErrorKind::UnknownAlias { .. })
    }

    pub(crate) fn is_unknown_family(&self) -> bool {
        matches!(self.0.kind, EncodingErrorKind::UnknownFamily { .. })
    }
}

impl fmt::Debug for EncodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncodingError({:?})", self.0.kind)
    }
}

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
        "the known encodings are"
    };
    format!("{lead} {}", listed.join(", "))
}

fn nearest_key(key: &str, valid: &str) -> String {
    // A valid `key` is no suggestion: the error then has another reason.
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
