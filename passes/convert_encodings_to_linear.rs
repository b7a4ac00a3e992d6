//! `convert-encodings-to-linear`: replaces encodings by `#ttg.linear` with the same bases.
//!
//! A slice remains a slice, but its parent becomes `#ttg.linear`, as `tt.expand_dims` and `tt.reduce` require. Two
//! kinds of encodings are kept: encodings that are used with several shapes for which no single list of bases is
//! correct, and encodings whose kind an operation, such as a product, requires. Two kinds of buffers cannot be
//! converted: a padded buffer has no linear layout, and a partitioned buffer has an input dimension that bases cannot
//! list.

use super::Pass;
use super::context::PassContext;
use super::inventory::Inventory;
use super::respell::{ALIGNMENT_BYTES, Families, Respelling, attribute};
use super::table::ConvertEncodingsToLinearOptions;
use crate::ir::Layouts;
use crate::sys::{FollowUp, Reported};
use linear_layout::encoding::{
    Encoding, GenericLinearEncoding, LinearEncoding, SharedLinearEncoding,
};

impl Pass for ConvertEncodingsToLinearOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let (module, layouts) = (context.module(), context.layouts());
        let families = Families {
            only: &self.only,
            keep: &self.keep,
        };
        families.check(context)?;
        let inventory = context.get::<Inventory<'_>>();
        let mut respelling = Respelling::default();
        for (old, shapes) in inventory.roots(layouts) {
            if matches!(old, Encoding::Linear(_) | Encoding::GenericLinear(_))
                || !families.has(&old)
            {
                continue;
            }
            let Some(new) = linear(&old, &shapes, &inventory, layouts) else {
                continue;
            };
            let both = attribute(module, &old).zip(attribute(module, &new));
            respelling.encodings.extend(both);
        }
        respelling.add_tensors(module, &inventory, layouts, |old, shape| {
            families.has(old).then(|| written_out(old, shape))?
        });
        respelling.add_buffers(&inventory, layouts, |old, shape| {
            let is_asked = !matches!(old, Encoding::SharedLinear(_)) && families.has(old);
            is_asked.then(|| shared_linear(old, shape))?
        });
        // Encodings whose kind an operation requires are kept.
        let _ = respelling.carry_out(context);
        Ok(Vec::new())
    }
}

/// Returns an encoding by bases that has the layout of `old` on every shape with which the module uses `old`. Returns
/// `None` if there is no such encoding.
fn linear(
    old: &Encoding,
    shapes: &[Vec<u64>],
    inventory: &Inventory<'_>,
    layouts: &Layouts,
) -> Option<Encoding> {
    shapes.iter().find_map(|shape| {
        let new = written_out(old, shape)?;
        inventory.allows(layouts, old, &new).then_some(new)
    })
}

/// Returns the encoding by bases that has the layout of `old` on one shape. The bases may permute warps only if the
/// kind of `old` is generic.
fn written_out(old: &Encoding, shape: &[u64]) -> Option<Encoding> {
    let layout = old.to_linear_layout(shape).ok()?;
    Some(match old.is_generic() {
        true => GenericLinearEncoding::new(layout).ok()?.into(),
        false => LinearEncoding::new(layout).ok()?.into(),
    })
}

/// Returns the `#ttg.shared_linear` encoding that has the layout of `old` on one shape. Returns `None` for a shape with
/// a single element, since an empty list of bases does not state the rank.
fn shared_linear(old: &Encoding, shape: &[u64]) -> Option<Encoding> {
    let layout = old.to_linear_layout(shape).ok()?;
    if layout.total_in_bits() == 0 {
        return None;
    }
    let alignment = old.alignment_bytes().unwrap_or(ALIGNMENT_BYTES);
    Some(SharedLinearEncoding::new(layout, alignment).ok()?.into())
}
