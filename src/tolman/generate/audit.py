"""Auditing a released benchmark: every answer computed anew from its scene."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tolman.generate.drafting import recompute
from tolman.generate.geometry import SceneGeometry
from tolman.generate.settings import GenerationPreset
from tolman.items import Item
from tolman.kinds import kind_of
from tolman.parallel import Workers, parallel_map
from tolman.scenes import Capture, Scene

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
        violations: rules of the preset that the question breaks.
        harmless: those of them that leave the answer safe, such as two wrong options that tie.
        note: why it was not checked.
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
        wrong = ["the answer differs from the scene's"] if self.status == "differs" else []
        if self.exact_differs and self.error is None and not wrong:
            wrong = ["the exact answer is another option"]
        return (*wrong, *(rule for rule in self.violations if rule not in self.harmless))

    @property
    def verdict(self) -> Verdict:
        """What is to be thought of the item."""
        if self.status == "not checked":
            return "not checked"
        if self.doubts:
            return "answer in doubt"
        return "rule broken, answer safe" if self.violations else "sound"


def audit(items: Iterable[Item], scenes: Mapping[str, SceneGeometry], preset: GenerationPreset) -> list[AuditFinding]:
    """Compute every answer anew.

    Args:
        items: of the benchmark.
        scenes: by id.
        preset: whose rules the questions are held to; answers are always recomputed by the released geometry.
    """
    return [_finding(item, scenes.get(item.scene or ""), preset) for item in items]


def audit_scenes(
    items: Sequence[Item],
    scenes: Iterable[SceneGeometry],
    preset: GenerationPreset,
    *,
    workers: Workers = 1,
) -> list[AuditFinding]:
    """Compute every answer anew, scene by scene.

    Args:
        items: of the benchmark.
        scenes: gone through once, a few ahead of what is computed.
        preset: see `audit`.
        workers: processes, or another place.

    Returns:
        A finding for each item, in their order.
    """
    places: dict[str, list[int]] = {}
    for number, item in enumerate(items):
        places.setdefault(item.scene or "", []).append(number)
    wanted: list[str] = []

    def jobs() -> Iterator[_Job]:
        for geometry in scenes:
            identity = geometry.scene.id
            if identity in places:
                wanted.append(identity)
                own = [items[number] for number in places[identity]]
                yield _Job(geometry.scene, tuple(geometry.captures), own, preset)

    found: dict[int, AuditFinding] = {}
    for order, findings in enumerate(parallel_map(_audit_scene, jobs(), workers)):
        found.update(zip(places[wanted[order]], findings, strict=True))
    return [found.get(number) or _finding(item, None, preset) for number, item in enumerate(items)]


@dataclass(frozen=True, slots=True)
class _Job:
    """The items of one scene."""

    scene: Scene
    captures: tuple[Capture, ...]
    items: list[Item]
    preset: GenerationPreset


def _audit_scene(job: _Job) -> list[AuditFinding]:
    geometry = SceneGeometry(job.scene, job.captures)
    return audit(job.items, {job.scene.id: geometry}, job.preset)


def _finding(item: Item, geometry: SceneGeometry | None, preset: GenerationPreset) -> AuditFinding:
    head = (item.id, item.task, item.scene or "", item.answer_text)
    if geometry is None:
        return AuditFinding(*head, status="not checked", note="the scene is not in the collection")
    # Items that Tolman generated carry evidence and are held to exact geometry; released ones to the released.
    generated = bool(item.evidence)
    try:
        found = recompute(geometry, item, preset, released=not generated)
    except (KeyError, ValueError) as error:
        note = f"the scene has no {error.args[0]}" if isinstance(error, KeyError) and error.args else str(error)
        return AuditFinding(*head, status="not checked", note=note)
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


def summary(findings: Sequence[AuditFinding]) -> list[dict[str, Any]]:
    """A row for each question type, in the order of first appearance."""
    rows = []
    for task in dict.fromkeys(finding.task for finding in findings):
        own = [finding for finding in findings if finding.task == task]
        checked = [finding for finding in own if finding.status != "not checked"]
        errors = [finding.error for finding in checked if finding.error is not None]
        rows.append(
            {
                "task": task,
                "items": len(own),
                "checked": len(checked),
                "agree": sum(finding.status == "agrees" for finding in checked),
                "exact_differs": sum(bool(finding.exact_differs) for finding in checked),
                "mean_error": sum(errors) / len(errors) if errors else None,
                "largest_error": max(errors, key=abs) if errors else None,
                "in_doubt": sum(finding.verdict == "answer in doubt" for finding in checked),
                "broken_but_safe": sum(finding.verdict == "rule broken, answer safe" for finding in checked),
                "break_rules": sum(bool(finding.violations) for finding in checked),
                "rules": dict(Counter(rule for finding in checked for rule in finding.violations).most_common()),
                "doubts": dict(Counter(doubt for finding in checked for doubt in finding.doubts).most_common()),
            }
        )
    return rows


def most_frequent_note(findings: Iterable[AuditFinding]) -> str:
    """The most frequent reason why items were not checked; '' where all were."""
    notes = Counter(finding.note for finding in findings if finding.status == "not checked")
    return notes.most_common(1)[0][0] if notes else ""
