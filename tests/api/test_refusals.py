"""What is refused in Python names the arguments of functions, and not the options of commands or the buttons of pages."""

import ast
import csv
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import annotator
from annotator.api import Project
from annotator.domain.file_problems import OPTIONS, PHRASES, in_python
from annotator.errors import AnnotatorError, ImportRefused, InvalidValue, StoreError
from tests.conftest import parsed

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
PACKAGE = Path(annotator.__file__).parent
# What the interface reaches; a module of which it does not is beside it.
REACHED = (
    "formats",
    "attribution",
    "usecases/transfer",
    "usecases/models",
    "usecases/inspect",
    "usecases/queue",
    "store/connection",
    "scoring",
)
BESIDE = {"related_models.py", "alignment_proofs.py", "report_request.py", "report_content.py", "metric_formats.py"}
# Of suites' files, the papers' commands on files, and what pages and commands alone ask: no function of the interface leads there.
ELSEWHERE = {"--base-predictions", "--expect", "--db", "--engine"}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with annotator.open(tmp_path / "a.db", create=True) as database:
        yield database.create_project("Films", "sentiment", labels=["negative", "positive"])


def file_of(tmp_path: Path, *rows: dict[str, str]) -> Path:
    path = tmp_path / "films.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_problem_of_a_file_names_the_argument_that_mends_it_and_that_argument_mends_it(
    project: Project, tmp_path: Path
) -> None:
    rows = [{"text": "So so.", "label": "no sentiment"}, {"text": "Good.", "label": "positive"}]
    path = file_of(tmp_path, *rows)
    with pytest.raises(ImportRefused) as without_keys:
        project.import_(path)
    assert "(number_keys=True)" in str(without_keys.value.problems[0])
    with pytest.raises(ImportRefused) as unknown_label:
        project.import_(path, number_keys=True)
    [problem] = unknown_label.value.problems
    assert "(add_labels=['no sentiment'])" in problem.reason
    assert "(rename={'no sentiment': 'negative'})" in problem.reason
    assert "(leave_out_labels=['no sentiment'])" in problem.reason
    assert str(unknown_label.value).endswith("nothing was stored. Correct it or use skip_invalid=True.")
    assert project.import_(path, number_keys=True, leave_out_labels=["no sentiment"]).n_new == 1


def test_entities_are_imported_by_the_argument_that_the_refusal_names(project: Project, tmp_path: Path) -> None:
    names = project.database.create_project("Names", "entity", labels=["PER"])
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "Bo left", "label": [[0, 2, "PER"]]}', encoding="utf-8")
    with pytest.raises(ImportRefused) as refused:
        names.import_(tmp_path / "a.jsonl")
    assert "(entities=True)" in refused.value.problems[0].reason
    assert names.import_(tmp_path / "a.jsonl", entities=True).n_new == 1


def test_a_changed_row_is_let_in_by_the_argument_alone(project: Project, tmp_path: Path) -> None:
    project.import_(file_of(tmp_path, {"id": "a", "text": "Good.", "label": "positive"}))
    changed = file_of(tmp_path, {"id": "a", "text": "Bad.", "label": "negative"})
    with pytest.raises(ImportRefused) as refused:
        project.import_(changed)
    assert refused.value.problems[0].reason.endswith("Use update=True to overwrite.")
    assert project.import_(changed, update=True).n_updated == 1


def test_what_a_report_says_of_columns_is_said_with_arguments(project: Project, tmp_path: Path) -> None:
    path = file_of(tmp_path, {"id": "a", "text": "Good.", "label": "positive", "goldLabel": "positive"})
    report = project.import_(path, dry_run=True)
    assert not OPTION.search(" ".join([*report.columns, *report.doubts, *report.notes]))
    chosen = project.import_(file_of(tmp_path, {"id": "a", "words": "Good."}), columns={"text": "words"})
    assert chosen.n_new == 1


def test_a_database_that_is_not_there_is_made_by_an_argument(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Give another path, make one with create=True, or bring back") as refused:
        annotator.open(tmp_path / "none.db")
    assert not OPTION.search(str(refused.value))


def test_a_method_that_draws_nothing_and_a_model_that_is_not_trained_here_say_so_with_arguments(
    project: Project, tmp_path: Path
) -> None:
    project.import_(file_of(tmp_path, {"id": "a", "text": "Good.", "label": "positive"}))
    with pytest.raises(InvalidValue, match="Leave train=True out"):
        project.attribute("transformers:nowhere", "occlusion", train=True)
    with pytest.raises(AnnotatorError, match=r"occlusion isn't random\. Remove seeds\."):
        project.attribute("built-in", "occlusion", seeds=3)


def test_a_generator_refuses_in_the_same_words(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*_: object) -> Iterator[object]:
        raise InvalidValue("Name it with --model.")
        yield

    monkeypatch.setattr("annotator.usecases.transfer.contents.iterate_instances", refusing)
    with pytest.raises(InvalidValue, match=r"^Name it with model\.$"):
        list(project.iterate_instances())


def sentences() -> Iterator[tuple[str, str]]:
    """What the sources may say, without their docstrings: file and text."""
    for room in REACHED:
        for path in (PACKAGE / room).rglob("*.py"):
            tree = parsed(path)
            documents = {
                id(node.body[0].value)
                for node in ast.walk(tree)
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and isinstance(node.body[0], ast.Expr)
            }
            for node in ast.walk(tree) if path.name not in BESIDE else ():
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
                    yield path.name, node.value


def test_every_option_that_a_sentence_may_name_has_its_argument() -> None:
    known = OPTIONS.keys() | ELSEWHERE | {"--include"}
    named = {(file, option) for file, text in sentences() for option in OPTION.findall(text)}
    assert len(named) > 20
    assert not {(file, option) for file, option in named if option not in known}


def test_every_argument_is_one_of_a_function() -> None:
    functions = [function for name, function in inspect.getmembers(Project, inspect.isfunction) if name[0] != "_"]
    there = {name for function in functions for name in inspect.signature(function).parameters}
    there |= inspect.signature(annotator.api.Database.create_project).parameters.keys()
    assert not {o.argument for o in OPTIONS.values() if o.kind != "params"} - there


@pytest.mark.parametrize("phrase", PHRASES)
def test_every_phrase_is_still_said(phrase: str) -> None:
    assert any(phrase in text.replace("\n", "") for text in said_in_full())


def said_in_full() -> Iterator[str]:
    """Sentences as they are put together, where the parts of one stand in several strings."""
    for path in PACKAGE.rglob("*.py"):
        if path.name != "file_problems.py":
            yield re.sub(r'"\s*\n\s*f?"', "", path.read_text(encoding="utf-8"))


def test_other_options_and_dashes_stay_as_they_are() -> None:
    assert in_python("A -- B, --unheard-of c, well-known") == "A -- B, --unheard-of c, well-known"
