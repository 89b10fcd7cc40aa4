"""Settings that the configs of several use cases have, each with one text and one set of bounds.

A config names the field and its default: `judge: JudgeName = None`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tolman.workflows.config import Setting

JUDGE = "The judge"
"""Heading of a judge's settings in help texts."""
STORES = "Stores"
"""Heading of the stores' settings in help texts."""

ReleasedData = Annotated[
    Path | None, Setting("Folder with the released data, or a file of questions. Default: the Hugging Face hub.")
]
Subset = Annotated[
    str | None, Setting("Named part of the benchmark, see 'tolman benchmarks NAME'. Default: its first.")
]
Revision = Annotated[str | None, Setting("Commit of the hub's data set. Default: the pinned one.")]
RunFolderOut = Annotated[Path | None, Setting("Folder of the run. Default: a name under ./runs.")]
FailuresAsWrong = Annotated[bool, Setting("Score items without an answer 0 instead of leaving them out.")]
On = Annotated[
    str | None,
    Setting(
        "Place of the work: here (one process), processes, ray (the cluster of $RAY_ADDRESS, one that runs on this "
        "machine, or a local one that is started), or ray://HOST:PORT. Default: processes, where there is much to do.",
        metavar="PLACE",
    ),
]
NumberOfWorkers = Annotated[
    int | None,
    Setting("Number of processes, or of tasks of a cluster, from 1. Default: one for each processor core.", least=1),
]
ShardOfJob = Annotated[
    str | None,
    Setting(
        "Part of the job that is done, such as 2/8, into a folder of its own; 'tolman merge' joins them. Default: all.",
        metavar="I/N",
    ),
]
StorePlace = Annotated[
    str | None,
    Setting(
        "File of the response store, or URL of a PostgreSQL database. Default: $TOLMAN_STORE, or in the user's cache.",
        panel=STORES,
    ),
]

JudgeName = Annotated[
    str | None, Setting("Model that reads responses: adds the scorer 'judged'. Default: none.", panel=JUDGE)
]
JudgeUrl = Annotated[
    str | None, Setting("Base URL of the judge's endpoint. Default: the family's own, if any.", panel=JUDGE)
]
JudgeBody = Annotated[
    str | None, Setting("JSON object of further fields, as --body is for a model. Default: none.", panel=JUDGE)
]
JudgeSample = Annotated[
    str | None,
    Setting(
        "Responses that 'careful' reads and the judge reads too, to print how often they agree: a number, or a "
        "share such as 5%, drawn by --seed. Default: 50; 0: none.",
        panel=JUDGE,
        metavar="N|SHARE",
    ),
]
