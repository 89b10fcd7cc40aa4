"""What happens where a package of an extra is missing: one sentence with the command that installs it."""

import sys
from pathlib import Path

import pytest

import bare
import terminal
from tolman import extras
from tolman.errors import MissingExtraError
from tolman.extras import declared, needs, package_of, told

EXTRACT = bare.ROOT / "tests" / "extracts" / "vsi_bench_extract.jsonl"
VSI = ("vsi-bench", "--data", str(EXTRACT))
SHOWN = ("run", "./bench", "--base-url", "http://127.0.0.1:9", "--out", "run", "--model")

MISSING = {
    "generate": ("generate", "rooms", "--out", "new", "--preset", "vsi-paper"),
    "oracle": ("run", "./made", "--model", "baseline/oracle", "--scenes", "rooms", "--out", "oracle"),
    "detect": ("run", "./made", "--model", "baseline/detector", "--out", "detector"),
    "audit": ("audit", "./made", "--scenes", "rooms"),
    "simulate": ("simulate", "--scenes", "1", "--out", "worlds"),
    "video": (*SHOWN, "openai/m"),
    "hf": (*SHOWN, "hf/m"),
    "gemini": (*SHOWN, "gemini/m"),
    "anthropic": (*SHOWN, "anthropic/m"),
    "correspondence": (*SHOWN, "openai/m", "--protocol", "correspondence"),
    "excel": ("score", "answers.xlsx", "--benchmark", *VSI),
    "pool": ("ingest", "media", "bench/images", "--out", "pool"),
    "scan": ("ingest", "generic", "scans", "--out", "scenes"),
    "cloud": ("measure", "cloud.pcd", "size", "--box", "0,0,0,1,1,1"),
    "serve": ("review", "./bench", "--port", "0"),
    "export": ("review", "./bench", "--export", "new"),
    "duplicates": ("curate", "duplicates", "./bench"),
    "bias": ("analyze", "bias", *VSI),
    "weights": ("analyze", "weights", "--published", "spatialbench", "--counts", "318,527,291,98,113"),
}
"""Commands that need more than the core."""

NAMED = {
    "video": "media", "correspondence": "media", "simulate": "worlds", "hf": "local", "gemini": "providers",
    "anthropic": "providers", "serve": "review", "export": "review", "excel": "analyze", "bias": "analyze",
    "weights": "analyze",
}  # fmt: skip
"""Their extras, where these aren't `build`."""

WORKING = (
    ("run", *VSI, "--protocol", "blind", "--model", "baseline/best-constant", "--out", "constant"),
    ("run", *VSI, "--protocol", "blind", "--model", "baseline/random", "--out", "random"),
    ("score", "constant"),
    ("compare", "constant", "random"),
    ("report", "constant", "--format", "markdown"),
    ("report", "constant", "--out", "table.html"),
    ("benchmarks", "vsi-bench"),
    ("protocols",),
    ("scenes", "rooms", "--out", "scenes.html"),
    ("analyze", "deltas", "constant"),
    ("analyze", "diversity", *VSI),
    ("doctor", "--json"),
)
"""Commands that need no extra."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the commands take."""
    pytest.importorskip("av", reason="the benchmark's media need the extra 'media'")
    pytest.importorskip("laspy", reason="a cloud needs the extra 'build'")
    from materials import make_materials

    folder = make_materials(tmp_path_factory.mktemp("bare") / "place")
    made = terminal.tolman(folder, "generate", "rooms", "--out", "made", "--per-scene", "2", "--filter-rounds", "0")
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture(scope="module")
def core(place: Path) -> bare.Environment:
    """The core and nothing else."""
    return bare.environment(place / "core")


@pytest.fixture(scope="module")
def refused(core: bare.Environment, place: Path) -> dict[str, bare.Done]:
    keys = {"OPENAI_API_KEY": "k", "GEMINI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    return dict(zip(MISSING, core.run(place, *MISSING.values(), **keys), strict=True))


@pytest.mark.full
@pytest.mark.parametrize("name", MISSING)
def test_without_its_extra_a_command_ends_with_a_sentence_that_names_it(
    refused: dict[str, bare.Done], name: str
) -> None:
    done = refused[name]
    assert done.code == 2, done.error or done.out
    assert f"pip install 'tolman[{NAMED.get(name, 'build')}]'." in done.error
    assert done.error.count("\n") == 1
    assert "Traceback" not in done.error


@pytest.mark.full
def test_the_core_runs_scores_and_reports(core: bare.Environment, place: Path) -> None:
    for command, done in zip(WORKING, core.run(place, *WORKING), strict=True):
        assert done.code == 0, f"{command}: {done.error}"
    left_out = "Drawing figures needs the package &#39;matplotlib&#39;: pip install &#39;tolman[analyze]&#39;."
    for page in ("table.html", "constant/report.html"):
        text = (place / page).read_text(encoding="utf-8")
        assert '<figure class="light"><svg' in text  # which needs no package
    text = (place / "scenes.html").read_text(encoding="utf-8")
    assert text.count(f"Floor plans are left out. {left_out}") == 1
    assert "6-0000" in text


def test_an_extra_brings_those_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        "numpy>=1",
        "tolman[build]; extra == 'worlds'",
        "trimesh; extra == 'worlds'",
        "av>=13; extra == 'media'",
        "Tolman[media]; extra == 'build'",
        "shapely[x]>=2; extra == 'build'",
        "tolman[build,media]; extra == 'all'",
    ]
    monkeypatch.setattr("importlib.metadata.requires", lambda name: lines)
    declared.cache_clear()
    try:
        assert declared() == {
            "worlds": ("trimesh", "shapely", "av"), "media": ("av",), "build": ("shapely", "av"), "all": ("shapely", "av")
        }  # fmt: skip
        assert extras.extras_with("av") == ["media", "build", "worlds"]
        assert extras.extra_on(["tolman.cli", "tolman.simulate.render"], ["media", "build", "worlds"]) == "worlds"
        assert extras.extra_on(["tolman.cli", "tolman.ground_truth.scene_arrays"], ["analyze", "build"]) == "build"
    finally:
        declared.cache_clear()


def test_every_extra_is_described() -> None:
    text = (bare.ROOT / "docs" / "installing.md").read_text(encoding="utf-8")
    assert [extra for extra in bare.PROJECT["optional-dependencies"] if f"`{extra}`" not in text] == []


def test_the_module_that_is_missing_names_its_package() -> None:
    assert package_of("PIL.Image") == "pillow"
    assert package_of("google.genai.types") == "google-genai"
    assert package_of("starlette") == "fastapi"


def test_every_package_of_an_extra_has_a_module_that_names_it() -> None:
    for extra, packages in declared().items():
        if extra in extras.COLLECTIONS:
            continue
        for package in packages:
            assert package_of(extras.module_of(package)) == package


def test_a_package_that_is_there_and_broken_is_told_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cv2.py").write_text("raise ImportError('libGL.so.1: cannot open shared object file', name='cv2')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "cv2", raising=False)
    with pytest.raises(MissingExtraError) as caught, needs("media", "Matching points"):
        import cv2  # noqa: F401
    assert str(caught.value) == (
        "Matching points needs the package 'opencv-python-headless', which can't be imported here (libGL.so.1: cannot open "
        "shared object file): pip install 'tolman[media]' into a new environment."
    )


def test_what_no_extra_brings_stays_what_it_is() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_package"), told():
        import no_such_package  # noqa: F401


def test_a_module_of_tolmans_own_that_is_missing_is_no_missing_extra() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"tolman\.no_such_module"), needs("media", "This"):
        import tolman.no_such_module  # noqa: F401
