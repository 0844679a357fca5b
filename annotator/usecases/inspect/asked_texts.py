"""Which texts a question of the Saliency page lists: what its part of a scatter and its models' training come to."""

from dataclasses import replace

from annotator.domain.measurements import Question
from annotator.store import Store
from annotator.store.measurements import count_asked
from annotator.store.models import list_runs
from annotator.usecases.inspect.scatter import within_brush


def asked_texts(store: Store, question: Question) -> Question:
    """The same question with the instances that its part of a scatter and its models' training come to."""
    return without_learned(store, within_brush(store, question))


def without_learned(store: Store, question: Question) -> Question:
    """Of what one model won or lost against another not what one of them learned from, as the Metrics page counts it."""
    if question.which not in {"won", "lost"} or question.has_learned:
        return question
    from annotator.scoring.runs import ScoringOptions  # noqa: PLC0415  (NumPy: the server starts without it)
    from annotator.usecases.inspect.training_texts import learned_by_model  # noqa: PLC0415

    run_ids = {question.answers_run_id, question.other_run_id}
    models = {stored.run.model for stored in list_runs(store, question.project_id) if stored.id in run_ids}
    learned = learned_by_model(store, question.project_id, ScoringOptions(split=question.within.split))
    ids = {number for model in models for number in learned.get(model, ())}
    return replace(question, but_for=tuple(sorted(ids)))


def count_left_out(store: Store, question: Question) -> int:
    """How many texts are not listed only because a model learned from them. question: as `asked_texts` answers it."""
    if not question.but_for:
        return 0
    return count_asked(store, replace(question, but_for=())) - count_asked(store, question)
