"""pass@k, best-of-k and majority@k: by hand, against all subsets, and from runs."""

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl
import pytest

import tolman
from score_frames import score_frame
from tolman import benchmarks
from tolman.analyze.sample_figures import best_of, majority_of, sample_figures
from tolman.errors import UsageError
from tolman.features.analyses.config import SamplesConfig
from tolman.features.analyses.run_analyses import analyze_samples, samples_to_json
from tolman.items import Item
from tolman.models.model import CallError, Request
from tolman.reports.analysis_results import show_samples
from tolman.responses import FailureKind, Response
from tolman.scoring.aggregate import cells
from tolman.scoring.score_table import Column, Table, pool

TABLE = Table((Column("all", "All", pool()), Column("a", "A", pool("a"))), "all")


@pytest.mark.parametrize(
    ("scores", "k", "expected"),
    [
        ([0, 1, 0, 1, 0], 1, 2 / 5),
        ([0, 1, 0, 1, 0], 2, 7 / 10),  # 1 - C(3, 2) / C(5, 2)
        ([0, 1, 0, 1, 0], 4, 1),
        ([0, 0, 0], 2, 0),
        ([0.5, 0, 1], 2, 2.5 / 3),  # the sets have the maxima 0.5, 1 and 1
        ([0.3, 0.3, 0.3, 0.3], 3, 0.3),
    ],
)
def test_best_of_k_by_hand(scores: list[float], k: int, expected: float) -> None:
    assert best_of(scores, k) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("votes", "scores", "k", "expected"),
    [
        ("AAB", [1, 1, 0], 1, 2 / 3),
        ("AAB", [1, 1, 0], 2, 2 / 3),  # AA is right, and of each of two ties a half
        ("AAB", [1, 1, 0], 3, 1),
        ("ABBCC", [1, 0, 0, 0, 0], 5, 0),
        ("ABC", [1, 0, 0], 3, 1 / 3),
        ("A??", [1, 0, 0], 2, 2 / 3),  # an unread response doesn't outvote a read one
        ("A??", [1, 0, 0], 3, 1),
        ("B??", [0, 1, 0], 2, 1 / 6),  # of both unread ones, their own scores count: 1 and 0
    ],
)
def test_majority_by_hand(votes: str, scores: list[float], k: int, expected: float) -> None:
    read = [None if vote == "?" else vote for vote in votes]
    assert majority_of(read, scores, k) == pytest.approx(expected, abs=1e-15)


def over_all_subsets(votes: Sequence[str | None], scores: Sequence[float], k: int) -> tuple[float, float]:
    """best-of-k and majority@k by enumeration; equal answers have equal scores, and so have unread ones."""
    best, voted = [], []
    for chosen in combinations(range(len(scores)), k):
        best.append(max(scores[i] for i in chosen))
        counts = Counter(votes[i] for i in chosen if votes[i] is not None)
        tied = [vote for vote, count in counts.items() if count == max(counts.values())]
        voted.append(fmean(scores[votes.index(vote)] for vote in tied or [None]))
    return fmean(best), fmean(voted)


def test_both_are_the_mean_over_all_subsets() -> None:
    draw = random.Random(7)
    for _ in range(150):
        n = draw.randint(1, 9)
        value = {vote: draw.choice([0, 0.1, 0.5, 1]) for vote in "ABCDE"} | {None: draw.choice([0, 0.25])}
        votes = [draw.choice([*"ABCDE"[: draw.randint(1, 5)], None]) for _ in range(n)]
        scores = [value[vote] for vote in votes]
        for k in range(1, n + 1):
            best, voted = over_all_subsets(votes, scores, k)
            assert best_of(scores, k) == pytest.approx(best, abs=1e-12)
            assert majority_of(votes, scores, k) == pytest.approx(voted, abs=1e-12)


def test_thousands_of_samples_of_an_item_are_no_trouble() -> None:
    assert best_of([0.0] * 3000 + [1.0], 1500) == pytest.approx(1500 / 3001)
    assert majority_of(["A"] * 1200 + ["B"], [1.0] * 1200 + [0.0], 600) == 1


def samples_of(scores: dict[str, list[float]]) -> pl.DataFrame:
    """Rows of items named TASK-SCENE-NUMBER; a right sample reads A, another one B."""
    rows = [
        (name, repeat, name.split("-")[0], name.split("-")[1], score)
        for name, own in scores.items()
        for repeat, score in enumerate(own)
    ]
    frame = score_frame(rows)
    return frame.with_columns(
        reading=pl.when(pl.col("score") == 1).then(pl.lit("A")).otherwise(pl.lit("B")), state=pl.lit("read")
    )


def test_figures_have_the_interval_of_the_items_values() -> None:
    draw = random.Random(3)
    scores = {f"{'ab'[i % 2]}-s{i // 4}-{i}": [float(draw.random() < 0.4) for _ in range(4)] for i in range(60)}
    rows = samples_of(scores)
    found = sample_figures(rows, TABLE, [1, 2, 4], 4)
    for one in found.sets:
        values = [
            (name, 0, name[0], name.split("-")[1], 1 - comb(own.count(0), one.k) / comb(4, one.k))
            for name, own in scores.items()
        ]
        expected = cells(score_frame(values), TABLE)
        for key in ("all", "a"):
            assert one.passed[key].value == pytest.approx(expected[key].value)
            assert one.passed[key].interval is not None
            assert expected[key].interval is not None
            assert one.passed[key].interval.low == pytest.approx(expected[key].interval.low)
        assert one.best == one.passed
        assert one.guessing["all"].value == pytest.approx(100 * (1 - 0.75**one.k))
        assert one.majority is not None
    first = found.sets[0]
    assert first.majority is not None
    for own in (first.passed, first.majority, cells(rows, TABLE)):
        assert own["all"].value == pytest.approx(found.mean["all"].value)
    assert found.sets[2].passed["all"].n == 60


def test_a_sample_without_a_score_is_no_answer_and_short_items_are_counted() -> None:
    rows = samples_of({"a-1-1": [1, 0, 0], "a-1-2": [0, 1, 1], "a-2-3": [0, 0, 0], "b-3-4": [1, 1, 1]})
    lost = (pl.col("id") == "a-1-1") & (pl.col("repeat") > 0) | (pl.col("id") == "a-2-3")
    rows = rows.with_columns(
        score=pl.when(~lost).then("score"), status=pl.when(lost).then(pl.lit("failed")).otherwise("status")
    ).with_columns(status=pl.when(pl.col("id") == "b-3-4").then(pl.lit("left out")).otherwise("status"))
    rows = rows.with_columns(score=pl.when(pl.col("status") == "scored").then("score"))
    one, two = sample_figures(rows, TABLE, [1, 2], 3).sets
    assert (one.short, one.passed["all"].n, one.passed["all"].unanswered) == (1, 2, 1)
    assert one.passed["all"].value == pytest.approx(100 * (1 + 2 / 3) / 2)
    assert (two.short, two.passed["all"].n) == (2, 1)
    assert two.passed["all"].value == 100
    assert two.majority is not None
    assert two.majority["all"].value == pytest.approx(100 * (1 + 0.5 + 0.5) / 3)
    # Means of the same items: of both at first, then of the one that has two samples.
    assert (one.mean["all"].n, two.mean["all"].n) == (2, 1)
    assert one.mean["all"].value == pytest.approx(100 * (1 + 2 / 3) / 2)
    assert two.mean["all"].value == pytest.approx(100 * 2 / 3)


def test_partial_credit_counts_as_right_from_the_users_score_and_best_keeps_it() -> None:
    rows = samples_of({"a-1-1": [0.4, 0.6], "a-2-2": [0.2, 0.9]})
    (half,) = sample_figures(rows, TABLE, [2], 2).sets
    (high,) = sample_figures(rows, TABLE, [2], 2, right_from=0.8).sets
    assert (half.passed["all"].value, high.passed["all"].value) == (100, 50)
    assert half.best["all"].value == high.best["all"].value == pytest.approx(75)


def test_guesses_are_at_zero_when_adjusted_for_their_chance() -> None:
    table = Table((Column("all", "All", pool(metric="chance-adjusted")),), "all")
    rows = samples_of({f"a-{i}-{i}": [float(i % 4 == 0)] * 3 for i in range(16)})
    for one in sample_figures(rows, table, [1, 3], 3).sets:
        chance = 1 - 0.75**one.k
        assert one.guessing["all"].value == pytest.approx(0, abs=1e-9)
        assert one.passed["all"].value == pytest.approx(100 * (0.25 - chance) / (1 - chance))
        assert one.majority is not None
        assert one.majority["all"].value == pytest.approx(0, abs=1e-9)


class Sampled:
    """A model that answers sample by sample as it is written: '!' is a failed call."""

    name, settings, remote, concurrency = "sampled/model", {"version": 1}, False, 1

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers

    async def answer(self, request: Request) -> Response:
        text = self.answers[request.item.id][request.repeat]
        if text == "!":
            raise CallError(FailureKind.SERVER, "down", retry=False)
        return Response(id=request.item.id, response={"?": "Hard to say."}.get(text, text), repeat=request.repeat)

    async def close(self) -> None:
        pass


def run_of(items: list[Item], answers: dict[str, str], out: Path) -> Path:
    tolman.evaluate(items, Sampled(answers), samples=len(next(iter(answers.values()))), out=out)
    return out


def test_a_run_from_its_folder(tmp_path: Path, choice: Callable[..., Item]) -> None:
    items = [choice(id=name, scene=name) for name in "xyz"]
    run = run_of(items, {"x": "AAB", "y": "A??", "z": "BA!"}, tmp_path / "run")
    result = analyze_samples(SamplesConfig(runs=(run,), scorer="careful"))
    (found,) = result.runs.values()
    assert [one.k for one in found.sets] == [1, 2, 3]
    key = result.columns[0].key
    assert found.sets[1].passed[key].value == pytest.approx(100 * (1 + 2 / 3 + 1) / 3)
    majority = [one.majority[key] for one in found.sets if one.majority is not None]
    assert majority[1].value == pytest.approx(100 * (2 / 3 + 2 / 3 + 1 / 2) / 3)
    assert (majority[2].value, majority[2].n, found.sets[2].short) == (100, 2, 1)
    shown = show_samples(result)
    assert "1 item has fewer than 3 answered samples, so no figure of 3." in str(shown[0])
    assert json.loads(json.dumps(samples_to_json(result)))["runs"]
    (only,) = analyze_samples(SamplesConfig(runs=(run,), k=(2,), scorer="careful")).runs.values()
    assert [one.k for one in only.sets] == [2]


def test_questions_that_count_as_one_have_no_vote(tmp_path: Path, choice: Callable[..., Item]) -> None:
    items = [choice(id=name, all_of="pair") for name in "xy"]
    run = run_of(items, {"x": "AAB", "y": "ABA"}, tmp_path / "run")
    result = analyze_samples(SamplesConfig(runs=(run,), k=(1, 2), scorer="careful"))
    (found,) = result.runs.values()
    key = result.columns[0].key
    assert [one.passed[key].value for one in found.sets] == [pytest.approx(100 / 3), pytest.approx(200 / 3)]
    assert all(one.majority is None for one in found.sets)
    assert "There is no majority@k: several questions count as one." in show_samples(result)


def test_too_few_samples_are_one_sentence(tmp_path: Path, choice: Callable[..., Item]) -> None:
    run = run_of([choice(id="x")], {"x": "A"}, tmp_path / "one")
    with pytest.raises(UsageError, match=r"has 1 sample of each item, not 2; run it with --samples 2 or more\."):
        analyze_samples(SamplesConfig(runs=(run,)))
    run = run_of([choice(id="x")], {"x": "AB"}, tmp_path / "two")
    with pytest.raises(UsageError, match=r"has 2 samples .*, not 5; .* or give a smaller --k\."):
        analyze_samples(SamplesConfig(runs=(run,), k=(1, 5)))


def test_a_headline_that_is_no_mean_of_scores_is_refused(
    tmp_path: Path, choice: Callable[..., Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of([choice(id="x")], {"x": "AB"}, tmp_path / "run")
    real: Any = benchmarks.get(json.loads((run / "run.json").read_text())["settings"]["benchmark"])
    other = Table((Column("m", "M", pool(metric="f1")),), "m")
    monkeypatch.setattr(type(real), "table_of", lambda self, name: other)
    with pytest.raises(UsageError, match=r"no mean of scores, so sets of samples have none; give another --scorer\."):
        analyze_samples(SamplesConfig(runs=(run,), scorer="careful"))
