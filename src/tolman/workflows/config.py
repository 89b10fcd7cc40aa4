"""Configs: frozen dataclasses that are at once a command's options, a TOML table and a use case's argument.

```python
@dataclass(frozen=True, kw_only=True)
class AuditConfig:
    benchmark: Annotated[str, Setting("Benchmark whose scenes are known.", positional=True)]
    seed: Annotated[int, Setting("Seed of everything drawn at random.", least=0)] = 0
```

A field's type is `str`, `int`, `float`, `bool`, `Path`, one of these or None, or a tuple of strings, numbers or paths.
On the command line a tuple is written with commas, in TOML as an array. Relative paths are relative to the working
directory, in a file too: a config repeats the command that wrote it.
"""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from tolman.errors import InputError, UsageError
from tolman.names import hint
from tolman.parallel.place import RAY
from tolman.storage import as_named, as_path, mirror_of, opened

C = TypeVar("C")
PLUGINS = "plugins"
"""The key of a file's plugins, above its tables."""
Scalar = type[str] | type[int] | type[float] | type[bool] | type[Path]


@dataclass(frozen=True)
class Setting:
    """What a field of a config is, for help texts and checks.

    Attributes:
        help: one or two sentences: quantity, unit, range.
        least, most: bounds of a number, or of each number of a tuple.
        panel: the heading that its option stands under in help texts.
        positional: whether it is an argument on the command line rather than an option.
        option: the option's name where it isn't the field's: '--format'.
        aliases: older names of the option, accepted and not shown.
        metavar: what stands for its value in help texts.
        repeated: whether a tuple's option is given once for each value rather than with commas.
        choices: the values there are, where it is one of a few.
        secret: whether it may hold a password, and so is never written into a file.
        names: lists names that its value may be, which shells complete.
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


@dataclass(frozen=True)
class ConfigField:
    """A field of a config with its type taken apart.

    Attributes:
        name: of the field.
        setting: what it is.
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
        """Whether a value must be given."""
        return self.default is MISSING

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
        setting = next((note for note in notes if isinstance(note, Setting)), Setting(""))
        optional = get_origin(kind) in (Union, UnionType) and NoneType in get_args(kind)
        if optional:
            (kind,) = (part for part in get_args(kind) if part is not NoneType)
        several = get_origin(kind) is tuple
        scalar = get_args(kind)[0] if several else kind
        default = one.default if one.default_factory is MISSING else one.default_factory()
        found.append(ConfigField(one.name, setting, scalar, several, optional, default))
    return found


def make(config: type[C], values: Mapping[str, Any], *, where: str = "") -> C:
    """A config of given values, each made its field's type and checked.

    Args:
        config: the class.
        values: by field name; those of TOML or of the command line: paths may be texts, tuples lists.
        where: what stands before a sentence about a wrong value, such as a file's name and ': '.

    Raises:
        UsageError: a value is missing, unknown, of the wrong type or out of its bounds.
    """
    fields = {one.name: one for one in fields_of(config)}
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
    return tuple(_one(field, part, where) for part in value)


def _one(field: ConfigField, value: Any, where: str) -> Any:
    setting, kind = field.setting, field.scalar
    made = _converted(kind, value)
    if made is None:
        raise UsageError(f"{where}{field.option} takes {_KINDS[kind]}, not {str(value)!r}.")
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
        InputError: it can't be read, is no TOML, or has nothing for the command.
    """
    data = _read(path)
    data.pop(PLUGINS, None)
    found = data.get(command)
    if isinstance(found, dict):
        return [found]
    if isinstance(found, list) and found and all(isinstance(one, dict) for one in found):
        return found
    tables = [key for key, value in data.items() if isinstance(value, dict | list) and _is_table(value)]
    if tables:
        raise InputError(path, f"has nothing for '{command}' but {', '.join(tables)}", fix=f"write a [{command}] table")
    return [data]


def read_plugins(path: Path) -> list[str]:
    """The plugins that a TOML file names, `plugins = ["my_family.py"]` above its tables.

    Raises:
        InputError: it can't be read, is no TOML, or names them in another form.
    """
    found = _read(path).get(PLUGINS, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise InputError(path, "is no list of files", field=PLUGINS, fix=f'write {PLUGINS} = ["my_family.py"]')
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
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


def is_secret(field: ConfigField, value: Any) -> bool:
    """Whether a value must not be written into a file: it may be a password, or is an address with one."""
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

    The setting 'out' is written, the other paths are read, or added to as a run's folder is by scoring.

    Raises:
        UsageError: the work is to be done on a cluster, whose machines don't share the mirrors.
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
        yield


def write_config(path: Path, command: str, *configs: Any, typed: str | None = None) -> None:
    """Write the TOML file that repeats a command: a `[command]` table, or several where it was carried out several
    times, below the plugins that are loaded.

    Args:
        path: the file.
        command: what its table is called.
        configs: the settings.
        typed: the command as it is typed after 'tolman', where that isn't the table's name.
    """
    import tomli_w

    from tolman import __version__
    from tolman.files import write_text
    from tolman.plugins import loaded_plugins

    plugins = [os.path.relpath(file) if file.is_relative_to(Path.cwd()) else str(file) for file in loaded_plugins()]
    tables = [to_table(config) for config in configs]
    above: dict[str, Any] = {PLUGINS: plugins} if plugins else {}
    text = tomli_w.dumps(above | {command: tables[0] if len(tables) == 1 else tables})
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, f"# tolman {__version__}: 'tolman {typed or command} --config {path.name}' repeats this.\n{text}")
