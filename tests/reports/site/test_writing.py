"""A site's folder."""

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from explorers import HOSTILE, REASONED, answers_of, small_runs, value
from tolman.errors import UsageError
from tolman.features.report.compute import report
from tolman.features.report.config import ReportConfig

pytest.importorskip("av", reason="videos need the extra 'media'")
STATIC = Path(__file__).resolve().parents[3] / "src" / "tolman" / "reports" / "site" / "static"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs on six questions."""
    return small_runs(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def site(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Their site, without media."""
    out = tmp_path_factory.mktemp("site") / "site"
    report(ReportConfig(runs=tuple(runs), out=out, redact=True))
    return out


@pytest.mark.full
def test_the_index_has_what_the_runs_scores_have(site: Path, runs: list[Path]) -> None:
    index = value(site, "s0-index")
    assert index["ids"] == ["count", "size", "order", "which", "pair", "script"]
    for run, column in zip(runs, index["runs"], strict=True):
        scores = pl.read_parquet(run / "scores.parquet").filter(pl.col("rule_set") == column["scorers"][0])
        stored = dict(scores.select("id", "score").iter_rows())
        shown = dict(zip(index["ids"], column["scores"][0], strict=True))
        assert shown == {one: -1 if score is None else round(1000 * score) for one, score in stored.items()}
    assert index["runs"][0]["states"] == "rrrrrr"
    assert index["runs"][1]["states"][5] == "f"
    assert set(index["runs"][1]["states"][:5]) <= set("rnc")
    assert index["runs"][0]["tokens"] == [40] * 6


@pytest.mark.full
def test_answers_read_are_comparable_with_the_true_ones(site: Path) -> None:
    read = value(site, "s0-readings")
    assert read["numbers"] == [1, 1, 0, 0, 0, 0]
    assert read["truth"][2:4] == ["the sofa", "left"]
    good, bad = read["runs"]
    assert good[:4] == read["truth"][:4]
    assert bad[2] == "the door"
    assert bad[5] == ""


@pytest.mark.full
def test_caveats_are_those_of_the_run(site: Path) -> None:
    good, bad = value(site, "s0-board")["doubts"]
    assert not any(text.startswith(("INCOMPLETE", "†")) for text in good)
    assert any(text.startswith("INCOMPLETE: bad: 1 failed of 6 items") for text in bad)
    assert any(text.startswith("† bad, careful") for text in bad)


@pytest.mark.full
def test_answers_are_in_the_order_of_the_items(site: Path) -> None:
    heads, texts = answers_of(site, "s0-run0-0")
    assert [head["texts"] for head in heads][:3] == [
        ["response"], ["response"], ["response", "asked: reasoning", "turn: reasoning", "asked: answer", "turn: answer"]
    ]  # fmt: skip
    assert texts[:3] == [REASONED, "74.5", "B"]
    (start, length, _), *_ = heads[0]["marks"]
    assert REASONED[start:][:length] == "3"
    bad, said = answers_of(site, "s0-run1-0")
    assert said[1] == HOSTILE
    assert bad[5]["failure"] == f"timeout: {HOSTILE}"
    assert bad[5].get("texts", []) == []


@pytest.mark.full
def test_redacted_media_are_named_and_not_there(site: Path) -> None:
    assert not (site / "media").exists()
    assert {one["problem"] for one in value(site, "s0-media-0")} == {"left out with --redact"}
    (remark,) = value(site, "site")["remarks"]
    assert remark == "A small benchmark · all: 4 of 4 videos and pictures aren't shown: left out with --redact"


@pytest.mark.full
def test_a_site_takes_the_place_of_a_site_and_of_nothing_else(site: Path, runs: list[Path], tmp_path: Path) -> None:
    (site / "media").mkdir()
    report(ReportConfig(runs=(runs[0],), out=site, redact=True))
    assert not (site / "media").exists()
    assert len(value(site, "s0-index")["runs"]) == 1
    report(ReportConfig(runs=tuple(runs), out=site, redact=True))
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match="holds files that aren't a report's site"):
        report(ReportConfig(runs=tuple(runs), out=tmp_path))
    assert (tmp_path / "thesis.tex").exists()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"videos": True}, "--videos belongs to a site"),
        ({"redact": True, "out": Path("a.md")}, "--redact belongs to a site"),
        ({"format": "site"}, "a site is a folder; name it with --out"),
        ({"out": Path("site"), "redact": True, "videos": True}, "--redact leaves all media out"),
    ],
)
def test_options_that_make_no_sense_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=re.escape(sentence)):
        report(ReportConfig(runs=(Path("none"),), **settings))


def test_the_application_makes_no_markup_of_texts_and_names_no_other_place() -> None:
    for path in STATIC.iterdir():
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".js":
            assert not re.search(
                r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|fetch\(", text
            )
            assert not re.search(r"//(?!\s)[a-z]+\.", text.replace("http://www.w3.org/2000/svg", ""))
        if path.suffix == ".html":
            assert "script-src 'self'; style-src 'self'" in text
            assert not re.search(r"<script(?![^>]*src=)[^>]*>|style=| on\w+=|https?:", text)
