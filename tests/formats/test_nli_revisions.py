"""Counterfactually augmented pairs: originals, and beside them files with revisions, two for each in their order."""

from pathlib import Path

import pytest

from annotator.domain.sources import SourceInstance
from annotator.domain.tasks import TASKS
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.contrast.reader import read
from annotator.formats.registry import guess_format
from tests.conftest import SHARED_DATA

HEADER = "sentence1\tsentence2\tgold_label\n"
ORIGINALS = "A man sleeps.\tHe rests.\tentailment\nA cat runs.\tIt is red.\tneutral\n"
PREMISES = (
    "A man works.\tHe rests.\tcontradiction\nA man lies down.\tHe rests.\tneutral\n"
    "A red cat runs.\tIt is red.\tentailment\nA blue cat runs.\tIt is red.\tcontradiction\n"
)
HYPOTHESES = (
    "A man sleeps.\tHe works.\tcontradiction\nA man sleeps.\tHe dreams.\tneutral\n"
    "A cat runs.\tIt moves.\tentailment\nA cat runs.\tIt sits.\tcontradiction\n"
)


@pytest.fixture(params=["names", "folders"])
def folder(request, tmp_path: Path) -> Path:
    """The files as they lie in the repository (folders), and with their folders in their names."""
    roles = {"original": ORIGINALS, "revised_premise": PREMISES, "revised_hypothesis": HYPOTHESES}
    for role, content in roles.items():
        path = tmp_path / (f"NLI_{role}_dev.tsv" if request.param == "names" else f"{role}/dev.tsv")
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEADER + content, encoding="utf-8")
    return tmp_path


def items(path: Path) -> tuple[list[SourceInstance], list[Problem]]:
    found = list(read(path, ReadOptions(TASKS["inference"])))
    return [i for i in found if isinstance(i, SourceInstance)], [i for i in found if isinstance(i, Problem)]


def originals(folder: Path) -> Path:
    return next(path for path in folder.rglob("*.tsv") if "original" in str(path.relative_to(folder)))


def test_revisions_become_contrasts_of_their_original(folder):
    instances, problems = items(folder)
    assert problems == []
    assert [(i.key, i.parent_key, i.perturbation_kind, i.result, i.split) for i in instances[:5]] == [
        ("1", None, None, "entailment", "val"),
        ("1#1", "1", "revised premise", "contradiction", "val"),
        ("1#2", "1", "revised premise", "neutral", "val"),
        ("1#3", "1", "revised hypothesis", "contradiction", "val"),
        ("1#4", "1", "revised hypothesis", "neutral", "val"),
    ]
    texts = {name: body.text for name, body in instances[3].segments.items()}
    assert texts == {"premise": "A man sleeps.", "hypothesis": "He works."}
    assert items(originals(folder))[0] == instances


def test_a_revision_that_changes_nothing_is_left_out_with_a_warning(folder):
    path = next(path for path in folder.rglob("*.tsv") if "revised_premise" in str(path))
    path.write_text(path.read_text().replace("A blue cat runs.", "A cat runs."))
    instances, [problem] = items(folder)
    assert (problem.is_warning, problem.line, problem.field, len(instances)) == (True, 5, "sentence1", 9)


def test_revisions_in_another_order_or_without_their_originals_are_refused(folder):
    path = next(path for path in folder.rglob("*.tsv") if "revised_premise" in str(path))
    with pytest.raises(InvalidValue, match="holds revisions alone. Choose the file with their originals"):
        items(path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    with pytest.raises(InvalidValue, match="so its rows are in another order"):
        items(folder)
    path.write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(InvalidValue, match="has 3 rows, and 2 originals need two each"):
        items(folder)


def test_originals_alone_say_what_is_missing_beside_them(tmp_path):
    path = tmp_path / "NLI_original_dev.tsv"
    path.write_text(HEADER + ORIGINALS)
    with pytest.raises(InvalidValue, match="stands no file with its revisions"):
        items(path)


def test_the_format_is_guessed_by_the_names(folder):
    guess = guess_format(originals(folder))
    assert guess is not None
    assert guess.format_name == "contrast"


def test_a_cell_in_quotation_marks_is_read_without_them(tmp_path):
    path = tmp_path / "pairs.tsv"
    rows = 'Negative\t"A ""dull"" film."\t1\nPositive\t"A ""calm"" film."\t1\nNegative\t"Dull," she said: "no"\t2\nPositive\tBad\t2\n'
    path.write_text("Sentiment\tText\tbatch_id\n" + rows)
    found = [i for i in read(path, ReadOptions(TASKS["sentiment"])) if isinstance(i, SourceInstance)]
    assert [i.segments["text"].text for i in found] == [
        'A "dull" film.', 'A "calm" film.', '"Dull," she said: "no"', "Bad",
    ]  # fmt: skip


@pytest.mark.data
@pytest.mark.skipif(not (SHARED_DATA / "cad").is_dir(), reason="the real data of others is not here")
def test_the_real_files_come_in_whole():
    instances, problems = items(SHARED_DATA / "cad" / "raw")
    assert (len(instances), [p.is_warning for p in problems]) == (999, [True])
    found = list(read(SHARED_DATA / "cad" / "raw", ReadOptions(TASKS["sentiment"])))
    assert len([item for item in found if isinstance(item, SourceInstance)]) == len(found) == 490
