"""Carrying out the commands of a page as somebody types them, one after the other in one folder."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer.main
from aiohttp import web

import terminal
from before.actors import Person, review, text_of, wordings
from docs import hub
from docs.blocks import ROOT, Command, blocks
from docs.exceptions import ABSENT, BUILDING, EXIT_CODES, NOT_TOLMAN, ONLY_PARSED, SHORTENED, SLOW, find
from docs.files import write_files
from docs.scans import write_scans
from docs.stage import write_answers
from loopback import Server
from tolman.cli import app, without_plugins

LATER = "http://localhost:8000/v1"
"""Where the docs have an endpoint."""
SERVED = ("--export", "--runs")
"""Options of `tolman review` with which it writes and ends."""


class Clerk(Server):
    """The model behind `openai/NAME`, and behind the HTTP API of the page about models.

    Attributes:
        generated: answers of that API.
        status: which it answers with.
    """

    def __init__(self) -> None:
        super().__init__(reply=_reply, keep=False)
        self.generated, self.status = 0, 200

    def app(self) -> web.Application:
        """The application with one more path."""
        app = super().app()
        app.router.add_post("/v1/generate", self.generate)
        return app

    async def generate(self, request: web.Request) -> web.Response:
        """One answer of the API."""
        body = await request.json()
        assert set(body) >= {"model", "text", "images"}
        self.generated += 1
        return web.json_response({"text": _answer(body["text"])}, status=self.status)


def clerk() -> Clerk:
    """A server whose answers are letters and numbers, worded as models word theirs."""
    return Clerk()


def _reply(body: dict[str, Any]) -> str:
    return _answer(text_of(body))


def _answer(text: str) -> str:
    return wordings(text, number=re.search(r"^\(?A[.:)]|Options: A", text, re.MULTILINE) is None)


@dataclass
class Page:
    """A page's folder.

    Attributes:
        place: the folder, with what `docs.stage` put there.
        url: of the loopback endpoint.
        cache: of answers and frames; pages share it.
        exported: environment variables that the page set.
        thorough: whether slow commands are carried out too.
        done: what became of each command.
    """

    place: Path
    url: str
    cache: Path
    thorough: bool = True
    exported: dict[str, str] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)

    def prepare(self, wanted: list[Command]) -> None:
        """Take away what the page makes itself, and make what its snippets make."""
        page = wanted[0].page
        write_files(page, self.place)
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
        words = self._expanded(completed(command.words[1:], self.url))
        parse(words)
        if find(ONLY_PARSED, command) is not None or (not self.thorough and find(SLOW, command) is not None):
            self.done.append(f"only parsed: {command.text}")
            return
        key = find(SHORTENED, command)
        if key is not None:
            words += SHORTENED[key][0]
        self._prepare(words)
        environment = hub.environment(self.place / "hub") | {
            "TOLMAN_CACHE": str(self.cache), "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": self.url, "COLUMNS": "160",
            **self.exported,
        }  # fmt: skip
        if words[0] == "review" and not any(word in words for word in SERVED):
            self._review(words[1:], environment)
            return
        done = terminal.tolman(self.place, *words, **environment)
        expected = EXIT_CODES.get((command.page, command.text), (0, ""))[0]
        assert done.returncode == expected, f"{command.page}: {command.text}\n{done.stdout}\n{done.stderr}"
        self.done.append(command.text)

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
            for word in words[2 : words.index("--out")]:
                write_scans(words[1], self.place / word, self.place / "pictures")
        if words[0] == "score" and words[1].endswith(".jsonl") and not (self.place / words[1]).exists():
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
            with review(self.place, *words) as (address, _), Person(address) as person:
                assert person.page.status_code == 200
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})


def completed(words: list[str], url: str) -> list[str]:
    """A command line without what '…' leaves to the reader, and with the loopback server's address."""
    found: list[str] = []
    for place, word in enumerate(words):
        if word in ("…", "URL") and place and words[place - 1].endswith("-url"):
            found.append(url)
        elif word != "…":
            found.append(re.sub(r"http://localhost:\d+/v1", url, word))
    if found[0] == "run" and "--model" not in found:
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


def remove(path: Path) -> None:
    """A file, folder or link of the stage."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


def check_extras(words: list[str]) -> None:
    """An installation names extras that there are."""
    assert words[:2] == ["pip", "install"], words
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for word in words[2:]:
        wanted = re.fullmatch(r"(?:tolman|\.)\[([\w,-]+)\]", word)
        assert word.startswith("-") or wanted or re.fullmatch(r"[\w.-]+", word), word
        assert not wanted or set(wanted[1].split(",")) <= set(extras), f"no such extra: {word}"


def check_targets(words: list[str]) -> None:
    """The Makefile has these targets."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    for word in words:
        assert "=" in word or re.search(rf"^{re.escape(word)}:", text, re.MULTILINE), f"no such target: {word}"


__all__ = ["LATER", "Page", "check_extras", "check_targets", "clerk", "completed", "parse"]
