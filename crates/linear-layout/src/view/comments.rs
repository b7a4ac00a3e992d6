//! Comments that show the linear layouts of the encodings in a module.

use core::fmt::Write;
use std::borrow::Cow;
use std::collections::BTreeMap;

use super::mentions::Mentions;
use crate::encoding::Encoding;
use crate::layout::LinearLayout;

/// Returns the text of a layout as Triton prints it, without the leading newline. If `encoding` is a padded shared
/// encoding, the text ends with one line per `(interval, padding)` pair.
#[must_use]
pub fn layout_text(layout: &LinearLayout, encoding: Option<&Encoding>) -> String {
    let mut text = layout.to_string().trim_start_matches('\n').to_owned() + "\n";
    if let Some(Encoding::PaddedShared(padded)) = encoding {
        for (interval, padding) in padded.interval_paddings() {
            text += &format!("after every {interval} elements a gap of {padding}\n");
        }
    }
    text
}

/// Formats a shape as in a tensor type, e.g. `64x32`. A shape without dims is `[]`.
#[must_use]
pub fn shape_text(shape: &[u64]) -> String {
    let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    if sizes.is_empty() {
        "[]".to_owned()
    } else {
        sizes.join("x")
    }
}

/// Returns the text of a module with inserted comments. The comments show the linear layout of each encoding for
/// each shape to which the encoding applies.
///
/// The comments have Triton's format. The comments for an alias follow its definition. The comments for inline
/// encodings, such as `#ttg.slice<{...}>`, follow the last alias definition of the module; without any definition,
/// they precede the line that mentions the encoding. Lines that start with `marker` separate modules.
/// ```
/// use linear_layout::view::with_layout_comments;
///
/// let text = "\
/// #b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [2], warpsPerCTA = [1], order = [0]}>
/// tt.func @f(%x: tensor<4xf32, #b>) { tt.return }
/// ";
/// assert_eq!(with_layout_comments(text, "// -----"), "\
/// #b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [2], warpsPerCTA = [1], order = [0]}>
/// // #b on 4:
/// //  - register=1 -> (1)
/// //  - lane=1 -> (2)
/// //  - warp is a size 1 dimension
/// //  - block is a size 1 dimension
/// // where out dims are: [dim0 (size 4)]
/// tt.func @f(%x: tensor<4xf32, #b>) { tt.return }
/// ");
/// ```
#[must_use]
pub fn with_layout_comments(text: &str, marker: &str) -> String {
    let mentions = Mentions::with_marker(text, marker);
    // The key is the byte offset of the line after the comment.
    let mut comments: BTreeMap<usize, String> = BTreeMap::new();
    let line_after = |offset: usize| match text[offset..].find('\n') {
        Some(length) => offset + length + 1,
        None => text.len(),
    };
    let mut last_definition: BTreeMap<usize, usize> = BTreeMap::new();
    for definition in mentions.definitions() {
        let place = line_after(definition.span.end);
        last_definition.insert(definition.module, place);
        let name = format!("#{}", definition.name);
        for (encoding, shape) in mentions.laid_out(&definition.encoding, definition.module) {
            let comment = comments.entry(place).or_default();
            write_comment(comment, &name, encoding, shape);
        }
    }
    let mut written: Vec<(Cow<'_, Encoding>, usize)> = mentions
        .definitions()
        .iter()
        .map(|d| (Cow::Borrowed(&d.encoding), d.module))
        .collect();
    for mention in mentions.mentions() {
        let key = (mention.encoding.as_written(), mention.module);
        if mention.shape().is_none() || written.contains(&key) {
            continue;
        }
        written.push(key);
        let line = text[..mention.span.start]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let place = last_definition
            .get(&mention.module)
            .copied()
            .unwrap_or(line);
        for (encoding, shape) in mentions.laid_out(&mention.encoding, mention.module) {
            let comment = comments.entry(place).or_default();
            write_comment(comment, &text[mention.span.clone()], encoding, shape);
        }
    }
    let (mut result, mut done) = (String::with_capacity(text.len()), 0);
    for (place, comment) in comments {
        result += &text[done..place];
        if !result.is_empty() && !result.ends_with('\n') {
            result.push('\n');
        }
        result += &comment;
        done = place;
    }
    result + &text[done..]
}

fn write_comment(comment: &mut String, name: &str, encoding: &Encoding, shape: &[u64]) {
    let layout = match encoding.to_linear_layout(shape) {
        Ok(layout) => layout_text(&layout, Some(encoding)),
        Err(reason) => format!("has no layout: {reason}"),
    };
    // Writing to a string does not fail.
    let _ = writeln!(comment, "// {name} on {}:", shape_text(shape));
    for line in layout.lines() {
        let _ = writeln!(comment, "// {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::with_layout_comments;

    #[test]
    fn inline_encodings_follow_the_last_alias_each_module_on_its_own() {
        let alias = "#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 1], warpsPerCTA = [1, 1], order = [1, 0]}>\n";
        let slice = "#ttg.slice<{dim = 1, parent = #b}>";
        let text = format!(
            "{alias}// kept\nf : tensor<2xf32, {slice}>, tensor<2xi1, {slice}>\n// -----\n{alias}g : tensor<2x1xf32, #b>"
        );
        let comments = with_layout_comments(&text, "// -----");
        let lines: Vec<&str> = comments.lines().collect();
        let shown: Vec<&str> = lines
            .iter()
            .filter(|l| l.ends_with(':') || !l.starts_with("// ") || l.contains("-----"))
            .copied()
            .collect();
        let slice_on = format!("// {slice} on 2:");
        let first = format!("f : tensor<2xf32, {slice}>, tensor<2xi1, {slice}>");
        assert_eq!(
            shown,
            [
                alias.trim_end(),
                &slice_on,
                &first,
                "// -----",
                alias.trim_end(),
                "// #b on 2x1:",
                "g : tensor<2x1xf32, #b>",
            ]
        );
    }

    #[test]
    fn text_without_encodings_stays_as_it_is() {
        for text in ["", "module {\n}", "\n\n", "#loc = loc(unknown)\n"] {
            assert_eq!(with_layout_comments(text, "// -----"), text);
        }
    }
}
