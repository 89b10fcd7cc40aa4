"""`tolman analyze errors` against a judge on the loopback interface, and with people's labels."""

import json
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import terminal
from explained import JUDGED, LONG, TWO_PEOPLE, write_explained
from loopback import Server, serving
from tolman.benchmarks.mmsi_bench.mmsi_rows import TASKS
from tolman.features.analyses import ANALYSES
from tolman.features.analyses.config import ErrorsConfig
from tolman.features.analyses.error_analysis import analyze_errors
from tolman.features.events import Began, Event, Noted

pytest.importorskip("PIL.Image", reason="images need the extra 'media'")


def tolman(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = terminal.tolman(place, *arguments)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A benchmark of six questions with a picture and human reasoning, and a model's run that explains five."""
    write_explained(tmp_path)
    return tmp_path


def text_of(body: dict[str, Any]) -> str:
    content = body["messages"][0]["content"]
    return content if isinstance(content, str) else "".join(p.get("text", "") for p in content)


def reply(body: dict[str, Any]) -> str:
    text = text_of(body)
    if "Reply with 2 lines" in text:
        return "1: 1\n2: 2"
    case = int(text.split("Case ")[1][0])
    return JUDGED[case]


def errors(place: Path, url: str, *more: str) -> subprocess.CompletedProcess[str]:
    judge = ("--judge", "openai/judge", "--judge-base-url", url, "--store", "s.sqlite")
    return tolman(place, "analyze", "errors", "run", *judge, *more)


def test_a_judge_sees_pictures_reasoning_and_typed_reference_and_its_nonsense_is_no_category(place: Path) -> None:
    server = Server(reply=reply)
    with serving(server) as url:
        done = errors(place, url, "--reference", "both", "--json")
        asked = server.requests
        again = errors(place, url, "--reference", "both", "--json")
    assert done.returncode == 1  # one judgement failed, with and without the reference
    found = json.loads(done.stdout)
    assert json.loads(again.stdout) == found
    assert server.requests == asked  # nothing was asked twice, the nonsense neither
    texts = [text_of(body) for body in server.bodies]
    # Steps are typed once for all five; five judgements, the nonsense three times, in both ways.
    assert len([t for t in texts if "Reply with 2 lines" in t]) == 1
    assert len(texts) == 1 + 2 * (4 + 3)
    judged = [body for body, text in zip(server.bodies, texts, strict=True) if "Correct answer: B" in text]
    assert all(body["messages"][0]["content"][0]["type"] == "image_url" for body in judged)
    typed = "The lamp is left of the door (Grounding). Thus it is north (Overlap-Matching and Scene-Reconstruction)."
    assert sum(f"<reference>\n{typed}\n</reference>" in text for text in texts) == 7
    assert all(f"``{'B' if 'Case 0' in t else 'A'}``\n\n{LONG}" in t for t in texts if "Case 0" in t or "Case 3" in t)
    assert found["without_reasoning"] == 1
    assert [(f["id"], f["source"]) for f in found["failures"]] == [
        ("4", "openai/judge, without human reasoning"), ("4", "openai/judge, with human reasoning"),
    ]  # fmt: skip
    assert "names no category: 'I would rather not say.'" in found["failures"][0]["why"]
    whole = found["distributions"][0]
    shares = {key: share["value"] for key, share in whole["types"].items()}
    assert shares == {"grounding": 25, "reconstruction": 0, "transformation": 25, "logic": 0, "correct": 50}
    assert (whole["n"], whole["reasoning"]["value"], whole["answers"]["value"]) == (4, 50, 75)
    assert whole["reasoning_on_right"]["value"] == pytest.approx(100 / 3)
    assert found["agreement"][0]["accuracy"] == 1  # the judge with the reference against itself without
    table = pl.read_csv(place / "errors" / "errors.csv")
    assert table["task"].to_list() == ["all", TASKS[0], TASKS[1]] * 2
    assert (place / "errors" / "errors.svg").read_text().startswith("<svg")


@pytest.mark.full
def test_people_and_a_judges_own_file_are_held_against_each_other(place: Path) -> None:
    with serving(Server(reply=reply)) as url:
        shown = errors(place, url, "--text-only", "--reference", "without")
    assert "INCOMPLETE: 1 of 5 judgements failed, in no figure" in shown.stdout
    rows = ["id,annotator,categories", "0,anna,correct", "1,anna,situation-transformation reasoning error", "2,anna,4"]
    (place / "people.csv").write_text(
        "\n".join([*rows, "0,ben,correct", "1,ben,3", "2,ben,Grounding", "3,ben,correct"])
    )
    people = json.loads(tolman(place, "analyze", "errors", "run", "--labels", "people.csv", "--json").stdout)
    assert [table["rows"]["GPT-4o"] for table in people["published"]] == [[29.9], [53.0, 78.0]]
    whole = people["distributions"][0]
    assert (whole["source"], whole["n"]) == ("people", 4)
    assert whole["types"]["grounding"]["value"] == 12.5
    assert people["agreement"][0]["accuracy"] == pytest.approx(2 / 3)
    with serving(Server(reply=reply)) as url:
        both = json.loads(errors(place, url, "--text-only", "--labels", "people.csv", "--reference", "without", "--json").stdout)  # fmt: skip
    judge = both["agreement"][0]
    assert (judge["second"], judge["n"], judge["undecided"], judge["accuracy"]) == ("people", 3, 1, 1.0)
    own = json.loads(tolman(place, "analyze", "errors", "run", "--labels", "errors/labels.jsonl", "--json").stdout)
    assert [d["n"] for d in own["distributions"]] == [4, 2, 2]


@pytest.mark.full
@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("9,anna,logic", "row 1, field 'id': scripted/script.jsonl (direct+self-explanation) has no answer to item 9"),
        ("0,anna,laziness", "row 1, field 'categories': 'laziness' is no category of mmsi; use grounding"),
        ("0,anna,1;2", "mmsi takes exactly one"),
        ("0,anna,1\n0,anna,2", "row 2: labels item 0 for anna a second time"),
        ("0,,1", "row 1, field 'annotator': is missing"),
    ],
)
def test_a_label_that_is_none_is_told(place: Path, rows: str, sentence: str) -> None:
    (place / "people.csv").write_text("id,annotator,categories\n" + rows + "\n")
    done = tolman(place, "analyze", "errors", "run", "--labels", "people.csv")
    assert done.returncode == 2
    assert sentence.replace("direct+self-explanation", "self-explanation") in " ".join(done.stderr.split()).replace(
        "direct+self-explanation", "self-explanation"
    )


def test_what_can_not_be_judged_is_told_before_anything_is_asked(place: Path) -> None:
    assert "who says which errors" in tolman(place, "analyze", "errors", "run").stderr
    (place / "plain.jsonl").write_text("".join(json.dumps({"id": str(i), "response": "B"}) + "\n" for i in range(6)))
    tolman(place, "run", "./bench", "--model", "scripted/plain.jsonl", "--out", "plain")
    server = Server(reply=reply)
    with serving(server) as url:
        done = tolman(place, "analyze", "errors", "plain", "--judge", "openai/judge", "--judge-base-url", url)
    assert done.returncode == 2
    assert "holds answers without reasoning" in done.stderr
    assert server.requests == 0


def test_python_gives_what_the_command_prints_as_json_and_prints_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setenv("TOLMAN_CACHE", str(place / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (place / "people.csv").write_text("id,annotator,categories\n0,anna,correct\n0,ben,4\n1,anna,4\n1,ben,4\n")
    told: list[Event] = []
    with serving(Server(reply=reply)) as url:
        config = ErrorsConfig(
            runs=(Path("run"),), labels=Path("people.csv"), judge="openai/judge", judge_base_url=url, text_only=True,
            reference="without", store=Path("s.sqlite"),
        )  # fmt: skip
        capfd.readouterr()
        result = analyze_errors(config, told.append)
        printed = capfd.readouterr()
        done = errors(place, url, "--text-only", "--reference", "without", "--labels", "people.csv", "--json")
    assert (printed.out, printed.err) == ("", "")
    assert Began("judging", 5) in told
    assert isinstance(told[-1], Noted)
    assert told[-1].text.startswith("judging: 7 calls, 0 answers from the store")
    assert [failure.id for failure in result.failures] == ["4"]
    assert done.returncode == 1
    assert json.loads(done.stdout) == ANALYSES.get("errors").to_json(result)
    assert "[analyze-errors]" in (place / "errors" / "tolman.toml").read_text()  # also where a judgement failed


def test_agreement_is_printed_with_its_number_and_interval(place: Path) -> None:
    (place / "people.csv").write_text("\n".join(["id,annotator,categories", *TWO_PEOPLE]) + "\n")
    shown = tolman(place, "analyze", "errors", "run", "--labels", "people.csv").stdout
    row = next(line for line in shown.splitlines() if line.startswith("anna"))
    found = json.loads(tolman(place, "analyze", "errors", "run", "--labels", "people.csv", "--json").stdout)
    agreed = found["agreement"][0]
    interval = agreed["kappa_interval"]
    assert f"{agreed['kappa']:.3f}  {interval['low']:.3f} … {interval['high']:.3f}" in row
    reach = found["people_alpha_interval"]
    alpha = f"{found['people_alpha']:.3f} ({reach['low']:.3f} … {reach['high']:.3f}, n = 6)"
    assert f"Krippendorff's alpha of all people: {alpha}." in shown
