//! Scenes as SVG.

use crate::number::narrow;
use core::fmt::Write;
use std::borrow::Cow;

use super::geometry::{
    Arrow, Detail, FONT, Geometry, LABEL, MARGIN, PanelGeometry, ROW, ROW_OF_TWO, arrows, width_of,
    wrapped,
};
use super::palette::{HUES, all, hex, number};
use super::{Paint, Panel, Scene, Theme};

/// Maximum width of the lines of text above and below a picture. If the picture is wider than this, its width is
/// the maximum instead.
const TEXT: u32 = 640;
/// Width of a coloured rectangle in the legend.
const SWATCH: u32 = 14;

/// Returns an SVG picture of a scene. The picture contains a light and a dark theme, between which the viewer
/// selects.
///
/// If a panel exceeds the maximum width, its cells shrink, and the panel is divided into tiles of which only the
/// first cell has a label. A remark then states the size of the tiles. A picture with 128 rows and columns is
/// smaller than a megabyte.
/// # Units
/// Lengths are in pixels. The font size is 11 pixels.
#[must_use]
pub fn svg(scene: &Scene) -> String {
    svg_sheet("", core::slice::from_ref(scene))
}

/// Returns one SVG picture that shows several scenes one below the other, under the title `title`. If the title of
/// a scene equals `title`, it is not drawn again above the scene.
#[must_use]
pub fn svg_sheet(title: &str, scenes: &[Scene]) -> String {
    let mut out = String::new();
    let (mut top, mut width) = (0, 0);
    let geometries = scenes
        .iter()
        .map(|scene| Geometry::of(scene, 0, Detail::Thinned));
    let geometries: Vec<Geometry> = geometries.collect();
    if !title.is_empty() {
        let column = geometries.iter().map(|geometry| geometry.width).max();
        let column = column.unwrap_or(0).max(TEXT);
        let (right, bottom) = paragraph(&mut out, title, "t", top, column);
        (width, top) = (right, bottom);
    }
    for (i, (scene, geometry)) in scenes.iter().zip(geometries).enumerate() {
        let gap = if i > 0 { MARGIN } else { 0 };
        let has_title = scene.title == title;
        let (right, bottom) = draw(&mut out, scene, geometry, has_title, top + gap);
        (width, top) = (width.max(right), bottom);
    }
    let height = top + MARGIN;
    let labels = scenes.iter().map(|scene| match scene.title.as_str() {
        same if same == title => scene.caption.clone(),
        other => format!("{other}: {}", scene.caption),
    });
    let labels: Vec<String> = [title.to_owned()].into_iter().chain(labels).collect();
    let label = labels.join("; ");
    // A narrow window first shrinks the picture, and scrolls before the text becomes unreadable.
    let least = width * 3 / 4;
    let mut picture = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" style="max-width:100%;min-width:{least}px;height:auto" font-family="ui-monospace,SFMono-Regular,Menlo,DejaVu Sans Mono,monospace" font-size="{FONT}" role="img" aria-label="{}">"#,
        escaped(label.trim_start_matches("; "))
    );
    style(&mut picture, scenes);
    // Writing to a string does not fail.
    let _ = write!(
        picture,
        r#"<rect class="g" width="{width}" height="{height}"/>"#
    );
    picture + &out + "</svg>\n"
}

/// Draws a scene below the height `top`, and returns the scene's right edge and lower edge.
///
/// `geometry` places the panels relative to `top`. `has_title` is true if the picture already shows the title of
/// the scene.
fn draw(
    out: &mut String,
    scene: &Scene,
    geometry: Geometry,
    has_title: bool,
    top: u32,
) -> (u32, u32) {
    let column = geometry.width.max(TEXT);
    let (mut width, mut top) = (0, top);
    let title = if has_title { "" } else { scene.title.as_str() };
    // A caption that equals the title is drawn only once.
    let caption = if scene.title == scene.caption && !has_title {
        ""
    } else {
        scene.caption.as_str()
    };
    for (text, class) in [(title, "t"), (caption, "n")] {
        if !text.is_empty() {
            let (right, bottom) = paragraph(out, text, class, top, column);
            (width, top) = (width.max(right), bottom);
        }
    }
    if !scene.legend.is_empty() {
        let (right, bottom) = legend(out, scene, top, column);
        (width, top) = (width.max(right), bottom);
    }
    let geometry = geometry.moved_down(top + MARGIN);
    for (panel, placed) in scene.panels.iter().zip(&geometry.panels) {
        draw_panel(out, panel, placed);
    }
    links(out, scene, &geometry);
    let mut bottom = geometry.bottom;
    let tile = geometry.panels.iter().find(|placed| placed.is_thinned());
    let thinned = tile.map(|placed| {
        let [down, across] = placed.tile;
        format!("labels name the first cell of each tile of {down} x {across}; a page of HTML has all of them")
    });
    for remark in scene.remarks.iter().chain(&thinned) {
        let (right, lower) = paragraph(out, remark, "n", bottom, column);
        (width, bottom) = (width.max(right), lower);
    }
    (width.max(geometry.width), bottom)
}

/// Draws a text below the height `top`, in lines that fit into the width `column`. Returns the right edge and the
/// lower edge of the text.
fn paragraph(out: &mut String, text: &str, class: &str, top: u32, column: u32) -> (u32, u32) {
    let (mut right, mut bottom) = (0, top);
    for line in wrapped(text, column - 2 * MARGIN) {
        bottom += ROW;
        right = right.max(width_of(&line) + 2 * MARGIN);
        let _ = write!(
            out,
            r#"<text class="{class}" x="{MARGIN}" y="{bottom}">{}</text>"#,
            escaped(&line)
        );
    }
    (right, bottom)
}

/// Draws the legend of a scene below the height `top`. Returns the right edge and the lower edge of the legend.
fn legend(out: &mut String, scene: &Scene, top: u32, column: u32) -> (u32, u32) {
    let (mut x, mut y, mut right) = (MARGIN, top + ROW, 0);
    for (paint, text) in &scene.legend {
        let width = SWATCH + 5 + width_of(text);
        if x > MARGIN && x + width + MARGIN > column {
            (x, y) = (MARGIN, y + ROW);
        }
        let _ = write!(
            out,
            r#"<path class="c{}" stroke-width="12" d="M{x} {}h{SWATCH}"/><text x="{}" y="{y}">{}</text>"#,
            number(*paint),
            y - 4,
            x + SWATCH + 5,
            escaped(text)
        );
        right = right.max(x + width + MARGIN);
        x += width + 16;
    }
    (right, y)
}

/// Writes the style sheet of a picture. It defines the colours that the scenes use, for both themes.
fn style(out: &mut String, scenes: &[Scene]) {
    let mut seen = vec![false; all().count()];
    for scene in scenes {
        let cells = scene.panels.iter().flat_map(|panel| &panel.cells);
        let legend = scene.legend.iter().map(|(paint, _)| *paint);
        for paint in cells.map(|cell| cell.paint).chain(legend) {
            seen[number(paint) as usize] = true;
        }
    }
    let used: Vec<Paint> = all()
        .filter(|paint| *paint != Paint::Blank && seen[number(*paint) as usize])
        .collect();
    let arrows = scenes.iter().map(|scene| scene.links.len()).max();
    let arrows = arrows.unwrap_or(0).min(HUES.len());
    let colours = |theme: Theme| {
        let [ground, ink] = [theme.rgb(Paint::Blank), theme.ink()].map(hex);
        let [line, note, edge] = match theme {
            Theme::Light => ["#b9bec8", "#5a6070", "#3c414d"],
            Theme::Dark => ["#4a4e58", "#a3a9b8", "#c4c9d4"],
        };
        let mut css = format!(
            ".g{{fill:{ground}}}text{{fill:{ink}}}.n{{fill:{note}}}.l,.f{{stroke:{line}}}.b{{stroke:{edge}}}"
        );
        for paint in &used {
            let _ = write!(
                css,
                ".c{}{{stroke:{}}}",
                number(*paint),
                hex(theme.rgb(*paint))
            );
        }
        for i in 0..arrows {
            let colour = hex(theme.arrow(i));
            let _ = write!(css, ".a{i}{{stroke:{colour}}}.h{i}{{fill:{colour}}}");
        }
        css
    };
    let _ = write!(
        out,
        "<style>{}.t{{font-weight:bold}}path{{fill:none}}.f{{stroke-width:.4}}.b{{stroke-width:1.8}}@media(prefers-color-scheme:dark){{{}}}</style>",
        colours(Theme::Light),
        colours(Theme::Dark)
    );
}

fn draw_panel(out: &mut String, panel: &Panel, placed: &PanelGeometry) {
    let PanelGeometry {
        x, y, cell, row, ..
    } = *placed;
    if !panel.title.is_empty() {
        let (left, top) = (x - placed.lead, y - ROW * placed.lines_above + 14);
        let _ = write!(
            out,
            r#"<text class="t" x="{left}" y="{top}">{}</text>"#,
            escaped(&panel.title)
        );
    }
    let _ = write!(out, r#"<g transform="translate({x},{y})">"#);
    // Paths are in units of cells. A run of one colour is a line as wide as a row is high.
    let _ = write!(out, r#"<g transform="scale({cell},{row})">"#);
    for (paint, path) in runs(panel) {
        let _ = write!(out, r#"<path class="c{paint}" d="{path}"/>"#);
    }
    out.push_str("</g>");
    if !placed.is_thinned() {
        lines(out, panel, placed, "l", [1, 1]);
    } else {
        if cell.min(row) > 5 {
            lines(out, panel, placed, "f", [1, 1]);
        }
        lines(out, panel, placed, "l", placed.tile);
    }
    borders(out, panel, placed);
    labels_of_columns(out, panel, placed);
    if placed.is_thinned() {
        labels_of_tiles(out, panel, placed);
    } else {
        labels(out, panel, placed);
    }
    out.push_str(r#"<g text-anchor="end">"#);
    for (i, label) in panel.rows.iter().enumerate().step_by(placed.tile[0]) {
        let at = base(row.max(LABEL)) + row * narrow::<u32>(i);
        let _ = write!(
            out,
            r#"<text class="n" x="-5" y="{at}">{}</text>"#,
            escaped(label)
        );
    }
    out.push_str("</g></g>");
}

/// Returns the base line of text that is vertically centred in a row of height `row`. The base line is relative to
/// the upper edge of the row.
fn base(row: u32) -> u32 {
    row / 2 + 4
}

/// Draws grid lines around tiles of `down` rows and `across` columns.
fn lines(
    out: &mut String,
    panel: &Panel,
    placed: &PanelGeometry,
    class: &str,
    [down, across]: [usize; 2],
) {
    let PanelGeometry { cell, row, .. } = *placed;
    let (columns, rows) = (panel.columns.len(), panel.rows.len());
    let (w, h) = (cell * narrow::<u32>(columns), row * narrow::<u32>(rows));
    let mut path = String::new();
    for i in (0..rows).step_by(down).chain([rows]) {
        let _ = write!(path, "M0 {}h{w}", row * narrow::<u32>(i));
    }
    for i in (0..columns).step_by(across).chain([columns]) {
        let _ = write!(path, "M{} 0v{h}", cell * narrow::<u32>(i));
    }
    let _ = write!(out, r#"<path class="{class}" d="{path}"/>"#);
}

/// Draws thicker lines between adjacent cells of different groups. In a panel of tiles, lines are drawn only along
/// the borders of tiles, because a label covers the inside of each tile.
fn borders(out: &mut String, panel: &Panel, placed: &PanelGeometry) {
    let PanelGeometry { cell, row, .. } = *placed;
    let (columns, rows) = (panel.columns.len(), panel.rows.len());
    let group = |i: usize, j: usize| panel.cells[i * columns + j].group;
    // Start and length of each run of positions at which the two sides of a line differ.
    let ends = |count: usize, differs: &dyn Fn(usize) -> bool| -> Vec<(usize, usize)> {
        let places: Vec<usize> = (0..count).filter(|at| differs(*at)).collect();
        let runs = places.chunk_by(|a, b| a + 1 == *b);
        runs.map(|run| (run[0], run.len())).collect()
    };
    let size = |size: u32, count: usize| size * narrow::<u32>(count);
    let mut path = String::new();
    let [down, across] = placed.tile;
    for i in (0..rows).step_by(down).skip(1) {
        for (j, count) in ends(columns, &|j| group(i - 1, j) != group(i, j)) {
            let _ = write!(
                path,
                "M{} {}h{}",
                size(cell, j),
                size(row, i),
                size(cell, count)
            );
        }
    }
    for j in (0..columns).step_by(across).skip(1) {
        for (i, count) in ends(rows, &|i| group(i, j - 1) != group(i, j)) {
            let _ = write!(
                path,
                "M{} {}v{}",
                size(cell, j),
                size(row, i),
                size(row, count)
            );
        }
    }
    if !path.is_empty() {
        let _ = write!(out, r#"<path class="b" d="{path}"/>"#);
    }
}

fn labels_of_columns(out: &mut String, panel: &Panel, placed: &PanelGeometry) {
    let PanelGeometry { cell, .. } = *placed;
    out.push_str(r#"<g text-anchor="middle">"#);
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
    let columns = panel.columns.iter().enumerate();
    for (column, label) in columns.step_by(placed.column_step) {
        let at = cell * narrow::<u32>(column) + cell / 2;
        let _ = write!(out, r#"<tspan x="{at}">{}</tspan>"#, escaped(label));
    }
    out.push_str("</text></g>");
}

fn labels(out: &mut String, panel: &Panel, placed: &PanelGeometry) {
    let PanelGeometry { cell, row, .. } = *placed;
    out.push_str(r#"<g text-anchor="middle">"#);
    for (i, (_, cells)) in panel.lines().enumerate() {
        let middle = row * narrow::<u32>(i) + base(row);
        let mut lines = [(middle, vec![]), (middle - 6, vec![]), (middle + 6, vec![])];
        for (column, held) in cells.iter().enumerate() {
            let x = cell * narrow::<u32>(column) + cell / 2;
            let texts = match panel.label(&held.text) {
                [only, None] => [only, None, None],
                _ if row < ROW_OF_TWO => [Some(held.text.as_str()), None, None],
                [first, second] => [None, first, second],
            };
            for ((_, line), text) in lines.iter_mut().zip(texts) {
                line.extend(text.filter(|t| !t.is_empty()).map(|text| (x, text)));
            }
        }
        for (y, line) in lines {
            if line.is_empty() {
                continue;
            }
            let _ = write!(out, r#"<text y="{y}">"#);
            for (x, text) in line {
                span(out, x, text);
            }
            out.push_str("</text>");
        }
    }
    out.push_str("</g>");
}

fn labels_of_tiles(out: &mut String, panel: &Panel, placed: &PanelGeometry) {
    let PanelGeometry {
        cell,
        row,
        tile: [down, across],
        ..
    } = *placed;
    for (i, (_, cells)) in panel.lines().enumerate().step_by(down) {
        let y = row * narrow::<u32>(i) + base(row.max(LABEL));
        let _ = write!(out, r#"<text y="{y}">"#);
        for (column, held) in cells.iter().enumerate().step_by(across) {
            if !held.text.is_empty() {
                span(out, cell * narrow::<u32>(column) + 3, &held.text);
            }
        }
        out.push_str("</text>");
    }
}

fn span(out: &mut String, x: u32, text: &str) {
    let _ = write!(out, r#"<tspan x="{x}">{}</tspan>"#, escaped(text));
}

/// Returns one SVG path for each fill that the panel uses, together with the number of the fill. The path has a
/// horizontal line through the middle of each run of cells with this fill.
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

/// Draws the arrow of each link, and outlines the cells at both ends.
fn links(out: &mut String, scene: &Scene, geometry: &Geometry) {
    let arrows = arrows(scene, &geometry.panels);
    for (link, Arrow { points, colour }) in scene.links.iter().zip(arrows) {
        let [(x, y), (track, _), (_, to_y), (to_x, _)] = points;
        let colour = colour % HUES.len();
        let _ = write!(
            out,
            r#"<g><title>{}</title><path class="a a{colour}" stroke-width="1.3" d="M{x} {y}H{track}V{to_y}H{to_x}"/>"#,
            escaped(&link.label)
        );
        // The arrowhead is before the labels of the rows, where there is space.
        let to = &geometry.panels[link.to.0];
        let head = f64::from(to.x - to.lead) - 1.0;
        let _ = write!(
            out,
            r#"<path class="h{colour}" d="M{head} {to_y}l-7 -3.5v7z"/>"#
        );
        for ((panel, cell), below) in [(link.from, 1), (link.to, 0)] {
            let columns = scene.panels[panel].columns.len().max(1);
            let placed = &geometry.panels[panel];
            let (x, y) = placed.corner(cell / columns, cell % columns);
            let (w, h) = (placed.cell, placed.row);
            // The label of a tile covers the next cells, so only the edge at the arrow is outlined.
            let _ = match placed.is_thinned() {
                true => write!(
                    out,
                    r#"<path class="a a{colour}" stroke-width="3" d="M{x} {}h{w}"/>"#,
                    y + below * h
                ),
                false => write!(
                    out,
                    r#"<path class="a a{colour}" stroke-width="1.3" d="M{x} {y}h{w}v{h}h-{w}z"/>"#
                ),
            };
        }
        out.push_str("</g>");
    }
}

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
            // XML cannot express other control characters.
            c if c.is_control() && c != '\n' && c != '\t' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::geometry::width_of;
    use super::*;
    use crate::encoding::Encoding;
    use crate::layout::LinearLayout;
    use crate::plan::memory::{BufferLayout, MemoryPlan};
    use crate::target::{Access, Target};
    use crate::view::Window;

    /// A rectangle, given by its left, upper, right and lower edges.
    #[derive(Clone, Copy, Debug)]
    struct Extent([f64; 4]);

    impl Extent {
        fn meets(self, other: Self) -> bool {
            let ([l, t, r, b], [left, top, right, bottom]) = (self.0, other.0);
            l < right && left < r && t < bottom && top < b
        }

        fn is_inside(self, other: Self) -> bool {
            let ([l, t, r, b], [left, top, right, bottom]) = (self.0, other.0);
            l >= left && t >= top && r <= right && b <= bottom
        }
    }

    fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
        let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
        rest.split_once('"').map(|(value, _)| value)
    }

    fn number_of(tag: &str, name: &str) -> Option<f64> {
        attribute(tag, name)?.parse().ok()
    }

    /// Extents of the texts, the arrows and the other lines of a picture. No text may overlap an arrow.
    #[derive(Default)]
    struct Extents {
        texts: Vec<(Extent, String)>,
        arrows: Vec<Extent>,
        lines: Vec<Extent>,
    }

    /// Returns the extents of the straight lines in `d`, the path data of an SVG path. `scale` and `origin` are the
    /// scaling and the translation of the SVG group that contains the path.
    fn path(d: &str, scale: [f64; 2], origin: [f64; 2]) -> Vec<Extent> {
        let mut found = Vec::new();
        let (mut at, mut rest) = ([0.0; 2], d);
        while let Some(command) = rest.chars().next() {
            let numbers = &rest[1..];
            let end = numbers.find(|c: char| c.is_ascii_alphabetic());
            let (own, after) = numbers.split_at(end.unwrap_or(numbers.len()));
            rest = after;
            let numbers: Vec<f64> = own.split_whitespace().map(|n| n.parse().unwrap()).collect();
            let to = match (command, numbers.as_slice()) {
                ('M', [x, y]) => {
                    at = [*x, *y];
                    continue;
                }
                ('l', [x, y]) => [at[0] + x, at[1] + y],
                ('h', [x]) => [at[0] + x, at[1]],
                ('v', [y]) => [at[0], at[1] + y],
                ('H', [x]) => [*x, at[1]],
                ('V', [y]) => [at[0], *y],
                ('z', []) => continue,
                _ => panic!("{command} {own}"),
            };
            let point = |p: [f64; 2]| [0, 1].map(|i| origin[i] + scale[i] * p[i]);
            let [a, b] = [point(at), point(to)];
            found.push(Extent([
                a[0].min(b[0]),
                a[1].min(b[1]),
                a[0].max(b[0]),
                a[1].max(b[1]),
            ]));
            at = to;
        }
        found
    }

    fn extents(picture: &str) -> Extents {
        let mut found = Extents::default();
        // Origin, scale and text anchor of each open group.
        let mut groups = vec![([0.0; 2], [1.0; 2], "start".to_owned())];
        let mut line = (0.0, 0.0);
        for part in picture.split('<').skip(1) {
            let (tag, text) = part.split_once('>').unwrap();
            let (mut origin, mut scale, mut anchor) = groups.last().cloned().unwrap();
            if tag == "/g" {
                groups.pop();
            } else if tag == "g" || tag.starts_with("g ") {
                let transform = attribute(tag, "transform").unwrap_or("translate(0,0)");
                let (kind, numbers) = transform.trim_end_matches(')').split_once('(').unwrap();
                let (x, y) = numbers.split_once(',').unwrap();
                let [x, y]: [f64; 2] = [x, y].map(|n| n.parse().unwrap());
                match kind {
                    "translate" => origin = [origin[0] + x, origin[1] + y],
                    _ => scale = [x, y],
                }
                if let Some(own) = attribute(tag, "text-anchor") {
                    own.clone_into(&mut anchor);
                }
                groups.push((origin, scale, anchor));
            } else if tag.starts_with("path ") {
                let class = attribute(tag, "class").unwrap();
                let extents = path(attribute(tag, "d").unwrap(), scale, origin);
                match class.starts_with("a ") || class == "b" {
                    true => found.arrows.extend(extents),
                    false => found.lines.extend(extents),
                }
            } else if tag.starts_with("text ") || tag.starts_with("tspan ") {
                if tag.starts_with("text ") {
                    line = (
                        number_of(tag, "x").unwrap_or(0.0),
                        number_of(tag, "y").unwrap(),
                    );
                }
                if text.is_empty() {
                    continue;
                }
                let text = text
                    .replace("&lt;", "<")
                    .replace("&gt;", ">")
                    .replace("&amp;", "&");
                let at = origin[0] + number_of(tag, "x").unwrap_or(line.0);
                let width = f64::from(width_of(&text));
                let left = match &*anchor {
                    "middle" => at - width / 2.0,
                    "end" => at - width,
                    _ => at,
                };
                // Includes the ascenders and descenders of the font.
                let base = origin[1] + line.1;
                found
                    .texts
                    .push((Extent([left, base - 9.0, left + width, base + 2.0]), text));
            }
        }
        found
    }

    /// Checks that no text overlaps another text or an arrow, and that all texts and lines are inside the view box.
    #[track_caller]
    pub(in crate::view::scene) fn check_texts(picture: &str) {
        let [width, height] = ["width", "height"].map(|name| number_of(picture, name).unwrap());
        let whole = Extent([0.0, 0.0, width, height]);
        let Extents {
            mut texts,
            arrows,
            lines,
        } = extents(picture);
        texts.sort_by(|a, b| a.0.0[1].total_cmp(&b.0.0[1]));
        assert!(texts.len() > 2, "{picture}");
        for (i, (extent, text)) in texts.iter().enumerate() {
            assert!(extent.is_inside(whole), "{text}: {extent:?} in {whole:?}");
            let near = texts[..i].iter().rev();
            for (other, near) in near.take_while(|(other, _)| extent.0[1] - other.0[1] < 11.0) {
                assert!(
                    !extent.meets(*other),
                    "{text} and {near} meet at {extent:?}"
                );
            }
            for arrow in &arrows {
                assert!(
                    !extent.meets(*arrow),
                    "an arrow at {arrow:?} strikes {text} at {extent:?}"
                );
            }
        }
        for line in lines.iter().chain(&arrows) {
            assert!(line.is_inside(whole), "{line:?} in {whole:?}");
        }
    }

    #[test]
    fn texts_that_meet_are_noticed() {
        let picture = |x: u32, y: u32| {
            format!(
                "<svg width=\"100\" height=\"40\"><g transform=\"translate(10,10)\"><path class=\"a a0\" d=\"M0 {y}h50\"/>\
                 <g text-anchor=\"middle\"><text y=\"14\">\
                 <tspan x=\"10\">T0</tspan><tspan x=\"{x}\">T1</tspan><tspan x=\"70\">T2</tspan></text></g></g></svg>"
            )
        };
        check_texts(&picture(30, 0));
        for (x, y) in [(20, 0), (95, 0), (30, 10), (30, 40)] {
            let caught = std::panic::catch_unwind(|| check_texts(&picture(x, y)));
            assert!(caught.is_err(), "{x}");
        }
    }

    fn layout(text: &str, shape: &[u64]) -> LinearLayout {
        text.parse::<Encoding>()
            .unwrap()
            .to_linear_layout(shape)
            .unwrap()
    }

    const ENCODINGS: [&str; 6] = [
        "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>",
        "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>",
        "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 8], order = [0, 1]}>",
        "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>",
        "#ttg.dot_op<{opIdx = 1, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>",
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    ];
    const SHAPES: [[u64; 2]; 4] = [[8, 8], [16, 32], [64, 64], [256, 16]];

    #[test]
    fn layouts_conversions_and_comparisons_have_labels_apart() {
        for shape in SHAPES {
            let layouts = ENCODINGS.map(|text| layout(text, &shape));
            for layout in &layouts {
                let scenes = [
                    Scene::tensor(layout, Window::PICTURE),
                    Scene::boxed(layout, Window::PICTURE),
                    Scene::hardware(layout, Window::PICTURE),
                    Scene::matrix(layout),
                ];
                let scenes = scenes.map(|scene| scene.titled(ENCODINGS[4]));
                for scene in &scenes {
                    check_texts(&svg(scene));
                }
                check_texts(&svg_sheet("all views", &scenes));
            }
            for (i, a) in layouts[..5].iter().enumerate() {
                for b in &layouts[..i] {
                    let conversion = Scene::conversion(a, b, Window::PICTURE);
                    check_texts(&svg(&conversion.titled("a conversion")));
                    check_texts(&svg(&Scene::comparison(a, b, Window::PICTURE)));
                }
            }
        }
    }

    #[test]
    fn banks_and_accesses_have_labels_apart() {
        let target = Target::parse("cuda:90").unwrap();
        let shape = [32, 64];
        let place = BufferLayout::new(layout(ENCODINGS[5], &shape), &[], 16).unwrap();
        for text in &ENCODINGS[..3] {
            let registers = layout(text, &shape);
            let plan = MemoryPlan::new(&registers, &place, 0, Access::Load, target).unwrap();
            let accesses =
                Scene::accesses(&plan, &registers, Access::Load, target, Window::PICTURE);
            let scenes = [Scene::banks(&place, target, Window::PICTURE), accesses];
            check_texts(&svg_sheet("banks", &scenes));
        }
    }

    #[test]
    fn pictures_of_large_layouts_are_narrow() {
        let [a, b] = [0, 1].map(|i| layout(ENCODINGS[i], &[128, 128]));
        let window = Window::PICTURE;
        let scenes = [
            Scene::tensor(&a, window),
            Scene::comparison(&a, &b, window),
            Scene::conversion(&a, &b, window),
        ];
        for scene in scenes {
            let picture = svg(&scene.titled(ENCODINGS[0]));
            let width = number_of(&picture, "width").unwrap();
            assert!(width <= 1000.0, "{width}");
            check_texts(&picture);
        }
    }

    #[test]
    fn a_label_has_a_line_for_the_thread_and_one_for_the_register() {
        let layout = layout(ENCODINGS[0], &[16, 32]);
        let picture = svg(&Scene::tensor(&layout, Window::PICTURE));
        let Extents { texts, .. } = extents(&picture);
        let find = |text: &str| texts.iter().find(|(_, t)| t == text).unwrap().0;
        let Extent([left, _, right, lower]) = find("T1");
        let below = texts.iter().filter(|(Extent([l, top, r, _]), _)| {
            f64::midpoint(*l, *r) == f64::midpoint(left, right) && (*top - lower).abs() < 2.0
        });
        let below: Vec<&str> = below.map(|(_, text)| text.as_str()).collect();
        assert_eq!(below, ["0"]);
        for warp in 0..4 {
            find(&format!("warp {warp}"));
        }
    }
}
