"""Probes of a scene joined to its questions: object lists and routes against the scene and the answers.

An object list or a route is asked once per scene, without a question (`tolman.protocols.scene_probes`). If the model
names everything that a question needs and still fails, overlooked objects aren't the reason. The idea is that of
VSI-Bench's cognitive maps (paper, section 6).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tolman.scoring.intervals import Share, share


@dataclass(frozen=True)
class SceneProbe:
    """A model's object list or route of one scene, and the true one.

    Attributes:
        scene: the cluster of its error.
        said: category → the number that it lists, or its place on the route from 0, in the model's order.
        true: category → the true number, or the frame that shows it first; those that the video shows.
        known: the categories of all scenes: other names can't be judged.
    """

    scene: str
    said: Mapping[str, int]
    true: Mapping[str, int]
    known: frozenset[str]

    @property
    def pairs(self) -> list[bool]:
        """For each two categories that it names, and that first show in different frames: whether their order is
        right."""
        named = [name for name in self.said if name in self.true]
        return [
            (self.said[a] < self.said[b]) == (self.true[a] < self.true[b])
            for a, b in itertools.combinations(named, 2)
            if self.true[a] != self.true[b]
        ]


@dataclass(frozen=True)
class ProbedAnswer:
    """One answer with its probe.

    Attributes:
        item, task, scene: of the question.
        score: of the answer, 0 to 1.
        agrees: whether the probe holds the right answer (the number of a count, the order of first appearances), or
            else names all that the question does.
    """

    item: str
    task: str
    scene: str
    score: float
    agrees: bool


@dataclass(frozen=True)
class JoinedAnswers:
    """Answers of some questions, split by the probe.

    Attributes:
        answers: how many there are.
        agreeing: share of them whose probe agrees, in per cent.
        score: mean score of all, in per cent; `score_agreeing` and `score_others` those of the two parts. None where a
            part is empty.
    """

    answers: int
    agreeing: Share
    score: Share
    score_agreeing: Share | None
    score_others: Share | None


@dataclass(frozen=True)
class RunProbes:
    """Figures of one run's probes, in per cent.

    Attributes:
        probe: 'object-list' or 'route'.
        scenes: probes that were read, each scene once for each different text.
        unread: those that couldn't be.
        named: of the true categories, the share that is named.
        invented: of the named categories that some scene has, the share that this one lacks.
        right: of the true categories that are named, the share with the right number; or of the pairs of these, the
            share in the right order.
        strange: names that no scene has; they are in no figure.
        tasks: question type → its answers, split by the probe.
        together: all of them; None where no question names a category.
        unjoined: answers without a score, without a probe that was read, or to questions that name no category.
    """

    probe: str
    scenes: int
    unread: int
    named: Share | None
    invented: Share | None
    right: Share | None
    strange: int
    tasks: dict[str, JoinedAnswers]
    together: JoinedAnswers | None
    unjoined: int


@dataclass(frozen=True)
class ProbesResult:
    """Figures of several runs.

    Attributes:
        runs: by name.
        scorer: whose scores these are.
    """

    runs: dict[str, RunProbes]
    scorer: str


def summarise_probes(
    probe: str, found: Sequence[SceneProbe], answers: Sequence[ProbedAnswer], *, unread: int = 0, unjoined: int = 0
) -> RunProbes:
    """Compute the figures of a run, with 95 % intervals clustered by scene.

    Args:
        probe: 'object-list' or 'route'.
        found: the probes that were read.
        answers: those that have one.
        unread, unjoined: counts of the others.
    """
    named, invented, right, strange = [], [], [], 0
    for one in found:
        named += [(one.scene, name in one.said) for name in one.true]
        judged = [name for name in one.said if name in one.known]
        strange += len(one.said) - len(judged)
        invented += [(one.scene, name not in one.true) for name in judged]
        if probe == "route":
            right += [(one.scene, pair) for pair in one.pairs]
        else:
            right += [(one.scene, one.said[name] == one.true[name]) for name in judged if name in one.true]
    tasks: dict[str, list[ProbedAnswer]] = {}
    for answer in answers:
        tasks.setdefault(answer.task, []).append(answer)
    return RunProbes(
        probe=probe,
        scenes=len(found),
        unread=unread,
        named=_share(named),
        invented=_share(invented),
        right=_share(right),
        strange=strange,
        tasks={task: _joined(own) for task, own in sorted(tasks.items())},
        together=_joined(answers) if answers else None,
        unjoined=unjoined,
    )


def _share(rows: Sequence[tuple[str, bool]]) -> Share | None:
    if not rows:
        return None
    clusters = np.unique([scene for scene, _ in rows], return_inverse=True)[1]
    return share(np.array([float(true) for _, true in rows]), np.ones(len(rows)), clusters)


def _joined(answers: Sequence[ProbedAnswer]) -> JoinedAnswers:
    clusters = np.unique([one.scene for one in answers], return_inverse=True)[1]
    items = [one.item for one in answers]
    agrees, scores = np.array([(one.agrees, one.score) for one in answers], dtype=np.float64).T
    every = np.ones(len(answers))
    agreeing, score = share(agrees, every, clusters, items), share(scores, every, clusters, items)
    assert agreeing is not None  # there is an answer
    assert score is not None
    return JoinedAnswers(
        answers=len(answers),
        agreeing=agreeing,
        score=score,
        score_agreeing=share(scores * agrees, agrees, clusters, items),
        score_others=share(scores * (1 - agrees), 1 - agrees, clusters, items),
    )
