//! Implementation of the dialects' callbacks: rules, layouts, canonicalisation and spellings.

use super::rules::Rule;
use super::{Layouts, canonical, unknown_name, verify};
use crate::sys::build::Op;
use crate::sys::{AttributeError, Diagnostic, LayoutCache, Rewriter, Semantics};
use linear_layout::encoding::{invalid_key_error, key_offset};
use linear_layout::layout::LinearLayout;
use melior::ir::{Attribute, OperationRef, Type};
use std::any::Any;

/// Implements [`Semantics`], the verification and layout callbacks of the dialects. In this implementation,
/// encodings are linear layouts.
#[derive(Debug)]
pub struct LinearLayouts;

impl Semantics for LinearLayouts {
    fn new_cache(&self) -> Box<dyn Any + Send + Sync> {
        Box::new(Layouts::default())
    }

    fn check_attribute(
        &self,
        cache: &LayoutCache,
        attribute: Attribute<'_>,
        text: &[u8],
    ) -> Result<Option<String>, AttributeError> {
        if text.starts_with(b"cache_policy") {
            let rules = verify::cache_policy(attribute);
            return rules
                .map(|()| None)
                .map_err(|(reason, key, rule)| AttributeError {
                    reason,
                    rule: Some(rule),
                    place: key_offset(text, key).unwrap_or(0),
                });
        }
        let layouts: &Layouts = cache.get().expect("`new_cache` made it");
        layouts
            .normal_spelling(attribute)
            .map_err(|reason| AttributeError {
                place: Layouts::offset_of_error(attribute, text).unwrap_or(0),
                reason: reason.to_string(),
                rule: reason.rule(),
            })
    }

    fn pretty_name(&self, cache: &LayoutCache, encoding: Attribute<'_>) -> Option<String> {
        let layouts: &Layouts = cache.get().expect("`new_cache` made it");
        layouts.encoding(encoding).ok().map(|e| e.pretty_name())
    }

    fn check_type(&self, cache: &LayoutCache, type_: Type<'_>) -> Result<(), AttributeError> {
        let layouts: &Layouts = cache.get().expect("`new_cache` made it");
        layouts.type_rules(type_).map_err(|reason| AttributeError {
            reason: reason.to_string(),
            rule: reason.rule(),
            place: 0,
        })
    }

    fn rule_text(&self, label: &str) -> Option<&'static str> {
        Rule::of_label(label).map(|rule| rule.text)
    }

    fn layout(&self, cache: &LayoutCache, type_: Type<'_>) -> Result<LinearLayout, String> {
        let layouts: &Layouts = cache.get().expect("`new_cache` made it");
        layouts.of_type(type_).map_err(|reason| reason.to_string())
    }

    fn unknown_name(&self, kind: &str, dialect: &str, name: &str, known: &[String]) -> Diagnostic {
        unknown_name(kind, dialect, name, known)
    }

    fn wrong_key(&self, dialect: &str, family: &str, key: &str) -> Option<String> {
        invalid_key_error(dialect, family, key).map(|error| error.to_string())
    }

    fn canonicalize<'c>(&self, rewriter: Rewriter<'c>, op: Op<'c>) {
        // The rewriter counts changes.
        let _ = canonical::canonicalize(rewriter, op);
    }

    fn verify_operation(&self, op: OperationRef<'_, '_>) -> Result<(), Vec<Diagnostic>> {
        verify::operation(op)
    }

    fn verify_attribute(
        &self,
        op: OperationRef<'_, '_>,
        name: &str,
    ) -> Result<(), Vec<Diagnostic>> {
        verify::attribute(op, name)
    }

    fn verify_same_encoding(
        &self,
        op: OperationRef<'_, '_>,
        results: bool,
    ) -> Result<(), Vec<Diagnostic>> {
        verify::same_encoding(op, results)
    }
}
