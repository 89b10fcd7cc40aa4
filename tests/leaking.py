"""Benchmarks in which answers leak through the text in known ways, and benchmarks in which they don't."""

from collections.abc import Callable

import numpy as np

from tolman.items import Item, Media

NAMES = (
    "bed", "lamp", "desk", "sofa", "television", "door", "chair", "radiator", "plant", "shelf", "washing machine", "rug",
)  # fmt: skip
OPTIONS = 4


def _choice(number: int, question: str, options: list[str], right: int, scene: str, **more: object) -> Item:
    return Item(id=f"q{number}", question=question, kind="choice", answer="ABCD"[right], options=tuple(options),
                task="nearest", scene=scene, **more)  # fmt: skip


def _drawn(generator: np.random.Generator) -> tuple[str, list[str], int]:
    """A question, four options, and the place of the right one, independent of each other."""
    names = [str(name) for name in generator.choice(NAMES, OPTIONS + 1, replace=False)]
    return f"Which of these is nearest to the {names[0]}?", names[1:], int(generator.integers(OPTIONS))


def clean(count: int, seed: int) -> list[Item]:
    """Answers that no text tells; four questions a scene."""
    generator = np.random.default_rng(seed)
    return [_choice(i, *_drawn(generator), f"{seed}-{i // 4}") for i in range(count)]


def balanced(count: int, seed: int) -> list[Item]:
    """As `clean`, with every letter right equally often."""
    found = clean(count, seed)
    letters = np.random.default_rng([seed, 1]).permutation([i % OPTIONS for i in range(count)])
    return [item.model_copy(update={"answer": "ABCD"[place]}) for item, place in zip(found, letters, strict=True)]


def by_length(count: int, seed: int, share: float = 0.3) -> list[Item]:
    """The right option is the longest in this share of the questions, else any."""
    generator, found = np.random.default_rng(seed), []
    for i in range(count):
        question, options, right = _drawn(generator)
        if generator.random() < share:
            right = int(np.argmax([len(option) for option in options]))
        found.append(_choice(i, question, options, right, f"{seed}-{i // 4}"))
    return found


def by_wording(count: int, seed: int, share: float = 0.3) -> list[Item]:
    """The wording of the question tells the right place in this share of the questions."""
    generator, found = np.random.default_rng(seed), []
    wordings = ("is nearest to", "is closest to", "stands nearest to", "has the least distance from")
    for i in range(count):
        question, options, right = _drawn(generator)
        told = right if generator.random() < share else int(generator.integers(OPTIONS))
        found.append(_choice(i, question.replace("is nearest to", wordings[told]), options, right, f"{seed}-{i // 4}"))
    return found


def by_file(count: int, seed: int, share: float = 0.6) -> list[Item]:
    """Four videos a place, numbered in the order of the right letters in this share of the questions; no text tells."""
    generator, found = np.random.default_rng(seed), []
    for i in range(count):
        question, options, right = _drawn(generator)
        video = i % 4 if generator.random() > share else right
        scene, media = f"{seed}-{i // 4}", (Media(kind="video", path=f"videos/{seed}-{i // 4 * 4 + video:04d}.mp4"),)
        found.append(_choice(i, question, options, right, scene, media=media))
    return found


def by_order(count: int, seed: int, share: float = 0.5) -> list[Item]:
    """Options are orders of four things; in this share of the questions the order of `NAMES` is right, else any."""
    generator, found = np.random.default_rng(seed), []
    for i in range(count):
        things = sorted(generator.choice(len(NAMES), OPTIONS, replace=False).tolist())
        orders = [things] if generator.random() < share else [generator.permutation(things).tolist()]
        while len(orders) < OPTIONS:
            other = generator.permutation(things).tolist()
            if other not in orders:
                orders.append(other)
        place = int(generator.integers(OPTIONS))
        orders[0], orders[place] = orders[place], orders[0]
        options = [", ".join(NAMES[thing] for thing in order) for order in orders]
        found.append(_choice(i, "In which order do these appear?", options, place, f"{seed}-{i // 4}"))
    return found


def twins(count: int, seed: int) -> list[Item]:
    """Rings of four scenes that share a text, each with another option right. What leaks in any of them leaks in none."""
    generator, found = np.random.default_rng(seed), []
    for ring in range(count // OPTIONS):
        question, options, _ = _drawn(generator)
        for right in range(OPTIONS):
            found.append(
                _choice(len(found), question, options, right, f"{seed}-{ring}-{right}", evidence={"twins": f"r{ring}"})
            )
    return found


def _sizes(count: int, seed: int, size: Callable[[np.random.Generator, int], float]) -> list[Item]:
    generator, found = np.random.default_rng(seed), []
    for i in range(count):
        place = int(generator.integers(len(NAMES)))
        answer = str(round(size(generator, place)))
        found.append(Item(id=f"n{i}", question=f"How long is the {NAMES[place]}?", kind="number", answer=answer, unit="cm",
                          task="size", scene=f"{seed}-{i // 4}"))  # fmt: skip
    return found


def by_category(count: int, seed: int) -> list[Item]:
    """A thing's size, which its name tells within a few per cent."""
    return _sizes(count, seed, lambda generator, place: 30 * 1.25**place * generator.uniform(0.95, 1.05))


def sizes_of_any(count: int, seed: int) -> list[Item]:
    """A thing's size, drawn from 30 to 300 cm whatever its name is."""
    return _sizes(count, seed, lambda generator, place: 30 * 10 ** generator.random())
