//! `recognize-encodings`: replaces lists of bases by structured encodings.
//!
//! Inverse of `convert-encodings-to-linear`. Encodings that the module already uses take precedence over
//! [`Encoding::recognize`]. The layout must agree on every shape in the module. Bases are kept if no encoding fits, or
//! if an operation requires bases.

use super::Pass;
use super::context::PassContext;
use super::inventory::Inventory;
use super::respell::{ALIGNMENT_BYTES, Families, Respelling, attribute};
use super::table::RecognizeEncodingsOptions;
use crate::ir::Layouts;
use crate::sys::{FollowUp, Reported};
use linear_layout::encoding::Encoding;

impl Pass for RecognizeEncodingsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let (module, layouts) = (context.module(), context.layouts());
        let families = Families {
            only: &self.only,
            keep: &self.keep,
        };
        families.check(context)?;
        let inventory = context.get::<Inventory<'_>>();
        let roots = inventory.roots(layouts);
        let named: Vec<&Encoding> = roots
            .iter()
            .map(|(encoding, _)| encoding)
            .filter(|encoding| !is_written_out(encoding))
            .collect();
        let mut respelling = Respelling::default();
        for (old, shapes) in &roots {
            if !is_written_out(old) {
                continue;
            }
            let found = shapes.iter().filter_map(|shape| {
                let layout = old.to_linear_layout(shape).ok()?;
                Encoding::recognize(&layout).ok()
            });
            // An encoding of the module must have the same replicated registers, too.
            let has_same = |new: &Encoding| {
                new.rank() == old.rank()
                    && shapes.iter().all(|shape| {
                        matches!(
                            (old.to_linear_layout(shape), new.to_linear_layout(shape)),
                            (Ok(a), Ok(b)) if a == b
                        )
                    })
            };
            let new = named
                .iter()
                .map(|encoding| (*encoding).clone())
                .filter(has_same)
                .chain(found)
                .filter(|new| !is_written_out(new) && families.has(new))
                .find(|new| new.rank() == old.rank() && inventory.allows(layouts, old, new));
            let both = new.and_then(|new| attribute(module, old).zip(attribute(module, &new)));
            respelling.encodings.extend(both);
        }
        respelling.add_buffers(&inventory, layouts, |old, shape| {
            shared(old, shape, &inventory, layouts).filter(|new| families.has(new))
        });
        // Bases that an operation requires are kept.
        let _ = respelling.carry_out(context);
        Ok(Vec::new())
    }
}

fn is_written_out(encoding: &Encoding) -> bool {
    matches!(
        encoding,
        Encoding::Linear(_) | Encoding::GenericLinear(_) | Encoding::SharedLinear(_)
    )
}

/// Returns an encoding with parameters, such as `#ttg.swizzled_shared`, that can replace `old` if `old` is a
/// `#ttg.shared_linear`.
///
/// Returns `None` if no such encoding has the same layout, or if the alignment would decrease.
fn shared(
    old: &Encoding,
    shape: &[u64],
    inventory: &Inventory<'_>,
    layouts: &Layouts,
) -> Option<Encoding> {
    let Encoding::SharedLinear(written) = old else {
        return None;
    };
    let named = inventory.buffers.iter();
    let named = named.filter_map(|buffer| Some((*layouts.encoding(buffer.encoding).ok()?).clone()));
    named
        .chain(Encoding::recognize(written.layout()))
        .filter(|new| !is_written_out(new) && new.interval_paddings().is_empty())
        .filter(|new| {
            new.alignment_bytes().unwrap_or(1) >= written.alignment_bytes()
                || written.alignment_bytes() <= ALIGNMENT_BYTES
        })
        .find(|new| {
            new.to_linear_layout(shape)
                .is_ok_and(|layout| layout == *written.layout())
        })
}
