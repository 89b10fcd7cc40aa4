"""Overlap of two sets of questions: scenes, questions and frames that both have, as of a training set with a benchmark.

Scenes are the same if their names are; for a question without a scene, the names of its files and folders count.
Questions are the same if they are about the same video or image, and the one's prompt contains the other's question and
options, up to case, punctuation and words without meaning here (`duplicates.FILLERS`).

Frames are the same if perceptual hashes differ in at most `BITS` of 64. A video has `FRAMES` compared frames,
evenly spaced. Frames of one colour are left out. A file that is missing, or can't be read, is compared by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from tolman.analyze.duplicates import MANY, Hashes, comparable, contrasting_hash, differing_bits, telling
from tolman.errors import counted
from tolman.items import Item, Media
from tolman.media.frame_store import FrameStore
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError
from tolman.parallel import Workers, parallel_map, place_of

FRAMES = 64
"""Frames of a video that are compared."""
BITS = 8
"""The most bits of 64 in which the perceptual hashes of the same frame differ.

Between 40 simulated homes (seed 880), none of 798,720 pairs of frames differed in fewer than 10."""
SHORTEST = 5
"""Letters of a scene's name from which the name of a file alone says that it is of the scene."""
_SAMPLE = Frames(count=FRAMES, quality=85, longest_side=256)


@dataclass(frozen=True)
class AskedQuestion:
    """Parts of a question that are compared.

    Attributes:
        id: unique in its set.
        prompt: everything that is asked, options included.
        question: without options.
        options: their texts.
        scene: its name; None if unknown.
        media: that are shown, by absolute path.
    """

    id: str
    prompt: str
    question: str
    options: tuple[str, ...]
    scene: str | None
    media: tuple[Media, ...]

    @classmethod
    def of(cls, item: Item, folder: Path) -> AskedQuestion:
        """Return the parts of an item.

        Args:
            item: the question.
            folder: that its media are relative to.
        """
        media = tuple(in_folder(medium, folder) for medium in item.media)
        prompt = "\n".join([item.question, *item.options])
        return cls(item.id, prompt, item.question, item.options, item.scene, media)


def in_folder(medium: Media, folder: Path) -> Media:
    """A medium by its absolute path."""
    return medium.model_copy(update={"path": str((folder / medium.path).absolute())})


@dataclass(frozen=True)
class Overlap:
    """Scenes, questions and frames that two sets have in common.

    Attributes:
        scenes: their names in the second set.
        questions: pairs of ids, a pair for each question of the first set that is in the second.
        frames: (path, path in the other set, differing bits), a row for each video or image of the first set with a
            frame of the second.
        unread: videos and images of both sets that could be compared by their names only.
    """

    scenes: tuple[str, ...]
    questions: tuple[tuple[str, str], ...]
    frames: tuple[tuple[str, str, int], ...]
    unread: int

    @property
    def is_empty(self) -> bool:
        """Check that nothing is shared."""
        return not (self.scenes or self.questions or self.frames)

    @property
    def counts(self) -> str:
        """The numbers of shared things, as part of a sentence: '2 scenes, 30 questions, 2 videos or images'."""
        files = counted(len(self.frames), "video or image", "videos or images")
        return f"{counted(len(self.scenes), 'scene')}, {counted(len(self.questions), 'question')}, {files}"


def overlap(
    own: Sequence[AskedQuestion], others: Sequence[AskedQuestion], store: FrameStore, workers: Workers | None = None
) -> Overlap:
    """Compare two sets of questions.

    Args:
        own: such as a training set.
        others: such as a benchmark.
        store: that frames are decoded to.
        workers: that read the files. Default: processes where there are many.
    """
    mine, theirs = ([*dict.fromkeys(m for one in many for m in one.media)] for many in (own, others))
    hashes = _hashes([*dict.fromkeys([*mine, *theirs])], store, workers)
    near = _near(mine, theirs, hashes)
    frames = [
        (medium.path, *min(((other.path, bits) for other, bits in found.items()), key=lambda pair: pair[1]))
        for medium, found in near.items()
        if found
    ]
    unread = sum(not len(found) for found in hashes.values())
    return Overlap(_scenes(own, others), tuple(_questions(own, others, near)), tuple(frames), unread)


def _hashes(media: Sequence[Media], store: FrameStore, workers: Workers | None) -> dict[Media, Hashes]:
    """The hashes of each medium's frames; none of one that can't be read."""
    workers = workers or place_of(None, None, few=len(media) < MANY)
    found = parallel_map(_look, ((store.root, medium) for medium in media), workers)
    return {medium: np.array(one, dtype=np.uint64) for medium, one in zip(media, found, strict=True)}


def _look(job: tuple[Path, Media]) -> list[int]:
    root, medium = job
    try:
        pictures = FrameStore(root).pictures(Path("/"), medium, _SAMPLE)
        found = [contrasting_hash(Path(one.path).read_bytes()) for one in pictures]
    except BrokenMediaError:
        return []
    return [one for one in found if one is not None]


def _near(
    mine: Sequence[Media], theirs: Sequence[Media], hashes: Mapping[Media, Hashes]
) -> dict[Media, dict[Media, int]]:
    """For each medium those of the other set with the same frame, and the least number of differing bits."""
    owners = np.repeat(np.arange(len(theirs)), [len(hashes[medium]) for medium in theirs])
    others = np.concatenate([np.zeros(0, dtype=np.uint64), *(hashes[medium] for medium in theirs)])
    named: dict[str, list[Media]] = {}
    for medium in theirs:
        named.setdefault(_stem(medium), []).append(medium)
    found: dict[Media, dict[Media, int]] = {}
    for medium in mine:
        own: dict[Media, int] = {}
        for one in hashes[medium]:
            bits = differing_bits(others ^ one)
            for place in np.flatnonzero(bits <= BITS):
                other = theirs[owners[place]]
                own[other] = min(own.get(other, BITS), int(bits[place]))
        for other in named.get(_stem(medium), ()):
            if not len(hashes[medium]) or not len(hashes[other]):
                own[other] = 0
        found[medium] = own
    return found


def _stem(medium: Media) -> str:
    return f"{PurePosixPath(medium.path).stem.casefold()}{medium.part or ''}"


def _scenes(own: Iterable[AskedQuestion], others: Iterable[AskedQuestion]) -> tuple[str, ...]:
    scenes = {one.scene.casefold() for one in own if one.scene}
    files = {
        name.casefold()
        for one in own
        if not one.scene
        for medium in one.media
        for path in (PurePosixPath(medium.path),)
        for name in (path.stem, *path.parts[:-1])
    }

    def is_shared(scene: str) -> bool:
        last = PurePosixPath(scene).name
        return scene in scenes or (len(last) >= SHORTEST and last in files)

    return tuple(scene for scene in dict.fromkeys(o.scene for o in others if o.scene) if is_shared(scene.casefold()))


def _questions(
    own: Sequence[AskedQuestion], others: Sequence[AskedQuestion], near: Mapping[Media, Mapping[Media, int]]
) -> Iterable[tuple[str, str]]:
    """For each question that the other set has too: its id, and the other's."""
    about: dict[Media, list[tuple[str, tuple[str, ...]]]] = {}
    for one in others:
        parts = tuple(f" {telling(comparable(text))} " for text in (one.question, *one.options))
        for medium in dict.fromkeys(one.media):
            about.setdefault(medium, []).append((one.id, parts))
    for mine in own:
        prompt = f" {telling(comparable(mine.prompt))} "
        candidates = (pair for medium in mine.media for other in near.get(medium, ()) for pair in about.get(other, ()))
        same = next((id for id, parts in candidates if all(part in prompt for part in parts if part.strip())), None)
        if same is not None:
            yield mine.id, same
