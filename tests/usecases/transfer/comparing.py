"""Projects whose numbers can be told from chance: forty texts of eight words, one of them gold, and models that know it or not."""

from collections.abc import Callable, Iterable, Sequence

from annotator.domain import models
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.table import MetricRow, MetricTable, metric_table
from annotator.store import Store
from annotator.usecases.inspect.project_scores import evaluate_with_instances
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake

N, LENGTH = 40, 8
LABELS = ["negative", "negative", "positive"]  # two thirds are negative


def gold_token(number: int) -> int:
    return (3 * number) % LENGTH


def key_of(number: int) -> str:
    return f"t{number:02}"


def rows_of(numbers: Iterable[int], **more: object) -> list[dict[str, object]]:
    """Texts with their gold token. more: of each row; a function of the number where it is one."""
    return [
        {
            "id": key_of(n), "text": " ".join(f"w{n}x{place}" for place in range(LENGTH)), "label": LABELS[n % 3],
            "rationales": [[[gold_token(n), gold_token(n) + 1]]],
            **{name: value(n) if callable(value) else value for name, value in more.items()},
        }
        for n in numbers
    ]  # fmt: skip


def knowing(number: int) -> tuple[float, ...]:
    """The gold token is first."""
    return tuple(float(place == gold_token(number)) for place in range(LENGTH))


def mistaken(number: int) -> tuple[float, ...]:
    """The gold token is last."""
    return tuple(-score for score in knowing(number))


def blind(number: int) -> tuple[float, ...]:
    """The gold token has each rank equally often, as it has by chance."""
    return tuple(-float((number + place - gold_token(number)) % LENGTH) for place in range(LENGTH))


def said(number: int, is_right: bool, p: float = 0.8) -> models.Prediction:
    other = {"negative": "positive", "positive": "negative"}[LABELS[number % 3]]
    label = LABELS[number % 3] if is_right else other
    return models.Prediction(None, {label: p, ({"negative", "positive"} - {label}).pop(): 1 - p})


def output(
    number: int, run: models.Run, scores: Sequence[float] | None = None, answers: Sequence[models.Prediction] = (),
    hard: Sequence[tuple[int, int]] = (),
) -> models.SourceOutput:  # fmt: skip
    attributions = () if scores is None else (models.SourceAttribution((models.ScoredPart(tuple(scores)),)),)
    rationales = (models.SourceRationale("hard", (models.MarkedPart(tuple(hard)),)),) if hard else ()
    return models.SourceOutput(key_of(number), run, "f", 1, None, tuple(answers), attributions, rationales)


def take(store: Store, project: Project, rows: Iterable[models.SourceOutput]) -> None:
    report = ImportReport(is_output=True)
    with store.transaction():
        Intake(store, project, ImportOptions(), report, lambda _: None).run(rows)
    assert report.problems == []


def table_of(store: Store, project: Project, **options: object) -> MetricTable:
    asked = ScoringOptions(**options)  # type: ignore[arg-type]
    return metric_table(*evaluate_with_instances(store, LOCAL_OPERATOR, project, options=asked))


def row_of(table: MetricTable, model: str, method: str = "ig", kind: str | None = None) -> MetricRow:
    return next(
        row for row in table.rows if (row.model, row.method) == (model, method) and (kind is None or row.kind == kind)
    )


def project_of(make_project: Callable[..., Project], import_rows: Callable[..., object], n: int = N) -> Project:
    made: Project = make_project(gold_policy="all")
    import_rows(made, rows_of(range(n)))
    return made
