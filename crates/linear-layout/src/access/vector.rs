//! Vectorised accesses: the number of elements per access, and the registers that one access moves.

use super::AxisInfo;
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;

/// A global-memory access that all threads execute.
#[derive(Clone, Copy, Debug)]
pub struct GlobalAccess<'a> {
    /// Axis information of the addresses of the elements.
    pub pointer: &'a AxisInfo,
    /// The mask, or `None` if all elements are active.
    pub mask: Option<&'a AxisInfo>,
    /// Width of an element in bits. Elements narrower than a byte occupy a whole byte.
    pub element_bits: u32,
    /// The layout `(register, lane, warp, block) -> (dim0, ...)` of the accessed tensor. Register bases must not be
    /// zero.
    pub layout: &'a LinearLayout,
    /// Number of consecutive elements that the operation guarantees to be contiguous in memory, to be aligned, and
    /// to have the same mask bit. An example is `contiguity` of `amdg.buffer_load`. The value 1 guarantees nothing.
    /// The guarantee applies to the dimension along which register bit 0 moves.
    pub hinted_elements: u64,
    /// Width in bits of the widest access that the target supports.
    pub widest_bits: u32,
}

/// A partition of a thread's registers into vectors of equal size. Each vector is moved by one access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorAccess {
    bits: [u8; 8],
    num_bits: u8,
    dim: usize,
    element_bytes: u64,
    alignment_bytes: u64,
}

impl VectorAccess {
    /// Returns the number of elements per access. It is a power of two, and 1 if no wider access is legal.
    #[must_use]
    pub const fn elements(&self) -> usize {
        1 << self.num_bits
    }

    /// Returns the register bits that enumerate the elements of an access. Register bit number `register_bits()[i]`
    /// advances by 2^i elements in memory.
    ///
    /// For example, `[2, 0]` means that registers 0, 4, 1, 5 are adjacent in memory.
    #[must_use]
    pub fn register_bits(&self) -> &[u8] {
        &self.bits[..usize::from(self.num_bits)]
    }

    /// Returns the dimension along which the elements of an access are consecutive.
    #[must_use]
    pub const fn dim(&self) -> usize {
        self.dim
    }

    /// Returns the known alignment of every access in bytes. It is at least the size of an access.
    #[must_use]
    pub const fn alignment_bytes(&self) -> u64 {
        self.alignment_bytes
    }

    /// Splits each access of more than `elements` elements into several accesses.
    #[must_use]
    pub fn at_most(mut self, elements: usize) -> Self {
        let bits = u8::try_from(elements.max(1).ilog2()).unwrap_or(u8::MAX);
        if bits < self.num_bits {
            self.num_bits = bits;
            // Parts after the first one start at multiples of their own size.
            self.alignment_bytes = self.alignment_bytes.min(self.element_bytes << bits);
        }
        self
    }

    /// Returns the registers of the access that contains `register`, in memory order.
    ///
    /// For example, with register bits `[2, 0]` the registers 0 to 7 form the groups 0, 4, 1, 5 and 2, 6, 3, 7.
    pub fn registers_of(&self, register: usize) -> impl Iterator<Item = usize> + '_ {
        let all = self.register_bits().iter().fold(0, |m, b| m | 1usize << b);
        (0..self.elements()).map(move |i| {
            self.register_bits()
                .iter()
                .enumerate()
                .filter(|(k, _)| i >> k & 1 == 1)
                .fold(register & !all, |r, (_, b)| r | 1 << b)
        })
    }

    /// Returns true if `register` is the first register of its access.
    #[must_use]
    pub fn is_first(&self, register: usize) -> bool {
        self.register_bits().iter().all(|b| register >> b & 1 == 0)
    }
}

impl GlobalAccess<'_> {
    /// Returns the widest legal access.
    ///
    /// # Laws
    /// The registers of an access have consecutive addresses in memory order, the first address is a multiple of the
    /// size of the access, and the mask is uniform.
    ///
    /// # Source
    /// Triton's `getVectorSize`. More general: any register bits may enumerate the elements, along any dimension.
    #[must_use]
    pub fn widest(&self) -> VectorAccess {
        let bytes = u64::from(self.element_bits.max(8) / 8);
        let known_log2 = narrow((self.widest_bits / 8).ilog2());
        let mut best = VectorAccess {
            bits: [0; 8],
            num_bits: 0,
            dim: 0,
            element_bytes: bytes,
            alignment_bytes: bytes.max(1 << self.pointer.everywhere_log2().min(known_log2)),
        };
        let whole = self.element_bits <= 1 || self.element_bits.is_multiple_of(8);
        if !whole || !bytes.is_power_of_two() || bytes * 8 > u64::from(self.widest_bits) {
            return best;
        }
        let most = u64::from(self.widest_bits) / (bytes * 8);
        let hinted_dim = (0..self.pointer.rank()).find(|d| self.moves(0, *d) != 0);
        for d in 0..self.pointer.rank() {
            let mut limit = self
                .pointer
                .contiguity(d)
                .min((self.pointer.divisibility(d) / bytes).max(1));
            if let Some(mask) = self.mask {
                limit = limit.min(if mask.rank() == self.pointer.rank() {
                    mask.constancy(d)
                } else {
                    1
                });
            }
            if hinted_dim == Some(d) {
                limit = limit.max(1 << self.hinted_elements.max(1).ilog2());
            }
            let Some(found) = self.registers_along(d, limit.min(most)) else {
                continue;
            };
            if found.num_bits > best.num_bits {
                let known = 1
                    << self
                        .pointer
                        .divisibility_at(d, found.num_bits)
                        .min(known_log2);
                best = VectorAccess {
                    alignment_bytes: known.max(bytes << found.num_bits),
                    ..found
                };
            }
        }
        best
    }

    /// Returns the longest groups of registers with consecutive addresses, whatever their alignment and their masks. They are as
    /// long as the widest access, at most.
    ///
    /// An access of such a group has the address of the first register and a constant offset.
    #[must_use]
    pub fn consecutive(&self) -> VectorAccess {
        let bytes = u64::from(self.element_bits.max(8) / 8);
        let most = (u64::from(self.widest_bits) / (bytes * 8)).max(1);
        let found = (0..self.pointer.rank())
            .filter_map(|d| self.registers_along(d, self.pointer.contiguity(d).min(most)));
        let longest = found.reduce(|a, b| if b.num_bits > a.num_bits { b } else { a });
        longest.unwrap_or_else(|| self.widest().at_most(1))
    }

    /// Returns the distance by which register bit `bit` moves along dimension `d`. Returns 0 if the bit also
    /// changes another coordinate.
    fn moves(&self, bit: usize, d: usize) -> u64 {
        if bit >= self.layout.in_bits(Dim::REGISTER) {
            return 0;
        }
        let step = self.layout.basis_component(Dim::REGISTER, bit, Dim::out(d));
        let alone = self
            .layout
            .basis(Dim::REGISTER, bit)
            .iter()
            .filter(|c| *c != 0)
            .count()
            == 1;
        if alone { step } else { 0 }
    }

    /// Returns the access of at most `limit` elements whose register bits have strides 1, 2, 4, ... along `d`.
    ///
    /// The basis of another input bit may also contain one of these strides along `d`. The access then ends before
    /// this stride.
    fn registers_along(&self, d: usize, limit: u64) -> Option<VectorAccess> {
        if !self.layout.has_out_dim(Dim::out(d)) {
            return None;
        }
        let mut found = VectorAccess {
            bits: [0; 8],
            num_bits: 0,
            dim: d,
            element_bytes: u64::from(self.element_bits.max(8) / 8),
            alignment_bytes: 1,
        };
        let registers = self.layout.in_bits(Dim::REGISTER);
        while 1u64 << (found.num_bits + 1) <= limit {
            let step = 1u64 << found.num_bits;
            let Some(bit) = (0..registers).find(|bit| self.moves(*bit, d) == step) else {
                break;
            };
            found.bits[usize::from(found.num_bits)] = narrow(bit);
            // Another input that affects this bit would permute the group in some threads.
            let others = self.layout.in_dims().any(|dim| {
                (0..self.layout.in_bits(dim)).any(|other| {
                    (dim != Dim::REGISTER || other != bit)
                        && self.layout.basis_component(dim, other, Dim::out(d)) & step != 0
                })
            });
            if others {
                break;
            }
            found.num_bits += 1;
        }
        Some(found)
    }
}
