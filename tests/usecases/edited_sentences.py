"""A project of edited sentences, and a model that answers and explains them."""

from pathlib import Path

from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.store import Store
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from tests.usecases.transfer.comparing import take

# Two misspelt words, one deleted one, an insertion, and two sentences without an edit.
MARKUP = (
    "The <del>weigthed</del><ins>weighted</ins> mean .\n"
    "An <del>obtianed</del><ins>obtained</ins> one .\n"
    "It is <del>very </del>good .\n"
    "Both cross <ins>the </ins>zero .\n"
    "Nothing to mend .\n"
    "Nothing at all .\n"
)
# Of each line the scores, of which one is the edited word's, and whether the model tells an edit.
SAID: tuple[tuple[tuple[float, ...], bool], ...] = (
    ((0, 9, 1, 2), True),  # first
    ((5, 3, 4, 1), False),  # third: and the edit is missed
    ((5, 4, 6, 1, 0), True),  # "very", first
    ((1, 2, 3, 4), True),
    ((1, 2, 3, 4), True),  # an edit where there is none
    ((1, 2, 3, 4), False),
)


def edited_project(store: Store, folder: Path) -> Project:
    """The sentences of MARKUP, as an import of AESW's form makes them."""
    path = folder / "edits.txt"
    path.write_text(MARKUP, encoding="utf-8")
    made = create_project(store, LOCAL_OPERATOR, "Edits", get_task("editing"), labels=["correct", "needs edit"])
    import_file(store, LOCAL_OPERATOR, made, "aesw", path, ImportOptions())
    return made


def answered(store: Store, project: Project, model: str = "bert", seed: int | None = None) -> None:
    """What a model says of each sentence."""

    def output(number: int, scores: tuple[float, ...], needs_edit: bool) -> SourceOutput:
        prediction = Prediction(None, {"needs edit": float(needs_edit), "correct": float(not needs_edit)})
        attribution = SourceAttribution((ScoredPart(tuple(float(score) for score in scores)),))
        run = Run(model, "attention", seed=seed)
        return SourceOutput(f"line{number}", run, "f", number, None, (prediction,), (attribution,))

    take(store, project, (output(number, *of_line) for number, of_line in enumerate(SAID, start=1)))
