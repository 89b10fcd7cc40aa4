"""Logistic regression on the frozen features of a small language model: the mean of its last hidden states."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tolman.analyze.outside.outside_learner import BlindQuestion, Ints, LearnerSettings, by_option, right_options
from tolman.errors import InputError
from tolman.extras import needs
from tolman.guessing.folds import Floats
from tolman.guessing.learners import SCALED, probabilities
from tolman.items import LETTERS

MAX_TOKENS = 256
"""Tokens of a text that are read."""
TEXTS_AT_ONCE = 16
_known: dict[tuple[Path, str], Floats] = {}
"""Features by model and text: each text is asked about in several lessons."""


class LanguageModel:
    """See the module."""

    title = "logistic regression on the frozen features of a small language model"
    needs_language_model = True

    def choose(
        self, taught: Sequence[BlindQuestion], right: Ints, asked: Sequence[BlindQuestion], settings: LearnerSettings
    ) -> list[Floats]:
        """As `OutsideLearner` has it."""
        known, others = (_features(_option_texts(some), settings.language_model) for some in (taught, asked))
        p = probabilities(SCALED, settings.seed, known, right_options(taught, right), others, 2)
        return by_option(asked, p[:, 1])

    def classify(
        self,
        taught: Sequence[BlindQuestion],
        classes: Ints,
        count: int,
        asked: Sequence[BlindQuestion],
        settings: LearnerSettings,
    ) -> Floats:
        """As `OutsideLearner` has it."""
        known, others = (_features([one.text for one in some], settings.language_model) for some in (taught, asked))
        return probabilities(SCALED, settings.seed, known, classes, others, count)


def _option_texts(questions: Sequence[BlindQuestion]) -> list[str]:
    """Return each option as an answer with its letter, so that the position counts too."""
    return [
        f"{question.text} {letter}. {option}"
        for question in questions
        for letter, option in zip(LETTERS, question.options, strict=False)
    ]


def _features(texts: Sequence[str], folder: Path | None) -> Floats:
    """Shape (texts, features)."""
    if folder is None:
        raise ValueError("no language model is named")
    new = [text for text in dict.fromkeys(texts) if (folder, text) not in _known]
    for start in range(0, len(new), TEXTS_AT_ONCE):
        some = new[start : start + TEXTS_AT_ONCE]
        for text, row in zip(some, _states(some, folder), strict=True):
            _known[folder, text] = row
    return np.array([_known[folder, text] for text in texts])


def _states(texts: list[str], folder: Path) -> Floats:
    """Mean last hidden state of each text. Shape (texts, width)."""
    tokenizer, model = _loaded(folder)
    import torch

    read = tokenizer(texts, return_tensors="pt", padding=True, truncation=True, max_length=MAX_TOKENS)
    with torch.inference_mode():
        states = model(input_ids=read["input_ids"], attention_mask=read["attention_mask"]).last_hidden_state
    mask = read["attention_mask"].unsqueeze(-1).to(states.dtype)
    mean = (states * mask).sum(dim=1) / mask.sum(dim=1)
    return np.asarray(mean.float().numpy(), dtype=np.float64)


@lru_cache(maxsize=1)
def _loaded(folder: Path) -> tuple[Any, Any]:
    with needs("local", "Features of a language model"):
        import torch  # noqa: F401
        from transformers import AutoModel, AutoTokenizer
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModel.from_pretrained(folder, local_files_only=True).eval()
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(
            folder, f"holds no language model ({reason})", fix="name a folder as transformers saves it"
        ) from None
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "right"
    return tokenizer, model


OUTSIDE_LEARNER = LanguageModel()
