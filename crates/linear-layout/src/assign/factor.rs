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
        let mut table = Vec::new();
        self.walk(sizes, &scope, first, &mut table);
        Factor { scope, table }
    }

    /// The table where each variable has its value in one assignment or in the other: those that have two values
    /// are left, the value in `choice` first.
    pub(super) fn between(&self, sizes: &[u32], choice: &[u32], other: &[u32]) -> Factor {
        let mut places = vec![self.place(sizes, choice)];
        let mut scope = Vec::new();
        for &var in &self.scope {
            let (old, new) = (choice[var as usize] as usize, other[var as usize] as usize);
            if old != new {
                let stride = self.stride(sizes, var);
                let both = |place: usize| [place, place + new * stride - old * stride];
                places = places.into_iter().flat_map(both).collect();
                scope.push(var);
            }
        }
        let table = places.into_iter().map(|place| self.table[place]).collect();
        Factor { scope, table }
    }

    /// Appends the entries for each combination of `vars`, the last one fastest, from that place on.
    fn walk(&self, sizes: &[u32], vars: &[u32], place: usize, entries: &mut Vec<Cost>) {
        let Some((&var, rest)) = vars.split_first() else {
            entries.push(self.table[place]);
            return;
        };
        let stride = self.stride(sizes, var);
        for value in 0..sizes[var as usize] as usize {
            self.walk(sizes, rest, place + value * stride, entries);
        }
    }
}

/// Adds up tables; keeps its memory from one sum to the next.
#[derive(Debug, Default)]
pub(super) struct Adder {
    /// For each variable of a walk, the last one first, and each table, how far apart its next values are.
    strides: Vec<usize>,
    /// For each table, the same for the variable whose values are next to each other.
    steps: Vec<usize>,
    places: Vec<usize>,
    digits: Vec<u32>,
    row: Vec<Cost>,
}

impl Adder {
    /// The sum of tables for each combination of `vars` and, next to each other, each value of `last`.
    ///
    /// `each` gets the sums for one combination after the other.
    pub(super) fn sums(
        &mut self,
        sizes: &[u32],
        vars: &[u32],
        last: u32,
        factors: &[&Factor],
        mut each: impl FnMut(&[Cost]),
    ) {
        self.strides.clear();
        for &var in vars.iter().rev() {
            let strides = factors.iter().map(|f| f.stride(sizes, var));
            self.strides.extend(strides);
        }
        self.steps.clear();
        self.steps
            .extend(factors.iter().map(|f| f.stride(sizes, last)));
        self.places.clear();
        self.places.resize(factors.len(), 0);
        self.digits.clear();
        self.digits.resize(vars.len(), 0);
        let size = sizes[last as usize] as usize;
        loop {
            self.row.clear();
            let mut tables = factors.iter().zip(&self.places).zip(&self.steps);
            if let Some(((factor, &place), &step)) = tables.next() {
                let costs = (0..size).map(|value| factor.table[place + value * step]);
                self.row.extend(costs);
            }
            for ((factor, &place), &step) in tables {
                let mut place = place;
                for sum in &mut self.row {
                    *sum = sum.plus(factor.table[place]);
                    place += step;
                }
            }
            each(&self.row);
            if !self.advance(sizes, vars) {
                return;
            }
        }
    }

    /// Goes to the next combination of the variables, the last one fastest; `false` after the last combination.
    fn advance(&mut self, sizes: &[u32], vars: &[u32]) -> bool {
        let tables = self.places.len();
        for (at, &var) in vars.iter().rev().enumerate() {
            let strides = &self.strides[at * tables..][..tables];
            let places = self.places.iter_mut().zip(strides);
            let last = sizes[var as usize] - 1;
            if self.digits[at] < last {
                self.digits[at] += 1;
                places.for_each(|(place, stride)| *place += stride);
                return true;
            }
            self.digits[at] = 0;
            places.for_each(|(place, stride)| *place -= stride * last as usize);
        }
        false
    }

    /// The sum of tables, minimised over one variable: for each combination of `vars`, the least over the values
    /// of `last`.
    pub(super) fn minimised(
        &mut self,
        sizes: &[u32],
        vars: &[u32],
        last: u32,
        factors: &[&Factor],
    ) -> Factor {
        let entries = vars
            .iter()
            .map(|&var| sizes[var as usize] as usize)
            .product();
        let mut table = Vec::with_capacity(entries);
        self.sums(sizes, vars, last, factors, |row| {
            table.push(row.iter().copied().min().unwrap_or_default());
        });
        let scope = vars.to_vec();
        Factor { scope, table }
    }
}
