"""Under which other conditions two texts were made."""

from __future__ import annotations

from tolman.analyze.reconciling.causes import Cause, Label
from tolman.analyze.reconciling.sides import SideItem


def conditions(a: SideItem, b: SideItem) -> Label:
    """What may be why two texts differ: all that the logs say was different, since a text is made by all of it at once.

    A response that the limit ended, and that the other one begins with, was only cut off: what else was different made
    no other words. Where it is no beginning of the other one, the limit is not all: the rest is unexplained.

    Returns:
        At least one cause; UNEXPLAINED alone where all that both logs record is equal.
    """
    found = set()
    if asked_otherwise(a, b):
        found.add(Cause.DATA)
    elif bool(a.cut_off) != bool(b.cut_off) and _begins(*((b, a) if a.cut_off else (a, b))):
        return frozenset([Cause.CUT_OFF])
    templates = _template(a), _template(b)
    if None not in templates and templates[0] != templates[1]:
        found.add(Cause.PROMPT)
    if a.frames is not None and b.frames is not None and a.frames != b.frames:
        found.add(Cause.FRAMES)
    explained = bool(found)
    if bool(a.cut_off) != bool(b.cut_off):
        found.add(Cause.CUT_OFF)
    return frozenset(found if explained else found | {Cause.UNEXPLAINED})


def _begins(whole: SideItem, ended: SideItem) -> bool:
    """Whether a text that the limit ended is the beginning of another; half a character at its end doesn't count."""
    beginning = (ended.text or "").rstrip().rstrip("\ufffd")
    return bool(beginning) and (whole.text or "").startswith(beginning)


def asked_otherwise(a: SideItem, b: SideItem) -> bool:
    """Whether the question or its options differ, as far as both sides record them."""
    if a.question is None or b.question is None:
        return False
    return [squeeze(text) for text in a.question] != [squeeze(text) for text in b.question]


def _template(item: SideItem) -> str | None:
    """The prompt without the question and its options; None where it can't be told from these."""
    if item.prompt is None or item.question == (item.prompt,):
        return None
    text = squeeze(item.prompt)
    for piece in item.question or ():
        found = squeeze(piece)
        if found:
            text = text.replace(found, "…", 1)
    return text


def squeeze(text: str) -> str:
    """A text with its white space as single blanks."""
    return " ".join(text.split())
