"""Yes and no that a response says without the word: by an opening, a short answer, or a restatement of the question.

An opening is such as "not at all", a short answer "it does". A restatement repeats the words of the question, may deny
them, may turn a quality into its opposite ("it is closed"), or may let two things change places. Each of these turns
the answer around.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from tolman.items import LETTERS
from tolman.scoring.parse.asked import MEASURED_QUALITIES, Asked, is_content, names_any, opposite
from tolman.scoring.parse.commitments import ALONE, DECLARED, JUDGED, SEVERAL, Commitment
from tolman.scoring.parse.lexicon import Cue, Languages, Word, is_in_longer, is_inside, longest, same_word, words_of
from tolman.scoring.parse.numerals import spelled_numbers
from tolman.scoring.parse.option_lines import OptionLine
from tolman.scoring.parse.option_texts import OptionTexts
from tolman.scoring.parse.response_segments import Segment, is_counterfactual, is_supposed, replies
from tolman.scoring.parse.units import unit_after

MAX_LEAD_WORDS = 3
"""Words in front of a short answer, at most: "I'm afraid it can't"."""
MAX_ECHO_WORDS = 7
"""Words of a short answer, at most."""
MIN_DENIED = 0.4
"""Share of the question's words that a sentence repeats to deny it, at least; to affirm it, it repeats all."""
MIN_AFFIRMED = 0.6
"""The same to affirm a quality of a thing; the rest may say when or from where."""
MIN_SWAPPED = 0.6
"""The same where the two things of a relation have changed places."""
MAX_PLACE_WORDS = 6
"""Words of a place, at most: "on top of the big table"."""
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
    r"\b(?:so|thus|hence|therefore|is that|guess|think|believe)[ ,]+(?:it|they|he|she|there|that|this|you|one)[ ]"
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
_ASKS_EXISTENCE = re.compile(
    r"\b(?:is|are|was|were)[ ]there\b|\b(?:can|could|do|does)[ ](?:you|one|we)[ ](?:see|find)\b", re.IGNORECASE
)
_THRESHOLD = re.compile(
    r"\b(?:(?P<more>more than|greater than|mehr als|plus de|más de|mais de|больше)"
    r"|(?:fewer than|less than|weniger als|moins de|menos de|меньше))[ ](?P<number>[\w-]+)"
    r"|\bat[ ](?P<ends>least|most)[ ](?P<end>[\w-]+)",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[;:—–(]|,[ ]|[ ]but[ ]|[ ]although[ ]|[ ]because[ ]|[，；：。]")
_PRONOUNS = frozenset((
    "it", "they", "he", "she", "this", "that", "both", "es", "sie", "er", "il", "elle", "ils", "elles"
))  # fmt: skip
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
_ECHO_SUBJECTS = _PRONOUNS | {"you", "one", "we", "i", "there"}
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
    by_number = _by_threshold(segment, text, asked)
    if by_number is not None:
        return by_number
    for rule in (_bare_pole, _elsewhere, _able, _of_class):
        verdict = rule(segment, text, asked)
        if verdict is not None:
            return verdict
    every = segment.language.opposites.find(segment.words, text)
    if " than " in asked.question and {c.role for c in every} == {"sameness+"}:
        return None if segment.having("negate", "suppose") else False  # "they have the same length"
    wanted = [w for w in asked.words if w not in segment.language.opposites.exact]
    poles = [c.start for c in every if c.role in asked.poles or opposite(c.role) in asked.poles]
    end = _main_clause(segment, text, wanted, min(poles, default=segment.start))
    words = [w for w in segment.words if w.start < end]
    hits = {a for a in wanted if any(same_word(w.folded, a) for w in words)}
    said = longest(segment.language.opposites.find(words, text))
    flips = _turned_poles(said, asked.poles) or _is_prefixed(words, asked)
    opening = text[segment.start : end].lstrip(" *_`\"'")
    if _ASKS_EXISTENCE.search(asked.question) and _ONE.match(opening):
        return True
    existing = _EXISTS.match(opening)
    denied = _is_denied(segment, words, text) or bool(existing and existing["no"])
    ahead = [w for w in words if w.start < min((c.start for c in said), default=segment.start + 1)]
    subject = bool(hits & asked.subject) or any(w.folded.partition("'")[0] in _PRONOUNS for w in ahead)
    covered = len(hits) / len(wanted) if wanted else 0.0
    same = _same_poles(said, asked.poles)
    swapped = bool(same or flips) and _is_swapped(words, said, asked)
    exists = hits or _THERE_IS_ONE.match(text[segment.start : segment.end].lstrip(" *_`\"'"))
    if existing is not None and exists and _ASKS_EXISTENCE.search(asked.question):
        return False if denied else None if _has_other_number(segment, text, asked) else True
    if _says_both(words, said, asked):
        return None
    subject = subject or _head(asked, segment.language) in hits
    if flips:
        return denied != swapped if (hits or subject) and (subject or covered >= MIN_DENIED) else None
    if existing is not None and not denied and "filling-" in asked.poles and hits:
        return False  # "there are two people in the lift", which isn't empty
    if denied:
        said_of = hits and _denies_asked(segment, words, text, asked) and not _is_of_other(segment, words, text, asked)
        return swapped if covered >= MIN_DENIED and said_of else None
    if swapped and (covered >= MIN_SWAPPED or _is_behind_all(said, asked, words, text)):
        return False
    if _OF_BOTH.match(opening) and covered >= MIN_DENIED and wanted[-1] in hits:
        covered = 1.0
    most = bool(asked.poles) and not asked.anchor and subject and wanted[0] in hits and covered >= MIN_AFFIRMED
    every_pole = asked.poles <= {c.role for c in said}
    if swapped or not (covered == 1 or most) or not every_pole or _has_other_number(segment, text, asked):
        return None
    return True if _has_place_asked(segment, text, asked) else None


@lru_cache(maxsize=16_384)
def _head(asked: Asked, language: Languages) -> str:
    """The last content word before the first quality of a question: "door" of "is the front door open"."""
    words = words_of(asked.question)
    first = min((c.start for c in language.opposites.find(words, asked.question) if c.role in asked.poles), default=0)
    before = [w.folded for w in words if w.end <= first and w.folded in asked.words]
    return before[-1] if before else ""


_UNTRUE_THAT = re.compile(
    r"[\s*_`\"'-]*(?:so[ ,]+|thus[ ,]+)?it(?:['’]s|[ ]is|[ ]would[ ]be)"
    r"(?:(?:n['’]t|[ ]not)[ ](?:true|the case|right|correct)"
    r"|[ ](?:wrong|false|untrue|incorrect|a mistake|an error))[ ]"
    r"(?:that\b|(?:to|if (?:you|one|i|we)) (?:say|claim|think|believe|state|assume|said|claimed)\b(?:[ ]that\b)?)",
    re.IGNORECASE,
)
"""In front of a statement that a response denies: "it would be wrong to say that …"."""
_OF_BOTH = re.compile(r"plainly +(?:the two|both|these|they|it)\b")
_PLACE = re.compile(
    r"\b(?:(?P<on>on top of|on|upon)|(?P<inside>in|inside|within)|(?P<under>under|underneath|beneath|below)"
    r"|(?P<beside>beside|next to|near|alongside)|(?P<behind>behind)|(?P<front>in front of))[ ]"
    r"(?P<what>(?:the|a|its|his|her|that|this)\b[ ])?(?P<of>\w+)",
    re.IGNORECASE,
)
"""Places that exclude each other: a cup that is beside a saucer isn't on it."""


def _elsewhere(segment: Segment, text: str, asked: Asked) -> bool | None:
    """The verdict of a sentence that puts the thing asked about at another place: "it's beside it"."""
    wanted = _PLACE.search(asked.question)
    said = _PLACE.search(text, segment.start, segment.end)
    further = _PLACE.search(text, said.end(), segment.end) if said else None
    if wanted is None or said is None or (further and not further["beside"]) or (further and said["beside"]):
        return None  # "near the bus, right behind it"
    noun = said["of"].casefold()
    anchor = same_word(noun, wanted["of"].casefold()) or noun in ("it", "them")
    if not anchor and not (wanted["on"] or wanted["under"] or wanted["inside"]):
        return None
    before = [w for w in segment.words if w.end <= said.start()]
    thing = [w.folded for w in words_of(asked.question[: wanted.start()])]
    about = before and all(
        w.folded.partition("'")[0] in _PRONOUNS or w.folded in segment.language.skip | _STANDS or w.folded in thing
        for w in before
    )
    place, other = ({k for k in _PLACE_NAMES if m[k]} for m in (said, wanted))
    near = bool(further and further["beside"])
    named = names_any(segment.words, frozenset({wanted["of"].casefold()}))
    if segment.having("negate", "suppose") or (not anchor and (noun in asked.words or (named and not near))):
        return None
    return False if about and (place != other or not anchor) else None


_STANDS = frozenset(("sits", "stands", "lies", "hangs", "rests", "leans", "actually", "lying", "sitting", "standing"))
_CLASSES = (
    {"red", "blue", "green", "yellow", "white", "black", "brown", "grey", "orange", "pink", "purple", "beige"},
    {"round", "square", "rectangular", "oval", "triangular", "hexagonal"},
    {"wooden", "metal", "plastic", "glass", "leather", "stone", "concrete", "brick", "marble", "ceramic"},
)
"""Qualities of which a thing has one."""


def _of_class(segment: Segment, text: str, asked: Asked) -> bool | None:
    """The verdict of a short answer that names another colour, shape or material: "rectangular"."""
    wanted = {w.folded for w in words_of(asked.question)[-1:]}
    said = {w.folded for w in segment.words}
    other = any(wanted <= members and said & members for members in _CLASSES) and not wanted & said
    plain = len(said) <= MAX_ECHO_WORDS and not segment.having("negate", "contrast")
    return False if wanted and other and plain else None


def _has_place_asked(segment: Segment, text: str, asked: Asked) -> bool:
    """Check whether a sentence names the place that a question names: "on the table" is none "next to the table"."""
    wanted = _PLACE.search(asked.question)
    if wanted is None or asked.poles or _ASKS_EXISTENCE.search(asked.question):
        return True  # "the kitchen has a window"
    place = next(k for k in _PLACE_NAMES if wanted[k])
    for said in _PLACE.finditer(text, segment.start, segment.end):
        behind = [w.folded for w in segment.words if w.start >= said.start()][:MAX_PLACE_WORDS]
        if said[place] and any(w in ("it", "them") or same_word(w, wanted["of"].casefold()) for w in behind):
            return True
    return False


_PLACE_NAMES = ("on", "inside", "under", "beside", "behind", "front")
_ASKS_ABILITY = re.compile(
    r"\A(?:can|could|will|would|does|do|is it possible)\b|\b(?:fit|enough|able)\b", re.IGNORECASE
)
_UNABLE = re.compile(
    r"\A(?:(?:it|he|she|that|this|they)(?:['’]s|[ ](?:is|are|would be))[ ])?(?:much[ ]|far[ ]|way[ ])?too[ ]"
    r"(?:narrow|wide|big|large|bulky|thick|small|tight|tall|high|low|short|long|deep|heavy|far|close)[ .!]*\Z"
    r"|\b(?:impossible|not possible|no way)\b|\bnot[ ]fits\b|\b(?:gets?|be|is)[ ]stuck\b|\b(?:sticks|stays)[ ]out\b"
    r"|\b(?:would|will|does|do|could|can)(?:n['’]t|[ ]not)[ ](?:fit|work|go|pass|get|squeeze)\b",
    re.IGNORECASE,
)
_ABLE = re.compile(
    r"\b(?:plenty of|enough)[ ](?:room|space|clearance)\b|\b(?:room|space) to spare\b"
    r"|\b(?:(?:would|will)[ ](?:\w+[ ])?fit|it[ ]fits)\b",
    re.IGNORECASE,
)


def asks_ability(question: str) -> bool:
    """Check whether a question asks if something can be done: "does it fit?"."""
    return _ASKS_ABILITY.search(question) is not None


def _able(segment: Segment, text: str, asked: Asked) -> bool | None:
    """The verdict of a sentence that says whether something can be done: "too narrow", "plenty of room"."""
    if not asks_ability(asked.question):
        return None
    part = text[segment.start : segment.end].strip(" *_`\"'")
    if _UNABLE.search(part):
        return False
    return True if _ABLE.search(part) and not segment.having("negate", "absent", "contrast") else None


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
    said = longest(segment.language.opposites.find(segment.words, text))
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
_BARE = _PRONOUNS | frozenset((
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


def _has_other_number(segment: Segment, text: str, asked: Asked) -> bool:
    """Check whether a sentence names a number that the question, which names one too, doesn't."""
    own = _numbers(asked.question, words_of(asked.question), segment.language)
    said = _numbers(text, segment.words, segment.language)
    return bool(own) and any(number not in own.values() for number in said.values())


_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def _numbers(text: str, words: Sequence[Word], language: Languages) -> dict[int, Fraction]:
    """Numbers in words or digits, by the place where they end."""
    found = {s.end: s.value for s in spelled_numbers(text, words, language)}
    return found | {w.end: Fraction(w.folded) for w in words if _NUMBER.fullmatch(w.folded)}


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
    for relation in (c for c in said if c.role[:-1] in own):
        before = [w for w in words if w.end <= relation.start]
        behind = [w for w in words if w.start >= relation.end]
        ends = all(w.folded in _BARE for w in behind)  # "the blue car is behind", of the two
        named_behind = names_any(behind, asked.subject) or relation.role[:-1] in MEASURED_QUALITIES or ends
        if names_any(before, asked.anchor) and not names_any(before, asked.subject) and named_behind:
            return True
    return False


def _by_threshold(segment: Segment, text: str, asked: Asked) -> bool | None:
    """The verdict of a number on "more than one", "at least three"."""
    bound = _THRESHOLD.search(asked.question)
    if bound is None:
        return None
    language = segment.language
    numbers = _numbers(text, segment.words, language)
    counted = {_with_unit(value, text, end, language) for end, value in numbers.items()}
    written = bound["number"] or bound["end"]
    limits = list(_numbers(written, words_of(written), language).values())
    if len(limits) != 1 or len(counted) != 1 or segment.having("negate"):
        return None
    about = any(same_word(w.folded, a) for w in segment.words for a in asked.words)
    if not about and any(w.folded not in language.skip | _COUNTING for w in segment.words if w.end not in numbers):
        return None
    kind, number = _with_unit(limits[0], asked.question, bound.end(), language)
    ((other, value),) = counted
    if other != kind or kind == "foreign":
        return None
    if bound["ends"]:
        return value >= number if bound["ends"].casefold() == "least" else value <= number
    return value > number if bound["more"] else value < number


_COUNTING = frozenset(("exactly", "only", "just", "see", "count", "there's", "can", "we", "them", "here", "precisely"))
"""Words beside a number that say that it is a count."""


def _with_unit(value: Fraction, text: str, end: int, language: Languages) -> tuple[str, Fraction]:
    """The kind of a number's unit, empty without one, and the number in metres or square metres."""
    unit = unit_after(text, end, language)
    return (unit[0], value * unit[1]) if unit else ("", value)
