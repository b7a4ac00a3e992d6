//! The operations of CuTe's algebra: `cargo bench --bench cute`.
//!
//! The operands are a hundred random layouts of rank 2 to 5 with shapes of 2 to 64. A time is the time of one
//! operation, averaged over all layouts, in the best of many rounds.
//!
//! `LL_PEER_CUTE` may name a program that times another implementation, such as CUTLASS's `cutegen`, in the same way.
//! The program gets a file with one operation per line, as `operation<TAB>layout[<TAB>layout or number]`, and prints
//! `operation<TAB>nanoseconds` lines. The program and this benchmark run in turns.

mod compare;
mod peer;
#[path = "../../test/split_mix.rs"]
mod split_mix;

use std::hint::black_box;
use std::time::Instant;

use linear_layout::cute::{CuteError, Layout, Mode, Tiler};
use peer::Peer;
use split_mix::Random;

/// Name of the environment variable that holds the benchmark command of the peer, which is another implementation.
const PEER: &str = "LL_PEER_CUTE";
const LAYOUTS: usize = 100;
const ROUNDS: usize = 400;

/// The input of one measurement: a layout, and the other operands of the operations on it.
struct Question {
    layout: Layout,
    other: Layout,
    tiler: Tiler,
    number: i64,
}

type Operation = fn(&Question) -> Result<Layout, CuteError>;

const OPERATIONS: [(&str, Operation); 6] = [
    ("coalesce", |q| Ok(q.layout.coalesce())),
    ("composition", |q| q.layout.composition(&q.other)),
    ("complement", |q| q.layout.complement(q.number)),
    ("right_inverse", |q| Ok(q.layout.right_inverse())),
    ("left_inverse", |q| q.layout.left_inverse()),
    ("logical_divide", |q| q.layout.logical_divide(&q.tiler)),
];

/// Returns a random layout. In a third of the layouts, there may be gaps between the modes.
fn layout(random: &mut Random) -> Result<Layout, CuteError> {
    let rank = usize::try_from(2 + random.below(4)).unwrap_or(2);
    let mut modes = vec![Mode::new(1, 1); rank];
    let mut order: Vec<usize> = (0..rank).collect();
    for i in (1..rank).rev() {
        order.swap(i, usize::try_from(random.below(i as u64 + 1)).unwrap_or(0));
    }
    let has_gaps = random.below(3) == 0;
    let mut stride = 1;
    for i in order {
        let shape = 2 + i64::try_from(random.below(63)).unwrap_or(0);
        // Few primes, as in real layouts: half of the shapes are powers of two.
        let shape = if random.below(2) == 0 {
            1 << (1 + shape % 6)
        } else {
            shape
        };
        modes[i] = Mode::new(shape, stride);
        stride *= shape;
        if has_gaps && random.below(2) == 0 {
            stride *= 2;
        }
    }
    Layout::flat(&modes)
}

/// Returns random layouts, each with the other operands of the measured operations. All measured operations are
/// valid on them.
fn questions() -> Result<Vec<Question>, CuteError> {
    let mut random = Random(5);
    let mut found = Vec::new();
    while found.len() < LAYOUTS {
        let (layout, other) = (layout(&mut random)?, layout(&mut random)?);
        let first = layout.leaves()[0].shape;
        // A divisor of the first mode, then steps over the whole mode: a tile that spans several modes.
        let step = (1..=first)
            .rev()
            .find(|step| first % step == 0 && *step < first);
        let step = step.unwrap_or(1);
        let count = first / step * layout.leaves()[1].shape;
        let tile = match random.below(2) {
            0 => Layout::scalar(first, 1)?,
            _ => Layout::flat(&[Mode::new(step, 1), Mode::new(count, step)])?,
        };
        let number = layout.cosize() * 4;
        let question = Question {
            other: if random.below(2) == 0 {
                tile.clone()
            } else {
                other
            },
            tiler: tile.into(),
            layout,
            number,
        };
        if OPERATIONS
            .iter()
            .all(|(_, answer)| answer(&question).is_ok())
        {
            found.push(question);
        }
    }
    Ok(found)
}

/// Returns the time of each operation in nanoseconds, averaged over the layouts.
fn measure(questions: &[Question]) -> [f64; OPERATIONS.len()] {
    OPERATIONS.map(|(_, answer)| {
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for question in questions {
                let _ = black_box(answer(black_box(question)));
            }
            best = best.min(start.elapsed().as_nanos() as f64 / questions.len() as f64);
        }
        best
    })
}

fn text(questions: &[Question]) -> String {
    let mut text = String::new();
    for (name, _) in OPERATIONS {
        for q in questions {
            let by = match (name, &q.tiler) {
                ("composition", _) => q.other.to_string(),
                ("complement", _) => q.number.to_string(),
                ("logical_divide", Tiler::Layout(tile)) => tile.to_string(),
                _ => String::new(),
            };
            text.extend([name, "\t", &q.layout.to_string(), "\t", &by, "\n"]);
        }
    }
    text
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let questions = questions()?;
    let peer = Peer::named(PEER, std::env::var(PEER));
    let names = OPERATIONS.map(|(name, _)| name);
    compare::compare(peer, names, || text(&questions), || measure(&questions))
}
