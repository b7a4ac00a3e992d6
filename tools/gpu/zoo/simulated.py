"""Runs operators on the CPU: CPU tensors pass for GPU tensors, and `ll.simulate` runs the kernels.

Packages query PyTorch and Triton for the GPU, so that this module patches both before packages are imported.
"""

from __future__ import annotations

import contextlib
import math
import os
import types
from typing import Any, Iterator

os.environ["ZOO_DEVICE"] = "cpu"
# FlagGems would otherwise run a vendor tool.
os.environ["GEMS_VENDOR"] = "nvidia"

import torch  # noqa: E402
import triton  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.runtime.jit import JITFunction  # noqa: E402

import linear_layout as ll  # noqa: E402
from distances import distance  # noqa: E402
from operators.case import Operator  # noqa: E402
from rows import OperatorRow, Row  # noqa: E402
from tuning import take_first_configuration  # noqa: E402

#: Keywords of a launch that are not kernel arguments.
LAUNCH = ("debug", "instrumentation_mode", "fpsan_homomorphic_casts", "launch_pdl", "launch_cooperative_grid")
#: The largest grid with a reasonable simulation time.
MOST_PROGRAMS = 5000

GPU = types.SimpleNamespace(
    name="NVIDIA H100 80GB HBM3", major=9, minor=0, multi_processor_count=4, warp_size=32, max_threads_per_multi_processor=2048,
    shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472, regs_per_multiprocessor=65536,
    total_memory=1 << 36, L2_cache_size=50 << 20,
)


class Driver:
    """A Triton driver without a GPU."""

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        return torch.cuda

    def get_benchmarker(self) -> Any:
        return lambda call, **_: [1.0, 1.0, 1.0]

    @property
    def utils(self) -> Any:
        properties = dict(multiprocessor_count=4, max_shared_mem=232448, max_num_regs=65536, warpSize=32)
        return types.SimpleNamespace(get_device_properties=lambda device: properties)


class Stream:
    """A CUDA stream without a GPU."""

    cuda_stream = 0

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def wait_stream(self, other: Any) -> None:
        pass


def pretend(target: str, races: bool) -> None:
    """Makes PyTorch and Triton report a GPU, and launches run in the simulator."""
    triton.runtime.driver.set_active(Driver())
    cuda: Any = torch.cuda
    cuda.is_available, cuda.device_count, cuda.current_device = (lambda: True), (lambda: 1), (lambda: 0)
    cuda.get_device_capability, cuda.get_device_properties = (lambda *_: (9, 0)), (lambda *_: GPU)
    cuda.get_device_name, cuda.synchronize, cuda.current_stream = (lambda *_: GPU.name), (lambda *_: None), (lambda *_: Stream())
    cuda.device = lambda *_: contextlib.nullcontext()
    torch.Tensor.is_cuda = property(lambda tensor: True)  # type: ignore[assignment]
    torch.get_device_module = lambda *_: torch.cuda
    torch.accelerator.device_index = lambda *_: contextlib.nullcontext()  # type: ignore[assignment]

    def launch(kernel: Any, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> None:
        for hook in kernel.pre_run_hooks:
            hook(*args, **kwargs)

        def shape(bound: Any) -> tuple[int, ...]:
            found = tuple(int(size) for size in (grid(bound) if callable(grid) else grid))
            if math.prod(found) > MOST_PROGRAMS:
                raise ValueError(f"a grid of {math.prod(found)} programs; at most {MOST_PROGRAMS} are simulated")
            return found

        kwargs = {name: value for name, value in kwargs.items() if name not in LAUNCH}
        ll.simulate(kernel, target=target, global_races=races)[shape](*args, **kwargs)

    JITFunction.run = launch
    take_first_configuration()


class Simulation:
    """Operators in the simulator, compared with PyTorch."""

    def __init__(self, target: str, races: bool):
        pretend(target, races)
        torch.set_num_threads(1)

    def run(self, operator: Operator, size: str) -> Iterator[Row]:
        try:
            case = operator.make(size)
            errors = {"simulated": distance(case.run(), case.reference())}
        except Exception as error:  # The operators that follow still run.
            text = " ".join(str(error).split())[:300]
            yield OperatorRow(operator.name, size, f"{type(error).__name__}: {text}")
        else:
            yield OperatorRow(operator.name, size, "", errors, case.tolerance)
