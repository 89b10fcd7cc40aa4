"""What the careful reader reads in labelled outputs, and what a response costs.

    python benchmarks/reading.py [--part test] [--texts FOLDER] [--shared ../shared] [--json]
                                 [--phrases 6] [--seed 0] [--no-times]

Prints Markdown tables. `right` and `missed` are shares of the answers that are there (rows whose label is a letter or a
number), `wrong` and `invented` shares of all rows; a missing answer where the label allows for it counts as none of
the four. The real rows need their texts (`tests/scoring/corpus/gather.py`); without them the written rows are used, and
the first line says so. In the part `kinds`, `w-p3…` and `w-m3…` are held out; other rows were until 2026-12-01
(`benchmarks/README.md`). Times are of the CPU, limits are printed beside them.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "scoring" / "corpus"))

from phrases import phrases_by_language  # noqa: E402
from rows import NONE, PARTS, Row, Verdict, is_held_out, is_same, item_of, judge, load  # noqa: E402

from tolman.items import Item  # noqa: E402
from tolman.scoring.answer_values import ParsedAnswer  # noqa: E402
from tolman.scoring.parse import read_careful  # noqa: E402

MIN_SOURCE_ROWS = 100
"""From so many rows with known truths on, a source's score is shown."""
MIN_STYLE_ROWS = 12
STYLES_SHOWN = 15
LENGTHS = (1, 10, 100, 1_000, 10_000, 50_000)
LIMITS_MS = {10_000: 50, 50_000: 250}
"""The longest that a response of at most so many characters should take, in milliseconds of CPU."""
HOSTILE = (
    "(", "A", "1,", "9", "- ", "a b ", "{", "[[", "`", "\n", "A. ", "(A) ", "1 m ", "half a ", "one and ", "<think>",
    "</think>", "\\boxed{", "<a ", "<answer>", '{"answer": ', "answer is ", "Answer: A or ", "not A, ", "wait, ",
    "2.5 x 3 = ", "about 1-2 ", "the sofa is not the chair ", "A: chair ", "**A** ", "№ ", "😀", "\u0301", "\u202e",
    "答案是", "不是", "三", "답은 ", "الإجابة ", "उत्तर ", "ответ ",
)  # fmt: skip
CHOICE = Item(
    id="c",
    question="Which is closest?",
    kind="choice",
    answer="A",
    options=("chair", "table", "sofa", "lamp"),
    task="t",
)
NUMBER = Item(id="n", question="How far away is it, in meters?", kind="number", answer="1", unit="m", task="t")


@dataclass(frozen=True, slots=True)
class Judged:
    """A row with what was read in it."""

    row: Row
    reading: ParsedAnswer
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over rows."""

    rows: int
    answers: int
    right: int
    missed: int
    wrong: int
    invented: int


def tally(judged: Sequence[Judged]) -> Tally:
    """Counts; `right` and `missed` only among rows whose label is an answer."""
    there = [j for j in judged if j.row.has_answer]
    return Tally(
        rows=len(judged),
        answers=len(there),
        right=sum(j.verdict == "right" for j in there),
        missed=sum(j.verdict == "missed" for j in there),
        wrong=sum(j.verdict == "wrong" for j in judged),
        invented=sum(j.verdict == "invented" for j in judged),
    )


def grouped(judged: Iterable[Judged], key: Callable[[Judged], str]) -> dict[str, Tally]:
    """A tally for each value of a key, in the order of the values; empty values are left out."""
    groups: dict[str, list[Judged]] = defaultdict(list)
    for j in judged:
        if key(j):
            groups[key(j)].append(j)
    return {name: tally(groups[name]) for name in sorted(groups)}


def by_style_word(judged: Iterable[Judged]) -> dict[str, Tally]:
    """Of the words that describe written rows, those with the largest shares of rows that are not read as labelled."""
    groups: dict[str, list[Judged]] = defaultdict(list)
    for j in judged:
        for word in set(re.findall(r"[^\W\d_]{3,}", j.row.style.lower())):
            groups[word].append(j)
    tallies = {word: tally(js) for word, js in groups.items() if len(js) >= MIN_STYLE_ROWS}
    failing = {word: (t.missed + t.wrong + t.invented) / t.rows for word, t in tallies.items()}
    return {word: tallies[word] for word in sorted(tallies, key=lambda w: (-failing[w], w))[:STYLES_SHOWN]}


def source_scores(judged: Iterable[Judged]) -> list[dict[str, Any]]:
    """For each large source the share of true answers by readings and by labels."""
    groups: dict[str, list[Judged]] = defaultdict(list)
    for j in judged:
        if j.row.source and j.row.truth:
            groups[j.row.source].append(j)
    scores = []
    for source, js in sorted(groups.items()):
        if len(js) < MIN_SOURCE_ROWS:
            continue
        read = sum(j.reading.value is not None and is_same(j.reading.value, j.row.truth) for j in js)
        labelled = sum(_is_true(j.row.expected, j.row) for j in js)
        scores.append({"source": source, "rows": len(js), "read": read / len(js), "labelled": labelled / len(js)})
    return scores


def _is_true(label: str, row: Row) -> bool:
    if label == NONE:
        return False
    return label == row.truth if row.kind == "choice" else is_same(float(label), row.truth)


def phrases(count: int, seed: int) -> list[str]:
    """So many phrases of each language file, drawn by seed."""
    chosen = []
    for name, found in phrases_by_language().items():
        chosen += random.Random(f"{seed} {name}").sample(found, min(count, len(found)))
    return chosen


def milliseconds(item: Item, text: str) -> float:
    """CPU time of one reading."""
    start = time.process_time_ns()
    read_careful(item, text)
    return (time.process_time_ns() - start) / 1e6


def hostile_times(pieces: Sequence[str]) -> list[dict[str, Any]]:
    """For each length the median and the longest time over repetitions of pieces, alone and as lines.

    The five longest are timed three more times and count by their medians, as a single time holds what else ran.
    """
    results = []
    for length in LENGTHS:
        cases = [
            (item, text[:length])
            for piece in pieces
            for text in (f"{piece}{glue}" * (length // len(piece) + 1) for glue in " \n")
            for item in (CHOICE, NUMBER)
        ]
        timed = sorted(((milliseconds(item, text), n) for n, (item, text) in enumerate(cases)), reverse=True)
        again = [(statistics.median(milliseconds(*cases[n]) for _ in range(3)), n) for _, n in timed[:5]]
        longest, n = max(again)
        item, text = cases[n]
        results.append(
            {
                "length": length,
                "texts": len(cases),
                "median_ms": statistics.median(t for t, _ in timed),
                "longest_ms": longest,
                "limit_ms": next(ms for chars, ms in LIMITS_MS.items() if length <= chars),
                "longest": f"{item.kind}: {text[:24]!r} …",
            }
        )
    return results


def table(title: str, tallies: dict[str, Tally]) -> str:
    lines = [f"| {title} | rows | answers | right | missed | wrong | invented |", "|---|---:|---:|---:|---:|---:|---:|"]
    for name, t in tallies.items():
        there = [_share(n, t.answers) for n in (t.right, t.missed)]
        every = [_share(n, t.rows) for n in (t.wrong, t.invented)]
        lines.append(f"| {name} | {t.rows:,} | {t.answers:,} | {' | '.join(there + every)} |")
    return "\n".join(lines)


def _share(n: int, of: int) -> str:
    return f"{100 * n / of:.1f} %" if of else "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=PARTS, action="append", help="part of the corpus (default: all)")
    parser.add_argument("--texts", type=Path, help="folder of gathered texts (default: tests/scoring/corpus/texts)")
    parser.add_argument("--shared", type=Path, help="folder that holds data/reading (default: TOLMAN_SHARED)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument("--phrases", type=int, default=6, help="phrases timed per language file (default 6)")
    parser.add_argument("--seed", type=int, default=0, help="seed that draws the phrases (default 0)")
    parser.add_argument("--no-times", action="store_true", help="leave out the times")
    options = parser.parse_args()
    parts = tuple(options.part or PARTS)
    corpus = load(parts, texts=options.texts, shared=options.shared)
    judged, times = [], []
    for row in corpus.rows:
        item = item_of(row)
        start = time.process_time_ns()
        reading = read_careful(item, row.output)
        times.append((time.process_time_ns() - start) / 1e6)
        judged.append(Judged(row, reading, judge(row, reading.value)))
    groups: dict[str, dict[str, Tally]] = {"part": {p: tally([j for j in judged if j.row.part == p]) for p in parts}}
    for part in parts:
        rows = [j for j in judged if j.row.part == part]
        written = [j for j in rows if j.row.written]
        groups[f"{part}: rows"] = grouped(rows, lambda j: "written" if j.row.written else "real")
        groups[f"{part}: kind"] = grouped(rows, lambda j: j.row.kind)
        groups[f"{part}: language of written rows"] = grouped(written, lambda j: j.row.language)
        groups[f"{part}: source of real rows"] = grouped(rows, lambda j: j.row.source)
        halves = grouped(written, lambda j: "held out" if is_held_out(j.row) else "to work on")
        groups[f"{part}: half"] = halves if len(halves) > 1 else {}
        if part != "test":  # what fails there, or is held out, is not looked at
            seen = [j for j in written if not is_held_out(j.row)]
            groups[f"{part}: word of the style, worst first"] = by_style_word(seen)
    groups = {title: tallies for title, tallies in groups.items() if tallies}
    scores = {part: source_scores(j for j in judged if j.row.part == part) for part in parts}
    hostile = [] if options.no_times else hostile_times((*HOSTILE, *phrases(options.phrases, options.seed)))
    cpu = {"responses": len(times), "median_ms": statistics.median(times), "longest_ms": max(times)} if times else {}
    if options.json:
        shown = {title: {name: asdict(t) for name, t in tallies.items()} for title, tallies in groups.items()}
        result = {"absent": corpus.absent, "tallies": shown, "scores": scores, "cpu": cpu, "hostile": hostile}
        print(json.dumps(result, ensure_ascii=False, indent=1))
        return
    if corpus.describe_absent():
        print(f"{corpus.describe_absent()}\n")
    for title, tallies in groups.items():
        print(f"{table(title, tallies)}\n")
    if any(scores.values()):
        print("| part | source | rows | score by readings | score by labels |\n|---|---|---:|---:|---:|")
        for part, found in scores.items():
            for s in found:
                print(f"| {part} | {s['source']} | {s['rows']} | {s['read']:.1%} | {s['labelled']:.1%} |")
        print()
    if options.no_times:
        return
    print("| CPU per response | texts | median | longest | limit | longest text |\n|---|---:|---:|---:|---:|---|")
    if cpu:
        print(f"| the corpus | {len(times):,} | {cpu['median_ms']:.2f} ms | {cpu['longest_ms']:.1f} ms | | |")
    for h in hostile:
        measured = f"{h['texts']:,} | {h['median_ms']:.2f} ms | {h['longest_ms']:.1f} ms | {h['limit_ms']} ms"
        text = h["longest"].replace("|", "\\|").replace("`", "\\`")
        print(f"| hostile, {h['length']:,} characters | {measured} | {text} |")


if __name__ == "__main__":
    main()
