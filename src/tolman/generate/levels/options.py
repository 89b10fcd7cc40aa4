"""Options from a scene's own answers: what is right in one question is a wrong option in others.

Things that are never right, such as what stands on a table and isn't bumped into, would be ruled out without looking.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence

_WRONG = 3


def others_for(answers: Sequence[str], excluded: Sequence[Collection[str]], seed: str) -> list[tuple[str, ...]]:
    """Three wrong options for each question of a scene, of the other questions' answers.

    Every name is wrong three times as often as it is right, as far as the questions allow.

    Args:
        answers: of the questions.
        excluded: for each what must not be an option, beside its answer.
        seed: of the choice between names that are needed as often.

    Returns:
        Three for each; none where too few are allowed.
    """
    generator = random.Random(seed)
    needed = Counter({name: _WRONG * count for name, count in Counter(answers).items()})
    allowed = [
        [name for name in sorted(needed) if name != a and name not in e] for a, e in zip(answers, excluded, strict=True)
    ]
    found: list[tuple[str, ...]] = [()] * len(answers)
    # Those with the least choice first: what they need would otherwise be used up by others.
    for i in sorted(range(len(answers)), key=lambda i: (len(allowed[i]), i)):
        if len(allowed[i]) < _WRONG:
            needed[answers[i]] -= _WRONG
            continue
        names = generator.sample(allowed[i], len(allowed[i]))
        found[i] = tuple(sorted(names, key=lambda name: -needed[name])[:_WRONG])
        needed.subtract(found[i])
    return found
