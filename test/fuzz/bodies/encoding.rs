//! Body of the encoding fuzz target. A plain function, so that `cargo test` replays the
//! corpus and every input that was once bad.

use linear_layout::encoding::{Aliases, Encoding};

/// Checks that parsing never panics, and that an encoding is unchanged if it is written and parsed again. Also
/// checks for several shapes that the computation of the layout either fails or gives a layout of the encoding's
/// rank.
pub(crate) fn text(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let _ = Aliases::parse(text);
    let encoding = match text.parse::<Encoding>() {
        Ok(encoding) => encoding,
        Err(e) => {
            assert!(!e.to_string().is_empty());
            assert!(e.offset().is_none_or(|at| at <= text.len()), "{e}");
            return;
        }
    };
    let again = encoding.to_string().parse::<Encoding>();
    assert_eq!(again.as_ref(), Ok(&encoding), "written as {encoding}");
    for size in [0, 1, 2, 3, 16, 64, 1 << 20, 1 << 31, 1 << 40, u64::MAX] {
        let shape = vec![size; encoding.rank()];
        if let Ok(layout) = encoding.to_linear_layout(&shape) {
            assert_eq!(layout.num_out_dims(), encoding.rank(), "{encoding}");
            // One shape is enough for the slow way back.
            if size == 16
                && let Ok(named) = Encoding::recognize(&layout)
            {
                let sizes: Vec<u64> = layout.out_shape().map(|(_, size)| size).collect();
                assert_eq!(
                    named.to_linear_layout(&sizes).as_ref(),
                    Ok(&layout),
                    "{encoding}"
                );
            }
        }
    }
}
