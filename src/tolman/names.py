"""Sentences about names that mean nothing: what was written, the nearest name there is, and all there are."""

from __future__ import annotations

from collections.abc import Iterable

from tolman.errors import UsageError

MIN_SIMILARITY = 0.6
"""Similarity of two names (`difflib.SequenceMatcher.ratio`, 0 to 1) from which one is suggested for the other."""

MIN_BEGINNING = 3
"""Characters from which the beginning of a name is enough to suggest it."""

MAX_SUGGESTIONS = 3
"""Names suggested where several are equally near."""


def unknown(what: str, name: str, known: Iterable[str], *, other: str = "") -> UsageError:
    """The error for a name that means nothing, to be raised.

    Args:
        what: the kind of thing, as in a sentence: 'benchmark'.
        name: the name that was written.
        known: the names there are, in the order in which they are listed.
        other: what may be written in place of a known name, as the end of a list: 'the path of a .toml file'.
    """
    known = list(known)
    also = f", or {other}" if other else ""
    return UsageError(f"there is no {what} '{name}'; {hint(name, known)}{also}.")


def hint(name: str, known: Iterable[str]) -> str:
    """What could have been meant and what there is: "did you mean 'a'? known: a, b"; without its first half where no
    name is near.
    """
    known = list(known)
    near = nearest(name, known)
    suggestion = f"did you mean {' or '.join(repr(one) for one in near)}? " if near else ""
    return f"{suggestion}known: {', '.join(known) or 'none'}"


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The names that could have been meant, at most `MAX_SUGGESTIONS`; usually one or none.

    Case, and hyphens against underscores and spaces, make no difference, and what stands before the last slash of a
    known name may be left out. A name that is equal in this sense is nearest, then those that begin as `name` does,
    then the most similar one.
    """
    from difflib import get_close_matches  # only errors need it, and the command line imports this before it starts

    wanted = _folded(name)
    spellings: dict[str, list[str]] = {}
    for one in dict.fromkeys(known):
        whole = _folded(one)
        last = whole if "/" in wanted else whole.rpartition("/")[2]
        for spelling in dict.fromkeys((whole, last)):
            spellings.setdefault(spelling, []).append(one)
    found = [wanted] if wanted in spellings else []
    if not found and len(wanted) >= MIN_BEGINNING:
        found = [spelling for spelling in spellings if spelling.startswith(wanted)]
    if not found:
        found = get_close_matches(wanted, spellings, n=1, cutoff=MIN_SIMILARITY)
    return list(dict.fromkeys(one for spelling in found for one in spellings[spelling]))[:MAX_SUGGESTIONS]


def _folded(name: str) -> str:
    return name.strip().casefold().replace("_", "-").replace(" ", "-")
