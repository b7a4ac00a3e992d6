//! Bodies of the layout fuzz targets. Plain functions, so that `cargo test` replays the
//! corpus and every input that was once bad.

use std::collections::BTreeSet;

use linear_layout::layout::{Dim, LinearLayout, Surjectivity};

/// Checks that parsing never panics, and that a layout is unchanged if it is written and parsed again.
pub(crate) fn text(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match text.parse::<LinearLayout>() {
        Ok(layout) => {
            let again = layout.to_string().parse::<LinearLayout>();
            assert_eq!(again.as_ref(), Ok(&layout), "written as {layout}");
        }
        Err(e) => {
            assert!(!e.to_string().is_empty());
            assert!(e.parse_offset().is_none_or(|at| at <= text.len()), "{e}");
        }
    }
}

/// A source of numbers that takes them from the bytes of the input. After the last byte, all numbers are 0.
struct ByteSource<'a>(&'a [u8]);

impl ByteSource<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    fn below(&mut self, n: u64) -> u64 {
        u64::from(self.byte()) % n.max(1)
    }

    /// Draws at most three different dims from `dims`, each of size 1, 2 or 4.
    fn shape(&mut self, dims: &[Dim]) -> Vec<(Dim, u64)> {
        let mut shape: Vec<(Dim, u64)> = Vec::new();
        for _ in 0..self.below(4) {
            let dim = dims[self.below(dims.len() as u64) as usize];
            let size = 1 << self.below(3);
            if shape.iter().all(|(d, _)| *d != dim) {
                shape.push((dim, size));
            }
        }
        shape
    }

    fn layout(&mut self, outs: &[(Dim, u64)]) -> LinearLayout {
        let ins = self.shape(&[Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK]);
        let size: u64 = outs.iter().map(|(_, s)| s).product();
        let bits: u32 = ins.iter().map(|(_, s)| s.trailing_zeros()).sum();
        let columns: Vec<u64> = (0..bits).map(|_| self.below(size)).collect();
        LinearLayout::from_columns(&ins, outs, &columns, Surjectivity::NotRequired)
            .expect("columns lie inside the out-dims")
    }
}

fn all(l: &LinearLayout) -> impl Iterator<Item = u64> + Clone {
    0..1 << l.total_in_bits()
}

/// Draws layouts, and checks that every operation on them agrees with an enumeration of all points.
pub(crate) fn algebra(data: &[u8]) {
    let mut source = ByteSource(data);
    let outs = source.shape(&[Dim::out(0), Dim::out(1), Dim::out(2)]);
    let (a, b) = (source.layout(&outs), source.layout(&outs));

    let reached: BTreeSet<u64> = all(&a).map(|x| a.apply_packed(x)).collect();
    assert_eq!(a.is_injective(), reached.len() == 1 << a.total_in_bits());
    assert_eq!(a.is_surjective(), reached.len() == 1 << a.total_out_bits());
    let free = a.free_variable_masks().packed();
    let kept: BTreeSet<u64> = all(&a)
        .filter(|x| x & free == 0)
        .map(|x| a.apply_packed(x))
        .collect();
    assert_eq!(kept, reached);
    assert!(
        a.apply_range(0..1 << a.total_in_bits())
            .eq(all(&a).map(|x| a.apply_packed(x)))
    );

    let by_b: BTreeSet<u64> = all(&b).map(|x| b.apply_packed(x)).collect();
    match a.invert_and_compose(&b) {
        Ok(x) => assert!(all(&a).all(|i| b.apply_packed(x.apply_packed(i)) == a.apply_packed(i))),
        Err(_) => assert!(!reached.is_subset(&by_b)),
    }
    if let Ok(inverse) = a.invert() {
        assert!(all(&a).all(|x| inverse.apply_packed(a.apply_packed(x)) == x));
        assert_eq!(inverse.invert().as_ref(), Ok(&a));
    } else {
        assert!(!a.is_invertible());
    }

    if let Ok(p) = a.product(&b) {
        assert_eq!(p.rank(), a.rank() + b.rank());
        let tile = p
            .divide_left(&a)
            .expect("a product is divisible by its left factor");
        assert_eq!(tile.rank(), b.rank());
        assert!(p.divide_right(&b).is_ok());
    }
    for (quotient, left) in [(a.divide_left(&b), true), (a.divide_right(&b), false)] {
        if let Ok(q) = quotient {
            let back =
                if left { b.product(&q) } else { q.product(&b) }.expect("sizes are those of a");
            let ins: Vec<Dim> = a.in_dims().collect();
            let outs: Vec<Dim> = a.out_dims().collect();
            let back = back
                .transpose_ins(&ins)
                .and_then(|l| l.transpose_outs(&outs));
            assert_eq!(back.as_ref(), Ok(&a));
        }
    }
    for dim in a.in_dims() {
        let slim = a.remove_zero_bases(dim).expect("the dim is there");
        assert_eq!(slim.rank(), a.rank());
    }
    let again = a.to_string().parse::<LinearLayout>();
    assert_eq!(again.as_ref(), Ok(&a));
}
