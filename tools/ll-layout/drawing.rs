//! Output of scenes: text, SVG or HTML, on standard output or into a file.

use crate::Failure;
use clap::ValueEnum;
use linear_layout::view::{Scene, Text, Theme, html, svg_sheet};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for a terminal
    Text,
    /// One SVG picture, with several views below each other
    Svg,
    /// One self-contained HTML page, with hover, search and pickers
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    /// Colours on a terminal, unless `NO_COLOR` is set
    Auto,
    Always,
    Never,
}

/// Options common to all commands that draw.
#[derive(Debug, clap::Args)]
pub(crate) struct Drawing {
    /// Output format; the default follows from the extension of --output, or is text
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// File to write instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Use of colours in text
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    color: When,

    /// Largest number of characters in a line of a table; wider tables are split into parts, one below the other
    /// [default on a terminal: its width]
    #[arg(long, value_name = "N")]
    width: Option<usize>,
}

impl Drawing {
    pub(crate) fn format(&self) -> Format {
        let ending = self.output.as_ref().and_then(|file| file.extension());
        let of_ending = || match ending.and_then(|e| e.to_str()) {
            Some("svg") => Format::Svg,
            Some("html" | "htm") => Format::Html,
            _ => Format::Text,
        };
        self.format.unwrap_or_else(of_ending)
    }

    /// Returns true if the output format is SVG or HTML.
    pub(crate) fn is_picture(&self) -> bool {
        self.format() != Format::Text
    }

    pub(crate) fn text(&self, scene: &Scene) -> String {
        let is_terminal = self.output.is_none() && io::stdout().is_terminal();
        let mut text = Text::new(scene);
        let of_terminal = || {
            let (width, _) = terminal_size::terminal_size().filter(|_| is_terminal)?;
            Some(usize::from(width.0))
        };
        if let Some(width) = self.width.or_else(of_terminal) {
            text = text.within(width);
        }
        let is_wanted = || std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
        let is_coloured = match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto => is_terminal && is_wanted(),
        };
        if is_coloured {
            text = text.coloured(Theme::Light);
        }
        text.to_string()
    }

    pub(crate) fn picture(&self, title: &str, scenes: &[Scene]) -> String {
        match self.format() {
            Format::Html => html(title, scenes),
            _ => svg_sheet(title, scenes),
        }
    }

    /// Writes `text` to the file that `--output` names, and returns an empty string. Without `--output`, returns
    /// `text`, which the caller prints to standard output.
    pub(crate) fn write(&self, text: String) -> Result<String, Failure> {
        let Some(file) = &self.output else {
            return Ok(text);
        };
        std::fs::write(file, text)
            .map_err(|e| Failure::new(format!("cannot write `{}`: {e}", file.display())))?;
        Ok(String::new())
    }
}
