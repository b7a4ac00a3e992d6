//! The defining equations of CuTe's operations, checked element by element by an independent evaluator, on random
//! layouts.
//!
//! `LL_CUTE=100000 cargo test --release -p linear-layout --test algebra cute_laws` sets the number of cases.

use std::collections::HashSet;

use crate::split_mix::Random;
use linear_layout::cute::{
    ComposedLayout, Coord, CuteError, IntTuple, Layout, Mode, Swizzle, Tiler,
};

/// `Ok` if a law holds. Otherwise, a description of the violation.
pub(crate) type LawResult = Result<(), String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> LawResult {
    if holds { Ok(()) } else { Err(what()) }
}

/// The index function of a layout, computed by definition from its flat shapes and strides.
pub(crate) struct IndexFunction(Vec<(i64, i64)>);

impl IndexFunction {
    pub(crate) fn of(layout: &Layout) -> Self {
        let modes = layout.leaves().iter();
        Self(modes.map(|mode| (mode.shape, mode.stride)).collect())
    }

    fn size(&self) -> i64 {
        self.0.iter().map(|(shape, _)| shape).product()
    }

    /// Returns the index of an integer coordinate. The last mode is unbounded, so the coordinate may exceed the
    /// size.
    fn at(&self, number: i64) -> i64 {
        let mut place = 1;
        let mut sum = 0;
        for (i, (shape, stride)) in self.0.iter().enumerate() {
            let share = number.div_euclid(place);
            let share = match i + 1 == self.0.len() {
                true => share,
                false => share.rem_euclid(*shape),
            };
            sum += share * stride;
            place *= shape;
        }
        sum
    }

    fn image(&self) -> Vec<i64> {
        (0..self.size()).map(|i| self.at(i)).collect()
    }

    fn is_injective(&self) -> bool {
        let image = self.image();
        image.iter().collect::<HashSet<_>>().len() == image.len()
    }

    fn cosize(&self) -> i64 {
        1 + self.0.iter().map(|(s, d)| (s - 1) * d.abs()).sum::<i64>()
    }
}

/// Checks that `found` has the same size and the same indices as `of`, and that none of its modes could be merged.
pub(crate) fn coalesced(of: &Layout, found: &Layout) -> LawResult {
    let (of, found) = (IndexFunction::of(of), IndexFunction::of(found));
    ensure(of.image() == found.image(), || {
        "another function".to_owned()
    })?;
    let merges = |w: &[(i64, i64)]| w[0].0 * w[0].1 == w[1].1;
    let is_short = found.0.len() == 1 || found.0.iter().all(|(shape, _)| *shape != 1);
    ensure(is_short && !found.0.windows(2).any(merges), || {
        "modes that could merge".to_owned()
    })
}

/// Checks that `found` has the same set of indices as `of`. Also checks that no mode of `found` has stride 0 or
/// shape 1, unless `found` has only one element.
pub(crate) fn filtered(of: &Layout, found: &Layout) -> LawResult {
    let set = |layout: &Layout| -> HashSet<i64> {
        IndexFunction::of(layout).image().into_iter().collect()
    };
    ensure(set(of) == set(found), || "other indices".to_owned())?;
    let moves = |(shape, stride): &(i64, i64)| *shape > 1 && *stride != 0;
    let found = IndexFunction::of(found);
    ensure(found.size() == 1 || found.0.iter().all(moves), || {
        "a mode has stride 0".to_owned()
    })
}

/// Checks that `found(i)` is `outer(inner(i))` for all `i`. The check also succeeds if this holds for the coalesced
/// form of `outer` in place of `outer`. Coalescing drops a last mode of shape 1, which only changes indices beyond
/// the end of `outer`.
pub(crate) fn composed(outer: &Layout, inner: &Layout, found: &Layout) -> LawResult {
    let (of, with, found) = (
        IndexFunction::of(outer),
        IndexFunction::of(inner),
        IndexFunction::of(found),
    );
    let short = IndexFunction::of(&outer.coalesce());
    ensure(found.size() == with.size(), || "another size".to_owned())?;
    let wrong = |of: &IndexFunction| (0..with.size()).find(|&i| found.at(i) != of.at(with.at(i)));
    match wrong(&of) {
        Some(i) if wrong(&short).is_some() => Err(format!(
            "element {i} is {}, not {}",
            found.at(i),
            of.at(with.at(i))
        )),
        _ => Ok(()),
    }
}

fn rank_or_size(tiler: &Tiler) -> Option<Layout> {
    match tiler {
        Tiler::Layout(layout) => Some(layout.clone()),
        Tiler::Size(size) => Layout::scalar(*size, 1).ok(),
        Tiler::Keep | Tiler::Modes(_) => None,
    }
}

/// Applies a law to the results of an operation with a tiler. If the tiler is a tuple, the law is applied to each
/// mode.
fn by_tiler(
    of: &Layout,
    tiler: &Tiler,
    found: &Layout,
    keeps_rest: bool,
    law: &impl Fn(&Layout, &Layout, &Layout) -> LawResult,
) -> LawResult {
    if let Some(tile) = rank_or_size(tiler) {
        return law(of, &tile, found);
    }
    let Tiler::Modes(tilers) = tiler else {
        return ensure(of == found, || "a mode is not kept".to_owned());
    };
    let rank = if keeps_rest { of.rank() } else { tilers.len() };
    ensure(found.rank() == rank, || "another rank".to_owned())?;
    for (i, (of, found)) in of.modes().zip(found.modes()).enumerate() {
        by_tiler(
            &of,
            tilers.get(i).unwrap_or(&Tiler::Keep),
            &found,
            keeps_rest,
            law,
        )?;
    }
    Ok(())
}

pub(crate) fn composed_by(of: &Layout, tiler: &Tiler, found: &Layout) -> LawResult {
    by_tiler(of, tiler, found, false, &composed)
}

/// Checks that `found` is a complement of `of`:
///
/// - The indices of `found` increase.
/// - `found` and `of` have no common index except 0.
/// - The concatenation of both layouts has a cosize of at least `cotarget`.
/// - If `of` without its modes of stride 0 is injective, the concatenation without these modes is also injective.
pub(crate) fn complements(of: &Layout, cotarget: i64, found: &Layout) -> LawResult {
    let image = IndexFunction::of(found).image();
    ensure(image.windows(2).all(|w| w[0] < w[1]), || {
        "not increasing".to_owned()
    })?;
    let own: HashSet<i64> = IndexFunction::of(of).image().into_iter().collect();
    let common = image.iter().find(|i| **i != 0 && own.contains(i));
    ensure(common.is_none(), || format!("both reach {common:?}"))?;
    let mut both = IndexFunction::of(&of.filter());
    let is_injective = both.is_injective();
    both.0.extend(IndexFunction::of(found).0);
    ensure(!is_injective || both.is_injective(), || {
        "both overlap".to_owned()
    })?;
    ensure(both.cosize() >= cotarget, || "too short".to_owned())
}

/// Checks that `found` is a right inverse: `of(found(i)) == i`.
pub(crate) fn inverts_right(of: &IndexFunction, found: &IndexFunction) -> LawResult {
    let wrong = (0..found.size()).find(|&i| of.at(found.at(i)) != i);
    ensure(wrong.is_none(), || format!("{wrong:?} is not found"))
}

/// Checks that `found` is a left inverse: `found(of(i))` is `i` or, if `of` is not injective, another coordinate
/// with the same index.
pub(crate) fn inverts_left(of: &Layout, found: &Layout) -> LawResult {
    let (of, found) = (IndexFunction::of(of), IndexFunction::of(found));
    let is_injective = of.is_injective();
    let wrong = (0..of.size()).find(|&i| {
        let back = found.at(of.at(i));
        if is_injective {
            back != i
        } else {
            of.at(back) != of.at(i)
        }
    });
    ensure(wrong.is_none(), || {
        format!("element {wrong:?} is not mapped back")
    })
}

/// Checks that `found` is the division of `of` by `tiler`. Mode 0 of `found` must be the composition of `of` with
/// the tile. If the tile has a complement in the shape of `of`, the whole of `found` must be the composition of
/// `of` with the concatenation of the tile and this complement.
pub(crate) fn divided(of: &Layout, tiler: &Tiler, found: &Layout) -> LawResult {
    by_tiler(of, tiler, found, true, &|of, tile, found| {
        let mode = |i| found.mode(i).ok_or("a pair was expected");
        composed(of, tile, &mode(0)?)?;
        // If a tile does not divide the layout, the rest is shorter than a complement must be.
        let Ok(rest) = tile.complement_in(&of.coalesce().shape()) else {
            return Ok(());
        };
        let both = Layout::concat([tile, &rest]).map_err(|e| e.to_string())?;
        composed(of, &both, found)
    })
}

/// Checks that `found` is the product of `of` and `tiler`. Mode 0 of `found` must be the block `of`. Mode 1 must
/// repeat the block in disjoint places, in the number and order that the tiler determines.
pub(crate) fn multiplied(of: &Layout, tiler: &Tiler, found: &Layout) -> LawResult {
    by_tiler(of, tiler, found, true, &|of, tile, found| {
        let mode = |i| found.mode(i).ok_or("a pair was expected");
        ensure(mode(0)? == *of, || "mode 0 is not the block".to_owned())?;
        let (rest, tile) = (IndexFunction::of(&mode(1)?), IndexFunction::of(tile));
        ensure(rest.size() == tile.size(), || {
            "another number of blocks".to_owned()
        })?;
        // Blocks start at the tiler's positions, counted among free positions. Modes with gaps reach at most twice
        // their cosize.
        let enough = 2 * of.cosize() * (tile.cosize() + 2);
        let free = of.complement(enough).map_err(|e| e.to_string())?;
        let free = IndexFunction::of(&free);
        // Below 0 the first free positions continue, without bound.
        let wrong =
            (0..rest.size()).find(|&i| tile.at(i) >= 0 && rest.at(i) != free.at(tile.at(i)));
        ensure(wrong.is_none(), || format!("block {wrong:?} is elsewhere"))?;
        let own: HashSet<i64> = IndexFunction::of(of).image().into_iter().collect();
        let common = rest
            .image()
            .into_iter()
            .find(|i| *i != 0 && own.contains(i));
        ensure(common.is_none(), || {
            format!("a block begins at {common:?}, inside another")
        })?;
        let (block, all) = (IndexFunction::of(of), IndexFunction::of(found));
        let is_small = all.size() <= 4096 && tile.0.iter().all(|(_, stride)| *stride >= 0);
        let reaches_once = is_small && block.is_injective() && tile.is_injective();
        ensure(!reaches_once || all.is_injective(), || {
            "blocks overlap".to_owned()
        })
    })
}

/// Checks that both layouts consist of the same modes and thus have the same elements. The order and the nesting of
/// the modes may differ.
pub(crate) fn same_elements(of: &Layout, found: &Layout) -> LawResult {
    let sorted = |layout: &Layout| {
        let mut modes = IndexFunction::of(layout).0;
        modes.sort_unstable();
        modes
    };
    ensure(sorted(of) == sorted(found), || "other modes".to_owned())
}

/// A generator of random layouts. The layouts have few elements. Some have gaps, strides of 0, negative strides or
/// overlapping modes.
struct LayoutGenerator {
    random: Random,
}

impl LayoutGenerator {
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.random.below(end as u64)).unwrap()
    }

    fn pick(&mut self, from: &[i64]) -> i64 {
        from[self.below(from.len())]
    }

    fn shape(&mut self) -> i64 {
        match self.below(3) {
            0 => self.pick(&[1, 2, 4, 8]),
            1 => self.pick(&[2, 3, 4, 6]),
            _ => self.pick(&[1, 2, 3, 4, 5, 6, 7, 9, 12]),
        }
    }

    fn flat(&mut self) -> Vec<Mode> {
        let rank = 1 + self.below(4);
        let shapes: Vec<i64> = (0..rank).map(|_| self.shape()).collect();
        let kind = self.below(6);
        // A compact layout with its modes in some order, possibly with gaps, zeros or overlaps.
        let mut order: Vec<usize> = (0..rank).collect();
        for i in (1..rank).rev() {
            order.swap(i, self.below(i + 1));
        }
        let mut strides = vec![0; rank];
        let mut next = 1;
        for &i in &order {
            strides[i] = next;
            next *= shapes[i];
            if kind == 1 {
                next *= self.pick(&[1, 1, 2, 3]);
            }
            match (kind, self.below(3)) {
                (2, 0) => strides[i] = 0,
                (3, 0) => strides[i] = self.pick(&[1, 2, 3, 4, 5, 8, 10, 16]),
                (4, 0) => strides[i] = -strides[i],
                _ => {}
            }
        }
        let modes = shapes.iter().zip(strides);
        modes
            .map(|(&shape, stride)| Mode::new(shape, stride))
            .collect()
    }

    fn layout(&mut self) -> Layout {
        let flat = self.flat();
        if flat.len() == 1 && self.below(2) == 0 {
            return Layout::scalar(flat[0].shape, flat[0].stride).unwrap();
        }
        let layout = Layout::flat(&flat).unwrap();
        if flat.len() > 1 && self.below(3) == 0 {
            let start = self.below(flat.len() - 1);
            return layout.group(start..start + 2).unwrap();
        }
        layout
    }

    /// Returns a random layout of one or two modes, for use as the second operand of an operation.
    fn tile(&mut self) -> Layout {
        let mut shape = |_| {
            let size = self.pick(&[1, 2, 2, 3, 4, 4, 5, 6, 8]);
            let stride = self.pick(&[0, 1, 1, 1, 2, 2, 3, 4, 6, 8, -1]);
            Mode::new(size, stride)
        };
        let modes = [shape(0), shape(1)];
        match self.below(3) {
            0 => Layout::scalar(modes[0].shape, modes[0].stride).unwrap(),
            1 => Layout::flat(&modes[..1]).unwrap(),
            _ => Layout::flat(&modes).unwrap(),
        }
    }

    fn inner(&mut self) -> Layout {
        if self.below(2) == 0 {
            self.tile()
        } else {
            self.layout()
        }
    }

    fn tiler(&mut self, rank: usize) -> Tiler {
        match self.below(5) {
            0 => Tiler::Size(self.pick(&[1, 2, 3, 4, 6, 8])),
            1 => {
                let count = 1 + self.below(rank);
                let part = |generator: &mut Self| match generator.below(5) {
                    0 => Tiler::Keep,
                    1 => Tiler::Layout(generator.tile()),
                    _ => Tiler::Size(generator.pick(&[1, 2, 3, 4])),
                };
                Tiler::Modes((0..count).map(|_| part(self)).collect())
            }
            2 => Tiler::Layout(self.layout()),
            _ => Tiler::Layout(self.tile()),
        }
    }

    fn swizzle(&mut self) -> Swizzle {
        loop {
            let numbers = [[0, 1, 2, 3], [0, 1, 2, 3], [-3, -2, 2, 3]].map(|from| self.pick(&from));
            if let Ok(swizzle) = Swizzle::new(numbers[0], numbers[1], numbers[2]) {
                return swizzle;
            }
        }
    }

    fn linear(&mut self) -> Layout {
        let rank = 1 + self.below(3);
        let shapes: Vec<i64> = (0..rank).map(|_| self.pick(&[2, 4, 8])).collect();
        let order: Vec<i64> = (0..rank).map(|_| self.pick(&[0, 1, 2])).collect();
        let shape = IntTuple::flat(&shapes).unwrap();
        Layout::ordered(&shape, &IntTuple::flat(&order).unwrap()).unwrap()
    }

    fn coordinate(&mut self, shape: &IntTuple) -> Coord {
        if shape.is_leaf() || self.below(4) == 0 {
            let size = shape.product().unwrap();
            let number = self.below(usize::try_from(size).unwrap());
            let number = i64::try_from(number).unwrap();
            return Coord::leaf((self.below(2) == 0).then_some(number));
        }
        let items: Vec<Coord> = shape.items().map(|item| self.coordinate(&item)).collect();
        Coord::of(&items).unwrap()
    }
}

/// Checks the answer of an operation. Returns true for a result that satisfies `law`, and false for an error with a
/// text. Fails if a result violates `law`, or if an error has no text.
fn judge<T>(
    answer: Result<T, CuteError>,
    law: impl FnOnce(T) -> LawResult,
) -> Result<bool, String> {
    match answer {
        Ok(found) => law(found).map(|()| true),
        Err(error) => ensure(!error.to_string().is_empty(), || {
            "an error has no text".to_owned()
        })
        .map(|()| false),
    }
}

type OperationCase = fn(&mut LayoutGenerator) -> (String, Result<bool, String>);

/// The tested operations. Each entry contains the name of the operation, the minimum percentage of calls that must
/// return a result, and a function that draws operands and checks the law of the result.
const OPERATIONS: [(&str, usize, OperationCase); 25] = [
    ("coalesce", 100, |generator| {
        let of = generator.layout();
        (
            format!("{of}"),
            coalesced(&of, &of.coalesce()).map(|()| true),
        )
    }),
    ("filter", 100, |generator| {
        let of = generator.layout();
        (format!("{of}"), filtered(&of, &of.filter()).map(|()| true))
    }),
    ("coalesce_by", 100, |generator| {
        let of = generator.layout();
        let profile = IntTuple::flat(&vec![1; 1 + generator.below(of.rank())]).unwrap();
        let answer = of.coalesce_by(&profile);
        let answer = judge(answer, |found| {
            let (of, found) = (IndexFunction::of(&of), IndexFunction::of(&found));
            ensure(of.image() == found.image(), || {
                "another function".to_owned()
            })
        });
        (format!("{of} by {profile}"), answer)
    }),
    ("composition", 40, |generator| {
        let (of, inner) = (generator.layout(), generator.inner());
        let answer = judge(of.composition(&inner), |found| {
            composed(&of, &inner, &found)
        });
        (format!("{of} o {inner}"), answer)
    }),
    ("composition_by", 40, |generator| {
        let of = generator.layout();
        let tiler = generator.tiler(of.rank());
        let answer = judge(of.composition_by(&tiler), |found| {
            composed_by(&of, &tiler, &found)
        });
        (format!("{of} o {tiler:?}"), answer)
    }),
    ("complement", 40, |generator| {
        let of = generator.layout();
        let cotarget = generator.pick(&[1, 2, 5, 8, 24, 64, 100, 120]);
        let answer = judge(of.complement(cotarget), |found| {
            complements(&of, cotarget, &found)
        });
        (format!("{of} in {cotarget}"), answer)
    }),
    ("complement_in_cosize", 40, |generator| {
        let of = generator.layout();
        let cosize = of.filter().cosize();
        let answer = judge(of.complement_in_cosize(), |found| {
            complements(&of, cosize, &found)
        });
        (format!("{of}"), answer)
    }),
    ("complement_in", 40, |generator| {
        let of = generator.tile();
        let shape = generator.layout().shape();
        let cotarget = shape.product().unwrap();
        let answer = judge(of.complement_in(&shape), |found| {
            complements(&of, cotarget, &found)
        });
        (format!("{of} in {shape}"), answer)
    }),
    ("right_inverse", 100, |generator| {
        let of = generator.layout();
        let found = IndexFunction::of(&of.right_inverse());
        (
            format!("{of}"),
            inverts_right(&IndexFunction::of(&of), &found).map(|()| true),
        )
    }),
    ("left_inverse", 40, |generator| {
        let of = generator.layout();
        let answer = judge(of.left_inverse(), |found| inverts_left(&of, &found));
        (format!("{of}"), answer)
    }),
    ("logical_divide", 20, |generator| {
        let of = generator.layout();
        let tiler = generator.tiler(of.rank());
        let answer = judge(of.logical_divide(&tiler), |found| {
            divided(&of, &tiler, &found)
        });
        (format!("{of} / {tiler:?}"), answer)
    }),
    ("zipped, tiled and flat divide", 10, |generator| {
        let of = generator.layout();
        let tiler = generator.tiler(of.rank());
        let pairs = of.logical_divide(&tiler);
        let answer = judge(of.zipped_divide(&tiler), |zipped| {
            let pairs = pairs.map_err(|e| e.to_string())?;
            same_elements(&pairs, &zipped)?;
            ensure(zipped.rank() == 2, || "no pair".to_owned())?;
            for other in [of.tiled_divide(&tiler), of.flat_divide(&tiler)] {
                let other = other.map_err(|e| e.to_string())?;
                ensure(
                    IndexFunction::of(&other).0 == IndexFunction::of(&zipped).0,
                    || "other modes".to_owned(),
                )?;
            }
            Ok(())
        });
        (format!("{of} / {tiler:?}"), answer)
    }),
    ("logical_product", 20, |generator| {
        let of = generator.layout();
        let tiler = generator.tiler(of.rank());
        let answer = judge(of.logical_product(&tiler), |found| {
            multiplied(&of, &tiler, &found)
        });
        (format!("{of} * {tiler:?}"), answer)
    }),
    ("blocked and raked product", 20, |generator| {
        let (of, tiler) = (generator.layout(), generator.tile());
        let answer = judge(of.blocked_product(&tiler), |found| {
            let (of, tile) = (IndexFunction::of(&of), IndexFunction::of(&tiler));
            let elements = of.size() * tile.size();
            ensure(IndexFunction::of(&found).size() == elements, || {
                "another size".to_owned()
            })
        });
        let raked = of.raked_product(&tiler);
        let both = answer.and_then(|is_answered| {
            let blocked = of.blocked_product(&tiler);
            ensure(blocked.is_ok() == raked.is_ok(), || {
                "one of both".to_owned()
            })?;
            if let (Ok(blocked), Ok(raked)) = (&blocked, &raked) {
                same_elements(blocked, raked)?;
            }
            Ok(is_answered)
        });
        (format!("{of} * {tiler}"), both)
    }),
    ("tile_to_shape", 40, |generator| {
        let of = generator.layout();
        let factors: Vec<i64> = (0..of.rank()).map(|_| generator.pick(&[1, 2, 3])).collect();
        let shape: Vec<i64> = of
            .modes()
            .zip(&factors)
            .map(|(m, f)| m.size() * f)
            .collect();
        let shape = IntTuple::flat(&shape).unwrap();
        let answer = judge(of.tile_to_shape(&shape, None), |found| {
            let sizes: Vec<i64> = found.modes().map(|mode| mode.size()).collect();
            ensure(sizes == shape.leaves(), || {
                format!("{found}: another shape")
            })
        });
        (format!("{of} to {shape}"), answer)
    }),
    ("downcast, then upcast", 30, |generator| {
        let of = generator.layout();
        let factor = generator.pick(&[1, 2, 3, 4, 8]);
        let answer = judge(of.downcast(factor), |found| {
            // As in C++, such a mode has parts, too.
            let is_part = |mode: &Mode| mode.shape == 1 && mode.stride.abs() == 1;
            if of.leaves().iter().any(is_part) {
                return Ok(());
            }
            let back = found.upcast(factor).map_err(|e| e.to_string())?;
            ensure(back == of, || format!("{found} is {back}"))?;
            let set = |indices: Vec<i64>| indices.into_iter().collect::<HashSet<i64>>();
            let indices = IndexFunction::of(&of).image().into_iter();
            let parts =
                indices.flat_map(|index| (0..factor).map(move |part| factor * index + part));
            ensure(
                set(parts.collect()) == set(IndexFunction::of(&found).image()),
                || format!("{found} has other parts"),
            )
        });
        (format!("{of} by {factor}"), answer)
    }),
    ("upcast", 30, |generator| {
        let of = generator.layout();
        let factor = generator.pick(&[1, 2, 3, 4, 8]);
        let answer = judge(of.upcast(factor), |found| {
            let set = |layout: &Layout, divisor: i64| -> HashSet<i64> {
                let indices = IndexFunction::of(layout).image().into_iter();
                indices.map(|index| index / divisor).collect()
            };
            ensure(set(&of, factor) == set(&found, 1), || {
                format!("{found} is elsewhere")
            })
        });
        (format!("{of} by {factor}"), answer)
    }),
    ("max_alignment", 100, |generator| {
        let of = generator.layout();
        let alignment = of.max_alignment();
        let reached: HashSet<i64> = IndexFunction::of(&of).image().into_iter().collect();
        let is_whole = |index: &i64| {
            let first = index - index.rem_euclid(alignment);
            (first..first + alignment).all(|index| reached.contains(&index))
        };
        let answer = ensure(reached.iter().all(is_whole), || {
            "a part of a run".to_owned()
        });
        let answer = answer.map(|()| true);
        (format!("{of} by {alignment}"), answer)
    }),
    ("max_common_layout", 40, |generator| {
        let (a, b) = (generator.layout(), generator.layout());
        let answer = judge(a.max_common_layout(&b), |found| {
            inverts_right(&IndexFunction::of(&a), &IndexFunction::of(&found))?;
            inverts_right(&IndexFunction::of(&b), &IndexFunction::of(&found))?;
            ensure(a.max_common_vector(&b) == Ok(found.size()), || {
                "another size".to_owned()
            })
        });
        (format!("{a}, {b}"), answer)
    }),
    ("nullspace", 100, |generator| {
        let of = generator.layout();
        let null = of.nullspace();
        let (f, image) = (IndexFunction::of(&of), IndexFunction::of(&null));
        let answer = ensure(image.image().iter().all(|&i| f.at(i) == 0), || {
            "not 0".to_owned()
        })
        .and_then(|()| ensure(image.is_injective(), || "twice".to_owned()))
        .and_then(|()| {
            let moving = of.filter_zeros().size();
            ensure(image.size() * moving == f.size(), || "too few".to_owned())
        });
        (format!("{of}: {null}"), answer.map(|()| true))
    }),
    ("domain_distribute", 100, |generator| {
        let shape = generator.layout().shape();
        let size = generator.pick(&[1, 2, 3, 4, 6, 8, 12]);
        let answer = judge(Layout::domain_distribute(&shape, size), |found| {
            let image = IndexFunction::of(&found).image();
            ensure(size % found.size() == 0, || "no divisor".to_owned())?;
            ensure(image.windows(2).all(|w| w[0] < w[1]), || {
                "not increasing".to_owned()
            })?;
            let domain = Layout::compact(&shape).unwrap();
            ensure(domain.logical_divide(&found.clone().into()).is_ok(), || {
                "it does not divide the shape".to_owned()
            })
        });
        (format!("{shape} by {size}"), answer)
    }),
    ("slice and coordinates", 30, |generator| {
        let of = generator.layout();
        let coordinate = generator.coordinate(&of.shape());
        let text = format!("{of} at {coordinate}");
        let answer = judge(of.slice(&coordinate), |slice| {
            let f = IndexFunction::of(&slice.layout);
            for i in 0..f.size() {
                let inside = slice.layout.coordinate_of(i);
                let whole = filled(
                    &coordinate,
                    &of.shape(),
                    &mut inside.leaves().iter().copied(),
                );
                let index = of.apply(&whole).map_err(|e| e.to_string())?;
                ensure(index == slice.offset + f.at(i), || format!("element {i}"))?;
            }
            Ok(())
        });
        let holds = (0..of.size()).all(|i| {
            let coordinate = of.coordinate_of(i);
            of.apply(&coordinate) == of.at(i) && of.shape().number_of(&coordinate) == Ok(i)
        });
        (text, ensure(holds, || "coordinates".to_owned()).and(answer))
    }),
    ("after_swizzle", 20, |generator| {
        let (of, swizzle) = (generator.linear(), generator.swizzle());
        let f = IndexFunction::of(&of);
        let answer = judge(of.after_swizzle(swizzle), |found| {
            let wrong = (0..f.size()).find(|&i| found.at(i) != Ok(f.at(swizzle.apply(i))));
            ensure(wrong.is_none(), || format!("{found} at {wrong:?}"))
        });
        (format!("{of} o {swizzle}"), answer)
    }),
    ("inverses of swizzled layouts", 20, |generator| {
        let composed = ComposedLayout::new(generator.swizzle(), 0, generator.linear());
        let answer = judge(composed.right_inverse(), |found| {
            let size = found.layout.size();
            let wrong = (0..size).find(|&i| composed.at(found.at(i).unwrap()) != Ok(i));
            ensure(wrong.is_none(), || format!("{found} at {wrong:?}"))?;
            if let Ok(left) = composed.left_inverse() {
                let size = composed.layout.size();
                let wrong = (0..size).find(|&i| left.at(composed.at(i).unwrap()) != Ok(i));
                return ensure(wrong.is_none(), || format!("{left} at {wrong:?}"));
            }
            Ok(())
        });
        (format!("{composed}"), answer)
    }),
    ("slices of swizzled layouts", 30, |generator| {
        let layout = if generator.below(2) == 0 {
            generator.linear()
        } else {
            generator.layout()
        };
        let offset = generator.pick(&[0, 0, 1, 5, 16]);
        let composed = ComposedLayout::new(generator.swizzle(), offset, layout);
        let coordinate = generator.coordinate(&composed.layout.shape());
        let answer = judge(composed.slice(&coordinate), |slice| {
            let inner = composed.layout.slice(&coordinate).unwrap();
            for i in 0..slice.layout.layout.size() {
                let index = composed.offset + inner.offset + IndexFunction::of(&inner.layout).at(i);
                let found = slice.layout.at(i).unwrap() + slice.offset;
                ensure(found == composed.swizzle.apply(index), || {
                    format!("element {i}")
                })?;
            }
            Ok(())
        });
        (format!("{composed} at {coordinate}"), answer)
    }),
];

/// Returns the coordinate `of` with each `_` replaced by integer coordinates from `numbers`: one for each leaf of
/// the part of `shape` that the `_` covers.
fn filled(of: &Coord, shape: &IntTuple, numbers: &mut impl Iterator<Item = i64>) -> IntTuple {
    match of.leaves() {
        [Some(number)] if of.is_leaf() => IntTuple::leaf(*number),
        [None] if of.is_leaf() && shape.is_leaf() => IntTuple::leaf(numbers.next().unwrap()),
        [None] if of.is_leaf() => {
            let items: Vec<IntTuple> = shape
                .items()
                .map(|item| filled(of, &item, numbers))
                .collect();
            IntTuple::of(&items).unwrap()
        }
        _ => {
            let items = of.items().zip(shape.items());
            let items: Vec<IntTuple> = items
                .map(|(of, shape)| filled(&of, &shape, numbers))
                .collect();
            IntTuple::of(&items).unwrap()
        }
    }
}

#[test]
fn results_are_right_or_errors() {
    let cases: usize = std::env::var("LL_CUTE").map_or(5_000, |text| text.parse().unwrap());
    let each = cases.div_ceil(OPERATIONS.len());
    for (name, answered_at_least, case) in OPERATIONS {
        let mut answered = 0;
        for seed in 0..each {
            let seed = u64::try_from(seed).unwrap();
            let mut generator = LayoutGenerator {
                random: Random(seed),
            };
            let (question, answer) = case(&mut generator);
            match answer {
                Ok(is_answered) => answered += usize::from(is_answered),
                Err(wrong) => panic!("{name}, seed {seed}: {question}: {wrong}"),
            }
        }
        eprintln!("{name}: {answered} of {each} have an answer");
        assert!(
            100 * answered >= answered_at_least * each,
            "{name}: {answered} of {each} have an answer"
        );
    }
}

#[test]
fn texts_come_back() {
    let mut generator = LayoutGenerator { random: Random(1) };
    for _ in 0..2_000 {
        let layout = generator.layout();
        assert_eq!(layout.to_string().parse(), Ok(layout.clone()));
        assert_eq!(format!("{layout:#}").parse(), Ok(layout.clone()));
        let composed =
            ComposedLayout::new(generator.swizzle(), generator.pick(&[0, -3, 8]), layout);
        assert_eq!(composed.to_string().parse(), Ok(composed.clone()));
        assert_eq!(format!("{composed:#}").parse(), Ok(composed));
    }
}
