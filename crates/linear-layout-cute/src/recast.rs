//! Recasts of layouts and swizzles to wider or narrower elements.

use super::coalesce::coalesced;
use super::composition::MAX_COMPARED;
use super::error::{CuteError, ErrorKind};
use super::layout::Layout;
use super::mode::{Mode, gcd};
use super::swizzle::Swizzle;

impl Layout {
    /// Returns the layout of the same data after a cast to elements that are `factor` times as wide.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let bytes: Layout = "(8,4):(1,16)".parse()?;
    /// assert_eq!(bytes.upcast(4)?.to_string(), "(2,4):(1,4)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// The image of the result is the image of `self`, with each index divided by `factor` and rounded towards 0.
    /// # Errors
    /// Returns an error if
    /// - `factor` is less than 1,
    /// - a non-zero stride neither divides `factor` nor is a multiple of `factor`, or
    /// - the law above does not hold, or the layout has too many elements to verify the law.
    ///
    /// The law is verified only if modes may overlap within a wide element, or if a stride is negative. The
    /// verification compares all elements, and the layout may have at most 65536 elements.
    pub fn upcast(&self, factor: i64) -> Result<Self, CuteError> {
        positive(factor)?;
        let mut wrong = None;
        let modes = self.tuple().map(|&mode| {
            let step = mode.stride.abs();
            if step == 0 {
                return mode;
            }
            if step % factor != 0 && factor % step != 0 {
                wrong.get_or_insert(mode);
                return mode;
            }
            let joined = (factor - 1) / step + 1;
            Mode {
                shape: (mode.shape - 1) / joined + 1,
                stride: mode.stride.signum() * ((step - 1) / factor + 1),
            }
        });
        if let Some(mode) = wrong {
            return Err(ErrorKind::NotCastable { mode, factor }.into());
        }
        let found = Self::checked(modes)?;
        if !self.divides_mode_by_mode(factor) {
            self.check_upcast(factor, &found)?;
        }
        Ok(found)
    }

    /// Returns true if dividing each mode by `factor` separately is known to be correct. Within a wide element,
    /// each mode has a largest offset. The sum of these offsets must be less than `factor`. No stride may be
    /// negative unless the layout has only one leaf.
    fn divides_mode_by_mode(&self, factor: i64) -> bool {
        let mut left = 0_i64;
        self.leaves().iter().all(|mode| {
            let inside = match mode.stride {
                0 => 0,
                step => (mode.shape.min(factor / step.abs()) - 1).max(0) * step.abs(),
            };
            left = left.saturating_add(inside);
            left < factor && (mode.stride >= 0 || self.leaves().len() == 1)
        })
    }

    #[cold]
    fn check_upcast(&self, factor: i64, found: &Self) -> Result<(), CuteError> {
        let size = self.size();
        if size > MAX_COMPARED {
            let limit = MAX_COMPARED;
            return Err(ErrorKind::NotDecided { size, limit }.into());
        }
        let indices = |layout: &Self, divisor: i64| -> Result<Vec<i64>, CuteError> {
            let indices = (0..layout.size()).map(|i| Ok(layout.at(i)? / divisor));
            let mut indices = indices.collect::<Result<Vec<i64>, CuteError>>()?;
            indices.sort_unstable();
            indices.dedup();
            Ok(indices)
        };
        match indices(self, factor)? == indices(found, 1)? {
            true => Ok(()),
            false => Err(ErrorKind::OverlapInVector { factor }.into()),
        }
    }

    /// Returns the layout of the same data after a cast to elements that are 1 / `factor` times as wide.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let words: Layout = "(2,4):(1,4)".parse()?;
    /// assert_eq!(words.downcast(4)?.to_string(), "(8,4):(1,16)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// For each index x of `self`, the result reaches the indices `factor * x` to `factor * x + factor - 1`. As in
    /// CuTe's C++ implementation, the shape of every mode of stride 1 is multiplied by `factor`, even if the shape
    /// is 1. If several modes have stride 1, the result therefore has more elements than the data.
    /// # Errors
    /// Returns an error if no mode has stride 1, if two modes of shape 2 or more have stride 1, if a mode of shape
    /// 2 or more has stride -1, or if `factor` is less than 1.
    pub fn downcast(&self, factor: i64) -> Result<Self, CuteError> {
        positive(factor)?;
        if !self.leaves().iter().any(|mode| mode.stride == 1) {
            return Err(ErrorKind::NoUnitStride.into());
        }
        let mut units = self
            .leaves()
            .iter()
            .filter(|mode| mode.shape > 1 && mode.stride.abs() == 1);
        let first = units.next();
        if let Some(&mode) = units.next().or(first.filter(|mode| mode.stride < 0)) {
            return Err(ErrorKind::SecondUnitStride { mode }.into());
        }
        let mut overflows = false;
        let modes = self.tuple().map(|&mode| {
            let mut times = |number: i64| {
                number.checked_mul(factor).unwrap_or_else(|| {
                    overflows = true;
                    1
                })
            };
            match mode.stride {
                1 | -1 => Mode::new(times(mode.shape), mode.stride),
                _ => Mode::new(mode.shape, times(mode.stride)),
            }
        });
        match overflows {
            true => Err(ErrorKind::Overflow.into()),
            false => Self::checked(modes),
        }
    }

    /// Returns the layout of the same data after a cast from elements of `old_bits` bits to elements of `new_bits`
    /// bits.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let halves: Layout = "(8,4):(1,16)".parse()?;
    /// assert_eq!(halves.recast(16, 64)?.to_string(), "(2,4):(1,4)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error in the same cases as [`upcast`](Self::upcast) and [`downcast`](Self::downcast).
    pub fn recast(&self, old_bits: i64, new_bits: i64) -> Result<Self, CuteError> {
        let (up, down) = ratio(old_bits, new_bits)?;
        let wider = match up {
            1 => self.clone(),
            _ => self.upcast(up)?,
        };
        match down {
            1 => Ok(wider),
            _ => wider.downcast(down),
        }
    }

    /// Returns the largest vector width, in elements, to which the layout is aligned. Each aligned vector of this
    /// width is then either in the image of the layout or disjoint from the image.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(8,4):(1,12)".parse()?;
    /// assert_eq!(layout.max_alignment(), 4);
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    #[must_use]
    pub fn max_alignment(&self) -> i64 {
        // `run` counts the consecutive indices from 0. All other modes must be aligned to this run.
        let mut modes = coalesced(self.leaves());
        modes.sort_by_key(|mode| mode.stride);
        let mut run = 1;
        let mut others = 0;
        for mode in modes.iter() {
            if mode.stride == run {
                run *= mode.shape;
            } else {
                others = gcd(others, mode.stride.abs());
            }
        }
        gcd(run, others)
    }
}

impl Swizzle {
    /// Returns the swizzle of the same data after a cast to elements that are `factor` times as wide. A pair of a
    /// source bit and a target bit is dropped if one of the two bits is within a wide element.
    ///
    /// ```
    /// use linear_layout_cute::Swizzle;
    /// let bytes = Swizzle::new(3, 4, 3)?;
    /// assert_eq!(bytes.upcast(4)?.to_string(), "Sw<3,2,3>");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// `wide.apply(x) == self.apply(factor * x) / factor`, where `wide` is the result.
    /// # Errors
    /// Returns an error if `factor` is not a power of two.
    pub fn upcast(self, factor: i64) -> Result<Self, CuteError> {
        let by = power_of_two(factor)?;
        let base = i64::from(self.base()) - by;
        let bits = i64::from(self.bits()) + base.min(0);
        Self::new(bits.max(0), base.max(0), i64::from(self.shift()))
    }

    /// Returns the swizzle of the same data after a cast to elements that are 1 / `factor` times as wide.
    /// # Errors
    /// Returns an error if `factor` is not a power of two, or if the result would use a bit above 62.
    pub fn downcast(self, factor: i64) -> Result<Self, CuteError> {
        let by = power_of_two(factor)?;
        let (bits, base) = (i64::from(self.bits()), i64::from(self.base()));
        Self::new(bits, base + by, i64::from(self.shift()))
    }

    /// Returns the swizzle of the same data after a cast from elements of `old_bits` bits to elements of `new_bits`
    /// bits.
    /// # Errors
    /// Returns an error if the ratio of the widths is not a power of two.
    pub fn recast(self, old_bits: i64, new_bits: i64) -> Result<Self, CuteError> {
        let (up, down) = ratio(old_bits, new_bits)?;
        self.upcast(up)?.downcast(down)
    }

    /// Returns `2^M`, where `M` is the [`base`](Self::base). Aligned vectors of up to this many elements are still
    /// contiguous after the swizzle.
    #[must_use]
    pub fn max_alignment(self) -> i64 {
        1 << self.base()
    }
}

fn positive(factor: i64) -> Result<(), CuteError> {
    match factor {
        1.. => Ok(()),
        _ => Err(ErrorKind::FactorNotPositive { found: factor }.into()),
    }
}

fn power_of_two(factor: i64) -> Result<i64, CuteError> {
    positive(factor)?;
    match factor.count_ones() {
        1 => Ok(i64::from(factor.trailing_zeros())),
        _ => Err(ErrorKind::FactorNotPowerOfTwo { found: factor }.into()),
    }
}

/// Returns the factors (upcast, downcast) of a cast from elements of `old_bits` bits to elements of `new_bits`
/// bits. The upcast is applied first, then the downcast. For a cast from 16 to 64 bits, the factors are (4, 1).
fn ratio(old_bits: i64, new_bits: i64) -> Result<(i64, i64), CuteError> {
    positive(old_bits)?;
    positive(new_bits)?;
    let common = gcd(old_bits, new_bits);
    Ok((new_bits / common, old_bits / common))
}
