//! Of the cheapest assignments, the first.

use super::cost::Cost;
use super::eliminate::Eliminated;
use std::collections::BTreeMap;

/// The values of a bucket's variable and of those beside it that are part of a cheapest assignment.
#[derive(Debug)]
struct Cell {
    /// The values, in the order of the cell's variables.
    values: Vec<u32>,
    /// The group of the cell among those of its own bucket that have the same values beside.
    own: usize,
    /// For each child, the group of the child's cells that agree with this one.
    below: Vec<usize>,
    is_there: bool,
}

/// Cells of a bucket and of the one above it that agree on the variables that both have.
#[derive(Debug, Default)]
struct Group {
    /// Those of the bucket, and how many are there.
    cells: Vec<usize>,
    left: usize,
    /// Those of the bucket above, and how many are there.
    above: Vec<usize>,
    left_above: usize,
}

/// A bucket, with the cells that are left of its joint table.
#[derive(Debug, Default)]
struct Table {
    /// The variable, then those beside it.
    vars: Vec<u32>,
    cells: Vec<Cell>,
    groups: Vec<Group>,
    above: Option<usize>,
    /// The buckets whose table went into this one.
    children: Vec<usize>,
}

/// All cheapest assignments of a network that was eliminated exactly, as cells of the joint tables.
///
/// A cell is kept if it is part of a cheapest assignment. Tables hang together as a tree: those beside a variable
/// are all in the table of the one among them that was eliminated first. So where each cell has one that agrees
/// with it in the tables above and below, all of them are part of a cheapest assignment, also after some were
/// dropped: taking the first value that is left, one variable after the other, never has to go back.
///
/// Each cell is dropped once, so the work is of the size of the tables.
#[derive(Debug)]
pub(super) struct Cheapest {
    tables: Vec<Table>,
    /// The table of each variable.
    of_var: Vec<Option<usize>>,
    pub(super) steps: u64,
}

impl Cheapest {
    pub(super) fn new(eliminated: &Eliminated<'_>) -> Cheapest {
        let buckets = &eliminated.buckets;
        let mut of_var = vec![None; eliminated.sizes.len()];
        for (at, bucket) in buckets.iter().enumerate() {
            of_var[bucket.var as usize] = Some(at);
        }
        let mut new = Cheapest {
            tables: Vec::with_capacity(buckets.len()),
            of_var,
            steps: 0,
        };
        for bucket in buckets {
            let beside = bucket
                .outputs
                .first()
                .map_or(&[][..], |&at| &eliminated.table(at).scope);
            let above = beside
                .iter()
                .filter_map(|&var| new.of_var[var as usize])
                .min();
            new.tables.push(Table {
                vars: [&[bucket.var][..], beside].concat(),
                above,
                ..Table::default()
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

    /// Fills a table with the cells that are cheapest beside a cell of the table above.
    fn fill(&mut self, eliminated: &Eliminated<'_>, at: usize, choice: &mut [u32]) {
        let vars = std::mem::take(&mut self.tables[at].vars);
        // The values beside that some cell above has, with those cells.
        let mut beside: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        let above = self.tables[at].above;
        if let Some(above) = above {
            let above = &self.tables[above];
            let place = |var: &u32| above.vars.iter().position(|other| other == var);
            let places: Vec<usize> = vars[1..].iter().filter_map(place).collect();
            for (cell, above) in above.cells.iter().enumerate() {
                let values = places.iter().map(|&place| above.values[place]).collect();
                beside.entry(values).or_default().push(cell);
            }
        } else {
            beside.insert(Vec::new(), Vec::new());
        }
        let mut cells = Vec::new();
        let mut groups = Vec::new();
        for (values, cells_above) in beside {
            for (&var, &value) in vars[1..].iter().zip(&values) {
                choice[var as usize] = value;
            }
            let row = eliminated.row(&eliminated.buckets[at], choice);
            self.steps += row.len() as u64;
            let least = row.iter().copied().min().unwrap_or_default();
            let own = groups.len();
            let first = cells.len();
            for (value, _) in (0..)
                .zip(&row)
                .filter(|(_, cost): &(u32, &Cost)| **cost == least)
            {
                cells.push(Cell {
                    values: [&[value][..], &values].concat(),
                    own,
                    below: Vec::new(),
                    is_there: true,
                });
            }
            if let Some(above) = above {
                for &cell in &cells_above {
                    self.tables[above].cells[cell].below.push(own);
                }
            }
            groups.push(Group {
                cells: (first..cells.len()).collect(),
                left: cells.len() - first,
                left_above: cells_above.len(),
                above: cells_above,
            });
        }
        let table = &mut self.tables[at];
        (table.vars, table.cells, table.groups) = (vars, cells, groups);
        // The tables below are filled later, the last one first: so are the groups of a cell.
        table.children.reverse();
    }

    /// Takes the first value that is left for each of these variables, one after the other.
    pub(super) fn first(&mut self, vars: impl Iterator<Item = u32>, choice: &mut [u32]) {
        for var in vars {
            let Some(at) = self.of_var[var as usize] else {
                continue;
            };
            let there = self.tables[at].cells.iter().filter(|cell| cell.is_there);
            let Some(value) = there.map(|cell| cell.values[0]).min() else {
                continue;
            };
            choice[var as usize] = value;
            self.steps += self.tables[at].cells.len() as u64;
            let cells = self.tables[at].cells.iter().enumerate();
            let others = cells.filter(|(_, cell)| cell.is_there && cell.values[0] != value);
            let others = others.map(|(cell, _)| (at, cell)).collect();
            self.remove(others);
        }
    }

    /// Drops cells, and those that no cell of a table beside agrees with any more.
    fn remove(&mut self, mut cells: Vec<(usize, usize)>) {
        while let Some((at, cell)) = cells.pop() {
            let cell = &mut self.tables[at].cells[cell];
            if !std::mem::replace(&mut cell.is_there, false) {
                continue;
            }
            self.steps += 1;
            let own = cell.own;
            let below = std::mem::take(&mut cell.below);
            let above = self.tables[at].above;
            let group = &mut self.tables[at].groups[own];
            group.left -= 1;
            if let (0, Some(above)) = (group.left, above) {
                cells.extend(group.above.iter().map(|&cell| (above, cell)));
            }
            for (place, group) in below.into_iter().enumerate() {
                let child = self.tables[at].children[place];
                let group = &mut self.tables[child].groups[group];
                group.left_above -= 1;
                if group.left_above == 0 {
                    cells.extend(group.cells.iter().map(|&cell| (child, cell)));
                }
            }
        }
    }
}
