//! Rendering time of pictures of a 128x128 layout, best of many rounds: `cargo bench --bench pictures`.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

use linear_layout::encoding::Encoding;
use linear_layout::layout::LinearLayout;
use linear_layout::view::{Scene, Window, html, svg};
use std::hint::black_box;
use std::time::Instant;

const ENCODING: &str = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";
const ROUNDS: usize = 20;

type Draw = fn(&LinearLayout) -> String;

const DRAWINGS: [(&str, Draw); 2] = [
    ("SVG", |layout| svg(&Scene::tensor(layout, Window::PICTURE))),
    ("page", |layout| {
        html("layout", &[Scene::tensor(layout, Window::PICTURE)])
    }),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let encoding: Encoding = ENCODING.parse()?;
    let layout = encoding.to_linear_layout(&[128, 128])?;
    println!("{:<10} {:>8} {:>10}", "picture", "ms", "bytes");
    for (name, draw) in DRAWINGS {
        let bytes = draw(&layout).len();
        let once = |_| {
            let start = Instant::now();
            black_box(draw(black_box(&layout)));
            start.elapsed()
        };
        let best = (0..ROUNDS).map(once).min().expect("there are rounds");
        println!("{name:<10} {:>8.1} {bytes:>10}", best.as_secs_f64() * 1e3);
    }
    Ok(())
}
