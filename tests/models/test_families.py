"""Families whose package isn't installed, and names that are none."""

import sys

import pytest

from tolman import models
from tolman.errors import MissingExtraError, UsageError
from tolman.models.model import ModelOptions


def test_every_family_can_be_named() -> None:
    assert models.families() == ["anthropic", "baseline", "gemini", "hf", "openai", "python", "scripted"]


@pytest.mark.parametrize(
    ("name", "module", "sentence"),
    [
        ("anthropic/m", "anthropic", r"anthropic/m needs the package 'anthropic': pip install 'tolman\[providers\]'"),
        ("gemini/m", "google.genai", r"gemini/m needs the package 'google-genai': pip install 'tolman\[providers\]'"),
        ("hf/m", "torch", r"hf/m needs the package 'torch': pip install 'tolman\[local\]'"),
    ],
)
def test_a_missing_extra_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, name: str, module: str, sentence: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    if module == "google.genai":
        pytest.importorskip("google", reason="needs the extra 'providers'")
        monkeypatch.delattr("google.genai", raising=False)
    with pytest.raises(MissingExtraError, match=sentence):
        models.create(name, ModelOptions(base_url="http://127.0.0.1:9"))


def test_a_family_needs_a_model() -> None:
    with pytest.raises(UsageError, match="there is no model family 'nobody'"):
        models.create("nobody/x", ModelOptions())
    with pytest.raises(UsageError, match="write gemini/NAME"):
        models.create("gemini", ModelOptions())
