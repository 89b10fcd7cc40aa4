"""Auditing a released benchmark: every answer recomputed from its scene."""

from __future__ import annotations

import warnings
from array import array
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tolman.errors import DataWarning, MissingExtraError
from tolman.ground_truth.question_families import FamilySettings, recompute
from tolman.ground_truth.scene_arrays import MissingCategoryError, SceneGeometry
from tolman.item_table import at_hand, field_values
from tolman.items import Item
from tolman.kinds import kind_of
from tolman.memory import TemporaryList
from tolman.parallel import Workers, parallel_map
from tolman.scenes import Capture, Scene

_CHECKED, _DIFFERING = 200, 0.05
"""Answers that are checked, about, and their share that may differ from the scenes' without a warning."""

Verdict = Literal["sound", "rule broken, answer safe", "answer in doubt", "not checked"]


@dataclass(frozen=True)
class AuditFinding:
    """Result of the audit of one item.

    Attributes:
        id, task, scene, answer: the item's; the answer of a choice as its text.
        status: 'agrees', 'differs' or 'not checked'.
        recomputed: the answer by the released geometry and rules.
        exact: the exact value or answer.
        exact_differs: for a choice, the exact answer is another one; for a number, the released one is not the exact
            value as printed.
        error: released minus exact, for a number, in its unit.
        margin: how far the exact answer is from another one.
        violations: rules of the families that the question breaks.
        harmless: those of them that leave the answer safe, such as two wrong options that tie.
        note: why it was not checked, or the thing that it names and the scene lacks.
        evidence: the numbers behind it.
    """

    id: str
    task: str
    scene: str
    answer: str
    status: str
    recomputed: str | None = None
    exact: float | str | None = None
    exact_differs: bool | None = None
    error: float | None = None
    margin: float | None = None
    violations: tuple[str, ...] = ()
    note: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    harmless: tuple[str, ...] = ()

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the answer is in doubt; empty where it isn't."""
        wrong = [self.note or "the answer differs from the scene's"] if self.status == "differs" else []
        if self.exact_differs and self.error is None and not wrong:
            wrong = ["the exact answer is another option"]
        return (*wrong, *(rule for rule in self.violations if rule not in self.harmless))

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on the item."""
        if self.status == "not checked":
            return "not checked"
        if self.doubts:
            return "answer in doubt"
        return "rule broken, answer safe" if self.violations else "sound"


def audit(
    items: Iterable[Item], scenes: Mapping[str, SceneGeometry], settings: Mapping[str, FamilySettings] | None = None
) -> list[AuditFinding]:
    """Recompute every answer.

    Args:
        items: of the benchmark.
        scenes: by id.
        settings: by family, thresholds that differ from its own and that the questions are held to; answers are always
            recomputed by the released geometry.
    """
    return [_finding(item, scenes.get(item.scene or ""), settings) for item in items]


def other_scenes(items: Sequence[Item], scenes: Mapping[str, SceneGeometry], folder: Path | str) -> str | None:
    """A sentence where many answers aren't those of the scenes: other scenes may have the same ids.

    Args:
        items: of the benchmark; a few are checked, evenly chosen.
        scenes: by id.
        folder: that the scenes are from.
    """
    some = [items[number] for number in range(0, len(items), max(1, len(items) // _CHECKED))]
    statuses = Counter[str]()
    for item in some:
        with suppress(MissingExtraError, ModuleNotFoundError):  # some families need the extra 'build', maps don't
            statuses.update(finding.status for finding in audit([item], scenes))
    checked = statuses["agrees"] + statuses["differs"]
    if statuses["differs"] <= _DIFFERING * checked:
        return None
    return (
        f"{folder}: {statuses['differs']:,} of {checked:,} checked answers aren't those of its scenes, so it may be "
        "another collection with the same ids; give the scenes that the benchmark was made of."
    )


def warn_of_other_scenes(items: Sequence[Item], scenes: Mapping[str, SceneGeometry], folder: Path) -> None:
    """Warn with the sentence of `other_scenes`."""
    if said := other_scenes(items, scenes, folder):
        warnings.warn(said, DataWarning, stacklevel=2)


def audit_scenes(
    items: Sequence[Item],
    scenes: Iterable[SceneGeometry],
    settings: Mapping[str, FamilySettings] | None = None,
    *,
    workers: Workers = 1,
) -> Sequence[AuditFinding]:
    """Recompute every answer, scene by scene.

    Args:
        items: of the benchmark; few items of an `ItemTable` are in memory at a time.
        scenes: iterated once, a few ahead of the computation.
        settings: see `audit`.
        workers: processes, or another place.

    Returns:
        A finding for each item, in their order; they are in a temporary file.
    """
    places: dict[str, array[int]] = {}
    for number, name in enumerate(field_values(items, "scene")):
        places.setdefault(name or "", array("q")).append(number)
    found = TemporaryList[AuditFinding](len(items))
    by_number = at_hand(items)
    under_way: deque[array[int]] = deque()

    def jobs() -> Iterator[_Job]:
        for geometry in scenes:
            own = places.pop(geometry.scene.id, None)
            if own is not None:
                under_way.append(own)
                asked = [by_number[number] for number in own]
                yield _Job(geometry.scene, tuple(geometry.captures), asked, settings)

    for findings in parallel_map(_audit_scene, jobs(), workers):
        found.fill(under_way.popleft(), findings)
    for own in places.values():
        found.fill(own, (_finding(by_number[number], None, settings) for number in own))
    return found


@dataclass(frozen=True, slots=True)
class _Job:
    """The items of one scene."""

    scene: Scene
    captures: tuple[Capture, ...]
    items: list[Item]
    settings: Mapping[str, FamilySettings] | None


def _audit_scene(job: _Job) -> list[AuditFinding]:
    geometry = SceneGeometry(job.scene, job.captures)
    return audit(job.items, {job.scene.id: geometry}, job.settings)


def _finding(item: Item, geometry: SceneGeometry | None, settings: Mapping[str, FamilySettings] | None) -> AuditFinding:
    head = (item.id, item.task, item.scene or "", item.answer_text)
    if geometry is None:
        return AuditFinding(*head, status="not checked", note="the scene is not in the collection")
    # Items that Tolman generated carry evidence and are held to exact geometry; released ones to the released.
    generated = bool(item.evidence)
    try:
        found = recompute(geometry, item, settings, released=not generated)
    except (KeyError, ValueError) as error:
        note = f"the scene has no {error.args[0]}" if isinstance(error, KeyError) and error.args else str(error)
        # A generated question names things of its scene: one that is lacking was corrected, or the scene is another.
        doubted = generated and isinstance(error, MissingCategoryError)
        return AuditFinding(*head, status="differs" if doubted else "not checked", note=note)
    kind = kind_of(item)
    try:
        differs = not kind.states(item, found.exact, found.place)
    except ValueError as error:
        return AuditFinding(*head, status="not checked", note=str(error))
    same = not differs if generated else found.released == item.answer_text
    return AuditFinding(
        *head,
        status="agrees" if same else "differs",
        recomputed=found.released,
        exact=found.exact,
        exact_differs=differs,
        error=kind.error(item, found.exact),
        margin=found.margin,
        violations=found.violations,
        evidence=found.evidence,
        harmless=found.harmless,
    )


def summary(findings: Iterable[AuditFinding]) -> list[dict[str, Any]]:
    """A row for each question type, in the order of first appearance."""
    counted: dict[str, _TaskCounts] = {}
    for finding in findings:
        counted.setdefault(finding.task, _TaskCounts()).add(finding)
    return [{"task": task} | counts.row() for task, counts in counted.items()]


class _TaskCounts:
    """Counts of the findings of a question type."""

    def __init__(self) -> None:
        self._items = self._exact_differs = self._broken = 0
        self._statuses, self._verdicts = Counter[str](), Counter[str]()
        self._rules, self._doubts = Counter[str](), Counter[str]()
        self._errors = array("d")

    def add(self, finding: AuditFinding) -> None:
        """Count a finding."""
        self._items += 1
        if finding.status == "not checked":
            return
        self._statuses[finding.status] += 1
        self._verdicts[finding.verdict] += 1
        self._exact_differs += bool(finding.exact_differs)
        self._broken += bool(finding.violations)
        self._rules.update(finding.violations)
        self._doubts.update(finding.doubts)
        if finding.error is not None:
            self._errors.append(finding.error)

    def row(self) -> dict[str, Any]:
        """Its figures, as in summary.json."""
        errors = self._errors
        return {
            "items": self._items,
            "checked": self._statuses.total(),
            "agree": self._statuses["agrees"],
            "exact_differs": self._exact_differs,
            "mean_error": sum(errors) / len(errors) if errors else None,
            "largest_error": max(errors, key=abs) if errors else None,
            "in_doubt": self._verdicts["answer in doubt"],
            "broken_but_safe": self._verdicts["rule broken, answer safe"],
            "break_rules": self._broken,
            "rules": dict(self._rules.most_common()),
            "doubts": dict(self._doubts.most_common()),
        }


def most_frequent_note(findings: Iterable[AuditFinding]) -> str:
    """The most frequent reason why items were not checked; '' where all were."""
    notes = Counter(finding.note for finding in findings if finding.status == "not checked")
    return notes.most_common(1)[0][0] if notes else ""
