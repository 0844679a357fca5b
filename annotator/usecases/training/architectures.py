"""Which kinds of model can learn what a project asks for."""

from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError
from annotator.language import _
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import Architecture, NewModel


def architectures_for(project: Project, *, has_base: bool) -> tuple[Architecture, ...]:
    """What can be trained there, the usual one first; a base brings its own encoder or decoder. None where nothing can be."""
    if project.task.result_kind == "answer":
        return () if project.task.query_segment is None else ("reading",)
    from_scratch: tuple[Architecture, ...] = () if has_base else ("decoder",)
    of_targets: tuple[Architecture, ...] = ("tokens",) if project.task.has_target else ()
    return ("transformer", *from_scratch, *of_targets)


def check_architecture(project: Project, new: NewModel, fitting: FittingOptions) -> None:
    """Raise ModelError or InvalidValue for a model that cannot learn what a project asks for."""
    is_reading, asks_for_answers = new.architecture == "reading", project.task.result_kind == "answer"
    if asks_for_answers and not is_reading:
        raise ModelError(
            _(
                "The project '{name}' asks for answers, which are learned by a model that answers with a stretch of the text "
                "(--architecture reading).",
                name=project.name,
            )
        )
    if is_reading and not asks_for_answers:
        raise ModelError(
            _(
                "The project '{name}' asks for labels, and a reading model gives answers. Leave --architecture reading out.",
                name=project.name,
            )
        )
    if is_reading and project.task.query_segment is None:
        raise ModelError(
            _(
                "The texts of the project '{name}' have no question (a segment that cannot be marked), which a reading model "
                "needs.",
                name=project.name,
            )
        )
    if new.architecture == "tokens" and not project.task.has_target:
        raise ModelError(
            _(
                "The texts of the project '{name}' have no target for which a model of tokens could answer; those of the task "
                "entity have. Leave --architecture tokens out.",
                name=project.name,
            )
        )
    wrong = {
        _("an alignment with rationales (--align)"): fitting.alignment is not None,
        _("one sigmoid output (--output sigmoid)"): new.output != "softmax",
        _("balanced labels (--balance)"): fitting.balances_labels,
    }
    for what, is_wanted in wrong.items():
        if is_reading and is_wanted:
            raise InvalidValue(
                _("A reading model learns from its answers alone, without {what}. Leave that out.", what=what)
            )
