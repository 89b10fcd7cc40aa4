"""Pictures and videos of a study: kept in the store, without what they say beside their pixels."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from tolman.files import atomic_write
from tolman.media.metadata import image_without_metadata, video_without_metadata
from tolman.media.video import BrokenMediaError
from tolman.review.accounts.identity import AccountError
from tolman.review.site import Site
from tolman.review.store.pool import MEDIA
from tolman.review.studies.spec import StudyPart
from tolman.review.studies.texts import pictures_in

_IMAGES = (".jpg", ".jpeg", ".png", ".webp")
_CONTAINERS = {".mp4": "mp4", ".webm": "webm"}


def sources_of(part: StudyPart) -> list[str]:
    """All pictures and videos that a part names, each once."""
    texts = (part.instructions, part.consent, *([part.breaks.text] if part.breaks else []), part.completion.text)
    found = [source for text in texts for source in pictures_in(text)]
    found += [path for asked in (*part.practice, *part.attention) for path in asked.media]
    return list(dict.fromkeys(found))


def keep(site: Site, part: StudyPart, folders: Sequence[Path]) -> dict[str, str]:
    """Put a part's pictures and videos into the store; path as the study names it → path in the store.

    Args:
        site: its store.
        part: names them.
        folders: in which they lie: the study file's, the benchmark's.

    Raises:
        AccountError: one is missing, lies outside of these folders, or can't be read.
    """
    return {source: _kept(site, source, folders) for source in sources_of(part)}


def _kept(site: Site, source: str, folders: Sequence[Path]) -> str:
    suffix = Path(source).suffix.lower()
    if suffix not in (*_IMAGES, *_CONTAINERS):
        raise AccountError(f"The study shows '{source}', which is no JPEG, PNG, WebP, MP4 or WebM file beside it.")
    roots = [folder.resolve() for folder in folders]
    paths = [(root / source).resolve() for root in roots]
    path = next((p for p, root in zip(paths, roots, strict=True) if p.is_relative_to(root) and p.is_file()), None)
    if path is None:
        raise AccountError(f"The study shows '{source}', which isn't in {' or '.join(map(str, roots))}. Put it there.")
    name = f"{MEDIA}/{hashlib.sha256(path.read_bytes()).hexdigest()[:20]}{suffix}"
    there = site.settings.store / name
    if not there.is_file():
        there.parent.mkdir(parents=True, exist_ok=True)
        try:
            with atomic_write(there) as partial:
                if suffix in _IMAGES:
                    partial.write_bytes(image_without_metadata(path.read_bytes()))
                else:
                    video_without_metadata(path, partial, _CONTAINERS[suffix])
        except BrokenMediaError as error:
            raise AccountError(f"The study's '{source}' can't be read ({error}).") from None
    return name
