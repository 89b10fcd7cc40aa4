"""Questions in which something is planted that gives the answer away."""

import numpy as np

from tolman.items import Item


def choices(count: int, planted: float, seed: int = 0, start: int = 0) -> list[Item]:
    """Choices whose right option is the plant wherever there is one, in this share of them."""
    generator = np.random.default_rng(seed)
    made = []
    for i in range(start, start + count):
        options = [str(o) for o in generator.choice(["bed", "lamp", "desk", "sofa", "tv", "door"], 4, replace=False)]
        right = int(generator.integers(4))
        if generator.random() < planted:
            options[right] = "plant"
        made.append(
            Item(id=str(i), question="Which is nearest?", kind="choice", answer="ABCD"[right], options=tuple(options),
                 task="near", scene=f"s{i // 3}")
        )  # fmt: skip
    return made


def numbers(count: int, seed: int = 0) -> list[Item]:
    """A thing's size, which is known from its name."""
    sizes = {"bed": 200, "cup": 10, "desk": 120}
    generator = np.random.default_rng(seed)
    made = []
    for i in range(count):
        name = str(generator.choice(list(sizes)))
        answer = str(round(sizes[name] * generator.uniform(0.98, 1.02)))
        made.append(
            Item(id=f"n{i}", question=f"How long is the {name}?", kind="number", answer=answer, unit="cm", task="size",
                 scene=f"s{i // 3}")
        )  # fmt: skip
    return made
