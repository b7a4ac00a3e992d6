//! `ll-layout show`: a layout in one of several views, or the operands of a matrix instruction.

use crate::any_layout::AnyLayout;
use crate::drawing::{Drawing, Format};
use crate::element::element_bits;
use crate::subject::{Subject, parse_shape, parse_text, read_text};
use crate::{Failure, Source, batch, instruction};
use clap::ValueEnum;
use linear_layout::encoding::Encoding;
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::plan::memory::{BufferLayout, MemoryPlan};
use linear_layout::target::{Access, Target};
use linear_layout::view::{Holders, InPoint, Scene, Window, layout_text, shape_text};
use serde_json::{Map, Value, json};

pub(crate) const EXAMPLES: &str = "Examples:
  ll-layout show '#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>' 16x8
  ll-layout show '#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>' 8x8 --view matrix
  ll-layout show '#mma' 64x64 --aliases kernel.mlir --view hardware
  ll-layout show printed-layout.txt --view tensor,hardware
  ll-layout show 'local(2, 1).spatial(8, 4)'
  ll-layout show 'Sw<2,0,3> o 0 o (8,8):(8,1)'
  ll-layout show 'Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)'
  ll-layout show 'gl.BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[8, 4], warps_per_cta=[4, 1], order=[1, 0])' 64x64
  ll-layout show 'tensor<64x64xf16, #ttg.slice<{dim = 1, parent = #mma}>>' --aliases kernel.mlir
  ll-layout show '#mma' 64x64 --aliases kernel.mlir --output mma.html
  ll-layout show mma.m16n8k16.f32.f16 --target cuda:80
  ll-layout show '#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>' 32x64 --view banks --type f16 --target cuda:90 --access '#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>'";

/// Maximum log2 of the number of elements that `--all` and `--json` list.
const MOST: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum View {
    /// The bases, in Triton's notation for a LinearLayout
    Bases,
    /// The tensor, with the threads and registers that hold each element
    Tensor,
    /// The tensor in the notation of Tilus, `thread: register`; for layouts of CuTe and shared layouts of Tilus, a
    /// grid of numbers
    Grid,
    /// The hardware, with the element that each slot holds
    Hardware,
    /// The matrix over GF(2)
    Matrix,
    /// Shared memory by bank; with --access, also the accesses of each bank in each phase
    Banks,
}

impl View {
    fn title(self) -> &'static str {
        match self {
            Self::Bases => "Bases",
            Self::Tensor => "Tensor",
            Self::Grid => "Grid",
            Self::Hardware => "Hardware",
            Self::Matrix => "Matrix",
            Self::Banks => "Shared memory",
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,

    /// Shape of the tensor, such as 64x16; required for encodings, but not for types and layouts of CuTe and Tilus
    shape: Option<String>,

    /// Views to show, separated by commas [default: bases and tensor; in SVG: tensor; in HTML: tensor, hardware and
    /// matrix; for layouts of CuTe and Tilus: grid]
    #[arg(long, value_enum, value_delimiter = ',')]
    view: Vec<View>,

    /// Type of an element for --view banks, such as `f16`; not needed if ENC is the type of a buffer
    #[arg(long, value_name = "TYPE")]
    r#type: Option<String>,

    /// GPU for --view banks, or GPU that has the instruction: `cuda:90`, `hip:gfx942`, `sm_90`, `h100`
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,

    /// Encoding of the registers that are loaded from the buffer, for --view banks
    #[arg(long, value_name = "ENC")]
    access: Option<std::ffi::OsString>,

    /// Store the registers of --access to the buffer instead of loading them
    #[arg(long, requires = "access")]
    store: bool,

    #[command(flatten)]
    drawing: Drawing,

    /// Show whole grids instead of their first rows, columns and warps
    #[arg(long)]
    all: bool,

    /// Number of rows of a grid to show
    #[arg(long, value_name = "N", conflicts_with = "all")]
    rows: Option<u64>,

    /// Number of columns of a grid to show
    #[arg(long, value_name = "N", conflicts_with = "all")]
    columns: Option<u64>,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<String, Failure> {
    let source = &arguments.source;
    if let Some(name) = instruction::name_of(&source.enc) {
        return arguments.instruction(name, as_json);
    }
    let shape = arguments.shape.as_deref();
    let text = parse_text(&read_text(&source.enc)?, source.aliases.as_deref())?;
    let bits = text.element_bits;
    let shape = shape.map(parse_shape).transpose()?;
    let layout = AnyLayout::on_shape(text, shape.as_deref())?;
    let drawing = &arguments.drawing;
    let views = arguments.views(&layout, as_json);
    let window = arguments.window();
    let title = layout.title();
    // The grid shows layouts that need not be linear.
    if views == [View::Grid] && !as_json {
        if arguments.all && layout.size() > 1 << MOST {
            return Err(Failure::new(format!(
                "the layout has {} elements; `--all` draws at most 2^{MOST}",
                layout.size()
            ))
            .note("leave out `--all` to draw only the first rows and columns"));
        }
        let scene = match &layout {
            AnyLayout::Linear(subject) => Scene::boxed(&subject.layout, window),
            AnyLayout::Cute(layout) => Scene::cute(layout, window),
            AnyLayout::Register(layout) => Scene::register_layout(layout, window),
            AnyLayout::Shared(layout) => Scene::shared_layout(layout, window),
        };
        return drawing.write(if drawing.is_picture() {
            drawing.picture(&title, &[scene.titled(title.clone())])
        } else {
            drawing.text(&scene)
        });
    }
    let subject = layout.linear()?;
    let l = &subject.layout;
    let is_grid = |view: &View| !matches!(view, View::Bases | View::Matrix);
    if (arguments.all || as_json) && views.iter().any(is_grid) {
        let bits = l.total_in_bits().max(l.total_out_bits());
        if bits > MOST {
            return Err(Failure::new(format!(
                "the layout of {} has 2^{} slots and 2^{} elements; `--all` and `--json` list at most \
                 2^{MOST} of each",
                shape_text(&subject.shape()),
                l.total_in_bits(),
                l.total_out_bits()
            ))
            .note(
                "leave out `--all` to list only a part, or use `--view bases` or `--view matrix`",
            ));
        }
    }
    if as_json {
        return Ok(to_json(&subject, &views)?.to_string() + "\n");
    }
    if drawing.is_picture() {
        let mut scenes = Vec::new();
        for view in &views {
            for scene in arguments.scenes(&subject, bits, *view, window)? {
                // Several pictures have the names of their views as titles.
                scenes.push(match views.as_slice() {
                    [_] => scene.titled(title.clone()),
                    _ => scene.titled(view.title()),
                });
            }
        }
        return drawing.write(drawing.picture(&title, &scenes));
    }
    let mut texts = Vec::new();
    for view in &views {
        if *view == View::Bases {
            texts.push(layout_text(l, subject.encoding.as_ref()));
            continue;
        }
        for scene in arguments.scenes(&subject, bits, *view, window)? {
            texts.push(drawing.text(&scene));
        }
    }
    drawing.write(texts.join("\n"))
}

impl Arguments {
    fn window(&self) -> Window {
        if self.all {
            return Window::ALL;
        }
        let usual = if self.drawing.is_picture() {
            Window::PICTURE
        } else {
            Window::default()
        };
        Window {
            rows: self.rows.unwrap_or(usual.rows),
            columns: self.columns.unwrap_or(usual.columns),
            ..usual
        }
    }

    fn instruction(&self, name: &str, as_json: bool) -> Result<String, Failure> {
        let (row, target) = instruction::find(name, self.target.as_deref())?;
        if let Some(shape) = &self.shape {
            let sizes = shape_text(&row.sizes());
            return Err(Failure::new(format!(
                "the shape {shape} is given for `{name}`, which has the fixed sizes {sizes}"
            ))
            .note("leave out the shape"));
        }
        if !self.view.is_empty() {
            return Err(Failure::new(
                "`--view` does not apply to an instruction, which has a single figure",
            )
            .note("leave out `--view`"));
        }
        if as_json {
            return Ok(instruction::with_layouts(&row, target)?.to_string() + "\n");
        }
        let scene = Scene::instruction(&row, self.window()).map_err(Failure::new)?;
        let drawing = &self.drawing;
        drawing.write(if drawing.is_picture() {
            let title = format!("{name} on {target}");
            drawing.picture(&title, &[scene.titled(&*title)])
        } else {
            drawing.text(&scene)
        })
    }

    fn views(&self, layout: &AnyLayout, as_json: bool) -> Vec<View> {
        if !self.view.is_empty() {
            return self.view.clone();
        }
        if !matches!(layout, AnyLayout::Linear(_)) && !as_json {
            return vec![View::Grid];
        }
        match self.drawing.format() {
            Format::Svg if !as_json => vec![View::Tensor],
            Format::Html if !as_json => vec![View::Tensor, View::Hardware, View::Matrix],
            _ => vec![View::Bases, View::Tensor],
        }
    }

    fn scenes(
        &self,
        subject: &Subject,
        bits: Option<u32>,
        view: View,
        window: Window,
    ) -> Result<Vec<Scene>, Failure> {
        let l = &subject.layout;
        Ok(match view {
            View::Bases => {
                return Err(Failure::new(
                    "the view `bases` is text, which cannot be drawn as a picture",
                )
                .note("use `--view matrix`, or leave out `--format` and `--output`"));
            }
            View::Tensor => vec![Scene::tensor(l, window)],
            View::Grid => vec![Scene::boxed(l, window)],
            View::Hardware => vec![Scene::hardware(l, window)],
            View::Matrix => vec![Scene::matrix(l)],
            View::Banks => self.banks(subject, bits, window)?,
        })
    }

    /// Returns a picture of the buffer by bank. If `--access` is given, it is followed by pictures of the accesses
    /// to the buffer.
    fn banks(
        &self,
        subject: &Subject,
        bits: Option<u32>,
        window: Window,
    ) -> Result<Vec<Scene>, Failure> {
        let r#type = self.r#type.as_deref();
        let (true, Some(target)) = (r#type.is_some() || bits.is_some(), &self.target) else {
            return Err(
                Failure::new("`--view banks` requires the element type and the GPU")
                    .note("add them, as in `--type f16 --target cuda:90`"),
            );
        };
        if !subject.layout.has_in_dim(Dim::OFFSET) {
            let names: Vec<&str> = subject.layout.in_dims().map(Dim::name).collect();
            return Err(Failure::new(format!(
                "`--view banks` requires a layout of shared memory, with in-dim offset; found in-dims {}",
                names.join(", ")
            ))
            .note("give the encoding of a buffer, and this register layout as `--access`"));
        }
        let target = Target::parse(target).map_err(Failure::new)?;
        let bits = element_bits(r#type, bits)?;
        let gaps = match &subject.encoding {
            Some(Encoding::PaddedShared(padded)) => padded.interval_paddings(),
            _ => &[],
        };
        let place = BufferLayout::new(subject.layout.clone(), gaps, bits).map_err(Failure::new)?;
        let mut scenes = vec![Scene::banks(&place, target, window)];
        if let Some(registers) = &self.access {
            let bits = subject.layout.total_in_bits();
            if bits > MOST {
                return Err(Failure::new(format!(
                    "the buffer has 2^{bits} elements; accesses are planned for at most 2^{MOST}"
                ))
                .note("use a smaller shape; accesses to a larger buffer repeat the same pattern"));
            }
            let shape = shape_text(&subject.shape());
            let registers = Subject::read(registers, Some(&shape), self.source.aliases.as_deref())
                .map_err(|failure| failure.within("--access"))?;
            let access = if self.store {
                Access::Store
            } else {
                Access::Load
            };
            let plan = MemoryPlan::new(&registers.layout, &place, 0, access, target)
                .map_err(|e| Failure::new(e).within("--access"))?;
            scenes.push(Scene::accesses(
                &plan,
                &registers.layout,
                access,
                target,
                window,
            ));
        }
        Ok(scenes)
    }
}

fn to_json(subject: &Subject, views: &[View]) -> Result<Value, Failure> {
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
            View::Matrix => ("matrix", matrix_json(l)),
            View::Grid | View::Banks => {
                return Err(
                    Failure::new("the views `grid` and `banks` have no JSON form")
                        .note("use the view bases, tensor, hardware or matrix"),
                );
            }
        };
        object.insert(name.to_owned(), value);
    }
    Ok(object.into())
}

/// Returns the slots that hold each element, as JSON. In the order of the elements, the last dimension varies
/// fastest.
fn tensor_json(layout: &LinearLayout) -> Value {
    let holders = Holders::new(layout);
    let shape: Vec<u64> = layout.out_shape().map(|(_, size)| size).collect();
    let mut list = Vec::new();
    for mut position in 0..1u64 << layout.total_out_bits() {
        // In `position` the last dim is the fastest, in a packed output the first.
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

/// Returns the element that each slot holds, as JSON. In the order of the slots, the first in-dim varies fastest.
fn hardware_json(layout: &LinearLayout) -> Value {
    (0..1u64 << layout.total_in_bits())
        .map(|x| {
            let element = layout.unpack(layout.apply_packed(x)).to_vec();
            json!({"slot": slot_json(layout, x), "element": element})
        })
        .collect()
}

/// Returns the matrix over GF(2) as JSON. It has one column per input bit and one row per output bit.
fn matrix_json(layout: &LinearLayout) -> Value {
    let row = |row: usize| -> Vec<u64> {
        let columns = layout.columns().iter();
        columns.map(|column| column >> row & 1).collect()
    };
    (0..layout.total_out_bits()).map(row).collect()
}

/// Returns the indices of the slot `packed`, one per in-dim, as `{in-dim: index}`. The bits of these indices are
/// concatenated in `packed`.
pub(crate) fn slot_json(layout: &LinearLayout, packed: u64) -> Value {
    InPoint::new(layout, packed)
        .indices()
        .map(|(d, index)| (d.name().to_owned(), json!(index)))
        .collect::<Map<String, Value>>()
        .into()
}
