//! Encodings in the Python syntax of Gluon, such as `gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])`.
//!
//! `CLASSES` lists the Python classes, with the key in IR of each field. The arguments of a call are translated to the
//! IR text of the encoding, and the text is parsed. Errors mention the fields of the class instead of the keys in IR.
//!
//! # Source
//! `triton.experimental.gluon.language` of Triton 3.9: `_layouts.py`, `amd/_layouts.py`, `amd/cdna5/_layouts.py`,
//! `nvidia/blackwell`.

mod python;

use super::spelling::nearest;
use super::{CgaLayout, Encoding, EncodingError, element_bits_of_name};
use core::str::FromStr;
use python::{Call, Value, ValueKind};

/// A layout of Gluon, with the shape and the element width if the Python class specifies them.
///
/// ```
/// use linear_layout::encoding::{Encoding, GluonLayout};
/// let text = "gl.SliceLayout(dim=0, parent=gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))";
/// let layout: GluonLayout = text.parse()?;
/// let encoding: Encoding = "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4],
///     warpsPerCTA = [4, 1], order = [1, 0]}>}>".parse()?;
/// assert_eq!(layout.encoding, encoding);
///
/// let shared: GluonLayout = "NVMMASharedLayout.get_default_for([128, 32], gl.float16)".parse()?;
/// assert_eq!(shared.encoding.to_string(), "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>");
/// assert_eq!((shared.shape.as_deref(), shared.element_bits), (Some([128, 32].as_slice()), Some(16)));
///
/// let error = "BlockedLayout([1, 3], [8, 4], [4, 1], [1, 0])".parse::<GluonLayout>().unwrap_err();
/// assert_eq!(error.to_string(), "`size_per_thread[1]` is 3, expected a power of two; the nearest ones are 2 and 4");
/// # Ok::<(), linear_layout::encoding::EncodingError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GluonLayout {
    /// The layout as an encoding of Triton's IR.
    pub encoding: Encoding,
    /// The shape of the tensor or buffer, if the Python class specifies it.
    pub shape: Option<Vec<u64>>,
    /// The width of an element in bits, if the Python class specifies it.
    pub element_bits: Option<u32>,
}

/// A Python class of Gluon, or a constructor such as `PaddedSharedLayout.with_identity_for`.
struct Class {
    name: &'static str,
    /// The fields in the order of the arguments, as `(name, key in IR)`. The key is empty if the IR has no key for
    /// the field.
    fields: &'static [(&'static str, &'static str)],
    /// Number of mandatory fields, which come first.
    required: usize,
    write: fn(&Arguments<'_, '_>) -> Result<String, EncodingError>,
}

#[rustfmt::skip]
const CLASSES: &[Class] = &[
    Class {
        name: "BlockedLayout",
        fields: &[
            ("size_per_thread", "sizePerThread"), ("threads_per_warp", "threadsPerWarp"),
            ("warps_per_cta", "warpsPerCTA"), ("order", "order"), ("cga_layout", "CGALayout"),
        ],
        required: 4,
        write: |a| a.dict("blocked"),
    },
    Class {
        name: "SliceLayout",
        fields: &[("dim", "dim"), ("parent", "parent")],
        required: 2,
        write: |a| a.dict("slice"),
    },
    Class {
        name: "DistributedLinearLayout",
        fields: &[
            ("reg_bases", "register"), ("lane_bases", "lane"), ("warp_bases", "warp"), ("block_bases", "block"),
            ("shape", ""),
        ],
        required: 5,
        write: linear,
    },
    Class {
        name: "DotOperandLayout",
        fields: &[("operand_index", "opIdx"), ("parent", "parent"), ("k_width", "kWidth")],
        required: 3,
        write: |a| a.dict("dot_op"),
    },
    Class {
        name: "NVMMADistributedLayout",
        fields: &[
            ("version", "versionMajor"), ("warps_per_cta", "warpsPerCTA"), ("instr_shape", "instrShape"),
            ("cga_layout", "CGALayout"),
        ],
        required: 3,
        write: nvidia_mma,
    },
    Class {
        name: "NVMMASharedLayout",
        fields: &[
            ("swizzle_byte_width", "swizzlingByteWidth"), ("element_bitwidth", "elementBitWidth"), ("rank", "rank"),
            ("transposed", "transposed"), ("fp4_padded", "fp4Padded"), ("cga_layout", "CGALayout"),
        ],
        required: 2,
        write: |a| a.dict("nvmma_shared"),
    },
    Class {
        name: "NVMMASharedLayout.get_default_for",
        fields: &[
            ("block_shape", ""), ("dtype", ""), ("transposed", "transposed"), ("fp4_padded", "fp4Padded"),
            ("cga_layout", "CGALayout"),
        ],
        required: 2,
        write: nvmma_default,
    },
    Class {
        name: "SwizzledSharedLayout",
        fields: &[
            ("vec", "vec"), ("per_phase", "perPhase"), ("max_phase", "maxPhase"), ("order", "order"),
            ("cga_layout", "CGALayout"),
        ],
        required: 4,
        write: |a| a.dict("swizzled_shared"),
    },
    Class {
        name: "PaddedSharedLayout",
        fields: &[
            ("interval_padding_pairs", ""), ("offset_bases", "offset"), ("cga_layout", "block"), ("shape", ""),
        ],
        required: 4,
        write: padded,
    },
    Class {
        name: "PaddedSharedLayout.with_identity_for",
        fields: &[("interval_padding_pairs", ""), ("shape", "shape"), ("order", "order"), ("cga_layout", "")],
        required: 3,
        write: padded_identity,
    },
    Class {
        name: "SharedLinearLayout",
        fields: &[("offset_bases", "offset"), ("block_bases", "block"), ("alignment", "alignment")],
        required: 1,
        write: shared_linear,
    },
    Class {
        name: "PartitionedSharedLayout",
        fields: &[
            ("num_partitions", "numPartitions"), ("num_groups", "numGroups"), ("partition_dim", "partitionDim"),
            ("partition_layout", "partitionLayout"),
        ],
        required: 4,
        write: |a| a.dict("partitioned_shared"),
    },
    Class {
        name: "AMDMFMALayout",
        fields: &[
            ("version", "version"), ("instr_shape", "instrShape"), ("transposed", "isTransposed"),
            ("warps_per_cta", "warpsPerCTA"), ("element_bitwidth", "elementBitWidth"),
            ("tiles_per_warp", "tilesPerWarp"), ("cga_layout", "CGALayout"),
        ],
        required: 4,
        write: |a| a.dict("amd_mfma"),
    },
    Class {
        name: "AMDWMMALayout",
        fields: &[
            ("version", "version"), ("transposed", "isTranspose"), ("warp_bases", "warp"), ("reg_bases", "register"),
            ("instr_shape", "instrShape"), ("cga_layout", "CGALayout"), ("rank", "rank"),
        ],
        required: 3,
        write: amd_wmma,
    },
    Class {
        name: "TensorMemoryLayout",
        fields: &[
            ("block", "blockM"), ("col_stride", "colStride"), ("cga_layout", "CGALayout"), ("two_ctas", "twoCTAs"),
            ("fp4_padded", "fp4Padded"),
        ],
        required: 2,
        write: tensor_memory,
    },
    Class {
        name: "TensorMemoryScalesLayout",
        fields: &[("cga_layout", "CGALayout")],
        required: 0,
        write: |a| Ok(format!("#ttng.tensor_memory_scales_encoding<{}>", a.keys()?)),
    },
];

/// Names of classes that leave the choice of the layout to the compiler. The parser rejects these classes.
const OPEN: [&str; 2] = ["AutoLayout", "CoalescedLayout"];

/// Names of the cluster fields of classes up to Triton 3.6. Later versions have the field `cga_layout` instead.
const OLD_FIELDS: [&str; 3] = ["ctas_per_cga", "cta_split_num", "cta_order"];

impl GluonLayout {
    /// Returns the names of all layout classes of Gluon.
    pub fn classes() -> impl Iterator<Item = &'static str> {
        let names = CLASSES.iter().map(|class| class.name);
        names.filter(|name| !name.contains('.')).chain(OPEN)
    }

    /// Returns true if `path` contains a layout class, e.g. `gl.BlockedLayout`, or a constructor of a class, e.g.
    /// `PaddedSharedLayout.with_identity_for`.
    #[must_use]
    pub fn is_class(path: &str) -> bool {
        path.split('.')
            .any(|word| Self::classes().any(|class| class == word))
    }
}

impl FromStr for GluonLayout {
    type Err = EncodingError;

    fn from_str(text: &str) -> Result<Self, EncodingError> {
        let value = python::parse(text)?;
        let ValueKind::Call(call) = &value.kind else {
            return Err(EncodingError::syntax(
                value.at,
                "expected a layout such as `gl.BlockedLayout(...)`".to_owned(),
            ));
        };
        let (encoding, bound) = read_call(call, value.at)?;
        Ok(Self {
            encoding,
            shape: bound.shape()?,
            element_bits: bound.element_bits()?,
        })
    }
}

struct Arguments<'c, 't> {
    class: &'static Class,
    values: Vec<Option<&'c Value<'t>>>,
    at: usize,
}

fn read_call<'c, 't>(
    call: &'c Call<'t>,
    at: usize,
) -> Result<(Encoding, Arguments<'c, 't>), EncodingError> {
    let bound = Arguments::bind(call, at)?;
    let text = (bound.class.write)(&bound)?;
    let encoding = text.parse().map_err(|error| bound.renamed(&error))?;
    Ok((encoding, bound))
}

fn class_of(path: &str, at: usize) -> Result<&'static Class, EncodingError> {
    let words: Vec<&str> = path.split('.').collect();
    // The name of a constructor includes the name of its class.
    let last = (1..=2)
        .rev()
        .filter_map(|count| Some(words.len().checked_sub(count)?..));
    let mut names = last.map(|range| words[range].join("."));
    if let Some(class) = names.find_map(|name| CLASSES.iter().find(|class| class.name == name)) {
        return Ok(class);
    }
    let name = words.last().copied().unwrap_or(path);
    if OPEN.contains(&name) {
        return Err(EncodingError::syntax(
            at,
            format!(
                "`{name}` leaves the layout to the compiler; paste the encoding from the TTGIR of the compiled \
                 kernel"
            ),
        ));
    }
    let near = nearest(name, GluonLayout::classes());
    let near = near.map_or_else(
        || "expected a layout such as `BlockedLayout`".to_owned(),
        |near| format!("the nearest is `{near}`"),
    );
    Err(EncodingError::syntax(
        at,
        format!("Gluon has no layout `{path}`; {near}"),
    ))
}

impl<'c, 't> Arguments<'c, 't> {
    fn bind(call: &'c Call<'t>, at: usize) -> Result<Self, EncodingError> {
        let class = class_of(call.path, at)?;
        let mut values = vec![None; class.fields.len()];
        for (position, argument) in call.arguments.iter().enumerate() {
            let field = match argument.name {
                None if position < values.len() => position,
                None => {
                    let most = values.len();
                    let found = call.arguments.len();
                    let reason =
                        format!("`{}` has {most} fields, found {found} values", class.name);
                    return Err(EncodingError::syntax(argument.at, reason));
                }
                Some(name) => match class.fields.iter().position(|(field, _)| *field == name) {
                    Some(field) => field,
                    None if is_default_cluster(name, &argument.value) => continue,
                    None => return Err(unknown_field(class, name, argument.at)),
                },
            };
            if values[field].replace(&argument.value).is_some() {
                let reason = format!("field `{}` is given twice", class.fields[field].0);
                return Err(EncodingError::syntax(argument.at, reason));
            }
        }
        match values[..class.required].iter().position(Option::is_none) {
            None => Ok(Self { class, values, at }),
            Some(missing) => Err(EncodingError::syntax(
                at,
                format!(
                    "`{}` needs the field `{}`",
                    class.name, class.fields[missing].0
                ),
            )),
        }
    }

    /// Returns the value of the field `name`. Returns `None` if the field is omitted or has Python's value `None`.
    fn value(&self, name: &str) -> Option<&'c Value<'t>> {
        let field = self
            .class
            .fields
            .iter()
            .position(|(field, _)| *field == name)?;
        self.values[field].filter(|value| !matches!(value.kind, ValueKind::None))
    }

    /// Returns the IR text `key = value, ...` for the fields that the call specifies. Omits fields that have no key
    /// in IR.
    fn keys(&self) -> Result<String, EncodingError> {
        self.keys_with("", "")
    }

    /// Returns the same text as `keys`, except that the field `other` has the value `other_value`.
    fn keys_with(&self, other: &str, other_value: &str) -> Result<String, EncodingError> {
        let mut keys = Vec::new();
        for (field, key) in self.class.fields {
            if *field == other {
                keys.push(format!("{key} = {other_value}"));
            } else if let Some(value) = self.value(field).filter(|_| !key.is_empty()) {
                // An empty list of bases is the default of every family, and does not determine a rank.
                let is_empty = matches!(&value.kind, ValueKind::List(list) if list.is_empty());
                if !is_empty || *key != "CGALayout" {
                    keys.push(format!("{key} = {}", text(value)?));
                }
            }
        }
        Ok(keys.join(", "))
    }

    fn dict(&self, family: &str) -> Result<String, EncodingError> {
        Ok(format!("#ttg.{family}<{{{}}}>", self.keys()?))
    }

    fn numbers(&self, name: &str) -> Result<Vec<u64>, EncodingError> {
        let Some(value) = self.value(name) else {
            return Ok(Vec::new());
        };
        numbers(value)
    }

    /// Converts the interval-padding pairs to the syntax of IR: `[[256, 8]]` becomes `[256:+8]`.
    fn padding_pairs(&self) -> Result<String, EncodingError> {
        let value = self.value("interval_padding_pairs");
        let pairs =
            value
                .map_or(Ok(&[][..]), items)?
                .iter()
                .map(|pair| match numbers(pair)?.as_slice() {
                    [interval, padding] => Ok(format!("{interval}:+{padding}")),
                    _ => Err(EncodingError::syntax(
                        pair.at,
                        "expected a pair [interval, padding]".to_owned(),
                    )),
                });
        Ok(format!(
            "[{}]",
            pairs.collect::<Result<Vec<_>, EncodingError>>()?.join(", ")
        ))
    }

    /// Returns the shape that the call specifies. If the call specifies none, returns the smallest shape that
    /// contains all bases, or `None` if the call has no field `offset_bases`.
    fn shape(&self) -> Result<Option<Vec<u64>>, EncodingError> {
        let field = ["shape", "block_shape"]
            .into_iter()
            .find(|name| self.value(name).is_some());
        if let Some(field) = field {
            return self.numbers(field).map(Some);
        }
        let Some(offsets) = self.value("offset_bases") else {
            return Ok(None);
        };
        let blocks = self.value("block_bases").map_or(Ok(&[][..]), items)?;
        span(items(offsets)?.iter().chain(blocks)).map(Some)
    }

    fn cga(&self, rank: usize) -> Result<CgaLayout, EncodingError> {
        let bases = self.value("cga_layout").map_or(Ok(&[][..]), items)?;
        let narrow = |step: u64| u32::try_from(step).unwrap_or(u32::MAX);
        let bases: Vec<Vec<u32>> = bases
            .iter()
            .map(|basis| Ok(numbers(basis)?.into_iter().map(narrow).collect()))
            .collect::<Result<_, EncodingError>>()?;
        CgaLayout::from_bases(rank, &bases).map_err(|error| self.renamed(&error))
    }

    /// Returns the bases of `cga_layout` as text. The bases count parts, and are converted to elements: `part` is
    /// the shape of the part that one CTA holds.
    fn block_bases(&self, part: &[u64]) -> Result<String, EncodingError> {
        let cga = self.cga(part.len())?;
        let bases = cga.bases().map(|basis| {
            let steps = basis.iter().zip(part);
            let steps =
                steps.map(|(step, size)| u64::from(*step).saturating_mul(*size).to_string());
            format!("[{}]", steps.collect::<Vec<_>>().join(", "))
        });
        Ok(format!("[{}]", bases.collect::<Vec<_>>().join(", ")))
    }

    fn element_bits(&self) -> Result<Option<u32>, EncodingError> {
        if let Some(dtype) = self.value("dtype") {
            return element_bits(dtype).map(Some);
        }
        Ok(
            match self.value("element_bitwidth").map(|value| &value.kind) {
                Some(ValueKind::Int(bits)) if self.class.name == "NVMMASharedLayout" => {
                    u32::try_from(*bits).ok()
                }
                _ => None,
            },
        )
    }

    /// Converts an error about the IR text to an error about the Python call. Replaces keys by field names, and
    /// sets the byte offset of the field.
    #[cold]
    fn renamed(&self, error: &EncodingError) -> EncodingError {
        let mut reason = error.to_string();
        let mut at = self.at;
        for (i, (field, key)) in self.class.fields.iter().enumerate() {
            for end in ["`", "["] {
                let quoted = format!("`{key}{end}");
                if !key.is_empty() && reason.contains(&quoted) {
                    reason = reason.replace(&quoted, &format!("`{field}{end}"));
                    at = self.values[i].map_or(at, |value| value.at);
                }
            }
        }
        EncodingError::syntax(at, reason)
    }
}

/// Returns true if `name` is a cluster field of Triton 3.6 or earlier, and its value describes a single CTA.
fn is_default_cluster(name: &str, value: &Value<'_>) -> bool {
    OLD_FIELDS.contains(&name)
        && match &value.kind {
            ValueKind::None => true,
            ValueKind::List(list) => {
                name == "cta_order"
                    || list
                        .iter()
                        .all(|item| matches!(item.kind, ValueKind::Int(1)))
            }
            _ => false,
        }
}

#[cold]
fn unknown_field(class: &Class, name: &str, at: usize) -> EncodingError {
    if OLD_FIELDS.contains(&name) {
        let reason = format!(
            "`{name}` exists only in Triton 3.6 and earlier; use `cga_layout`, such as `cga_layout=[[1, 0]]`, \
             to split the tensor over CTAs"
        );
        return EncodingError::syntax(at, reason);
    }
    let fields = class.fields.iter().map(|(field, _)| *field);
    let known = match nearest(name, fields.clone()) {
        Some(near) => format!("the nearest field is `{near}`"),
        None => format!("the fields are {}", fields.collect::<Vec<_>>().join(", ")),
    };
    EncodingError::syntax(
        at,
        format!("unexpected field `{name}` in `{}`; {known}", class.name),
    )
}

fn items<'v, 't>(value: &'v Value<'t>) -> Result<&'v [Value<'t>], EncodingError> {
    match &value.kind {
        ValueKind::List(items) => Ok(items),
        ValueKind::Name(name) => Err(unknown_value(name, value.at)),
        _ => Err(EncodingError::syntax(
            value.at,
            format!("expected a list at byte {}", value.at),
        )),
    }
}

fn span<'v, 't: 'v>(bases: impl Iterator<Item = &'v Value<'t>>) -> Result<Vec<u64>, EncodingError> {
    let mut shape = Vec::new();
    for basis in bases {
        let basis = numbers(basis)?;
        shape.resize(shape.len().max(basis.len()), 1);
        for (size, step) in shape.iter_mut().zip(basis) {
            let end = step.saturating_add(1).checked_next_power_of_two();
            *size = (*size).max(end.unwrap_or(1));
        }
    }
    Ok(shape)
}

fn numbers(value: &Value<'_>) -> Result<Vec<u64>, EncodingError> {
    let number = |item: &Value<'_>| match item.kind {
        ValueKind::Int(number) => u64::try_from(number).map_err(|_| {
            EncodingError::syntax(
                item.at,
                format!("number is {number}, expected zero or more"),
            )
        }),
        ValueKind::Name(name) => Err(unknown_value(name, item.at)),
        _ => Err(EncodingError::syntax(
            item.at,
            format!("expected a number at byte {}", item.at),
        )),
    };
    items(value)?.iter().map(number).collect()
}

#[cold]
fn unknown_value(name: &str, at: usize) -> EncodingError {
    EncodingError::syntax(
        at,
        format!("the value of `{name}` is unknown; replace the name by a number or a list"),
    )
}

/// Prints a value in the syntax of IR.
fn text(value: &Value<'_>) -> Result<String, EncodingError> {
    Ok(match &value.kind {
        ValueKind::None => "[]".to_owned(),
        ValueKind::Bool(value) => value.to_string(),
        ValueKind::Int(number) => number.to_string(),
        ValueKind::Name(name) => return Err(unknown_value(name, value.at)),
        ValueKind::Call(call) => read_call(call, value.at)?.0.to_string(),
        ValueKind::List(items) => {
            let items = items.iter().map(text).collect::<Result<Vec<_>, _>>()?;
            format!("[{}]", items.join(", "))
        }
    })
}

fn element_bits(dtype: &Value<'_>) -> Result<u32, EncodingError> {
    match dtype.kind {
        ValueKind::Name(name) => element_bits_of_name(name)
            .map_err(|error| EncodingError::syntax(dtype.at, error.to_string())),
        _ => Err(EncodingError::syntax(
            dtype.at,
            "expected a type such as `gl.float16`".to_owned(),
        )),
    }
}

/// Returns the IR text of a `#ttg.linear` encoding. If only a `#ttg.generic_linear` encoding accepts the bases,
/// returns the text of that encoding.
fn linear(a: &Arguments<'_, '_>) -> Result<String, EncodingError> {
    let text = a.dict("linear")?;
    if text.parse::<Encoding>().is_ok() {
        return Ok(text);
    }
    let generic = a.dict("generic_linear")?;
    Ok(if generic.parse::<Encoding>().is_ok() {
        generic
    } else {
        text
    })
}

fn nvidia_mma(a: &Arguments<'_, '_>) -> Result<String, EncodingError> {
    let version = a.numbers("version")?;
    let &[major, minor] = version.as_slice() else {
        let at = a.value("version").map_or(a.at, |value| value.at);
        return Err(EncodingError::syntax(
            at,
            "expected a version [major, minor]".to_owned(),
        ));
    };
    let keys = a.keys_with("version", &format!("{major}, versionMinor = {minor}"))?;
    Ok(format!("#ttg.nvidia_mma<{{{keys}}}>"))
}

/// Returns the IR text for `NVMMASharedLayout.get_default_for`. The swizzle is the widest one whose width divides a
/// row of the part that one CTA holds. There is no swizzle if no width divides a row, if the rank is 1, or if the
/// part has fewer than 8 rows.
fn nvmma_default(a: &Arguments<'_, '_>) -> Result<String, EncodingError> {
    let shape = a.numbers("block_shape")?;
    let bits = u64::from(a.value("dtype").map_or(Ok(8), element_bits)?);
    let is_set = |name| matches!(a.value(name).map(|v| &v.kind), Some(ValueKind::Bool(true)));
    let mut of_cta = a.cga(shape.len())?.shape_per_cta(&shape).to_vec();
    if is_set("transposed") && !of_cta.is_empty() {
        of_cta.rotate_left(1);
    }
    let packed = if is_set("fp4_padded") { 2 } else { 1 };
    let row = of_cta
        .last()
        .map_or(0, |size| size.saturating_mul(packed) * bits / 8);
    let rows = of_cta.split_last().map_or(1, |(_, outer)| {
        outer
            .iter()
            .fold(1u64, |product, size| product.saturating_mul(*size))
    });
    let swizzle = [128, 64, 32]
        .into_iter()
        .find(|bytes| row > 0 && row % bytes == 0);
    let swizzle = swizzle
        .filter(|_| shape.len() > 1 && rows >= 8)
        .unwrap_or(0);
    let mut keys = format!("swizzlingByteWidth = {swizzle}, elementBitWidth = {bits}");
    if shape.len() != 2 {
        keys += &format!(", rank = {}", shape.len());
    }
    let rest = a.keys()?;
    if !rest.is_empty() {
        keys += &format!(", {rest}");
    }
    Ok(format!("#ttg.nvmma_shared<{{{keys}}}>"))
}

/// Returns the IR text of a padded encoding. The shape of the part that one CTA holds is computed from the field
/// `offset_bases`.
fn padded(a: &Arguments<'_, '_>) -> Result<String, EncodingError> {
    let rank = a.numbers("shape")?.len();
    let mut part = span(a.value("offset_bases").map_or(Ok(&[][..]), items)?.iter())?;
    part.resize(rank, 1);
    let keys = a.keys_with("cga_layout", &a.block_bases(&part)?)?;
    Ok(format!(
        "#ttg.padded_shared<{} {{{keys}}}>",
        a.padding_pairs()?
    ))
}

/// Returns the IR text for `PaddedSharedLayout.with_identity_for`. The part of the tensor that one CTA holds is
/// contiguous except for the padding.
fn padded_identity(a: &Arguments<'_, '_>) -> Result<String, EncodingError> {
    let pairs = a.padding_pairs()?;
    let cga = a.value("cga_layout").map_or(Ok(&[][..]), items)?;
    if cga.is_empty() {
        return Ok(format!("#ttg.padded_shared<{pairs} {{{}}}>", a.keys()?));
    }
    let (shape, order) = (a.numbers("shape")?, a.numbers("order")?);
    let rank = shape.len();
    let shape = a.cga(rank)?.shape_per_cta(&shape);
    let mut bases = Vec::new();
    for dim in order
        .into_iter()
        .filter_map(|dim| usize::try_from(dim).ok())
    {
        for bit in 0..shape
            .get(dim)
            .map_or(0, |size| size.checked_ilog2().unwrap_or(0))
        {
            let basis = (0..rank).map(|d| {
                if d == dim {
                    (1u64 << bit).to_string()
                } else {
                    "0".to_owned()
                }
            });
            bases.push(format!("[{}]", basis.collect::<Vec<_>>().join(", ")));
        }
    }
    Ok(format!(
        "#ttg.padded_shared<{pairs} {{offset = [{}], block = {}}}>",
        bases.join(", "),
        a.block_bases(shape.as_ref())?
    ))
}

fn shared_linear(a: &Arguments<'_, '_>) -> Result<String, EncodingError> {
    let bases = |name: &str| a.value(name).map_or_else(|| Ok("[]".to_owned()), text);
    let alignment = a
        .value("alignment")
        .map_or_else(|| Ok("16".to_owned()), text)?;
    let (offset, block) = (bases("offset_bases")?, bases("block_bases")?);
    Ok(format!(
        "#ttg.shared_linear<{{offset = {offset}, block = {block}}}, alignment = {alignment}>"
    ))
}

fn amd_wmma(a: &Arguments<'_, '_>) -> Result<String, EncodingError> {
    let given = |keys: &[(&str, &str)]| -> Result<String, EncodingError> {
        let mut given = Vec::new();
        for (name, key) in keys {
            let value = a.value(name).map(text).transpose()?;
            given.extend(
                value
                    .filter(|value| value != "[]")
                    .map(|value| format!("{key} = {value}")),
            );
        }
        Ok(given.join(", "))
    };
    let cta = given(&[("reg_bases", "register"), ("warp_bases", "warp")])?;
    let keys = given(&[
        ("version", "version"),
        ("transposed", "isTranspose"),
        ("instr_shape", "instrShape"),
        ("cga_layout", "CGALayout"),
        ("rank", "rank"),
    ])?;
    Ok(format!("#ttg.amd_wmma<{{{keys}, ctaLayout = {{{cta}}}}}>"))
}

fn tensor_memory(a: &Arguments<'_, '_>) -> Result<String, EncodingError> {
    let block = a.numbers("block")?;
    let &[m, n] = block.as_slice() else {
        let at = a.value("block").map_or(a.at, |value| value.at);
        return Err(EncodingError::syntax(
            at,
            "expected a block (m, n)".to_owned(),
        ));
    };
    let keys = a.keys_with("block", &format!("{m}, blockN = {n}"))?;
    Ok(format!("#ttng.tensor_memory_encoding<{keys}>"))
}
