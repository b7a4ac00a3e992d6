//! `tt.fp_to_fp` between all float formats, against exact arithmetic, on GPUs with and without conversion instructions.

use super::operations::noise;
use gpu_sim::{Arg, Launch, Memory};
use linear_layout_mlir::driver;

/// Names and warp sizes of the targets to test. Some targets convert floats in software; the others cover every
/// family of conversion instructions.
const TARGETS: [(&str, u32); 6] = [
    ("cuda:80", 32),
    ("cuda:90", 32),
    ("hip:gfx90a", 64),
    ("hip:gfx942", 64),
    ("hip:gfx950", 64),
    ("hip:gfx1200", 32),
];

/// The encoding of infinities and NaNs in a float format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    /// Codes with the largest exponent are infinity or NaN.
    Ieee,
    /// The code whose bits are all set, except the sign, is NaN. There is no infinity.
    Finite,
    /// The code of negative zero is NaN. There is no infinity and no negative zero.
    Unsigned,
}

/// A float format, described by the widths of its fields, its exponent bias, and its special codes.
#[derive(Clone, Copy, Debug)]
struct Format {
    name: &'static str,
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    family: Family,
}

const fn format(
    name: &'static str,
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    family: Family,
) -> Format {
    Format {
        name,
        exponent_bits,
        mantissa_bits,
        bias,
        family,
    }
}

const FORMATS: [Format; 8] = [
    format("f8E4M3FN", 4, 3, 7, Family::Finite),
    format("f8E5M2", 5, 2, 15, Family::Ieee),
    format("f8E4M3FNUZ", 4, 3, 8, Family::Unsigned),
    format("f8E5M2FNUZ", 5, 2, 16, Family::Unsigned),
    format("f16", 5, 10, 15, Family::Ieee),
    format("bf16", 8, 7, 127, Family::Ieee),
    format("f32", 8, 23, 127, Family::Ieee),
    format("f64", 11, 52, 1023, Family::Ieee),
];

/// The rounding mode of a conversion to a narrower format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    NearestEven,
    NearestAway,
    TowardsZero,
    Downward,
    Upward,
}

impl Mode {
    const ALL: [Self; 5] = [
        Self::NearestEven,
        Self::NearestAway,
        Self::TowardsZero,
        Self::Downward,
        Self::Upward,
    ];

    /// Returns the name of this rounding mode in `arith.truncf`.
    fn name(self) -> &'static str {
        match self {
            Self::NearestEven => "to_nearest_even",
            Self::NearestAway => "to_nearest_away",
            Self::TowardsZero => "toward_zero",
            Self::Downward => "downward",
            Self::Upward => "upward",
        }
    }
}

/// The value that a code represents. A finite number has a sign and the magnitude `mantissa * 2^exponent`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Number {
    Nan,
    Infinity(bool),
    Finite(bool, u128, i32),
}

impl Format {
    fn bits(self) -> u32 {
        1 + self.exponent_bits + self.mantissa_bits
    }

    fn value(self, code: u64) -> Number {
        let sign_bit = self.exponent_bits + self.mantissa_bits;
        let negative = code >> sign_bit != 0;
        let size = code & ((1 << sign_bit) - 1);
        let exponent = (size >> self.mantissa_bits) as i32;
        let fraction = size & ((1 << self.mantissa_bits) - 1);
        match self.family {
            Family::Ieee if exponent == (1 << self.exponent_bits) - 1 => {
                return if fraction == 0 {
                    Number::Infinity(negative)
                } else {
                    Number::Nan
                };
            }
            Family::Finite if size == (1 << sign_bit) - 1 => return Number::Nan,
            Family::Unsigned if negative && size == 0 => return Number::Nan,
            _ => {}
        }
        let implied = u64::from(exponent != 0) << self.mantissa_bits;
        let power = exponent.max(1) - self.bias - self.mantissa_bits as i32;
        Number::Finite(negative, u128::from(implied + fraction), power)
    }

    /// Returns the code of the largest finite number.
    fn largest(self) -> u64 {
        let sign_bit = self.exponent_bits + self.mantissa_bits;
        match self.family {
            Family::Ieee => (((1 << self.exponent_bits) - 1) << self.mantissa_bits) - 1,
            Family::Finite => (1 << sign_bit) - 2,
            Family::Unsigned => (1 << sign_bit) - 1,
        }
    }

    /// Returns the code to which `number` must be converted. Returns `None` if the result must be NaN, for which
    /// any NaN code is accepted.
    fn expected(self, number: Number, mode: Mode) -> Option<u64> {
        let towards_zero = mode == Mode::TowardsZero;
        let sign_bit = self.exponent_bits + self.mantissa_bits;
        let is_8_bits = self.bits() == 8;
        match number {
            Number::Nan => None,
            Number::Infinity(_) if self.family == Family::Unsigned => None,
            Number::Infinity(negative) => {
                let keeps = self.family == Family::Ieee && (!is_8_bits || towards_zero);
                let size = self.largest() + u64::from(keeps);
                Some(u64::from(negative) << sign_bit | size)
            }
            Number::Finite(negative, mantissa, power) => {
                let size = self.rounded(negative, mantissa, power, mode);
                // Formats of 8 bits saturate; rounding towards zero always does.
                let saturates = is_8_bits;
                let limit = self.largest() + u64::from(!saturates);
                let size = size.min(limit);
                let signed = negative && (size != 0 || self.family != Family::Unsigned);
                Some(u64::from(signed) << sign_bit | size)
            }
        }
    }

    /// Returns the code to which the magnitude of a number is rounded. The code is found by binary search over all
    /// codes. The tested code, in contrast, computes the exponent and the fraction.
    fn rounded(self, negative: bool, mantissa: u128, power: i32, mode: Mode) -> u64 {
        if mantissa == 0 {
            return 0;
        }
        let (mut low, mut high) = (0, self.largest() + 2);
        while high - low > 1 {
            let middle = u64::midpoint(low, high);
            if self.compare(2 * u128::from(middle), mantissa, power) == std::cmp::Ordering::Greater
            {
                high = middle;
            } else {
                low = middle;
            }
        }
        let below = low.min(self.largest());
        match mode {
            Mode::TowardsZero => return below,
            Mode::Downward | Mode::Upward => {
                let grows = negative == (mode == Mode::Downward);
                let is_exact =
                    low == below && self.compare(2 * u128::from(low), mantissa, power).is_eq();
                return below + u64::from(grows && !is_exact);
            }
            Mode::NearestEven | Mode::NearestAway if low > self.largest() => return low,
            Mode::NearestEven | Mode::NearestAway => {}
        }
        match self.compare(2 * u128::from(low) + 1, mantissa, power) {
            std::cmp::Ordering::Less => low + 1,
            std::cmp::Ordering::Equal if mode == Mode::NearestAway => low + 1,
            std::cmp::Ordering::Equal => low + (low & 1),
            std::cmp::Ordering::Greater => low,
        }
    }

    /// Compares the number that `twice` represents with `mantissa * 2^power`. An even `twice` represents the number
    /// with the code `twice / 2`. An odd `twice` represents the midpoint between the numbers with the codes
    /// `(twice - 1) / 2` and `(twice + 1) / 2`. The code after the largest finite one is treated as the next number
    /// of an unbounded exponent range.
    fn compare(self, twice: u128, mantissa: u128, power: i32) -> std::cmp::Ordering {
        let code = (twice / 2) as u64;
        let exponent = (code >> self.mantissa_bits) as i32;
        let fraction = code & ((1 << self.mantissa_bits) - 1);
        let implied = u64::from(exponent != 0) << self.mantissa_bits;
        let own = 2 * u128::from(implied + fraction) + twice % 2;
        let own_power = exponent.max(1) - self.bias - self.mantissa_bits as i32 - 1;
        // Equal magnitudes are compared as multiples of the smaller power, which fit into 128 bits.
        let magnitude = |m: u128, p: i32| {
            if m == 0 {
                i32::MIN
            } else {
                m.ilog2() as i32 + p
            }
        };
        let by_size = magnitude(own, own_power).cmp(&magnitude(mantissa, power));
        if by_size.is_ne() {
            return by_size;
        }
        let finer = own_power.min(power);
        (own << (own_power - finer)).cmp(&(mantissa << (power - finer)))
    }
}

/// Returns the number of random codes to test per format of more than 16 bits. The environment variable
/// `LL_CONVERSIONS` overrides the default of 12288.
fn noisy() -> usize {
    let asked = std::env::var("LL_CONVERSIONS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(12288)
}

/// Maximum number of codes that one launch converts.
const PIECE: usize = 1 << 18;

/// Returns the codes of a format that are tested: all codes if the format has at most 16 bits. For a wider format,
/// these are random codes, and codes at and next to the numbers and midpoints of narrower formats.
fn inputs(format: Format) -> Vec<u64> {
    let bits = format.bits();
    if bits <= 16 {
        return (0..1 << bits).collect();
    }
    let shift = 64 - bits;
    let mut all: Vec<u64> = noise(noisy(), 7).into_iter().map(|x| x >> shift).collect();
    let unit = |power: i32| u64::from((power + format.bias).cast_unsigned());
    for power in -30..18 {
        for seed in 0..64u64 {
            // Few bits set, plus or minus one: ties and their neighbours.
            let fraction = (seed >> 2) << (format.mantissa_bits - 4);
            let near = [0u64, 1, 0, u64::MAX][seed as usize & 3];
            let size = (unit(power) << format.mantissa_bits | fraction).wrapping_add(near);
            all.push(size);
            all.push(size | 1 << (bits - 1));
        }
    }
    let infinity = ((1u64 << format.exponent_bits) - 1) << format.mantissa_bits;
    for size in [
        0,
        1,
        infinity - 1,
        infinity,
        infinity + 1,
        infinity | 1 << (format.mantissa_bits - 1),
    ] {
        all.push(size);
        all.push(size | 1 << (bits - 1));
    }
    all.resize(all.len().next_multiple_of(BLOCK), 0);
    all
}

/// Number of elements that one thread block converts.
const BLOCK: usize = 256;

/// Returns a kernel that loads the elements `%x`, converts them to `%y` by `line`, and stores them. Each thread
/// block converts [`BLOCK`] elements.
fn kernel((target, lanes): (&str, u32), from: &str, to: &str, line: &str) -> String {
    let tensor = |element: &str| format!("tensor<{BLOCK}x{element}, #e>");
    let pointers = |name: &str, argument: &str, element: &str| {
        let (type_, integers) = (tensor(&format!("!tt.ptr<{element}>")), tensor("i32"));
        format!(
            "%{name}s = tt.splat {argument} : !tt.ptr<{element}> -> {type_}\n\
             %{name}a = tt.addptr %{name}s, %at : {type_}, {integers}\n"
        )
    };
    format!(
        "#e = #ttg.blocked<{{sizePerThread = [8], threadsPerWarp = [{lanes}], warpsPerCTA = [1], order = [0]}}>\n\
         module attributes {{\"ttg.num-warps\" = 1 : i32, ttg.target = \"{target}\", \
         \"ttg.threads-per-warp\" = {lanes} : i32}} {{\n\
         tt.func public @k(%in: !tt.ptr<{from}>, %out: !tt.ptr<{to}>) {{\n\
         %range = tt.make_range {{end = {BLOCK} : i32, start = 0 : i32}} : {integers}\n\
         %pid = tt.get_program_id x : i32\n%size = arith.constant {BLOCK} : i32\n\
         %first = arith.muli %pid, %size : i32\n%firsts = tt.splat %first : i32 -> {integers}\n\
         %at = arith.addi %range, %firsts : {integers}\n\
         {}%x = tt.load %pa : {}\n{line}\n{}tt.store %qa, %y : {}\ntt.return\n}}\n}}\n",
        pointers("p", "%in", from),
        tensor(&format!("!tt.ptr<{from}>")),
        pointers("q", "%out", to),
        tensor(&format!("!tt.ptr<{to}>")),
        integers = tensor("i32"),
    )
}

fn run(target: (&str, u32), from: Format, to: Format, line: &str, inputs: &[u64]) -> Vec<u64> {
    let text = kernel(target, from.name, to.name, line);
    let decoded = driver::decode(text.as_bytes(), "kernel.mlir", None, None)
        .unwrap_or_else(|e| panic!("{}: {line}\n{e}", target.0));
    let mut memory = Memory::default();
    let (width, to_width) = (from.bits() as usize / 8, to.bits() as usize / 8);
    let bytes = inputs
        .iter()
        .flat_map(|bits| bits.to_le_bytes()[..width].to_vec());
    let input = memory.add("input", bytes.collect());
    let output = memory.add("output", vec![0xa5; to_width * inputs.len()]);
    Launch::new(decoded.machine)
        .grid([(inputs.len() / BLOCK) as u32, 1, 1])
        .args(vec![Arg::Buffer(input), Arg::Buffer(output)])
        .run(&decoded.program, &mut memory)
        .unwrap_or_else(|e| panic!("{}: {line}\n{e}", target.0));
    let element = |chunk: &[u8]| {
        let mut bits = [0; 8];
        bits[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(bits)
    };
    memory.bytes(output).chunks(to_width).map(element).collect()
}

/// Checks `tt.fp_to_fp` from one format to another on all inputs and targets. Returns the number of compared
/// results.
fn check(from: Format, to: Format, towards_zero: bool, inputs: &[u64]) -> usize {
    let narrows = from.bits() >= to.bits();
    let clause = match (narrows, towards_zero) {
        (false, _) => "",
        (true, false) => ", rounding = rtne",
        (true, true) => ", rounding = rtz",
    };
    let line = format!(
        "%y = tt.fp_to_fp %x{clause} : tensor<{BLOCK}x{}, #e> -> tensor<{BLOCK}x{}, #e>",
        from.name, to.name
    );
    let mode = if towards_zero {
        Mode::TowardsZero
    } else {
        Mode::NearestEven
    };
    compare(from, to, mode, &line, inputs)
}

/// Checks the operation in `line`, which converts `%x` to `%y`, on all inputs and targets. Returns the number of
/// compared results.
fn compare(from: Format, to: Format, mode: Mode, line: &str, inputs: &[u64]) -> usize {
    for piece in inputs.chunks(PIECE) {
        let expected: Vec<Option<u64>> = piece
            .iter()
            .map(|code| to.expected(from.value(*code), mode))
            .collect();
        for target in TARGETS {
            let found = run(target, from, to, line, piece);
            for ((input, found), expected) in piece.iter().zip(found).zip(&expected) {
                let is_right = match expected {
                    Some(code) => found == *code,
                    None => to.value(found) == Number::Nan,
                };
                assert!(
                    is_right,
                    "{}: {line}\nof {input:#x}, {:?}: found {found:#x}, expected {expected:x?}",
                    target.0,
                    from.value(*input)
                );
            }
        }
    }
    inputs.len() * TARGETS.len()
}

#[test]
fn every_format_becomes_every_other() {
    let (mut ways, mut results) = (0, 0);
    for from in FORMATS {
        let inputs = inputs(from);
        for to in FORMATS {
            if from.name == to.name {
                continue;
            }
            let narrows = from.bits() >= to.bits();
            let roundings: &[bool] = if narrows { &[false, true] } else { &[false] };
            for &towards_zero in roundings {
                results += check(from, to, towards_zero, &inputs);
                ways += 1;
            }
        }
    }
    // 7 formats each, and both roundings where the result is not wider.
    assert_eq!(ways, 91);
    assert!(results > 10_000_000, "{results}");
}

#[test]
fn every_rounding_mode_of_a_truncation_is_exact() {
    let (mut ways, mut results) = (0, 0);
    let floats: Vec<Format> = FORMATS.into_iter().filter(|f| f.bits() >= 16).collect();
    for &from in &floats {
        let inputs = inputs(from);
        for &to in floats.iter().filter(|to| to.bits() < from.bits()) {
            for mode in Mode::ALL {
                let line = format!(
                    "%y = arith.truncf %x {} : tensor<{BLOCK}x{}, #e> to tensor<{BLOCK}x{}, #e>",
                    mode.name(),
                    from.name,
                    to.name
                );
                results += compare(from, to, mode, &line, &inputs);
                ways += 1;
            }
        }
    }
    // f32 to two formats of 16 bits, f64 to three, each in five modes.
    assert_eq!(ways, 25);
    assert!(results > 1_000_000, "{results}");
}
