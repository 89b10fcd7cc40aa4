"""What came of people's work as functions: the same as the commands, without a terminal."""

import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the web application needs the extra 'review'")

from folders import contents
from reviewing import TRUTHS, Served, answer_all, items, make_benchmark, review, serving, settings_of
from tolman.errors import UsageError
from tolman.features.review.compute import export_review_runs, export_reviewed, review_settings, serve_review
from tolman.features.review.config import ReviewConfig
from tolman.item_table import write_items
from tolman.review.projects.study_projects import check_store
from tolman.review.site import open_site


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


def test_the_reviewed_benchmark_has_all_its_media_and_no_password(
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
    url = f"sqlite:///{tmp_path / 'store' / 'review.sqlite'}"
    assert (tmp_path / "store" / "review.sqlite").exists()
    command("review", tmp_path / "small", "--store", "store", "--database", url, "--export", "three")
    assert "sqlite" not in (tmp_path / "three" / "tolman.toml").read_text()
    (tmp_path / "small" / "videos" / "left.mp4").unlink()
    with pytest.raises(
        UsageError, match=r"1 of 4 media files of the exported questions is not there, the first videos/left.mp4"
    ):
        export_reviewed(replace(config, export=tmp_path / "four"))
    assert not (tmp_path / "four").exists()


def test_settings_that_do_not_go_together(tmp_path: Path) -> None:
    plain = ReviewConfig(benchmark=str(make_benchmark(tmp_path / "small")), store=tmp_path / "store")
    for changes, said in (
        ({"runs": tmp_path, "export": tmp_path}, "--runs and --export write different things"),
        ({"uploads": 5}, "--uploads needs the pool"),
        ({"base_url": "ftp://x"}, "--base-url takes http://NAME"),
    ):
        with pytest.raises(UsageError, match=said):
            serve_review(replace(plain, **changes))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no work is stored here yet"):
        export_reviewed(replace(plain, export=tmp_path / "out"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} of 127.0.0.1 can't be listened on"):
            serve_review(replace(plain, port=port))


def test_a_store_of_another_benchmark_is_refused(served: Served, tmp_path: Path, quiet: Callable[[], None]) -> None:
    review(served.person("reviewer", "Ann"), served.project("review", people=1))
    quiet()
    own = items()
    for name, questions in (
        ("other", [item.model_copy(update={"question": f"{item.question} Now?"}) for item in own]),
        ("fewer", own[1:]),
    ):
        write_items(make_benchmark(tmp_path / name) / "items.parquet", questions)
    config = ReviewConfig(benchmark=str(tmp_path / "other"), store=tmp_path / "store", export=tmp_path / "out")
    with pytest.raises(UsageError, match="belongs to another benchmark: none of its questions is in"):
        export_reviewed(config)
    with pytest.raises(UsageError, match="belongs to another benchmark"):
        serve_review(config)
    assert not (tmp_path / "out").exists()
    site = open_site(review_settings(replace(config, benchmark=str(tmp_path / "fewer"))))
    (sentence,) = check_store(site)
    site.database.close()
    assert sentence.startswith("1 of the 6 questions in ")


def test_media_that_changed_since_people_answered_are_named(
    served: Served, tmp_path: Path, quiet: Callable[[], None]
) -> None:
    config = ReviewConfig(benchmark=str(tmp_path / "small"), store=tmp_path / "store", export=tmp_path / "out")

    def opened() -> list[str]:
        site = open_site(review_settings(config))
        try:
            return check_store(site)
        finally:
            site.database.close()

    images, videos = tmp_path / "small" / "images", tmp_path / "small" / "videos"
    (images / "b.png").write_bytes((images / "a.jpg").read_bytes())
    assert opened() == []
    (images / "b.png").write_bytes(b"another")  # which nobody has answered about yet
    assert opened() == []
    review(served.person("reviewer", "Ann"), served.project("review", people=1))
    quiet()
    assert opened() == []
    (images / "b.png").write_bytes(b"a third")
    (sentence,) = opened()
    assert sentence.startswith("1 of 4 media files of ")
    assert "the first images/b.png: put the former files back" in sentence
    assert opened() == [sentence]
    for file in (*images.iterdir(), *videos.iterdir()):
        file.write_bytes(b"other pictures")
    with pytest.raises(UsageError, match=r"4 of 4 media files of .*small aren't those that people saw in .*--store"):
        export_reviewed(config)
