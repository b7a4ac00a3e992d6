//! Random Tilus layouts, and their definition: independent of the library.

use std::collections::BTreeMap;

use linear_layout::tilus::RegisterLayout;

use crate::split_mix::Random;

/// The attributes of a Tilus layout as a user spells them, not in canonical form.
#[derive(Clone, Debug)]
pub(crate) struct Attributes {
    pub(crate) shape: Vec<u64>,
    pub(crate) mode_shape: Vec<u64>,
    pub(crate) spatial: Vec<i64>,
    pub(crate) local: Vec<i64>,
}

/// For each element in row-major order: the threads that hold it, and the local index of the element in these
/// threads.
pub(crate) type Table = Vec<(Vec<u64>, u64)>;

pub(crate) fn one_of<T: Copy>(random: &mut Random, items: &[T]) -> T {
    items[random.below(items.len() as u64) as usize]
}

pub(crate) fn shuffle<T>(random: &mut Random, items: &mut [T]) {
    for i in (1..items.len()).rev() {
        items.swap(i, random.below(i as u64 + 1) as usize);
    }
}

pub(crate) fn index(mut number: u64, shape: &[u64]) -> Vec<u64> {
    let mut index = vec![0; shape.len()];
    for (i, extent) in index.iter_mut().zip(shape).rev() {
        *i = number % extent;
        number /= extent;
    }
    index
}

pub(crate) fn number(index: &[u64], shape: &[u64]) -> u64 {
    index
        .iter()
        .zip(shape)
        .fold(0, |n, (i, extent)| n * extent + i)
}

pub(crate) fn size(shape: &[u64]) -> u64 {
    shape.iter().product()
}

/// Returns a random shape with at most `rank` dims and at most `most` elements, and the mode extents, whose
/// products are the extents of the dims.
pub(crate) fn shape_and_modes(random: &mut Random, rank: u64, most: u64) -> (Vec<u64>, Vec<u64>) {
    let (mut shape, mut modes, mut left) = (Vec::new(), Vec::new(), most);
    for _ in 0..random.below(rank + 1) {
        let mut extent = 1;
        for _ in 0..random.below(4) {
            let mode = one_of(random, &[1, 2, 2, 2, 3, 4, 5]);
            if mode <= left {
                modes.push(mode);
                extent *= mode;
                left /= mode;
            }
        }
        shape.push(extent);
    }
    (shape, modes)
}

impl Attributes {
    pub(crate) fn random(random: &mut Random, rank: u64, most: u64) -> Self {
        let (shape, mode_shape) = shape_and_modes(random, rank, most);
        let mut order: Vec<i64> = (0..mode_shape.len() as i64).collect();
        if random.below(3) > 0 {
            shuffle(random, &mut order);
        }
        let (mut spatial, mut local) = (Vec::new(), Vec::new());
        for mode in order {
            if random.below(8) == 0 {
                spatial.push(-one_of(random, &[1, 2, 2, 3]));
            }
            if random.below(2) == 0 {
                spatial.push(mode);
            } else {
                local.push(mode);
            }
        }
        if random.below(8) == 0 {
            spatial.push(-2);
        }
        Self {
            shape,
            mode_shape,
            spatial,
            local,
        }
    }

    pub(crate) fn layout(&self) -> RegisterLayout {
        RegisterLayout::spelled(&self.shape, &self.mode_shape, &self.spatial, &self.local).unwrap()
    }

    /// Returns the map of the layout, computed by definition. The row-major index of each element is split into
    /// digits, one per mode.
    pub(crate) fn table(&self) -> Table {
        let holders = |number: u64| {
            let digits = index(number, &self.mode_shape);
            let mut threads = vec![0];
            for &entry in &self.spatial {
                let (extent, values) = match usize::try_from(entry) {
                    Ok(mode) => (self.mode_shape[mode], vec![digits[mode]]),
                    Err(_) => (entry.unsigned_abs(), (0..entry.unsigned_abs()).collect()),
                };
                threads = threads
                    .iter()
                    .flat_map(|t| values.iter().map(move |v| t * extent + v))
                    .collect();
            }
            let place = self.local.iter().fold(0, |place, mode| {
                let mode = *mode as usize;
                place * self.mode_shape[mode] + digits[mode]
            });
            (threads, place)
        };
        (0..size(&self.shape)).map(holders).collect()
    }

    /// Returns a different spelling of the same map: some modes and replications are split, and replications of
    /// extent 1 are inserted.
    pub(crate) fn respelled(&self, random: &mut Random) -> Self {
        let mut parts: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
        let mut mode_shape = Vec::new();
        let split = |random: &mut Random, extent: u64| match extent {
            4 if random.below(2) == 0 => vec![2, 2],
            6 if random.below(2) == 0 => vec![3, 2],
            _ => vec![extent],
        };
        for (mode, &extent) in self.mode_shape.iter().enumerate() {
            for part in split(random, extent) {
                parts.entry(mode).or_default().push(mode_shape.len() as i64);
                mode_shape.push(part);
            }
        }
        let mut spatial = Vec::new();
        for &entry in &self.spatial {
            if random.below(5) == 0 {
                spatial.push(-1);
            }
            match usize::try_from(entry) {
                Ok(mode) => spatial.extend(&parts[&mode]),
                Err(_) => {
                    let parts = split(random, entry.unsigned_abs());
                    spatial.extend(parts.into_iter().map(|part| -(part as i64)));
                }
            }
        }
        let local = self
            .local
            .iter()
            .flat_map(|mode| parts[&(*mode as usize)].clone());
        Self {
            shape: self.shape.clone(),
            local: local.collect(),
            mode_shape,
            spatial,
        }
    }
}

/// Returns the map of a layout as the library computes it.
pub(crate) fn table_of(layout: &RegisterLayout) -> Table {
    (0..layout.size())
        .map(|number| {
            let index = index(number, layout.shape());
            let threads = layout.threads_of(&index).unwrap().collect();
            (threads, layout.local_of(&index).unwrap())
        })
        .collect()
}

/// Returns every layout with the shape `shape` and the modes `mode_shape`. The modes occur in every order, and each
/// mode is either spatial or local. If `times` is above 1, each layout also has one replication of extent `times`,
/// which occurs at every position among the spatial modes.
pub(crate) fn all_of_modes(shape: &[u64], mode_shape: &[u64], times: u64) -> Vec<RegisterLayout> {
    let mut found = Vec::new();
    let modes: Vec<i64> = (0..mode_shape.len() as i64).collect();
    for order in orders(&modes) {
        for set in 0..1u32 << modes.len() {
            let is_spatial = |mode: &&i64| set >> **mode & 1 == 1;
            let spatial: Vec<i64> = order.iter().filter(is_spatial).copied().collect();
            let local: Vec<i64> = order.iter().filter(|m| !is_spatial(m)).copied().collect();
            for at in 0..=spatial.len() {
                let mut spatial = spatial.clone();
                if times > 1 {
                    spatial.insert(at, -(times as i64));
                } else if at > 0 {
                    break;
                }
                found.push(RegisterLayout::new(shape, mode_shape, &spatial, &local).unwrap());
            }
        }
    }
    found
}

fn orders(items: &[i64]) -> Vec<Vec<i64>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    (0..items.len())
        .flat_map(|i| {
            let mut rest = items.to_vec();
            let first = rest.remove(i);
            orders(&rest).into_iter().map(move |mut order| {
                order.insert(0, first);
                order
            })
        })
        .collect()
}

/// Returns every ordered factorisation of a number into factors above 1.
pub(crate) fn factorings(n: u64) -> Vec<Vec<u64>> {
    if n == 1 {
        return vec![Vec::new()];
    }
    (2..=n)
        .filter(|first| n.is_multiple_of(*first))
        .flat_map(|first| {
            factorings(n / first).into_iter().map(move |mut rest| {
                rest.insert(0, first);
                rest
            })
        })
        .collect()
}

/// Returns every layout with the shape `shape` and a replication whose extent is one of `times`. An extent of 1
/// means that the layout has no replication.
pub(crate) fn all_layouts(shape: &[u64], times: &[u64]) -> Vec<RegisterLayout> {
    let mut modes: Vec<Vec<u64>> = vec![Vec::new()];
    for extent in shape {
        modes = modes
            .iter()
            .flat_map(|before| {
                factorings(*extent)
                    .into_iter()
                    .map(move |more| [before.as_slice(), &more].concat())
            })
            .collect();
    }
    let all = modes.iter().flat_map(|modes| {
        times
            .iter()
            .flat_map(move |times| all_of_modes(shape, modes, *times))
    });
    let mut found: Vec<RegisterLayout> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for layout in all {
        if seen.insert(layout.clone()) {
            found.push(layout);
        }
    }
    found
}

/// Returns the number of random cases. The environment variable `LL_TILUS` can set it.
pub(crate) fn count() -> u64 {
    let asked = std::env::var("LL_TILUS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(1500)
}
