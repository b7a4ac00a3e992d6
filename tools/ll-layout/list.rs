//! `ll-layout list`: the encodings in a file with their shapes, or the matrix instructions of a GPU.

use crate::drawing::{Drawing, Format};
use crate::{Failure, instruction};
use linear_layout::encoding::Encoding;
use linear_layout::target::Target;
use linear_layout::view::{Mentions, Scene, Window, shape_text};
use serde_json::{Map, Value, json};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub(crate) const EXAMPLES: &str =
    "The file need not be valid MLIR, but an encoding in it that cannot be read is an error.

Examples:
  ll-layout list kernel.mlir
  ll-layout list kernel.mlir --output kernel.html
  ll-layout list --instructions --target cuda:90
  ll-layout list --instructions --target hip:gfx942 --format html";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// File of MLIR; `-` is standard input
    #[arg(required_unless_present = "instructions")]
    file: Option<PathBuf>,

    /// List the matrix instructions of --target instead, with sizes, types, registers per lane and clock cycles per
    /// warp; HTML output also shows the operands of each instruction
    #[arg(long, requires = "target", conflicts_with = "file")]
    instructions: bool,

    /// GPU: `cuda:90`, `hip:gfx942`, `sm_90`, `h100`, `mi300x`
    #[arg(long, value_name = "TARGET", requires = "instructions")]
    target: Option<String>,

    #[command(flatten)]
    drawing: Drawing,
}

/// An encoding that occurs in the file. `name` is its alias or, if it has no alias, its text.
struct ListEntry<'m> {
    module: usize,
    name: String,
    encoding: &'m Encoding,
    line: usize,
    uses: usize,
    /// One entry per shape with which the encoding is used: the encoding that applies to this shape, and the shape.
    laid_out: Vec<(&'m Encoding, &'m [u64])>,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<String, Failure> {
    let Some(file) = &arguments.file else {
        return instructions(arguments, as_json);
    };
    let text = read(file)?;
    let file = file.display().to_string();
    let mentions = Mentions::of(&text);
    if let Some(failure) = unreadable(&text, &file, &mentions) {
        return Err(failure);
    }
    let listed = listed(&text, &mentions);
    if as_json {
        let list: Vec<Value> = listed.iter().map(to_json).collect();
        return Ok(Value::from(list).to_string() + "\n");
    }
    if arguments.drawing.is_picture() {
        let scenes: Vec<Scene> = listed.iter().flat_map(scenes).collect();
        if scenes.is_empty() {
            return Err(Failure::new(format!(
                "`{file}` has no tensor or buffer with an encoding to draw"
            )));
        }
        let page = arguments.drawing.picture(&file, &scenes);
        return arguments.drawing.write(page);
    }
    let several = listed.iter().any(|l| l.module > 0);
    let mut out = String::new();
    for (i, entry) in listed.iter().enumerate() {
        if several && (i == 0 || listed[i - 1].module != entry.module) {
            out += &format!("module {}\n", entry.module);
        }
        let shapes: Vec<String> = shapes(entry).into_iter().map(shape_text).collect();
        let on = match shapes.as_slice() {
            [] => "on no shape".to_owned(),
            shapes => format!("on {}", shapes.join(", ")),
        };
        let uses = match entry.uses {
            1 => "1 mention".to_owned(),
            uses => format!("{uses} mentions"),
        };
        out += &format!("{}: line {}, {uses}, {on}\n", entry.name, entry.line);
        if entry.name != entry.encoding.to_string() {
            out += &format!("  {}\n", entry.encoding);
        }
    }
    if listed.is_empty() {
        out += "no encodings\n";
    }
    arguments.drawing.write(out)
}

fn instructions(arguments: &Arguments, as_json: bool) -> Result<String, Failure> {
    let target = arguments.target.as_deref().unwrap_or_default();
    let target = Target::parse(target).map_err(Failure::new)?;
    let rows = target.matrix_instructions();
    if as_json {
        let list = rows
            .iter()
            .map(|row| instruction::to_json(row, target).into());
        return Ok(Value::Array(list.collect()).to_string() + "\n");
    }
    let drawing = &arguments.drawing;
    let table = Scene::instructions(target);
    let format = drawing.format();
    if format == Format::Text {
        return drawing.write(drawing.text(&table));
    }
    let title = format!("Matrix instructions of {target}");
    let mut scenes = vec![table.titled(&*title)];
    if format == Format::Html {
        for row in &rows {
            scenes.push(Scene::instruction(row, Window::PICTURE).map_err(Failure::new)?);
        }
    }
    drawing.write(drawing.picture(&title, &scenes))
}

/// Returns an error that lists the encodings in the file that cannot be parsed. Returns `None` if all of them can
/// be parsed.
fn unreadable(text: &str, file: &str, mentions: &Mentions) -> Option<Failure> {
    let all = mentions.unreadable();
    let places = all.iter().take(MOST_UNREADABLE).map(|one| {
        let before = &text[..one.at];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        format!("{file}:{line}:{column}: {}", one.error)
    });
    let said = match all.len() {
        0 => return None,
        1 => "an encoding cannot be read".to_owned(),
        count => format!("{count} encodings cannot be read"),
    };
    let failure = places.fold(Failure::new(said), |failure, place| failure.line(place));
    Some(match all.len().saturating_sub(MOST_UNREADABLE) {
        0 => failure,
        more => failure.line(format_args!("and {more} more")),
    })
}

/// Maximum number of unreadable encodings that an error message lists.
const MOST_UNREADABLE: usize = 20;

fn read(path: &Path) -> Result<String, Failure> {
    let file = path.display();
    let mut text = String::new();
    let read = if path.as_os_str() == "-" {
        io::stdin().read_to_string(&mut text).map(drop)
    } else {
        std::fs::read_to_string(path).map(|read| text = read)
    };
    read.map_err(|e| Failure::new(format!("cannot read `{file}`: {e}")))?;
    Ok(text)
}

fn listed<'m>(text: &str, mentions: &'m Mentions) -> Vec<ListEntry<'m>> {
    let line = |offset: usize| text[..offset].matches('\n').count() + 1;
    let named = mentions.definitions().iter().map(|d| {
        let name = format!("#{}", d.name);
        (d.module, name, &d.encoding, d.span.start)
    });
    let is_named = |module: usize, encoding: &Encoding| {
        let mut definitions = mentions.definitions().iter();
        definitions.any(|d| d.module == module && d.encoding == *encoding.as_written())
    };
    // Encodings without an alias, without duplicates.
    let mut written: Vec<(usize, String, &Encoding, usize)> = Vec::new();
    for mention in mentions.mentions() {
        let (module, encoding) = (mention.module, &mention.encoding);
        let is_known = written
            .iter()
            .any(|(m, _, e, _)| *m == module && e.as_written() == encoding.as_written());
        if !is_known && !is_named(module, encoding) {
            let name = text[mention.span.clone()].to_owned();
            written.push((module, name, encoding, mention.span.start));
        }
    }
    let mut all: Vec<ListEntry<'m>> = named
        .chain(written)
        .map(|(module, name, encoding, start)| {
            let same = mentions.mentions().iter();
            let written = encoding.as_written();
            let same = same.filter(|m| m.module == module && m.encoding.as_written() == written);
            ListEntry {
                module,
                name,
                encoding,
                line: line(start),
                uses: same.filter(|m| m.holder.is_some()).count(),
                laid_out: mentions.laid_out(encoding, module),
            }
        })
        .collect();
    all.sort_by_key(|entry| (entry.module, entry.line));
    all
}

fn shapes<'m>(entry: &ListEntry<'m>) -> Vec<&'m [u64]> {
    let mut shapes: Vec<&[u64]> = Vec::new();
    for (_, shape) in &entry.laid_out {
        if !shapes.contains(shape) {
            shapes.push(shape);
        }
    }
    shapes
}

fn to_json(entry: &ListEntry<'_>) -> Value {
    Map::from_iter([
        ("module".to_owned(), json!(entry.module)),
        ("name".to_owned(), json!(entry.name)),
        ("enc".to_owned(), json!(entry.encoding.to_string())),
        ("line".to_owned(), json!(entry.line)),
        ("mentions".to_owned(), json!(entry.uses)),
        ("shapes".to_owned(), json!(shapes(entry))),
    ])
    .into()
}

fn scenes<'e>(entry: &'e ListEntry<'_>) -> impl Iterator<Item = Scene> + 'e {
    entry.laid_out.iter().filter_map(|(encoding, shape)| {
        let layout = encoding.to_linear_layout(shape).ok()?;
        let title = format!("{} on {}", entry.name, shape_text(shape));
        Some(Scene::tensor(&layout, Window::PICTURE).titled(title))
    })
}
