//! Scenes as SVG.

use crate::number::narrow;
use core::fmt::Write;
use std::borrow::Cow;

use super::geometry::{FONT, Geometry, Placed, ROW, width_of};
use super::palette::{all, hex, number};
use super::{Paint, Panel, Scene, Theme};

/// Returns a picture of a scene, which follows the reader's choice of a light or a dark ground.
///
/// Cells of one colour are one path and the cells of a row one text, so that a picture of 128 rows and columns
/// stays below a megabyte.
/// # Units
/// Pixels; text has 11 of them.
#[must_use]
pub fn svg(scene: &Scene) -> String {
    let heading = [(&scene.title, "t"), (&scene.caption, "n")];
    // What is its own title is said once.
    let count = if scene.title == scene.caption { 1 } else { 2 };
    let heading = heading.iter().take(count);
    let heading: Vec<_> = heading.filter(|(text, _)| !text.is_empty()).collect();
    let geometry = Geometry::of(scene, ROW * narrow::<u32>(heading.len()));
    let lines = heading.iter().map(|(text, _)| *text);
    let texts = lines.chain(&scene.remarks).map(|text| width_of(text) + 24);
    let width = texts.fold(geometry.width, u32::max);
    let height = geometry.height + ROW * narrow::<u32>(scene.remarks.len());
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="ui-monospace,SFMono-Regular,Menlo,DejaVu Sans Mono,monospace" font-size="{FONT}" role="img" aria-label="{}">"#,
        escaped(&format!("{}: {}", scene.title, scene.caption))
    );
    style(&mut out, scene);
    let _ = write!(
        out,
        r#"<rect class="g" width="{width}" height="{height}"/>"#
    );
    for (i, (text, class)) in heading.iter().enumerate() {
        let y = 12 + ROW * narrow::<u32>(i) + ROW / 2;
        let _ = write!(
            out,
            r#"<text class="{class}" x="12" y="{y}">{}</text>"#,
            escaped(text)
        );
    }
    for (panel, placed) in scene.panels.iter().zip(&geometry.panels) {
        draw_panel(&mut out, panel, placed);
    }
    links(&mut out, scene, &geometry);
    for (i, remark) in scene.remarks.iter().enumerate() {
        let y = geometry.bottom + ROW * (narrow::<u32>(i) + 1);
        let _ = write!(
            out,
            r#"<text class="n" x="12" y="{y}">{}</text>"#,
            escaped(remark)
        );
    }
    out += "</svg>\n";
    out
}

/// The colours that the picture uses, for both grounds.
fn style(out: &mut String, scene: &Scene) {
    let mut seen = vec![false; all().count()];
    for cell in scene.panels.iter().flat_map(|panel| &panel.cells) {
        seen[number(cell.paint) as usize] = true;
    }
    let used: Vec<Paint> = all()
        .filter(|paint| *paint != Paint::Blank && seen[number(*paint) as usize])
        .collect();
    let colours = |theme: Theme| {
        let [ground, ink] = [theme.rgb(Paint::Blank), theme.ink(Paint::Blank)].map(hex);
        let [line, note, mark] = match theme {
            Theme::Light => ["#b9bec8", "#5a6070", "#1748c4"],
            Theme::Dark => ["#4a4e58", "#a3a9b8", "#8fb4ff"],
        };
        let mut css = format!(
            ".g{{fill:{ground}}}text{{fill:{ink}}}.n{{fill:{note}}}.l{{stroke:{line}}}.a{{stroke:{mark}}}.h{{fill:{mark}}}"
        );
        for paint in &used {
            let _ = write!(
                css,
                ".c{}{{stroke:{}}}",
                number(*paint),
                hex(theme.rgb(*paint))
            );
        }
        css
    };
    let _ = write!(
        out,
        "<style>{}.t{{font-weight:bold}}.w{{fill:#fff}}.l,.a{{fill:none}}@media(prefers-color-scheme:dark){{{}}}</style>",
        colours(Theme::Light),
        colours(Theme::Dark)
    );
}

fn draw_panel(out: &mut String, panel: &Panel, placed: &Placed) {
    let Placed { x, y, cell, .. } = *placed;
    let (columns, rows) = (narrow(panel.columns.len()), narrow(panel.rows.len()));
    if !panel.title.is_empty() {
        let (left, top) = (x - placed.lead, y - ROW * placed.lines_above + 14);
        let _ = write!(
            out,
            r#"<text class="t" x="{left}" y="{top}">{}</text>"#,
            escaped(&panel.title)
        );
    }
    let _ = write!(out, r#"<g transform="translate({x},{y})">"#);
    // In units of cells: a run of one colour is a line as thick as a row.
    let _ = write!(out, r#"<g transform="scale({cell},{ROW})">"#);
    for (paint, path) in runs(panel) {
        let _ = write!(out, r#"<path class="c{paint}" d="{path}"/>"#);
    }
    out.push_str("</g>");
    let (w, h) = (cell * columns, ROW * rows);
    let mut lines = String::new();
    for row in 0..=rows {
        let _ = write!(lines, "M0 {}h{w}", ROW * row);
    }
    for column in 0..=columns {
        let _ = write!(lines, "M{} 0v{h}", cell * column);
    }
    let _ = write!(out, r#"<path class="l" d="{lines}"/>"#);
    out.push_str(r#"<g text-anchor="middle">"#);
    let middle = |column: usize| cell * narrow::<u32>(column) + cell / 2;
    let mut first = 0;
    for (name, count) in &panel.groups {
        let at = cell * narrow::<u32>(first) + cell * narrow::<u32>(*count) / 2;
        first += count;
        let _ = write!(
            out,
            r#"<text class="n" x="{at}" y="-26">{}</text>"#,
            escaped(name)
        );
    }
    out.push_str(r#"<text class="n" y="-6">"#);
    for (column, label) in panel.columns.iter().enumerate() {
        let _ = write!(
            out,
            r#"<tspan x="{}">{}</tspan>"#,
            middle(column),
            escaped(label)
        );
    }
    out.push_str("</text>");
    for (row, (_, cells)) in panel.lines().enumerate() {
        let _ = write!(out, r#"<text y="{}">"#, ROW * narrow::<u32>(row) + 14);
        for (column, cell) in cells.iter().enumerate() {
            if cell.text.is_empty() {
                continue;
            }
            let class = match cell.paint {
                Paint::Warning => r#" class="w""#,
                _ => "",
            };
            let text = escaped(&cell.text);
            let _ = write!(
                out,
                r#"<tspan{class} x="{}">{text}</tspan>"#,
                middle(column)
            );
        }
        out.push_str("</text>");
    }
    out.push_str(r#"</g><g class="n" text-anchor="end">"#);
    for (row, label) in panel.rows.iter().enumerate() {
        let at = ROW * narrow::<u32>(row) + 14;
        let _ = write!(
            out,
            r#"<text class="n" x="-5" y="{at}">{}</text>"#,
            escaped(label)
        );
    }
    out.push_str("</g></g>");
}

/// For each paint the runs of cells that have it, as lines through the middle of rows.
fn runs(panel: &Panel) -> Vec<(u32, String)> {
    let mut paths: Vec<(u32, String)> = all().map(|paint| (number(paint), String::new())).collect();
    for (row, (_, cells)) in panel.lines().enumerate() {
        let mut column = 0;
        for run in cells.chunk_by(|a, b| number(a.paint) == number(b.paint)) {
            let (_, path) = &mut paths[number(run[0].paint) as usize];
            let _ = write!(path, "M{column} {row}.5h{}", run.len());
            column += run.len();
        }
    }
    let blank = number(Paint::Blank);
    paths.retain(|(paint, path)| *paint != blank && !path.is_empty());
    paths
}

/// Arrows, from the middle of a cell to the left of another.
fn links(out: &mut String, scene: &Scene, geometry: &Geometry) {
    if scene.links.is_empty() {
        return;
    }
    out.push_str(r#"<defs><marker id="h" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="h" d="M0 0 8 4 0 8z"/></marker></defs>"#);
    for link in &scene.links {
        let end = |(panel, cell): (usize, usize)| {
            let columns = scene.panels[panel].columns.len().max(1);
            let placed = &geometry.panels[panel];
            let (x, y) = placed.middle(cell / columns, cell % columns);
            // Arrows at a first column leave its label free.
            let lead = if cell % columns == 0 { placed.lead } else { 0 };
            (x, y, placed.cell / 2 + lead)
        };
        let ((x, y, _), (to_x, to_y, half)) = (end(link.from), end(link.to));
        // Scenes have what is before on the left of what is after.
        let to_x = to_x.saturating_sub(half);
        let bend = u32::midpoint(x, to_x);
        let _ = write!(
            out,
            r#"<path class="a" d="M{x} {y}C{bend} {y} {bend} {to_y} {to_x} {to_y}" marker-end="url(#h)"><title>{}</title></path>"#,
            escaped(&link.label)
        );
    }
}

/// Text in XML.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    let is_safe = |c: u8| c >= b' ' && !matches!(c, b'&' | b'<' | b'>' | b'"' | 0x7f..);
    if text.bytes().all(is_safe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            // XML has no way to write other control characters.
            c if c.is_control() && c != '\n' && c != '\t' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
pub(super) mod tests {
    use super::{FONT, width_of};

    fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
        let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
        rest.split_once('"').map(|(value, _)| value)
    }

    fn number(tag: &str, name: &str) -> Option<f64> {
        attribute(tag, name)?.parse().ok()
    }

    /// Left, right and base line of each text of a picture.
    fn texts(picture: &str) -> Vec<(f64, f64, f64, String)> {
        let mut found = Vec::new();
        // Where groups begin, and which side of a text their x is.
        let mut groups = vec![(0.0, 0.0, "start".to_owned())];
        let mut line = (0.0, 0.0);
        for part in picture.split('<').skip(1) {
            let (tag, text) = part.split_once('>').unwrap();
            let (mut x, mut y, mut anchor) = groups.last().cloned().unwrap();
            if tag == "/g" {
                groups.pop();
            } else if tag.starts_with("g ") {
                if let Some(at) =
                    attribute(tag, "transform").and_then(|t| t.strip_prefix("translate("))
                {
                    let (dx, dy) = at.trim_end_matches(')').split_once(',').unwrap();
                    (x, y) = (
                        x + dx.parse::<f64>().unwrap(),
                        y + dy.parse::<f64>().unwrap(),
                    );
                }
                if let Some(own) = attribute(tag, "text-anchor") {
                    own.clone_into(&mut anchor);
                }
                groups.push((x, y, anchor.clone()));
            } else if tag.starts_with("text ") {
                line = (number(tag, "x").unwrap_or(0.0), number(tag, "y").unwrap());
            } else if !tag.starts_with("tspan ") {
                continue;
            }
            if text.is_empty() || !(tag.starts_with("text ") || tag.starts_with("tspan ")) {
                continue;
            }
            let text = text
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&amp;", "&");
            let at = x + number(tag, "x").unwrap_or(line.0);
            let width = f64::from(width_of(&text));
            let left = match &*anchor {
                "middle" => at - width / 2.0,
                "end" => at - width,
                _ => at,
            };
            found.push((left, left + width, y + line.1, text));
        }
        found
    }

    /// No text of a picture meets another one, and all are inside.
    #[track_caller]
    pub(in crate::view::scene) fn check_texts(picture: &str) {
        let [width, height] = ["width", "height"].map(|name| number(picture, name).unwrap());
        let mut texts = texts(picture);
        texts.sort_by(|a, b| a.2.total_cmp(&b.2));
        assert!(texts.len() > 2, "{picture}");
        for (i, (left, right, base, text)) in texts.iter().enumerate() {
            let is_inside =
                *left >= 0.0 && *right <= width && *base >= f64::from(FONT) && *base <= height;
            assert!(
                is_inside,
                "{text}: {left} to {right}, at {base}, in {width} x {height}"
            );
            let near = texts[..i].iter().rev();
            for other in near.take_while(|other| base - other.2 < f64::from(FONT)) {
                let is_apart = *right <= other.0 || other.1 <= *left;
                assert!(is_apart, "{text} and {} meet at {left}, {base}", other.3);
            }
        }
    }

    #[test]
    fn texts_that_meet_are_noticed() {
        let picture = |x: u32| {
            format!(
                "<svg width=\"100\" height=\"40\"><g transform=\"translate(10,10)\"><g text-anchor=\"middle\"><text y=\"14\">\
                 <tspan x=\"10\">T0</tspan><tspan x=\"{x}\">T1</tspan><tspan x=\"70\">T2</tspan></text></g></g></svg>"
            )
        };
        check_texts(&picture(30));
        for x in [20, 95] {
            let caught = std::panic::catch_unwind(|| check_texts(&picture(x)));
            assert!(caught.is_err(), "{x}");
        }
    }
}
