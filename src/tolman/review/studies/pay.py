"""Times and pay of everybody in a study, as a table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy.orm import Session as Orm

from tolman.review.site import Site
from tolman.review.store.schema import Project
from tolman.review.studies import people
from tolman.review.studies.codes import code_of, fields_of
from tolman.review.studies.records import PersonRecord, records
from tolman.review.studies.spec import Pay, StudyPart

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would compute (OWASP, CSV injection)."""


def amount(pay: Pay, seconds: float, *, counts: bool) -> float:
    """What somebody is paid, in the study's currency, to the cent.

    Args:
        pay: the study's.
        seconds: with a visible question.
        counts: whether their answers count.
    """
    return round(pay.fixed + pay.per_hour * seconds / 3600, 2) if counts or pay.excluded else 0.0


def pay_table(db: Orm, site: Site, project: Project) -> str:
    """Times and pay of everybody in a study, as CSV."""
    part, found = people.part_of(project), records(db, project)
    own = {one.person.id: code_of(site, part.completion, one.person) for one in found}
    return to_csv(table(part, found, own))


def table(part: StudyPart, found: Sequence[PersonRecord], codes: dict[int, str]) -> list[list[str]]:
    """Headings, and a row for each person.

    Args:
        part: of the study.
        found: of everybody.
        codes: id of a place in the study → completion code.
    """
    _, fields = fields_of(part.link)
    skips = [*part.skip, *sorted({reason for one in found for reason in one.skips} - set(part.skip))]
    head = [
        "person", *fields, "form", "state", "agreed", "ended", "minutes", "asked", "answered", "marked",
        *(f"skipped: {reason}" for reason in skips), "gold", "gold right", "attention wrong", "counts",
        "excluded because", "code", "pay", "currency",
    ]  # fmt: skip
    return [head, *(_row(part, one, fields, skips, codes) for one in found)]


def _row(
    part: StudyPart, one: PersonRecord, fields: Sequence[str], skips: Sequence[str], codes: dict[int, str]
) -> list[str]:
    person, did, pay = one.person, one.conduct, part.pay
    earned = "" if pay is None else f"{amount(pay, one.seconds, counts=not one.excluded):.2f}"
    return [
        one.name, *(str(person.content["fields"].get(name, "")) for name in fields),
        "" if person.form is None else str(person.form + 1), person.state, moment(person.agreed), moment(person.ended),
        f"{one.seconds / 60:.2f}", str(one.asked), str(did.answered), str(len(one.marked)),
        *(str(one.skips[reason]) for reason in skips), str(did.gold), str(did.gold_right), str(did.attention_wrong),
        "no" if one.excluded else "yes", "; ".join(one.excluded), codes.get(person.id, ""), earned,
        pay.currency if pay else "",
    ]  # fmt: skip


def to_csv(rows: Sequence[Sequence[str]]) -> str:
    """A table as CSV; cells that a spreadsheet would compute begin with an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([f"'{cell}" if _computes(cell) else cell for cell in row] for row in rows)
    return text.getvalue()


def _computes(cell: str) -> bool:
    return cell.startswith(_FORMULA) and not re.fullmatch(r"-\d+(\.\d+)?", cell)


def moment(seconds: float | None) -> str:
    """A time in a table, to the second, in UTC; '' for none."""
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
