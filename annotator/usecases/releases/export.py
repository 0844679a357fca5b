"""A release as files to give away: the gold in a format, with LICENSE, CITATION and what one has to know of it."""

from collections.abc import Iterator
from pathlib import Path

from annotator.domain.instances import GoldInstance
from annotator.domain.people import User
from annotator.domain.project.releases import Release
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.formats.base import WriteOptions
from annotator.formats.own.gold_lines import write_gold_lines
from annotator.formats.registry import get_writer
from annotator.formats.rows.files import new_folder
from annotator.language import _
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.gold.releases import get_release
from annotator.usecases.access.rights import require
from annotator.usecases.releases.card import SplitCounts, card_of, citation_of
from annotator.usecases.releases.frozen_gold import frozen_gold

FORMATS = ("jsonl", "eraser", "datasets", "csv", "conll", "parquet")
_FOLDERS = frozenset({"eraser", "datasets"})


def export_release(store: Store, actor: User, project: Project, number: int, format_name: str, folder: Path) -> Release:
    """Write a folder: the gold of a release as it was frozen, LICENSE, CITATION and README.md with its counts.

    `jsonl` is an instance a line, as `annotator import jsonl` reads it. People have the pseudonyms of the release, which are
    the same in each of its files.
    Raises: InvalidValue for another format; ExportRefused for a folder that holds something, and for what a format cannot hold
    """
    require(store, actor, project.id, "see all annotations")
    if format_name not in FORMATS:
        raise InvalidValue(
            _(
                "A release cannot be written as '{format_name}'. Choose one of {formats}.",
                format_name=format_name,
                formats=", ".join(FORMATS),
            )
        )
    with store.snapshot():
        release = get_release(store, project.id, number)
        as_it_was = release.rules.applied_to(project)
        with new_folder(folder) as part:
            counts = SplitCounts(is_exhaustive=release.rules.is_exhaustive)
            _write_gold(part, counts.counted(frozen_gold(store, release)), as_it_was, format_name)
            _write_texts(part, release, as_it_was, counts)
    with store.transaction():
        add_event(
            store, actor.name, "export release", "project", project.id, project_id=project.id,
            release=number, format=format_name, file=folder.name,
        )  # fmt: skip
    return release


def _write_gold(folder: Path, gold: Iterator[GoldInstance], as_it_was: Project, format_name: str) -> None:
    if format_name == "jsonl":
        write_gold_lines(folder / "gold.jsonl", gold, as_it_was.task)
        return
    path = folder if format_name in _FOLDERS else folder / f"gold.{format_name}"
    get_writer(format_name)(path, gold, WriteOptions(as_it_was, as_it_was.settings.gold_policy))


def _write_texts(folder: Path, release: Release, as_it_was: Project, counts: SplitCounts) -> None:
    """LICENSE, CITATION and README.md; a card that the format wrote stays, before ours."""
    readme = folder / "README.md"
    of_format = readme.read_text(encoding="utf-8") + "\n" if readme.exists() else ""
    for name, text in (
        ("LICENSE", release.rules.licence + "\n"),
        ("CITATION", citation_of(release)),
        ("README.md", of_format + card_of(release, as_it_was, counts)),
    ):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
