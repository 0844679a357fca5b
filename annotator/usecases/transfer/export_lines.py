"""Gold and model output as JSON lines, for scripts: each file is of one moment and can be read in again."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from annotator.domain.models import SourceOutput, StoredOutput
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.formats.model_output.writer import as_source, write_outputs
from annotator.formats.own.gold_lines import write_gold_lines
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.instances import places_of
from annotator.usecases.access.independence import GoldFor
from annotator.usecases.transfer.contents import iterate_gold, iterate_stored_outputs

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
    store: Store,
    actor: User,
    project: Project,
    path: Path,
    *,
    model: str | None = None,
    method: str | None = None,
    split: str | None = None,
) -> int:
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
