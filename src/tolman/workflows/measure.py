"""Measuring: what is picked in a LiDAR recording, with a bound of the error."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, silent

if TYPE_CHECKING:
    from tolman.geometry.measuring import Measurement
    from tolman.ingest.measuring import Pick

_FIRST, _SECOND = "The picked region", "The second region, for distances and angles"
_BOX, _PIXELS = "X0,Y0,Z0,X1,Y1,Z1", "X0,Y0,X1,Y1"


@dataclass(frozen=True, kw_only=True)
class MeasureConfig:
    """What is measured, and where."""

    recording: Annotated[
        Path, Setting("Folder of a rig, collection of scenes, or file or folder of a cloud.", positional=True)
    ]
    quantity: Annotated[
        str,
        Setting(
            "Quantity: size, length, width, height, diameter, area, room-area; of two regions: distance, box-distance, "
            "angle. Default: size.",
            positional=True,
        ),
    ] = "size"
    box: Annotated[
        tuple[float, ...], Setting("Two corners of a box in the cloud, metres.", metavar=_BOX, panel=_FIRST)
    ] = ()
    pixels: Annotated[
        tuple[float, ...], Setting("Two corners of a box in a frame, pixels.", metavar=_PIXELS, panel=_FIRST)
    ] = ()
    at: Annotated[float | None, Setting("Time of that frame, seconds of the recording.", panel=_FIRST)] = None
    camera: Annotated[
        str | None, Setting("Role of the camera of that frame. Default: the first camera.", panel=_FIRST)
    ] = None
    to_box: Annotated[
        tuple[float, ...], Setting("Two corners of a box in the cloud, metres.", metavar=_BOX, panel=_SECOND)
    ] = ()
    to_pixels: Annotated[
        tuple[float, ...], Setting("Two corners of a box in a frame, pixels.", metavar=_PIXELS, panel=_SECOND)
    ] = ()
    to_at: Annotated[
        float | None, Setting("Time of that frame, seconds of the recording. Default: as --at.", panel=_SECOND)
    ] = None
    capture: Annotated[
        str | None, Setting("Id of a collection's LiDAR capture, or of its scene. Default: the only one.")
    ] = None
    shape: Annotated[str, Setting("Shape that is fitted: box (upright), free-box or cylinder.")] = "box"
    whole: Annotated[bool, Setting("Keep floors and walls that go on beyond the region.")] = False
    between: Annotated[
        tuple[float, ...],
        Setting("Times between which points are used, seconds. Default: the whole recording.", metavar="FROM,TO"),
    ] = ()
    cell: Annotated[
        float, Setting("Side of the voxels that points are thinned to, 0.001–1 metres.", least=0.001, most=1.0)
    ] = 0.01
    seed: Annotated[int, Setting("Seed of the random trials of fits, a whole number.")] = 0


def measure(config: MeasureConfig, events: Events = silent) -> Measurement:
    """Measure what is picked in a recording.

    Returns:
        The value with its unit, the bound of its error (95 %), and what to mind.

    Raises:
        InputError: a file can't be read, or the region's points can't be measured so.
        UsageError: the picks don't fit the quantity, or a setting has too many or too few numbers.
    """
    from tolman.ingest.measuring import measure_recording, open_recording

    picks = _picks(config)
    between = _numbers(config.between, "--between", 2)
    if between is not None and between[0] >= between[1]:
        raise UsageError(f"--between takes an earlier and a later time, not '{between[0]:g},{between[1]:g}'.")
    recording = open_recording(config.recording, config.capture)
    events(Began("gathering points"))
    result = measure_recording(
        recording,
        config.quantity,
        picks,
        shape=config.shape,
        isolate=not config.whole,
        cell=config.cell,
        between=None if between is None else (between[0], between[1]),
        seed=config.seed,
        seen=lambda _: events(Advanced()),
    )
    events(Ended())
    return result


def _picks(config: MeasureConfig) -> tuple[Pick, Pick | None]:
    from tolman.ingest.measuring import Pick

    box, pixels = _numbers(config.box, "--box", 6), _numbers(config.pixels, "--pixels", 4)
    to_box, to_pixels = _numbers(config.to_box, "--to-box", 6), _numbers(config.to_pixels, "--to-pixels", 4)
    first = Pick(box, pixels, config.at, config.camera)
    if to_box is None and to_pixels is None:
        return first, None
    at = config.to_at if config.to_at is not None else config.at
    return first, Pick(to_box, to_pixels, at, config.camera)


def _numbers(values: tuple[float, ...], option: str, count: int) -> tuple[float, ...] | None:
    """The values of an option that has so many; None where it isn't given."""
    if values and len(values) != count:
        shown = ",".join(f"{value:g}" for value in values)
        raise UsageError(f"{option} takes {count} numbers separated by commas, not '{shown}'.")
    return values or None
