//! `ll-layout compare`: equality of two layouts, and their first difference.

use crate::any_layout::AnyLayout;
use crate::drawing::Drawing;
use crate::pair::{PairArguments, tensor_text};
use crate::subject::Subject;
use crate::{Failure, show, systems};
use linear_layout::encoding::Encoding;
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::view::{InPoint, Scene, Window, shape_text};
use serde_json::{Map, Value, json};

pub(crate) const EXAMPLES: &str = "Layouts are compared by what they mean, not by how they are spelled, also those of different systems. A layout of
CuTe is ((threads), (values)) to column-major numbers of elements where the other has threads, and else takes a
coordinate to an index. Without --json the first line begins with `equal` or `different`. Exit code 3: they differ.

Examples:
  ll-layout compare 'local(2, 1).spatial(8, 4).local(1, 2)' '((4,8),(2,2)):((32,1),(16,8))'
  ll-layout compare '#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>' '#ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]], block = []}>' 16x8
  ll-layout compare '#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>' '#ttg.swizzled_shared<{vec = 2, perPhase = 2, maxPhase = 4, order = [1, 0]}>' 8x8 --json
  ll-layout compare '#blocked' '#blocked1' 64x64 --aliases kernel.mlir --output difference.html";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// First layout: an encoding or a type as in TTGIR, `#ttg.blocked<{...}>`; a LinearLayout as Triton prints it;
    /// a layout of Gluon; a layout of CuTe, `(8,4):(4,1)`; a layout of Tilus, `local(2, 1).spatial(8, 4)`; or a
    /// file that contains one of these; `-` is standard input
    #[arg(value_name = "A", allow_hyphen_values = true)]
    a: std::ffi::OsString,

    /// Second layout, in the same notations
    #[arg(value_name = "B", allow_hyphen_values = true)]
    b: std::ffi::OsString,

    #[command(flatten)]
    pair: PairArguments,

    #[command(flatten)]
    drawing: Drawing,
}

/// Compares two layouts. Returns the report, and true if the layouts are equal.
pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<(String, bool), Failure> {
    let (layouts, _) = arguments
        .pair
        .read([&arguments.a, &arguments.b], ["A", "B"])?;
    let drawing = &arguments.drawing;
    let [a, b] = match layouts {
        [AnyLayout::Linear(a), AnyLayout::Linear(b)] => [*a, *b],
        layouts => {
            let is_text = as_json || !drawing.is_picture();
            if let Some(answer) = systems::difference(&layouts).filter(|_| is_text) {
                let (text, is_equal) = systems::report(answer?, as_json);
                return Ok((drawing.write(text + "\n")?, is_equal));
            }
            let [a, b] = layouts;
            let a = a.linear().map_err(|failure| failure.within("A"))?;
            let b = b.linear().map_err(|failure| failure.within("B"))?;
            [without_blocks(a)?, without_blocks(b)?]
        }
    };
    let difference = difference(&a, &b);
    let is_equal = difference.is_none();
    if drawing.is_picture() && !as_json {
        let [shape, other] = [&a, &b].map(|side| shape_text(&side.shape()));
        if shape != other {
            return Err(Failure::new(format!(
                "a picture requires layouts of the same shape; A has shape {shape}, B has {other}"
            ))
            .note("leave out `--format` and `--output` to print the difference as text"));
        }
        let title = format!("A: {}; B: {}", a.title(), b.title());
        let scene = Scene::comparison(&a.layout, &b.layout, Window::PICTURE).titled(&title);
        let picture = drawing.picture(&title, &[scene]);
        return Ok((drawing.write(picture)?, is_equal));
    }
    let text = match (difference, as_json) {
        (None, true) => json!({"equal": true}).to_string(),
        (None, false) => format!(
            "equal: both put the same elements of {} in the same places",
            tensor_text(&a)
        ),
        (Some(difference), true) => {
            let mut object = Map::from_iter([("equal".to_owned(), json!(false))]);
            object.extend(difference.json);
            Value::from(object).to_string()
        }
        (Some(difference), false) => format!("different: {}", difference.text),
    };
    Ok((drawing.write(text + "\n")?, is_equal))
}

/// Removes the input dimension `block` of size 1 from a memory layout, because CuTe and Tilus layouts have no such
/// dimension. Other layouts are returned unchanged.
fn without_blocks(side: Subject) -> Result<Subject, Failure> {
    let is_memory = !side.layout.has_in_dim(Dim::REGISTER);
    let has_block = side.layout.has_in_dim(Dim::BLOCK) && side.layout.in_size(Dim::BLOCK) == 1;
    if !is_memory || !has_block {
        return Ok(side);
    }
    let layout = side.layout.squeeze_ins(Dim::BLOCK).map_err(Failure::new)?;
    Ok(Subject { layout, ..side })
}

struct Difference {
    text: String,
    json: Map<String, Value>,
}

impl Difference {
    fn new(text: String, json: Value) -> Self {
        let json = match json {
            Value::Object(json) => json,
            _ => Map::new(),
        };
        Self { text, json }
    }
}

fn difference(a: &Subject, b: &Subject) -> Option<Difference> {
    let (l, m) = (&a.layout, &b.layout);
    let sides = [
        ("in-dim", l.in_shape().collect(), m.in_shape().collect()),
        ("out-dim", l.out_shape().collect(), m.out_shape().collect()),
    ];
    for (what, ours, theirs) in sides {
        if let Some(difference) = dims_differ(what, &ours, &theirs) {
            return Some(difference);
        }
    }
    elements_differ(l, m).or_else(|| gaps_differ(a, b))
}

type Shape = Vec<(Dim, u64)>;

/// Compares the names, the sizes and the order of two lists of dimensions. Returns the first difference, or `None`
/// if they are equal.
fn dims_differ(what: &str, a: &Shape, b: &Shape) -> Option<Difference> {
    if a == b {
        return None;
    }
    let size_in = |shape: &Shape, dim: Dim| shape.iter().find(|(d, _)| *d == dim).map(|s| s.1);
    let differs = a
        .iter()
        .chain(b)
        .map(|(dim, _)| (*dim, size_in(a, *dim), size_in(b, *dim)))
        .find(|(_, a, b)| a != b);
    let Some((dim, in_a, in_b)) = differs else {
        let names = |shape: &Shape| -> Vec<&str> { shape.iter().map(|(d, _)| d.name()).collect() };
        let (in_a, in_b) = (names(a), names(b));
        return Some(Difference::new(
            format!(
                "the {what}s have different orders: ({}) in A, ({}) in B",
                in_a.join(", "),
                in_b.join(", ")
            ),
            json!({"order": what, "a": in_a, "b": in_b}),
        ));
    };
    let size = |size: Option<u64>| match size {
        Some(size) => format!("has size {size}"),
        None => "is missing".to_owned(),
    };
    Some(Difference::new(
        format!("{what} `{dim}` {} in A and {} in B", size(in_a), size(in_b)),
        json!({what: dim.name(), "a": in_a, "b": in_b}),
    ))
}

/// Returns the first slot to which the two layouts assign different elements, or `None` if there is no such slot.
/// Both layouts must have the same dimensions.
fn elements_differ(a: &LinearLayout, b: &LinearLayout) -> Option<Difference> {
    // The difference of two linear maps is linear: its first nonzero slot is the lowest bit with a nonzero image.
    let columns = a.columns().iter().zip(b.columns());
    let bit = columns.clone().position(|(x, y)| x != y)?;
    let slot = 1 << bit;
    let mut changed = linear_layout::f2::Echelon::new();
    for (i, (x, y)) in columns.enumerate() {
        changed.insert(i, x ^ y);
    }
    let at = |layout: &LinearLayout| layout.unpack(layout.apply_packed(slot));
    let (in_a, in_b) = (at(a), at(b));
    let place: Vec<String> = InPoint::new(a, slot)
        .indices()
        .map(|(d, index)| format!("{d}={index}"))
        .collect();
    let mut text = format!(
        "first at {}, which holds element {in_a} in A and {in_b} in B; 1/{} of the slots agree",
        place.join(", "),
        1u128 << changed.rank()
    );
    let mut json = json!({
        "slot": show::slot_json(a, slot),
        "a": in_a.to_vec(),
        "b": in_b.to_vec(),
        "share_that_agrees": 1.0 / (1u128 << changed.rank()) as f64,
    });
    // Layouts of registers also name the dims that a conversion moves.
    if a.has_in_dim(Dim::REGISTER)
        && let Ok(moved) = a.minimal_conversion_to(b)
    {
        let moves: Vec<&str> = moved.in_dims().map(|d| d.name()).collect();
        text += &match moves.as_slice() {
            [] => String::new(),
            moves => format!("\na conversion from A to B moves: {}", moves.join(", ")),
        };
        json["moves"] = json!(moves);
    }
    Some(Difference::new(text, json))
}

/// Returns the paddings of a shared-memory encoding as pairs `(interval, padding)`.
///
/// For a partitioned buffer, returns the paddings of one partition.
fn gaps(encoding: Option<&Encoding>) -> &[(u32, u32)] {
    match encoding {
        Some(Encoding::PaddedShared(padded)) => padded.interval_paddings(),
        Some(Encoding::PartitionedShared(parts)) => gaps(Some(parts.partition_layout())),
        _ => &[],
    }
}

/// Compares the paddings of two buffers that hold their elements in the same order. Returns the first difference,
/// or `None` if the paddings are equal.
fn gaps_differ(a: &Subject, b: &Subject) -> Option<Difference> {
    let (a, b) = (gaps(a.encoding.as_ref()), gaps(b.encoding.as_ref()));
    let after = |gaps: &[(u32, u32)], interval| -> u32 {
        gaps.iter()
            .find(|(i, _)| *i == interval)
            .map_or(0, |(_, padding)| *padding)
    };
    let mut intervals: Vec<u32> = a.iter().chain(b).map(|(interval, _)| *interval).collect();
    intervals.sort_unstable();
    let interval = intervals
        .into_iter()
        .find(|interval| after(a, *interval) != after(b, *interval))?;
    let (in_a, in_b) = (after(a, interval), after(b, interval));
    Some(Difference::new(
        format!(
            "the elements are in the same order, but the padding after every {interval} elements is {in_a} in A \
             and {in_b} in B"
        ),
        json!({"interval": interval, "a": in_a, "b": in_b}),
    ))
}
