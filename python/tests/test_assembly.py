"""The choice between assemblies of a kernel, and the machine code by which it is made."""

import re
import struct
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from linear_layout.triton import _sass
from linear_layout.triton._assembly import assembled, hold_or_print, is_much_faster, may_serialise, unless_refused
from linear_layout.triton._cubin import usage

PTX = ".visible .entry k()\n.reqntid 128\n{ ret; }\n"
TARGET = "cuda:90"


def elf(sections):
    """An ELF file with named sections."""
    names, at = b"\0", 64
    headers, body = [(0, 0, 0, 0)], b""
    for name, data in [*sections.items(), (".shstrtab", b"")]:
        if name == ".shstrtab":
            data = names + b".shstrtab\0"
        headers.append((len(names), 1, at + len(body), len(data)))
        names += name.encode() + b"\0"
        body += data
    table = b"".join(struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, offset, size, 0, 0, 1, 0) for name, kind, offset, size in headers)
    start = at + len(body)
    head = b"\x7fELF\x02\x01" + bytes(10)
    head += struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, start, 0, 64, 0, 0, 64, len(headers), len(headers) - 1)
    return head + body + table


def instruction(operation, stall=1, written=7, waits=0, result=255, base=0, offset=0, distance=0):
    """One instruction of machine code."""
    units = (distance - 1) * 4 & (1 << 56) - 1
    low = operation | result << 16 | base << 24 | offset << 40
    if operation == _sass.BRA:
        low = operation | (units & 0xFF) << 16 | (units >> 8 & (1 << 30) - 1) << 34
    high = (stall | written << 5 | 7 << 8 | waits << 11) << 41 | (units >> 38 if operation == _sass.BRA else 0)
    return struct.pack("<QQ", low, high)


def cubin(registers, frame=0, code=b"", cycles=0):
    """A cubin with one function: its resources, and its machine code or instructions of so many cycles."""
    info = b"".join(struct.pack("<BBHII", 4, attribute, 8, 1, value) for attribute, value in [(0x2F, registers), (0x11, frame)])
    return elf({".nv.info": info, ".text.k": code or instruction(0, stall=10) * (cycles // 10)})


def chosen(by_blocks, ptx=PTX, shared_bytes=0):
    """Assembles a kernel with an assembler that has a cubin for each number of blocks; returns the number that was chosen."""
    asked, slow = [], cubin(255, 64, code=loop(200, False))

    def assemble(text):
        hint = re.search(r"\.minnctapersm (\d+)", text)
        asked.append(int(hint[1]) if hint else 0)
        return by_blocks.get(asked[-1], slow)

    best = assembled(assemble, ptx, TARGET, shared_bytes)
    (blocks,) = [blocks for blocks, made in by_blocks.items() if made is best.cubin]
    assert bool(best.reason) == (blocks > 0)
    return blocks, asked, best.reason


def test_a_kernel_that_spills_with_registers_left_is_assembled_again():
    blocks, asked, reason = chosen({0: cubin(80, 16), 1: cubin(255)})
    assert (blocks, asked[:2]) == (1, [0, 1])
    assert reason == "assembled with .minnctapersm 1: 16 -> 0 bytes of spills, 80 -> 255 registers"
    # All registers are taken, the kernel states its own bound, or the hint does not help.
    assert chosen({0: cubin(255, 16), 1: cubin(255)}, PTX.replace("128", "512"))[1] == [0]
    assert chosen({0: cubin(80, 16), 1: cubin(80)}, PTX.replace("128", "128\n.maxnreg 80"))[1] == [0]
    assert chosen({0: cubin(80, 16), 1: cubin(80, 16)})[0] == 0


def test_one_more_block_is_taken_if_a_warp_takes_no_longer():
    # 110 registers: 4 blocks of 4 warps; 96 registers would let a fifth run.
    assert chosen({0: cubin(110, cycles=1000), 5: cubin(96, cycles=1060)}) == (
        5,
        [0, 5],
        "assembled with .minnctapersm 5: 0 -> 0 bytes of spills, 110 -> 96 registers",
    )
    # The L1 cache holds the spills, or not: 5 blocks of 128 threads share 228 KiB.
    assert chosen({0: cubin(110, cycles=1000), 5: cubin(96, 300, cycles=1000)})[0] == 5
    assert chosen({0: cubin(110, cycles=1000), 5: cubin(96, 400, cycles=1000)})[0] == 0
    assert chosen({0: cubin(110, cycles=1000), 5: cubin(96, 300, cycles=1000)}, shared_bytes=8192)[0] == 0
    # A warp that spills in its loop takes longer.
    assert chosen({0: cubin(110, cycles=1000), 5: cubin(96, 24, cycles=1070)})[:2] == (0, [0, 5])
    # One block of 16 warps and 71 registers: 64 registers for two.
    assert chosen({0: cubin(71, cycles=100), 2: cubin(64, cycles=100)}, PTX.replace("128", "512"))[0] == 2
    # A second block doubles the warps, and its loads overlap the arithmetic of the first one.
    wide = PTX.replace("128", "256")
    for ptx, most in ((wide, 1300), (wide.replace("{", "{ mma.sync.aligned.m16n8k16;"), 1160)):
        for cycles in (most - 10, most + 10):
            found = chosen({0: cubin(171, cycles=1000), 2: cubin(128, 24, cycles=cycles)}, ptx)[0]
            assert found == (2 if cycles < most else 0)
    # 168 registers, chosen for a fifth block of 2 warps, let six run: the L1 cache holds the spills of five.
    two_warps = {0: cubin(255, 80, cycles=1000), 5: cubin(168, 168, cycles=1040)}
    assert chosen(two_warps, PTX.replace("128", "64"), shared_bytes=16_384)[0] == 5
    assert chosen(two_warps, PTX.replace("128", "64"), shared_bytes=32_768)[0] == 0
    # `ptxas` spills, but does not leave registers for a fifth block.
    assert chosen({0: cubin(110, cycles=1000), 5: cubin(104, 24, cycles=1000)})[0] == 0


def test_more_registers_are_taken_if_shared_memory_lets_fewer_blocks_run():
    # Registers for 3 blocks, and shared memory for one.
    slow, fast = cubin(168, cycles=1000), cubin(223, cycles=700)
    assert chosen({0: slow, 1: fast}, shared_bytes=120_000)[:2] == (1, [0, 1])
    assert chosen({0: slow, 1: cubin(223, cycles=800)}, shared_bytes=120_000)[:2] == (0, [0, 1])
    # Shared memory for two: `ptxas` has used all registers of three, or not.
    assert chosen({0: slow, 2: fast}, shared_bytes=100_000)[:2] == (2, [0, 2])
    assert chosen({0: cubin(165, cycles=1000), 2: fast}, shared_bytes=100_000)[1] == [0]


def test_the_gain_of_a_block_falls_with_their_number():
    def taken(registers, blocks, cycles, spills=0):
        more = cubin(registers - 40, spills, cycles=cycles)
        return chosen({0: cubin(registers, cycles=1000), blocks: more}, PTX.replace("128", "32"))[0] == blocks

    # 8 and 16 blocks of one warp: a slowdown of 5 % is less than what the ninth gains, and more than the seventeenth.
    assert taken(255, 9, 1050) and not taken(127, 17, 1050)
    assert taken(127, 17, 1020)
    # With spills, a slowdown of 2 % is too much for both.
    assert not taken(255, 9, 1020, spills=8) and not taken(127, 17, 1020, spills=8)


def test_an_assembler_may_refuse_a_number_of_blocks(capsys):
    def assemble(ptx):
        hold_or_print("a log")
        if "minnctapersm" in ptx:
            hold_or_print("Internal Triton PTX codegen error")
            raise RuntimeError("(C7602) Insufficient registers")
        return kept

    kept = cubin(110)
    assert assembled(assemble, PTX, TARGET, 0, refusal=RuntimeError) == (kept, "")
    assert capsys.readouterr().out == "a log\n"
    assert assembled(assemble, PTX, TARGET, 0, tries_blocks=False) == (kept, "")
    with pytest.raises(RuntimeError):
        assembled(assemble, PTX, TARGET, 0)


def test_other_threads_print_while_an_assembler_may_refuse(capsys):
    held, printed = threading.Event(), threading.Event()

    def assemble():
        hold_or_print("refused")
        held.set()
        assert printed.wait(10)
        raise RuntimeError

    with ThreadPoolExecutor(1) as pool:
        refused = pool.submit(unless_refused, assemble, RuntimeError)
        assert held.wait(10)
        hold_or_print("another thread")
        printed.set()
        assert refused.result() is None
    assert capsys.readouterr().out == "another thread\n"


def test_what_was_held_is_printed_before_another_error(capsys):
    def assemble():
        hold_or_print("the kernel")
        raise ValueError

    with pytest.raises(ValueError):
        unless_refused(assemble, RuntimeError)
    assert capsys.readouterr().out == "the kernel\n"


@pytest.mark.parametrize(
    "registers, threads, shared_bytes",
    [
        (96, 128, 0),  # 5 blocks, 20 warps: enough
        (110, 128, 70_000),  # shared memory is the limit
        (40, 1024, 0),  # 32 registers are less than 0.6 of 56
        (255, 512, 0),  # no block would run
    ],
)
def test_one_more_block_is_not_tried(registers, threads, shared_bytes):
    registers = 56 if threads == 1024 else registers
    assert chosen({0: cubin(registers)}, PTX.replace("128", str(threads)), shared_bytes)[1] == [0]


def loop(loads, is_batched, apart=0):
    """A loop of loads that are used one by one: each use waits for its load, or all uses but `apart` stand behind all loads."""
    load = [instruction(_sass.LDG, written=2, base=4, offset=32 * at) for at in range(loads)]
    use = instruction(0x10, stall=2, waits=1 << 2)
    apart = apart if is_batched else loads
    body = [part for one in load[:apart] for part in (one, use)] + load[apart:] + [use] * (loads - apart)
    return b"".join([*body, instruction(_sass.BRA, stall=5, distance=-len(body))])


def test_serialised_loads_of_a_loop_take_longer():
    apart, batched = (cubin(64, code=loop(40, is_batched)) for is_batched in (False, True))
    assert _sass.estimate(apart, TARGET)[1:4] == (40, 40, True) and _sass.estimate(batched, TARGET)[1:4] == (40, 1, True)
    assert may_serialise(apart, TARGET) and not may_serialise(batched, TARGET)
    assert is_much_faster(batched, apart, TARGET) and not is_much_faster(apart, batched, TARGET)
    # 40 misses one after the other, in each of 16 iterations.
    assert _sass.estimate(apart, TARGET).cycles == pytest.approx(16 * 40 * (_sass.MISS + 2), rel=0.02)
    # Few loads, and no loop.
    assert not may_serialise(cubin(64, code=loop(20, False)), TARGET)
    assert not may_serialise(cubin(64, code=loop(40, False)[:-16]), TARGET)


def test_fewer_blocks_are_taken_if_the_loads_of_a_loop_are_then_batched():
    apart, batched = (loop(16, is_batched) for is_batched in (False, True))
    wide = PTX.replace("128", "256")
    # 40 registers: 6 blocks of 8 warps.
    assert chosen({0: cubin(40, code=apart), 5: cubin(48, code=batched)}, wide)[:2] == (5, [0, 5])
    # With 24 registers more, 4 blocks.
    assert chosen({0: cubin(40, code=apart), 5: cubin(48, code=apart)}, wide)[:2] == (0, [0, 5, 4])
    still = {0: cubin(40, code=apart), 5: cubin(48, code=apart), 4: cubin(64, code=batched)}
    assert chosen(still, wide)[:2] == (4, [0, 5, 4])
    assert chosen({0: cubin(40, code=batched)}, wide)[1] == [0]
    # Five blocks that spill make way for four that do not.
    spilled = {0: cubin(40, code=apart), 5: cubin(48, 64, code=batched), 4: cubin(64, code=batched)}
    assert chosen(spilled, wide)[:2] == (4, [0, 5, 4])
    # 32 registers: 8 blocks. 40 registers are for 6 blocks, and two loads suffice where so many warps run.
    few, better = loop(2, False), loop(2, True)
    assert chosen({0: cubin(32, code=few), 6: cubin(40, code=better)}, wide)[:2] == (6, [0, 6])
    # 96 registers: 5 blocks of 4 warps, and fewer loads than are worth a try.
    assert chosen({0: cubin(96, code=few)})[1] == [0]
    # Registers are left, so that more would not help.
    assert chosen({0: cubin(30, code=few)}, wide)[1] == chosen({0: cubin(38, code=apart)}, wide)[1] == [0]
    # With many loads, waits for a fifth of them suffice.
    assert chosen({0: cubin(96, code=loop(40, True, apart=10)), 4: cubin(128, code=loop(40, True))})[:2] == (4, [0, 5, 4])
    assert chosen({0: cubin(96, code=loop(40, True, apart=5))})[1] == [0]


def test_stating_the_blocks_that_were_chosen_may_batch_the_loads():
    apart, batched = (loop(16, is_batched) for is_batched in (False, True))
    assert chosen({0: cubin(96, code=apart), 5: cubin(96, code=batched), 4: cubin(128, code=batched)})[:2] == (5, [0, 5])
    assert chosen({0: cubin(96, code=apart), 5: cubin(96, code=apart), 4: cubin(128, code=batched)})[:2] == (4, [0, 5, 4])
    # Registers are left, but with few warps `ptxas` may serialise loads all the same.
    left = {0: cubin(78, code=apart), 6: cubin(79, code=apart), 5: cubin(95, code=loop(16, True, apart=8)), 4: cubin(109, code=batched)}
    assert chosen(left)[:2] == (4, [0, 6, 5, 4])
    # Half of the blocks have to take half of the time.
    half = PTX.replace("128", "512")
    somewhat = loop(16, True, apart=8)
    assert chosen({0: cubin(64, code=apart), 1: cubin(122, code=somewhat)}, half)[:2] == (0, [0, 2, 1])
    assert chosen({0: cubin(64, code=apart), 1: cubin(122, code=batched)}, half)[:2] == (1, [0, 2, 1])


def test_a_kernel_without_loops_is_assembled_for_the_blocks_that_were_chosen():
    apart, batched, three = (loop(*of)[:-16] for of in ((4, False), (4, True), (3, False)))
    assert chosen({0: cubin(64, code=apart), 8: cubin(64, code=batched)})[:2] == (8, [0, 8])
    assert chosen({0: cubin(64, code=apart), 8: cubin(64, code=apart)})[:2] == (0, [0, 8])
    # The loads are batched, or too few.
    assert chosen({0: cubin(64, code=batched)})[1] == chosen({0: cubin(64, code=three)})[1] == [0]


def test_registers_that_cost_no_block_are_offered_to_a_loop_with_serialised_loads():
    # Blocks of 256 threads with 56 registers; with 64, as many are resident.
    wide = PTX.replace(".reqntid 128", ".reqntid 256")
    apart, batched = (loop(2, together) for together in (False, True))
    assert chosen({0: cubin(55, code=apart), 4: cubin(60, code=batched)}, wide)[:2] == (4, [0, 4])
    assert chosen({0: cubin(55, code=apart), 4: cubin(60, code=apart)}, wide)[:2] == (0, [0, 4])
    # `ptxas` left registers unused.
    assert chosen({0: cubin(53, code=apart)}, wide)[1] == [0]


def test_the_bound_of_the_compiler_is_kept_if_warps_then_take_much_less_time():
    hinted = PTX.replace("128\n", "128\n.minnctapersm 1\n")
    # 48 warps with 39 registers, 16 with 118.
    free = cubin(39, cycles=3000)
    assert chosen({0: free, 1: cubin(118, cycles=2000)}, hinted)[:2] == (0, [0, 1])
    assert chosen({0: free, 1: cubin(118, cycles=900)}, hinted)[0] == 1
    assert chosen({0: cubin(32, 4000), 1: cubin(255, 2000)}, hinted)[0] == 1
    asked = []
    assembled(lambda ptx: asked.append(ptx) or free, hinted, TARGET, 0, tries_blocks=False)
    assert asked == [hinted]


def test_one_more_block_is_not_tried_for_loops_without_products():
    before, after = cubin(110, code=loop(2, True)), cubin(96, code=loop(2, True))
    assert chosen({0: before, 5: after})[1] == [0]
    for product in ("mma.sync.aligned.m16n8k16;", "wgmma.mma_async.sync;"):
        assert chosen({0: before, 5: after}, PTX.replace("ret;", product))[:2] == (5, [0, 5])


def test_forward_branches_skip_code():
    other, branch, end = (_sass.Instruction(code, False, 1, 7, 7, 0, 0, 0, 0, 0) for code in (0x112, _sass.BRA, _sass.EXIT))
    body = [branch._replace(distance=3), other, other, other, branch._replace(distance=4), other, other, other, end]
    # The second branch skips the rest of the function.
    assert _sass.skips(body, []) == [range(1, 3)]
    assert _sass.skips(body, [range(2, 3)]) == []
    # What follows an end is the target of a branch.
    assert _sass.skips([*body, other], []) == [range(1, 3), range(9, 10)]
    assert _sass.skips([*body[:-1], end._replace(is_predicated=True), other], []) == [range(1, 3)]


def test_a_sector_is_loaded_once_in_an_iteration():
    near = b"".join(instruction(_sass.LDG, written=0, base=4, offset=4 * at) + instruction(0, waits=1) for at in range(8))
    far = b"".join(instruction(_sass.LDG, written=0, base=4, offset=32 * at) + instruction(0, waits=1) for at in range(8))
    times = [_sass.estimate(cubin(32, code=code), TARGET).cycles for code in (near, far)]
    assert times == [_sass.MISS + 7 * _sass.HIT + 8, 8 * _sass.MISS + 8]
    # Another address in the same registers.
    step = instruction(0x210, result=5)
    stepped = b"".join(instruction(_sass.LDG, written=0, base=4) + instruction(0, waits=1) + step for _ in range(8))
    assert _sass.estimate(cubin(32, code=stepped), TARGET).cycles == 8 * _sass.MISS + 16


def test_what_is_no_cubin_is_refused():
    for damaged in (b"", b"PK", cubin(32, cycles=100)[:300]):
        for read in (usage, lambda made: _sass.estimate(made, TARGET)):
            with pytest.raises(ValueError, match="expected a cubin"):
                read(damaged)


MNEMONICS = {
    "LDG": _sass.LDG,
    "STG": _sass.STG,
    "LDS": _sass.LDS,
    "STS": _sass.STS,
    "SHFL": _sass.SHFL,
    "MUFU": _sass.MUFU,
    "BAR": _sass.BAR,
    "BRA": _sass.BRA,
}
KERNEL = """
.version 8.8
.target {arch}
.address_size 64
.shared .align 16 .b8 memory[1024];
.visible .entry k(.param .u64 p, .param .u32 n)
{{
    .reg .pred %go;
    .reg .b32 %r<9>;
    .reg .f32 %f<9>;
    .reg .b64 %a<4>;
    ld.param.u64 %a1, [p];
    cvta.to.global.u64 %a2, %a1;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    shl.b32 %r3, %r2, 2;
    mov.u32 %r4, memory;
    add.u32 %r5, %r4, %r3;
again:
    ld.global.f32 %f1, [%a2+4096];
    ld.global.f32 %f2, [%a2+4160];
    ex2.approx.f32 %f3, %f1;
    shfl.sync.bfly.b32 %f4, %f2, 1, 31, -1;
    st.shared.f32 [%r5], %f3;
    bar.sync 0;
    ld.shared.f32 %f5, [memory];
    add.f32 %f6, %f5, %f4;
    st.global.f32 [%a2], %f6;
    add.u64 %a2, %a2, 128;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %go, %r1, 0;
    @%go bra again;
    ret;
}}
"""


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"])
def test_machine_code_is_read_as_nvdisasm_reads_it(arch, tmp_path):
    triton = pytest.importorskip("triton")
    tools = Path(triton.__file__).parent / "backends/nvidia/bin"
    assembler = tools / "ptxas-blackwell"
    source, made = tmp_path / "k.ptx", tmp_path / "k.cubin"
    source.write_text(KERNEL.format(arch=arch))
    subprocess.run([assembler, f"-arch={arch}", source, "-o", made], check=True)
    listing = subprocess.run([tools / "nvdisasm", "-c", made], check=True, capture_output=True, text=True).stdout
    ((_, code),) = [(name, data) for name, data in _sass.sections(made.read_bytes()) if name.startswith(".text.")]
    body = _sass.instructions(code, int(arch.removeprefix("sm_")))
    labels, lines = {}, []
    for line in listing.splitlines():
        if label := re.match(r"(\.L_x_\d+):", line.strip()):
            labels[label[1]] = len(lines)
        elif found := re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\d+ )?(\w+)(.*);", line):
            lines.append((found[1], found[2]))
    assert len(lines) == len(body)
    for at, (name, operands) in enumerate(lines):
        for mnemonic, operation in MNEMONICS.items():
            assert (body[at].operation == operation) == (name == mnemonic), (at, name, hex(body[at].operation))
        if name == "LDG":
            assert body[at].offset == int(re.search(r"\+(0x[0-9a-f]+)\]", operands)[1], 16)
        if name == "BRA":
            assert labels[re.search(r"\.L_x_\d+", operands)[0]] == at + body[at].distance
    found = _sass.estimate(made.read_bytes(), arch.replace("sm_", "cuda:"))
    # Some loops are unrolled.
    assert found.loads >= 2 and 1 <= found.waits <= found.loads and found.cycles > 16 * _sass.MISS
