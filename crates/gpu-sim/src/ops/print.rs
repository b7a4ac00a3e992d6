//! Functions of the vendors' runtimes that print or assert: CUDA's `vprintf`, AMD's `ockl`.

use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder};
use crate::error::{FaultKind, KernelError};
use crate::exec::{Exec, Instruction, Marks, Message, PoisonEffect, Regs, WarpInteraction};
use crate::ir::Operation;

type Call = for<'d, 'm> fn(&'d mut Decoder<'m>, &'d Operation) -> DecodeResult;

const FUNCTIONS: &[(&str, Call)] = &[
    ("vprintf", |d, op| {
        let [format, values] = d.scalars(op, [0, 1])?;
        let dst = d.emit(|dst| Print {
            dst,
            format,
            values,
        });
        d.define(op, vec![dst])
    }),
    ("__assertfail", |d, op| {
        let [message, file, line] = d.scalars(op, [0, 1, 2])?;
        d.b.push(FailAssertion {
            message,
            place: Some([file, line]),
        });
        Ok(())
    }),
    ("__ockl_printf_begin", |d, op| begin(d, op, false)),
    ("__ockl_fprintf_stderr_begin", |d, op| begin(d, op, true)),
    ("__ockl_printf_append_string_n", |d, op| {
        let [handle, text, last] = d.scalars(op, [0, 1, 3])?;
        let dst = d.emit(|dst| AppendMessage {
            dst,
            handle,
            last,
            what: MessagePart::Format(text),
        });
        d.define(op, vec![dst])
    }),
    ("__ockl_printf_append_args", |d, op| {
        let [handle, count, last] = d.scalars(op, [0, 1, 9])?;
        let values = d.slots(op, 2..9)?;
        let dst = d.emit(|dst| AppendMessage {
            dst,
            handle,
            last,
            what: MessagePart::Values { count, values },
        });
        d.define(op, vec![dst])
    }),
];

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

/// Decodes a call of the runtime function `callee`. Returns false for unsupported functions.
pub(super) fn call(d: &mut Decoder<'_>, op: &Operation, callee: &str) -> DecodeResult<bool> {
    let Some((_, decode)) = FUNCTIONS.iter().find(|(name, _)| *name == callee) else {
        return Ok(false);
    };
    decode(d, op)?;
    Ok(true)
}

fn begin(d: &mut Decoder<'_>, op: &Operation, fails: bool) -> DecodeResult {
    let dst = d.emit(|dst| BeginMessage { dst, fails });
    d.define(op, vec![dst])
}

/// A call of `vprintf`. The printed values are stored one after the other at the address in `values`, each aligned
/// to its size.
#[derive(Debug)]
struct Print {
    dst: Reg,
    format: Reg,
    values: Reg,
}

impl Instruction for Print {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.format, self.values])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for at in 0..exec.lanes.len() {
            let lane = exec.lanes[at];
            let format = text(exec, lane, self.format)?;
            let mut place = exec.get(self.values, lane);
            let line = formatted(&format, |bytes| {
                place = place.next_multiple_of(bytes.into());
                let value = exec.peek(lane, place, bytes);
                place += u64::from(bytes);
                value
            })?;
            exec.memory.printed += &line;
            exec.set(self.dst, lane, 0);
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined()
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }
}

/// Stops the run with an assertion failure. The error contains the message of the first active lane.
#[derive(Debug)]
struct FailAssertion {
    message: Reg,
    place: Option<[Reg; 2]>,
}

impl Instruction for FailAssertion {
    fn regs(&self) -> Regs {
        let mut reads = vec![self.message];
        reads.extend(self.place.into_iter().flatten());
        Regs::new([], reads)
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined()
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let lane = exec.lanes[0];
        let mut message = text(exec, lane, self.message)?;
        if let Some([file, line]) = self.place {
            let file = text(exec, lane, file)?;
            message += &format!(" ({file}:{})", exec.get(line, lane));
        }
        Err(exec.fault(
            FaultKind::Assertion,
            lane,
            format!("assertion failed: {message}"),
        ))
    }
}

#[derive(Debug)]
struct BeginMessage {
    dst: Reg,
    fails: bool,
}

impl Instruction for BeginMessage {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for at in 0..exec.lanes.len() {
            let lane = exec.lanes[at];
            let number = exec.messages.len() as u64;
            exec.messages.push(Message {
                fails: self.fails,
                ..Message::default()
            });
            exec.set(self.dst, lane, number);
        }
        Ok(())
    }
}

#[derive(Debug)]
enum MessagePart {
    Format(Reg),
    Values { count: Reg, values: Box<[Reg]> },
}

/// Appends a part to a message. The message is printed when its last part has been appended.
#[derive(Debug)]
struct AppendMessage {
    dst: Reg,
    handle: Reg,
    last: Reg,
    what: MessagePart,
}

impl Instruction for AppendMessage {
    fn regs(&self) -> Regs {
        let mut reads = vec![self.handle, self.last];
        match &self.what {
            MessagePart::Format(text) => reads.push(*text),
            MessagePart::Values { count, values } => {
                reads.extend([count].into_iter().chain(values));
            }
        }
        Regs::new([self.dst], reads)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for at in 0..exec.lanes.len() {
            let lane = exec.lanes[at];
            let number = exec.get(self.handle, lane);
            let known = usize::try_from(number).ok();
            let known = known.filter(|known| *known < exec.messages.len());
            let Some(known) = known else {
                let text = format!("unknown printf handle {number}");
                return Err(exec.fault(FaultKind::Malformed, lane, text));
            };
            match &self.what {
                MessagePart::Format(format) => {
                    exec.messages[known].format = text(exec, lane, *format)?;
                }
                MessagePart::Values { count, values } => {
                    let count = exec.get(*count, lane) as usize;
                    let values: Vec<u64> = values.iter().map(|v| exec.get(*v, lane)).collect();
                    exec.messages[known]
                        .values
                        .extend(values.into_iter().take(count));
                }
            }
            exec.set(self.dst, lane, number);
            if exec.get(self.last, lane) & 1 == 1 {
                let message = std::mem::take(&mut exec.messages[known]);
                let mut values = message.values.into_iter();
                let line = formatted(&message.format, |_| Ok(values.next().unwrap_or(0)))?;
                if message.fails {
                    return Err(exec.fault(FaultKind::Assertion, lane, line.trim_end().to_owned()));
                }
                exec.memory.printed += &line;
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        let mut used = vec![self.handle, self.last];
        match &self.what {
            MessagePart::Format(text) => used.push(*text),
            MessagePart::Values { count, values } => {
                used.push(*count);
                let count = lane.get(*count) as usize;
                used.extend(values.iter().take(count));
            }
        }
        lane.require_defined_in(&used)
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }
}

/// Reads a zero-terminated string at the address in `pointer`.
fn text(exec: &mut Exec<'_>, lane: u32, pointer: Reg) -> Result<String, KernelError> {
    let mut address = exec.get(pointer, lane);
    let mut bytes = Vec::new();
    loop {
        match exec.peek(lane, address, 1)? {
            0 => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
            byte => bytes.push(byte as u8),
        }
        address += 1;
    }
}

/// Formats values like C's `printf`. `next(size)` returns the next value, whose size is 4 or 8 bytes.
fn formatted(
    format: &str,
    mut next: impl FnMut(u32) -> Result<u64, KernelError>,
) -> Result<String, KernelError> {
    let mut out = String::new();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut spec = String::new();
        let kind = loop {
            match rest.next() {
                Some(c) if c.is_ascii_digit() || c == 'l' => spec.push(c),
                other => break other,
            }
        };
        let is_long = spec.contains('l');
        let digits = spec.trim_matches('l');
        let width: usize = digits.parse().unwrap_or(0);
        let bytes = if is_long { 8 } else { 4 };
        let shown = match kind {
            Some('u') => number(next(bytes)?, is_long).to_string(),
            Some('i' | 'd') => {
                let value = next(bytes)?;
                let value = if is_long {
                    value.cast_signed()
                } else {
                    i64::from((value as u32).cast_signed())
                };
                value.to_string()
            }
            Some('x') => format!("{:x}", number(next(bytes)?, is_long)),
            Some('p') => format!("{:#x}", next(8)?),
            Some('f') => float(f64::from_bits(next(8)?), |x| format!("{x:.6}")),
            Some('a') => float(f64::from_bits(next(8)?), hexadecimal),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let fill = if digits.starts_with('0') { "0" } else { " " };
        out += &fill.repeat(width.saturating_sub(shown.chars().count()));
        out += &shown;
    }
    Ok(out)
}

fn number(value: u64, is_long: bool) -> u64 {
    if is_long {
        value
    } else {
        u64::from(value as u32)
    }
}

fn float(value: f64, finite: impl Fn(f64) -> String) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_nan() {
        format!("{sign}nan")
    } else if value.is_infinite() {
        format!("{sign}inf")
    } else {
        finite(value)
    }
}

/// Formats a float in hexadecimal: 1.5 is `0x1.8p+0`.
fn hexadecimal(value: f64) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
    let (first, exponent) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, exponent - 1023),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}0x{first}{point}{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(format: &str, values: &[u64], expected: &str) {
        let mut values = values.iter().copied();
        let found = formatted(format, |_| Ok(values.next().unwrap())).unwrap();
        assert_eq!(found, expected);
    }

    #[test]
    fn formats_are_those_of_c() {
        check("a %% %u|%i", &[u64::MAX, u64::MAX], "a % 4294967295|-1");
        check("%2u %2u", &[7, 123], " 7 123");
        check(
            "0x%08x 0x%016llx",
            &[0xab, 0xcd],
            "0x000000ab 0x00000000000000cd",
        );
        check(
            "%lli %llu",
            &[u64::MAX, u64::MAX],
            "-1 18446744073709551615",
        );
        let float = f64::to_bits;
        check(
            "%f %f %f",
            &[float(1.5), float(-0.0), float(f64::NEG_INFINITY)],
            "1.500000 -0.000000 -inf",
        );
        check(
            "%a %a %a",
            &[float(1.5), float(-2.0), float(0.0)],
            "0x1.8p+0 -0x1p+1 0x0p+0",
        );
        check("%a", &[float(f64::NAN)], "nan");
        check("%p", &[0x1000], "0x1000");
    }
}
