"""Sealed runs: untouched ones verify, and each kind of tampering is refused by file and item."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import polars as pl
import pytest
import yaml
from typer.testing import CliRunner

from answered import answered
from loopback import serving
from runs.judges import RUN, Judge, write_bench
from terminal import tolman
from tolman import features
from tolman.cli import app
from tolman.errors import InputError, UsageError
from tolman.features.report.config import BoardConfig, SealConfig, VerifyConfig
from tolman.features.report.sealed_runs import BoardResult, VerifyResult, board, seal, verify
from tolman.item_table import read_items, write_items
from tolman.items import Item, Media
from tolman.responses import Response, Turn
from tolman.runs.receipts import Receipt, public_model, read_receipt
from tolman.runs.rescore import score_outcomes
from tolman.runs.run_items import load

needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen isn't installed")
OPTIONS = ("left", "right", "in front", "behind")
QUESTIONS = 24


def make_benchmark(folder: Path, title: str = "Toy") -> Path:
    """Questions of two types on pictures, one for each."""
    (folder / "frames").mkdir(parents=True)
    items = []
    for number in range(QUESTIONS):
        picture = f"frames/{number}.png"
        (folder / picture).write_bytes(f"picture {number}".encode())
        own: dict[str, Any] = (
            {"kind": "choice", "answer": "ABCD"[number % 4], "options": OPTIONS, "task": "direction"}
            if number % 2
            else {"kind": "number", "answer": str(1 + number / 7), "unit": "m", "task": "distance"}
        )
        medium = Media(kind="image", path=picture)
        items.append(
            Item(id=f"q{number}", question=f"Where is {number}?", scene=f"s{number // 2}", media=(medium,), **own)
        )
    write_items(folder / "items.parquet", items)
    (folder / "benchmark.json").write_text(json.dumps({"title": title}))
    (folder / "provenance.json").write_text(json.dumps({"seed": 4}))
    return folder


def make_run(benchmark: Path, out: Path, right: int, model: str = "m") -> Path:
    """A run that has the first questions right."""
    loaded = load(str(benchmark), None, None)
    turn = Turn(purpose="reasoning", prompt="Think.", response="Well.")
    said = [item.answer if place < right else "A" if item.options else "99" for place, item in enumerate(loaded.items)]
    outcomes = [
        Response(id=item.id, response=text, turns=(turn,) if place == 0 else ())
        for place, (item, text) in enumerate(zip(loaded.items, said, strict=True))
    ]
    score_outcomes(loaded, outcomes, benchmark=str(benchmark), model=model, model_settings={}, out=out)
    return out


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark, and two sealed runs on it."""
    home = tmp_path_factory.mktemp("private-home")
    make_benchmark(home / "bench")
    for name, right in (("run", 9), ("other", 5)):
        make_run(home / "bench", home / name, right)
        seal(SealConfig(run=home / name))
    # The second run began at another time.
    record = json.loads((home / "other" / "run.json").read_text())
    (home / "other" / "run.json").write_text(json.dumps(record | {"created": "2026-01-01T00:00:00+00:00"}))
    seal(SealConfig(run=home / "other"))
    return home


@pytest.fixture
def copied(places: Path, tmp_path: Path) -> Path:
    """Both on another machine: elsewhere, without the folder that they were made in."""
    for name in ("bench", "run", "other"):
        shutil.copytree(places / name, tmp_path / name)
    return tmp_path


def verified(home: Path, *, against: bool = False, signers: Path | None = None) -> VerifyResult:
    return verify(VerifyConfig(run=str(home / "run"), benchmark=home / "bench" if against else None, signers=signers))


def edit_rows(file: Path, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    change(pl.read_parquet(file)).write_parquet(file)


def edit_item(home: Path, **fields: Any) -> None:
    items = read_items(home / "run" / "items.parquet")
    write_items(home / "run" / "items.parquet", [i.model_copy(update=fields) if i.id == "q3" else i for i in items])


def edit_json(file: Path, change: Callable[[Any], Any]) -> None:
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


def edit_lines(home: Path, change: Callable[[list[str]], list[str]]) -> None:
    file = home / "run" / "responses.jsonl"
    file.write_text("".join(change(file.read_text().splitlines(keepends=True))))


def forge(home: Path, **fields: Any) -> None:
    """Change a receipt, and give it the digest and the hashes of the files that go with it."""
    file = home / "run" / "receipt.json"
    receipt = Receipt.model_validate_json(file.read_bytes())
    hashes = {name: hashlib.sha256((home / "run" / name).read_bytes()).hexdigest() for name in receipt.files}
    file.write_text(receipt.model_copy(update={"files": hashes, **fields}).with_digest().text())


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-40])


def column(name: str, value: Any, rows: pl.Expr) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda table: table.with_columns(pl.when(rows).then(pl.lit(value)).otherwise(pl.col(name)).alias(name))


Q3 = pl.col("id") == "q3"


def change_score_and_hashes(home: Path) -> None:
    edit_rows(home / "run" / "scores.parquet", column("score", 1.0, pl.col("id") == "q15"))
    forge(home)


def change_figure_and_hashes(home: Path) -> None:
    edit_json(home / "run" / "scores.json", lambda c: c["rule_sets"]["careful"]["cells"]["average"].update(value=99.5))
    forge(home)


def set_cell(content: Any) -> None:
    content["rule_sets"]["careful"]["cells"]["average"]["value"] = 99.5


def set_setting(name: str, value: Any) -> Callable[[Any], None]:
    return lambda content: content["settings"].update({name: value})


TAMPERED: dict[str, tuple[Callable[[Path], Any], str]] = {
    "output": (
        lambda h: edit_lines(h, lambda rows: [*rows[:15], rows[15].replace('"A"', '"D"'), *rows[16:]]),
        "responses.jsonl: item q15: its output isn't the sealed one.",
    ),
    "output of the same score": (
        lambda h: edit_lines(h, lambda rows: [*rows[:15], rows[15].replace('"A"', '"A."'), *rows[16:]]),
        "responses.jsonl: item q15: its output isn't the sealed one.",
    ),
    "prompt of a turn": (
        lambda h: edit_lines(h, lambda rows: [rows[0].replace("Think.", "Think hard."), *rows[1:]]),
        "responses.jsonl: item q0: its output isn't the sealed one.",
    ),
    "score": (
        lambda h: edit_rows(h / "run" / "scores.parquet", column("score", 1.0, pl.col("id") == "q15")),
        "scores.parquet: item q15, careful: its score is 1.0, and 0.0 follows from its output.",
    ),
    "score, with its hashes": (
        change_score_and_hashes,
        "scores.parquet: item q15, careful: its score is 1.0, and 0.0 follows from its output.",
    ),
    "figure": (
        lambda h: edit_json(h / "run" / "scores.json", set_cell),
        "scores.json: rule_sets.careful.cells.average.value is 99.5, and",
    ),
    "figure, with its hashes": (
        change_figure_and_hashes,
        "scores.json: rule_sets.careful.cells.average.value is 99.5, and",
    ),
    "question": (
        lambda h: edit_item(h, question="Where is the door?"),
        "items.parquet: item q3: its question isn't the sealed one.",
    ),
    "answer": (lambda h: edit_item(h, answer="A"), "items.parquet: item q3: its answer isn't the sealed one."),
    "option order": (
        lambda h: edit_item(h, options=OPTIONS[::-1]),
        "items.parquet: item q3: the order of its options isn't the sealed one.",
    ),
    "option": (
        lambda h: edit_item(h, options=(*OPTIONS[:3], "above")),
        "items.parquet: item q3: the texts of its options aren't the sealed ones.",
    ),
    "named picture": (
        lambda h: edit_item(h, media=(Media(kind="image", path="frames/5.png"),)),
        "items.parquet: item q3: the media that it names aren't the sealed ones.",
    ),
    "type": (
        lambda h: edit_item(h, task="distance"),
        "items.parquet: item q3: its labels, type or scene aren't the sealed ones.",
    ),
    "frame": (
        lambda h: (h / "bench" / "frames" / "3.png").write_bytes(b"another"),
        "frames/3.png: isn't the sealed file (items q3).",
    ),
    "missing frame": (
        lambda h: (h / "bench" / "frames" / "3.png").unlink(),
        "frames/3.png: isn't in the benchmark's folder (items q3).",
    ),
    "recipe": (
        lambda h: (h / "bench" / "provenance.json").write_text("{}"),
        "receipt.json: its 'recipe' isn't the hash of the benchmark's provenance.json.",
    ),
    "prompt": (
        lambda h: edit_json(h / "run" / "run.json", set_setting("preset", "kind")),
        "run.json: its field 'preset' isn't the sealed one.",
    ),
    "model": (
        lambda h: edit_json(h / "run" / "run.json", set_setting("model", "better")),
        "run.json: its field 'model' isn't the sealed one.",
    ),
    "failures": (
        lambda h: edit_json(h / "run" / "run.json", lambda c: c.update(failures_are_wrong=True)),
        "run.json: its field 'failures_are_wrong' isn't the sealed one.",
    ),
    "version": (
        lambda h: edit_json(h / "run" / "run.json", lambda c: c.update(tolman="9.9.9")),
        "run.json: its field 'tolman' isn't the sealed one.",
    ),
    "version of the receipt": (lambda h: forge(h, tolman="9.9.9"), "receipt.json: was sealed by tolman 9.9.9, and this"),
    "scorer's code": (lambda h: forge(h, code="0" * 64), "receipt.json: its 'code' isn't that of the run"),
    "scorers": (lambda h: forge(h, scorers=["official"]), "receipt.json: its 'scorers' isn't that of the run"),
    "headline": (
        lambda h: forge(h, scores={"careful": {"value": 99.5, "low": 99.0, "high": 100.0}}),
        "receipt.json: its 'scores' isn't that of the run",
    ),
    "media of the receipt": (lambda h: forge(h, media={}), "receipt.json: its media aren't those that the questions name."),
    "cut responses": (lambda h: cut(h / "run" / "responses.jsonl"), "responses.jsonl, row"),
    "cut questions": (lambda h: cut(h / "run" / "items.parquet"), "items.parquet: is no readable table of items"),
    "cut scores": (lambda h: cut(h / "run" / "scores.parquet"), "scores.parquet: is no readable table of scores"),
    "cut figures": (lambda h: cut(h / "run" / "scores.json"), "scores.json: is no JSON"),
    "cut receipt": (lambda h: cut(h / "run" / "receipt.json"), "receipt.json: is no receipt"),
    "byte of the receipt": (
        lambda h: (h / "run" / "receipt.json").write_text((h / "run" / "receipt.json").read_text().replace("1", "2", 1)),
        "receipt.json: was changed after it was sealed",
    ),
    "space in the receipt": (
        lambda h: (h / "run" / "receipt.json").write_text((h / "run" / "receipt.json").read_text() + " "),
        "receipt.json: was changed after it was sealed: its bytes",
    ),
    "removed output": (
        lambda h: edit_lines(h, lambda rows: [*rows[:3], *rows[4:]]),
        "responses.jsonl: item q3: its output is missing.",
    ),
    "doubled output": (
        lambda h: edit_lines(h, lambda rows: [*rows, rows[3].replace('"D"', '"A"')]),
        "responses.jsonl: item q3: has two outputs.",
    ),
    "foreign output": (
        lambda h: edit_lines(h, lambda rows: [*rows, rows[3].replace('"q3"', '"q99"')]),
        "responses.jsonl: item q99: has an output, and wasn't asked.",
    ),
    "removed question": (
        lambda h: edit_rows(h / "run" / "items.parquet", lambda t: t.filter(~(pl.col("id") == "q15"))),
        "responses.jsonl: item q15: has an output, and wasn't asked.",
    ),
    "removed question and output": (
        lambda h: (
            edit_rows(h / "run" / "items.parquet", lambda t: t.filter(~(pl.col("id") == "q15"))),
            edit_lines(h, lambda rows: rows[:15]),
        ),
        "items.parquet: item q15 is missing.",
    ),
    "doubled question": (
        lambda h: edit_rows(h / "run" / "items.parquet", lambda t: pl.concat([t, t.filter(Q3)])),
        "items.parquet: item q3: is there 2 times.",
    ),
    "removed score": (
        lambda h: edit_rows(h / "run" / "scores.parquet", lambda t: t.filter(~Q3)),
        "scores.parquet: item q3, careful: its row is missing.",
    ),
    "doubled score": (
        lambda h: edit_rows(h / "run" / "scores.parquet", lambda t: pl.concat([t, t.filter(Q3)])),
        "scores.parquet: item q3, careful: has two rows.",
    ),
    "missing file": (lambda h: (h / "run" / "scores.json").unlink(), "holds no scores"),
    "missing receipt": (lambda h: (h / "run" / "receipt.json").unlink(), "has no receipt"),
    "added metrics": (
        lambda h: shutil.copy(h / "run" / "scores.parquet", h / "run" / "metrics.parquet"),
        "metrics.parquet: the run's scorers have no further metrics.",
    ),
    "receipt of another run": (
        lambda h: shutil.copy(h / "other" / "receipt.json", h / "run" / "receipt.json"),
        "receipt.json: is the receipt of another run",
    ),
    "link to a file outside": (
        lambda h: ((h / "run" / "responses.jsonl").unlink(), (h / "run" / "responses.jsonl").symlink_to("/etc/passwd")),
        "responses.jsonl: is a link, and links aren't followed.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("tamper", "sentence"), TAMPERED.values(), ids=TAMPERED)
def test_tampering_is_refused_by_name(copied: Path, tamper: Callable[[Path], Any], sentence: str) -> None:
    tamper(copied)
    found = verified(copied, against=True)
    assert any(sentence in problem for problem in found.problems), found.problems
    assert not any(str(copied) in problem for problem in found.problems)
    assert CliRunner().invoke(app, ["verify", str(copied / "run"), "--benchmark", str(copied / "bench")]).exit_code == 2


def test_an_untouched_run_verifies_elsewhere(places: Path, copied: Path) -> None:
    shutil.move(places / "bench", places / "away")  # nothing of the first machine is read
    try:
        for against in (False, True):
            found = verified(copied, against=against)
            assert found.problems == ()
            assert found.checked_questions
        assert "Media weren't compared" in verified(copied).remarks[0]
    finally:
        shutil.move(places / "away", places / "bench")
    done = CliRunner().invoke(app, ["verify", str(copied / "run"), "--json"])
    assert done.exit_code == 0
    assert json.loads(done.stdout)["verified"] is True


def test_a_receipt_is_the_same_from_any_place_and_holds_no_path(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (copied / "run" / "receipt.json").read_bytes()
    monkeypatch.chdir(copied / "bench")
    edit_json(copied / "run" / "run.json", lambda content: content.update(places={}))
    edit_json(copied / "run" / "run.json", set_setting("benchmark", "."))
    seal(SealConfig(run=copied / "run"))
    assert (copied / "run" / "receipt.json").read_bytes() == before
    text = before.decode()
    assert "private-home" not in text
    assert str(Path.home()) not in text.replace("/root", str(Path.home()))
    assert public_model("python//home/ann/model.py:answer") == "python/model.py:answer"
    assert public_model("hf/C:\\models\\mine") == "hf/mine"
    assert public_model("openai/org/name") == "openai/org/name"


def other_pythons() -> list[str]:
    named = os.environ.get("TOLMAN_OTHER_PYTHONS", "").split(os.pathsep)
    return [one for one in named if one]


def test_another_process_and_python_write_the_same_bytes(copied: Path) -> None:
    before = (copied / "run" / "receipt.json").read_bytes()
    src = str(Path(features.__file__).parents[2])
    for number, python in enumerate([sys.executable, *other_pythons()]):
        own = {"PYTHONPATH": src, "PYTHONHASHSEED": str(number + 1), "TZ": "Asia/Tokyo"}
        for command in ("verify", "seal"):
            words = [python, "-m", "tolman", command, "run"]
            done = subprocess.run(words, cwd=copied, env=os.environ | own, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
        assert (copied / "run" / "receipt.json").read_bytes() == before


def test_a_run_sealed_again_after_a_change_fails_against_its_benchmark(copied: Path) -> None:
    """Files that were changed and sealed again are consistent; only the benchmark or a signature shows the change."""
    edit_item(copied, answer="A")
    items = read_items(copied / "run" / "items.parquet")
    shutil.copytree(copied / "bench", copied / "forged")
    write_items(copied / "forged" / "items.parquet", items)
    shutil.rmtree(copied / "run")
    seal(SealConfig(run=make_run(copied / "forged", copied / "run", 24)))
    assert verified(copied).is_verified
    problems = verified(copied, against=True).problems
    assert "items.parquet: item q3: its answer isn't the benchmark's." in problems
    assert any("its questions have the hash" in problem for problem in problems)


def test_questions_left_out_before_sealing_are_refused(copied: Path) -> None:
    """The hash of the data in run.json is that of all questions, so that hard ones can't be dropped."""
    shutil.copytree(copied / "bench", copied / "easy")
    items = read_items(copied / "bench" / "items.parquet")
    write_items(copied / "easy" / "items.parquet", items[:9])
    shutil.rmtree(copied / "run")
    make_run(copied / "easy", copied / "run", 9)
    whole = json.loads((copied / "other" / "run.json").read_text())["settings"]["data_hash"]
    edit_json(copied / "run" / "run.json", set_setting("data_hash", whole))
    edit_json(copied / "run" / "scores.json", set_setting("data_hash", whole))
    with pytest.raises(InputError, match=r"can't be sealed: items\.parquet: its questions have the hash"):
        seal(SealConfig(run=copied / "run"))


def test_a_strangers_folder_reads_nothing_else(copied: Path) -> None:
    """Paths in a run folder and in its receipt open nothing: not a benchmark, not media, not code."""
    secret = copied / "secret.txt"
    secret.write_text("a key")
    run = json.loads((copied / "run" / "run.json").read_text())
    run["places"] = {run["settings"]["benchmark"]: {"relative": "../forged", "absolute": str(copied / "forged")}}
    shutil.copytree(copied / "bench", copied / "forged")
    (copied / "forged" / "benchmark.json").write_text('{"title": "Forged", "scoring_profile": "none such"}')
    (copied / "run" / "run.json").write_text(json.dumps(run))
    assert verified(copied).is_verified  # the receipt's own title and the questions of the run are enough
    forge(copied, media={"../secret.txt": "0" * 64})
    assert not any("a key" in problem for problem in verified(copied, against=True).problems)
    assert "../secret.txt: isn't in the benchmark's folder (items )." in verified(copied, against=True).problems
    forge(copied, benchmark={"title": "x", "scoring_profile": "../forged"})
    assert "there is no benchmark '../forged'" in verified(copied).problems[0]
    forge(copied, benchmark={"name": str(copied / "forged")})
    assert "there is no benchmark" in verified(copied).problems[0]


def test_a_pipe_and_a_folder_in_place_of_a_file_are_refused(copied: Path) -> None:
    (copied / "run" / "scores.json").unlink()
    os.mkfifo(copied / "run" / "scores.json")
    assert verified(copied).problems == ("scores.json: is no file.",)
    (copied / "run" / "scores.json").unlink()
    (copied / "run" / "scores.json").mkdir()
    assert verified(copied).problems == ("scores.json: is no file.",)


def test_scores_that_do_not_follow_are_not_sealed(copied: Path) -> None:
    change_score = column("score", 1.0, pl.col("id") == "q15")
    edit_rows(copied / "run" / "scores.parquet", change_score)
    with pytest.raises(InputError, match=r"can't be sealed: scores\.parquet: item q15.*'tolman score "):
        seal(SealConfig(run=copied / "run"))


def make_key(folder: Path, name: str) -> Path:
    key = folder / name
    comment = "ann@private.example"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(key)], check=True)
    return key


def allow(folder: Path, **keys: Path) -> Path:
    lines = [" ".join([name, *key.with_suffix(".pub").read_text().split()[:2]]) for name, key in keys.items()]
    (folder / "signers").write_text("\n".join(lines) + "\n")
    return folder / "signers"


@needs_ssh
def test_signatures(copied: Path) -> None:
    ann, bob = make_key(copied, "ann"), make_key(copied, "bob")
    assert seal(SealConfig(run=copied / "run", sign=ann)).is_signed
    signature = copied / "run" / "receipt.json.sig"
    written = signature.read_text() + (copied / "run" / "receipt.json").read_text()
    assert "private" not in written
    found = verified(copied, signers=allow(copied, bob=bob, ann=ann))
    assert found.problems == ()
    assert found.signer == "ann"
    assert "compared with no list" in verified(copied).remarks[0]

    assert "isn't one of signers" in verified(copied, signers=allow(copied, bob=bob)).problems[0]
    # A foreign key signs the receipt in place of the allowed one.
    seal(SealConfig(run=copied / "run", sign=bob))
    assert "isn't one of signers" in verified(copied, signers=allow(copied, ann=ann)).problems[0]
    # The signature is of another run's receipt.
    seal(SealConfig(run=copied / "other", sign=ann))
    shutil.copy(copied / "other" / "receipt.json.sig", signature)
    for signers in (None, allow(copied, ann=ann)):
        assert "receipt.json.sig: isn't a signature of this receipt." in verified(copied, signers=signers).problems
    # It was made for another purpose.
    (copied / "run" / "receipt.json.sig").unlink()
    file = copied / "run" / "receipt.json"
    subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", str(ann), str(file)], check=True, capture_output=True
    )
    assert "isn't a signature of this receipt" in verified(copied, signers=allow(copied, ann=ann)).problems[0]
    # Sealing again without a key takes the old signature away.
    seal(SealConfig(run=copied / "run"))
    assert not signature.exists()
    assert "is missing" in verified(copied, signers=allow(copied, ann=ann)).problems[0]


def test_without_ssh_keygen_signing_is_refused_in_a_sentence(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(copied))
    with pytest.raises(UsageError, match="signing a receipt needs ssh-keygen of OpenSSH"):
        seal(SealConfig(run=copied / "run", sign=copied / "key"))
    (copied / "signers").write_text("")
    with pytest.raises(UsageError, match="checking signatures needs ssh-keygen"):
        verified(copied, signers=copied / "signers")
    assert verified(copied).is_verified


@pytest.fixture
def served(copied: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(copied)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_run_at_an_address_is_verified(copied: Path, served: str) -> None:
    assert verify(VerifyConfig(run=f"{served}/run/")).is_verified
    assert "has no receipt" in verify(VerifyConfig(run=f"{served}/nothing")).problems[0]
    cut(copied / "run" / "items.parquet")
    assert "items.parquet: is no readable table" in verify(VerifyConfig(run=f"{served}/run")).problems[0]
    assert "is no address of a run" in verify(VerifyConfig(run=f"file://{copied}/run")).problems[0]


def make_board(home: Path, **settings: Any) -> tuple[BoardResult, str]:
    made = board(BoardConfig(folder=home / "runs", out=home / "site", **settings))
    return made, (home / "site" / "index.html").read_text()


@pytest.fixture
def submitted(copied: Path) -> Path:
    """Three good runs, a baseline, a person, a forged one, one without a receipt, and a link to one."""
    for name, right, model in (
        ("a", 24, "best"), ("b", 6, "openai/<script>alert(1)</script>"), ("c", 5, "third"), ("people", 16, "human/ann"),
        ("forged", 2, "forger"), ("bare", 16, "bare"),
    ):  # fmt: skip
        make_run(copied / "bench", copied / "runs" / name, right, model)
    baseline = ["run", str(copied / "bench"), "--model", "baseline/random", "--out", str(copied / "runs" / "random")]
    assert CliRunner().invoke(app, baseline).exit_code == 0
    for name in ("a", "b", "c", "people", "forged", "random"):
        seal(SealConfig(run=copied / "runs" / name))
    edit_rows(copied / "runs" / "forged" / "scores.parquet", column("score", 1.0, pl.col("id") == "q15"))
    (copied / "runs" / "link").symlink_to(copied / "run", target_is_directory=True)
    return copied


def test_a_board_ranks_verified_runs_only(submitted: Path) -> None:
    made, page = make_board(submitted, benchmark=submitted / "bench")
    assert sorted(one.run for one in made.runs if one.is_verified) == ["a", "b", "c", "people", "random"]
    assert sorted(one.run for one in made.runs if not one.is_verified) == ["bare", "forged"]
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = [row.partition("</td>")[0].rpartition(">")[2] for row in body.split("<tr")[1:]]
    assert [row for row in rows if row][:3] == ["best", "openai/&lt;script&gt;alert(1)&lt;/script&gt;", "third"]
    assert "forger" not in body
    assert "bare" not in body
    assert "LEFT OUT: forged: scores.parquet: item q15, careful: its score is 1.0" in page.replace("&#39;", "'")
    assert "LEFT OUT: bare: the run: has no receipt" in page
    best, second = (next(row for row in body.split("<tr") if f">{name}" in row) for name in ("best", "third"))
    assert '<td class="text">1</td>' in best
    assert '<td class="text">2–3</td>' in second
    for name in ("baseline/random", "human/ann"):
        row = next(row for row in body.split("<tr") if f">{name}" in row)
        assert "<strong>" not in row
        assert '<td class="text">–</td><td class="text">–</td>' in row  # neither range nor signer
    assert "<script>" not in page
    assert str(submitted) not in page
    assert "Where is 3?" not in page  # questions stay with their runs
    assert sorted(path.name for path in (submitted / "site").iterdir()) == ["README.md", "index.html"]


def test_a_board_is_a_static_space_whose_card_stays_as_it_is(submitted: Path) -> None:
    make_board(submitted)
    card = submitted / "site" / "README.md"
    _, front, text = card.read_text().split("---\n")
    found = yaml.safe_load(front)
    assert found == {"title": "Leaderboard of verified runs", "sdk": "static", "app_file": "index.html"}
    assert text == "\nLeaderboard of verified runs, written by Tolman.\n"
    card.write_text("mine")
    make_board(submitted)
    assert card.read_text() == "mine"


def test_runs_of_other_questions_have_a_board_of_their_own(submitted: Path) -> None:
    make_benchmark(submitted / "second", "Second")
    edit_rows(submitted / "second" / "items.parquet", column("question", "Which?", Q3))
    seal(SealConfig(run=make_run(submitted / "second", submitted / "runs" / "z", 3, "z")))
    _, page = make_board(submitted)
    pages = sorted(path.name for path in (submitted / "site").glob("board-*.html"))
    assert len(pages) == 2
    assert all(f'href="{name}"' in page for name in pages)
    assert "LEFT OUT: forged" in page
    made, page = make_board(submitted, benchmark=submitted / "bench")
    (refused,) = (one for one in made.runs if one.run == "z")
    assert any("item q3: its question isn't the benchmark's" in problem for problem in refused.problems)
    assert not [*(submitted / "site").glob("board-*.html")]  # pages of earlier boards are gone


def test_a_part_of_the_questions_has_no_rank_and_is_not_chosen_by_hand(submitted: Path) -> None:
    answers = submitted / "answers.jsonl"
    answers.write_text("".join(json.dumps({"id": f"q{n}", "response": "A"}) + "\n" for n in range(QUESTIONS)))
    part = submitted / "runs" / "part"
    command = ["run", str(submitted / "bench"), "--model", f"scripted/{answers}", "--limit", "4", "--out", str(part)]
    assert CliRunner().invoke(app, command).exit_code == 0
    receipt = seal(SealConfig(run=part)).receipt
    assert receipt.model == "scripted/answers.jsonl"
    picked = submitted / "runs" / "picked"
    shutil.copytree(part, picked)
    right = [item for item in read_items(submitted / "bench" / "items.parquet") if item.id not in receipt.items][:4]
    write_items(picked / "items.parquet", right)
    said = [json.dumps({"id": item.id, "response": item.answer}) + "\n" for item in right]
    (picked / "responses.jsonl").write_text("".join(said))
    assert CliRunner().invoke(app, ["score", str(picked)]).exit_code == 0
    seal(SealConfig(run=picked))
    for name in ("a", "b"):  # two whole runs are left
        shutil.rmtree(submitted / "runs" / name)
    seal(SealConfig(run=make_run(submitted / "bench", submitted / "runs" / "d", 3, "d")))
    made, page = make_board(submitted, benchmark=submitted / "bench")
    refused = {one.run: one.problems for one in made.runs}
    assert not refused["part"]
    sentence = f"items.parquet: item {right[0].id} isn't one that the settings select of the benchmark."
    assert sentence in refused["picked"]
    row = next(row for row in page.split("<tr") if ">scripted/answers.jsonl [4 of 24]" in row)
    assert "<strong>" not in row
    assert "whose table isn't known; give --benchmark FOLDER" in verify(VerifyConfig(run=str(part))).problems[0]


def test_a_model_cannot_take_the_name_or_the_signer_of_another_run(copied: Path) -> None:
    for name, right, model in (("a", 9, "m"), ("b", 8, "m"), ("c", 2, "m (in a)")):
        seal(SealConfig(run=make_run(copied / "bench", copied / "runs" / name, right, model)))
    _, page = make_board(copied)
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    names = [row.partition("</td>")[0].rpartition(">")[2] for row in body.split('<td class="text">')[1:]]
    assert [name for name in names if name.startswith("m")] == ["m (in a)", "m (in b)", "m (in a) (in c)"]


def test_samples_failures_and_further_metrics_are_sealed_too(copied: Path) -> None:
    loaded = load(str(copied / "bench"), None, None)
    run = answered(
        loaded, copied / "runs" / "x", lambda n, item: None if n == 5 else item.answer if n % 3 else "A",
        benchmark=str(copied / "bench"), repeats=2,
    )  # fmt: skip
    assert CliRunner().invoke(app, ["score", str(run), "--metrics", "within-25"]).exit_code == 1  # a call failed
    assert seal(SealConfig(run=run)).receipt.files.keys() >= {"metrics.parquet"}
    assert verify(VerifyConfig(run=str(run), benchmark=copied / "bench")).problems == ()
    _, page = make_board(copied)
    assert "[incomplete]" in page
    metrics = pl.read_parquet(run / "metrics.parquet")
    (name,) = set(metrics.columns) - {"rule_set", "id", "repeat"}
    edit_rows(run / "metrics.parquet", column(name, 1.0, pl.col("id") == "q0"))
    problems = verify(VerifyConfig(run=str(run))).problems
    assert any(text.startswith("metrics.parquet: item q0, careful: its") for text in problems)
    edit_json(run / "run.json", set_setting("repeats", 10**9))
    assert any("more than can be scored" in text for text in verify(VerifyConfig(run=str(run))).problems)


def test_a_judge_s_judgements_are_sealed(tmp_path: Path) -> None:
    write_bench(tmp_path, ["B", "to the right", "hm, who knows"])
    with serving(Judge({"to the right": "B"})) as url:
        judge = ("--judge", "openai/judge", "--judge-base-url", url, "--judge-sample", "0", "--store", "s.sqlite")
        tolman(tmp_path, *RUN, *judge, code=0)
    assert "judged" in seal(SealConfig(run=tmp_path / "run")).receipt.scorers
    assert verified(tmp_path).is_verified  # by the scoring profile that the receipt names
    file = tmp_path / "run" / "judgements.json"
    file.write_text(file.read_text().replace('"Z"', '"B"'))
    problems = verified(tmp_path).problems
    assert any(text.startswith("scores.parquet: item 2, judged: its") for text in problems)
    assert "judgements.json: its bytes aren't the sealed ones." in problems


def test_a_folder_without_runs_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no run"):
        board(BoardConfig(folder=tmp_path, out=tmp_path / "site"))


def test_a_receipt_is_read_as_it_was_written(places: Path) -> None:
    content = (places / "run" / "receipt.json").read_bytes()
    receipt = read_receipt(content)
    assert receipt.text().encode() == content
    assert receipt.media is not None
    assert len(receipt.media) == len(receipt.items) == QUESTIONS
    with pytest.raises(InputError, match="is no receipt"):
        read_receipt(b"[" * 100_000)
