"""Orders and sets against the right one: whole, and the share that is right."""

from collections import Counter
from itertools import combinations

from tolman.items import Item
from tolman.scoring.answer_texts import listed, normalised
from tolman.scoring.metric import Metric
from tolman.scoring.reading import ParsedAnswer


def things(text: str) -> list[str]:
    """The things of a JSON list as they are compared."""
    return [normalised(thing) for thing in listed(text) or ()]


def same_order(item: Item, reading: ParsedAnswer) -> float:
    """1 for the right order, else 0."""
    return float(things(str(reading.value)) == things(item.answer))


def pairs_in_order(item: Item, reading: ParsedAnswer) -> float:
    """The share of pairs of things that stand in the right order, (Kendall's tau + 1) / 2 of complete orders; a pair
    of which a thing is missing is wrong."""
    right, said = things(item.answer), things(str(reading.value))
    place = {thing: i for i, thing in reversed(list(enumerate(said)))}
    pairs = [(a, b) for a, b in combinations(right, 2) if a != b]
    hits = sum(a in place and b in place and place[a] < place[b] for a, b in pairs)
    return hits / len(pairs) if pairs else same_order(item, reading)


def same_set(item: Item, reading: ParsedAnswer) -> float:
    """1 for the right things, no more and no less, else 0."""
    return float(set(things(str(reading.value))) == set(things(item.answer)))


def shared_things(item: Item, reading: ParsedAnswer) -> float:
    """The F1 of the things; 1 where both sets are empty."""
    right, said = Counter(set(things(item.answer))), Counter(set(things(str(reading.value))))
    return 2 * (right & said).total() / (right.total() + said.total()) if right or said else 1.0


def overlap(item: Item, reading: ParsedAnswer) -> float:
    """The Jaccard index of the things: those in both over those in either; 1 where both sets are empty."""
    right, said = set(things(item.answer)), set(things(str(reading.value)))
    return len(right & said) / len(right | said) if right | said else 1.0


METRICS = (
    Metric(
        name="order-accuracy",
        title="Exact order",
        per_item=same_order,
        kinds=("order",),
        source="exact match of orders of normalised texts",
    ),
    Metric(
        name="order-pairs",
        title="Pairs in order",
        per_item=pairs_in_order,
        kinds=("order",),
        source="Kendall's tau (Biometrika 1938), rescaled to 0–1",
    ),
    Metric(
        name="set-accuracy",
        title="Exact set",
        per_item=same_set,
        kinds=("set",),
        source="exact match of sets of normalised texts",
    ),
    Metric(
        name="set-f1",
        title="F1 of things",
        per_item=shared_things,
        kinds=("set",),
        source="harmonic mean of precision and recall of each item's things",
    ),
    Metric(
        name="set-iou",
        title="Jaccard index",
        per_item=overlap,
        kinds=("set",),
        source="Jaccard (1912): intersection over union of each item's things",
    ),
)
