//! Scenes as one self-contained HTML page.

use core::fmt::Write;

use super::geometry::{Detail, FONT, Geometry, LABEL, MARGIN, ROW};
use super::palette::{HUES, all, hex, number};
use super::svg::escaped;
use super::{Arrangement, Frame, Scene, Space, Theme};

const PAGE: &str = include_str!("page.html");

/// The largest integer up to which JavaScript represents all integers exactly.
const SAFE: u64 = (1 << 53) - 1;

/// Returns an HTML page that shows the scenes one below the other.
///
/// The page draws the visible part of each scene on a canvas. If the user selects a cell with the pointer or the
/// keyboard, the page shows details and highlights all cells with the same element. The user can search elements
/// and slots. The browser selects the light or the dark theme.
#[must_use]
pub fn html(title: &str, scenes: &[Scene]) -> String {
    let mut data = String::from("[");
    for (i, scene) in scenes.iter().enumerate() {
        if i > 0 {
            data.push(',');
        }
        write_scene(&mut data, scene);
    }
    data.push(']');
    let colours = |theme: Theme| {
        let grounds = list(all().map(|paint| format!("\"{}\"", hex(theme.rgb(paint)))));
        let arrows = list((0..HUES.len()).map(|i| format!("\"{}\"", hex(theme.arrow(i)))));
        format!("{{\"ground\":{grounds},\"arrows\":{arrows}}}")
    };
    let (light, dark) = (colours(Theme::Light), colours(Theme::Dark));
    // From left to right, so that placeholders in inserted text stay.
    let mut page = String::with_capacity(PAGE.len() + data.len() + 4096);
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        page += before;
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        match name {
            "title" => page += &escaped(title),
            "light" => page += &light,
            "dark" => page += &dark,
            "data" => page += &data,
            "row" => page += &ROW.to_string(),
            "font" => page += &FONT.to_string(),
            "label" => page += &LABEL.to_string(),
            _ => {}
        }
        rest = after;
    }
    page + rest
}

fn write_scene(out: &mut String, scene: &Scene) {
    let geometry = Geometry::of(scene, MARGIN, Detail::Full);
    let legend = scene.legend.iter();
    // Writing to a string does not fail.
    let _ = write!(
        out,
        "{{\"title\":{},\"caption\":{},\"remarks\":{},\"width\":{},\"height\":{},\"slots\":{},\"isProduct\":{},\"isNamed\":{},\"legend\":{},\"panels\":[",
        quoted(&scene.title),
        quoted(&scene.caption),
        list(scene.remarks.iter().map(|r| quoted(r))),
        geometry.width,
        geometry.height,
        space(&scene.slots),
        scene.arrangement == Arrangement::Product,
        scene.panels.iter().any(|panel| panel.frame == Frame::Named),
        list(legend.map(|(paint, text)| format!("[{},{}]", number(*paint), quoted(text)))),
    );
    for (i, (panel, placed)) in scene.panels.iter().zip(&geometry.panels).enumerate() {
        if i > 0 {
            out.push(',');
        }
        let groups = panel.groups.iter();
        let groups = list(groups.map(|(name, count)| format!("[{},{count}]", quoted(name))));
        let _ = write!(
            out,
            "{{\"title\":{},\"space\":{},\"x\":{},\"y\":{},\"cell\":{},\"row\":{},\"lead\":{},\"above\":{},\"breakAt\":{},\"groups\":{groups},\"columns\":{},\"rows\":{},",
            quoted(&panel.title),
            space(panel.elements.as_ref().unwrap_or(&scene.elements)),
            placed.x,
            placed.y,
            placed.cell,
            placed.row,
            placed.lead,
            placed.lines_above,
            quoted(&panel.break_at.map(String::from).unwrap_or_default()),
            list(panel.columns.iter().map(|c| quoted(c))),
            list(panel.rows.iter().map(|r| quoted(r))),
        );
        let cells = || panel.cells.iter();
        out.push_str("\"text\":");
        write_list(out, cells(), |out, cell| write_quoted(out, &cell.text));
        out.push_str(",\"paint\":");
        write_list(out, cells(), |out, cell| {
            write_whole(out, u64::from(number(cell.paint)));
        });
        out.push_str(",\"group\":");
        let first = panel.cells.first().map(|cell| cell.group);
        let has_groups = cells().any(|cell| Some(cell.group) != first);
        let listed = if has_groups { panel.cells.len() } else { 0 };
        write_list(out, cells().take(listed), |out, cell| {
            write_whole(out, cell.group);
        });
        out.push_str(",\"slots\":");
        write_list(out, cells(), |out, cell| write_numbers(out, &cell.slots));
        out.push_str(",\"more\":");
        let counted = cells().any(|cell| cell.more_slots > 0);
        let listed = if counted { panel.cells.len() } else { 0 };
        write_list(out, cells().take(listed), |out, cell| {
            write_whole(out, cell.more_slots);
        });
        out.push_str(",\"elements\":");
        write_list(out, cells(), |out, cell| write_numbers(out, &cell.elements));
        out.push('}');
    }
    let links = scene.links.iter().map(|link| {
        let ((a, b), (c, d)) = (link.from, link.to);
        format!("[{a},{b},{c},{d}]")
    });
    let _ = write!(out, "],\"links\":{}}}", list(links));
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    format!("[{}]", items.join(","))
}

fn space(space: &Space) -> String {
    let dims = space.0.iter();
    list(dims.map(|(name, size)| format!("[{},{}]", quoted(name), whole(*size))))
}

fn write_list<T>(
    out: &mut String,
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}

/// Writes numbers as a JSON list, or a single number without the brackets of a list.
fn write_numbers(out: &mut String, numbers: &[u64]) {
    match numbers {
        [only] => write_whole(out, *only),
        numbers => write_list(out, numbers.iter(), |out, number| write_whole(out, *number)),
    }
}

/// Writes a number as JSON, or as a JSON string if JavaScript would round the number.
fn write_whole(out: &mut String, number: u64) {
    // Writing to a string does not fail.
    let _ = if number > SAFE {
        write!(out, "\"{number}\"")
    } else {
        write!(out, "{number}")
    };
}

fn whole(number: u64) -> String {
    let mut text = String::new();
    write_whole(&mut text, number);
    text
}

fn quoted(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 2);
    write_quoted(&mut safe, text);
    safe
}

/// Appends `text` to `safe` as a JSON string that is safe inside an HTML script element.
fn write_quoted(safe: &mut String, text: &str) {
    safe.push('"');
    for c in text.chars() {
        match c {
            '"' => safe.push_str("\\\""),
            '\\' => safe.push_str("\\\\"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(safe, "\\u{:04x}", c as u32);
            }
            c if c.is_control() => {
                let _ = write!(safe, "\\u{:04x}", c as u32);
            }
            c => safe.push(c),
        }
    }
    safe.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Panel, scene::Cell};

    #[test]
    fn text_cannot_leave_its_place() {
        let cell = Cell {
            text: "</script>\"\\\n{{data}}".to_owned(),
            ..Cell::default()
        };
        let panel = Panel {
            columns: vec!["0".to_owned()],
            rows: vec!["0".to_owned()],
            cells: vec![cell],
            ..Panel::default()
        };
        let scene = Scene {
            panels: vec![panel],
            ..Scene::default()
        };
        let page = html("a < b", &[scene]);
        assert!(page.contains("<title>a &lt; b</title>"));
        assert!(
            page.contains(r#"["\u003c/script\u003e\"\\\u000a{{data}}"]"#),
            "{page}"
        );
        assert_eq!(
            page.matches("</script>").count(),
            PAGE.matches("</script>").count()
        );
    }

    #[test]
    fn numbers_that_would_be_rounded_are_text() {
        let numbers = |numbers: &[u64]| {
            let mut text = String::new();
            write_numbers(&mut text, numbers);
            text
        };
        assert_eq!(numbers(&[3]), "3");
        assert_eq!(numbers(&[]), "[]");
        assert_eq!(numbers(&[1, 1 << 60]), "[1,\"1152921504606846976\"]");
    }
}
