//! Memdesc types: layout, size and alignment.

use crate::ir::{Layouts, element_bits};
use crate::lower::emit::Emitter;
use crate::sys::build::Val;
use crate::sys::{self, Diagnostic};
use linear_layout::plan::memory::BufferLayout;
use melior::ir::Type;

/// A memdesc type and the layout of its buffer. For a multi-buffer, the layout of a single buffer.
pub(in crate::lower) struct MemdescLayout<'c> {
    pub(in crate::lower) type_: sys::BufferType<'c>,
    pub(in crate::lower) place: BufferLayout,
    /// Number of leading dimensions that the encoding does not cover: 1 for a multi-buffer, otherwise 0.
    pub(super) leading: usize,
    /// Size of the whole allocation in bytes.
    pub(super) bytes: u32,
}

impl<'c> MemdescLayout<'c> {
    /// Returns a mask of the bits that can be set in the byte offset at which a view of this shape begins.
    pub(in crate::lower) fn view_mask(&self) -> Result<u64, Diagnostic> {
        let mask = self.place.view_mask(self.shape());
        mask.map_err(|e| Diagnostic::new(e.to_string()))
    }

    pub(in crate::lower) fn of(layouts: &Layouts, type_: Type<'c>) -> Result<Self, Diagnostic> {
        let unknown = || Diagnostic::new(format!("requires a buffer, but got `{type_}`"));
        let view = sys::buffer(type_).ok_or_else(unknown)?;
        let encoding = view.encoding.ok_or_else(unknown).and_then(|e| {
            layouts
                .encoding(e)
                .map_err(|e| Diagnostic::new(e.to_string()))
        })?;
        if !encoding.is_shared() {
            return Err(Diagnostic::new(
                "requires a buffer in shared memory, but got one in tensor memory",
            ));
        }
        let leading = view.shape.len() - encoding.rank();
        // A buffer selected from a multi-buffer has fewer dimensions than its allocation.
        let alloc_leading = view.alloc_shape.len() - encoding.rank();
        let bits = element_bits(view.element).unwrap_or_default();
        let place = encoding
            .to_surjective_layout(&view.alloc_shape[alloc_leading..])
            .map_err(|e| e.to_string())
            .and_then(|layout| {
                BufferLayout::new(layout, encoding.interval_paddings(), bits)
                    .map_err(|e| e.to_string())
            })
            .map_err(Diagnostic::new)?;
        let count = view.alloc_shape[..alloc_leading]
            .iter()
            .fold(1u64, |count, size| count.saturating_mul(*size));
        let bytes = place.size_bytes(count);
        let Ok(addressed) = i32::try_from(bytes) else {
            return Err(Diagnostic::new(format!(
                "requires a buffer that fits shared memory, but `{type_}` has {bytes} bytes"
            )));
        };
        Ok(Self {
            bytes: addressed.cast_unsigned(),
            type_: view,
            place,
            leading,
        })
    }

    /// Returns the shape of the view without the leading dimensions.
    pub(in crate::lower) fn shape(&self) -> &[u64] {
        &self.type_.shape[self.leading..]
    }

    pub(super) fn is_whole(&self) -> bool {
        self.type_.shape == self.type_.alloc_shape
    }

    /// Returns the shape of the allocation without the leading dimensions.
    pub(in crate::lower) fn alloc_shape(&self) -> &[u64] {
        let alloc = &self.type_.alloc_shape;
        &alloc[alloc.len() + self.leading - self.type_.shape.len()..]
    }
}

/// Minimum alignment of a buffer in bytes, which is the size of the widest access.
pub(super) const ALIGNMENT: u32 = 16;

/// Returns the byte offset `position` plus the number of padding bytes that precede it. [`BufferLayout::padded`]
/// computes the same for constants.
pub(super) fn padded<'c>(e: &mut Emitter<'c>, place: &BufferLayout, position: Val<'c>) -> Val<'c> {
    place.paddings().iter().fold(position, |sum, gap| {
        let gaps = e.lshr(position, gap.interval_log2);
        let bytes = e.shl(gaps, gap.padding_log2);
        e.add(sum, bytes)
    })
}

/// Converts an offset within shared memory to `u32`.
pub(super) fn narrow(offset: u64) -> u32 {
    u32::try_from(offset).expect("an offset in shared memory")
}
