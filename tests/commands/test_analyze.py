"""`tolman analyze` as a user types it, with its typos, and the same analyses from Python."""

import asyncio
import csv
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import terminal
from tolman.analyze.deltas import DeltasResult
from tolman.cli import main
from tolman.features.analyses import ANALYSES
from tolman.features.analyses.config import DeltasConfig
from tolman.features.analyses.run_analyses import analyze_deltas
from tolman.features.config import make, write_config
from tolman.features.events import silent

ROOT = Path(__file__).resolve().parents[2]
EXTRACT = ROOT / "tests" / "extracts" / "vsi_bench_extract.jsonl"
TABLE = ROOT / "tests" / "analyze" / "tables" / "mmsi_bench_table_11.csv"
ROWS = [json.loads(line) for line in EXTRACT.read_text().splitlines()]


def tolman(*arguments: str, cwd: Path, status: int = 0) -> str:
    done = terminal.typed(cwd, *arguments, status=status)
    return done.stdout if status == 0 else done.stderr


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def answers(path: Path, seed: int, right: float, seconds: float | None = None, share: float = 1.0) -> None:
    generator = random.Random(seed)
    lines = []
    for row in ROWS:
        if generator.random() > share:
            continue
        wrong = "A" if row["options"] else "1"
        line = {"id": row["id"], "response": row["ground_truth"] if generator.random() < right else wrong}
        lines.append(
            line if seconds is None else {**line, "seconds": round(seconds * generator.lognormvariate(0, 0.8), 2)}
        )
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs of three models, two of them also blind, and of two people."""
    folder = tmp_path_factory.mktemp("place")
    data = ["--data", str(EXTRACT)]
    for n, (model, right) in enumerate([("good", 0.8), ("fair", 0.6), ("poor", 0.4)]):
        for protocol, less in (("direct", 0.0), ("blind", 0.3))[: 1 + (model != "poor")]:
            answers(folder / protocol / f"{model}.jsonl", n, right - less)
    for protocol in ("direct", "blind"):
        for path in sorted((folder / protocol).iterdir()):
            script = path.rename(folder / path.name)
            out = f"{path.stem}-{protocol}"
            tolman("run", "vsi-bench", *data, "--model", f"scripted/{script.name}", "--protocol", protocol, "--out", out, cwd=folder)  # fmt: skip
    for n, name in enumerate(["anna", "ben"]):
        answers(folder / f"{name}.jsonl", 10 + n, 0.9, seconds=20 * (n + 1), share=0.9)
        tolman("score", f"{name}.jsonl", "--benchmark", "vsi-bench", *data, "--name", f"human/{name}", "--out", f"human-{name}", cwd=folder, status=1)  # fmt: skip
    return folder


def test_deltas(place: Path) -> None:
    runs = ["good-direct", "good-blind", "fair-direct", "fair-blind"]
    result = json.loads(tolman("analyze", "deltas", *runs, "--json", cwd=place))
    (published,) = result["published"]  # of Table 6: the standard run less the blind one
    assert (published["what"], published["model"], published["figures"]) == (
        "enabled − disabled", "GPT-4o", {"average": [34.0, 14.5]},
    )  # fmt: skip
    found = result["deltas"]
    assert [(d["what"], d["model"]) for d in found] == [
        (what, model)
        for what in ("enabled − disabled", "disabled − chance")
        for model in ("scripted/good.jsonl", "scripted/fair.jsonl", "mean of 2 models")
    ]
    average = found[0]["figures"]["average"]
    assert average["n"] == 96
    assert average["value"] == pytest.approx(average["a"] - average["b"])
    assert average["value"] > 10
    shown = tolman("analyze", "deltas", *runs, "--chance", "random", cwd=place)
    assert "scripted/good.jsonl: enabled − disabled" in shown
    assert "chance: baseline/random" in shown
    assert "published: GPT-4o" in shown
    assert "+19.5" in next(line for line in shown.splitlines() if line.startswith("Avg."))


@pytest.mark.full
def test_chance_is_that_of_the_whole_benchmark_also_for_a_part(place: Path, tmp_path: Path) -> None:
    data = tmp_path / "test.jsonl"
    data.write_bytes(EXTRACT.read_bytes())
    common = ["--data", str(data), "--model", "scripted/good.jsonl", "--limit", "12"]
    for protocol in ("direct", "blind"):
        tolman("run", "vsi-bench", *common, "--protocol", protocol, "--out", f"part-{protocol}", cwd=place)
    part = ["analyze", "deltas", "part-direct", "part-blind"]
    found = json.loads(tolman(*part, "--json", cwd=place))
    assert found["chance_items"] == len(ROWS)
    tolman("run", "vsi-bench", "--data", str(data), "--model", "baseline/best-constant", "--protocol", "blind", "--out", "chance", cwd=place)  # fmt: skip
    compared = json.loads(tolman("compare", "part-blind", "chance", "--json", cwd=place))["comparisons"][0]["columns"]
    figures = next(d["figures"] for d in found["deltas"] if d["what"] == "disabled − chance")
    assert {key: f["b"] for key, f in figures.items()} == {key: f["b"] for key, f in compared.items()}
    data.write_text("".join(EXTRACT.read_text().splitlines(keepends=True)[1:]))
    assert "holds other questions than the runs were made on" in tolman(*part, cwd=place, status=2)
    data.unlink()
    refused = tolman(*part, cwd=place, status=2)
    assert "chance is that of the whole benchmark, of which these runs hold 12 of 96 questions" in refused
    assert "give its folder with --data, or --chance none" in refused
    assert "chance: baseline" in tolman(*part, "--data", str(EXTRACT), cwd=place)
    assert "enabled − disabled" in tolman(*part, "--chance", "none", cwd=place)


def test_humans(place: Path) -> None:
    found = json.loads(tolman("analyze", "humans", "human-anna", "human-ben", "--out", "tiers", "--json", cwd=place))
    assert set(found["people"]) == {"anna", "ben"}
    mean = sum(person["average"] for person in found["people"].values()) / 2
    assert found["average"]["average"]["value"] == pytest.approx(mean)
    assert [row["values"]["average"] for row in found["published"]] == [79.2]
    tiers = table(place / "tiers" / "tiers.csv")
    lists = {t: (place / "tiers" / f"{t}.txt").read_text().split() for t in ("easy", "medium", "hard")}
    assert sorted(i for ids in lists.values() for i in ids) == sorted(row["id"] for row in tiers)
    assert all((row["tier"] == "hard") >= (int(row["wrong"]) > 0) for row in tiers)
    tolman("run", "vsi-bench", "--data", str(EXTRACT), "--model", "baseline/random", "--ids", "tiers/hard.txt", "--out", "on-hard", cwd=place)  # fmt: skip
    assert "easy up to 10.0 s" in tolman("analyze", "humans", "human-anna", "--cuts", "10,20", cwd=place)


def test_people_who_all_took_the_same_time_have_figures_without_tiers(place: Path) -> None:
    lines = [{"id": row["id"], "response": row["ground_truth"], "seconds": 5} for row in ROWS]
    (place / "cara.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    tolman("score", "cara.jsonl", "--benchmark", "vsi-bench", "--data", str(EXTRACT), "--name", "human/cara", "--out", "human-cara", cwd=place)  # fmt: skip
    shown = tolman("analyze", "humans", "human-cara", cwd=place)
    assert "average" in shown
    assert "There are no tiers of difficulty: three tiers need at least three items" in " ".join(shown.split())
    assert "three tiers need" in tolman("analyze", "humans", "human-cara", "--out", "none", cwd=place, status=2)


def test_representative(place: Path) -> None:
    runs = ["good-direct", "fair-direct", "poor-direct"]
    shown = tolman("analyze", "representative", *runs, "--size", "40", "--out", "rep", cwd=place)
    assert "40 of 96 items" in shown
    ids = (place / "rep" / "ids.txt").read_text().split()
    assert len(set(ids)) == 40
    content = json.loads((place / "rep" / "subset.json").read_text())
    assert content["ids"] == ids
    assert len(content["held_out"]) == 3


@pytest.mark.full
def test_bias(place: Path) -> None:
    few = [row for row in ROWS if row["question_type"] in ("object_counting", "object_rel_distance")]
    (place / "few.jsonl").write_text("".join(json.dumps(row) + "\n" for row in few))
    (place / "given.txt").write_text("".join(f"{row['id']}\n" for row in few[::2]))
    data = ["--data", "few.jsonl", "--folds", "3"]
    shown = tolman("analyze", "bias", "vsi-bench", *data, "--prune", "12", "--rounds", "1", "--against", "given.txt", cwd=place)  # fmt: skip
    assert "random-forest" in shown
    kept, left = ((place / "bias" / f"{name}.txt").read_text().split() for name in ("keep", "leave-out"))
    assert len(kept) == 12
    assert sorted(kept + left) == sorted(str(row["id"]) for row in few)
    rows = table(place / "bias" / "guessability.csv")
    assert [row["id"] for row in rows] == [str(row["id"]) for row in few]
    assert all(0 <= float(row["guessability"]) <= 1 for row in rows)
    content = json.loads((place / "bias" / "bias.json").read_text())
    assert {row["subset"] for row in content["rows"]} == {"all", "pruned", "given"}
    tolman("run", "vsi-bench", "--data", "few.jsonl", "--model", "baseline/random", "--exclude", "bias/leave-out.txt", "--out", "on-kept", cwd=place)  # fmt: skip
    from_run = json.loads(tolman("analyze", "bias", "on-kept", "--folds", "3", "--json", cwd=place))
    assert from_run["rows"][1]["n"] == 12


def test_weights_correlation_and_diversity(place: Path) -> None:
    found = json.loads(tolman("analyze", "weights", "--published", "spatialbench", "--counts", "318,527,291,98,113", "--json", cwd=place))  # fmt: skip
    assert found["e"] == pytest.approx([0, 0, 1.499, 3.916, 4.584], abs=2e-3)
    assert len(found["models"]) == 18
    shown = tolman("analyze", "correlation", str(TABLE), "--score", "MMSI-Bench", cwd=place)
    assert "0.8147" in shown
    assert "published: MMSI-Bench, Table 11 (9 models)." in shown
    wording = json.loads(tolman("analyze", "diversity", "vsi-bench", "--data", str(EXTRACT), "--json", cwd=place))
    assert wording["all"]["questions"] == 96
    assert wording["room_size_estimation"]["unique_questions"] == 1


def test_correlation_takes_scores_from_runs(place: Path) -> None:
    (place / "down.csv").write_text("model,robot\ngood.jsonl,80\nfair.jsonl,55\npoor.jsonl,\nother,1\n")
    runs = ["good-direct", "fair-direct", "poor-direct", "good-blind"]
    found = json.loads(tolman("analyze", "correlation", "down.csv", *runs, "--json", cwd=place))
    assert found["score"] == "VSI-Bench"
    assert found["correlations"]["robot"]["n"] == 2
    assert found["marks"] == []
    routes = ["--model", "scripted/good.jsonl", "--tasks", "route_planning", "--out", "routes"]
    tolman("run", "vsi-bench", "--data", str(EXTRACT), *routes, cwd=place)
    found = json.loads(tolman("analyze", "correlation", "down.csv", "routes", *runs[1:3], "--json", cwd=place))
    assert [mark.partition(":")[0] for mark in found["marks"]] == ["‡ scripted/good.jsonl, official"]
    assert "Avg. without a scored question of Obj. Count, Abs. Dist." in found["marks"][0]
    shutil.copytree(place / "good-direct", place / "good-again")
    told = tolman("analyze", "correlation", "down.csv", *runs, "good-again", cwd=place, status=2)
    assert "the runs good-direct and good-again are both of the model 'good.jsonl'; give one for each row" in told
    for name in ("deltas", "representative"):
        told = tolman("analyze", name, *runs, "good-again", cwd=place, status=2)
        assert "two runs are of scripted/good.jsonl" in told


@pytest.mark.full
def test_every_analysis_has_help_with_an_example_and_is_listed(place: Path) -> None:
    listed = " ".join(tolman("analyze", "--help", cwd=place).split())
    assert "vision ablation, shortcut bias, correlation" in listed
    names = ANALYSES.names()
    assert len(names) == 16
    for name in names:
        assert f" {name} " in listed
        shown = tolman("analyze", name, "--help", cwd=place)
        assert "Example:" in shown
        assert "--rules" not in shown


def test_lists_of_analyses_need_no_heavy_package(place: Path) -> None:
    code = (
        "import sys, tolman.cli\nsys.argv = ['tolman', 'analyze', '--help']\n"
        "try:\n    tolman.cli.main()\nexcept SystemExit: pass\n"
        "print([m for m in ('polars', 'numpy', 'matplotlib', 'aiohttp') if m in sys.modules])"
    )  # Typer itself imports pydantic as it reads arguments
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "representative" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["deltas", "good-direct", "good-direct"], "the run good-direct is named twice"),
        (["deltas", "good-direct", "fair-direct"], "there is nothing to compare"),
        (["deltas", "good-direct", "good-blind", "--chance", "x"], "there is no baseline 'x'"),
        (["deltas", "good-direct", "good-blind", "--scorer", "x"], "don't share the rule set 'x'; shared: official"),
        (["deltas", "nowhere"], "nowhere: is no run folder"),
        (["humans", "good-direct"], "not of a person; score it with --name human/NAME"),
        (["humans", "human-anna", "human-anna"], "the run human-anna is named twice"),
        (["humans", "human-anna", "--cuts", "10"], "--cuts takes 2 numbers of seconds such as 40,110, not 1"),
        (["humans", "human-anna", "--cuts", "20,10"], "two rising numbers of seconds"),
        (["weights"], "give runs, or --published BENCHMARK"),
        (["weights", "--published", "spatialbench"], "--counts N,N"),
        (["weights", "--published", "spatialbench", "--counts", "1,x"], "--counts takes a number, not 'x'"),
        (["weights", "--published", "spatialbench", "--counts", "1,1,1,1,1", "--leave-out", "x"], "no row 'x' to leave out"),
        (["weights", "--published", "vsi-bench", "--counts", "1,1"], "no levels of its own"),
        (["weights", "--published", "vsi-bench", "--levels", "x", "--counts", "1"], "has no column 'x'"),
        (["representative", "good-direct", "fair-direct"], "at least three"),
        (["representative", "good-direct", "fair-direct", "poor-direct", "--size", "97"], "96 at most"),
        (["bias", "vsi-bench", "--data", "DATA", "--prune", "97"], "96 at most"),
        (["bias", "vsi-bench", "--data", "DATA", "--against", "nowhere.txt"], "nowhere.txt: does not exist"),
        (["bias", "vsi-bench", "--data", "DATA", "--against", "good.jsonl"], "names no item of the benchmark"),
        (["bias", "vsi-bench", "--data", "DATA", "--rules", "x"], "there is no scorer 'x'; known: official, careful"),
        (["bias", "vsi-bench", "--data", "DATA", "--folds", "90"], "90 folds need as many scenes"),
        (["bias", "vsi-bnch"], "there is no benchmark 'vsi-bnch'"),
        (["correlation", "nothing.csv", "--score", "x"], "nothing.csv: does not exist"),
        (["diversity", "vsi-bench", "--data", "nowhere"], "nowhere: does not exist"),
        (["delta", "good-direct"], "there is no analysis 'delta'; did you mean 'deltas'? known: bias, consistency, correlation"),
        (["deltas"], "RUNS is missing; give it"),
        (["errors", "good-direct"], "who says which errors there are?"),
        (["errors", "good-direct", "--judge-body", "{}"], "--judge-body without a judge; name it with --judge"),
        (["errors", "good-direct", "--judge", "openai/x", "--reference", "without it"], "--reference can't be 'without it'"),
        (["errors", "good-direct", "--labels", "x.csv", "--taxonomy", "mmsy"], "there is no taxonomy 'mmsy'; did you mean 'mmsi'"),
    ],
)  # fmt: skip
def test_a_typo_is_one_sentence(
    place: Path,
    arguments: list[str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setattr("sys.argv", ["tolman", "analyze", *(str(EXTRACT) if a == "DATA" else a for a in arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    text = capsys.readouterr().err
    assert ended.value.code == 2
    assert sentence in text
    assert len(text.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("deltas", {"runs": ["good-direct", "good-blind", "fair-direct", "fair-blind"]}),
        ("humans", {"runs": ["human-anna", "human-ben"], "cuts": [10, 20], "out": "python-tiers"}),
        ("representative", {"runs": ["good-direct", "fair-direct", "poor-direct"], "size": 40}),
        pytest.param(
            "weights", {"published": "spatialbench", "counts": [318, 527, 291, 98, 113]}, marks=pytest.mark.full
        ),
        ("correlation", {"table": str(TABLE), "score": "MMSI-Bench", "against": ["EB-Habitat"]}),
        pytest.param("diversity", {"benchmark": "vsi-bench", "data": str(EXTRACT)}, marks=pytest.mark.full),
        pytest.param(
            "bias", {"benchmark": "vsi-bench", "data": "doors.jsonl", "folds": 3, "workers": 1}, marks=pytest.mark.full
        ),
    ],
)
def test_python_gives_what_the_command_prints_as_json_and_prints_nothing(
    place: Path,
    name: str,
    settings: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    doors = [row for row in ROWS if row["question_type"] == "object_counting"]
    (place / "doors.jsonl").write_text("".join(json.dumps(row) + "\n" for row in doors))
    monkeypatch.chdir(place)
    analysis = ANALYSES.get(name)
    config = make(analysis.config, settings)
    capfd.readouterr()
    result = analysis.run(config, silent)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")
    write_config(place / "c.toml", f"analyze-{name}", config)
    assert json.loads(tolman("analyze", name, "--config", "c.toml", "--json", cwd=place)) == analysis.to_json(result)
    out = getattr(config, "out", None)
    if out is not None:
        text = (place / out / "tolman.toml").read_text()
        assert f"'tolman analyze {name} --config tolman.toml' repeats this" in text
        assert f"[analyze-{name}]" in text


def test_the_older_name_of_an_option_is_accepted(place: Path) -> None:
    runs = ["good-direct", "good-blind"]
    older, newer = (tolman("analyze", "deltas", *runs, option, "careful", "--json", cwd=place) for option in ("--rules", "--scorer"))  # fmt: skip
    assert older == newer
    assert json.loads(newer)["rules"] == "careful"


def test_items_without_an_answer_are_told_in_both_forms(place: Path) -> None:
    answers(place / "gaps.jsonl", 0, 0.8, share=0.9)
    for protocol in ("direct", "blind"):
        tolman("run", "vsi-bench", "--data", str(EXTRACT), "--model", "scripted/gaps.jsonl", "--protocol", protocol, "--out", f"gaps-{protocol}", cwd=place, status=1)  # fmt: skip
    runs = ["gaps-direct", "gaps-blind", "--chance", "none"]
    lost = json.loads(tolman("analyze", "deltas", *runs, "--json", cwd=place))["unanswered"]
    assert set(lost) == {"scripted/gaps.jsonl", "scripted/gaps.jsonl (blind)"}
    assert all(0 < count < len(ROWS) for count in lost.values())
    first = lost["scripted/gaps.jsonl"]
    said = f"scripted/gaps.jsonl: {first} items without an answer are left out."
    assert said in tolman("analyze", "deltas", *runs, cwd=place)


def test_an_analysis_runs_inside_an_event_loop_as_in_a_notebook(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    config = DeltasConfig(runs=(Path("good-direct"), Path("good-blind")))

    async def cell() -> DeltasResult:
        return analyze_deltas(config)

    found = asyncio.run(cell())
    assert [delta.what for delta in found.deltas] == ["enabled − disabled", "disabled − chance"]
    assert found.chance_items == len(ROWS)
