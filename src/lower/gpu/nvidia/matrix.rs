//! Matrices, by warps.

use crate::lower::emit::{Emitter, Named};
use crate::sys::build::Val;
use linear_layout::target::Fragment;

/// Reads `count` words a lane of matrices whose rows lie where lanes say.
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
    let mut attributes = layout(e, fragment)?.to_vec();
    attributes.push(("num", e.i32_attr(matrices as i64)));
    let loaded = e.effect("nvvm.ldmatrix", &[pointer], type_, &attributes);
    if count == 1 {
        return Some(vec![loaded]);
    }
    let words = (0..count).map(|i| e.extract_value(loaded, i, i32));
    Some(words.collect())
}

/// Exchanges rows and columns of the matrix of which lanes have a word each. MLIR and LLVM have no operation for it.
pub(super) fn transpose<'c>(e: &mut Emitter<'c>, word: Val<'c>) -> Val<'c> {
    // With an effect, as lanes must come together: what has none may be moved into a branch.
    let text = "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;";
    let i32 = e.types.i32;
    let moved = e.inline_asm(text, "=r,r", &[word], Some(i32));
    moved.expect("a result was asked for")
}

/// Writes words of matrices to rows that lie where lanes say.
pub(super) fn store<'c>(
    e: &mut Emitter<'c>,
    pointer: Val<'c>,
    words: &[Val<'c>],
    fragment: Fragment,
) -> Option<()> {
    let operands = [&[pointer], words].concat();
    let attributes = layout(e, fragment)?;
    e.statement("nvvm.stmatrix", &operands, &attributes);
    Some(())
}

fn layout<'c>(e: &mut Emitter<'c>, fragment: Fragment) -> Option<[Named<'c>; 3]> {
    const COLUMNS: &str = "#nvvm.mma_layout<col>";
    const SQUARE: &str = "#nvvm.ld_st_matrix_shape<m = 8, n = 8>";
    const HALVES: &str = "#nvvm.ld_st_matrix_elt_type<b16>";
    const BYTES: &str = "#nvvm.ld_st_matrix_elt_type<b8>";
    use Fragment as F;
    let (layout, shape, element) = match fragment {
        F::Plain => ("#nvvm.mma_layout<row>", SQUARE, HALVES),
        F::Transposed => (COLUMNS, SQUARE, HALVES),
        F::LoadedBytes => (COLUMNS, "#nvvm.ld_st_matrix_shape<m = 16, n = 16>", BYTES),
        F::StoredBytes => (COLUMNS, "#nvvm.ld_st_matrix_shape<m = 16, n = 8>", BYTES),
        F::Read16 | F::Read8 | F::Load16 | F::Load8 => return None,
    };
    Some([
        ("layout", e.kept(layout)),
        ("shape", e.kept(shape)),
        ("eltType", e.kept(element)),
    ])
}
