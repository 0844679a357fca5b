"""A project in which every name and every text would be a script, an address or the end of a page, were it not escaped."""

import json
from pathlib import Path

from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import get_task
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.usecases.compare.report_request import ReportRequest, TextChoice
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from tests.usecases.transfer.comparing import take

HOSTILE = (
    "</script></style></title><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">"
    "<a href='javascript:alert(1)'>{{ 7 * 7 }}\"'&<!--"
)
_N = 30


def hostile_project(store: Store, folder: Path) -> Project:
    """Thirty texts, two labels, and two models, which are right on every third and on every second text."""
    labels = [f"{HOSTILE}1", f"{HOSTILE}2"]
    made = create_project(
        store, LOCAL_OPERATOR, HOSTILE, get_task("sentiment"), labels=labels, language="en",
        settings=ProjectSettings(gold_policy="all"),
    )  # fmt: skip
    rows = [
        {
            "id": f"{HOSTILE}{n}",
            "text": f"{HOSTILE} w{n} bad",
            "label": labels[0],
            "annotator": HOSTILE,
            "rationales": [[[0, 2]]],
        }
        for n in range(_N)
    ]
    path = folder / "hostile.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_file(store, LOCAL_OPERATOR, made, "jsonl", path)
    for every, model in ((3, f"{HOSTILE}a"), (2, f"{HOSTILE}b")):
        run = Run(model, HOSTILE, json.dumps({HOSTILE: HOSTILE}))
        scored = (SourceAttribution((ScoredPart((1.0, -1.0, 0.5), is_partial=True),), labels[0]),)
        take(
            store, made,
            (
                SourceOutput(
                    f"{HOSTILE}{n}", run, "f", 1, None, (Prediction(labels[n % every > 0], {labels[0]: 0.6, labels[1]: 0.4}),), scored,
                )
                for n in range(_N)
            ),
        )  # fmt: skip
    return made


def hostile_request() -> ReportRequest:
    """Everything that can be named, with hostile names; and those of the annotators."""
    return ReportRequest(
        HOSTILE[:200], f"{HOSTILE}a", f"{HOSTILE}b",
        texts=TextChoice("keys", keys=(f"{HOSTILE}1", f"{HOSTILE}2")), has_names=True,
        options=ScoringOptions(by="label", group=f"{HOSTILE}1"), against=f"{HOSTILE}a · {HOSTILE}",
        columns=("eraser.accuracy", "sets.best_f1"), row=f"{HOSTILE}b · {HOSTILE}", metric="eraser.accuracy",
    )  # fmt: skip
