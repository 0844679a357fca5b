"""Look at an instance and at what others made of it, without changing anything."""

from dataclasses import dataclass, replace

from annotator.domain.instances import Annotation, Assignment, Draft, Instance
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.store import Store
from annotator.store.annotations import annotations_of
from annotator.store.instances import find_instance_ids, get_instance, project_of_instance
from annotator.usecases.marking import Work
from annotator.usecases.rights import require
from annotator.usecases.showing import ShownProject, ShownWork, show_project, show_work


@dataclass(frozen=True, slots=True)
class View:
    """One annotation of an instance (or the bare instance), ready to be drawn."""

    title: str
    work: ShownWork
    project: ShownProject


def look_at(store: Store, actor: User, project: Project, instance_id: int) -> list[View]:
    """Every annotation of an instance, oldest first; the bare instance when there is none. For those who see all."""
    require(store, actor, project.id, "see all annotations")
    instance = get_instance(store, instance_id)
    if project_of_instance(store, instance_id) != project.id:
        raise NotFound(f"There is no instance number {instance_id} in '{project.name}'.")
    return _views(store, project, instance)


def look_up(store: Store, actor: User, project: Project, key: str) -> list[View]:
    """The same by the instance's key. Where instances of several splits share it, each view's title names its split."""
    require(store, actor, project.id, "see all annotations")
    ids = find_instance_ids(store, project.id, key)
    if not ids:
        raise NotFound(f"There is no instance with the key '{key}' in '{project.name}'.")
    instances = [get_instance(store, instance_id) for instance_id in ids]
    return [
        replace(view, title=f"{instance.split or 'no split'} · {view.title}") if len(ids) > 1 else view
        for instance in instances
        for view in _views(store, project, instance)
    ]


def _views(store: Store, project: Project, instance: Instance) -> list[View]:
    annotations = annotations_of(store, [instance.id])[instance.id]
    if not annotations:
        return [_view("not annotated yet", project, instance, Draft(instance.result), 1)]
    return [_view(_title(a), project, instance, Draft(a.result, a.sets, a.note), a.round_number) for a in annotations]


def _title(annotation: Annotation) -> str:
    return f"{annotation.annotator} · round {annotation.round_number} · {annotation.state}"


def _view(title: str, project: Project, instance: Instance, draft: Draft, round_number: int) -> View:
    shown = Assignment(0, project.id, instance.id, 0, round_number, "submitted", "", 0, draft)
    return View(title, show_work(Work(shown, instance), project), show_project(project))
