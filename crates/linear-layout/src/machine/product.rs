//! Products: what each accumulator has added up.

use super::plan::{Cell, PlanFault, check_operands};
use super::tuples::elements;
use crate::layout::{Dim, LinearLayout};
use crate::plan::Program;
use crate::target::Target;
use core::cell::RefCell;
use rustc_hash::FxHashMap;

/// Sets of numbers k, each kept once; the first is empty.
#[derive(Debug)]
struct Sets {
    sets: Vec<Vec<u64>>,
    known: FxHashMap<Vec<u64>, u32>,
    /// What a set becomes by one more k; nothing where it has that already.
    next: FxHashMap<(u32, u32), Option<u32>>,
}

impl Sets {
    fn new() -> Self {
        Self {
            sets: vec![Vec::new()],
            known: FxHashMap::from_iter([(Vec::new(), 0)]),
            next: FxHashMap::default(),
        }
    }

    fn with(&mut self, set: u32, k: u32) -> Option<u32> {
        if let Some(known) = self.next.get(&(set, k)) {
            return *known;
        }
        let (word, bit) = ((k / 64) as usize, 1u64 << (k % 64));
        let mut larger = self.sets[set as usize].clone();
        if larger.len() <= word {
            larger.resize(word + 1, 0);
        }
        let made = (larger[word] & bit == 0).then(|| {
            larger[word] |= bit;
            let number = self.sets.len() as u32;
            match self.known.get(&larger) {
                Some(known) => *known,
                None => {
                    self.known.insert(larger.clone(), number);
                    self.sets.push(larger);
                    number
                }
            }
        });
        self.next.insert((set, k), made);
        made
    }
}

/// What a register of a product stands for.
#[derive(Clone, Copy, Debug)]
enum Term<'s> {
    Nothing,
    /// An element of A or B, by its coordinates there.
    Factor([u32; 2]),
    /// The sum at these coordinates of D, over a set of k.
    Sum([u32; 2], u32, &'s RefCell<Sets>),
}

impl PartialEq for Term<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, Self::Nothing) => true,
            (Self::Factor(a), Self::Factor(b)) => a == b,
            (Self::Sum(a, ks, _), Self::Sum(b, others, _)) => (a, ks) == (b, others),
            _ => false,
        }
    }
}

impl Cell for Term<'_> {
    const NOTHING: Self = Self::Nothing;

    fn combined_with(self, _: Self) -> Self {
        Self::Nothing
    }

    fn plus_product(self, a: Self, b: Self) -> Option<Self> {
        let (Self::Sum(at, set, sets), Self::Factor(a), Self::Factor(b)) = (self, a, b) else {
            return None;
        };
        if (at, a[1]) != ([a[0], b[1]], b[0]) {
            return None;
        }
        let set = sets.borrow_mut().with(set, a[1])?;
        Some(Self::Sum(at, set, sets))
    }
}

/// What each register of each thread holds, by its coordinates.
fn cells<'s>(layout: &LinearLayout, cell: &dyn Fn([u32; 2]) -> Term<'s>) -> Vec<Vec<Term<'s>>> {
    let of_thread = |packed| {
        let coords = layout.unpack(packed).to_vec();
        cell([coords[0] as u32, coords[1] as u32])
    };
    let rows = elements(layout).into_iter();
    rows.map(|row| row.into_iter().map(of_thread).collect())
        .collect()
}

/// Runs the program of a product for every thread, and proves that each element of the result adds up each k once, of
/// the elements that belong there.
///
/// # Shape
/// `plan` takes the unique registers of `[d, a, b]`, layouts to `(m, n)`, `(m, k)`, `(k, n)`, one operand after the
/// other, and gives those of `d`. Signs, zeros and the order of the sum are not looked at.
/// # Errors
/// The first fault: a sum of what does not belong together, a k twice or never, a malformed step.
pub fn check_product(
    plan: &Program,
    [d, a, b]: [&LinearLayout; 3],
    target: &Target,
) -> Result<(), PlanFault> {
    let sets = RefCell::new(Sets::new());
    let k = a.out_size(Dim::out(1));
    let all = (0..k as u32).fold(0, |set, k| {
        // Each k is new to what holds the smaller ones.
        sets.borrow_mut().with(set, k).unwrap_or(set)
    });
    let sources = [
        cells(d, &|at| Term::Sum(at, 0, &sets)),
        cells(a, &|at| Term::Factor(at)),
        cells(b, &|at| Term::Factor(at)),
    ];
    let results = [cells(d, &|at| Term::Sum(at, all, &sets))];
    check_operands(plan, &sources, &results, &[], target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Surjectivity;
    use crate::plan::program::{Builder, MmaRow, Threads};
    use crate::plan::{Step, ValueId};

    type Bases = Vec<[u64; 2]>;

    fn layout(dims: &[(Dim, Bases)], sizes: [u64; 2]) -> LinearLayout {
        let lists: Vec<(Dim, Vec<&[u64]>)> = dims
            .iter()
            .map(|(dim, bases)| (*dim, bases.iter().map(|basis| &basis[..]).collect()))
            .collect();
        let lists: Vec<(Dim, &[&[u64]])> = lists.iter().map(|(d, l)| (*d, &l[..])).collect();
        let outs = [(Dim::out(0), sizes[0]), (Dim::out(1), sizes[1])];
        LinearLayout::from_bases_sized(&lists, &outs, Surjectivity::Required).unwrap()
    }

    /// Bases of registers, lanes and warps of D, A, B and the coordinates' sizes; m, n, k = 16, 8, 16 as `mma.sync`
    /// takes f16, a row for this test alone, and more registers and warps.
    fn layouts(more: &[Bases; 3], warps: &[Bases; 3], [m, n, k]: [u64; 3]) -> [LinearLayout; 3] {
        let registers: [Bases; 3] = [
            vec![[0, 1], [8, 0]],
            vec![[0, 1], [8, 0], [0, 8]],
            vec![[1, 0], [8, 0]],
        ];
        let lanes: [Bases; 3] = [
            vec![[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
            vec![[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
            vec![[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
        ];
        let sizes = [[m, n], [m, k], [k, n]];
        [0, 1, 2].map(|i| {
            let mut dims = vec![
                (Dim::REGISTER, [&registers[i][..], &more[i]].concat()),
                (Dim::LANE, lanes[i].clone()),
            ];
            // An instruction knows of one warp.
            if !warps[i].is_empty() {
                dims.push((Dim::WARP, warps[i].clone()));
            }
            layout(&dims, sizes[i])
        })
    }

    fn row() -> MmaRow {
        let [d, a, b] = layouts(&Default::default(), &Default::default(), [16, 8, 16]);
        MmaRow::new("mma.m16n8k16.f32.f16", [a, b, d], 64).unwrap()
    }

    /// A 32 x 16 x 32 product of two warps along m: two instructions along n, chained twice along k.
    fn product() -> (Program, [LinearLayout; 3]) {
        let more = [vec![[0, 8]], vec![[0, 16]], vec![[16, 0], [0, 8]]];
        let warps = [vec![[16, 0]], vec![[16, 0]], vec![[0, 0]]];
        let all = layouts(&more, &warps, [32, 16, 32]);
        let threads = Threads {
            lanes_log2: 5,
            warps_log2: 1,
        };
        let mut builder = Builder::of_operands(&[(8, 32), (16, 16), (16, 16)], threads);
        let sources = builder.sources();
        let (sums, factors) = sources.split_at(8);
        let mut words = |elements: &[ValueId]| -> Vec<ValueId> {
            elements.chunks(2).map(|pair| builder.pack(pair)).collect()
        };
        let (a, b) = (words(&factors[..16]), words(&factors[16..]));
        let row = builder.row(row());
        let mut results = Vec::new();
        for n in 0..2 {
            let mut sum = sums[4 * n..][..4].to_vec();
            for k in 0..2 {
                let first = 4 * n + 2 * k;
                sum = builder.mma(&sum, &a[4 * k..][..4], &b[first..][..2], row);
            }
            results.extend(sum);
        }
        let target = Target::parse("cuda:90").unwrap();
        (builder.finish(results, 0, target), all)
    }

    #[test]
    fn a_product_adds_up_each_k_once() {
        let (plan, [d, a, b]) = product();
        let target = Target::parse("cuda:90").unwrap();
        check_product(&plan, [&d, &a, &b], target).unwrap();
        // Four instructions of each of two warps; pairs that lie together need no packing.
        assert_eq!(plan.cost().arithmetic, 2 * 4 * 64);
        let text = plan.to_string();
        assert!(
            text.contains("row 0: mma.m16n8k16.f32.f16, 16 x 8 x 16"),
            "{text}"
        );
        assert!(text.contains("= mma row 0 of "), "{text}");
    }

    /// Each change of what an instruction takes is noticed.
    #[test]
    fn a_wrong_product_is_noticed() {
        let (plan, [d, a, b]) = product();
        let target = Target::parse("cuda:90").unwrap();
        check_product(&plan, [&d, &a, &b], target).unwrap();
        let products: Vec<usize> = (0..plan.steps().len())
            .filter(|i| matches!(plan.steps()[*i], Step::Mma { .. }))
            .collect();
        let lists = |plan: &Program, at: usize| match plan.steps()[at] {
            Step::Mma { acc, a, b, .. } => [acc, a, b],
            _ => unreachable!("a product"),
        };
        let mut changed = 0;
        for (at, other) in products
            .iter()
            .flat_map(|a| products.iter().map(move |b| (*a, *b)))
        {
            for what in 0..3 {
                let taken = lists(&plan, other)[what];
                if plan.operands(taken) == plan.operands(lists(&plan, at)[what]) {
                    continue;
                }
                let edited = plan.edited(|steps| {
                    if let Step::Mma { acc, a, b, .. } = &mut steps[at] {
                        *[acc, a, b][what] = taken;
                    }
                });
                changed += 1;
                let verdict = check_product(&edited, [&d, &a, &b], target);
                assert!(verdict.is_err(), "{edited}");
            }
        }
        // Both instructions of a k take the same of A; all else differs.
        assert_eq!(changed, 12 + 8 + 12);
        // The last instruction of a chain left out.
        let last = products[products.len() - 1];
        let edited = plan.edited(|steps| {
            steps.remove(last);
        });
        assert!(check_product(&edited, [&d, &a, &b], target).is_err());
        // Rows and columns of A change places.
        assert!(check_product(&plan, [&d, &b, &a], target).is_err());
    }

    #[test]
    fn operands_of_a_row_fit_each_other() {
        let [d, a, b] = layouts(&Default::default(), &Default::default(), [16, 8, 16]);
        let error = MmaRow::new("mma", [b, a, d], 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`mma` has operands A of [16, 8], B of [16, 16], D of [16, 8]: expected m x k, k x n, m x n"
        );
    }
}
