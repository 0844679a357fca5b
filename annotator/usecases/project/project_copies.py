"""A new project with the rules of another: task, labels, settings, guidelines, word lists, training, without its texts."""

from dataclasses import replace

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.people import add_role, list_members, roles_of
from annotator.store.projects import get_project_by_id, list_projects_of, update_project
from annotator.store.qualification.rules import copy_rules
from annotator.store.suites import list_word_lists, save_word_list
from annotator.usecases.access.rights import require
from annotator.usecases.notices.recipients import tell
from annotator.usecases.project.projects import create_project


def projects_to_copy(store: Store, actor: User) -> list[Project]:
    """The projects whose rules somebody may take: those that they lead, and all of them for an administrator."""
    return [
        project
        for project in list_projects_of(store, actor)
        if actor.is_administrator or "lead" in roles_of(store, actor, project.id)
    ]


def copy_project(store: Store, actor: User, source_id: int, name: str, *, has_people: bool = False) -> Project:
    """The new project, of which whoever copies is the lead; has_people: everybody has the roles that they have in the other."""
    with store.transaction():
        require(store, actor, source_id, "manage project")
        source = get_project_by_id(store, source_id)
        project = create_project(
            store, actor, name, source.task, labels=source.labels, language=source.language,
            # There are no answers to go by yet, and it is no second pass of another.
            settings=replace(source.settings, model_order=None, are_first_sets_proposed=False),
            guidelines=source.guidelines,
        )  # fmt: skip
        project = replace(project, question=source.question)
        update_project(store, project)
        for words in list_word_lists(store, source_id):
            save_word_list(store, project.id, words, created_by=actor.name)
        copy_rules(store, source_id, project.id, actor.name)
        if has_people:
            for user, role in list_members(store, source_id):
                add_role(store, project.id, user, role)
                tell(store, actor, [user.id], project.id, "role", detail=role)
        add_event(
            store, actor.name, "copy rules", "project", project.id,
            project_id=project.id, source=source.name, has_people=has_people,
        )  # fmt: skip
    return project
