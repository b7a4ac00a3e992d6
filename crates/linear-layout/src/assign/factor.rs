//! Cost tables over several variables: addition and minimisation over one variable.

use super::cost::LexCost;

/// A table with one cost for each combination of values of the variables in `scope`.
///
/// # Shape
/// Variables are in ascending order, and the last variable varies fastest.
#[derive(Clone, Debug)]
pub(super) struct CostTable {
    pub(super) scope: Vec<u32>,
    pub(super) table: Vec<LexCost>,
}

impl CostTable {
    /// Returns the index of the entry for an assignment of all variables.
    pub(super) fn offset(&self, sizes: &[u32], choice: &[u32]) -> usize {
        self.scope.iter().fold(0, |offset, &var| {
            offset * sizes[var as usize] as usize + choice[var as usize] as usize
        })
    }

    /// Returns the distance between entries for consecutive values of `var`, or 0 for a variable that is not in
    /// `scope`.
    pub(super) fn stride(&self, sizes: &[u32], var: u32) -> usize {
        let Ok(at) = self.scope.binary_search(&var) else {
            return 0;
        };
        let after = &self.scope[at + 1..];
        after.iter().map(|&v| sizes[v as usize] as usize).product()
    }

    /// Fixes some variables of the table, and returns the table over the free variables. `fixed` returns the value
    /// of a fixed variable, or `None` if the variable is free.
    pub(super) fn restrict(&self, sizes: &[u32], fixed: impl Fn(u32) -> Option<u32>) -> CostTable {
        let kept = |var: &u32| fixed(*var).is_none();
        let scope: Vec<u32> = self.scope.iter().copied().filter(kept).collect();
        let of = |var: &u32| fixed(*var).unwrap_or(0) as usize * self.stride(sizes, *var);
        let first = self.scope.iter().map(of).sum();
        let mut table = Vec::new();
        self.walk(sizes, &scope, first, &mut table);
        CostTable { scope, table }
    }

    /// Restricts each variable `v` to the two values `choice[v]` and `other[v]`. If these are equal, the result
    /// does not depend on `v`.
    pub(super) fn restrict_to_pair(
        &self,
        sizes: &[u32],
        choice: &[u32],
        other: &[u32],
    ) -> CostTable {
        let mut offsets = vec![self.offset(sizes, choice)];
        let mut scope = Vec::new();
        for &var in &self.scope {
            let (old, new) = (choice[var as usize] as usize, other[var as usize] as usize);
            if old != new {
                let stride = self.stride(sizes, var);
                let both = |offset: usize| [offset, offset + new * stride - old * stride];
                offsets = offsets.into_iter().flat_map(both).collect();
                scope.push(var);
            }
        }
        let table = offsets
            .into_iter()
            .map(|offset| self.table[offset])
            .collect();
        CostTable { scope, table }
    }

    /// Appends the entries for all combinations of values of the variables `vars`. The last variable of `vars`
    /// varies fastest. `offset` is the index of the entry in which all variables of `vars` are 0.
    fn walk(&self, sizes: &[u32], vars: &[u32], offset: usize, entries: &mut Vec<LexCost>) {
        let Some((&var, rest)) = vars.split_first() else {
            entries.push(self.table[offset]);
            return;
        };
        let stride = self.stride(sizes, var);
        for value in 0..sizes[var as usize] as usize {
            self.walk(sizes, rest, offset + value * stride, entries);
        }
    }
}

/// Adds up cost tables. The buffers are reused between calls.
#[derive(Debug, Default)]
pub(super) struct Adder {
    /// One stride for each pair of a variable and a table. The strides for one variable are adjacent, and the last
    /// variable comes first.
    strides: Vec<usize>,
    /// For each table, the stride of the variable `last` of [`Adder::sums`].
    steps: Vec<usize>,
    offsets: Vec<usize>,
    digits: Vec<u32>,
    row: Vec<LexCost>,
}

impl Adder {
    /// Adds the tables `factors`. For each combination of the values of `vars`, calls `each` with the sums for all
    /// values of `last`.
    pub(super) fn sums(
        &mut self,
        sizes: &[u32],
        vars: &[u32],
        last: u32,
        factors: &[&CostTable],
        mut each: impl FnMut(&[LexCost]),
    ) {
        self.strides.clear();
        for &var in vars.iter().rev() {
            let strides = factors.iter().map(|f| f.stride(sizes, var));
            self.strides.extend(strides);
        }
        self.steps.clear();
        self.steps
            .extend(factors.iter().map(|f| f.stride(sizes, last)));
        self.offsets.clear();
        self.offsets.resize(factors.len(), 0);
        self.digits.clear();
        self.digits.resize(vars.len(), 0);
        let size = sizes[last as usize] as usize;
        loop {
            self.row.clear();
            let mut tables = factors.iter().zip(&self.offsets).zip(&self.steps);
            if let Some(((factor, &offset), &step)) = tables.next() {
                let costs = (0..size).map(|value| factor.table[offset + value * step]);
                self.row.extend(costs);
            }
            for ((factor, &offset), &step) in tables {
                let mut offset = offset;
                for sum in &mut self.row {
                    *sum = sum.plus(factor.table[offset]);
                    offset += step;
                }
            }
            each(&self.row);
            if !self.advance(sizes, vars) {
                return;
            }
        }
    }

    /// Advances to the next combination of values. The last variable varies fastest. Returns false after the last
    /// combination.
    fn advance(&mut self, sizes: &[u32], vars: &[u32]) -> bool {
        let tables = self.offsets.len();
        for (at, &var) in vars.iter().rev().enumerate() {
            let strides = &self.strides[at * tables..][..tables];
            let offsets = self.offsets.iter_mut().zip(strides);
            let last = sizes[var as usize] - 1;
            if self.digits[at] < last {
                self.digits[at] += 1;
                offsets.for_each(|(offset, stride)| *offset += stride);
                return true;
            }
            self.digits[at] = 0;
            offsets.for_each(|(offset, stride)| *offset -= stride * last as usize);
        }
        false
    }

    /// Adds the tables `factors`, and returns the minimum over the values of `last` as a table over `vars`.
    pub(super) fn minimise(
        &mut self,
        sizes: &[u32],
        vars: &[u32],
        last: u32,
        factors: &[&CostTable],
    ) -> CostTable {
        let entries = vars
            .iter()
            .map(|&var| sizes[var as usize] as usize)
            .product();
        let mut table = Vec::with_capacity(entries);
        self.sums(sizes, vars, last, factors, |row| {
            table.push(row.iter().copied().min().unwrap_or_default());
        });
        let scope = vars.to_vec();
        CostTable { scope, table }
    }
}
