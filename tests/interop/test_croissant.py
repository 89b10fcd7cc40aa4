"""mlcroissant and `datasets`, in an environment of their own (`make test-interop`), read an exported folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from exports.materials import items, write_benchmark
from tolman.features.catalogue.compute import export
from tolman.features.catalogue.config import ExportConfig
from tolman.items import Item, Media

VARIABLE = "TOLMAN_CROISSANT"

pytestmark = [
    pytest.mark.full,
    pytest.mark.interop,
    pytest.mark.skipif(VARIABLE not in os.environ, reason="'make test-interop' installs mlcroissant"),
]


def test_the_folder_is_valid_and_read_as_it_was_written(tmp_path: Path, shared_data: Path) -> None:
    clip = Media(kind="video", path="videos/room/a.mp4")
    asked = [*items(), Item(id="q7", question="How long?", kind="number", unit="m", answer="2", task="object_abs_distance",
                            scene="s/4", media=(clip,))]  # fmt: skip
    bench = write_benchmark(tmp_path / "bench", asked)
    (bench / "videos" / "room").mkdir(parents=True)
    shutil.copyfile(shared_data / "interchange" / "croissant" / "bench" / "media" / "clip.mp4", bench / clip.path)
    out = tmp_path / "out"
    given = ("url=https://example.org/tiny", "creator=Nobody")
    export(ExportConfig(source=(f"{bench}/",), form="croissant", out=out, settings=given))

    place = Path(os.environ[VARIABLE]).resolve() / "bin"
    bare = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [place / "mlcroissant", "validate", "--jsonld", out / "croissant.json"],
        capture_output=True, text=True, check=False, env=bare,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip().endswith("Done.")

    script = Path(__file__).with_name("croissant.py")
    done = subprocess.run(
        [place / "python", script, out, tmp_path / "cache"], capture_output=True, text=True, check=False, env=bare
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert (found["errors"], found["warnings"]) == ([], [])
    for rows in (found["records"]["questions"], found["rows"]):
        assert [(row["id"], row["question"], row["answer"], row["options"] or []) for row in rows] == [
            (item.id, item.question, item.answer, list(item.options)) for item in asked
        ]
    shown = [(row["question"], row["position"], row["path"]) for row in found["records"]["media"]]
    assert shown == [(item.id, number, one.path) for item in asked for number, one in enumerate(item.media)]
    pictures = {row["path"]: row["content"] for row in found["records"]["contents-0"]}
    assert pictures == {"media/a.png": [64, 48], "media/b.png": [64, 48]}
