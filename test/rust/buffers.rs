//! Buffers in shared memory, simulated: random encodings, register layouts, element types and views on GPUs of both
//! vendors. Loads must agree with plain indexing, without races.

use crate::referee::random::Rng;
use gpu_sim::{Arg, Launch, Memory};
use linear_layout_mlir::driver;
use std::fmt::Write;

const GPUS: [(&str, usize); 6] = [
    ("cuda:80", 32),
    ("cuda:90", 32),
    ("cuda:120", 32),
    ("hip:gfx942", 64),
    ("hip:gfx950", 64),
    ("hip:gfx1100", 32),
];

const TYPES: [(&str, usize); 6] = [
    ("i8", 1),
    ("f16", 2),
    ("bf16", 2),
    ("i32", 4),
    ("f32", 4),
    ("i64", 8),
];

/// Draws a two-dimensional blocked layout for four warps.
fn blocked(random: &mut Rng, lanes: usize) -> String {
    let down = 1 << random.below(lanes.ilog2() as usize + 1);
    let warps = random.choose(&[1, 2, 4]);
    let per_thread = [random.choose(&[1, 2, 4, 8]), random.choose(&[1, 2, 4, 8])];
    let order = random.choose(&["0, 1", "1, 0"]);
    format!(
        "#ttg.blocked<{{sizePerThread = [{}, {}], threadsPerWarp = [{down}, {}], warpsPerCTA = [{warps}, {}], order = [{order}]}}>",
        per_thread[0],
        per_thread[1],
        lanes / down,
        4 / warps
    )
}

/// Draws a register layout for four warps. On NVIDIA GPUs, it may be the layout of an operand or result of a tensor
/// core instruction; otherwise, it is a blocked layout.
fn registers(random: &mut Rng, lanes: usize, gpu: &str, bits: usize) -> String {
    if !gpu.starts_with("cuda") || bits > 32 || random.below(2) == 0 {
        return blocked(random, lanes);
    }
    let warps = random.choose(&["4, 1", "2, 2", "1, 4"]);
    let result = format!(
        "#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [{warps}], instrShape = [16, 8]}}>"
    );
    match random.below(3) {
        0 => result,
        index => format!(
            "#ttg.dot_op<{{opIdx = {}, parent = {result}, kWidth = {}}}>",
            index - 1,
            32 / bits
        ),
    }
}

const ROWS: usize = 32;
const COLUMNS: usize = 64;

/// Draws a shared-memory encoding for a buffer of 32x64 elements. Also returns the encoding of the transposed
/// buffer.
fn shared(random: &mut Rng, bits: usize) -> [String; 2] {
    let orders = random.choose(&[["1, 0", "0, 1"], ["0, 1", "1, 0"]]);
    match random.below(6) {
        kind @ (0 | 1) => {
            let name = ["swizzled_shared", "amd_rotating_shared"][kind];
            let (vec, phase, max) = (
                random.choose(&[1, 2, 4, 8]),
                random.choose(&[1, 2, 4]),
                random.choose(&[1, 2, 4, 8]),
            );
            orders.map(|order| {
                format!("#ttg.{name}<{{vec = {vec}, perPhase = {phase}, maxPhase = {max}, order = [{order}]}}>")
            })
        }
        2 => {
            // The swizzle must not be wider than a row of 32 elements.
            let width = random.choose(if bits == 8 { &[0, 32] } else { &[0, 64] });
            [orders[0] == "0, 1", orders[0] != "0, 1"].map(|transposed| {
                format!("#ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = {transposed}, elementBitWidth = {bits}}}>")
            })
        }
        3 => {
            let gap = random.choose(&["4:+4", "64:+8", "128:+1", "16:+2, 256:+16"]);
            let shapes = [[ROWS, COLUMNS], [COLUMNS, ROWS]];
            [0, 1].map(|i| {
                format!(
                    "#ttg.padded_shared<[{gap}] {{order = [{}], shape = {:?}}}>",
                    orders[i], shapes[i]
                )
            })
        }
        4 => {
            let (dim, parts, groups) = (
                random.below(2),
                random.choose(&[2, 4]),
                random.choose(&[1, 2]),
            );
            [(dim, orders[0]), (1 - dim, orders[1])].map(|(dim, order)| {
                format!("#ttg.partitioned_shared<{{numPartitions = {parts}, numGroups = {groups}, partitionDim = {dim}, partitionLayout = #ttg.swizzled_shared<{{vec = 4, perPhase = 1, maxPhase = 2, order = [{order}]}}>}}>")
            })
        }
        _ => {
            // Each offset bit is a bit of one dim, in any order; some are swizzled.
            let mut bases: Vec<[usize; 2]> = (0..6)
                .map(|bit| [0, 1 << bit])
                .chain((0..5).map(|bit| [1 << bit, 0]))
                .collect();
            for i in (1..bases.len()).rev() {
                bases.swap(i, random.below(i + 1));
            }
            let mixed = random.below(bases.len());
            let (from, to) = (bases[mixed], bases[(mixed + 1) % bases.len()]);
            bases[mixed] = [from[0] | to[0], from[1] | to[1]];
            let text = |bases: Vec<[usize; 2]>| {
                format!("#ttg.shared_linear<{{offset = {bases:?}, block = []}}, alignment = 128>")
            };
            [
                text(bases.clone()),
                text(bases.iter().map(|b| [b[1], b[0]]).collect()),
            ]
        }
    }
}

/// Returns operations that compute a tensor of pointers to the elements of a row-major matrix.
fn pointers(name: &str, base: &str, layout: &str, shape: [usize; 2], ty: &str) -> String {
    let [r, c] = shape;
    format!(
        "
    %{name}r = tt.make_range {{start = 0 : i32, end = {r} : i32}} : tensor<{r}xi32, #ttg.slice<{{dim = 1, parent = {layout}}}>>
    %{name}c = tt.make_range {{start = 0 : i32, end = {c} : i32}} : tensor<{c}xi32, #ttg.slice<{{dim = 0, parent = {layout}}}>>
    %{name}r1 = tt.expand_dims %{name}r {{axis = 1 : i32}} : tensor<{r}xi32, #ttg.slice<{{dim = 1, parent = {layout}}}>> -> tensor<{r}x1xi32, {layout}>
    %{name}c1 = tt.expand_dims %{name}c {{axis = 0 : i32}} : tensor<{c}xi32, #ttg.slice<{{dim = 0, parent = {layout}}}>> -> tensor<1x{c}xi32, {layout}>
    %{name}k = arith.constant dense<{c}> : tensor<{r}x1xi32, {layout}>
    %{name}m = arith.muli %{name}r1, %{name}k : tensor<{r}x1xi32, {layout}>
    %{name}rb = tt.broadcast %{name}m : tensor<{r}x1xi32, {layout}> -> tensor<{r}x{c}xi32, {layout}>
    %{name}cb = tt.broadcast %{name}c1 : tensor<1x{c}xi32, {layout}> -> tensor<{r}x{c}xi32, {layout}>
    %{name}o = arith.addi %{name}rb, %{name}cb : tensor<{r}x{c}xi32, {layout}>
    %{name}b = tt.splat {base} : !tt.ptr<{ty}> -> tensor<{r}x{c}x!tt.ptr<{ty}>, {layout}>
    %{name} = tt.addptr %{name}b, %{name}o : tensor<{r}x{c}x!tt.ptr<{ty}>, {layout}>, tensor<{r}x{c}xi32, {layout}>"
    )
}

struct Case {
    text: String,
    bytes: usize,
    /// For each element of the output, its index in the input.
    expected: Vec<usize>,
}

/// Draws a kernel that stores a matrix to a shared-memory buffer and loads it through a view of the buffer.
fn case(random: &mut Rng) -> Case {
    let (gpu, lanes) = random.choose(&GPUS);
    let (ty, bytes) = random.choose(&TYPES);
    let [encoding, transposed] = shared(random, 8 * bytes);
    let [from, to] = [(); 2].map(|()| registers(random, lanes, gpu, 8 * bytes));
    let in_row = random.below(2) == 1;
    let memory = "#ttg.shared_memory, mutable";
    let whole = format!("!ttg.memdesc<{ROWS}x{COLUMNS}x{ty}, {encoding}, {memory}>");
    let tensor = format!("tensor<{ROWS}x{COLUMNS}x{ty}, {from}>");
    let mut body = pointers("p", "%x", &from, [ROWS, COLUMNS], ty);
    let line = |body: &mut String, text: String| writeln!(body, "\n    {text}").unwrap();
    line(
        &mut body,
        format!("%v = tt.load %p : tensor<{ROWS}x{COLUMNS}x!tt.ptr<{ty}>, {from}>"),
    );
    if in_row {
        let several = format!("!ttg.memdesc<3x{ROWS}x{COLUMNS}x{ty}, {encoding}, {memory}>");
        line(
            &mut body,
            format!("%all = ttg.local_alloc : () -> {several}"),
        );
        // All three are written, so that a read of a wrong one is detected.
        for i in [0, 1, 2] {
            line(
                &mut body,
                format!(
                    "%i{i} = arith.constant {i} : i32\n    %m{i} = ttg.memdesc_index %all[%i{i}] : {several} -> {whole}"
                ),
            );
        }
        let zero = format!(
            "%z = arith.constant dense<0{}> : {tensor}",
            if ty.contains('f') { ".0" } else { "" }
        );
        line(&mut body, zero);
        let chosen = random.below(3);
        for i in 0..3 {
            let value = if i == chosen { "%v" } else { "%z" };
            line(
                &mut body,
                format!("ttg.local_store {value}, %m{i} : {tensor} -> {whole}"),
            );
        }
        line(
            &mut body,
            format!("%buffer = ttg.memdesc_index %all[%i{chosen}] : {several} -> {whole}"),
        );
    } else if random.below(2) == 0 {
        line(
            &mut body,
            format!("%buffer = ttg.local_alloc %v : ({tensor}) -> {whole}"),
        );
    } else {
        line(
            &mut body,
            format!("%buffer = ttg.local_alloc : () -> {whole}"),
        );
        line(
            &mut body,
            format!("ttg.local_store %v, %buffer : {tensor} -> {whole}"),
        );
    }
    let at = |r: usize, c: usize| r * COLUMNS + c;
    let (shape, view, expected): ([usize; 2], String, Vec<usize>) = match random.below(3) {
        0 => {
            line(
                &mut body,
                format!("%view = ttg.memdesc_reinterpret %buffer : {whole} -> {whole}"),
            );
            let all = (0..ROWS * COLUMNS).collect();
            ([ROWS, COLUMNS], whole, all)
        }
        1 => {
            let view = format!("!ttg.memdesc<{COLUMNS}x{ROWS}x{ty}, {transposed}, {memory}>");
            line(
                &mut body,
                format!(
                    "%view = ttg.memdesc_trans %buffer {{order = array<i32: 1, 0>}} : {whole} -> {view}"
                ),
            );
            let all = (0..COLUMNS).flat_map(|c| (0..ROWS).map(move |r| at(r, c)));
            ([COLUMNS, ROWS], view, all.collect())
        }
        _ => {
            let rows = random.choose(&[8, 16, 32]);
            let columns = if rows == ROWS {
                random.choose(&[16, 32])
            } else {
                COLUMNS
            };
            let first = [
                rows * random.below(ROWS / rows),
                columns * random.below(COLUMNS / columns),
            ];
            let view = format!(
                "!ttg.memdesc<{rows}x{columns}x{ty}, {encoding}, {memory}, {ROWS}x{COLUMNS}>"
            );
            line(
                &mut body,
                format!(
                    "%view = ttg.memdesc_subslice %buffer[{}, {}] : {whole} -> {view}",
                    first[0], first[1]
                ),
            );
            let part =
                (0..rows).flat_map(|r| (0..columns).map(move |c| at(first[0] + r, first[1] + c)));
            ([rows, columns], view, part.collect())
        }
    };
    let tensor = format!("tensor<{}x{}x{ty}, {to}>", shape[0], shape[1]);
    line(
        &mut body,
        format!("%w = ttg.local_load %view : {view} -> {tensor}"),
    );
    body += &pointers("q", "%y", &to, shape, ty);
    line(
        &mut body,
        format!(
            "tt.store %q, %w : tensor<{}x{}x!tt.ptr<{ty}>, {to}>",
            shape[0], shape[1]
        ),
    );
    let text = format!(
        "module attributes {{\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32, ttg.target = \"{gpu}\", \"ttg.threads-per-warp\" = {lanes} : i32}} {{
  tt.func public @kernel(%x: !tt.ptr<{ty}>, %y: !tt.ptr<{ty}>) {{{body}
    tt.return
  }}
}}"
    );
    Case {
        text,
        bytes,
        expected,
    }
}

/// Runs a kernel on an input buffer, and returns its output buffer of `output` bytes.
fn run(text: &str, input: &[u8], output: usize) -> Result<Vec<u8>, String> {
    let decoded =
        driver::decode(text.as_bytes(), "buffers", None, None).map_err(|e| e.to_string())?;
    let mut memory = Memory::default();
    let x = memory.add("x", input.to_vec());
    let y = memory.add("y", vec![0xa5; output]);
    Launch::new(decoded.machine)
        .dynamic_shared(decoded.info.shared.unwrap_or(0))
        .args(vec![Arg::Buffer(x), Arg::Buffer(y)])
        .run(&decoded.program, &mut memory)
        .map_err(|e| e.to_string())?;
    Ok(memory.bytes(y).to_vec())
}

fn contents(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 31 + i / 256 * 7) as u8).collect()
}

/// Returns the number of random cases. The environment variable `LL_BUFFERS` overrides the default of 120.
fn count() -> u64 {
    let asked = std::env::var("LL_BUFFERS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(120)
}

#[test]
fn random_buffers() {
    let (mut ran, mut refused) = (0, Vec::new());
    for seed in 1..=count() {
        let mut random = Rng::new(seed);
        random.below(2);
        let case = case(&mut random);
        let input = contents(ROWS * COLUMNS * case.bytes);
        let found = match run(&case.text, &input, case.expected.len() * case.bytes) {
            Ok(found) => found,
            // Some slices cut a swizzle, and some buffers are too large for some GPUs.
            Err(reason)
                if ["swizzle", "partitioned", "bytes of shared memory"]
                    .iter()
                    .any(|why| reason.contains(why)) =>
            {
                refused.push(reason);
                continue;
            }
            Err(reason) => panic!("seed {seed}: {reason}\n{}", case.text),
        };
        let element = |bytes: &[u8], i: usize| bytes[i * case.bytes..][..case.bytes].to_vec();
        for (i, from) in case.expected.iter().enumerate() {
            assert_eq!(
                element(&found, i),
                element(&input, *from),
                "seed {seed}: element {i}\n{}",
                case.text
            );
        }
        ran += 1;
    }
    assert!(
        ran * 2 > count(),
        "{ran} ran, refused:\n{}",
        refused.join("\n")
    );
}

/// Tests double buffering. One buffer is read while the other is written, which requires barriers across
/// iterations.
#[test]
fn buffers_through_loops() {
    let layout = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, LANES], warpsPerCTA = [4, 1], order = [1, 0]}>";
    let other = "#ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [LANES, 8], warpsPerCTA = [1, 4], order = [0, 1]}>";
    for (gpu, lanes) in GPUS {
        let [from, to] = [layout, other].map(|l| l.replace("LANES", &(lanes / 8).to_string()));
        let encoding = "#ttg.padded_shared<[64:+4] {order = [1, 0], shape = [32, 64]}>";
        let one = format!("!ttg.memdesc<32x64xi32, {encoding}, #ttg.shared_memory, mutable>");
        let two = one.replace("<32x64", "<2x32x64");
        let (a, b) = (
            format!("tensor<32x64xi32, {from}>"),
            format!("tensor<32x64xi32, {to}>"),
        );
        let x = pointers("p", "%x", &from, [ROWS, COLUMNS], "i32");
        let y = pointers("q", "%y", &to, [ROWS, COLUMNS], "i32");
        let text = format!(
            "module attributes {{\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32, ttg.target = \"{gpu}\", \"ttg.threads-per-warp\" = {lanes} : i32}} {{
  tt.func public @kernel(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {{{x}
    %v = tt.load %p : tensor<32x64x!tt.ptr<i32>, {from}>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c6 = arith.constant 6 : i32
    %zero = arith.constant dense<0> : {b}
    %all = ttg.local_alloc : () -> {two}
    %first = ttg.memdesc_index %all[%c0] : {two} -> {one}
    ttg.local_store %v, %first : {a} -> {one}
    %r:2 = scf.for %i = %c0 to %c6 step %c1 iter_args(%sum = %zero, %now = %first) -> ({b}, {one}) : i32 {{
      %bit = arith.andi %i, %c1 : i32
      %other = arith.xori %bit, %c1 : i32
      %next = ttg.memdesc_index %all[%other] : {two} -> {one}
      %t = ttg.local_load %now : {one} -> {b}
      %s = arith.addi %sum, %t : {b}
      %k = tt.splat %i : i32 -> {a}
      %w = arith.muli %v, %k : {a}
      ttg.local_store %w, %next : {a} -> {one}
      scf.yield %s, %next : {b}, {one}
    }}{y}
    tt.store %q, %r#0 : tensor<32x64x!tt.ptr<i32>, {to}>
    tt.return
  }}
}}"
        );
        let input = contents(4 * ROWS * COLUMNS);
        let found = run(&text, &input, input.len()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        // The value itself plus 0 to 4 times the value.
        let expected: Vec<u32> = numbers(&input).iter().map(|v| v.wrapping_mul(11)).collect();
        assert_eq!(numbers(&found), expected, "{gpu}");
    }
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
        .collect()
}

/// Returns a kernel that loads and stores an `i32` matrix of 32x64 elements. `body` must compute `%w` from `%v`;
/// both have the layout `io`.
fn kernel(gpu: &str, lanes: usize, io: &str, body: &str) -> String {
    let x = pointers("p", "%x", io, [ROWS, COLUMNS], "i32");
    let y = pointers("q", "%y", io, [ROWS, COLUMNS], "i32");
    format!(
        "module attributes {{\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32, ttg.target = \"{gpu}\", \"ttg.threads-per-warp\" = {lanes} : i32}} {{
  tt.func public @kernel(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {{{x}
    %v = tt.load %p : tensor<32x64x!tt.ptr<i32>, {io}>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32{body}{y}
    tt.store %q, %w : tensor<32x64x!tt.ptr<i32>, {io}>
    tt.return
  }}
}}"
    )
}

/// Returns operations that move the tensor `from` to `to` through random buffers and layout conversions. Buffers
/// that remain live for later reads are appended to `kept`.
fn stages(
    random: &mut Rng,
    lanes: usize,
    io: &str,
    names: [&str; 3],
    kept: &mut Vec<String>,
) -> String {
    let [prefix, from, to] = names;
    let mut body = String::new();
    let line = |body: &mut String, text: String| write!(body, "\n      {text}").unwrap();
    let tensor = format!("tensor<32x64xi32, {io}>");
    let mut now = from.to_owned();
    let count = 1 + random.below(3);
    for i in 0..count {
        let [encoding, _] = shared(random, 32);
        let whole = format!("!ttg.memdesc<32x64xi32, {encoding}, #ttg.shared_memory, mutable>");
        let seen = format!("tensor<32x64xi32, {}>", blocked(random, lanes));
        let buffer = format!("%{prefix}b{i}");
        if random.below(2) == 0 {
            line(
                &mut body,
                format!("{buffer} = ttg.local_alloc {now} : ({tensor}) -> {whole}"),
            );
        } else {
            line(
                &mut body,
                format!("{buffer} = ttg.local_alloc : () -> {whole}"),
            );
            line(
                &mut body,
                format!("ttg.local_store {now}, {buffer} : {tensor} -> {whole}"),
            );
        }
        line(
            &mut body,
            format!("%{prefix}s{i} = ttg.local_load {buffer} : {whole} -> {seen}"),
        );
        let next = if i + 1 == count {
            to.to_owned()
        } else {
            format!("%{prefix}n{i}")
        };
        line(
            &mut body,
            format!("{next} = ttg.convert_layout %{prefix}s{i} : {seen} -> {tensor}"),
        );
        match random.below(3) {
            0 => kept.push(format!("{buffer} : {whole}")),
            1 => line(&mut body, format!("ttg.local_dealloc {buffer} : {whole}")),
            _ => {}
        }
        now = next;
    }
    body
}

/// Tests shared-memory buffers that reuse bytes of other buffers, or of the scratch memory of layout conversions.
/// The buffers are used in sequence, in loops and in branches, and some are read again at the end. A missing
/// barrier is reported as a race, and an offset that is reused too early gives a wrong value.
#[test]
fn random_lifetimes() {
    let mut ran = 0;
    for seed in 1..=count() / 3 {
        let mut random = Rng::new(seed);
        random.below(2);
        let (gpu, lanes) = random.choose(&GPUS);
        let io = blocked(&mut random, lanes);
        let tensor = format!("tensor<32x64xi32, {io}>");
        let mut kept = Vec::new();
        let mut body = stages(&mut random, lanes, &io, ["a", "%v", "%first"], &mut kept);
        // Values of a loop or branch are not visible after it.
        let inner = stages(
            &mut random,
            lanes,
            &io,
            ["l", "%now", "%turned"],
            &mut Vec::new(),
        );
        if random.below(2) == 0 {
            write!(
                body,
                "\n    %second = scf.for %i = %c0 to %c3 step %c1 iter_args(%now = %first) -> ({tensor}) : i32 {{{inner}
      scf.yield %turned : {tensor}\n    }}"
            )
            .unwrap();
        } else {
            let inner = inner.replace("%now", "%first");
            let which = random.choose(&["%c0", "%c1"]);
            write!(
                body,
                "\n    %is = arith.cmpi eq, {which}, %c1 : i32
    %second = scf.if %is -> ({tensor}) {{{inner}
      scf.yield %turned : {tensor}\n    }} else {{\n      scf.yield %first : {tensor}\n    }}"
            )
            .unwrap();
        }
        body += &stages(
            &mut random,
            lanes,
            &io,
            ["z", "%second", "%last"],
            &mut kept,
        );
        let mut sum = "%last".to_owned();
        for (i, buffer) in kept.iter().enumerate() {
            let (name, type_) = buffer.split_once(" : ").unwrap();
            write!(
                body,
                "\n    %k{i} = ttg.local_load {name} : {type_} -> {tensor}
    %sum{i} = arith.addi {sum}, %k{i} : {tensor}"
            )
            .unwrap();
            sum = format!("%sum{i}");
        }
        write!(body, "\n    %w = arith.addi {sum}, %v : {tensor}").unwrap();
        let text = kernel(gpu, lanes, &io, &body);
        let input = contents(4 * ROWS * COLUMNS);
        let found = match run(&text, &input, input.len()) {
            Ok(found) => found,
            Err(reason) if reason.contains("bytes of shared memory") => continue,
            Err(reason) => panic!("seed {seed}: {reason}\n{text}"),
        };
        let times = kept.len() as u32 + 2;
        let expected: Vec<u32> = numbers(&input)
            .iter()
            .map(|n| n.wrapping_mul(times))
            .collect();
        assert_eq!(numbers(&found), expected, "seed {seed}\n{text}");
        ran += 1;
    }
    assert!(ran * 2 > count() / 3, "{ran} ran");
}

/// Tests views of buffers. The first kernel transposes an array of buffers and indexes the result. The second
/// kernel takes eight rows of a buffer and reinterprets them as a buffer of 32x16 elements.
#[test]
fn views_of_rows_and_parts() {
    for (gpu, lanes) in GPUS {
        let io = format!(
            "#ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = [2, {}], warpsPerCTA = [4, 1], order = [1, 0]}}>",
            lanes / 2
        );
        let plain = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>";
        let [rows, columns] = ["1, 0", "0, 1"].map(|order| {
            format!(
                "#ttg.swizzled_shared<{{vec = 4, perPhase = 1, maxPhase = 8, order = [{order}]}}>"
            )
        });
        let memory = "#ttg.shared_memory, mutable";
        let tensor = format!("tensor<32x64xi32, {io}>");
        let one = format!("!ttg.memdesc<32x64xi32, {rows}, {memory}>");
        let three = one.replace("<32x64", "<3x32x64");
        let turned = format!("!ttg.memdesc<64x32xi32, {columns}, {memory}>");
        let three_turned = turned.replace("<64x32", "<3x64x32");
        let body = format!(
            "
    %all = ttg.local_alloc : () -> {three}
    %b = ttg.memdesc_index %all[%c2] : {three} -> {one}
    ttg.local_store %v, %b : {tensor} -> {one}
    %t = ttg.memdesc_trans %all {{order = array<i32: 0, 2, 1>}} : {three} -> {three_turned}
    %c = ttg.memdesc_index %t[%c2] : {three_turned} -> {turned}
    %back = ttg.memdesc_trans %c {{order = array<i32: 1, 0>}} : {turned} -> {one}
    %w = ttg.local_load %back : {one} -> {tensor}"
        );
        let input = contents(4 * ROWS * COLUMNS);
        let text = kernel(gpu, lanes, &io, &body);
        let found = run(&text, &input, input.len()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(numbers(&found), numbers(&input), "{gpu}");

        // Rows 16 to 23 are doubled, seen as 32 rows of 16.
        let whole = format!("!ttg.memdesc<32x64xi32, {plain}, {memory}>");
        let part = format!("!ttg.memdesc<8x64xi32, {plain}, {memory}, 32x64>");
        let other = format!("!ttg.memdesc<32x16xi32, {plain}, {memory}>");
        let small = format!("tensor<32x16xi32, {io}>");
        let body = format!(
            "
    %b = ttg.local_alloc %v : ({tensor}) -> {whole}
    %part = ttg.memdesc_subslice %b[16, 0] : {whole} -> {part}
    %other = ttg.memdesc_reinterpret %part : {part} -> {other}
    %n = ttg.local_load %other : {other} -> {small}
    %twice = arith.addi %n, %n : {small}
    ttg.local_store %twice, %other : {small} -> {other}
    %w = ttg.local_load %b : {whole} -> {tensor}"
        );
        let text = kernel(gpu, lanes, &io, &body);
        let found = run(&text, &input, input.len()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut expected = numbers(&input);
        for n in &mut expected[16 * COLUMNS..24 * COLUMNS] {
            *n = n.wrapping_mul(2);
        }
        assert_eq!(numbers(&found), expected, "{gpu}");
    }
}
