"""Loads the corpus of labelled model outputs, makes items of its rows and judges readings of them.

The texts of the real rows are gathered by `gather.py`; they are looked for in the folder that the environment variable
TOLMAN_READING_TEXTS names, else in `texts/` beside this file. Rows whose text isn't there are left out and counted.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from tolman.items import Item, Unit

HERE = Path(__file__).resolve().parent
SHARED = Path(os.environ.get("TOLMAN_SHARED", HERE.parents[3] / "shared"))

Part = Literal["test", "development", "kinds", "given"]
PARTS: tuple[Part, ...] = ("test", "development", "kinds", "given")
"""`test`, `development` and `kinds` stand in this folder; `given` is the older corpus `<TOLMAN_SHARED>/data/reading/outputs.jsonl`."""

Verdict = Literal["right", "right none", "missed", "wrong", "invented"]

NONE = "NONE"
TOLERANCE = Fraction(1, 100)
"""Numbers are equal within this share of the label."""

_UNITS: dict[str, Unit] = {"m": "m", "cm": "cm", "m²": "m2"}
_HOW_MANY = re.compile(
    r"\bhow many\b|\bnumber of\b|\bcount\b"
    r"|多少[个個把张張台辆輛扇盏盞本只隻名位次条條种種件]|[几幾][个個把张張台辆輛扇盏盞本只隻名位次条條种種件幅]|多少人|个数|数を答え|の数"
    r"|いくつ|何[個脚台冊人本枚匹頭羽回通軒着杯点箱つ]|몇|개수"
    r"|\bcuánt[oa]s\b|\bcombien (?:d(?:e\b|['’])|y a-t-il\b)|\bnombre de\b|\bwie ?viele?\b"
    r"|\bquant[oa]s\b|сколько|количество"
    r"|(?<!\w)كم(?!\w)|(?<!\w)عدد(?!\w)|कितन[ीे]|\bkitn[ei]\b",
    re.IGNORECASE,
)
"""Questions for a count, in English and the ten languages of the written rows."""


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled output.

    Attributes:
        id: unique in its part.
        part: 'test', 'development', 'kinds' or 'given'.
        kind: 'choice' or 'number'.
        question, options: of the item.
        unit: 'm', 'cm', 'm²', or empty for counts and plain numbers.
        output: what the model answered.
        expected: a letter, a number in the unit, or 'NONE'.
        accept: other readings that a careful person could give.
        written: written for a corpus, not a model's.
        language: two letters; empty where unknown.
        style: what is special about a written row.
        source: the repository of a real row; empty for written ones.
        model: the model of a real row.
        truth: the item's true answer where the repository has it; empty otherwise.
    """

    id: str
    part: Part
    kind: Literal["choice", "number"]
    question: str
    options: tuple[str, ...]
    unit: str
    output: str
    expected: str
    accept: tuple[str, ...]
    written: bool
    language: str = ""
    style: str = ""
    source: str = ""
    model: str = ""
    truth: str = ""

    @property
    def has_answer(self) -> bool:
        """Whether the label is a letter or a number."""
        return self.expected != NONE


@dataclass(frozen=True, slots=True)
class Corpus:
    """The rows of some parts, and how many real rows lack their text in each part."""

    rows: tuple[Row, ...]
    absent: Mapping[Part, int]

    def of(self, part: Part, *, written: bool | None = None) -> list[Row]:
        """The rows of a part: all, the written or the real ones."""
        return [r for r in self.rows if r.part == part and (written is None or r.written == written)]

    def describe_absent(self) -> str:
        """One line on the real rows without text; empty where none is missing."""
        parts = [f"{n} real rows of the {part} part" for part, n in self.absent.items() if n]
        if not parts:
            return ""
        return f"Left out, as their texts are not gathered (tests/scoring/corpus/gather.py): {', '.join(parts)}."


def texts_folder() -> Path:
    """Where gathered texts are looked for."""
    return Path(os.environ.get("TOLMAN_READING_TEXTS", HERE / "texts"))


def load(parts: Iterable[Part] = PARTS, *, texts: Path | None = None, shared: Path | None = None) -> Corpus:
    """The rows of some parts.

    Args:
        parts: which.
        texts: holds the gathered `real_*.jsonl` (default: `texts_folder()`).
        shared: holds `data/reading/outputs.jsonl` for the part 'given' (default: TOLMAN_SHARED). Without that file the
            part is empty.
    """
    texts, shared = texts or texts_folder(), shared or SHARED
    rows: list[Row] = []
    absent: dict[Part, int] = {}
    for part in parts:
        if part == "given":
            path = shared / "data" / "reading" / "outputs.jsonl"
            rows += [_row(record, part) for record in records(path)] if path.is_file() else []
            continue
        rows += [_row(record, part) for record in records(HERE / f"written_{part}.jsonl")]
        if part == "kinds":
            continue
        gathered = texts / f"real_{part}.jsonl"
        real = [_row(record, part) for record in records(gathered)] if gathered.is_file() else []
        absent[part] = len(records(HERE / f"real_{part}.jsonl")) - len(real)
        rows += real
    return Corpus(tuple(rows), absent)


def records(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def _row(record: Mapping[str, Any], part: Part) -> Row:
    source = str(record.get("source", ""))
    written = source in ("", "written for this corpus")
    return Row(
        id=record["id"],
        part=part,
        kind=record["kind"],
        question=record["question"],
        options=tuple(record["options"]),
        unit=record["unit"],
        output=record["output"],
        expected=str(record["expected"]),
        accept=tuple(map(str, record["accept"])),
        written=written,
        language=record.get("language", ""),
        style=record.get("style", ""),
        source="" if written else source,
        model=record.get("model", ""),
        truth="" if record.get("truth") is None else str(record["truth"]),
    )


def item_of(row: Row) -> Item:
    """The item that a row's output answers.

    The item's answer is a placeholder, as no reader looks at it. A number without a unit is a count where the question
    asks how many, and of no unit that is known otherwise.
    """
    if row.kind == "choice":
        return Item(id=row.id, question=row.question, kind="choice", answer="A", options=row.options, task="reading")
    unit: Unit | None = _UNITS.get(row.unit)
    if unit is None and _HOW_MANY.search(row.question):
        unit = "count"
    return Item(id=row.id, question=row.question, kind="number", answer="1", unit=unit, task="reading")


def is_same(value: str | float | Fraction, label: str) -> bool:
    """Whether a reading is what a label says: letters equal, numbers within 1 % of the label."""
    if isinstance(value, str) or label == NONE:
        return value == label
    try:
        wanted = Fraction(label)
    except (ValueError, ZeroDivisionError):
        return False
    try:
        return abs(Fraction(value) - wanted) <= TOLERANCE * abs(wanted)
    except (ValueError, OverflowError):  # not a number, infinite
        return False


def is_held_out(row: Row) -> bool:
    """Whether a row is only measured: no rule and no weight is made from it.

    These are all rows of two writers of hard kinds, and half of the fourth and fifth batches of the development part.
    `w-r2…` and halves of `w-s…` and `w-q…` were held out before.
    """
    return row.id.startswith(("w-p3", "w-m3")) or (
        row.id.startswith(("w-u", "w-t")) and hashlib.sha256(row.id.encode()).digest()[0] % 2 == 0
    )


def judge(row: Row, value: str | float | Fraction | None) -> Verdict:
    """What a reading of a row is.

    Returns:
        'right': a label, expected or accepted; 'right none': no answer where that is a label; 'missed': no answer where
        there is one; 'wrong': another answer than the one there is; 'invented': an answer where there is none.
    """
    labels = (row.expected, *row.accept)
    if value is None:
        return "right none" if NONE in labels else "missed"
    if any(is_same(value, label) for label in labels):
        return "right"
    return "wrong" if row.has_answer else "invented"
