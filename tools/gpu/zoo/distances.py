"""Differences between results."""

from __future__ import annotations

import math

import torch


def distance(outputs: list[torch.Tensor], expected: list[torch.Tensor]) -> float:
    """Returns the largest difference, relative to the largest value of each tensor."""
    most = 0.0
    for output, reference in zip(outputs, expected, strict=True):
        if output.numel() == 0:
            continue
        left, right = output.detach().double(), reference.detach().double()
        if torch.equal(torch.nan_to_num(left), torch.nan_to_num(right)) and torch.equal(left.isnan(), right.isnan()):
            continue
        error = (left - right).abs().max() / right.abs().max().clamp(min=1e-30)
        most = max(most, error.item() if not math.isnan(error.item()) else math.inf)
    return most
