//! Operations of `math`, and of `arith` on floats, on every type and GPUs of both vendors: each assembles or is
//! diagnosed; and the accuracy of the lowered f32 functions.

use super::files::root;
use super::operations::{Elements, elements, floats, run};
use super::ptxas::ptxas;
use gpu_sim::FloatTy;
use linear_layout_mlir::driver;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names and warp sizes of the targets of both vendors that are tested. Those of NVIDIA include the oldest target
/// that current `ptxas` versions support.
const TARGETS: [(&str, u32); 8] = [
    ("cuda:75", 32),
    ("cuda:80", 32),
    ("cuda:90", 32),
    ("cuda:100", 32),
    ("hip:gfx942", 64),
    ("hip:gfx950", 64),
    ("hip:gfx1100", 32),
    ("hip:gfx1250", 32),
];

/// Names and texts of floating-point operations. `$0`, `$1` and `$2` are operands of the type `$t`.
const FLOATS: [(&str, &str); 64] = [
    ("absf", "math.absf $0 : $t"),
    ("acos", "math.acos $0 : $t"),
    ("acosh", "math.acosh $0 : $t"),
    ("asin", "math.asin $0 : $t"),
    ("asinh", "math.asinh $0 : $t"),
    ("atan", "math.atan $0 : $t"),
    ("atan2", "math.atan2 $0, $1 : $t"),
    ("atanh", "math.atanh $0 : $t"),
    ("cbrt", "math.cbrt $0 : $t"),
    ("ceil", "math.ceil $0 : $t"),
    ("clampf", "math.clampf $0 to [$1, $2] : $t"),
    ("copysign", "math.copysign $0, $1 : $t"),
    ("cos", "math.cos $0 : $t"),
    ("cosh", "math.cosh $0 : $t"),
    ("erf", "math.erf $0 : $t"),
    ("erfc", "math.erfc $0 : $t"),
    ("exp", "math.exp $0 : $t"),
    ("exp2", "math.exp2 $0 : $t"),
    ("expm1", "math.expm1 $0 : $t"),
    ("floor", "math.floor $0 : $t"),
    ("fma", "math.fma $0, $1, $2 : $t"),
    ("fpowi", "math.fpowi $0, %n : $t, $n"),
    ("isfinite", "math.isfinite $0 : $t"),
    ("isinf", "math.isinf $0 : $t"),
    ("isnan", "math.isnan $0 : $t"),
    ("isnormal", "math.isnormal $0 : $t"),
    ("log", "math.log $0 : $t"),
    ("log10", "math.log10 $0 : $t"),
    ("log1p", "math.log1p $0 : $t"),
    ("log2", "math.log2 $0 : $t"),
    ("powf", "math.powf $0, $1 : $t"),
    ("round", "math.round $0 : $t"),
    ("roundeven", "math.roundeven $0 : $t"),
    ("rsqrt", "math.rsqrt $0 : $t"),
    ("sin", "math.sin $0 : $t"),
    ("sincos", "math.sincos $0 : $t"),
    ("sinh", "math.sinh $0 : $t"),
    ("sqrt", "math.sqrt $0 : $t"),
    ("tan", "math.tan $0 : $t"),
    ("tanh", "math.tanh $0 : $t"),
    ("trunc", "math.trunc $0 : $t"),
    ("fast_cos", "math.cos $0 fastmath<afn> : $t"),
    ("fast_exp", "math.exp $0 fastmath<afn> : $t"),
    ("fast_exp2", "math.exp2 $0 fastmath<fast> : $t"),
    ("fast_log", "math.log $0 fastmath<afn> : $t"),
    ("fast_log2", "math.log2 $0 fastmath<afn> : $t"),
    ("fast_sin", "math.sin $0 fastmath<fast> : $t"),
    ("addf", "arith.addf $0, $1 : $t"),
    ("subf", "arith.subf $0, $1 : $t"),
    ("mulf", "arith.mulf $0, $1 : $t"),
    ("divf", "arith.divf $0, $1 : $t"),
    ("remf", "arith.remf $0, $1 : $t"),
    ("negf", "arith.negf $0 : $t"),
    ("maximumf", "arith.maximumf $0, $1 : $t"),
    ("minimumf", "arith.minimumf $0, $1 : $t"),
    ("maxnumf", "arith.maxnumf $0, $1 : $t"),
    ("minnumf", "arith.minnumf $0, $1 : $t"),
    ("cmpf", "arith.cmpf une, $0, $1 : $t"),
    ("fptosi", "arith.fptosi $0 : $t to $n"),
    ("fptoui", "arith.fptoui $0 : $t to $n"),
    ("sitofp", "arith.sitofp %n : $n to $t"),
    ("uitofp", "arith.uitofp %n : $n to $t"),
    ("clamp", "tt.clampf $0, $1, $2, propagateNan = none : $t"),
    ("clamp_nan", "tt.clampf $0, $1, $2, propagateNan = all : $t"),
];

/// Names and texts of integer operations that accept any width, including one bit.
const ARITHMETIC: [(&str, &str); 17] = [
    ("addi", "arith.addi $0, $1 : $t"),
    ("subi", "arith.subi $0, $1 : $t"),
    ("muli", "arith.muli $0, $1 : $t"),
    ("divsi", "arith.divsi $0, $1 : $t"),
    ("divui", "arith.divui $0, $1 : $t"),
    ("remsi", "arith.remsi $0, $1 : $t"),
    ("remui", "arith.remui $0, $1 : $t"),
    ("andi", "arith.andi $0, $1 : $t"),
    ("ori", "arith.ori $0, $1 : $t"),
    ("xori", "arith.xori $0, $1 : $t"),
    ("shli", "arith.shli $0, $1 : $t"),
    ("shrsi", "arith.shrsi $0, $1 : $t"),
    ("shrui", "arith.shrui $0, $1 : $t"),
    ("maxsi", "arith.maxsi $0, $1 : $t"),
    ("maxui", "arith.maxui $0, $1 : $t"),
    ("minsi", "arith.minsi $0, $1 : $t"),
    ("minui", "arith.minui $0, $1 : $t"),
];

const INTEGERS: [(&str, &str); 5] = [
    ("absi", "math.absi $0 : $t"),
    ("ctlz", "math.ctlz $0 : $t"),
    ("cttz", "math.cttz $0 : $t"),
    ("ctpop", "math.ctpop $0 : $t"),
    ("ipowi", "math.ipowi $0, $1 : $t"),
];

/// Functions whose `f64` version needs no library call. Either LLVM computes the function itself, or the lowering
/// expands it to functions that LLVM computes.
const NATIVE: [&str; 15] = [
    "absf",
    "ceil",
    "clampf",
    "copysign",
    "floor",
    "fma",
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
    "round",
    "roundeven",
    "rsqrt",
    "sqrt",
    "trunc",
];

/// The result of lowering an operation on a given type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LoweringOutcome {
    Assembles,
    /// The operation becomes a call of a library function.
    LibraryCall,
    Refused,
}

fn lowering_outcome(text: &str, name: &str, type_: &str) -> LoweringOutcome {
    match type_ {
        "f64" if text.starts_with("arith") || text.starts_with("tt") || NATIVE.contains(&name) => {
            LoweringOutcome::Assembles
        }
        "f64" => LoweringOutcome::LibraryCall,
        _ if type_.starts_with("f8") => LoweringOutcome::Refused,
        _ => LoweringOutcome::Assembles,
    }
}

/// Returns all combinations of an operation and a type that have this lowering outcome. Each entry consists of the
/// name, the text and the type.
fn cases(wanted: LoweringOutcome) -> Vec<(&'static str, &'static str, &'static str)> {
    let floats = ["f8E5M2", "f8E4M3FN", "f16", "bf16", "f32", "f64"];
    let integers = ["i8", "i16", "i32", "i64"];
    let floats = FLOATS.iter().map(|row| (row, &floats[..]));
    let integers = INTEGERS.iter().map(|row| (row, &integers[..]));
    let any_width = ["i1", "i8", "i16", "i32", "i64"];
    let arithmetic = ARITHMETIC.iter().map(|row| (row, &any_width[..]));
    floats
        .chain(integers)
        .chain(arithmetic)
        .flat_map(|((name, text), types)| types.iter().map(move |type_| (*name, *text, *type_)))
        .filter(|(name, text, type_)| lowering_outcome(text, name, type_) == wanted)
        .collect()
}

/// Returns a module with one function per case. The function performs the operation on scalars and stores the
/// result.
fn module(target: (&str, u32), cases: &[(&str, &str, &str)]) -> String {
    let mut module = format!(
        "module attributes {{\"ttg.num-warps\" = 4 : i32, ttg.target = \"{}\", \
         \"ttg.threads-per-warp\" = {} : i32}} {{\n",
        target.0, target.1
    );
    for (name, text, type_) in cases {
        let result = match *name {
            "isfinite" | "isinf" | "isnan" | "isnormal" | "cmpf" => "i1",
            "fptosi" | "fptoui" => "i32",
            _ => type_,
        };
        let y = if *name == "sincos" {
            "%y, %other"
        } else {
            "%y"
        };
        let line = text
            .replace("$t", type_)
            .replace("$n", "i32")
            .replace("$0", "%a")
            .replace("$1", "%b")
            .replace("$2", "%c");
        module += &format!(
            "tt.func public @{name}_{type_}(%a: {type_}, %b: {type_}, %c: {type_}, %n: i32, \
             %o: !tt.ptr<{result}>) {{\n{y} = {line}\ntt.store %o, %y : !tt.ptr<{result}>\n\
             tt.return\n}}\n"
        );
    }
    module + "}\n"
}

fn tool(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_ll-opt")).with_file_name(name)
}

/// Runs a tool with `input` as its standard input. Returns its standard output or, if it fails, its error messages.
fn pipe(mut command: Command, input: &[u8]) -> Result<Vec<u8>, String> {
    use std::io::Write;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    // A tool that fails may not read to the end.
    drop(writer.join());
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Lowers a module, translates it to assembly, and returns the assembly. For NVIDIA targets, `ptxas` also assembles
/// it if it is installed; `name` is the stem of the file that this step writes.
pub(crate) fn assemble(name: &str, target: &str, module: &str) -> Result<String, String> {
    let mut lower = Command::new(tool("ll-opt"));
    lower.arg("--convert-layouts-to-llvm");
    let lowered = pipe(lower, module.as_bytes())?;
    let mut translate = Command::new(tool("ll-translate"));
    // Optimised: LLVM may rebuild an operation that was expanded because it has no instruction.
    translate.args(["-O3", "-"]);
    let assembly = pipe(translate, &lowered)?;
    let assembly = String::from_utf8_lossy(&assembly).into_owned();
    if let (true, Some(ptxas)) = (target.starts_with("cuda"), ptxas(root())) {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let file = folder.join(format!("{name}-{}.ptx", target.replace(':', "-")));
        std::fs::write(&file, &assembly).map_err(|e| e.to_string())?;
        let arch = assembly
            .lines()
            .find_map(|line| line.strip_prefix(".target "))
            .unwrap_or("sm_90a")
            .to_owned();
        let mut command = Command::new(ptxas);
        command.arg(format!("-arch={}", arch.trim()));
        command.args(["-O0", "-o", "/dev/null"]).arg(&file);
        pipe(command, b"")?;
    }
    Ok(assembly)
}

#[test]
fn every_operation_assembles() {
    let cases = cases(LoweringOutcome::Assembles);
    for target in TARGETS {
        if assemble("math", target.0, &module(target, &cases)).is_ok() {
            continue;
        }
        // LLVM does not name the failing case.
        let problems: Vec<String> = cases
            .iter()
            .filter_map(|case| {
                let error = assemble("math", target.0, &module(target, &[*case])).err()?;
                Some(format!("{} of {} on {}: {error}", case.0, case.2, target.0))
            })
            .collect();
        panic!("{}", problems.join("\n"));
    }
}

#[test]
fn functions_of_f64_are_calls_of_the_vendors_library() {
    let cases = cases(LoweringOutcome::LibraryCall);
    for target in TARGETS {
        let errors = assemble("math", target.0, &module(target, &cases)).unwrap_err();
        for (name, ..) in &cases {
            let stem = match name.trim_start_matches("fast_") {
                "powf" => "pow",
                "fpowi" if target.0.starts_with("cuda") => "powi",
                "fpowi" => "pown",
                "sincos" => "cos",
                other => other,
            };
            let function = match target.0.starts_with("cuda") {
                true => format!("__nv_{stem}"),
                false => format!("__ocml_{stem}_f64"),
            };
            let message =
                format!("error: 'llvm.call' op calls the undefined function `{function}`");
            assert!(
                errors.contains(&message),
                "{name} on {}:\n{errors}",
                target.0
            );
        }
    }
}

#[test]
fn what_does_not_assemble_is_refused_at_its_place() {
    let cases = cases(LoweringOutcome::Refused);
    for target in TARGETS {
        let text = module(target, &cases);
        let Err(errors) = driver::decode(text.as_bytes(), "cases.mlir", None, None) else {
            panic!("nothing was refused on {}", target.0);
        };
        let errors = errors.to_string();
        for (name, text, type_) in &cases {
            let op = text.split(' ').next().unwrap();
            // Each at its own line, by its name, with the type.
            let is_refused = errors.lines().any(|line| {
                line.starts_with("cases.mlir:")
                    && line.contains(op)
                    && line.contains(&format!("`{type_}`"))
            });
            assert!(is_refused, "{name} of {type_} on {}:\n{errors}", target.0);
        }
    }
}

/// Name of a math function, and a reference implementation in `f64`.
type Function = (&'static str, fn(f64) -> f64);

#[test]
fn lowered_functions_compute_what_they_say() {
    let functions: [Function; 17] = [
        ("acos", f64::acos),
        ("asin", f64::asin),
        ("atan", f64::atan),
        ("cbrt", f64::cbrt),
        ("cos", f64::cos),
        ("cosh", f64::cosh),
        ("exp", f64::exp),
        ("exp2", f64::exp2),
        ("expm1", f64::exp_m1),
        ("log", f64::ln),
        ("log10", f64::log10),
        ("log1p", f64::ln_1p),
        ("log2", f64::log2),
        ("rsqrt", |x| x.sqrt().recip()),
        ("sin", f64::sin),
        ("sinh", f64::sinh),
        ("tan", f64::tan),
    ];
    // One step of the result's format: rounding twice may miss the nearest.
    for (format, tolerance) in [
        (FloatTy::F32, 5e-7),
        (FloatTy::F16, 1e-3),
        (FloatTy::BF16, 8e-3),
    ] {
        let type_ = format.name();
        let input = floats(format, 512);
        for (name, exact) in functions {
            let body = format!("%y = math.{name} %x0 : tensor<$Tx{type_}, $E>");
            for target in [("cuda:90", 32), ("hip:gfx942", 64)] {
                let inputs: [Elements<'_>; 1] = [elements(type_, input.iter().copied())];
                let found = run(target, &inputs, type_, &body);
                for (bits, found) in input.iter().zip(found) {
                    let x = format.to_f64(*bits);
                    let found = format.to_f64(found);
                    let exact = format.to_f64(format.from_f64(exact(x)));
                    let same = found == exact || found.is_nan() && exact.is_nan();
                    // Subnormal results have fewer digits.
                    let error = (found - exact).abs();
                    let near = error <= tolerance * exact.abs()
                        || error <= 4.0 * smallest(format)
                        || found.is_infinite() && exact.abs() > largest(format);
                    assert!(
                        same || near,
                        "{}: {name} of {x:e} as {type_} is {found:e}, expected {exact:e}",
                        target.0
                    );
                }
            }
        }
    }
}

/// Returns the smallest positive number of a format.
fn smallest(format: FloatTy) -> f64 {
    format.to_f64(1)
}

/// Returns a number slightly below the largest finite number of a format.
fn largest(format: FloatTy) -> f64 {
    format.to_f64(format.from_f64(f64::INFINITY) - 1) * 0.999
}

#[test]
fn integer_powers_are_products() {
    let bases: Vec<u64> = (0..256u64)
        .map(|i| i.wrapping_sub(128) & 0xffff_ffff)
        .collect();
    let exponents: Vec<u64> = (0..256u64)
        .map(|i| (i % 13).wrapping_sub(4) & 0xffff_ffff)
        .collect();
    let inputs = [
        elements("i32", bases.iter().copied()),
        elements("i32", exponents.iter().copied()),
    ];
    let body = "%y = math.ipowi %x0, %x1 : tensor<$Txi32, $E>";
    for target in [("cuda:90", 32), ("hip:gfx1200", 32)] {
        let found = run(target, &inputs, "i32", body);
        for ((base, exponent), found) in bases.iter().zip(&exponents).zip(found) {
            let (b, e) = (
                (*base as u32).cast_signed(),
                (*exponent as u32).cast_signed(),
            );
            let expected = match (b, e) {
                (_, 0..) => b.wrapping_pow(e.cast_unsigned()),
                (1, _) => 1,
                (-1, _) => 1 - 2 * (e & 1),
                _ => 0,
            };
            assert_eq!(
                (found as u32).cast_signed(),
                expected,
                "{b}^{e} on {}",
                target.0
            );
        }
    }
}

#[test]
fn classes_of_floats() {
    for format in [FloatTy::F16, FloatTy::BF16, FloatTy::F32, FloatTy::F64] {
        let type_ = format.name();
        let input = floats(format, 512);
        let smallest_normal = match format {
            FloatTy::F16 => 2f64.powi(-14),
            FloatTy::F64 => f64::MIN_POSITIVE,
            _ => 2f64.powi(-126),
        };
        let classes: [(&str, &dyn Fn(f64) -> bool); 4] = [
            ("isnan", &f64::is_nan),
            ("isinf", &f64::is_infinite),
            ("isfinite", &f64::is_finite),
            ("isnormal", &|x| x.is_finite() && x.abs() >= smallest_normal),
        ];
        for (name, class) in classes {
            let body = format!("%y = math.{name} %x0 : tensor<$Tx{type_}, $E>");
            for target in [("cuda:70", 32), ("hip:gfx942", 64)] {
                let inputs = [elements(type_, input.iter().copied())];
                let found = run(target, &inputs, "i1", &body);
                for (bits, found) in input.iter().zip(found) {
                    let x = format.to_f64(*bits);
                    assert_eq!(found == 1, class(x), "{name} of {x:e} as {type_}");
                }
            }
        }
    }
}
