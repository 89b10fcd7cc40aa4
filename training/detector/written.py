"""The trained network as a small ONNX file: weights of convolutions in 8 bits, a scale for each channel."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import nn

LEAST_VALUES = 1000
"""Arrays of fewer values stay as they are."""


def typical_sizes(folder: Path, names: list[str]) -> dict[str, list[float]]:
    """Width, depth and height in metres of each category's objects, the mean over what the drawn rooms show."""
    found: dict[str, list[np.ndarray]] = {}
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as arrays:
            for row in arrays["rows"]:
                found.setdefault(names[int(row[1])], []).append(row[11:14])
    return {name: np.mean(sizes, axis=0).astype(float).round(2).tolist() for name, sizes in sorted(found.items())}


def write(network: nn.Module, names: list[str], sizes: dict[str, list[float]], path: Path) -> None:
    """Write a network with its categories' names and typical sizes, for any number of pictures of 160×120."""
    network.eval()
    out = io.BytesIO()
    torch.onnx.export(
        network.to(memory_format=torch.contiguous_format),
        (torch.zeros(1, 3, 120, 160),),
        out,
        input_names=["pictures"],
        output_names=["heat", "values"],
        dynamic_axes={name: {0: "n"} for name in ("pictures", "heat", "values")},
        opset_version=17,
        dynamo=False,
    )
    model = onnx.load_from_string(out.getvalue())
    kept = []
    for weight in model.graph.initializer:
        values = numpy_helper.to_array(weight)
        if values.dtype != np.float32 or values.ndim != 4 or values.size < LEAST_VALUES:
            kept.append(weight)
            continue
        scale = np.abs(values).max((1, 2, 3)).astype(np.float32) / 127 + 1e-12
        small = np.round(values / scale[:, None, None, None]).astype(np.int8)
        name = weight.name
        kept += [numpy_helper.from_array(small, f"{name}.int8"), numpy_helper.from_array(scale, f"{name}.scale")]
        inputs = [f"{name}.int8", f"{name}.scale"]
        model.graph.node.insert(0, helper.make_node("DequantizeLinear", inputs, [name], axis=0))
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    model.metadata_props.add(key="names", value=json.dumps(names))
    model.metadata_props.add(key="sizes", value=json.dumps(sizes))
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
