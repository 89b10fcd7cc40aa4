"""Codes: fields of the link by which people come from a platform, and what they bring back to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tolman.review.site import Site
from tolman.review.store.schema import Participant
from tolman.review.studies.people import ENDED, SCREENED
from tolman.review.studies.spec import Completion, Link

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""What MTurk sends as the assignment of somebody who only looks."""
_LONGEST = 200
_PROLIFIC_END = "https://app.prolific.com/submissions/complete?cc={code}"
_PLATFORMS = {
    "none": (None, ()),
    "prolific": ("PROLIFIC_PID", ("STUDY_ID", "SESSION_ID")),
    "mturk": ("workerId", ("assignmentId", "hitId", "turkSubmitTo")),
}
"""Platform → field of the person's id, further fields. Sources: Prolific's URL parameters; MTurk's ExternalQuestion."""


class LinkError(Exception):
    """Somebody can't come in by this link; the text is one sentence for them."""


@dataclass(frozen=True)
class Arrival:
    """Fields of a link.

    Attributes:
        outside: the person's id at the platform; None where the study asks for none.
        fields: all that is kept, the id among them.
    """

    outside: str | None
    fields: dict[str, str]


def fields_of(link: Link) -> tuple[str | None, tuple[str, ...]]:
    """The field of the person's id, and all that are kept."""
    own, further = _PLATFORMS[link.platform]
    own = link.id or own
    return own, tuple(dict.fromkeys((*([own] if own else []), *further, *link.keep)))


def arrival(link: Link, query: Mapping[str, str]) -> Arrival:
    """What a link's fields say.

    Raises:
        LinkError: the person's id is missing or can't be one, or they only look.
    """
    own, kept = fields_of(link)
    fields = {name: query[name] for name in kept if query.get(name)}
    if PREVIEW in fields.values():
        raise LinkError("This is what the study looks like. Accept it first, then you can begin.")
    if any(len(value) > _LONGEST or not value.isprintable() for value in fields.values()):
        raise LinkError("This link can't be read. Open it once more from where you found it.")
    if own is None:
        return Arrival(None, fields)
    if own not in fields:
        raise LinkError(f"This link lacks your id ({own}). Open it from where you found it.")
    if not re.fullmatch(r"[\w.@:+-]+", fields[own]) or "{" in fields[own]:
        raise LinkError(f"This is no id ({own}). Open the link from where you found it.")
    return Arrival(fields[own], fields)


def link_query(link: Link) -> str:
    """The query that a platform fills in, such as '?PROLIFIC_PID={{%PROLIFIC_PID%}}'; MTurk appends its own."""
    if link.platform == "prolific":
        _, kept = fields_of(link)
        return "?" + "&".join(f"{name}={{{{%{name}%}}}}" for name in kept)
    return f"?{link.id}=ID" if link.id else ""


def code_of(site: Site, completion: Completion, found: Participant) -> str:
    """What somebody types in at the platform: the study's code or their own at its end, its code for who failed
    practice; '' where they get none."""
    if found.state == ENDED:
        return completion.code or site.sign("completion", found.id)[:10].upper()
    return completion.screened or "" if found.state == SCREENED else ""


def redirect_of(completion: Completion, link: Link, code: str) -> str | None:
    """The address to which the last page leads; None where the code is only shown."""
    template = completion.redirect or (_PROLIFIC_END if link.platform == "prolific" else None)
    return template.replace("{code}", code) if template else None
