//! Arithmetic of nested tuples.

use super::error::{CuteError, ErrorKind};
use super::tuple::{IntTuple, TupleRef};

impl IntTuple {
    /// Returns the product of all numbers of the tuple.
    ///
    /// ```
    /// use linear_layout_cute::IntTuple;
    /// assert_eq!("(4,(2,3))".parse::<IntTuple>()?.product()?, 24);
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if the product does not fit in an `i64`.
    pub fn product(&self) -> Result<i64, CuteError> {
        let mut product = 1_i64;
        for &number in self.leaves() {
            product = product.checked_mul(number).ok_or(ErrorKind::Overflow)?;
        }
        Ok(product)
    }

    /// Replaces each number by the product of all preceding numbers. For a shape, the result is the stride of its
    /// compact layout.
    ///
    /// ```
    /// use linear_layout_cute::IntTuple;
    /// assert_eq!("(4,(2,3))".parse::<IntTuple>()?.prefix_product()?.to_string(), "(1,(4,8))");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if the product of all numbers does not fit in an `i64`.
    pub fn prefix_product(&self) -> Result<Self, CuteError> {
        self.product()?;
        let mut next = 1_i64;
        // A product of preceding numbers may overflow although a later zero makes the whole product fit.
        let mut fits = true;
        let found = self.map(|&number| {
            let here = next;
            next = next.checked_mul(number).unwrap_or_else(|| {
                fits = false;
                0
            });
            here
        });
        match fits {
            true => Ok(found),
            false => Err(ErrorKind::Overflow.into()),
        }
    }

    /// Divides the numbers of the shape by `divisor`, from the first number to the last. Each number is replaced by
    /// its quotient by the remaining divisor. The remaining divisor is then replaced by its quotient by the old
    /// value of the number. Both quotients are rounded up.
    ///
    /// ```
    /// use linear_layout_cute::IntTuple;
    /// assert_eq!("(6,(2,4))".parse::<IntTuple>()?.shape_div(12)?.to_string(), "(1,(1,4))");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if, at some number, neither the number nor the remaining divisor divides the other. The
    /// error states the nearest valid divisors.
    pub fn shape_div(&self, divisor: i64) -> Result<Self, CuteError> {
        let mut rest = divisor;
        let mut wrong = None;
        let found = self.map(|&shape| {
            if wrong.is_some() || shape < 1 || rest < 1 || shape % rest != 0 && rest % shape != 0 {
                wrong.get_or_insert((shape, rest));
                return 1;
            }
            let here = (shape - 1) / rest + 1;
            rest = (rest - 1) / shape + 1;
            here
        });
        match wrong {
            Some((shape, divisor)) => Err(ErrorKind::ShapeDiv { shape, divisor }.into()),
            None => Ok(found),
        }
    }

    /// Multiplies corresponding numbers of `self` and `other`, and returns the sum of the products.
    /// # Errors
    /// Returns an error if the tuples are nested differently, or if the sum does not fit in an `i64`.
    pub fn inner_product(&self, other: &Self) -> Result<i64, CuteError> {
        if !self.is_congruent(other) {
            return Err(ErrorKind::ProfilesDiffer {
                left: self.to_string(),
                right: other.to_string(),
            }
            .into());
        }
        let mut sum = 0_i64;
        for (a, b) in self.leaves().iter().zip(other.leaves()) {
            let product = a.checked_mul(*b).ok_or(ErrorKind::Overflow)?;
            sum = sum.checked_add(product).ok_or(ErrorKind::Overflow)?;
        }
        Ok(sum)
    }

    /// Multiplies each number of `self` by the corresponding item of `other`. If the item is a tuple, the factor is
    /// the product of its numbers.
    ///
    /// ```
    /// use linear_layout_cute::IntTuple;
    /// let scaled = "(2,3)".parse::<IntTuple>()?.elem_scale(&"(4,(2,5))".parse()?)?;
    /// assert_eq!(scaled.to_string(), "(8,30)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if a tuple in `self` corresponds to a number or to a tuple of another rank in `other`, or
    /// if a product does not fit in an `i64`.
    pub fn elem_scale(&self, other: &Self) -> Result<Self, CuteError> {
        fn go(
            tuple: TupleRef<'_, i64>,
            by: TupleRef<'_, i64>,
            found: &mut Vec<i64>,
        ) -> Result<(), CuteError> {
            if tuple.is_leaf() {
                let product = by.to_owned().product()?.checked_mul(tuple.leaves[0]);
                found.push(product.ok_or(ErrorKind::Overflow)?);
                return Ok(());
            }
            if by.is_leaf() || by.rank() != tuple.rank() {
                return Err(ErrorKind::RankDiffers {
                    what: "the scale",
                    found: if by.is_leaf() { 0 } else { by.rank() },
                    expected: tuple.rank(),
                }
                .into());
            }
            let mut items = tuple.items().zip(by.items());
            items.try_for_each(|(tuple, by)| go(tuple, by, found))
        }
        let mut found = Vec::new();
        go(self.as_ref(), other.as_ref(), &mut found)?;
        let mut found = found.into_iter();
        Ok(self.map(|_| found.next().unwrap_or_default()))
    }

    /// Returns true if the shape `finer` refines the shape `self`: where `self` has a number, `finer` has this
    /// number or a tuple whose product is this number. Each coordinate of the shape `self` is then also a
    /// coordinate of the shape `finer`.
    ///
    /// ```
    /// use linear_layout_cute::IntTuple;
    /// let (coarse, fine): (IntTuple, IntTuple) = ("(4,6)".parse()?, "(4,(2,3))".parse()?);
    /// assert!(coarse.is_compatible_with(&fine) && !fine.is_compatible_with(&coarse));
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    #[must_use]
    pub fn is_compatible_with(&self, finer: &Self) -> bool {
        fn go(coarse: TupleRef<'_, i64>, fine: TupleRef<'_, i64>) -> bool {
            if coarse.is_leaf() {
                return fine.to_owned().product() == Ok(coarse.leaves[0]);
            }
            !fine.is_leaf()
                && coarse.rank() == fine.rank()
                && coarse.items().zip(fine.items()).all(|(c, f)| go(c, f))
        }
        go(self.as_ref(), finer.as_ref())
    }
}
