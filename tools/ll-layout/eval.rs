//! `ll-layout eval`: a layout, or its inverse, at points.

use crate::any_layout::AnyLayout;
use crate::subject::{Subject, parse_shape, parse_text, read_text};
use crate::{Failure, Source, show};
use linear_layout::encoding::Encoding;
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::view::{Holders, InPoint, shape_text};
use serde_json::{Value, json};

pub(crate) const EXAMPLES: &str = "Examples:
  ll-layout eval '#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>' 16x8 register=1,lane=5
  ll-layout eval '#mma' 64x64 --aliases kernel.mlir --inverse 3,17
  ll-layout eval 'tensor<64x64xf16, #mma>' register=1,lane=5 --aliases kernel.mlir
  ll-layout eval printed-layout.txt lane=3 lane=4 --json";

/// Maximum number of slots that are listed for an element.
const MOST: usize = 1 << 16;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,

    /// Shape of the tensor, such as 64x16; may be omitted, or `''`, if the text of the layout contains the shape
    shape: String,

    /// Slots, such as `register=1,lane=3` (a dimension without index is 0); with --inverse elements, such as `3,17` or
    /// `dim0=3,dim1=17`
    points: Vec<String>,

    /// Print the slots that hold each of the given elements
    #[arg(long)]
    inverse: bool,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<String, Failure> {
    let source = &arguments.source;
    let text = parse_text(&read_text(&source.enc)?, source.aliases.as_deref())?;
    let mut points: Vec<&str> = arguments.points.iter().map(String::as_str).collect();
    let shape = match arguments.shape.as_str() {
        "" if !text.needs_shape() => None,
        // A text with a shape is followed by points.
        point if !text.needs_shape() && (points.is_empty() || point.contains('=')) => {
            points.insert(0, point);
            None
        }
        shape => Some(parse_shape(shape)?),
    };
    if points.is_empty() {
        let note = "add a slot, as in `register=1,lane=3`, or an element, as in `--inverse 3,17`";
        return Err(Failure::new("the slot or element to evaluate is missing").note(note));
    }
    let subject = AnyLayout::on_shape(text, shape.as_deref())?.linear()?;
    let mut text = String::new();
    let mut list = Vec::new();
    for point in points {
        if arguments.inverse {
            inverse(&subject, point, &mut text, &mut list)?;
        } else {
            forward(&subject, point, &mut text, &mut list)?;
        }
    }
    Ok(if as_json {
        Value::from(list).to_string() + "\n"
    } else {
        text
    })
}

fn forward(
    subject: &Subject,
    point: &str,
    text: &mut String,
    list: &mut Vec<Value>,
) -> Result<(), Failure> {
    let layout = &subject.layout;
    let mut indices: Vec<(Dim, u64)> = layout.in_dims().map(|d| (d, 0)).collect();
    for (i, (name, value)) in pieces(point)?.into_iter().enumerate() {
        let name = name.ok_or_else(|| {
            let first = layout.in_dims().next().map_or("lane", Dim::name);
            Failure::new(format!(
                "index {value} at position {} of `{point}` has no dim name",
                i + 1
            ))
            .note(format!(
                "write an index with its dim name, as in `{first}={value}`"
            ))
        })?;
        set(&mut indices, name, value, "in-dim")?;
    }
    let packed = layout.pack_in(&indices).map_err(Failure::new)?;
    let element = layout.unpack(layout.apply_packed(packed));
    let named: Vec<String> = layout
        .out_dims()
        .zip(element.iter())
        .map(|(d, i)| format!("{d}={i}"))
        .collect();
    let slot = show::slot_json(layout, packed);
    *text += &format!("{} -> {}\n", slot_text(layout, packed), named.join(", "));
    list.push(json!({"slot": slot, "element": element.to_vec()}));
    Ok(())
}

fn inverse(
    subject: &Subject,
    point: &str,
    text: &mut String,
    list: &mut Vec<Value>,
) -> Result<(), Failure> {
    let layout = &subject.layout;
    let mut indices: Vec<(Dim, u64)> = layout.out_dims().map(|d| (d, 0)).collect();
    let given = pieces(point)?;
    let is_named = given.iter().any(|(name, _)| name.is_some());
    if !is_named && given.len() != indices.len() {
        return Err(Failure::new(format!(
            "number of indices in `{point}` is {}, expected {}: the tensor has shape {}",
            given.len(),
            indices.len(),
            shape_text(&subject.shape())
        )));
    }
    for (i, (name, value)) in given.into_iter().enumerate() {
        match (name, indices.get_mut(i)) {
            (Some(name), _) => set(&mut indices, name, value, "out-dim")?,
            (None, Some(to)) if !is_named => to.1 = value,
            _ => {
                return Err(Failure::new(format!(
                    "index {value} at position {} of `{point}` has no dim name",
                    i + 1
                ))
                .note("name all dims or none: `dim0=3,dim1=17` or `3,17`"));
            }
        }
    }
    let mut shift = 0;
    let mut packed = 0;
    for ((dim, index), (_, size)) in indices.iter().zip(layout.out_shape()) {
        if *index >= size {
            return Err(Failure::new(format!(
                "index {index} along `{dim}` is outside the tensor; expected less than {size}"
            )));
        }
        // Beyond 64 bits, all sizes are 1.
        packed |= index.checked_shl(shift).unwrap_or(0);
        shift += size.trailing_zeros();
    }
    let holders = Holders::new(layout);
    let element: Vec<u64> = indices.iter().map(|(_, index)| *index).collect();
    let named: Vec<String> = indices.iter().map(|(d, i)| format!("{d}={i}")).collect();
    let named = named.join(", ");
    let mut held = Vec::new();
    for input in holders.of(packed).take(MOST) {
        let mut slot = slot_text(layout, input);
        let mut value = show::slot_json(layout, input);
        if let Some(Encoding::PaddedShared(padded)) = &subject.encoding {
            let offset = InPoint::new(layout, input).index(Dim::OFFSET);
            let offset = padded.padded_offset(offset);
            slot += &format!(" (with the gaps {offset})");
            value["padded_offset"] = json!(offset);
        }
        *text += &format!("{named} <- {slot}\n");
        held.push(value);
    }
    if held.is_empty() {
        *text += &format!("{named} <- no slot\n");
    }
    match holders.copies() {
        Some(copies) if copies <= MOST as u64 => {}
        _ => *text += &format!("{named} <- ... more slots; only the first {MOST} are listed\n"),
    }
    list.push(json!({"element": element, "held_by": held}));
    Ok(())
}

fn slot_text(layout: &LinearLayout, packed: u64) -> String {
    let named: Vec<String> = InPoint::new(layout, packed)
        .indices()
        .map(|(d, index)| format!("{d}={index}"))
        .collect();
    named.join(", ")
}

/// Splits a point at its commas. Each piece consists of a value, and a name if the piece has the form `name=value`.
fn pieces(point: &str) -> Result<Vec<(Option<&str>, u64)>, Failure> {
    let point = point.trim().trim_start_matches(['(', '[']);
    let point = point.trim_end_matches([')', ']']);
    point
        .split(',')
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
        .map(|piece| {
            let (name, value) = match piece.split_once('=') {
                Some((name, value)) => (Some(name.trim()), value.trim()),
                None => (None, piece),
            };
            let value = value.parse().map_err(|_| {
                Failure::new(format!("`{value}` in `{piece}` is not an index"))
                    .note("write a point as `register=1,lane=3`")
            })?;
            Ok((name, value))
        })
        .collect()
}

fn set(indices: &mut [(Dim, u64)], name: &str, value: u64, what: &str) -> Result<(), Failure> {
    let Some(to) = indices.iter_mut().find(|(d, _)| d.name() == name) else {
        let known: Vec<&str> = indices.iter().map(|(d, _)| d.name()).collect();
        let known = known.join(", ");
        return Err(Failure::new(format!(
            "the layout has no {what} `{name}`; expected one of {known}"
        )));
    };
    to.1 = value;
    Ok(())
}
