"""Batch interfaces: questions are left with a provider, answered within a day for about half the price, and fetched.

model.py        the model whose questions go there
courier.py      gathers, sends, looks and fetches
interface.py    what a provider's batch interface can do
openai.py       OpenAI's, which DashScope has too
anthropic.py    Anthropic's
kept.py         the folder that remembers what was left where
"""

from tolman.models.batching.interface import Batching, BatchInterface, BatchLine, BatchState, Pace
from tolman.models.batching.model import BatchModel

__all__ = ["BatchInterface", "BatchLine", "BatchModel", "BatchState", "Batching", "Pace"]
