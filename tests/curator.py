"""A loopback model that answers everything that curation asks, by the words of the questions."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from dialogues import PICTURE, Turn, said
from loopback import Server

SYSTEMS = "scale=vista; factor=neither; information=extrinsic; change=static"
BY_WORDS = (
    (r"how many|least quantity|most numerous|more of|fewer", "a Counting & Existence problem"),
    (r"order|first-time|sequence", "a Multi-view & Cross-Image Reasoning problem"),
    (r"route|navigate|robot|walk|go to|how can|command", "a Movement Navigation & Intent Prediction problem"),
    (r"distance|size|height|length|wide|tall|long|area", "a Depth & 3D Understanding problem"),
    (r"where|located|position", "an Object Localization & Positioning problem"),
)


def verdict(question: str) -> str:
    """What the model says about a question: not spatial where it asks for a colour or a use."""
    text = question.casefold()
    if re.search(r"colou?r|used for|purpose", text):
        return "No"
    named = next(
        (name for words, name in BY_WORDS if re.search(words, text)), "a Spatial Relationship Reasoning problem"
    )
    return f"Yes. This is {named} because it asks about it."


def questions_in(text: str) -> list[str]:
    """The questions of a request, in order."""
    inputs = re.split(r"\nInput(?: \(\d+ Q&A pairs\))?:\n", text)[-1]
    return re.findall(r"^(?:\d+\. )?Question: (.*)$", inputs, re.MULTILINE)


def numbered(replies: list[str]) -> str:
    """Replies as the prompt asks for them: with numbers where there are several."""
    return replies[0] if len(replies) == 1 else "\n".join(f"{i}. {text}" for i, text in enumerate(replies, start=1))


class Curator(Server):
    """The server.

    Args:
        verdict: question → reply about it, in place of `verdict`.
        answer: question text → the reply to a question that is to be answered with evidence.

    Attributes:
        asked: requests by what they were for.
        shown: pictures in requests, by what they were for.
        questions: how often each question was asked about, by what for.
    """

    def __init__(
        self,
        *,
        verdict: Callable[[str], str] = verdict,
        answer: Callable[[str], str] = lambda text: "Evidence: seen.\nFrames: 1\nAnswer: A",
        whole: Callable[[str, list[str]], str] = lambda purpose, replies: numbered(replies),
        **options: Any,
    ) -> None:
        super().__init__(reply=self._reply, keep=False, **options)
        self.verdict, self.answering, self.whole = verdict, answer, whole
        self.asked: Counter[str] = Counter()
        self.shown: Counter[str] = Counter()
        self.questions: Counter[tuple[str, str]] = Counter()

    def _reply(self, body: dict[str, Any]) -> str:
        turns: list[Turn] = said(body)
        parts = [part for _, parts in turns for part in parts]
        text = "\n".join(part for part in parts if part != PICTURE)
        pictures = parts.count(PICTURE)
        if "classify a series of Q&A pairs" in text:
            purpose = "filter with media" if pictures else "filter"
            asked = questions_in(text)
            reply = self.whole(purpose, [self.verdict(question) for question in asked])
        elif "Classify each Q&A pair about space" in text:
            purpose, asked = (
                "systems",
                questions_in("\nInput:\n" + text.split("begin the lines with '1.', '2.', etc.")[-1]),
            )
            reply = self.whole(purpose, [SYSTEMS for _ in asked])
        elif "Reply with exactly three lines" in text:
            purpose, asked, reply = "verify", [text], self.answering(text)
        elif "Write wrong answers" in text:
            purpose, asked = "distractors", [text]
            wanted = int(re.search(r"exactly (\d+) lines", text)[1])  # type: ignore[index]
            reply = "\n".join(
                f"{i}. inside the {word} drawer" for i, word in zip(range(1, wanted + 1), _DRAWERS, strict=False)
            )
        elif "Is there another option" in text:
            purpose, asked, reply = "second right", [text], "B" if "doubtful" in text else "None"
        else:
            purpose, asked, reply = "categories", [text], CATEGORIES
        self.asked[purpose] += 1
        self.shown[purpose] += pictures
        self.questions.update((purpose, question) for question in asked)
        return reply


_DRAWERS = ("oak", "steel", "upper", "lowest", "painted", "narrow", "broken", "open", "glass")
CATEGORIES = "\n".join(f"{i}. Group {c}: questions of the kind {c}" for i, c in enumerate("abcdef", start=1))
