"""Croissant: a benchmark as a folder with metadata that mlcroissant validates and reads, and a data card of the hub.

Source: Croissant 1.0 (docs.mlcommons.org/croissant/docs/croissant-spec.html), mlcroissant 1.1.1; the hub's data card
(huggingface/hub-docs, datasetcard.md). The folder is a benchmark's folder too: `tolman run FOLDER`.
"""

from __future__ import annotations

from tolman.exports.croissant.writing import write
from tolman.exports.export import BenchmarkExport

EXPORT = BenchmarkExport(
    title="folder with Croissant metadata and a data card",
    write=write,
    settings={
        "licence": "Licence of the data, best as an SPDX identifier such as CC-BY-4.0. Default: the benchmark's.",
        "version": "Version of the data set, MAJOR.MINOR.PATCH. Default: 1.0.0.",
        "date": "Day of publication, YYYY-MM-DD. Default: today.",
        "url": "Address of the data set's page. Default: its page on the hub, where it is from there.",
        "creator": "Name of who publishes it. Default: none.",
        "cite": "How it is to be cited. Default: what the benchmark says of its origin.",
        "language": "Language of the questions, as a code of ISO 639. Default: en.",
    },
)
