//! `convert-encodings-to-linear`: every layout by its bases.
//!
//! A slice stays a slice, of a linear parent: `tt.expand_dims` and `tt.reduce` speak of slices. An
//! encoding whose layout grows with the shape in a way that no list of bases does keeps its name, and
//! so does one that an operation asks for by its kind, as products do. A padded buffer has no linear layout, and
//! one in partitions more inputs than bases can be listed of.

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
        // What operations ask for by its kind keeps its name.
        let _ = respelling.carry_out(context);
        Ok(Vec::new())
    }
}

/// The bases of an encoding that give its layout on every shape it is used with: those of one of
/// these shapes.
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

/// The bases of an encoding on one shape; with swizzled warps only where the encoding has them by its kind.
fn written_out(old: &Encoding, shape: &[u64]) -> Option<Encoding> {
    let layout = old.to_linear_layout(shape).ok()?;
    Some(match old.is_generic() {
        true => GenericLinearEncoding::new(layout).ok()?.into(),
        false => LinearEncoding::new(layout).ok()?.into(),
    })
}

/// The bases of a buffer of one shape; a single element has none, which would say its dims.
fn shared_linear(old: &Encoding, shape: &[u64]) -> Option<Encoding> {
    let layout = old.to_linear_layout(shape).ok()?;
    if layout.total_in_bits() == 0 {
        return None;
    }
    let alignment = old.alignment_bytes().unwrap_or(ALIGNMENT_BYTES);
    Some(SharedLinearEncoding::new(layout, alignment).ok()?.into())
}
