"""Fresh forms are parallel, and memorisation shows: forms from several seeds, asked of scripted observers and learners.

    python benchmarks/forms.py [--scenes 40] [--forms 5] [--trials 20] [--out FOLDER]

A benchmark of simulated rooms gets forms from other seeds (`tolman form`). Nothing is rendered: observers see boxes
with noise (`benchmarks/observer.py`, which shares no code with generation).

1. Do observers score alike on all forms? Cochran's Q: the weighted squares of the forms' deviations from their mean,
   with standard errors clustered by scene, against chi-square. Also for each question type, after Holm's correction.
2. Is an honest observer's gap between two forms found at the 5 % level no more often than in one of 20 trials?
3. A learner remembers the answers of a known share of one form's questions by scene and text, and answers others as an
   observer does. Its expected gap is the share times the observer's distance from 100. Is that inside the interval?
4. A nearest-neighbour learner is taught all answers of one form, with the scenes' names in the texts.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from observer import SETTINGS, TASKS, Planted, plant
from scipy.stats import chi2

from tolman.analyze.deltas import FormGap, form_gaps
from tolman.analyze.outside.learners.nearest_neighbours import OUTSIDE_LEARNER
from tolman.analyze.outside.outside_learner import BlindQuestion, LearnerSettings
from tolman.benchmarks.benchmark_folder import open_folder
from tolman.features.generate.compute import generate
from tolman.features.generate.config import FormConfig, GenerateConfig
from tolman.features.generate.parallel_forms import FormRow, make_form
from tolman.features.scenes.config import SimulateConfig
from tolman.features.scenes.simulation import simulate
from tolman.items import Item
from tolman.scene_table import read_scenes
from tolman.scenes import Scene
from tolman.scoring.aggregate import prepare
from tolman.scoring.score_table import Table
from tolman.scoring.significance import holm

FAMILIES = ("absolute-distance", "object-size", "relative-distance", "relative-direction")
SHARES = (0.1, 0.2, 0.4)
LEVEL = 0.05
KOLMOGOROV = 0.8687
"""Mean of Kolmogorov's distribution: of the greatest difference of two samples, times the root of n / 2."""
SCHEMA = {
    "id": pl.String, "task": pl.String, "cluster": pl.String, "options": pl.Int64, "state": pl.String,
    "status": pl.String, "score": pl.Float64,
}  # fmt: skip


class Form:
    """The questions and scenes of one form."""

    def __init__(self, folder: Path, scenes: Path) -> None:
        spec = open_folder(folder)
        self.items: Sequence[Item] = [item for item in spec.load(folder, "") if item.task in TASKS]
        self.scenes: dict[str, Scene] = {scene.id: scene for scene in read_scenes(scenes)}
        self.table: Table = spec.table.restricted({item.task for item in self.items})

    def answered(self, planted: Planted, seed: int) -> list[float]:
        """The scores of an observer, one for each question."""
        return [one.score for one in plant(self.items, self.scenes, planted, seed, one_look=True)]

    def frame(self, scores: Sequence[float]) -> pl.DataFrame:
        """Rows as scoring has them."""
        rows = [
            (item.id, item.task, item.cluster, len(item.options), "read", "answered", score)
            for item, score in zip(self.items, scores, strict=True)
        ]
        return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def make_forms(folder: Path, scenes: int, forms: int) -> tuple[list[Form], list[Sequence[FormRow]]]:
    """A benchmark and its forms, which are as many together."""
    public, places = folder / "public", folder / "public-scenes"
    worlds = {"media": False, "shapes": ("rectangle", "l-shape"), "seconds": 8.0, "rate": 3, "size": "96x64"}
    simulate(SimulateConfig(out=places, scenes=scenes, seed=1, workers=1, **worlds))
    generate(
        GenerateConfig(
            scenes=places,
            out=public,
            preset="vsi-paper",
            families=FAMILIES,
            seed=1,
            media=False,
            workers=1,
            per_task=300,
        )
    )
    found, rows = [Form(public, places)], []
    for seed in range(101, 100 + forms):
        made = make_form(FormConfig(benchmark=public, seed=seed, out=folder / f"form-{seed}", workers=1, spare=1.75))
        rows.append(made.rows)
        found.append(Form(made.out, made.scenes))
    return found, rows


def homogeneity(forms: Sequence[Form], scores: Sequence[Sequence[float]]) -> dict[str, tuple[float, list[float]]]:
    """p-value of Cochran's Q and the forms' figures, for each column."""
    table = forms[0].table
    estimates = []
    for form, own in zip(forms, scores, strict=True):
        data = prepare(form.frame(own), table)
        estimates.append(data.estimates(data.weights([column.node for column in table.columns])[0]))
    found = {}
    for column, own in zip(table.columns, zip(*estimates, strict=True), strict=True):
        if any(one.value is None or not one.error for one in own):
            continue
        values, weights = np.array([one.value for one in own]), np.array([1 / one.error**2 for one in own])
        mean = (weights * values).sum() / weights.sum()
        q = (weights * (values - mean) ** 2).sum()
        found[column.key] = float(chi2.sf(q, len(own) - 1)), [100 * one.value for one in own]
    return found


def with_memory(form: Form, honest: Sequence[float], share: float, dice: random.Random) -> list[float]:
    """The scores of an observer that remembers the answers of a share of a form's questions, by scene and text."""
    memory = {(item.scene, item.question, item.options) for item in form.items if dice.random() < share}
    return [
        1.0 if (item.scene, item.question, item.options) in memory else own
        for item, own in zip(form.items, honest, strict=True)
    ]


def gap(public: Form, fresh: Form, scores: tuple[Sequence[float], Sequence[float]], seed: int) -> FormGap:
    """The gap of the headline."""
    frames = public.frame(scores[0]), fresh.frame(scores[1])
    return form_gaps(*frames, public.table, seed=seed)[public.table.headline]


def neighbours(taught: Form, asked: Form) -> list[float]:
    """The scores of nearest neighbours on choices; none for numbers, which are left out."""
    known, wanted = ([item for item in form.items if item.options] for form in (taught, asked))

    def blind(item: Item) -> BlindQuestion:
        return BlindQuestion(f"{item.question} {item.scene}", item.options, (item.scene or "",))

    right = np.array(["ABCDEFGH".index(item.answer) for item in known])
    found = OUTSIDE_LEARNER.choose(
        [blind(item) for item in known], right, [blind(item) for item in wanted], LearnerSettings()
    )
    return [float("ABCDEFGH".index(i.answer) == int(np.argmax(v))) for i, v in zip(wanted, found, strict=True)]


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", type=int, default=40)
    parser.add_argument("--forms", type=int, default=5, help="forms in all, the public one too")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--out", type=Path, help="folder of the forms, which are kept; default: a temporary one")
    chosen = parser.parse_args()
    began = time.process_time()
    with tempfile.TemporaryDirectory() as name:
        forms, rows = make_forms(chosen.out or Path(name), chosen.scenes, chosen.forms)
    kinds = ", ".join(f"{task} {sum(i.task == task for i in forms[0].items)}" for task in TASKS)
    print(f"{len(forms)} forms of {len(forms[0].items):,} questions, {time.process_time() - began:.0f} s: {kinds}")
    print("\ndistance of the forms' distributions from the public form's (Kolmogorov-Smirnov): mean, greatest")
    for what in ("difficulty_distance", "frames_distance"):
        own = [d for each in rows for row in each if row.task in TASKS and (d := getattr(row, what)) is not None]
        print(f"  {what.split('_')[0]:10} {statistics.mean(own):.3f}, {max(own):.3f}")
    observers = SETTINGS[::4] + SETTINGS[2::4]
    sizes = [row.wanted for row in rows[0] if row.task in TASKS]
    print(f"  two random samples {statistics.mean(KOLMOGOROV * (2 / n) ** 0.5 for n in sizes):.3f}")
    parallel(forms, observers)
    honest(forms, observers, chosen.trials)
    memorised(forms, observers, chosen.trials)
    taught(forms)
    print(f"\n{time.process_time() - began:.0f} s of the processor")


def parallel(forms: Sequence[Form], observers: Sequence[Planted]) -> None:
    """Print whether observers score alike on all forms."""
    print("\nscores of observers on the forms, and p of Cochran's Q (least p of the types after Holm's correction)")
    for planted in observers:
        found = homogeneity(forms, [form.answered(planted, 1000 + n) for n, form in enumerate(forms)])
        p, figures = found.pop(forms[0].table.headline)
        least = min(holm([own for own, _ in found.values()]))
        said = "  ".join(f"{value:5.1f}" for value in figures)
        print(f"  {planted.position:.2f} m, lapses {planted.lapse:.1f}:  {said}  p {p:.2f} ({least:.2f})", flush=True)


def honest(forms: Sequence[Form], observers: Sequence[Planted], trials: int) -> None:
    """Print how often an honest observer's gap is found."""
    pairs = list(itertools.combinations(range(len(forms)), 2))
    found = []
    for trial in range(10 * trials):
        planted, (one, other) = observers[trial % len(observers)], pairs[trial % len(pairs)]
        scores = forms[one].answered(planted, 2 * trial), forms[other].answered(planted, 2 * trial + 1)
        made = gap(forms[one], forms[other], scores, trial)
        assert made.interval is not None
        found.append((made.p or 0.0, made.interval.low <= 0 <= made.interval.high))
    first = found[:trials]
    print(
        f"\nhonest observers: no gap at the 5 % level in {sum(p >= LEVEL for p, _ in first)} of the first {trials} "
        "trials, "
    )
    print(
        f"  in {sum(p >= LEVEL for p, _ in found)} of {len(found)}; 0 inside the interval in {sum(i for _, i in found)}"
    )


def memorised(forms: Sequence[Form], observers: Sequence[Planted], trials: int) -> None:
    """Print whether the planted gap is found."""
    print(
        "\nlearners that remember a share: planted gap, mean estimate, inside the 95 % interval, found at the 5 % level"
    )
    for share in SHARES:
        inside, power, planted_gaps, values, widths = [], [], [], [], []
        for trial in range(5 * trials):
            planted, fresh = observers[trial % len(observers)], forms[1 + trial % (len(forms) - 1)]
            base = [form.answered(planted, 5000 + 10 * trial + n) for n, form in enumerate(forms)]
            level = statistics.mean(_headline(form, own) for form, own in zip(forms, base, strict=True))
            scores = with_memory(forms[0], base[0], share, random.Random(trial)), base[forms.index(fresh)]
            made = gap(forms[0], fresh, scores, trial)
            assert made.interval is not None
            true = share * (100 - level)
            inside.append(made.interval.low <= true <= made.interval.high)
            power.append((made.p or 0.0) < LEVEL)
            planted_gaps.append(true)
            values.append(made.value)
            widths.append(made.detectable or 0.0)
        print(
            f"  {share:.0%}: {statistics.mean(planted_gaps):4.1f}, {statistics.mean(values):4.1f}; inside "
            f"{sum(inside)}, found {sum(power)} of {len(power)}; detectable {statistics.mean(widths):.1f}",
            flush=True,
        )


def _headline(form: Form, scores: Sequence[float]) -> float:
    data = prepare(form.frame(scores), form.table)
    (one,) = data.estimates(data.weights([form.table.column(form.table.headline).node])[0])
    return 100 * (one.value or 0.0)


def taught(forms: Sequence[Form]) -> None:
    """Print the gap of a nearest-neighbour learner on choices."""
    choices = [Form.__new__(Form) for _ in range(2)]
    for part, form in zip(choices, forms, strict=False):
        part.items = [item for item in form.items if item.options]
        part.table = form.table.restricted({item.task for item in part.items})
    made = gap(choices[0], choices[1], (neighbours(forms[0], forms[0]), neighbours(forms[0], forms[1])), 0)
    ends = made.interval
    print(
        f"\nnearest neighbours taught one form, choices: {made.public:.1f} there, {made.fresh:.1f} on a fresh one, gap "
        f"{made.value:.1f} ({ends.low:.1f} … {ends.high:.1f}), p {made.p:.4f}" if ends else "no interval"
    )  # fmt: skip


if __name__ == "__main__":
    main()
