//! Hovers of encodings, which show the text, and the grid and bases for each shape.

use crate::conversion;
use crate::documents::position;
use linear_layout::encoding::Encoding;
use linear_layout::layout::Dim;
use linear_layout::view::{Holders, Mention, Mentions, Scene, Window, layout_text, shape_text};
use serde_json::{Value, json};

/// Part of a tensor that a hover shows if one register of one thread holds each element. If elements are
/// replicated, fewer columns are shown, because a cell lists several holders.
const WINDOW: Window = Window {
    rows: 16,
    columns: 16,
    grids: 1,
};

/// Maximum number of shapes for which a hover shows the layout of an encoding in full. The limit does not apply to
/// a hover within a tensor type.
const MAX_SHAPES: usize = 3;

/// Markdown text to add to a hover of MLIR's server.
#[derive(Debug)]
pub(crate) struct Addition {
    markdown: String,
    range: Value,
}

impl Addition {
    /// Inserts this text before the text of the server's answer. If the server has no answer, this text becomes the
    /// answer.
    pub(crate) fn add_to(self, result: &mut Value) {
        let Self { markdown, range } = self;
        let Some(contents) = result.get_mut("contents") else {
            *result = json!({
                "contents": {"kind": "markdown", "value": markdown},
                "range": range,
            });
            return;
        };
        let previous = contents["value"].as_str().unwrap_or_default();
        *contents = json!({"kind": "markdown", "value": format!("{markdown}\n---\n{previous}")});
    }
}

/// Returns the text to add for the encoding or layout conversion at a byte offset. Returns `None` if there is
/// neither.
pub(crate) fn at(text: &str, offset: usize) -> Option<Addition> {
    if let Some((span, markdown)) = conversion::at(text, offset) {
        let [start, end] = [span.start, span.end].map(|at| position(text, at));
        let range = json!({"start": start, "end": end});
        return Some(Addition { markdown, range });
    }
    let mentions = Mentions::of(text);
    let mention = mentions.at(offset)?;
    let span = match &mention.holder {
        Some((holder, _)) if !mention.span.contains(&offset) => holder,
        _ => &mention.span,
    };
    Some(Addition {
        markdown: markdown(&mentions, mention, &text[mention.span.clone()]),
        range: json!({"start": position(text, span.start), "end": position(text, span.end)}),
    })
}

fn markdown(mentions: &Mentions, mention: &Mention, name: &str) -> String {
    let encoding = &mention.encoding;
    let mut text = format!("```mlir\n{encoding}\n```\n");
    let name = if name.contains('<') {
        encoding.pretty_name()
    } else {
        name.to_owned()
    };
    let laid_out = match mention.shape() {
        Some(shape) => vec![(encoding, shape)],
        None => mentions.laid_out(encoding, mention.module),
    };
    for (encoding, shape) in laid_out.iter().take(MAX_SHAPES) {
        text += &on_shape(&name, encoding, shape);
    }
    match laid_out.as_slice() {
        [] => match covered(encoding) {
            Some(shape) => {
                text += &on_shape(&name, encoding, &shape);
                text += "\nNo tensor of this file has this encoding. Shown is the smallest shape that the warps of a CTA cover.\n";
            }
            None => text += "\nNo tensor or buffer of this file has this encoding.\n",
        },
        all if all.len() > MAX_SHAPES => {
            let more = all[MAX_SHAPES..].iter().map(|(_, shape)| shape_text(shape));
            let more: Vec<String> = more.collect();
            text += &format!("\nAlso on {}.\n", more.join(", "));
        }
        _ => {}
    }
    text
}

/// Returns the tensor grid and the bases of an encoding on one shape, as Markdown.
fn on_shape(name: &str, encoding: &Encoding, shape: &[u64]) -> String {
    let title = format!("\n**`{name}` on {}**\n", shape_text(shape));
    match encoding.to_linear_layout(shape) {
        Ok(layout) => {
            // A cell lists up to four holders.
            let holders = Holders::new(&layout).copies().unwrap_or(1).clamp(1, 4);
            let window = Window {
                columns: WINDOW.columns / holders,
                ..WINDOW
            };
            let grid = Scene::tensor(&layout, window);
            let bases = layout_text(&layout, Some(encoding));
            format!("{title}```text\n{grid}```\n```text\n{bases}```\n")
        }
        Err(reason) => format!("{title}has no layout: {reason}\n"),
    }
}

/// Returns the smallest shape on which the encoding replicates no element among the threads of a CTA. Returns
/// `None` if it is not a distributed encoding.
///
/// Replicas that the encoding has on every shape are ignored.
fn covered(encoding: &Encoding) -> Option<Vec<u64>> {
    if let Encoding::Blocked(e) = encoding {
        let [size, threads, warps] = [e.size_per_thread(), e.threads_per_warp(), e.warps_per_cta()];
        let sizes = size.iter().zip(threads).zip(warps);
        return Some(
            sizes
                .map(|((s, t), w)| u64::from(*s) * u64::from(*t) * u64::from(*w))
                .collect(),
        );
    }
    if !encoding.is_distributed() {
        return None;
    }
    let most = if encoding.rank() <= 2 { 4096 } else { 64 };
    let layout = encoding
        .to_linear_layout(&vec![most; encoding.rank()])
        .ok()?;
    let mut shape = vec![1; encoding.rank()];
    for dim in [Dim::LANE, Dim::WARP] {
        for bit in 0..layout.in_bits(dim) {
            let basis = layout.basis(dim, bit);
            for (size, step) in shape.iter_mut().zip(basis.iter()) {
                *size = (*size).max((step + 1).next_power_of_two());
            }
        }
    }
    Some(shape)
}
