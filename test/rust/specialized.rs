//! Kernels with warp specialisation: correct for every schedule of warps and every arrival time of copies.

use crate::kernels::{Bench, UNTOUCHED};
use crate::pipelined::{run_on_all_machines, run_product};
use gpu_sim::{Arg, ElementTy, FloatTy};

const F32: ElementTy = ElementTy::Float(FloatTy::F32);

/// Number of elements of a tile in the kernels without products.
const TILE: usize = 256;

#[test]
fn buffers_are_handed_over() {
    // More tiles than stages, so that each stage is used in both phases of its mbarriers.
    let (programs, tiles) = (2, 7);
    let open = || Bench::new("specialized/hand_over.ttgir");
    run_on_all_machines(&open, [programs, 1, 1], |bench| {
        let count = programs as usize * tiles * TILE;
        let x = bench.random(F32, count, 1);
        let out = bench.untouched(F32, count);
        let args = vec![Arg::Buffer(x), Arg::Buffer(out), Arg::Int(tiles as i128)];
        let verify = move |bench: &Bench| {
            let x = bench.values(x, F32);
            bench.check(out, F32, |i| 2.0 * x[i]);
        };
        (args, Box::new(verify))
    });
}

#[test]
fn partitions_run_in_rounds() {
    let rounds = 5;
    let open = || Bench::new("specialized/rounds.ttgir");
    run_on_all_machines(&open, [1, 1, 1], |bench| {
        let [x, y] = [1, 2].map(|seed| bench.random(F32, rounds * TILE, seed));
        let out = bench.untouched(F32, (rounds + 4) * TILE);
        let buffers = [x, y, out].map(Arg::Buffer).into_iter();
        let args = buffers.chain([Arg::Int(rounds as i128)]).collect();
        let verify = move |bench: &Bench| {
            let [x, y] = [x, y].map(|buffer| bench.values(buffer, F32));
            bench.check(out, F32, |i| match (i / TILE).checked_sub(rounds) {
                None => {
                    let scale = 0.5_f32.powi((i / TILE) as i32);
                    f64::from(x[i] as f32 + y[i] as f32 * scale)
                }
                Some(0) => 7.0,
                Some(1) => 9.0,
                Some(2) => 11.0,
                Some(_) => UNTOUCHED,
            });
        };
        (args, Box::new(verify))
    });
}

/// Runs a product whose rows and columns are not multiples of the tile sizes `tile_m` and `tile_n`.
fn run_matmul(file: &str, [tile_m, tile_n]: [usize; 2]) {
    let sizes @ [_, n, _] = [tile_m + 16, tile_n + 16, 240];
    // Three descriptors for each of three partitions.
    run_product(file, sizes, 3 * 3, move |i, column| i * n + column);
}

#[test]
fn one_warp_loads_and_four_multiply() {
    run_matmul("specialized/matmul.ttgir", [64, 32]);
}

#[test]
fn two_partitions_multiply() {
    run_matmul("specialized/matmul_triton.ttgir", [128, 32]);
}
