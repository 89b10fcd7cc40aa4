"""Measure the prose of README, CHANGELOG, docs and docstrings: length, sentences, markers of unidiomatic English.

`python tests/docs/prose.py` prints the measures; `--renew` lowers the limits in `prose_limits.json` to them, and
`--pages` prints them page by page.
"""

import ast
import json
import math
import re
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMITS = Path(__file__).with_name("prose_limits.json")
LONG = 35
"""Words above which a sentence counts as long."""
STEPS = {"pages": 1, "words": 100, "mean_sentence": 0.5, "long_sentences": 1, "markers": 5}
"""Measure → the step that a limit is rounded up to, so that one more sentence doesn't fail."""
GROWING = ("CHANGELOG.md", "docstrings")
"""Areas that grow with the code."""

_FENCE = re.compile(r"^ *```.*?^ *```\s*?$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"^ *\|.*$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"(`+).+?\1", re.DOTALL)
_HTML = re.compile(r"</?[a-z][^>]*>")
_BREAK = re.compile(r"\n\s*\n|\n(?= *(?:[-*+>]|\d+\.|#+|:::) ?)")
_LEAD = re.compile(r"^\s*(?:[-*+>#]+|\d+\.|:::)\s+")
_END = re.compile(r"(?<=[.!?:])[\"')\]*_]*\s+")
_WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")
_SECTION = re.compile(
    r"^ *(?:Args|Attributes|Returns|Raises|Yields|Source|Sources|Example|Examples|Note):", re.MULTILINE
)

MARKERS = {
    "free relative": r"(?<!\bjust )\bwhat(?:ever)?\b(?! if\b| to\b)|\bwho(?:m|ever|mever)\b|\b(?:by|of|to|with|from|for|than) who\b",
    "nobody, somebody": r"\b(?:no|some)body\b",
    "tell, told": r"\b(?:tells?|told|telling)\b",
    "stand, lie": r"\b(?:stands?|stood|standing|lies?|lay|lying)\b",
    "anew": r"\banew\b",
    "at hand": r"\bat hand\b",
    "rightly": r"\brightly\b",
    "beside": r"\bbeside\b",
    "of which": r"\bof which\b",
    "opening": r"^(?:Whether|Of|Where|Who)\b",
}
"""Name → pattern in a sentence that isn't a question. An opening `What` is a free relative."""
_MARKERS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in MARKERS.items() if name != "opening"}
_OPENING = re.compile(MARKERS["opening"])


@dataclass(frozen=True)
class Measure:
    """The measures of one area.

    Attributes:
        pages: number of files.
        words: words of the whole text, with tables and code; of docstrings, of their prose.
        mean_sentence: mean number of words in a sentence of prose, between full stops and colons.
        long_sentences: number of sentences above `LONG` words.
        markers: markers per 10,000 words of prose.
    """

    pages: int
    words: int
    mean_sentence: float
    long_sentences: int
    markers: float


def prose(text: str) -> str:
    """The running text of a Markdown page: no code blocks, tables or pictures; inline code is one word."""
    for pattern in (_FENCE, _COMMENT, _TABLE, _IMAGE):
        text = pattern.sub("\n\n", text)
    return _HTML.sub("", _CODE.sub("code", _LINK.sub(r"\1", text)))


def sentences(text: str) -> list[str]:
    """The sentences of running text; a list item, a heading and a paragraph each begin one."""
    found: list[str] = []
    for block in _BREAK.split(text):
        plain = _LEAD.sub("", " ".join(block.split()))
        found += [part for part in _END.split(plain) if _WORD.search(part)]
    return found


def words_in(text: str) -> int:
    """Number of words."""
    return len(_WORD.findall(text))


def markers_in(sentence: str) -> list[str]:
    """Names of the markers in a sentence, one for each place; none in a question."""
    if sentence.rstrip("\"')*_").endswith("?"):
        return []
    found = [name for name, pattern in _MARKERS.items() for _ in pattern.findall(sentence)]
    return found + ["opening"] * bool(_OPENING.match(sentence))


def docstrings(path: Path) -> Iterable[str]:
    """The docstrings of a module, its classes and functions, as running text."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                # Entries of a section are a line each, with more lines indented below.
                yield _SECTION.sub("\n\n", re.sub(r"\n {4}(?=\S)", "\n\n", prose(text)))


def measure(texts: Iterable[str], pages: int, words: int) -> Measure:
    """Measures of running texts."""
    found = [sentence for text in texts for sentence in sentences(text)]
    lengths = [words_in(sentence) for sentence in found]
    marked = sum(len(markers_in(sentence)) for sentence in found)
    return Measure(
        pages=pages,
        words=words or sum(lengths),
        mean_sentence=round(sum(lengths) / max(1, len(lengths)), 2),
        long_sentences=sum(length > LONG for length in lengths),
        markers=round(10_000 * marked / max(1, sum(lengths)), 1),
    )


def of_pages(paths: Iterable[Path]) -> Measure:
    """Measures of Markdown pages."""
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return measure([prose(text) for text in texts], len(texts), sum(len(text.split()) for text in texts))


def measures() -> dict[str, Measure]:
    """Area → its measures."""
    sources = sorted((ROOT / "src" / "tolman").rglob("*.py"))
    return {
        "README.md": of_pages([ROOT / "README.md"]),
        "CHANGELOG.md": of_pages([ROOT / "CHANGELOG.md"]),
        "docs": of_pages(sorted((ROOT / "docs").rglob("*.md"))),
        "docstrings": measure([text for path in sources for text in docstrings(path)], len(sources), 0),
    }


def limits() -> dict[str, dict[str, float]]:
    """The committed limits: area → measure → the most that it may be."""
    found: dict[str, dict[str, float]] = json.loads(LIMITS.read_text(encoding="utf-8"))
    return found


def renewed(old: dict[str, dict[str, float]], new: dict[str, Measure]) -> dict[str, dict[str, float]]:
    """The measures, rounded up to the next `STEPS`, but no more than the old limits; `GROWING` areas have no limit of size."""
    found: dict[str, dict[str, float]] = {}
    for area, values in new.items():
        found[area] = {}
        for key, value in asdict(values).items():
            if area in GROWING and key in ("pages", "words"):
                continue
            limit = math.ceil(value / STEPS[key]) * STEPS[key]
            found[area][key] = min(limit, old.get(area, {}).get(key, limit))
    return found


def main(words: list[str]) -> None:
    """Print the measures, or write the limits."""
    if "--pages" in words:
        for path in [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            one = of_pages([path])
            print(
                f"{one.words:6} words  {one.mean_sentence:5.1f} a sentence  {one.long_sentences:3} long  "
                f"{one.markers:5.0f} markers  {path.relative_to(ROOT)}"
            )
        return
    found = measures()
    for area, values in found.items():
        print(area, asdict(values))
    if "--renew" in words:
        old = limits() if LIMITS.exists() else {}
        LIMITS.write_text(json.dumps(renewed(old, found), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
