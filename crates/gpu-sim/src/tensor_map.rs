//! Tensor maps: 128-byte descriptors of tensors in global memory, for copies of boxes.
//!
//! The driver's `CUtensorMap` is opaque, so the simulator uses a different encoding, in little-endian order:
//! ```text
//! byte   0   8 bytes  "LLTMAP1" and a zero       44  5 x 4  box, in elements, innermost dimension first
//!        8   8        address of element 0       64  5      element strides; 0 means 1
//!       16   1        type of the elements       72  4 x 8  byte strides of dimensions 1 to 4
//!       17   1        dimensions - 1            104  1      1 for an image that is read pixel by pixel
//!       18   1        swizzle: 0, 1, 2, 3 for none, 32, 64, 128 bytes
//!                                               106  3 x 2  lower corner of the bounding box
//!                                               112  3 x 2  upper corner of the bounding box
//!       19   1        fill mode: reads elements outside of the tensor as zeros (0) or as NaN (1)
//!       20   1        interleaving: 0 is no interleaving
//!       24   5 x 4    size of each dimension
//! ```
//! Element types are numbered as in `tensormap.replace.tile.elemtype`. This instruction changes single fields of a map
//! in memory, and can turn 128 zero bytes into a map.
//!
//! # Source
//! PTX ISA, "Tensors", "tensormap.replace", "cp.async.bulk.tensor". CUDA Driver API, "Tensor Map Object Management",
//! for the rules that a valid map satisfies, and for the order in which pixels are read.

use super::data::ElementTy;
use super::float::FloatTy;
use super::memory::{read_le, write_le};

pub(crate) const MAP_BYTES: usize = 128;
pub(crate) const MAGIC: u64 = u64::from_le_bytes(*b"LLTMAP1\0");
const MAX_DIMENSIONS: usize = 5;
/// Required alignment, in bytes, of the addresses, strides and box rows in a tensor map.
pub(crate) const UNIT: u32 = 16;
/// Maximum number of spatial dimensions of an image.
const MAX_SPATIAL: usize = 3;
/// Maximum number of pixels of a box.
const MAX_PIXELS: u32 = 1024;
/// Byte offsets in an encoded map: the flag of images, and the corners of the bounding box.
const IMAGE_MODE: usize = 104;
const LOWER: usize = 106;
const UPPER: usize = 112;

/// The little-endian bytes of a 64-bit NaN. The last 2 bytes are a 16-bit NaN, and the last 4 bytes are a 32-bit
/// NaN.
const NAN: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];

/// A permutation of the 16-byte chunks of a box in shared memory. It XORs address bit `7 + k` into address bit
/// `4 + k`. `k` is 0 for `Bytes32`, 0 and 1 for `Bytes64`, and 0 to 2 for `Bytes128`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Swizzle {
    /// No permutation.
    #[default]
    None,
    /// Permutation of the chunks within blocks of 32 bytes.
    Bytes32,
    /// Permutation of the chunks within blocks of 64 bytes.
    Bytes64,
    /// Permutation of the chunks within blocks of 128 bytes.
    Bytes128,
}

impl Swizzle {
    const ALL: [Self; 4] = [Self::None, Self::Bytes32, Self::Bytes64, Self::Bytes128];

    /// Decodes a swizzle from its number in `tensormap.replace.tile.swizzle_mode`. Returns `None` for unknown
    /// numbers.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    pub(crate) const fn bytes(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Bytes32 => 32,
            Self::Bytes64 => 64,
            Self::Bytes128 => 128,
        }
    }

    /// Returns the address in shared memory at which a byte of a box is stored. `address` is the address of the
    /// byte without the swizzle.
    pub(crate) const fn apply(self, address: u64) -> u64 {
        match self.bytes() {
            0 => address,
            bytes => address ^ (address >> 7 & (bytes / UNIT - 1) as u64) << 4,
        }
    }
}

/// The element type of a tensor. The value of each variant is the number that GPU instructions use for the type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum TensorElement {
    /// An unsigned 8-bit integer, or any other 8-bit type, such as an 8-bit float.
    U8 = 0,
    /// An unsigned 16-bit integer.
    U16 = 1,
    /// An unsigned 32-bit integer.
    U32 = 2,
    /// A signed 32-bit integer.
    S32 = 3,
    /// An unsigned 64-bit integer.
    U64 = 4,
    /// A signed 64-bit integer.
    S64 = 5,
    /// IEEE binary16.
    F16 = 6,
    /// IEEE binary32.
    F32 = 7,
    /// IEEE binary32 with subnormals flushed to zero.
    F32Ftz = 8,
    /// IEEE binary64.
    F64 = 9,
    /// bfloat16.
    Bf16 = 10,
    /// TF32: the upper 19 bits of an IEEE binary32.
    Tf32 = 11,
    /// TF32 with subnormals flushed to zero.
    Tf32Ftz = 12,
}

impl TensorElement {
    const ALL: [Self; 13] = [
        Self::U8,
        Self::U16,
        Self::U32,
        Self::S32,
        Self::U64,
        Self::S64,
        Self::F16,
        Self::F32,
        Self::F32Ftz,
        Self::F64,
        Self::Bf16,
        Self::Tf32,
        Self::Tf32Ftz,
    ];

    /// Decodes an element type from its number in `tensormap.replace.tile.elemtype`. Returns `None` for unknown
    /// numbers.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    pub(crate) const fn ty(self) -> ElementTy {
        match self {
            Self::U8 => ElementTy::Int(8),
            Self::U16 => ElementTy::Int(16),
            Self::U32 | Self::S32 => ElementTy::Int(32),
            Self::U64 | Self::S64 => ElementTy::Int(64),
            Self::F16 => ElementTy::Float(FloatTy::F16),
            Self::F32 | Self::F32Ftz | Self::Tf32 | Self::Tf32Ftz => ElementTy::Float(FloatTy::F32),
            Self::F64 => ElementTy::Float(FloatTy::F64),
            Self::Bf16 => ElementTy::Float(FloatTy::BF16),
        }
    }

    pub(crate) const fn bytes(self) -> u32 {
        self.ty().bytes() as u32
    }
}

/// The order in which a copy reads the pixels of an image (im2col mode). Spatial dimensions are innermost first.
///
/// The pixels that a copy visits lie in a bounding box. Along a dimension of size `n`, the box ranges from `lower` to
/// `n - 1 + upper`. A copy visits pixels from its coordinates on, in steps of `steps`, and continues at the lower corner
/// of the next outer dimension. It reads each pixel at an offset that the copy instruction gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PixelOrder {
    /// Lower corner of the bounding box.
    pub lower: Vec<i16>,
    /// Upper corner of the bounding box, relative to the last pixel of the image.
    pub upper: Vec<i16>,
    /// Distance between visited pixels, from 1 to 8.
    pub steps: Vec<u8>,
}

/// A tensor map: a descriptor of a tensor in global memory, and of the box that one copy moves.
///
/// Dimensions are in the GPU's order, innermost first.
/// ```
/// use gpu_sim::{Memory, Swizzle, TensorElement, TensorMap};
/// let mut memory = Memory::default();
/// let data = memory.add("data", vec![0; 64 * 128]);
/// let map = TensorMap {
///     address: memory.address(data),
///     element: TensorElement::F16,
///     dims: vec![64, 64],
///     strides: vec![128],
///     block: vec![64, 32],
///     swizzle: Swizzle::Bytes128,
///     fills_nan: false,
///     pixels: None,
/// };
/// memory.add("map", map.encode().to_vec());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorMap {
    /// Byte address of the first element; a multiple of 16.
    pub address: u64,
    /// Type of the elements.
    pub element: TensorElement,
    /// Number of elements along each dimension. There are at most 5 dimensions.
    pub dims: Vec<u32>,
    /// Byte strides of all dimensions except the innermost; multiples of 16.
    pub strides: Vec<u64>,
    /// Number of elements of the box along each dimension. Each is at most 256, except that a box of images has up to
    /// 1024 pixels.
    pub block: Vec<u32>,
    /// Swizzle of the box in shared memory.
    pub swizzle: Swizzle,
    /// True if elements outside of the tensor are read as NaN, false if they are read as zeros. NaN requires an
    /// element type that is a float of 16 or more bits.
    pub fills_nan: bool,
    /// The order of pixels if the tensor is a batch of images, `None` if a box is a tile. An image has the dimensions
    /// (channel, one to three spatial dimensions, image of the batch), and a box has the dimensions (channel, pixel).
    pub pixels: Option<PixelOrder>,
}

/// Returns (byte offset, bytes per entry, number of entries) of the field `name` of a tensor map, or `None` if
/// `tensormap.replace.tile` has no such field.
pub(crate) fn field(name: &str) -> Option<(u32, u8, u32)> {
    Some(match name {
        "global_address" => (8, 8, 1),
        "elemtype" => (16, 1, 1),
        "rank" => (17, 1, 1),
        "swizzle_mode" => (18, 1, 1),
        "fill_mode" => (19, 1, 1),
        "interleave_layout" => (20, 1, 1),
        "global_dim" => (24, 4, 5),
        "box_dim" => (44, 4, 5),
        "element_stride" => (64, 1, 5),
        "global_stride" => (72, 8, 4),
        _ => return None,
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ByteRun {
    /// Byte offset at which the run begins in its box, before the swizzle is applied.
    pub(crate) at: u32,
    pub(crate) bytes: u32,
    /// Address of the byte run in global memory; `None` if the run is outside of the tensor.
    pub(crate) global: Option<u64>,
}

impl TensorMap {
    /// Returns the 128 bytes that encode the map. Dimensions after the fifth are ignored.
    #[must_use]
    pub fn encode(&self) -> [u8; MAP_BYTES] {
        let mut bytes = [0; MAP_BYTES];
        write_le(&mut bytes, 0, 8, MAGIC);
        write_le(&mut bytes, 8, 8, self.address);
        bytes[16] = self.element as u8;
        bytes[17] = self.dims.len().clamp(1, MAX_DIMENSIONS) as u8 - 1;
        bytes[18] = self.swizzle as u8;
        bytes[19] = self.fills_nan.into();
        for (at, dim) in self.dims.iter().take(MAX_DIMENSIONS).enumerate() {
            write_le(&mut bytes, 24 + 4 * at, 4, (*dim).into());
        }
        for (at, size) in self.block.iter().take(MAX_DIMENSIONS).enumerate() {
            write_le(&mut bytes, 44 + 4 * at, 4, (*size).into());
        }
        for (at, stride) in self.strides.iter().take(MAX_DIMENSIONS - 1).enumerate() {
            write_le(&mut bytes, 72 + 8 * at, 8, *stride);
        }
        if let Some(PixelOrder {
            lower,
            upper,
            steps,
        }) = &self.pixels
        {
            bytes[IMAGE_MODE] = 1;
            for dim in 0..lower.len().min(MAX_SPATIAL) {
                bytes[65 + dim] = steps.get(dim).copied().unwrap_or(1);
                write_le(&mut bytes, LOWER + 2 * dim, 2, u64::from(lower[dim] as u16));
                let upper = upper.get(dim).copied().unwrap_or(0);
                write_le(&mut bytes, UPPER + 2 * dim, 2, u64::from(upper as u16));
            }
        }
        bytes
    }

    /// Decodes a map. If the map is invalid, the error is the reason.
    pub(crate) fn decode(bytes: &[u8; MAP_BYTES]) -> Result<Self, String> {
        if read_le(bytes, 0, 8) != MAGIC {
            return Err("the bytes are not a tensor map".to_owned());
        }
        let element = TensorElement::from_number(bytes[16]);
        let element = element.ok_or_else(|| format!("unknown element type {}", bytes[16]))?;
        let swizzle = Swizzle::from_number(bytes[18]);
        let swizzle = swizzle.ok_or_else(|| format!("unknown swizzle mode {}", bytes[18]))?;
        let rank = usize::from(bytes[17]) + 1;
        if rank > MAX_DIMENSIONS {
            return Err(format!("rank {rank}, expected 1 to 5"));
        }
        if bytes[19] > 1 {
            return Err(format!("unknown fill mode {}", bytes[19]));
        }
        if bytes[20] != 0 {
            return Err("an interleaved layout, which is not supported".to_owned());
        }
        let is_image = bytes[IMAGE_MODE] != 0;
        let steps = &bytes[64..64 + rank];
        let spatial = 1..if is_image { rank - 1 } else { 1 };
        let mut strided = (0..rank).filter(|dim| steps[*dim] > 1);
        if let Some(dim) = strided.find(|dim| !spatial.contains(dim)) {
            let step = steps[dim];
            return Err(format!(
                "element stride {step} in dimension {dim}, expected 1"
            ));
        }
        let corner = |first: usize| {
            let dims = 0..spatial.len();
            dims.map(move |dim| read_le(bytes, first + 2 * dim, 2) as i16)
                .collect()
        };
        let words =
            |first: usize| (0..rank).map(move |at| read_le(bytes, first + 4 * at, 4) as u32);
        let map = Self {
            address: read_le(bytes, 8, 8),
            element,
            dims: words(24).collect(),
            strides: (1..rank).map(|at| read_le(bytes, 64 + 8 * at, 8)).collect(),
            block: words(44).take(if is_image { 2 } else { rank }).collect(),
            swizzle,
            fills_nan: bytes[19] == 1,
            pixels: is_image.then(|| PixelOrder {
                lower: corner(LOWER),
                upper: corner(UPPER),
                steps: spatial.clone().map(|dim| steps[dim].max(1)).collect(),
            }),
        };
        map.check().map_or(Ok(map), Err)
    }

    /// Returns the reason why the CUDA driver would reject the map; `None` if the map is valid.
    fn check(&self) -> Option<String> {
        let unit = u64::from(UNIT);
        let row = self.row_bytes();
        let of_unit = |bytes: u64| bytes.is_multiple_of(unit);
        if !of_unit(self.address) {
            return Some(format!(
                "address {:#x} is not a multiple of 16",
                self.address
            ));
        }
        if let Some(stride) = self.strides.iter().find(|stride| !of_unit(**stride)) {
            return Some(format!(
                "a stride of {stride} bytes, expected a multiple of 16"
            ));
        }
        if self.dims.contains(&0) {
            return Some("a dimension of size 0".to_owned());
        }
        if self.fills_nan && !matches!(self.element.ty(), ElementTy::Float(_)) {
            return Some("fill mode NaN for integer elements, expected float elements".to_owned());
        }
        if let Some(pixels) = &self.pixels {
            let rank = self.dims.len();
            if !(3..=5).contains(&rank) {
                return Some(format!("im2col mode with rank {rank}, expected 3 to 5"));
            }
            if let Some(step) = pixels.steps.iter().find(|step| **step > 8) {
                return Some(format!("element stride {step}, expected 1 to 8"));
            }
        }
        for (dim, size) in self.block.iter().enumerate() {
            let most = match self.pixels {
                Some(_) if dim == 1 => MAX_PIXELS,
                _ => 256,
            };
            if !(1..=most).contains(size) {
                return Some(format!(
                    "box size {size} in dimension {dim}, expected 1 to {most}"
                ));
            }
        }
        if !of_unit(row.into()) {
            return Some(format!(
                "box rows of {row} bytes, expected a multiple of 16"
            ));
        }
        let limit = self.swizzle.bytes();
        (limit > 0 && row > limit).then(|| {
            format!("box rows of {row} bytes, expected at most the swizzle width, {limit}")
        })
    }

    fn row_bytes(&self) -> u32 {
        let elements = self.block.first().copied().unwrap_or(0);
        elements.saturating_mul(self.element.bytes())
    }

    pub(crate) fn box_bytes(&self) -> u32 {
        let elements = self
            .block
            .iter()
            .fold(1u32, |all, size| all.saturating_mul(*size));
        elements.saturating_mul(self.element.bytes())
    }

    /// Returns the bytes with which elements outside of the tensor are filled: a NaN as wide as an element, or a
    /// single zero byte. The bytes are repeated to fill larger areas.
    pub(crate) fn filler(&self) -> &'static [u8] {
        match self.fills_nan {
            true => &NAN[NAN.len() - self.element.bytes() as usize..],
            false => &[0],
        }
    }

    /// Returns the address of element 0 of the row at the coordinates `outer` of all dimensions except the innermost.
    /// `None` if the row is outside of the tensor.
    fn row_address(&self, outer: impl Iterator<Item = i64>) -> Option<u64> {
        outer
            .enumerate()
            .try_fold(self.address, |address, (dim, at)| {
                let is_inside = (0..i64::from(self.dims[dim + 1])).contains(&at);
                let bytes = self.strides[dim].wrapping_mul(at as u64);
                is_inside.then(|| address.wrapping_add(bytes))
            })
    }

    /// Returns the address of channel 0 of each pixel that a copy reads; `None` if the pixel is outside of the images.
    /// `start` are the coordinates of the copy, and `offsets` are added to the spatial coordinates of each pixel, both
    /// innermost dimension first.
    fn pixel_addresses(
        &self,
        order: &PixelOrder,
        start: &[i32],
        offsets: &[u16],
    ) -> Vec<Option<u64>> {
        let size = |dim: usize| i64::from(self.dims[dim]);
        let spatial = self.dims.len() - 2;
        let mut at: Vec<i64> = start.iter().skip(1).map(|c| i64::from(*c)).collect();
        at.resize(spatial + 1, 0);
        let mut found = Vec::new();
        for _ in 0..self.block[1] {
            let read = at.iter().enumerate().map(|(dim, position)| {
                let offset = offsets.get(dim).copied().filter(|_| dim < spatial);
                position + i64::from(offset.unwrap_or(0))
            });
            found.push(self.row_address(read));
            let mut dim = 0;
            while dim < spatial {
                at[dim] += i64::from(order.steps[dim]);
                if at[dim] < size(dim + 1) + i64::from(order.upper[dim]) {
                    break;
                }
                at[dim] = order.lower[dim].into();
                dim += 1;
            }
            at[spatial] += i64::from(dim == spatial);
        }
        found
    }

    /// Returns the address of element 0 of each row of a tile; `None` if the row is outside of the tensor. `start` are
    /// the coordinates of the tile, innermost dimension first.
    fn row_addresses(&self, start: &[i32]) -> Vec<Option<u64>> {
        let rows = self.block.iter().skip(1).product();
        let address = |number: u32| {
            let mut rest = number;
            self.row_address((1..self.block.len()).map(|dim| {
                let at = i64::from(rest % self.block[dim]);
                rest /= self.block[dim];
                i64::from(start.get(dim).copied().unwrap_or(0)) + at
            }))
        };
        (0..rows).map(address).collect()
    }

    /// Splits the box whose first element is at the coordinates `start`, innermost dimension first, into byte runs.
    /// `offsets` are added to the spatial coordinates of each pixel of an image. Each run is either inside or outside of
    /// the tensor. In a swizzled box, no run crosses a 16-byte chunk.
    pub(crate) fn byte_runs(&self, start: &[i32], offsets: &[u16]) -> Vec<ByteRun> {
        let (row, element) = (self.row_bytes(), self.element.bytes());
        let first = i64::from(start.first().copied().unwrap_or(0));
        let inner = i64::from(self.dims.first().copied().unwrap_or(0));
        let limit = i64::from(row / element);
        // Elements of a row that are in the tensor.
        let from = (-first).clamp(0, limit) as u32 * element;
        let to = (inner - first).clamp(0, limit) as u32 * element;
        let step = if self.swizzle == Swizzle::None {
            row
        } else {
            UNIT
        };
        let addresses = match &self.pixels {
            Some(order) => self.pixel_addresses(order, start, offsets),
            None => self.row_addresses(start),
        };
        let mut byte_runs = Vec::new();
        for (number, address) in (0..).zip(addresses) {
            let base = address.map(|base| base.wrapping_add_signed(first * i64::from(element)));
            for chunk in (0..row).step_by(step.max(1) as usize) {
                let end = chunk + step;
                let mut cuts = vec![chunk, from.clamp(chunk, end), to.clamp(chunk, end), end];
                cuts.sort_unstable();
                cuts.dedup();
                for part in cuts.windows(2) {
                    let is_inside = part[0] >= from && part[1] <= to;
                    let global = base.filter(|_| is_inside);
                    byte_runs.push(ByteRun {
                        at: number * row + part[0],
                        bytes: part[1] - part[0],
                        global: global.map(|base| base + u64::from(part[0])),
                    });
                }
            }
        }
        byte_runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> TensorMap {
        TensorMap {
            address: 0x1000,
            element: TensorElement::F32,
            dims: vec![10, 3],
            strides: vec![48],
            block: vec![8, 2],
            swizzle: Swizzle::None,
            fills_nan: false,
            pixels: None,
        }
    }

    #[test]
    fn maps_survive_their_encoding() {
        let wide = TensorMap {
            dims: vec![16; 5],
            strides: vec![64, 128, 256, 512],
            block: vec![4; 5],
            fills_nan: true,
            ..map()
        };
        for map in [map(), wide] {
            assert_eq!(TensorMap::decode(&map.encode()), Ok(map));
        }
        let none = TensorMap::decode(&[0; MAP_BYTES]);
        assert_eq!(none.unwrap_err(), "the bytes are not a tensor map");
    }

    #[test]
    fn maps_that_a_driver_refuses_are_refused() {
        let wrong = [
            TensorMap {
                address: 8,
                ..map()
            },
            TensorMap {
                strides: vec![40],
                ..map()
            },
            TensorMap {
                block: vec![2, 2],
                ..map()
            },
            TensorMap {
                block: vec![8, 257],
                ..map()
            },
            TensorMap {
                element: TensorElement::S32,
                fills_nan: true,
                ..map()
            },
            TensorMap {
                dims: vec![10, 0],
                ..map()
            },
            TensorMap {
                block: vec![12, 1],
                swizzle: Swizzle::Bytes32,
                ..map()
            },
            TensorMap {
                pixels: Some(PixelOrder {
                    lower: vec![],
                    upper: vec![],
                    steps: vec![],
                }),
                ..map()
            },
            TensorMap {
                pixels: Some(PixelOrder {
                    lower: vec![0, 0],
                    upper: vec![0, 0],
                    steps: vec![1, 9],
                }),
                ..images()
            },
            TensorMap {
                block: vec![4, 1025],
                ..images()
            },
        ];
        for map in wrong {
            assert!(TensorMap::decode(&map.encode()).is_err(), "{map:?}");
        }
    }

    #[test]
    fn elements_outside_have_no_address() {
        let run = |at, bytes, global| ByteRun { at, bytes, global };
        let found = map().byte_runs(&[6, 2], &[]);
        let expect = [
            run(0, 16, Some(0x1000 + 2 * 48 + 24)),
            run(16, 16, None),
            run(32, 16, None),
            run(48, 16, None),
        ];
        assert_eq!(found, expect);
        let found = map().byte_runs(&[-3, 0], &[]);
        let expect = [
            run(0, 12, None),
            run(12, 20, Some(0x1000)),
            run(32, 12, None),
            run(44, 20, Some(0x1000 + 48)),
        ];
        assert_eq!(found, expect);
    }

    /// Two images of 3 x 4 pixels (height x width) with 4 channels.
    fn images() -> TensorMap {
        TensorMap {
            dims: vec![4, 4, 3, 2],
            strides: vec![16, 64, 192],
            block: vec![4, 8],
            pixels: Some(PixelOrder {
                lower: vec![-1, -1],
                upper: vec![-1, -1],
                steps: vec![1, 1],
            }),
            ..map()
        }
    }

    /// Returns the pixels that a copy reads, as (image, row, column). Pixels outside of the images are `None`.
    fn pixels(map: &TensorMap, start: &[i32], offsets: &[u16]) -> Vec<Option<(u64, u64, u64)>> {
        let byte_runs = map.byte_runs(start, offsets).into_iter();
        let pixel = |address: u64| (address / 192, address % 192 / 64, address % 64 / 16);
        byte_runs
            .map(|run| run.global.map(|address| pixel(address - 0x1000)))
            .collect()
    }

    #[test]
    fn pixels_are_read_in_the_bounding_box() {
        let map = images();
        assert_eq!(TensorMap::decode(&map.encode()), Ok(map.clone()));
        // Columns and rows -1 to 2 and -1 to 1 are visited, and read at the offset (1, 1): the whole image.
        let all = pixels(&map, &[0, -1, -1, 0], &[1, 1]);
        let whole = (0..8).map(|number| Some((0, number / 4, number % 4)));
        assert_eq!(all, whole.collect::<Vec<_>>());
        // At the offset (0, 2), the first column is outside, and the rows begin at row 1 of the image.
        let shifted = pixels(&map, &[0, -1, -1, 1], &[0, 2]);
        let expect = [1, 1, 1, 1, 2, 2, 2, 2]
            .iter()
            .zip([-1i64, 0, 1, 2, -1, 0, 1, 2]);
        let expect = expect.map(|(row, column)| Some((1, *row, u64::try_from(column).ok()?)));
        assert_eq!(shifted, expect.collect::<Vec<_>>());
        // From the last visited pixel, the copy continues in the next image, and then beyond the last one.
        let next = pixels(&map, &[0, 2, 1, 0], &[1, 1]);
        assert_eq!(
            next[..3],
            [Some((0, 2, 3)), Some((1, 0, 0)), Some((1, 0, 1))]
        );
        assert_eq!(pixels(&map, &[0, 2, 1, 1], &[1, 1])[1..], [None; 7]);
    }

    #[test]
    fn pixels_are_visited_in_steps() {
        let strided = TensorMap {
            pixels: Some(PixelOrder {
                lower: vec![0, 0],
                upper: vec![0, 0],
                steps: vec![2, 2],
            }),
            ..images()
        };
        let found = pixels(&strided, &[0, 0, 0, 0], &[0, 0]);
        let columns_and_rows = [(0, 0), (0, 2), (2, 0), (2, 2)];
        let images = (0..2)
            .flat_map(|image| columns_and_rows.map(|(row, column)| Some((image, row, column))));
        assert_eq!(found, images.collect::<Vec<_>>());
    }
}
