"""Yes and no that a response says without the word: by an opening, a short answer, or a restatement of the question.

An opening is such as "not at all", a short answer "it does". A restatement repeats the words of the question, may deny
them, may turn a quality into its opposite ("it is closed"), or may let two things change places. Each of these turns
the answer around.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from tolman.items import LETTERS
from tolman.scoring.parse.asked import MEASURED_QUALITIES, Asked, is_content, names_any, opposite
from tolman.scoring.parse.commitments import ALONE, DECLARED, JUDGED, SEVERAL, Commitment
from tolman.scoring.parse.lexicon import Cue, Languages, Word, is_in_longer, is_inside, longest, same_word, words_of
from tolman.scoring.parse.option_lines import OptionLine
from tolman.scoring.parse.option_texts import OptionTexts
from tolman.scoring.parse.response_segments import Segment, is_counterfactual, is_supposed, replies
from tolman.scoring.parse.yes_no_facts import (
    ASKS_EXISTENCE,
    MAX_ECHO_WORDS,
    PRONOUNS,
    able,
    by_threshold,
    elsewhere,
    has_other_number,
    has_place_asked,
    of_class,
)

MAX_LEAD_WORDS = 3
"""Words in front of a short answer, at most: "I'm afraid it can't"."""
MIN_DENIED = 0.4
"""Share of the question's words that a sentence repeats to deny it, at least; to affirm it, it repeats all."""
MIN_AFFIRMED = 0.6
"""The same to affirm a quality of a thing; the rest may say when or from where."""
MIN_SWAPPED = 0.6
"""The same where the two things of a relation have changed places."""
MAX_CLAUSES = 6
"""Clauses of a sentence that are read one by one, at most."""
MAX_DENIED_WORDS = 3
"""Words behind a "not" among which one is of the question, at most."""

_ECHO = re.compile(
    r"(?:\A|(?<=[\s,;:—–(-]))(?P<aux>is|are|was|were|do|does|did|can|could|will|would|has|have|had|should|must|may)"
    r"(?P<no>n't|n’t|[ ]not|not)?(?:[ ](?:so|indeed|too|still))?(?=[ ]*(?:[.,;:!(—–]|\Z|[ ]-))"
    r"|(?:\A|(?<=[\s,;:—–(-]))(?P<cannot>can't|won't|cannot)(?=[ ]*(?:[.,;:!(—–]|\Z|[ ]-))",
    re.IGNORECASE,
)
_CONCLUDED_ECHO = re.compile(
    r"\b(?:so|thus|hence|therefore|is that|guess|think|believe|say|conclude)[ ,]+(?:that[ ])?"
    r"(?:it|they|he|she|there|that|this|you|one)[ ]"
    r"(?:(?:is|are|was|were|do|does|did|can|could|will|would|has|have|had|should|must)(?P<no>n't|n’t|[ ]not|not)?"
    r"|(?P<cannot>can't|won't|cannot))[ ]*[.!]*\s*\Z",
    re.IGNORECASE,
)
_EXISTS = re.compile(r"there(?:['’](?:s|d be)|[ ](?:is|are|was|were))(?P<no>n['’]t|[ ]not|[ ]no\b(?!-))?", re.I)
_THERE_IS_ONE = re.compile(
    r"there(?:['’]s|[ ](?:is|are|was|were))[ ](?:indeed[ ])?(?:one|some|several|two|three)(?=[ ]*[.,;:!(—–]|\Z)",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"(?:just[ ]|only[ ])?(?:one|two|three|several|some)(?:[ ][a-z]+s)?(?=[ ]*[.,;:!(—–]|\Z)", re.IGNORECASE
)
_CLAUSE_END = re.compile(r"[;:—–(]|,[ ]|[ ]but[ ]|[ ]although[ ]|[ ]because[ ]|[，；：。]")
PAIRS = (
    ("yes", "no"), ("true", "false"), ("是", "否"), ("对", "错"), ("正确", "错误"), ("correct", "incorrect"),
    ("vrai", "faux"), ("wahr", "falsch"), ("verdadero", "falso"), ("verdadeiro", "falso"), ("верно", "неверно"),
)  # fmt: skip
"""Options that are nothing but a yes and a no, in the languages' words."""


@lru_cache(maxsize=16_384)
def yes_no_places(options: OptionTexts) -> tuple[int, int] | None:
    """Find the options that are nothing but "yes" and "no", or "true" and "false".

    Args:
        options: of the item; others may be among them.

    Returns:
        Their places; None without either.
    """
    for pair in PAIRS:
        places = [
            next(
                (
                    i
                    for i, words in enumerate(options.folded)
                    if options.concepts[i] == frozenset({name}) or "".join(words) == name
                ),
                -1,
            )
            for name in pair
        ]
        if min(places) >= 0:
            return places[0], places[1]
    return None


def yes_or_no(lines: Sequence[OptionLine], text: str, options: OptionTexts, asked: Asked) -> list[Commitment]:
    """Find the answers of a response to a question for yes or no, without either word.

    Args:
        lines: of the response.
        text: without markup.
        options: of the item.
        asked: by the item.

    Returns:
        The verdicts of single sentences, in order; empty where the options are others.
    """
    places = yes_no_places(options)
    if places is None or not asked.question:
        return []
    if both := _BOTH.match(text):
        return [Commitment(None, DECLARED, *both.span(), "judged", SEVERAL)]
    found = []
    polite = corrects = False
    last = len(lines) - 1
    for i, line in enumerate(lines):
        segment = line.segment
        corrects = corrects or (i > 0 and bool(segment.having("correct")))
        turns = [c for c in segment.having("contrast") if segment.having("tentative")]
        if turns:  # "they look alike at first, but …"
            segment = segment.part(turns[-1].start, segment.end)
        if line.question or _is_unsure(segment, text) or is_supposed(segment, text):
            continue
        if is_counterfactual(segment, text):
            continue
        if i in (0, last):
            opening = verdict = opening_verdict(segment, text)
            if verdict is None and not asked.negated and _said(line, text, places) is None:
                verdict = _by_clause(_echoed, segment, text, asked)
            if verdict is not None:
                polite = polite or (i == 0 and bool(opening))
                option = places[not verdict]
                strength = DECLARED if corrects else ALONE if i == 0 else JUDGED
                end = segment.words[0].end
                found.append(Commitment(LETTERS[option], strength, segment.start, end, "first"))
                continue
        opens = _said(line, text, places) if _OPENS.match(text, segment.start, segment.end) else None
        if opens is not None and names_any(segment.words, frozenset(asked.words)):
            mention = line.mentions[0]
            found.append(Commitment(LETTERS[opens], JUDGED, mention.start, mention.end, "judged"))
            continue
        if i > 1 and i < last - 1:
            continue
        said = asked.negated or _said(line, text, places) is not None
        verdict = None if said else _by_clause(_restated, segment, text, asked)
        if verdict is not None:
            strength = DECLARED if corrects else JUDGED
            found.append(Commitment(LETTERS[places[not verdict]], strength, segment.start, segment.end, "judged"))
    if corrects and found and not any(c.strength == DECLARED for c in found):
        return [Commitment(None, DECLARED, found[-1].start, found[-1].end, "judged", SEVERAL)]
    verdicts = {c.value for c in found if c.strength == JUDGED}
    later = {_said(line, text, places) for line in lines[1:]} - {None}
    if polite and (verdicts == {LETTERS[places[1]]} or later == {places[1]}):
        return found[1:]  # "Sure! The cup is not on the table."
    return [c for c in found if c.strength > JUDGED] if len(verdicts) > 1 else found


_OPENS = re.compile(r"[\s*_`\"']*(?:yes|no),[ ]", re.IGNORECASE)
_BOTH = re.compile(r"[\W_]*(?:yes[ ]and[ ]no|no[ ]and[ ]yes|yes,[ ]but[ ]no)\b", re.IGNORECASE)
"""The opening of a response that says both."""


def _said(line: OptionLine, text: str, places: tuple[int, int]) -> int | None:
    """Return the place of the yes or no that opens or ends a line; None without one."""
    for mention in line.mentions[:1]:
        around = text[line.segment.start : mention.start], text[mention.end : line.segment.end]
        if mention.option in places and mention.by == "text" and not mention.weak and not all(map(words_of, around)):
            return mention.option
    return None


def _is_unsure(segment: Segment, text: str) -> bool:
    """Check whether a sentence says that it doesn't know; "I'm sorry to say" doesn't."""
    cues = segment.having("unknown", "tentative")
    return any("sorry" not in text[c.start : c.end].casefold() for c in cues)


def opening_verdict(segment: Segment, text: str) -> bool | None:
    """Check whether a sentence opens with a phrase that means yes or no: "no doubt about it", "far from it".

    Args:
        segment: the sentence.
        text: that contains it.

    Returns:
        True for yes; None without such a phrase.
    """
    words = segment.words[: MAX_LEAD_WORDS * 3]
    cues = [c for c in segment.language.asked.find(words, text) if c.role in ("yes", "no")]
    opening = [c for c in longest(cues) if not words_of(text[segment.start : c.start])]
    if not opening:
        return False if _NOT.match(text[segment.start : segment.end].lstrip(" *_`\"'")) else None
    cue = max(opening, key=lambda c: c.end)
    behind = text[cue.end : segment.end].lstrip(" *_`\"'")
    if cue.role == "yes" and _ECHO_NO.match(behind):
        return False
    if re.match(r"(?:about|as to)[ ](?!it\b|th[ai][ts]\b)", behind):
        return None  # "no doubt about where it is"
    if len(words_of(text[cue.start : cue.end])) == 1 and behind[:1].isalpha() and not _SUBJECT.match(behind):
        return None  # "Never mind", "Hardly any", "Exactly two"
    return cue.role == "yes"


_SUBJECT = re.compile(r"(?:it|they|he|she|there|that|so|this)\b", re.IGNORECASE)
_NOT = re.compile(r"not(?![ ]only\b|[ ]just\b|[ ](?:an?|one)\b)(?:[ ][\w']+){1,5}[ ]*(?:[.,;:!(—–]|\Z)", re.IGNORECASE)
_ECHO_NO = re.compile(r"(?:it|they|he|she|there|that)[ ](?:\w+n't|\w+[ ]not)\b", re.IGNORECASE)


_ASIDE = re.compile(r",[ ](?:which|who|that)\b[^,;]*(?:,|\Z)", re.IGNORECASE)
"""A relative clause between a thing and what is said of it."""
_WH = frozenset((
    "what", "which", "where", "as", "if", "how", "who", "whether", "when", "because", "than", "whatever"
))  # fmt: skip
_ECHO_SUBJECTS = PRONOUNS | {"you", "one", "we", "i", "there"}
_TURNED = re.compile(r"\b(?:but|was|were)\b", re.IGNORECASE)


def _echoed(segment: Segment, text: str, asked: Asked) -> bool | None:
    """The verdict of a short answer: "it does", "I'm afraid it can't", "the chair isn't, no"."""
    part = text[segment.start : segment.end]
    concluded = _CONCLUDED_ECHO.search(part)
    if concluded is not None:
        return not (concluded["no"] or concluded["cannot"])
    match = _ECHO.search(part)
    if match is None:
        return None
    lead = _ASIDE.sub(" ", part[: match.start()]).strip(" *_`\"',")
    before = words_of(lead)
    if len(before) > MAX_ECHO_WORDS - 1:
        return None
    names = [w.folded for w in before]
    if not names or names[0] in ("there", "here") or re.search(r"[.;:!?]", lead) or _TURNED.search(part, match.start()):
        return None
    if not _WH.isdisjoint(names) and names[:3] != ["as", "far", "as"]:
        return None
    is_pronoun = names[-1] in _ECHO_SUBJECTS and names[-2:-1] != ["other"]
    if not is_pronoun and not names_any(before, asked.subject or frozenset(asked.words)):
        return None  # "the other one is"
    return not (match["no"] or match["cannot"] or any(w in ("never", "neither", "nor", "hardly", "no") for w in names))


_TURNS = re.compile(r"[;:]|,[ ](?=(?:but|while|whereas|so|though|and)\b)|[ ](?=(?:but|whereas)\b)", re.IGNORECASE)
"""Where a clause begins that may be about another thing than the clause before it, or conclude from it."""


def _by_clause(
    rule: Callable[[Segment, str, Asked], bool | None], segment: Segment, text: str, asked: Asked
) -> bool | None:
    """The verdict of the clause that concludes, else of that with most words of the question, else of all."""
    turns = [m.start() for m in _TURNS.finditer(text, segment.start, segment.end)]
    if not 1 <= len(turns) < MAX_CLAUSES:
        return rule(segment, text, asked)
    clauses = [segment.part(a, b) for a, b in itertools.pairwise([segment.start, *turns, segment.end])]
    shared = [len({a for a in asked.words if names_any(clause.words, frozenset({a}))}) for clause in clauses]
    best = max(range(len(clauses)), key=lambda i: (shared[i], i))
    concluded = [c for c in clauses[1:] if c.words and c.words[0].folded == "so"]
    verdicts = (rule(part, text, asked) for part in (*concluded, clauses[best], segment))
    return next((verdict for verdict in verdicts if verdict is not None), None)


def _restated(segment: Segment, text: str, asked: Asked) -> bool | None:
    """The verdict of a sentence that restates the question, in its words or in opposite ones."""
    untrue = _UNTRUE_THAT.match(text, segment.start, segment.end)
    if untrue is not None:
        verdict = _restated(segment.part(untrue.end(), segment.end), text, asked)
        return None if verdict is None else not verdict
    by_number = by_threshold(segment, text, asked)
    if by_number is not None:
        return by_number
    for rule in (_bare_pole, elsewhere, able, of_class):
        verdict = rule(segment, text, asked)
        if verdict is not None:
            return verdict
    every = _poles_said(segment.words, text, segment.language, asked)
    if " than " in asked.question and {c.role for c in every} == {"sameness+"}:
        return None if segment.having("negate", "suppose") else False  # "they have the same length"
    wanted = [w for w in asked.words if w not in segment.language.opposites.exact]
    poles = [c.start for c in every if c.role in asked.poles or opposite(c.role) in asked.poles]
    end = _main_clause(segment, text, wanted, min(poles, default=segment.start))
    words = [w for w in segment.words if w.start < end]
    hits = {a for a in wanted if any(same_word(w.folded, a) for w in words)}
    said = _poles_said(words, text, segment.language, asked)
    flips = _turned_poles(said, asked.poles) or _is_prefixed(words, asked)
    opening = text[segment.start : end].lstrip(" *_`\"'")
    if ASKS_EXISTENCE.search(asked.question) and _ONE.match(opening):
        return True
    existing = _EXISTS.match(opening)
    denied = _is_denied(segment, words, text) or bool(existing and existing["no"])
    ahead = [w for w in words if w.start < min((c.start for c in said), default=segment.start + 1)]
    named = any(w.folded.partition("'")[0] in PRONOUNS for w in ahead) or _BOTH_OF.search(opening) is not None
    subject = bool(hits & asked.subject) or named
    covered = len(hits) / len(wanted) if wanted else 0.0
    same = _same_poles(said, asked.poles)
    swapped = bool(same or flips) and _is_swapped(words, said, asked)
    exists = hits or _THERE_IS_ONE.match(text[segment.start : segment.end].lstrip(" *_`\"'"))
    if existing is not None and exists and ASKS_EXISTENCE.search(asked.question):
        return False if denied else None if has_other_number(segment, text, asked) else True
    if _says_both(words, said, asked):
        return None
    subject = subject or _head(asked, segment.language) in hits
    if flips:
        return denied != swapped if (hits or subject) and (subject or covered >= MIN_DENIED) else None
    if existing is not None and not denied and "filling-" in asked.poles and hits:
        return False  # "there are two people in the lift", which isn't empty
    if denied:
        if named and same and not swapped and not (hits & asked.anchor):
            return False  # "the two are not touching"
        if _DENIED_ECHO.match(opening) and _denies_asked(segment, words, text, asked):
            return False
        said_of = hits and _denies_asked(segment, words, text, asked) and not _is_of_other(segment, words, text, asked)
        return swapped if covered >= MIN_DENIED and said_of else None
    if swapped and (covered >= MIN_SWAPPED or _is_behind_all(said, asked, words, text)):
        return False
    if _OF_BOTH.match(opening) and covered >= MIN_DENIED and wanted[-1] in hits:
        covered = 1.0
    if _states_core(segment.part(segment.start, end), hits, said, asked):
        covered = 1.0
    most = bool(asked.poles) and not asked.anchor and subject and wanted[0] in hits and covered >= MIN_AFFIRMED
    every_pole = asked.poles <= {c.role for c in said}
    if swapped or not (covered == 1 or most) or not every_pole or has_other_number(segment, text, asked):
        return None
    return True if has_place_asked(segment, text, asked) else None


def _states_core(segment: Segment, hits: set[str], said: Sequence[Cue], asked: Asked) -> bool:
    """Check whether a sentence names the thing asked about and its quality, without the question's phrases of place and
    time: "the path is blocked" for "is the path to the dock blocked?"."""
    if asked.anchor or not _ASKS_STATE.match(asked.question):
        return False
    bare = {w.folded for w in words_of(_PHRASE.sub(" ", asked.question))}
    core = {a for a in asked.words if a in bare and a not in segment.language.opposites.exact}
    poles = asked.poles & {c.role for c in said}
    return bool(core) and core <= hits and (len(core) > 1 or bool(poles))


_ASKS_STATE = re.compile(r"\s*(?:is|are|was|were)[ ](?!there\b)", re.IGNORECASE)
_PHRASE = re.compile(
    r"[ ](?:of|to|in|on|at|during|near|next to|beside|by|with|ahead of|behind)[ ](?:the|a|an|its|his|her|this|that)[ ]"
    r"(?:\w+[ ])?(?!open|closed|shut|blocked|on\b|off\b|empty|broken|occupied|green|red)\w+(?=[ ?])",
    re.IGNORECASE,
)
"""A phrase of place or time of at most two words behind its article."""


def _poles_said(words: Sequence[Word], text: str, language: Languages, asked: Asked) -> list[Cue]:
    """The qualities that a sentence names, in the question's terms: "ahead of" is before, and "higher" is above."""
    said = longest(language.opposites.find(words, text))
    terms = {quality: term for quality, term in _TERMS.items() if {f"{term}+", f"{term}-"} & asked.poles}
    turned = {"order": {"+": "-", "-": "+"}}
    return [
        replace(c, role=terms[c.role[:-1]] + turned.get(c.role[:-1], {}).get(c.role[-1], c.role[-1]))
        if c.role[:-1] in terms
        else c
        for c in said
    ]


_TERMS = {"order": "time", "height": "levels"}
"""Qualities that say another one: what is ahead comes before."""


@lru_cache(maxsize=16_384)
def _head(asked: Asked, language: Languages) -> str:
    """The last content word before the first quality of a question: "door" of "is the front door open"."""
    words = words_of(asked.question)
    first = min((c.start for c in language.opposites.find(words, asked.question) if c.role in asked.poles), default=0)
    before = [w.folded for w in words if w.end <= first and w.folded in asked.words]
    return before[-1] if before else ""


_BOTH_OF = re.compile(r"\b(?:the two|both)\b", re.IGNORECASE)
_DENIED_ECHO = re.compile(r"(?:it|they|he|she)[ ](?:do|does|did)(?:n['’]t|[ ]not)[ ]\w+[ ]*[.!]*\s*\Z", re.IGNORECASE)
"""A short denial of what is asked: "it doesn't stop"."""
_UNTRUE_THAT = re.compile(
    r"[\s*_`\"'-]*(?:so[ ,]+|thus[ ,]+)?it(?:['’]s|[ ]is|[ ]would[ ]be|[ ]would(?=n['’]t|[ ]not))"
    r"(?:(?:n['’]t|[ ]not)[ ](?:be[ ])?(?:true|the case|right|correct|accurate|fair)"
    r"|[ ](?:wrong|false|untrue|incorrect|a mistake|an error))[ ]"
    r"(?:that\b|(?:to|if (?:you|one|i|we)) (?:say|claim|think|believe|state|assume|said|claimed)\b(?:[ ]that\b)?)",
    re.IGNORECASE,
)
"""In front of a statement that a response denies: "it would be wrong to say that …"."""
_OF_BOTH = re.compile(r"plainly +(?:the two|both|these|they|it)\b")


def _is_behind_all(said: Sequence[Cue], asked: Asked, words: Sequence[Word], text: str) -> bool:
    """Check whether a clause ends in a measured quality: "the bed is farther", which the other thing isn't."""
    for cue in said:
        if cue.role in asked.poles:
            end = _CLAUSE_END.search(text, cue.end)
            behind = [w.folded for w in words if cue.end <= w.start < (end.start() if end else len(text))]
            if all(w in _OF_TWO for w in behind):
                return True
    return False


_OF_TWO = frozenset(("one", "of", "the", "these", "two", "pair"))
"""Words behind a quality that add nothing: "the taller of the two"."""


def _bare_pole(segment: Segment, text: str, asked: Asked) -> bool | None:
    """The verdict of an answer that is nothing but a quality: "off", "it's on its right"."""
    head = segment.words and _BARE_END.search(text, segment.words[0].end, segment.end)
    segment = segment.part(segment.start, head.start()) if head else segment
    said = _poles_said(segment.words, text, segment.language, asked)
    roles = {c.role for c in said}
    rest = [w for w in segment.words if not is_inside(w, said) and w.folded not in segment.language.skip]
    if any(w.folded.partition("'")[0] not in _BARE for w in rest) or len(segment.words) > MAX_ECHO_WORDS:
        return None
    if any(role not in asked.poles and opposite(role) not in asked.poles for role in roles):
        return None  # "on the left" of a lamp that is switched on
    same, other = bool(roles & asked.poles), any(opposite(role) in asked.poles for role in roles)
    return same if same != other else None


_BARE_END = re.compile(r":[ ](?=\d|(?:its?|there|you|we|i|no|the)\b)|[ ]?[;—–]|[ ]-[ ]|,?[ ](?:since|because)\b", re.I)
"""Behind a quality that is the answer: its evidence."""
_BARE = PRONOUNS | frozenset((
    "its", "his", "her", "just", "clearly", "plainly", "currently", "switched", "turned", "shot", "camera", "one",
    "so", "now", "then", "i", "afraid", "unfortunately", "sadly", "alas", "if", "anything", "tight", "tightly", "wide",
    "fully", "completely", "firmly"
))  # fmt: skip
"""Words beside a quality that is all that an answer says."""


def _main_clause(segment: Segment, text: str, wanted: Sequence[str], pole: int) -> int:
    """Return the end of a sentence's clause that names most of the question's words and the first of its qualities."""
    need = max(1, (len(wanted) + 1) // 2)
    firsts = [next((w.start for w in segment.words if same_word(w.folded, a)), segment.end) for a in wanted]
    places = sorted(place for place in firsts if place < segment.end)
    if len(places) < need and pole == segment.start:
        return segment.end
    match = _CLAUSE_END.search(text, max(pole, *places[need - 1 : need], segment.start), segment.end)
    return match.start() if match else segment.end


_NO_DENIAL = re.compile(r"no[ ](?:wonder|surprise|problem|worries|matter)\b", re.IGNORECASE)
"""Phrases with "no" that don't deny what follows."""
_DENIED = re.compile(
    r"n['’]t\b|\bcannot\b|(?<!no )\bdoubt\b"
    r"|\b(?:false|wrong|untrue|incorrect|impossible|unable|too[ ]\w+[ ](?:to|for))\b",
    re.IGNORECASE,
)


def _is_denied(segment: Segment, words: Sequence[Word], text: str) -> bool:
    """Check whether words of a clause deny it, but for "than" and the like."""
    end = words[-1].end if words else segment.start
    cues = [c for c in segment.having("negate", "absent") if c.end <= end]
    cues += [c for c in replies(segment, text) if c.role == "denial" and c.end <= end]
    denials = [
        c
        for c in cues
        if c.role != "negate" or text[c.start : c.end].casefold() not in ("than", "als", "que", "do que", "чем")
        if not is_in_longer(c, cues)
        and not _NO_DENIAL.match(text, c.start)
        and text.count('"', segment.start, c.start) % 2 == 0  # a "No parking" sign
    ]
    return bool(denials) or _DENIED.search(text, segment.start, end) is not None


def _denies_asked(segment: Segment, words: Sequence[Word], text: str, asked: Asked) -> bool:
    """Check whether the words behind a "not" are of the question: "doesn't move" says nothing of stopping."""
    match = re.search(r"\b(?:do|does|did)(?:n['’]t|[ ]not)\b", text[segment.start : words[-1].end], re.IGNORECASE)
    if match is None:
        return True
    begin = segment.start + match.end()
    clause = _CLAUSE_END.search(text, begin, segment.end)
    end = clause.start() if clause else segment.end
    behind = [w for w in segment.words if begin <= w.start < end and is_content(w.folded, segment.language)]
    return not behind or bool(names_any(behind[:MAX_DENIED_WORDS], frozenset(asked.words)))


def _is_of_other(segment: Segment, words: Sequence[Word], text: str, asked: Asked) -> bool:
    """Check whether a denial is of a thing that the question doesn't name: "the boy doesn't enter the water"."""
    match = _DENIAL.search(text, segment.start, words[-1].end)
    before = [w for w in words if match and w.end <= match.start() and is_content(w.folded, segment.language)]
    return bool(before) and not names_any(before, frozenset(asked.words))


_DENIAL = re.compile(r"\b(?:\w+n['’]t|(?:is|are|was|were|do|does|did|has|have|can)[ ]not|never)\b", re.IGNORECASE)


def _says_both(words: Sequence[Word], said: Sequence[Cue], asked: Asked) -> bool:
    """Check whether a clause gives a quality to one of the two things, and its opposite to the other."""
    roles = {c.role for c in said if c.role in asked.poles or opposite(c.role) in asked.poles}
    turned = any(opposite(role) in roles for role in roles)
    return turned and bool(names_any(words, asked.subject) and names_any(words, asked.anchor))


def _turned_poles(said: Sequence[Cue], asked: frozenset[str]) -> bool:
    """Check whether a sentence names the opposite of a quality that the question names, and not the quality itself."""
    roles = {c.role for c in said}
    return any(opposite(pole) in roles and opposite(pole) not in asked and pole not in roles for pole in asked)


def _is_prefixed(words: Sequence[Word], asked: Asked) -> bool:
    """Check whether a word of the question has the opposite prefix: "unlocked" for "locked"."""
    said = {w.folded for w in words}
    return any("un" + a in said or (a.startswith("un") and a[2:] in said) for a in asked.words)


def _same_poles(said: Sequence[Cue], asked: frozenset[str]) -> bool:
    return bool({c.role for c in said} & asked)


def _is_swapped(words: Sequence[Word], said: Sequence[Cue], asked: Asked) -> bool:
    """Check whether the two things of a relation have changed places: "the bed is larger than the rug"."""
    if not asked.subject or not asked.anchor or not said:
        return False
    own = {pole[:-1] for pole in asked.poles}
    thing = frozenset([a for a in asked.words if a in asked.subject][:1]) if "time" in own else asked.subject
    for relation in (c for c in said if c.role[:-1] in own):
        before = [w for w in words if w.end <= relation.start]
        behind = [w for w in words if w.start >= relation.end]
        ends = all(w.folded in _BARE for w in behind)  # "the blue car is behind", of the two
        named_behind = names_any(behind, asked.subject) or relation.role[:-1] in MEASURED_QUALITIES or ends
        if names_any(before, asked.anchor) and not names_any(before, thing) and named_behind:
            return True
    return False
