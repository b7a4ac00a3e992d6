//! Interned dimension names.

use crate::number::narrow;
use core::fmt;
use std::sync::{OnceLock, RwLock};

use super::LayoutError;

/// The name of a dimension, represented by a two-byte number.
///
/// The hardware dims (`register`, `lane`, `warp`, `block`, `offset`, ...) and the tensor dims (`dim0`, `dim1`, ...)
/// are constants. Any other name is added to a global table of interned names when it is first used.
///
/// ```
/// # use linear_layout::layout::Dim;
/// assert_eq!(Dim::LANE.name(), "lane");
/// assert_eq!(Dim::named("dim1"), Dim::out(1));
/// assert_eq!(Dim::named("my dim").name(), "my dim");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dim(u16);

const FIXED: [&str; 8] = [
    "register",
    "lane",
    "warp",
    "block",
    "offset",
    "partition",
    "row",
    "col",
];
const OUTS: [&str; 16] = [
    "dim0", "dim1", "dim2", "dim3", "dim4", "dim5", "dim6", "dim7", "dim8", "dim9", "dim10",
    "dim11", "dim12", "dim13", "dim14", "dim15",
];
/// The id of the tensor dim `dim<i>` is `OUT_BASE + i`.
const OUT_BASE: u16 = 0x8000;
/// Maximum number of names that can be interned in addition to the constants.
const CAPACITY: usize = OUT_BASE as usize - FIXED.len();
/// Maximum length of an interned name in bytes. The memory of interned names is never freed, so untrusted text must
/// not be able to intern long names.
const MAX_NAME_BYTES: usize = 256;

fn interned() -> &'static RwLock<Vec<&'static str>> {
    static NAMES: OnceLock<RwLock<Vec<&'static str>>> = OnceLock::new();
    NAMES.get_or_init(|| RwLock::new(Vec::new()))
}

impl Dim {
    /// `register`: index of a value within a thread.
    pub const REGISTER: Self = Self(0);
    /// `lane`: index of a thread within a warp.
    pub const LANE: Self = Self(1);
    /// `warp`: index of a warp within a CTA.
    pub const WARP: Self = Self(2);
    /// `block`: index of a CTA within a cluster.
    pub const BLOCK: Self = Self(3);
    /// `offset`: index of an element within a shared-memory buffer.
    pub const OFFSET: Self = Self(4);
    /// `partition`: index of a partition within a partitioned shared-memory buffer.
    pub const PARTITION: Self = Self(5);
    /// `row`: row of tensor memory. PTX calls it a lane.
    pub const ROW: Self = Self(6);
    /// `col`: column of tensor memory.
    pub const COL: Self = Self(7);

    /// Returns `dim<i>`, the name of the `i`-th tensor dimension.
    ///
    /// # Panics
    /// Panics if `i` is 32768 or more.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "asserted to be below `OUT_BASE`"
    )]
    pub const fn out(i: usize) -> Self {
        assert!(i < OUT_BASE as usize, "there are 32768 tensor dims at most");
        Self(OUT_BASE | i as u16)
    }

    /// Returns the dim with this name. A name that has not been used before is interned.
    ///
    /// # Panics
    /// Panics if 32760 names have been interned already, or `name` is longer than 256 bytes. For untrusted text,
    /// use [`Dim::try_named`].
    #[must_use]
    pub fn named(name: &str) -> Self {
        match Self::try_named(name) {
            Ok(dim) => dim,
            Err(e) => panic!("{e}"),
        }
    }

    /// Returns the dim with this name. A name that has not been used before is interned.
    ///
    /// # Errors
    /// Returns an error if 32760 names have been interned already, or `name` is longer than 256 bytes.
    pub fn try_named(name: &str) -> Result<Self, LayoutError> {
        if let Some(i) = FIXED.iter().position(|n| *n == name) {
            return Ok(Self(narrow(i)));
        }
        if let Some(i) = tensor_dim_number(name) {
            return Ok(Self(OUT_BASE | i));
        }
        if name.len() > MAX_NAME_BYTES {
            return Err(LayoutError::name_too_long(name.len(), MAX_NAME_BYTES));
        }
        let find = |names: &[&'static str]| {
            let i = names.iter().position(|n| *n == name);
            i.map(Self::interned)
        };
        // A poisoned lock still guards a valid list: pushing is the only change to it.
        let read = interned().read().unwrap_or_else(|e| e.into_inner());
        if let Some(dim) = find(&read) {
            return Ok(dim);
        }
        drop(read);
        let mut names = interned().write().unwrap_or_else(|e| e.into_inner());
        if let Some(dim) = find(&names) {
            return Ok(dim);
        }
        if names.len() >= CAPACITY {
            return Err(LayoutError::too_many_names(CAPACITY));
        }
        names.push(Box::leak(name.to_owned().into_boxed_str()));
        Ok(Self::interned(names.len() - 1))
    }

    fn interned(i: usize) -> Self {
        Self(narrow(FIXED.len() + i))
    }

    /// Returns the name of the dim, e.g. `lane`.
    #[must_use]
    pub fn name(self) -> &'static str {
        if self.0 >= OUT_BASE {
            let i = usize::from(self.0 - OUT_BASE);
            return match OUTS.get(i) {
                Some(name) => name,
                None => high_tensor_dim_name(i),
            };
        }
        let i = usize::from(self.0);
        if let Some(name) = FIXED.get(i) {
            return name;
        }
        let names = interned().read().unwrap_or_else(|e| e.into_inner());
        names.get(i - FIXED.len()).copied().unwrap_or("?")
    }

    /// Returns `Some(i)` if this is the tensor dim `dim<i>`, and `None` for any other dim.
    ///
    /// ```
    /// # use linear_layout::layout::Dim;
    /// assert_eq!(Dim::named("dim3").out_index(), Some(3));
    /// assert_eq!(Dim::LANE.out_index(), None);
    /// ```
    #[must_use]
    pub const fn out_index(self) -> Option<usize> {
        if self.0 >= OUT_BASE {
            Some((self.0 - OUT_BASE) as usize)
        } else {
            None
        }
    }

    pub(super) const fn id(self) -> u16 {
        self.0
    }

    pub(super) const fn from_id(id: u16) -> Self {
        Self(id)
    }
}

/// Returns `i` if `name` is the tensor dim `dim<i>`, where `i` is written without a sign and without leading zeros.
/// Returns `None` for any other name.
fn tensor_dim_number(name: &str) -> Option<u16> {
    let digits = name.strip_prefix("dim")?;
    let canonical = digits.bytes().all(|b| b.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
        && digits.len() <= 5;
    let i = digits.parse::<u16>().ok().filter(|i| *i < OUT_BASE)?;
    canonical.then_some(i)
}

/// Returns the name `dim<i>`. The first call for each `i` allocates the name, which is never freed.
fn high_tensor_dim_name(i: usize) -> &'static str {
    static NAMES: OnceLock<RwLock<Vec<(usize, &'static str)>>> = OnceLock::new();
    let lock = NAMES.get_or_init(|| RwLock::new(Vec::new()));
    let mut names = lock.write().unwrap_or_else(|e| e.into_inner());
    if let Some((_, name)) = names.iter().find(|(n, _)| *n == i) {
        return name;
    }
    let name: &'static str = Box::leak(format!("dim{i}").into_boxed_str());
    names.push((i, name));
    name
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
