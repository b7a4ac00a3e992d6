//! Search for the lexicographically first of all optimal assignments.

use super::cost::LexCost;
use super::eliminate::Elimination;
use std::collections::BTreeMap;

/// A cell of a joint table: one combination of values of the table's variables. The cell is part of an optimal
/// assignment.
#[derive(Debug)]
struct OptimalCell {
    /// One value for each variable of the table, in the order of `JointTable::vars`.
    values: Vec<u32>,
    group: usize,
    /// For each child table, the index of a group of its cells. The cells in the group have the same values as this
    /// cell in all variables that both tables contain.
    below: Vec<usize>,
    is_live: bool,
}

/// The cells of a table that differ only in the value of the eliminated variable.
#[derive(Debug, Default)]
struct CellGroup {
    cells: Vec<usize>,
    num_live: usize,
    /// Indices of cells in the parent table. These cells have the same values as the cells of this group in all
    /// variables that both tables contain.
    above: Vec<usize>,
    num_live_above: usize,
}

/// The table over an eliminated variable and its neighbours, reduced to the cells that are part of optimal
/// assignments.
#[derive(Debug, Default)]
struct JointTable {
    /// The eliminated variable, then the other variables.
    vars: Vec<u32>,
    cells: Vec<OptimalCell>,
    groups: Vec<CellGroup>,
    above: Option<usize>,
    children: Vec<usize>,
}

/// All optimal assignments of an exactly eliminated network, as cells of joint tables.
///
/// The tables form a tree. A table contains the eliminated variable and its neighbours. Its parent is the table of
/// that neighbour which is eliminated first. A cell is live until it is removed. Arc consistency on a tree makes
/// every live cell part of an optimal assignment. So the first live value of each variable can be chosen without
/// backtracking.
///
/// Each cell is removed at most once, so the work is linear in the size of the tables.
#[derive(Debug)]
pub(super) struct OptimalAssignments {
    tables: Vec<JointTable>,
    of_var: Vec<Option<usize>>,
    pub(super) steps: u64,
}

impl OptimalAssignments {
    pub(super) fn new(eliminated: &Elimination<'_>) -> OptimalAssignments {
        let buckets = &eliminated.buckets;
        let mut of_var = vec![None; eliminated.sizes.len()];
        for (at, bucket) in buckets.iter().enumerate() {
            of_var[bucket.var as usize] = Some(at);
        }
        let mut new = OptimalAssignments {
            tables: Vec::with_capacity(buckets.len()),
            of_var,
            steps: 0,
        };
        for bucket in buckets {
            let other_values = bucket
                .outputs
                .first()
                .map_or(&[][..], |&at| &eliminated.table(at).scope);
            let above = other_values
                .iter()
                .filter_map(|&var| new.of_var[var as usize])
                .min();
            new.tables.push(JointTable {
                vars: [&[bucket.var][..], other_values].concat(),
                above,
                ..JointTable::default()
            });
        }
        for at in 0..buckets.len() {
            if let Some(above) = new.tables[at].above {
                new.tables[above].children.push(at);
            }
        }
        let mut choice = vec![0; eliminated.sizes.len()];
        for at in (0..buckets.len()).rev() {
            new.fill(eliminated, at, &mut choice);
        }
        new
    }

    /// Fills the table `at`, whose parent table is already filled. Each combination of values that the cells of the
    /// parent give to the shared variables gets one group. The shared variables are all variables of the table
    /// except the eliminated variable. The group consists of the cells with the cheapest values of the eliminated
    /// variable.
    fn fill(&mut self, eliminated: &Elimination<'_>, at: usize, choice: &mut [u32]) {
        let vars = std::mem::take(&mut self.tables[at].vars);
        // Values of the other variables in cells of the parent, with those cells.
        let mut other_values: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        let above = self.tables[at].above;
        if let Some(above) = above {
            let above = &self.tables[above];
            let position = |var: &u32| above.vars.iter().position(|other| other == var);
            let positions: Vec<usize> = vars[1..].iter().filter_map(position).collect();
            for (cell, above) in above.cells.iter().enumerate() {
                let values = positions
                    .iter()
                    .map(|&position| above.values[position])
                    .collect();
                other_values.entry(values).or_default().push(cell);
            }
        } else {
            other_values.insert(Vec::new(), Vec::new());
        }
        let mut cells = Vec::new();
        let mut groups = Vec::new();
        for (values, cells_above) in other_values {
            for (&var, &value) in vars[1..].iter().zip(&values) {
                choice[var as usize] = value;
            }
            let row = eliminated.row(&eliminated.buckets[at], choice);
            self.steps += row.len() as u64;
            let least = row.iter().copied().min().unwrap_or_default();
            let group = groups.len();
            let first = cells.len();
            for (value, _) in (0..)
                .zip(&row)
                .filter(|(_, cost): &(u32, &LexCost)| **cost == least)
            {
                cells.push(OptimalCell {
                    values: [&[value][..], &values].concat(),
                    group,
                    below: Vec::new(),
                    is_live: true,
                });
            }
            if let Some(above) = above {
                for &cell in &cells_above {
                    self.tables[above].cells[cell].below.push(group);
                }
            }
            groups.push(CellGroup {
                cells: (first..cells.len()).collect(),
                num_live: cells.len() - first,
                num_live_above: cells_above.len(),
                above: cells_above,
            });
        }
        let table = &mut self.tables[at];
        (table.vars, table.cells, table.groups) = (vars, cells, groups);
        // Child tables are filled later, the last one first: the groups of a cell come in that order.
        table.children.reverse();
    }

    /// Assigns to each variable in turn the first of its values that has a live cell, and removes the cells with
    /// its other values.
    pub(super) fn first(&mut self, vars: impl Iterator<Item = u32>, choice: &mut [u32]) {
        for var in vars {
            let Some(at) = self.of_var[var as usize] else {
                continue;
            };
            let there = self.tables[at].cells.iter().filter(|cell| cell.is_live);
            let Some(value) = there.map(|cell| cell.values[0]).min() else {
                continue;
            };
            choice[var as usize] = value;
            self.steps += self.tables[at].cells.len() as u64;
            let cells = self.tables[at].cells.iter().enumerate();
            let others = cells.filter(|(_, cell)| cell.is_live && cell.values[0] != value);
            let others = others.map(|(cell, _)| (at, cell)).collect();
            self.remove(others);
        }
    }

    /// Removes `cells`, given as (table, cell). Then removes every cell that no longer has a matching live cell in
    /// the parent table or in some child table.
    fn remove(&mut self, mut cells: Vec<(usize, usize)>) {
        while let Some((at, cell)) = cells.pop() {
            let cell = &mut self.tables[at].cells[cell];
            if !std::mem::replace(&mut cell.is_live, false) {
                continue;
            }
            self.steps += 1;
            let group = cell.group;
            let below = std::mem::take(&mut cell.below);
            let above = self.tables[at].above;
            let group = &mut self.tables[at].groups[group];
            group.num_live -= 1;
            if let (0, Some(above)) = (group.num_live, above) {
                cells.extend(group.above.iter().map(|&cell| (above, cell)));
            }
            for (position, group) in below.into_iter().enumerate() {
                let child = self.tables[at].children[position];
                let group = &mut self.tables[child].groups[group];
                group.num_live_above -= 1;
                if group.num_live_above == 0 {
                    cells.extend(group.cells.iter().map(|&cell| (child, cell)));
                }
            }
        }
    }
}
