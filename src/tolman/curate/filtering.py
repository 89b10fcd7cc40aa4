"""The stage `classify`: what is about space, in which category, under which systems (SITE, section 4.1)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import polars as pl

from tolman.benchmarks.site.taxonomy import SYSTEMS
from tolman.curate.asking import Asker, Reply
from tolman.curate.candidates import Candidate, read_shards, shards_of, write_pool
from tolman.curate.classify import UNSURE, filter_task, systems_task
from tolman.curate.importing import QuestionSource
from tolman.curate.labels import agreement, read_hand_labels
from tolman.curate.mapping import ASK, NO
from tolman.curate.pipeline import Stage, Work, file_state, plainly
from tolman.curate.recipe import Classify
from tolman.curate.taxonomy import Taxonomy
from tolman.errors import UsageError
from tolman.files import atomic_write, write_text

LOOKED_AT = 50
"""Media of each source that are looked for before a model is asked."""


def classify_settings(work: Work) -> Any:
    """The stage's part of the recipe, the taxonomy, the labels by hand, and which sources are trusted."""
    settings = work.recipe.classify
    hand = settings.hand if settings else None
    return [plainly(settings), plainly(work.taxonomy), file_state(hand), sorted(work.recipe.trusted)]


def classify_stage(work: Work, before: Path, out: Path) -> dict[str, Any]:
    """Keep what is about space, with its labels.

    Candidates whose replies can't be read, that are of no certain category, or whose media can't be shown are left for
    people: they stand in people.jsonl, and come in once the file of labels by hand names their category.
    """
    settings = work.recipe.classify
    assert settings is not None
    hand = read_hand_labels(settings.hand, work.taxonomy) if settings.hand else {}
    if settings.media:
        check_media(before, work.root, {source.name for source in work.sources if _is_asked(source, work)})
    with (
        work.asker(settings) as asker,
        atomic_write(out / "people.jsonl") as partial,
        partial.open("w", encoding="utf-8") as people,
    ):
        sorter = Sorter(settings, work.taxonomy, asker, hand, work.recipe.trusted, work, people)
        total = write_pool(out, sorter.kept(before))
    found = {
        "candidates": total,
        "categories": dict(sorted(sorter.categories.items())),
        "rejected": dict(sorted(sorter.rejected.items())),
        "people": sorter.left,
        "failed": sorter.failed,
        "model": asker.model.name,
        "calls": asker.tally.called,
        "from_store": asker.tally.reused,
        "agreement": agreement(hand, sorter.said),
    }
    write_text(out / "agreement.json", json.dumps(found["agreement"], indent=2) + "\n")
    return found


def _is_asked(source: QuestionSource, work: Work) -> bool:
    """Tell whether the model may be asked about questions of a source."""
    spatial = source.mapping.spatial
    return source.name not in work.recipe.trusted or ASK in (spatial.default, *spatial.categories.values())


def check_media(before: Path, root: Path, asked: set[str]) -> None:
    """Make sure before the first call that there is something to show.

    Args:
        before: the pool.
        root: the folder that media are relative to.
        asked: the sources whose media are shown.

    Raises:
        UsageError: of a source none of the first media is there.
    """
    looked: dict[str, list[Path]] = {}
    for path in shards_of(before):
        table = pl.read_parquet(path, columns=["source", "media"]).filter(pl.col("media").list.len() > 0)
        for source, media in table.iter_rows():
            known = looked.setdefault(source, [])
            if len(known) < LOOKED_AT:
                known.append(root / media[0]["path"])
    for source in sorted(asked & set(looked)):
        if not any(path.is_file() for path in looked[source]):
            raise UsageError(
                f"none of the media of {source} is there, {looked[source][0]} for one: give their folder as 'media' of "
                "the source, or set media = false in [classify]."
            )


@dataclass
class Sorter:
    """Sorts a pool, a shard at a time.

    Args:
        settings, taxonomy: the recipe's.
        asker: the model.
        hand: labels that people gave.
        trusted: sources whose own categories are taken as they are.
        work: whose watch is told.
        people: where candidates that are left for people are written.

    Attributes:
        categories: candidates kept, by category.
        rejected: candidates that are not about space, by source.
        said: the model's labels of candidates that people labelled too.
        left: candidates that are left for people.
        failed: calls that must be made again.
    """

    settings: Classify
    taxonomy: Taxonomy
    asker: Asker
    hand: dict[str, dict[str, str]]
    trusted: set[str]
    work: Work
    people: IO[str]
    categories: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    said: dict[str, dict[str, str]] = field(default_factory=dict)
    left: int = 0
    failed: int = 0

    def kept(self, before: Path) -> Iterator[Candidate]:
        """The candidates that are about space, with their labels."""
        for number, shard in enumerate(read_shards(before), start=1):
            self.work.watch.begin(f"classifying, part {number}", None)
            sorted_ones = self._sorted(shard)
            systems = self._systems(sorted_ones)
            for candidate in sorted_ones:
                labels = {**systems.get(candidate.id, {}), **self.hand.get(candidate.id, {})}
                done = candidate.having(**labels)
                self.categories[done.labels["category"]] += 1
                yield done

    def _sorted(self, shard: Sequence[Candidate]) -> list[Candidate]:
        """Those of a shard that are about space, in their order."""
        told = [one for one in shard if self._is_told(one)]
        asked = [one for one in shard if not self._is_told(one)]
        verdicts = self.asker.ask(asked, filter_task(self.taxonomy, batch=self.settings.batch))
        stage = dict.fromkeys(verdicts, "text")
        if self.settings.media:
            again = [
                one for one in asked if one.media and (reply := verdicts[one.id]).value and reply.value["category"]
            ]
            for identity, reply in self.asker.ask(again, filter_task(self.taxonomy, media=True)).items():
                verdicts[identity], stage[identity] = reply, "text and media"
        found = {}
        for one in told:
            category = self.hand.get(one.id, {}).get("category", one.labels["category"])
            if category == NO:
                self.rejected[one.source] += 1
            else:
                found[one.id] = one.having(category=category)
        for one in asked:
            self._note(one, verdicts[one.id])
            judged = self._judged(one, verdicts[one.id], stage[one.id])
            if judged is not None:
                found[one.id] = judged
        return [found[one.id] for one in shard if one.id in found]

    def _is_told(self, candidate: Candidate) -> bool:
        """Tell whether the source's own category settles it."""
        return candidate.source in self.trusted and "category" in candidate.labels

    def _judged(self, candidate: Candidate, reply: Reply, stage: str) -> Candidate | None:
        """The candidate with its category; None where it is left out, or left for people."""
        by_hand = self.hand.get(candidate.id, {}).get("category")
        own = candidate.labels.get("category")
        evidence: dict[str, Any] = {"by": "hand"}
        if by_hand is not None:
            category = by_hand
        elif reply.value is None:
            if reply.lasting:
                self._leave(candidate, str(reply.failure))
            else:
                self.failed += 1
            return None
        elif reply.value["category"] == UNSURE:
            self._leave(candidate, f"spatial, of no certain category: {reply.value['reason']}")
            return None
        else:
            category = reply.value["category"] or NO
            evidence = {"by": self.asker.model.name, "from": stage, "reason": reply.value["reason"]}
        if own is not None and own != category:
            evidence["own_category"] = own
        if category == NO:
            self.rejected[candidate.source] += 1
            return None
        changed = {**candidate.evidence, "classified": evidence}
        return candidate.having(category=category).model_copy(update={"evidence": changed})

    def _systems(self, candidates: Sequence[Candidate]) -> dict[str, dict[str, str]]:
        """The labels of the three systems."""
        if not self.settings.systems:
            return {}
        open_ones = [one for one in candidates if not set(SYSTEMS) <= {*one.labels, *self.hand.get(one.id, {})}]
        found = {}
        for identity, reply in self.asker.ask(open_ones, systems_task(batch=self.settings.batch)).items():
            if reply.value is not None:
                found[identity] = dict(reply.value)
                if identity in self.hand:
                    self.said.setdefault(identity, {}).update(reply.value)
            elif not reply.lasting:
                self.failed += 1
            else:
                one = next(one for one in open_ones if one.id == identity)
                self._leave(one, f"the classification systems: {reply.failure}; it stays in the pool without them")
        return found

    def _note(self, candidate: Candidate, reply: Reply) -> None:
        """Remember what the model said about a candidate that people labelled too."""
        if candidate.id in self.hand and reply.value is not None:
            category = reply.value["category"] or NO
            if category != UNSURE:
                self.said.setdefault(candidate.id, {})["category"] = category

    def _leave(self, candidate: Candidate, reason: str) -> None:
        self.left += 1
        row = {"id": candidate.id, "stage": "classify", "reason": reason, "question": candidate.question}
        self.people.write(json.dumps(row, ensure_ascii=False) + "\n")


STAGE = Stage(
    "classify",
    classify_stage,
    classify_settings,
    lambda recipe: recipe.classify is not None,
    after="duplicates",
)
