"""Every sample, byte by byte: the same file again changes nothing, and our own export of it comes back as it went out."""

from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.store import Store
from annotator.usecases.project.projects import create_project, find_project
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from tests.formats.test_registry import CASES, SAMPLES


def exported(store: Store, name: str, folder: Path) -> bytes:
    """A project's own export without its name and the record of what was done."""
    path = folder / f"{name}.jsonl"
    export_file(store, LOCAL_OPERATOR, find_project(store, name), "jsonl", path)
    header, *lines = path.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(b'{"record":"event"')]
    return header.replace(name.encode(), b"") + b"".join(kept)


@pytest.mark.parametrize(("format_name", "path", "task", "labels"), [case[:4] for case in CASES])
def test_a_sample_imported_again_and_brought_back_from_our_own_export_is_byte_equal(
    store: Store, tmp_path: Path, format_name: str, path: str, task: str, labels: tuple[str, ...]
) -> None:
    first = create_project(store, LOCAL_OPERATOR, "First", get_task(task), labels=labels)
    import_file(store, LOCAL_OPERATOR, first, format_name, SAMPLES / path)
    before = exported(store, "First", tmp_path)
    for options in (ImportOptions(), ImportOptions(update=True)):
        report = import_file(store, LOCAL_OPERATOR, find_project(store, "First"), format_name, SAMPLES / path, options)
        assert (report.n_new, report.n_updated, report.n_problems) == (0, 0, 0)
        assert exported(store, "First", tmp_path) == before
    second = create_project(store, LOCAL_OPERATOR, "Second", get_task(task))
    import_file(store, LOCAL_OPERATOR, second, "jsonl", tmp_path / "First.jsonl")
    assert exported(store, "Second", tmp_path) == before
