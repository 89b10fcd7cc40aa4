"""SITE's Table 4: chance-adjusted accuracy, pooled over items, overall and for the six categories; plain accuracy
beside it, which is what the released aggregation prints."""

from tolman.benchmarks.site.data import CATEGORIES
from tolman.scoring.table import Column, Table, pool

_TITLES = {
    "counting & existence": ("count", "Count"),
    "object localization & positioning": ("loc", "Loc"),
    "3d information understanding": ("3d_inf", "3D Inf"),
    "multi-view & cross-image reasoning": ("multiv", "MultiV"),
    "spatial relationship reasoning": ("rel", "Rel"),
    "movement prediction & navigation": ("mov", "Mov"),
}
TABLE = Table(
    (
        Column("overall", "Overall", pool(metric="chance-adjusted"), group="Chance-adjusted accuracy"),
        *(
            Column(*_TITLES[category], pool(category, metric="chance-adjusted"), group="Chance-adjusted accuracy")
            for category in CATEGORIES
        ),
        Column("accuracy", "Acc.", pool(), group="Accuracy"),
    ),
    headline="overall",
)
