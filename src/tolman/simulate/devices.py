"""Which device draws: EGL knows each graphics card of a machine, and Mesa's drawing by the processor as one more."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tolman.errors import NoDisplayError

VISIBLE = "CUDA_VISIBLE_DEVICES"
_EXTENSIONS, _CUDA_DEVICE = 0x3055, 0x323A  # EGL_EXTENSIONS; EGL_CUDA_DEVICE_NV of EGL_NV_device_cuda
_SOFTWARE = "EGL_MESA_device_software"
_MOST = 64


@dataclass(frozen=True)
class DrawingDevice:
    """A device of EGL.

    Attributes:
        index: its place in EGL's list.
        software: whether it draws by the processor.
        cuda: the number of the graphics card as CUDA has it; None where it isn't known.
    """

    index: int
    software: bool = False
    cuda: int | None = None


def drawing_devices() -> list[DrawingDevice]:
    """The devices of this machine, in EGL's order; none where EGL can't be asked (EGL_EXT_device_query)."""
    try:
        egl = ctypes.CDLL(ctypes.util.find_library("EGL") or "libEGL.so.1")
    except OSError:
        return []
    egl.eglGetProcAddress.restype = ctypes.c_void_p
    query = _function(egl, "eglQueryDevicesEXT", ctypes.c_uint)
    told = _function(egl, "eglQueryDeviceStringEXT", ctypes.c_char_p)
    attribute = _function(egl, "eglQueryDeviceAttribEXT", ctypes.c_uint)
    if query is None or told is None:
        return []
    found, count = (ctypes.c_void_p * _MOST)(), ctypes.c_int()
    if not query(ctypes.c_int(_MOST), found, ctypes.byref(count)):
        return []
    devices = []
    for index, handle in enumerate(found[: count.value]):
        device = ctypes.c_void_p(handle)
        names = (told(device, ctypes.c_int(_EXTENSIONS)) or b"").decode("ascii", "replace").split()
        number = ctypes.c_ssize_t()
        known = attribute is not None and "EGL_NV_device_cuda" in names
        known = known and bool(attribute(device, ctypes.c_int(_CUDA_DEVICE), ctypes.byref(number)))  # type: ignore[misc]
        devices.append(DrawingDevice(index, _SOFTWARE in names, int(number.value) if known else None))
    return devices


def order(devices: Sequence[DrawingDevice], visible: str | None, process: int) -> list[int]:
    """The devices that a process tries, the best first.

    Graphics cards come before the processor. Where CUDA may see some cards only, as a cluster says for each of its
    tasks, those come first. Several are taken in turn, so that the processes of a machine share them.

    Args:
        devices: of `drawing_devices`.
        visible: CUDA_VISIBLE_DEVICES, numbers with commas between; None or anything else allows all.
        process: a number that differs between the processes of a machine.

    Returns:
        Their places in EGL's list; the first place where nothing is known.
    """
    cards = [one for one in devices if not one.software]
    numbers = [int(part) for part in (visible or "").split(",") if part.strip().isdecimal()]
    seen = [one for one in cards if one.cuda in numbers]
    first = _turned(seen or cards, process)
    rest = [one for one in (*cards, *devices) if one not in first]
    return list(dict.fromkeys(one.index for one in (*first, *rest))) or [0]


def devices_to_try() -> list[int]:
    """The devices that this process tries, the best first; `GLCONTEXT_DEVICE_INDEX` names another one."""
    return order(drawing_devices(), os.environ.get(VISIBLE), os.getpid())


def _turned(devices: Sequence[DrawingDevice], turn: int) -> list[DrawingDevice]:
    start = turn % len(devices) if devices else 0
    return [*devices[start:], *devices[:start]]


def _function(egl: ctypes.CDLL, name: str, result: type) -> ctypes._FuncPointer | None:
    address = egl.eglGetProcAddress(name.encode())
    return ctypes.CFUNCTYPE(result)(address) if address else None


def opened_context(moderngl: Any) -> Any:
    """OpenGL on the first device that can be opened: a card may be there that this process mustn't use.

    Raises:
        NoDisplayError: none can.
    """
    places = devices_to_try()
    for place in places:
        try:
            return moderngl.create_context(standalone=True, backend="egl", device_index=place)
        except Exception as error:  # glcontext raises whatever the loader of libEGL gives
            if place == places[-1]:
                raise NoDisplayError(str(error) or type(error).__name__) from None
    raise AssertionError
