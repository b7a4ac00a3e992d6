//! Symbolic sums of products: the set of k that each accumulator has added.
//!
//! A [`Line`] represents a row of A or a column of B in a tile: its row or column of D, and the list of its k. The
//! product of two lines may be added to an accumulator in the same row and column if the lists of k agree wherever
//! neither element is zero. The k must be new to the accumulator.
//!
//! Lists and sets are interned, and each pair is compared once. The proof for m x n x k products therefore takes time
//! proportional to m k + k n + m n.

use crate::machine::plan::{AbstractElement, Granule, Line, LineNames, Products};
use crate::number::narrow;
use core::hash::Hash;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A symbolic element of A, B or D, or a scale.
///
/// An element does not record whether it is part of A or B. The `Granule` that contains the element does. `line` is
/// the row of D for an element of A, and the column of D for an element of B.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ProductTerm {
    Nothing,
    /// A zero element. Its products do not change a sum.
    Zero,
    /// An element of A or B. If one byte contains several elements, this is the first of them.
    Factor {
        line: u32,
        k: u32,
    },
    Scale {
        line: u32,
        block: u32,
    },
    /// A partial dot product of a row of A and a column of B. `set` is the number of the set of indices k that it
    /// contains.
    Sum {
        row: u32,
        column: u32,
        set: u32,
    },
}

impl AbstractElement for ProductTerm {
    const NOTHING: Self = Self::Nothing;
    const ZERO: Option<Self> = Some(Self::Zero);

    fn combined_with(self, _: Self) -> Self {
        Self::Nothing
    }
}

#[derive(Debug)]
struct Lists<T> {
    all: Vec<Rc<[T]>>,
    numbers: FxHashMap<Rc<[T]>, u32>,
    last: u32,
}

impl<T: Copy + Eq + Hash> Lists<T> {
    fn new() -> Self {
        Self {
            all: Vec::new(),
            numbers: FxHashMap::default(),
            last: 0,
        }
    }

    /// Returns the number of the interned list that equals `list`, which is interned if it is new. The call is
    /// fastest if `list` is also the list of the previous call.
    fn number(&mut self, list: &[T]) -> u32 {
        if self
            .all
            .get(self.last as usize)
            .is_some_and(|last| **last == *list)
        {
            return self.last;
        }
        self.last = match self.numbers.get(list) {
            Some(number) => *number,
            None => {
                let (list, number): (Rc<[T]>, u32) = (list.into(), narrow(self.all.len()));
                self.all.push(Rc::clone(&list));
                self.numbers.insert(list, number);
                number
            }
        };
        self.last
    }
}

/// Placeholder for a zero element in a list of indices along k.
const NO_K: u32 = u32::MAX;

/// Number of the empty set among the interned sets.
pub(super) const EMPTY: u32 = 0;
pub(super) const ALL: u32 = 1;

#[derive(Debug)]
pub(super) struct ProductSums {
    /// The interned sets of indices k, stored as bit masks. The first two are [`EMPTY`] and [`ALL`].
    sets: Lists<u64>,
    ks: Lists<u32>,
    /// Maps the numbers of two lists of indices k, one of a row of A and one of a column of B, to the number of the
    /// set of k in the product of this row and column. The value is `None` if the lists do not match, or a k occurs
    /// twice.
    products: FxHashMap<[u32; 2], Option<u32>>,
    /// Maps the numbers of two sets of k to the number of their union. The value is `None` if the sets intersect.
    unions: FxHashMap<[u32; 2], Option<u32>>,
    /// For A and B, log2 of the number of k that share a scale. `None` means that the operand has no scales.
    blocks_log2: [Option<u8>; 2],
    /// Number of 64-bit words that a set occupies.
    words: usize,
    /// Buffer for the list of k of the current line. It is reused to avoid allocations.
    line: Vec<u32>,
}

impl ProductSums {
    pub(super) fn new(k: u64, blocks_log2: [Option<u8>; 2]) -> Self {
        let words = narrow::<usize>(k.div_ceil(64));
        let mut all = vec![u64::MAX; words];
        if let (Some(last), 1..) = (all.last_mut(), k % 64) {
            *last = (1 << (k % 64)) - 1;
        }
        let mut sets = Lists::new();
        sets.number(&vec![0; words]);
        sets.number(&all);
        Self {
            sets,
            ks: Lists::new(),
            products: FxHashMap::default(),
            unions: FxHashMap::default(),
            blocks_log2,
            words,
            line: Vec::new(),
        }
    }

    /// Interns the set that contains all of `ks`, and returns its number. Returns `None` if a k occurs twice or
    /// exceeds the size of a set.
    fn set(&mut self, ks: impl Iterator<Item = u32>) -> Option<u32> {
        let mut set = vec![0; self.words];
        for k in ks {
            let word: &mut u64 = set.get_mut((k / 64) as usize)?;
            let bit = 1 << (k % 64);
            if *word & bit != 0 {
                return None;
            }
            *word |= bit;
        }
        Some(self.sets.number(&set))
    }

    /// Returns the number of the set of k that the product of two lines adds. `lines` are the numbers of the lists
    /// of k that the lines have. Returns `None` if these lists do not match.
    fn product(&mut self, lines: [u32; 2]) -> Option<u32> {
        if let Some(known) = self.products.get(&lines) {
            return *known;
        }
        let [a, b] = lines.map(|line| Rc::clone(&self.ks.all[line as usize]));
        let pairs = || {
            a.iter()
                .zip(&*b)
                .filter(|(a, b)| **a != NO_K && **b != NO_K)
        };
        let are_alike = a.len() == b.len() && pairs().all(|(a, b)| a == b);
        let set = are_alike
            .then(|| self.set(pairs().map(|(k, _)| *k)))
            .flatten();
        self.products.insert(lines, set);
        set
    }

    fn union(&mut self, sets: [u32; 2]) -> Option<u32> {
        if let Some(known) = self.unions.get(&sets) {
            return *known;
        }
        let [a, b] = sets.map(|set| &*self.sets.all[set as usize]);
        let are_disjoint = a.iter().zip(b).all(|(a, b)| a & b == 0);
        let union: Vec<u64> = a.iter().zip(b).map(|(a, b)| a | b).collect();
        let union = are_disjoint.then(|| self.sets.number(&union));
        self.unions.insert(sets, union);
        union
    }
}

impl Products<Granule<ProductTerm>> for ProductSums {
    fn line(&mut self, names: &LineNames<'_, Granule<ProductTerm>>) -> Option<Line> {
        let (factor, operand) = (names.factor, narrow::<u8>(names.factor));
        let mut owner = None;
        let mut is_own = |line: u32| *owner.get_or_insert(line) == line;
        let ks = &mut self.line;
        ks.clear();
        for element in names.elements {
            // Operands in order: D, A, B, scales of A, scales of B.
            let first = match element.element_of(1 + operand)? {
                ProductTerm::Zero => None,
                ProductTerm::Factor { line, k } if is_own(line) => Some(k),
                _ => return None,
            };
            let of_name = 0..1 << names.packed_log2;
            ks.extend(of_name.map(|i: u32| first.map_or(NO_K, |first| first + i)));
        }
        match (names.scales, self.blocks_log2[factor]) {
            (None, None) => {}
            (Some((scales, of_scale_log2)), Some(block_log2)) => {
                let of_scales = ks.chunks(1 << of_scale_log2);
                if of_scales.len() != scales.len() {
                    return None;
                }
                for (scale, ks) in scales.iter().zip(of_scales) {
                    // A zero element must still have a scale of its own row: the scale of another row might be NaN.
                    match scale.element_of(3 + operand)? {
                        ProductTerm::Scale { line, block } if is_own(line) => {
                            let mut ks = ks.iter().filter(|k| **k != NO_K);
                            ks.all(|k| k >> block_log2 == block).then_some(())?;
                        }
                        _ => return None,
                    }
                }
            }
            _ => return None,
        }
        let ks = self.ks.number(ks);
        Some(Line { owner, ks })
    }

    fn add(
        &mut self,
        sums: &mut [Granule<ProductTerm>],
        places: &[[usize; 2]],
        [rows, columns]: [&[Line]; 2],
        [m, n]: [usize; 2],
    ) -> Option<()> {
        // Adjacent sums mostly have the same set.
        let mut known = None;
        let tiles = sums.chunks_exact_mut(places.len());
        for ((sums, rows), columns) in tiles.zip(rows.chunks(m)).zip(columns.chunks(n)) {
            for (sum, [i, j]) in sums.iter_mut().zip(places) {
                let ProductTerm::Sum { row, column, set } = sum.element_of(0)? else {
                    return None;
                };
                let (a, b) = (rows[*i], columns[*j]);
                let is_own = |line: Line, own| line.owner.is_none_or(|owner| owner == own);
                if !is_own(a, row) || !is_own(b, column) {
                    return None;
                }
                let key = (set, [a.ks, b.ks]);
                let set = match known {
                    Some((of, set)) if of == key => set,
                    _ => {
                        let added = self.product(key.1)?;
                        self.union([set, added])?
                    }
                };
                known = Some((key, set));
                sum.cell = ProductTerm::Sum { row, column, set };
            }
        }
        Some(())
    }
}
