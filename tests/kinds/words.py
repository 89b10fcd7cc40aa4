"""A plugin: an item kind whose answers agree if they share most of their words."""

import re
from collections import Counter

from tolman.items import Item
from tolman.kinds import ItemKind
from tolman.scoring.answer_values import ParsedAnswer, nothing
from tolman.scoring.metrics import Metric

ARTICLES = {"a", "an", "the"}


def words_of(text: str) -> list[str]:
    """The words of a text without articles and punctuation."""
    return [word for word in re.findall(r"\w+", text.casefold()) if word not in ARTICLES]


def check(item: Item) -> str:
    return "" if words_of(item.answer) else "the answer has no words"


def read(item: Item, text: str) -> ParsedAnswer:
    said = words_of(text.strip().rpartition("\n")[2])
    return ParsedAnswer(" ".join(said)) if said else nothing("the response has no words")


def shared(item: Item, reading: ParsedAnswer) -> float:
    """F1 of the words."""
    right, said = Counter(words_of(item.answer)), Counter(str(reading.value).split())
    return 2 * (right & said).total() / (right.total() + said.total())


METRIC = Metric(name="shared-words", title="Shared words (F1)", per_item=shared, kinds=("words",))

KIND = ItemKind(
    name="words",
    title="free words",
    check=check,
    read=read,
    metric=METRIC,
    demand=lambda item: "Answer in a few words only.",
    agree_from=0.8,
    asks_for="a few words",
)
