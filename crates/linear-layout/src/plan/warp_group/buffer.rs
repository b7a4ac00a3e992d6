//! Matching of a buffer with the canonical layouts of matrix descriptors.
//!
//! A canonical form maps two coordinates to a byte offset: the *line* (m of A, n of B) and k. In every form, 8 rows of
//! `row_bytes` bytes are contiguous. Within a row, the low bits of the *contiguous* coordinate number the elements. The
//! contiguous coordinate is k in a K-major form, and the line in an MN-major form:
//!
//! ```text
//! contiguous bits within the row     bytes 1 element, 2 elements, ..., row_bytes / 2
//! low three bits, other coordinate   bytes row_bytes, 2 row_bytes, 4 row_bytes
//! further contiguous bits            bytes X, 2 X, 4 X, ...
//! further bits, other coordinate     bytes Y, 2 Y, 4 Y, ...
//! ```
//!
//! The swizzle is applied to the resulting address, and the swizzle is its own inverse. So a buffer has a form if its
//! columns, after swizzling, equal the columns above for some X and Y, up to the size of the instruction's tile. The
//! hardware adds offsets, whereas the planner XORs columns. Both operations are equivalent if no two columns share a
//! bit.

use super::coordinates::AXES;
use super::descriptor::{MatrixDescriptor, MatrixSwizzle};
use super::error::WarpGroupErrorKind;
use crate::f2::{apply_columns, low_mask};
use crate::number::narrow;
use crate::plan::memory::BufferLayout;

/// Operand A or B in shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedOperand<'a> {
    /// Index of the operand: 0 for A, 1 for B.
    pub(super) operand: usize,
    pub(super) layout: &'a BufferLayout,
    pub(super) view_mask: u64,
    /// log2 of the operand's size along the line coordinate (m for A, n for B), and log2 of its size along k.
    pub(super) sizes_log2: [u32; 2],
}

/// An operand in shared memory, and the descriptor that addresses its tiles.
#[derive(Clone, Debug)]
pub(super) struct DescribedBuffer {
    pub(super) descriptor: MatrixDescriptor,
    /// For each bit of the line coordinate (m or n) and for each bit of k, its byte offset before swizzling.
    columns: [Vec<u64>; 2],
}

impl DescribedBuffer {
    /// Returns the byte offset of the tile at (`line`, `k`) from the start address of the operand. The line
    /// coordinate is m for A, and n for B.
    pub(super) fn position(&self, line: u64, k: u64) -> u64 {
        apply_columns(&self.columns[LINE], line) | apply_columns(&self.columns[DEPTH], k)
    }
}

/// Index of the line coordinate (m for A, n for B) in arrays of (line, k).
const LINE: usize = 0;
const DEPTH: usize = 1;

/// log2 of the number of rows of a core matrix. A swizzle atom has as many rows as a core matrix.
const ROWS_LOG2: usize = 3;

/// A canonical layout of a `wgmma` operand in shared memory: a swizzle, and the coordinate that is contiguous
/// (k or the line coordinate, which is m for A and n for B).
#[derive(Clone, Copy, Debug)]
struct DescriptorForm {
    swizzle: MatrixSwizzle,
    is_k_major: bool,
}

/// The result of `DescriptorForm::divide`, which compares a tile with a canonical form. The tile has this form if
/// `mismatch` is `None`.
#[derive(Clone, Copy, Debug)]
struct FormComparison {
    form: DescriptorForm,
    /// Descriptor that addresses the tile if the tile has this form.
    descriptor: MatrixDescriptor,
    /// Number of coordinate bits that have the same byte offset in the tile and in the form.
    agreeing: usize,
    /// First coordinate bit that has different byte offsets in the tile and in the form, if any.
    mismatch: Option<ColumnMismatch>,
}

/// A coordinate bit that has different byte offsets in the buffer and in a canonical form.
#[derive(Clone, Copy, Debug)]
struct ColumnMismatch {
    axis: usize,
    bit: usize,
    found: u64,
    expected: u64,
}

impl DescriptorForm {
    /// All forms: the K-major form and the MN-major form of each swizzle.
    const ALL: [Self; 8] = {
        let mut all = [Self {
            swizzle: MatrixSwizzle::None,
            is_k_major: true,
        }; 8];
        let mut i = 0;
        while i < all.len() {
            all[i] = Self {
                swizzle: MatrixSwizzle::ALL[i / 2],
                is_k_major: i % 2 == 0,
            };
            i += 1;
        }
        all
    };

    /// Returns the index of the coordinate that is contiguous in memory: `DEPTH` for k, `LINE` for m or n.
    const fn contiguous(self) -> usize {
        if self.is_k_major { DEPTH } else { LINE }
    }

    /// Divides a tile into the atoms or core matrices of this form, and computes the descriptor. The result
    /// contains the first difference between the tile and the form. `columns` contains the byte offset of each bit
    /// of the line coordinate, and the byte offset of each bit of k.
    fn divide(self, columns: [&[u64]; 2], element_bytes: u64) -> FormComparison {
        let row_bytes = self.swizzle.row_bytes();
        let within = narrow::<usize>((row_bytes / element_bytes).trailing_zeros());
        let contiguous = self.contiguous();
        let starts = [
            (contiguous, element_bytes, within),
            (1 - contiguous, row_bytes, ROWS_LOG2),
        ];
        let (mut strides, mut agreeing, mut mismatch) = ([0; 2], 0, None);
        for (axis, start, within) in starts {
            let own = columns[axis];
            let stride = own.get(within).map_or(0, |c| self.swizzle.swizzled(*c));
            strides[axis] = stride;
            for (bit, found) in own.iter().copied().enumerate() {
                let before = match bit.checked_sub(within) {
                    None => start << bit,
                    Some(beyond) => stride << beyond,
                };
                let expected = self.swizzle.swizzled(before);
                if found == expected {
                    agreeing += 1;
                } else {
                    mismatch.get_or_insert(ColumnMismatch {
                        axis,
                        bit,
                        found,
                        expected,
                    });
                }
            }
        }
        FormComparison {
            form: self,
            descriptor: self.descriptor(strides),
            agreeing,
            mismatch,
        }
    }

    /// Returns the descriptor for the given strides. `strides` contains the distance in bytes between neighbouring
    /// atoms or core matrices along the line coordinate, and the same distance along k. A stride is 0 if the tile
    /// has only one atom or core matrix in its direction.
    const fn descriptor(self, strides: [u64; 2]) -> MatrixDescriptor {
        let leading = match self.swizzle {
            MatrixSwizzle::None => DEPTH,
            _ => self.contiguous(),
        };
        MatrixDescriptor {
            swizzle: self.swizzle,
            leading_bytes: strides[leading],
            stride_bytes: strides[1 - leading],
            is_k_major: self.is_k_major,
        }
    }
}

/// Finds the canonical form of an operand in shared memory, and returns the descriptor that addresses its tiles.
/// `tile_log2` is log2 of the tile's size along (line, k), where the line coordinate is m for A and n for B.
pub(super) fn divide(
    factor: SharedOperand<'_>,
    tile_log2: [u32; 2],
) -> Result<DescribedBuffer, WarpGroupErrorKind> {
    let SharedOperand {
        operand, layout, ..
    } = factor;
    if !layout.paddings().is_empty() {
        return Err(WarpGroupErrorKind::Padding { operand });
    }
    let steps = layout.steps()?;
    let dims = dims_of(operand);
    let of_axis = |axis: usize| -> &[u64] {
        let own: &[u64] = steps.get(dims[axis]).map_or(&[], |own| own);
        &own[..own.len().min(factor.sizes_log2[axis] as usize)]
    };
    let tile = [LINE, DEPTH].map(|axis| {
        let own = of_axis(axis);
        &own[..own.len().min(tile_log2[axis] as usize)]
    });
    let (form, descriptor) = form_of(factor, tile)?;
    let bits = 8 * layout.element_bytes();
    if !form.is_k_major && bits != 16 {
        return Err(WarpGroupErrorKind::Major {
            operand,
            axis: name(operand, LINE),
            bits,
        });
    }
    let swizzle = form.swizzle;
    let columns =
        [LINE, DEPTH].map(|axis| of_axis(axis).iter().map(|c| swizzle.swizzled(*c)).collect());
    let described = DescribedBuffer {
        descriptor,
        columns,
    };
    check(factor, &described)?;
    Ok(described)
}

/// Returns the canonical form of a tile, and its descriptor. If the tile has no canonical form, the error
/// contains the first mismatch with the most similar form.
fn form_of(
    factor: SharedOperand<'_>,
    tile: [&[u64]; 2],
) -> Result<(DescriptorForm, MatrixDescriptor), WarpGroupErrorKind> {
    let divided = |form: DescriptorForm| form.divide(tile, factor.layout.element_bytes());
    let [first, others @ ..] = DescriptorForm::ALL;
    let nearest = others.into_iter().fold(divided(first), |best, form| {
        let division = divided(form);
        if division.agreeing > best.agreeing {
            division
        } else {
            best
        }
    });
    let (operand, form) = (factor.operand, nearest.form);
    let Some(mismatch) = nearest.mismatch else {
        return Ok((form, nearest.descriptor));
    };
    Err(WarpGroupErrorKind::Form {
        operand,
        axis: name(operand, mismatch.axis),
        value: 1 << mismatch.bit,
        found: mismatch.found,
        expected: mismatch.expected,
        row_bytes: form.swizzle.row_bytes(),
        along: name(operand, form.contiguous()),
    })
}

/// Checks that the offsets of a view, of a tile and of an element have no bits in common, so that the start address
/// is their sum. Also checks that no view starts within a swizzle pattern, and that the descriptor can address all
/// bytes.
fn check(factor: SharedOperand<'_>, described: &DescribedBuffer) -> Result<(), WarpGroupErrorKind> {
    let operand = factor.operand;
    let swizzle = described.descriptor.swizzle;
    let mut elements = low_mask(factor.layout.element_bytes().trailing_zeros() as usize);
    for (axis, columns) in described.columns.iter().enumerate() {
        for (bit, column) in columns.iter().enumerate() {
            if column & elements != 0 {
                return Err(WarpGroupErrorKind::Overlap {
                    operand,
                    axis: name(operand, axis),
                    value: 1 << bit,
                    found: swizzle.swizzled(*column),
                    common: column & elements,
                });
            }
            elements |= column;
        }
    }
    let source_bits = swizzle.source_bits();
    let view = factor.view_mask;
    if view & source_bits != 0 {
        return Err(WarpGroupErrorKind::ViewRows {
            operand,
            found: view & source_bits,
            source_bits,
        });
    }
    if view & elements != 0 {
        return Err(WarpGroupErrorKind::ViewElements {
            operand,
            found: view & elements,
            elements,
        });
    }
    let most = MatrixDescriptor::REACH_BYTES;
    let bytes = (elements | view).saturating_add(1).next_power_of_two();
    if bytes > most {
        return Err(WarpGroupErrorKind::Far {
            operand,
            bytes,
            most,
        });
    }
    Ok(())
}

/// Returns [index of the line dim, index of the k dim] in the tensor of operand A (0) or B (1). The line dim is m
/// for A, and n for B.
pub(super) const fn dims_of(operand: usize) -> [usize; 2] {
    [[0, 1], [1, 0]][operand]
}

fn name(operand: usize, axis: usize) -> &'static str {
    AXES[operand][dims_of(operand)[axis]]
}
