"""Text of the encodings of Gluon layouts.

Objects are read by class name and attributes, so that Triton need not be installed.
"""

from __future__ import annotations

from typing import Any, Callable, Optional


def encoding(layout: Any) -> tuple[str, Optional[list[int]]]:
    """Returns the TTGIR encoding of a Gluon layout, and the layout's own shape, if any."""
    return _text(layout), _own_shape(layout)


def _value(value: Any) -> Any:
    """Unwraps `constexpr` recursively, and converts tuples to lists."""
    value = getattr(value, "value", value)
    if isinstance(value, (list, tuple)):
        return [_value(item) for item in value]
    return value


def _own_shape(layout: Any) -> Optional[list[int]]:
    shape = _value(getattr(layout, "shape", None))
    return shape if isinstance(shape, list) else None


def _dict(**fields: Any) -> str:
    """Formats the fields of an attribute, without the fields that are `None`."""
    return ", ".join(f"{key} = {_spelled(value)}" for key, value in fields.items() if value is not None)


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _cga(layout: Any) -> Optional[list[list[int]]]:
    """Returns the CGA bases, or `None` for a single thread block."""
    return _value(getattr(layout, "cga_layout", None)) or None


def _blocked(layout: Any) -> str:
    fields = _dict(
        sizePerThread=_value(layout.size_per_thread),
        threadsPerWarp=_value(layout.threads_per_warp),
        warpsPerCTA=_value(layout.warps_per_cta),
        order=_value(layout.order),
        CGALayout=_cga(layout),
    )
    return f"#ttg.blocked<{{{fields}}}>"


def _slice(layout: Any) -> str:
    return f"#ttg.slice<{{dim = {_value(layout.dim)}, parent = {_text(layout.parent)}}}>"


def _distributed_linear(layout: Any) -> str:
    fields = _dict(
        register=_value(layout.reg_bases),
        lane=_value(layout.lane_bases),
        warp=_value(layout.warp_bases),
        block=_value(layout.block_bases),
    )
    return f"#ttg.linear<{{{fields}}}>"


def _dot_operand(layout: Any) -> str:
    fields = _dict(
        opIdx=_value(layout.operand_index),
        parent=_text(layout.parent),
        kWidth=_value(layout.k_width) or None,
    )
    return f"#ttg.dot_op<{{{fields}}}>"


def _nvidia_mma(layout: Any) -> str:
    major, minor = _value(layout.version)
    fields = _dict(
        versionMajor=major,
        versionMinor=minor,
        warpsPerCTA=_value(layout.warps_per_cta),
        CGALayout=_cga(layout),
        instrShape=_value(layout.instr_shape),
    )
    return f"#ttg.nvidia_mma<{{{fields}}}>"


def _nvmma_shared(layout: Any) -> str:
    fields = _dict(
        swizzlingByteWidth=_value(layout.swizzle_byte_width),
        transposed=_value(layout.transposed),
        elementBitWidth=_value(layout.element_bitwidth),
        fp4Padded=_value(layout.fp4_padded),
        rank=_value(layout.rank),
        CGALayout=_cga(layout),
    )
    return f"#ttg.nvmma_shared<{{{fields}}}>"


def _swizzled_shared(layout: Any) -> str:
    fields = _dict(
        vec=_value(layout.vec),
        perPhase=_value(layout.per_phase),
        maxPhase=_value(layout.max_phase),
        order=_value(layout.order),
        CGALayout=_cga(layout),
    )
    return f"#ttg.swizzled_shared<{{{fields}}}>"


def _padded_shared(layout: Any) -> str:
    pads = ", ".join(f"{interval}:+{padding}" for interval, padding in _value(layout.interval_padding_pairs))
    fields = _dict(offset=_value(layout.offset_bases), block=_value(layout.cga_layout))
    return f"#ttg.padded_shared<[{pads}] {{{fields}}}>"


def _shared_linear(layout: Any) -> str:
    fields = _dict(offset=_value(layout.offset_bases), block=_value(layout.block_bases))
    return f"#ttg.shared_linear<{{{fields}}}, alignment = {_value(layout.alignment)}>"


def _partitioned_shared(layout: Any) -> str:
    fields = _dict(
        numPartitions=_value(layout.num_partitions),
        numGroups=_value(layout.num_groups),
        partitionDim=_value(layout.partition_dim),
        partitionLayout=_text(layout.partition_layout),
    )
    return f"#ttg.partitioned_shared<{{{fields}}}>"


def _amd_mfma(layout: Any) -> str:
    fields = _dict(
        version=_value(layout.version),
        warpsPerCTA=_value(layout.warps_per_cta),
        CGALayout=_cga(layout),
        instrShape=_value(layout.instr_shape),
        isTransposed=_value(layout.transposed),
        tilesPerWarp=_value(layout.tiles_per_warp),
        elementBitWidth=_value(layout.element_bitwidth),
    )
    return f"#ttg.amd_mfma<{{{fields}}}>"


def _amd_wmma(layout: Any) -> str:
    bases = _dict(register=_value(layout.reg_bases) or None, warp=_value(layout.warp_bases))
    fields = _dict(
        version=_value(layout.version),
        isTranspose=_value(layout.transposed),
        ctaLayout=f"{{{bases}}}",
        CGALayout=_cga(layout),
        rank=_value(layout.rank),
        instrShape=_value(layout.instr_shape),
    )
    return f"#ttg.amd_wmma<{{{fields}}}>"


def _tensor_memory(layout: Any) -> str:
    rows, columns = _value(layout.block)
    fields = _dict(
        blockM=rows,
        blockN=columns,
        colStride=_value(layout.col_stride),
        CGALayout=_cga(layout),
        twoCTAs=_value(layout.two_ctas),
        fp4Padded=_value(layout.fp4_padded),
    )
    return f"#ttng.tensor_memory_encoding<{fields}>"


def _tensor_memory_scales(layout: Any) -> str:
    return f"#ttng.tensor_memory_scales_encoding<{_dict(CGALayout=_cga(layout))}>"


_FAMILIES: dict[str, Callable[[Any], str]] = {
    "AMDMFMALayout": _amd_mfma,
    "AMDWMMALayout": _amd_wmma,
    "BlockedLayout": _blocked,
    "DistributedLinearLayout": _distributed_linear,
    "DotOperandLayout": _dot_operand,
    "NVMMADistributedLayout": _nvidia_mma,
    "NVMMASharedLayout": _nvmma_shared,
    "PaddedSharedLayout": _padded_shared,
    "PartitionedSharedLayout": _partitioned_shared,
    "SharedLinearLayout": _shared_linear,
    "SliceLayout": _slice,
    "SwizzledSharedLayout": _swizzled_shared,
    "TensorMemoryLayout": _tensor_memory,
    "TensorMemoryScalesLayout": _tensor_memory_scales,
}


def _text(layout: Any) -> str:
    layout = getattr(layout, "value", layout)
    name = type(layout).__name__
    family = _FAMILIES.get(name)
    if family is not None:
        try:
            return family(layout)
        except AttributeError as error:
            raise TypeError(f"`{name}` lacks an attribute of the class in Triton 3.9: {error}") from None
    if name in ("AutoLayout", "CoalescedLayout"):
        from ._native import LayoutError

        raise LayoutError(f"`{name}` is not resolved yet\nnote: give the layout that the compiler chose")
    raise TypeError(f"`{name}` is not a Gluon layout\nnote: expected one of {', '.join(_FAMILIES)}")
