//! `ll-layout product`: the matrix instruction for a product of tensors, and the reasons against other instructions.

use crate::any_layout::AnyLayout;
use crate::convert::{MOST, cost_json, steps_json, steps_text};
use crate::drawing::Drawing;
use crate::pair::counted;
use crate::subject::{Subject, parse_shape, parse_text, read_text};
use crate::{Failure, batch};
use clap::ValueEnum;
use linear_layout::encoding::spelling::nearest;
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::machine::check_product;
use linear_layout::plan::product::{
    Issues, MatrixProduct, Mismatch, ProductPlan, factor_types, match_instructions, plan_product,
};
use linear_layout::target::{Number, Product, Target, TileBit};
use linear_layout::view::{Scene, Window, shape_text};
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) const EXAMPLES: &str = "The plan is the one that `convert-layouts-to-llvm` carries out for `tt.dot`. It has been run on the names
of the elements: each element of D adds up each k once. Bits of m, n and k are named by what they are worth.

Examples:
  ll-layout product '#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>' '#ttg.dot_op<{opIdx = 1, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>' '#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>' 64x64x32 --type f16 --sum f32 --target cuda:80
  ll-layout product '#blocked' '#blocked1' '#mma' 64x64x32 --aliases kernel.mlir --type f16 --sum f32 --target hip:gfx942
  ll-layout product '#a' '#b' '#mma' 64x64x32 --aliases kernel.mlir --type f16 --sum f32 --target sm_90 --output product.svg";

/// log2 of the maximum number of multiplications in a product.
const MOST_TERMS: u32 = 24;

/// The precision of a matrix product of `f32`, as in the attribute `inputPrecision` of `tt.dot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Precision {
    /// Operands are rounded to 19 bits if the instruction requires it
    Tf32,
    /// Operands keep their full precision
    Ieee,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Layout of operand A (m x k): an encoding as in TTGIR, `#ttg.dot_op<{...}>`, or a file that contains an encoding
    /// or a LinearLayout as Triton prints it; `-` is standard input
    #[arg(value_name = "A", allow_hyphen_values = true)]
    a: OsString,

    /// Layout of operand B (k x n)
    #[arg(value_name = "B", allow_hyphen_values = true)]
    b: OsString,

    /// Layout of the result D (m x n)
    #[arg(value_name = "D", allow_hyphen_values = true)]
    d: OsString,

    /// Sizes m, n and k, such as 64x64x32, with a leading batch size for several matrices; not needed if no layout is
    /// an encoding
    shape: Option<String>,

    /// File, such as a kernel in TTGIR, whose `#name = ...` lines the encodings may use
    #[arg(long, value_name = "FILE")]
    aliases: Option<PathBuf>,

    /// Type of the elements of A and B, as in IR, such as `f16` or `i8`; two types are separated by a comma, as in
    /// `f8E4M3FN,f8E5M2`
    #[arg(long, value_name = "TYPE", value_delimiter = ',', num_args = 1)]
    r#type: Vec<String>,

    /// Type of the elements of D
    #[arg(long, value_name = "TYPE")]
    sum: String,

    /// Precision of products of `f32`
    #[arg(long, value_enum, value_name = "PRECISION", default_value = "tf32")]
    input_precision: Precision,

    /// GPU: `cuda:90`, `hip:gfx942`, `sm_90`, `h100`, `mi300x`
    #[arg(long, value_name = "TARGET")]
    target: String,

    /// Print each step instead of the number of steps of each kind
    #[arg(long)]
    steps: bool,

    /// Draw A, B and D with the elements of the first instruction; always drawn with --format svg or html
    #[arg(long)]
    figure: bool,

    #[command(flatten)]
    drawing: Drawing,
}

const NAMES: [&str; 3] = ["A", "B", "D"];

const CONVERTED: [&str; 4] = ["of A", "of B", "of D", "back to D"];

type Attempt = (Product, Result<Issues, Mismatch>);

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<String, Failure> {
    let target = Target::parse(&arguments.target).map_err(Failure::new)?;
    let factors = match arguments.r#type.as_slice() {
        [both] => [number(both)?; 2],
        [left, right] => [number(left)?, number(right)?],
        types => {
            return Err(Failure::new(format!(
                "{} element types are given; expected 1 (for A and B) or 2 (A, then B)",
                types.len()
            ))
            .note("write `--type f16`, or `--type f8E4M3FN,f8E5M2`"));
        }
    };
    let sum = number(&arguments.sum)?;
    let [a, b, d] = arguments.layouts()?;
    let factors = factor_types(factors, arguments.input_precision == Precision::Tf32);
    let product = MatrixProduct {
        d: &d,
        a: &a,
        b: &b,
        scales: None,
        factors: &factors,
        sum,
        target,
    };
    let tried = match_instructions(&product).map_err(Failure::new)?;
    let plan = plan_product(&product).map_err(Failure::new)?;
    check_product(plan.program(), &product).map_err(|fault| {
        Failure::new(format!("the plan for {target} is wrong: {fault}"))
            .note("this is a bug of linear-layout; please report the three layouts")
    })?;
    if as_json {
        return Ok(to_json(arguments, &product, &plan, &tried).to_string() + "\n");
    }
    let drawing = &arguments.drawing;
    let heading = heading(&product, &plan);
    let scene = |window| Scene::product(&product, &plan, window).map_err(Failure::new);
    if drawing.is_picture() {
        let scene = scene(Window::PICTURE)?.titled(&*heading);
        return drawing.write(drawing.picture(&heading, &[scene]));
    }
    let mut text = heading + "\n";
    text += &facts(&product, &plan, &tried);
    let program = plan.program();
    if arguments.steps {
        text += &format!("\nThe steps of a thread:\n{program}");
    } else {
        text += &format!("steps of a thread: {}\n", steps_text(program));
    }
    text += &format!(
        "\nInstructions of these types on {target}, without conversions of the operands:\n"
    );
    let width = tried.iter().map(|(row, _)| row.name.len()).max();
    for (row, outcome) in &tried {
        let width = width.unwrap_or(0);
        text += &match outcome {
            Ok(issues) => format!("  {:<width$}  {}\n", row.name, issues_text(*issues)),
            Err(mismatch) => format!("  {:<width$}  no: {mismatch}\n", row.name),
        };
    }
    if arguments.figure {
        text += &format!("\n{}", drawing.text(&scene(Window::default())?));
    }
    drawing.write(text)
}

impl Arguments {
    /// Returns the layouts of A, B and D, without replicated registers.
    fn layouts(&self) -> Result<[LinearLayout; 3], Failure> {
        let sources = [&self.a, &self.b, &self.d];
        if sources.iter().filter(|source| **source == "-").count() > 1 {
            return Err(Failure::new(
                "several of A, B and D are `-`, but standard input can be read only once",
            )
            .note("give at least two of A, B and D as text or as files"));
        }
        let sizes = self.shape.as_deref().map(parse_shape).transpose()?;
        let shapes = match sizes.as_deref() {
            None => None,
            Some([before @ .., m, n, k]) if before.len() < 2 => {
                let shape = |down, across| [before, &[down, across]].concat();
                Some([shape(*m, *k), shape(*k, *n), shape(*m, *n)])
            }
            Some(shape) => {
                return Err(Failure::new(format!(
                    "number of sizes in `{}` is {}; expected 3 (m, n, k) or 4 (batch, m, n, k)",
                    shape_text(shape),
                    shape.len()
                ))
                .note("write the sizes as `64x64x32`, or `4x64x64x32` for 4 matrices"));
            }
        };
        let mut layouts = Vec::new();
        for (i, source) in sources.into_iter().enumerate() {
            let layout = self.layout(source, shapes.as_ref().map(|shapes| &*shapes[i]));
            layouts.push(layout.map_err(|failure| failure.within(NAMES[i]))?);
        }
        let terms = layouts[0].total_out_bits() + layouts[1].out_shape().last().map_or(0, log2);
        if terms > MOST_TERMS as usize {
            return Err(Failure::new(format!(
                "the product has 2^{terms} multiplications; products are planned for at most 2^{MOST_TERMS}"
            ))
            .note("use smaller tensors; the plan for larger tensors repeats the same steps"));
        }
        layouts
            .try_into()
            .map_err(|_| Failure::new("a product has three layouts"))
    }

    fn layout(&self, source: &OsString, shape: Option<&[u64]>) -> Result<LinearLayout, Failure> {
        let text = parse_text(&read_text(source)?, self.aliases.as_deref())?;
        if shape.is_none() && text.needs_shape() {
            return Err(
                Failure::new("an encoding requires the sizes of the product")
                    .note("add m, n and k after D, as in `64x64x32`"),
            );
        }
        let Subject { layout, .. } = AnyLayout::on_shape(text, shape)?.linear()?;
        let size = layout.total_in_bits().max(layout.total_out_bits());
        if size > MOST {
            return Err(Failure::new(format!(
                "the layout has 2^{} slots and 2^{} elements; products are planned for at most \
                 2^{MOST} of each",
                layout.total_in_bits(),
                layout.total_out_bits()
            ))
            .note("use smaller tensors; the plan for larger tensors repeats the same steps"));
        }
        if !layout.has_in_dim(Dim::REGISTER) {
            let names: Vec<&str> = layout.in_dims().map(Dim::name).collect();
            return Err(Failure::new(format!(
                "expected a register layout, with in-dims register, lane and warp; found in-dims {}",
                names.join(", ")
            )));
        }
        layout
            .remove_zero_bases(Dim::REGISTER)
            .map_err(Failure::new)
    }
}

fn log2((_, size): (Dim, u64)) -> usize {
    size.trailing_zeros() as usize
}

fn number(name: &str) -> Result<Number, Failure> {
    Number::of_ir_name(name.trim()).ok_or_else(|| {
        let names = Number::ALL.map(Number::ir_name);
        let failure = Failure::new(format!(
            "`{name}` is not an element type of matrix products"
        ))
        .note(format!("expected one of {}", names.join(", ")));
        match nearest(name, names) {
            Some(nearest) => failure.note(format!("the nearest is `{nearest}`")),
            None => failure,
        }
    })
}

/// Returns the sizes m, n and k of a matrix product.
fn sizes(product: &MatrixProduct<'_>) -> [u64; 3] {
    let last = |layout: &LinearLayout| layout.out_shape().next_back().map_or(1, |(_, size)| size);
    let columns = last(product.d);
    let rows = product
        .d
        .out_shape()
        .rev()
        .nth(1)
        .map_or(1, |(_, size)| size);
    [rows, columns, last(product.a)]
}

fn heading(product: &MatrixProduct<'_>, plan: &ProductPlan) -> String {
    let [left, right] = product.factors.last().copied().unwrap_or([product.sum; 2]);
    let types = if left == right {
        left.to_string()
    } else {
        format!("{left} and {right}")
    };
    format!(
        "{} multiplies {} (m, n, k) of {types} into {} on {}",
        plan.instruction(),
        shape_text(&sizes(product)),
        product.sum,
        product.target
    )
}

fn issues_text(Issues { count, cost }: Issues) -> String {
    let clocks = cost as f64 / 4.0;
    format!(
        "{}, {clocks} clocks of a warp",
        counted(count as u64, "issue")
    )
}

/// Returns the renaming of indices along m, n and k. For each of these dimensions, a list maps each bit of the
/// instruction's index to a bit of the tensor's index. Both bits are given as powers of two.
///
/// For example, (4, 8) maps the bit with the value 4 to the bit with the value 8.
fn renaming(plan: &ProductPlan) -> Vec<(&'static str, Vec<(u64, u64)>)> {
    let mut dims = vec![("m", Vec::new()), ("n", Vec::new()), ("k", Vec::new())];
    for (bit, to) in plan.renaming() {
        let (dim, bit) = match bit {
            TileBit::M(bit) => (0, bit),
            TileBit::N(bit) => (1, bit),
            TileBit::K(bit) => (2, bit),
            TileBit::Copy => continue,
        };
        dims[dim].1.push((1 << bit, *to));
    }
    dims
}

fn facts(product: &MatrixProduct<'_>, plan: &ProductPlan, tried: &[Attempt]) -> String {
    let row = tried.iter().find(|(row, _)| row.name == plan.instruction());
    let program = plan.program();
    let mut text = String::new();
    if let Some((row, _)) = row {
        let each = row.issue(product.target.lanes);
        let issues = Issues {
            count: plan.count(),
            cost: plan.count() as u64 * u64::from(each),
        };
        let warps = counted(1 << program.warps_log2(), "warp");
        text += &format!("in each of {warps}: {}\n", issues_text(issues));
    }
    text += &format!("cost: {}\n", program.cost());
    for (dim, bits) in renaming(plan) {
        let of = |f: fn(&(u64, u64)) -> u64| -> Vec<String> {
            bits.iter().map(|bit| f(bit).to_string()).collect()
        };
        let to = bits.iter().map(|(_, to)| match to {
            0 => "none".to_owned(),
            to => to.to_string(),
        });
        if !bits.is_empty() {
            let to: Vec<String> = to.collect();
            text += &format!("{dim}: {} -> {}\n", of(|bit| bit.0).join(" "), to.join(" "));
        }
    }
    let conversions = plan.conversions().into_iter().zip(CONVERTED);
    let conversions: Vec<String> = conversions
        .filter_map(|(conversion, name)| {
            let (kind, cost) = conversion?;
            Some(format!("conversion {name}: {kind}, {cost}\n"))
        })
        .collect();
    text += &match conversions.as_slice() {
        [] => "conversions: none, the operands already have the layouts of the instruction\n"
            .to_owned(),
        all => all.concat(),
    };
    if program.scratch_bytes() > 0 {
        text += &format!(
            "scratch: {} bytes of shared memory\n",
            program.scratch_bytes()
        );
    }
    let [a, b, d] = product.words();
    text += &format!("registers of a thread: A {a}, B {b}, D {d}\n");
    let packed = program.num_packed_words() as u64;
    text + &match packed {
        0 => "packing: none, the elements of each word are already adjacent\n".to_owned(),
        words => format!(
            "packing: {} of elements that are not adjacent\n",
            counted(words, "word")
        ),
    }
}

fn to_json(
    arguments: &Arguments,
    product: &MatrixProduct<'_>,
    plan: &ProductPlan,
    tried: &[Attempt],
) -> Value {
    let program = plan.program();
    let renaming = renaming(plan)
        .into_iter()
        .map(|(dim, bits)| (dim.to_owned(), json!(bits)));
    let conversions = plan.conversions().into_iter().zip(["a", "b", "d", "back"]);
    let conversions = conversions.map(|(conversion, name)| {
        let said = conversion.map(
            |(kind, cost)| json!({"kind": kind.to_string(), "cost_quarter_clocks": cost_json(cost)}),
        );
        (name.to_owned(), json!(said))
    });
    let rows = tried.iter().map(|(row, outcome)| match outcome {
        Ok(Issues { count, cost }) => {
            json!({"name": row.name, "issues": count, "quarter_clocks_of_a_warp": cost})
        }
        Err(mismatch) => json!({"name": row.name, "error": mismatch.to_string()}),
    });
    let mut object = Map::from_iter([
        ("instruction".to_owned(), json!(plan.instruction())),
        ("target".to_owned(), json!(product.target.name)),
        ("sizes".to_owned(), json!(sizes(product))),
        ("issues".to_owned(), json!(plan.count())),
        ("cost_quarter_clocks".to_owned(), cost_json(program.cost())),
        (
            "renaming".to_owned(),
            renaming.collect::<Map<_, _>>().into(),
        ),
        (
            "conversions".to_owned(),
            conversions.collect::<Map<_, _>>().into(),
        ),
        ("registers_of_a_thread".to_owned(), json!(product.words())),
        ("scratch_bytes".to_owned(), json!(program.scratch_bytes())),
        ("packed_words".to_owned(), json!(program.num_packed_words())),
        ("steps".to_owned(), steps_json(program)),
        ("instructions".to_owned(), rows.collect()),
    ]);
    for (name, layout) in [("a", product.a), ("b", product.b), ("d", product.d)] {
        object.insert(name.to_owned(), batch::linear::layout_to_json(layout));
    }
    if arguments.steps {
        let lines = program.to_string();
        object.insert(
            "program".to_owned(),
            json!(lines.lines().collect::<Vec<_>>()),
        );
    }
    object.into()
}
