//! Browser tests of the pages that `ll-layout` writes: display, hover, search and pickers.
//!
//! The browser is headless Chromium, driven through the two pipes of its debugging protocol. `LL_CHROMIUM` overrides
//! the search in `PATH`. Without a browser, the tests print a notice and pass.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("LL_CHROMIUM") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let places = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// Serialises the tests, because they measure times.
static TURN: Mutex<()> = Mutex::new(());

struct Page {
    _turn: MutexGuard<'static, ()>,
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    asked: u64,
    /// Folder of the browser profile, which is new for each page.
    profile: PathBuf,
}

impl Page {
    /// Opens a file in a browser window that is 1000 pixels wide. If no browser is installed, prints a notice and
    /// returns `None`.
    fn open(file: &Path) -> Option<Self> {
        let Some(browser) = browser() else {
            // The test harness captures `eprintln`.
            let _ = writeln!(
                std::io::stderr(),
                "browser: NOT TESTED, since no Chromium is here: install `chromium`, or set LL_CHROMIUM to its path"
            );
            return None;
        };
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let stem = file.file_stem().unwrap().to_string_lossy();
        let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("profile-{stem}"));
        let _ = std::fs::remove_dir_all(&profile);
        // The protocol uses descriptors 3 and 4, which only a shell can set.
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(r#"exec "$0" "$@" 3<&0 4>&1 1>/dev/null 2>/dev/null </dev/null"#)
            .arg(browser)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
            ])
            .arg("--window-size=1000,900")
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap());
        let (session, asked) = (None, 0);
        let mut page = Self {
            _turn: turn,
            child,
            to,
            from,
            session,
            asked,
            profile,
        };
        let target = page.ask("Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = page.ask("Target.attachToTarget", &attach);
        page.session = session["sessionId"].as_str().map(str::to_owned);
        let size = json!({"width": 1000, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        page.ask("Emulation.setDeviceMetricsOverride", &size);
        page.ask("Page.enable", &json!({}));
        page.ask(
            "Page.navigate",
            &json!({"url": format!("file://{}", file.display())}),
        );
        for _ in 0..500 {
            if page.value("document.documentElement?.dataset.ready ?? null") != Value::Null {
                return Some(page);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the page is not ready after 10 seconds");
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.asked += 1;
        let mut message = json!({"id": self.asked, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(message.to_string().as_bytes()).unwrap();
        self.to.write_all(&[0]).unwrap();
        self.to.flush().unwrap();
        loop {
            let mut answer = Vec::new();
            self.from.read_until(0, &mut answer).unwrap();
            assert_eq!(answer.pop(), Some(0), "the browser ended");
            let mut answer: Value = serde_json::from_slice(&answer).unwrap();
            if answer["id"] == json!(self.asked) {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].take();
            }
        }
    }

    /// Evaluates a JavaScript expression on the page.
    #[track_caller]
    fn value(&mut self, expression: &str) -> Value {
        let parameters =
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut answer = self.ask("Runtime.evaluate", &parameters);
        assert!(
            answer.get("exceptionDetails").is_none(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].take()
    }

    #[track_caller]
    fn text(&mut self, expression: &str) -> String {
        let value = self.value(expression);
        value
            .as_str()
            .unwrap_or_else(|| panic!("{expression}: {value}"))
            .to_owned()
    }

    fn hover(&mut self, view: usize, panel: usize, row: usize, column: usize) {
        let place = self.value(&format!(
            "(() => {{ const v = views[{view}], p = v.scene.panels[{panel}], at = v.canvas.getBoundingClientRect();
               return [at.left - v.box.scrollLeft + (p.x + ({column} + 0.5) * p.cell) * v.zoom,
                       at.top - v.box.scrollTop + (p.y + ({row} + 0.5) * p.row) * v.zoom]; }})()"
        ));
        let event = json!({"type": "mouseMoved", "x": place[0], "y": place[1]});
        self.ask("Input.dispatchMouseEvent", &event);
    }

    fn type_into(&mut self, selector: &str, text: &str) {
        self.value(&format!(
            "(() => {{ const i = document.querySelector({}); i.focus(); i.select(); }})()",
            json!(selector)
        ));
        self.ask("Input.insertText", &json!({"text": text}));
    }

    fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.ask(
                "Input.dispatchKeyEvent",
                &json!({"type": kind, "key": key, "code": key}),
            );
        }
    }

    fn set_dark(&mut self, is_dark: bool) {
        let value = if is_dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": value}]});
        self.ask("Emulation.setEmulatedMedia", &features);
    }

    /// Takes a screenshot of the page and returns it as PNG. It is also written to a file next to the page for
    /// manual review.
    fn photograph(&mut self, name: &str) -> Vec<u8> {
        // The next frame is drawn before the picture is taken.
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
        let picture = self.ask("Page.captureScreenshot", &json!({"format": "png"}));
        let bytes = base64(picture["data"].as_str().unwrap());
        std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name), &bytes).unwrap();
        bytes
    }

    /// Returns the red, green and blue components of a cell's colour. The pixel is near the corner of the cell,
    /// where there is no text.
    fn colour(&mut self, panel: usize, row: usize, column: usize) -> Value {
        self.value(&format!(
            "(() => {{ const v = views[0]; v.draw(); const p = v.scene.panels[{panel}];
               const x = (p.x + {column} * p.cell + 3) * v.zoom - v.box.scrollLeft, y = (p.y + {row} * p.row + 3) * v.zoom - v.box.scrollTop;
               const r = devicePixelRatio; return [...v.canvas.getContext('2d').getImageData(x * r, y * r, 1, 1).data].slice(0, 3); }})()"
        ))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let mut rest = Vec::new();
        let _ = self.from.read_to_end(&mut rest);
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

fn base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|c| *c != b'=').collect();
    let mut bytes = Vec::new();
    for four in digits.chunks(4) {
        let bits = four.iter().fold(0, |bits, c| bits << 6 | digit(*c)) << (6 * (4 - four.len()));
        bytes.extend(&u32::to_be_bytes(bits)[1..four.len()]);
    }
    bytes
}

fn page(name: &str, arguments: &[&str]) -> Option<Page> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let status = Command::new(env!("CARGO_BIN_EXE_ll-layout"))
        .args(arguments)
        .arg("--output")
        .arg(&file)
        .status()
        .unwrap();
    assert!(matches!(status.code(), Some(0 | 3)), "{status}");
    Page::open(&file)
}

const BLOCKED: &str = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";
const COLUMNS: &str = "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>";

const SAYS: &str = "document.querySelector('.says').textContent";

#[test]
fn a_large_layout_opens_fast_and_answers() {
    let Some(mut page) = page("large.html", &["show", BLOCKED, "128x128"]) else {
        return;
    };
    // From the beginning of the navigation until everything is drawn.
    let ready = page.text("document.documentElement.dataset.ready");
    let milliseconds: u64 = ready.parse().unwrap();
    let _ = writeln!(
        std::io::stderr(),
        "browser: 128x128 opens in {milliseconds} ms"
    );
    assert!(milliseconds < 1000, "{milliseconds} ms");
    assert_eq!(page.value("views.length"), json!(3));
    // The page is not wider than the window, and has few nodes.
    assert_eq!(
        page.value("document.documentElement.scrollWidth <= innerWidth"),
        json!(true)
    );
    assert!(
        page.value("document.querySelectorAll('*').length")
            .as_u64()
            .unwrap()
            < 200
    );

    // Row 5, column 9: warp 1, lane 10 = 8 * 1 + 2, register 1.
    page.hover(0, 0, 5, 9);
    assert_eq!(
        page.text(SAYS),
        "element (5, 9); register 1, lane 10, warp 1"
    );
    let tip = page.text("tip.hidden ? 'hidden' : tip.textContent");
    assert_eq!(tip, "element (5, 9)\nregister 1, lane 10, warp 1");
    page.photograph("hover.png");

    // Arrow keys move from cell to cell, and the new cell is visible.
    page.value("views[0].box.focus()");
    page.press("ArrowRight");
    assert_eq!(
        page.text(SAYS),
        "element (5, 10); register 2, lane 10, warp 1"
    );
    page.press("ArrowDown");
    assert_eq!(
        page.text(SAYS),
        "element (6, 10); register 2, lane 18, warp 1"
    );

    page.type_into("input[type=search]", "100, 127");
    assert_eq!(page.text("views[0].count.textContent"), "1 cell");
    assert_eq!(
        page.text(SAYS),
        "element (100, 127); register 111, lane 7, warp 1"
    );
    let in_sight = "(() => { const v = views[0], p = v.scene.panels[0];
        const x = (p.x + 127 * p.cell) * v.zoom - v.box.scrollLeft, y = (p.y + 100 * p.row) * v.zoom - v.box.scrollTop;
        return x >= 0 && y >= 0 && x + p.cell * v.zoom <= v.box.clientWidth && y + p.row * v.zoom <= v.box.clientHeight; })()";
    assert_eq!(page.value(in_sight), json!(true));
    page.photograph("search.png");
    for (asked, count) in [
        ("lane=3", "512 cells"),
        ("lane 3 warp 2", "128 cells"),
        ("dim0=7", "128 cells"),
        ("dim0=7 lane=0", "0"),
        ("T3:0", "1 cell"),
        ("nonsense", "nothing found"),
    ] {
        page.type_into("input[type=search]", asked);
        let found = page.text("views[0].count.textContent");
        let expected = if count == "0" { "nothing found" } else { count };
        assert_eq!(found, expected, "{asked}");
    }
    page.type_into("input[type=search]", "");
    page.ask("Input.dispatchKeyEvent", &json!({"type": "keyDown", "key": "Backspace", "code": "Backspace", "windowsVirtualKeyCode": 8}));

    // Each picker keeps only the cells with its index.
    page.type_into("input[data-dim=lane]", "5");
    assert_eq!(page.text("views[0].count.textContent"), "512 cells");
    page.type_into("input[data-dim=warp]", "0");
    assert_eq!(page.text("views[0].count.textContent"), "128 cells");
    page.type_into("input[data-dim=register]", "2");
    assert_eq!(page.text("views[0].count.textContent"), "1 cell");
    assert_eq!(
        page.text(SAYS),
        "element (0, 22); register 2, lane 5, warp 0"
    );
    page.photograph("picker.png");
    page.value(
        "[...document.querySelectorAll('button')].find(b => b.textContent === 'clear').click()",
    );
    assert_eq!(page.text("views[0].count.textContent"), "");
}

#[test]
fn a_page_follows_the_choice_of_a_dark_ground() {
    let Some(mut page) = page("ground.html", &["show", BLOCKED, "32x32"]) else {
        return;
    };
    page.set_dark(false);
    let light = (
        page.colour(0, 0, 0),
        page.text("getComputedStyle(document.body).backgroundColor"),
    );
    let light_picture = page.photograph("light.png");
    page.set_dark(true);
    let dark = (
        page.colour(0, 0, 0),
        page.text("getComputedStyle(document.body).backgroundColor"),
    );
    let dark_picture = page.photograph("dark.png");
    let sum = |colour: &Value| -> u64 {
        let channels = colour.as_array().unwrap().iter();
        channels.map(|c| c.as_u64().unwrap()).sum()
    };
    assert!(
        sum(&light.0) > 600 && sum(&dark.0) < 300,
        "{light:?} {dark:?}"
    );
    assert_eq!(
        [light.1.as_str(), dark.1.as_str()],
        ["rgb(255, 255, 255)", "rgb(22, 24, 29)"]
    );
    assert_ne!(light_picture, dark_picture);
}

#[test]
fn an_element_of_a_conversion_is_marked_on_both_sides() {
    let arguments = [
        "convert", BLOCKED, COLUMNS, "32x32", "--type", "f16", "--target", "cuda:90",
    ];
    let Some(mut page) = page("arrows.html", &arguments) else {
        return;
    };
    assert_eq!(
        page.value("views[0].scene.panels.map(p => p.title)"),
        json!(["before", "after"])
    );
    assert_eq!(page.value("views[0].scene.links.length"), json!(7));
    page.photograph("arrows.png");
    // Thread 9 = lane 1 of the second row of lanes: element (1, 4).
    page.hover(0, 0, 9, 0);
    assert_eq!(
        page.text(SAYS),
        "element (1, 4); before: register 0, lane 9, warp 0; after: register 1, lane 0, warp 1"
    );
    assert_eq!(page.value("views[0].moved().length"), json!(1));
    let (to, expected) = (page.value("views[0].moved()[0]"), json!([0, 72, 1]));
    assert_eq!(
        [&to[0], &to[1], &to[2]],
        [&expected[0], &expected[1], &expected[2]]
    );
    let text = page.text("(([, , q, d]) => views[0].scene.panels[q].text[d])(views[0].moved()[0])");
    assert_eq!(text, "(1, 4)");
    page.photograph("arrow.png");
}

#[test]
fn a_narrow_window_holds_the_toolbar_and_both_sides_of_a_conversion() {
    let arguments = [
        "convert", BLOCKED, COLUMNS, "32x32", "--type", "f16", "--target", "cuda:90",
    ];
    let Some(mut page) = page("narrow.html", &arguments) else {
        return;
    };
    for (width, lines) in [(500, 2), (1000, 1), (1600, 1)] {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        page.ask("Emulation.setDeviceMetricsOverride", &size);
        page.photograph(&format!("width-{width}.png"));
        assert_eq!(
            page.value("document.documentElement.scrollWidth <= innerWidth"),
            json!(true),
            "{width}"
        );
        let tops = "new Set([...document.querySelector('form').children].map(node => Math.round((node.getBoundingClientRect().top + node.getBoundingClientRect().bottom) / 8))).size";
        assert!(
            page.value(tops).as_u64().unwrap() <= lines,
            "{width}: {}",
            page.value(tops)
        );
        let sides = "(() => { const v = views[0]; return v.scene.panels.every(p => {
            const left = (p.x - p.lead) * v.zoom - v.box.scrollLeft, right = (p.x + p.cell * p.columns.length) * v.zoom - v.box.scrollLeft;
            return left >= 0 && right <= v.box.clientWidth; }); })()";
        assert_eq!(page.value(sides), json!(true), "{width}");
    }
}

#[test]
fn an_element_of_a_sum_marks_its_row_and_its_column() {
    let arguments = ["show", "mma.m16n8k16.f32.f16", "--target", "cuda:80"];
    let Some(mut page) = page("instruction.html", &arguments) else {
        return;
    };
    // The corner at which the three panels meet is visible.
    let in_sight = "(() => { const v = views[0], p = v.scene.panels[2];
        const x = p.x * v.zoom - v.box.scrollLeft, y = p.y * v.zoom - v.box.scrollTop;
        return x > 0 && y > 0 && x < v.box.clientWidth && y < v.box.clientHeight; })()";
    assert_eq!(page.value(in_sight), json!(true));
    page.hover(0, 2, 3, 1);
    assert_eq!(page.text(SAYS), "m 3, n 1; register 1, lane 12");
    let partners =
        "[0, 1, 2].map(q => views[0].partners(views[0].under).filter(([p]) => p === q).length)";
    assert_eq!(page.value(partners), json!([16, 16, 1]));
    page.photograph("instruction.png");
    page.hover(0, 1, 10, 7);
    assert_eq!(page.text(SAYS), "k 10, n 7; register 2, lane 29");
    assert_eq!(page.value(partners), json!([16, 1, 16]));
    for (asked, count) in [
        ("3, 1", "3 cells"),
        ("m=3", "24 cells"),
        ("k=5 n=7", "1 cell"),
        ("m=3 lane=12", "6 cells"),
        ("lane=12", "16 cells"),
    ] {
        page.type_into("input[type=search]", asked);
        assert_eq!(page.text("views[0].count.textContent"), count, "{asked}");
    }
}
