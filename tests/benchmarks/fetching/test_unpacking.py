"""Archives of strangers: what lies in them comes out, what lies outside is neither read nor written."""

import io
import tarfile
from pathlib import Path

import pytest

from tolman.benchmarks.fetching.transfer import unpack
from tolman.errors import InputError


def member(
    name: str, kind: bytes = tarfile.REGTYPE, link: str = "", content: bytes = b""
) -> tuple[tarfile.TarInfo, bytes]:
    """An entry of an archive, and its bytes."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname, entry.size = kind, link, len(content)
    return entry, content


def unpacked(folder: Path, *members: tuple[tarfile.TarInfo, bytes]) -> dict[str, bytes]:
    """The files that come out of an archive with these entries."""
    (folder / "snapshot").mkdir(parents=True)
    with tarfile.open(folder / "snapshot/a.tar.gz", "w:gz") as archive:
        for entry, content in members:
            archive.addfile(entry, io.BytesIO(content))
    out = folder / "out"
    unpack(folder / "snapshot", ["a.tar.gz"], out)
    files = (path for path in out.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in files}


def test_files_and_links_inside_come_out_as_files(tmp_path: Path) -> None:
    found = unpacked(
        tmp_path,
        member("clips", tarfile.DIRTYPE),
        member("clips/a.mp4", content=b"one"),
        member("clips/b.mp4", tarfile.SYMTYPE, "a.mp4"),
        member("clips/c.mp4", tarfile.LNKTYPE, "clips/a.mp4"),
        member("/d.mp4", content=b"four"),
    )
    assert found == {"clips/a.mp4": b"one", "clips/b.mp4": b"one", "clips/c.mp4": b"one", "d.mp4": b"four"}


@pytest.mark.parametrize(
    "hostile",
    [
        [member("../outside.mp4", content=b"x")],
        [member("clips/../../outside.mp4", content=b"x")],
        [member("a.mp4", tarfile.SYMTYPE, "/etc/hostname")],
        [member("a.mp4", tarfile.SYMTYPE, "../secret.txt")],
        [member("a.mp4", tarfile.LNKTYPE, "../secret.txt")],
        [member("a.mp4", tarfile.SYMTYPE, "b.mp4"), member("b.mp4", tarfile.SYMTYPE, "a.mp4")],
        [member("pipe", tarfile.FIFOTYPE)],
        [member(".", content=b"x")],
    ],
)
def test_an_archive_that_leads_out_of_itself_is_refused_in_a_sentence(
    hostile: list[tuple[tarfile.TarInfo, bytes]], tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_bytes(b"secret")
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(InputError, match=r"a\.tar\.gz.* is no readable archive"):
        unpacked(tmp_path, *hostile)
    after = {path for path in tmp_path.rglob("*") if path.is_file() and not path.name.startswith(".")}
    assert after - before == {tmp_path / "snapshot/a.tar.gz"}
