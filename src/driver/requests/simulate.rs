//! Requests that simulate a kernel launch on the CPU.

use super::compile::checked;
use super::{answer_with, options};
use crate::driver::{self, Failure};
use crate::ir::{Message, SourceLocation};
use crate::sys::Answer;
use gpu_sim::{
    Arg, Arrival, BufferId, KernelError, Launch, Memory, PixelOrder, Schedule, Swizzle,
    TensorElement, TensorMap,
};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Simulate {
    #[serde(default = "super::unnamed")]
    file: String,
    entry: Option<String>,
    lower: Option<String>,
    #[serde(default = "one_block")]
    grid: [u32; 3],
    #[serde(default)]
    args: Vec<Argument>,
    /// Names of the buffers in messages, in the order of the buffers. A buffer without a name is identified by its
    /// index.
    #[serde(default)]
    names: Vec<String>,
    #[serde(default = "late")]
    arrival: ArrivalTime,
    schedule: Option<u64>,
    shared: Option<u32>,
    step_limit: Option<u64>,
    threads: Option<u32>,
    #[serde(default = "yes")]
    global_races: bool,
    #[serde(default)]
    lockstep: bool,
}

const fn one_block() -> [u32; 3] {
    [1; 3]
}

const fn late() -> ArrivalTime {
    ArrivalTime::Late
}

const fn yes() -> bool {
    true
}

/// Deserialises a float from a number, or from a number written as text.
fn float<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Spelling {
        Number(f64),
        Text(String),
    }
    match Spelling::deserialize(deserializer)? {
        Spelling::Number(number) => Ok(number),
        Spelling::Text(text) => text.parse().map_err(serde::de::Error::custom),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Argument {
    /// An integer, or the bits of an 8-bit float.
    Int(i128),
    /// A float. JSON has no infinities, so a float may also be given as text.
    #[serde(deserialize_with = "float")]
    Float(f64),
    /// A pointer, given by a buffer index and an offset in bytes.
    Buffer(usize, u64),
    Descriptor(Descriptor),
}

/// A tensor map. Dimensions are in the GPU's order, innermost first.
#[derive(Deserialize)]
struct Descriptor {
    /// The position of the first element, given by a buffer index and an offset in bytes.
    buffer: (usize, u64),
    /// Element type, encoded like the operand of `tensormap.replace.tile`.
    element: u8,
    swizzle: u8,
    dims: Vec<u32>,
    /// Strides in bytes of all dimensions except the innermost.
    strides: Vec<u64>,
    block: Vec<u32>,
    /// True if elements outside of the tensor are read as NaN.
    fills_nan: bool,
    /// The order of pixels, for images that are read in im2col mode.
    #[serde(default)]
    pixels: Option<Pixels>,
}

/// The fields of [`PixelOrder`].
#[derive(Deserialize)]
struct Pixels {
    lower: Vec<i16>,
    upper: Vec<i16>,
    steps: Vec<u8>,
}

impl Descriptor {
    fn map(&self, ids: &[BufferId], memory: &Memory) -> Result<TensorMap, Failure> {
        let unknown = |kind: &str, number: u8, last: u8| {
            Failure::new(format!(
                "unknown {kind} {number} in a descriptor, expected 0 to {last}"
            ))
        };
        let element = TensorElement::from_number(self.element);
        let swizzle = Swizzle::from_number(self.swizzle);
        Ok(TensorMap {
            address: memory.address(buffer(ids, self.buffer.0)?) + self.buffer.1,
            element: element.ok_or_else(|| unknown("element type", self.element, 12))?,
            swizzle: swizzle.ok_or_else(|| unknown("swizzle mode", self.swizzle, 3))?,
            dims: self.dims.clone(),
            strides: self.strides.clone(),
            block: self.block.clone(),
            fills_nan: self.fills_nan,
            pixels: self.pixels.as_ref().map(|pixels| PixelOrder {
                lower: pixels.lower.clone(),
                upper: pixels.upper.clone(),
                steps: pixels.steps.clone(),
            }),
        })
    }
}

fn buffer(ids: &[BufferId], number: usize) -> Result<BufferId, Failure> {
    ids.get(number).copied().ok_or_else(|| {
        let count = ids.len();
        Failure::new(format!(
            "buffer index {number} is out of range, the request has {count} buffers"
        ))
    })
}

/// The time at which asynchronous copies write their destination, as in [`gpu_sim::Arrival`].
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ArrivalTime {
    Early,
    Late,
    Seed(u64),
}

/// Simulates a kernel launch on the CPU, and updates `buffers`.
///
/// The report has three entries: `report` (the JSON object that `ll-sim --json` writes), `text` (the same report as
/// text), and `printed` (the kernel's output). After a fault, the request fails: the report has `fault` with
/// `kind`, `message`, `operation`, `location`, `calls`, `thread` and `notes`, and the buffers are unchanged.
#[must_use]
pub fn simulate(source: &[u8], request: &str, buffers: &mut [&mut [u8]]) -> Answer {
    let mut fault = None;
    let mut work = || {
        let request: Simulate = options(request)?;
        let input = checked(&request.file, source)?;
        let (entry, pipeline) = (request.entry.as_deref(), request.lower.as_deref());
        let decoded = driver::decode(&input, &request.file, entry, pipeline)?;
        let mut memory = Memory::default();
        let names = request.names.iter().cloned();
        let names = names.chain((request.names.len()..).map(|number| number.to_string()));
        let ids: Vec<_> = buffers
            .iter()
            .zip(names)
            .map(|(bytes, name)| memory.add(name, bytes.to_vec()))
            .collect();
        let mut args = Vec::new();
        for given in &request.args {
            args.push(match given {
                Argument::Int(value) => Arg::Int(*value),
                Argument::Float(value) => Arg::Float(*value),
                Argument::Buffer(number, offset) => Arg::Within(buffer(&ids, *number)?, *offset),
                Argument::Descriptor(descriptor) => {
                    let map = descriptor.map(&ids, &memory)?;
                    Arg::Buffer(memory.add("descriptor", map.encode().to_vec()))
                }
            });
        }
        let failed = |error: KernelError| {
            let failure = Failure(vec![described(&error)]);
            fault = Some(error);
            failure
        };
        let mut machine = decoded.machine;
        machine.lockstep |= request.lockstep;
        let scratch = decoded.scratch_arguments(args.len(), request.grid, &mut memory);
        let outcome = scratch.and_then(|scratch| {
            args.extend(scratch);
            Launch::new(machine)
                .grid(request.grid)
                .dynamic_shared(request.shared.or(decoded.info.shared).unwrap_or(0))
                .step_limit(request.step_limit.unwrap_or(Launch::DEFAULT_STEP_LIMIT))
                .threads(request.threads.unwrap_or(1))
                .check_global_races(request.global_races)
                .arrival(match request.arrival {
                    ArrivalTime::Early => Arrival::Early,
                    ArrivalTime::Late => Arrival::Late,
                    ArrivalTime::Seed(seed) => Arrival::Random(seed),
                })
                .schedule(request.schedule.map_or(Schedule::Lockstep, Schedule::Warps))
                .args(args)
                .run(&decoded.program, &mut memory)
        });
        let report = outcome.map_err(failed)?;
        for (bytes, id) in buffers.iter_mut().zip(ids) {
            bytes.copy_from_slice(memory.bytes(id));
        }
        let text = String::from_utf8_lossy(&input);
        let report = report.with_source(&request.file, &text);
        let json = serde_json::from_str(&report.to_json()).map_err(|error| {
            Failure::new(format!(
                "internal error, please report it: the report is not valid JSON: {error}"
            ))
        })?;
        let mut answer = Map::new();
        answer.insert("report".to_owned(), json);
        answer.insert("text".to_owned(), report.to_string().into());
        answer.insert("printed".to_owned(), memory.printed().into());
        Ok((answer, Vec::new(), Vec::new()))
    };
    let outcome = work();
    answer_with(
        outcome,
        fault.map(|error| ("fault".to_owned(), parts(&error))),
    )
}

/// Converts a fault to an error at the faulting operation.
fn described(error: &KernelError) -> Message {
    let mut message = Message::error(error.message());
    message.location = error
        .site()
        .and_then(|site| source_location(&site.location));
    message.notes = error.notes().iter().map(Message::note).collect();
    message
}

/// Parses `file:line:column`; returns `None` for other text.
fn source_location(location: &str) -> Option<SourceLocation> {
    let mut pieces = location.rsplitn(3, ':');
    let column = pieces.next()?.parse().ok()?;
    let line = pieces.next()?.parse().ok()?;
    let file = pieces.next()?.to_owned();
    Some(SourceLocation { file, line, column })
}

fn parts(error: &KernelError) -> Value {
    let site = error.site();
    let thread = error.thread();
    json!({
        "kind": error.kind().name(),
        "message": error.message(),
        "operation": site.map(|site| &*site.text),
        "location": site.map(|site| &*site.location),
        "calls": site.map(|site| &*site.calls),
        "thread": thread.map(|place| json!({
            "block": place.block, "warp": place.warp, "lane": place.lane,
        })),
        "notes": error.notes(),
    })
}
