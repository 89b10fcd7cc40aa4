"""A real MLflow server and W&B's offline mode, in an environment of their own (`make test-interop`), get a run."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from interop.scripted import theirs
from loopback import Server, serving
from runs.letters import write_letters

VARIABLE = "TOLMAN_TRACKERS"
SECRET = "s3cret"
COUNT = 30

pytestmark = [
    pytest.mark.full,
    pytest.mark.interop,
    pytest.mark.skipif(VARIABLE not in os.environ, reason="'make test-interop' installs MLflow and W&B"),
]


@contextmanager
def mlflow_server(place: Path) -> Iterator[str]:
    """A server with its files below `place`; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        Path(os.environ[VARIABLE]).resolve() / "bin" / "mlflow", "server", "--host", "127.0.0.1", "--port", str(port),
        "--workers", "1", "--backend-store-uri", f"sqlite:///{place}/runs.db", "--artifacts-destination", place / "artifacts",
    ]  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    with (
        (place / "server.log").open("w") as log,
        subprocess.Popen(command, cwd=place, stdout=log, stderr=log) as server,
    ):
        try:
            for _ in range(1200):
                try:
                    urllib.request.urlopen(f"{url}/health").close()
                    break
                except urllib.error.URLError:
                    assert server.poll() is None, (place / "server.log").read_text()
                    time.sleep(0.1)
            yield url
        finally:
            server.terminate()


def asked(url: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """JSON from the MLflow server."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def named(entries: list[dict[str, Any]]) -> dict[str, Any]:
    return {one["key"]: one["value"] for one in entries}


def test_a_run_is_logged_once_and_read_back_and_a_dead_server_costs_nothing(tmp_path: Path) -> None:
    write_letters(tmp_path / "letters", COUNT, scene=str)
    own = {
        "OPENAI_API_KEY": "", "WANDB_MODE": "offline", "WANDB_DIR": str(tmp_path), "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
        "WANDB_DATA_DIR": str(tmp_path), "WANDB_CACHE_DIR": str(tmp_path), "WANDB_CONFIG_DIR": str(tmp_path),
    }  # fmt: skip
    (tmp_path / "mlflow").mkdir()
    replies = Server(reply=lambda body: "A" if str(body["messages"]).count("Question 1") else "B")
    with mlflow_server(tmp_path / "mlflow") as tracker:
        own["MLFLOW_TRACKING_URI"] = tracker.replace("//", f"//ann:{SECRET}@")
        with serving(replies) as url:
            address = url.replace("//", f"//ann:{SECRET}@")
            typed = [
                "run", "./letters", "--model", "openai/my-model", "--base-url", address, "--body", f'{{"key": "{SECRET}"}}',
                "--out", "run", "--log", "wandb,mlflow",
            ]  # fmt: skip
            first = theirs(VARIABLE, "tolman", *typed, place=tmp_path, **own)
            again = theirs(VARIABLE, "tolman", *typed, place=tmp_path, **own)
        assert replies.requests == COUNT
        assert SECRET in (tmp_path / "run/run.json").read_text()
        for done in (first, again):
            assert "Logged to wandb: offline; 'wandb sync " in done.stderr
            assert "Logged to mlflow: run " in done.stderr
            assert SECRET not in done.stderr + done.stdout
        figures = json.loads((tmp_path / "run/scores.json").read_text())
        cell = figures["rule_sets"]["careful"]["cells"]["average"]
        wanted = {
            "letters/headline": cell["value"], "letters/headline_lo": cell["interval"]["low"],
            "letters/headline_hi": cell["interval"]["high"], "letters/headline_n": COUNT, "letters/careful/t": cell["value"],
            "letters/asked": COUNT, "letters/unread": 0, "letters/failed": 0, "letters/missing": 0,
        }  # fmt: skip
        assert 0 < cell["value"] < 100

        experiment = asked(tracker, "/api/2.0/mlflow/experiments/get-by-name?experiment_name=tolman")["experiment"]
        search = {"experiment_ids": [experiment["experiment_id"]]}
        (entry,) = asked(tracker, "/api/2.0/mlflow/runs/search", search)["runs"]
        assert entry["info"]["run_name"] == "openai/my-model on letters"
        assert entry["info"]["status"] == "FINISHED"
        assert wanted.items() <= named(entry["data"]["metrics"]).items()
        params = named(entry["data"]["params"])
        assert (params["model"], params["seed"], params["frames.count"]) == ("openai/my-model", "0", "32")
        path = f"/get-artifact?run_uuid={entry['info']['run_id']}&path="
        table = asked(tracker, path + "samples.json")
        assert len(table["data"]) == COUNT
        assert asked(tracker, path + "scores.json")["rule_sets"] == figures["rule_sets"]
        with urllib.request.urlopen(f"{tracker}{path}report.html") as page:
            assert b"Question 29?" in page.read()
        assert "samples.json" in named(entry["data"]["tags"])["mlflow.loggedArtifacts"]

    kept = sorted((tmp_path / "wandb").glob("offline-run-*"))
    assert len(kept) == 2  # to be uploaded into one entry
    read = Path(__file__).with_name("read_wandb.py")
    for folder in kept:
        (file,) = folder.glob("*.wandb")
        found = json.loads(theirs(VARIABLE, "python", str(read), str(file), place=tmp_path).stdout)
        assert (found["id"], found["project"]) == ((tmp_path / "run/tracker_id.txt").read_text().strip(), "tolman")
        assert wanted.items() <= found["summary"].items()
        assert found["config"]["model"] == "openai/my-model"
        assert set(found["artifacts"]["evaluation"]) == {"report.html", "scores.json"}
        (samples,) = folder.glob("files/media/table/samples_*.table.json")
        assert json.loads(samples.read_text()) == table

    logged = [*(tmp_path / "mlflow").rglob("*"), *(tmp_path / "wandb").rglob("*"), *(tmp_path / "artifacts").rglob("*")]
    contents = {path: path.read_bytes() for path in logged if path.is_file()}
    assert any(path.name == "runs.db" for path in contents)
    assert not [path for path, content in contents.items() if SECRET.encode() in content]

    # The table is one that 'tolman score' reads.
    (tmp_path / "samples.json").write_text(json.dumps(table))
    theirs(VARIABLE, "tolman", "score", "samples.json", "--benchmark", "./letters", "--out", "back", place=tmp_path)
    back = json.loads((tmp_path / "back/scores.json").read_text())["rule_sets"]["careful"]["cells"]["average"]
    assert back["value"] == cell["value"]

    scored = theirs(VARIABLE, "tolman", "score", "run", "--log", "mlflow", place=tmp_path, **own)  # the server is gone
    (warning,) = [line for line in scored.stderr.splitlines() if "isn't logged" in line]
    assert warning.startswith("run isn't logged to mlflow: API request to http://…@127.0.0.1:")
    assert warning.endswith("'tolman report run --log mlflow' tries again.")
    assert json.loads((tmp_path / "run/scores.json").read_text()) == figures
