"""Configs: frozen dataclasses that are at once a command's options, a TOML table and a use case's argument.

```python
@dataclass(frozen=True, kw_only=True)
class AuditConfig:
    benchmark: Annotated[str, Setting("Benchmark whose scenes are known.", positional=True)]
    seed: int = setting("Seed of everything drawn at random.", default=0, least=0)
```

A field's type is `str`, `int`, `float`, `bool`, `Path`, one of these or None, or a tuple of strings, numbers or
paths. On the command line a tuple is written with commas, in TOML as an array. Relative paths are relative to the
working directory, in a file too: a config repeats the command that wrote it. `config_of` makes one from the keyword
arguments of a Python function.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import tomllib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Protocol,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

import tomli_w

from tolman import __version__
from tolman.errors import DataWarning, InputError, UsageError, hint
from tolman.files import check_file, check_folder, is_own_config, kind_of, write_text
from tolman.parallel.work_places import RAY
from tolman.plugins import loaded_plugins
from tolman.storage import as_named, as_path, is_url, mirror_of, opened

if TYPE_CHECKING:
    from tolman.runs.engine import Limits
    from tolman.runs.judging import JudgeRequest


C = TypeVar("C")
PLUGINS = "plugins"
"""The key of a file's plugins, above its tables."""
DIRECTORY = "directory"
"""The key of the folder, relative to the file, at which relative paths in a written file begin."""
Scalar = type[str] | type[int] | type[float] | type[bool] | type[Path]


@dataclass(frozen=True)
class Setting:
    """The description of a config's field, for help texts and checks.

    Attributes:
        help: one or two sentences: quantity, unit, range.
        least, most: bounds of a number, or of each number of a tuple.
        panel: the heading above its option in help texts.
        positional: whether it is an argument on the command line rather than an option.
        option: the option's name where it isn't the field's: '--format'.
        aliases: older names of the option, accepted and not shown.
        metavar: the placeholder for its value in help texts.
        repeated: whether a tuple's option is given once for each value rather than with commas.
        choices: the values there are, where it is one of a few.
        secret: whether it may hold a password, and so is never written into a file.
        names: lists names that its value may be, which shells complete.
        writes: the kind of output at its path: 'file', 'log', or a folder as `files.check_folder` names them; None
            where nothing is. A field called 'out' writes a 'result', a file or a folder by its suffix, where this is
            None.
        may_be_empty: whether a tuple may be given without a value; else that is refused, as it would mean the default.
        negates: an older name whose value was the opposite, accepted in files and in Python.
    """

    help: str
    least: float | None = None
    most: float | None = None
    panel: str | None = None
    positional: bool = False
    option: str | None = None
    aliases: tuple[str, ...] = ()
    metavar: str | None = None
    repeated: bool = False
    choices: tuple[str, ...] = ()
    secret: bool = False
    names: Callable[[], list[str]] | None = None
    writes: str | None = None
    may_be_empty: bool = False
    negates: str | None = None


D = TypeVar("D")


@overload
def setting(help: str, *, default: D, **details: Any) -> D: ...
@overload
def setting(help: str, **details: Any) -> Any: ...
def setting(help: str, *, default: Any = None, **details: Any) -> Any:
    """Give a config's field a description and a default: `setting("Seed.", default=0, least=0)`.

    Args:
        help, details: of its `Setting`.
        default: of the field; None where nothing is given.
    """
    return dataclasses.field(default=default, metadata={"setting": Setting(help, **details)})


@dataclass(frozen=True)
class ConfigField:
    """A field of a config with its type taken apart.

    Attributes:
        name: of the field.
        setting: its description.
        scalar: the type of its value, or of each of its values.
        several: whether it is a tuple.
        optional: whether it may be None.
        default: its default; `dataclasses.MISSING` where it must be given.
    """

    name: str
    setting: Setting
    scalar: Scalar
    several: bool
    optional: bool
    default: Any

    @property
    def required(self) -> bool:
        """Check whether a value must be given."""
        return self.default is MISSING

    @property
    def writes(self) -> str | None:
        """Return the kind of output at its path; None where nothing is written."""
        return self.setting.writes or ("result" if self.name == "out" else None)

    @property
    def option(self) -> str:
        """The name of its option, or of its argument as help texts show it."""
        if self.setting.positional:
            return self.name.upper()
        return self.setting.option or f"--{self.name.replace('_', '-')}"


def fields_of(config: type[Any]) -> list[ConfigField]:
    """The fields of a config class, in order."""
    hints = get_type_hints(config, include_extras=True)
    found = []
    for one in dataclasses.fields(config):
        kind, *notes = get_args(hints[one.name]) if get_origin(hints[one.name]) is Annotated else (hints[one.name],)
        described = [one.metadata.get("setting"), *notes, Setting("")]
        setting = next(note for note in described if isinstance(note, Setting))
        optional = get_origin(kind) in (Union, UnionType) and NoneType in get_args(kind)
        if optional:
            (kind,) = (part for part in get_args(kind) if part is not NoneType)
        several = get_origin(kind) is tuple
        scalar = get_args(kind)[0] if several else kind
        default = one.default if one.default_factory is MISSING else one.default_factory()
        found.append(ConfigField(one.name, setting, scalar, several, optional, default))
    return found


def make(config: type[C], values: Mapping[str, Any], *, where: str = "") -> C:
    """Make a config of given values, each made its field's type and checked.

    Args:
        config: the class.
        values: by field name; those of TOML or of the command line: paths may be texts, tuples lists.
        where: the beginning of a sentence about a wrong value, such as a file's name and ': '.

    Raises:
        UsageError: a value is missing, unknown, of the wrong type or out of its bounds.
    """
    fields = {one.name: one for one in fields_of(config)}
    values = dict(values)
    for one in fields.values():
        if one.setting.negates in values:
            older = not _one(one, values.pop(one.setting.negates), where)
            values.setdefault(one.name, older)
    for name in values:
        if name not in fields:
            raise UsageError(f"{where}there is no setting '{name}'; {hint(name, fields)}.")
    made = {}
    for name, one in fields.items():
        if name in values:
            made[name] = _value(one, values[name], where)
        elif one.required:
            raise UsageError(f"{where}{one.option} is missing; give it, or write '{name}' into a --config file.")
    return config(**made)


def _value(field: ConfigField, value: Any, where: str) -> Any:
    if value is None and field.optional:
        return None
    if not field.several:
        return _one(field, value, where)
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, Sequence):
        raise UsageError(f"{where}{field.option} takes a list, not {value!r}.")
    parts = [part for part in value if not (isinstance(part, str) and not part.strip())]
    if not parts and not field.setting.may_be_empty:
        raise UsageError(f"{where}{field.option} names nothing; give one or more, or leave it out.")
    return tuple(_one(field, part, where) for part in parts)


def _one(field: ConfigField, value: Any, where: str) -> Any:
    setting, kind = field.setting, field.scalar
    if value == "" and kind in (str, Path) and field.default != "":
        raise UsageError(f"{where}{field.option} is empty; give {_KINDS[kind]}, or leave it out.")
    made = _converted(kind, value)
    if made is None:
        raise UsageError(f"{where}{field.option} takes {_KINDS[kind]}, not {str(value)!r}.")
    if isinstance(made, float) and not math.isfinite(made):
        raise UsageError(f"{where}{field.option} takes a finite number, not {made}.")
    low = setting.least is not None and isinstance(made, int | float) and made < setting.least
    high = setting.most is not None and isinstance(made, int | float) and made > setting.most
    if low or high:
        bounds = [f"at least {setting.least:g}"] if setting.least is not None else []
        bounds += [f"at most {setting.most:g}"] if setting.most is not None else []
        raise UsageError(f"{where}{field.option} takes {' and '.join(bounds)}, not {made}.")
    if setting.choices and made not in setting.choices:
        raise UsageError(f"{where}{field.option} can't be '{made}'; {hint(str(made), setting.choices)}.")
    return made


def _converted(kind: Scalar, value: Any) -> Any:
    """The value as that type; None where it can't be one."""
    if kind is Path:
        return as_path(value) if isinstance(value, str | Path) else None
    if kind is bool:
        return value if isinstance(value, bool) else None
    if isinstance(value, str) and kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            return None
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value if isinstance(value, kind) and not (kind is int and isinstance(value, bool)) else None


_KINDS: dict[Any, str] = {
    str: "a text", int: "a whole number", float: "a number", bool: "true or false", Path: "a path",
}  # fmt: skip


def read_tables(path: Path, command: str) -> list[dict[str, Any]]:
    """The settings that a TOML file has for a command: its `[command]` table, each of its `[[command]]` tables, or the
    whole file where it holds no tables.

    Raises:
        InputError: it can't be read, is no TOML, has nothing for the command, or has a setting above its tables.
    """
    data = _read(path)
    data.pop(PLUGINS, None)
    data.pop(DIRECTORY, None)
    tables = {key: value for key, value in data.items() if isinstance(value, dict | list) and _is_table(value)}
    if not tables:
        return [data]
    found = tables.get(command)
    own: list[Any] = found if isinstance(found, list) else [found]
    if not all(isinstance(one, dict) for one in own):
        raise InputError(path, f"has nothing for '{command}' but {', '.join(tables)}", fix=f"write a [{command}] table")
    above = next((key for key in data if key not in tables), None)
    if above is not None:
        raise InputError(path, f"'{above}' is above the tables", fix=f"write it below [{command}]")
    return own


def by_field(path: Path, kind: type[Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a file's table by the names of a config's fields; the file may name them as options.

    Raises:
        InputError: two keys are one setting, as `max-tokens` and `max_tokens`.
    """
    fields = {one.name: one.name for one in fields_of(kind)}
    names = {one.option.removeprefix("--").replace("-", "_"): one.name for one in fields_of(kind)} | fields
    keys: dict[str, str] = {}
    for key in table:
        plain = key.replace("-", "_")
        other = keys.setdefault(names.get(plain, plain), key)
        if other != key:
            raise InputError(path, f"'{other}' and '{key}' are one setting", fix="leave one out")
    return {name: table[key] for name, key in keys.items()}


def has_table(text: str, command: str) -> bool:
    """Check whether a text names a TOML file with settings of a command, `[command]`."""
    if not text.endswith(".toml") or not Path(text).is_file():
        return False
    try:
        return command in _read(Path(text))
    except InputError:
        return False  # the reader of the file says why


def read_plugins(path: Path) -> list[str]:
    """The plugins that a TOML file names, `plugins = ["my_family.py"]` above its tables.

    Raises:
        InputError: it can't be read, is no TOML, or names them in another form.
    """
    found = _read(path).get(PLUGINS, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise InputError(path, "is no list of files", field=PLUGINS, fix=f'write {PLUGINS} = ["my_family.py"]')
    base = base_of(path)
    return [str(base / one) for one in found]


def base_of(path: Path) -> Path:
    """The folder at which relative paths in a TOML file begin, relative to the working directory.

    It is the working directory itself for files that name none, and where the named folder is gone.

    Raises:
        InputError: the file can't be read, is no TOML, or names no text.
    """
    named = _read(path).get(DIRECTORY, "")
    if not isinstance(named, str):
        raise InputError(path, "is no text", field=DIRECTORY, fix=f'write {DIRECTORY} = ".."')
    return Path(os.path.relpath(path.parent / named)) if named and (path.parent / named).is_dir() else Path()


def located(kind: type[Any], table: Mapping[str, Any], base: Path, start: Path = Path()) -> dict[str, Any]:
    """A file's settings with the paths that begin at a folder, as they are from another, the working directory.

    Args:
        kind: the config's class.
        table: settings by field name, as TOML has them.
        base: the folder.
        start: the other.
    """
    if base == start:
        return dict(table)
    fields = {one.name: one for one in fields_of(kind)}
    return {name: _located(fields.get(name), value, base, start) for name, value in table.items()}


def _located(field: ConfigField | None, value: Any, base: Path, start: Path) -> Any:
    if isinstance(value, list):
        return [_located(field, one, base, start) for one in value]
    if field is None or not isinstance(value, str) or is_url(value):
        return value
    # A text may be a name or a path: of a benchmark, a file of ids, or a model's function, python/FILE.py:FUNCTION.
    family, text = ("python/", value[7:]) if value.startswith("python/") else ("", value)
    file, colon, function = text.partition(":") if family else (text, "", "")
    is_path = field.scalar is Path or (any(sign in file for sign in "/.") and (base / file).exists())
    if not is_path or Path(file).is_absolute():
        return value
    moved = os.path.relpath(base / file, start)
    dot = "" if field.scalar is Path or family or moved.startswith(".") else "./"
    return f"{family}{dot}{moved}{colon}{function}"


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror or error})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(path, f"is no TOML ({error})") from None


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, dict) for one in value))


def to_table(config: Any) -> dict[str, Any]:
    """A config's settings other than their defaults, as TOML values; required ones always, secret ones and addresses
    with a password never."""
    table = {}
    for one in fields_of(type(config)):
        value = getattr(config, one.name)
        if value is not None and not is_secret(one, value) and (one.required or value != one.default):
            table[one.name] = as_toml(value)
    return table


def shared_settings(config: Any, kind: type[Any]) -> dict[str, Any]:
    """The settings of a config that are fields of another class too, by name."""
    names = {one.name for one in dataclasses.fields(kind)}
    return {one.name: getattr(config, one.name) for one in dataclasses.fields(config) if one.name in names}


def is_secret(field: ConfigField, value: Any) -> bool:
    """Check whether a value must not be written into a file: it may be a password, or is an address with one."""
    return field.setting.secret or _PASSWORD.search(str(value)) is not None


_PASSWORD = re.compile(r"://[^/@\s]*:[^/@\s]+@")


def as_toml(value: Any) -> Any:
    """A setting's value as TOML has it."""
    if isinstance(value, tuple):
        return [as_toml(part) for part in value]
    return as_named(value) if isinstance(value, Path) else value


@contextmanager
def at_places(config: Any) -> Iterator[None]:
    """Work with a config whose paths may be places on object stores: fetched before, put up at the end.

    The setting 'out' is written, the other paths are read, or added to as a run's folder is by scoring. Outputs are
    checked before the work begins.

    Raises:
        UsageError: an output would replace something else (`check_outputs`), or the work is to be done on a cluster,
            whose machines don't share the mirrors.
        StorageError: a store can't be used, or another job writes to the place.
    """
    inputs: list[Path] = []
    outputs: list[Path] = []
    for one in fields_of(type(config)):
        value = getattr(config, one.name)
        if one.scalar is Path and value is not None:
            (outputs if one.name == "out" else inputs).extend(value if one.several else [value])
    place = next((path for path in (*outputs, *inputs) if mirror_of(path) is not None), None)
    if place is not None and str(getattr(config, "on", None) or "").startswith(RAY):
        raise UsageError(
            f"--on ray works with folders on a disk that all machines see, not with {as_named(place)}: name a folder, "
            "or leave --on out."
        )
    with opened(inputs, outputs):
        check_outputs(config)
        yield


def check_outputs(config: Any) -> None:
    """Check that the outputs of a config's command replace and extend no input and nothing of another kind.

    Raises:
        UsageError: it would.
    """
    fields = [(one, getattr(config, one.name)) for one in fields_of(type(config))]
    inputs = [path for one, value in fields if one.writes is None for path in _inputs(one, value)]
    for one, value in fields:
        if one.writes is None or not isinstance(value, Path):
            continue
        if one.writes in ("file", "log") or (one.writes == "result" and value.suffix and not value.is_dir()):
            check_file(value, one.option, inputs)
            _check_table(value, one.option, inputs)
        else:
            check_folder(value, one.writes, one.option, inputs, outside=value != one.default)


def _check_table(file: Path, option: str, inputs: Sequence[Path]) -> None:
    """Make sure that an output replaces no table of predictions or answers, and none that a run was imported from."""
    if not file.is_file() or file.suffix.lower() not in (".csv", ".tsv", ".json", ".jsonl"):
        return
    from tolman.runs.logs.predictions import holds_answers
    from tolman.runs.places import is_imported

    for path in inputs:
        if is_imported(file, path):
            raise UsageError(f"{file} holds the responses of {path}; give another file with {option}.")
    if holds_answers(file):
        raise UsageError(f"{file} holds predictions or answers by id; give another file with {option}.")


def _inputs(field: ConfigField, value: Any) -> list[Path]:
    """The paths that a setting names: those of paths, and arguments that mean folders, such as a benchmark's."""
    values = () if value is None else value if field.several else (value,)
    if field.scalar is Path:
        return list(values)
    if field.scalar is str and field.setting.positional:
        return [Path(one) for one in values if "/" in one or one in (".", "..") or kind_of(Path(one)) is not None]
    return []


def write_config(path: Path, command: str, *configs: Any, typed: str | None = None, base: Path = Path()) -> None:
    """Write the TOML file that repeats a command: a `[command]` table, or several where it was carried out several
    times, below the plugins that are loaded.

    Args:
        path: the file.
        command: the name of its table.
        configs: the settings.
        typed: the command as it is typed after 'tolman', where that isn't the table's name.
        base: the folder at which the paths in the file begin.
    """
    plugins = [
        os.path.relpath(file, base) if file.is_relative_to(base.resolve()) else str(file) for file in loaded_plugins()
    ]
    tables = [located(type(config), to_table(config), Path(), base) for config in configs]
    above: dict[str, Any] = {PLUGINS: plugins} if plugins else {}
    if mirror_of(path) is None:
        above = {DIRECTORY: Path(os.path.relpath(base, path.parent)).as_posix()} | above
    text = tomli_w.dumps(above | {command: tables[0] if len(tables) == 1 else tables})
    if not is_own_config(path):
        warnings.warn(f"{path} isn't a config that Tolman wrote, so it stays as it is.", DataWarning, stacklevel=2)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, f"# tolman {__version__}: 'tolman {typed or command} --config {path.name}' repeats this.\n{text}")


K = TypeVar("K")


def config_of(kind: type[K], settings: Mapping[str, Any]) -> K:
    """A config of keyword arguments, which may be single values for lists, mappings for JSON, and objects for texts.

    Raises:
        UsageError: a setting that there isn't, or a value that isn't one.
    """
    fields = {one.name: one for one in fields_of(kind)}
    plain = {name: _plain(fields.get(name), value) for name, value in settings.items()}
    return make(kind, {name: value for name, value in plain.items() if value is not None or name not in fields})


def _plain(field: ConfigField | None, value: Any) -> Any:
    if field is None or value is None:
        return value
    if field.several:
        if isinstance(value, str):
            return value  # names with commas between them
        values = (value,) if isinstance(value, Path | int | float) else value
        return tuple(str(one) if field.scalar is str else one for one in values)
    if field.scalar is str:
        if isinstance(value, Mapping):
            return json.dumps(value)
        if isinstance(value, Path | int | float) and not isinstance(value, bool):
            return str(value)
    return value


JUDGE = "The judge"
"""Heading of a judge's settings in help texts."""
STORES = "Stores"
"""Heading of the stores' settings in help texts."""

ReleasedData = Annotated[
    Path | None, Setting("Folder with the released data, or a file of questions. Default: the Hugging Face hub.")
]
Subset = Annotated[
    str | None, Setting("Named part of the benchmark, see 'tolman benchmarks NAME'. Default: its first.")
]
Revision = Annotated[str | None, Setting("Commit of the hub's data set. Default: the pinned one.")]
RunFolderOut = Annotated[Path | None, Setting("Folder of the run. Default: a name under ./runs.", writes="run")]
FailuresAsWrong = Annotated[bool, Setting("Score items without an answer 0 instead of leaving them out.")]
On = Annotated[
    str | None,
    Setting(
        "Place of the work: here (one process), processes, ray (the cluster of $RAY_ADDRESS, one that runs on this "
        "machine, or a local one that is started), or ray://HOST:PORT. Default: processes, where there is much to do.",
        metavar="PLACE",
    ),
]
NumberOfWorkers = Annotated[
    int | None,
    Setting("Number of processes, or of tasks of a cluster, from 1. Default: one for each processor core.", least=1),
]
ShardOfJob = Annotated[
    str | None,
    Setting(
        "Part of the job that is done, such as 2/8, into a folder of its own; 'tolman merge' joins them. Default: all.",
        metavar="I/N",
    ),
]
Trackers = Annotated[
    tuple[str, ...],
    Setting(
        "Experiment trackers that finished runs are logged to: wandb, mlflow. Default: none.",
        metavar="NAME[,NAME]",
        choices=("wandb", "mlflow"),
    ),
]
StorePlace = Annotated[
    str | None,
    Setting(
        "File of the response store, or URL of a PostgreSQL database. Default: $TOLMAN_STORE, or in the user's cache.",
        panel=STORES,
    ),
]

JudgeName = Annotated[
    str | None,
    Setting(
        "Model that reads or marks responses: adds the scorer 'judged'; 'self' is the run's own model, which reads "
        "what 'careful' can't. Default: none.",
        panel=JUDGE,
    ),
]
JudgeUrl = Annotated[
    str | None, Setting("Base URL of the judge's endpoint. Default: the family's own, if any.", panel=JUDGE)
]
JudgeBody = Annotated[
    str | None, Setting("JSON object of further fields, as --body is for a model. Default: none.", panel=JUDGE)
]
JudgeSample = Annotated[
    str | None,
    Setting(
        "Responses that 'careful' reads and the judge reads too, to print how often they agree: a number, or a "
        "share such as 5%, drawn by --seed. Default: 50; 0: none.",
        panel=JUDGE,
        metavar="N|SHARE",
    ),
]


def json_object(text: str | None, option: str) -> dict[str, Any]:
    """A setting that holds a JSON object; an empty one where it isn't given.

    Args:
        text: the JSON.
        option: the option's name, for errors.

    Raises:
        UsageError: it holds something else.
    """
    if text is None:
        return {}
    try:
        value = json.loads(text, parse_constant=_refuse)
    except ValueError as error:
        raise UsageError(f"{option} takes a JSON object, and '{text}' is none ({error}).") from None
    if not isinstance(value, dict):
        raise UsageError(f"{option} takes a JSON object such as {{\"seed\": 1}}, not '{text}'.")
    return value


def _refuse(constant: str) -> None:
    raise ValueError(f"JSON has no number {constant}")


class HasJudge(Protocol):
    """A config with a judge's settings (`tolman.features.config`)."""

    @property
    def judge(self) -> str | None: ...
    @property
    def judge_base_url(self) -> str | None: ...
    @property
    def judge_body(self) -> str | None: ...
    @property
    def store(self) -> str | None: ...
    @property
    def prices(self) -> Path | None: ...


def judge_request(
    config: HasJudge, *, limits: Limits | None = None, sample: str | None = None, **options: Any
) -> JudgeRequest | None:
    """Return the request that the settings of a judge make; None without one.

    Args:
        config: names the judge, its endpoint, store and prices.
        limits: when to give up.
        sample: the setting --judge-sample, where the config has it.
        options: more of `ModelOptions`.

    Raises:
        UsageError: settings of a judge and no judge, or one that can't be read.
    """
    if config.judge is None:
        options_of_a_judge = {
            "--judge-base-url": config.judge_base_url,
            "--judge-body": config.judge_body,
            "--judge-sample": sample,
        }
        given = [option for option, value in options_of_a_judge.items() if value]
        if given:
            raise UsageError(f"{' and '.join(given)} without a judge; name it with --judge.")
        return None
    from tolman.models.model import ModelOptions
    from tolman.runs.engine import Limits
    from tolman.runs.judging import JudgeRequest
    from tolman.scoring.judge_sample import SampleSize

    try:
        size = SampleSize() if sample is None else SampleSize.parse(sample)
    except ValueError:
        raise UsageError(f"--judge-sample takes a number such as 50 or a share such as 5%, not '{sample}'.") from None
    body = json_object(config.judge_body, "--judge-body")
    asked = ModelOptions(base_url=config.judge_base_url, body=body, **options)
    return JudgeRequest(config.judge, asked, limits or Limits(), config.store, config.prices, size)
