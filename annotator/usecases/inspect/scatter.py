"""Numbers of every instance that a scatter on the Saliency page is made of, and the instances in a part of one."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from annotator.domain.measurements import InstanceNumber, Question
from annotator.domain.texts import union_of_tokens
from annotator.errors import NotFound
from annotator.language import _, unknown
from annotator.store import Store, open_store
from annotator.store import measurements as measurements_store
from annotator.store.models import list_runs
from annotator.store.projects import get_project_by_id
from annotator.usecases.gold import gold_instances

Values = Mapping[int, float]  # by instance; those that have none are left out

LENGTH, RATIO, SETS = "text.tokens", "gold.ratio", "gold.sets"
CONFIDENCE, GOLD_PROBABILITY = "answer.confidence", "answer.gold"
OF_TEXTS = (LENGTH, RATIO, SETS)
OF_ANSWERS: Mapping[str, Callable[[Store, int], Values]] = {
    CONFIDENCE: measurements_store.answer_probabilities,
    GOLD_PROBABILITY: measurements_store.gold_probabilities,
}


def within_brush(store: Store, question: Question) -> Question:
    """A question whose part of a scatter has become the instances in it; one without such a part is as it was."""
    brush = question.brush
    if brush is None:
        return question
    from annotator.usecases.inspect.brush import inside  # noqa: PLC0415  (NumPy: the server starts without it)

    of_x, of_y = (values_by_instance(store, question.project_id, number) for number in (brush.x, brush.y))
    ids = [i for i in of_x if i in of_y]
    is_in = inside(brush, [of_x[i] for i in ids], [of_y[i] for i in ids])
    among = tuple(i for i, inside_it in zip(ids, is_in, strict=True) if inside_it)
    return replace(question, brush=None, among=among)


def values_by_instance(store: Store, project_id: int, number: InstanceNumber) -> Values:
    """A number of every instance of a project that has it."""
    if number.run_id is None:
        name = number.name
        if name == LENGTH:
            return measurements_store.lengths_by_instance(store, project_id)
        if name not in OF_TEXTS:
            raise NotFound(unknown(_("metric"), name[:60], ", ".join(OF_TEXTS)))
        ratios, counts = _of_gold(store.path, project_id, measurements_store.last_event_id(store, project_id))
        return ratios if name == RATIO else counts
    if number.run_id not in {stored.id for stored in list_runs(store, project_id)}:
        raise NotFound(_("No {what} number {number}.", number=number.run_id, what=_("run")))
    of_answers = OF_ANSWERS.get(number.name)
    if of_answers is not None:
        return of_answers(store, number.run_id)
    return measurements_store.values_of_run(store, number.run_id, number.name, number.layer)


@lru_cache(maxsize=4)
def _of_gold(path: Path, project_id: int, _event_id: int) -> tuple[Values, Values]:
    """Of each instance with gold the share of its tokens in any set, and how many sets there are.

    It is kept until the project's next event: of 20,000 texts it takes seconds, and every page of a list asks for it.
    """
    ratios: dict[int, float] = {}
    counts: dict[int, float] = {}
    with open_store(path) as store, store.snapshot():
        project = get_project_by_id(store, project_id)
        for gold in gold_instances(store, project, project.settings.gold_policy):
            n = gold.instance.layout.n_selectable
            counts[gold.instance.id] = float(len(gold.sets))
            if n and gold.sets:
                ratios[gold.instance.id] = len(union_of_tokens(gold.sets)) / n
    return ratios, counts
