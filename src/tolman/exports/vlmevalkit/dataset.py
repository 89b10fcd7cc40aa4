"""An exported benchmark as a dataset of VLMEvalKit, which is imported when its `run.py` is run.

Every question is put in the benchmark's own words. Pictures are handed over as the files that Tolman shows, a video as
its frames by the prompt preset: VLMEvalKit's own sampling of videos adds a last frame.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tolman.errors import InputError
from tolman.exports.harness_scoring import ExportedBenchmark, shown
from tolman.items import Media
from tolman.models.thinking import apart

FAILED = "Failed to obtain answer"
"""What a prediction holds that VLMEvalKit writes for a call that brought no answer."""
KIT = Path("run.py")
"""In VLMEvalKit's folder, where that is the working directory."""
INSTALLED = "vlmeval.run"
"""Module of the same program in the package on PyPI, `nvidia-vlmeval`."""


def run(name: str, folder: str, preset: str) -> None:
    """Add a dataset to VLMEvalKit and go on as its `run.py`, with the arguments of this process.

    Args:
        name: of the dataset, for `--data`.
        folder: of the TSV; the bundle's folder in it has the dataset's name.
        preset: name of the prompt preset.

    Raises:
        InputError: VLMEvalKit is neither in the working directory nor installed as `nvidia-vlmeval`.
    """
    is_here = KIT.is_file() and Path("vlmeval").is_dir()
    if is_here:
        sys.path.insert(0, str(Path.cwd()))
    elif find_spec("vlmeval") is None or find_spec(INSTALLED) is None:
        fix = "start this in VLMEvalKit's folder, or 'pip install nvidia-vlmeval'"
        raise InputError(KIT.resolve(), "is missing", fix=fix)
    os.environ.setdefault("SPLIT_THINK", "1")  # predictions without reasoning, as a run of Tolman's has them
    add_dataset(name, Path(folder), ExportedBenchmark.open(Path(folder) / name, preset))
    if is_here:
        runpy.run_path(str(KIT), run_name="__main__")
    else:
        from vlmeval import inference

        inference.dump = _splitting(inference.dump)  # in place of SPLIT_THINK, which the package doesn't know
        runpy.run_module(INSTALLED, run_name="__main__")


def _splitting(dump: Callable[..., Any]) -> Callable[..., Any]:
    """VLMEvalKit's writer of files, which puts reasoning inside predictions into a column `thinking`."""

    def write(data: Any, *arguments: Any, **rest: Any) -> Any:
        if hasattr(data, "columns") and "prediction" in data.columns:
            parts = [apart(text, reasons=False, is_cut=False) for text in data["prediction"]]
            answers = [answer or text for (answer, _, _), text in zip(parts, data["prediction"], strict=True)]
            data = data.assign(prediction=answers, thinking=[reasoning for _, reasoning, _ in parts])
        return dump(data, *arguments, **rest)

    return write


def add_dataset(name: str, folder: Path, exported: ExportedBenchmark) -> Any:
    """Put a dataset into VLMEvalKit's list, and its class where the files of `--config` find it.

    Returns:
        Its class.
    """
    from vlmeval import dataset as kit

    added = dataset_class(name, folder, exported)
    setattr(kit, added.__name__, added)
    kit.DATASET_CLASSES.insert(0, added)
    kit.SUPPORTED_DATASETS.append(name)
    return added


def dataset_class(name: str, folder: Path, exported: ExportedBenchmark) -> Any:
    """The class of a dataset, as VLMEvalKit has one for each."""
    import pandas as pd
    from vlmeval.dataset.image_base import ImageBaseDataset
    from vlmeval.smp import get_intermediate_file_path

    scorer, headline = exported.rules.name, exported.table.headline

    class TolmanDataset(ImageBaseDataset):  # type: ignore[misc]
        TYPE = "VQA"
        MODALITY = "IMAGE"
        DEFAULT_JUDGE = "exact_matching"  # no model reads these answers
        DATASET_URL = {name: f"{name}.tsv"}  # noqa: RUF012 - as VLMEvalKit's own classes have it
        DATASET_MD5 = {name: None}  # noqa: RUF012
        force_use_dataset_prompt = True

        def load_data(self, dataset: str) -> Any:
            return read_table(folder / f"{name}.tsv", without="image")

        def build_prompt(self, line: Any) -> list[dict[str, str]]:
            if isinstance(line, int):
                line = self.data.iloc[line]
            return prompt_of(exported, str(line["id"]))

        def dump_image(self, line: Any) -> list[str]:
            return [part["value"] for part in self.build_prompt(line) if part["type"] == "image"]

        def evaluate(self, eval_file: str, **judge_kwargs: Any) -> dict[str, Any]:
            predictions = read_table(Path(eval_file))
            rows = rows_of(exported, predictions["id"], predictions["prediction"])
            found = {key: value for key, value in exported.figures(rows).items() if value is not None}
            figures = {f"{scorer}_{key}": value for key, value in found.items()}
            pd.DataFrame(rows).to_csv(get_intermediate_file_path(eval_file, f"_{scorer}", "csv"), sep="\t", index=False)
            pd.DataFrame([figures]).to_csv(get_intermediate_file_path(eval_file, "_acc", "csv"), sep="\t", index=False)
            return figures

        @classmethod
        def report_primary_metric(cls, metrics: Any) -> dict[str, Any]:
            key = f"{scorer}_{headline}"
            return {key: metrics[key]} if isinstance(metrics, dict) and key in metrics else {}

    return TolmanDataset


def prompt_of(exported: ExportedBenchmark, identity: str) -> list[dict[str, str]]:
    """A question as VLMEvalKit's messages: texts, and the files of pictures."""
    found: list[dict[str, str]] = []
    for part in exported.prompt(exported.items[identity]).parts:
        if isinstance(part, str):
            found.append({"type": "text", "value": part})
        elif isinstance(part, Media):
            found += [{"type": "image", "value": picture.path} for picture in shown(exported, part)]
    return found


def rows_of(exported: ExportedBenchmark, ids: Any, predictions: Any) -> list[dict[str, Any]]:
    """Rows of scores of a prediction file; a call that failed has no score."""
    return [
        exported.row(exported.items[str(identity)], text, failure=text if FAILED in text else None)
        for identity, text in zip(ids, predictions, strict=True)
    ]


def read_table(path: Path, without: str | None = None) -> Any:
    """A table as texts: pandas would take an answer such as 'None' for a missing one, and '04' for 4."""
    import pandas as pd

    options: dict[str, Any] = {"dtype": str, "keep_default_na": False, "na_filter": False}
    if path.suffix == ".xlsx":
        found = pd.read_excel(path, **options)
    elif path.suffix == ".json":
        found = pd.read_json(path, dtype=False).astype(str)
    else:
        found = pd.read_csv(path, sep="\t", **options)
    found = found.drop(columns=[without], errors="ignore") if without else found
    if "index" in found:
        found["index"] = found["index"].astype(int)
    return found
