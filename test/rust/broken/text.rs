//! Parser and printer of lines of MLIR's generic form, one operation each.

/// An operation in MLIR's generic form, `%r = "name"(%a, %b) rest <{properties}> : (types) -> type`.
#[derive(Clone, Debug)]
pub(crate) struct GenericLine {
    pub(crate) result: Option<String>,
    pub(crate) name: String,
    pub(crate) operands: Vec<String>,
    /// The text between the operands and the types: successors, properties and attributes.
    pub(crate) middle: String,
    pub(crate) operand_types: Vec<String>,
    pub(crate) result_type: String,
}

/// Splits a text at the commas that are not inside brackets.
fn split(text: &str) -> Vec<String> {
    let (mut depth, mut pieces, mut piece) = (0, Vec::new(), String::new());
    for c in text.chars() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(std::mem::take(&mut piece).trim().to_owned());
                continue;
            }
            _ => {}
        }
        piece.push(c);
    }
    if !piece.trim().is_empty() {
        pieces.push(piece.trim().to_owned());
    }
    pieces
}

impl GenericLine {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (result, rest) = match text.split_once(" = \"") {
            Some((result, rest)) if result.starts_with('%') => (Some(result.to_owned()), rest),
            _ => (None, text.strip_prefix('"')?),
        };
        let (name, rest) = rest.split_once("\"(")?;
        let (operands, rest) = rest.split_once(')')?;
        let colon = rest.rfind(" : (")?;
        let (middle, types) = (&rest[..colon], &rest[colon + 4..]);
        let types = types.split(" loc(").next().unwrap_or(types);
        let (operand_types, result_type) = types.split_once(") -> ")?;
        Some(Self {
            result,
            name: name.to_owned(),
            operands: split(operands),
            middle: middle.to_owned(),
            operand_types: split(operand_types),
            result_type: result_type.to_owned(),
        })
    }

    pub(crate) fn print(&self) -> String {
        let result = self
            .result
            .as_ref()
            .map_or(String::new(), |r| format!("{r} = "));
        format!(
            "{result}\"{}\"({}){} : ({}) -> {}",
            self.name,
            self.operands.join(", "),
            self.middle,
            self.operand_types.join(", "),
            self.result_type
        )
    }

    /// Returns a copy of this line in which operand `at` is `value`.
    pub(crate) fn with_operand(&self, at: usize, value: &str) -> Self {
        let mut line = self.clone();
        line.operands[at] = value.to_owned();
        line
    }

    pub(crate) fn with_middle(&self, middle: String) -> Self {
        Self {
            middle,
            ..self.clone()
        }
    }

    /// Returns an operation without attributes. All operands have type `type_`, and the result has type `to`.
    pub(crate) fn new(result: &str, name: &str, operands: &[&str], type_: &str, to: &str) -> Self {
        Self {
            result: Some(result.to_owned()),
            name: name.to_owned(),
            operands: operands.iter().map(|o| (*o).to_owned()).collect(),
            middle: String::new(),
            operand_types: vec![type_.to_owned(); operands.len()],
            result_type: to.to_owned(),
        }
    }

    pub(crate) fn constant(result: &str, value: i64, type_: &str) -> Self {
        let middle = format!(" <{{value = {value} : {type_}}}>");
        Self::new(result, "llvm.mlir.constant", &[], "", type_).with_middle(middle)
    }
}
