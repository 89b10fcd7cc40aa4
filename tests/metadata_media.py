"""A photograph and a telephone's video that tell where, when, with what and by whom they were taken."""

import io
import struct
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image

SECRETS = (
    b"SecretMaker",
    b"SecretComment",
    b"SecretFilm",
    b"SecretPhone",
    b"SecretHandler",
    b"+52.5",
    b"ISO6709",
    b"2024",
)


def photo(kind: str, orientation: int = 1, size: tuple[int, int] = (60, 40)) -> bytes:
    """A photograph with the place where it was taken, its camera, a profile of its colours, a comment and a film."""
    pixels = np.random.default_rng(0).integers(0, 255, (size[1] // 4, size[0] // 4, 3)).astype(np.uint8)
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = orientation, "SecretMaker"
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 30.0, 0.0), 3: "E", 4: (13.0, 24.0, 0.0)})
    out = io.BytesIO()
    more: dict[str, Any] = {"comment": b"SecretComment"} if kind == "JPEG" else {}
    Image.fromarray(pixels).resize(size).save(out, kind, exif=exif, icc_profile=b"a profile" * 20, **more)
    return out.getvalue() + b"SecretFilm"


def film(path: Path, *, turned: bool = False) -> Path:
    """A telephone's video with the place where it was taken; turned by a quarter where it is told."""
    with av.open(str(path), "w", options={"movflags": "use_metadata_tags"}) as container:
        container.metadata.update(
            {
                "location": "+52.5000+013.4000/",
                "com.apple.quicktime.location.ISO6709": "+52.5000+013.4000+030/",
                "make": "SecretPhone",
                "creation_time": "2024-05-01T10:00:00Z",
            }
        )
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.metadata["handler_name"] = "SecretHandler"
        for shade in range(20):
            for packet in stream.encode(av.VideoFrame.from_ndarray(np.full((48, 64, 3), shade * 10, np.uint8))):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    if turned:
        content = bytearray(path.read_bytes())
        matrix = content.index(b"tkhd") + 44  # ISO/IEC 14496-12, 8.3.2
        content[matrix : matrix + 36] = struct.pack(">9i", 0, 65536, 0, -65536, 0, 0, 48 << 16, 0, 1 << 30)
        path.write_bytes(content)
    return path
