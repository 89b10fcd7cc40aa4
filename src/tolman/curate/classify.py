"""Is a question about space, of which category, and where does it stand in the classification systems?

Source: SITE (Wang et al. 2025), section 4.1 and supplementary II. A model is asked in two stages: about the text of all
candidates, many in one call, then about text and media of those that are left. The prompt is the few-shot prompt of
figures 9 to 11; replies must have the form that it asks for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tolman.benchmarks.site.taxonomy import SYSTEMS
from tolman.curate.asking import ModelTask, question_text
from tolman.curate.candidates import Candidate
from tolman.curate.taxonomy import Taxonomy
from tolman.items import Media
from tolman.messages import Message

UNSURE = "unsure"
"""Spatial, but of no certain category."""
_NO = re.compile(r"\ANo\.?\Z", re.IGNORECASE)
_HARD = re.compile(
    r"\AYes,? but it[’']s hard to determine the category\. This is a spatially related problem because (.+)\Z",
    re.IGNORECASE | re.DOTALL,
)


def filter_task(taxonomy: Taxonomy, *, batch: int = 1, media: bool = False) -> ModelTask:
    """The paper's question: spatial or not, and of which category.

    Its values are {"category": key, 'unsure' or None for what is not spatial, "reason": text}.

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
