"""A benchmark that is a folder: published items as Parquet, and a benchmark.json that says what they are.

```
benchmark.json     {"name": …, "title": …, "paper": …, "licence": …,
                    "scoring_profile": "vsi-bench" or null}
items.parquet      as `tolman.item_table` writes them (or data/*.parquet)
…                  the media that the items name
```

With `scoring_profile` (`like` in files of earlier versions), prompts, scorers and table are those of a benchmark that
can be named; without it, a plain prompt, the scorer `careful`, and a figure for each question type. `paper` says where
the questions come from: whatever its scoring profile, the folder's questions are not that benchmark's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tolman.benchmarks.base import BenchmarkSpec, OneShot, PromptPreset, media_first, plain_demand, without_media
from tolman.benchmarks.rows import check_unique
from tolman.benchmarks.solved_example import examples_of, in_front_of
from tolman.errors import InputError
from tolman.item_table import open_items, tasks_in
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.messages import Message, Sampling
from tolman.names import hint
from tolman.scoring.rules import careful
from tolman.scoring.table import Column, Mean, Table, pool
from tolman.storage import as_named

FILE = "benchmark.json"
PROFILE = "scoring_profile"
OLD_PROFILE = "like"
"""What earlier versions call the scoring profile."""
_FIELDS = {"name", "title", "paper", "licence", PROFILE, OLD_PROFILE}
_PRESET = PromptPreset("plain", "Tolman's own", Frames(count=32), Sampling(temperature=0.0), rule_sets=("careful",))


def is_folder(name: str) -> bool:
    """Whether a name means a folder rather than a benchmark that is registered."""
    return "/" in name or name in (".", "..") or (Path(name) / FILE).is_file()


def open_folder(folder: Path) -> BenchmarkSpec:
    """The benchmark of a folder.

    Raises:
        InputError: it is none.
    """
    card = _card(folder / FILE)
    profile = card.get(PROFILE) or card.get(OLD_PROFILE)
    if profile:
        from dataclasses import replace

        from tolman import benchmarks

        like = benchmarks.named(profile)
        return replace(
            like,
            name=as_named(folder),
            title=card["title"],
            paper=card.get("paper") or "",
            scored_like=like.title,
            licence=card.get("licence") or "",
            subsets={"all": "all questions"},
            load=_load,
            published=None,
            hub=None,
            sizes={},
            one_shot=_one_shot(like),
        )
    tasks = tasks_in(_files(folder))
    columns = [Column(task, task, pool(task)) for task in tasks]
    key = "average" if "average" not in tasks else "average of question types"
    average = Column(key, "Avg.", Mean(tuple(column.node for column in columns)))
    return BenchmarkSpec(
        name=as_named(folder),
        title=card["title"],
        paper=card.get("paper") or "",
        licence=card.get("licence") or "",
        subsets={"all": "all questions"},
        load=_load,
        prompt=_prompt,
        blind_prompt=lambda item, preset: without_media(_prompt(item, preset)),
        presets=(_PRESET,),
        rule_sets=(careful(),),
        table=Table((*columns, average), headline=key),
        one_shot=_one_shot_of(_task, in_front_of(_prompt)),
    )


def _one_shot(like: BenchmarkSpec) -> OneShot:
    """The folder's own examples, in the words of its scoring profile."""
    task = like.one_shot.task if like.one_shot is not None else _task
    write = like.one_shot.prompt if like.one_shot is not None else in_front_of(like.prompt)
    return _one_shot_of(task, write)


def _one_shot_of(task: Callable[[Item], str], write: Callable[[Item, Item, PromptPreset], Message]) -> OneShot:
    return OneShot(lambda data, seed: examples_of(_load(data, ""), task, seed), task, write, holds_out_scenes=True)


def _task(item: Item) -> str:
    return item.task


def _card(path: Path) -> dict[str, Any]:
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise InputError(path, "is missing", fix="give a folder that holds a published benchmark") from None
    except ValueError as error:
        raise InputError(path, f"is no JSON ({error})") from None
    if not isinstance(card, dict) or not card.get("title"):
        raise InputError(path, "is missing", field="title", fix='write {"title": …}')
    if card.get(PROFILE) and card.get(OLD_PROFILE) not in (None, card[PROFILE]):
        what = f"names the scoring profile '{card[PROFILE]}' and, by its old name, '{card[OLD_PROFILE]}'"
        raise InputError(path, what, field=OLD_PROFILE, fix="keep one of them")
    unknown = set(card) - _FIELDS
    if unknown:
        raise InputError(
            path,
            "is not a known field",
            field=sorted(unknown)[0],
            fix=hint(sorted(unknown)[0], sorted(_FIELDS - {OLD_PROFILE})),
        )
    return card


def _files(folder: Path) -> list[Path]:
    files = [folder / "items.parquet"] if (folder / "items.parquet").exists() else sorted(folder.glob("data/*.parquet"))
    if not files:
        raise InputError(folder, "holds no items.parquet and no data/*.parquet")
    return files


def _load(folder: Path, subset: str) -> Sequence[Item]:
    items = open_items(_files(folder))
    check_unique(folder, items)
    return items


def _prompt(item: Item, preset: PromptPreset) -> Message:
    lines = [item.verbatim or item.question, *item.lettered_options, plain_demand(item, preset)]
    return media_first(item, "\n".join(lines))
