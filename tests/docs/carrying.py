"""Carrying out the commands of a page as somebody types them, one after the other in one folder."""

import itertools
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import typer.main

import terminal
from before.actors import Person, review
from docs import hub
from docs.blocks import ROOT, Command, blocks
from docs.exceptions import (
    ABSENT,
    BUILDING,
    EXIT_CODES,
    NEEDED,
    NOT_TOLMAN,
    OTHER_DATA,
    SHORTENED,
    find,
)  # fmt: skip
from docs.files import with_addresses, write_files
from docs.nodes import searched
from docs.scans import write_scans
from docs.stage import write_answers
from docs.steps import SAYS, STEPS, Step
from tolman.cli import app, without_plugins
from tolman.files import remove

LATER = "http://localhost:8000/v1"
"""Where the docs have an endpoint."""
SERVED = ("--export", "--runs", "--people", "backup", "restore", "upgrade")
"""Options and actions of `tolman review` with which it writes and ends."""


@dataclass
class Page:
    """A page's folder.

    Attributes:
        place: the folder, with what `docs.stage` put there.
        endpoints: environment variables by which models are found on the loopback interface.
        cache: of answers and frames; pages share it.
        nodes: base URLs of the servers that the docs call node1 and so on.
        exported: environment variables that the page set.
        stepped: steps that were carried out.
    """

    place: Path
    endpoints: Mapping[str, str]
    cache: Path
    nodes: Mapping[str, str] = field(default_factory=dict)
    exported: dict[str, str] = field(default_factory=dict)
    stepped: set[Step] = field(default_factory=set)

    def prepare(self, wanted: list[Command]) -> None:
        """Take away what the page makes itself, and make what its snippets make."""
        page = wanted[0].page
        write_files(page, self.place, self.nodes)
        for name in ABSENT.get(page, ()):
            remove(self.place / name)
        for command in wanted:
            model = value_of(command.words, "--model")
            if command.words[:2] == ["tolman", "run"] and model is not None:
                for path in self.place.glob(f"runs/*/{model.replace('/', '-')}-*"):
                    remove(path)
        if page in BUILDING:
            source = "\n\n".join(block.text for block in blocks(page) if block.language == "python")
            subprocess.run([sys.executable, "-c", source], cwd=self.place, check=True)

    def carry_out(self, command: Command) -> None:
        """Do what a command says.

        Raises:
            AssertionError: it doesn't do what the page promises.
        """
        words = command.words
        if words[0] == "export":
            self._export(words[1:])
        elif words[0] == "pip":
            check_extras(words)
        elif words[0] == "make":
            check_targets(words[1:])
        elif words[0] == "tolman":
            self._tolman(command)
        elif words[0] == "cat":
            assert all((self.place / word).is_file() for word in words[1:]), command
        elif words[0] == "python" and find(NOT_TOLMAN, command) is None:
            assert (ROOT / words[1]).is_file() or (self.place / words[1]).is_file(), command
        else:
            assert find(NOT_TOLMAN, command) is not None, f"{command.page}: nobody carries out {command.text!r}"

    def _export(self, words: list[str]) -> None:
        for word in words:
            name, equals, value = word.partition("=")
            assert equals, word
            if value != "…":
                self.exported[name] = value

    def _tolman(self, command: Command) -> None:
        words = completed(command.words[1:], self.endpoints["OPENAI_BASE_URL"], self.nodes)
        parse(words)
        needed = find(NEEDED, command)
        if needed is not None and find_spec(NEEDED[needed][0]) is None:
            return
        self._step(command)
        words = self._expanded(words)
        key = find(SHORTENED, command)
        if key is not None:
            words += SHORTENED[key][0]
        if words[0] == "simulate" and not {"--shapes", "--config"}.intersection(words):
            words += ["--shapes", "rectangle"]  # a home takes four times as long
        self._prepare(words)
        environment = hub.environment(self.place / "hub") | {
            "TOLMAN_CACHE": str(self.cache), "COLUMNS": "400" if command.shown else "160", **self.endpoints,
            **self.exported, **searched(self.place),
        }  # fmt: skip
        if words[0] == "review" and not any(word in words for word in SERVED):
            self._review(words[1:], environment)
            return
        if words[0] == "scenes" and "--pick" in words:
            with review(self.place, *words[1:], "--no-browser", command="scenes") as (_, link):
                assert "data-workbench" in httpx.get(link, follow_redirects=True).text
            return
        if words[0] == "view":
            with review(self.place, *words[1:], "--no-browser", command="view") as (address, _):
                assert "site.css" in httpx.get(address).text
            return
        type_in = tolman_anew if "--serve" in words else terminal.tolman
        done = type_in(self.place, *words, **environment)
        code = find(EXIT_CODES, command)
        expected = (0,) if code is None else EXIT_CODES[code][0]
        assert done.returncode in expected, f"{command.page}: {command.text}\n{done.stdout}\n{done.stderr}"
        check_output(command, done.stdout)

    def _step(self, command: Command) -> None:
        """What a reader has before the command."""
        key = find(STEPS, command)
        if key is not None and STEPS[key] not in self.stepped:
            self.stepped.add(STEPS[key])
            STEPS[key](self.place, self.cache.parent)

    def _expanded(self, words: list[str]) -> list[str]:
        """Words with patterns of file names replaced by those there are, and with /data in the stage."""
        found = []
        for word in words:
            names = sorted(str(path.relative_to(self.place)) for path in self.place.glob(word)) if "*" in word else []
            found += names or [str(self.place) + word if word.startswith("/data/") else word]
        return found

    def _prepare(self, words: list[str]) -> None:
        """Answers that a command reads are written; what it writes isn't there yet."""
        if words[0] == "ingest":
            if "--out" not in words:
                write_scans("auto", self.place / words[1], self.place / "pictures")
            for word in words[2 : words.index("--out")] if "--out" in words else ():
                write_scans(words[1], self.place / word, self.place / "pictures")
        if (
            words[0] == "score"
            and Path(words[1]).suffix in (".jsonl", ".json", ".csv")
            and not (self.place / words[1]).exists()
        ):
            subset = value_of(words, "--subset")
            write_answers(self.place, value_of(words, "--benchmark") or "", self.place / words[1], subset=subset)
        if words[0] in ("simulate", "generate", "ingest"):
            for out in self._outs(words):
                remove(self.place / out)

    def _outs(self, words: list[str]) -> list[str]:
        """The folders that a command writes, by its option or its config file."""
        given, file = value_of(words, "--out"), value_of(words, "--config")
        if given or not file:
            return [given] if given else []
        tables = tomllib.loads((self.place / file).read_text(encoding="utf-8")).get(words[0], [])
        return [table["out"] for table in (tables if isinstance(tables, list) else [tables])]

    def _review(self, words: list[str], environment: dict[str, str]) -> None:
        port = words.index("--port") if "--port" in words else None
        if port is not None:
            del words[port : port + 2]
        before = {name: os.environ.get(name) for name in environment}
        os.environ.update(environment)
        try:
            with review(self.place, *words) as (address, link), Person(address) as person:
                person.enter(link)
                assert person.page.status_code == 200
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})


def tolman_anew(place: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command in an interpreter of its own, which finds modules by its environment."""
    command = [sys.executable, "-m", "tolman", *words]
    return subprocess.run(command, cwd=place, env={**os.environ, **environment}, capture_output=True, text=True)


def completed(words: list[str], url: str, nodes: Mapping[str, str] | None = None) -> list[str]:
    """A command line without what '…' leaves to the reader, and with the loopback servers' addresses."""
    found: list[str] = []
    for place, word in enumerate(words):
        if word in ("…", "URL") and place and words[place - 1].endswith("-url"):
            found.append(url)
        elif word != "…":
            found.append(with_addresses(re.sub(r"http://localhost:\d+/v1", url, word), nodes or {}))
    if found[0] == "run" and "--model" not in found and not found[1].endswith(".toml"):
        found += ["--model", "openai/NAME"]
    return found


def parse(words: list[str]) -> None:
    """Have the command line read a command without carrying it out; not where a plugin adds the command.

    Raises:
        Exception: click's own, where there is no such option, or one is missing.
    """
    command: Any = typer.main.get_command(app)
    rest, files = without_plugins(words)
    context = None
    while rest and hasattr(command, "list_commands") and rest[0] in command.list_commands(context):
        context = command.context_class(command, parent=context, info_name=command.name)
        command = command.get_command(context, rest.pop(0))
    if files and hasattr(command, "list_commands"):
        return
    assert not hasattr(command, "list_commands"), f"there is no command tolman {' '.join(words)}"
    assert not command.make_context(command.name, rest, parent=context).args


def value_of(words: list[str], option: str) -> str | None:
    """What stands behind an option; the last where it is there several times."""
    found = [word for before, word in itertools.pairwise(words) if before == option]
    return found[-1] if found else None


def check_output(command: Command, printed: str) -> None:
    """What a page shows of a command's output is in it, and so is what is expected where it shows none.

    Raises:
        AssertionError: it isn't.
    """
    same = find(OTHER_DATA, command) is None
    missing = without_lines([line for line in command.shown if same or not re.search(r"\d|  ", line)], printed)
    assert not missing, f"{command.page}: {command.text} doesn't print {missing}:\n{printed}"
    said = find(SAYS, command)
    found = said is None or re.search(SAYS[said], " ".join(printed.split()))
    assert found, f"{command.page}: {command.text}:\n{printed}"


def without_lines(shown: Iterable[str], printed: str) -> list[str]:
    """Lines of a page that a command doesn't print; '…' at a line's end stands for more of it."""
    plain = " ".join(printed.split())
    told = (" ".join(line.split()).removesuffix("…").strip() for line in shown)
    return [line for line in told if line not in plain]


def check_extras(words: list[str]) -> None:
    """An installation names extras that there are."""
    assert words[:2] == ["pip", "install"], words
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for word in words[2:]:
        wanted = re.fullmatch(r"(?:tolman|\.)\[([\w,-]+)\]", word)
        assert word.startswith("-") or wanted or re.fullmatch(r"[\w.-]+(?:[<>=]=?[\w.]+)?", word), word
        assert not wanted or set(wanted[1].split(",")) <= set(extras), f"no such extra: {word}"


def check_targets(words: list[str]) -> None:
    """The Makefile has these targets."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    for word in words:
        assert "=" in word or re.search(rf"^{re.escape(word)}:", text, re.MULTILINE), f"no such target: {word}"


__all__ = ["LATER", "Page", "check_extras", "check_targets", "completed", "parse", "without_lines"]
