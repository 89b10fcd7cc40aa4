"""Reads a training set as a program that trains does; runs in an environment that has the program and not Tolman.

Arguments: the program, the folder, a cache. Prints JSON: for each row its prompt with a mark for each medium, the number
of its media, and its target.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

program, folder, cache = sys.argv[1:]
os.environ.update(HF_HOME=cache, HF_HUB_OFFLINE="1", MODELSCOPE_CACHE=cache)
found: list[dict[str, Any]] = []


def marked(parts: list[dict[str, Any]]) -> str:
    """The text of structured content."""
    return "".join(part["text"] if part["type"] == "text" else f"<{part['type']}>" for part in parts)


if program == "trl":
    from datasets import load_dataset
    from trl.data_utils import is_conversational, prepare_multimodal_messages

    for row in load_dataset(folder, split="train"):
        assert is_conversational(row)
        asked, said = prepare_multimodal_messages(row["prompt"] + row["completion"], row["images"])
        shown = [part["image"].size for part in asked["content"] if part["type"] == "image"]
        found.append({"prompt": marked(asked["content"]), "media": len(shown), "target": marked(said["content"])})
elif program == "llama-factory":
    from llamafactory.data.loader import _load_single_dataset
    from llamafactory.data.parser import get_dataset_list
    from llamafactory.hparams import DataArguments, ModelArguments
    from transformers import Seq2SeqTrainingArguments

    (name,) = json.loads((Path(folder) / "dataset_info.json").read_text())
    data = DataArguments(dataset=name, dataset_dir=folder, media_dir=folder)
    model = ModelArguments(model_name_or_path="none", cache_dir=cache)
    training = Seq2SeqTrainingArguments(output_dir=cache, use_cpu=True, report_to=[])
    (description,) = get_dataset_list([name], folder)
    for row in _load_single_dataset(description, model, data, training):
        media = [*(row["_images"] or ()), *(row["_videos"] or ())]
        assert all(Path(path).is_file() for path in media)
        prompt, target = row["_prompt"][0]["content"], row["_response"][0]["content"]
        found.append({"prompt": prompt, "media": len(media), "target": target})
elif program == "ms-swift":
    from swift.dataset import load_dataset as load_swift

    for row in load_swift(f"{folder}/train.jsonl", split_dataset_ratio=0.0, num_proc=1)[0]:
        media = [*(row.get("images") or ()), *(row.get("videos") or ())]
        media = [one["path"] if isinstance(one, dict) else one for one in media]
        assert all(Path(path).is_file() for path in media)
        prompt, target = (turn["content"] for turn in row["messages"])
        found.append({"prompt": prompt, "media": len(media), "target": target})
elif program == "verl":
    from omegaconf import OmegaConf
    from verl.utils.dataset.rl_dataset import RLHFDataset

    config = OmegaConf.create({"cache_dir": cache, "filter_overlong_prompts": False, "return_raw_chat": True})
    rows = RLHFDataset(f"{folder}/train.parquet", tokenizer=None, config=config, processor=object())
    for row in (rows[number] for number in range(len(rows))):
        parts = row["raw_prompt"][0]["content"]
        media = [part[part["type"]] for part in parts if part["type"] != "text"]
        assert all(Path(path).is_file() for path in media)
        target = row["reward_model"]["ground_truth"]
        found.append({"prompt": marked(parts), "media": len(media), "target": target})
print(json.dumps(found))
