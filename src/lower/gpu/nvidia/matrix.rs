//! Matrices of 8 rows of 16 bytes, by warps.

use crate::lower::emit::{Emitter, Named};
use crate::sys::build::Val;

/// Reads a word of each of `count` matrices whose rows lie where lanes say.
pub(super) fn load<'c>(
    e: &mut Emitter<'c>,
    pointer: Val<'c>,
    count: usize,
    transposed: bool,
) -> Vec<Val<'c>> {
    let i32 = e.types.i32;
    let type_ = if count == 1 {
        i32
    } else {
        e.struct_type(&vec![i32; count])
    };
    let mut attributes = layout(e, transposed).to_vec();
    attributes.push(("num", e.i32_attr(count as i64)));
    let loaded = e.effect("nvvm.ldmatrix", &[pointer], type_, &attributes);
    if count == 1 {
        return vec![loaded];
    }
    (0..count)
        .map(|i| e.extract_value(loaded, i, i32))
        .collect()
}

/// Exchanges rows and columns of the matrix of which lanes have a word each. MLIR and LLVM have no operation for it.
pub(super) fn transpose<'c>(e: &mut Emitter<'c>, word: Val<'c>) -> Val<'c> {
    // With an effect, as lanes must come together: what has none may be moved into a branch.
    let text = "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;";
    let i32 = e.types.i32;
    let moved = e.inline_asm(text, "=r,r", &[word], Some(i32));
    moved.expect("a result was asked for")
}

/// Writes a word of each matrix to rows that lie where lanes say.
pub(super) fn store<'c>(
    e: &mut Emitter<'c>,
    pointer: Val<'c>,
    words: &[Val<'c>],
    transposed: bool,
) {
    let operands = [&[pointer], words].concat();
    let attributes = layout(e, transposed);
    e.statement("nvvm.stmatrix", &operands, &attributes);
}

fn layout<'c>(e: &mut Emitter<'c>, transposed: bool) -> [Named<'c>; 3] {
    let layout = if transposed {
        "#nvvm.mma_layout<col>"
    } else {
        "#nvvm.mma_layout<row>"
    };
    [
        ("layout", e.kept(layout)),
        ("shape", e.kept("#nvvm.ld_st_matrix_shape<m = 8, n = 8>")),
        ("eltType", e.kept("#nvvm.ld_st_matrix_elt_type<b16>")),
    ]
}
