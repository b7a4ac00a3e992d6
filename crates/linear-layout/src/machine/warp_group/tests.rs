//! Proofs of plans for all forms of buffers, and detection of broken plans.

use super::*;
use crate::plan::memory::BufferLayout;
use crate::plan::warp_group::tests::{core_matrices, left, place, sum, swizzled};
use crate::plan::warp_group::{
    FactorBuffer, IssuedFactor, MatrixDescriptor, MatrixSwizzle, plan_warp_group_product,
};
use crate::target::{Number, Target};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum SharedForm {
    Swizzled(u64),
    /// Core matrices of 8 rows of 16 bytes, without a swizzle. Entry `i` is the dimension (`false` for 0, `true`
    /// for 1) along which step `i` from one core matrix to another is made. The entries repeat cyclically. If the
    /// core matrices already span the whole buffer along this dimension, the step is made along the other
    /// dimension.
    ///
    /// A step determines one bit of a core matrix's number. The first step along the rows of A determines three
    /// bits.
    Cores(Vec<bool>),
}

/// A buffer that holds operand A or B. The buffer may be larger than the operand.
#[derive(Clone, Debug)]
struct FactorBufferCase {
    form: SharedForm,
    is_k_major: bool,
    /// For each dimension, log2 of the ratio of the buffer size to the operand size.
    larger: [u32; 2],
}

impl FactorBufferCase {
    /// Returns the layout of the buffer, and the mask of the positions that a view of the operand's shape may have.
    /// `shape` is the shape of the operand, and `depth` is the index of dimension k in `shape`.
    fn place(&self, shape: [u64; 2], depth: usize, bits: u32) -> (BufferLayout, u64) {
        let contiguous = if self.is_k_major { depth } else { 1 - depth };
        let mut whole = [0, 1].map(|dim| shape[dim] << self.larger[dim]);
        let text = match &self.form {
            SharedForm::Swizzled(bytes) => {
                whole[contiguous] = whole[contiguous].max(8 * bytes / u64::from(bits));
                swizzled(*bytes, contiguous == 0, bits)
            }
            SharedForm::Cores(order) => {
                let mut left = [0, 1].map(|dim| {
                    let row = if dim == contiguous { 128 / bits } else { 8 };
                    (whole[dim] / u64::from(row)).trailing_zeros()
                });
                let mut dims = Vec::new();
                let mut order = order.iter().cycle();
                while left != [0; 2] {
                    let wanted = usize::from(*order.next().unwrap());
                    let dim = if left[wanted] == 0 {
                        1 - wanted
                    } else {
                        wanted
                    };
                    // The 64 rows of a tile of A must have one stride.
                    let is_tile = dim == 1 - depth && depth == 1 && !dims.contains(&dim);
                    let count = if is_tile { 3 } else { 1 };
                    left[dim] -= count;
                    dims.extend((0..count).map(|_| dim));
                }
                core_matrices(contiguous, bits, &dims)
            }
        };
        let place = place(&text, whole, bits);
        let view_mask = place.view_mask(&shape).unwrap();
        (place, view_mask)
    }
}

fn buffer() -> impl Strategy<Value = FactorBufferCase> {
    let form = prop_oneof![
        Just(SharedForm::Swizzled(128)),
        Just(SharedForm::Swizzled(64)),
        Just(SharedForm::Swizzled(32)),
        prop::collection::vec(any::<bool>(), 3..9).prop_map(|mut order| {
            // Both dimensions occur, so that each has enough bits.
            order.extend([true, false]);
            SharedForm::Cores(order)
        }),
    ];
    (form, any::<bool>(), [0..2u32, 0..2u32]).prop_map(|(form, is_k_major, larger)| {
        FactorBufferCase {
            form,
            is_k_major,
            larger,
        }
    })
}

const TYPES: [([Number; 2], Number); 7] = [
    ([Number::F16; 2], Number::F32),
    ([Number::F16; 2], Number::F16),
    ([Number::Bf16; 2], Number::F32),
    ([Number::Tf32; 2], Number::F32),
    ([Number::I8; 2], Number::I32),
    ([Number::E4m3; 2], Number::F32),
    ([Number::E4m3, Number::E5m2], Number::F16),
];

const WARPS: [[u32; 2]; 5] = [[4, 1], [8, 1], [4, 2], [8, 2], [4, 4]];

/// A matrix product to plan and check. `a` is `None` if A is held in registers. `sizes_log2` contains log2 of m and
/// n in elements, and log2 of the number of tiles along k.
#[derive(Clone, Debug)]
struct ProductCase {
    types: usize,
    warps: [u32; 2],
    sizes_log2: [u32; 3],
    instruction_log2: u32,
    a: Option<FactorBufferCase>,
    b: FactorBufferCase,
}

fn case() -> impl Strategy<Value = ProductCase> {
    let sizes = [6..=8u32, 3..=7u32, 0..=2u32];
    let a = prop_oneof![1 => Just(None), 4 => buffer().prop_map(Some)];
    let types = 0..TYPES.len();
    (types, 0..WARPS.len(), sizes, 3..=7u32, a, buffer()).prop_map(
        |(types, warps, sizes_log2, instruction_log2, a, b)| ProductCase {
            types,
            warps: WARPS[warps],
            sizes_log2,
            instruction_log2,
            a,
            b,
        },
    )
}

fn planned(case: &ProductCase, run: impl FnOnce(&WarpGroupPlan, &WarpGroupOperands<'_>)) {
    let (factors, sum_type) = TYPES[case.types];
    let bits = factors[0].bits();
    let [m, n, depth] = case.sizes_log2.map(|log2| 1 << log2);
    let k = depth * u64::from(256 / bits);
    let width = 1 << case.instruction_log2.min(case.sizes_log2[1]);
    let d = sum(case.warps, width, [m, n]);
    // Only 16-bit elements can be m- or n-major.
    let of_width = |buffer: &FactorBufferCase| FactorBufferCase {
        is_k_major: buffer.is_k_major || bits != 16,
        ..buffer.clone()
    };
    let (b, b_mask) = of_width(&case.b).place([k, n], 0, bits);
    let (registers, buffer);
    let a = match &case.a {
        None => {
            registers = left(case.warps, 32 / bits, [m, k]);
            LeftFactor::Registers(&registers)
        }
        Some(a) => {
            buffer = of_width(a).place([m, k], 1, bits);
            LeftFactor::Buffer(FactorBuffer {
                layout: &buffer.0,
                view_mask: buffer.1,
            })
        }
    };
    let operands = WarpGroupOperands {
        d: &d,
        a,
        b: FactorBuffer {
            layout: &b,
            view_mask: b_mask,
        },
        k,
        factors,
        sum: sum_type,
        target: Target::parse("cuda:90").unwrap(),
    };
    let plan = plan_warp_group_product(&operands);
    let plan = plan.unwrap_or_else(|error| panic!("{case:?}: {error}"));
    run(&plan, &operands);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn plans_multiply_what_belongs_together(case in case()) {
        planned(&case, |plan, operands| {
            let checked = check_warp_group_product(plan, operands);
            assert_eq!(checked, Ok(()), "{case:?}");
        });
    }
}

/// Returns a product of f16 matrices with m = n = 128 and k = 64, for which the descriptors use every field.
fn whole(form: &SharedForm, is_k_major: bool) -> ProductCase {
    let buffer = FactorBufferCase {
        form: form.clone(),
        is_k_major,
        larger: [0; 2],
    };
    ProductCase {
        types: 0,
        warps: [4, 1],
        sizes_log2: [7, 7, 2],
        instruction_log2: 7,
        a: Some(buffer.clone()),
        b: buffer,
    }
}

fn broken(plan: &WarpGroupPlan) -> Vec<(&'static str, WarpGroupPlan)> {
    let mut all = Vec::new();
    let mut push = |what, change: &dyn Fn(&mut WarpGroupPlan)| {
        let mut broken = plan.clone();
        change(&mut broken);
        all.push((what, broken));
    };
    for operand in [0, 1] {
        let Some(own) = plan.descriptors[operand] else {
            continue;
        };
        let mut with = |what, change: &dyn Fn(&mut MatrixDescriptor)| {
            push(what, &|plan| {
                plan.descriptors[operand].as_mut().map(change);
            });
        };
        if own.leading_bytes != 0 {
            with("leading bytes", &|of| of.leading_bytes *= 2);
            with("no leading bytes", &|of| of.leading_bytes = 0);
        }
        with("stride bytes", &|of| of.stride_bytes += 16);
        with("twice the stride bytes", &|of| of.stride_bytes *= 2);
        for swizzle in MatrixSwizzle::ALL {
            if swizzle != own.swizzle {
                with("swizzle", &|of| of.swizzle = swizzle);
            }
        }
        with("transposed", &|of| of.is_k_major = !of.is_k_major);
        if own.leading_bytes != own.stride_bytes {
            with("exchanged", &|of| {
                std::mem::swap(&mut of.leading_bytes, &mut of.stride_bytes);
            });
        }
    }
    let last = plan.issues.len() - 1;
    for bytes in [16, 32, 128, 1024] {
        push("start of B", &|plan| plan.issues[last].b += bytes);
        push("start of A", &|plan| {
            if let IssuedFactor::Position(position) = &mut plan.issues[last].a {
                *position += bytes;
            } else {
                plan.issues[last].b += bytes;
            }
        });
    }
    push("accumulators", &|plan| {
        plan.issues[0].accumulators.swap(0, 5);
    });
    push("one accumulator", &|plan| {
        let accumulators = &mut plan.issues[0].accumulators;
        accumulators[3] = accumulators[2];
    });
    push("first", &|plan| plan.issues[0].is_first_k = false);
    push("not first", &|plan| plan.issues[1].is_first_k = true);
    push("depth", &|plan| plan.sizes[2] /= 2);
    push("width", &|plan| plan.sizes[1] /= 2);
    push("order of k", &|plan| {
        plan.issues.swap(1, 2);
    });
    push("a missing issue", &|plan| {
        plan.issues.pop();
    });
    push("an issue twice", &|plan| {
        let issue = plan.issues[last].clone();
        plan.issues.push(issue);
    });
    push("group of A", &|plan| {
        plan.group_positions[0]
            .iter_mut()
            .for_each(|own| *own ^= 1024);
        plan.issues[0].b ^= 1024;
    });
    push("words", &|plan| match &mut plan.issues[0].a {
        IssuedFactor::Words(words) => words.swap(1, 2),
        IssuedFactor::Position(position) => *position ^= 2048,
    });
    all
}

#[test]
fn broken_plans_are_rejected() {
    let cores = SharedForm::Cores(vec![true, false]);
    let forms = [128, 64, 32].map(SharedForm::Swizzled);
    for form in forms.into_iter().chain([cores]) {
        for (is_k_major, is_in_registers) in [(true, false), (false, false), (true, true)] {
            let mut case = whole(&form, is_k_major);
            if is_in_registers {
                case.a = None;
            }
            planned(&case, |plan, operands| {
                assert_eq!(check_warp_group_product(plan, operands), Ok(()));
                for (what, broken) in broken(plan) {
                    let checked = check_warp_group_product(&broken, operands);
                    assert!(checked.is_err(), "{what}: {case:?}");
                }
            });
        }
    }
}

/// Checks that a transposed operand with 8-bit elements is rejected, because the hardware transposes only operands
/// with 16-bit elements.
#[test]
fn a_transposed_operand_of_bytes_is_rejected() {
    let mut case = whole(&SharedForm::Swizzled(64), true);
    case.types = 5;
    planned(&case, |plan, operands| {
        let mut broken = plan.clone();
        broken.descriptors[1].as_mut().unwrap().is_k_major = false;
        let fault = check_warp_group_product(&broken, operands).unwrap_err();
        let expected = "B is transposed and has 8-bit elements: expected 16-bit elements in a transposed operand";
        assert_eq!(fault.to_string(), expected);
    });
}

#[test]
fn faults_have_texts() {
    let mut case = whole(&SharedForm::Swizzled(128), true);
    case.warps = [8, 1];
    planned(&case, |plan, operands| {
        let message = |change: &dyn Fn(&mut WarpGroupPlan)| {
            let mut broken = plan.clone();
            change(&mut broken);
            let fault = check_warp_group_product(&broken, operands);
            fault.unwrap_err().to_string()
        };
        assert_eq!(
            message(&|plan| plan.group_positions[0][0] = 0),
            "in lane 0 of warp 4, register 0 holds (m, n) = (64, 0), but issue 0 adds products for (0, 0)"
        );
        assert_eq!(
            message(&|plan| plan.issues[1].b += 32),
            "issue 1 of warp group 0 multiplies an element of A with k = 16 by an element of B with k = 32: \
             expected the same k"
        );
        assert_eq!(
            message(&|plan| plan.issues[3].accumulators.swap(0, 1)),
            "in lane 0 of warp 0, register 1 holds (m, n) = (0, 1), but issue 3 adds products for (0, 0)"
        );
        assert_eq!(
            message(&|plan| {
                plan.issues.pop();
            }),
            "in D, register 0 sums the products for 48 values of k: expected 64"
        );
    });
}
