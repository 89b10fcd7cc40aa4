"""The catalogue: which benchmarks and protocols there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tolman.workflows.config import Setting
from tolman.workflows.run_config import benchmarks_and_suites
from tolman.workflows.suite_names import NamedSuite, is_named_suite, named_suite, suite_names

if TYPE_CHECKING:
    from tolman.benchmarks.base import BenchmarkSpec


@dataclass(frozen=True, kw_only=True)
class BenchmarksConfig:
    """Which benchmark is described."""

    name: Annotated[
        str | None,
        Setting("Name of a benchmark, which is shown with its subsets, presets and table, or of a suite, whose file is "
                "printed. Default: all, a line each.", positional=True, names=benchmarks_and_suites),
    ] = None  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ProtocolsConfig:
    """Nothing to set: all protocols are listed."""


@dataclass(frozen=True)
class ProtocolSummary:
    """A protocol in the catalogue.

    Attributes:
        name: what `--protocol` takes.
        kind: 'strategy' for a way of asking, of which a run has one; 'modifier' for what is joined to it with '+'.
        summary: a sentence.
    """

    name: str
    kind: str
    summary: str


def list_benchmarks(config: BenchmarksConfig | None = None) -> list[BenchmarkSpec]:
    """All benchmarks by name, or the one that the config names.

    Raises:
        UsageError: there is none of that name.
    """
    from tolman import benchmarks

    wanted = config.name if config is not None else None
    return [benchmarks.get(name) for name in ([wanted] if wanted else benchmarks.names())]


def list_suites(config: BenchmarksConfig | None = None) -> list[NamedSuite]:
    """The suites that come with Tolman: all, or the one that the config names; none where it names a benchmark."""
    wanted = config.name if config is not None else None
    if wanted is None:
        return [named_suite(name) for name in suite_names()]
    return [named_suite(wanted)] if is_named_suite(wanted) else []


def list_protocols() -> list[ProtocolSummary]:
    """All protocols: first the ways of asking, then what can be joined to them."""
    from tolman import protocols

    found = [ProtocolSummary(*row) for row in protocols.describe()]
    return sorted(found, key=lambda one: (one.kind != "strategy", one.name))
