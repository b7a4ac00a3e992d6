//! Accesses through tensor descriptors, from default layouts.

use crate::kernels::Bench;
use crate::pipelined::run_on_all_machines;
use crate::products::check;
use gpu_sim::{Arg, ElementTy, FloatTy, Swizzle, TensorElement, TensorMap};

const F32: ElementTy = ElementTy::Float(FloatTy::F32);

/// Tests TMA loads of three-dimensional boxes that extend beyond the tensor; elements outside of the tensor are
/// loaded as NaN. Also tests TMA reductions, which add one-dimensional tensors of sums to global memory.
#[test]
fn boxes_of_three_dimensions() {
    // Boxes have 2 x 16 x 32 elements.
    let sizes @ [outer, rows, columns] = [2, 24, 48];
    let pipeline = "layout-pipeline{lower=false},convert-layouts-to-llvm{abi=triton bounds=true}";
    let open = || Bench::lowered("blocked/box_sums.ttgir", Some(pipeline));
    run_on_all_machines(&open, [2, 2, 1], |bench| {
        let small = (0..outer * rows * columns).map(|i| (i * 7 % 11) as f32);
        let x = bench
            .memory
            .add("x", small.flat_map(f32::to_le_bytes).collect());
        let sums = bench.memory.add("sums", vec![0; 4 * columns]);
        let map = TensorMap {
            address: bench.memory.address(sums),
            element: TensorElement::F32,
            dims: vec![columns as u32],
            strides: Vec::new(),
            block: vec![32],
            swizzle: Swizzle::None,
            fills_nan: false,
            pixels: None,
        };
        let map = bench.memory.add("descriptor", map.encode().to_vec());
        let scratch = bench.memory.add("scratch", vec![0; 4 * 128]);
        let mut args = vec![Arg::Buffer(x), Arg::Buffer(map)];
        // The kernel also has unused parameters for the size and the stride of `sums`.
        args.extend([0; 2].map(Arg::Int));
        args.extend(sizes.map(|size| Arg::Int(size as i128)));
        args.extend([Arg::Buffer(scratch), Arg::Int(0)]);
        let verify = move |bench: &Bench| {
            let [x, sums] = [x, sums].map(|buffer| bench.values(buffer, F32));
            let column = |at: usize| x.iter().skip(at).step_by(columns).sum();
            let expected: Vec<f64> = (0..columns).map(column).collect();
            check("sums", &sums, &expected, 1e-6);
        };
        (args, Box::new(verify))
    });
}
