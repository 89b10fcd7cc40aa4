"""Frequent: the option whose text is right most often. It takes no learning, and no look at the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

from tolman.items import Item
from tolman.kinds import kind_of


def most_frequent_text(items: Sequence[Item]) -> Callable[[Item], str]:
    """Item → answer: the letter of the most frequent text; where answers are no letters, the most frequent of them.

    Texts count only where they are right in another scene too: one that is right in a single scene would give away
    nothing but that scene's own answers. Where no option is, it is the most frequent letter.

    Args:
        items: of one question type.
    """
    counts = Counter(item.answer_text for item in items)
    scenes: dict[str, set[str]] = {}
    for item in items:
        scenes.setdefault(item.answer_text, set()).add(item.cluster)
    kinds = {item.kind: kind_of(item) for item in items}
    frequent = {
        name: ranked(kind.right_response(item) for item in items if item.kind == name)[0]
        for name, kind in kinds.items()
    }

    def choose(item: Item) -> str:
        answer = frequent[item.kind]
        if not kinds[item.kind].has_letters:
            return answer
        known = sorted(text for text in item.options if _is_elsewhere(scenes.get(text, ()), item.cluster))
        if known:
            return item.letters[item.options.index(max(known, key=counts.__getitem__))]
        return answer if answer in item.letters else item.letters[0]

    return choose


def _is_elsewhere(scenes: Collection[str], scene: str) -> bool:
    """Tell whether there is any other scene among some."""
    return len(scenes) > (scene in scenes)


def ranked(answers: Iterable[str]) -> list[str]:
    """Answers by falling frequency; the first in alphabetical order of those that are equally frequent."""
    counts = Counter(answers)
    return sorted(counts, key=lambda answer: (-counts[answer], answer))
