//! Warp-wide matrix loads, stores and transposition: `ldmatrix`, `stmatrix`, `movmatrix`.

use crate::ir::builders::nvvm::{self, LdStMatrixEltType, MMALayout};
use crate::lower::emit::Emitter;
use crate::sys::build::Val;
use linear_layout::target::Fragment;
use melior::ir::Attribute;

pub(super) fn load<'c>(
    e: &mut Emitter<'c>,
    pointer: Val<'c>,
    count: usize,
    fragment: Fragment,
) -> Option<Vec<Val<'c>>> {
    let i32 = e.types.i32;
    let type_ = if count == 1 {
        i32
    } else {
        e.struct_type(&vec![i32; count])
    };
    let matrices = match fragment {
        Fragment::LoadedBytes => count / 2,
        _ => count,
    };
    let matrices = i64::try_from(matrices).ok()?;
    let (layout, shape, element) = layout(e, fragment)?;
    let loaded = nvvm::ldmatrix(pointer, matrices, layout, shape, element, type_);
    let loaded = e.effect(loaded);
    if count == 1 {
        return Some(vec![loaded]);
    }
    let words = (0..count).map(|i| e.extract_value(loaded, i, i32));
    Some(words.collect())
}

/// Transposes an 8x8 matrix with `movmatrix`, in inline assembly because MLIR and LLVM have no operation for this
/// instruction.
pub(super) fn transpose<'c>(e: &mut Emitter<'c>, word: Val<'c>) -> Val<'c> {
    // A side effect, since the convergent instruction must not be sunk into a branch.
    let text = "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;";
    let i32 = e.types.i32;
    let moved = e.inline_asm(text, "=r,r", &[word], Some(i32));
    moved.expect("the assembly has a result")
}

pub(super) fn store<'c>(
    e: &mut Emitter<'c>,
    pointer: Val<'c>,
    words: &[Val<'c>],
    fragment: Fragment,
) -> Option<()> {
    let (layout, shape, element) = layout(e, fragment)?;
    e.operation(nvvm::stmatrix(pointer, words, layout, shape, element));
    Some(())
}

fn layout<'c>(
    e: &mut Emitter<'c>,
    fragment: Fragment,
) -> Option<(MMALayout, Attribute<'c>, LdStMatrixEltType)> {
    use Fragment as F;
    use LdStMatrixEltType::{B8, B16};
    use MMALayout::{Col, Row};
    const SQUARE: &str = "#nvvm.ld_st_matrix_shape<m = 8, n = 8>";
    let (layout, shape, element) = match fragment {
        F::Plain => (Row, SQUARE, B16),
        F::Transposed => (Col, SQUARE, B16),
        F::LoadedBytes => (Col, "#nvvm.ld_st_matrix_shape<m = 16, n = 16>", B8),
        F::StoredBytes => (Col, "#nvvm.ld_st_matrix_shape<m = 16, n = 8>", B8),
        F::Read16 | F::Read8 | F::Load16 | F::Load8 => return None,
    };
    Some((layout, e.cached_attr(shape), element))
}
