"""A network that begins with the weights of another that was trained and written before."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import torch
from network import Detector
from onnx import numpy_helper
from torch import Tensor, nn

Kernel = tuple[Tensor, Tensor]
"""A convolution's weights and bias."""


def begin_from(network: Detector, names: list[str], path: Path, pictures: Tensor) -> int:
    """Give a network the weights of a written one; the number of categories that both know.

    In the file normalisation is part of the convolutions. It is taken apart again by what some pictures give each
    layer, so that the network says what the file's says, and can be trained on. A category that the file doesn't know
    keeps what it was initialised with.

    Args:
        network: of the file's architecture.
        names: its categories.
        path: a file that `written.write` wrote.
        pictures: some of those that will be learned, shape (n, 3, 120, 160), 0 to 255.
    """
    model = onnx.load(path)
    known = json.loads(next(entry.value for entry in model.metadata_props if entry.key == "names"))
    both = [(names.index(name), known.index(name)) for name in names if name in known]
    kernels = iter(_kernels(model))

    def fill(layer: nn.Module, _: object) -> None:
        if isinstance(layer, nn.Conv2d):
            weight, bias = next(kernels)
            if layer is network.heat:
                own, theirs = zip(*both, strict=True)
                layer.weight[list(own)], layer.bias[list(own)] = weight[list(theirs)], bias[list(theirs)]
                return
            layer.weight.copy_(weight)
            if layer.bias is not None:
                layer.bias.copy_(bias)
            else:
                biases.append(bias)

    def take_apart(layer: nn.Module, given: tuple[Tensor]) -> None:
        assert isinstance(layer, nn.BatchNorm2d)
        variance, mean = torch.var_mean(given[0], (0, 2, 3))
        layer.running_mean.copy_(mean)
        layer.running_var.copy_(variance)
        layer.weight.copy_((variance + layer.eps).sqrt())
        layer.bias.copy_(biases.pop() + mean)

    biases: list[Tensor] = []
    hooks = [
        layer.register_forward_pre_hook(take_apart if isinstance(layer, nn.BatchNorm2d) else fill)
        for layer in network.modules()
        if isinstance(layer, nn.Conv2d | nn.BatchNorm2d)
    ]
    network.eval()
    with torch.no_grad():  # layers are filled in the order in which they are used, which is the file's
        network(pictures)
    for hook in hooks:
        hook.remove()
    return len(both)


def _kernels(model: onnx.ModelProto) -> list[Kernel]:
    """The convolutions of a file in the order in which they are used."""
    values = {weight.name: numpy_helper.to_array(weight) for weight in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear":
            small, scale = (values[name] for name in node.input[:2])
            values[node.output[0]] = small.astype(np.float32) * scale[:, None, None, None]
    return [
        (torch.tensor(values[node.input[1]]), torch.tensor(values[node.input[2]]))
        for node in model.graph.node
        if node.op_type == "Conv"
    ]
