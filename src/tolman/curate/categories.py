"""Coarse categories out of the question sets' own labels (SITE, section 4.1: a model is given the labels of all data
sets with one or two questions each, and makes six categories of spatial tasks from them)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from tolman.curate.asking import Asker, ModelTask, question_text
from tolman.curate.candidates import Candidate, read_pool
from tolman.curate.taxonomy import Category, Taxonomy
from tolman.errors import EndpointError, InputError
from tolman.messages import Message

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
