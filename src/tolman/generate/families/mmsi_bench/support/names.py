"""Names: objects that may be called by their category in some pictures."""

from __future__ import annotations

from collections.abc import Sequence

LOOK_ALIKE: tuple[frozenset[str], ...] = tuple(
    frozenset(group)
    for group in (
        ("chair", "armchair", "stool", "bench", "piano bench"),
        ("sofa", "armchair", "bed"),
        ("table", "desk", "pool table", "foosball table", "picnic table"),
        ("cabinet", "cupboard", "wardrobe", "bookcase", "shelf", "tv cabinet", "nightstand", "desk"),
        ("wardrobe", "refrigerator", "door"),
        ("refrigerator", "oven"),
        ("plant", "potted plant"),
        ("bush", "flower pot"),
        ("crate", "box", "parcel", "barrel", "briefcase", "handbag", "suitcase", "toolbox", "speaker"),
        ("window", "whiteboard"),
        ("toilet", "bidet", "sink"),
        ("cup", "glass"),
        ("car", "van"),
        ("bollard", "parking meter", "fire hydrant", "traffic cone"),
        ("mailbox", "utility box", "trash can"),
        ("lamp post", "stop sign", "parking meter"),
    )
)
"""Categories that people may take for one another in a small picture."""
_SAID_OF_ALL: dict[str, frozenset[str]] = {"person": frozenset({"person with the orange helmet"})}
"""Names that fit another category as well, whose own name tells it from theirs."""
_OTHERS: dict[str, frozenset[str]] = dict(_SAID_OF_ALL)
for _group in LOOK_ALIKE:
    for _name in _group:
        _OTHERS[_name] = _OTHERS.get(_name, frozenset()) | _group


def confusable(category: str) -> frozenset[str]:
    """The categories that a name might be taken for, itself among them."""
    return _OTHERS.get(category, frozenset((category,))) | {category}


def listed(names: Sequence[str]) -> str:
    """'the sofa, the door and the bed'."""
    texts = [f"the {name}" for name in names]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def ordinal(number: int) -> str:
    """'first' for 0."""
    return _ORDINALS[number]
