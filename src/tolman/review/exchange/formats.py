"""The forms in which pictures and marks are exchanged; `FORMATS` names them all."""

from __future__ import annotations

from tolman.review.exchange.annotated import PictureFormat
from tolman.review.exchange.cvat import CVAT
from tolman.review.exchange.label_studio_pictures import LABEL_STUDIO

FORMATS: dict[str, PictureFormat] = {form.name: form for form in (LABEL_STUDIO, CVAT)}
