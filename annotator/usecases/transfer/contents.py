"""What programs read of a project, a batch at a time, and the same as JSON lines: instances, gold, model output."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from annotator.domain.instances import Annotation, GoldInstance, Instance
from annotator.domain.models import SourceOutput, StoredOutput
from annotator.domain.own_sources import SourceSufficientSets
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotFound
from annotator.formats.model_output.writer import as_source, write_outputs
from annotator.formats.own.writer import write_gold_lines
from annotator.language import _
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.events import add_event
from annotator.store.instances import find_instance_ids, get_instance, iterate_instance_batches, places_of, queue_keys
from annotator.store.models import StoredRun, iterate_outputs, list_runs, outputs_of_run, sufficient_sets_as_sources
from annotator.usecases.access.independence import GoldFor
from annotator.usecases.access.rights import require
from annotator.usecases.gold import GoldOptions, checked_policy, gold_instances, gold_of_instance, require_split


def iterate_instances(store: Store, actor: User, project: Project, split: str | None = None) -> Iterator[Instance]:
    """Every instance, discarded ones too, in the order of import."""
    require(store, actor, project.id, "export")
    require_named_split(store, project, split)
    for batch in iterate_instance_batches(store, project.id, split=split):
        yield from batch


def iterate_annotations(
    store: Store, actor: User, project: Project, split: str | None = None
) -> Iterator[tuple[Instance, list[Annotation]]]:
    """Every instance with all its annotations of all rounds and states, oldest first."""
    require(store, actor, project.id, "see all annotations")
    require_named_split(store, project, split)
    for batch in iterate_instance_batches(store, project.id, split=split):
        annotations = annotations_of(store, [instance.id for instance in batch])
        for instance in batch:
            yield instance, annotations[instance.id]


def iterate_gold(
    store: Store, actor: User, project: Project, policy: str | None = None, split: str | None = None
) -> Iterator[GoldInstance]:
    """The gold of every instance that has one and is not discarded; policy None: the project's."""
    require(store, actor, project.id, "export")
    require_named_split(store, project, split)
    counting = checked_policy(policy) or project.settings.gold_policy
    yield from gold_instances(store, project, counting, GoldOptions(split=split))


def require_named_split(store: Store, project: Project, split: str | None) -> None:
    """Raise InvalidValue for a split that the project does not have; "" is what is in no split, whether there is any or not."""
    if split:
        require_split(store, [project], split)


def iterate_stored_outputs(
    store: Store,
    actor: User,
    project: Project,
    model: str | None = None,
    method: str | None = None,
    split: str | None = None,
) -> Iterator[StoredOutput]:
    """What runs say of instances, run by run; an `output` has the instance's number in this database.

    method: "" is the models' own answers, which have no method; None is everything
    Raises: NotFound for a model or a method that the project does not have, InvalidValue for a split
    """
    require(store, actor, project.id, "export")
    require_named_split(store, project, split)
    names = {number: (key, of_split) for number, key, of_split in queue_keys(store, project.id)}
    for stored in _runs(list_runs(store, project.id), project, model, method):
        for output in iterate_outputs(store, stored.id):
            key, of_split = names[output.instance_id]
            if split is None or of_split == split:
                yield StoredOutput(key, of_split, stored.run, output)


def _runs(runs: Sequence[StoredRun], project: Project, model: str | None, method: str | None) -> list[StoredRun]:
    for wanted, known in (
        (model, {stored.run.model for stored in runs}),
        (method, {stored.run.method for stored in runs if model in {None, stored.run.model}}),
    ):
        if wanted and wanted not in known:
            names = ", ".join(f"'{name}'" for name in sorted(known) if name) or _("none")
            raise NotFound(
                _("No '{wanted}' in project '{name}' (only {names}).", name=project.name, wanted=wanted, names=names)
            )
    return [stored for stored in runs if model in {None, stored.run.model} and method in {None, stored.run.method}]


@dataclass(frozen=True, slots=True)
class WholeInstance:
    """An instance with the gold of the project's policy (without sets where it has none), and what each run says of it."""

    gold: GoldInstance
    outputs: tuple[StoredOutput, ...]


def whole_instance(store: Store, actor: User, project: Project, key: str, split: str | None = None) -> WholeInstance:
    """Everything of the instance of a key.

    Raises: NotFound where there is none; InvalidValue where several splits have the key and none is named
    """
    require(store, actor, project.id, "export")
    with store.snapshot():
        ids = find_instance_ids(store, project.id, key, split)
        if not ids and split is None:
            raise NotFound(_("No text with ID '{key}' in '{project}'.", project=project.name, key=key))
        if not ids:
            raise NotFound(
                _(
                    "Project '{name}' has no instance '{key}' in split '{split}'.",
                    name=project.name,
                    key=key,
                    split=split,
                )
            )
        instances = [get_instance(store, number) for number in ids]
        if len(instances) > 1:
            splits = ", ".join(f"'{instance.split}'" for instance in instances)
            raise InvalidValue(_("ID '{key}' is in several splits ({splits}). Choose one.", key=key, splits=splits))
        [instance] = instances
        outputs = [
            StoredOutput(instance.key, instance.split, stored.run, output)
            for stored in list_runs(store, project.id)
            for output in outputs_of_run(store, stored.id, ids).values()
        ]
        return WholeInstance(gold_of_instance(store, project, instance), tuple(outputs))


# Gold and model output as JSON lines, for scripts: each file is of one moment and can be read in again.


_BATCH = 500


def export_gold_lines(
    store: Store, actor: User, project: Project, path: Path, *, policy: str | None = None, split: str | None = None
) -> int:
    """Write the gold, an instance a line, as `annotator import jsonl` reads it; returns the number of lines."""
    for_them = GoldFor(store, actor, project.id)
    with store.snapshot():
        gold = for_them.open_to_them(iterate_gold(store, actor, project, policy, split))
        n = write_gold_lines(path, gold, project.task)
    for_them.note()
    _note(store, actor, project, path, n)
    return n


def export_output_lines(
    store: Store, actor: User, project: Project, path: Path, *, model: str | None = None, method: str | None = None,
    split: str | None = None,
) -> int:  # fmt: skip
    """Write what models say, as `annotator import attributions` reads it; returns the number of lines."""
    with store.snapshot():
        n = write_outputs(path, _sources(store, iterate_stored_outputs(store, actor, project, model, method, split)))
    _note(store, actor, project, path, n)
    return n


def _sources(store: Store, outputs: Iterator[StoredOutput]) -> Iterator[SourceOutput]:
    while batch := list(islice(outputs, _BATCH)):
        places = places_of(store, sorted({stored.output.instance_id for stored in batch}))
        for stored in batch:
            yield as_source(stored, places[stored.output.instance_id].layout)


def _note(store: Store, actor: User, project: Project, path: Path, n: int) -> None:
    """In the record, as every export is."""
    with store.transaction():
        add_event(
            store, actor.name, "export", "project", project.id, project_id=project.id,
            format="lines", file=path.name, lines=n,
        )  # fmt: skip


def iterate_sufficient_sets(
    store: Store, actor: User, project: Project, model: str | None = None, split: str | None = None
) -> Iterator[SourceSufficientSets]:
    """Models' own sets of a project's instances, with people's as the models answer them; model None: all."""
    require(store, actor, project.id, "see all annotations")
    require_named_split(store, project, split)
    for source in sufficient_sets_as_sources(store, project.id, split):
        if model in (None, source.model):
            yield source
