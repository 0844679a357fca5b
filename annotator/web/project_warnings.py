"""What a project lacks, told to whoever can mend it: people, labels, reviewers for what is stuck."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.project.bulk_actions import BulkChange
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.usecases.databases import Store
from annotator.usecases.lead.bulk_actions import change_many
from annotator.usecases.lead.undecided_rounds import StuckWork
from annotator.usecases.project.projects import (
    change_project,
    count_reviewers,
    missing_annotators,
    missing_reviewers,
    progress_of,
)
from annotator.web.frame import as_text
from annotator.web.presses import pressed, submitted
from annotator.web.session import Visit

_NAMED_CHARACTERS = 40  # of a text that a sentence names


def show_missing_people(store: Store, visit: Visit, project: Project) -> None:
    """Say so when rounds cannot be decided, or texts not be finished, for want of people who may review or annotate."""
    missing = missing_reviewers(store, visit.user, project)
    if missing:
        wanted, n_people = project.settings.reviewers_per_annotation, count_reviewers(store, visit.user, project)
        left = wanted - missing
        who = f"only {counted(left, 'person', 'people')} may review here" if left else "nobody may review here"
        if n_people > left:
            who = f"only {left}" if left else "none"
            who += f" of the {counted(n_people, 'person', 'people')} who may review here will be free to"
            who += ", since nobody reviews what they annotate"
        st.warning(
            f"Each annotation needs {counted(wanted, 'reviewer')}, but {who}. No round can be decided by its scores until you "
            f"give {counted(missing, 'more person', 'more people')} the role reviewer under People, or ask for fewer reviewers "
            "under Rules.",
            icon=":material/group_add:",
        )
    missing = missing_annotators(store, visit.user, project)
    if missing:
        wanted = project.settings.annotators_per_instance
        who = f"only {counted(wanted - missing, 'person', 'people')}" if wanted > missing else "nobody"
        fewer = ", or ask for fewer annotators under Rules" if wanted > 1 else ""
        st.warning(
            f"Each text needs {counted(wanted, 'annotator')}, but {who} may annotate here, so no text can be completed. Give "
            f"{counted(missing, 'more person', 'more people')} the role annotator under People{fewer}.",
            icon=":material/group_add:",
        )


def show_stuck(stuck: StuckWork) -> None:
    """Say so when work waits that none of the people may do."""
    n = len(stuck.annotation_ids)
    if n:
        st.warning(
            f"{counted(n, 'annotation needs', 'annotations need')} more scores than there are people left to give them: "
            f"everybody else who may review has annotated {'these texts' if n > 1 else 'this text'}. Give somebody else the role "
            "reviewer under People, ask for fewer reviewers under Rules, or decide under Rounds.",
            icon=":material/hourglass_disabled:",
        )
    if stuck.n_texts:
        named = ", ".join(f"“{as_text(first_words(row.excerpt, _NAMED_CHARACTERS))}”" for row in stuck.texts)
        more = ", …" if stuck.n_texts > len(stuck.texts) else ""
        st.warning(
            f"{counted(stuck.n_texts, 'text')} ({named}{more}) cannot be given to anybody: everyone who may annotate has already "
            f"annotated {'them' if stuck.n_texts > 1 else 'it'}, or has seen what others marked. Give somebody else the role "
            "annotator under People, ask for fewer annotators under Rules, or make the gold yourself under Instances.",
            icon=":material/hourglass_disabled:",
        )


def show_texts_of_the_gone(store: Store, visit: Visit, project: Project, instance_ids: Sequence[int]) -> None:
    """Say so when texts are only for people who cannot be given them any more, with a button that frees them."""
    if not instance_ids:
        return
    n = len(instance_ids)
    st.warning(
        f"{counted(n, 'text is', 'texts are')} only for people who cannot be given {'them' if n > 1 else 'it'} any more: they "
        "left, are shut out, or have had it. See them under Instances with the filter For.",
        icon=":material/person_off:",
    )
    if pressed(f"Free {counted(n, 'text')} for everybody", key=f"free_named_{project.id}"):
        change_many(store, visit.user, project, BulkChange("name"), instance_ids)
        st.rerun()


def show_missing_labels(store: Store, visit: Visit, project: Project, *, is_before_texts: bool = True) -> None:
    """Say so when the texts need a label and the project has none, with the way to mend it.

    is_before_texts: also while there are no texts, of which the first may bring the labels
    """
    n = progress_of(store, visit.user, project.id).n_instances if project.lacks_labels else 0
    if not project.lacks_labels or not (n or is_before_texts):
        return
    if n:
        have = "This text has" if n == 1 else f"These {n:,} texts have"
        st.warning(
            f"{have} no label and the project has none, so nobody can be given any. Add labels first.",
            icon=":material/label_off:",
        )
    else:
        st.info(
            "This project has no labels yet. It takes those of the first file that has some, or you can enter them here.",
            icon=":material/label:",
        )
    with st.form(f"labels_{project.id}", border=False):
        field, button = st.columns([5, 1], vertical_alignment="bottom")
        text = field.text_input(
            "Labels, separated by commas", key=f"labels_text_{project.id}", placeholder="negative, positive"
        )
        look = {"type": "primary" if n else "secondary", "width": "stretch"}
        if submitted("Add labels", container=button, key=f"labels_add_{project.id}", **look) is None:
            return
    labels = labels_in(text)
    if not labels:
        st.error("Enter at least one label.", icon=":material/error:")
        return
    change_project(store, visit.user, replace(project, labels=labels))
    st.rerun()


def labels_in(text: str) -> tuple[str, ...]:
    """The labels that somebody wrote, with commas between them."""
    return tuple(label.strip() for label in text.split(",") if label.strip())
