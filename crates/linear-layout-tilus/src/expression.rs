//! Parser and evaluator of the Python calls that construct layouts of Tilus.

use core::str::FromStr;

use super::{
    RegisterLayout, SharedLayout, Swizzle, TilusError, auto_local_spatial, column_local,
    column_spatial, local, local_ranked, spatial, spatial_ranked,
};

const MAX_DEPTH: usize = 32;

const EXTENT: &str = "an extent of 1 or more";

/// A call such as `spatial(8, 4)`.
#[derive(Debug)]
pub(super) struct Call<'t> {
    name: &'t str,
    at: usize,
    /// The call on whose result this method is called: `local(2)` in `local(2).spatial(4)`. `None` for a function
    /// call.
    object: Option<Box<Call<'t>>>,
    arguments: Vec<Argument<'t>>,
    /// Byte offset of the end of the call.
    end: usize,
}

#[derive(Debug)]
struct Argument<'t> {
    name: Option<&'t str>,
    value: Value<'t>,
    at: usize,
}

#[derive(Debug)]
enum Value<'t> {
    /// Python's `None`.
    Nothing,
    Bool(bool),
    Number(i64),
    List(Vec<i64>),
    Call(Call<'t>),
}

pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Cursor<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn takes(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expected(&mut self, expected: &'static str) -> TilusError {
        self.skip_space();
        TilusError::parse(self.at, expected)
    }

    fn expect(&mut self, token: &str, expected: &'static str) -> Result<(), TilusError> {
        match self.takes(token) {
            true => Ok(()),
            false => Err(self.expected(expected)),
        }
    }

    pub(super) fn end(&mut self) -> Result<(), TilusError> {
        self.skip_space();
        match self.rest() {
            "" => Ok(()),
            _ => Err(self.expected("`.`, `*` or the end of the text")),
        }
    }

    fn word(&mut self) -> &'t str {
        self.skip_space();
        let rest = self.rest();
        let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Parses a product of calls. `a * b` is a composition.
    pub(super) fn expression(&mut self) -> Result<Call<'t>, TilusError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.expected("at most 32 nested calls"));
        }
        let mut call = self.chain()?;
        while self.takes("*") {
            let (at, right) = (call.at, self.chain()?);
            let end = right.end;
            let factor = |call: Call<'t>| Argument {
                name: None,
                at: call.at,
                value: Value::Call(call),
            };
            call = Call {
                name: "compose",
                at,
                object: None,
                arguments: vec![factor(call), factor(right)],
                end,
            };
        }
        self.depth -= 1;
        Ok(call)
    }

    fn chain(&mut self) -> Result<Call<'t>, TilusError> {
        let mut call = if self.takes("(") {
            let call = self.expression()?;
            self.expect(")", "`)`")?;
            call
        } else {
            self.skip_space();
            let at = self.at;
            let mut name = self.word();
            // The names of modules may precede the name of the function.
            while !name.is_empty() && self.rest().starts_with('.') {
                self.at += 1;
                name = self.word();
            }
            self.call(None, name, at)?
        };
        while self.takes(".") {
            self.skip_space();
            let at = self.at;
            let name = self.word();
            call = self.call(Some(Box::new(call)), name, at)?;
        }
        Ok(call)
    }

    fn call(
        &mut self,
        object: Option<Box<Call<'t>>>,
        name: &'t str,
        at: usize,
    ) -> Result<Call<'t>, TilusError> {
        let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) else {
            return Err(TilusError::parse(at, FUNCTION_TEXT));
        };
        self.expect("(", "`(`")?;
        let most = function.keywords.len() + function.layouts
            - usize::from(object.is_some()).min(function.layouts);
        let (mut arguments, mut unnamed) = (Vec::new(), 0);
        while !self.takes(")") {
            self.skip_space();
            let at = self.at;
            let word = self.word();
            let name = (!word.is_empty() && self.takes("=")).then_some(word);
            if name.is_none() {
                self.at = at;
            }
            let is_known = match name {
                Some(name) => function.keywords.contains(&name),
                None => function.takes_extents || unnamed < most,
            };
            if !is_known {
                return Err(TilusError::parse(
                    at,
                    "a known argument of the function, or `)`",
                ));
            }
            unnamed += usize::from(name.is_none());
            let value = self.value()?;
            arguments.push(Argument { name, value, at });
            if !self.takes(",") && !self.rest().starts_with(')') {
                return Err(self.expected("`,` or `)`"));
            }
        }
        let end = self.at;
        Ok(Call {
            name,
            at,
            object,
            arguments,
            end,
        })
    }

    fn value(&mut self) -> Result<Value<'t>, TilusError> {
        self.skip_space();
        let start = self.rest();
        if start.starts_with('[') {
            return self.list("[", "]", "`,` or `]`");
        }
        if let Some(inside) = start.strip_prefix('(') {
            // An opening bracket begins a tuple of numbers, or a layout in brackets.
            let is_list = inside
                .trim_start()
                .starts_with(|c: char| c == '-' || c == ')' || c.is_ascii_digit());
            return match is_list {
                true => self.list("(", ")", "`,` or `)`"),
                false => self.expression().map(Value::Call),
            };
        }
        if start.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            return self.number(EXTENT).map(Value::Number);
        }
        let at = self.at;
        match self.word() {
            "None" => Ok(Value::Nothing),
            "True" => Ok(Value::Bool(true)),
            "False" => Ok(Value::Bool(false)),
            "" => Err(self.expected(EXTENT)),
            _ => {
                self.at = at;
                self.expression().map(Value::Call)
            }
        }
    }

    fn list(
        &mut self,
        open: &str,
        close: &str,
        after: &'static str,
    ) -> Result<Value<'t>, TilusError> {
        self.takes(open);
        let mut list = Vec::new();
        while !self.takes(close) {
            list.push(self.number("a number")?);
            if !self.takes(",") && !self.rest().starts_with(close) {
                return Err(self.expected(after));
            }
        }
        Ok(Value::List(list))
    }

    fn number<T: FromStr>(&mut self, expected: &'static str) -> Result<T, TilusError> {
        self.skip_space();
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let after = rest[sign..].trim_start_matches(|c: char| c.is_ascii_digit());
        let end = rest.len() - after.len();
        let number = rest[..end]
            .parse()
            .map_err(|_| TilusError::parse(self.at, expected))?;
        self.at += end;
        Ok(number)
    }
}

struct Function {
    name: &'static str,
    /// Number of leading arguments that are layouts. The object of a method call counts as the first argument.
    layouts: usize,
    /// Names of the arguments that are neither layouts nor separate extents, in order. If `takes_extents` is true,
    /// the caller must pass these arguments by name.
    keywords: &'static [&'static str],
    /// True if extents are separate arguments, as in `spatial(8, 4)`.
    takes_extents: bool,
}

const fn function(
    name: &'static str,
    layouts: usize,
    keywords: &'static [&'static str],
) -> Function {
    Function {
        name,
        layouts,
        keywords,
        takes_extents: false,
    }
}

const fn of_extents(name: &'static str, keywords: &'static [&'static str]) -> Function {
    Function {
        takes_extents: true,
        ..function(name, 0, keywords)
    }
}

#[rustfmt::skip]
const FUNCTIONS: [Function; 29] = [
    of_extents("spatial", &["ranks"]),
    of_extents("local", &["ranks"]),
    of_extents("repeat", &["ranks"]),
    of_extents("column_spatial", &[]),
    of_extents("column_local", &[]),
    function("RegisterLayout", 0, &["shape", "mode_shape", "spatial_modes", "local_modes"]),
    function("register_layout", 0, &["shape", "mode_shape", "spatial_modes", "local_modes"]),
    function("auto_local_spatial", 0, &["num_threads", "shape"]),
    function("reduce", 1, &["dims", "keepdims"]),
    function("reduce_to", 1, &["shape"]),
    function("permute", 1, &["dims"]),
    function("squeeze", 1, &["dims"]),
    function("unsqueeze", 1, &["dims"]),
    function("reshape", 1, &["shape"]),
    function("flatten", 1, &["start_dim", "end_dim"]),
    function("compose", 2, &[]),
    function("concat", 2, &[]),
    function("divide", 2, &[]),
    function("SharedLayout", 0, &["shape", "mode_shape", "mode_strides", "swizzle", "optional_swizzle"]),
    function("shared_layout", 0, &["shape", "mode_shape", "mode_strides", "optional_swizzle", "swizzle"]),
    of_extents("shared_row_major", &[]),
    of_extents("shared_column_major", &[]),
    function("shared_row_major_swizzle", 0, &["shape", "dtype_nbytes"]),
    function("shared_compose", 2, &[]),
    function("shared_permute", 1, &["dims"]),
    function("apply_swizzle", 2, &[]),
    function("transpose", 1, &[]),
    function("prepend_dim", 1, &["extent"]),
    function("Swizzle", 0, &["base", "bits", "shift"]),
];

const FUNCTION_TEXT: &str = "`spatial(`, `local(`, `column_spatial(`, `column_local(`, `register_layout(`, `reduce(` or \
                             another function of layouts";

impl RegisterLayout {
    /// Returns the names of all functions and methods that a layout text may call.
    pub fn functions() -> impl Iterator<Item = &'static str> {
        FUNCTIONS.iter().map(|function| function.name)
    }
}

impl<'t> Call<'t> {
    /// Returns the argument named `name`, or else the unnamed argument at `position`. Returns `None` if the
    /// argument is missing, or if it is Python's `None`.
    fn argument(&self, position: usize, name: &str) -> Option<&Argument<'t>> {
        let named = self.arguments.iter().find(|a| a.name == Some(name));
        let unnamed = || {
            self.arguments
                .iter()
                .filter(|a| a.name.is_none())
                .nth(position)
        };
        named
            .or_else(unnamed)
            .filter(|a| !matches!(a.value, Value::Nothing))
    }

    fn missing(&self, expected: &'static str) -> TilusError {
        TilusError::parse(self.end.saturating_sub(1), expected)
    }

    fn list<T: TryFrom<i64>>(
        &self,
        position: usize,
        name: &str,
        expected: &'static str,
    ) -> Result<Vec<T>, TilusError> {
        let argument = self
            .argument(position, name)
            .ok_or_else(|| self.missing(expected))?;
        let numbers = match &argument.value {
            Value::List(list) => list.as_slice(),
            Value::Number(number) => core::slice::from_ref(number),
            _ => return Err(TilusError::parse(argument.at, expected)),
        };
        let number =
            |n: &i64| T::try_from(*n).map_err(|_| TilusError::parse(argument.at, expected));
        numbers.iter().map(number).collect()
    }

    fn number<T: TryFrom<i64>>(
        &self,
        position: usize,
        name: &str,
        expected: &'static str,
    ) -> Result<T, TilusError> {
        let list = self.list(position, name, expected)?;
        let mut list = list.into_iter();
        match (list.next(), list.next()) {
            (Some(number), None) => Ok(number),
            _ => Err(self.missing(expected)),
        }
    }

    /// Returns the extents that the unnamed arguments of the call specify, as in `spatial(8, 4)` or
    /// `spatial([8, 4])`.
    fn extents(&self) -> Result<Vec<u64>, TilusError> {
        let mut extents = Vec::new();
        for argument in self.arguments.iter().filter(|a| a.name.is_none()) {
            let numbers = match &argument.value {
                Value::List(list) => list.as_slice(),
                Value::Number(number) => core::slice::from_ref(number),
                _ => return Err(TilusError::parse(argument.at, EXTENT)),
            };
            for number in numbers {
                let extent = u64::try_from(*number).ok().filter(|extent| *extent > 0);
                extents.push(extent.ok_or_else(|| TilusError::parse(argument.at, EXTENT))?);
            }
        }
        Ok(extents)
    }

    /// Returns the layout argument at `position`. In a method call, the object is argument 0.
    fn operand(&self, position: usize) -> Result<&Self, TilusError> {
        let position = match &self.object {
            Some(object) if position == 0 => return Ok(object),
            Some(_) => position - 1,
            None => position,
        };
        match self
            .arguments
            .iter()
            .filter(|a| a.name.is_none())
            .nth(position)
        {
            Some(Argument {
                value: Value::Call(call),
                ..
            }) => Ok(call),
            Some(argument) => Err(TilusError::parse(argument.at, "a layout")),
            None => Err(self.missing("a layout")),
        }
    }

    /// Returns the position of the first argument after the layout: 0 in a method call, 1 in a function call.
    fn after_operand(&self) -> usize {
        usize::from(self.object.is_none())
    }

    fn flag(&self, name: &str) -> bool {
        let given = self.arguments.iter().find(|a| a.name == Some(name));
        given.is_some_and(|a| matches!(a.value, Value::Bool(true)))
    }
}

pub(super) fn evaluate_register(call: &Call<'_>) -> Result<RegisterLayout, TilusError> {
    let operand = |i| call.operand(i).and_then(evaluate_register);
    let dims = || call.list::<usize>(call.after_operand(), "dims", "a list of dims, `dims=[0]`");
    let shape = |i| call.list::<u64>(i, "shape", "`shape=[...]`");
    let first = call.after_operand();
    Ok(match call.name {
        "spatial" | "local" | "repeat" | "column_spatial" | "column_local" => {
            let extents = call.extents()?;
            let ranks = match call.arguments.iter().any(|a| a.name == Some("ranks")) {
                true => Some(call.list::<usize>(usize::MAX, "ranks", "a list of ranks")?),
                false => None,
            };
            let layout = match (call.name, &ranks) {
                ("spatial", Some(ranks)) => spatial_ranked(&extents, ranks)?,
                ("spatial", None) => spatial(&extents)?,
                ("local" | "repeat", Some(ranks)) => local_ranked(&extents, ranks)?,
                ("local" | "repeat", None) => local(&extents)?,
                ("column_spatial", _) => column_spatial(&extents)?,
                _ => column_local(&extents)?,
            };
            match &call.object {
                Some(object) => evaluate_register(object)?.compose(&layout)?,
                None => layout,
            }
        }
        "RegisterLayout" | "register_layout" => {
            let mode_shape: Vec<u64> = call.list(1, "mode_shape", "`mode_shape=[...]`")?;
            let spatial: Vec<i64> = call.list(2, "spatial_modes", "`spatial_modes=[...]`")?;
            let local: Vec<i64> = call.list(3, "local_modes", "`local_modes=[...]`")?;
            match call.name {
                "RegisterLayout" => {
                    RegisterLayout::spelled(&shape(0)?, &mode_shape, &spatial, &local)?
                }
                _ => RegisterLayout::new(&shape(0)?, &mode_shape, &spatial, &local)?,
            }
        }
        "auto_local_spatial" => {
            let threads = call.number(0, "num_threads", "`num_threads=...`")?;
            auto_local_spatial(threads, &shape(1)?)?
        }
        "reduce" => operand(0)?.reduce(&dims()?, call.flag("keepdims"))?,
        "reduce_to" => operand(0)?.reduce_to(&shape(first)?)?,
        "permute" => operand(0)?.permute(&dims()?)?,
        "squeeze" => operand(0)?.squeeze(&dims()?)?,
        "unsqueeze" => operand(0)?.unsqueeze(&dims()?)?,
        "reshape" => operand(0)?.reshape(&shape(first)?)?,
        "flatten" => {
            let layout = operand(0)?;
            let dim = |i, name, default| match call.argument(i, name) {
                Some(_) => call.number::<usize>(i, name, "a dim"),
                None => Ok(default),
            };
            let last = layout.rank().saturating_sub(1);
            let range = dim(first, "start_dim", 0)?..=dim(first + 1, "end_dim", last)?;
            layout.flatten(range)?
        }
        "compose" => operand(0)?.compose(&operand(1)?)?,
        "concat" => operand(0)?.concat(&operand(1)?)?,
        "divide" => operand(0)?.divide(&operand(1)?)?,
        _ => {
            return Err(TilusError::parse(
                call.at,
                "a layout of registers, such as `spatial(8, 4)`",
            ));
        }
    })
}

pub(super) fn evaluate_shared(call: &Call<'_>) -> Result<SharedLayout, TilusError> {
    let operand = |i| call.operand(i).and_then(evaluate_shared);
    let first = call.after_operand();
    Ok(match call.name {
        "SharedLayout" | "shared_layout" => {
            let shape: Vec<u64> = call.list(0, "shape", "`shape=[...]`")?;
            let mode_shape: Vec<u64> = call.list(1, "mode_shape", "`mode_shape=[...]`")?;
            let strides: Vec<u64> = call.list(2, "mode_strides", "`mode_strides=[...]`")?;
            let swizzle = call.argument(3, "optional_swizzle");
            let swizzle = swizzle.or_else(|| call.argument(3, "swizzle"));
            let swizzle = swizzle.map(|argument| match &argument.value {
                Value::Call(call) => evaluate_swizzle(call),
                _ => Err(TilusError::parse(argument.at, "`None` or `Swizzle(`")),
            });
            let swizzle = swizzle.transpose()?;
            match call.name {
                "SharedLayout" => SharedLayout::spelled(&shape, &mode_shape, &strides, swizzle)?,
                _ => SharedLayout::new(&shape, &mode_shape, &strides, swizzle)?,
            }
        }
        "shared_row_major" => SharedLayout::row_major(&call.extents()?)?,
        "shared_column_major" => SharedLayout::column_major(&call.extents()?)?,
        "shared_row_major_swizzle" => {
            let shape: Vec<u64> = call.list(0, "shape", "`shape=[...]`")?;
            let bytes = call.number(1, "dtype_nbytes", "`dtype_nbytes=...`")?;
            SharedLayout::row_major_swizzled(&shape, bytes)?
        }
        "shared_compose" => operand(0)?.compose(&operand(1)?)?,
        "apply_swizzle" => operand(0)?.with_swizzle(evaluate_swizzle(call.operand(1)?)?)?,
        "shared_permute" | "permute" => {
            let dims: Vec<usize> = call.list(first, "dims", "a list of dims, `dims=[1, 0]`")?;
            operand(0)?.permute(&dims)?
        }
        "transpose" => operand(0)?.permute(&[1, 0])?,
        "prepend_dim" => operand(0)?.prepend_dim(call.number(first, "extent", EXTENT)?)?,
        _ => {
            return Err(TilusError::parse(
                call.at,
                "a layout of shared memory, such as `shared_row_major(8, 64)`",
            ));
        }
    })
}

fn evaluate_swizzle(call: &Call<'_>) -> Result<Swizzle, TilusError> {
    const BITS: &str = "`Swizzle(base=..., bits=..., shift=...)`";
    if call.name != "Swizzle" {
        return Err(TilusError::parse(call.at, BITS));
    }
    let number = |i, name| call.number(i, name, BITS);
    Swizzle::new(number(0, "base")?, number(1, "bits")?, number(2, "shift")?)
}
