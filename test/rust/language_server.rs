//! Sessions with `ll-lsp-server`, from the side of an editor.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const URI: &str = "file:///kernel.mlir";

const KERNEL: &str = r#"#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], warpsPerCTA = [1, 1], order = [1, 0]}>
#unused = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [2, 2], warpsPerCTA = [1, 1], order = [0, 1]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 4 : i32} {
  tt.func @f(%x: tensor<2x4xf16, #blocked>, %y: tensor<4x4xf16, #blocked> {x.face = "😀"}, %z: tensor<2x4xi1, #blocked>) {
    %0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    tt.return
  }
}
"#;

/// A language server process, and the connection of an editor that has one document open.
struct Session {
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    next_id: u64,
}

impl Session {
    fn start(text: &str) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_ll-lsp-server"))
            .arg("--log=error")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let to = server.stdin.take();
        let from = BufReader::new(server.stdout.take().expect("the server has an output"));
        let mut session = Self {
            server,
            to,
            from,
            next_id: 0,
        };
        let parts = json!({"processId": null, "rootUri": null, "capabilities": {}});
        let answer = session.request("initialize", &parts);
        let server = &answer["serverInfo"];
        assert_eq!(server["name"], "ll-lsp-server");
        assert_eq!(server["version"], linear_layout_mlir::sys::version());
        let can = &answer["capabilities"];
        for what in ["hoverProvider", "definitionProvider", "referencesProvider"] {
            assert_eq!(can[what], true, "{what}");
        }
        session.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
        session.send(
            &json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {
            "textDocument": {"uri": URI, "languageId": "mlir", "version": 1, "text": text}}}),
        );
        session
    }

    fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    fn send_text(&mut self, body: &str) {
        let to = self.to.as_mut().expect("the session is open");
        write!(to, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("the server reads");
        to.flush().expect("the server reads");
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let read = self.from.read_line(&mut line).expect("the server writes");
            assert_ne!(read, 0, "the server has ended");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", bytes)) => length = bytes.parse().expect("a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).expect("the server writes");
        serde_json::from_slice(&body).expect("the server writes JSON")
    }

    /// Sends a request and returns the result. The next message of the server must be the answer to it.
    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Sends a request for a position in the document, which is `more` UTF-16 units after the start of `needle`.
    fn at(&mut self, method: &str, text: &str, needle: &str, more: usize) -> Value {
        let mut position = place(text, needle);
        position["character"] = json!(position["character"].as_u64().unwrap() + more as u64);
        let params = json!({"textDocument": {"uri": URI}, "position": position,
                            "context": {"includeDeclaration": true}});
        self.request(&format!("textDocument/{method}"), &params)
    }

    fn hover(&mut self, text: &str, needle: &str, more: usize) -> (String, Value) {
        let answer = self.at("hover", text, needle, more);
        let shown = answer["contents"]["value"].as_str().unwrap_or_default();
        (shown.to_owned(), answer["range"].clone())
    }

    /// Replaces the text of the document, and returns the diagnostics that the server sends for it.
    fn change(&mut self, version: u64, text: &str) -> Vec<Value> {
        self.send(
            &json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
            "textDocument": {"uri": URI, "version": version},
            "contentChanges": [{"text": text}]}}),
        );
        self.diagnostics()
    }

    fn diagnostics(&mut self) -> Vec<Value> {
        let message = self.receive();
        assert_eq!(message["method"], "textDocument/publishDiagnostics");
        let list = &message["params"]["diagnostics"];
        list.as_array().expect("a list").clone()
    }

    fn end(mut self) {
        assert_eq!(self.request("shutdown", &Value::Null), Value::Null);
        self.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
        let status = self.server.wait().expect("the server ends");
        assert!(status.success(), "{status}");
    }
}

/// Returns the LSP position of the first occurrence of `needle` in the document.
#[track_caller]
fn place(text: &str, needle: &str) -> Value {
    let offset = text.find(needle).unwrap_or_else(|| panic!("no {needle}"));
    let line = text[..offset].matches('\n').count();
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    json!({"line": line, "character": text[start..offset].encode_utf16().count()})
}

#[test]
fn hovers_show_the_grid_and_the_bases() {
    let mut session = Session::start(KERNEL);
    assert_eq!(session.diagnostics(), [] as [Value; 0]);

    // In a type: the layout on that shape only.
    let (shown, range) = session.hover(KERNEL, "2x4xf16", 1);
    let expected = "\
```mlir
#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], warpsPerCTA = [1, 1], order = [1, 0]}>
```

**`#blocked` on 2x4**
```text
2 x 4: dim0 down, dim1 across; a cell is T<lane>:<register>
       0     1     2     3
0:  T0:0  T0:1  T1:0  T1:1
1:  T2:0  T2:1  T3:0  T3:1
```
```text
 - register=1 -> (0, 1)
 - lane=1 -> (0, 2)
   lane=2 -> (1, 0)
 - warp is a size 1 dimension
 - block is a size 1 dimension
where out dims are: [dim0 (size 2), dim1 (size 4)]
```
";
    assert_eq!(shown, expected);
    assert_eq!(range["start"], place(KERNEL, "tensor<2x4xf16"));

    // Preceding characters of two UTF-16 units count as two.
    let (shown, range) = session.hover(KERNEL, "2x4xi1", 1);
    assert_eq!(shown, expected);
    assert_eq!(range["start"], place(KERNEL, "tensor<2x4xi1"));

    // On an alias in a type: the same, and MLIR's hover text of the alias.
    let (shown, range) = session.hover(KERNEL, "#blocked>, %y", 2);
    assert!(shown.starts_with(expected), "{shown}");
    assert!(
        shown[expected.len()..].contains("Attribute Alias"),
        "{shown}"
    );
    assert_eq!(range["start"], place(KERNEL, "#blocked>, %y"));

    // On the definition: every shape of the file.
    let (shown, _) = session.hover(KERNEL, "#blocked = ", 3);
    for shape in ["**`#blocked` on 2x4**", "**`#blocked` on 4x4**"] {
        assert!(shown.contains(shape), "{shown}");
    }
    assert!(!shown.contains("No tensor"), "{shown}");

    // An attribute written out, and the alias within it.
    let slice = "#ttg.slice<{dim = 0, parent = #blocked}>";
    let (shown, range) = session.hover(KERNEL, slice, 6);
    assert!(shown.contains("on 4**\n"), "{shown}");
    assert!(
        shown.contains(" - register=1 -> (1)\n - lane=1 -> (2)\n   lane=2 -> (0)\n"),
        "{shown}"
    );
    assert!(shown.contains("T0:0|T2:0  T0:1|T2:1"), "{shown}");
    assert_eq!(range["start"], place(KERNEL, slice));
    let (shown, _) = session.hover(KERNEL, "#blocked}>>", 1);
    assert!(shown.contains("**`#blocked` on 2x4**"), "{shown}");

    // Not used by a tensor: the tile of its warps.
    let (shown, _) = session.hover(KERNEL, "#unused", 1);
    assert!(shown.contains("**`#unused` on 4x2**"), "{shown}");
    assert!(
        shown.contains("No tensor of this file has this encoding"),
        "{shown}"
    );

    // Without an encoding, MLIR's answer is unchanged.
    let (shown, _) = session.hover(KERNEL, "tt.make_range", 4);
    assert!(shown.starts_with("\"tt.make_range\""), "{shown}");
    assert_eq!(session.at("hover", KERNEL, "attributes", 2), Value::Null);
    session.end();
}

#[test]
fn hovers_show_layouts_of_other_systems_where_they_stand() {
    let text = r#"#tv = #cute.layout<"(4,2):(2,1)", threadsPerWarp = 4>
#rows = #cute.layout<"(2,4):(4,1)">
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 4 : i32} {
  tt.func @f(%x: tensor<2x4xf16, #tv>, %y: !ttg.memdesc<2x4xf16, #rows, #ttg.shared_memory>) {
    tt.return
  }
}
"#;
    let mut session = Session::start(text);
    assert_eq!(session.diagnostics(), [] as [Value; 0]);
    let (shown, _) = session.hover(text, "2x4xf16, #tv", 1);
    assert!(shown.contains("**`#tv` on 2x4**"), "{shown}");
    assert!(
        shown.contains(" - register=1 -> (1, 0)\n - lane=1 -> (0, 1)\n"),
        "{shown}"
    );
    let (shown, _) = session.hover(text, "#rows =", 1);
    assert!(
        shown.contains(" - offset=1 -> (0, 1)\n   offset=2 -> (0, 2)\n"),
        "{shown}"
    );
}

#[test]
fn a_file_is_checked_as_it_is_typed() {
    let mut session = Session::start(KERNEL);
    assert_eq!(session.diagnostics(), [] as [Value; 0]);

    // A rule of an operation.
    let wrong = KERNEL.replace("end = 4", "end = 0");
    let [diagnostic] = &session.change(2, &wrong)[..] else {
        panic!("one diagnostic");
    };
    let message = diagnostic["message"].as_str().unwrap_or_default();
    assert!(
        message.contains("requires `start` to be less than `end`, but got 0 and 0"),
        "{message}"
    );
    assert_eq!(diagnostic["range"]["start"], place(&wrong, "tt.make_range"));
    assert_eq!(diagnostic["severity"], 1);
    // The rule is related information.
    let related = diagnostic["relatedInformation"].to_string();
    assert!(
        related.contains("rule make_range_c1: `start` < `end`"),
        "{related}"
    );

    // A rule of encodings.
    let wrong = KERNEL.replacen("[2, 2]", "[2, 3]", 1);
    let [diagnostic] = &session.change(3, &wrong)[..] else {
        panic!("one diagnostic");
    };
    let message = diagnostic["message"].as_str().unwrap_or_default();
    assert!(
        message.contains("`threadsPerWarp[1]` is 3, expected a power of two"),
        "{message}"
    );
    assert_eq!(diagnostic["range"]["start"]["line"], 0);

    // Invalid MLIR: encodings are shown nevertheless.
    let wrong = KERNEL.replace("tt.return", "tt.ret(");
    assert!(!session.change(4, &wrong).is_empty());
    let (shown, _) = session.hover(&wrong, "4x4xf16", 0);
    assert!(shown.contains("**`#blocked` on 4x4**"), "{shown}");

    assert_eq!(session.change(5, KERNEL), [] as [Value; 0]);
    session.end();
}

/// Returns a module with `regions` nested regions. Each region adds two levels of brackets.
fn nested(regions: usize) -> String {
    let (open, close) = ("\"test.op\"() ({\n", "}) : () -> ()\n");
    format!(
        "module attributes {{x.face = \"😀\"}} {{\n{}{}}}\n",
        open.repeat(regions),
        close.repeat(regions)
    )
}

/// Checks that deep nesting is diagnosed before MLIR's recursive parser would overflow its stack.
#[test]
fn a_file_that_is_nested_too_deep_gets_a_diagnostic() {
    let deep = nested(20_000);
    let mut session = Session::start(&deep);
    let check = |found: &[Value]| {
        let [diagnostic] = found else {
            panic!("one diagnostic, found {found:?}");
        };
        let message = &diagnostic["message"];
        assert_eq!(
            *message,
            "brackets are nested more than 1024 deep, which is the limit"
        );
        assert_eq!(diagnostic["severity"], 1);
        // One bracket of the module, two of each of 511 regions: the second bracket of the next region is too deep.
        assert_eq!(
            diagnostic["range"]["start"],
            json!({"line": 512, "character": 13})
        );
    };
    check(&session.diagnostics());
    assert_eq!(session.at("hover", &deep, "test.op", 1), Value::Null);

    // Repaired to the largest permitted depth, and broken again by one edit.
    let most = nested(511);
    assert_eq!(session.change(2, &most), [] as [Value; 0]);
    let start = json!({"line": 1, "character": 0});
    session.send(
        &json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
        "textDocument": {"uri": URI, "version": 3}, "contentChanges": [
            {"range": {"start": start, "end": start}, "text": "\"test.op\"() ({\n"},
        ]}}),
    );
    check(&session.diagnostics());
    assert_eq!(session.change(4, KERNEL), [] as [Value; 0]);
    let (shown, _) = session.hover(KERNEL, "2x4xf16", 1);
    assert!(shown.contains("**`#blocked` on 2x4**"), "{shown}");
    session.end();
}

#[test]
fn definitions_and_references_of_aliases_and_values() {
    let text = KERNEL.replace("tt.return", "%1 = arith.addi %0, %0 : tensor<4xi32, #ttg.slice<{dim = 0, parent = #blocked}>>\n    tt.return");
    let mut session = Session::start(&text);
    assert_eq!(session.diagnostics(), [] as [Value; 0]);
    let starts = |answer: &Value| -> Vec<Value> {
        let places = answer.as_array().expect("a list of places");
        places.iter().map(|p| p["range"]["start"].clone()).collect()
    };
    let answer = session.at("definition", &text, "#blocked>, %y", 2);
    assert_eq!(starts(&answer), [place(&text, "#blocked = ")]);
    let answer = session.at("references", &text, "#blocked = ", 2);
    assert_eq!(starts(&answer).len(), 6, "{answer}");
    assert!(starts(&answer).contains(&place(&text, "#blocked> {x.face")));

    let answer = session.at("definition", &text, "%0, %0", 1);
    assert_eq!(starts(&answer), [place(&text, "%0 = tt.make_range")]);
    let answer = session.at("references", &text, "%0 = tt.make_range", 1);
    assert!(
        starts(&answer).contains(&place(&text, "%0, %0")),
        "{answer}"
    );
    session.end();
}

#[test]
fn a_message_that_cannot_be_read_is_answered() {
    let mut session = Session::start(KERNEL);
    session.diagnostics();
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let nested = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"x","params":{deep}}}"#);
    for body in [nested.as_str(), "{", ""] {
        session.send_text(body);
        let answer = session.receive();
        assert_eq!(answer["error"]["code"], -32700, "{answer}");
    }
    // The session goes on.
    let (shown, _) = session.hover(KERNEL, "#blocked>", 1);
    assert!(shown.contains("sizePerThread"), "{shown}");
    session.end();
}

#[test]
fn bytecode_that_cannot_be_read_is_an_error() {
    let mut session = Session::start(KERNEL);
    session.diagnostics();
    let inputs = concat!(env!("CARGO_MANIFEST_DIR"), "/test/Tools/Inputs");
    for (path, reason) in [
        ("/dev/zero".to_owned(), "not a regular file"),
        ("/no/such/file".to_owned(), "No such file"),
        (
            format!("{inputs}/damaged.mlirbc"),
            "the bytecode is damaged",
        ),
        (
            format!("{inputs}/damaged-extractvalue.mlirbc"),
            "the bytecode is damaged",
        ),
    ] {
        let params = json!({"uri": format!("file://{path}")});
        let id = 100;
        session.send(
            &json!({"jsonrpc": "2.0", "id": id, "method": "mlir/convertFromBytecode", "params": params}),
        );
        let answer = session.receive();
        assert_eq!(answer["id"], id, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(reason), "{answer}");
    }
    let (shown, _) = session.hover(KERNEL, "#blocked>", 1);
    assert!(shown.contains("sizePerThread"), "{shown}");
    session.end();
}

#[test]
fn a_conversion_shows_its_plan() {
    let kernel = r#"#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {
  tt.func @f(%x: tensor<512xf32, #a>) {
    %0 = ttg.convert_layout %x : tensor<512xf32, #a> -> tensor<512xf32, #b>
    tt.return
  }
}
"#;
    let mut session = Session::start(kernel);
    session.diagnostics();
    let (shown, range) = session.hover(kernel, "ttg.convert_layout", 4);
    for part in [
        "Conversion on",
        "shared",
        "cost:",
        "shared memory: 2048 bytes",
        "bank conflicts: 0",
        "clk",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(range["start"], place(kernel, "ttg.convert_layout"));
    session.end();
}

#[test]
fn an_editor_that_goes_away_ends_the_server() {
    let mut session = Session::start(KERNEL);
    session.to = None;
    let status = session.server.wait().expect("the server ends");
    // MLIR's server exits with 1 if `shutdown` is missing.
    assert_eq!(status.code(), Some(1), "{status}");
}
