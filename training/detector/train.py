"""Train the network of `baseline/detector` on drawn rooms and write it as ONNX.

    python training/detector/train.py FOLDER --out src/tolman/models/detector/rooms.onnx

FOLDER is what `rooms.py` drew, with the categories' names. Every fifteenth room is not learned from. Needs torch and
onnx (requirements.txt beside this file). Processes of one thread each share each batch. With --begin FILE training goes
on from a network that was written before, and learns categories that it didn't know.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from begun import begin_from
from network import REGRESSED, STRIDE, Detector
from torch import Tensor, distributed, multiprocessing
from torch.nn import functional
from written import typical_sizes, write

SEED = 1948
BATCH = 32
"""Pictures, in all processes together."""
HELD_OUT = 15
"""One room of so many is not learned from."""
LEARNING_RATE = 3e-3
LATER_RATE = 1e-3
"""Of a network that was trained before."""
BEGUN_BY = 200
"""Pictures, about, that tell what the layers of such a network give."""
LINES, COLUMNS = 30, 40
"""Cells of the maps."""
FOCAL = 160 / 2 / np.tan(np.radians(72) / 2)
MIN_PIXELS = 60
"""Of 640×480; an object that shows fewer is neither wanted nor punished."""
SEEN = 200
"""Of 640×480; what shows as many counts as seen, in questions too."""
WEIGHTS = torch.tensor([1.0, 1.0, 0.5, 0.5, 1.0, 0.3, 0.3, 0.7])


class Frames(NamedTuple):
    """Pictures, uint8, shape (n, 3, 120, 160), and what each shows (`rooms.COLUMNS`)."""

    pictures: Tensor
    rows: list[np.ndarray]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="ONNX file that is written")
    parser.add_argument("--epochs", type=int, default=16, help="times that each frame is seen at most (default 16)")
    parser.add_argument("--minutes", type=float, default=20.0, help="most minutes (default 20)")
    parser.add_argument("--begin", type=Path, help="network to begin with, as --out writes it")
    parser.add_argument("--processes", type=int, default=2, help="processes that share the work (default 2)")
    options = parser.parse_args()
    multiprocessing.spawn(_work, (options,), nprocs=options.processes)
    names = json.loads((options.folder / "categories.json").read_text())
    network = Detector(len(names))
    network.load_state_dict(torch.load(options.out.with_suffix(".pt")))
    write(network, names, typical_sizes(options.folder, names), options.out)


def _work(rank: int, options: argparse.Namespace) -> None:
    """One process's share."""
    torch.set_num_threads(1)
    meeting = f"file://{(options.folder / 'meeting').absolute()}"
    distributed.init_process_group("gloo", init_method=meeting, rank=rank, world_size=options.processes)
    torch.manual_seed(SEED)
    names = json.loads((options.folder / "categories.json").read_text())
    paths = sorted(options.folder.glob("*.npz"))
    learned = _read([path for path in paths if int(path.stem) % HELD_OUT != HELD_OUT - 1])
    held = _read([path for path in paths if int(path.stem) % HELD_OUT == HELD_OUT - 1])
    network = Detector(len(names))
    if options.begin:
        some = learned.pictures[:: max(1, len(learned.rows) // BEGUN_BY)].float()
        known = begin_from(network, names, options.begin, some)
        if rank == 0:
            print(f"{known} of {len(names)} categories were known: {check(network, held)}", flush=True)
    network = network.to(memory_format=torch.channels_last)
    if rank == 0:
        count = sum(p.numel() for p in network.parameters())
        print(f"{len(learned.rows)} frames learned, {len(held.rows)} held out; {count:,} parameters", flush=True)
    _train(rank, network, learned, held, options)
    distributed.destroy_process_group()


def _read(paths: list[Path]) -> Frames:
    pictures, rows = [], []
    for path in paths:
        with np.load(path) as arrays:
            halves = arrays["colours"].reshape(-1, 120, 2, 160, 2, 3).astype(np.float32).mean((2, 4)).round()
            pictures.append(halves.astype(np.uint8).transpose(0, 3, 1, 2))
            rows += [arrays["rows"][arrays["rows"][:, 0] == i] for i in range(len(halves))]
    return Frames(torch.from_numpy(np.concatenate(pictures)), rows)


def targets(rows: np.ndarray, categories: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the network is to say: its heat, its values, and where those count."""
    heat = np.zeros((categories, LINES, COLUMNS), dtype=np.float32)
    values, weights = np.zeros((REGRESSED, LINES, COLUMNS), dtype=np.float32), np.zeros((LINES, COLUMNS), np.float32)
    down, across = np.arange(LINES)[:, None], np.arange(COLUMNS)[None]
    for row in sorted(rows.tolist(), key=lambda row: row[6]):
        _, category, *box, pixels, _, x, y, z, wide, deep, high = row
        left, top, right, bottom = (edge / 2 / STRIDE for edge in box)
        u, v, width, height = (left + right) / 2, (top + bottom) / 2, right - left, bottom - top
        column, line = min(int(u), COLUMNS - 1), min(int(v), LINES - 1)
        spread = np.exp(-((across - column) ** 2) / (2 * max(width / 8, 0.6) ** 2))
        spread = spread * np.exp(-((down - line) ** 2) / (2 * max(height / 8, 0.6) ** 2))
        if pixels < MIN_PIXELS:
            spread = np.minimum(spread, 0.9)  # near 1 nothing is punished
        heat[int(category)] = np.maximum(heat[int(category)], spread)
        z = max(z, 0.3)
        middle = ((80 + FOCAL * x / z) / STRIDE - column, (60 + FOCAL * y / z) / STRIDE - line)
        shifts = np.clip(middle, -20, 20) / 4
        size = np.log([width, height, z, max(wide, deep, high)])
        values[:, line, column] = (u - column, v - line, *size[:3], *shifts, size[3])
        weights[line, column] = 1.0
    return heat, values, weights


def _batch(frames: Frames, numbers: np.ndarray, categories: int, generator: np.random.Generator) -> list[Tensor]:
    """Pictures with their targets, some mirrored, all in another light and with some noise."""
    pictures = frames.pictures[torch.from_numpy(numbers)].float()
    made = []
    for i, number in enumerate(numbers):
        rows = frames.rows[number].copy()
        if generator.random() < 0.5:
            pictures[i] = pictures[i].flip(-1)
            rows[:, [2, 4]] = 320 - rows[:, [4, 2]]
            rows[:, 8] *= -1
        made.append(targets(rows, categories))
        gain = torch.from_numpy(generator.uniform(0.9, 1.1, (3, 1, 1)).astype(np.float32))
        noise = torch.randn(pictures[i].shape) * generator.uniform(0, 5)
        pictures[i] = (pictures[i] * gain * generator.uniform(0.85, 1.15) + noise).clamp_(0, 255)
    maps = [torch.from_numpy(np.stack(parts)) for parts in zip(*made, strict=True)]
    return [pictures.contiguous(memory_format=torch.channels_last), *maps]


def _loss(found: tuple[Tensor, Tensor], heat: Tensor, values: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    """CenterNet's focal loss of the heat, and the smooth L1 loss of the values."""
    logits, said = found[0].float(), found[1].float()
    count = heat.eq(1).sum().clamp(min=1)
    right = functional.softplus(-logits) * torch.sigmoid(-logits) ** 2 * heat.eq(1)
    wrong = functional.softplus(logits) * torch.sigmoid(logits) ** 2 * (1 - heat) ** 4
    apart = functional.smooth_l1_loss(said, values, reduction="none", beta=0.1)
    regression = (apart * weights[:, None] * WEIGHTS[None, :, None, None]).sum() / weights.sum().clamp(min=1)
    return (right.sum() + wrong.sum()) / count, regression


def _train(rank: int, network: Detector, learned: Frames, held: Frames, options: argparse.Namespace) -> None:
    categories = network.heat.out_channels
    shared, own = np.random.default_rng(SEED), np.random.default_rng([SEED, rank])
    optimizer = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE, weight_decay=1e-3)
    steps, step, done, began = len(learned.rows) // BATCH, 0, 0.0, time.time()
    rate = LATER_RATE if options.begin else LEARNING_RATE
    share = BATCH // options.processes
    for epoch in range(options.epochs):
        network.train()
        total = np.zeros(2)
        order = shared.permutation(len(learned.rows))[: steps * share * options.processes]
        order = order.reshape(steps, options.processes, share)
        for numbers in order[:, rank]:
            for group in optimizer.param_groups:
                warm = min(1.0, (step + 1) / 60)
                group["lr"] = rate * warm * (0.5 * (1 + np.cos(np.pi * min(done, 1.0))) + 0.004)
            pictures, *wanted = _batch(learned, numbers, categories, own)
            with torch.autocast("cpu", torch.bfloat16):
                found = network(pictures)
            losses = _loss(found, *wanted)
            optimizer.zero_grad()
            (losses[0] + losses[1]).backward()
            # The slower process's clock is everybody's, so that all stop with the same step.
            minutes = torch.tensor([(time.time() - began) / 60])
            parts = [p.grad for p in network.parameters()]
            flat = torch.cat([part.flatten() for part in parts] + [minutes]) / options.processes
            distributed.all_reduce(flat)
            pieces = flat[:-1].split([part.numel() for part in parts])
            for part, piece in zip(parts, pieces, strict=True):
                part.copy_(piece.view_as(part))
            torch.nn.utils.clip_grad_norm_(network.parameters(), 10)
            optimizer.step()
            total += [losses[0].item(), losses[1].item()]
            step += 1
            done = max(step / (options.epochs * steps), float(flat[-1]) / options.minutes)
            if rank == 0 and step % 20 == 0:
                print(f"  step {step}, {losses[0]:.2f} {losses[1]:.2f}, {done:.3f} done", flush=True)
            if done >= 1:
                break
        if rank == 0:
            torch.save(network.state_dict(), options.out.with_suffix(".pt"))
            print(f"epoch {epoch + 1}: {total / steps}; {check(network, held)}", flush=True)
        if done >= 1:
            return


@torch.no_grad()
def check(network: Detector, held: Frames) -> str:
    """Share of held-out objects (of 200 pixels and more) whose peak is found, and share of peaks that are objects."""
    network.eval()
    wanted = hit = said = true = 0
    for start in range(0, len(held.rows), BATCH):
        pictures = held.pictures[start : start + BATCH].float().contiguous(memory_format=torch.channels_last)
        heat = torch.sigmoid(network(pictures)[0])
        peaks = (heat * heat.eq(functional.max_pool2d(heat, 3, 1, 1))) > 0.35
        for one, rows in zip(peaks, held.rows[start : start + BATCH], strict=True):
            cells = torch.nonzero(one).numpy()
            matched: set[int] = set()
            said += len(cells)
            for row in rows:
                left, top, right, bottom = row[2:6] / 2 / STRIDE
                across, down = max(1.5, (right - left) / 4), max(1.5, (bottom - top) / 4)
                u, v = (left + right) / 2, (top + bottom) / 2
                near = [
                    i
                    for i, (category, y, x) in enumerate(cells)
                    if category == row[1] and i not in matched
                    if abs(x + 0.5 - u) <= across and abs(y + 0.5 - v) <= down
                ]
                matched |= set(near[:1])
                wanted += row[6] >= SEEN
                hit += row[6] >= SEEN and bool(near)
            true += len(matched)
    return f"recall {hit / max(wanted, 1):.3f}, precision {true / max(said, 1):.3f} of {wanted} objects"


if __name__ == "__main__":
    main()
