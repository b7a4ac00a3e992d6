//! What C++ asks Rust: the answers come from [`Semantics`] and [`Passes`], which the rooms above install.
//!
//! Each function here is called by C++ and therefore catches panics: MLIR gets a failure and a
//! diagnostic, never an unwinding stack.

use super::bridge::ffi::{
    self, AttributeCheck, FollowUp, OptionValue, PassOutcome, ReadInput, RuleExplanation,
    TypeCheck, UnknownName,
};
use super::bridge::{MlirAttribute, MlirOperation, MlirRewriter, MlirType};
use super::build::Op;
use super::rewriter::{self, Rewriter, Work};
use super::text::bounded;
use linear_layout::layout::LinearLayout;
use melior::ir::{Attribute, OperationRef, Type};
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

/// Why something is wrong, and the nearest ways out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What was found and what was expected; lower case, no final period.
    pub message: String,
    /// Fixes and details, each a note under the message.
    pub notes: Vec<String>,
    /// The label of the rule that is broken; several where operations share a check, of which each has a
    /// rule of its own.
    pub rules: Vec<&'static str>,
}

impl Diagnostic {
    /// A diagnostic without notes.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            notes: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// Says which rule is broken, by its label.
    #[must_use]
    pub fn of_rules(mut self, rules: impl IntoIterator<Item = &'static str>) -> Self {
        self.rules = rules.into_iter().collect();
        self
    }

    /// Adds a note, usually the nearest fix.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// Why an attribute or type does not exist, and where in its text that stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributeError {
    /// What was found, what was expected and the nearest fix; lower case, no final period.
    pub reason: String,
    /// The label of the rule that is broken, where one is.
    pub rule: Option<&'static str>,
    /// Where the key that is at fault begins, in bytes; 0 where it is no one key.
    pub place: usize,
}

/// The meaning of the dialects, as the C++ side needs it.
pub trait Semantics: Sync {
    /// A fresh cache for one MLIR context.
    fn new_cache(&self) -> Box<dyn Any + Send + Sync>;
    /// The normal spelling of an attribute that a user wrote as `text`, which may go on after it;
    /// nothing where that is the spelling it has.
    ///
    /// # Errors
    /// The rule that it breaks.
    fn check_attribute(
        &self,
        cache: &LayoutCache,
        attribute: Attribute<'_>,
        text: &[u8],
    ) -> Result<Option<String>, AttributeError>;
    /// A name that says what an encoding is, or nothing for an attribute that is none.
    fn pretty_name(&self, cache: &LayoutCache, encoding: Attribute<'_>) -> Option<String>;
    /// The rules of one operation: its tensors against the module, then its own.
    ///
    /// # Errors
    /// Every rule that is broken.
    fn verify_operation(&self, op: OperationRef<'_, '_>) -> Result<(), Vec<Diagnostic>>;
    /// The rules of an attribute of `ttg` that stands on an operation without belonging to it.
    ///
    /// # Errors
    /// The rule that it breaks.
    fn verify_attribute(&self, op: OperationRef<'_, '_>, name: &str)
    -> Result<(), Vec<Diagnostic>>;
    /// The rules of a type on its own, beyond those of the encoding in it.
    ///
    /// # Errors
    /// The rule that it breaks.
    fn check_type(&self, cache: &LayoutCache, type_: Type<'_>) -> Result<(), AttributeError>;
    /// What the rule with a label says.
    fn rule_text(&self, label: &str) -> Option<&'static str>;
    /// The linear layout of a tensor's or a buffer's type.
    ///
    /// # Errors
    /// Why it has none.
    fn layout(&self, cache: &LayoutCache, type_: Type<'_>) -> Result<LinearLayout, String>;
    /// What to say of a name that a dialect of ours does not have, where it has the `known` ones.
    fn unknown_name(&self, kind: &str, dialect: &str, name: &str, known: &[String]) -> Diagnostic;
    /// What to say of a key that an encoding cannot have, or not again; nothing for other attributes.
    fn wrong_key(&self, dialect: &str, family: &str, key: &str) -> Option<String>;
    /// Brings an operation nearer to canonical form, where it is not in it.
    fn canonicalize<'c>(&self, rewriter: Rewriter<'c>, op: Op<'c>);
    /// All operands of the operation, and with `results` its results, have the same encoding.
    ///
    /// # Errors
    /// The two that differ.
    fn verify_same_encoding(
        &self,
        op: OperationRef<'_, '_>,
        results: bool,
    ) -> Result<(), Vec<Diagnostic>>;
}

/// The passes, by their numbers in `passes/Passes.td`, as the C++ side needs them.
pub trait Passes: Sync {
    /// Runs a pass on a module, and returns the passes to run after it.
    ///
    /// # Errors
    /// An error that has been emitted already.
    fn run<'c>(
        &self,
        number: u16,
        options: &[OptionValue<'_>],
        rewriter: Rewriter<'c>,
        module: Op<'c>,
    ) -> Result<NextPasses, Reported>;
    /// Looks at what the passes that [`Self::run`] asked for have left.
    ///
    /// # Errors
    /// An error that has been emitted already.
    fn finish<'c>(
        &self,
        number: u16,
        options: &[OptionValue<'_>],
        rewriter: Rewriter<'c>,
        module: Op<'c>,
    ) -> Result<(), Reported>;
}

/// What is to run after a pass.
#[derive(Debug, Default)]
pub struct NextPasses {
    /// Passes of ours, as a textual pipeline on a module.
    pub pipeline: String,
    /// Then these of MLIR.
    pub follow_ups: Vec<FollowUp>,
}

/// Proof that an error diagnostic has been emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported(());

static SEMANTICS: OnceLock<&'static dyn Semantics> = OnceLock::new();
static PASSES: OnceLock<&'static dyn Passes> = OnceLock::new();

/// Installs what the dialects mean and what the passes do; later calls have no effect.
pub fn install(semantics: &'static dyn Semantics, passes: &'static dyn Passes) {
    let _ = SEMANTICS.set(semantics);
    let _ = PASSES.set(passes);
}

pub(super) fn semantics() -> &'static dyn Semantics {
    *SEMANTICS
        .get()
        .expect("`install` runs before any dialect is registered")
}

fn passes() -> &'static dyn Passes {
    *PASSES
        .get()
        .expect("`install` runs before any pass is registered")
}

/// One context's cache of what its types and encodings mean.
#[allow(
    missing_debug_implementations,
    reason = "holds an opaque value of the rooms above"
)]
pub struct LayoutCache(Box<dyn Any + Send + Sync>);

impl LayoutCache {
    /// The cache as the type that [`Semantics::new_cache`] made.
    #[must_use]
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }

    pub(super) fn check_type(&self, type_: MlirType) -> TypeCheck {
        // SAFETY: C++ passes a live, uniqued type.
        let type_ = unsafe { Type::from_raw(type_.0) };
        let (reason, rule) = match guard(|| semantics().check_type(self, type_)) {
            Ok(Ok(())) => (String::new(), None),
            Ok(Err(error)) => (bounded(&error.reason).into_owned(), error.rule),
            Err(panic) => (internal(&panic), None),
        };
        TypeCheck {
            reason,
            rule: rule.unwrap_or_default(),
        }
    }

    pub(super) fn pretty_name(&self, attribute: MlirAttribute) -> String {
        // SAFETY: C++ passes a live, uniqued attribute.
        let attribute = unsafe { Attribute::from_raw(attribute.0) };
        // What cannot be named keeps the name that it has.
        guard(|| semantics().pretty_name(self, attribute))
            .ok()
            .flatten()
            .unwrap_or_default()
    }

    pub(super) fn check_attribute(&self, attribute: MlirAttribute, text: &[u8]) -> AttributeCheck {
        // SAFETY: C++ passes a live, uniqued attribute.
        let attribute = unsafe { Attribute::from_raw(attribute.0) };
        let checked = guard(|| semantics().check_attribute(self, attribute, text));
        let (error, normal) = match checked {
            Ok(Ok(normal)) => (AttributeError::default(), normal.unwrap_or_default()),
            Ok(Err(error)) => (error, String::new()),
            Err(panic) => {
                let error = AttributeError {
                    reason: internal(&panic),
                    ..AttributeError::default()
                };
                (error, String::new())
            }
        };
        AttributeCheck {
            reason: bounded(&error.reason).into_owned(),
            rule: error.rule.unwrap_or_default(),
            place: error.place,
            normal,
        }
    }
}

/// Whether an operation is another one now, or what is around it.
pub(super) fn canonicalize(rewriter: MlirRewriter, op: MlirOperation) -> bool {
    // SAFETY: C++ passes the operation that a pattern is at, and the rewriter that the pattern got.
    let (op, work) = unsafe {
        let op = OperationRef::from_raw(op.0);
        (op, Work::of_pattern(rewriter.0, op))
    };
    // What cannot be decided stays as it is.
    let _ = guard(|| semantics().canonicalize(work.rewriter(), op));
    work.rewriter().changes() != 0
}

pub(super) fn with_layout_comments(bytes: &[u8], marker: &str) -> Vec<u8> {
    // Comments are a help, so without them the text goes out as it came.
    let text = std::str::from_utf8(bytes).ok();
    text.and_then(|text| guard(|| linear_layout::view::with_layout_comments(text, marker)).ok())
        .map_or_else(|| bytes.to_vec(), String::into_bytes)
}

pub(super) fn read_checked_input(path: &[u8]) -> ReadInput {
    // SAFETY: the bytes are an argument of the process, or a part of one that ends at an ASCII character.
    let path = unsafe { std::ffi::OsStr::from_encoded_bytes_unchecked(path) };
    let read = guard(|| super::read_checked_input(path.as_ref()));
    let (bytes, refusal) = match read {
        Ok(Ok(bytes)) => (bytes, String::new()),
        Ok(Err(refusal)) => (Vec::new(), refusal),
        Err(panic) => (Vec::new(), internal(&panic)),
    };
    ReadInput { bytes, refusal }
}

pub(super) fn new_layout_cache() -> Box<LayoutCache> {
    Box::new(LayoutCache(semantics().new_cache()))
}

/// Emits an error at an operation's location, with notes.
pub fn emit_error(op: OperationRef<'_, '_>, diagnostic: &Diagnostic) -> Reported {
    let notes: Vec<String> = diagnostic
        .notes
        .iter()
        .map(|note| bounded(note).into_owned())
        .collect();
    ffi::emit_error(
        MlirOperation(op.to_raw()),
        &bounded(&diagnostic.message),
        &notes,
        diagnostic.rules.first().copied().unwrap_or_default(),
    );
    Reported(())
}

/// Whether errors name the rule that is broken in a note.
static RULES_ARE_NAMED: AtomicBool = AtomicBool::new(false);

/// Makes errors name the rule that is broken in a note, from now on, or not.
pub fn name_rules(are_named: bool) {
    RULES_ARE_NAMED.store(are_named, Ordering::Relaxed);
}

/// Whether passes that change layouts only prove it: always where tests run.
static REWRITES_ARE_VERIFIED: AtomicBool = AtomicBool::new(cfg!(debug_assertions));

/// Makes passes that change layouts only prove that no thread holds anything else than before.
pub(super) fn verify_layout_rewrites() {
    REWRITES_ARE_VERIFIED.store(true, Ordering::Relaxed);
}

/// Returns whether passes that change layouts only prove it.
pub(crate) fn are_rewrites_verified() -> bool {
    REWRITES_ARE_VERIFIED.load(Ordering::Relaxed)
}

pub(super) fn rule_note(label: &str) -> String {
    if !RULES_ARE_NAMED.load(Ordering::Relaxed) {
        return String::new();
    }
    let text = guard(|| semantics().rule_text(label)).ok().flatten();
    text.map_or_else(String::new, |text| format!("rule {label}: {text}"))
}

/// From the label of a rule to what it says, or why there is none of that name.
type Explain = fn(&str) -> Result<String, String>;

/// What a label stands for, for [`super::opt_main`] while it runs.
pub(super) static EXPLAIN: Mutex<Option<Explain>> = Mutex::new(None);

pub(super) fn explain_rule(label: &[u8]) -> RuleExplanation {
    let label = String::from_utf8_lossy(label);
    let explain = *EXPLAIN.lock().unwrap_or_else(PoisonError::into_inner);
    let explained = match guard(|| explain.map(|explain| explain(&label))) {
        Ok(explained) => explained.unwrap_or_else(|| Err("there are no rules".to_owned())),
        Err(panic) => Err(internal(&panic)),
    };
    RuleExplanation {
        is_known: explained.is_ok(),
        text: explained.unwrap_or_else(|reason| format!("error: {reason}\n")),
    }
}

/// Emits a warning at an operation's location, with notes.
pub fn emit_warning(op: OperationRef<'_, '_>, diagnostic: &Diagnostic) {
    ffi::emit_warning(
        MlirOperation(op.to_raw()),
        &diagnostic.message,
        &diagnostic.notes,
    );
}

/// Emits a remark at an operation's location.
pub fn emit_remark(op: OperationRef<'_, '_>, message: &str) {
    ffi::emit_remark(MlirOperation(op.to_raw()), &bounded(message));
}

thread_local! {
    /// Where the last panic was, below [`guard`]; nothing outside of it.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs what may panic, and returns what a panic says and where it was, on one line.
pub(super) fn guard<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    static ONCE: Once = Once::new();
    ONCE.call_once(report_panics_once);
    let outer = PLACE.replace(Some(String::new()));
    let outcome = catch_unwind(AssertUnwindSafe(f));
    let place = PLACE.replace(outer).unwrap_or_default();
    outcome.map_err(|panic| {
        let said = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown");
        let lines: Vec<&str> = said.lines().map(str::trim).collect();
        format!("{} ({place})", lines.join("; "))
    })
}

/// A panic below [`guard`] becomes a diagnostic; it is printed as well, with the calls that led to it,
/// where `RUST_BACKTRACE` asks for them.
fn report_panics_once() {
    let is_asked = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_caught = PLACE.with_borrow_mut(|place| {
            if let (Some(place), Some(location)) = (place.as_mut(), panic.location()) {
                *place = format!("{}:{}", location.file(), location.line());
            }
            place.is_some()
        });
        if is_asked || !is_caught {
            report(panic);
        }
    }));
}

pub(super) fn internal(panic: &str) -> String {
    format!("internal error, please report it: {panic}")
}

fn verify(
    op: MlirOperation,
    check: impl FnOnce(OperationRef<'_, '_>) -> Result<(), Vec<Diagnostic>>,
) -> bool {
    // SAFETY: C++ passes the operation it is verifying.
    let op = unsafe { OperationRef::from_raw(op.0) };
    match guard(|| check(op)) {
        Ok(Ok(())) => true,
        Ok(Err(diagnostics)) => {
            for diagnostic in &diagnostics {
                emit_error(op, diagnostic);
            }
            false
        }
        Err(panic) => {
            emit_error(op, &Diagnostic::new(internal(&panic)));
            false
        }
    }
}

pub(super) fn unknown_name(
    kind: &str,
    dialect: &[u8],
    name: &[u8],
    known: &[String],
) -> UnknownName {
    let [dialect, name] = [dialect, name].map(String::from_utf8_lossy);
    let diagnostic = guard(|| semantics().unknown_name(kind, &dialect, &name, known))
        .unwrap_or_else(|panic| Diagnostic::new(internal(&panic)));
    UnknownName {
        message: bounded(&diagnostic.message).into_owned(),
        note: bounded(&diagnostic.notes.join("; ")).into_owned(),
    }
}

pub(super) fn wrong_key(dialect: &str, family: &str, key: &str) -> String {
    guard(|| semantics().wrong_key(dialect, family, key))
        .unwrap_or_else(|panic| Some(internal(&panic)))
        .unwrap_or_default()
}

pub(super) fn verify_attribute(op: MlirOperation, name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name);
    verify(op, |op| semantics().verify_attribute(op, &name))
}

pub(super) fn verify_operation(op: MlirOperation) -> bool {
    verify(op, |op| semantics().verify_operation(op))
}

pub(super) fn verify_same_encoding(op: MlirOperation, results: bool) -> bool {
    verify(op, |op| semantics().verify_same_encoding(op, results))
}

pub(super) fn finish_pass(number: u16, options: &[OptionValue<'_>], op: MlirOperation) -> bool {
    pass(op, |rewriter, module| {
        passes().finish(number, options, rewriter, module)
    })
    .is_some()
}

pub(super) fn run_pass(number: u16, options: &[OptionValue<'_>], op: MlirOperation) -> PassOutcome {
    let ran = pass(op, |rewriter, module| {
        passes().run(number, options, rewriter, module)
    });
    let succeeded = ran.is_some();
    let NextPasses {
        pipeline,
        follow_ups,
    } = ran.unwrap_or_default();
    PassOutcome {
        succeeded,
        pipeline,
        follow_ups,
    }
}

/// What a pass returns; nothing where it fails, after an error.
fn pass<T>(
    op: MlirOperation,
    f: impl for<'c> FnOnce(Rewriter<'c>, Op<'c>) -> Result<T, Reported>,
) -> Option<T> {
    // SAFETY: C++ passes the operation that the pass runs on.
    let op = unsafe { OperationRef::from_raw(op.0) };
    match guard(|| rewriter::on(op, f)) {
        Ok(outcome) => outcome.ok(),
        Err(panic) => {
            emit_error(op, &Diagnostic::new(internal(&panic)));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::guard;

    #[test]
    fn a_panic_is_one_line_with_its_place() {
        assert_eq!(guard(|| 1), Ok(1));
        let line = line!() + 1;
        let said = guard(|| assert_eq!(1, 2, "numbers")).unwrap_err();
        let expected = format!(
            "assertion `left == right` failed: numbers; left: 1; right: 2 ({}:{line})",
            file!()
        );
        assert_eq!(said, expected);
        // One inside of another leaves the place of the outer one to it.
        let said = guard(|| {
            let inner = guard(|| panic!("inner"));
            panic!("{}", inner.unwrap_err());
        });
        let said = said.map(|(): ()| ()).unwrap_err();
        assert!(
            said.starts_with("inner (") && said.matches(file!()).count() == 2,
            "{said}"
        );
    }
}
