//! Byte permutations within a lane.

use super::{Family, OpRow, row};
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder, keyword};
use crate::exec::{Exec, Instruction, Marks, PoisonEffect, Regs};
use crate::ir::Operation;

pub(super) const FAMILY: Family = Family {
    title: "byte permutes",
    operations: &[ROWS],
    intrinsics: &[INTRINSICS],
};

const ROWS: &[OpRow] = &[row("nvvm.prmt", |d, op| {
    let word = keyword(op.str("mode").unwrap_or(""));
    let Some((_, pick)) = MODES.iter().find(|(name, _)| *name == word) else {
        let known: Vec<&str> = MODES.iter().map(|(name, _)| *name).collect();
        let text = format!(
            "unknown permute mode `{word}`; expected one of {}",
            known.join(", ")
        );
        return Err(d.malformed(op, text));
    };
    let [a, selector] = d.scalars(op, [0, op.operands.len().saturating_sub(1)])?;
    let b = match op.operands.len() {
        3 => d.scalar(op, 1)?,
        _ => d.b.constant(0),
    };
    let of = [a, b, selector];
    let reg = d.emit(|dst| Permute {
        pick: *pick,
        dst,
        of,
    });
    d.define(op, vec![reg])
})];

const INTRINSICS: &[OpRow] = &[
    row("llvm.nvvm.prmt", |d, op| permute(d, op, DEFAULT)),
    // `a` is the upper word, as in `v_perm_b32`.
    row("llvm.amdgcn.perm", |d, op| permute(d, op, amd)),
];

/// Picks the bytes of the result from the first two arguments; the third argument is the selector.
pub(crate) type Pick = fn(u64, u64, u64) -> u64;

/// `prmt` without a mode. Each 4-bit group of the selector chooses a byte of `b:a`, or replicates its sign bit.
pub(crate) const DEFAULT: Pick = |a, b, selector| {
    let bytes = bytes(a, b);
    (0..4).fold(0, |result, index| {
        let nibble = (selector >> (4 * index)) as usize & 0xf;
        let byte = bytes[nibble & 7];
        let value = match nibble & 8 {
            0 => byte,
            _ if byte & 0x80 != 0 => 0xff,
            _ => 0,
        };
        result | u64::from(value) << (8 * index)
    })
};

/// The modes of `prmt`. Except in the default mode, the selector is a number from 0 to 3.
const MODES: [(&str, Pick); 7] = [
    ("default", DEFAULT),
    ("f4e", |a, b, s| by(a, b, s, |n| [n, n + 1, n + 2, n + 3])),
    ("b4e", |a, b, s| {
        by(a, b, s, |n| [n, (n + 7) % 8, (n + 6) % 8, (n + 5) % 8])
    }),
    ("rc8", |a, b, s| by(a, b, s, |n| [n; 4])),
    ("ecl", |a, b, s| {
        by(a, b, s, |n| [n, n.max(1), n.max(2), n.max(3)])
    }),
    ("ecr", |a, b, s| {
        by(a, b, s, |n| [0, n.min(1), n.min(2), n.min(3)])
    }),
    ("rc16", |a, b, s| {
        by(a, b, s, |n| {
            let base = (n & 1) * 2;
            [base, base + 1, base, base + 1]
        })
    }),
];

fn bytes(a: u64, b: u64) -> [u8; 8] {
    (b << 32 | a & 0xffff_ffff).to_le_bytes()
}

fn by(a: u64, b: u64, selector: u64, pick: fn(usize) -> [usize; 4]) -> u64 {
    let bytes = bytes(a, b);
    let picked = pick((selector & 3) as usize).map(|index| bytes[index]);
    u32::from_le_bytes(picked).into()
}

/// Computes `v_perm_b32`. Each byte of the selector determines one byte of the result: 0 to 7 choose a byte of
/// `a:b`, 8 to 11 replicate the sign bit of one of the four half words, 12 gives 0, and larger values give 0xff.
pub(crate) fn amd(a: u64, b: u64, selector: u64) -> u64 {
    let both = a << 32 | b & 0xffff_ffff;
    (0..4).fold(0, |result, index| {
        let choice = selector >> (8 * index) & 0xff;
        let byte = match choice {
            0..=7 => both >> (8 * choice) & 0xff,
            8..=11 => ((both >> (16 * (choice - 8) + 15)) & 1) * 0xff,
            12 => 0,
            _ => 0xff,
        };
        result | byte << (8 * index)
    })
}

/// A byte permutation. The third register is the selector.
#[derive(Debug)]
pub(crate) struct Permute {
    pub(crate) pick: Pick,
    pub(crate) dst: Reg,
    pub(crate) of: [Reg; 3],
}

impl Instruction for Permute {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], self.of)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.map3(self.dst, self.of, self.pick);
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        let [a, b, selector] = self.of;
        if let Some(mark) = lane.of(&[selector]) {
            return PoisonEffect::Results(Some(mark));
        }
        // Permutes the undefined bits, without the constant bytes of some selectors.
        let picked = |a, b| (self.pick)(a, b, lane.get(selector));
        let undefined = picked(lane.bits(a), lane.bits(b)) ^ picked(0, 0);
        PoisonEffect::Results(lane.bitwise(&[a, b], 32, undefined))
    }
}

fn permute(d: &mut Decoder<'_>, op: &Operation, pick: Pick) -> DecodeResult {
    let of = d.scalars(op, [0, 1, 2])?;
    let reg = d.emit(|dst| Permute { pick, dst, of });
    d.define(op, vec![reg])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_permutes_follow_the_manuals() {
        let (a, b) = (0x0302_0100, 0x8706_0504);
        for (mode, selector, expect) in [
            ("default", 0x5410, 0x0504_0100),
            ("default", 0x000f, 0x0000_00ff),
            ("f4e", 1, 0x0403_0201),
            ("b4e", 0, 0x0506_8700),
            ("rc8", 2, 0x0202_0202),
            ("ecl", 2, 0x0302_0202),
            ("ecr", 2, 0x0202_0100),
            ("rc16", 1, 0x0302_0302),
        ] {
            let (_, pick) = MODES.iter().find(|(name, _)| *name == mode).unwrap();
            assert_eq!(pick(a, b, selector), expect, "{mode}");
        }
        assert_eq!(amd(0x7766_5544, 0x3322_1100, 0x0706_0100), 0x7766_1100);
        assert_eq!(amd(0x8000_0000, 0, 0x0c0d_0b07), 0x00ff_ff80);
    }
}
