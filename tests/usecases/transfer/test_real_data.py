"""Real data of others, where the folder is there: it comes in, is counted, and goes out and in again unchanged."""

from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused
from annotator.store import Store
from annotator.usecases.gold import gold_instances
from annotator.usecases.project.projects import create_project, find_project
from annotator.usecases.transfer.export import everything_of, export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from tests.conftest import SHARED_DATA, needs_data
from tests.usecases.transfer.test_export import content_of

FEVER = SHARED_DATA / "eraser_fever" / "raw" / "instances.jsonl"

# folder or file, format, task, instances (counted in the files), of which fail
SOURCES = [
    ("expmrc", "jsonl", "reading", 1246),
    ("evidence_inference", "jsonl", "verification", 176),
    ("xquad", "jsonl", "reading", 1200),
    ("dutrust_samples/raw/senti_ch.jsonl", "benchmark", "sentiment", 60),
    ("dutrust_samples/raw/senti_en.jsonl", "benchmark", "sentiment", 60),
    ("dutrust_samples/raw/mrc_ch.jsonl", "benchmark", "reading", 60),
    ("dutrust_samples/raw/mrc_en.jsonl", "benchmark", "reading", 60),
]


@needs_data
@pytest.mark.parametrize(("place", "format_name", "task", "n"), SOURCES)
def test_real_data_comes_in_whole_and_our_own_form_brings_it_back_equal(
    store: Store, tmp_path: Path, place: str, format_name: str, task: str, n: int
) -> None:
    project = create_project(store, LOCAL_OPERATOR, "Real", get_task(task), language="zh" if "_ch" in place else "en")
    report = import_file(store, LOCAL_OPERATOR, project, format_name, SHARED_DATA / place)
    assert (report.n_new, report.n_problems) == (n, 0)
    export_file(store, LOCAL_OPERATOR, find_project(store, "Real"), "jsonl", tmp_path / "all.jsonl")
    copy = create_project(store, LOCAL_OPERATOR, "Copy", get_task(task))
    import_file(store, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl")
    assert content_of(store, find_project(store, "Copy")) == content_of(store, find_project(store, "Real"))
    assert store.problems() == []


@needs_data
def test_the_ten_bad_rows_of_fever_are_named_and_the_rest_goes_out_and_in_again(store: Store, tmp_path: Path) -> None:
    project = create_project(store, LOCAL_OPERATOR, "Fever", get_task("verification"))
    with pytest.raises(ImportRefused) as refusal:
        import_file(store, LOCAL_OPERATOR, project, "eraser", FEVER, ImportOptions(split="val"))
    [problem] = refusal.value.problems  # the same of all: told once
    assert (problem.line, problem.n, problem.rows) == (402, 10, (402, 403, 404, 405, 406))
    report = import_file(store, LOCAL_OPERATOR, project, "eraser", FEVER, ImportOptions(split="val", skip_invalid=True))
    assert (report.n_new, report.n_problems) == (401, 10)
    project = find_project(store, "Fever")
    assert len(list(everything_of(store, project))) > 401
    export_file(store, LOCAL_OPERATOR, project, "eraser", tmp_path / "out")
    copy = create_project(store, LOCAL_OPERATOR, "Copy", get_task("verification"))
    import_file(store, LOCAL_OPERATOR, copy, "eraser", tmp_path / "out")
    mine, theirs = (
        {
            g.instance.key: (g.result, sorted(g.sets, key=str))
            for g in gold_instances(store, find_project(store, name), "chosen")
        }
        for name in ("Fever", "Copy")
    )
    assert mine == theirs
