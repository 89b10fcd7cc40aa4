"""Selection: a part of a benchmark, chosen on the command line and marked in every figure."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from tolman.errors import UsageError
from tolman.items import Item
from tolman.names import hint


class Selection(BaseModel):
    """Which items are taken, in this order: tasks, ids, exclusions, limit.

    Attributes:
        tasks: only these question types.
        ids: only these items.
        exclude: not these items.
        limit: so many, spread evenly over the items that are left, so that every task is among them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tasks: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    limit: int | None = None

    @property
    def is_all(self) -> bool:
        """Whether nothing is left out."""
        return self == Selection()

    def describe(self) -> str:
        """The options that made it, as they are typed."""
        parts = [f"--tasks {','.join(self.tasks)}"] if self.tasks else []
        parts += [f"--ids ({len(self.ids)})"] if self.ids else []
        parts += [f"--exclude ({len(self.exclude)})"] if self.exclude else []
        parts += [f"--limit {self.limit}"] if self.limit is not None else []
        return " ".join(parts)

    def apply(self, items: Sequence[Item]) -> Sequence[Item]:
        """The items taken, in their order; the same sequence where nothing is left out.

        Raises:
            UsageError: a task or id that doesn't exist, or nothing is left.
        """
        if self.is_all and items:
            return items
        known_tasks, known_ids = {item.task for item in items}, {item.id for item in items}
        for what, asked, known in (("question type", self.tasks, known_tasks), ("item", self.ids, known_ids)):
            unknown = [name for name in asked if name not in known]
            if unknown:
                listed = f"; {hint(unknown[0], sorted(known))}" if what == "question type" else ""
                raise UsageError(f"the benchmark has no {what} '{unknown[0]}'{listed}.")
        if self.exclude and not known_ids & set(self.exclude):
            raise UsageError(f"the benchmark has no item '{self.exclude[0]}' to exclude, nor any other of the list.")
        # Items that count as one question (`all_of`) are taken or left as one.
        groups: dict[str, list[Item]] = {}
        for item in items:
            groups.setdefault(item.all_of or item.id, []).append(item)
        chosen = [
            group
            for group in groups.values()
            if (not self.tasks or group[0].task in self.tasks)
            and (not self.ids or any(item.id in self.ids for item in group))
            and not any(item.id in self.exclude for item in group)
        ]
        if self.limit is not None and self.limit < len(chosen):
            step = len(chosen) / max(self.limit, 1)
            chosen = [chosen[int(i * step)] for i in range(self.limit)]
        kept = {item.id for group in chosen for item in group}
        taken = [item for item in items if item.id in kept]
        if not taken:
            raise UsageError("no item is left after the selection.")
        return taken
