//! `ll-layout show`: a layout in one of four views.

use crate::subject::Subject;
use crate::{Failure, Source, batch};
use clap::ValueEnum;
use linear_layout::encoding::Encoding;
use linear_layout::layout::LinearLayout;
use linear_layout::view::{
    HardwareGrid, Holders, InPoint, MatrixView, TensorGrid, Window, layout_text, shape_text,
};
use serde_json::{Map, Value, json};

pub(crate) const EXAMPLES: &str = "Examples:
  ll-layout show '#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>' 16x8
  ll-layout show '#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>' 8x8 --view matrix
  ll-layout show '#mma' 64x64 --aliases kernel.mlir --view hardware
  ll-layout show printed-layout.txt --view tensor,hardware";

/// Elements that `--all` and `--json` list at most.
const MOST: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum View {
    /// The bases, as Triton prints a LinearLayout
    Bases,
    /// The tensor: who holds each element
    Tensor,
    /// The hardware: which element each slot holds
    Hardware,
    /// The matrix over GF(2)
    Matrix,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,

    /// Shape of the tensor: 64x16; a printed layout needs none
    shape: Option<String>,

    /// What to show; several are separated by commas
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "bases,tensor"
    )]
    view: Vec<View>,

    /// Show whole grids, not only their first rows, columns and warps
    #[arg(long)]
    all: bool,

    /// Rows of a grid to show
    #[arg(long, value_name = "N", default_value_t = Window::default().rows, conflicts_with = "all")]
    rows: u64,

    /// Columns of a grid to show
    #[arg(long, value_name = "N", default_value_t = Window::default().columns, conflicts_with = "all")]
    columns: u64,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<String, Failure> {
    let source = &arguments.source;
    let shape = arguments.shape.as_deref();
    let subject = Subject::read(&source.enc, shape, source.aliases.as_deref())?;
    let window = if arguments.all {
        Window::ALL
    } else {
        Window {
            rows: arguments.rows,
            columns: arguments.columns,
            ..Window::default()
        }
    };
    let l = &subject.layout;
    let is_grid = |view: &View| matches!(view, View::Tensor | View::Hardware);
    if (arguments.all || as_json) && arguments.view.iter().any(is_grid) {
        let bits = l.total_in_bits().max(l.total_out_bits());
        if bits > MOST {
            return Err(Failure::new(format!(
                "the layout of {} has 2^{bits} slots or elements; all of them are listed up to 2^{MOST}",
                shape_text(&subject.shape())
            ))
            .note(
                "leave out `--all` to see a corner, or ask for `--view bases` or `--view matrix`",
            ));
        }
    }
    if as_json {
        return Ok(to_json(&subject, &arguments.view).to_string() + "\n");
    }
    let views = arguments.view.iter().map(|view| match view {
        View::Bases => layout_text(l, subject.encoding.as_ref()),
        View::Tensor => TensorGrid::new(l, window).to_string(),
        View::Hardware => HardwareGrid::new(l, window).to_string(),
        View::Matrix => MatrixView::new(l).to_string(),
    });
    Ok(views.collect::<Vec<_>>().join("\n"))
}

fn to_json(subject: &Subject, views: &[View]) -> Value {
    let l = &subject.layout;
    let mut object = Map::new();
    if let Some(encoding) = &subject.encoding {
        object.insert("enc".to_owned(), json!(encoding.to_string()));
    }
    object.insert("shape".to_owned(), json!(subject.shape()));
    object.insert("bases".to_owned(), batch::linear::bases_by_dim(l).into());
    let outs: Map<String, Value> = l
        .out_shape()
        .map(|(d, size)| (d.name().to_owned(), json!(size)))
        .collect();
    object.insert("out_dims".to_owned(), outs.into());
    if let Some(Encoding::PaddedShared(padded)) = &subject.encoding {
        let pairs = json!(padded.interval_paddings());
        object.insert("interval_padding".to_owned(), pairs);
    }
    for view in views {
        let (name, value) = match view {
            View::Bases => continue,
            View::Tensor => ("tensor", tensor_json(l)),
            View::Hardware => ("hardware", hardware_json(l)),
            View::Matrix => ("matrix", MatrixView::new(l).rows().collect()),
        };
        object.insert(name.to_owned(), value);
    }
    object.into()
}

/// Each element with those who hold it, the last dim of the tensor fastest.
fn tensor_json(layout: &LinearLayout) -> Value {
    let holders = Holders::new(layout);
    let shape: Vec<u64> = layout.out_shape().map(|(_, size)| size).collect();
    let mut list = Vec::new();
    for mut position in 0..1u64 << layout.total_out_bits() {
        // The position counts with the last dim fastest, a packed output with the first in the low bits.
        let mut index = vec![0; shape.len()];
        for (index, size) in index.iter_mut().zip(&shape).rev() {
            (*index, position) = (position % size, position / size);
        }
        let (mut packed, mut shift) = (0, 0);
        for (index, size) in index.iter().zip(&shape) {
            packed |= index << shift;
            shift += size.trailing_zeros();
        }
        let held: Vec<Value> = holders.of(packed).map(|x| slot_json(layout, x)).collect();
        list.push(json!({"element": index, "held_by": held}));
    }
    list.into()
}

/// Each slot with the element it holds, the first in-dim fastest.
fn hardware_json(layout: &LinearLayout) -> Value {
    (0..1u64 << layout.total_in_bits())
        .map(|x| {
            let element = layout.unpack(layout.apply_packed(x)).to_vec();
            json!({"slot": slot_json(layout, x), "element": element})
        })
        .collect()
}

/// `{in-dim: index}`.
pub(crate) fn slot_json(layout: &LinearLayout, packed: u64) -> Value {
    InPoint::new(layout, packed)
        .indices()
        .map(|(d, index)| (d.name().to_owned(), json!(index)))
        .collect::<Map<String, Value>>()
        .into()
}
