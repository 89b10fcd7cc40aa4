"""Receipts of runs: hashes of everything that a score rests on, made again and compared.

`recompute` makes a receipt out of a run's files. It scores the stored outputs again, so a receipt is never a copy of
the scores that a folder claims. Verification makes the receipt again and compares it with the sealed one, field by
field. Paths of this machine are in no receipt, and floats have `DIGITS` significant digits, so the bytes are the same
everywhere.

```
receipt.json       the receipt
receipt.json.sig   its SSH signature, where the run was signed
```
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, ValidationError

import tolman
from tolman import benchmarks, protocols
from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
from tolman.errors import InputError
from tolman.item_table import data_hash, evidence_text
from tolman.items import Item
from tolman.messages import Message
from tolman.responses import Outcomes, outcome_to_line
from tolman.runs.places import SCENES
from tolman.runs.rescore import expectation_of
from tolman.runs.run_folder import RunFolder, RunRecord, RunSettings
from tolman.runs.run_items import preset_of
from tolman.runs.run_scoring import compute_scores
from tolman.scoring.score_items import SCHEMA

FILE = "receipt.json"
SIGNATURE = "receipt.json.sig"
RUN = "run.json"
SEALED = ("items.parquet", "responses.jsonl", "judgements.json", "scores.parquet", "metrics.parquet", "scores.json")
"""Files of a run whose bytes are hashed. Of run.json the content is, without the places of this machine."""
MOST_ANSWERS = 5_000_000
"""Of a run that is verified: a stranger's settings could name any number of samples."""
DIGITS = 12
"""Significant digits of floats: sums may differ in the last of 17 from one NumPy or processor to another."""
PARTS = ("question", "options", "order", "answer", "media", "labels", "evidence", "prompt", "outputs", "scores")
"""Parts of an item with a short hash each, which name a change. Whole files have a whole SHA-256."""
_CODE = ("scoring", "kinds", "benchmarks", "protocols")
"""Packages whose code decides prompts and scores."""
_HUB = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")
BACKSLASH = "\\"
_FILE_FAMILIES = ("python", "scripted")
"""Families of models whose names are paths."""


class Receipt(BaseModel):
    """The content of receipt.json.

    Attributes:
        form: of this file.
        tolman: the version that scored the run.
        code: SHA-256 of the code that makes prompts and scores.
        benchmark: `name` of a registered benchmark; of a folder the fields of its benchmark.json.
        subset, model, data: of the run; `data` is the hash of its questions (`item_table.data_hash`).
        recipe: SHA-256 of the benchmark's provenance.json; None where there is none.
        run: field of run.json → short hash.
        scorers: names of the rule sets.
        scores: rule set → value and 95 % interval of the headline.
        figures: SHA-256 of all figures.
        files: name → SHA-256 of its bytes.
        media: path in the benchmark → SHA-256; None where the media weren't there.
        items: id → short hashes of its `PARTS`, with spaces between them.
        digest: SHA-256 of all other fields.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    form: Literal["tolman-receipt-1"] = "tolman-receipt-1"
    tolman: str
    code: str
    benchmark: dict[str, str | None]
    subset: str
    model: str
    data: str
    recipe: str | None
    run: dict[str, str]
    scorers: list[str]
    scores: dict[str, dict[str, float | None]]
    figures: str
    files: dict[str, str]
    media: dict[str, str] | None
    items: dict[str, str]
    digest: str = ""

    def text(self) -> str:
        """The file's text, which is the same for equal receipts."""
        return json.dumps(self.model_dump(), indent=1, sort_keys=True) + "\n"

    def with_digest(self) -> Receipt:
        """The same with the digest of its fields."""
        return self.model_copy(update={"digest": _sha(self.model_dump(exclude={"digest"}))})

    @property
    def benchmark_name(self) -> str:
        """The benchmark's name or title."""
        return self.benchmark.get("name") or self.benchmark.get("title") or ""


def read_receipt(content: bytes) -> Receipt:
    """Read a receipt, and check that it is as it was written.

    Raises:
        InputError: it is none, or was changed.
    """
    try:
        receipt = Receipt.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(FILE, f"is no receipt ({first['msg']})", field=place or None) from None
    if receipt.with_digest() != receipt:
        raise InputError(FILE, "was changed after it was sealed: its digest isn't that of its content")
    if receipt.text().encode() != content:
        raise InputError(FILE, "was changed after it was sealed: its bytes aren't those that 'tolman seal' writes")
    return receipt


@dataclass(frozen=True)
class ReceiptOrigin:
    """The part of a receipt that doesn't follow from the run's own files.

    Attributes:
        benchmark, recipe, media: as in `Receipt`.
    """

    benchmark: Mapping[str, str | None]
    recipe: str | None = None
    media: Mapping[str, str] | None = None

    @property
    def is_folder(self) -> bool:
        """Check whether the benchmark is a folder's."""
        return "name" not in self.benchmark


def public_record(record: RunRecord, *, of_folder: bool) -> RunRecord:
    """A run's record without paths of the machine that it was made on.

    Args:
        record: as run.json has it.
        of_folder: whether its benchmark is a folder.
    """
    data = record.data if _HUB.fullmatch(record.data) else ""
    settings = _public_settings(record.settings, of_folder=of_folder)
    return record.model_copy(update={"settings": settings, "data": data, "places": {}})


def _public_settings(settings: RunSettings, *, of_folder: bool) -> RunSettings:
    def without(given: Mapping[str, Any]) -> dict[str, Any]:
        return {**given, SCENES: ""} if SCENES in given else dict(given)

    return settings.model_copy(
        update={
            "benchmark": "" if of_folder else settings.benchmark,
            "model": public_model(settings.model),
            "model_settings": without(settings.model_settings),
            "protocol_settings": without(settings.protocol_settings),
        }
    )


def public_model(name: str) -> str:
    """A model's name; the last part alone of one that is a path."""
    family, slash, rest = name.partition("/")
    is_path = family in _FILE_FAMILIES or re.match(r"[/~.\\]|[A-Za-z]:[\\/]", rest) is not None
    return f"{family}/{PurePosixPath(rest.replace(BACKSLASH, '/')).name}" if slash and is_path else name


@dataclass(frozen=True)
class RecomputedReceipt:
    """A run's receipt made from its files.

    Attributes:
        receipt: None where the files are too broken to be scored.
        problems: a sentence for each score that doesn't follow from the outputs, and each row that is doubled.
        items: the questions.
    """

    receipt: Receipt | None
    problems: list[str]
    items: Sequence[Item] = ()


def recompute(folder: Path, record: RunRecord, origin: ReceiptOrigin) -> RecomputedReceipt:
    """Score a run's outputs again, and make its receipt.

    Args:
        folder: of the run's files, which are read only.
        record: without paths but for `settings.benchmark`, by which the benchmark is opened.
        origin: the rest.

    Raises:
        InputError: a file is missing or can't be read.
        UsageError: a name that the run's settings give is unknown here.
    """
    run, settings = RunFolder(folder), record.settings
    benchmark = benchmarks.get(settings.benchmark)
    items = run.items()
    if len(items) * settings.repeats > MOST_ANSWERS:
        raise InputError(RUN, f"names {settings.repeats:,} samples of each item, more than can be scored")
    came, problems = _outcomes(run, items, settings.repeats)
    problems = [*_doubled_items(items), *problems]
    if problems:
        return RecomputedReceipt(None, problems)
    if (
        settings.selection.is_all
        and protocols.keeps_items(settings.protocol)
        and data_hash(items) != settings.data_hash
    ):
        problems.append(
            f"items.parquet: its questions have the hash {data_hash(items)}, and run.json names {settings.data_hash}."
        )
    rows, figures = compute_scores(
        benchmark, record, items, came, judgements=run.judgements(),
        expectation=expectation_of(record, benchmark, items), metrics=run.further_metrics(),
    )  # fmt: skip
    public = public_record(record, of_folder=origin.is_folder)
    figures["settings"] = public.settings.model_dump(mode="json")
    problems += _score_differences(run, rows)
    problems += _figure_differences(_stored_figures(run, of_folder=origin.is_folder), _plain(figures))
    headline = benchmark.table.headline
    receipt = Receipt(
        tolman=tolman.__version__,
        code=code_hash(),
        benchmark=dict(origin.benchmark),
        subset=settings.subset,
        model=public.settings.model,
        data=settings.data_hash,
        recipe=origin.recipe,
        run=_fields(public),
        scorers=list(figures["rule_sets"]),
        scores={name: _headline(entry["cells"][headline]) for name, entry in figures["rule_sets"].items()},
        figures=_sha(figures),
        files={name: file_sha(folder / name) for name in SEALED if (folder / name).exists()},
        media=None if origin.media is None else dict(origin.media),
        items=_parts_of_items(items, came, rows, _prompts(benchmark, record, items)),
    )
    return RecomputedReceipt(receipt.with_digest(), problems, items)


def run_differences(sealed: Receipt, record: RunRecord) -> list[str]:
    """Return a sentence for each field of run.json that isn't the sealed one.

    Args:
        sealed: the receipt.
        record: of the run, without paths.
    """
    found = _fields(record)
    changed = [name for name in sorted({*sealed.run, *found}) if sealed.run.get(name) != found.get(name)]
    return [f"{RUN}: its field '{name}' isn't the sealed one." for name in changed]


def differences(sealed: Receipt, found: Receipt) -> list[str]:
    """Return a sentence for each difference of a run's other files from its receipt, with file and item.

    Args:
        sealed: the receipt.
        found: made from the files.
    """
    said = []
    outputs = "responses.jsonl"
    if sealed.run.get("created") != found.run.get("created") and sealed.files.get(outputs) != found.files.get(outputs):
        said.append(
            f"{FILE}: is the receipt of another run ({sealed.model} on {sealed.benchmark_name} {sealed.subset}): "
            "neither the time at which this one began nor its outputs are the sealed ones."
        )
    said += _item_differences(sealed, found)
    named = {sentence.partition(":")[0] for sentence in said}
    for name in sorted({*sealed.files, *found.files}):
        if name not in found.files:
            said.append(f"{name}: is missing.")
        elif name not in sealed.files:
            said.append(f"{name}: was added after the run was sealed.")
        elif sealed.files[name] != found.files[name] and name not in named:
            said.append(f"{name}: its bytes aren't the sealed ones.")
    for field in ("code", "benchmark", "subset", "model", "data", "recipe", "scorers", "scores", "figures", "media"):
        if getattr(sealed, field) != getattr(found, field):
            said.append(
                f"{FILE}: its '{field}' isn't that of the run ({_shown(sealed, field)}, not {_shown(found, field)})."
            )
    return said


def _shown(receipt: Receipt, field: str) -> str:
    return json.dumps(getattr(receipt, field), ensure_ascii=False)[:120]


_WORDS = {
    "question": ("items.parquet", "its question"),
    "options": ("items.parquet", "the texts of its options"),
    "order": ("items.parquet", "the order of its options"),
    "answer": ("items.parquet", "its answer"),
    "media": ("items.parquet", "the media that it names"),
    "labels": ("items.parquet", "its labels, type or scene"),
    "evidence": ("items.parquet", "its evidence"),
    "prompt": ("items.parquet", "the prompt that it makes"),
    "outputs": ("responses.jsonl", "its output"),
    "scores": ("scores.parquet", "the score that follows from its output"),
}
"""Part of an item → its file, and its words in a sentence."""


def _item_differences(sealed: Receipt, found: Receipt) -> list[str]:
    said = [f"items.parquet: item {name} is missing." for name in sealed.items if name not in found.items]
    said += [f"items.parquet: item {name} was added." for name in found.items if name not in sealed.items]
    for name in (name for name in sealed.items if name in found.items):
        before, now = (dict(zip(PARTS, one.items[name].split(" "), strict=False)) for one in (sealed, found))
        changed = [part for part in PARTS if before.get(part) != now.get(part)]
        if "options" in changed and "order" in changed:
            changed.remove("order")
        if len(changed) > 1:  # a prompt and a score follow from the parts before them
            changed = [part for part in changed if part not in ("prompt", "scores")] or changed
        for part in changed:
            file, words = _WORDS[part]
            is_gone = part == "outputs" and now.get(part) == _NOTHING
            state = "is missing" if is_gone else "aren't the sealed ones" if part in _MANY else "isn't the sealed one"
            said.append(f"{file}: item {name}: {words} {state}.")
    return said


_MANY = ("options", "media", "labels")
"""Parts whose words are a plural."""
_NOTHING = "-"
"""In place of the hash of a part that isn't there."""


def _outcomes(run: RunFolder, items: Sequence[Item], repeats: int) -> tuple[Outcomes, list[str]]:
    """The outputs, and a sentence for each that is doubled, or of no item of the run."""
    known = {item.id for item in items}
    came, problems = Outcomes(), []
    if not run.responses_path.exists():
        raise InputError(run.responses_path, "is missing")
    for outcome in run.each_outcome():
        key = outcome.id, outcome.repeat
        sample = f", sample {outcome.repeat}" if repeats > 1 else ""
        if key in came:
            problems.append(f"responses.jsonl: item {outcome.id}{sample}: has two outputs.")
        elif outcome.id not in known or outcome.repeat >= repeats:
            problems.append(f"responses.jsonl: item {outcome.id}{sample}: has an output, and wasn't asked.")
        came[key] = outcome
    return came, problems


def _doubled_items(items: Iterable[Item]) -> list[str]:
    counts = Counter(item.id for item in items)
    return [f"items.parquet: item {name}: is there {count} times." for name, count in counts.items() if count > 1]


def _score_differences(run: RunFolder, rows: pl.DataFrame) -> list[str]:
    """A sentence for each stored value that doesn't follow from the outputs."""
    with run.reading_scores():
        stored = run.scan_scores().collect()
    said = _table_differences("scores.parquet", stored, rows.select(list(SCHEMA)))
    further = [name for name in rows.columns if name not in SCHEMA]
    path = run.path / "metrics.parquet"
    if not further:
        return [*said, *(["metrics.parquet: the run's scorers have no further metrics."] if path.exists() else [])]
    if not path.exists():
        return [*said, "metrics.parquet: is missing."]
    try:
        metrics = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(path, f"is no readable table of metrics ({str(error).splitlines()[0]})") from None
    return said + _table_differences(path.name, metrics, rows.select("rule_set", "id", "repeat", *further))


def _table_differences(file: str, stored: pl.DataFrame, found: pl.DataFrame) -> list[str]:
    if set(stored.columns) != set(found.columns):
        odd = sorted(set(stored.columns) ^ set(found.columns))
        return [f"{file}: its columns aren't those of this run's scores ({', '.join(odd)})."]
    there: dict[tuple[Any, ...], dict[str, Any]] = {}
    said = []
    for row in stored.iter_rows(named=True):
        key = row["rule_set"], row["id"], row["repeat"]
        if key in there:
            said.append(f"{file}: item {key[1]}, {key[0]}: has two rows.")
        there[key] = row
    for row in found.iter_rows(named=True):
        key = row["rule_set"], row["id"], row["repeat"]
        own = there.pop(key, None)
        if own is None:
            said.append(f"{file}: item {key[1]}, {key[0]}: its row is missing.")
            continue
        for name, value in row.items():
            if _plain(own[name]) != _plain(value):
                here = f"{file}: item {key[1]}, {key[0]}: its {name}"
                said.append(f"{here} is {own[name]!r}, and {value!r} follows from its output.")
    return [*said, *(f"{file}: item {key[1]}, {key[0]}: has a row, and wasn't scored." for key in there)]


def _stored_figures(run: RunFolder, *, of_folder: bool) -> Any:
    """The figures of scores.json; their settings without paths."""
    stored = run.figures()
    try:
        settings = RunSettings.model_validate(stored.get("settings"))
    except ValidationError as error:
        raise InputError(run.path / "scores.json", f"holds no settings ({error.errors()[0]['msg']})") from None
    return _plain({**stored, "settings": _public_settings(settings, of_folder=of_folder).model_dump(mode="json")})


def _figure_differences(stored: Any, found: Any, place: str = "") -> list[str]:
    if isinstance(stored, dict) and isinstance(found, dict):
        keys = [*stored, *(key for key in found if key not in stored)]
        lacking: list[str] = []
        for key in keys:
            inside = f"{place}.{key}" if place else str(key)
            if key not in stored or key not in found:
                verb = "is missing" if key in found else "doesn't follow from the outputs"
                lacking.append(f"scores.json: {inside} {verb}.")
            else:
                lacking += _figure_differences(stored[key], found[key], inside)
        return lacking
    if stored == found and type(stored) is type(found):
        return []
    said = (json.dumps(one, ensure_ascii=False)[:120] for one in (stored, found))
    return [f"scores.json: {place} is {next(said)}, and {next(said)} follows from the outputs."]


def _prompts(benchmark: BenchmarkSpec, record: RunRecord, items: Sequence[Item]) -> Iterator[str]:
    """The hash of each item's released prompt; none where another program asked. Later turns are among the outputs."""
    settings = record.settings
    if "imported" in settings.model_settings:
        return (_NOTHING for _ in items)
    given = preset_of(benchmark, settings.preset, settings.subset)
    preset: PromptPreset = replace(given, frames=settings.frames, sampling=settings.sampling)
    write = benchmark.prompt if protocols.get(settings.protocol).shows_media else benchmark.blind_prompt
    return (_short(_content(write(item, preset))) for item in items)


def _content(message: Message) -> Any:
    return [message.role, [part if isinstance(part, str) else part.model_dump(mode="json") for part in message.parts]]


def _parts_of_items(
    items: Sequence[Item], came: Outcomes, rows: pl.DataFrame, prompts: Iterable[str]
) -> dict[str, str]:
    outputs: dict[str, list[str]] = {}
    for (name, _), outcome in sorted(came.items(), key=lambda entry: entry[0]):
        outputs.setdefault(name, []).append(outcome_to_line(outcome))
    scores: dict[str, list[Any]] = {}
    for row in rows.iter_rows(named=True):
        scores.setdefault(row["id"], []).append(row)
    found = {}
    for item, prompt in zip(items, prompts, strict=True):
        fields = item.model_dump(mode="json", exclude={"evidence"})
        parts = {
            "question": [fields[name] for name in ("question", "verbatim", "kind", "unit", "reasoning", "all_of")],
            "options": sorted(fields["options"]),
            "order": fields["options"],
            "answer": fields["answer"],
            "media": fields["media"],
            "labels": [fields[name] for name in ("labels", "task", "scene")],
            "evidence": evidence_text(item.evidence),
            "outputs": outputs.get(item.id),
            "scores": scores.get(item.id),
        }
        hashed = {name: _NOTHING if value is None else _short(value) for name, value in parts.items()}
        found[item.id] = " ".join({**hashed, "prompt": prompt}[name] for name in PARTS)
    return found


def _fields(record: RunRecord) -> dict[str, str]:
    content = record.model_dump(mode="json", exclude={"places"})
    return {name: _short(value) for name, value in (content.pop("settings") | content).items()}


def _headline(cell: Mapping[str, Any]) -> dict[str, float | None]:
    interval = cell.get("interval") or {}
    found = {"value": cell["value"], "low": interval.get("low"), "high": interval.get("high")}
    return {name: None if value is None else float(_plain(float(value))) for name, value in found.items()}


def media_of_items(items: Iterable[Item]) -> dict[str, list[str]]:
    """The files that questions name, each with their ids; a picture in a table is the table's."""
    found: dict[str, list[str]] = {}
    for item in items:
        for name in dict.fromkeys(medium.path.partition("#")[0] for medium in item.media):
            found.setdefault(name, []).append(item.id)
    return found


def media_sha(folder: Path, name: str) -> str | None:
    """The SHA-256 of a medium; None where it isn't in the folder. Its path is a stranger's, and never leads outside."""
    pure = PurePosixPath(name.replace(BACKSLASH, "/"))
    if pure.is_absolute() or ".." in pure.parts or "\0" in name or not (folder / pure).is_file():
        return None
    return file_sha(folder / pure)


def file_sha(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@lru_cache(maxsize=1)
def code_hash() -> str:
    """The SHA-256 of the code and data files that make prompts and scores."""
    whole = hashlib.sha256()
    for package in _CODE:
        for name, content in sorted(_sources(files("tolman") / package, package)):
            whole.update(f"{name}\n{hashlib.sha256(content).hexdigest()}\n".encode())
    return whole.hexdigest()


def _sources(place: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for one in place.iterdir():
        inside = f"{name}/{one.name}"
        if one.is_dir():
            yield from _sources(one, inside)
        elif one.name.endswith((".py", ".toml", ".csv", ".json")):
            yield inside, one.read_bytes().replace(b"\r\n", b"\n")


def _plain(value: Any) -> Any:
    """A value of JSON with `DIGITS` significant digits in floats, so that all machines write the same."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") + 0.0 if math.isfinite(value) else repr(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


def _sha(value: Any) -> str:
    text = json.dumps(_plain(value), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _short(value: Any) -> str:
    return _sha(value)[:12]


def check_version(receipt: Receipt) -> str:
    """A sentence where another version sealed the run, whose scores can't be compared; else empty."""
    if receipt.tolman == tolman.__version__:
        return ""
    return (
        f"{FILE}: was sealed by tolman {receipt.tolman}, and this is {tolman.__version__}; scores are compared under "
        f"one version only, so install tolman {receipt.tolman}."
    )


def against_benchmark(items: Sequence[Item], asked: Sequence[Item]) -> list[str]:
    """A sentence for each item that isn't as the benchmark has it.

    Args:
        items: of the run.
        asked: the benchmark's, as the run's settings select and present them.
    """
    known = {item.id: item for item in asked}
    own = {item.id for item in items}
    said = [f"items.parquet: item {name} is missing, and the settings select it." for name in known if name not in own]
    for item in items:
        there = known.get(item.id)
        if there is None:
            said.append(f"items.parquet: item {item.id} isn't one that the settings select of the benchmark.")
            continue
        for field in Item.model_fields:
            if _comparable(item, field) != _comparable(there, field):
                said.append(f"items.parquet: item {item.id}: its {field} isn't the benchmark's.")
    return said


def _comparable(item: Item, field: str) -> Any:
    return evidence_text(item.evidence) if field == "evidence" else getattr(item, field)
