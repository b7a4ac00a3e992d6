//! Writes the gallery of layouts: pictures, an interactive page for each picture, and an index.
//!
//! `make docs` runs this as
//! ```text
//! cargo run -p ll-layout --example gallery -- FOLDER
//! ```

mod figures;

use figures::{Section, sections};
use linear_layout::view::{html, svg};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const STYLE: &str = ":root{color-scheme:light dark;--ground:#fff;--ink:#1a1d24;--note:#5a6070;--line:#c8ccd4;--mark:#1748c4}\
@media(prefers-color-scheme:dark){:root{--ground:#16181d;--ink:#e6e8ed;--note:#a3a9b8;--line:#4a4e58;--mark:#8fb4ff}}\
body{margin:0 auto;padding:16px 20px;max-width:1300px;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\
p,figcaption{color:var(--note)}a{color:var(--mark)}code{font-size:13px;overflow-wrap:anywhere}\
figure{margin:26px 0;padding-top:14px;border-top:1px solid var(--line)}figcaption b{color:var(--ink)}\
.picture{overflow-x:auto;margin-top:8px}img{display:block}nav a{margin-right:14px}";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1);
    let folder = folder.ok_or("expected a folder to write to")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let sections = sections()?;
    for figure in sections.iter().flat_map(|section| &section.figures) {
        for (i, scene) in figure.scenes.iter().enumerate() {
            fs::write(folder.join(format!("{}-{i}.svg", figure.name)), svg(scene))?;
        }
        let page = html(&figure.title, &figure.scenes);
        fs::write(folder.join(format!("{}.html", figure.name)), page)?;
    }
    fs::write(folder.join("index.html"), index(&sections))?;
    Ok(())
}

/// Returns the index page.
fn index(sections: &[Section]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Gallery of layouts</title>\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><style>{STYLE}</style></head><body>\n\
         <h1>Gallery of layouts</h1>\n<p>Each picture links to a page that says more of each cell, finds elements, and picks lanes.</p>\n<nav>"
    );
    // Writing to a string does not fail.
    for (i, section) in sections.iter().enumerate() {
        let _ = write!(page, "<a href=\"#s{i}\">{}</a>", section.title);
    }
    page += "</nav>\n";
    for (i, section) in sections.iter().enumerate() {
        let _ = writeln!(
            page,
            "<h2 id=\"s{i}\">{}</h2>\n<p>{}</p>",
            section.title, section.description
        );
        for figure in &section.figures {
            let subject = figure.subject.replace('&', "&amp;").replace('<', "&lt;");
            let _ = writeln!(
                page,
                "<figure id=\"{0}\"><figcaption><b>{1}</b><br><code>{subject}</code></figcaption>",
                figure.name, figure.title
            );
            for (i, _) in figure.scenes.iter().enumerate() {
                let _ = writeln!(
                    page,
                    "<div class=\"picture\"><a href=\"{0}.html\"><img loading=\"lazy\" src=\"{0}-{i}.svg\" alt=\"{1}\"></a></div>",
                    figure.name, figure.title
                );
            }
            page += "</figure>\n";
        }
    }
    page + "</body></html>\n"
}
