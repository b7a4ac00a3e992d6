//! `ll-layout convert`: the plan of a layout conversion, its reason and its cost.

use crate::drawing::Drawing;
use crate::element::element_bits;
use crate::pair::{PairArguments, counted, tensor_text};
use crate::{Failure, batch};
use clap::ValueEnum;
use linear_layout::layout::LinearLayout;
use linear_layout::machine::{PlanReport, check_plan};
use linear_layout::plan::program::Program;
use linear_layout::plan::{
    ConvertPlan, Cost, PlanError, PlanKind, PlanOptions, Strategy, plan_conversion,
};
use linear_layout::target::{TARGETS, Target};
use linear_layout::view::{Scene, Window};
use serde_json::{Map, Value, json};
use std::ffi::OsString;

pub(crate) const EXAMPLES: &str = "The plan is the one that `convert-layouts-to-llvm` carries out. It has been run on the names of the
elements: each arrives where DST wants it, and the bank conflicts are counted, not estimated. Clocks
are those of the target's cost model, for one block.

Examples:
  ll-layout convert '#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>' '#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>' 64x64 --type f32 --target cuda:90
  ll-layout convert '#blocked' '#blocked1' 64x64 --aliases kernel.mlir --type f16 --target hip:gfx942 --steps
  ll-layout convert '#blocked' '#mma' 64x64 --aliases kernel.mlir --type f16 --target sm_90 --strategy shared
  ll-layout convert 'gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])' 'gl.BlockedLayout([8, 1], [8, 4], [1, 4], [0, 1])' 64x64 --type f16 --target h100
  ll-layout convert '#blocked' '#mma' 64x64 --aliases kernel.mlir --type f16 --target sm_90 --output arrows.svg";

/// log2 of the maximum number of slots or elements of a layout that is converted. The limit bounds the size of the
/// plan, which has one value per register.
pub(crate) const MOST: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Way {
    /// Renames and selects of registers within each thread
    Local,
    /// Exchanges between the lanes of a warp
    Shuffle,
    /// Stores to shared memory and loads from it
    Shared,
}

impl Way {
    fn strategy(self) -> Strategy {
        match self {
            Self::Local => Strategy::Local,
            Self::Shuffle => Strategy::Shuffle,
            Self::Shared => Strategy::Shared,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Layout of the operand: an encoding as in TTGIR, `#ttg.blocked<{...}>`, or a file that contains an encoding or a
    /// LinearLayout as Triton prints it; `-` is standard input
    #[arg(value_name = "SRC", allow_hyphen_values = true)]
    src: OsString,

    /// Layout of the result
    #[arg(value_name = "DST", allow_hyphen_values = true)]
    dst: OsString,

    #[command(flatten)]
    pair: PairArguments,

    /// Type of an element: `f32`, `f16`, `i8`, `f8E4M3FN`, `!tt.ptr<f16>`; not needed if SRC or DST is the type of a
    /// tensor
    #[arg(long, value_name = "TYPE")]
    r#type: Option<String>,

    /// GPU: `cuda:90`, `hip:gfx942`, `sm_90`, `h100`, `mi300x`
    #[arg(long, value_name = "TARGET")]
    target: String,

    /// Use this strategy, or fail if it is not possible
    #[arg(long, value_enum, value_name = "WAY")]
    strategy: Option<Way>,

    /// Largest number of bytes of shared memory that the plan may use
    #[arg(long, value_name = "BYTES")]
    scratch_limit: Option<u32>,

    /// Print each step instead of the number of steps of each kind
    #[arg(long)]
    steps: bool,

    /// Draw both layouts and the movement of elements; always drawn with --format svg or html
    #[arg(long)]
    arrows: bool,

    /// Draw the accesses of each bank of shared memory in each store and load of the plan
    #[arg(long)]
    banks: bool,

    #[command(flatten)]
    drawing: Drawing,
}

struct Question<'q> {
    src: &'q LinearLayout,
    dst: &'q LinearLayout,
    bits: u32,
    options: PlanOptions,
}

struct Answer {
    plan: ConvertPlan,
    report: PlanReport,
}

impl Question<'_> {
    fn plan(&self, target: &Target, options: &PlanOptions) -> Result<ConvertPlan, PlanError> {
        plan_conversion(self.src, self.dst, self.bits, target, options)
    }

    fn answer(&self, target: &Target) -> Result<Answer, Failure> {
        let plan = self.plan(target, &self.options).map_err(Failure::new)?;
        let report = check_plan(plan.program(), self.src, self.dst, target).map_err(|fault| {
            Failure::new(format!("the plan for {target} is wrong: {fault}"))
                .note("this is a bug of linear-layout; please report the two layouts")
        })?;
        Ok(Answer { plan, report })
    }

    /// Returns the cost of each strategy, or the error if the strategy is not possible. Possible strategies come
    /// first, in ascending order of their cost.
    fn ways(&self, target: &Target) -> Vec<(String, Result<Cost, PlanError>)> {
        let mut free = self.options;
        free.strategy = None;
        let planned = self.plan(target, &free);
        let mut found: Vec<(PlanKind, Cost)> = planned
            .map(|plan| plan.reason().considered.clone())
            .unwrap_or_default();
        let mut failed = Vec::new();
        for way in Way::value_variants() {
            let strategy = way.strategy();
            match self.plan(target, &free.with_strategy(strategy)) {
                // An unrestricted plan considers only promising strategies; the others are added here.
                Ok(plan) => {
                    if !found.iter().any(|(kind, _)| *kind == plan.kind()) {
                        found.push((plan.kind(), plan.program().cost()));
                    }
                }
                Err(error) => failed.push((strategy.to_string(), Err(error))),
            }
        }
        found.sort_by_key(|(_, cost)| cost.total());
        let found = found
            .into_iter()
            .map(|(kind, cost)| (kind.to_string(), Ok(cost)));
        found.chain(failed).collect()
    }
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<String, Failure> {
    let sources = [arguments.src.as_os_str(), arguments.dst.as_os_str()];
    let ([src, dst], bits) = arguments.pair.read(sources, ["SRC", "DST"])?;
    let src = src.linear().map_err(|failure| failure.within("SRC"))?;
    let dst = dst.linear().map_err(|failure| failure.within("DST"))?;
    let target = Target::parse(&arguments.target).map_err(Failure::new)?;
    let bits = element_bits(arguments.r#type.as_deref(), bits)?;
    for (name, side) in [("SRC", &src), ("DST", &dst)] {
        let size = side
            .layout
            .total_in_bits()
            .max(side.layout.total_out_bits());
        if size > MOST {
            return Err(Failure::new(format!(
                "{name}: the layout has 2^{} slots and 2^{} elements; conversions are planned for at most \
                 2^{MOST} of each",
                side.layout.total_in_bits(),
                side.layout.total_out_bits()
            ))
            .note("use a smaller shape; the plan for a larger shape repeats the same steps"));
        }
    }
    let mut options = PlanOptions::new();
    options.strategy = arguments.strategy.map(Way::strategy);
    options.scratch_limit = arguments.scratch_limit;
    let question = Question {
        src: &src.layout,
        dst: &dst.layout,
        bits,
        options,
    };
    let answer = question.answer(target)?;
    let ways = question.ways(target);
    let others = others(&question, target);
    if as_json {
        let mut object = answer_json(&answer);
        object.insert("target".to_owned(), json!(target.name));
        object.insert("element_bits".to_owned(), json!(bits));
        object.insert("shape".to_owned(), json!(src.shape()));
        for (name, side) in [("src", &src), ("dst", &dst)] {
            object.insert(name.to_owned(), batch::linear::layout_to_json(&side.layout));
        }
        object.insert("steps".to_owned(), steps_json(answer.plan.program()));
        let program = || json!(answer.plan.to_string().lines().collect::<Vec<_>>());
        if arguments.steps {
            object.insert("program".to_owned(), program());
        }
        object.insert("ways".to_owned(), ways.iter().map(way_json).collect());
        object.insert("others".to_owned(), others.iter().map(other_json).collect());
        return Ok(Value::from(object).to_string() + "\n");
    }
    let drawing = &arguments.drawing;
    let heading = format!(
        "{} conversion of {}, {} bits an element, on {target}",
        answer.plan.kind(),
        tensor_text(&src),
        bits
    );
    if drawing.is_picture() {
        let mut scenes = Vec::new();
        if arguments.arrows || !arguments.banks {
            scenes.push(Scene::conversion(&src.layout, &dst.layout, Window::PICTURE));
        }
        if arguments.banks {
            scenes.push(banks(&answer.plan, target, Window::PICTURE)?);
        }
        let titles = scenes.into_iter().map(|scene| scene.titled(&heading));
        return drawing.write(drawing.picture(&heading, &titles.collect::<Vec<_>>()));
    }
    let mut text = heading + "\n";
    text += &why(&answer.plan);
    text += &facts(&answer);
    if arguments.steps {
        text += &format!("\nThe steps of a thread:\n{}", answer.plan);
    } else {
        text += &format!("steps of a thread: {}\n", steps_text(answer.plan.program()));
    }
    text += &format!("\nStrategies on {target}:\n");
    for (name, outcome) in &ways {
        text += &match outcome {
            Ok(cost) => format!("  {name:<8} {cost}\n"),
            Err(error) => format!("  {name:<8} {error}\n"),
        };
    }
    text += "\nOn other targets:\n";
    for other in &others {
        text += &format!("  {}: {}\n", other.names.join(", "), other.text);
    }
    if arguments.arrows {
        let scene = Scene::conversion(&src.layout, &dst.layout, Window::default());
        text += &format!("\n{}", drawing.text(&scene));
    }
    if arguments.banks {
        let scene = banks(&answer.plan, target, Window::default())?;
        text += &format!("\n{}", drawing.text(&scene));
    }
    drawing.write(text)
}

fn banks(plan: &ConvertPlan, target: &Target, window: Window) -> Result<Scene, Failure> {
    Scene::steps(plan.program(), target, window).ok_or_else(|| {
        Failure::new(format!(
            "no banks to draw: a {} conversion does not use shared memory",
            plan.kind()
        ))
        .note("leave out `--banks`, or use `--strategy shared`")
    })
}

/// Returns a line that explains the choice of a plan.
///
/// It names the dimensions (`register`, `lane`, `warp`, `block`) that elements cross, and the number of strategies
/// that were compared.
fn why(plan: &ConvertPlan) -> String {
    let moves: Vec<&str> = plan.reason().moves.iter().map(|d| d.name()).collect();
    let reach = match (moves.contains(&"warp"), moves.contains(&"lane")) {
        _ if plan.kind() == PlanKind::Cluster => {
            "elements move between CTAs, through the shared memory of the source CTA"
        }
        (true, _) => "elements move between warps, which requires shared memory",
        (_, true) => "elements move between the lanes of a warp",
        _ if plan.program().is_identity() => "all elements are already in place",
        _ => "all elements are already in the right thread",
    };
    let considered = plan.reason().considered.len();
    let choice = match considered {
        1 => String::new(),
        _ => format!("; the cheapest of {considered} strategies by the cost model of the target"),
    };
    match moves.as_slice() {
        [] => format!("why: {reach}{choice}\n"),
        moves => format!("why: {reach} (moved dims: {}){choice}\n", moves.join(", ")),
    }
}

fn facts(Answer { plan, report }: &Answer) -> String {
    let mut text = format!(
        "registers: {} -> {} in each of {} lanes of {}\n",
        plan.program().num_sources(),
        plan.program().results().len(),
        1 << plan.program().lanes_log2(),
        counted(1 << plan.program().warps_log2(), "warp"),
    );
    text += &format!("cost: {}\n", plan.program().cost());
    text += &format!(
        "scratch: {} bytes of shared memory",
        plan.program().scratch_bytes()
    );
    let reason = plan.reason();
    if plan.program().scratch_bytes() > 0 {
        text += &format!(
            ", stored {} and loaded {} bytes at a time, {}",
            reason.store_bytes,
            reason.load_bytes,
            counted(u64::from(reason.repetitions), "time")
        );
    }
    text += &match (report.store_wavefronts, report.load_wavefronts) {
        (0, 0) => "\nbank conflicts: none, since nothing is stored\n".to_owned(),
        (stored, loaded) => format!(
            "\nbank conflicts: {} in {} of stores and {} of loads\n",
            report.conflicts(),
            counted(stored, "wavefront"),
            counted(loaded, "wavefront"),
        ),
    };
    text
}

/// Returns the number of steps of each kind. The kinds are in the order of their first occurrence in the program.
fn counts(program: &Program) -> Vec<(&'static str, u64)> {
    let mut counts: Vec<(&str, u64)> = Vec::new();
    for step in program.steps() {
        let sort = step.kind_name();
        match counts.iter_mut().find(|(known, _)| *known == sort) {
            Some((_, count)) => *count += 1,
            None => counts.push((sort, 1)),
        }
    }
    counts
}

pub(crate) fn steps_text(program: &Program) -> String {
    let counts: Vec<String> = counts(program)
        .into_iter()
        .map(|(sort, count)| counted(count, sort))
        .collect();
    if counts.is_empty() {
        "none, results are source registers".to_owned()
    } else {
        counts.join(", ")
    }
}

pub(crate) fn steps_json(program: &Program) -> Value {
    let counts = counts(program).into_iter();
    counts
        .map(|(sort, count)| (sort.replace(' ', "_"), json!(count)))
        .collect::<Map<String, Value>>()
        .into()
}

/// The description of a plan, and the names of the targets for which the conversion has this plan.
struct Other {
    names: Vec<&'static str>,
    text: String,
    json: Map<String, Value>,
}

/// Plans the conversion for all targets except `asked`. Targets whose plans have the same description share an
/// entry.
fn others(question: &Question<'_>, asked: &Target) -> Vec<Other> {
    let mut others: Vec<Other> = Vec::new();
    for target in TARGETS.iter().filter(|t| t.name != asked.name) {
        let (text, json) = if target.lanes == asked.lanes {
            match question.answer(target) {
                Ok(answer) => (
                    format!(
                        "{}, {}, {} bytes of scratch, {}",
                        answer.plan.kind(),
                        answer.plan.program().cost(),
                        answer.plan.program().scratch_bytes(),
                        counted(answer.report.conflicts(), "bank conflict"),
                    ),
                    answer_json(&answer),
                ),
                Err(failure) => error_of(format!("not possible: {}", failure.message)),
            }
        } else {
            error_of(format!(
                "not possible: a warp has {} lanes, but the layouts are for {} lanes",
                target.lanes, asked.lanes
            ))
        };
        match others.iter_mut().find(|other| other.text == text) {
            Some(other) => other.names.push(target.name),
            None => others.push(Other {
                names: vec![target.name],
                text,
                json,
            }),
        }
    }
    others
}

fn error_of(text: String) -> (String, Map<String, Value>) {
    let json = Map::from_iter([("error".to_owned(), json!(text))]);
    (text, json)
}

/// Formats a cost as JSON. Its unit is a quarter of a clock cycle.
pub(crate) fn cost_json(cost: Cost) -> Value {
    json!({
        "total": cost.total(),
        "load_store": cost.load_store,
        "arithmetic": cost.arithmetic,
        "waiting": cost.waiting,
    })
}

fn answer_json(Answer { plan, report }: &Answer) -> Map<String, Value> {
    let moves: Vec<&str> = plan.reason().moves.iter().map(|d| d.name()).collect();
    Map::from_iter([
        ("kind".to_owned(), json!(plan.kind().to_string())),
        ("moves".to_owned(), json!(moves)),
        (
            "cost_quarter_clocks".to_owned(),
            cost_json(plan.program().cost()),
        ),
        (
            "scratch_bytes".to_owned(),
            json!(plan.program().scratch_bytes()),
        ),
        ("bank_conflicts".to_owned(), json!(report.conflicts())),
    ])
}

fn way_json((name, outcome): &(String, Result<Cost, PlanError>)) -> Value {
    match outcome {
        Ok(cost) => json!({"way": name, "cost_quarter_clocks": cost_json(*cost)}),
        Err(error) => json!({"way": name, "error": error.to_string()}),
    }
}

fn other_json(other: &Other) -> Value {
    let mut object = Map::from_iter([("targets".to_owned(), json!(other.names))]);
    object.extend(other.json.clone());
    object.into()
}
