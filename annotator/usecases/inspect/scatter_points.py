"""Two numbers of every listed instance against each other, as the Saliency page draws them."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from annotator.domain.measurements import InstanceNumber, Question
from annotator.domain.people import User
from annotator.language import _, unsaid
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.measurements import keys_asked
from annotator.store.models import list_runs
from annotator.usecases.access.rights import require
from annotator.usecases.inspect.asked_texts import without_learned
from annotator.usecases.inspect.saliency_messages import ShownDefinition, ShownPoints
from annotator.usecases.inspect.scatter import CONFIDENCE, GOLD_PROBABILITY, LENGTH, RATIO, SETS, values_by_instance
from annotator.usecases.inspect.training_texts import learned_by_model

_DEFINITIONS: Mapping[str, ShownDefinition] = {
    LENGTH: ShownDefinition(
        unsaid("Length in tokens"), unsaid("the tokens of the text that can be marked"), "none", ""
    ),
    RATIO: ShownDefinition(
        unsaid("RLR of the gold"), unsaid("the share of the text's tokens that are in any gold set"), "none", ""
    ),
    SETS: ShownDefinition(unsaid("Gold sets (RSN)"), unsaid("how many gold sets the text has"), "none", ""),
    CONFIDENCE: ShownDefinition(
        unsaid("Confidence"), unsaid("the probability of the label that the model answers"), "none", ""
    ),
    GOLD_PROBABILITY: ShownDefinition(
        unsaid("Probability of the gold label"),
        unsaid("the probability that the model gives to the label of the text"),
        "higher",
        "",
    ),
}


def further_definitions() -> dict[str, ShownDefinition]:
    """What the numbers are that are no metrics, by name."""
    return {
        name: replace(known, title=_(known.title), definition=_(known.definition))
        for name, known in _DEFINITIONS.items()
    }


def show_points(store: Store, actor: User, question: Question, x: InstanceNumber, y: InstanceNumber) -> ShownPoints:
    """Both numbers of every instance that a question lists, whatever orders it and whatever part of a scatter it asks for.

    Raises: NotFound for a run or a number that is not there
    """
    require(store, actor, question.project_id, "use models")
    with store.snapshot():
        whole = replace(question, run_id=None, layer=None, name="", brush=None, among=None)
        keys = keys_asked(store, without_learned(store, whole))
        of_x, of_y = (values_by_instance(store, question.project_id, number) for number in (x, y))
        learned = _learned(store, question.project_id, {x.run_id, y.run_id})
    ids = [i for i in keys if i in of_x and i in of_y]
    return ShownPoints(
        ids=ids,
        keys=[keys[i] for i in ids],
        x=[of_x[i] for i in ids],
        y=[of_y[i] for i in ids],
        n=len(keys),
        without_x=sum(i not in of_x for i in keys),
        without_y=sum(i not in of_y for i in keys),
        learned={model: [i for i in ids if i in learned[model]] for model in sorted(learned)},
    )


def _learned(store: Store, project_id: int, run_ids: Collection[int | None]) -> Mapping[str, frozenset[int]]:
    """By model of some runs, the instances that it learned from and that the Metrics page leaves out."""
    models = {stored.run.model for stored in list_runs(store, project_id) if stored.id in run_ids}
    learned = learned_by_model(store, project_id, ScoringOptions()) if models else {}
    return {model: ids for model, ids in learned.items() if model in models}
