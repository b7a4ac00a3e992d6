//! One layout in every view.

use linear_layout::encoding::Encoding;
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::view::{HardwareGrid, MatrixView, TensorGrid, Window};

#[test]
fn a_layout_is_shown_as_tensor_hardware_and_matrix() {
    let encoding: Encoding = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], warpsPerCTA = [2, 1], order = [1, 0]}>"
        .parse()
        .unwrap();
    let layout = encoding.to_linear_layout(&[4, 4]).unwrap();
    let window = Window::default();
    assert_eq!(
        TensorGrid::new(&layout, window).to_string(),
        "4 x 4: dim0 down, dim1 across; a cell is T<4 * warp + lane>:<register>
       0     1     2     3
0:  T0:0  T0:1  T1:0  T1:1
1:  T2:0  T2:1  T3:0  T3:1
2:  T4:0  T4:1  T5:0  T5:1
3:  T6:0  T6:1  T7:0  T7:1
"
    );
    assert_eq!(
        HardwareGrid::new(&layout, window).to_string(),
        "lane down, register across; a cell is (dim0, dim1)
warp = 0
         0       1
0:  (0, 0)  (0, 1)
1:  (0, 2)  (0, 3)
2:  (1, 0)  (1, 1)
3:  (1, 2)  (1, 3)
warp = 1
         0       1
0:  (2, 0)  (2, 1)
1:  (2, 2)  (2, 3)
2:  (3, 0)  (3, 1)
3:  (3, 2)  (3, 3)
"
    );
    let rows: Vec<Vec<u8>> = MatrixView::new(&layout).rows().collect();
    let expected = [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]];
    assert_eq!(rows, expected.map(|row| row.to_vec()));
}

#[test]
fn a_matrix_is_labelled_with_what_each_bit_is_worth() {
    let layout = LinearLayout::from_bases(
        &[(Dim::OFFSET, &[&[0, 1], &[0, 2], &[1, 2]])],
        &[Dim::out(0), Dim::out(1)],
    )
    .unwrap();
    assert_eq!(
        MatrixView::new(&layout).to_string(),
        "        offset
        1  2  4
dim0=1  .  .  1
dim1=1  1  .  .
dim1=2  .  1  1
"
    );
}
