//! Mentions of encodings in the text of a module, and the shapes of the tensors that have the encodings.

use core::ops::Range;

use crate::encoding::{Aliases, Encoding, EncodingError};

/// The line that separates the modules in one file, as in the test files of MLIR.
pub const SPLIT_MARKER: &str = "// -----";

const DIALECTS: [&str; 4] = ["#ttg.", "#ttng.", "#cute.", "#tilus."];

/// Maximum nesting depth of attributes and types. Text at a greater depth is skipped.
const MAX_DEPTH: usize = 64;

/// A definition of an alias in the text of a module, such as `#name = #ttg.blocked<{...}>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name of the alias, without `#`.
    pub name: String,
    /// The encoding of the alias.
    pub encoding: Encoding,
    /// The byte range of the definition in the text, from `#` to the end of the encoding.
    pub span: Range<usize>,
    /// Index of the module that contains the definition, counted from 0 within the text.
    pub module: usize,
}

/// A place in a text that mentions an encoding: an inline encoding, a use of an alias, or the name in a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The mentioned encoding. If a tensor type has a CuTe encoding without a tile, this field holds the encoding
    /// with the tensor's shape as its tile, as in [`Encoding::for_tensor`].
    pub encoding: Encoding,
    /// The byte range of the mention, such as `#blocked` or `#ttg.slice<{dim = 0, parent = #blocked}>`.
    pub span: Range<usize>,
    /// The type that has this encoding: the byte range of the type in the text, such as the range of
    /// `tensor<64xf16, #blocked>`, and the shape to which the encoding applies. `None` if the mention is not the
    /// encoding of a type.
    pub holder: Option<(Range<usize>, Vec<u64>)>,
    /// Index of the module that contains the mention, counted from 0 within the text.
    pub module: usize,
}

impl Mention {
    /// Returns the shape to which the encoding applies, or `None` if the mention is not the encoding of a type.
    #[must_use]
    pub fn shape(&self) -> Option<&[u64]> {
        self.holder.as_ref().map(|(_, shape)| shape.as_slice())
    }
}

/// All mentions of encodings, and all definitions of aliases, in a text.
///
/// The text need not be valid MLIR: unknown text is skipped, so that a file can be analyzed while it is being
/// edited.
/// ```
/// use linear_layout::view::Mentions;
///
/// let text = "
///   #b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
///   tt.func @f(%x: tensor<512xf32, #b>) { tt.return }";
/// let mentions = Mentions::of(text);
/// assert_eq!(mentions.definitions()[0].name, "b");
///
/// // Anywhere in a type: the encoding of its tensor, with the tensor's shape.
/// let found = text.find("512").and_then(|offset| mentions.at(offset)).ok_or("nothing there")?;
/// assert_eq!(&text[found.span.clone()], "#b");
/// assert_eq!(found.shape(), Some([512].as_slice()));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Mentions {
    definitions: Vec<Definition>,
    mentions: Vec<Mention>,
    unreadable: Vec<Unreadable>,
}

/// An encoding that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Byte offset of the error in the text. If the error has no offset, this is the start of the encoding.
    pub at: usize,
    /// The error that the parser reported.
    pub error: EncodingError,
}

impl Mentions {
    /// Finds the mentions in a text. Lines that start with [`SPLIT_MARKER`] separate modules.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::with_marker(text, SPLIT_MARKER)
    }

    pub(crate) fn with_marker(text: &str, marker: &str) -> Self {
        let mut scanner = Scanner {
            text,
            marker,
            aliases: Aliases::new(),
            module: 0,
            found: Self::default(),
        };
        let mut pos = 0;
        while pos < text.len() {
            pos = scanner.step(pos, 0);
        }
        scanner.found
    }

    /// Returns the definitions of aliases in the order in which they occur in the text.
    #[must_use]
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// Returns all mentions of encodings, including the alias names in definitions.
    #[must_use]
    pub fn mentions(&self) -> &[Mention] {
        &self.mentions
    }

    /// Returns the encodings that cannot be parsed, in the order in which they occur in the text.
    #[must_use]
    pub fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }

    /// Returns the innermost mention that contains the byte `offset`, such as the position of an editor's cursor.
    /// If there is no such mention, returns the encoding of the innermost type that contains `offset`.
    #[must_use]
    pub fn at(&self, offset: usize) -> Option<&Mention> {
        let holds = |span: &Range<usize>| span.start <= offset && offset <= span.end;
        let innermost = |span: fn(&Mention) -> Option<&Range<usize>>| {
            let around = self.mentions.iter().filter_map(|m| Some((m, span(m)?)));
            let around = around.filter(|(_, span)| holds(span));
            around.min_by_key(|(_, span)| span.len()).map(|(m, _)| m)
        };
        innermost(|m| Some(&m.span))
            .or_else(|| innermost(|m| m.holder.as_ref().map(|(span, _)| span)))
    }

    /// Returns the distinct shapes to which `encoding` applies in the module with index `module`, in the order in
    /// which they occur in the text.
    ///
    /// Each shape is paired with an encoding. This is `encoding` itself, except for a CuTe encoding that was
    /// written without a tile: the paired encoding then has the tensor's shape as its tile.
    #[must_use]
    pub fn laid_out(&self, encoding: &Encoding, module: usize) -> Vec<(&Encoding, &[u64])> {
        let written = encoding.as_written();
        let mut found = Vec::new();
        for mention in &self.mentions {
            if let Some(shape) = mention.shape()
                && mention.module == module
                && mention.encoding.as_written() == written
                && !found.contains(&(&mention.encoding, shape))
            {
                found.push((&mention.encoding, shape));
            }
        }
        found
    }
}

/// A scanner that moves through a text from left to right. Each scanning method takes the byte offset at which it
/// begins, and returns the byte offset at which it stops.
struct Scanner<'t> {
    text: &'t str,
    marker: &'t str,
    aliases: Aliases,
    module: usize,
    found: Mentions,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b'-')
}

impl Scanner<'_> {
    fn byte(&self, pos: usize) -> Option<u8> {
        self.text.as_bytes().get(pos).copied()
    }

    fn rest(&self, pos: usize) -> &[u8] {
        self.text.as_bytes().get(pos..).unwrap_or_default()
    }

    fn skip(&self, pos: usize, is_skipped: impl Fn(u8) -> bool) -> usize {
        pos + self
            .rest(pos)
            .iter()
            .take_while(|b| is_skipped(**b))
            .count()
    }

    /// Scans the character, string, comment, attribute or type that begins at byte `pos`.
    fn step(&mut self, pos: usize, depth: usize) -> usize {
        if self.begins_module(pos) {
            self.next_module();
            return self.skip(pos, |b| b != b'\n');
        }
        let starts_word = pos == 0 || !self.byte(pos - 1).is_some_and(is_word);
        match self.byte(pos) {
            Some(b'"') => self.string(pos),
            Some(b'/') if self.byte(pos + 1) == Some(b'/') => self.skip(pos, |b| b != b'\n'),
            Some(b'-') if self.byte(pos + 1) == Some(b'>') => pos + 2,
            Some(b'#') => self.attribute(pos, depth),
            Some(b't' | b'!') if starts_word => self.word(pos, depth),
            _ => pos + 1,
        }
    }

    fn string(&self, pos: usize) -> usize {
        let mut end = pos + 1;
        loop {
            match self.byte(end) {
                Some(b'\\') => end += 2,
                // A string ends with its line even if the closing quote is missing.
                None => return self.text.len(),
                Some(b'"' | b'\n') => return end + 1,
                Some(_) => end += 1,
            }
        }
    }

    fn begins_module(&self, pos: usize) -> bool {
        !self.marker.is_empty()
            && self.rest(pos).starts_with(self.marker.as_bytes())
            && (pos == 0 || self.byte(pos - 1) == Some(b'\n'))
    }

    fn next_module(&mut self) {
        self.module += 1;
        self.aliases = Aliases::new();
    }

    fn rest_of_line_before(&self, pos: usize) -> &str {
        let before = self.text.get(..pos).unwrap_or_default();
        before.rsplit('\n').next().unwrap_or_default()
    }

    /// Scans from the bracket at byte `open` to the bracket that closes it, and records the mentions in between.
    fn bracketed(&mut self, open: usize, depth: usize) -> usize {
        let mut stack = 0usize;
        let mut pos = open;
        while let Some(byte) = self.byte(pos) {
            match byte {
                b'<' | b'[' | b'{' | b'(' => {
                    stack += 1;
                    pos += 1;
                }
                b'>' | b']' | b'}' | b')' => {
                    stack = stack.saturating_sub(1);
                    pos += 1;
                    if stack == 0 {
                        return pos;
                    }
                }
                _ => pos = self.step(pos, depth),
            }
        }
        pos
    }

    /// Scans `#name`, `#ttg.name<...>`, or the definition `#name = ...`.
    fn attribute(&mut self, pos: usize, depth: usize) -> usize {
        let mut name_end = self.skip(pos + 1, is_word);
        if self.text[..name_end].ends_with('-') && self.byte(name_end) == Some(b'>') {
            name_end -= 1; // an arrow
        }
        if name_end == pos + 1 || depth == MAX_DEPTH {
            return name_end;
        }
        let mut end = name_end;
        if self.byte(end) == Some(b'<') {
            end = self.bracketed(end, depth + 1);
        } else if depth == 0 && self.rest_of_line_before(pos).trim().is_empty() {
            let equal = self.skip(end, |b| b == b' ');
            if self.byte(equal) == Some(b'=') {
                return self.definition(pos, name_end, equal + 1);
            }
        }
        self.mention(pos..end);
        end
    }

    fn definition(&mut self, pos: usize, name_end: usize, after_equal: usize) -> usize {
        let value = self.skip(after_equal, |b| b.is_ascii_whitespace());
        if self.byte(value) != Some(b'#') {
            return value;
        }
        let end = self.attribute(value, 1);
        let name = self.text[pos + 1..name_end].to_owned();
        if let Ok(encoding) = Encoding::parse(&self.text[value..end], &self.aliases) {
            if self.aliases.define(&name, encoding.clone()).is_err() {
                // A module defines a name only once, so this definition begins the next module.
                self.next_module();
                let _ = self.aliases.define(&name, encoding.clone());
            }
            self.mention(pos..name_end);
            self.found.definitions.push(Definition {
                name,
                encoding,
                span: pos..end,
                module: self.module,
            });
        } else {
            self.unreadable(value..end);
        }
        end
    }

    /// Scans a word. If the word begins a type, such as `tensor<...>`, scans the whole type. If this type has an
    /// encoding, the mention of the encoding records the type in [`Mention::holder`].
    fn word(&mut self, pos: usize, depth: usize) -> usize {
        let end = self.skip(pos + 1, is_word);
        let is_buffer = match &self.text[pos..end] {
            "tensor" | "!tt.tensordesc" => false,
            "!ttg.memdesc" => true,
            _ => return end,
        };
        if self.byte(end) != Some(b'<') || depth == MAX_DEPTH {
            return end;
        }
        let before = self.found.mentions.len();
        let close = self.bracketed(end, depth + 1);
        let Some(inside) = self.text.get(end + 1..close - 1) else {
            return close;
        };
        let (shape, mut at) = sizes(inside);
        // Skips the element type.
        let mut nested = 0usize;
        let comma = inside.bytes().enumerate().skip(at).find(|(_, byte)| {
            match byte {
                b'<' | b'(' | b'[' => nested += 1,
                b'>' | b')' | b']' => nested = nested.saturating_sub(1),
                _ => {}
            }
            *byte == b',' && nested == 0
        });
        let Some((comma, _)) = comma else {
            return close;
        };
        at = self.skip(end + 1 + comma + 1, |b| b.is_ascii_whitespace());
        let named = |m: &&mut Mention| m.span.start == at && m.holder.is_none();
        if let Some(mention) = self.found.mentions[before..].iter_mut().find(named) {
            let shape = match inside.rsplit(',').next().map(str::trim) {
                // `3x64x64` at the end is the shape of the allocation.
                Some(last) if is_buffer && last.starts_with(|c: char| c.is_ascii_digit()) => {
                    sizes(&format!("{last}x")).0
                }
                _ => shape,
            };
            if !is_buffer && let Ok(on_tensor) = mention.encoding.for_tensor(&shape) {
                mention.encoding = on_tensor.into_owned();
            }
            // An array of buffers has an additional first dim.
            let skipped = shape.len().saturating_sub(mention.encoding.rank());
            let kept = if is_buffer { &shape[skipped..] } else { &shape };
            if kept.len() == mention.encoding.rank() {
                mention.holder = Some((pos..close, kept.to_vec()));
            }
        }
        close
    }

    /// Records the attribute at `span` if it is an encoding that cannot be parsed.
    fn unreadable(&mut self, span: Range<usize>) {
        let text = &self.text[span.clone()];
        let is_ours = DIALECTS.iter().any(|dialect| text.starts_with(dialect));
        let read = is_ours.then(|| Encoding::parse(text, &self.aliases));
        let Some(Err(error)) = read else {
            return;
        };
        // An attribute without parameters, such as `#ttg.shared_memory`, is not an encoding.
        let is_other = error.is_unknown_family() && !text.contains('<');
        let at = span.start + error.offset().unwrap_or(0).min(span.len());
        // The value of a definition, and an encoding inside another encoding, are scanned twice.
        let is_known = self
            .found
            .unreadable
            .iter()
            .any(|known| span.contains(&known.at));
        if !is_other && !is_known {
            self.found.unreadable.push(Unreadable { at, error });
        }
    }

    fn mention(&mut self, span: Range<usize>) {
        let text = &self.text[span.clone()];
        let encoding = match self.aliases.get(&text[1..]) {
            Some(encoding) => encoding.clone(),
            None => match Encoding::parse(text, &self.aliases) {
                Ok(encoding) => encoding,
                Err(_) => return self.unreadable(span),
            },
        };
        self.found.mentions.push(Mention {
            encoding,
            span,
            holder: None,
            module: self.module,
        });
    }
}

/// Parses the sizes at the start of a text such as `64x32xf16`. Also returns the byte offset after the last `x`
/// that follows a size.
fn sizes(text: &str) -> (Vec<u64>, usize) {
    let (mut list, mut at) = (Vec::new(), 0);
    loop {
        let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
        let Ok(size) = text[at..at + digits].parse() else {
            return (list, at);
        };
        if text.as_bytes().get(at + digits) != Some(&b'x') {
            return (list, at);
        }
        list.push(size);
        at += digits + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Mentions;

    const MODULE: &str = r#"
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#row-1 = #ttg.slice<{dim = 0, parent = #blocked}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
#loc = loc("x#blocked\"":1:2) // tensor<1x1xf32, #blocked>
module attributes {a = "tensor<2x2xf32, #blocked>", b = #blocked} {
  tt.func @f(%0: tensor<64x32x!tt.ptr<f16, 1>, #blocked>) -> tensor<32xf16, #row-1>
  %1 = ttg.convert_layout %0 : tensor<16x8xi1, #blocked>->tensor<16xi1, #ttg.slice<{dim = 1, parent = #blocked}>>
  %2 = ttg.memdesc_subslice %3 : !ttg.memdesc<1x16x8xf16, #shared, #smem, mutable, 3x64x32>
  %4 = x : !tt.tensordesc<64x8xf16, #shared>, tensor<?x8xf32, #blocked>, tensor<8xf32, #blocked>
}
// -----
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
%0 = x : tensor<128xf32, #blocked>, tensor<16x8xf32, #shared>"#;

    fn list(text: &str) -> Vec<String> {
        let shape = |shape: &[u64]| {
            let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
            sizes.join("x")
        };
        Mentions::of(text)
            .mentions()
            .iter()
            .map(|m| {
                let holder = m.shape().map(shape).unwrap_or_default();
                format!("{} {} {holder}", m.module, &text[m.span.clone()])
            })
            .collect()
    }

    #[test]
    fn finds_what_a_module_names() {
        let slice = "#ttg.slice<{dim = 1, parent = #blocked}>";
        let found = list(MODULE);
        let found: Vec<&str> = found.iter().map(|m| m.trim_end()).collect();
        let values = |line: &str| !line.contains("= [");
        let found: Vec<&str> = found.into_iter().filter(|l| values(l)).collect();
        assert_eq!(
            found,
            [
                "0 #blocked", // its definition
                "0 #blocked", // in that of the slice
                "0 #ttg.slice<{dim = 0, parent = #blocked}>",
                "0 #row-1",
                "0 #shared",
                "0 #blocked", // attribute of the module
                "0 #blocked 64x32",
                "0 #row-1 32",
                "0 #blocked 16x8",
                "0 #blocked",
                &format!("0 {slice} 16"),
                "0 #shared 64x32", // the allocation without the dim of buffers
                "0 #shared 64x8",
                "0 #blocked", // of unknown size
                "0 #blocked", // of another rank
                "1 #blocked",
                "1 #blocked 128",
            ]
        );
    }

    #[test]
    fn the_innermost_encoding_wins_and_a_type_has_that_of_its_tensor() {
        let mentions = Mentions::of(MODULE);
        let at = |what: &str, more: usize| {
            let found = mentions.at(MODULE.find(what).expect(what) + more)?;
            Some(MODULE[found.span.clone()].to_owned())
        };
        let slice = "#ttg.slice<{dim = 1, parent = #blocked}>";
        assert_eq!(at("tensor<16xi1", 0).as_deref(), Some(slice));
        assert_eq!(at(slice, 3).as_deref(), Some(slice));
        assert_eq!(at(slice, slice.len() - 4).as_deref(), Some("#blocked"));
        assert_eq!(at("!ttg.memdesc", 14).as_deref(), Some("#shared"));
        assert_eq!(at("module", 0), None);
    }

    #[test]
    fn lines_of_the_marker_and_nothing_else_begin_a_module() {
        let define = |name| {
            format!(
                "#{name} = #ttg.blocked<{{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}}>\n"
            )
        };
        let [a, b, c] = ["a", "b", "c"].map(define);
        let modules = |text: &str| {
            let mentions = Mentions::of(text);
            let of = mentions.definitions().iter().map(|d| d.module);
            of.collect::<Vec<_>>()
        };
        assert_eq!(
            modules(&format!("{a}// -----\n{b}x // -----\n{c}")),
            [0, 1, 1]
        );
        assert_eq!(
            modules(&format!("// -----\n{a} // -----\n{b}// ----- x\n{c}")),
            [1, 1, 2]
        );
    }

    #[test]
    fn a_minus_hides_nothing() {
        let text = "#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
-#b - #b -\"#b\" [-]#b";
        let found = list(text);
        assert_eq!(found.iter().filter(|m| m.starts_with("0 #b ")).count(), 4);
    }

    /// Deeply nested brackets do not overflow the stack.
    #[test]
    fn brackets_end_somewhere() {
        for piece in ["#a<", "tensor<", "!ttg.memdesc<", "#a<tensor<(", "#a = #b<"] {
            assert!(list(&piece.repeat(100_000)).is_empty(), "{piece}");
        }
    }

    /// The `>` of an arrow does not close a bracket, and the arrow is not part of the preceding name.
    #[test]
    fn arrows_are_no_brackets() {
        let text = "#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
f : tensor<64x!tt.ptr<(i32) -> i32>, #b>, tensor<32x!x<a-y / z>, #b>
#b->#b -> #b- #b- #b";
        let found = list(text);
        let found: Vec<&str> = found.iter().map(|m| m.trim_end()).collect();
        assert_eq!(
            found[1..],
            ["0 #b", "0 #b 64", "0 #b 32", "0 #b", "0 #b", "0 #b"]
        );
    }

    #[test]
    fn a_second_definition_begins_another_module() {
        let define = |size| {
            format!(
                "#b = #ttg.blocked<{{sizePerThread = [{size}], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}}>\nf : tensor<128xf32, #b>\n"
            )
        };
        let text = define(1) + &define(2);
        let mentions = Mentions::of(&text);
        let found: Vec<(usize, String)> = mentions
            .mentions()
            .iter()
            .filter(|m| m.shape().is_some())
            .map(|m| (m.module, m.encoding.pretty_name()))
            .collect();
        let names = ["blocked_1_t32_w4", "blocked_2_t32_w4"].map(str::to_owned);
        assert_eq!(found, [(0, names[0].clone()), (1, names[1].clone())]);
    }

    #[test]
    fn broken_text_is_passed_over() {
        for cut in 0..MODULE.len() {
            let _ = Mentions::of(&MODULE[..cut]);
            let _ = Mentions::of(&MODULE[cut..]);
        }
        let odd = format!("#b = \"ü\\é\n{}#ä tensor<ß", "#x<tensor<".repeat(10_000));
        assert!(list(&odd).is_empty());
    }
}
