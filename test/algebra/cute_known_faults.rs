//! Faults of other implementations of CuTe's algebra, one test each.

use linear_layout::cute::{ComposedLayout, CuteError, Layout, Swizzle, Tiler};

type CuteResult = Result<(), CuteError>;

fn layout(text: &str) -> Layout {
    text.parse().unwrap()
}

#[track_caller]
fn prints(found: Result<Layout, CuteError>, expected: &str) {
    assert_eq!(found.unwrap().to_string(), expected);
}

#[track_caller]
fn refuses(found: Result<Layout, CuteError>, reason: &str) {
    let error = found.unwrap_err().to_string();
    assert!(error.contains(reason), "{error}");
}

/// For the composition of (6,2):(1,10) with 4:4, CuTe's C++ implementation and cutegen return (2,2):(4,10), whose
/// indices are 0, 4, 10, 14. The correct indices are 0, 4, 12, 20, so the composition must be rejected.
#[test]
fn a_stride_that_does_not_divide_carries() {
    let outer = layout("(6,2):(1,10)");
    let reason = "index 8, which the outer layout maps to 12, but strides map coordinate 2 to 10";
    refuses(outer.composition(&layout("4:4")), reason);
    // It may be exact nevertheless, and is no error: 0, 0, 1, 1.
    prints(
        layout("(5,2):(0,1)").composition(&layout("4:3")),
        "(2,2):(0,1)",
    );
}

/// Composes (4,2):(1,10) with (3,2):(1,3). Each mode of the inner layout can be composed separately. However,
/// element (1, 1) of the inner layout has the index 1 + 3, which is beyond the first mode of the outer layout. All
/// other implementations of CuTe's algebra wrongly return (3,2):(1,3).
#[test]
fn modes_carry_into_each_other() {
    let found = layout("(4,2):(1,10)").composition(&layout("(3,2):(1,3)"));
    refuses(
        found,
        "index 4, which the outer layout maps to 10, but strides map coordinate 4 to 4",
    );
}

/// For the composition of (6,2):(1,10) with 4:2, pycute returns 3:2, which has three elements. A composition must
/// have as many elements as the inner layout, here four, so this composition must be rejected.
#[test]
fn a_shape_that_ends_inside_a_mode() {
    let reason = "where 3 steps fit; expected a multiple of 3; the nearest inner shape is 3";
    refuses(layout("(6,2):(1,10)").composition(&layout("4:2")), reason);
}

/// pycute returns a complement with a shape of 0 if the modes of a layout overlap. CuTe's C++ implementation
/// returns a complement with negative shapes if a stride is negative.
#[test]
fn complements_of_what_overlaps_or_goes_down() {
    let reason =
        "mode 2:3 overlaps the modes with smaller strides, which cover the indices below 4";
    refuses(layout("(4,2):(1,3)").complement(24), reason);
    refuses(
        layout("4:-1").complement(4),
        "mode 4:-1 has a negative stride",
    );
}

/// Computes the complement of (2,7):(16,1) in 64. The stride 16 is not divisible by 7, the extent of the mode with
/// the smaller stride. All other implementations return (2,2):(7,32), which is too short: together with
/// (2,7):(16,1), it reaches the index 61 instead of 63.
#[test]
fn a_complement_reaches_the_end() {
    let of = layout("(2,7):(16,1)");
    prints(of.complement(64), "(2,3):(7,32)");
}

/// The inverses of a layout must skip modes of stride 0. pycute stops at the first mode of stride 0, and returns
/// 1:0 as a left inverse.
#[test]
fn inverses_pass_over_stride_0() -> CuteResult {
    let of = layout("(2,4):(0,1)");
    assert_eq!(of.right_inverse().to_string(), "4:2");
    let left = of.left_inverse()?;
    for i in 0..8 {
        assert_eq!(of.at(left.at(of.at(i)?)?)?, of.at(i)?);
    }
    Ok(())
}

/// CuTe's C++ implementation returns the left inverse (8,5):(5,1) for (5,15):(8,1), although the modes of this
/// layout overlap. The check of the strides in that implementation does not detect the overlap.
#[test]
fn a_left_inverse_of_what_overlaps() {
    refuses(layout("(5,15):(8,1)").left_inverse(), "modes overlap");
    // Overlap alone is not a fault: 0, 1 are found at 0, 1 and 2, 3, 4 in the second mode.
    prints(layout("(2,4):(1,1)").left_inverse(), "4:2");
}

/// The logical product of (8,2):(10,3) and 4 does not exist. All other implementations return ((8,2),4):((10,3),1).
/// The fourth block of this result begins at index 3, which the first block already contains.
#[test]
fn a_product_of_uneven_gaps() {
    let of = layout("(8,2):(10,3)");
    refuses(
        of.logical_product(&Tiler::Size(4)),
        "makes 4 steps in outer mode 3:1, where 3 steps fit",
    );
    prints(
        of.logical_product(&Tiler::Size(6)),
        "((8,2),(3,2)):((10,3),(1,80))",
    );
}

/// If the tiler of a logical product is a number, pycute wrongly divides the layout instead of multiplying it.
#[test]
fn a_product_by_a_number() {
    prints(
        layout("16:1").logical_product(&Tiler::Size(3)),
        "(16,3):(1,16)",
    );
}

/// For a swizzle of no bits, pycute recurses endlessly.
#[test]
fn a_swizzle_of_no_bits() -> CuteResult {
    assert_eq!(Swizzle::new(0, 3, 0)?.apply(54), 54);
    Ok(())
}

/// pycute computes wrong results for negative strides. For (4,2):(-1,4), it computes a cosize of 2 instead of 8.
/// For the composition of 12:3 with 4:-1, it returns 4:0 instead of 4:-3.
#[test]
fn negative_strides() -> CuteResult {
    assert_eq!(layout("(4,2):(-1,4)").cosize(), 8);
    assert_eq!(
        layout("12:3").composition(&layout("4:-1"))?.to_string(),
        "4:-3"
    );
    // Below 0 the last mode is unbounded, and 3, 2, 1 of the first come first: 0, 8, 5, 2 is not a layout. C++: 4:-3.
    refuses(
        layout("(4,3):(3,1)").composition(&layout("4:-1")),
        "not a layout",
    );
    Ok(())
}

/// The composition of a layout of three modes with a tiler of two modes must drop the third mode, but pycute keeps
/// it.
#[test]
fn a_tiler_drops_modes_behind_it() {
    let tiler = Tiler::Modes(vec![Tiler::Size(2), Tiler::Size(3)]);
    let found = layout("(4,6,8):(6,1,24)").composition_by(&tiler);
    prints(found, "(2,3):(6,1)");
}

/// A layout whose shape and stride are nested differently is an error. If the shape has more modes than the stride,
/// pycute silently drops the additional modes.
#[test]
fn shapes_and_strides_that_differ() {
    let error = "(4,2):(1)".parse::<Layout>().unwrap_err();
    let reason = "the shape (4,2) and the stride (1) have different structures";
    assert!(error.to_string().starts_with(reason), "{error}");
}

/// In a raked product, a mode of one element must be kept. For (4,1):(1,4) and (1,3):(0,1), mode 0 of the product
/// has the shape (1,4), but cutegen returns the shape 4. The complement of 24:1 in 24 is empty, which is written
/// 1:0, but cutegen returns 1:24.
#[test]
fn modes_of_one_step() {
    let found = layout("(4,1):(1,4)").raked_product(&layout("(1,3):(0,1)"));
    prints(found, "((1,4),(3,1)):((0,1),(4,4))");
    prints(layout("24:1").complement(24), "1:0");
}

/// The right inverse of `Sw<2,3,3> o 0 o (8,8):(8,1)` has no swizzle. CuTe's C++ implementation returns Sw<2,0,3> o
/// 0 o (8,8):(8,1), which maps index 1 to coordinate 9.
#[test]
fn a_swizzle_behind_the_end() -> CuteResult {
    let of: ComposedLayout = "Sw<2,3,3> o 0 o (8,8):(8,1)".parse()?;
    let inverse = of.right_inverse()?;
    assert!(inverse.is_plain() && inverse.layout == layout("(8,8):(8,1)"));
    Ok(())
}

/// Two swizzles cannot be composed into one if the second reads a bit that the first has changed. CuTe's C++
/// implementation nevertheless returns Sw<2,0,1>.
#[test]
fn swizzles_in_a_chain() -> CuteResult {
    let (low, high) = (Swizzle::new(1, 0, 1)?, Swizzle::new(1, 1, 1)?);
    let error = low.composition(high).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("reads bits that Sw<1,1,1> changes"),
        "{error}"
    );
    Ok(())
}

/// Layouts with overlapping modes cannot be cast to elements of a different width. CuTe's C++ implementation
/// nevertheless returns layouts. Some of their indices denote parts of elements that no element of the original
/// layout contains.
#[test]
fn parts_of_elements_in_two_modes() {
    refuses(
        layout("(4,4):(1,1)").downcast(2),
        "mode 4:1 is a second mode with stride 1",
    );
    refuses(
        layout("(2,2):(1,1)").upcast(2),
        "modes overlap within a vector of 2 elements",
    );
}

#[test]
fn numbers_that_do_not_fit() -> CuteResult {
    let huge = i64::MAX;
    for text in [
        format!("({huge},2):(1,1)"),
        format!("3:{huge}"),
        format!("(2,2):({huge},{huge})"),
        format!("1:{}", i64::MIN),
    ] {
        let error = text.parse::<Layout>().unwrap_err();
        assert!(
            error.to_string().contains("does not fit in 64 bits"),
            "{text}: {error}"
        );
    }
    let error = "9223372036854775808:1".parse::<Layout>().unwrap_err();
    assert_eq!(error.place(), Some(0));
    let long = Layout::scalar(huge, 1)?;
    let step = Layout::scalar(2, 1 << 61)?;
    for found in [
        long.downcast(2),
        long.logical_product(&Tiler::Size(2)),
        step.composition(&Layout::scalar(8, 1)?),
        step.complement_in(&"(3037000500,3037000500)".parse()?),
    ] {
        refuses(found, "does not fit in 64 bits");
    }
    assert!(step.at(4).is_err() && step.at(3).is_ok());
    // The largest that fits.
    assert_eq!(long.complement(huge)?.to_string(), "1:0");
    assert_eq!(long.right_inverse(), long);
    let three = Layout::scalar(3, 1)?;
    assert_eq!(
        three.complement_in(&huge.into())?.to_string(),
        "3074457345618258603:3"
    );
    assert_eq!(long.composition(&long)?, long);
    Ok(())
}
