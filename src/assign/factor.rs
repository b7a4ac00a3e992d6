//! Tables of costs over several variables: how they are added up, and how one variable is minimised away.

use super::cost::Cost;

/// A table of costs, one for each combination of the values of some variables.
///
/// # Shape
/// The variables ascend; the last one's values are next to each other.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    pub(super) scope: Vec<u32>,
    pub(super) table: Vec<Cost>,
}

impl Factor {
    /// The place in the table of an assignment of all variables.
    pub(super) fn place(&self, sizes: &[u32], choice: &[u32]) -> usize {
        self.scope.iter().fold(0, |place, &var| {
            place * sizes[var as usize] as usize + choice[var as usize] as usize
        })
    }

    /// How far apart the entries for a variable's next value are; zero for one that is not in the scope.
    pub(super) fn stride(&self, sizes: &[u32], var: u32) -> usize {
        let Ok(at) = self.scope.binary_search(&var) else {
            return 0;
        };
        let after = &self.scope[at + 1..];
        after.iter().map(|&v| sizes[v as usize] as usize).product()
    }

    /// The table for those variables that are not fixed; `fixed` says the value of one that is.
    pub(super) fn given(&self, sizes: &[u32], fixed: impl Fn(u32) -> Option<u32>) -> Factor {
        let kept = |var: &u32| fixed(*var).is_none();
        let scope: Vec<u32> = self.scope.iter().copied().filter(kept).collect();
        let of = |var: &u32| fixed(*var).unwrap_or(0) as usize * self.stride(sizes, *var);
        let first = self.scope.iter().map(of).sum();
        let mut walk = Walk::new(sizes, &scope);
        let strides = walk.strides(sizes, self);
        let mut table = Vec::with_capacity(walk.len());
        let mut place = [first];
        loop {
            table.push(self.table[place[0]]);
            if !walk.next(&[&strides], &mut place) {
                return Factor { scope, table };
            }
        }
    }
}

/// A walk through all combinations of the values of some variables, the last one fastest.
pub(super) struct Walk {
    vars: Vec<u32>,
    sizes: Vec<u32>,
    digits: Vec<u32>,
}

impl Walk {
    pub(super) fn new(sizes: &[u32], vars: &[u32]) -> Walk {
        Walk {
            vars: vars.to_vec(),
            sizes: vars.iter().map(|&var| sizes[var as usize]).collect(),
            digits: vec![0; vars.len()],
        }
    }

    /// How many combinations there are.
    pub(super) fn len(&self) -> usize {
        self.sizes.iter().map(|&size| size as usize).product()
    }

    /// The strides of a table, one for each variable of the walk.
    pub(super) fn strides(&self, sizes: &[u32], factor: &Factor) -> Vec<usize> {
        let vars = self.vars.iter();
        vars.map(|&var| factor.stride(sizes, var)).collect()
    }

    /// Goes to the next combination, and so does the place in each table; `false` after the last one.
    #[inline]
    pub(super) fn next(&mut self, strides: &[impl AsRef<[usize]>], places: &mut [usize]) -> bool {
        for at in (0..self.digits.len()).rev() {
            self.digits[at] += 1;
            if self.digits[at] < self.sizes[at] {
                for (place, strides) in places.iter_mut().zip(strides) {
                    *place += strides.as_ref()[at];
                }
                return true;
            }
            self.digits[at] = 0;
            let back = self.sizes[at] as usize - 1;
            for (place, strides) in places.iter_mut().zip(strides) {
                *place -= strides.as_ref()[at] * back;
            }
        }
        false
    }
}

/// The sum of tables for each combination of `vars` and, next to each other, each value of `last`.
///
/// `each` gets the sums for one combination after the other.
pub(super) fn sums(
    sizes: &[u32],
    vars: &[u32],
    last: u32,
    factors: &[&Factor],
    mut each: impl FnMut(&[Cost]),
) {
    let mut walk = Walk::new(sizes, vars);
    let strides: Vec<Vec<usize>> = factors.iter().map(|f| walk.strides(sizes, f)).collect();
    let steps: Vec<usize> = factors.iter().map(|f| f.stride(sizes, last)).collect();
    let mut places = vec![0; factors.len()];
    let mut row = vec![Cost::ZERO; sizes[last as usize] as usize];
    loop {
        row.fill(Cost::ZERO);
        for ((factor, &place), &step) in factors.iter().zip(&places).zip(&steps) {
            let mut place = place;
            for sum in &mut row {
                *sum = sum.plus(factor.table[place]);
                place += step;
            }
        }
        each(&row);
        if !walk.next(&strides, &mut places) {
            return;
        }
    }
}

/// The sum of tables, minimised over one variable: for each combination of `vars`, the least over the values of
/// `last`.
pub(super) fn minimised(sizes: &[u32], vars: &[u32], last: u32, factors: &[&Factor]) -> Factor {
    let mut table = Vec::new();
    sums(sizes, vars, last, factors, |row| {
        table.push(row.iter().copied().min().unwrap_or_default());
    });
    let scope = vars.to_vec();
    Factor { scope, table }
}
