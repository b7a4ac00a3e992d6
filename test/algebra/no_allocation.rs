//! Allocation tests: neither the algebra nor the layout of an encoding allocates, by a counting allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use linear_layout::cute::{self, CuteError};
use linear_layout::encoding::Encoding;
use linear_layout::layout::{
    AffineLayout, Dim, LayoutError, LinearLayout, RegisterPermutation, ensure_not_larger_than,
    ensure_not_smaller_than,
};
use linear_layout::tilus::{self, RegisterLayout, SharedLayout, TilusError};

/// An allocator that forwards to the system's allocator and counts the allocations of each thread.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is forwarded to the system's allocator.
#[expect(unsafe_code, reason = "a global allocator is an unsafe trait")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread in destruction has no counter, and nothing to count.
        let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
        // SAFETY: the caller's obligations are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's obligations are those of the system's allocator.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[track_caller]
fn check<R>(name: &str, operation: impl FnOnce() -> R) -> R {
    let before = CALLS.with(Cell::get);
    let result = black_box(operation());
    let calls = CALLS.with(Cell::get) - before;
    assert_eq!(calls, 0, "{name} allocates {calls} times");
    result
}

const D0: Dim = Dim::out(0);
const D1: Dim = Dim::out(1);

fn mma() -> Result<LinearLayout, LayoutError> {
    [
        (2, Dim::REGISTER, D1),
        (4, Dim::LANE, D1),
        (8, Dim::LANE, D0),
        (2, Dim::REGISTER, D0),
        (2, Dim::WARP, D0),
        (2, Dim::WARP, D1),
        (8, Dim::REGISTER, D1),
        (4, Dim::REGISTER, D0),
        (1, Dim::BLOCK, D0),
    ]
    .into_iter()
    .try_fold(LinearLayout::empty(), |l, (size, i, o)| {
        l.product(&LinearLayout::identity_1d(size, i, o)?)
    })
}

#[test]
fn the_counter_counts() {
    let before = CALLS.with(Cell::get);
    drop(black_box(Vec::<u64>::with_capacity(black_box(3))));
    assert_eq!(CALLS.with(Cell::get) - before, 1);
}

#[test]
fn layouts_never_allocate() -> Result<(), LayoutError> {
    let l = check("product of nine", mma)?;
    let memory = check("identity_nd", || {
        LinearLayout::identity_nd(Dim::OFFSET, &[128, 128], &[1, 0])
    })?;
    check("strided_1d", || {
        LinearLayout::strided_1d(64, 4, Dim::LANE, D0)
    })?;
    check("zeros_1d", || LinearLayout::zeros_1d(64, Dim::LANE, D0, 4))?;
    check("from_bases", || {
        LinearLayout::from_bases(&[(Dim::LANE, &[&[1, 0], &[0, 1]])], &[D0, D1])
    })?;
    let inverse = check("invert", || l.invert())?;
    check("pseudoinvert", || l.pseudoinvert())?;
    let store = check("invert_and_compose", || l.invert_and_compose(&memory))?;
    check("block local", || l.invert_and_compose_block_local(&memory))?;
    check("minimal conversion", || l.minimal_conversion_to(&l))?;
    check("compose", || l.compose(&inverse))?;
    check("divide_left", || {
        memory.divide_left(&LinearLayout::identity_1d(4, Dim::OFFSET, D1)?)
    })?;
    check("divide_right", || {
        l.divide_right(&LinearLayout::identity_1d(4, Dim::REGISTER, D0)?)
    })?;
    check("transpose_ins", || {
        l.transpose_ins(&[Dim::WARP, Dim::LANE, Dim::BLOCK, Dim::REGISTER])
    })?;
    check("transpose_outs", || l.transpose_outs(&[D0, D1]))?;
    check("reshape_ins", || {
        l.reshape_ins(&[(Dim::LANE, 1 << 7), (Dim::WARP, 1 << 7)])
    })?;
    check("reshape_outs", || l.reshape_outs(&[(D0, 1 << 14)]))?;
    check("reshape_standard", || l.reshape_standard(&[64, 2, 128]))?;
    check("flatten", || l.flatten_ins()?.flatten_outs())?;
    check("resize_in", || l.resize_in(Dim::REGISTER, 1 << 9))?;
    check("resize_out", || l.resize_out(D0, 4))?;
    check("rename_in", || l.rename_in(Dim::REGISTER, Dim::OFFSET))?;
    check("remove_zero_bases", || l.remove_zero_bases(Dim::REGISTER))?;
    check("sublayout", || l.sublayout(&[Dim::LANE], &[D1]))?;
    check("quotient", || store.quotient(&[Dim::BLOCK]));
    check("not larger", || {
        ensure_not_larger_than(&l, &[(D0, 64), (D1, 32)], false)
    })?;
    check("not smaller", || {
        ensure_not_smaller_than(&l, &[(D0, 256), (D1, 256)])
    })?;
    check("free masks", || l.free_variable_masks());
    check("rank", || (l.rank(), l.is_surjective(), l.is_injective()));
    check("apply", || {
        l.apply(&[
            (Dim::REGISTER, 5),
            (Dim::LANE, 9),
            (Dim::WARP, 3),
            (Dim::BLOCK, 0),
        ])
    })?;
    check("apply_range", || l.apply_range(0..100).sum::<u64>());
    check("equality", || l == l.clone());
    check("vectorisation", || store.largest_vectorisation(16, None))?;
    check("action", || {
        RegisterPermutation::removing_broadcast(&l, Dim::REGISTER)?.apply(&l)
    })?;
    let text = l.to_string();
    let read = check("parse", || text.parse::<LinearLayout>())?;
    assert_eq!(read, l);
    let flipped = check("flip", || AffineLayout::from(l.clone()).flip_in(Dim::LANE))?;
    check("affine compose", || flipped.invert()?.compose(&flipped))?;
    // Errors do not allocate either.
    check("an error", || l.resize_in(D0, 3).unwrap_err());
    Ok(())
}

/// For every encoding of the conformance vectors, the construction of the layout allocates nothing. The exceptions
/// are layouts of more than 2^24 inputs, which allocate once for their columns.
#[test]
fn encodings_become_layouts_without_allocating() {
    let vectors = [
        include_str!("../golden/encodings.jsonl"),
        include_str!("../golden/encodings_random.jsonl"),
    ];
    let (mut small, mut large) = (0, 0);
    for line in vectors.iter().flat_map(|file| file.lines()) {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let Ok(encoding) = case["enc"].as_str().unwrap().parse::<Encoding>() else {
            continue;
        };
        let Ok(shape) = serde_json::from_value::<Vec<u64>>(case["shape"].clone()) else {
            continue;
        };
        let before = CALLS.with(Cell::get);
        let layout = black_box(encoding.to_linear_layout(&shape));
        let calls = CALLS.with(Cell::get) - before;
        let Ok(layout) = layout else {
            continue;
        };
        let inputs = layout.total_in_bits();
        assert_eq!(
            calls,
            usize::from(inputs > 24),
            "{encoding} on {shape:?}, {inputs} bits"
        );
        *(if inputs > 24 { &mut large } else { &mut small }) += 1;
    }
    assert!(small > 1000 && large > 0, "{small} and {large}");
}

/// Operations on Tilus layouts of common ranks do not allocate, except those that return indices as lists.
#[test]
fn layouts_of_tilus_never_allocate() -> Result<(), TilusError> {
    let outer = check("local, spatial", || tilus::local(&[2, 1])?.spatial(&[8, 4]))?;
    let tile = check("column_local", || tilus::column_local(&[1, 2]))?;
    let whole = check("compose", || outer.compose(&tile))?;
    check("divide", || whole.divide(&tile))?;
    check("left_divide", || whole.left_divide(&outer))?;
    check("new", || {
        RegisterLayout::new(&[16, 8], &[2, 8, 4, 2], &[1, 2], &[0, 3])
    })?;
    check("reduce", || whole.reduce(&[0], true))?;
    check("reduce_to", || whole.reduce_to(&[1, 8]))?;
    check("permute", || whole.permute(&[1, 0]))?;
    check("reshape", || whole.reshape(&[2, 64]))?;
    check("flatten", || whole.flatten(..))?;
    check("unsqueeze, squeeze", || {
        whole.unsqueeze(&[0])?.squeeze(&[0])
    })?;
    check("concat", || outer.concat(&tile))?;
    check("auto_local_spatial", || {
        tilus::auto_local_spatial(64, &[32, 32])
    })?;
    check("canonical, equality", || whole.canonical() == whole);
    check("local_of", || whole.local_of(&[9, 5]))?;
    check("threads_of", || {
        whole.threads_of(&[9, 5]).map(Iterator::sum::<u64>)
    })?;
    check("threads_function", || {
        whole.threads_function().covers(&outer.threads_function())
    });
    let shared = check("row_major_swizzled", || {
        SharedLayout::row_major_swizzled(&[8, 64], 2)
    })?;
    check("offset_of", || shared.offset_of(&[7, 9]))?;
    check("tiles", || {
        SharedLayout::row_major(&[4, 1])?.compose(&shared)
    })?;
    Ok(())
}

/// Operations on CuTe layouts of at most eight modes do not allocate. Few layouts have more than eight modes.
#[test]
fn layouts_of_cute_never_allocate() -> Result<(), CuteError> {
    let layout = check("parse", || "(8,(16,4),3):(64,(1,16),512)".parse())?;
    let layout: &cute::Layout = &layout;
    let tile = check("scalar", || cute::Layout::scalar(4, 2))?;
    let tiler = cute::Tiler::Layout(tile.clone());
    check("coalesce", || layout.coalesce());
    check("composition", || layout.composition(&tile))?;
    check("complement", || layout.complement(4096))?;
    check("right_inverse", || layout.right_inverse());
    check("left_inverse", || layout.left_inverse())?;
    check("logical_divide", || layout.logical_divide(&tiler))?;
    check("zipped_divide", || layout.zipped_divide(&tiler))?;
    check("logical_product", || tile.logical_product(&tiler))?;
    check("upcast", || layout.upcast(4))?;
    check("max_alignment", || layout.max_alignment());
    check("at", || layout.at(77))?;
    check("coordinate_of", || layout.coordinate_of(77));
    let coordinate = check("parse a coordinate", || "(_,(3,_),1)".parse())?;
    check("slice", || layout.slice(&coordinate))?;
    check("equality", || *layout == *layout);
    Ok(())
}
