"""Object stores: folders that are named by a URL, worked on in a local mirror.

A *place* is a folder on an object store, such as `s3://bucket/worlds`. Its mirror is a folder in the user's cache.
Tables and JSON are fetched when the place is opened, media one by one when they are looked at; new files are uploaded
when complete. So the rest of Tolman works with local paths.
"""

from tolman.storage.mirror import fetched, is_there, opened, pull
from tolman.storage.object_store import SCHEMES, StorageError, as_named, as_path, is_url, mirror_of, with_urls

__all__ = [
    "SCHEMES",
    "StorageError",
    "as_named",
    "as_path",
    "fetched",
    "is_there",
    "is_url",
    "mirror_of",
    "opened",
    "pull",
    "with_urls",
]
