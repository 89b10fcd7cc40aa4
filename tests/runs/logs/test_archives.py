"""Archives are hostile until shown otherwise: nothing is unpickled, nothing leaves the folder, nothing grows without end."""

import json
import pickle
import struct
import zipfile
from pathlib import Path

import pytest

from tolman.errors import InputError
from tolman.runs.logs import log as archives
from tolman.runs.logs.log import read_logs


def zipped(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.place,)


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    trap = pickle.dumps(Trap(tmp_path / "sprung"))
    row = json.dumps({"doc_id": 0, "target": "A", "filtered_resps": "A"}).encode()
    path = zipped(tmp_path / "r.zip", **{"m/m_x_result.pkl": trap, "m/20260101_000000_samples_x.jsonl": row})
    (log,) = read_logs(path)
    assert len(log.rows) == 1
    alone = tmp_path / "r.pkl"
    alone.write_bytes(trap)
    assert read_logs(alone) == []
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    "name", ["../out.jsonl", "/etc/out.jsonl", "m/../../out.jsonl", "C:\\out.jsonl", "..\\out.jsonl"]
)
@pytest.mark.parametrize("suffix", [".zip", ".eval"])
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str, suffix: str) -> None:
    path = zipped(tmp_path / f"r{suffix}", **{name: b"{}"})
    with pytest.raises(InputError, match="leads out of the archive; get it from someone you trust"):
        read_logs(path)


@pytest.mark.parametrize("suffix", [".zip", ".eval", ".xlsx"])
def test_a_bomb_is_not_unpacked(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastexcel")
    monkeypatch.setattr(archives, "FREE_BYTES", 1 << 16)
    path = zipped(tmp_path / f"r{suffix}", **{"samples/1.json": b"\0" * (1 << 21)})
    with pytest.raises(InputError, match="would become 2,097,152 bytes from"):
        read_logs(path)


def test_a_member_longer_than_said_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "r.eval", **{"header.json": b"x" * 5000})
    content = bytearray(path.read_bytes())
    start = content.index(b"PK\x01\x02")
    struct.pack_into("<I", content, start + 24, 10)  # the size of the member, in the archive's directory
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"header\.json"):
        read_logs(path)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("r.zip", b"no archive", "is no readable zip archive"),
        ("r.eval", b"PK", "is no readable zip archive"),
        ("r.json", b'{"version": 2, "status": "success", "x": 1}', "field 'eval': is missing"),
        ("r.json", b'{"modelName": "m", "scores": {"vsi_bench": "high"}}', "'high' is no number"),
        ("r.jsonl", b'{"doc_id": 0, "filtered_resps": 3}', "row 1, field 'filtered_resps': holds no text"),
    ],
)
def test_broken_logs_are_one_sentence(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_logs(path)
    assert sentence in str(caught.value)
    assert str(path) in str(caught.value)


def test_an_archive_without_rows_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no rows of lmms-eval's or VLMEvalKit's"):
        read_logs(zipped(tmp_path / "r.zip", **{"notes.txt": b"nothing"}))
