"""Torch operators the real module registers and optimum-rbln names when it compiles; nothing here calls them."""

from __future__ import annotations


def register() -> None:
    """``rbln_custom_ops::linear(input, weight, bias)``, once."""
    import torch

    if not hasattr(torch.ops.rbln_custom_ops, "linear"):
        torch.library.define("rbln_custom_ops::linear", "(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor")


register()
