"""Unknown names are answered with the nearest."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest

import terminal
from tolman import benchmarks
from tolman.curate.mapping import open_mapping, open_taxonomy
from tolman.errors import UsageError, hint, nearest, unknown
from tolman.generate import presets
from tolman.geometry.measuring import measure
from tolman.geometry.regions import Region
from tolman.items import Selection
from tolman.models import create
from tolman.models.model import ModelOptions
from tolman.reports.report_content import Report
from tolman.reports.report_pages import render
from tolman.runs.rescore import score_file
from tolman.runs.run_items import load, preset_of
from tolman.simulate.simulated_places import WorldsConfig, place

EXTRACT = Path(__file__).resolve().parent / "extracts" / "vsi_bench_extract.jsonl"
BENCHMARKS = ["mmsi-bench", "site", "spatialbench", "vsi-bench"]
FAMILIES = ["vsi-bench/relative-distance", "vsi-bench/relative-direction", "spatialbench/relative-distance"]


def test_an_unknown_name_is_answered_by_the_nearest_and_by_all() -> None:
    error = unknown("benchmark", "vsi-bnch", BENCHMARKS)
    assert isinstance(error, UsageError)
    assert str(error) == (
        "there is no benchmark 'vsi-bnch'; did you mean 'vsi-bench'? known: mmsi-bench, site, spatialbench, vsi-bench."
    )


def test_where_nothing_is_near_nothing_is_suggested() -> None:
    assert str(unknown("benchmark", "imagenet", BENCHMARKS)) == (
        "there is no benchmark 'imagenet'; known: mmsi-bench, site, spatialbench, vsi-bench."
    )


def test_what_else_may_be_written_ends_the_list() -> None:
    assert str(unknown("taxonomy", "sites", ["site"], other="the path of a .toml file")) == (
        "there is no taxonomy 'sites'; did you mean 'site'? known: site, or the path of a .toml file."
    )


def test_an_empty_list_is_said() -> None:
    assert hint("tiny", []) == "known: none"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("VSI_Bench", ["vsi-bench"]),
        ("vsi", ["vsi-bench"]),
        ("spatial bench", ["spatialbench"]),
        ("mmsi", ["mmsi-bench"]),
        ("si", ["site"]),
        ("xy", []),
        ("", []),
    ],
)
def test_nearest(name: str, found: list[str]) -> None:
    assert nearest(name, BENCHMARKS) == found


def test_what_stands_before_a_slash_may_be_left_out() -> None:
    assert nearest("relative_distance", FAMILIES) == ["vsi-bench/relative-distance", "spatialbench/relative-distance"]
    assert nearest("relative-directon", FAMILIES) == ["vsi-bench/relative-direction"]
    assert nearest("vsi/relative-distance", FAMILIES) == ["vsi-bench/relative-distance"]


def _look_up(call: Callable[[], object]) -> str:
    with pytest.raises((UsageError, ValueError)) as caught:
        call()
    return str(caught.value)


LOOK_UPS: dict[str, tuple[Callable[[], object], str]] = {
    "baseline": (lambda: create("baseline/oracel", ModelOptions()), "oracle"),
    "generation preset": (lambda: presets.preset("vsi-papr"), "vsi-paper"),
    "question family": (lambda: presets.preset("all").choosing(["vsi-bench/object-sise"]), "vsi-bench/object-size"),
    "mapping": (lambda: open_mapping("sed-bench"), "seed-bench"),
    "taxonomy": (lambda: open_taxonomy("sit"), "site"),
    "place": (lambda: place(WorldsConfig(scenes=1), "rectangel", "", ""), "rectangle"),
    "subset": (lambda: load("vsi-bench", EXTRACT, "tinny"), "tiny"),
    "prompt preset": (lambda: preset_of(benchmarks.get("vsi-bench"), "gpt4o"), "gpt-4o"),
    "rule set": (lambda: benchmarks.get("vsi-bench").rule_set("oficial"), "official"),
    "response format": (lambda: score_file(EXTRACT, benchmark="vsi-bench", form="lmmseval", data=EXTRACT), "lmms-eval"),
    "report format": (lambda: render(cast(Report, None), [], "markdwn"), "markdown"),
    "question type": (lambda: Selection(tasks=("object_couting",)).apply(load("vsi-bench", EXTRACT, None).items), "object_counting"),
    "quantity": (lambda: measure(np.zeros((9, 3)), cast(Region, None), "heigth"), "height"),
    "shape": (lambda: measure(np.zeros((9, 3)), cast(Region, None), "size", shape="cilinder"), "cylinder"),
}  # fmt: skip


@pytest.mark.parametrize("what", LOOK_UPS)
def test_every_look_up_names_the_nearest(what: str) -> None:
    call, meant = LOOK_UPS[what]
    sentence = _look_up(call)
    assert f"did you mean '{meant}'" in sentence
    assert "known: " in sentence


def test_commands_and_options_are_suggested_too(tmp_path: Path) -> None:
    done = terminal.tolman(tmp_path, "benchmrks")
    assert done.returncode == 2
    assert "Did you mean 'benchmarks'?" in " ".join(done.stderr.replace("│", " ").split())
    done = terminal.tolman(tmp_path, "run", "vsi-bench", "--modle", "baseline/random")
    assert done.returncode == 2
    assert "--model" in done.stderr
