"""Does the reader read what a judge reads? JudgeAgreement on a random sample of the responses that were read.

The sample is drawn by rank of a hash over seed, item and text: it depends neither on the order of the responses nor on
other responses, and a larger sample holds the smaller one. Judgements about it score nothing.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.intervals import Interval
from tolman.scoring.judged import EXTRACTION, JudgedSample, Judging, digest
from tolman.scoring.rule_sets import RuleSet

ResponseKey = tuple[str, str]
"""An item's id and the `digest` of a response's text."""


@dataclass(frozen=True, slots=True)
class SampleSize:
    """How many of the read responses a judge is asked about.

    Attributes:
        count: so many.
        share: this part of them instead, from 0 to 1.
    """

    count: int = 50
    share: float | None = None

    @classmethod
    def parse(cls, text: str) -> SampleSize:
        """A size as the command line takes it: '50', '5%' or '0.05'.

        Raises:
            ValueError: it is none.
        """
        text = text.strip()
        if text.isascii() and text.isdigit():
            return cls(int(text))
        share = float(text.removesuffix("%").strip()) / (100 if text.endswith("%") else 1)
        if not 0 <= share <= 1:
            raise ValueError(text)
        return cls(0, share)

    def of(self, population: int) -> int:
        """The number of responses, of so many that were read."""
        return min(population, self.count if self.share is None else math.ceil(self.share * population))

    def __str__(self) -> str:
        return str(self.count) if self.share is None else f"{100 * self.share:g}%"


def draw(population: Iterable[ResponseKey], size: int, seed: int) -> set[ResponseKey]:
    """A simple random sample without replacement, the same for any order of the population.

    Args:
        population: the responses to draw from, without repetitions.
        size: how many.
        seed: of the draw.
    """
    ranked = sorted(population, key=lambda key: hashlib.sha256(f"{seed}:{key[0]}:{key[1]}".encode()).digest())
    return set(ranked[:size])


def is_read(reading: ParsedAnswer) -> bool:
    """Check whether a reader read an answer; one that it drew at random is none."""
    return reading.value is not None and not (reading.guessed or reading.assumed)


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of a judge's readings with the reader's.

    Attributes:
        n: judgements that count.
        agreed: of them, those with the reader's answer.
        no_answer: of them, those in which the judge found no answer; they disagree.
        failed: sampled responses without a judgement; they don't count.
        dropped: sampled responses that the run no longer holds, or the reader no longer reads; they don't count.
        disagree: the ids of the items on which they disagree, in order.
        items: different items among the judgements that count.
    """

    n: int
    agreed: int
    no_answer: int
    failed: int
    dropped: int
    disagree: tuple[str, ...]
    items: int

    @property
    def share(self) -> float | None:
        """Return the share of `agreed` in `n`, on the 0–100 scale; None without a judgement."""
        return 100 * self.agreed / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's 95 % interval of the share; several responses to one item count as one draw."""
        return wilson(self.agreed * self.items / self.n, self.items).times(100) if self.n else None


def agreement(
    sample: JudgedSample,
    reader: RuleSet,
    items: Mapping[str, Item],
    texts: Iterable[ResponseKey],
    judging: Judging = EXTRACTION,
) -> JudgeAgreement:
    """Hold the judgements of a sample against a reader.

    Args:
        sample: the judgements.
        reader: the rule set whose readings are checked, as it reads now.
        items: the run's, by id.
        texts: item's id and text of each of the run's responses.
        judging: how replies are read and compared.
    """
    wanted = {judgement.id for judgement in sample.judgements}
    known = {(identity, digest(text)): text for identity, text in texts if identity in wanted}
    agreed = no_answer = failed = dropped = 0
    disagree: list[str] = []
    compared: set[str] = set()
    for judgement in sample.judgements:
        item, text = items.get(judgement.id), known.get((judgement.id, judgement.response))
        own = reader.read(item, text, 0) if item is not None and text is not None else None
        if item is None or own is None or not is_read(own):
            dropped += 1
            continue
        said = None if judgement.reply is None else judging.agrees(item, own, judgement.reply, reader.score)
        if said is None:
            failed += 1
            continue
        same, has_answer = said
        compared.add(item.id)
        if same:
            agreed += 1
        else:
            no_answer += not has_answer
            disagree.append(item.id)
    return JudgeAgreement(agreed + len(disagree), agreed, no_answer, failed, dropped, tuple(disagree), len(compared))


def wilson(successes: float, n: int) -> Interval:
    """Wilson's 95 % score interval of a share of independent draws (Wilson 1927).

    Args:
        successes: of n.
        n: at least 1.
    """
    z = NormalDist().inv_cdf(0.975)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Interval(max(0.0, centre - reach), min(1.0, centre + reach))
