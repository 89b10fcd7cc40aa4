"""Models that try a question while it is written, against a server on loopback."""

import html
import time
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from loopback import Server, serving as answering
from making import make_pool, written
from reviewing import Client, Serve, Served, begin_writing, choose_media, serving, settings_of, whole_question
from tolman.errors import UsageError
from tolman.features.review.compute import review_settings
from tolman.features.review.config import ReviewConfig
from tolman.review.tasks import item_of

pytestmark = pytest.mark.full


def _reply(body: dict[str, Any]) -> str:
    """Knows that it is 'right' from any picture; without one always says A."""
    if body["model"] == "gone":
        raise web.HTTPForbidden(text="no such model for you")
    parts = body["messages"][-1]["content"]
    text = parts if isinstance(parts, str) else " ".join(part.get("text", "") for part in parts)
    if isinstance(parts, str) or not any(part["type"] == "image_url" for part in parts):
        return "A"
    return next(letter for letter in "ABCD" if f"{letter}. right" in text)


def _send(client: Client, path: str, fields: dict[str, Any]) -> str:
    return html.unescape(client.post(path, **fields).text)


def _settled(client: Client, path: str) -> str:
    end = time.monotonic() + 30
    while "asked …" in (text := html.unescape(client.get(f"{path}/trials").text)):
        assert time.monotonic() < end
        time.sleep(0.05)
    return text


def _begin(served: Served) -> tuple[Client, str, int, list[str]]:
    ann, path, project = begin_writing(served)
    both = [key for key, m in served.site.pool.media().items() if m.original in ("walk/000.png", "walk/003.png")]
    choose_media(ann, path, both)
    return ann, path, project, both


def test_a_blind_and_a_single_picture_model_try_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = make_pool(tmp_path / "media")
    endpoint = Server(reply=_reply)
    with answering(endpoint) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        with serving(
            *settings_of(
                tmp_path / "fresh", tmp_path / "store", None, pool=pool, try_models=("openai/my-model", "openai/gone")
            )
        ) as served:
            ann, path, project, both = _begin(served)
            assert "mark the right one first" in _send(ann, f"{path}/try", whole_question(both, answer=""))
            assert "asked …" in _send(ann, f"{path}/try", whole_question(both))
            found = _settled(ann, path)
            assert "openai/my-model</strong>, blind: A, then D" in found  # the letters of the question itself
            assert found.count("doesn't answer it") == 1
            assert "openai/my-model</strong>, picture 1: B, then B" in found
            assert found.count(">answers it<") == 2
            assert found.count("no answer: ") == 3  # of the model that isn't there
            _send(ann, f"{path}/edit", whole_question(both, question="Which way did it turn, then?"))
            assert "openai" not in ann.get(f"{path}/trials").text  # another question
            _send(ann, path, whole_question(both))
            (version,) = written(served, project)
            tried = item_of(version).evidence["tried"]
            assert [(one["model"], one["view"], one.get("right")) for one in tried] == [
                ("openai/my-model", "blind", False),
                ("openai/my-model", "picture 1", True),
                ("openai/my-model", "picture 2", True),
                ("openai/gone", "blind", None),
                ("openai/gone", "picture 1", None),
                ("openai/gone", "picture 2", None),
            ]
            assert all("answers" not in one and one["problem"] for one in tried[3:])


def test_a_model_that_is_none_is_refused_when_the_server_starts(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="names a family but no model"):
        review_settings(ReviewConfig(benchmark=str(tmp_path), try_model=("openai",)))


def test_without_models_nothing_is_shown(tmp_path: Path, serve: Serve) -> None:
    served = serve(tmp_path / "fresh", pool=make_pool(tmp_path / "media"))
    ann, path, _, both = _begin(served)
    assert "Models that try it" not in ann.get(path).text
    assert "has named no model" in _send(ann, f"{path}/try", whole_question(both))
