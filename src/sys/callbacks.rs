//! Functions that C++ calls, implemented by [`Semantics`] and [`Passes`].
//!
//! Each function catches panics: MLIR gets a failure and a diagnostic, never an unwinding stack.

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

/// An error, warning or remark with notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Message in lower case, without final period. It states the actual condition first, then the expected
    /// condition.
    pub message: String,
    /// Notes. They state the most likely fix, or details.
    pub notes: Vec<String>,
    /// Labels of the broken rule. If several operations share the check, there is one label per operation.
    pub rules: Vec<&'static str>,
}

impl Diagnostic {
    /// Creates a diagnostic without notes.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            notes: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// Sets the labels of the broken rule. If several operations share the check, there is one label per operation.
    #[must_use]
    pub fn of_rules(mut self, rules: impl IntoIterator<Item = &'static str>) -> Self {
        self.rules = rules.into_iter().collect();
        self
    }

    /// Adds a note, usually the most likely fix.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// The error of an invalid attribute or type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributeError {
    /// Message in lower case, without final period. It states the actual condition, then the expected condition,
    /// then the most likely fix.
    pub reason: String,
    /// Label of the broken rule.
    pub rule: Option<&'static str>,
    /// Byte offset of the invalid key in the attribute's source. 0 if the error does not concern a single key.
    pub place: usize,
}

/// Semantics of the dialects: verification, layouts, attribute spellings and canonicalisation.
pub trait Semantics: Sync {
    /// Creates the layout cache of an MLIR context. [`LayoutCache::get`] later returns it.
    fn new_cache(&self) -> Box<dyn Any + Send + Sync>;
    /// Checks an attribute. `text` begins with the source of this attribute.
    ///
    /// If the attribute is valid but its source is not in the normal spelling, returns the normal spelling;
    /// otherwise returns `None`.
    ///
    /// # Errors
    /// Returns the reason for which the attribute is invalid.
    fn check_attribute(
        &self,
        cache: &LayoutCache,
        attribute: Attribute<'_>,
        text: &[u8],
    ) -> Result<Option<String>, AttributeError>;
    /// Returns a short name for an encoding, or `None` for other attributes.
    fn pretty_name(&self, cache: &LayoutCache, encoding: Attribute<'_>) -> Option<String>;
    /// Checks that tensor types agree with the attributes of the module, then checks the rules of the operation.
    ///
    /// # Errors
    /// Returns all broken rules.
    fn verify_operation(&self, op: OperationRef<'_, '_>) -> Result<(), Vec<Diagnostic>>;
    /// Checks the discardable `ttg` attribute `name` of an operation.
    ///
    /// # Errors
    /// Returns the broken rules.
    fn verify_attribute(&self, op: OperationRef<'_, '_>, name: &str)
    -> Result<(), Vec<Diagnostic>>;
    /// Checks the rules of a type, except those of its encoding.
    ///
    /// # Errors
    /// Returns the broken rule.
    fn check_type(&self, cache: &LayoutCache, type_: Type<'_>) -> Result<(), AttributeError>;
    /// Returns the text of the rule with this label, or `None` if there is no such rule.
    fn rule_text(&self, label: &str) -> Option<&'static str>;
    /// Returns the linear layout of a tensor or buffer type.
    ///
    /// # Errors
    /// Fails for a type without a layout.
    fn layout(&self, cache: &LayoutCache, type_: Type<'_>) -> Result<LinearLayout, String>;
    /// Returns the diagnostic for an unknown name. `known` are the valid names of the dialect.
    fn unknown_name(&self, kind: &str, dialect: &str, name: &str, known: &[String]) -> Diagnostic;
    /// Returns the error message for an unknown or repeated key of an encoding.
    ///
    /// `family` is the kind of encoding, for example `blocked`. `None` if `family` is not an encoding.
    fn wrong_key(&self, dialect: &str, family: &str, key: &str) -> Option<String>;
    /// Canonicalises an operation.
    fn canonicalize<'c>(&self, rewriter: Rewriter<'c>, op: Op<'c>);
    /// Checks that all operands have the same encoding. If `results` is true, all results must have it too.
    ///
    /// # Errors
    /// Returns a diagnostic that states the first two tensor types whose encodings differ.
    fn verify_same_encoding(
        &self,
        op: OperationRef<'_, '_>,
        results: bool,
    ) -> Result<(), Vec<Diagnostic>>;
}

/// Implementation of the passes. A pass number is an index in `passes/Passes.td`.
pub trait Passes: Sync {
    /// Runs a pass on a module.
    ///
    /// # Errors
    /// Fails after an error diagnostic was emitted.
    fn run<'c>(
        &self,
        number: u16,
        options: &[OptionValue<'_>],
        rewriter: Rewriter<'c>,
        module: Op<'c>,
    ) -> Result<NextPasses, Reported>;
    /// Checks the module after MLIR has run the passes that [`Self::run`] returned.
    ///
    /// # Errors
    /// Fails after an error diagnostic was emitted.
    fn finish<'c>(
        &self,
        number: u16,
        options: &[OptionValue<'_>],
        rewriter: Rewriter<'c>,
        module: Op<'c>,
    ) -> Result<(), Reported>;
}

/// Passes to run after a pass.
#[derive(Debug, Default)]
pub struct NextPasses {
    /// Textual pass pipeline for a module. It contains only passes of this project.
    pub pipeline: String,
    /// MLIR's passes, which run after `pipeline`.
    pub follow_ups: Vec<FollowUp>,
}

/// Proof that an error diagnostic has been emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported(());

static SEMANTICS: OnceLock<&'static dyn Semantics> = OnceLock::new();
static PASSES: OnceLock<&'static dyn Passes> = OnceLock::new();

/// Installs the implementations. Only the first call has an effect.
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

/// Layout cache of one MLIR context.
#[allow(
    missing_debug_implementations,
    reason = "holds an opaque value of the rooms above"
)]
pub struct LayoutCache(Box<dyn Any + Send + Sync>);

impl LayoutCache {
    /// Returns the cache that [`Semantics::new_cache`] created, or `None` if it is not of type `T`.
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
        // An encoding without a short name keeps its alias.
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

/// Canonicalises an operation. Returns true if the IR changed.
pub(super) fn canonicalize(rewriter: MlirRewriter, op: MlirOperation) -> bool {
    // SAFETY: C++ passes the operation and the rewriter of a pattern.
    let (op, work) = unsafe {
        let op = OperationRef::from_raw(op.0);
        (op, Work::of_pattern(rewriter.0, op))
    };
    // An operation stays unchanged after a panic.
    let _ = guard(|| semantics().canonicalize(work.rewriter(), op));
    work.rewriter().changes() != 0
}

pub(super) fn with_layout_comments(bytes: &[u8], marker: &str) -> Vec<u8> {
    // Comments are optional: the text is printed without them on failure.
    let text = std::str::from_utf8(bytes).ok();
    text.and_then(|text| guard(|| linear_layout::view::with_layout_comments(text, marker)).ok())
        .map_or_else(|| bytes.to_vec(), String::into_bytes)
}

pub(super) fn read_checked_input(path: &[u8]) -> ReadInput {
    // SAFETY: the bytes are a process argument, or a prefix of one that ends at an ASCII character.
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

/// Emits an error with notes at an operation.
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

static RULES_ARE_NAMED: AtomicBool = AtomicBool::new(false);

/// Enables or disables the notes that name broken rules.
pub fn name_rules(are_named: bool) {
    RULES_ARE_NAMED.store(are_named, Ordering::Relaxed);
}

/// True if layout rewrites are verified. The default is true in debug builds only.
static REWRITES_ARE_VERIFIED: AtomicBool = AtomicBool::new(cfg!(debug_assertions));

pub(super) fn verify_layout_rewrites() {
    REWRITES_ARE_VERIFIED.store(true, Ordering::Relaxed);
}

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

/// A function that returns the explanation of the rule with a given label, or an error if the label is unknown.
type Explain = fn(&str) -> Result<String, String>;

/// The function for `--explain-rule`. [`super::opt_main`] sets it.
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

/// Emits a warning with notes at an operation.
pub fn emit_warning(op: OperationRef<'_, '_>, diagnostic: &Diagnostic) {
    ffi::emit_warning(
        MlirOperation(op.to_raw()),
        &diagnostic.message,
        &diagnostic.notes,
    );
}

/// Emits a remark at an operation.
pub fn emit_remark(op: OperationRef<'_, '_>, message: &str) {
    ffi::emit_remark(MlirOperation(op.to_raw()), &bounded(message));
}

thread_local! {
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `f`. If `f` panics, returns the panic message and its location on one line.
pub(super) fn guard<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    static ONCE: Once = Once::new();
    ONCE.call_once(report_panics_once);
    let outer = PLACE.replace(Some(String::new()));
    let outcome = catch_unwind(AssertUnwindSafe(f));
    let place = PLACE.replace(outer).unwrap_or_default();
    outcome.map_err(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown");
        let lines: Vec<&str> = message.lines().map(str::trim).collect();
        format!("{} ({place})", lines.join("; "))
    })
}

/// Installs a panic hook. Panics within [`guard`] are printed only if `RUST_BACKTRACE` is set to a value other than
/// 0. All other panics are printed as usual.
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
    // SAFETY: C++ passes the operation being verified.
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

fn pass<T>(
    op: MlirOperation,
    f: impl for<'c> FnOnce(Rewriter<'c>, Op<'c>) -> Result<T, Reported>,
) -> Option<T> {
    // SAFETY: C++ passes the operation of the pass.
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
        let message = guard(|| assert_eq!(1, 2, "numbers")).unwrap_err();
        let expected = format!(
            "assertion `left == right` failed: numbers; left: 1; right: 2 ({}:{line})",
            file!()
        );
        assert_eq!(message, expected);
        // A nested guard leaves the outer location in place.
        let message = guard(|| {
            let inner = guard(|| panic!("inner"));
            panic!("{}", inner.unwrap_err());
        });
        let message = message.map(|(): ()| ()).unwrap_err();
        assert!(
            message.starts_with("inner (") && message.matches(file!()).count() == 2,
            "{message}"
        );
    }
}
