"""Rule sets for any benchmark, besides those that a benchmark has itself: of plugins and other packages.

A plugin declares one as `RULE_SET`; it is computed for every benchmark that it `applies` to, under its own name.
"""

from __future__ import annotations

from tolman.registry import Registry
from tolman.scoring.rules import RuleSet

RESERVED = ("official", "careful", "judged")
"""Names that a rule set for any benchmark can't have."""


def _problem(thing: object) -> str:
    if not isinstance(thing, RuleSet):
        return "is no RuleSet of tolman.scoring.rules"
    if thing.name in RESERVED:
        return f"has the name of a benchmark's own rule set; give it another than {', '.join(RESERVED)}"
    return ""


REGISTRY = Registry("rule set", __name__, "RULE_SET", "tolman.rule_sets", named_by_file=False, check=_problem)


def further_rule_sets(benchmark: str) -> list[RuleSet]:
    """The rule sets that are computed for a benchmark besides its own, in the order of their names.

    Args:
        benchmark: its name, or the path of its folder.

    Raises:
        UsageError: what is declared as one is none, or has a name that is taken.
    """
    found = (REGISTRY.get(name) for name in sorted(REGISTRY.names()))
    return [rules for rules in found if rules.applies(benchmark)]
