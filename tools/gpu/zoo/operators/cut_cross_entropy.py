"""Apple's cut cross-entropy: the loss of a classifier without its logits."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from .case import Case, case, integers, leaf, normal, operator, package


@operator("cut_cross_entropy/lse_forward", "64x64x500", "256x512x8192", "4096x2048x32768")
def _(tokens: int, dim: int, vocabulary: int) -> Case:
    f = package("cut_cross_entropy.cce_lse_forward").cce_lse_forward_kernel
    inputs = normal(tokens, dim), normal(vocabulary, dim, scale=0.05)
    return case(lambda e, c: f(e, c), lambda e, c: (e @ c.T).logsumexp(-1), *inputs, tolerance=1e-2)


@operator("cut_cross_entropy/indexed_dot", "64x64x500", "256x512x8192", "16384x4096x32768")
def _(tokens: int, dim: int, vocabulary: int) -> Case:
    f, target = package("cut_cross_entropy.indexed_dot").indexed_neg_dot_forward_kernel, integers(vocabulary, tokens)
    inputs = normal(tokens, dim), normal(vocabulary, dim, scale=0.05)
    return case(lambda e, c: f(e, c, target), lambda e, c: -(e * c[target]).sum(-1), *inputs)


@operator("cut_cross_entropy/backward", "64x64x500", "256x512x8192", "4096x2048x32768")
def _(tokens: int, dim: int, vocabulary: int) -> Case:
    f, target = package("cut_cross_entropy.cce_backward").cce_backward_kernel, integers(vocabulary, tokens)
    e, c = leaf(tokens, dim), leaf(vocabulary, dim, scale=0.05)
    lse, one = (e.float() @ c.float().T).logsumexp(-1), torch.ones((), device=e.device)

    def reference(e, c):
        e, c = e.detach().requires_grad_(), c.detach().requires_grad_()
        return torch.autograd.grad(F.cross_entropy(e @ c.T, target, reduction="sum"), (e, c))

    call = lambda e, c: f(one, e, c, lse.detach(), None, None, None, target)
    return case(call, reference, e, c, tolerance=4e-2)


@operator("cut_cross_entropy/linear_cross_entropy", "64x64x500", "256x512x8192", "4096x2048x32768")
def _(tokens: int, dim: int, vocabulary: int) -> Case:
    f, target = package("cut_cross_entropy").linear_cross_entropy, integers(vocabulary, tokens)
    inputs = leaf(tokens, dim), leaf(vocabulary, dim, scale=0.05)
    return case(
        lambda e, c: f(e, c, target, filter_eps=None), lambda e, c: F.cross_entropy(e @ c.T, target), *inputs, tolerance=4e-2
    )
