//! `convert-encodings-to-linear`: every layout by its bases.
//!
//! A slice stays a slice, of a linear parent: `tt.expand_dims` and `tt.reduce` speak of slices. An
//! encoding whose layout grows with the shape in a way that no list of bases does keeps its name, and
//! so does one that an operation asks for by its kind, as products do.

use super::Pass;
use super::context::PassContext;
use super::respell::{Inventory, attribute, respell, root};
use super::table::ConvertEncodingsToLinearOptions;
use crate::encoding::Encoding;
use crate::encoding::spelling::nearest;
use crate::ir::Layouts;
use crate::layout::{Dim, LinearLayout};
use crate::sys::{self, Diagnostic, FollowUp, Reported};
use std::fmt::Write;

impl Pass for ConvertEncodingsToLinearOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let (module, layouts) = (context.module(), context.layouts());
        self.check_names(context)?;
        let inventory = context.get::<Inventory<'_>>();
        let mut replacements = Vec::new();
        let mut seen: Vec<Encoding> = Vec::new();
        for tensor in &inventory.tensors {
            let Some(Ok(found)) = tensor.encoding.map(|a| layouts.encoding(a)) else {
                continue;
            };
            let old = root(&found);
            if matches!(old, Encoding::Linear(_)) || self.keeps(old) || seen.contains(old) {
                continue;
            }
            seen.push(old.clone());
            let Some(new) = linear(old, &inventory, layouts) else {
                continue;
            };
            if let (Some(old), Some(new)) = (attribute(module, old), attribute(module, &new)) {
                replacements.push((old, new));
            }
        }
        // What operations ask for by its kind keeps its name.
        let _ = respell(context, replacements);
        Ok(Vec::new())
    }
}

impl ConvertEncodingsToLinearOptions {
    fn keeps(&self, encoding: &Encoding) -> bool {
        self.keep.iter().any(|name| name == encoding.family())
    }

    /// What is to be kept has to have a name.
    fn check_names(&self, context: &PassContext<'_>) -> Result<(), Reported> {
        let known = || Encoding::families();
        let Some(name) = self
            .keep
            .iter()
            .find(|name| !known().any(|family| family == **name))
        else {
            return Ok(());
        };
        let list: Vec<&str> = known().collect();
        let said = Diagnostic::new(format!(
            "cannot keep encodings of the family `{name}`: families are {}",
            list.join(", ")
        ));
        let said = match nearest(name, known()) {
            Some(near) => said.note(format!("did you mean `{near}`?")),
            None => said,
        };
        Err(sys::emit_error(context.module(), &said))
    }
}

/// The bases of an encoding that give its layout on every shape it is used with: those of one of
/// these shapes.
fn linear(old: &Encoding, inventory: &Inventory<'_>, layouts: &Layouts) -> Option<Encoding> {
    let rank = old.rank();
    let mut shapes: Vec<Vec<u64>> = inventory
        .tensors
        .iter()
        .filter_map(|tensor| {
            let found = layouts.encoding(tensor.encoding?).ok()?;
            (root(&found) == old).then(|| widen(&found, tensor.shape))
        })
        .filter(|shape| shape.len() == rank)
        .collect();
    shapes.sort_by_key(|shape| std::cmp::Reverse(shape.iter().product::<u64>()));
    shapes.dedup();
    shapes.iter().find_map(|shape| {
        let layout = old.to_linear_layout(shape).ok()?;
        let text = format!("#ttg.linear<{{{}}}>", bases(&layout));
        let new: Encoding = text.parse().ok()?;
        inventory.allows(layouts, old, &new).then_some(new)
    })
}

/// A slice's shape with the missing dims of its parents back, at size 1.
fn widen(encoding: &Encoding, shape: &[u64]) -> Vec<u64> {
    match encoding {
        Encoding::Slice(slice) => {
            let mut wider = shape.to_vec();
            wider.insert(slice.dim().min(wider.len()), 1);
            widen(slice.parent(), &wider)
        }
        _ => shape.to_vec(),
    }
}

/// `register = [[0, 1]], lane = [...], warp = [...], block = [...]`
fn bases(layout: &LinearLayout) -> String {
    let mut text = String::new();
    for (i, dim) in [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK]
        .into_iter()
        .enumerate()
    {
        let list: Vec<String> = (0..layout.in_bits(dim))
            .map(|bit| {
                let basis = layout.basis(dim, bit);
                let parts: Vec<String> = basis.iter().map(|v| v.to_string()).collect();
                format!("[{}]", parts.join(", "))
            })
            .collect();
        let separator = if i == 0 { "" } else { ", " };
        let _ = write!(text, "{separator}{} = [{}]", dim.name(), list.join(", "));
    }
    text
}
