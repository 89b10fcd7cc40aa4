"""Options that a response compares: inverted relations and opposite qualities.

"The desk is in front of the chair" says that the chair is behind the desk. "The printer is farther away" says, of two,
that the vase is closer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tolman.scoring.parse.asked import COMPARED, Asked, alike, names_any, opposite, poles_of, with_things_of
from tolman.scoring.parse.lexicon import Cue, Word, is_glued, longest, words_of
from tolman.scoring.parse.option_lines import OptionLine
from tolman.scoring.parse.option_mentions import Mention, options_in
from tolman.scoring.parse.option_texts import COMPASS, DIRECTIONS, OptionTexts
from tolman.scoring.parse.option_verdicts import is_case
from tolman.scoring.parse.option_words import is_idiom
from tolman.scoring.parse.response_segments import Segment, is_counterfactual, replies

OPPOSITE_DIRECTIONS = {
    "left": "right", "front": "back", "above": "below", "north": "south", "east": "west", "northeast": "southwest",
    "northwest": "southeast",
}  # fmt: skip
OPPOSITE_DIRECTIONS |= {b: a for a, b in OPPOSITE_DIRECTIONS.items()}
MAX_LINK_WORDS = 4
"""Words between a relation and the thing that it is told from, at most: "to the left of the bag"."""
_STOP = re.compile(r"[.;:!?\n]")
_PART_END = re.compile(r"[.;:!?\n,(\[—–，、]|[ ]-[ ]")
_VERBS = frozenset((
    "stands", "lies", "sits", "hangs", "directly", "right", "just", "located", "placed", "which", "that", "that's",
    "it's", "steht", "liegt"
))  # fmt: skip
_PRONOUNS = ("it", "them", "him", "her")
_OWNING = ("its", "his", "her", "their")
_LINKS = frozenset((
    "where", "of", "the", "a", "an", "from", "to", "side", "this", "that", "its", "his", "her", "directly", "due",
    "right", "just", "immediately", "than", "als", "vom", "von", "der", "dem", "des", "zum", "zur", "du", "de", "la",
    "le", "les", "del", "el", "da", "do", "das", "dos", "à", "au", "aux", "от"
))  # fmt: skip
"""Words that may stand between a relation and the thing that it is told from."""


def read_against(lines: Sequence[OptionLine], text: str, options: OptionTexts, asked: Asked) -> None:
    """Read the options that each line names in the light of the question.

    Inverted relations become their opposites. A line that says the opposite of the question names the other of two
    compared options.

    Args:
        lines: of the response; their mentions are replaced.
        text: without markup.
        options: of the item.
        asked: by the item.
    """
    directed = any(c & OPPOSITE_DIRECTIONS.keys() for c in options.concepts)
    polar = poles_of(options, lines[0].segment.language) if lines and not directed else []
    asked = with_things_of(options, asked, lines[0].segment.language) if lines else asked
    related = False
    by_case = any(is_case(line, text) for line in lines if not is_counterfactual(line.segment, text))
    for line in reversed(lines):
        if is_counterfactual(line.segment, text) and not (by_case and is_case(line, text)):
            line.mentions = [m for m in line.mentions[:1] if m.label]  # "A. It would be B only if …"
            continue
        if polar and asked.located and asked.subject and _turn_poles(line, text, polar, asked):
            continue
        if asked.located and asked.subject and asked.anchor and directed:
            if related and not names_any(line.segment.words, asked.subject | asked.anchor):
                line.mentions = [m for m in line.mentions if m.by == "letter"]
            related = _turn_relations(line, text, options, asked) or related
            if not line.segment.language.names & {"zh", "ja", "ko"}:
                line.mentions = [m for m in line.mentions if not _is_move(m, line.segment, text, asked)]
            _turn_holders(line, text, options, asked)
        _drop_modifiers(line, text, options)
        if all(c and c <= COMPASS for c in options.concepts):
            line.mentions = [m for m in line.mentions if m.by == "letter" or not _is_oriented(line.segment, m, text)]
        if asked.poles and line.mentions:
            _turn_qualities(line, text, options, asked)


def _turn_poles(line: OptionLine, text: str, polar: Sequence[frozenset[str]], asked: Asked) -> bool:
    """Replace the options that a line names by those that it means, where it relates the two things of the question.

    Returns:
        True if the line does; its options are left out where it isn't clear which thing has the quality.
    """
    wanted = frozenset[str]().union(*polar)
    every = longest(line.segment.language.opposites.find(line.segment.words, text))
    cues = [replace(c, role=alike(c.role)) for c in every if not is_idiom(text, c)]
    cues = [c for c in cues if c.role[:-1] in COMPARED and (c.role in wanted or opposite(c.role) in wanted)]
    relations = _relations(line.segment, text, asked, cues)
    known = [r for r in relations if r.teller or r.told]
    if not known:
        return False
    found = {}
    for relation in known:
        turned = relation.told == "anchor" or relation.teller == "subject"
        direct = relation.told == "subject" or relation.teller == "anchor"
        less = _is_less(relation.cue, line.segment, text)
        pole = opposite(relation.cue.role) if turned != less else relation.cue.role
        option = next((i for i, poles in enumerate(polar) if pole in poles), -1)
        if option >= 0:
            negated = turned == direct or (not less and _is_denied(line.segment, relation.cue, text))
            cue = relation.cue
            found[cue.start] = Mention(option, cue.start, cue.end, "text", negated=negated)
    others = [m for m in line.mentions if m.by == "letter" or not (m.weak or polar[m.option])]
    line.mentions = sorted([*found.values(), *others], key=lambda m: m.start)
    return True


def _drop_modifiers(line: OptionLine, text: str, options: OptionTexts) -> None:
    """Leave out a direction that only identifies a thing: "the digger on the right is moving to the left"."""
    named = [m for m in line.mentions if m.by == "text" and m.option >= 0 and options.concepts[m.option] & DIRECTIONS]
    if len(options_in(named)) != 2 or len(named) != 2:
        return
    described = [m for m in named if _describes(m, text, options)]
    if len(described) == 1:
        line.mentions = [m for m in line.mentions if m is not described[0]]
        return
    first, second = named
    if _PLACED.search(text[line.segment.start : first.start]) and _IS_BEHIND.match(text[first.end : second.start]):
        line.mentions = [m for m in line.mentions if m is not first]


_NOUN_BEHIND = re.compile(r"[ ](?!(?:side|end|hand|part|corner|half|edge|of|one|and|or|then|from|to|but)\b)([a-z]{3,})")


def _describes(mention: Mention, text: str, options: OptionTexts) -> bool:
    """Check whether a direction only describes a thing that the question doesn't name: "at the back of the front
    building"."""
    noun = None if text[: mention.end].endswith("one") else _NOUN_BEHIND.match(text, mention.end)
    return noun is not None and text[: mention.start].endswith((" the ", " The ")) and noun[1] not in options.asked


def _is_oriented(segment: Segment, mention: Mention, text: str) -> bool:
    """Check whether a compass direction only says how something else is turned: "north is behind the person"."""
    return any(
        c.role in ("left", "right", "front", "back")
        and c.start >= mention.end
        and len(words_of(text[mention.end : c.start])) <= MAX_LINK_WORDS
        and not _PART_END.search(text[mention.end : c.start])
        for c in segment.concepts
    )


def _is_move(mention: Mention, segment: Segment, text: str, asked: Asked) -> bool:
    """Check whether a direction is told from a new thing, "behind a fence", or is that of a movement of something else
    than the thing to locate: "she turns left"."""
    if mention.by == "letter":
        return False
    if _OF_ANOTHER.match(text, mention.end) or _is_of_another_thing(segment, text, asked):
        return True
    if not _MOVES.search(text, segment.start, mention.start):
        return False
    return not names_any([w for w in segment.words if w.end <= mention.start], asked.subject)


def _is_of_another_thing(segment: Segment, text: str, asked: Asked) -> bool:
    """Check whether a sentence is about the reference or a new thing alone: "the box has an arrow pointing right"."""
    if any(w.folded in _REFERRING for w in segment.words) or names_any(segment.words, asked.subject):
        return False
    opening = [w for w in segment.words[:2] if w.folded != "the"][:1]
    return _THERE_IS.match(text, segment.start) is not None or bool(names_any(opening, asked.anchor))


_REFERRING = frozenset((*_PRONOUNS, *_OWNING, "he", "she", "they", "that", "this", "one", "it's", "that's"))
_THERE_IS = re.compile(r"[\W_]*there(?:['’]s|[ ]is|[ ]are|[ ]was|[ ]were)[ ](?:an?|some|two|three)\b", re.IGNORECASE)
_OF_ANOTHER = re.compile(r"(?:[ ]side)?(?:[ ]of)?[ ]an?[ ](?!bit|little|few|lot|short|small)\w", re.IGNORECASE)
_MOVES = re.compile(
    r"\b(?:turns|turned|walks|walked|goes|went|heads|headed|pans|panned|swings|swung|drives|drove|steps|stepped|rotates"
    r"|rotated)[ ](?:(?:to|the|its|his|her|sharp|then)[ ])*\Z",
    re.IGNORECASE,
)
_PLACED = re.compile(r"\w[ ](?:on|at)[ ](?:the|its|his|her)[ ]\Z", re.IGNORECASE)
_IS_BEHIND = re.compile(
    r"(?:[ ]side)?[ ](?:is|was|are|were|moves|goes|turns|drives|walks|runs|heads|rolls)\b[^.;:!?\n]*\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Relation:
    """A direction that a sentence names.

    Attributes:
        cue: the direction.
        teller: 'subject' or 'anchor': the reference of the direction, where that is said.
        told: the same for the thing that has the direction.
    """

    cue: Cue
    teller: str
    told: str


def _turn_relations(line: OptionLine, text: str, options: OptionTexts, asked: Asked) -> bool:
    """Replace the mentions of directions whose reference is the thing to locate.

    Returns:
        True if the line relates both things, so that its other directions, and those of lines that name neither, are of
        something else.
    """
    relations = _relations(line.segment, text, asked)
    related = any(r.teller and r.told for r in relations)
    if any(r.told == "anchor" and not r.teller for r in relations) and _is_seen_from_subject(line.segment, text, asked):
        relations = [replace(r, teller="subject") if r.told == "anchor" else r for r in relations]
    unsure = line.segment.having("suppose", "unknown")
    direct = not unsure and any(
        r.told == "subject" and r.teller != "subject" and any(r.cue.role in c for c in options.concepts)
        for r in relations  # "rises" is no direction beside a "south"
    )
    for relation in relations:
        covering = [m for m in line.mentions if m.start <= relation.cue.start < m.end]
        if relation.teller == "subject":
            said = options.concepts[covering[0].option] if covering and covering[0].option >= 0 else None
            turned = frozenset(OPPOSITE_DIRECTIONS.get(c, c) for c in said or {relation.cue.role})
            option = _side(turned, options)
            negated = covering[0].negated if covering else _is_denied(line.segment, relation.cue, text)
            line.mentions = [m for m in line.mentions if m not in covering]
            if option >= 0:
                end = max([relation.cue.end, *(m.end for m in covering)])
                line.mentions.append(Mention(option, relation.cue.start, end, "text", negated=negated))
        elif (direct and (relation.told == "anchor" or relation.teller == "anchor") and relation.told != "subject") or (
            related and not relation.told and not relation.teller
        ):
            line.mentions = [m for m in line.mentions if m not in covering]
    line.mentions.sort(key=lambda m: m.start)
    return related


def _side(wanted: frozenset[str], options: OptionTexts) -> int:
    """The option that says a direction, or "on top of" for above; -1 without one."""
    sides = [concepts & OPPOSITE_DIRECTIONS.keys() or concepts for concepts in options.concepts]
    if wanted == {"above"} and wanted not in sides:
        return next((i for i, option in enumerate(options.texts) if option.casefold().startswith("on ")), -1)
    return sides.index(wanted) if sides.count(wanted) == 1 else -1


_HOLDS = re.compile(
    r"\b(?:(?P<inside>contains?|contained|encloses?|houses|surrounds?)|(?P<below>covers|covered)"
    r"|(?P<back>hides|conceals|blocks)|(?P<above>supports|carries|bears))\b",
    re.IGNORECASE,
)
"""Verbs that say where their object is."""


def _turn_holders(line: OptionLine, text: str, options: OptionTexts, asked: Asked) -> None:
    """Name the place of the thing to locate where a line says what holds it: "the basket contains the ball"."""
    segment = line.segment
    verb = _HOLDS.search(text, segment.start, segment.end)
    if verb is None or line.affirmed or segment.having("negate", "suppose"):
        return
    before, behind = (
        [w for w in segment.words if a <= w.start < b]
        for a, b in ((segment.start, verb.start()), (verb.end(), segment.end))
    )
    option = _side(frozenset({str(verb.lastgroup)}), options)
    if option >= 0 and names_any(before, asked.anchor) and names_any(behind, asked.subject):
        line.mentions.append(Mention(option, verb.start(), verb.end(), "text"))


def _is_seen_from_subject(segment: Segment, text: str, asked: Asked) -> bool:
    """Check whether a sentence looks from the thing to locate: "from the stool, the piano is …"."""
    for cue in replies(segment, text):
        if cue.role == "relative_to":
            behind = [w for w in segment.words if w.start >= cue.end and w.folded not in _LINKS][:1]
            if behind and _thing(behind[0], asked) == "subject":
                return True
    return False


def _is_denied(segment: Segment, cue: Cue, text: str) -> bool:
    return any(
        0 <= cue.start - c.end <= 16 and not _STOP.search(text[c.end : cue.start]) for c in segment.having("negate")
    )


def _relations(segment: Segment, text: str, asked: Asked, poles: Sequence[Cue] | None = None) -> list[_Relation]:
    """The directions, or qualities, that a sentence names, with the things of the question on either side of each."""
    cues = poles
    if cues is None:
        cues = [c for c in longest(segment.concepts) if c.role in OPPOSITE_DIRECTIONS and not is_idiom(text, c)]
        ends = {c.start - 1: c.end for c in cues if text[c.start - 1] in " -"}  # "front-left" is one
        joined = {end for start, end in ends.items() if start in ends.values()}
        cues = [replace(c, end=ends.get(c.end, c.end)) for c in cues if c.end not in joined]
    found = []
    for k, cue in enumerate(cues):
        begin = max((c.end for c in cues[:k] if c.end <= cue.start), default=segment.start)
        stops = [m.end() for m in _STOP.finditer(text, begin, cue.start)]
        begin = stops[-1] if stops else begin
        before = [w for w in segment.words if begin <= w.start and w.end <= cue.start]
        behind = [w for w in segment.words if w.start >= cue.end][: MAX_LINK_WORDS + 1]
        if is_glued(text[cue.start]):
            inverse = _is_inverse(before, segment, cue, asked)
            found.append(_Relation(cue, "subject" if inverse else "", "anchor" if inverse else ""))
            continue
        teller = _teller(behind, cue, text, asked)
        if before and not teller and text[before[-1].start : before[-1].end].endswith(("'s", "’s")):
            teller, before = (
                _thing(before[-1], asked),
                before[:-1],
            )  # "on the stove's left"
        if before and before[-1].folded in _OWNING and not teller:
            teller = "subject" if names_any(before, asked.anchor) and not names_any(before, asked.subject) else ""
        told = _nearest(before[::-1], asked, segment.language.skip) or (
            _only(before, cue, text, asked) if poles else ""
        )
        pronoun = next((w.folded in _PRONOUNS for w in behind if w.folded not in _LINKS), False)
        if not teller and told == "anchor" and pronoun:
            # "past the stool, the piano behind it", or "the piano is behind it" with nothing else before it
            teller = "subject" if names_any(before, asked.subject) or not k else ""
        found.append(_Relation(cue, teller, "" if teller == told else told))
    return found


def _is_inverse(before: Sequence[Word], segment: Segment, cue: Cue, asked: Asked) -> bool:
    """Check whether the thing to locate is the reference in front of a direction: "テレビは植物の左"."""
    things = [_thing(w, asked) for w in before if w.folded not in ("的", "之", "の", "의")]
    behind = [w for w in segment.words if w.start >= cue.end]
    return things[-1:] == ["subject"] and ("anchor" in things or bool(names_any(behind, asked.anchor)))


def _teller(behind: Sequence[Word], cue: Cue, text: str, asked: Asked) -> str:
    """Return the thing right behind a direction that is the direction's reference."""
    named: list[str] = []
    for word in behind:
        thing = _thing(word, asked)
        if _PART_END.search(text[cue.end : word.start]) or (not thing and (named or word.folded not in _LINKS)):
            break
        named += [thing] if thing else []
    return "" if not named else "anchor" if "anchor" in named else "subject"  # "the white car" beside "the red car"


def _thing(word: Word, asked: Asked) -> str:
    """Return whether a word names the thing to locate, or its reference."""
    if names_any([word], asked.subject):
        return "subject"
    return "anchor" if names_any([word], asked.anchor) else ""


def _nearest(words: Sequence[Word], asked: Asked, skip: frozenset[str]) -> str:
    """Return the last thing in front of a direction; the anchor only where nothing but its verb is between them."""
    for i, word in enumerate(words):
        thing = _thing(word, asked)
        if thing == "subject" or (thing and all(w.folded in skip or w.folded in _VERBS for w in words[:i])):
            return thing
        if thing:
            return ""
    return ""


def _only(before: Sequence[Word], cue: Cue, text: str, asked: Asked) -> str:
    """Return the only thing in front of a quality in its part of a sentence."""
    begin = max(text.rfind(mark, 0, cue.start) for mark in ",(—–")
    things = {_thing(w, asked) for w in before if w.start > begin} - {""}
    return things.pop() if len(things) == 1 else ""


_LESS = re.compile(r"\b(?:less|weniger|moins|menos)[ ]\Z", re.IGNORECASE)
_AS = re.compile(r"\b(?:as|so)[ ]\Z", re.IGNORECASE)


def _is_less(cue: Cue, segment: Segment, text: str) -> bool:
    """Check whether a quality is said to be less: "less far away than", "isn't as near as"."""
    before = text[max(segment.start, cue.start - 9) : cue.start]
    if _LESS.search(before):
        return True
    denied = any(c.end <= cue.start for c in segment.having("negate"))
    return denied and _AS.search(before) is not None and text.startswith((" as ", " like "), cue.end)


_OTHER_CLAUSE = re.compile(
    r"[.;:!?\n,(\[—–，、]|[ ]-[ ]|\b(?:because|since|as|with|without|although|though|while|whereas|but|and|or|so|in|by"
    r"|near|next|behind|beside|under|above|below|than|from|if|other|others|everything|else|whose|has|have|had)\b",
    re.IGNORECASE,
)
"""Signs and words behind which a quality may belong to something else than the option in front of them."""
_PREDICATE_END = re.compile(
    r"[ ]*(?:[.,;:!)]|\Z|[ ](?:the|than|away|from|of|to|as|and|but|one|in|by|on|here|there|back|down|up"
    r"|next|beside|compared|que|de|als|von"
    r"|do|da|du)\b|(?=[^\x00-\x7f]))",
    re.IGNORECASE,
)
"""Behind a quality: it is said of the option, and describes no other thing ("the low table")."""
_IS_OPTION = re.compile(
    r"(?:[ ](?:one|object|thing|item|room|of the (?:two|pair)|of them))*(?:[ ](?:is|was|would be)|:)[ ](?:the[ ])?",
    re.IGNORECASE,
)
"""Between a quality and the option that has it: "the farther one is the sofa"."""
_SIDE_BEFORE = re.compile(r"\b(?:the|to|on|at)[ ]\Z", re.IGNORECASE)
_JUDGING = re.compile(r"\s*(?:yes|no|true|false)\b", re.IGNORECASE)
MAX_PREDICATE_WORDS = 6
"""Words between an option and the quality that is said of it, at most."""


_VIEWER = re.compile(r"\b(?:camera|viewer|observer|photographer|us)\b", re.IGNORECASE)


def _turn_qualities(line: OptionLine, text: str, options: OptionTexts, asked: Asked) -> None:
    """Replace the option that a line calls the opposite of the question: by the other of two, else by none."""
    poles = {pole for pole in asked.poles if pole[:-1] in COMPARED}
    if not poles or {opposite(p) for p in poles} & poles or _judges(options):
        return
    said = [c for c in line.segment.language.opposites.find(line.segment.words, text) if c.role[:-1] in COMPARED]
    if any(pole[:-1] == "height" for pole in poles):  # "the picture hangs above the shelf"
        said = [replace(c, role="height" + c.role[-1]) if c.role[:-1] == "levels" else c for c in said]
    less = [c for c in said if _is_less(c, line.segment, text)]
    said = [replace(c, role=opposite(c.role)) if c in less else c for c in said]
    if _VIEWER.search(asked.question) and not any(c.role[:-1] == "distance" for c in said):
        poles = {alike(pole) for pole in poles}  # "the sofa is behind the table"
    other = [c for c in said if opposite(c.role) in poles]
    if not other or any(c.role in poles for c in said):
        return
    cue = other[0]
    if any(c.role == "same" and 0 <= cue.start - c.end <= 1 for c in line.segment.concepts):
        return  # "equally far"
    is_less = any(c.start == cue.start for c in less)
    strong = [m for m in line.mentions if not m.weak] or line.mentions
    chosen = _predicated(cue, strong, line.segment, text, is_less)
    if chosen is None:
        return
    denied = any(chosen.end <= c.start < cue.start for c in line.segment.having("negate"))
    if denied and not is_less:
        return
    compared = [i for i, option in enumerate(options.texts) if not NEITHER.search(option)]
    if len(compared) == 2 and chosen.option in compared:
        compared.remove(chosen.option)
        line.mentions = [replace(chosen, option=compared[0], by="text", negated=False)]
    elif re.search(r"est\Z", text[cue.start : cue.end].rstrip()):
        line.mentions = [replace(m, negated=True) if m.option == chosen.option else m for m in line.mentions]


NEITHER = re.compile(
    r"\b(?:same|equal(?:ly)?|both|neither|none|cannot|can't|undetermined|unclear|impossible|gleich|même|igual)\b",
    re.IGNORECASE,
)
"""Words of an option that names neither of two compared things."""


def _judges(options: OptionTexts) -> bool:
    """Check whether an option says yes or no, alone or at its beginning: "No, it is to the right"."""
    return any(concepts & {"yes", "no"} for concepts in options.concepts) or any(
        _JUDGING.match(option) for option in options.texts
    )


def _predicated(cue: Cue, named: Sequence[Mention], segment: Segment, text: str, is_less: bool) -> Mention | None:
    """Return the option of which a sentence says a quality, in one clause; None where that isn't clear."""
    is_side = _SIDE_BEFORE.search(text, segment.start, cue.start) or text.startswith(" of ", cue.end)
    if cue.role[:-1] == "sides" and not is_side:
        return None  # "B is right"
    before = [m for m in named if m.end <= cue.start]
    if before:
        between = text[before[-1].end : cue.start]
        between = _LESS_WORDS.sub("", between) if is_less else between
        between = "" if between.strip() in ("has", "had", "have") else between
        near = len(words_of(between)) <= MAX_PREDICATE_WORDS and not _OTHER_CLAUSE.search(between)
        return before[-1] if near and _PREDICATE_END.match(text, cue.end) else None
    behind = [m for m in named if m.start >= cue.end and _IS_OPTION.fullmatch(text[cue.end : m.start])]
    return behind[0] if behind else None


_LESS_WORDS = re.compile(r"(?:as|so)[ ]\Z", re.IGNORECASE)
