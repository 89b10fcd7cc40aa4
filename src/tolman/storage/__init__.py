"""Object stores: folders that are named by a URL, worked on in a local mirror.

A *place* is a folder on an object store, such as `s3://bucket/worlds`. Its mirror is a folder in the user's cache.
Tables and JSON are fetched when the place is opened, media one by one when they are looked at; what is made is put up
when it is complete. So the rest of Tolman works with local paths.
"""

from tolman.storage.mirror import fetched, is_there, pull
from tolman.storage.places import SCHEMES, as_named, as_path, is_url, mirror_of, with_urls
from tolman.storage.remote import StorageError
from tolman.storage.staging import opened

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
