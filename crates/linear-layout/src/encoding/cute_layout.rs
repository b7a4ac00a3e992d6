//! `#cute.layout`: layouts of CuTe, in shared memory or in registers.

use core::fmt;
use std::sync::Arc;

use super::cga::check_rank;
use super::error::RuleLabel;
use super::linear::exact;
use super::text::{Parser, QuotedText, unknown_key};
use super::tiling::{Tiling, shape_log2};
use super::tilus_register::{THREADS_PER_WARP, check_threads};
use super::{
    CgaLayout, Encoding, EncodingError, GenericLinearEncoding, LinearEncoding, List, MAX_RANK,
};
use crate::bridge::{
    BridgeError, linear_from_composed, linear_from_thread_value, memory_from_cute,
};
use crate::cute::{ComposedLayout, CuteError, Swizzle};
use crate::layout::{Dim, LinearLayout, Surjectivity};

const FAMILY: &str = "cute.layout";
const KEYS: &str = "`swizzle`, `tile`, `threadsPerWarp`";

/// A layout of CuTe. The layout of a buffer has one mode for each dim. The layout of a tensor in registers has two
/// modes: threads, and values of a thread.
///
/// `(8,4):(4,1)` puts element (i, j) of a buffer at offset 4i + j. `((4,8),(2,2)):((32,1),(16,8))` with
/// `tile = [16, 8]` maps thread t and value v to the index of an element of the tile in column-major order. An
/// encoding with a tile is a distributed encoding, and one without is a shared encoding.
/// [`Encoding::for_tensor`] makes a distributed encoding of the latter: the shape of the tensor becomes the tile.
/// ```
/// use linear_layout::encoding::Encoding;
/// use linear_layout::layout::Dim;
/// let memory: Encoding = "#cute.layout<\"Sw<1,0,2> o 0 o (2,4):(4,1)\">".parse()?;
/// assert_eq!(memory.to_linear_layout(&[2, 4])?.basis(Dim::OFFSET, 2), [1, 1]);
///
/// let registers: Encoding =
///     "#cute.layout<\"((4,8),(2,2)):((32,1),(16,8))\", tile = [16, 8]>".parse()?;
/// assert_eq!(registers.to_linear_layout(&[16, 8])?.basis(Dim::LANE, 0), [0, 2]);
/// # Ok::<(), linear_layout::encoding::EncodingError>(())
/// ```
/// # Shape
/// Buffer: (offset, block) -> (dim0, dim1, ...), with the sizes of the modes as the shape. Tensor: (register, lane,
/// warp, block) -> (dim0, dim1, ...). If the encoding has an explicit tile and the tensor has another shape, the
/// layout is the same as for the [`LinearEncoding`] with the same bases. There is one CTA.
/// # Units
/// Offsets and swizzles count elements.
/// # Source
/// CUTLASS, `cute/layout.hpp` and `cute/swizzle_layout.hpp`; for threads and values, `make_layout_tv`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CuteEncoding {
    spec: Arc<CuteSpec>,
    tile: Option<CuteTile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CuteSpec {
    text: String,
    swizzle: Option<String>,
    layout: ComposedLayout,
    threads_per_warp: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CuteTile {
    shape: List<u64, MAX_RANK>,
    /// True if the text of the encoding has a tile. False if the tile is the shape of the tensor.
    is_explicit: bool,
    bases: TileBases,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum TileBases {
    Linear(LinearEncoding),
    Generic(GenericLinearEncoding),
}

impl CuteEncoding {
    /// Returns the encoding of a buffer. `threads_per_warp` is used only by [`with_tile`](Self::with_tile).
    ///
    /// # Errors
    /// Returns an error if an extent or the number of lanes is not a power of two, or the layout is not linear over
    /// GF(2): it has an offset, a negative stride, or strides whose sum carries from one bit to the next.
    pub fn new(layout: ComposedLayout, threads_per_warp: u32) -> Result<Self, EncodingError> {
        let is_plain = layout.swizzle.is_identity() && layout.offset == 0;
        let text = match is_plain {
            true => layout.layout.to_string(),
            false => layout.to_string(),
        };
        Self::with_text(
            &QuotedText { text: &text, at: 0 },
            None,
            layout,
            threads_per_warp,
        )
    }

    fn with_text(
        quoted: &QuotedText<'_>,
        swizzle: Option<&str>,
        layout: ComposedLayout,
        threads_per_warp: u32,
    ) -> Result<Self, EncodingError> {
        check_threads("cute_layout_c4", threads_per_warp)?;
        let numbers = linear_from_composed(&layout).map_err(|e| {
            let (at, rule) = match e.is_not_power_of_two() {
                true => (extent_offset(quoted.text, &layout), "cute_layout_c2"),
                false => (None, "cute_layout_c3"),
            };
            quoted.error(at, &e).of_rule(rule)
        })?;
        check_rank(FAMILY, numbers.in_dims().count())?;
        Ok(Self {
            spec: Arc::new(CuteSpec {
                text: quoted.text.to_owned(),
                swizzle: swizzle.map(str::to_owned),
                layout,
                threads_per_warp,
            }),
            tile: None,
        })
    }

    /// Returns the encoding that distributes a tile of the shape `shape` over threads and values.
    ///
    /// # Errors
    /// Returns an error if the layout does not have two modes, does not reach all elements of the tile, or the
    /// basis of a value has several nonzero components or a component that is not a power of two.
    pub fn with_tile(&self, shape: &[u64]) -> Result<Self, EncodingError> {
        self.on_tile(shape, true)
    }

    fn on_tile(&self, shape: &[u64], is_explicit: bool) -> Result<Self, EncodingError> {
        check_rank(FAMILY, shape.len())?;
        shape_log2(FAMILY, shape.len(), shape)?;
        let lanes = self.spec.threads_per_warp.into();
        let linear = linear_from_thread_value(&self.spec.layout, shape, lanes).map_err(|e| {
            let rule = match self.spec.layout.layout.rank() {
                2 => "cute_layout_c8",
                _ => "cute_layout_c7",
            };
            self.no_layout(&e).of_rule(rule)
        })?;
        let bases = LinearEncoding::new(linear.clone())
            .map(TileBases::Linear)
            .or_else(|_| GenericLinearEncoding::new(linear).map(TileBases::Generic))
            .map_err(|e| self.no_layout(&e).of_rule("cute_layout_c9"))?;
        Ok(Self {
            spec: Arc::clone(&self.spec),
            tile: Some(CuteTile {
                shape: List::from_slice(shape)?,
                is_explicit,
                bases,
            }),
        })
    }

    fn no_layout(&self, reason: &dyn fmt::Display) -> EncodingError {
        let text = &self.spec.text;
        let reason = format!("`{text}` is not a valid thread-value layout: {reason}");
        EncodingError::no_layout(FAMILY, reason)
    }

    pub(super) fn for_tensor(&self, shape: &[u64]) -> Result<Self, EncodingError> {
        match self.tile {
            Some(CuteTile {
                is_explicit: true, ..
            }) => Ok(self.clone()),
            _ => self.on_tile(shape, false),
        }
    }

    pub(super) fn with_explicit_tile(&self) -> Self {
        let mut explicit = self.clone();
        if let Some(tile) = &mut explicit.tile {
            tile.is_explicit = true;
        }
        explicit
    }

    pub(super) fn without_tile(&self) -> Self {
        Self {
            spec: Arc::clone(&self.spec),
            tile: None,
        }
    }

    /// Returns true if the text of the encoding has no tile, and the shape of the tensor is used as the tile.
    #[must_use]
    pub fn is_tile_implied(&self) -> bool {
        self.tile.as_ref().is_some_and(|tile| !tile.is_explicit)
    }

    /// Returns the CuTe layout.
    #[must_use]
    pub fn layout(&self) -> &ComposedLayout {
        &self.spec.layout
    }

    /// Returns the shape of the tile, or `None` for the layout of a buffer.
    #[must_use]
    pub fn tile(&self) -> Option<&[u64]> {
        self.tile.as_ref().map(|tile| &*tile.shape)
    }

    pub(crate) fn threads_per_warp(&self) -> u32 {
        self.spec.threads_per_warp
    }

    pub(crate) fn rank(&self) -> usize {
        match &self.tile {
            Some(tile) => tile.shape.len(),
            None => self.spec.layout.layout.rank(),
        }
    }

    /// Returns true if the bases of the tile are valid in a [`GenericLinearEncoding`], but not in a
    /// `LinearEncoding`.
    pub(super) fn is_generic(&self) -> bool {
        let bases = self.tile.as_ref().map(|tile| &tile.bases);
        matches!(bases, Some(TileBases::Generic(_)))
    }

    pub(crate) fn cga_layout(&self) -> Result<CgaLayout, EncodingError> {
        CgaLayout::single(self.rank())
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        match &self.tile {
            None => self.memory(shape),
            Some(tile) if !tile.is_explicit && *tile.shape != *shape => {
                Err(EncodingError::no_layout(
                    FAMILY,
                    format!(
                        "the implied tile has shape {}, but the tensor has shape {}; write `tile = {}` to \
                         repeat or crop the tile",
                        tile.shape,
                        List::<u64, MAX_RANK>::collect(shape.iter().copied()),
                        tile.shape
                    ),
                )
                .of_rule("cute_layout_c8"))
            }
            Some(tile) => match &tile.bases {
                TileBases::Linear(bases) => bases.tiling_as(FAMILY, shape),
                TileBases::Generic(bases) => bases.tiling_as(FAMILY, shape),
            },
        }
    }

    fn memory(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        if self.spec.threads_per_warp != THREADS_PER_WARP {
            let expected = "no `threadsPerWarp` in the encoding of a buffer";
            let found = self.spec.threads_per_warp;
            return Err(EncodingError::bad_value("threadsPerWarp", found, expected)
                .of_rule("cute_layout_c10"));
        }
        let no_layout = |reason: BridgeError| {
            let text = &self.spec.text;
            let reason = format!("`{text}` is not a valid buffer layout: {reason}");
            EncodingError::no_layout(FAMILY, reason).of_rule("cute_layout_c6")
        };
        let offsets = memory_from_cute(&self.spec.layout).map_err(no_layout)?;
        // Adds the block dim, for one CTA.
        let ins = [(Dim::OFFSET, offsets.in_size(Dim::OFFSET)), (Dim::BLOCK, 1)];
        let outs: Vec<(Dim, u64)> = offsets.out_shape().collect();
        let layout =
            LinearLayout::from_columns(&ins, &outs, offsets.columns(), Surjectivity::Required)?;
        exact(FAMILY, "cute_layout_c5", &layout, shape)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let (mut swizzle, mut tile, mut threads) = (None, None, THREADS_PER_WARP);
        p.expect(b'<', "`<`")?;
        let quoted = p.quoted("a layout in quotes")?;
        p.further_fields(|p, key| {
            match key {
                "swizzle" => swizzle = Some(p.quoted("a swizzle in quotes")?),
                "tile" => tile = Some(p.numbers()?),
                "threadsPerWarp" => threads = p.number()?,
                _ => return unknown_key(FAMILY, key, KEYS),
            }
            Ok(())
        })?;
        let of_text = |quoted: &QuotedText<'_>, e: &CuteError| {
            quoted.error(e.place(), e).of_rule("cute_layout_c1")
        };
        let mut layout: ComposedLayout = quoted.text.parse().map_err(|e| of_text(&quoted, &e))?;
        if let Some(swizzle) = &swizzle {
            if !layout.swizzle.is_identity() {
                return Err(swizzle
                    .error(
                        None,
                        &"the layout already contains a swizzle; remove one swizzle",
                    )
                    .of_key("swizzle")
                    .of_rule("cute_layout_c1"));
            }
            layout.swizzle = swizzle
                .text
                .parse::<Swizzle>()
                .map_err(|e| of_text(swizzle, &e).of_key("swizzle"))?;
        }
        let swizzle = swizzle.map(|swizzle| swizzle.text);
        let encoding = Self::with_text(&quoted, swizzle, layout, threads)?;
        Ok(match tile {
            None => encoding,
            Some(tile) => {
                let tile: List<u64, MAX_RANK> = List::collect(tile.iter().map(|n| u64::from(*n)));
                encoding.with_tile(&tile).map_err(|e| e.of_key("tile"))?
            }
        }
        .into())
    }
}

impl fmt::Display for CuteEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spec = &self.spec;
        write!(f, "#cute.layout<\"{}\"", spec.text)?;
        if let Some(swizzle) = &spec.swizzle {
            write!(f, ", swizzle = \"{swizzle}\"")?;
        }
        if let Some(tile) = self.tile.as_ref().filter(|tile| tile.is_explicit) {
            write!(f, ", tile = {}", tile.shape)?;
        }
        if spec.threads_per_warp != THREADS_PER_WARP {
            write!(f, ", threadsPerWarp = {}", spec.threads_per_warp)?;
        }
        f.write_str(">")
    }
}

/// Returns the byte offset in `text` of the first extent of `layout` that is not a power of two. Returns `None` if
/// there is none.
fn extent_offset(text: &str, layout: &ComposedLayout) -> Option<usize> {
    let leaves = layout.layout.leaves();
    let wrong = leaves
        .iter()
        .position(|mode| !mode.shape.unsigned_abs().is_power_of_two())?;
    // The extents are the first numbers after the swizzle and the offset.
    let start = text.rfind('o').map_or(0, |at| at + 1);
    let mut offsets = text[start..].char_indices().scan(false, |inside, (at, c)| {
        let begins = c.is_ascii_digit() && !*inside;
        *inside = c.is_ascii_digit();
        Some(begins.then_some(start + at))
    });
    offsets.by_ref().flatten().nth(wrong)
}
