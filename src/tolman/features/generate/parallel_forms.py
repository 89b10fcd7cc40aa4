"""Fresh forms: a benchmark made again from other seeds, with as many questions of each type and as difficult ones.

A form comes from the benchmark's own recipe: its settings of scenes under another seed, and its generation preset.
More scenes are simulated than the benchmark has. Each of the benchmark's questions is matched with the most similar one
of theirs: optimal matching without replacement (Rosenbaum 1989, Journal of the American Statistical Association 84,
1024-1032), on ranks of difficulty and of the fewest frames that show all that a question needs. A ring is matched as
a whole.

Difficulty is the margin between the right answer and another one. Numbers have none, so theirs is the answer itself.
"""

from __future__ import annotations

import json
import math
import random
import secrets
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from pydantic import ValidationError

import tolman
from tolman.benchmarks.benchmark_folder import COMMITMENT, commit_form, open_folder, provenance_of, scenes_named
from tolman.errors import InputError, UsageError, counted
from tolman.extras import scipy
from tolman.features.config import base_of, by_field, has_table, located, make, read_tables
from tolman.features.events import Events, silent
from tolman.features.generate.compute import Choosing, generate_under, preset_under
from tolman.features.generate.config import FormConfig, GenerateConfig
from tolman.features.notebook import Displayable, NotebookTable, given_as
from tolman.features.scenes.config import SimulateConfig
from tolman.generate.draft_collection import OFFERED, Collected
from tolman.generate.draft_items import item_of
from tolman.generate.draft_storage import EntryPart
from tolman.generate.presets import GenerationPreset
from tolman.ground_truth.scene_arrays import digest_of
from tolman.guessing.folds import TWINS
from tolman.item_table import data_hash
from tolman.items import Item
from tolman.media.needed_frames import KEY
from tolman.registry import later
from tolman.scene_table import count_scenes
from tolman.scoring.clusters import Floats

_simulate = later("tolman.features.scenes.simulation:simulate")
_settings_of = later("tolman.features.scenes.simulation:settings_of")

SIMULATION = "simulation.json"
SEED_BITS = 48
"""Of a seed that is drawn."""
MOST_OFFERED = 8
"""Questions that are compared for each one that is taken."""
UNNEEDED = "less similar to the benchmark's questions than others"
SHARED = "asked by the benchmark"


@dataclass(frozen=True)
class FormRow:
    """One question type of a form next to the same of the benchmark.

    Attributes:
        task: the question type.
        wanted, questions: how many the benchmark has, and the form.
        measure: of difficulty: 'margin', 'gap', 'answer', or '' where questions have none.
        difficulty, frames: medians of the benchmark and of the form, of difficulty and of the fewest frames needed;
            None where unknown.
        difficulty_distance, frames_distance: the greatest differences of the distributions, 0–1 (Kolmogorov and
            Smirnov's statistic); None where unknown.
    """

    task: str
    wanted: int
    questions: int
    measure: str
    difficulty: tuple[float, float] | None
    difficulty_distance: float | None
    frames: tuple[float, float] | None
    frames_distance: float | None


@dataclass(frozen=True, repr=False)
class FormResult(Displayable):
    """A fresh form of a benchmark.

    Attributes:
        out: its folder.
        benchmark: folder of the benchmark.
        scenes: folder of the form's scenes.
        seed: that it was made from.
        rows: one for each question type.
        same_scenes: whether it asks about scenes of the benchmark.
        commitment: the file to publish.
    """

    out: Path
    benchmark: Path
    scenes: Path
    seed: int
    rows: tuple[FormRow, ...]
    same_scenes: bool
    commitment: Path

    @cached_property
    def questions(self) -> int:
        """Number of its questions."""
        return sum(row.questions for row in self.rows)

    @property
    def lacking(self) -> list[FormRow]:
        """Question types with fewer questions than the benchmark has."""
        return [row for row in self.rows if row.questions < row.wanted]

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each question type.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns task, wanted, questions, measure, and for difficulty and frames the medians (benchmark, form) and
            the distance of the distributions.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        numbers = ("difficulty", "difficulty_form", "difficulty_distance", "frames", "frames_form", "frames_distance")
        schema: dict[str, Any] = {"task": pl.String, "wanted": pl.Int64, "questions": pl.Int64, "measure": pl.String}
        schema |= dict.fromkeys(numbers, pl.Float64)
        rows = [
            (
                row.task, row.wanted, row.questions, row.measure, *(row.difficulty or (None, None)),
                row.difficulty_distance, *(row.frames or (None, None)), row.frames_distance,
            )
            for row in self.rows
        ]  # fmt: skip
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _title(self) -> str:
        return f"{self.out}: {counted(self.questions, 'question')}, a fresh form of {self.benchmark}"

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table())


def make_form(config: FormConfig, events: Events = silent) -> FormResult:
    """Make a fresh form of a benchmark, and the commitment to it.

    Raises:
        InputError: there is no such benchmark, its scenes aren't available, or an output folder holds something else.
        UsageError: the benchmark is of another version or recipe, the seed is its own, or there are too few questions.
        TolmanError: as `simulate` and `generate` raise it.
    """
    original = _original(config.benchmark)
    worlds = _worlds(original) if config.scenes is None else None
    scenes = config.scenes or (_beside(config.out) if worlds else _scans(original))
    seed = _seed(config, original, scenes if worlds else None)
    if provenance_of(config.out).get("seed", seed) != seed:
        raise InputError(config.out, "holds another benchmark", fix="give another folder with --out")
    if worlds:
        count = math.ceil(config.spare * worlds.scenes / worlds.twins) * worlds.twins
        _simulate(
            replace(worlds, out=scenes, seed=seed, scenes=count, shard=None, on=config.on, workers=config.workers),
            events,
        )
    preset = original.preset
    matching = _Matching(original, seed, fewer=config.fewer, simulated=worlds is not None)
    made = generate_under(
        GenerateConfig(
            scenes=scenes, out=config.out, seed=seed, choices=original.choices, licence=original.licence,
            media=original.has_media, on=config.on, workers=config.workers,
        ),
        preset,
        events,
        Choosing(_offered(preset, simulated=worlds is not None), matching.take),
    )  # fmt: skip
    recipe = {
        "preset": preset.written(),
        "choices": original.choices,
        "simulate": {key: value for key, value in _settings_of(worlds).items() if key != "seed"} if worlds else None,
        "scenes": None if worlds else digest_of(scenes),
    }
    commit_form(made.out, original.digest, seed, recipe)
    items = _items(made.out)
    same = bool({item.scene for item in original.items} & {item.scene for item in items})
    rows = _rows(original.items, items)
    return FormResult(made.out, original.folder, scenes, seed, rows, same, made.out / COMMITMENT)


@dataclass(frozen=True)
class _Original:
    """The benchmark that gets a form.

    Attributes:
        folder: of it.
        provenance: of it.
        preset: that it was made with.
        items: its questions.
        recipe: the TOML file that was given for it; None for none.
    """

    folder: Path
    provenance: Mapping[str, Any]
    preset: GenerationPreset
    items: Sequence[Item]
    recipe: Path | None

    @property
    def choices(self) -> bool:
        """Check whether numerical questions are in their multiple-choice form."""
        return bool(self.provenance.get("choices"))

    @property
    def licence(self) -> str:
        """The licence that it names."""
        return open_folder(self.folder, with_columns=False).licence

    @property
    def has_media(self) -> bool:
        """Check whether its media are in its folder."""
        return any((self.folder / medium.path).exists() for medium in self.items[0].media)

    @cached_property
    def digest(self) -> str:
        """The hash of its questions."""
        return data_hash(self.items)


def _items(folder: Path) -> list[Item]:
    return list(open_folder(folder, with_columns=False).load(folder, ""))


def _original(named: Path) -> _Original:
    """The benchmark of a folder or a recipe.

    Raises:
        InputError: there is none, or it was not generated.
        UsageError: it is of another version or recipe.
    """
    recipe = named if named.suffix == ".toml" else None
    asked: GenerateConfig | None = None
    folder = named
    if recipe is not None:
        asked = _config(recipe, GenerateConfig, "generate")
        folder = asked.out
        if not folder.exists():
            fix = f"carry it out with 'tolman generate --config {recipe}': a form is matched to its questions"
            raise InputError(folder, f"isn't there, and {recipe} makes it", fix=fix)
    elif not folder.exists():
        raise InputError(folder, "there is no such file or folder", fix="check the path")
    told = provenance_of(folder)
    if "tolman" not in told or not isinstance(told.get("preset"), dict):
        raise InputError(folder, "was not made by 'tolman generate'", fix="give a benchmark that was, or its recipe")
    if told["tolman"] != tolman.__version__:
        raise UsageError(
            f"{folder} was made by tolman {told['tolman']}, and this is {tolman.__version__}: the same recipe may make "
            "other questions; make it again from its recipe, or use that version."
        )
    if "review" in told:
        raise UsageError(f"people reviewed {folder}, and a form isn't reviewed; give the benchmark from before that.")
    try:
        preset = GenerationPreset.model_validate(told["preset"])
    except ValidationError as error:
        raise InputError(folder, f"has no preset that this version reads ({error.errors()[0]['msg']})") from None
    wanted = preset if asked is None else preset_under(asked, asked.preset or preset.name)
    for known in (preset, wanted):
        if other := _differing(told["preset"], json.loads(json.dumps(known.written()))):
            raise UsageError(f"the recipe of {folder} differs here: {other}.")
    items = _items(folder)
    if not items:
        raise InputError(folder, "holds no questions")
    return _Original(folder, told, preset, items, recipe)


def _config(path: Path, kind: type[Any], command: str) -> Any:
    """A config of a TOML file's table."""
    table, *more = read_tables(path, command)
    if more:
        raise InputError(path, f"has {1 + len(more)} [[{command}]] tables", fix="give a file with one")
    return make(kind, located(kind, by_field(path, kind, table), base_of(path)), where=f"{path}: ")


def _differing(one: Any, other: Any, name: str = "") -> str:
    """The first difference of two JSON values in words; '' where they are equal."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        parts = (_differing(one.get(key), other.get(key), f"{name}.{key}") for key in sorted({*one, *other}))
        return next(filter(None, parts), "")
    return "" if one == other else f"{name.lstrip('.')} is {json.dumps(one)} there, and {json.dumps(other)} here"


def _worlds(original: _Original) -> SimulateConfig | None:
    """The settings that the benchmark's scenes were simulated with; None where they are scans.

    Raises:
        InputError: they aren't known.
        UsageError: the recipe's aren't those of the scenes.
    """
    homes = [folder for folder in scenes_named(original.folder) if (folder / SIMULATION).is_file()]
    config: SimulateConfig | None = None
    if original.recipe is not None and has_table(str(original.recipe), "simulate"):
        config = _config(original.recipe, SimulateConfig, "simulate")
    if not homes:
        return config
    told = _simulation(homes[0])
    if told.get("tolman") != tolman.__version__:
        raise UsageError(
            f"{homes[0]} was simulated by tolman {told.get('tolman')}, and this is {tolman.__version__}: the same "
            "recipe may make other scenes; simulate them again, or use that version."
        )
    if config is None:
        config = _from_scenes(homes[0], told)
    if other := _differing(told, _settings_of(config)):
        raise UsageError(f"the recipe of {homes[0]} differs here: {other}.")
    return config


def _simulation(folder: Path) -> dict[str, Any]:
    """The settings that a folder's scenes were simulated with.

    Raises:
        InputError: they can't be read.
    """
    try:
        found = json.loads((folder / SIMULATION).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    size = found.get("size") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(found.get("seed"), int) or len(size or ()) != 2:
        raise InputError(folder / SIMULATION, "holds no settings of a simulation", fix="simulate the scenes again")
    return found


def _from_scenes(folder: Path, told: Mapping[str, Any]) -> SimulateConfig:
    """The config that a collection's simulation.json describes."""
    given = {key: value for key, value in told.items() if key not in ("tolman", "furniture", "size")}
    width, height = told["size"]
    if len(told.get("furniture") or ()) > 1:
        written = folder / "tolman.toml"
        if not written.is_file():
            raise InputError(folder, f"has no {written.name}, which names its furniture", fix="give the recipe's file")
        given["furniture"] = _config(written, SimulateConfig, "simulate").furniture
    given |= {"out": folder, "scenes": count_scenes(folder), "size": f"{width}x{height}"}
    return make(SimulateConfig, given)


def _scans(original: _Original) -> Path:
    """The folder of the benchmark's scans."""
    found = next((folder for folder in scenes_named(original.folder) if folder.exists()), None)
    if found is None:
        fix = "give them with --scenes, or the recipe that simulated them in place of the benchmark"
        raise InputError(original.folder, "names scenes that aren't here", fix=fix)
    return found


def _beside(out: Path) -> Path:
    return out.parent / f"{out.name}-scenes"


def _seed(config: FormConfig, original: _Original, scenes: Path | None) -> int:
    """The seed that is given, that of scenes which are there already, or a new one.

    Raises:
        UsageError: it is the benchmark's.
    """
    seed = config.seed
    if seed is None and scenes is not None and (scenes / SIMULATION).is_file():
        seed = _simulation(scenes)["seed"]
    if seed is None:
        found = provenance_of(config.out).get("seed")
        seed = found if isinstance(found, int) else secrets.randbits(SEED_BITS)
    asked = {item.scene.split("/")[-1].split("-")[0] for item in original.items if scenes is not None and item.scene}
    if seed == original.provenance.get("seed") or str(seed) in asked:
        raise UsageError(f"--seed {seed} is the seed of {original.folder}, so it would be the same; give another.")
    return seed


def _offered(preset: GenerationPreset, *, simulated: bool) -> GenerationPreset:
    """The preset under which more questions come than are taken: of each scene too, where there are no others."""
    share = preset.share
    changes: dict[str, Any] = {"per_task": share.per_task and OFFERED * share.per_task}
    if not simulated and not share.rings:
        changes["per_scene"] = OFFERED * share.per_scene
    return preset.model_copy(update={"share": share.model_copy(update=changes)})


@dataclass(frozen=True)
class _Unit:
    """A ring, or a question that is in none.

    Attributes:
        members: numbers of the questions.
        features: difficulty, fewest frames and answer (of a closed list) of each.
    """

    members: tuple[int, ...]
    features: tuple[tuple[float, float, str], ...]


class _Matching:
    """Chooses questions that are like a benchmark's.

    Args:
        original: the benchmark.
        seed: of the draw where there are very many.
        fewer: whether there may be fewer.
        simulated: whether scenes are new, and there can be more.
    """

    def __init__(self, original: _Original, seed: int, *, fewer: bool, simulated: bool) -> None:
        self._original, self._seed = original, seed
        self._fewer, self._simulated = fewer, simulated

    def take(self, offered: EntryPart, collected: Collected) -> EntryPart:
        """The questions that are taken of those that are offered.

        Raises:
            UsageError: there are too few.
        """
        places = range(len(offered)) if self._simulated else self._unasked(offered, collected)
        wanted = _grouped(
            (n, (item.task, str(item.evidence.get(TWINS, n)) if TWINS in item.evidence else ""))
            for n, item in enumerate(self._original.items)
        )
        there = _grouped((n, (offered[n].task, ring.name if (ring := offered[n].ring) else "")) for n in places)
        dice = random.Random(f"{self._seed}:form")
        taken: list[int] = []
        for key, own in sorted(wanted.items()):
            units = there.get(key, [])
            if len(units) > MOST_OFFERED * len(own):
                units = sorted(dice.sample(units, MOST_OFFERED * len(own)))
            closed = any(offered[n].closed for unit in units for n in unit)
            asked = [_Unit(unit, tuple(_features(self._original.items[n], closed) for n in unit)) for unit in own]
            drafted = {n: _features(self._drafted(offered, n, collected), closed) for unit in units for n in unit}
            found = [_Unit(unit, tuple(drafted[n] for n in unit)) for unit in units]
            taken += [n for place in match(asked, found) for n in found[place].members]
        self._check(Counter(offered[n].task for n in taken))
        numbers = sorted(offered.numbers[n] for n in taken)
        entries = offered.entries
        kept = sorted(numbers, key=lambda i: (entries.task(i), entries.position(i)))
        return EntryPart(entries, collected.left(UNNEEDED, list(offered.numbers), kept), offered.rings)

    def _drafted(self, offered: EntryPart, number: int, collected: Collected) -> Item:
        entry = offered[number]
        draft, _ = collected.draft_file.get(entry.position)
        return item_of(draft, 0, (), self._seed, entry.ring)

    def _unasked(self, offered: EntryPart, collected: Collected) -> list[int]:
        """Without questions that the benchmark asks, and no more of a scene than the recipe allows."""
        asked = {(item.scene, item.question) for item in self._original.items}
        ids = {item.id for item in self._original.items}
        most, shares = self._original.preset.share.per_scene, Counter[tuple[str, str | None]]()
        order = list(range(len(offered)))
        random.Random(f"{self._seed}:scenes").shuffle(order)
        kept, stale = [], set()
        for n in order:
            item, ring = self._drafted(offered, n, collected), offered[n].ring
            if item.id in ids or (item.scene, item.question) in asked:
                stale.add(ring.name if ring else "")
                continue
            if ring:
                kept.append(n)
                continue
            shares[item.task, item.scene] += 1
            if shares[item.task, item.scene] <= most:
                kept.append(n)
        return sorted(n for n in kept if not ((ring := offered[n].ring) and ring.name in stale))

    def _check(self, taken: Counter[str]) -> None:
        """Refuse a form that has fewer questions of a type than the benchmark."""
        wanted = Counter(item.task for item in self._original.items)
        lacking = [f"{task} {taken[task]:,} of {n:,}" for task, n in sorted(wanted.items()) if taken[task] < n]
        if lacking and not self._fewer:
            more = "a greater --spare" if self._simulated else "other scenes with --scenes"
            raise UsageError(
                f"there are too few other questions for a form: {', '.join(lacking)}; give {more}, or --fewer."
            )


def _grouped(named: Iterable[tuple[int, tuple[str, str]]]) -> dict[tuple[str, int], list[tuple[int, ...]]]:
    """Units by question type and size.

    Args:
        named: number of a question → its type and its ring; '' for none.
    """
    rings: dict[Hashable, list[int]] = {}
    for number, (task, ring) in named:
        rings.setdefault((task, ring or number), []).append(number)
    found: dict[tuple[str, int], list[tuple[int, ...]]] = {}
    for (task, _), own in rings.items():  # type: ignore[misc]
        found.setdefault((task, len(own)), []).append(tuple(own))
    return found


def difficulty_of(item: Item) -> tuple[str, float]:
    """The measure of a question's difficulty and its value; '' and nan where it has none."""
    told: dict[str, Any] = item.evidence
    margins = told.get("margins")
    values = {"margin": told.get("margin"), "gap": told.get("gap")}
    if isinstance(margins, list) and margins and all(isinstance(one, int | float) for one in margins):
        values["margin"] = min(margins)
    for name, value in values.items():
        if isinstance(value, int | float) and math.isfinite(value):
            return name, float(value)
    return ("answer", item.float_answer) if item.kind == "number" else ("", math.nan)


def frames_of(item: Item) -> float:
    """The fewest evenly taken frames that show all that a question needs; nan where unknown."""
    told: Any = item.evidence.get(KEY)
    least = told.get("least") if isinstance(told, Mapping) else None
    value = least.get("down") if isinstance(least, Mapping) else None
    return float(value) if isinstance(value, int) else math.nan


def _features(item: Item, closed: bool) -> tuple[float, float, str]:
    # In a ring each option is right once.
    balanced = closed and item.kind == "choice" and TWINS not in item.evidence
    return difficulty_of(item)[1], frames_of(item), item.answer_text if balanced else ""


def match(asked: Sequence[_Unit], found: Sequence[_Unit]) -> list[int]:
    """Return places of the units found that are together most similar to those asked, each taken once.

    Args:
        asked, found: all of one size. All found are taken where there are fewer than asked.
    """
    if len(found) <= len(asked):
        return list(range(len(found)))
    cost = np.zeros((len(asked), len(found)))
    for feature in (0, 1):
        one, other = (np.array([[m[feature] for m in unit.features] for unit in units]) for units in (asked, found))
        scale = np.sort(one[np.isfinite(one)])
        ranks = [np.sort(_ranks(values, scale), axis=1) for values in (one, other)]
        cost += ((ranks[0][:, None] - ranks[1][None]) ** 2).sum(-1)
    answers = [[unit.features[0][2] for unit in units] for units in (asked, found)]
    cost += np.array([[a != b for b in answers[1]] for a in answers[0]])
    _, places = scipy.optimize.linear_sum_assignment(cost)
    return sorted(places.tolist())


def _ranks(values: Floats, scale: Floats) -> Floats:
    """Ranks of values among the benchmark's, 0–1; −1 for unknown ones."""
    if not len(scale):
        return np.full(values.shape, -1.0)
    middle = np.searchsorted(scale, values, "left") + np.searchsorted(scale, values, "right")
    return np.where(np.isfinite(values), middle / (2 * len(scale)), -1.0)


def _rows(items: Sequence[Item], form: Sequence[Item]) -> tuple[FormRow, ...]:
    return tuple(
        _row(task, *([one for one in own if one.task == task] for own in (items, form)))
        for task in sorted({item.task for item in items})
    )


def _row(task: str, own: Sequence[Item], form: Sequence[Item]) -> FormRow:
    measure = next((name for item in own if (name := difficulty_of(item)[0])), "")
    difficulty = _compared(*(np.array([difficulty_of(item)[1] for item in items]) for items in (own, form)))
    frames = _compared(*(np.array([frames_of(item) for item in items]) for items in (own, form)))
    return FormRow(task, len(own), len(form), measure, *difficulty, *frames)


def _compared(one: Floats, other: Floats) -> tuple[tuple[float, float] | None, float | None]:
    """The medians of two samples and the greatest difference of their distributions; None where one is empty."""
    one, other = (np.sort(values[np.isfinite(values)]) for values in (one, other))
    if not len(one) or not len(other):
        return None, None
    both = np.concatenate([one, other])
    shares = (np.searchsorted(values, both, "right") / len(values) for values in (one, other))
    return (float(np.median(one)), float(np.median(other))), float(np.abs(np.subtract(*shares)).max())
