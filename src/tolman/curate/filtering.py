"""The stage `classify`: questions about space, with a category and classes in three systems (SITE, section 4.1).

Source: SITE (Wang et al. 2025), section 4.1 and supplementary II. A model is asked in two stages: about the text of all
candidates, many in one call, then about text and media of those that are left. The prompt is the few-shot prompt of
figures 9 to 11; replies must have the form that it asks for. A model's agreement with labels that people gave to
questions is measured.

Coarse categories come out of the question sets' own labels: a model is given the labels of all data sets with one or
two questions each, and makes six categories of spatial tasks from them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import polars as pl

from tolman.benchmarks.fields import plain
from tolman.benchmarks.rows import stream_rows
from tolman.benchmarks.site.site_rows import SYSTEMS
from tolman.curate.asking import Asker, ModelTask, Reply, question_text
from tolman.curate.candidates import Candidate, read_pool, read_shards, shards_of, write_pool
from tolman.curate.mapping import NO, Category, Taxonomy
from tolman.curate.pipeline import Classify, Stage, Work, file_state, plainly
from tolman.errors import EndpointError, InputError, UsageError
from tolman.files import atomic_write, write_text
from tolman.items import Media
from tolman.messages import Message
from tolman.scoring.agreement_coefficients import cohen, observed_agreement

LABELS = ("category", *SYSTEMS)


def read_hand_labels(path: Path, taxonomy: Taxonomy) -> dict[str, dict[str, str]]:
    """Labels by id.

    Args:
        path: CSV, TSV, JSON or JSON Lines with `id`, and any of category ('no' for questions that aren't spatial),
            scale, factor, information, change.
        taxonomy: of the categories.

    Raises:
        InputError: a row without an id, or with a label that isn't known.
    """
    allowed = {"category": {*taxonomy.keys, NO}, **{label: set(values) for label, values in SYSTEMS.items()}}
    found: dict[str, dict[str, str]] = {}
    for number, row in stream_rows(path):
        if isinstance(row, InputError):
            raise row
        identity = plain(row.get("id") or "").strip()
        if not identity:
            raise InputError(path, "is missing", row=number, field="id")
        labels = {label: plain(row[label]).strip() for label in LABELS if row.get(label)}
        for label, value in labels.items():
            if value not in allowed[label]:
                known = ", ".join(sorted(allowed[label]))
                raise InputError(path, f"{value!r} is not known", row=number, field=label, fix=f"known: {known}")
        found.setdefault(identity, {}).update(labels)
    return found


def agreement(hand: Mapping[str, Mapping[str, str]], model: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """For each label: n, the share on which model and people agree, and Cohen's kappa with its 95 % interval
    over
    resamples of the questions, where one can hold (`scoring.agreement_coefficients`)."""
    found: dict[str, Any] = {}
    for label in LABELS:
        both = [i for i in sorted(hand) if label in hand[i] and label in model.get(i, {})]
        people, said = [hand[i][label] for i in both], [model[i][label] for i in both]
        if not both:
            continue
        kappa = cohen(people, said)
        found[label] = {
            "n": len(both),
            "agreement": observed_agreement(people, said),
            "kappa": kappa.value,
            "interval": [kappa.interval.low, kappa.interval.high] if kappa.interval else None,
        }
    return found


SHOWN = 2
"""Questions that are shown for each label."""
_LINE = re.compile(r"\A\s*(?P<number>\d+)\.\s*(?P<name>[^:\n]{2,60}?)\s*:\s*(?P<description>\S[^\n]{3,400})\Z")


def samples_of(pool: Path) -> dict[str, list[Candidate]]:
    """For each label of each question set its first questions."""
    found: dict[str, list[Candidate]] = {}
    for candidate in read_pool(pool):
        known = found.setdefault(f"{candidate.source}: {candidate.task}", [])
        if len(known) < SHOWN:
            known.append(candidate)
    return dict(sorted(found.items()))


def categories_task(samples: dict[str, list[Candidate]], count: int) -> ModelTask:
    """The question for categories; the value is a list of [name, description]."""
    text = (
        "Below are the labels under which existing question sets file their questions, each with one or two of its "
        f"questions. Make {count} coarse categories of spatial intelligence out of them, so that every label whose "
        "questions are about space belongs to one of them. Leave out labels that are not about space.\n\n"
        + "\n\n".join(_shown(label, ones) for label, ones in samples.items())
        + f"\n\nReply with exactly {count} lines and nothing else, numbered from 1, of the form:\n"
        "1. Name of the category: what its questions evaluate, in one sentence"
    )

    def read(reply: str, candidate: Candidate) -> list[list[str]] | None:
        lines = [_LINE.match(line) for line in reply.strip().splitlines() if line.strip()]
        good = [line for line in lines if line is not None]
        if len(good) != len(lines) or [int(line["number"]) for line in good] != list(range(1, count + 1)):
            return None
        names = [line["name"].strip("* ") for line in good]
        if len({name.casefold() for name in names}) < count:
            return None
        return [[name, line["description"].strip()] for name, line in zip(names, good, strict=True)]

    return ModelTask("categories", lambda group: (Message(parts=(text,)),), read)


def induce_categories(asker: Asker, pool: Path, count: int, name: str) -> Taxonomy:
    """The taxonomy that a model makes of a pool's labels; its examples are for people to add.

    Raises:
        InputError: the pool is empty.
        EndpointError: no reply could be read.
    """
    samples = samples_of(pool)
    if not samples:
        raise InputError(pool, "holds no candidates")
    first = next(iter(samples.values()))[0]
    reply = asker.ask([first], categories_task(samples, count))[first.id]
    if reply.value is None:
        raise EndpointError(f"{asker.model.name} gave no list of {count} categories ({reply.failure}).")
    found = tuple(Category(key=n.casefold(), prompt=n, description=text) for n, text in reply.value)
    return Taxonomy(name=name, categories=found)


def toml_of(taxonomy: Taxonomy) -> str:
    """A taxonomy as the TOML file that `open_taxonomy` reads."""
    lines = [f"name = {_quoted(taxonomy.name)}", f"unsure = {_quoted(taxonomy.unsure)}"]
    for category in taxonomy.categories:
        lines += ["", "[[categories]]", *(f"{k} = {_quoted(v)}" for k, v in category.model_dump().items())]
    for example in taxonomy.examples:
        lines += ["", "[[examples]]", *(f"{k} = {_quoted(v)}" for k, v in example.model_dump().items())]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _shown(label: str, ones: Sequence[Candidate]) -> str:
    return f"[{label}]\n" + "\n".join(question_text(one)[:600] for one in ones)


UNSURE = "unsure"
"""Spatial, but of no certain category."""
_NO = re.compile(r"\ANo\.?\Z", re.IGNORECASE)
_HARD = re.compile(
    r"\AYes,? but it[’']s hard to determine the category\. This is a spatially related problem because (.+)\Z",
    re.IGNORECASE | re.DOTALL,
)


def filter_task(taxonomy: Taxonomy, *, batch: int = 1, media: bool = False) -> ModelTask:
    """Return the paper's question: spatial or not, and the category.

    Its values are {"category": key, 'unsure' or None for questions that aren't spatial, "reason": text}.

    Args:
        taxonomy: the categories.
        batch: how many candidates one call is about; 1 where media are shown.
        media: show the media too, the second stage.
    """

    def messages(group: Sequence[Candidate]) -> tuple[Message, ...]:
        shown: tuple[Media, ...] = group[0].media if media else ()
        before, asked = f"{_examples(taxonomy)}{_main_task(taxonomy)}\n", _inputs(group)
        return (
            Message(role="system", parts=(_rules(taxonomy),)),
            Message(parts=(before, *shown, asked) if shown else (before + asked,)),
        )

    name = "filter-media" if media else "filter"
    return ModelTask(name, messages, lambda text, candidate: read_verdict(taxonomy, text), batch, shows_media=media)


def read_verdict(taxonomy: Taxonomy, text: str) -> dict[str, Any] | None:
    """A reply about one candidate, which must have one of the three forms that the prompt asks for."""
    text = text.strip()
    if _NO.match(text):
        return {"category": None, "reason": ""}
    hard = _HARD.match(text)
    if hard:
        return {"category": UNSURE, "reason": _line(hard[1])}
    names = {category.prompt.casefold(): category.key for category in taxonomy.categories}
    names[taxonomy.unsure.casefold()] = UNSURE
    known = "|".join(sorted((re.escape(name) for name in names), key=len, reverse=True))
    said = re.match(rf"Yes\. This is an? ({known})\.? problem because (.+)\Z", text, re.IGNORECASE | re.DOTALL)
    if said is None:
        return None
    return {"category": names[said[1].casefold()], "reason": _line(said[2])}


def systems_task(*, batch: int = 1) -> ModelTask:
    """Task that places questions in the three classification systems; values are label → value."""

    def messages(group: Sequence[Candidate]) -> tuple[Message, ...]:
        return (Message(parts=(f"{_systems_text()}\n{_inputs(group)}",)),)

    return ModelTask("systems", messages, lambda text, candidate: read_systems(text), batch)


def read_systems(text: str) -> dict[str, str] | None:
    """'scale=vista; factor=neither; information=extrinsic; change=static', each label once."""
    found: dict[str, str] = {}
    for part in text.strip().rstrip(".").split(";"):
        label, _, value = (piece.strip().casefold() for piece in part.partition("="))
        if label in found or value not in SYSTEMS.get(label, {}):
            return None
        found[label] = value
    return found if set(found) == set(SYSTEMS) else None


def _rules(taxonomy: Taxonomy) -> str:
    return f"""Your goal is to help the user classify a series of Q&A pairs to determine whether they are spatially \
related. If a pair is indeed spatially related, you must further categorize it into one of the specified categories.

You must follow these rules:
1. If the Q&A content is NOT related to spatial relationships, simply answer:
   No
2. If the Q&A content IS related to spatial relationships, answer:
   Yes. This is a X problem because ...
   where X must be chosen from the following list:
{_listed(taxonomy)}
3. If multiple Q&A pairs (N Q&A pairs) are provided in a single input, you must apply the same classification steps \
to each Q&A pair in the order they appear, and output the result for each pair in that order."""


def _examples(taxonomy: Taxonomy) -> str:
    if not taxonomy.examples:
        return ""
    parts = [
        "Below are examples and their reference outputs (few-shot examples). Please study the logic and answer format "
        "shown in these examples before performing the classification:\n"
    ]
    for number, example in enumerate(taxonomy.examples, start=1):
        parts.append(f"[Example {number}]\nInput:\n{example.input.strip()}\n\nOutput:\n{example.output.strip()}\n")
    hint = f'(If you are unsure which exact category it belongs to, choose "{taxonomy.unsure}.")\n'
    return "\n".join([*parts, hint, ""])


def _main_task(taxonomy: Taxonomy) -> str:
    return f"""[Main Task]
1. Read the new Q&A input(s).
2. First, decide whether each Q&A is related to spatial relationships.
3. If NOT related, simply output:
   No
4. If related, output:
   Yes. This is a [specific category] problem because [reason].
   where [specific category] is strictly from the list:
{_listed(taxonomy)}
5. If multiple Q&A pairs are given together (N Q&A pairs), repeat steps 2 to 4 for each Q&A pair in order, returning \
the results in the same order and prefixing each result with an index '1.', '2.', etc.

Please keep the output style consistent and follow all the rules above."""


def _listed(taxonomy: Taxonomy) -> str:
    return "\n".join(f"   - {name}" for name in (*(c.prompt for c in taxonomy.categories), f"{taxonomy.unsure}."))


def _inputs(group: Sequence[Candidate]) -> str:
    if len(group) == 1:
        return f"\nInput:\n{question_text(group[0])}\n\nOutput:"
    texts = (f"{number}. {question_text(candidate)}" for number, candidate in enumerate(group, start=1))
    return f"\nInput ({len(group)} Q&A pairs):\n" + "\n\n".join(texts) + "\n\nOutput:"


def _systems_text() -> str:
    lines = ["Classify each Q&A pair about space under four labels:"]
    for label, values in SYSTEMS.items():
        lines.append(f"{label}:")
        lines += [f"  - {value}: {meaning}" for value, meaning in values.items()]
    lines.append(
        "For each pair output one line of exactly this form, with one value for each label:\n"
        "scale=vista; factor=neither; information=extrinsic; change=static\n"
        "If several pairs are given, output one line for each in their order, and begin the lines with '1.', '2.', etc."
    )
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())[:500]


LOOKED_AT = 50
"""Media of each source that are looked for before a model is asked."""


def classify_settings(work: Work) -> Any:
    """The stage's part of the recipe, the taxonomy, the labels by hand, and which sources are trusted."""
    settings = work.recipe.classify
    hand = settings.hand if settings else None
    return [plainly(settings), plainly(work.taxonomy), file_state(hand), sorted(work.recipe.trusted)]


def classify_stage(work: Work, before: Path, out: Path) -> dict[str, Any]:
    """Keep the questions about space, with their labels.

    Candidates whose replies can't be read, that are of no certain category, or whose media can't be shown are left for
    people: they are listed in people.jsonl, and come in once the file of labels by hand names their category.
    """
    settings = work.recipe.classify
    assert settings is not None
    hand = read_hand_labels(settings.hand, work.taxonomy) if settings.hand else {}
    if settings.media:
        check_media(before, work.root, work.recipe.trusted)
    with (
        work.asker(settings) as asker,
        atomic_write(out / "people.jsonl") as partial,
        partial.open("w", encoding="utf-8") as people,
    ):
        sorter = Sorter(settings, work.taxonomy, asker, hand, work.recipe.trusted, work, people)
        total = write_pool(out, sorter.kept(before))
    write_text(out / "agreement.json", json.dumps(agreed := agreement(hand, sorter.said), indent=2) + "\n")
    return {
        "candidates": total,
        "categories": dict(sorted(sorter.categories.items())),
        "rejected": dict(sorted(sorter.rejected.items())),
        "people": sorter.left,
        "failed": sorter.failed,
        "model": asker.model.name,
        "calls": asker.tally.called,
        "from_store": asker.tally.reused,
        "agreement": agreed,
    }


def check_media(before: Path, root: Path, trusted: set[str]) -> None:
    """Make sure before the first call that there is something to show.

    Args:
        before: the pool.
        root: the folder that media are relative to.
        trusted: sources whose own categories are taken as they are, so that the model isn't asked about them.

    Raises:
        UsageError: of a source none of the first media is there.
    """
    looked: dict[str, list[Path]] = {}
    for path in shards_of(before):
        table = pl.read_parquet(path, columns=["source", "media", "labels"]).filter(pl.col("media").list.len() > 0)
        for source, media, labels in table.iter_rows():
            known = looked.setdefault(source, [])
            if len(known) < LOOKED_AT and not (source in trusted and "category" in json.loads(labels)):
                known.append(root / media[0]["path"])
    for source in sorted(looked):
        if looked[source] and not any(path.is_file() for path in looked[source]):
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
        work: whose watch receives the progress.
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
            spatial = {identity for identity, reply in verdicts.items() if reply.value and reply.value["category"]}
            again = [one for one in asked if one.media and one.id in spatial]
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
        """Check whether the source's own category settles it."""
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
        """Record the model's label of a candidate that people labelled too."""
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
