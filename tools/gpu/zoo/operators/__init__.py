"""Operators of public packages of Triton kernels, with inputs and PyTorch references.

    from operators import OPERATORS
    case = OPERATORS["liger/rms_norm"].make("4096x4096")
    outputs, expected = case.run(), case.reference()

A package is imported with the first case of one of its operators. If the import fails, `make` raises `Unavailable`, and
`UNAVAILABLE` keeps the reason.
"""

import importlib

from .case import REGISTRY as OPERATORS
from .case import UNAVAILABLE, Case, Operator, Unavailable

_MODULES = (
    "own",
    "products",
    "liger",
    "linear_attention",
    "flag_gems",
    "attention",
    "torchao",
    "bitsandbytes",
    "conch",
    "unsloth",
    "sglang",
    "lmdeploy",
    "lightllm",
    "triton_kernels",
    "cut_cross_entropy",
)

for _module in _MODULES:
    importlib.import_module(f"{__name__}.{_module}")

__all__ = ["OPERATORS", "UNAVAILABLE", "Case", "Operator", "Unavailable"]
