//! The element width for `--type`.

use crate::Failure;
use linear_layout::encoding::element_bits_of_name;

/// Returns the width of the element type `name` in bits. If `name` is `None`, returns `of_text`, which is the width
/// that the text of the layout specifies.
///
/// Fails if both are `None`, or if the type is unknown.
pub(crate) fn element_bits(name: Option<&str>, of_text: Option<u32>) -> Result<u32, Failure> {
    match name {
        Some(name) => element_bits_of_name(name).map_err(|error| {
            let notes = error.notes();
            notes.iter().fold(Failure::new(&error), Failure::note)
        }),
        None => of_text.ok_or_else(|| {
            Failure::new("the element type is missing").note(
                "add a type, as in `--type f16`, or give a tensor type, `tensor<64x64xf16, #ttg...>`",
            )
        }),
    }
}
