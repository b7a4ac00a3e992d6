"""Autotuners that do not tune."""

from __future__ import annotations

from typing import Any

from triton.runtime.autotuner import Autotuner


def _run(tuner: Any, *args: Any, **kwargs: Any) -> Any:
    """Launches the first configuration that pruning keeps."""
    tuner.nargs = dict(zip(tuner.arg_names, args))
    config = tuner.prune_configs(kwargs)[0]
    given = {**config.all_kwargs(), **kwargs}
    if config.pre_hook:
        config.pre_hook({**tuner.nargs, **given})
    return tuner.fn.run(*args, **given)


def take_first_configuration() -> None:
    """Makes all of Triton's autotuners launch their first configuration."""
    Autotuner.run = _run
    # Pruning may time configurations.
    Autotuner._bench = lambda tuner, *args, config, **kwargs: [1.0, 1.0, 1.0]
