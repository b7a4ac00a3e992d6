//! Encodings: the named layouts of GPU compilers, among them all encodings of Triton 3.9.
//!
//! An *encoding* distributes the elements of a tensor over registers and threads (a distributed encoding), over a
//! shared-memory buffer (a shared encoding), or over tensor memory. The parameters of an encoding describe one hardware
//! feature, such as a matrix instruction. The main type is [`Encoding`]: [`str::parse`] and [`ToString`] read and print
//! the text, and [`Encoding::to_linear_layout`] returns the [`LinearLayout`] for a shape.
//! ```
//! use linear_layout::encoding::Encoding;
//! use linear_layout::layout::Dim;
//!
//! let text = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>";
//! let blocked: Encoding = text.parse()?;
//! assert_eq!(blocked.to_string(), text);
//!
//! let layout = blocked.to_linear_layout(&[16, 16])?;
//! assert_eq!(layout.basis(Dim::LANE, 0), [0, 2]);      // lane 1 starts two columns on
//! assert_eq!(layout.basis(Dim::REGISTER, 1), [8, 0]);  // 16 rows are twice what the warps cover
//! # Ok::<(), linear_layout::encoding::EncodingError>(())
//! ```
//! A *family* is a kind of encoding, such as `blocked`, and has one file. Read [`BlockedEncoding`] and
//! [`SliceEncoding`] first, then the families of matrix instructions, then the shared families.
//!
//! [`infer`] propagates encodings through views. [`Encoding::recognize`] maps a linear layout back to an encoding.
//!
//! # Speed
//! Time of one conversion to a linear layout on a 128x128 tensor: the best of 400 rounds of `cargo bench --bench
//! encodings` on two shared cores of an x86-64 server.
//!
//! | family | layout | family | layout |
//! |---|---|---|---|
//! | blocked | 0.44 us | `swizzled_shared` | 0.45 us |
//! | slice of blocked | 0.43 us | `amd_rotating_shared` | 0.37 us |
//! | linear | 0.49 us | `padded_shared` | 0.32 us |
//! | `generic_linear` | 0.64 us | `partitioned_shared` | 0.36 us |
//! | `nvidia_mma` v2, v3 | 0.38 us, 0.52 us | `nvmma_shared` | 0.44 us |
//! | `amd_mfma`, `amd_wmma` | 0.41 us, 0.39 us | `shared_linear` | 0.17 us |
//! | `dot_op` FMA, v2, v3 | 0.52 us, 0.34 us, 0.34 us | `tensor_memory` | 0.23 us |
//! | `dot_op` `amd_mfma`, `amd_wmma` | 0.31 us, 0.37 us | `tensor_memory_scales` | 0.31 us |
//!
//! A conversion does not allocate, except for layouts with more than 2^24 inputs.
//!
//! This module has no MLIR attributes (which wrap these types), no encodings that only exist inside front ends, and no
//! encodings of vendors other than NVIDIA and AMD. The layouts of other MLIR compilers are in [`other`]. Linear layouts
//! of CuTe and Tilus are encodings, too: [`CuteEncoding`] and [`TilusEncoding`].

mod amd_mfma;
mod amd_rotating_shared;
mod amd_wmma;
mod blocked;
mod cga;
mod cute_layout;
mod dot_operand;
mod element;
mod error;
mod gluon;
pub mod infer;
mod linear;
mod list;
mod mlir_type;
mod name;
mod nvidia_mma;
mod nvmma_shared;
pub mod other;
mod padded_shared;
mod partitioned_shared;
mod query;
mod recognize;
mod shared_linear;
mod slice;
pub mod spelling;
mod swizzled_shared;
mod tensor_memory;
pub mod tensor_memory_access;
mod text;
mod tiling;
mod tilus_register;

use core::fmt;
use error::RuleLabel;
use std::borrow::Cow;
use std::str::FromStr;

pub use amd_mfma::AmdMfmaEncoding;
pub use amd_rotating_shared::AmdRotatingSharedEncoding;
pub use amd_wmma::AmdWmmaEncoding;
pub use blocked::BlockedEncoding;
pub use cga::CgaLayout;
pub use cute_layout::CuteEncoding;
pub use dot_operand::DotOperandEncoding;
pub use element::{ElementTypeError, FLOATS, element_bits, element_bits_of_name, is_element_width};
pub use error::EncodingError;
pub use gluon::GluonLayout;
pub use linear::{ExplicitLayout, GenericLinearEncoding, LinearEncoding};
pub use list::{Ints, List, MAX_RANK};
pub use mlir_type::TypeText;
pub use nvidia_mma::NvidiaMmaEncoding;
pub use nvmma_shared::NvmmaSharedEncoding;
pub use padded_shared::PaddedSharedEncoding;
pub use partitioned_shared::PartitionedSharedEncoding;
pub use shared_linear::SharedLinearEncoding;
pub use slice::SliceEncoding;
pub use swizzled_shared::{SwizzleParameters, SwizzledSharedEncoding};
pub use tensor_memory::{ScalesBlockOrder, TensorMemoryEncoding, TensorMemoryScalesEncoding};
pub use text::{Aliases, invalid_key_error, key_offset};
pub use tilus_register::TilusEncoding;

use crate::layout::LinearLayout;
use error::EncodingErrorKind;
use text::Parser;
use tiling::Tiling;

/// Expands to the name of an encoding family. This is the alias if one is given, e.g. `cute.layout`, and the
/// attribute name otherwise, e.g. `blocked`.
macro_rules! family_name {
    ($name:literal) => {
        $name
    };
    ($name:literal $alias:literal) => {
        $alias
    };
}

macro_rules! families {
    ($($(#[$doc:meta])* $variant:ident($ty:ident) = $dialect:literal $name:literal $(as $alias:literal)?,)*) => {
        /// A named layout of a GPU compiler, e.g. `#ttg.blocked<...>`. Each variant is one family.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Encoding {
            $($(#[$doc])* $variant($ty),)*
        }

        $(impl From<$ty> for Encoding {
            fn from(encoding: $ty) -> Self {
                Self::$variant(encoding)
            }
        })*

        /// The dialect and the attribute name of every family, e.g. `("ttg", "blocked")`.
        const FAMILIES: &[(&str, &str)] = &[$(($dialect, $name),)*];

        impl Encoding {
            /// Returns the names of all families.
            pub fn families() -> impl Iterator<Item = &'static str> {
                [$(family_name!($name $($alias)?),)*].into_iter()
            }

            /// Returns the name of the family, such as `blocked`.
            #[must_use]
            pub fn family(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => family_name!($name $($alias)?),)*
                }
            }

            /// Returns the rank of the tensors that the encoding describes.
            #[must_use]
            pub fn rank(&self) -> usize {
                match self {
                    $(Self::$variant(e) => e.rank(),)*
                }
            }

            fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
                match self {
                    $(Self::$variant(e) => e.tiling(shape),)*
                }
            }

            fn parse_family(
                p: &mut Parser<'_>,
                dialect: &str,
                family: &str,
            ) -> Result<Self, EncodingError> {
                match (dialect, family) {
                    $(($dialect, $name) => $ty::parse(p),)*
                    _ => {
                        let name = format!("#{dialect}.{family}");
                        Err(EncodingError::new(EncodingErrorKind::UnknownFamily { name }))
                    }
                }
            }
        }

        impl fmt::Display for Encoding {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant(e) => e.fmt(f),)*
                }
            }
        }
    };
}

families! {
    /// `#ttg.blocked`: a tensor in registers, divided into boxes of equal size.
    Blocked(BlockedEncoding) = "ttg" "blocked",
    /// `#ttg.slice`: a parent encoding with one dim removed.
    Slice(SliceEncoding) = "ttg" "slice",
    /// `#ttg.linear`: a tensor in registers, given by explicit bases.
    Linear(LinearEncoding) = "ttg" "linear",
    /// `#ttg.generic_linear`: a tensor in registers, given by explicit bases. A warp basis may step along several dims.
    GenericLinear(GenericLinearEncoding) = "ttg" "generic_linear",
    /// `#ttg.dot_op`: an operand of a matrix product in registers.
    DotOperand(DotOperandEncoding) = "ttg" "dot_op",
    /// `#ttg.nvidia_mma`: the result of NVIDIA's matrix instructions.
    NvidiaMma(NvidiaMmaEncoding) = "ttg" "nvidia_mma",
    /// `#ttg.amd_mfma`: the result of AMD's CDNA matrix instructions.
    AmdMfma(AmdMfmaEncoding) = "ttg" "amd_mfma",
    /// `#ttg.amd_wmma`: the result of AMD's RDNA matrix instructions.
    AmdWmma(AmdWmmaEncoding) = "ttg" "amd_wmma",
    /// `#ttg.swizzled_shared`: a tensor in shared memory. The vectors of each row are permuted: their positions are
    /// XORed with a number that depends on the row.
    SwizzledShared(SwizzledSharedEncoding) = "ttg" "swizzled_shared",
    /// `#ttg.amd_rotating_shared`: like `swizzled_shared`, but the number that is XORed into the positions also
    /// changes with each block of rows.
    AmdRotatingShared(AmdRotatingSharedEncoding) = "ttg" "amd_rotating_shared",
    /// `#ttg.padded_shared`: a tensor in shared memory, with padding at regular intervals.
    PaddedShared(PaddedSharedEncoding) = "ttg" "padded_shared",
    /// `#ttg.partitioned_shared`: one tensor in several shared-memory buffers.
    PartitionedShared(PartitionedSharedEncoding) = "ttg" "partitioned_shared",
    /// `#ttg.nvmma_shared`: a tensor in shared memory, in a swizzled format that TMA and `wgmma` use.
    NvmmaShared(NvmmaSharedEncoding) = "ttg" "nvmma_shared",
    /// `#ttg.shared_linear`: a tensor in shared memory, given by explicit bases.
    SharedLinear(SharedLinearEncoding) = "ttg" "shared_linear",
    /// `#ttng.tensor_memory_encoding`: a matrix in tensor memory.
    TensorMemory(TensorMemoryEncoding) = "ttng" "tensor_memory_encoding",
    /// `#ttng.tensor_memory_scales_encoding`: the scales of a block-scaled matrix product, stored in tensor memory.
    TensorMemoryScales(TensorMemoryScalesEncoding) = "ttng" "tensor_memory_scales_encoding",
    /// `#cute.layout`: a CuTe layout. It describes either a buffer, or the threads and values of a tensor.
    Cute(CuteEncoding) = "cute" "layout" as "cute.layout",
    /// `#tilus.register`: a register layout of Tilus.
    Tilus(TilusEncoding) = "tilus" "register" as "tilus.register",
}

impl Encoding {
    /// Parses the text of an encoding. `aliases` defines the names, e.g. `#blocked`, that the text may use.
    ///
    /// # Errors
    /// Returns an error if the text is not an encoding, or the encoding breaks a rule of its family.
    pub fn parse(text: &str, aliases: &Aliases) -> Result<Self, EncodingError> {
        Parser::new(text, aliases).whole()
    }

    /// Returns the linear layout of a tensor or buffer of this shape.
    ///
    /// # Shape
    /// All layouts map to (dim0, dim1, ...). The inputs are (register, lane, warp, block) for a distributed encoding,
    /// (offset, block) or (offset, block, partition) for a shared encoding, and (row, col, block) for tensor memory.
    /// # Errors
    /// Returns an error if the shape has another rank than the encoding, a size is not a power of two, or the encoding
    /// has no layout on this shape.
    pub fn to_linear_layout(&self, shape: &[u64]) -> Result<LinearLayout, EncodingError> {
        self.tiling(shape)?.into_layout()
    }

    /// Returns the linear layout of a tensor or buffer of this shape, and checks that every element has a location.
    ///
    /// [`to_linear_layout`](Self::to_linear_layout) also returns layouts that leave elements without a location, as
    /// Triton does. For example, the bases `register = [[0, 2]], lane = [[0, 4]], warp = [[0, 5]]` reach column 1
    /// as 4 ^ 5. On a tensor with four columns, the steps by 4 and 5 leave the tensor and become zero, so that
    /// column 1 has no location.
    /// # Errors
    /// Returns an error in the same cases as `to_linear_layout`, and if an element has no location. The error
    /// message then names such an element.
    pub fn to_surjective_layout(&self, shape: &[u64]) -> Result<LinearLayout, EncodingError> {
        let layout = self.to_linear_layout(shape)?;
        match linear::first_uncovered(&layout) {
            None => Ok(layout),
            Some(missed) => Err(EncodingError::no_layout(
                self.family(),
                format!(
                    "the bases do not reach element {missed} (a basis beyond the shape counts as zero); use a larger \
                     shape or smaller bases"
                ),
            )
            .of_rule("encoding_c10")),
        }
    }

    /// Returns this encoding, adapted to a tensor of this shape. If the encoding is a CuTe encoding without an
    /// explicit tile, `shape` becomes its tile. Any other encoding is returned unchanged.
    ///
    /// Without a tile, a layout of CuTe describes a buffer: coordinates are mapped to offsets. With a tile, a
    /// layout of CuTe describes the threads and values of a tensor.
    /// ```
    /// # use linear_layout::encoding::Encoding;
    /// let written: Encoding = "#cute.layout<\"((4,8),(2,2)):((32,1),(16,8))\">".parse()?;
    /// assert!(written.is_shared());
    /// let on_tensor = written.for_tensor(&[16, 8])?;
    /// assert!(on_tensor.is_distributed());
    /// assert_eq!(on_tensor.to_string(), written.to_string());
    /// # Ok::<(), linear_layout::encoding::EncodingError>(())
    /// ```
    /// # Errors
    /// Returns an error if a layout of CuTe does not reach all elements of the tensor.
    pub fn for_tensor(&self, shape: &[u64]) -> Result<Cow<'_, Self>, EncodingError> {
        match self {
            Self::Cute(e) if e.tile().is_none() || e.is_tile_implied() => {
                Ok(Cow::Owned(e.for_tensor(shape)?.into()))
            }
            _ => Ok(Cow::Borrowed(self)),
        }
    }

    /// Returns the encoding, adapted to the shape if necessary, and its linear layout on this shape.
    ///
    /// A CuTe encoding without a tile is first interpreted as a buffer. If it has no layout on this shape as a
    /// buffer, it is interpreted as a tensor.
    /// # Errors
    /// Returns the error of [`to_linear_layout`](Self::to_linear_layout) if the encoding has no layout on this
    /// shape, either as a buffer or as a tensor.
    pub fn on_shape(self, shape: &[u64]) -> Result<(Self, LinearLayout), EncodingError> {
        match self.to_linear_layout(shape) {
            Ok(layout) => Ok((self, layout)),
            Err(reason) => self
                .for_tensor(shape)
                .map(Cow::into_owned)
                .and_then(|encoding| Ok((encoding.to_linear_layout(shape)?, encoding)))
                .map(|(layout, encoding)| (encoding, layout))
                .map_err(|_| reason),
        }
    }

    /// Returns the encoding as it was written, i.e. without the tile that [`for_tensor`](Self::for_tensor) may have
    /// added.
    #[must_use]
    pub fn as_written(&self) -> Cow<'_, Self> {
        match self {
            Self::Cute(e) if e.is_tile_implied() => Cow::Owned(e.without_tile().into()),
            _ => Cow::Borrowed(self),
        }
    }

    /// Returns a form of the encoding that can be used on tensors of other shapes.
    ///
    /// A CuTe encoding without a tile gets one from [`for_tensor`](Self::for_tensor), namely the shape of the tensor. In
    /// the result, this tile is a part of the encoding, so that `for_tensor` does not replace it for another shape.
    #[must_use]
    pub fn for_other_shapes(&self) -> Cow<'_, Self> {
        match self {
            Self::Cute(e) if e.is_tile_implied() => Cow::Owned(e.with_explicit_tile().into()),
            _ => Cow::Borrowed(self),
        }
    }

    /// Returns true if the encoding distributes a tensor over registers and threads.
    #[must_use]
    pub fn is_distributed(&self) -> bool {
        !self.is_shared() && !self.is_tensor_memory()
    }

    /// Returns true if a warp basis may step along several dims, as in `#ttg.generic_linear` or a slice with such a
    /// parent.
    #[must_use]
    pub fn is_generic(&self) -> bool {
        match self {
            Self::GenericLinear(_) => true,
            Self::Slice(slice) => slice.parent().is_generic(),
            Self::Cute(e) => e.is_generic(),
            _ => false,
        }
    }

    /// Returns true if the encoding distributes a tensor over shared memory.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(
            self,
            Self::SwizzledShared(_)
                | Self::AmdRotatingShared(_)
                | Self::PaddedShared(_)
                | Self::PartitionedShared(_)
                | Self::NvmmaShared(_)
                | Self::SharedLinear(_)
        ) || matches!(self, Self::Cute(e) if e.tile().is_none())
    }

    /// Returns true if the encoding distributes a tensor over tensor memory.
    #[must_use]
    pub fn is_tensor_memory(&self) -> bool {
        matches!(self, Self::TensorMemory(_) | Self::TensorMemoryScales(_))
    }

    /// Returns the parameter `CGALayout`, which describes the distribution of the tensor over the CTAs of a
    /// cluster.
    ///
    /// # Errors
    /// Returns an error if the encoding has explicit bases and its `block` bases do not split the tensor into
    /// contiguous parts.
    pub fn cga_layout(&self) -> Result<CgaLayout, EncodingError> {
        match self {
            Self::Blocked(e) => Ok(*e.cga_layout()),
            Self::Slice(e) => e.cga_layout(),
            Self::Linear(e) => e.cga_layout(),
            Self::GenericLinear(e) => e.cga_layout(),
            Self::DotOperand(e) => e.cga_layout(),
            Self::NvidiaMma(e) => Ok(*e.cga_layout()),
            Self::AmdMfma(e) => Ok(*e.cga_layout()),
            Self::AmdWmma(e) => Ok(*e.cga_layout()),
            Self::SwizzledShared(e) => Ok(*e.cga_layout()),
            Self::AmdRotatingShared(e) => Ok(*e.cga_layout()),
            Self::PaddedShared(e) => e.cga_layout(),
            Self::PartitionedShared(e) => e.cga_layout(),
            Self::NvmmaShared(e) => Ok(*e.cga_layout()),
            Self::SharedLinear(e) => e.cga_layout(),
            Self::TensorMemory(e) => Ok(*e.cga_layout()),
            Self::TensorMemoryScales(e) => Ok(*e.cga_layout()),
            Self::Cute(e) => e.cga_layout(),
            Self::Tilus(e) => e.cga_layout(),
        }
    }
}

impl FromStr for Encoding {
    type Err = EncodingError;

    fn from_str(text: &str) -> Result<Self, EncodingError> {
        Self::parse(text, &Aliases::new())
    }
}
