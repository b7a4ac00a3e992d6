//! Figures of the gallery.

use linear_layout::cute::ComposedLayout;
use linear_layout::encoding::Encoding;
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::plan::memory::{BufferLayout, MemoryPlan};
use linear_layout::target::{Access, TARGETS, Target};
use linear_layout::tilus::RegisterLayout;
use linear_layout::view::{Scene, Window, shape_text};
use std::error::Error;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A group of related figures.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) figures: Vec<Figure>,
}

/// A figure of the gallery. It consists of one picture, or of several pictures one below another.
#[derive(Debug)]
pub(crate) struct Figure {
    /// Stem of the names of the figure's files.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) subject: String,
    pub(crate) scenes: Vec<Scene>,
}

/// Returns all sections with their figures, in the order in which the page shows them.
pub(crate) fn sections() -> Outcome<Vec<Section>> {
    let mut fragment_figures = Vec::new();
    for fragment in fragments() {
        fragment_figures.push(fragment.figure()?);
    }
    Ok(vec![
        Section {
            title: "Fragments of matrix instructions",
            description: "Operands of mma.sync and wgmma, as in the figures of the PTX manual: T3 above 1 is element 1 of thread 3 \
                   (a1, b1 or c1). Threads of a row of the fragment have one hue, or warps where there are several.",
            figures: fragment_figures,
        },
        Section {
            title: "Matrix instructions",
            description: "The operands of D = A B + D: A left of D, and B above it. A cell is a lane above a register, and the cells of \
                   one lane have one colour. On its page, an element of D marks its row of A and its column of B.",
            figures: instructions()?,
        },
        Section {
            title: "The basic idea",
            description: "Small layouts that introductions to linear layouts draw.",
            figures: seeds()?,
        },
        Section {
            title: "Layouts of Tilus and CuTe",
            description: "Register layouts, whose cells are thread: place, and a layout of CuTe beside its inverse, whose cells are indices.",
            figures: other_systems()?,
        },
        Section {
            title: "Swizzles",
            description: "Shared memory by bank, and the phases in which each lane reads 16 bytes of its own row: several words of one \
                   bank in one phase stand below each other and are a bank conflict.",
            figures: swizzles()?,
        },
    ])
}

/// A matrix fragment of the PTX manual: the distribution of an operand over the registers of a warp or
/// warpgroup.
#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) encoding: String,
    pub(crate) shape: [u64; 2],
}

const MMA: &str = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>";
const WGMMA: &str = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 16]}>";

/// The shapes of the `mma.sync` instructions, grouped by the number of consecutive elements along k in a register.
///
/// Each entry of a group consists of an extent k, and the element types of the instructions with this extent.
const SYNC: [(u32, &[(u64, &str)]); 5] = [
    (1, &[(4, ".tf32, .f64"), (8, ".tf32, .f64"), (16, ".f64")]),
    (2, &[(8, ".f16, .bf16"), (16, ".f16, .bf16")]),
    (4, &[(16, ".s8, .u8"), (32, ".s8, .u8, .e4m3, .e5m2")]),
    (8, &[(32, ".s4, .u4"), (64, ".s4, .u4, .e2m1")]),
    (32, &[(128, ".b1"), (256, ".b1")]),
];

/// Returns the fragments that an encoding can describe: those of `mma.sync.m16n8`, and those of `wgmma` that are
/// held in registers.
pub(crate) fn fragments() -> Vec<Fragment> {
    let operand = |index: u32, parent: &str, width: u32| {
        format!("#ttg.dot_op<{{opIdx = {index}, parent = {parent}, kWidth = {width}}}>")
    };
    let mut all = vec![Fragment {
        name: "mma-m16n8-c".to_owned(),
        title: "mma.m16n8k*: C and D".to_owned(),
        encoding: MMA.to_owned(),
        shape: [16, 8],
    }];
    for (width, extents) in SYNC {
        for (k, types) in extents {
            for (index, letter, shape) in [(0, "A", [16, *k]), (1, "B", [*k, 8])] {
                // The first type distinguishes instructions of one extent.
                let kind = types.split(',').next().unwrap_or_default();
                all.push(Fragment {
                    name: format!(
                        "mma-m16n8k{k}{}-{}",
                        kind.replace('.', "-"),
                        letter.to_lowercase()
                    ),
                    title: format!("mma.m16n8k{k}: {letter} of {types}"),
                    encoding: operand(index, MMA, width),
                    shape,
                });
            }
        }
    }
    all.push(Fragment {
        name: "wgmma-m64n16-d".to_owned(),
        title: "wgmma.m64n16k*: D".to_owned(),
        encoding: WGMMA.to_owned(),
        shape: [64, 16],
    });
    for (width, k, types) in [
        (1, 8, ".tf32"),
        (2, 16, ".f16, .bf16"),
        (4, 32, ".s8, .u8, .e4m3, .e5m2"),
    ] {
        all.push(Fragment {
            name: format!("wgmma-m64k{k}-a"),
            title: format!("wgmma.m64nNk{k}: A of {types} in registers"),
            encoding: operand(0, WGMMA, width),
            shape: [64, k],
        });
    }
    all
}

impl Fragment {
    /// Returns the layout of the fragment, without register replicas.
    ///
    /// Replicas occur if the instruction is smaller than the tile of the encoding.
    pub(crate) fn layout(&self) -> Outcome<LinearLayout> {
        let encoding: Encoding = self.encoding.parse()?;
        let layout = encoding.to_linear_layout(&self.shape)?;
        Ok(layout.remove_zero_bases(Dim::REGISTER)?)
    }

    fn figure(&self) -> Outcome<Figure> {
        let scene = Scene::tensor(&self.layout()?, Window::PICTURE).titled(&self.title);
        Ok(Figure {
            name: self.name.clone(),
            title: self.title.clone(),
            subject: format!("{} on {}", self.encoding, shape_text(&self.shape)),
            scenes: vec![scene],
        })
    }
}

/// Pairs of a GPU and an instruction. The operand layouts differ from one instruction to the next.
const INSTRUCTIONS: [(&str, &str); 8] = [
    ("cuda:80", "mma.m16n8k16.f32.f16"),
    ("cuda:80", "mma.m16n8k8.f32.tf32"),
    ("cuda:80", "mma.m16n8k32.i32.i8"),
    ("cuda:80", "mma.m8n8k4.f64.f64"),
    ("hip:gfx942", "mfma.f32.32x32x8f16"),
    ("hip:gfx942", "mfma.f32.16x16x32.fp8.fp8"),
    ("hip:gfx1100", "wmma.f32.16x16x16.f16"),
    ("hip:gfx1201", "wmma.f32.16x16x16.f16"),
];

fn instructions() -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    for (target, name) in INSTRUCTIONS {
        let rows = Target::parse(target)?.matrix_instructions();
        let row = rows.iter().find(|row| row.name == name);
        let row = row.ok_or_else(|| format!("{target} has no {name}"))?;
        let title = format!("{name} on {target}");
        let file = title.replace(['.', ' ', ':'], "-");
        let subject = row.intrinsic.as_deref().unwrap_or_default();
        let scene = Scene::instruction(row, Window::PICTURE)?;
        figures.push(figure(&file, &title, subject, vec![scene]));
    }
    Ok(figures)
}

fn figure(name: &str, title: &str, subject: &str, scenes: Vec<Scene>) -> Figure {
    Figure {
        name: name.to_owned(),
        title: title.to_owned(),
        subject: subject.to_owned(),
        scenes: scenes
            .into_iter()
            .map(|scene| scene.titled(title))
            .collect(),
    }
}

fn encoded(text: &str, shape: &[u64]) -> Outcome<LinearLayout> {
    let encoding: Encoding = text.parse()?;
    Ok(encoding.to_linear_layout(shape)?)
}

/// Returns a figure of the layout that the encoding `text` has on a tensor of this shape. `view` draws the layout.
fn encoded_figure(
    name: &str,
    title: &str,
    text: &str,
    shape: &[u64],
    view: impl Fn(&LinearLayout) -> Scene,
) -> Outcome<Figure> {
    let subject = format!("{text} on {}", shape_text(shape));
    Ok(figure(
        name,
        title,
        &subject,
        vec![view(&encoded(text, shape)?)],
    ))
}

fn seeds() -> Outcome<Vec<Figure>> {
    let whole = |layout: &LinearLayout| Scene::tensor(layout, Window::PICTURE);
    // Thread t of warp w holds element (t, w ^ t) of a tensor of 4x4.
    let table = LinearLayout::from_bases(
        &[
            (Dim::LANE, &[&[1, 1], &[2, 2]]),
            (Dim::WARP, &[&[0, 1], &[0, 2]]),
        ],
        &[Dim::out(0), Dim::out(1)],
    )?;
    let text = "lane 1 -> (1, 1), lane 2 -> (2, 2), warp 1 -> (0, 1), warp 2 -> (0, 2)";
    let mut figures = vec![
        figure(
            "swizzle-4x4",
            "A swizzle of 4 threads in 4 warps",
            text,
            vec![whole(&table)],
        ),
        figure(
            "swizzle-4x4-matrix",
            "The same swizzle as a matrix",
            text,
            vec![Scene::matrix(&table)],
        ),
    ];
    let lines = |size: u64| LinearLayout::identity_1d(size, Dim::LANE, Dim::out(0));
    figures.push(figure(
        "identity-8",
        "The identity of 8 elements",
        "lane i -> i",
        vec![whole(&lines(8)?), Scene::matrix(&lines(8)?)],
    ));
    let quads = lines(4)?.product(&LinearLayout::identity_1d(8, Dim::REGISTER, Dim::out(0))?)?;
    figures.push(figure(
        "lanes-then-registers",
        "4 lanes side by side, 8 registers on top of each other",
        "dim0 = lane + 4 * register",
        vec![whole(&quads)],
    ));
    let plain = "#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 1, order = [1, 0]}>";
    let swizzled = "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>";
    let composed = "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 2, order = [1, 0]}>";
    let rows = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";
    let columns = "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>";
    figures.push(encoded_figure(
        "blocked-16x32",
        "Rows in vectors of four",
        rows,
        &[16, 32],
        whole,
    )?);
    figures.push(encoded_figure(
        "plain-64x16",
        "Shared memory without a swizzle",
        plain,
        &[64, 16],
        whole,
    )?);
    figures.push(encoded_figure(
        "swizzled-64x16",
        "The same with a swizzle",
        swizzled,
        &[64, 16],
        whole,
    )?);
    figures.push(encoded_figure(
        "swizzled-32x32",
        "Vectors of 4, exchanged every second row",
        composed,
        &[32, 32],
        whole,
    )?);
    let shape = [32, 16];
    let (src, dst) = (encoded(rows, &shape)?, encoded(columns, &shape)?);
    let subject = format!("{rows} to {columns} on 32x16");
    let moved = Scene::conversion(&src, &dst, Window::PICTURE);
    figures.push(figure(
        "conversion",
        "A conversion from rows to columns",
        &subject,
        vec![moved],
    ));
    Ok(figures)
}

/// Names of layouts from the manual of Tilus, each with the expression that defines the layout.
const TILUS: [(&str, &str); 8] = [
    ("tilus-local", "local(3, 4)"),
    ("tilus-spatial", "spatial(3, 2)"),
    ("tilus-local-spatial", "local(3, 4).spatial(2, 3)"),
    ("tilus-spatial-local", "spatial(2, 3).local(3, 4)"),
    ("tilus-mma-c", "repeat(2, 1).spatial(8, 4).repeat(1, 2)"),
    ("tilus-column-local", "column_local(2, 3)"),
    ("tilus-column-spatial", "column_spatial(2, 3)"),
    ("tilus-tile", "spatial(3, 4)"),
];

fn other_systems() -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    for (name, chain) in TILUS {
        let layout: RegisterLayout = chain.parse()?;
        let scene = Scene::register_layout(&layout, Window::PICTURE);
        figures.push(figure(name, chain, &layout.to_string(), vec![scene]));
    }
    let reduced = "spatial(3, 4)"
        .parse::<RegisterLayout>()?
        .reduce(&[0], false)?;
    let scene = Scene::register_layout(&reduced, Window::PICTURE);
    let title = "spatial(3, 4) reduced along its rows";
    figures.push(figure(
        "tilus-reduced",
        title,
        &reduced.to_string(),
        vec![scene],
    ));
    let mut scenes = Vec::new();
    for text in ["(8,16,4):(64,1,16)", "(16,4,8):(8,128,1)"] {
        let layout: ComposedLayout = text.parse()?;
        scenes.push(Scene::cute(&layout, Window::PICTURE));
    }
    let subject = "(8,16,4):(64,1,16) and its inverse (16,4,8):(8,128,1)";
    figures.push(figure(
        "cute-inverse",
        "A compact layout and its inverse",
        subject,
        scenes,
    ));
    Ok(figures)
}

/// Name, title and encoding of each swizzle. The buffer has 32 rows and 64 columns of 16-bit elements.
const SWIZZLES: [(&str, &str, &str); 10] = [
    (
        "none",
        "None",
        "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>",
    ),
    (
        "vec8-max8",
        "Vectors of 8, 8 phases",
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    ),
    (
        "vec8-max4",
        "Vectors of 8, 4 phases",
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>",
    ),
    (
        "vec8-per2",
        "Vectors of 8, 4 phases of 2 rows",
        "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>",
    ),
    (
        "vec4-max16",
        "Vectors of 4, 16 phases",
        "#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>",
    ),
    (
        "vec2-max8",
        "Vectors of 2, 8 phases",
        "#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    ),
    (
        "nvmma-32",
        "Of 32 bytes, for TMA and wgmma",
        "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>",
    ),
    (
        "nvmma-64",
        "Of 64 bytes, for TMA and wgmma",
        "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>",
    ),
    (
        "nvmma-128",
        "Of 128 bytes, for TMA and wgmma",
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
    ),
    (
        "rotating",
        "AMD's, which rotates",
        "#ttg.amd_rotating_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    ),
];

const ROW_OF_A_LANE: &str = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>";
const SWIZZLED: [u64; 2] = [32, 64];

fn swizzles() -> Outcome<Vec<Figure>> {
    // The first target with swizzled copies; the vendor's targets all have the same banks.
    let target = TARGETS.iter().find(|target| target.instructions.clusters);
    let target = target.ok_or("no GPU has clusters")?;
    let registers = encoded(ROW_OF_A_LANE, &SWIZZLED)?;
    let mut figures = Vec::new();
    for (name, title, text) in SWIZZLES {
        let place = BufferLayout::new(encoded(text, &SWIZZLED)?, &[], 16)?;
        let window = Window {
            rows: 16,
            grids: 2,
            ..Window::PICTURE
        };
        let plan = MemoryPlan::new(&registers, &place, 0, Access::Load, target)?;
        figures.push(figure(
            &format!("swizzle-{name}"),
            title,
            &format!("{text} on {}, 16 bits an element", shape_text(&SWIZZLED)),
            vec![
                Scene::banks(&place, target, window),
                Scene::accesses(&plan, &registers, Access::Load, target, window),
            ],
        ));
    }
    Ok(figures)
}
