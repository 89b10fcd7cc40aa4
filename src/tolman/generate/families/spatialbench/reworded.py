"""SpatialBench's tasks that VSI-Bench's families make: the same rules, in SpatialBench's words, units and options.

Everything true about these questions is said in the families
that they come from; a question is recomputed by translating it back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tolman.generate.distractors import no_distractors, numeric_options
from tolman.generate.families.spatialbench.support.ground import MIN_SHOWN_SHARE
from tolman.generate.families.vsi_bench import appearance_order, numerical, relative_direction, relative_distance
from tolman.generate.family import Draft, Family, Recomputed, Rejected
from tolman.generate.scene_geometry import KEY
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item

_TIE = 1e-6


@dataclass(frozen=True)
class Wording:
    """Words of a question type, VSI-Bench's and SpatialBench's.

    Attributes:
        task: SpatialBench's.
        source: the family that makes it.
        source_task: its question type.
        theirs, ours: the question with its names in braces, as VSI-Bench asks it and as it is asked here.
        option: VSI-Bench's option → the one here.
        centimetres: whether metres become whole centimetres.
    """

    task: str
    source: Family[Any]
    source_task: str
    theirs: str
    ours: str
    option: Callable[[str], str] = str
    centimetres: bool = False

    def translated(self, question: str, *, back: bool = False) -> str:
        """A question in the other words.

        Raises:
            ValueError: it is none of this wording's.
        """
        written, wanted = (self.ours, self.theirs) if back else (self.theirs, self.ours)
        match = _pattern(written).fullmatch(question)
        if match is None:
            raise ValueError(f"is no question of the type {self.task}")
        return wanted.format(**{"options": "{options}"} | match.groupdict())


def _pattern(text: str) -> re.Pattern[str]:
    """A question's text as a pattern; the list of options is part of the text until they have their letters."""
    escaped = re.escape(text.replace("{options}", "\0")).replace("\0", re.escape("{options}"))
    return re.compile(re.sub(r"\\\{(\w)\\\}", r"(?P<\1>.+?)", escaped))


def _draft(wording: Wording, geometry: SceneGeometry, settings: Any) -> Iterator[Draft | Rejected]:
    for found in wording.source.draft(geometry, settings):
        if found.task != wording.source_task:
            continue
        if isinstance(found, Rejected):
            yield replace(found, task=wording.task)
            continue
        found = found.finished()
        question = wording.translated(found.question)
        options = tuple(wording.option(text) for text in found.options)
        asked = replace(
            found, task=wording.task, question=question, options=options, answer=wording.option(found.answer)
        )
        yield _in_centimetres(asked) if wording.centimetres else asked


def _in_centimetres(asked: Draft) -> Draft | Rejected:
    length = 100 * float(asked.evidence["distance"])
    answer = str(round(length))
    options = numeric_options(answer, f"{asked.scene}:{asked.question}")
    if abs(length % 1 - 0.5) < _TIE or not options:
        return Rejected(asked.task, asked.scene, no_distractors() if not options else "between two values")
    error = {KEY: 100 * asked.evidence[KEY]} if KEY in asked.evidence else {}
    evidence = {**asked.evidence, **error}
    return replace(asked, answer=answer, options=options, unit="cm", evidence=evidence)


def _recompute(
    wording: Wording, geometry: SceneGeometry, item: Item, settings: Any, *, released: bool = True
) -> Recomputed:
    translated = item.model_copy(
        update={"question": wording.translated(item.question, back=True), "task": wording.source_task}
    )
    found: Recomputed = wording.source.recompute(geometry, translated, settings, released=released)
    if isinstance(found.exact, str):
        told = None if found.released is None else wording.option(found.released)
        return replace(found, exact=wording.option(found.exact), released=told)
    if not wording.centimetres:
        return found
    told = None if found.released is None else str(round(100 * float(found.released)))
    return replace(found, exact=100 * found.exact, released=told)


def _arrows(text: str) -> str:
    return text.replace(", ", " -> ")


WORDINGS: dict[str, Wording] = {
    "object-counting": Wording(
        "object_counting",
        numerical.COUNTING_FAMILY,
        numerical.COUNTING_TASK,
        "How many {a}(s) are in {b}?",
        "How many {a}(s) are shown in the video of {b}?",
    ),
    "object-size": Wording(
        "object_size",
        numerical.OBJECT_SIZE_FAMILY,
        numerical.OBJECT_SIZE_TASK,
        "What is the length of the longest dimension (length, width, or height) of the {a}, measured in centimeters?",
        "What is the approximate length in centimeters (cm) of the longest side (length, width, or height) of the {a}?",
    ),
    "room-size": Wording(
        "room_size",
        numerical.ROOM_SIZE_FAMILY,
        numerical.ROOM_SIZE_TASK,
        numerical.QUESTION,
        "What is the approximate size in square meters (m^2) of this room, or of all rooms together where there are "
        "several?",
    ),
    "absolute-distance": Wording(
        "absolute_distance",
        numerical.ABSOLUTE_DISTANCE_FAMILY,
        numerical.ABSOLUTE_DISTANCE_TASK,
        "Measuring from the closest point of each object, what is the distance between the {a} and the {b} "
        "(in meters)?",
        "Measuring from the closest point of each object, what is the approximate distance in centimeters between the "
        "{a} and the {b}?",
        centimetres=True,
    ),
    "appearance-order": Wording(
        "appearance_order",
        appearance_order.FAMILY,
        appearance_order.TASK,
        "What will be the first-time appearance order of the following categories in the video: {a}?",
        "What is the first-time appearance order of these objects in the video: {a}?",
        _arrows,
    ),
    "relative-distance": Wording(
        "relative_distance",
        relative_distance.FAMILY,
        relative_distance.TASK,
        "Measuring from the closest point of each object, which of these objects ({options}) is the closest to the "
        "{a}?",
        "Measuring from the closest point of each object, which of the following is closest to the {a}?",
    ),
    "relative-direction": Wording(
        "relative_direction",
        relative_direction.FAMILY,
        relative_direction.LEVELS[2].task,
        relative_direction.LEVELS[2].text,
        "If you are standing at the {a} and facing the {b}, what is the direction of the {c} relative to you?",
        str.title,
    ),
}
"""By the last part of the family's name."""


def _family(name: str, wording: Wording) -> Family[Any]:
    """A wording as a family: thresholds and place in the taxonomies are those of its source."""
    return Family(
        name=f"spatialbench/{name}",
        title=f"{wording.source.title}, in SpatialBench's words",
        tasks=(wording.task,),
        settings=wording.source.settings,
        taxonomy=wording.source.taxonomy,
        draft=partial(_draft, wording),
        recompute=partial(_recompute, wording),
        names=(_pattern(wording.ours),),
        min_shown=MIN_SHOWN_SHARE,
        scale_free=wording.source.scale_free,
    )


FAMILIES = tuple(_family(name, wording) for name, wording in WORDINGS.items())
