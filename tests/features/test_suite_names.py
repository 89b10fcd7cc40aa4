"""Suites that come with Tolman: what they hold, how they are listed, and what they do without some of their data."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import released_rows
from runs.letters import bench
from tolman import benchmarks
from tolman.cli import app
from tolman.errors import UsageError
from tolman.features.run import config as run_config
from tolman.features.run.config import RunConfig, benchmarks_and_suites, is_suite, named_suite, suite_path
from tolman.features.run.estimate import estimate
from tolman.features.run.suite import report_suite, run_suite
from tolman.features.run.suite_file import board_of, copy_suite, read_suite
from tolman.runs.run_items import preset_of, subset_of

EIGHT = ["vsi-bench", "mmsi-bench", "mindcube", "viewspatial", "site", "blink", "3dsrbench", "embspatial"]


@pytest.fixture
def hubless(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No hub can be reached, and its cache is empty."""
    from tolman.benchmarks import hub

    monkeypatch.setattr(hub, "find_listing", lambda *asked: None)
    monkeypatch.setattr(hub, "hub_cache", lambda: tmp_path / "hub")


def test_easi_8_is_its_eight_benchmarks_with_one_model() -> None:
    configs = read_suite(suite_path("easi-8"), {"model": "openai/m", "limit": 3})
    assert [one.benchmark for one in configs] == EIGHT
    assert {(one.model, one.limit) for one in configs} == {("openai/m", 3)}
    assert configs[0].out == Path("runs/easi-8/vsi-bench/openai-m-direct")
    assert [one.subset for one in configs if one.subset] == ["tiny", "vanilla"]
    with pytest.raises(UsageError, match="easi-8 is for any model; name yours with --model"):
        read_suite(suite_path("easi-8"))


@pytest.mark.full
@pytest.mark.parametrize("name", run_config.suite_names())
def test_every_suite_names_benchmarks_subsets_and_presets_that_there_are(name: str) -> None:
    for one in read_suite(suite_path(name), {"model": "openai/m"}):
        benchmark = benchmarks.get(one.benchmark)
        assert preset_of(benchmark, one.preset, subset_of(benchmark, one.subset))
    assert named_suite(name).about
    assert is_suite(name)
    assert not is_suite(f"./{name}")


@pytest.mark.full
def test_suites_are_listed_printed_and_offered_to_shells() -> None:
    help_text = RunConfig.__annotations__["benchmark"]
    assert all(name in help_text for name in run_config.suite_names())
    assert {"easi-8", "vsi-bench"} <= set(benchmarks_and_suites())
    listed = CliRunner().invoke(app, ["benchmarks"]).output
    assert all(name in listed for name in run_config.suite_names())
    printed = CliRunner().invoke(app, ["benchmarks", "easi-8"]).output
    assert printed == suite_path("easi-8").read_text(encoding="utf-8")


def test_a_copy_of_a_suite_is_a_suite_and_says_with_what_it_was_carried_out(tmp_path: Path) -> None:
    given = {"model": "openai/m", "frames": (8,), "store": "postgresql://user:secret@host/db", "data": Path("d")}
    copy_suite(suite_path("easi-8"), tmp_path, given)
    text = (tmp_path / "easi-8.toml").read_text()
    assert text.startswith("# Carried out with:\n")
    assert '# model = "openai/m"\n' in text
    assert "secret" not in text
    assert len(read_suite(tmp_path / "easi-8.toml", {"model": "openai/m"})) == 8


@pytest.mark.full
@pytest.mark.usefixtures("hubless")
def test_missing_data_ends_no_other_run_and_are_named_with_the_command(tmp_path: Path) -> None:
    bench(tmp_path / "a", 4)
    path = tmp_path / "mine.toml"
    path.write_text(f'about = "two"\nbenchmark = ["{tmp_path}/a/", "mmsi-bench", "site"]\n')
    given = {"model": "baseline/best-constant", "out": str(tmp_path / "out"), "protocol": "blind"}
    configs = read_suite(path, given)
    result = run_suite(configs)
    assert [run.record.settings.model for run in result.runs] == ["baseline/best-constant"]
    assert len(result.failed) == 2
    assert "INCOMPLETE: the data set RunsenXu/MMSI-Bench can't be fetched" in result.failed[0]
    assert result.failed[0].endswith("To fetch it: 'tolman fetch mmsi-bench'.")
    report = report_suite(result)
    (cells,) = report.matrix.rows.values()
    assert [cell.value for cell in cells if cell][1:] == ["INCOMPLETE", "INCOMPLETE"]
    assert [title for title, _ in report.matrix.columns[1:]] == ["MMSI-Bench · full", "SITE · full"]
    page = report.page.read_text(encoding="utf-8")
    assert "tolman fetch site" in page
    assert page.count("<td>INCOMPLETE") == 2
    lacking: list[str] = []
    assert [one.items for one in estimate(configs, lacking.append)] == [4]
    assert len(lacking) == 2
    with pytest.raises(UsageError, match="tolman fetch mmsi-bench"):
        estimate(configs)


@pytest.mark.full
def test_easis_own_headlines_stand_beside_tolmans(tmp_path: Path) -> None:
    """BLINK's headline is the mean over tasks, EASI's is pooled over questions."""
    (tmp_path / "blink").mkdir()
    released_rows.blink(tmp_path / "blink")
    path = tmp_path / "mine.toml"
    path.write_text(f'board = "easi"\n[[benchmark]]\nbenchmark = "blink"\ndata = "{tmp_path}/blink"\n')
    given = {"model": "baseline/best-constant", "out": str(tmp_path / "out"), "protocol": "blind"}
    report = report_suite(run_suite(read_suite(path, given)), board_of(path))
    (matrix,) = report.boards.values()
    assert matrix.columns == [("blink", "EASI")]
    ((name, (cell,)),) = matrix.rows.items()
    assert name == "baseline/best-constant"
    assert cell is not None
    assert (cell.value, cell.interval) == ("60.0", "INCOMPLETE")  # 3 of 5 are B; of 1,901 questions there are 5
    page = report.page.read_text(encoding="utf-8")
    assert "<h2>EASI&#39;s figures" in page
    path.write_text(path.read_text().replace('"easi"', '"esai"'))
    with pytest.raises(UsageError, match=r"mine.toml: there is no board 'esai'; did you mean 'easi'\?"):
        board_of(path)
