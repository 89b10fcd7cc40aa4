"""A benchmark that is a folder: published items as Parquet, and a benchmark.json that describes them.

```
benchmark.json     {"name": …, "title": …, "paper": …, "licence": …,
                    "scoring_profile": "vsi-bench" or null}
items.parquet      as `tolman.item_table` writes them (or data/*.parquet)
…                  the media that the items name
```

With `scoring_profile` (`like` in files of earlier versions), prompts, scorers and table are those of a benchmark that
can be named. Without it, the folder has a plain prompt, the scorer `careful`, and a figure for each question type.
`paper` says where the questions come from: with any scoring profile, the folder's questions are not that benchmark's.

A fresh form of a benchmark is such a folder too. Its `form.json` has the seed, a nonce and hashes of all questions, and
is secret until the form is. `commitment.json` has hashes of these fields, salted by the nonce, and can be published.

Licences of data have two names that programs know: SPDX's, and those of the hub's data cards.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import tolman
from tolman.benchmarks import registered
from tolman.benchmarks.rows import check_unique
from tolman.benchmarks.solved_example import examples_of, in_front_of
from tolman.benchmarks.spec import BenchmarkSpec, OneShot, PromptPreset, media_first, plain_demand, without_media
from tolman.errors import InputError, hint
from tolman.files import check_shards, write_text
from tolman.item_table import open_items, tasks_in
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.messages import Message, Sampling
from tolman.scoring.rule_sets import careful
from tolman.scoring.score_table import Column, Mean, Table, pool
from tolman.storage import as_named, is_url

FILE = "benchmark.json"
PROVENANCE = "provenance.json"
PROFILE = "scoring_profile"
OLD_PROFILE = "like"
"""What earlier versions call the scoring profile."""
_FIELDS = {"name", "title", "paper", "licence", PROFILE, OLD_PROFILE}
_PRESET = PromptPreset("plain", "Tolman's own", Frames(count=32), Sampling(temperature=0.0), rule_sets=("careful",))


def is_folder(name: str) -> bool:
    """Check whether a name means a folder rather than a registered benchmark."""
    return "/" in name or name in (".", "..") or (Path(name) / FILE).is_file()


def provenance_of(folder: Path) -> dict[str, Any]:
    """How a benchmark's folder was made; empty where it doesn't say so in a form that can be read."""
    try:
        found = json.loads((folder / PROVENANCE).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def scenes_written(scenes: Path, folder: Path) -> dict[str, str]:
    """The fields of a provenance that name a collection of scenes: as it was typed, and its way from the folder."""
    named = as_named(scenes)
    if is_url(named):
        return {"scenes": named}
    return {"scenes": named, "scenes_from_here": Path(os.path.relpath(scenes.resolve(), folder.resolve())).as_posix()}


def scenes_named(folder: Path) -> list[Path]:
    """Return possible places of the scenes that a benchmark was generated from, the likeliest first; one may be a URL.

    Earlier versions write only the path as typed, relative to the folder in which the benchmark was made.
    """
    told = provenance_of(folder)
    near = told.get("scenes_from_here")
    found = [Path(os.path.normpath(folder.resolve() / near))] if isinstance(near, str) else []
    named = told.get("scenes")
    if not isinstance(named, str):
        return found
    if is_url(named):
        return [Path(named)]
    return [*found, Path(named), folder / named, folder.parent / named]


def open_folder(folder: Path, *, with_columns: bool = True) -> BenchmarkSpec:
    """The benchmark of a folder.

    Args:
        folder: of the benchmark.
        with_columns: read the questions for the table's columns; scorers need none.

    Raises:
        InputError: it is none.
    """
    card = _card(folder / FILE)
    profile = card.get(PROFILE) or card.get(OLD_PROFILE)
    if profile:
        like = registered.named(profile)
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
    tasks = tasks_in(_files(folder)) if with_columns else []
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
        card = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError:
        if not path.parent.exists():
            raise InputError(path.parent, "there is no such folder", fix="check the path") from None
        raise InputError(path, "is missing", fix="give a folder that holds a benchmark") from None
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
    check_shards(files)
    return files


def _load(folder: Path, subset: str) -> Sequence[Item]:
    items = open_items(_files(folder))
    check_unique(folder, items)
    return items


def _prompt(item: Item, preset: PromptPreset) -> Message:
    lines = [item.verbatim or item.question, *item.lettered_options, plain_demand(item, preset)]
    return media_first(item, "\n".join(lines))


FORM, COMMITMENT = "form.json", "commitment.json"
_KIND = "tolman-form-1"
_HASHED = {"items": "item", "media": "file"}
"""Fields of form.json that hold hashes by name → how such a thing is called."""


def form_of(folder: Path) -> dict[str, Any]:
    """The content of a fresh form's form.json; empty where there is none that can be read."""
    return _json_of(folder / FORM)


def _json_of(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and found.get("form") == _KIND else {}


def commit_form(folder: Path, benchmark: str, seed: int, recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Write a form's form.json and commitment.json, and return the latter's content.

    A form that is made again keeps its nonce, and so its commitment.

    Args:
        folder: of the form, with its questions.
        benchmark: hash of the questions of the benchmark that it is a form of (`item_table.data_hash`).
        seed: of the form.
        recipe: all other settings.

    Raises:
        InputError: the folder has the commitment to another form.
    """
    nonce = form_of(folder).get("nonce") or secrets.token_hex(32)
    items = _load(folder, "")
    own = {"nonce": nonce, "seed": seed, "benchmark": benchmark, "recipe": dict(recipe), **_hashes(folder, items)}
    counts = dict(sorted(Counter(item.task for item in items).items()))
    head = {"form": _KIND, "tolman": tolman.__version__}
    made = {**head, "benchmark": benchmark, "questions": counts, "fields": _salted(own)}
    if _json_of(folder / COMMITMENT) not in ({}, made):
        raise InputError(folder / COMMITMENT, "is the commitment to another form", fix="give another folder with --out")
    write_text(folder / FORM, json.dumps({**head, **own}, indent=1, sort_keys=True) + "\n")
    write_text(folder / COMMITMENT, json.dumps(made, indent=1, sort_keys=True) + "\n")
    return made


def form_differences(folder: Path, commitment: Path) -> list[str]:
    """Return a sentence for each difference of a revealed form from its commitment; none where it is the committed one.

    Args:
        folder: of the form.
        commitment: the file.

    Raises:
        InputError: a file is missing, or is none.
    """
    if not commitment.is_file():
        raise InputError(commitment, "does not exist", fix=f"give the {COMMITMENT} that 'tolman form' wrote")
    said = _json_of(commitment)
    fields = said.get("fields")
    if not isinstance(fields, dict):
        raise InputError(commitment, "is no commitment", fix=f"give the {COMMITMENT} that 'tolman form' wrote")
    told = form_of(folder)
    if not told:
        raise InputError(folder / FORM, "is missing", fix="copy it into the folder: it has the nonce and the seed")
    if said.get("tolman") != tolman.__version__:
        return [f"It was committed by tolman {said.get('tolman')}, and this is {tolman.__version__}; use that version."]
    found = _salted({name: value for name, value in told.items() if name not in ("form", "tolman")})
    if fields.get("nonce") != found.get("nonce"):
        return [f"{FORM}: its nonce isn't the committed one, so it is another form's."]
    names = sorted({*fields, *found})
    problems = [
        f"{FORM}: its '{name}' isn't the committed one." for name in names if fields.get(name) != found.get(name)
    ]
    for field, own in _hashes(folder, _load(folder, "")).items():
        what, sealed = _HASHED[field], told.get(field)
        sealed = sealed if isinstance(sealed, dict) else {}
        problems += [f"The {what} {name} is missing." for name in sealed if name not in own]
        problems += [f"The {what} {name} was added." for name in own if name not in sealed]
        both = (name for name in own if name in sealed)
        problems += [f"The {what} {name} isn't the committed one." for name in both if own[name] != sealed[name]]
    if provenance_of(folder).get("seed") != told.get("seed"):
        problems.append(f"{PROVENANCE}: its seed isn't that of {FORM}.")
    return problems


def _salted(fields: Mapping[str, Any]) -> dict[str, str]:
    """A hash of each field; the nonce keeps seeds from being found by trying all."""
    nonce = fields.get("nonce")
    texts = {name: json.dumps([nonce, name, value], sort_keys=True) for name, value in fields.items()}
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sorted(texts.items())}


def _hashes(folder: Path, items: Sequence[Item]) -> dict[str, dict[str, str]]:
    """SHA-256 of each question by its id, and of each file that they show and the folder has."""
    media: dict[str, str] = {}
    for name in sorted({medium.path for item in items for medium in item.media}):
        path = (folder / name).resolve()
        if path.is_file() and path.is_relative_to(folder.resolve()):
            with path.open("rb") as file:
                media[name] = hashlib.file_digest(file, "sha256").hexdigest()
    texts = {item.id: item.model_dump_json() for item in items}
    return {"items": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}, "media": media}


SPDX = (
    "CC0-1.0", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC-BY-ND-4.0", "CC-BY-NC-2.0", "CC-BY-NC-3.0",
    "CC-BY-NC-4.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0", "Apache-2.0", "MIT", "BSD-2-Clause",
    "BSD-3-Clause", "ODC-By-1.0", "ODbL-1.0", "PDDL-1.0", "GPL-3.0", "CDLA-Permissive-2.0", "CDLA-Sharing-1.0",
)  # fmt: skip
_ON_THE_HUB = {"ODC-By-1.0": "odc-by", "ODbL-1.0": "odbl", "PDDL-1.0": "pddl"}


def spdx_of(licence: str) -> str | None:
    """The SPDX identifier that a text is, as 'CC-BY-4.0' of 'CC BY 4.0 (data card)'; None where it is none, or holds
    for a part only, as 'Apache-2.0 (questions)'."""
    plain = re.sub(r"[\s_]+", "-", re.sub(r"\((?:data card|repository)\)", "", licence).strip()).casefold()
    return next((name for name in SPDX if plain in (name.casefold(), _ON_THE_HUB.get(name))), None)


def licence_url(spdx: str) -> str:
    """The address of a licence's text at SPDX."""
    return f"https://spdx.org/licenses/{spdx}.html"


def card_lines(licence: str) -> str:
    """The lines of a data card's header that name a licence: an identifier that the hub knows, 'other' with its name,
    or 'unknown' where there is none."""
    spdx = spdx_of(licence)
    if spdx is not None:
        return f"license: {_ON_THE_HUB.get(spdx, spdx.casefold())}\n"
    name = licence.strip().replace('"', "'")
    return f'license: other\nlicense_name: "{name}"\n' if name else "license: unknown\n"
