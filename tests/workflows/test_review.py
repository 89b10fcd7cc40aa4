"""What came of people's work as functions: the same as the commands, without a terminal."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the web application needs the extra 'review'")

from folders import contents
from reviewing import TRUTHS, Served, answer_all, make_benchmark, review, serving, settings_of
from tolman.errors import UsageError
from tolman.workflows.review import ReviewConfig, serve_review
from tolman.workflows.review_writing import export_review_runs, export_reviewed


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A server for a small benchmark; its work is kept in the test's folder."""
    settings, clock = settings_of(make_benchmark(tmp_path / "small"), tmp_path / "store", None)
    with serving(settings, clock) as running:
        yield running


def test_answers_as_runs(
    served: Served, tmp_path: Path, command: Callable[..., Any], quiet: Callable[[], None]
) -> None:
    answer_all(served.person("subject", "Sam"), served.project("answer"), TRUTHS)
    quiet()
    config = ReviewConfig(benchmark=str(tmp_path / "small"), store=tmp_path / "store", runs=tmp_path / "one")
    result = export_review_runs(config)
    quiet()
    assert [folder.path for folder in result.folders] == [tmp_path / "one" / "Sam"]
    done = command("review", tmp_path / "small", "--store", "store", "--runs", "two")
    assert "human/Sam" in done.stdout
    same = {"responses.jsonl", "items.parquet", "scores.parquet"}
    one, two = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert all(one[f"Sam/{name}"] == two[f"Sam/{name}"] for name in same)
    assert 'runs = "two"' in (tmp_path / "two" / "tolman.toml").read_text()


def test_the_reviewed_benchmark(
    served: Served, tmp_path: Path, command: Callable[..., Any], quiet: Callable[[], None]
) -> None:
    review(served.person("reviewer", "Ann"), served.project("review", people=1))
    quiet()
    config = ReviewConfig(benchmark=str(tmp_path / "small"), store=tmp_path / "store", export=tmp_path / "one")
    result = export_reviewed(config)
    quiet()
    assert (result.published.items, result.published.verdicts) == (6, {"approve": 6})
    done = command("review", tmp_path / "small", "--store", "store", "--export", "two")
    assert "6 questions, version 2: two (6 approve)." in done.stdout
    items = [name for name in contents(tmp_path / "one") if name.endswith(".parquet")]
    assert items
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes() for name in items)


def test_a_password_is_never_written(served: Served, tmp_path: Path, command: Callable[..., Any]) -> None:
    review(served.person("reviewer", "Ann"), served.project("review", people=1))
    url = f"sqlite:///{tmp_path / 'store' / 'review.sqlite'}"
    assert (tmp_path / "store" / "review.sqlite").exists()
    command("review", tmp_path / "small", "--store", "store", "--database", url, "--export", "out")
    assert "sqlite" not in (tmp_path / "out" / "tolman.toml").read_text()


def test_settings_that_do_not_go_together(tmp_path: Path) -> None:
    plain = ReviewConfig(benchmark=str(make_benchmark(tmp_path / "small")), store=tmp_path / "store")
    for changes, said in (
        ({"runs": tmp_path, "export": tmp_path}, "--runs and --export write different things"),
        ({"uploads": 5}, "--uploads needs the pool"),
        ({"base_url": "ftp://x"}, "--base-url takes http://NAME"),
    ):
        with pytest.raises(UsageError, match=said):
            serve_review(replace(plain, **changes))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="nobody has worked here yet"):
        export_reviewed(replace(plain, export=tmp_path / "out"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} of 127.0.0.1 can't be listened on"):
            serve_review(replace(plain, port=port))
