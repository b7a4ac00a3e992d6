//! Bank conflicts of one access of a warp.

use crate::f2::Echelon;
use crate::target::{Access, Target};

/// Returns the mask of the lane bits in which the lanes of a phase differ. A phase is a group of lanes that shared
/// memory serves together. `lane_columns[i]` is the contribution of lane bit `i` to the address.
pub(crate) fn phase_lane_bits<C: Default + PartialEq>(
    lane_columns: &[C],
    bytes: u32,
    access: Access,
    target: &Target,
) -> u32 {
    let repeats = |mask: u32| lane_columns.get(mask as usize / 2) == Some(&C::default());
    target.phase_lane_bits_with(access, bytes, repeats)
}

/// Returns (wavefronts, phases) of one access by a whole warp. Lanes that differ only in `phase_bits` form a phase.
/// Without bank conflicts, each phase takes one wavefront.
///
/// Lanes of a phase conflict if they access different words of the same bank. Addresses are a linear map of the
/// lane bits, so the number of accessed words is the same in each accessed bank: `2^(a - b)`, where `a` is the
/// dimension of the space of accessed words, and `b` is the dimension of the space of accessed banks.
pub(crate) fn wavefronts(
    lane_columns: &[u32],
    bytes: u32,
    phase_bits: u32,
    target: &Target,
) -> (u32, u32) {
    let word = target.bank_bytes;
    let phases = target.lanes >> phase_bits.count_ones();
    let banks_mask = u64::from(target.banks - 1);
    let mut words = Echelon::new();
    let mut banks = Echelon::new();
    let mut n = 0;
    let mut add = |w: u32| {
        let w = u64::from(w / word);
        words.insert(n, w);
        banks.insert(n, w & banks_mask);
        n += 1;
    };
    let mut b = word;
    while b < bytes {
        add(b);
        b *= 2;
    }
    for (i, &c) in lane_columns.iter().enumerate() {
        if phase_bits >> i & 1 == 1 {
            add(c);
        }
    }
    (phases << (words.rank() - banks.rank()), phases)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::gf2::apply_u32;

    #[test]
    fn the_formula_counts() {
        let columns = [
            [4, 8, 16, 32, 64, 128],
            [128, 256, 4, 8, 16, 32],
            [16, 32, 64, 128, 256, 512],
            [0, 0, 128, 132, 4096, 8],
            [2, 4, 8, 16, 32, 64],
            [1, 256, 512, 3, 1024, 8],
        ];
        for name in [
            "cuda:80",
            "cuda:90",
            "hip:gfx942",
            "hip:gfx950",
            "hip:gfx1100",
        ] {
            let target = Target::parse(name).unwrap();
            for columns in columns {
                let lanes = &columns[..target.lanes_log2() as usize];
                for bytes in [1, 2, 4, 8, 16] {
                    let aligned: Vec<u32> = lanes.iter().map(|c| c / bytes * bytes).collect();
                    for access in [Access::Load, Access::Store] {
                        let address = |lane| Some(u64::from(apply_u32(&aligned, lane)));
                        let addresses: Vec<_> = (0..target.lanes).map(address).collect();
                        let counted = target.wavefronts(&addresses, bytes, access);
                        let phase_bits = phase_lane_bits(&aligned, bytes, access, target);
                        assert_eq!(
                            (counted.taken as u32, counted.ideal as u32),
                            wavefronts(&aligned, bytes, phase_bits, target),
                            "{name} {aligned:?} {bytes} {access:?}"
                        );
                    }
                }
            }
        }
    }
}
