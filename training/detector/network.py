"""The network behind `baseline/detector`: centres of objects, after CenterNet (Zhou et al. 2019, Objects as Points)."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

STRIDE = 4
REGRESSED = 8
"""Offset of the centre within its cell (x, y), log width, log height of the visible box in cells; log depth of the
object's middle in metres; where that middle is projected, from the peak, in cells (x, y); log longest extent in
metres."""


def _conv(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    convolution = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class _Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _conv(channels, channels)
        self.second = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.second(self.first(x)))


class Detector(nn.Module):
    """Pictures of shape (n, 3, 120, 160), 0 to 255, into maps of a quarter of their width and height.

    Returns two maps: logits of each category, shape (n, categories, 30, 40), and `REGRESSED` values.
    """

    def __init__(self, categories: int, width: int = 64) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.PixelUnshuffle(2), _conv(12, 24), _conv(24, width, 2), _Residual(width))
        self.eighth = nn.Sequential(_conv(width, 96, 2), _Residual(96), _Residual(96))
        self.sixteenth = nn.Sequential(_conv(96, 128, 2), _Residual(128))
        self.sideways = nn.ModuleList(nn.Conv2d(channels, width, 1) for channels in (width, 96, 128))
        self.merged = _conv(width, width)
        self.heat = nn.Conv2d(width, categories, 1)
        self.values = nn.Sequential(_conv(width, width), nn.Conv2d(width, REGRESSED, 1))
        nn.init.constant_(self.heat.bias, -4.6)

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        levels = [self.stem(pictures / 64.0 - 2.0)]
        for stage in (self.eighth, self.sixteenth):
            levels.append(stage(levels[-1]))
        merged = self.sideways[2](levels[2])
        for number in (1, 0):
            upper = functional.interpolate(merged, size=levels[number].shape[-2:], mode="nearest")
            merged = upper + self.sideways[number](levels[number])
        merged = self.merged(merged)
        return self.heat(merged), self.values(merged)
