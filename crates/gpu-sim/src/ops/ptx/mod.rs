//! Inline assembly: for NVIDIA, the PTX statements in the table of [`forms`]; for AMD, waits and [`vector`]
//! instructions.
//!
//! ```text
//! mov.u32 $0, 0x0;
//! @$2 ld.global.L1::evict_last.b32 { $0 }, [ $1 + 16 ];
//! ```
//! A guarded statement keeps its result register where the guard is false. A register that was never written contains a
//! recognisable pattern.

mod access;
mod arithmetic;
mod atomic;
mod check;
mod forms;
mod mbarrier;
mod product;
mod tensor;
mod text;
mod vector;

pub(super) fn forms() -> impl Iterator<Item = String> {
    forms::spelled().chain(vector::names().map(str::to_owned))
}

use self::check::Refusal;
use self::text::{Name, PtxOperand, Statement, float_type, parse, ptx_type};
use super::compare::Select;
use super::convert::{Trunc, repack};
use super::integer::{self, Int};
use super::thread::{self, Clock, Special};
use super::{Family, OpRow, row};
use crate::bits::mask;
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder};
use crate::error::KernelError;
use crate::exec::Guard;
use crate::float::FloatTy;
use crate::ir::{Operation, Type};
use linear_layout::target::Assembly;
use std::collections::HashMap;

pub(super) const FAMILY: Family = Family {
    title: "inline assembly, maths libraries",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[OpRow] = &[row("llvm.inline_asm", |d, op| {
    let text = op.str("asm_string").unwrap_or("");
    let constraints: Vec<&str> = op
        .str("constraints")
        .unwrap_or("")
        .split(',')
        .filter(|c| !c.is_empty() && !c.starts_with('~'))
        .collect();
    let outputs = constraints
        .iter()
        .take_while(|c| c.starts_with('='))
        .count();
    let inputs = constraints.len() - outputs;
    if inputs != op.operands.len() {
        let count = op.operands.len();
        return Err(d.malformed(
            op,
            format!("{inputs} input constraints for {count} operands"),
        ));
    }
    match d.machine.assembly {
        Assembly::Ptx if !text.trim().is_empty() => statements(d, op, text, &constraints, outputs),
        _ => vector_text(d, op, text, &constraints, outputs),
    }
})];

/// Prefixes of AMD instructions that the decoder of vector instructions skips. An instruction that begins with
/// `s_wait` is decoded separately: it becomes a wait if it waits for asynchronous copies. Instructions with the
/// other prefixes have no effect in the simulator.
const HARMLESS: [&str; 4] = ["s_wait", "s_nop", "s_sleep", "s_setprio"];

/// Decodes AMD inline assembly. If the text contains no vector instruction, each output gets the value of the input
/// that the constraints tie to the output. An output without such an input is then an error.
fn vector_text(
    d: &mut Decoder<'_>,
    op: &Operation,
    text: &str,
    constraints: &[&str],
    outputs: usize,
) -> DecodeResult {
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.split([';', '#']).next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty() && !HARMLESS.iter().any(|word| line.starts_with(word)))
        .collect();
    for line in text.lines().filter(|line| line.contains("s_wait")) {
        super::copy::wait_line(d, line)?;
    }
    if !lines.is_empty() {
        let mut scope = AsmScope::new(d, op, "", constraints, outputs)?;
        for line in lines {
            vector::statement(&mut scope, line)?;
        }
        return scope.results(outputs);
    }
    if outputs == 0 {
        return Ok(());
    }
    // Each output must be tied to an input.
    let mut regs = Vec::new();
    for output in 0..outputs {
        let mut inputs = constraints[outputs..].iter();
        match inputs.position(|c| c.parse() == Ok(output)) {
            Some(input) => regs.extend(d.operand(op, input)?.slots.iter().copied()),
            None => {
                let text = format!(
                    "inline assembly without instructions: output {output} is not tied to an input"
                );
                return Err(d.unsupported(op, text));
            }
        }
    }
    d.define(op, regs)
}

/// Returns the width in bits of the registers that an operand constraint allows; `None` if the constraint is not
/// supported.
fn constraint_bits(constraint: &str) -> Option<u32> {
    Some(match constraint.trim_start_matches(['=', '&', '+']) {
        "b" => 1,
        "c" | "h" => 16,
        "r" | "f" | "v" | "s" => 32,
        "l" | "d" => 64,
        _ => return None,
    })
}

struct AsmScope<'d, 'm> {
    d: &'d mut Decoder<'m>,
    op: &'d Operation,
    current: HashMap<Name, Reg>,
    /// Width in bits of each operand; the entry at index `n` is the width of `$n`.
    widths: Vec<u32>,
    declared: HashMap<String, u32>,
}

struct StatementParts<'s> {
    words: Vec<&'s str>,
    args: &'s [PtxOperand],
    guard: Option<Guard>,
    /// True if the statement is in a loop that repeats the statement until its first operand is true.
    repeats: bool,
    /// Width in bits of the type, which is the last modifier. If the last modifier is not a type, the width is 32.
    bits: u32,
    signed: bool,
    float: Option<FloatTy>,
}

fn statements(
    d: &mut Decoder<'_>,
    op: &Operation,
    text: &str,
    constraints: &[&str],
    outputs: usize,
) -> DecodeResult {
    let mut scope = AsmScope::new(d, op, text, constraints, outputs)?;
    let statements = parse(text).map_err(|problem| {
        scope.unsupported(format!("inline assembly: {problem} is not supported"))
    })?;
    for statement in &statements {
        scope.statement(statement)?;
    }
    scope.results(outputs)
}

impl StatementParts<'_> {
    fn says(&self, modifier: &str) -> bool {
        self.words.contains(&modifier)
    }
}

impl<'d, 'm> AsmScope<'d, 'm> {
    fn new(
        d: &'d mut Decoder<'m>,
        op: &'d Operation,
        text: &str,
        constraints: &[&str],
        outputs: usize,
    ) -> DecodeResult<Self> {
        let mut scope = Self {
            d,
            op,
            current: HashMap::new(),
            widths: Vec::new(),
            declared: check::declared(text),
        };
        for (index, constraint) in constraints.iter().enumerate() {
            scope.operand(index, constraint, outputs)?;
        }
        Ok(scope)
    }
}

impl AsmScope<'_, '_> {
    fn unsupported(&self, text: impl Into<String>) -> KernelError {
        self.d.unsupported(self.op, text)
    }

    fn malformed(&self, text: impl Into<String>) -> KernelError {
        self.d.malformed(self.op, text)
    }

    /// Returns the width in bits of the register `name`; `None` if there is no such register.
    fn width(&self, name: &Name) -> Option<u32> {
        match name {
            Name::Operand(index) => self.widths.get(*index).copied(),
            Name::Local(name) if thread::ptx(name).is_some() => Some(32),
            Name::Local(name) => {
                let clock = thread::ptx_clock(name);
                clock.or_else(|| self.declared.get(name).copied())
            }
        }
    }

    fn operand(&mut self, index: usize, constraint: &str, outputs: usize) -> DecodeResult {
        let tied = constraint.parse::<usize>().ok();
        let bits = match tied {
            Some(output) => self.widths.get(output).copied(),
            None => constraint_bits(constraint),
        };
        let Some(bits) = bits else {
            return Err(self.unsupported(format!("constraint `{constraint}` is not supported")));
        };
        self.widths.push(bits);
        if index < outputs {
            return Ok(());
        }
        let value = self.d.operand(self.op, index - outputs)?;
        let slots = self.d.flat(self.op, &value.ty)?;
        let total: u32 = slots.iter().map(|slot| slot.bits).sum();
        if total > bits {
            let text = format!(
                "operand of {total} bits for constraint `{constraint}`, expected at most {bits} bits"
            );
            return Err(self.malformed(text));
        }
        let Some(first) = slots.first() else {
            return Err(self.malformed("an operand has no elements"));
        };
        let reg = repack(self.d, &value.slots, first.bits, total, 1)[0];
        self.current.insert(Name::Operand(index), reg);
        if let Some(output) = tied {
            self.current.insert(Name::Operand(output), reg);
        }
        Ok(())
    }

    /// Defines the result of the operation from the output registers of the assembly. If there are several outputs,
    /// the result is a struct.
    fn results(&mut self, outputs: usize) -> DecodeResult {
        if outputs == 0 || self.op.results.is_empty() {
            return Ok(());
        }
        let parts: Vec<Type> = match self.d.result_ty(self.op)?.clone() {
            Type::Struct { body, .. } => body,
            other => vec![other],
        };
        if parts.len() != outputs {
            let text = format!("{outputs} output constraints for {} results", parts.len());
            return Err(self.malformed(text));
        }
        let mut regs = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let slots = self.d.flat(self.op, part)?;
            let bits = self.widths[index];
            let mut reg = match self.current.get(&Name::Operand(index)) {
                Some(&reg) => reg,
                None => self.d.nothing(bits),
            };
            let total: u32 = slots.iter().map(|slot| slot.bits).sum();
            if total < bits {
                let src = reg;
                reg = self.d.emit(|dst| Trunc {
                    bits: total,
                    dst,
                    src,
                });
            }
            if let Some(first) = slots.first() {
                regs.extend(repack(self.d, &[reg], total, first.bits, slots.len()));
            }
        }
        self.d.define(self.op, regs)
    }

    /// Finds the form of a statement, which validates the statement, and decodes it with the function of this form.
    fn statement(&mut self, statement: &Statement) -> DecodeResult {
        let opcode = statement.opcode.join(".");
        let form = match check::find(statement, |name| self.width(name)) {
            Ok(form) => form,
            Err(Refusal::Unknown) => {
                let text = format!("inline assembly: `{opcode}` is not supported");
                let known = forms::names().join(", ");
                return Err(self
                    .unsupported(text)
                    .note(format!("supported are {known}")));
            }
            Err(Refusal::Form(forms)) => {
                let text = format!("inline assembly: `{opcode}` is not a supported form");
                return Err(self
                    .malformed(text)
                    .note(format!("the supported forms are: {forms}")));
            }
            Err(Refusal::Operand(problem)) => {
                return Err(self.malformed(format!("inline assembly: `{opcode}`: {problem}")));
            }
        };
        self.d.check_has(self.op, |target| {
            let lacking = form.needs?.lacking(target)?;
            Some(format!("inline assembly: `{opcode}` is {lacking}"))
        })?;
        let guard = match &statement.guard {
            Some((name, negated)) => Some(Guard {
                reg: self.read(&PtxOperand::Name(name.clone()))?,
                negated: *negated,
            }),
            None => None,
        };
        let words: Vec<&str> = statement.opcode.iter().map(String::as_str).collect();
        let (bits, signed) = words
            .last()
            .and_then(|word| ptx_type(word))
            .unwrap_or((32, false));
        let float = words.last().and_then(|word| float_type(word));
        (form.decode)(
            self,
            &StatementParts {
                words,
                args: &statement.args,
                guard,
                repeats: statement.repeats,
                bits,
                signed,
                float,
            },
        )
    }

    /// Returns a register that holds the value of an operand. For an immediate, creates a constant register with
    /// all 64 bits of the value. Returns an error for a vector or an address.
    fn read(&mut self, arg: &PtxOperand) -> DecodeResult<Reg> {
        match arg {
            PtxOperand::Immediate(value) => Ok(self.d.b.constant(*value)),
            PtxOperand::Name(name) => {
                if let Name::Local(local) = name
                    && let Some(value) = thread::ptx(local)
                {
                    return Ok(self.d.emit(|dst| Special { dst, value }));
                }
                if let Name::Local(local) = name
                    && let Some(bits) = thread::ptx_clock(local)
                {
                    self.d.b.sees_other_blocks();
                    return Ok(self.d.emit(|dst| Clock { bits, dst }));
                }
                match self.current.get(name) {
                    Some(&reg) => Ok(reg),
                    None => Ok(self.d.nothing(64)),
                }
            }
            _ => {
                Err(self
                    .unsupported("inline assembly: a vector or an address, expected a register"))
            }
        }
    }

    /// Returns the register that holds an operand. For an immediate, creates a constant register of `bits` bits.
    fn read_sized(&mut self, arg: &PtxOperand, bits: u32) -> DecodeResult<Reg> {
        match arg {
            PtxOperand::Immediate(value) => Ok(self.d.b.constant(value & mask(bits))),
            _ => self.read(arg),
        }
    }

    /// Returns the registers of the last `N` operands of the statement, which are its sources.
    fn sources<const N: usize>(&mut self, line: &StatementParts<'_>) -> DecodeResult<[Reg; N]> {
        let mut regs = [Reg(0); N];
        for (reg, arg) in regs.iter_mut().zip(&line.args[line.args.len() - N..]) {
            *reg = self.read_sized(arg, line.bits)?;
        }
        Ok(regs)
    }

    /// Assigns the value of `reg` to the operand `arg`. If `guard` is given, only the lanes that execute the
    /// statement get the new value. In the other lanes, the operand keeps its value.
    fn write(&mut self, arg: &PtxOperand, reg: Reg, guard: Option<Guard>) -> DecodeResult {
        let PtxOperand::Name(name) = arg else {
            return Err(self.unsupported("inline assembly: a result is not a register"));
        };
        if matches!(name, Name::Local(name) if name == "_") {
            return Ok(());
        }
        let reg = match guard {
            None => reg,
            Some(guard) => {
                let old = self.read(arg)?;
                let (a, b) = match guard.negated {
                    true => (old, reg),
                    false => (reg, old),
                };
                let cond = guard.reg;
                self.d.emit(|dst| Select { dst, cond, a, b })
            }
        };
        self.current.insert(name.clone(), reg);
        Ok(())
    }

    fn result(&mut self, line: &StatementParts<'_>, reg: Reg) -> DecodeResult {
        self.write(&line.args[0], reg, line.guard)
    }

    /// Returns an error if the statement has a guard. The decoders of statements that do not support guards, such
    /// as lane exchanges and barriers, call this function.
    fn unguarded(&self, line: &StatementParts<'_>) -> DecodeResult {
        match line.guard {
            None => Ok(()),
            Some(_) => {
                let opcode = line.words.join(".");
                Err(self.unsupported(format!(
                    "inline assembly: `{opcode}` under a guard is not supported"
                )))
            }
        }
    }

    fn int(
        &mut self,
        line: &StatementParts<'_>,
        op: &'static integer::IntBinaryOp,
    ) -> DecodeResult {
        let [a, b] = self.sources(line)?;
        let bits = line.bits;
        let reg = self.d.emit(|dst| Int {
            op,
            bits,
            dst,
            a,
            b,
        });
        self.result(line, reg)
    }
}
