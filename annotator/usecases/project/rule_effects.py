"""What other rules would do to work that is done, in sentences, before they are saved."""

from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.language import _, several
from annotator.store import Store
from annotator.store.project.open_work import ReopenedTexts, reopened_texts
from annotator.store.projects import get_project_by_id
from annotator.store.review.rounds import count_undecided
from annotator.usecases.access.rights import require, roles_with
from annotator.usecases.project.rules import checked_rules


def effects_of_rules(store: Store, actor: User, project: Project) -> tuple[str, ...]:
    """What rules that ask for more people would undo of complete texts and waiting rounds; nothing is stored.

    Raises: InvalidValue for rules that could not be saved
    """
    with store.snapshot():
        require(store, actor, project.id, "manage project")
        before = get_project_by_id(store, project.id)
        checked_rules(store, project, before)
        return (*_of_annotators(store, project, before), *_of_reviewers(store, project, before))


def _of_annotators(store: Store, project: Project, before: Project) -> tuple[str, ...]:
    wanted = project.settings.annotators_per_instance
    if wanted <= before.settings.annotators_per_instance:
        return ()
    reopened = reopened_texts(store, project.id, wanted, roles_with("annotate"))
    return _reopened_words(reopened, wanted) if reopened.n else ()


def _reopened_words(reopened: ReopenedTexts, wanted: int) -> tuple[str, ...]:
    sentences = [
        several(
            "{n} complete text becomes incomplete, since the rules then ask for {annotators} a text.",
            "{n} complete texts become incomplete, since the rules then ask for {annotators} a text.",
            reopened.n,
            annotators=counted(wanted, "annotator"),
        )
    ]
    if reopened.n_with_gold:
        sentences.append(
            several(
                "{n} of them has gold. It keeps it, and what others mark may change it.",
                "{n} of them have gold. They keep it, and what others mark may change it.",
                reopened.n_with_gold,
            )
        )
    if reopened.n_training:
        sentences.append(
            several(
                "{n} of them is a training text. It stays in the training with its gold.",
                "{n} of them are training texts. They stay in the training with their gold.",
                reopened.n_training,
            )
        )
    if reopened.n_checks:
        sentences.append(
            several(
                "{n} of them is a blind check. It is given to nobody as a check until it is complete again.",
                "{n} of them are blind checks. They are given to nobody as checks until they are complete again.",
                reopened.n_checks,
            )
        )
    if reopened.n_for_nobody:
        sentences.append(
            several(
                "{n} of them would be stuck: everybody who may annotate has annotated it, or has seen what others marked, as "
                "in training. Add annotators under People.",
                "{n} of them would be stuck: everybody who may annotate has annotated them, or has seen what others marked, as "
                "in training. Add annotators under People.",
                reopened.n_for_nobody,
            )
        )
    return tuple(sentences)


def _of_reviewers(store: Store, project: Project, before: Project) -> tuple[str, ...]:
    wanted = project.settings.reviewers_per_annotation
    n = count_undecided(store, project.id) if wanted > before.settings.reviewers_per_annotation else 0
    if not n:
        return ()
    return (
        several(
            "{n} annotation that is in review then needs the scores of {reviewers}.",
            "{n} annotations that are in review then need the scores of {reviewers} each.",
            n,
            reviewers=counted(wanted, "reviewer"),
        ),
        _("Annotations that were accepted before stay accepted."),
    )
