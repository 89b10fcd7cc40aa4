"""Prompts of a benchmark that is a data file: templates filled with the parts of a question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tolman.benchmarks.base import PromptPreset, media_first, without_media
from tolman.benchmarks.declaring.schema import Declaration, Prompt
from tolman.benchmarks.declaring.templates import fill
from tolman.items import Item
from tolman.messages import Message, Part

MEDIA_PLACE = "{media}"
"""Where in a template all media stand."""


@dataclass(frozen=True)
class Prompts:
    """The prompts of a benchmark, by the names of its presets.

    Attributes:
        declared: the benchmark.
    """

    declared: Declaration

    def prompt(self, item: Item, preset: PromptPreset) -> Message:
        """What the released code sends."""
        prompt = self._of(preset)
        return self._message(item, prompt, prompt.text)

    def blind(self, item: Item, preset: PromptPreset) -> Message:
        """The same without media."""
        return without_media(self.prompt(item, preset))

    def question(self, item: Item, preset: PromptPreset, sees: bool) -> Message:
        """The prompt without the sentence that asks for the answer alone."""
        prompt = self._of(preset)
        message = self._message(item, prompt, prompt.question)
        return message if sees else without_media(message)

    def demand(self, item: Item, preset: PromptPreset) -> str:
        """The sentence that asks for the answer alone; that of the item's kind where the file has none."""
        from tolman.benchmarks.base import plain_demand

        said = of_item(self._of(preset).demand, item)
        return self._filled(item, self._of(preset), said).strip() if said else plain_demand(item, preset)

    def system(self, item: Item, preset: PromptPreset, sees: bool, demands: bool) -> str:
        """The text of the system message."""
        prompt = self._of(preset)
        text = prompt.system if sees else prompt.blind_system or prompt.system
        return self._filled(item, prompt if demands else prompt.model_copy(update={"demand": {}}), text)

    def written(self, item: Item, text: str) -> str:
        """A response in the form that the released parser looks for."""
        return fill(self.declared.answer.written, {"answer": text})

    def reorder(self, item: Item, order: Sequence[int]) -> Item | None:
        """The question with its options in another order; None where the released text holds them in a form that can't
        be written anew."""
        turned = item.reordered(order)
        if item.verbatim is None:
            return turned
        before = _lettered(item)
        for form in _INLINE:
            old = form(before)
            if item.verbatim.count(old) == 1:
                return turned.model_copy(update={"verbatim": item.verbatim.replace(old, form(_lettered(turned)))})
        return None

    def _of(self, preset: PromptPreset) -> Prompt:
        found = self.declared.prompts.get(preset.name)
        return found if found is not None else next(iter(self.declared.prompts.values()))

    def _message(self, item: Item, prompt: Prompt, template: str) -> Message:
        if MEDIA_PLACE in template:
            before, _, behind = template.partition(MEDIA_PLACE)
            parts: list[Part] = [self._filled(item, prompt, before), *item.media, self._filled(item, prompt, behind)]
            return Message(parts=tuple(part for part in parts if part))
        text = self._filled(item, prompt, template)
        if prompt.media == "interleaved":
            return media_first(item, text)
        return Message(parts=(*item.media, text) if prompt.media == "before" else (text, *item.media))

    def _filled(self, item: Item, prompt: Prompt, template: str) -> str:
        options = prompt.between.join(
            fill(prompt.option, {"letter": letter, "text": text})
            for letter, text in zip(item.letters, item.options, strict=True)
        )
        values = {
            **dict.fromkeys(self.declared.labels, ""),
            **item.labels,
            "question": item.question,
            "options": options,
            "released": item.verbatim if item.verbatim is not None else item.question,
            "letters": ", ".join(item.letters),
        }
        for name in ("prefix", "suffix", "demand"):
            values[name] = fill(of_item(getattr(prompt, name), item), values)
        return fill(template, values)


def of_item(table: Mapping[str, str], item: Item) -> str:
    """What a table by question type or item kind has for an item: that of its type, else its kind, else of all."""
    return table.get(item.task, table.get(item.kind, table.get("*", "")))


def _lettered(item: Item) -> list[tuple[str, str]]:
    return list(zip(item.letters, item.options, strict=True))


_INLINE: tuple[Callable[[list[tuple[str, str]]], str], ...] = tuple(
    lambda options, label=label, between=between: between.join(label.format(*one) for one in options)  # type: ignore[misc]
    for label in ("{}. {}", "({}) {}", "{}) {}", "{}: {}")
    for between in (" ", "\n", ", ", "; ")
)
"""How released texts write options inside a question."""
