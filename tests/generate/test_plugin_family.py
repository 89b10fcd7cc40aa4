"""A family that is one local file, as the page on adding one has it: generated, run, audited, and named in errors."""

import json
import re
import subprocess
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

import terminal
from three_rooms import ROOMS
from tolman.benchmarks.benchmark_folder import open_folder
from tolman.items import Item

PAGE = Path(__file__).parents[2] / "docs" / "extend" / "family.md"


def tolman(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return terminal.tolman(place, *arguments, COLUMNS="200")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page's family and the rooms that ship with the package."""
    folder = tmp_path_factory.mktemp("plugin")
    source = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    assert len(source.splitlines()) < 60
    (folder / "my_family.py").write_text(source, encoding="utf-8")
    (folder / "SCENES").symlink_to(ROOMS)
    return folder


def commands() -> list[list[str]]:
    """Those of the page's block that uses the file."""
    (block,) = [
        b
        for b in re.findall(r"```\n(tolman .*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
        if "my_family.py" in b
    ]
    return [line.split()[1:] for line in block.strip().splitlines()]


def items_in(folder: Path) -> list[Item]:
    return open_folder(folder).load(folder, "all")


@pytest.mark.parametrize(
    "name",
    [
        "family.Family",
        "family.FamilySettings",
        "family.TaxonomyPlace",
        "family.Recomputed",
        "scene_geometry.SceneGeometry",
    ],
)
def test_pages_name_these_classes_in_the_generator(name: str) -> None:
    module, _, attribute = name.partition(".")
    declared = getattr(import_module(f"tolman.generate.{module}"), attribute)
    assert declared.__module__.startswith("tolman.ground_truth.")


def test_the_page_generates_runs_and_audits(place: Path) -> None:
    generate, run, audit = commands()
    made = tolman(place, *generate)
    assert made.returncode == 0, made.stderr
    items = items_in(place / "heights")
    assert len(items) > 20
    assert {item.labels["family"] for item in items} == {"my/object-height"}
    assert {item.labels["site_category"] for item in items} == {"3d information understanding"}
    assert all(item.float_answer == round(100 * item.evidence["height"]) for item in items)
    written = json.loads((place / "heights" / "provenance.json").read_text())["preset"]
    assert written["families"] == ["my/object-height"]
    assert written["settings"] == {"my/object-height": {"least": 0.3}}
    ran = tolman(place, *run)
    assert ran.returncode == 0, ran.stderr
    audited = tolman(place, *audit)
    assert audited.returncode == 0, audited.stderr
    (row,) = json.loads((place / "heights-audit" / "summary.json").read_text())["tasks"]
    assert (row["items"], row["checked"], row["agree"], row["in_doubt"]) == (len(items),) * 3 + (0,)


def test_the_oracle_answers_a_plugins_questions(place: Path) -> None:
    if not (place / "heights").exists():
        assert tolman(place, *commands()[0]).returncode == 0
    asked = "run ./heights --model baseline/oracle --scenes SCENES --plugin my_family.py --json --out oracle"
    ran = tolman(place, *asked.split())
    assert ran.returncode == 0, ran.stderr
    figures = json.loads(ran.stdout)["rows"][0]["figures"]
    assert {figure["value"] for figure in figures.values()} == {100}


@pytest.mark.full
def test_all_has_a_plugins_families_and_other_presets_need_not(place: Path) -> None:
    every = tolman(place, "generate", "SCENES", "--preset", "all", "--per-scene", "2", "--filter-rounds", "0",
                   "--plugin", "my_family.py", "--out", "every")  # fmt: skip
    assert every.returncode == 0, every.stderr
    found = {item.labels["family"] for item in items_in(place / "every")}
    assert {"my/object-height", "vsi-bench/counting"} <= found
    assert any(name.startswith("spatialbench/") for name in found)
    mixed = tolman(place, "generate", "SCENES", "--preset", "vsi-paper", "--families", "counting,object-height",
                   "--plugin", "my_family.py", "--out", "mixed")  # fmt: skip
    assert mixed.returncode == 0, mixed.stderr
    assert {item.task for item in items_in(place / "mixed")} == {"object_counting", "object_height"}
    assert "like" not in json.loads((place / "mixed" / "benchmark.json").read_text())


def test_without_the_file_the_family_is_missed_by_name(place: Path) -> None:
    lost = tolman(place, "generate", "SCENES", "--preset", "all", "--families", "my/object-height", "--out", "lost")
    assert lost.returncode == 2
    assert "there is no question family 'my/object-height'" in lost.stderr
    assert "--plugin" in lost.stderr
    if not (place / "heights").exists():
        assert tolman(place, *commands()[0]).returncode == 0
    audited = tolman(place, "audit", "./heights", "--scenes", "SCENES", "--out", "lost-audit")
    assert audited.returncode == 2
    assert "the family 'my/object-height' is not there: give the file that declares it with --plugin" in audited.stderr


def test_a_faulty_declaration_names_file_and_fault(place: Path) -> None:
    good = (place / "my_family.py").read_text()
    (place / "bad_family.py").write_text(good.replace('"my/object-height"', '"height"'))
    done = tolman(place, "generate", "SCENES", "--plugin", "bad_family.py", "--out", "bad")
    assert done.returncode == 2
    assert "bad_family.py" in done.stderr
    assert "'height' is no name of a family" in done.stderr
