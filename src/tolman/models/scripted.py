"""`scripted/FILE`: answers read from a file, for replays and tests.

The file holds `{"id": …, "response": …}` on each line, as a run's responses.jsonl does; a `repeat` says for which
asking. If a line has `turns`, each call gets the turn of its purpose and draw, so that a run's own file replays it. An
item without a line, and a call without a turn, is a failure.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from tolman.errors import InputError
from tolman.models.model import CallError, ModelOptions, Request
from tolman.responses import Failure, FailureKind, Response, each_outcome, once


class Scripted:
    """A model that reads its answers.

    Raises:
        InputError: the file is missing, holds something else, or two responses to one asking.
    """

    remote = False

    def __init__(self, path: Path, concurrency: int) -> None:
        if not path.is_file():
            raise InputError(path, "does not exist", fix="name a JSONL file of answers: scripted/FILE")
        self.name = f"scripted/{path.name}"
        self.concurrency = concurrency
        self.settings: Mapping[str, Any] = {"script": sha256(path.read_bytes()).hexdigest()[:16]}
        self._answers = once(path, enumerate(each_outcome(path), start=1))

    async def answer(self, request: Request) -> Response:
        """The line of the item, or the turn of its line."""
        found = self._answers.get((request.item.id, request.repeat))
        if isinstance(found, Response) and found.turns:
            return self._turn(found, request)
        if isinstance(found, Response):
            return found
        if isinstance(found, Failure):
            raise CallError(found.kind, found.message, retry=False)
        raise CallError(FailureKind.REFUSED, "the script has no answer for this item", retry=False)

    def _turn(self, found: Response, request: Request) -> Response:
        for turn in found.turns:
            if (turn.purpose, turn.draw) == (request.purpose, request.draw):
                said = turn.model_dump(exclude={"purpose", "prompt", "draw", "model"})
                return Response(id=found.id, repeat=found.repeat, **said)
        which = f"'{request.purpose}'" + (f" {request.draw + 1}" if request.draw else "")
        raise CallError(FailureKind.REFUSED, f"the script has no turn {which} for this item", retry=False)

    async def close(self) -> None:
        """Nothing to let go of."""


def create(name: str, options: ModelOptions) -> Scripted:
    """The model that reads a file."""
    return Scripted(Path(name), options.concurrency)
