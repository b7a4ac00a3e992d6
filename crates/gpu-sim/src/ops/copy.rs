//! Asynchronous copies, and waits for them: `cp.async`, `cp.async.bulk` to global memory, and AMD's copies to LDS.

use super::memory::{dwords, space};
use super::{Family, OpRow, needs, row};
use crate::code::{Reg, Space};
use crate::decode::{DecodeResult, Decoder, keyword};
use crate::error::{FaultKind, KernelError};
use crate::exec::{
    AccessLabel, Channel, Exec, Instruction, Marks, PoisonEffect, Regs, Transfer, WarpInteraction,
};
use crate::ir::Operation;
use linear_layout::target::Assembly;

pub(super) const FAMILY: Family = Family {
    title: "asynchronous copies",
    operations: &[ROWS],
    intrinsics: &[INTRINSICS],
};

const ROWS: &[OpRow] = &[
    row("nvvm.cp.async.shared.global", cp_async).needing(&needs::ASYNC_COPIES),
    row("nvvm.cp.async.commit.group", |d, _| {
        close(d, Channel::Group)
    }),
    row("nvvm.cp.async.wait.group", |d, op| {
        wait(d, Channel::Group, count(d, op, "n")?)
    }),
    row("nvvm.cp.async.bulk.global.shared.cta", bulk_store).needing(&needs::CLUSTERS),
    row("nvvm.cp.async.bulk.commit.group", |d, _| {
        close(d, Channel::Bulk)
    }),
    row("nvvm.cp.async.bulk.wait_group", |d, op| {
        let most = count(d, op, "group")?;
        wait_for(d, most, op.attribute("read").is_some())
    }),
    row("nvvm.fence.proxy", |d, op| {
        let kind = op.str("kind").map_or("async", keyword);
        if matches!(kind, "async" | "async.shared") {
            d.b.push(ProxyFence);
        }
        Ok(())
    }),
    row("rocdl.global.load.lds", to_lds).needing(&needs::COPIES_TO_LDS),
    row("rocdl.load.to.lds", to_lds).needing(&needs::COPIES_TO_LDS),
    row("rocdl.raw.ptr.buffer.load.lds", buffer_to_lds).needing(&needs::COPIES_TO_LDS),
    row("rocdl.global.load.async.to.lds.b8", |d, op| {
        async_to_lds(d, op, 1)
    })
    .needing(&needs::ASYNC_COPIES_TO_LDS),
    row("rocdl.global.load.async.to.lds.b32", |d, op| {
        async_to_lds(d, op, 4)
    })
    .needing(&needs::ASYNC_COPIES_TO_LDS),
    row("rocdl.global.load.async.to.lds.b64", |d, op| {
        async_to_lds(d, op, 8)
    })
    .needing(&needs::ASYNC_COPIES_TO_LDS),
    row("rocdl.global.load.async.to.lds.b128", |d, op| {
        async_to_lds(d, op, 16)
    })
    .needing(&needs::ASYNC_COPIES_TO_LDS),
    row("rocdl.s.waitcnt", |d, op| {
        wait(d, Channel::Vector, vmcnt(count(d, op, "bitfield")?))
    }),
    row("rocdl.s.wait.asynccnt", |d, op| {
        wait(d, Channel::Async, count(d, op, "count")?)
    }),
];

const INTRINSICS: &[OpRow] = &[
    row("llvm.nvvm.cp.async.commit.group", |d, _| {
        close(d, Channel::Group)
    }),
    row("llvm.nvvm.cp.async.wait.all", |d, _| {
        close(d, Channel::Group)?;
        wait(d, Channel::Group, 0)
    }),
    row("llvm.nvvm.cp.async.wait.group", |d, op| {
        let most = constant(d, op, 0)?;
        wait(d, Channel::Group, most)
    }),
    row("llvm.amdgcn.s.waitcnt", |d, op| {
        let field = constant(d, op, 0)?;
        wait(d, Channel::Vector, vmcnt(field))
    }),
    row("llvm.amdgcn.s.wait.asynccnt", |d, op| {
        let most = constant(d, op, 0)?;
        wait(d, Channel::Async, most)
    }),
];

/// Returns the vmcnt field of an `s_waitcnt` operand, in the encoding of GPUs that count copies to LDS in VMCNT.
const fn vmcnt(field: u32) -> u32 {
    field & 0xf | field >> 14 << 4 & 0x30
}

fn count(d: &Decoder<'_>, op: &Operation, name: &str) -> DecodeResult<u32> {
    let value = op.int(name).and_then(|n| u32::try_from(n).ok());
    value.ok_or_else(|| {
        d.malformed(
            op,
            format!("the attribute `{name}` is not a number of at least 0"),
        )
    })
}

fn constant(d: &Decoder<'_>, op: &Operation, operand: usize) -> DecodeResult<u32> {
    let value = d.b.constant_of(d.scalar(op, operand)?);
    let value = value.and_then(|n| u32::try_from(n).ok());
    value.ok_or_else(|| d.unsupported(op, format!("operand {operand} is not a constant number")))
}

#[derive(Debug)]
enum CopySource {
    Address(Space, Reg, i64),
    /// An AMD buffer descriptor, and byte offsets that are added to its base address. A lane whose source is out of
    /// bounds copies zeros.
    Buffer {
        rsrc: [Reg; 4],
        offsets: [Reg; 3],
    },
}

#[derive(Debug)]
struct AsyncCopy {
    channel: Channel,
    from: CopySource,
    /// Destination address, as (memory space, register, byte offset).
    to: (Space, Reg, i64),
    /// Distance in bytes between the destinations of neighbouring lanes; `None` if each lane has its own
    /// destination address.
    stride: Option<u32>,
    size: CopySize,
    /// Register with the number of bytes to read; `None` to read as many bytes as are written. The remaining bytes
    /// of the destination are set to zero.
    read: Option<Reg>,
    align: u32,
    scratch: Reg,
}

#[derive(Clone, Copy, Debug)]
enum CopySize {
    Fixed(u32),
    Of(Reg),
}

impl AsyncCopy {
    fn step_lane(&self, exec: &mut Exec<'_>, lane: u32, first: u32) -> Result<u64, KernelError> {
        let size = match self.size {
            CopySize::Fixed(size) => size,
            CopySize::Of(reg) => exec.get(reg, lane) as u32,
        };
        if !size.is_multiple_of(self.align) {
            let text = format!(
                "asynchronous copy of {size} bytes; expected a multiple of {}",
                self.align
            );
            return Err(exec.fault(FaultKind::Misaligned, lane, text));
        }
        let (from_space, from, address, limit) = match &self.from {
            CopySource::Address(space, reg, offset) => (
                *space,
                *reg,
                exec.get(*reg, lane).wrapping_add_signed(*offset),
                size,
            ),
            CopySource::Buffer { rsrc, offsets } => {
                let [base, _, records, _] = rsrc.map(|reg| exec.get(reg, lane));
                let offset: u64 = offsets.iter().map(|&reg| exec.get(reg, lane)).sum();
                let is_inside = offset + u64::from(size) <= records.min(0xffff_ffff);
                let address = base.wrapping_add(offset);
                (
                    Space::Global,
                    rsrc[0],
                    address,
                    if is_inside { size } else { 0 },
                )
            }
        };
        let read = self
            .read
            .map_or(limit, |reg| limit.min(exec.get(reg, lane) as u32));
        let (space, reg, offset) = self.to;
        let mut target = exec.get(reg, lane).wrapping_add_signed(offset);
        if let Some(stride) = self.stride {
            if exec.get(reg, first) != exec.get(reg, lane) {
                let [here, other] = [lane, first].map(|lane| exec.get(reg, lane));
                let text = format!(
                    "the LDS address differs between the lanes of a wave: {other:#x} and {here:#x}"
                );
                return Err(exec.fault(FaultKind::Divergence, lane, text));
            }
            target += u64::from(lane - first / exec.launch.lanes() * exec.launch.lanes())
                * u64::from(stride);
        }
        let to = exec.resolve(lane, space, target, size, self.align, "store")?;
        exec.check_origin(lane, reg, to, (space, size, "store"))?;
        let from = match read {
            // No bytes are read, so the source address is not checked.
            0 => to,
            read => {
                let place = exec.resolve(lane, from_space, address, read, self.align, "load")?;
                exec.check_origin(lane, from, place, (from_space, read, "load"))?;
                place
            }
        };
        let transfer = Transfer::new((from, read), (to, size), self.scratch);
        exec.start_copy(self.channel, lane, transfer)?;
        Ok(address)
    }
}

impl Instruction for AsyncCopy {
    fn regs(&self) -> Regs {
        let mut reads = vec![self.to.1];
        match &self.from {
            CopySource::Address(_, reg, _) => reads.push(*reg),
            CopySource::Buffer { rsrc, offsets } => reads.extend(rsrc.iter().chain(offsets)),
        }
        reads.extend(self.read);
        if let CopySize::Of(reg) = self.size {
            reads.push(reg);
        }
        Regs::new([self.scratch], reads)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for (_, lanes) in exec.active_warps() {
            let mut addresses = Vec::new();
            for &lane in &lanes {
                addresses.push((lane, self.step_lane(exec, lane, lanes[0])?));
            }
            if let (CopySize::Fixed(size), CopySource::Address(space, ..)) = (self.size, &self.from)
            {
                exec.count(*space, &addresses, size, true);
            }
        }
        exec.count_copy(self.channel);
        exec.order_waves();
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined()
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }

    fn access(&self, words: Assembly) -> Option<AccessLabel> {
        let CopySize::Fixed(size) = self.size else {
            return None;
        };
        Some(AccessLabel::Global(match words {
            Assembly::Ptx => format!("cp.async b{}", 8 * size),
            Assembly::Gcn => format!("global_load_lds_{}", dwords(size)),
        }))
    }
}

fn cp_async(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let size = count(d, op, "size")?;
    if !matches!(size, 4 | 8 | 16) {
        let text = format!("asynchronous copy of {size} bytes; expected 4, 8 or 16");
        return Err(d.malformed(op, text));
    }
    let [to, from] = d.scalars(op, [0, 1])?;
    let read = (op.operands.len() > 2)
        .then(|| d.scalar(op, 2))
        .transpose()?;
    let scratch = d.b.reg();
    d.b.push(AsyncCopy {
        channel: Channel::Group,
        from: CopySource::Address(Space::Global, from, 0),
        to: (Space::Shared, to, 0),
        stride: None,
        size: CopySize::Fixed(size),
        read,
        align: size,
        scratch,
    });
    Ok(())
}

fn bulk_store(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    if op
        .ints("operandSegmentSizes")
        .is_some_and(|sizes| sizes.last() == Some(&1))
    {
        return Err(d.unsupported(op, "a bulk copy with a byte mask is not supported"));
    }
    let [to, from, size] = d.scalars(op, [0, 1, 2])?;
    let scratch = d.b.reg();
    d.b.uses_async_proxy();
    d.b.push(AsyncCopy {
        channel: Channel::Bulk,
        from: CopySource::Address(Space::Shared, from, 0),
        to: (Space::Global, to, 0),
        stride: None,
        size: CopySize::Of(size),
        read: None,
        align: 16,
        scratch,
    });
    Ok(())
}

/// Returns the distance in bytes between the destinations of neighbouring lanes for a copy to LDS. `size` is
/// the number of bytes per lane. Returns an error if the target has no such copy.
fn lds_stride(d: &Decoder<'_>, op: &Operation, size: u32) -> DecodeResult<u32> {
    match size {
        1 | 2 | 4 => Ok(4),
        12 | 16 => {
            d.check_has(op, |target| {
                let reason = needs::WIDE_COPIES_TO_LDS.lacking(target)?;
                Some(format!("a copy of {size} bytes to LDS is {reason}"))
            })?;
            Ok(size)
        }
        _ => Err(d.malformed(
            op,
            format!("copy of {size} bytes to LDS; expected 1, 2, 4, 12 or 16"),
        )),
    }
}

fn to_lds(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let size = count(d, op, "size")?;
    let stride = lds_stride(d, op, size)?;
    let offset = op.int("offset").unwrap_or(0);
    let [from, to] = d.scalars(op, [0, 1])?;
    let from = CopySource::Address(space(d, op, 0)?, from, offset);
    copy_to_lds(d, from, (to, offset), Some(stride), size)
}

fn buffer_to_lds(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let size = constant(d, op, 2)?;
    let stride = lds_stride(d, op, size)?;
    let rsrc = super::buffer::descriptor(d, op, 0)?;
    let offsets = d.scalars(op, [3, 4, 5])?;
    let to = d.scalar(op, 1)?;
    let offset = i64::from(constant(d, op, 5)?);
    copy_to_lds(
        d,
        CopySource::Buffer { rsrc, offsets },
        (to, offset),
        Some(stride),
        size,
    )
}

fn async_to_lds(d: &mut Decoder<'_>, op: &Operation, size: u32) -> DecodeResult {
    let offset = op.int("offset").unwrap_or(0);
    let [from, to] = d.scalars(op, [0, 1])?;
    let from = CopySource::Address(Space::Global, from, offset);
    copy_to_lds(d, from, (to, offset), None, size)
}

fn copy_to_lds(
    d: &mut Decoder<'_>,
    from: CopySource,
    (to, offset): (Reg, i64),
    stride: Option<u32>,
    size: u32,
) -> DecodeResult {
    let scratch = d.b.reg();
    d.b.push(AsyncCopy {
        channel: if stride.is_some() {
            Channel::Vector
        } else {
            Channel::Async
        },
        from,
        to: (Space::Shared, to, offset),
        stride,
        size: CopySize::Fixed(size),
        read: None,
        align: if size == 2 { 2 } else { size.min(4) },
        scratch,
    });
    Ok(())
}

#[derive(Debug)]
struct CloseGroup(Channel);

impl Instruction for CloseGroup {
    fn regs(&self) -> Regs {
        Regs::new([], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.close_group(self.0);
        Ok(())
    }
}

pub(super) fn close(d: &mut Decoder<'_>, channel: Channel) -> DecodeResult {
    d.b.push(CloseGroup(channel));
    Ok(())
}

/// Waits until at most `most` groups are in flight. If a counter of the wave (VMCNT or ASYNCCNT) tracks the copies,
/// waits until at most `most` copy instructions are in flight.
#[derive(Debug)]
struct WaitForCopies {
    channel: Channel,
    most: u32,
    only_reads: bool,
}

impl Instruction for WaitForCopies {
    fn regs(&self) -> Regs {
        Regs::new([], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.wait_for_copies(self.channel, self.most, self.only_reads)
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }
}

fn wait(d: &mut Decoder<'_>, channel: Channel, most: u32) -> DecodeResult {
    d.b.push(WaitForCopies {
        channel,
        most,
        only_reads: false,
    });
    Ok(())
}

/// Decodes a wait until at most `most` groups of bulk copies are in flight. If `only_reads` is true, waits only
/// until the sources are read.
pub(super) fn wait_for(d: &mut Decoder<'_>, most: u32, only_reads: bool) -> DecodeResult {
    d.b.push(WaitForCopies {
        channel: Channel::Bulk,
        most,
        only_reads,
    });
    Ok(())
}

/// Decodes a wait in AMD assembly, e.g. `s_waitcnt vmcnt(0) lgkmcnt(0)`.
pub(super) fn wait_line(d: &mut Decoder<'_>, line: &str) -> DecodeResult {
    let operand = |name: &str| {
        let (_, rest) = line.split_once(name)?;
        rest.trim_start_matches('(')
            .split(')')
            .next()?
            .trim()
            .parse()
            .ok()
    };
    match (operand("vmcnt"), operand("s_wait_asynccnt")) {
        (Some(most), _) => wait(d, Channel::Vector, most),
        (None, Some(most)) => wait(d, Channel::Async, most),
        (None, None) => Ok(()),
    }
}

/// A fence between the generic proxy and the async proxy.
#[derive(Debug)]
pub(super) struct ProxyFence;

impl Instruction for ProxyFence {
    fn regs(&self) -> Regs {
        Regs::new([], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.proxy_fence();
        Ok(())
    }
}
