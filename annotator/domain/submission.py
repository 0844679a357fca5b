"""What may be submitted: the project's rules for a result with its rationale sets."""

from annotator.domain.instances import Draft, Instance
from annotator.domain.projects import Project, ResultMode
from annotator.domain.rationales import RationaleSet, check_spans, set_letter, union_of_tokens
from annotator.domain.texts import TokenLayout
from annotator.errors import InvalidAnnotation
from annotator.language import _, listed


def result_mode_for(project: Project, instance: Instance) -> ResultMode:
    """How the result comes about: annotators give it wherever it is still missing."""
    mode = project.settings.result_mode
    return "give" if instance.result is None and mode != "labels_only" else mode


def may_have_no_sets(project: Project, result: str | None) -> bool:
    """Whether zero sets may be submitted: where the lead allows it, and where the text is said to hold no answer.

    There may be no words that say that something is not there, so nobody is asked to mark some.
    """
    return project.settings.may_be_empty or _is_no_answer(project, result)


def _is_no_answer(project: Project, result: str | None) -> bool:
    return project.task.result_kind == "answer" and result == ""


def check_submission(draft: Draft, instance: Instance, project: Project, *, is_confirmed: bool = False) -> str:
    """The result that the submission stands for.

    is_confirmed: the person has seen the warning that everything is highlighted.
    Raises: InvalidAnnotation, naming the set, for whatever the project's rules refuse
    """
    result = _result(draft, instance, project)
    if project.settings.result_mode == "labels_only":
        if draft.sets:
            raise InvalidAnnotation(_("This project asks for labels only. Remove the rationale sets."))
        return result
    _check_presence(draft, project, result)
    check_spans(draft.sets, instance.layout)
    _check_sets(draft.sets, instance.layout, project)
    _check_segments(result, draft.sets, instance.layout, project)
    if draft.sets and not is_confirmed and len(union_of_tokens(draft.sets)) == instance.layout.n_selectable > 1:
        raise InvalidAnnotation(
            _("Every word is marked, so nothing is left out as unimportant. Submit again if you mean it."),
            is_warning=True,
        )
    return result


def _result(draft: Draft, instance: Instance, project: Project) -> str:
    mode = result_mode_for(project, instance)
    result = instance.result if mode == "confirm" or draft.result is None else draft.result
    if mode in {"give", "labels_only"}:
        result = draft.result
    if result is None:
        if project.task.result_kind == "answer":
            raise InvalidAnnotation(_("Choose an answer first."))
        raise InvalidAnnotation(_("Choose a label ({labels}) first.", labels=listed(project.labels)))
    if project.task.result_kind == "label" and project.labels and result not in project.labels:
        raise InvalidAnnotation(
            _(
                "'{result}' is not a label of this project; choose one of {labels}. If the page does not offer "
                "them, reload it: "
                "your marks are kept.",
                result=result,
                labels=listed(project.labels),
            )
        )
    return result


def _check_presence(draft: Draft, project: Project, result: str) -> None:
    if draft.no_rationale and draft.sets:
        raise InvalidAnnotation(_("“No rationale in the text” is chosen, but there are sets. Undo one of the two."))
    if draft.no_rationale and not may_have_no_sets(project, result):
        raise InvalidAnnotation(
            _("This project does not allow “no rationale in the text”. Mark at least one set, or skip.")
        )
    if not draft.sets and not draft.no_rationale and not _is_no_answer(project, result):
        if project.settings.may_be_empty:
            raise InvalidAnnotation(
                _("Nothing is marked yet. Mark at least one set, choose “no rationale in the text”, or skip.")
            )
        raise InvalidAnnotation(_("Nothing is marked yet. Mark at least one set, or skip."))


def _check_sets(sets: tuple[RationaleSet, ...], layout: TokenLayout, project: Project) -> None:
    seen: dict[tuple[int, ...], int] = {}
    for number, rationale_set in enumerate(sets):
        letter, tokens = set_letter(number), rationale_set.token_indices
        if not tokens:
            raise InvalidAnnotation(
                _("Set {letter} is empty. Mark its tokens or remove it.", letter=letter), set_index=number
            )
        if tokens in seen:
            raise InvalidAnnotation(
                _(
                    "Sets {first} and {second} hold the same tokens. Change or remove one.",
                    first=set_letter(seen[tokens]),
                    second=letter,
                ),
                set_index=number,
            )
        seen[tokens] = number
        touched = {layout.segment_at(token) for token in tokens}
        for segment in touched:
            if not segment.is_selectable:
                raise InvalidAnnotation(
                    _(
                        "Set {letter} marks words of “{name}”, which cannot be marked.",
                        letter=letter,
                        name=segment.name,
                    ),
                    set_index=number,
                )
        if len(touched) > 1 and not project.settings.sets_may_cross_segments:
            raise InvalidAnnotation(
                _(
                    "Set {letter} crosses segments; in this project a set must lie in one. Split it into two sets.",
                    letter=letter,
                ),
                set_index=number,
            )


def _check_segments(result: str, sets: tuple[RationaleSet, ...], layout: TokenLayout, project: Project) -> None:
    """What a label requires or forbids of the segments (e-SNLI: contradiction needs a word of both)."""
    if not sets:
        return
    touched = {layout.segment_at(token).name for token in union_of_tokens(sets)}
    for name in project.settings.required_segments.get(result, ()):
        if name not in touched:
            raise InvalidAnnotation(
                _("“{result}” needs at least one word of “{name}” in a set.", result=result, name=name)
            )
    for name in project.settings.forbidden_segments.get(result, ()):
        if name in touched:
            raise InvalidAnnotation(_("“{result}” must not mark words of “{name}”.", result=result, name=name))
