"""`annotator evidence` on the command line."""

import json
from collections.abc import Callable
from dataclasses import replace

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.store.projects import get_project
from annotator.usecases.annotate import work as annotate_work


def test_a_pass_is_started_shown_taken_over_and_taken_back(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
    says: Callable[..., str],
) -> None:
    project = make_project(name="Reviews")
    rows = [
        {"id": k, "text": "never again, they said", "label": "negative", "rationales": [[[0, 1]]]}
        for k in ("a", "b", "c")
    ]
    import_rows(project, rows, split="test")
    ann = add_person("Ann", project, "annotator")

    def answer(*words: str, code: int = 0) -> str:
        return says("evidence", *words, code=code)

    start = ("start", "Second", "--project", "Reviews", "--split", "test", "--sample", "2", "--seed", "3")
    assert answer(*start, "--dry-run") == "'Second' would hold 2 texts of 3 with gold.\n"
    assert "has no second pass" in answer("show", "--project", "Reviews")
    assert answer(*start) == "'Second' holds 2 texts of 3 with gold.\n"
    second = get_project(store, "Second")
    work = annotate_work.next_work(store, ann, second.id).work
    assert work is not None
    draft = replace(work.assignment.draft, sets=(RationaleSet.of((0, 2)),), result="negative")
    annotate_work.submit(store, ann, work.assignment.id, work.assignment.revision, draft)
    [shown] = json.loads(answer("show", "--project", "Reviews", "--json"))["passes"]
    assert (shown["by_state"], shown["tokens"]) == ({"ready": 1, "waiting": 1}, [1, 2])
    assert answer("take-over", "Second") == "The gold of 1 text is exhaustive now.\n"
    assert "1  taken over: the gold is exhaustive" in answer("show", "--project", "Reviews")
    assert answer("take-back", "Second") == "The gold of 1 text is what it was before the pass.\n"
    assert "nothing to take back" in answer("take-back", "Second", code=1)
    assert "is no second pass" in answer("take-over", "Reviews", code=1)
