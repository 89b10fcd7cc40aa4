"""Training sets: questions with their answers as programs that train models read them, and reading of such files.

Sources, as of 2026: haotian-liu/LLaVA (c121f04), QwenLM/Qwen3-VL (9658872) `qwen-vl-finetune/qwenvl/data`,
hiyouga/LLaMA-Factory (ff6d4d1) `data/README.md`, modelscope/ms-swift (3602360) "Custom dataset", huggingface/trl
(f2cd577) `docs/source/dataset_formats.md`, volcengine/verl (b178a3c and 0.9.1) `verl/utils/dataset/rl_dataset.py`.

A row asks a question with the benchmark's own prompt. Its target is the answer in the form that the prompt demands; a
row whose target the scorer doesn't give full marks is left out. The folder is also a benchmark, so that `tolman run`
and `tolman score` open it. Rewards are computed from the items in it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import polars as pl

from tolman.analyze.overlap import AskedQuestion, in_folder
from tolman.benchmarks.benchmark_folder import is_folder
from tolman.errors import InputError, UsageError, counted
from tolman.exports.exporters import BenchmarkExport, BenchmarkSource, Exported, Target, write_bundle, write_template
from tolman.files import link_or_copy, write_text, writing
from tolman.items import MEDIA_MARK, Item, Media
from tolman.media.frame_store import FrameStore, default_root
from tolman.media.sampling import Frames
from tolman.runs.run_items import load
from tolman.scoring.error_types import MMSI
from tolman.scoring.rule_sets import RuleSet

VIDEO_MARK = "<video>"
MARKS = {"image": MEDIA_MARK, "video": VIDEO_MARK, "audio": "<audio>"}
"""Places of media in a text, as all of these programs write them."""
FRAMES = "frames"
_STEP = re.compile(rf" \((?:{'|'.join(re.escape(kind.step) for kind in MMSI.types if kind.step)}[^()]*)\)(?=[.!?])")


@dataclass(frozen=True)
class TrainingRow:
    """One question with its target.

    Attributes:
        item: the question.
        parts: of the prompt: texts, and media by their paths in the folder.
        target: the answer to learn.
    """

    item: Item
    parts: tuple[str | Media, ...]
    target: str

    @property
    def text(self) -> str:
        """The prompt with a mark for each medium; a line break is between media and the text after them."""
        written, after_media = "", False
        for part in self.parts:
            is_text = isinstance(part, str)
            gap = "\n" if after_media and is_text and not self.item.interleaved else ""
            written += gap + (part if isinstance(part, str) else MARKS[part.kind])
            after_media = not is_text
        return written

    def paths(self, kind: str, folder: Path | None = None) -> list[str]:
        """The files of one kind in order: relative to the folder, or absolute if it is given."""
        found = [part.path for part in self.parts if isinstance(part, Media) and part.kind == kind]
        return found if folder is None else [str(folder / path) for path in found]

    @property
    def is_sound(self) -> bool:
        """Check that each mark in the prompt is of a medium, and none is in the target."""
        return not any(mark in self.target for mark in MARKS.values()) and all(
            self.text.count(mark) == len(self.paths(kind)) for kind, mark in MARKS.items()
        )


def write(source: BenchmarkSource, target: Target, *, form: TrainingForm) -> Exported:
    """Fill a folder with a training set.

    Raises:
        UsageError: a setting that can't be, a published benchmark, or no question is left.
        InputError: a medium is missing or can't be read.
    """
    if not is_folder(source.benchmark.name):
        raise UsageError(
            f"{source.benchmark.title} is published to test models, and training on it makes its scores meaningless; "
            "export the folder of a benchmark that you generated or curated."
        )
    reasons = _yes(target, "reasoning")
    rules = _rules(source, target.settings.get("scorer", "careful" if reasons else ""))
    items = write_bundle(source, target, target.folder)
    lost: Counter[str] = Counter()
    rows = list(_rows(source, target, items, rules, lost, form))
    if not rows:
        raise UsageError(f"no question is left for training: {lost.most_common(1)[0][0]}.")
    form.write(rows, target, source.name)
    if form.reward:
        write_template(
            target.folder / "reward.py", "training/reward.py.txt", {"scorer": rules.name, "function": form.reward}
        )
    notes = [f"{counted(count, 'question')} left out: {why}." for why, count in lost.items()]
    if reasons and (bare := sum(not row.item.reasoning for row in rows)):
        notes.append(f"{counted(bare, 'row')} of {len(rows):,} without reasoning, as the item has none.")
    if form.absolute:
        notes.append("Paths of media are absolute: export again if you move the folder.")
    use = form.use.format(out=target.place, full=target.place.resolve(), name=_name(source.name))
    return Exported(f"{counted(len(rows), 'row')}. {use}", tuple(notes))


def _yes(target: Target, name: str) -> bool:
    value = target.settings.get(name, "no")
    if value not in ("yes", "no"):
        raise UsageError(f"--set {name} takes yes or no, not '{value}'.")
    return value == "yes"


def _rules(source: BenchmarkSource, name: str) -> RuleSet:
    return source.benchmark.rule_set(name) if name else source.benchmark.headline_rules


def _frames(target: Target) -> int | None:
    given = target.settings.get(FRAMES)
    if given is None:
        return None
    if not given.isdecimal() or not 1 <= int(given) <= 1024:
        raise UsageError(f"--set frames takes a number of frames from 1 to 1024, not '{given}'.")
    return int(given)


def _name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_") or "training"


def _rows(
    source: BenchmarkSource,
    target: Target,
    items: Sequence[Item],
    rules: RuleSet,
    lost: Counter[str],
    form: TrainingForm,
) -> Iterator[TrainingRow]:
    """The rows; counts the questions that are left out, by reason."""
    shown = partial(_shown, source, target, count=_frames(target), as_images=not form.videos)
    reasons = _yes(target, "reasoning")
    target.began("writing rows", len(items))
    for item in items:
        target.advanced(1)
        message = source.benchmark.whole_prompt(item, source.preset)
        parts = tuple(one for part in message.parts if isinstance(part, str | Media) for one in shown(part))
        answer = item.answer
        if "``" in source.benchmark.demand(item, source.preset):  # MMSI-Bench encloses the letter
            answer = f"``{answer}``"
        if reasons and item.reasoning:
            answer = f"<think>\n{_STEP.sub('', item.reasoning)}\n</think>\n\n{answer}"
        row = TrainingRow(item, parts, answer)
        if rules.undefined(item) is not None or not _is_full(rules, item, answer):
            lost[f"'{rules.name}' doesn't give their answer full marks"] += 1
        elif not row.is_sound:
            lost["their text has a mark such as <image> without a medium"] += 1
        else:
            yield row


def _is_full(rules: RuleSet, item: Item, answer: str) -> bool:
    reading = rules.read(item, answer, 0)
    return not reading.failed and rules.counts(item, answer) and float(rules.score(item, reading)) == 1


def _shown(
    source: BenchmarkSource, target: Target, part: str | Media, *, count: int | None, as_images: bool
) -> Sequence[str | Media]:
    """A part of a prompt as the program can take it: parts of videos, and videos if wanted, as images."""
    if isinstance(part, str) or part.kind == "image":
        return [part]
    if count is None and not as_images and part.start is part.end is None:
        return [part]
    frames = source.preset.frames if count is None else Frames(count=count)
    pictures = FrameStore(default_root()).pictures(target.folder, part, frames)
    found = []
    for picture in pictures:
        place = f"{FRAMES}/{picture.sha256.removeprefix('sha256:')[:20]}.jpg"
        if not (target.folder / place).exists():
            link_or_copy(Path(picture.path), target.folder / place)
        found.append(Media(kind="image", path=place))
    return found


@dataclass(frozen=True)
class TrainingForm:
    """A program's form of rows.

    Attributes:
        write: (rows, target, name of the benchmark); fills the folder.
        use: how the program takes it, with places for the folder and a name.
        videos: whether the program takes videos.
        absolute: whether paths are absolute.
        reward: a function that the program calls for rewards; '' if it trains on answers only.
    """

    write: Callable[[Sequence[TrainingRow], Target, str], None]
    use: str
    videos: bool = True
    absolute: bool = False
    reward: str = ""


def _about(row: TrainingRow) -> dict[str, str]:
    return {"id": row.item.id, "task": row.item.task, "scene": row.item.scene or ""}


def _conversation(row: TrainingRow) -> list[dict[str, str]]:
    return [{"from": "human", "value": row.text}, {"from": "gpt", "value": row.target}]


def _json(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    write_text(path, f"[\n{lines}\n]\n")


def _write_llava(rows: Sequence[TrainingRow], target: Target, name: str) -> None:
    """A path where there is one medium, else a list."""
    found = []
    for row in rows:
        media = {
            kind: paths[0] if len(paths) == 1 else paths for kind in ("image", "video") if (paths := row.paths(kind))
        }
        found.append({**_about(row), **media, "conversations": _conversation(row)})
    _json(target.folder / "train.json", found)


def _write_llama_factory(rows: Sequence[TrainingRow], target: Target, name: str) -> None:
    kinds = [kind for kind in ("image", "video") if any(row.paths(kind) for row in rows)]
    found = [
        {**_about(row), "conversations": _conversation(row), **{f"{kind}s": row.paths(kind) for kind in kinds}}
        for row in rows
    ]
    _json(target.folder / "train.json", found)
    columns = {"messages": "conversations", **{f"{kind}s": f"{kind}s" for kind in kinds}}
    entry = {"file_name": "train.json", "formatting": "sharegpt", "columns": columns}
    write_text(target.folder / "dataset_info.json", json.dumps({_name(name): entry}, indent=2) + "\n")


def _write_swift(rows: Sequence[TrainingRow], target: Target, name: str) -> None:
    folder = target.place.resolve()
    lines = []
    for row in rows:
        media = {f"{kind}s": paths for kind in ("image", "video") if (paths := row.paths(kind, folder))}
        messages = [{"role": "user", "content": row.text}, {"role": "assistant", "content": row.target}]
        line = {**_about(row), "messages": messages, **media, "solution": row.item.answer}
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    write_text(target.folder / "train.jsonl", lines)


_TRL_CONTENT = pl.List(pl.Struct({"type": pl.String, "text": pl.String}))
_TRL_MESSAGES = pl.List(pl.Struct({"role": pl.String, "content": _TRL_CONTENT}))
_TRL_TURNS = (
    "[{name: role, dtype: string}, {name: content, list: [{name: type, dtype: string}, {name: text, dtype: string}]}]"
)
_TRL_CARD = f"""---
configs:
- config_name: default
  data_files:
  - split: train
    path: train.parquet
dataset_info:
  features:
  - {{name: id, dtype: string}}
  - {{name: task, dtype: string}}
  - {{name: scene, dtype: string}}
  - {{name: prompt, list: {_TRL_TURNS}}}
  - {{name: completion, list: {_TRL_TURNS}}}
  - {{name: images, list: image}}
---
"""
"""The header from which `datasets.load_dataset` knows that `images` are images."""


def _write_trl(rows: Sequence[TrainingRow], target: Target, name: str) -> None:
    folder = target.place.resolve()

    def content(part: str | Media) -> dict[str, str | None]:
        return {"type": "text", "text": part} if isinstance(part, str) else {"type": "image", "text": None}

    schema: dict[str, Any] = dict.fromkeys(("id", "task", "scene"), pl.String) | {
        "prompt": _TRL_MESSAGES,
        "completion": _TRL_MESSAGES,
        "images": pl.List(pl.Struct({"bytes": pl.Binary, "path": pl.String})),
    }
    found = [
        {
            **_about(row),
            "prompt": [{"role": "user", "content": [content(part) for part in row.parts]}],
            "completion": [{"role": "assistant", "content": [content(row.target)]}],
            "images": [{"bytes": None, "path": path} for path in row.paths("image", folder)],
        }
        for row in rows
    ]
    _parquet(target.folder / "train.parquet", found, schema)
    write_text(
        target.folder / "README.md", f"{_TRL_CARD}# {name}\n\n{counted(len(rows), 'row')} for training with TRL.\n"
    )


def _write_verl(rows: Sequence[TrainingRow], target: Target, name: str) -> None:
    folder = target.place.resolve()
    extra = dict.fromkeys(("split", "id", "task", "scene", "question", "answer"), pl.String)
    schema: dict[str, Any] = {
        "data_source": pl.String,
        "prompt": pl.List(pl.Struct({"role": pl.String, "content": pl.String})),
        "images": pl.List(pl.Struct({"image": pl.String})),
        "videos": pl.List(pl.Struct({"video": pl.String})),
        "ability": pl.String,
        "reward_model": pl.Struct({"style": pl.String, "ground_truth": pl.String}),
        "extra_info": pl.Struct({"index": pl.Int64, **extra}),
    }
    found: list[dict[str, Any]] = [
        {
            "data_source": f"tolman/{_name(name)}",
            "prompt": [{"role": "user", "content": row.text}],
            "images": [{"image": path} for path in row.paths("image", folder)],
            "videos": [{"video": path} for path in row.paths("video", folder)],
            "ability": "spatial",
            "reward_model": {"style": "rule", "ground_truth": row.item.answer},
            "extra_info": {
                "index": number,
                "split": "train",
                **_about(row),
                "question": row.item.question,
                "answer": row.target,
            },
        }
        for number, row in enumerate(rows)
    ]
    _parquet(target.folder / "train.parquet", found, schema)


def _parquet(path: Path, rows: Sequence[Mapping[str, Any]], schema: Mapping[str, Any]) -> None:
    with writing(path):
        pl.DataFrame(rows, schema=schema).write_parquet(path)


_SETTINGS = {
    "reasoning": "yes puts the item's reasoning into the target, in <think> tags. Default: no.",
    "frames": "Frames in place of a video, as images, 1 to 1024. Default: the video; for trl the preset's frames.",
}
_REWARD_SETTINGS = {
    **_SETTINGS,
    "scorer": "Scorer that gives the rewards. Default: the headline's; with reasoning=yes careful.",
}

_SWIFT_REWARD = """from swift.rewards import ORM, orms  # noqa: E402


class TolmanReward(ORM):
    def __call__(self, completions, id, **columns):
        return [score(name, text) for name, text in zip(id, completions)]


orms["tolman"] = TolmanReward"""
_TRL_REWARD = '''def reward(completions, id, **columns):
    """For GRPOTrainer(reward_funcs=reward)."""
    return [score(name, turns[-1]["content"]) for name, turns in zip(id, completions)]'''
_VERL_REWARD = """def compute_score(data_source, solution_str, ground_truth, extra_info=None, **more):
    return score(extra_info["id"], solution_str)"""

_LLAVA = TrainingForm(
    _write_llava,
    "LLaVA: --data_path {out}/train.json --image_folder {out}. Qwen-VL: 'annotation_path' {full}/train.json and "
    "'data_path' {full} in data_dict.",
)
_LLAMA_FACTORY = TrainingForm(
    _write_llama_factory, "llamafactory-cli train CONFIG.yaml dataset={name} dataset_dir={out} media_dir={out}"
)
_SWIFT = TrainingForm(
    _write_swift,
    "swift sft --dataset {out}/train.jsonl --model MODEL; with rewards: swift rlhf --rlhf_type grpo --dataset "
    "{out}/train.jsonl --external_plugins {out}/reward.py --reward_funcs tolman --model MODEL",
    absolute=True,
    reward=_SWIFT_REWARD,
)
_TRL = TrainingForm(
    _write_trl,
    "trl sft --dataset_name {full} --model_name_or_path MODEL; with rewards: GRPOTrainer(reward_funcs=reward) of "
    "{out}/reward.py",
    videos=False,
    absolute=True,
    reward=_TRL_REWARD,
)
_VERL = TrainingForm(
    _write_verl,
    "python -m verl.trainer.main_ppo data.train_files={full}/train.parquet "
    "reward.custom_reward_function.path={full}/reward.py",
    absolute=True,
    reward=_VERL_REWARD,
)

EXPORTS = {
    "llava": BenchmarkExport("training set for LLaVA and Qwen-VL", partial(write, form=_LLAVA), _SETTINGS),
    "llama-factory": BenchmarkExport("training set for LLaMA-Factory", partial(write, form=_LLAMA_FACTORY), _SETTINGS),
    "ms-swift": BenchmarkExport("training set for ms-swift", partial(write, form=_SWIFT), _REWARD_SETTINGS),
    "trl": BenchmarkExport("training set for TRL", partial(write, form=_TRL), _REWARD_SETTINGS),
    "verl": BenchmarkExport("training set for verl", partial(write, form=_VERL), _REWARD_SETTINGS),
}


def questions_at(place: str, data: Path | None = None, subset: str | None = None) -> list[AskedQuestion]:
    """The questions of a benchmark, or the rows of a training file in one of these forms.

    Args:
        place: name or folder of a benchmark, or a .json, .jsonl or .parquet file.
        data: folder with a named benchmark's released data; the hub where None.
        subset: of a benchmark.

    Raises:
        UsageError, InputError: there is no such benchmark, or the file has no rows of such a form.
    """
    path = Path(place)
    if path.suffix.lower() in (".json", ".jsonl", ".parquet"):
        return _read(path)
    loaded = load(place, data, subset)
    folder = loaded.media_folder()
    return [AskedQuestion.of(item, folder) for item in loaded.items]


def _read(path: Path) -> list[AskedQuestion]:
    try:
        rows = _raw_rows(path)
    except FileNotFoundError:
        raise InputError(path, "does not exist", fix="check the path") from None
    except (ValueError, OSError, pl.exceptions.PolarsError) as error:
        raise InputError(path, f"can't be read ({str(error).splitlines()[0][:100]})") from None
    found = []
    for number, row in enumerate(rows, start=1):
        text = _asked(row) if isinstance(row, dict) else ""
        if not text:
            raise InputError(
                path, "has no conversations, messages or prompt with a text", row=number, fix="give a training file"
            )
        about = row.get("extra_info") if isinstance(row.get("extra_info"), dict) else row
        name, scene = about.get("id"), about.get("scene")
        media = tuple(in_folder(one, path.parent) for one in _media(row, path, number - 1))
        found.append(AskedQuestion(str(name or f"row {number}"), text, text, (), str(scene) if scene else None, media))
    return found


def _raw_rows(path: Path) -> list[Any]:
    if path.suffix.lower() == ".parquet":
        return pl.read_parquet(path).to_dicts()
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix.lower() == ".jsonl":
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    rows = json.loads(text)
    return rows if isinstance(rows, list) else [rows]


def _asked(row: Mapping[str, Any]) -> str:
    """The text of the user's turns, or of all turns if no role is known."""
    turns = next((row[key] for key in ("conversations", "messages", "prompt") if row.get(key)), "")
    if isinstance(turns, str):
        return turns
    texts = []
    for turn in turns if isinstance(turns, list) else ():
        if not isinstance(turn, dict) or turn.get("from", turn.get("role")) in ("gpt", "assistant"):
            continue
        content = turn.get("value", turn.get("content"))
        parts = content if isinstance(content, list) else [content]
        texts += [part.get("text") if isinstance(part, dict) else part for part in parts]
    joined = "\n".join(text for text in texts if isinstance(text, str))
    for mark in MARKS.values():
        joined = joined.replace(mark, " ")
    return joined.strip()


def _media(row: Mapping[str, Any], path: Path, number: int) -> Iterator[Media]:
    """The files that a row names, and the images inside a table."""
    kinds: tuple[Literal["image", "video"], ...] = ("image", "video")
    for kind in kinds:
        keys = (kind, f"{kind}s")
        for key in keys:
            value = row.get(key)
            for position, one in enumerate(value if isinstance(value, list) else [value]):
                named = (one.get(kind) or one.get("path")) if isinstance(one, dict) else one
                if isinstance(one, dict) and one.get("bytes") and kind == "image":
                    yield Media(kind="image", path=f"{path.name}#{key}", part=(number, position))
                elif isinstance(named, str) and named:
                    yield Media(kind=kind, path=named.removeprefix("file://"))
