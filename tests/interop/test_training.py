"""TRL, LLaMA-Factory, ms-swift and verl, in environments of their own (`make test-interop`), read training sets."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import tolman
from tolman.benchmarks.spec import without_media
from tolman.features.catalogue.compute import export
from tolman.features.catalogue.config import ExportConfig
from tolman.runs.run_items import load, preset_of

ROOMS = Path(__file__).resolve().parents[1] / "rooms"
VARIABLES = {name: f"TOLMAN_{name.upper().replace('-', '_')}" for name in ("trl", "llama-factory", "ms-swift", "verl")}

pytestmark = [pytest.mark.full, pytest.mark.interop]


@pytest.mark.parametrize("program", VARIABLES)
@pytest.mark.parametrize("frames", ["", "frames=2"])
def test_the_programs_own_reader_has_every_prompt_medium_and_answer(program: str, frames: str, tmp_path: Path) -> None:
    if VARIABLES[program] not in os.environ:
        pytest.skip(f"'make test-interop' installs {program}")
    tolman.generate(ROOMS, tmp_path / "bench", preset="vsi-paper", max_filter_rounds=0, per_task=4)
    settings = (frames,) if frames else ()
    out = tmp_path / "out"
    export(ExportConfig(source=(f"{tmp_path / 'bench'}/",), form=program, out=out, settings=settings))

    python = Path(os.environ[VARIABLES[program]]).resolve() / "bin" / "python"
    bare = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    script = Path(__file__).with_name("training.py")
    done = subprocess.run(
        [python, script, program, out, tmp_path / "cache"], capture_output=True, text=True, check=False, env=bare
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout.splitlines()[-1])

    loaded = load(f"{tmp_path / 'bench'}/", None, None)
    preset = preset_of(loaded.benchmark, None)
    count = 2 if frames else 32 if program == "trl" else 1
    mark = "<image>" if frames or program == "trl" else "<video>"
    assert len(rows) == len(loaded.items) > 20
    for item, row in zip(loaded.items, rows, strict=True):
        asked = without_media(loaded.benchmark.whole_prompt(item, preset)).text
        assert row["prompt"].removeprefix(mark * count).lstrip("\n") == asked.lstrip("\n")
        assert (row["media"], row["target"]) == (count, item.answer)
