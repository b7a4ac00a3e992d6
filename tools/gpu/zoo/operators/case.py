"""Operators and their cases: inputs, calls of a package's kernels, and PyTorch references."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import re
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator

import torch
import torch.nn.functional as F

#: The device of all inputs; the CPU in simulation.
DEVICE = os.environ.get("ZOO_DEVICE", "cuda")

bf16, f16, f32, f8 = torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn


class Unavailable(ImportError):
    """A package, or a file of it, that cannot be imported."""


#: The reasons for failed imports, by package or file.
UNAVAILABLE: dict[str, str] = {}


@dataclass(frozen=True)
class Case:
    """One call of an operator on fixed inputs."""

    #: Computes outputs and gradients with the kernels of the package.
    run: Callable[[], list[torch.Tensor]]
    #: Computes the same tensors with PyTorch, in float32 for narrower types.
    reference: Callable[[], list[torch.Tensor]]
    #: The largest permitted error, relative to the largest absolute value of each tensor.
    tolerance: float


@dataclass(frozen=True)
class Operator:
    """A function of a package that launches Triton kernels."""

    name: str
    #: Labels of input sizes, smallest first; the first one suits the simulator. The numbers in a label are the
    #: arguments of ``build``.
    sizes: tuple[str, ...]
    build: Callable[..., Case]

    @property
    def package(self) -> str:
        return self.name.split("/")[0]

    def make(self, size: str) -> Case:
        """Returns the case of a size.

        Raises:
            Unavailable: The package cannot be imported.
        """
        torch.manual_seed(0)
        return self.build(*map(int, re.findall(r"\d+", size)))


#: The operators of all imported modules.
REGISTRY: dict[str, Operator] = {}


def operator(name: str, *sizes: str) -> Callable[[Callable[..., Case]], Callable[..., Case]]:
    """Registers a function that builds a case from the numbers of a size label."""

    def register(build: Callable[..., Case]) -> Callable[..., Case]:
        assert name not in REGISTRY, name
        REGISTRY[name] = Operator(name, sizes, build)
        return build

    return register


# ------------------------------------------------------------------------------------------------ imports


def _attempt(name: str, load: Callable[[], Any]) -> Any:
    if name not in UNAVAILABLE:
        try:
            return load()
        except (Exception, SystemExit) as error:  # Packages raise anything while they are imported.
            UNAVAILABLE[name] = f"{type(error).__name__}: {error}"
    raise Unavailable(f"{name}: {UNAVAILABLE[name]}")


def package(name: str) -> Any:
    """Imports a module of a package."""
    return _attempt(name, lambda: importlib.import_module(name))


def folder(name: str) -> Path:
    """Returns the folder of a package without importing it."""
    for entry in sys.path:
        if (Path(entry or ".") / name).is_dir():
            return Path(entry or ".") / name
    raise Unavailable(f"{name}: not installed")


def stub(name: str, **members: Any) -> None:
    """Replaces a module with heavy dependencies by a module with the given members."""
    parent, _, last = name.rpartition(".")
    module = types.ModuleType(name)
    vars(module).update(members, __path__=[])
    sys.modules.setdefault(name, module)
    if parent and parent in sys.modules:
        setattr(sys.modules[parent], last, sys.modules[name])


def namespace(*names: str) -> None:
    """Makes packages importable without their ``__init__.py``, so that single files of them can be imported."""
    for name in names:
        root, *inner = name.split(".")
        stub(name)
        sys.modules[name].__path__ = [str(folder(root).joinpath(*inner))]


@functools.cache
def load_file(root: str, path: str) -> Any:
    """Imports one file of a package by its path in the package, without ``__init__.py``."""

    def load() -> Any:
        name = f"{root}_{path}".replace("/", "_").removesuffix(".py")
        spec = importlib.util.spec_from_file_location(name, folder(root) / path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return _attempt(f"{root}/{path}", load)


# ------------------------------------------------------------------------------------------------ inputs


def normal(*shape: int, dtype: torch.dtype = bf16, scale: float = 1.0) -> torch.Tensor:
    return (torch.randn(*shape, device=DEVICE) * scale).to(dtype)


def uniform(*shape: int, dtype: torch.dtype = f32, low: float = 0.0, high: float = 1.0) -> torch.Tensor:
    return (torch.rand(*shape, device=DEVICE) * (high - low) + low).to(dtype)


def leaf(*shape: int, dtype: torch.dtype = bf16, scale: float = 1.0) -> torch.Tensor:
    """Returns normally distributed values that require a gradient."""
    return normal(*shape, dtype=dtype, scale=scale).requires_grad_()


def integers(high: int, *shape: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    return torch.randint(0, high, shape, device=DEVICE, dtype=dtype)


def arange(n: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    return torch.arange(n, device=DEVICE, dtype=dtype)


def distinct(*shape: int) -> torch.Tensor:
    """Returns float32 values that are distinct within each row of the last dimension."""
    return torch.rand(*shape, device=DEVICE).argsort(-1).float() / shape[-1] - 0.5


def widen(value: Any) -> Any:
    """Converts narrow floating-point tensors to float32; other values are returned unchanged."""
    if isinstance(value, torch.Tensor) and value.is_floating_point() and value.dtype.itemsize < 4:
        return value.detach().float().requires_grad_(value.requires_grad)
    return value


# ------------------------------------------------------------------------------------------------ cases


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """Yields the tensors in nested tuples and lists."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors(item)


def gradient(output: torch.Tensor) -> torch.Tensor:
    """Returns the fixed gradient of an output, the same values in every type."""
    if output.dim() == 0:
        return torch.ones_like(output)
    values = torch.sin(torch.arange(output.numel(), device=output.device, dtype=f32) * 0.37)
    return values.to(bf16).view(output.shape).to(output.dtype)


def _copy(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return value


def forward_backward(f: Callable[..., Any], *inputs: Any) -> list[torch.Tensor]:
    """Calls ``f`` on copies of the inputs, and backpropagates fixed gradients if an input requires one."""
    inputs = tuple(map(_copy, inputs))
    outputs = list(tensors(f(*inputs)))
    results = [t.detach().float() if t.dtype.itemsize == 1 and t.is_floating_point() else t.detach().clone() for t in outputs]
    heads = [t for t in outputs if t.requires_grad]
    if heads:
        torch.autograd.backward(heads, [gradient(t) for t in heads])
    return results + [t.grad for t in inputs if isinstance(t, torch.Tensor) and t.grad is not None]


def case(f: Callable[..., Any], reference: Callable[..., Any], *inputs: Any, tolerance: float = 2e-2) -> Case:
    """Returns the case of ``f`` on the inputs; the reference gets narrow floating-point inputs in float32."""

    def refer() -> list[torch.Tensor]:
        with torch.backends.cudnn.flags(allow_tf32=False):
            return forward_backward(reference, *map(widen, inputs))

    return Case(lambda: forward_backward(f, *inputs), refer, tolerance)


def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False, scale: float | None = None
) -> torch.Tensor:
    """Attention over ``[batch, heads, length, dim]``; heads of ``k`` and ``v`` are repeated for grouped queries."""
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        lengths = q.shape[-2], k.shape[-2]
        hidden = torch.ones(lengths, dtype=torch.bool, device=q.device).triu(lengths[1] - lengths[0] + 1)
        scores = scores.masked_fill(hidden, float("-inf"))
    return scores.softmax(-1) @ v


def packed_prefill(
    f: Callable[..., None], batch: int, length: int, heads: int, kv_heads: int, dim: int
) -> Case:
    """Returns the case of causal attention over packed sequences: ``f(q, k, v, out, starts, lengths, length)``."""
    lengths = torch.full((batch,), length, device=DEVICE, dtype=torch.int32)

    def call(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        o = torch.empty_like(q)
        f(q, k, v, o, (lengths.cumsum(0) - lengths).int(), lengths, length)
        return o

    def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        q, k, v = (x.unflatten(0, (batch, length)).transpose(1, 2) for x in (q, k, v))
        return attention(q, k, v, causal=True).transpose(1, 2).flatten(0, 1)

    return case(call, reference, *(normal(batch * length, n, dim, dtype=f16) for n in (heads, kv_heads, kv_heads)))


def mixture(
    x: torch.Tensor, up: torch.Tensor, down: torch.Tensor, weights: torch.Tensor, chosen: torch.Tensor
) -> torch.Tensor:
    """A mixture of gated experts: ``chosen`` has the experts of each token, and ``weights`` the weights of these
    experts.
    """
    out = torch.zeros_like(x)
    for e in range(up.shape[0]):
        token, slot = (chosen == e).nonzero(as_tuple=True)
        gate, value = (x[token] @ up[e].T).chunk(2, -1)
        out = out.index_add(0, token, (F.silu(gate) * value) @ down[e].T * weights[token, slot, None])
    return out


def rotate_half(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotary embedding with the halves of the last dimension as pairs; ``cos`` and ``sin`` broadcast to ``x``."""
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


def rotate_pairs(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotary embedding with neighbours as pairs; ``cos`` and ``sin`` have half of the last dimension."""
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)


def rms_norm(x: torch.Tensor, weight: torch.Tensor | None = None, eps: float = 1e-6) -> torch.Tensor:
    y = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return y if weight is None else y * weight


def quantize(x: torch.Tensor, group: int, limit: float, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Symmetric quantisation by groups of the last dimension: returns values of ``dtype``, and one scale per group."""
    groups = x.float().unflatten(-1, (-1, group))
    scale = groups.abs().amax(-1, keepdim=True).clamp(min=1e-10) / limit
    values = groups / scale
    values = values if dtype.is_floating_point else values.round()
    return values.clamp(-limit, limit).flatten(-2).to(dtype), scale.squeeze(-1)
