//! `convert-encodings-to-linear`: replaces encodings by `#ttg.linear` with the same bases.
//!
//! A slice stays a slice with a `#ttg.linear` parent, as `tt.expand_dims` and `tt.reduce` require. An encoding is kept
//! if no single list of bases fits all its shapes, or if an operation such as a product requires its kind. Padded
//! buffers (not linear) and partitioned buffers (an additional input dimension) are not converted.

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

/// Returns a linear encoding with the same layout as `old` on every shape in the module.
///
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

/// Returns an encoding that lists the basis vectors of `old` on `shape`. The result is `#ttg.generic_linear` if
/// `old` is a generic encoding, which may permute warps, and `#ttg.linear` otherwise.
fn written_out(old: &Encoding, shape: &[u64]) -> Option<Encoding> {
    let layout = old.to_linear_layout(shape).ok()?;
    Some(match old.is_generic() {
        true => GenericLinearEncoding::new(layout).ok()?.into(),
        false => LinearEncoding::new(layout).ok()?.into(),
    })
}

/// Returns a `#ttg.shared_linear` that has the same layout as `old` on `shape`. Returns `None` for a shape with a
/// single element, because an empty list of bases does not state the rank.
fn shared_linear(old: &Encoding, shape: &[u64]) -> Option<Encoding> {
    let layout = old.to_linear_layout(shape).ok()?;
    if layout.total_in_bits() == 0 {
        return None;
    }
    let alignment = old.alignment_bytes().unwrap_or(ALIGNMENT_BYTES);
    Some(SharedLinearEncoding::new(layout, alignment).ok()?.into())
}
