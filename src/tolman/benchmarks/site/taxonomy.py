"""The three classification systems of spatial intelligence that SITE reports its questions under (section 3).

A question's labels name its place in each: `scale` (Hegarty), `factor` (visualization and orientation), and
`information` with `change`, the two distinctions of Uttal's 2x2 classification. `category` is one of SITE's six.
"""

from __future__ import annotations

from collections.abc import Mapping

SYSTEMS: Mapping[str, Mapping[str, str]] = {
    "scale": {
        "figural": "small relative to the body and seen from one viewpoint: drawings, objects on a table, diagrams",
        "vista": "larger than the body, still seen from a single viewpoint: a room, a town square",
        "environmental": "surrounds the person, who must move through it or join several views to apprehend it",
    },
    "factor": {
        "visualization": "manipulating, rotating or inverting objects in the mind, whatever the observer's viewpoint",
        "orientation": "imagining how things look or lie from another viewpoint, or with respect to a moving observer",
        "neither": "the question takes neither of the two",
    },
    "information": {
        "intrinsic": "an object's own features, its parts, and the relations among the parts",
        "extrinsic": "relations between objects, or of objects to a wider frame",
    },
    "change": {
        "static": "fixed spatial information",
        "dynamic": "movement or transformation",
    },
}
"""Label → value → what it means."""
