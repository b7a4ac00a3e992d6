//! Scenes as text, for terminals.

use core::fmt;

use super::{Arrangement, Cell, Frame, Paint, Panel, Scene, Theme};

/// A renderer that prints a scene as text through `Display`.
///
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::view::{Scene, Text, Window};
///
/// let layout = LinearLayout::identity_1d(4, Dim::LANE, Dim::out(0))?;
/// let scene = Scene::tensor(&layout, Window::default());
/// // A table that is too wide is split into pieces below each other.
/// assert_eq!(Text::new(&scene).within(16).to_string(), "\
/// 4: dim0 across; a cell is T<lane>:<register>
///        0     1
/// 0:  T0:0  T1:0
///
///        2     3
/// 0:  T2:0  T3:0
/// ");
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Text<'s> {
    scene: &'s Scene,
    width: usize,
    theme: Option<Theme>,
}

impl<'s> Text<'s> {
    /// Creates a renderer without colours and without a maximum width.
    #[must_use]
    pub fn new(scene: &'s Scene) -> Self {
        Self {
            scene,
            width: usize::MAX,
            theme: None,
        }
    }

    /// Limits the width of tables to `width` characters. A wider table is split into pieces that are printed one
    /// below the other.
    #[must_use]
    pub fn within(self, width: usize) -> Self {
        Self { width, ..self }
    }

    /// Colours the cells with escape sequences for terminals with 256 colours.
    #[must_use]
    pub fn coloured(self, theme: Theme) -> Self {
        let theme = Some(theme);
        Self { theme, ..self }
    }

    /// Pads the text of a cell to `width` characters, adds a blank on each side, and applies the colours of the
    /// theme.
    fn cell(&self, cell: &Cell, width: usize, is_left: bool) -> String {
        let text = &cell.text;
        let text = if is_left {
            format!(" {text:<width$} ")
        } else {
            format!(" {text:>width$} ")
        };
        match self.theme {
            Some(theme) if cell.paint != Paint::Blank => {
                let [ground, ink] = [theme.rgb(cell.paint), theme.ink()].map(code);
                format!("\x1b[48;5;{ground};38;5;{ink}m{text}\x1b[0m")
            }
            _ => text,
        }
    }

    fn panel(&self, f: &mut fmt::Formatter<'_>, panel: &Panel) -> fmt::Result {
        let table = TextTable::new(panel);
        for (i, piece) in table.pieces(self.width).into_iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            match panel.frame {
                Frame::Boxed => self.boxed(f, &table, piece)?,
                Frame::Numbered | Frame::Named => self.labelled(f, &table, piece)?,
            }
        }
        Ok(())
    }

    /// Writes the columns of a table whose indices are in `piece`, together with the row labels and the column
    /// labels.
    fn labelled(
        &self,
        f: &mut impl fmt::Write,
        table: &TextTable<'_>,
        piece: core::ops::Range<usize>,
    ) -> fmt::Result {
        let TextTable {
            panel,
            lead,
            widths,
        } = table;
        let is_numbered = panel.frame == Frame::Numbered;
        let lead = *lead;
        if !panel.groups.is_empty() {
            let mut line = " ".repeat(lead);
            let (mut at, mut column) = (lead, 0);
            for (name, count) in &panel.groups {
                let columns = column..column + count;
                column += count;
                let inside: Vec<usize> = columns.filter(|c| piece.contains(c)).collect();
                if inside.is_empty() {
                    continue;
                }
                line += &" ".repeat(at.saturating_sub(length(&line)));
                line += &format!("  {name}");
                at += inside.iter().map(|c| widths[*c] + 2).sum::<usize>();
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        let mut line = " ".repeat(lead + usize::from(is_numbered));
        for column in piece.clone() {
            line += &format!(
                "  {:>width$}",
                panel.columns[column],
                width = widths[column]
            );
        }
        writeln!(f, "{}", line.trim_end())?;
        for (label, cells) in panel.lines() {
            let mut line = if is_numbered {
                format!("{label:>lead$}: ")
            } else {
                format!("{label:<lead$} ")
            };
            for column in piece.clone() {
                line += &self.cell(&cells[column], widths[column], false);
            }
            writeln!(f, "{}", line.trim_end_matches(' '))?;
        }
        Ok(())
    }

    /// Returns the text of a matrix product with D to the right of A and below B, or `None` if the text is too wide.
    fn product(&self, panels: [&Panel; 3]) -> Result<Option<String>, fmt::Error> {
        let mut tables = panels.map(TextTable::new);
        let [_, b, d] = &mut tables;
        b.align(d);
        let mut blocks: [Vec<String>; 3] = Default::default();
        for (block, table) in blocks.iter_mut().zip(&tables) {
            let mut text = String::new();
            self.labelled(&mut text, table, 0..table.widths.len())?;
            block.push(table.panel.title.clone());
            block.extend(text.lines().map(str::to_owned));
        }
        let [left, above, sum] = &blocks;
        let width = |block: &[String]| block.iter().map(|line| shown(line)).max().unwrap_or(0);
        let indent = width(left) + 3;
        if indent + width(above).max(width(sum)) > self.width {
            return Ok(None);
        }
        let mut text = String::new();
        for line in above {
            text += &format!("{:indent$}{line}\n", "");
        }
        for (line, other) in left.iter().zip(sum) {
            let gap = indent - shown(line);
            text += &format!("{line}{:gap$}{other}\n", "");
        }
        Ok(Some(text))
    }

    /// Writes the columns of a table whose indices are in `piece`, with lines around the cells. If all cells are
    /// numbers, they are aligned to the right.
    fn boxed(
        &self,
        f: &mut fmt::Formatter<'_>,
        table: &TextTable<'_>,
        piece: core::ops::Range<usize>,
    ) -> fmt::Result {
        let widths = &table.widths[piece.clone()];
        let rule = |f: &mut fmt::Formatter<'_>, [left, middle, right]: [char; 3]| {
            let lines: Vec<String> = widths.iter().map(|w| "─".repeat(w + 2)).collect();
            writeln!(f, "{left}{}{right}", lines.join(&middle.to_string()))
        };
        let is_number = |cell: &Cell| cell.text.parse::<i64>().is_ok();
        let is_left = !table.panel.cells.iter().all(is_number);
        rule(f, ['┌', '┬', '┐'])?;
        for (i, (_, cells)) in table.panel.lines().enumerate() {
            if i > 0 {
                rule(f, ['├', '┼', '┤'])?;
            }
            for (cell, width) in cells[piece.clone()].iter().zip(widths) {
                write!(f, "│{}", self.cell(cell, *width, is_left))?;
            }
            writeln!(f, "│")?;
        }
        rule(f, ['└', '┴', '┘'])
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scene = self.scene;
        if !scene.caption.is_empty() {
            writeln!(f, "{}", scene.caption)?;
        }
        let product = match (scene.arrangement, scene.panels.as_slice()) {
            (Arrangement::Product, [a, b, d]) => self.product([a, b, d])?,
            _ => None,
        };
        let rest = match &product {
            Some(text) => {
                f.write_str(text)?;
                &[][..]
            }
            None => &scene.panels,
        };
        for panel in rest {
            if !panel.title.is_empty() && panel.frame != Frame::Boxed {
                writeln!(f, "{}", panel.title)?;
            }
            self.panel(f, panel)?;
        }
        for link in &scene.links {
            writeln!(f, "{}", link.label)?;
        }
        for remark in &scene.remarks {
            writeln!(f, "{remark}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Text::new(self).fmt(f)
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Returns the number of visible characters of a line, i.e. without escape sequences.
fn shown(line: &str) -> usize {
    let mut parts = line.split('\x1b');
    let first = parts.next().map_or(0, length);
    let after = parts.map(|part| part.split_once('m').map_or(0, |(_, seen)| length(seen)));
    first + after.sum::<usize>()
}

/// A panel together with the widths of its columns and row labels, in characters.
struct TextTable<'s> {
    panel: &'s Panel,
    /// Width of the row labels.
    lead: usize,
    widths: Vec<usize>,
}

impl<'s> TextTable<'s> {
    fn new(panel: &'s Panel) -> Self {
        let is_boxed = panel.frame == Frame::Boxed;
        let lead = panel.rows.iter().map(|l| length(l)).max().unwrap_or(0);
        let mut widths: Vec<usize> = panel
            .columns
            .iter()
            .map(|label| if is_boxed { 0 } else { length(label) })
            .collect();
        for (_, cells) in panel.lines() {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(length(&cell.text));
            }
        }
        // The last column below a wide name becomes wider.
        let mut column = 0;
        for (name, count) in &panel.groups {
            let taken: usize = widths[column..column + count].iter().map(|w| w + 2).sum();
            column += count;
            if *count > 0 {
                widths[column - 1] += (length(name) + 2).saturating_sub(taken);
            }
        }
        Self {
            panel,
            lead: if is_boxed { 0 } else { lead },
            widths,
        }
    }

    /// Widens the columns and the row labels so that both tables have equal widths.
    fn align(&mut self, other: &mut Self) {
        let lead = self.lead.max(other.lead);
        (self.lead, other.lead) = (lead, lead);
        for (own, other) in self.widths.iter_mut().zip(&mut other.widths) {
            let width = (*own).max(*other);
            (*own, *other) = (width, width);
        }
    }

    /// Splits the columns into ranges that fit into `width` characters.
    fn pieces(&self, width: usize) -> Vec<core::ops::Range<usize>> {
        let (lead, between) = match self.panel.frame {
            Frame::Numbered => (self.lead + 1, 2),
            Frame::Named => (self.lead, 2),
            Frame::Boxed => (1, 3),
        };
        let mut pieces = Vec::new();
        let (mut first, mut taken) = (0, lead);
        for (column, own) in self.widths.iter().enumerate() {
            if column > first && taken + own + between > width {
                pieces.push(first..column);
                (first, taken) = (column, lead);
            }
            taken += own + between;
        }
        pieces.push(first..self.widths.len());
        pieces
    }
}

/// Returns the code of the terminal colour, among 256, that is nearest to `rgb`. Codes 16 to 231 are colours of the
/// 6x6x6 cube, and codes 232 to 255 are greys.
fn code(rgb: [u8; 3]) -> u32 {
    // The levels of a channel in the cube are 0, 95, 135, 175, 215 and 255.
    let level = |c: u8| match c {
        0..48 => 0,
        48..115 => 1,
        _ => (u32::from(c) - 35) / 40,
    };
    let [r, g, b] = rgb.map(level);
    // Greys have finer levels below the second level of the cube.
    if [r, g, b] == [0, 0, 0] {
        let grey = rgb.iter().map(|c| u32::from(*c)).sum::<u32>() / 3;
        return 232 + (grey.saturating_sub(3) / 10).min(23);
    }
    16 + 36 * r + 6 * g + b
}
