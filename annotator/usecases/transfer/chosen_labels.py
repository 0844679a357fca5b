"""What labels of files are called in a project: as it was said for earlier files."""

import re
from collections.abc import Mapping
from dataclasses import replace

from annotator.domain.people import User, has_right
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.people import roles_of
from annotator.store.projects import update_project
from annotator.usecases.transfer.import_report import ImportOptions

_OF_ONE_MODEL = re.compile(r"(?:LABEL_)?[0-9]+", re.IGNORECASE)  # a class number is another label in the next model


def remembered_labels(project: Project, options: ImportOptions) -> Mapping[str, str]:
    """What was said before of labels that the project does not have and of which nothing is said now."""
    if options.forget_columns or project.task.result_kind != "label":
        return {}
    said_now = {*options.renamed, *options.added_labels, *options.left_labels}
    return {
        label: theirs
        for label, theirs in project.settings.import_labels.items()
        if label not in project.labels and theirs in project.labels and label not in said_now
    }


def remember_labels(store: Store, actor: User, project: Project, options: ImportOptions) -> None:
    """Keep what was said now, where whoever says it may change the project's rules; class numbers are not kept."""
    before = {} if options.forget_columns else dict(project.settings.import_labels)
    now = {label: theirs for label, theirs in options.renamed.items() if not _OF_ONE_MODEL.fullmatch(label)}
    after = {**before, **now}
    may_change = has_right(actor, roles_of(store, actor, project.id), "manage project")
    if after == project.settings.import_labels or not may_change:
        return
    update_project(store, replace(project, settings=replace(project.settings, import_labels=after)))
    add_event(
        store, actor.name, "change", "project", project.id, project_id=project.id, changed=["settings"],
        settings=["import_labels"],
    )  # fmt: skip
