"""Right places of questions that ask for points: polygons that rows spell out, and masks that are pictures."""

from __future__ import annotations

import ast
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.benchmarks.declaring.media import media_of
from tolman.benchmarks.declaring.schema import MediaColumns, RightRegion
from tolman.benchmarks.fields import Field, Unmappable, plain
from tolman.benchmarks.rows import Row
from tolman.items import Media
from tolman.media.images import eight_bits, read_image
from tolman.media.tables import column_of, images_in
from tolman.media.video import BrokenMediaError, need_pillow
from tolman.scoring.regions.run_lengths import encode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def region_of(
    where: RightRegion, answer: Field, row: Row, folder: Path, file: str, place: int, media: Sequence[Media]
) -> str:
    """The right region of a row as an item's answer, JSON (`tolman.scoring.regions.place`).

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
            found = ast.literal_eval(found.strip())
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            raise Unmappable(f"the polygon {found[:40]!r} is no list of points") from None
    pairs = list(found) if isinstance(found, list | tuple) else []
    if not pairs or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        raise Unmappable(f"the polygon {plain(found)[:40]!r} is no list of points")
    return [list(pair) for pair in pairs]


def _content(medium: Media, row: Row, folder: Path) -> bytes:
    """The bytes of a picture; one inside the table is taken from the row that is at hand."""
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
    from PIL import Image as Pillow

    try:
        with Pillow.open(io.BytesIO(content)) as image:
            grey = np.asarray(eight_bits(image).convert("L"))
    except Exception as error:  # a broken image makes Pillow's readers raise almost anything
        raise Unmappable(f"the mask is no readable picture ({error})") from None
    return grey > above


def _size(content: bytes) -> tuple[int, int]:
    """Width and height of a picture."""
    need_pillow()
    from PIL import Image as Pillow

    try:
        with Pillow.open(io.BytesIO(content)) as image:
            return image.size
    except Exception as error:  # as above
        raise Unmappable(f"the picture is not readable ({error})") from None
