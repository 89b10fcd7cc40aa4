"""Question families: how one is declared, the drafts it returns, and its place in the taxonomies of benchmarks.

A module of `generate/families/`, a plugin (`--plugin my_family.py`) or another package's entry point declares a family
as `FAMILY`, or several in the tuple `FAMILIES`. A plugin needs nothing else. A family of Tolman's own also needs a row
in `families/taxonomy.csv`, and its name in `ground_truth.question_families` and in a preset of `generate.presets`. A
new preset stands in the help of `--preset` (`features.generate.config`). `test_families.py` and `test_reasons.py` list
all.

The places of Tolman's own families are the rows of `families/taxonomy.csv`. If a benchmark lacks a family, it gets the
place that its questions would have there, or none.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from tolman.benchmarks.spatialbench.spatialbench_rows import LEVEL_OF
from tolman.ground_truth.question_families import (
    Family as Family,
    FamilySettings as FamilySettings,
    Recomputed as Recomputed,
    TaxonomyPlace as TaxonomyPlace,
)
from tolman.items import Item, Unit
from tolman.media.needed_frames import Needs


@cache
def _own_places() -> dict[str, TaxonomyPlace]:
    text = files("tolman.generate").joinpath("families/taxonomy.csv").read_text(encoding="utf-8")
    found = {}
    for row in csv.DictReader(text.splitlines()):
        values: dict[str, Any] = {key: value for key, value in row.items() if value}
        name = values.pop("family")
        found[name] = TaxonomyPlace(**values)
    return found


def place_of(name: str) -> TaxonomyPlace:
    """Return the place of one of Tolman's own families, by its row in `families/taxonomy.csv`."""
    return _own_places()[name]


def labels_of(name: str, place: TaxonomyPlace, *, outdoors: bool, own: Mapping[str, str]) -> dict[str, str]:
    """The labels of a family's question.

    Args:
        name: of the family.
        place: in the taxonomies.
        outdoors: whether its scene is no room: its scale is then environmental. `scene_type` says it as SpatialBench's
            rows do.
        own: the labels that differ in this question.
    """
    found = asdict(place)
    if outdoors and place.scale == "vista":
        found["scale"] = "environmental"
    task = found.pop("spatialbench")
    return {
        "family": name,
        "vsi_task": found.pop("vsi"),
        "mmsi_type": found.pop("mmsi"),
        "site_category": found.pop("site"),
        "spatialbench_task": task,
        "spatialbench_level": LEVEL_OF.get(task, ""),
        "scene_type": "outdoor" if outdoors else "indoor",
        **found,
        **own,
    }


def matched(pattern: re.Pattern[str], item: Item, wrong: str = "is no question of its type") -> re.Match[str]:
    """The parts of a question's text.

    Raises:
        ValueError: the pattern isn't in it, with the text `wrong`.
    """
    match = pattern.search(item.question)
    if match is None:
        raise ValueError(wrong)
    return match


StepKind = Literal["grounding", "reconstruction", "transformation", "logic"]
"""Types of steps, by the keys of the errors that belong to them (`scoring.error_types.MMSI`)."""


@dataclass(frozen=True)
class Shot:
    """A picture of a recording that a question shows, or a part of its video.

    Attributes:
        capture: the recording's id.
        frame: the picture's number, or the part's first.
        until: the part's last frame; None for one picture.
    """

    capture: str
    frame: int
    until: int | None = None


Cues = tuple[tuple[str | float | None, ...], ...]
"""For each part of a question's media, seen alone, what it tells: first the answer that it suggests, then anything."""


@dataclass(frozen=True)
class ReasoningStep:
    """One step of the reasoning that leads to an answer.

    Attributes:
        kind: grounding (contents of a picture), reconstruction (overlap of pictures, and the place put together),
            transformation (another point of view) or logic (a conclusion).
        text: one sentence.
    """

    kind: StepKind
    text: str


@dataclass(frozen=True)
class DraftRest:
    """The parts of a question that are slow to make, and needed only if it is kept.

    Attributes:
        evidence, needs: as a draft has them.
        options: of a draft that has none yet.
    """

    evidence: Mapping[str, Any]
    needs: Needs | None
    options: tuple[str, ...] = ()


@dataclass(slots=True)  # nobody changes one, but it isn't frozen: a scene has thousands, and that takes thrice as long
class Draft:
    """One question.

    Attributes:
        task: the question type.
        scene: the scene's id.
        question: the text.
        answer: the right option's text, or the number as printed.
        unit: of a number; None for a choice.
        options: all options' texts, the right one first; for a number, those of its multiple-choice form.
        evidence: the facts that make the answer true, and its distance from ambiguity.
        shots: the media of the question, in order; empty for the scene's standard video. Question and options may mark
            their places with `items.MEDIA_MARK`, once for each.
        labels: classifications that differ from its family's (`generate.family.TaxonomyPlace`).
        reasoning: the way to the answer.
        closed: whether the options are a closed list, such as left and right, whose frequencies would give answers
            away.
        single_view_cues: for each part of the media, seen alone, its cues: first the answer that it suggests (as
            `balance` has it), then anything. Questions are left out until neither that answer nor the likeliest one by
            all cues is right more often than by chance.
        balance: the property to make equally frequent in place of the answer's text, such as the rank of a distance
            among the options; '' for the text.
        kind: which of its question type's kinds it is, where there are several; answers are balanced within each.
        needs: the things that the standard video must show; None where they are unknown, or where the question shows
            shots.
        open_options: whether any other answer is wrong, so that wrong options may be other scenes' answers to the same
            question.
        rest: makes the missing parts on first use; None if no part is missing.
    """

    task: str
    scene: str
    question: str
    answer: str
    unit: Unit | None
    options: tuple[str, ...]
    evidence: Mapping[str, Any] = field(default_factory=dict)
    shots: tuple[Shot, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    reasoning: tuple[ReasoningStep, ...] = ()
    closed: bool = False
    single_view_cues: Cues = ()
    balance: str = ""
    kind: str = ""
    needs: Needs | None = None
    open_options: bool = False
    rest: Callable[[Draft], DraftRest] | None = field(default=None, compare=False, repr=False)

    def finished(self) -> Draft:
        """The same with nothing missing."""
        if self.rest is None:
            return self
        found = self.rest(self)
        options = found.options or self.options
        return replace(self, evidence=found.evidence, needs=found.needs, options=options, rest=None)

    @property
    def is_number(self) -> bool:
        """Check whether the question wants a number."""
        return self.unit is not None


@dataclass(frozen=True)
class Rejected:
    """A question that was not asked, and the rule that forbids it."""

    task: str
    scene: str
    reason: str


def first_drafts(found: Iterable[Draft | Rejected], most: int) -> Iterator[Draft | Rejected]:
    """Questions and rejections, up to the last of so many questions."""
    made = 0
    for one in found:
        yield one
        made += isinstance(one, Draft)
        if made >= most:
            return
