"""Fresh forms: other questions by the same recipe, as many and as difficult, and the commitment to them."""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from three_rooms import ROOMS, write_nine
from tolman.benchmarks.benchmark_folder import form_differences, form_of, provenance_of
from tolman.errors import InputError, UsageError
from tolman.features.generate.compute import generate
from tolman.features.generate.config import FormConfig, GenerateConfig
from tolman.features.generate.parallel_forms import _Unit, difficulty_of, make_form, match
from tolman.features.scenes.config import SimulateConfig
from tolman.features.scenes.simulation import simulate
from tolman.item_table import data_hash, read_items, write_items
from tolman.items import Item

FAMILIES = ("relative-direction", "absolute-distance")


def items_of(folder: Path) -> list[Item]:
    return [item for path in sorted(folder.glob("data/*.parquet")) for item in read_items(path)]


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of scans, and next to it their scenes."""
    place = tmp_path_factory.mktemp("scanned")
    write_nine(place / "scans")
    shutil.copytree(ROOMS / "videos", place / "scans" / "videos")
    generate(
        GenerateConfig(
            scenes=place / "scans", out=place / "bench", families=FAMILIES, per_scene=2, max_filter_rounds=0, workers=1
        )
    )
    return place / "bench"


@pytest.fixture(scope="module")
def form(scanned: Path) -> Path:
    return make_form(FormConfig(benchmark=scanned, seed=5, out=scanned.parent / "form", workers=1)).out


def test_a_form_of_scans_asks_other_questions_as_many_and_no_more_of_a_scene(scanned: Path, form: Path) -> None:
    public, fresh = items_of(scanned), items_of(form)
    assert Counter(item.task for item in public) == Counter(item.task for item in fresh)
    assert not {item.id for item in public} & {item.id for item in fresh}
    assert not {(item.scene, item.question) for item in public} & {(item.scene, item.question) for item in fresh}
    assert max(Counter((item.task, item.scene) for item in fresh).values()) <= 2
    told = [provenance_of(folder) for folder in (scanned, form)]
    assert told[0]["preset"] == told[1]["preset"]
    assert (told[0]["seed"], told[1]["seed"]) == (0, 5)


def test_a_form_says_that_it_asks_about_the_benchmarks_own_scenes(
    scanned: Path, tmp_path: Path, command: Callable[..., Any]
) -> None:
    said = command("form", scanned, "--seed", 6, "--out", "fresh", "--workers", 1).stdout
    assert "It asks about the benchmark's own scenes" in said
    assert "Publish fresh/commitment.json now" in said
    found = json.loads(command("form", scanned, "--seed", 6, "--out", "fresh", "--workers", 1, "--json").stdout)
    assert found["same_scenes"]
    assert all(row["questions"] == row["wanted"] > 0 for row in found["rows"])


def test_the_same_command_keeps_nonce_and_seed(scanned: Path, form: Path) -> None:
    before = form_of(form), (form / "commitment.json").read_text()
    made = make_form(FormConfig(benchmark=scanned, out=form, workers=1))
    assert made.seed == 5
    assert (form_of(form), (form / "commitment.json").read_text()) == before


def test_another_benchmark_in_the_folder_is_refused_and_kept(scanned: Path, form: Path) -> None:
    for taken in (scanned, form):
        before = {path: path.read_bytes() for path in taken.rglob("*") if path.is_file()}
        with pytest.raises(InputError, match=r"holds another benchmark; give another folder with --out\."):
            make_form(FormConfig(benchmark=scanned, seed=9, out=taken, workers=1))
        assert {path: path.read_bytes() for path in taken.rglob("*") if path.is_file()} == before


def test_a_seed_that_is_not_given_is_drawn(scanned: Path, tmp_path: Path) -> None:
    seeds = {make_form(FormConfig(benchmark=scanned, out=tmp_path / name, workers=1)).seed for name in ("one", "two")}
    assert len(seeds) == 2
    assert min(seeds) > 1000


def test_a_form_is_as_difficult(scanned: Path, form: Path) -> None:
    public, fresh = (
        {
            task: np.sort([difficulty_of(item)[1] for item in items_of(folder) if item.task == task])
            for task in {item.task for item in items_of(folder)}
        }
        for folder in (scanned, form)
    )
    other = scanned.parent / "unmatched"
    generate(
        GenerateConfig(
            scenes=scanned.parent / "scans", out=other, families=FAMILIES, per_scene=2, seed=5, max_filter_rounds=0,
            workers=1,
        )
    )  # fmt: skip
    plain = items_of(other)
    gaps = []
    for task, own in public.items():
        drawn = np.sort([difficulty_of(item)[1] for item in plain if item.task == task])
        size = min(len(own), len(drawn))
        quantiles = (np.arange(size) + 0.5) / size
        one, two, three = (np.quantile(values, quantiles) for values in (own, fresh[task], drawn))
        gaps.append((np.abs(one - two).mean(), np.abs(one - three).mean()))
    assert sum(matched for matched, _ in gaps) < sum(unmatched for _, unmatched in gaps)


def test_matching_takes_the_most_similar_units() -> None:
    def unit(number: int, *margins: float, answer: str = "left") -> _Unit:
        return _Unit((number,), tuple((margin, float("nan"), answer) for margin in margins))

    asked = [unit(0, 10.0), unit(1, 40.0), unit(2, 40.0, answer="right")]
    found = [unit(n, margin, answer=answer) for n, (margin, answer) in enumerate(
        [(90.0, "left"), (11.0, "left"), (41.0, "left"), (42.0, "right"), (200.0, "right"), (43.0, "right")]
    )]  # fmt: skip
    taken = match(asked, found)
    assert taken[:2] == [1, 2] or taken == [0, 1, 3]  # 41 and 90 are both above all that is asked
    assert len([n for n in taken if found[n].features[0][2] == "right"]) == 1
    assert match(asked, found[:2]) == [0, 1]
    rings = [unit(0, 10.0, 50.0), unit(1, 30.0, 31.0)]
    assert match(rings[1:], [rings[0], rings[1]]) == [1]


def test_a_commitment_names_the_part_that_differs(scanned: Path, form: Path, tmp_path: Path) -> None:
    committed = form / "commitment.json"
    said = json.loads(committed.read_text())
    assert said["questions"] == dict(sorted(Counter(item.task for item in items_of(form)).items()))
    assert said["benchmark"] == data_hash(items_of(scanned))
    assert form_of(form)["nonce"] not in committed.read_text()
    assert form_differences(form, committed) == []

    def changed(name: str, **fields: Any) -> list[str]:
        copy = tmp_path / name
        shutil.copytree(form, copy)
        told = form_of(copy) | fields
        (copy / "form.json").write_text(json.dumps(told))
        return form_differences(copy, committed)

    assert changed("seed", seed=6) == [
        "form.json: its 'seed' isn't the committed one.", "provenance.json: its seed isn't that of form.json.",
    ]  # fmt: skip
    assert changed("nonce", nonce="0" * 64) == [
        "form.json: its nonce isn't the committed one, so it is another form's."
    ]
    assert changed("recipe", recipe={}) == ["form.json: its 'recipe' isn't the committed one."]
    copy = tmp_path / "items"
    shutil.copytree(form, copy)
    (path,) = copy.glob("data/*.parquet")
    items = read_items(path)
    changed_item = items[1].model_copy(update={"question": "Which?"})
    write_items(path, [items[0].model_copy(update={"id": "new"}), changed_item, *items[2:]])
    assert form_differences(copy, committed) == [
        f"The item {items[0].id} is missing.", "The item new was added.",
        f"The item {items[1].id} isn't the committed one.",
    ]  # fmt: skip
    medium = next(iter(form_of(form)["media"]))
    copy = tmp_path / "media"
    shutil.copytree(form, copy)
    (copy / medium).unlink()
    (copy / medium).write_bytes(b"another video")
    assert form_differences(copy, committed) == [f"The file {medium} isn't the committed one."]
    committed_before = json.dumps(said | {"tolman": "0.0.1"})
    (tmp_path / "old.json").write_text(committed_before)
    assert form_differences(form, tmp_path / "old.json")[0].startswith("It was committed by tolman 0.0.1")


def test_the_nonce_hides_the_seed(scanned: Path, form: Path, tmp_path: Path) -> None:
    again = make_form(FormConfig(benchmark=scanned, seed=5, out=tmp_path / "again", workers=1))
    assert form_of(again.out)["items"] == form_of(form)["items"]
    fields = [json.loads((folder / "commitment.json").read_text())["fields"] for folder in (again.out, form)]
    assert fields[0].keys() == fields[1].keys() >= {"seed", "nonce", "items", "media", "recipe"}
    assert not set(fields[0].values()) & set(fields[1].values())


def test_verify_refuses_what_is_no_committed_form(
    scanned: Path, form: Path, tmp_path: Path, command: Callable[..., Any]
) -> None:
    committed = form / "commitment.json"
    said = command("verify", form, "--commitment", committed, "--benchmark", scanned).stdout
    assert "Verified" in said
    said = command("verify", form, "--commitment", committed, "--benchmark", form, code=2).stdout
    assert "REFUSED: It is a form of another benchmark" in said
    (tmp_path / "none.json").write_text("[1]")
    with pytest.raises(InputError, match=r"none\.json: is no commitment"):
        form_differences(form, tmp_path / "none.json")
    with pytest.raises(InputError, match=r"nothing\.json: does not exist"):
        form_differences(form, tmp_path / "nothing.json")
    with pytest.raises(InputError, match=r"form\.json: is missing"):
        form_differences(scanned, committed)


def test_a_recipe_or_version_that_differs_is_refused(scanned: Path, tmp_path: Path) -> None:
    def form_with(name: str, **changes: Any) -> None:
        shutil.copytree(scanned, tmp_path / name)
        told = provenance_of(scanned)
        (tmp_path / name / "provenance.json").write_text(json.dumps(told | changes))
        make_form(FormConfig(benchmark=tmp_path / name, seed=9, out=tmp_path / "out", workers=1))

    with pytest.raises(UsageError, match=r"was made by tolman 0\.0\.1, and this is"):
        form_with("version", tolman="0.0.1")
    preset = json.loads(json.dumps(provenance_of(scanned)["preset"]))
    preset["settings"]["vsi-bench/relative-direction"].pop("corners")
    with pytest.raises(UsageError, match=r"settings\.vsi-bench/relative-direction\.corners is null there, and 2 here"):
        form_with("recipe", preset=preset)
    with pytest.raises(UsageError, match="people reviewed"):
        form_with("reviewed", review={})
    with pytest.raises(InputError, match="was not made by 'tolman generate'"):
        form_with("other", preset=None)
    with pytest.raises(InputError, match=r"gone: names scenes that aren't here; give them with --scenes"):
        form_with("gone", scenes="nowhere", scenes_from_here="../nowhere")
    with pytest.raises(InputError, match="there is no such file or folder"):
        make_form(FormConfig(benchmark=tmp_path / "nothing", out=tmp_path / "out"))
    (tmp_path / "recipe.toml").write_text('[generate]\nscenes = "scans"\nout = "nowhere/bench"\n')
    with pytest.raises(InputError, match=r"isn't there, and .*recipe\.toml makes it"):
        make_form(FormConfig(benchmark=tmp_path / "recipe.toml", out=tmp_path / "out"))
    with pytest.raises(UsageError, match="--seed 0 is the seed of"):
        make_form(FormConfig(benchmark=scanned, seed=0, out=tmp_path / "out", workers=1))
    assert not (tmp_path / "out").exists()


def test_too_few_other_questions_are_refused_by_type(tmp_path: Path, command: Callable[..., Any]) -> None:
    write_nine(tmp_path / "scans")
    command("generate", "scans", "--out", "bench", "--families", "room-size,object-size", "--filter-rounds", 0)
    with pytest.raises(UsageError, match=r"room_size_estimation 0 of \d+; give other scenes with --scenes, or --fewer"):
        make_form(FormConfig(benchmark=tmp_path / "bench", seed=3, out=tmp_path / "form", workers=1))
    command("generate", "scans", "--out", "some", "--families", "room-size,absolute-distance", "--filter-rounds", 0,
            "--per-scene", 1)  # fmt: skip
    said = command("form", "some", "--seed", 3, "--out", "form", "--fewer", "--workers", 1, code=1).stdout
    assert "0 of " in said


SMALL = SimulateConfig(
    out=Path("scenes"), scenes=24, seed=3, shapes=("rectangle", "l-shape"), seconds=8.0, rate=3, size="96x64",
    media=False, twins=4, workers=1,
)  # fmt: skip


@pytest.mark.full
def test_a_form_of_simulated_twins_has_whole_rings_of_other_rooms(tmp_path: Path, command: Callable[..., Any]) -> None:
    simulate(replace(SMALL, out=tmp_path / "scenes"))
    (tmp_path / "recipe.toml").write_text(
        '[simulate]\nout = "scenes"\nscenes = 24\nseed = 3\nshapes = ["rectangle", "l-shape"]\nseconds = 8.0\nrate = 3\n'
        'size = "96x64"\nno_media = true\ntwins = 4\n\n'
        '[generate]\nscenes = "scenes"\nout = "bench"\nfamilies = ["relative-direction"]\n'
        "per_task = 12\nseed = 1\nno_media = true\n"
    )
    command("generate", "--config", "recipe.toml")
    told = json.loads(
        command("form", "recipe.toml", "--seed", 77, "--out", "fresh", "--spare", 3, "--workers", 1, "--json").stdout
    )
    public, fresh = items_of(tmp_path / "bench"), items_of(tmp_path / "fresh")
    assert Counter(item.task for item in public) == Counter(item.task for item in fresh)
    assert not {item.scene for item in public} & {item.scene for item in fresh}
    assert not told["same_scenes"]
    rings: dict[object, list[Item]] = {}
    for item in fresh:
        rings.setdefault(item.evidence["twins"], []).append(item)
    for ring in rings.values():
        assert len({item.question for item in ring}) == 1
        assert len({item.answer for item in ring}) == len(ring)
    # From the benchmark's folder alone, the same form comes.
    shutil.copytree(tmp_path / "fresh-scenes", tmp_path / "again-scenes")
    made = make_form(FormConfig(benchmark=tmp_path / "bench", seed=77, out=tmp_path / "again", spare=3.0, workers=1))
    assert data_hash(items_of(made.out)) == data_hash(fresh)
    text = (tmp_path / "recipe.toml").read_text()
    (tmp_path / "recipe.toml").write_text(text.replace("rate = 3", "rate = 4"))
    with pytest.raises(UsageError, match="rate is 3 there, and 4 here"):
        make_form(FormConfig(benchmark=tmp_path / "recipe.toml", seed=78, out=tmp_path / "other", workers=1))
    (tmp_path / "recipe.toml").write_text(text.replace("per_task = 12", "per_task = 13"))
    with pytest.raises(UsageError, match=r"share\.per_task is 12 there, and 13 here"):
        make_form(FormConfig(benchmark=tmp_path / "recipe.toml", seed=78, out=tmp_path / "other", workers=1))
    with pytest.raises(UsageError, match="--seed 3 is the seed of"):
        make_form(FormConfig(benchmark=tmp_path / "bench", seed=3, out=tmp_path / "other", workers=1))


def test_scenes_of_another_version_are_refused(scanned: Path, tmp_path: Path) -> None:
    scans = tmp_path / "scans"
    shutil.copytree(scanned.parent / "scans", scans)
    (scans / "simulation.json").write_text(json.dumps({"seed": 1, "size": [64, 48], "tolman": "0.0.1"}))
    config = GenerateConfig(
        scenes=scans, out=tmp_path / "bench", families=FAMILIES, per_scene=2, max_filter_rounds=0, workers=1
    )
    generate(config)
    with pytest.raises(UsageError, match=r"was simulated by tolman 0\.0\.1"):
        make_form(FormConfig(benchmark=tmp_path / "bench", seed=4, out=tmp_path / "form", workers=1))
    (scans / "simulation.json").write_text("[]")
    with pytest.raises(InputError, match="holds no settings of a simulation"):
        make_form(FormConfig(benchmark=tmp_path / "bench", seed=4, out=tmp_path / "form", workers=1))
