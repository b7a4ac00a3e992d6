//! Conversions between the blocks of a cluster: each block stores its elements to its own scratch memory, and every
//! thread loads its elements from the block that holds them.
//!
//! ```text
//! store to own scratch | cluster barrier | load from any block's scratch | cluster barrier
//! ```
//! The second barrier keeps each block, and its scratch memory, alive until all other blocks have read it.
//!
//! Both sides are expressed in coordinates of the source: an element is (rank of the block that holds it, coordinate
//! within the elements of that block). A load address is the sum of the offset that the swizzle assigns to the
//! coordinate, and of the rank from bit [`Address::CTA_SHIFT`] on, so that the accesses of both sides are linear maps
//! from (register, lane, warp, block) to an address, as in [`shared`](super::shared).

use super::error::{MOST_ELEMENTS_LOG2, PlanError, PlanErrorKind};
use super::shared::Route;
use super::sides::{SideColumns, Sides, columns, matched, pivot_rows};
use super::{ConvertPlan, PlanKind, PlanOptions};
use crate::f2::{Echelon, compress};
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;
use crate::plan::gf2::{apply, echelon, independent};
use crate::plan::memory::{AccessConstraints, Accesses};
use crate::plan::program::{Address, BarrierScope, Builder, Threads, ValueId};
use crate::target::{Access, Target};

/// The location of an element in the cluster: `(coordinate within a block, rank of the block)`.
///
/// Locations are linear: the location of an element is the XOR of one `Location` for each bit that is set in the
/// element's coordinates.
type Location = (u64, u64);

/// A map from each element to the block that holds it in the source layout of a conversion.
struct SourceElements {
    /// Echelon form of the columns `within` (of registers, lanes and warps), followed by the columns `blocks`.
    all: Echelon,
    within: Vec<u64>,
    blocks: Vec<u64>,
    /// Mask of the pivot rows of `within`. The bits that this mask selects in the coordinates of an element
    /// identify the element among those of its block.
    rows: u64,
}

impl SourceElements {
    fn of(src: &LinearLayout) -> Self {
        let within = [Dim::REGISTER, Dim::LANE, Dim::WARP].map(|dim| columns(src, dim));
        let within: Vec<u64> = within.into_iter().flatten().collect();
        let blocks: Vec<u64> = columns(src, Dim::BLOCK).collect();
        Self {
            all: echelon(within.iter().chain(&blocks)),
            rows: pivot_rows(&echelon(&within)),
            within,
            blocks,
        }
    }

    /// Returns the location of an element, or `None` if no block holds it.
    fn location(&self, element: u64) -> Option<Location> {
        let sources = self.all.solve(element)?;
        let count = self.within.len();
        let coordinate = apply(&self.within, sources & ((1 << count) - 1));
        Some((compress(coordinate, self.rows), sources >> count))
    }

    /// Returns one column of the linear map from the rank of a reading block to the location from which this block
    /// loads. The column is the value that is XORed into the location if bit `bit` of the rank is set. Returns
    /// `None` if no block holds the element.
    ///
    /// `element` is the value that the same bit XORs into the coordinates of the loaded element. If several blocks
    /// hold a replica, the reading block chooses a block whose rank has the same value in bit `bit` as its own
    /// rank.
    fn location_of_block(&self, bit: usize, element: u64) -> Option<Location> {
        let column = self.blocks.get(bit).copied().unwrap_or(0);
        if self.all.pivot_columns() >> (self.within.len() + bit) & 1 == 1 {
            return self.location(element);
        }
        let (coordinate, rank) = self.location(element ^ column)?;
        Some((coordinate, rank | 1 << bit))
    }
}

/// Returns the cheapest plan in which each thread may load from the shared memory of every block of the cluster.
///
/// # Errors
/// Returns an error in these cases:
/// - the layouts do not match each other or the target, or no block holds an element;
/// - the elements of a block take more bytes than the scratch limit allows.
pub(super) fn plan_in_cluster(
    src: &LinearLayout,
    dst: &LinearLayout,
    elem_bits: u32,
    options: &PlanOptions,
    target: &Target,
) -> Result<ConvertPlan, PlanError> {
    let (dst, lanes_log2, warps_log2) = matched(src, dst, target)?;
    let elements = SourceElements::of(src);
    let blocks = elements.blocks.len().max(columns(&dst, Dim::BLOCK).count());
    let missing = |dim, bit| PlanError::from(PlanErrorKind::NotCovered { dim, bit });
    let locations = |dim: Dim| -> Result<Vec<Location>, PlanError> {
        let columns = columns(&dst, dim).enumerate();
        let columns = columns.filter(|(_, column)| dim != Dim::REGISTER || *column != 0);
        let location = |(bit, column)| elements.location(column).ok_or(missing(dim, bit));
        columns.map(location).collect()
    };
    let [registers, lanes, warps] = [Dim::REGISTER, Dim::LANE, Dim::WARP].map(locations);
    let (registers, threads) = (registers?, [lanes?, warps?].concat());
    let dst_blocks: Vec<u64> = columns(&dst, Dim::BLOCK).collect();
    let ranks: Vec<Location> = (0..blocks)
        .map(|bit| {
            let column = dst_blocks.get(bit).copied().unwrap_or(0);
            let location = elements.location_of_block(bit, column);
            location.ok_or(missing(Dim::BLOCK, bit))
        })
        .collect::<Result<_, _>>()?;

    // The swizzle sees each block alone, as if all locations were in the reader's block.
    let coordinates = |locations: &[Location]| locations.iter().map(|at| at.0).collect::<Vec<_>>();
    let own = |dim: Dim| columns(src, dim).map(|column| compress(column, elements.rows));
    let sides = Sides {
        src: SideColumns {
            reg: own(Dim::REGISTER).filter(|column| *column != 0).collect(),
            thread: own(Dim::LANE).chain(own(Dim::WARP)).collect(),
        },
        dst: SideColumns {
            reg: independent(coordinates(&registers)),
            thread: coordinates(&threads),
        },
        bits: elements.rows.count_ones(),
        lanes_log2,
        warps_log2,
    };
    let log2 = sides.bits.max(narrow(registers.len()));
    if log2 > MOST_ELEMENTS_LOG2 {
        return Err(PlanErrorKind::TooLarge { log2 }.into());
    }
    let bytes = elem_bits.max(8) / 8;
    let needed = u64::from(bytes) << sides.bits;
    let limit = options.scratch_limit.unwrap_or(u32::MAX);
    let limit = limit.min(target.max_shared_bytes);
    let route = Route::best(&sides, 8 * bytes, 0, target).filter(|_| needed <= u64::from(limit));
    let route = route.ok_or(PlanErrorKind::Scratch {
        needed,
        limit,
        target: target.name,
    })?;

    let offsets = echelon(&route.swizzle().basis);
    let address = |&(coordinate, rank): &Location| {
        let offset = offsets.solve(coordinate)? * u64::from(bytes);
        Some(offset | rank << Address::CTA_SHIFT)
    };
    let addresses = |locations: &[Location]| locations.iter().map(address).collect::<Option<_>>();
    let positions: Option<Vec<u64>> = addresses(&registers);
    let threads: Option<Vec<u64>> = addresses(&[threads, ranks].concat());
    let loads = positions
        .as_ref()
        .zip(threads)
        .and_then(|(registers, threads)| {
            Accesses::choose(&AccessConstraints {
                registers,
                threads: &threads,
                lanes_log2,
                element_bytes: bytes,
                max_bytes: target.max_shared_vector_bits / 8,
                neighbours: None,
                runtime_bits: 0,
                repetition_bits: 0,
                paddings: &[],
                access: Access::Load,
                // Matrix instructions read the shared memory of their own block only.
                is_converged: false,
                target,
            })
        });
    let loads =
        loads.unwrap_or_else(|| unreachable!("the swizzle assigns an offset to each coordinate"));
    let route = route.with_cluster_loads(loads);

    let threads = Threads {
        lanes_log2,
        warps_log2,
        blocks_log2: narrow(blocks),
    };
    let mut b = Builder::new(narrow(sides.src.reg.len()), &[elem_bits], threads);
    let mut loaded: Vec<ValueId> = Vec::new();
    route.store(&mut b, 0, 0, |register| ValueId(narrow(register)));
    b.barrier(BarrierScope::Cluster);
    route.load(&mut b, 0, &mut loaded);
    b.barrier(BarrierScope::Cluster);
    let index = route.loaded_at(positions.into_iter().flatten().map(Some));
    let results = (0..1u64 << index.len())
        .map(|r| loaded[narrow::<usize>(apply(&index, r))])
        .collect();
    let program = b.finish(results, route.scratch_bytes(), target);
    let mut plan = ConvertPlan::new(PlanKind::Cluster, program);
    route.explain(&mut plan);
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use crate::encoding::Encoding;
    use crate::layout::LinearLayout;
    use crate::machine::check_plan;
    use crate::plan::{PlanKind, PlanOptions, plan_conversion};
    use crate::target::Target;

    fn layout(text: &str, shape: &[u64]) -> LinearLayout {
        let encoding: Encoding = text.parse().expect("it is well-formed");
        encoding
            .to_surjective_layout(shape)
            .expect("the shape fits")
    }

    /// Returns the text of a blocked encoding that has two warps along each dimension. `cga` contains the bases of
    /// the CTAs.
    fn blocked(lanes: [u32; 2], order: [u32; 2], cga: &str) -> String {
        format!(
            "#ttg.blocked<{{sizePerThread = [1, 2], threadsPerWarp = {lanes:?}, warpsPerCTA = [2, 2], \
             order = {order:?}, CGALayout = {cga}}}>"
        )
    }

    const CGAS: [&str; 8] = [
        "[[1, 0], [0, 1]]",
        "[[0, 1], [1, 0]]",
        "[[1, 0], [2, 0]]",
        "[[0, 2], [0, 1]]",
        "[[0, 0], [1, 0]]",
        "[[0, 1], [0, 0]]",
        "[[0, 0], [0, 0]]",
        "[[2, 0], [1, 0]]",
    ];

    #[test]
    fn every_thread_gets_the_elements_of_other_blocks() {
        let target = Target::parse("cuda:90").expect("known");
        let mut crossing = 0;
        for (from, to) in CGAS.iter().flat_map(|a| CGAS.iter().map(move |b| (a, b))) {
            for shape in [[32, 64], [128, 16]] {
                let src = layout(&blocked([4, 8], [1, 0], from), &shape);
                let dst = layout(&blocked([16, 2], [0, 1], to), &shape);
                for bits in [1, 8, 16, 32, 64] {
                    let plan = plan_conversion(&src, &dst, bits, target, &PlanOptions::new());
                    let plan = plan.expect("it fits");
                    crossing += usize::from(plan.kind() == PlanKind::Cluster);
                    let found = check_plan(plan.program(), &src, &dst, target);
                    assert!(found.is_ok(), "{from} {to} {bits}: {found:?}\n{plan}");
                }
            }
        }
        assert!(crossing > 300, "{crossing}");
    }

    /// Checks that blocks cannot exchange elements on GPUs that cannot load from the shared memory of another
    /// block.
    #[test]
    fn blocks_exchange_elements_in_clusters_only() {
        let src = layout(&blocked([4, 8], [1, 0], CGAS[0]), &[64, 64]);
        let dst = layout(&blocked([4, 8], [1, 0], CGAS[1]), &[64, 64]);
        // The clusters of gfx1250 share loads from global memory only.
        for target in ["cuda:80", "hip:gfx1250"] {
            let target = Target::parse(target).expect("known");
            let plan = plan_conversion(&src, &dst, 32, target, &PlanOptions::new());
            let error = plan.expect_err("a thread accesses one CTA").to_string();
            assert!(
                error.contains("the GPU cannot load from another CTA"),
                "{error}"
            );
        }
    }
}
