//! Rules of `ttg.memdesc_reinterpret`.

use super::buffer::same_memory;
use super::common::{Verdict, broken, buffer, dimensions, encoding_of, ensure, verdict};
use crate::ir::element_bits;
use crate::ir::ops::ttg;
use crate::ir::rules::labels;
use crate::sys::{BufferType, Diagnostic};
use linear_layout::encoding::{Encoding, PaddedSharedEncoding};
use linear_layout::layout::{Dim, LinearLayout};
use std::sync::Arc;

struct Memory<'a> {
    encoding: Arc<Encoding>,
    bits: u64,
    count: u64,
    /// Shape of the view, without the multi-buffer dimension.
    shape: &'a [u64],
    alloc: &'a [u64],
    layout: LinearLayout,
}

impl<'a> Memory<'a> {
    fn of(buffer: &'a BufferType<'_>) -> Option<Self> {
        let encoding = encoding_of(buffer)?;
        let last = |shape: &'a [u64]| Some(&shape[shape.len().checked_sub(encoding.rank())?..]);
        let (shape, alloc) = (last(&buffer.shape)?, last(&buffer.alloc_shape)?);
        let layout = match &*encoding {
            Encoding::PaddedShared(e) => e.linear_component().clone(),
            e => e.to_linear_layout(alloc).ok()?,
        };
        let count = buffer.shape[..buffer.shape.len() - shape.len()]
            .iter()
            .product();
        let bits = element_bits(buffer.element)?.into();
        Some(Self {
            encoding,
            bits,
            count,
            shape,
            alloc,
            layout,
        })
    }

    fn is_cut(&self) -> bool {
        self.shape != self.alloc
    }

    /// Returns a dimension along which the view is sliced and which is split over CTAs, if there is one.
    fn cut_across_ctas(&self) -> Option<usize> {
        let split = self.encoding.cga_layout().ok()?.split_num();
        (0..self.shape.len()).find(|d| split[*d] > 1 && self.shape[*d] != self.alloc[*d])
    }

    /// Returns true if the view contains the element that is stored at address `1 << bit` of the memory dimension
    /// `dim`.
    fn is_seen(&self, dim: Dim, bit: usize) -> bool {
        let basis = self.layout.basis(dim, bit);
        basis.iter().zip(self.shape).all(|(at, size)| at < *size)
    }

    /// Returns two numbers of addresses along `dim`. The first is the number of addresses in all buffers of the
    /// multi-buffer. The second is the number of contiguous addresses, starting at address 0, that the view
    /// contains.
    fn extent(&self, dim: Dim) -> (u64, u64) {
        let size = self.layout.in_size(dim);
        let seen = (0..self.layout.in_bits(dim)).find(|bit| !self.is_seen(dim, *bit));
        (
            self.count * size,
            seen.map_or(self.count * size, |bit| 1 << bit),
        )
    }

    /// Returns a mask of those bits of a row address that select rows which the view uses. For scales, which have
    /// one replica per warp, this includes the bits that select the replica.
    fn rows(&self) -> u64 {
        // Scales have a replica per warp, of 32 rows. Blocks of 64 rows occupy every other group of 16 rows: the bit in
        // between selects free rows.
        let has_copies = matches!(&*self.encoding, Encoding::TensorMemoryScales(_));
        let columns = self.layout.columns_of(Dim::ROW).iter().enumerate();
        columns
            .filter(|(bit, column)| {
                ((has_copies && *bit >= 5) || **column != 0) && self.is_seen(Dim::ROW, *bit)
            })
            .fold(0, |mask, (bit, _)| mask | 1 << bit)
    }
}

/// Returns true if both encodings insert the same paddings at the same intervals, measured in bits. The elements of
/// `a` have `a_bits` bits, and those of `b` have `b_bits` bits.
fn same_padding(
    a: &PaddedSharedEncoding,
    a_bits: u64,
    b: &PaddedSharedEncoding,
    b_bits: u64,
) -> bool {
    let in_bits = |e: &PaddedSharedEncoding, bits: u64| -> Vec<(u64, u64)> {
        e.interval_paddings()
            .iter()
            .map(|(interval, padding)| (u64::from(*interval) * bits, u64::from(*padding) * bits))
            .collect()
    };
    in_bits(a, a_bits) == in_bits(b, b_bits)
}

fn paddings(src: &BufferType<'_>, dst: &BufferType<'_>) -> Verdict {
    let (Some(a), Some(b)) = (encoding_of(src), encoding_of(dst)) else {
        return Ok(());
    };
    let bits = |buffer: &BufferType<'_>| element_bits(buffer.element).map_or(0, u64::from);
    let same = match (&*a, &*b) {
        (Encoding::PaddedShared(a), Encoding::PaddedShared(b)) => {
            same_padding(a, bits(src), b, bits(dst))
        }
        _ => !is_padded(&a) && !is_padded(&b),
    };
    ensure!(
        memdesc_reinterpret_c4,
        same,
        "requires the same padding in operand and result, but got `{a}` and `{b}`"
    );
    Ok(())
}

fn is_padded(encoding: &Encoding) -> bool {
    matches!(encoding, Encoding::PaddedShared(_))
}

/// Checks that the operand, if it is sliced, can be reinterpreted. A sliced buffer must not be padded, and must not
/// be sliced along a dimension that is split over CTAs.
fn parts(from: &Memory<'_>) -> Verdict {
    ensure!(
        memdesc_reinterpret_c8,
        !from.is_cut() || !is_padded(&from.encoding),
        "operand is a view of shape {} in a padded allocation of shape {}; expected a whole buffer",
        dimensions(from.shape),
        dimensions(from.alloc)
    );
    if let Some(dim) = from.cut_across_ctas() {
        return Err(vec![broken!(
            memdesc_reinterpret_c9,
            "operand is sliced along dimension {dim}, which is split over CTAs; expected the full size in \
             dimension {dim}"
        )]);
    }
    Ok(())
}

fn fits(from: &Memory<'_>, to: &Memory<'_>, in_shared: bool) -> Verdict {
    let (label, dim, unit_bits, unit) = if in_shared {
        (labels::memdesc_reinterpret_c6, Dim::OFFSET, 8, "bytes")
    } else {
        let unit = "columns of tensor memory";
        (labels::memdesc_reinterpret_c7, Dim::COL, 32, unit)
    };
    let units = |memory: &Memory<'_>, elements: u64| (elements * memory.bits).div_ceil(unit_bits);
    let needs = units(to, to.extent(dim).0);
    let (has, together) = from.extent(dim);
    let (has, together) = (units(from, has), units(from, together));
    if needs > has {
        let message = format!("requires {needs} {unit} for the result, but the operand has {has}");
        return Err(vec![Diagnostic::new(message).of_rules([label])]);
    }
    ensure!(
        memdesc_reinterpret_c10,
        needs <= together,
        "result requires {needs} contiguous {unit}, but only the first {together} of the operand are contiguous"
    );
    Ok(())
}

pub(super) fn memdesc_reinterpret(op: ttg::MemDescReinterpret<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer(op.src()), buffer(op.result())) else {
        return Ok(());
    };
    verdict(same_memory(&src, &dst))?;
    let partitioned = [&src, &dst].iter().any(|buffer| {
        let encoding = encoding_of(buffer);
        matches!(encoding.as_deref(), Some(Encoding::PartitionedShared(_)))
    });
    ensure!(
        memdesc_reinterpret_c3,
        !partitioned,
        "operand or result has the encoding `#ttg.partitioned_shared`, which cannot be reinterpreted"
    );
    ensure!(
        memdesc_reinterpret_c5,
        dst.alloc_shape.ends_with(&dst.shape),
        "result type is a view of shape {} in an allocation of shape {}; expected a whole buffer",
        dimensions(&dst.shape),
        dimensions(&dst.alloc_shape)
    );
    paddings(&src, &dst)?;
    let (Some(from), Some(to)) = (Memory::of(&src), Memory::of(&dst)) else {
        return Ok(());
    };
    parts(&from)?;
    if from.encoding.is_shared() {
        return fits(&from, &to, true);
    }
    let (has, needs) = (from.rows(), to.rows());
    ensure!(
        memdesc_reinterpret_c7,
        needs.count_ones() <= has.count_ones() && needs & !has == 0,
        "requires {} rows of tensor memory for the result, but the operand has {} rows{}",
        1 << needs.count_ones(),
        1 << has.count_ones(),
        if needs.count_ones() <= has.count_ones() {
            " at other positions"
        } else {
            ""
        }
    );
    fits(&from, &to, false)
}
