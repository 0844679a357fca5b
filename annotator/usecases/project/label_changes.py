"""Labels after work has begun: one more, another name, or two that become one; what that does is said before it is done."""

from dataclasses import dataclass

from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.language import _, listed, several, unsaid
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.instances import InstanceRow
from annotator.store.project import label_replacement as replacement_store
from annotator.store.project.label_replacement import LabelReach, instances_with_label, label_reach, label_use
from annotator.store.projects import get_project_by_id, set_labels
from annotator.store.trained_models import list_label_tables
from annotator.usecases.access.rights import require
from annotator.usecases.project.label_replacement import replace_label, require_unambiguous

_NAMED = 5  # texts that a dialog leads to


@dataclass(frozen=True, slots=True)
class LabelEffects:
    """What another name or label in the place of one changes, and what it leaves as it is.

    changes, stays: sentences
    texts:          the first that carry the label
    """

    label: str
    n_instances: int
    n_annotations: int
    changes: tuple[str, ...]
    stays: tuple[str, ...]
    texts: tuple[InstanceRow, ...]


def label_effects(store: Store, actor: User, project: Project, label: str) -> LabelEffects:
    """What replacing a label would do, for a lead who is about to."""
    require(store, actor, project.id, "manage project")
    use, reach = label_use(store, project.id, label), label_reach(store, project.id, label)
    n_tables = len({(t.model, t.learned_in) for t in list_label_tables(store, project.id) if label in t.labels})
    changes = (
        (use.n_instances, counted(use.n_instances, "instance")),
        (use.n_annotations, counted(use.n_annotations, "annotation")),
        (reach.n_drafts, counted(reach.n_drafts, "draft")),
        (use.n_proposals, counted(use.n_proposals, "open proposal")),
        (reach.n_versions, counted(reach.n_versions, "changed version")),
        (reach.n_predictions, counted(reach.n_predictions, "answer of models", "answers of models")),
        (
            reach.n_probabilities,
            counted(
                reach.n_probabilities,
                "probability in another answer of models",
                "probabilities in other answers of models",
            ),
        ),
        (reach.n_attributions, counted(reach.n_attributions, "attribution")),
        (n_tables, counted(n_tables, "table of a model's labels", "tables of models' labels")),
    )
    n_cases = replacement_store.count_expecting_cases(store, project.id, label)
    return LabelEffects(
        label, use.n_instances, use.n_annotations,
        tuple(words for n, words in changes if n),
        tuple(_stays(reach, n_cases)),
        tuple(instances_with_label(store, project.id, label, _NAMED)),
    )  # fmt: skip


def _stays(reach: LabelReach, n_cases: int) -> list[str]:
    sentences = [_("What reviewers scored stays, and which rounds were accepted.")]
    if n := reach.n_gold_choices:
        sentences.append(
            several(
                "{n} choice of gold by the lead is of an annotation with this label, and stays.",
                "{n} choices of gold by the lead are of annotations with this label, and stay.",
                n,
            )
        )
    if n := reach.n_runs_with_numbers:
        sentences.append(
            several(
                "{n} run has stored numbers; they are shown as out of date until they are measured again.",
                "{n} runs have stored numbers; they are shown as out of date until they are measured again.",
                n,
            )
        )
    if n := reach.n_releases:
        sentences.append(
            several("{n} release keeps the labels of that day.", "{n} releases keep the labels of that day.", n)
        )
    if n_cases:
        sentences.append(
            several(
                "{n} saved test case expects this label and will not change, so models will fail there.",
                "{n} saved test cases expect this label and will not change, so models will fail there.",
                n_cases,
            )
        )
    sentences.append(_("Models that were trained here learned the old label and have to be trained again."))
    return sentences


UNDONE = unsaid("The way back is to give the label its old name again.")
NOT_UNDONE = unsaid(
    "This cannot be undone: afterwards nobody can tell which of the two labels a text had. Make a backup if in doubt."
)


def add_label(store: Store, actor: User, project: Project, label: str) -> Project:
    """One more label, at the end; what is marked stays as it is, and open pages offer it with the next text.

    Raises: InvalidValue for a name that cannot be, or that pages which are open now mean otherwise
    """
    label = label.strip()
    with store.transaction():
        require(store, actor, project.id, "manage project")
        now = get_project_by_id(store, project.id)
        _require_possible(now, label)
        require_unambiguous(store, now, label)
        set_labels(store, now.id, [*now.labels, label])
        add_event(store, actor.name, "add label", "project", now.id, project_id=now.id, label=label)
        return get_project_by_id(store, now.id)


def rename_label(store: Store, actor: User, project: Project, label: str, name: str) -> str:
    """Another name for a label, wherever it stands; answers what was changed. The inverse undoes it."""
    if name.strip() in project.labels:
        raise InvalidValue(
            _(
                "'{name}' is a label of this project already. To put two labels together, map one to the other.",
                name=name.strip(),
            )
        )
    return replace_label(store, actor, project, label, name)


def map_label(store: Store, actor: User, project: Project, label: str, other: str) -> str:
    """Another label of the project in the place of one, which is then gone; answers what was changed. It cannot be undone."""
    if other.strip() not in project.labels:
        raise InvalidValue(
            _(
                "'{label}' is not a label of this project ({labels}). To give a label another name, rename it.",
                label=other.strip(),
                labels=listed(project.labels),
            )
        )
    return replace_label(store, actor, project, label, other)


def _require_possible(project: Project, label: str) -> None:
    if project.task.result_kind == "answer":
        raise InvalidValue(_("The project '{name}' asks for answers, not labels.", name=project.name))
    if not label or "," in label:
        raise InvalidValue(
            _("'{label}' cannot be a label: it needs at least one character, and no commas.", label=label)
        )
    if label in project.labels:
        raise InvalidValue(_("'{label}' is a label of this project already.", label=label))
