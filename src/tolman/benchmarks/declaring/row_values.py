"""Values of a row in the forms that releases have them: answers, options, media and regions.

Media are paths below the data folder, or pictures inside the table itself. The right regions of questions that ask for
points are polygons that rows spell out, or masks that are pictures.
"""

from __future__ import annotations

import io
import json
import posixpath
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.benchmarks.declaring.data_file import MediaColumns, Options, RightRegion
from tolman.benchmarks.fields import Field, Unmappable, is_empty, plain
from tolman.benchmarks.rows import Row
from tolman.extras import Image as Pillow
from tolman.items import LETTERS, MEDIA_MARK, Media, plain_words
from tolman.media.images import column_of, eight_bits, images_in, in_column, read_image
from tolman.media.video import BrokenMediaError, need_pillow
from tolman.scoring.picture_shapes import encode
from tolman.text_tables import is_list_cell, read_cell

_LONGEST_LETTER = len("(A).")
_LETTER = re.compile(r"\A\s*(?:[(\[]?([A-Za-z])[)\].:]?\s*\Z|[(\[]?([A-Z])[)\].:]\s)")
""""B", "(B)", "b.", or "B. right" and "(B) right" with the option's text behind the letter."""


def right_letter(form: str, answer: Any, options: Sequence[str]) -> str:
    """The letter of the right option; of options with the same words, the first.

    Args:
        form: 'letter', 'index' (from 0), 'position' (from 1) or 'text'.
        answer: as the row has it.
        options: texts.

    Raises:
        Unmappable: the answer is none of the options.
    """
    text = plain(answer).strip()
    if form in ("index", "position"):
        number = re.fullmatch(r"(-?[0-9]{1,9})(?:\.0+)?", text)
        if number is None:
            raise Unmappable(f"the answer {text[:40]!r} is no number of an option")
        place = int(number[1]) - (form == "position")
        if not 0 <= place < len(options):
            raise Unmappable(f"the answer {text[:40]!r} is none of the {len(options)} options")
        return LETTERS[place]
    named, worded = _by_letter(text, options), _by_words(text, options)
    if form == "letter":
        if named is None and worded is None:
            raise Unmappable(f"the answer {text[:40]!r} is no letter of an option")
        return named or worded or ""
    if worded is None and (named is None or len(text) > _LONGEST_LETTER):
        raise Unmappable(f"the answer {text[:40]!r} is none of the options")
    return worded or named or ""


def _by_letter(text: str, options: Sequence[str]) -> str | None:
    match = _LETTER.match(text)
    letter = (match[1] or match[2]).upper() if match is not None else ""
    return letter if letter and letter in LETTERS[: len(options)] else None


def _by_words(text: str, options: Sequence[str]) -> str | None:
    wanted = plain_words(text)
    return next((LETTERS[i] for i, option in enumerate(options) if plain_words(option) == wanted), None)


def is_one_of_equals(right: str, options: Sequence[str]) -> bool:
    """Check whether another option has the words of the right one."""
    words = [plain_words(option) for option in options]
    return words.count(words[LETTERS.index(right)]) > 1


def text_or_json(answer: Any) -> str:
    """An answer as a text; a list or mapping as JSON.

    Raises:
        Unmappable: it is neither.
    """
    if is_list_cell(answer):
        try:
            json.loads(answer)
        except (ValueError, RecursionError):
            with suppress(ValueError):
                answer = read_cell(answer)  # as Python writes a list
    if not isinstance(answer, list | dict | bytes):
        return plain(answer).strip()
    try:
        return json.dumps(answer, ensure_ascii=False)
    except TypeError:
        raise Unmappable("the answer is no text") from None


_MARKER = re.compile(r"(?:\A|(?<=[\s,;(]))\(?([A-Z])[.):](?=\s)")
"""The letter of an inline option: "A. left", "(A) left", "A) left", "A: left"."""


def options_of(where: Options, row: Row) -> tuple[str, ...]:
    """Return the texts of the options in a column of their own.

    Raises:
        Unmappable: there are none, one is empty, or they have another form.
    """
    assert where.origin is not None
    found = where.origin.allowing(where.optional).of(row)
    if found is None:
        return ()
    texts = _texts(where.form, found)
    if where.lettered:
        taken_off = without_letters(texts)
        if taken_off is None and where.lettered is True:
            raise Unmappable(f"the options {' / '.join(texts)[:80]!r} don't begin with their letters")
        texts = texts if taken_off is None else taken_off
    if "" in texts:
        raise Unmappable("an option is empty")
    return tuple(texts)


def _texts(form: str, found: Any) -> list[str]:
    if form != "lines" and is_list_cell(found):
        try:
            found = read_cell(found)
        except ValueError as error:
            raise Unmappable(f"the cell of options {found[:60]!r} {error}") from None
    if form == "mapping":
        if not isinstance(found, dict):
            raise Unmappable("the options are no mapping of letters to texts")
        found = [found[key] for key in sorted(found) if not is_empty(found[key])]
    elif form == "lines":
        if not isinstance(found, str):
            raise Unmappable("the options are no text")
        return [line.strip() for line in found.split("\n") if line.strip()]
    elif not isinstance(found, list):
        raise Unmappable("the options are no list")
    return ["" if is_empty(one) else plain(one).strip() for one in found]


def without_letters(texts: Sequence[str]) -> list[str] | None:
    """Options without the letters in front of them; None where one doesn't begin with its own."""
    found = [re.match(rf"\(?{letter}[).:]\s*", text) for letter, text in zip(LETTERS, texts, strict=False)]
    if len(found) < len(texts) or not all(found):
        return None
    return [text[match.end() :] for text, match in zip(texts, found, strict=True) if match]


def split_inline(text: str) -> tuple[str, tuple[str, ...]]:
    """Split a question with inline options into its stem and their texts.

    The options are the longest chain of letters from A on, each with a text; among equally long ones the last.
    The last option goes to the end of the text.

    Raises:
        Unmappable: there are not two of them.
    """
    chains: list[list[re.Match[str]]] = []
    for match in _MARKER.finditer(text):
        for chain in chains:
            if len(chain) == LETTERS.index(match[1]):
                chain.append(match)
        if match[1] == "A":
            chains.append([match])
    found: tuple[str, tuple[str, ...]] = ("", ())
    for chain in chains:
        ends = [*(match.start() for match in chain[1:]), len(text)]
        texts = tuple(text[match.end() : end].strip(" \t\r\n,;(") for match, end in zip(chain, ends, strict=True))
        if "" not in texts and len(texts) >= max(2, len(found[1])):
            found = text[: chain[0].start()].strip(), texts
    if not found[1]:
        raise Unmappable(f"the options in the question {text[-80:]!r} can't be told apart")
    return found


def media_of(where: MediaColumns, row: Row, file: str, place: int) -> tuple[Media, ...]:
    """The media of a row, in their order.

    Args:
        where: the columns.
        row: of the table.
        file: the table's path below the data folder.
        place: the row's number in its file, from 0.

    Raises:
        Unmappable: there are none, or they have another form.
    """
    found = _pictures(where.origin, row, file, place) if where.form == "pictures" else _files(where, row, file)
    if not found and not where.optional:
        raise Unmappable(f"{where.origin.column or 'the column of media'} names no {where.kind}")
    return tuple(found)


def _files(where: MediaColumns, row: Row, file: str) -> list[Media]:
    found = where.origin.allowing(where.optional).of(row)
    if is_list_cell(found):
        try:
            found = read_cell(found)
        except ValueError as error:
            raise Unmappable(f"the list of media {found[:60]!r} {error}") from None
    listed = found if isinstance(found, list) else [] if found is None else [found]
    root = _root(where.root, file)
    clips = [(_inside(where.path, one), one) for one in listed] if where.path else [(one, row) for one in listed]
    return [
        Media(
            kind=where.kind, path=f"{root}{_path(path)}", start=_seconds(where.start, at), end=_seconds(where.end, at)
        )
        for path, at in clips
    ]


def _inside(where: Field, clip: Any) -> Any:
    if not isinstance(clip, dict):
        raise Unmappable("a medium of the list is no mapping with a path")
    return where.of(clip)


def in_order_of_marks(text: str, marked: Sequence[tuple[str, tuple[Media, ...]]]) -> tuple[Media, ...]:
    """Sort media of several kinds by the order of their marks in a text; they keep their order where none has a mark.

    Args:
        text: the released question.
        marked: for each kind its mark, empty where there is none, and its media.

    Raises:
        Unmappable: a kind has more or fewer marks than media.
    """
    placed: list[tuple[int, Media]] = []
    for mark, media in marked:
        places = [match.start() for match in re.finditer(re.escape(mark), text)] if mark else [len(text)] * len(media)
        if len(places) != len(media):
            raise Unmappable(f"the text has {len(places)} marks {mark} for {len(media)} media")
        placed += zip(places, media, strict=True)
    return tuple(medium for _, medium in sorted(placed, key=lambda one: one[0]))


def with_plain_marks(text: str, marks: Sequence[str]) -> str:
    """A text with the release's marks of media as `<image>`, which an item's text has for media of every kind."""
    for mark in filter(None, marks):
        text = text.replace(mark, MEDIA_MARK)
    return text


def _root(root: str, file: str) -> str:
    """Return the prefix of paths relative to a folder, which is given relative to the question file's folder."""
    folder = posixpath.normpath(posixpath.join(posixpath.dirname(file), root)) if root else "."
    return "" if folder == "." or folder.startswith("..") else f"{folder}/"


def _path(found: Any) -> str:
    """A path below the data folder, in its plain form."""
    if not isinstance(found, str):
        raise Unmappable("a medium is no path")
    pure = PurePosixPath(plain(found).strip())
    parts = [part for part in pure.parts if part != "."]
    if pure.is_absolute() or ".." in parts or not parts or "\0" in found:
        raise Unmappable(f"the path {found[:80]!r} leads out of the data folder")
    return "/".join(parts)


def _seconds(where: Field | None, row: Row) -> float | None:
    text = where.text(row) if where is not None else None
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        raise Unmappable(f"{text[:40]!r} is no time in seconds") from None


def _pictures(origin: Field, row: Row, file: str, place: int) -> list[Media]:
    """Return places of pictures that are in a column as a list or alone, or in a column each."""
    found = []
    for column in [origin.column] if origin.column else origin.columns:
        for position in range(_count(row.get(column or ""))):
            found.append(Media(kind="image", path=in_column(file, str(column)), part=(place, position)))
    return found


def _count(cell: Any) -> int:
    if cell is None or cell in ("", "nan") or cell == []:
        return 0
    if is_list_cell(cell):
        try:
            return len(read_cell(cell))
        except ValueError as error:
            raise Unmappable(f"the list of pictures {error}") from None
    return len(cell) if isinstance(cell, list) else 1


def region_of(
    where: RightRegion, answer: Field, row: Row, folder: Path, file: str, place: int, media: Sequence[Media]
) -> str:
    """The right region of a row as an item's answer, JSON (`tolman.scoring.picture_places`).

    Args:
        where: its form.
        answer: the column that holds it.
        row: of the table.
        folder: the data folder.
        file: the table's path below it.
        place: the row's number in its file, from 0.
        media: of the row. A mask must have the size of each picture that is there.

    Raises:
        Unmappable: there is none, it is unreadable, or it has another size than a picture.
    """
    if where.form == "polygon":
        return json.dumps({"polygon": _vertices(answer.of(row))})
    columns = MediaColumns.model_validate({"from": answer, "form": where.form, "root": where.root})
    (mask, *rest) = media_of(columns, row, file, place)
    if rest:
        raise Unmappable(f"there are {len(rest) + 1} masks, and one is the right region")
    inside = _mask(_content(mask, row, folder), where.above)
    height, width = inside.shape
    for medium in media:
        if medium.part is None and not (folder / medium.path).is_file():
            continue  # questions are read without their pictures too
        size = _size(_content(medium, row, folder))
        if size != (width, height):
            raise Unmappable(f"the mask has {width} × {height} pixels, and its picture has {size[0]} × {size[1]}")
    return json.dumps({"size": [width, height], "mask": {"size": [height, width], "counts": encode(inside)}})


def _vertices(found: Any) -> list[list[float]]:
    """A list of pairs, also as Python writes it."""
    if isinstance(found, str):
        try:
            found = read_cell(found)
        except ValueError:
            raise Unmappable(f"the polygon {found[:40]!r} is no list of points") from None
    pairs = list(found) if isinstance(found, list | tuple) else []
    if not pairs or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        raise Unmappable(f"the polygon {plain(found)[:40]!r} is no list of points")
    return [list(pair) for pair in pairs]


def _content(medium: Media, row: Row, folder: Path) -> bytes:
    """Return the bytes of a picture; one inside the table is taken from the given row."""
    try:
        if medium.part is None:
            return read_image(folder, medium.path, None)
        return images_in(row.get(column_of(medium.path)))[medium.part[1]]
    except (BrokenMediaError, ValueError, IndexError) as error:
        raise Unmappable(f"a picture can't be read ({error})") from None


def _mask(content: bytes, above: int) -> NDArray[np.bool_]:
    """The pixels of a picture that are brighter than a value. Shape (height, width)."""
    import numpy as np

    need_pillow()

    try:
        with Pillow.open(io.BytesIO(content)) as image:
            grey = np.asarray(eight_bits(image).convert("L"))
    except Exception as error:  # a broken image makes Pillow's readers raise almost anything
        raise Unmappable(f"the mask is no readable picture ({error})") from None
    return grey > above


def _size(content: bytes) -> tuple[int, int]:
    """Width and height of a picture."""
    need_pillow()

    try:
        with Pillow.open(io.BytesIO(content)) as image:
            return image.size
    except Exception as error:  # as above
        raise Unmappable(f"the picture is not readable ({error})") from None
