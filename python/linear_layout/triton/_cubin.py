"""Registers and stack frames of a kernel, from the ELF sections of its cubin.

`ptxas -v` prints the same numbers, but Triton's assembler stage discards this text.
"""

from __future__ import annotations

import struct
from typing import Iterator, NamedTuple

#: Attributes in `.nv.info` whose value is a pair `(symbol index, number)`.
FRAME_SIZE, REGISTER_COUNT = 0x11, 0x2F

#: The format of an attribute with a separate value; other formats keep the value in the size field.
SIZED = 4


class Usage(NamedTuple):
    """The resources of a thread.

    >>> Usage(registers=80, frame_bytes=16)
    Usage(registers=80, frame_bytes=16)
    """

    #: The largest number of registers of any function.
    registers: int
    #: Bytes of stack for spilled registers, summed over all functions.
    frame_bytes: int


def sections(elf: bytes) -> Iterator[tuple[str, bytes]]:
    """Yields the name and the contents of each section of a cubin.

    :raises ValueError: The bytes are not a cubin.
    """
    if elf[:6] != b"\x7fELF\x02\x01":
        raise ValueError("expected a cubin: a 64-bit little-endian ELF file")
    try:
        yield from _sections(elf)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"expected a cubin, found a damaged ELF file: {error}") from error


def _sections(elf: bytes) -> Iterator[tuple[str, bytes]]:
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    entry_size, count, names_index = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + index * entry_size) for index in range(count)]
    names = headers[names_index][4]
    for name, kind, _, _, offset, size in headers:
        start = names + name
        text = elf[start : elf.index(b"\0", start)].decode()
        yield text, b"" if kind == 8 else elf[offset : offset + size]


def usage(cubin: bytes) -> Usage:
    """Returns the resources of the functions in a cubin.

    :raises ValueError: The bytes are not a cubin.
    """
    registers = frame_bytes = 0
    for name, data in sections(cubin):
        if name != ".nv.info":
            continue
        at = 0
        while at + 12 <= len(data):
            form, attribute, size = struct.unpack_from("<BBH", data, at)
            at += 4
            if form != SIZED:
                continue
            if attribute in (FRAME_SIZE, REGISTER_COUNT):
                _, number = struct.unpack_from("<II", data, at)
                if attribute == FRAME_SIZE:
                    frame_bytes += number
                else:
                    registers = max(registers, number)
            at += size
    return Usage(registers, frame_bytes)
