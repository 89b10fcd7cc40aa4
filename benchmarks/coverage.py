"""How often 95 % intervals hold the truth, and how wide they are: simulated runs, and draws from real questions.

    python benchmarks/coverage.py [--draws 4000] [--items 12] [--only plain] [--real ../shared] [--out coverage.csv]

Prints the Markdown tables of `benchmarks/README.md`. A cell passes if the printed interval covers at least 93 % and its
median width is at most 1.5 times that of the narrowest compared method that covers 93 % at every truth of the cell's
row. A user doesn't know the truth, so a method that covers at one truth only is no choice. Cells that are wider than
1.5 times such a method are listed apart.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from coverage_designs import DESIGNS
from coverage_methods import METHODS
from coverage_real import Population
from coverage_runs import EVENNESS, KINDS, Block, blocks
from numpy.typing import NDArray

from tolman.scoring.clusters import Clustered, moments
from tolman.scoring.intervals import has_enough_scenes

SCENES = (2, 3, 5, 6, 8, 10, 20, 50)
TRUTHS = (50, 80, 93, 99)
REAL_SCENES = (8, 10, 20, 50)
LEAST_COVERAGE = 93.0
WIDEST = 1.5
HOSTILE_DRAWS = 1000
"""Draws of each hostile design at most: each has scenes of its own, so that none is computed with another."""
MIN_PRINTED = 1000
"""A cell in which fewer draws have an interval printed is not judged."""


@dataclass
class Cell:
    """What was measured for one design.

    Attributes:
        effective: effective number of scenes of each draw.
        printed: whether each draw has enough scenes for an interval.
        held: method → for each draw, whether its interval holds the truth.
        widths: method → for each draw, in points.
        families: which family each draw is of.
    """

    effective: list[float] = field(default_factory=list)
    printed: list[bool] = field(default_factory=list)
    held: dict[str, list[NDArray[np.bool_]]] = field(default_factory=dict)
    widths: dict[str, list[NDArray[np.float64]]] = field(default_factory=dict)
    families: list[str] = field(default_factory=list)

    def add(self, sums: Clustered, weights: NDArray[np.float64], truth: float, family: str, seed: int) -> None:
        """Measure all methods on one block of draws."""
        found = moments(sums, weights)
        effective = found.effective_scenes[:, 0]
        self.effective += list(effective)
        self.printed += list(has_enough_scenes(found)[:, 0])
        self.families += [family] * len(effective)
        for name, method in METHODS.items():
            low, high = method(sums, weights, np.random.default_rng([seed, len(self.families)]))
            self.held.setdefault(name, []).append((low <= truth + 1e-9) & (truth - 1e-9 <= high))
            self.widths.setdefault(name, []).append(100 * (high - low))

    @property
    def is_printed(self) -> NDArray[np.bool_]:
        """Which draws have their interval printed."""
        return np.array(self.printed, dtype=bool)

    @property
    def is_judged(self) -> bool:
        """Whether enough draws have their interval printed; in a small trial, all of them."""
        return int(self.is_printed.sum()) >= min(MIN_PRINTED, len(self.effective))

    def effective_scenes(self, *, printed: bool = True) -> float:
        """Mean effective number of scenes."""
        return float(np.mean(np.array(self.effective)[self.is_printed if printed else slice(None)]))

    def coverage(self, method: str, *, printed: bool = True, family: str | None = None) -> float:
        """Per cent of draws that are held."""
        chosen = self.is_printed if printed else np.ones(len(self.effective), bool)
        if family is not None:
            chosen = chosen & (np.array(self.families) == family)
        return 100 * float(np.concatenate(self.held[method])[chosen].mean()) if chosen.any() else float("nan")

    def width(self, method: str, *, printed: bool = True) -> float:
        """Median width in points."""
        chosen = self.is_printed if printed else np.ones(len(self.effective), bool)
        return float(np.median(np.concatenate(self.widths[method])[chosen])) if chosen.any() else float("nan")

    def covers(self, method: str) -> bool:
        """Whether a method covers as often as it must."""
        return self.coverage(method) >= LEAST_COVERAGE

    def fault(self, methods: Iterable[str]) -> str:
        """Why the cell doesn't pass, compared with some methods that cover; empty where it does."""
        if not self.is_judged:
            return ""
        if not self.covers("printed"):
            return f"covers {self.coverage('printed'):.1f} %"
        narrowest = min(methods, key=self.width, default="printed")
        ratio = self.width("printed") / self.width(narrowest)
        return "" if ratio <= WIDEST else f"{ratio:.2f} times {narrowest}"


def measure(parts: Iterable[Block], seed: int = 0) -> Cell:
    """All methods on all blocks of a design."""
    cell = Cell()
    for block in parts:
        cell.add(block.sums, block.weights, block.truth, block.family, seed)
    return cell


def row(name: str, cells: Sequence[Cell], methods: Sequence[str] = ("printed",), *, printed: bool = True) -> str:
    """A Markdown row: coverage, and median width in points."""
    effective = np.mean([cell.effective_scenes(printed=printed) for cell in cells])
    texts = [
        f"{cell.coverage(method, printed=printed):.1f} · {cell.width(method, printed=printed):.1f}"
        for cell in cells
        for method in methods
    ]
    return f"| {name} | {effective:.1f} | {' | '.join(texts)} |"


def simulated(kind: str, draws: int, items: int, only: str, writer: csv.Writer | None) -> tuple[list[str], list[str]]:
    """The table of one kind of figure.

    Returns:
        The faults of its cells, and the cells that are wider than a method that doesn't cover at every truth.
    """
    print(f"\n**{kind}**, {items} items a scene on average\n")
    print(f"| scenes | effective | {' | '.join(f'truth {t}' for t in TRUTHS)} |\n|---|---:|{'---:|' * len(TRUTHS)}")
    faults, wider, rest = [], [], []
    for evenness in EVENNESS:
        for scenes in SCENES:
            name = f"{scenes}, {evenness}"
            if only not in ("", name):
                continue
            cells = [measure(blocks(kind, evenness, scenes, t, draws=draws, items_per_scene=items)) for t in TRUTHS]
            if all(cell.is_judged for cell in cells):
                print(row(name, cells), flush=True)
            else:
                rest.append((name, cells))
            judged = [cell for cell in cells if cell.is_judged]
            everywhere = [method for method in METHODS if all(cell.covers(method) for cell in judged)]
            for truth, cell in zip(TRUTHS, cells, strict=True):
                fault = cell.fault(everywhere)
                faults += [f"{kind}, {name}, truth {truth}: {fault}"] if fault else []
                alone = "" if fault else cell.fault([method for method in METHODS if cell.covers(method)])
                wider += [f"{kind}, {name}, truth {truth}: {alone}"] if alone else []
                if writer is not None:
                    _record(writer, (kind, evenness, scenes, truth, items), cell)
    if kind == "plain":
        chosen = [t for t in TRUTHS if t in (80, 93)]
        heads = [f"{t}: {m}" for t in chosen for m in METHODS]
        print(f"\nnot printed\n\n| scenes | effective | {' | '.join(heads)} |\n|---|---:|{'---:|' * len(heads)}")
        for name, cells in rest:
            few = [cell for t, cell in zip(TRUTHS, cells, strict=True) if t in chosen]
            print(row(name, few, list(METHODS), printed=False), flush=True)
    return faults, wider


def hostile(draws: int) -> list[str]:
    """The table of designs that try to break the intervals, each draw with scenes of its own."""
    print("\n| design | scenes | effective | coverage | without interval | width | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    faults = []
    for number, design in enumerate(DESIGNS):
        cell, generator = Cell(), np.random.default_rng([20261127, number])
        for _ in range(draws):
            sums = design.sums(generator)
            cell.add(sums, design.figure, design.truth, "", number)
        without = 100 * (1 - float(cell.is_printed.mean()))
        scenes, effective = sums.numerators.shape[1], cell.effective_scenes(printed=False)
        if without > 50:
            texts = ["–", f"{without:.0f} %", "–", "–"]
        else:
            enough = [cell.width(name) for name in METHODS if cell.coverage(name) >= LEAST_COVERAGE]
            ratio = cell.width("printed") / min(enough, default=float("nan"))
            covers, width = cell.coverage("printed"), cell.width("printed")
            texts = [f"{covers:.1f}", f"{without:.0f} %", f"{width:.1f}", f"{ratio:.2f}"]
            if covers < LEAST_COVERAGE or not ratio <= WIDEST:
                faults.append(f"{design.name}: covers {covers:.1f} %, {ratio:.2f} times the narrowest")
        print(f"| {design.name} | {scenes} | {effective:.1f} | {' | '.join(texts)} |", flush=True)
    return faults


def _record(writer: csv.Writer, design: tuple[object, ...], cell: Cell) -> None:
    effective, share = float(np.mean(cell.effective)), float(cell.is_printed.mean())
    for name in METHODS:
        figures = [cell.coverage(name, printed=False), cell.width(name, printed=False)]
        worst = min(cell.coverage(name, printed=False, family=f) for f in set(cell.families))
        writer.writerow([*design, f"{effective:.2f}", f"{share:.3f}", name, *(f"{x:.2f}" for x in (*figures, worst))])


def real(shared: Path, draws: int) -> list[str]:
    """The table of draws from VSI-Bench's scenes."""
    population = Population(shared)
    heads = " | ".join(f"{n} scenes" for n in REAL_SCENES)
    print(f"\n| figure | effective | truth | {heads} |\n|---|---:|---:|{'---:|' * len(REAL_SCENES)}")
    faults = []
    for name, paired, column in population.figures:
        texts, effective, true = [], [], 0.0
        for scenes in REAL_SCENES:
            sums, weights, true = population.draws(column, paired, scenes, draws, seed=1)
            cell = Cell()
            low, high = METHODS["printed"](sums, weights, np.random.default_rng(0))
            found = moments(sums, weights)
            cell.effective = list(found.effective_scenes[:, 0])
            cell.printed = list(has_enough_scenes(found)[:, 0])
            cell.held = {"printed": [(low <= true) & (true <= high)]}
            cell.widths = {"printed": [100 * (high - low)]}
            share = cell.is_printed.mean()
            if share < 0.05:
                texts.append("–")
                continue
            effective.append(f"{cell.effective_scenes():.1f}")
            part = f" ({100 * share:.0f} % printed)" if share < 0.995 else ""
            texts.append(f"{cell.coverage('printed'):.1f} · {cell.width('printed'):.1f}{part}")
            if cell.coverage("printed") < LEAST_COVERAGE:
                faults.append(f"{name}, {scenes} scenes: covers {cell.coverage('printed'):.1f} %")
        print(f"| {name} | {', '.join(effective)} | {100 * true:.1f} | {' | '.join(texts)} |", flush=True)
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=4000, help="runs for each cell")
    parser.add_argument("--items", type=int, default=12, help="items a scene has on average")
    parser.add_argument("--only", choices=(*KINDS, "designs"), help="one kind of figure, or the hostile designs")
    parser.add_argument("--row", default="", help="one row of a kind's table, such as '50, Zipf'")
    parser.add_argument("--real", type=Path, help="folder with data/vsi-bench")
    parser.add_argument("--out", type=Path, help="CSV of every cell and method, with the worst family")
    options = parser.parse_args()
    faults: list[str] = []
    wider: list[str] = []
    file = options.out.open("w", newline="") if options.out else None
    writer = csv.writer(file) if file else None
    if writer:
        head = ("kind", "evenness", "scenes", "truth", "items", "effective", "printed", "method", "coverage", "width")
        writer.writerow([*head, "worst_family"])
    for kind in KINDS:
        if options.only in (None, kind):
            found = simulated(kind, options.draws, options.items, options.row, writer)
            faults, wider = faults + found[0], wider + found[1]
    if options.only in (None, "designs"):
        faults += hostile(min(options.draws, HOSTILE_DRAWS))
    if options.real:
        faults += real(options.real, options.draws)
    if file:
        file.close()
    print(f"\n{len(faults)} cells don't pass." + "".join(f"\n- {fault}" for fault in faults))
    print(f"\n{len(wider)} are wider than 1.5 times a method that covers there, but not at every truth of the row.")
    print("".join(f"- {one}\n" for one in wider), end="")


if __name__ == "__main__":
    main()
