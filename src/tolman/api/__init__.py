"""The functions behind `import tolman`: each a use case of `tolman.workflows`, its settings as keyword arguments.

A module for each job; what of them is public is listed in `tolman.__all__`. Names are handed on `as` themselves.
"""

from tolman.api.evaluating import aevaluate as aevaluate
from tolman.api.evaluating import evaluate as evaluate
from tolman.api.evaluating import load as load
from tolman.api.evaluating import open_run as open_run
from tolman.api.evaluating import score as score
from tolman.api.making import audit as audit
from tolman.api.making import audit_shortcuts as audit_shortcuts
from tolman.api.making import generate as generate
from tolman.api.making import ingest as ingest
from tolman.api.making import open_scenes as open_scenes
from tolman.api.making import simulate as simulate
from tolman.api.reporting import compare as compare
from tolman.api.reporting import figure as figure
from tolman.api.reporting import paper as paper
from tolman.api.reporting import reconcile as reconcile
from tolman.api.reporting import report as report
from tolman.items import Item as Item
from tolman.items import Media as Media
from tolman.messages import Message as Message
from tolman.plugins import load_plugin as load_plugin
from tolman.workflows.loaded_benchmark import Benchmark as Benchmark
from tolman.workflows.opened_run import Run as Run
from tolman.workflows.opened_scenes import Scenes as Scenes
from tolman.workflows.rewards import reward as reward
from tolman.workflows.scores import Scores as Scores
