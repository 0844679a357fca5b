"""What a project lacks, told to whoever can mend it: people, labels, reviewers for what is stuck."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.project.search import BulkChange
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.language import _, listed, several
from annotator.usecases.databases import Store
from annotator.usecases.lead.bulk_actions import change_many
from annotator.usecases.lead.decisions import StuckWork
from annotator.usecases.project import projects
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text
from annotator.web.session import Visit

_NAMED_CHARACTERS = 40  # of a text that a sentence names


def show_missing_people(store: Store, visit: Visit, project: Project) -> None:
    """Say so when rounds cannot be decided, or texts not be finished, for want of people who may review or annotate."""
    for words in missing_people_words(store, visit, project):
        st.warning(words, icon=":material/group_add:")


def missing_people_words(store: Store, visit: Visit, project: Project) -> tuple[str, ...]:
    """Which people a project lacks under its rules, in sentences."""
    rules, words = project.settings, []
    if missing := projects.missing_reviewers(store, visit.user, project):
        n_people = projects.count_reviewers(store, visit.user, project)
        words.append(_missing_reviewers_words(rules.reviewers_per_annotation, missing, n_people))
    if missing := projects.missing_annotators(store, visit.user, project):
        words.append(_missing_annotators_words(rules.annotators_per_instance, missing))
    return tuple(words)


def _missing_reviewers_words(wanted: int, missing: int, n_people: int) -> str:
    left = wanted - missing
    if n_people > left:
        why = (
            _("nobody reviews their own, which leaves {left}", left=f"{left:,}")
            if left
            else _("nobody reviews their own")
        )
    elif left:
        why = several("there is only {n}", "there are only {n}", left)
    else:
        why = _("nobody can review here")
    return _(
        "Each {what} needs {people}, but {why}. Add {n} under People, or require fewer under Rules.",
        what=_("annotation"), people=counted(wanted, "reviewer"), why=why, n=missing
    )  # fmt: skip


def _missing_annotators_words(wanted: int, missing: int) -> str:
    if wanted == 1:
        return _("Nobody can annotate. Add an annotator under People.")
    left = wanted - missing
    why = several("there is only {n}", "there are only {n}", left) if left else _("nobody can annotate here")
    return _(
        "Each {what} needs {people}, but {why}. Add {n} under People, or require fewer under Rules.",
        what=_("text"), people=counted(wanted, "annotator"), why=why, n=missing
    )  # fmt: skip


def show_stuck(stuck: StuckWork) -> None:
    """Say so when work waits that none of the people may do."""
    if stuck.annotation_ids:
        st.warning(
            several(
                "{n} annotation has too few eligible reviewers. Add some under People, or decide under Rounds.",
                "{n} annotations have too few eligible reviewers. Add some under People, or decide under Rounds.",
                len(stuck.annotation_ids),
            ),
            icon=":material/hourglass_disabled:",
        )
    if stuck.n_texts:
        named = [f"“{as_text(first_words(row.excerpt, _NAMED_CHARACTERS))}”" for row in stuck.texts]
        st.warning(
            several(
                "{n} text ({names}) has no eligible annotators. Add some under People, or make the gold under Texts.",
                "{n} texts ({names}) have no eligible annotators. Add some under People, or make the gold under Texts.",
                stuck.n_texts,
                names=listed([*named, *(["…"] if stuck.n_texts > len(stuck.texts) else [])]),
            ),
            icon=":material/hourglass_disabled:",
        )


def show_texts_of_the_gone(store: Store, visit: Visit, project: Project, instance_ids: Sequence[int]) -> None:
    """Say so when texts are only for people who cannot be given them any more, with a button that frees them."""
    if not instance_ids:
        return
    n = len(instance_ids)
    st.warning(
        several(
            "{n} text is reserved for people without access. See Texts, filter “Assigned to”.",
            "{n} texts are reserved for people without access. See Texts, filter “Assigned to”.",
            n,
        ),
        icon=":material/person_off:",
    )
    label = several("Open {n} text to everyone", "Open {n} texts to everyone", n)
    if pressed(label, key=f"free_named_{project.id}"):
        change_many(store, visit.user, project, BulkChange("name"), instance_ids)
        st.rerun()


def show_missing_labels(store: Store, visit: Visit, project: Project, *, is_before_texts: bool = True) -> None:
    """Say so when the texts need a label and the project has none, with the way to mend it.

    is_before_texts: also while there are no texts, of which the first may bring the labels
    """
    n = projects.progress_of(store, visit.user, project.id).n_instances if project.lacks_labels else 0
    if not project.lacks_labels or not (n or is_before_texts):
        return
    if n:
        st.warning(_("Texts can't be assigned without labels."), icon=":material/label_off:")
    else:
        st.info(_("No labels yet. Add or import some."), icon=":material/label:")
    with st.form(f"labels_{project.id}", border=False):
        field, button = st.columns([5, 1], vertical_alignment="bottom")
        text = field.text_input(
            _("Labels, separated by commas"), key=f"labels_text_{project.id}", placeholder=_("negative, positive")
        )
        look = {"type": "primary" if n else "secondary", "width": "stretch"}
        if submitted(_("Add labels"), container=button, key=f"labels_add_{project.id}", **look) is None:
            return
    labels = labels_in(text)
    if not labels:
        st.error(_("Enter at least one label."), icon=":material/error:")
        return
    projects.change_project(store, visit.user, replace(project, labels=labels))
    st.rerun()


def labels_in(text: str) -> tuple[str, ...]:
    """The labels that somebody wrote, with commas between them, or with those of a Chinese keyboard.

    >>> labels_in("neutral，entailment, contradiction")
    ('neutral', 'entailment', 'contradiction')
    """
    return tuple(label.strip() for label in text.replace("，", ",").split(",") if label.strip())
