"""Corpora as their authors publish them become the instances of ERASER's appendix A. The files here are made up in their form."""

import json
from pathlib import Path

import pytest

from annotator.domain.sources import SourceColumns, SourceDocument, SourceInstance
from annotator.domain.tasks import TASKS
from annotator.errors import InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.registry import get_reader, guess_format


class Read:
    """What a reader gives, by kind."""

    def __init__(self, name: str, path: Path, task: str = "verification", **options) -> None:
        items = list(get_reader(name)(path, ReadOptions(TASKS[task], **options)))
        self.instances = [item for item in items if isinstance(item, SourceInstance)]
        self.documents = {item.docid: item.body for item in items if isinstance(item, SourceDocument)}
        self.problems = [item for item in items if isinstance(item, Problem) and not item.is_warning]
        self.warnings = [item.reason for item in items if isinstance(item, Problem) and item.is_warning]
        self.told = [item.told for item in items if isinstance(item, SourceColumns)]

    @property
    def splits(self) -> dict[str, str]:
        return {instance.key: instance.split for instance in self.instances}

    def evidence(self, key: str) -> list[list[str]]:
        """The words of each set's spans, of all annotations of an instance."""
        [instance] = [instance for instance in self.instances if instance.key == key]
        return [[self._words(instance, span) for span in spans] for a in instance.annotations for spans in a.sets]

    def _words(self, instance, span) -> str:
        body = self.documents[instance.segments[span.segment]]
        if span.unit == "char":
            return body.text[span.start : span.end]
        return " ".join(body.tokens.tokens()[span.start : span.end])


def write(folder: Path, **files: str) -> Path:
    """Files of a folder; in a name __ is / and a dot is _."""
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    return folder


# MultiRC -------------------------------------------------------------------------------------------------------------

TEXT = (
    "<b>Sent 1: </b>Ada didn't buy beans.<br><b>Sent 2: </b>It rained.<br><b>Sent 3: </b>In May, she planted peas.<br>"
)


def entry(key="a.txt", text=TEXT, used=(0, 2), **more) -> dict:
    answers = [{"text": "Peas", "isAnswer": True, "scores": {}}, {"text": " Beans", "isAnswer": False, "scores": {}}]
    question = {
        "question": "What did she plant? ",
        "sentences_used": list(used),
        "answers": answers,
        "idx": "0",
        **more,
    }
    return {"id": key, "paragraph": {"text": text, "questions": [question]}}


def multirc(tmp_path: Path, *entries: dict, name: str = "dev_83-fixedIds.json") -> Path:
    path = tmp_path / name
    path.write_text(json.dumps({"data": list(entries)}))
    return path


def test_every_candidate_answer_of_multirc_is_an_instance_with_the_evidence_of_its_question(tmp_path):
    answers = Read("multirc", multirc(tmp_path, entry()))
    assert answers.problems == answers.warnings == []
    assert [(i.key, i.split, i.result, i.segments["query"].text) for i in answers.instances] == [
        ("a.txt:0:0", "test", "True", "What did she plant? || Peas"),
        ("a.txt:0:1", "test", "False", "What did she plant? || Beans"),
    ]
    # tokens 0-5 and 9-15: "Ada did n't buy beans ." (6), "It rained ." (3), "In May , she planted peas ." (7)
    for instance in answers.instances:
        [annotation] = instance.annotations
        [spans] = annotation.sets
        assert [(span.start, span.end, span.unit) for span in spans] == [(0, 6, "token"), (9, 16, "token")]
        assert (annotation.annotator, annotation.result) == ("multirc", instance.result)
    assert answers.documents["a.txt"].text == "Ada didn't buy beans.\nIt rained.\nIn May, she planted peas."
    assert answers.documents["a.txt"].tokens.sentence_starts == (0, 6, 9)
    assert answers.told == ["dev_83-fixedIds.json: 2 instances kept (test 2)."]


def test_validation_of_multirc_is_drawn_from_its_train_file_by_whole_paragraphs_and_stays_the_same(tmp_path):
    train = [entry(f"{n}.txt") for n in range(57)]
    multirc(tmp_path, *train, name="train_456-fixedIds.json")
    multirc(tmp_path, entry("dev.txt"))
    splits = Read("multirc", tmp_path).splits
    counts = {name: list(splits.values()).count(name) for name in ("train", "val", "test")}
    assert counts == {"train": 100, "val": 14, "test": 2}  # round(57 × 56 / 456) = 7 paragraphs of two answers
    assert all(splits[f"{n}.txt:0:0"] == splits[f"{n}.txt:0:1"] for n in range(57))
    multirc(tmp_path, *reversed(train), name="train_456-fixedIds.json")
    assert Read("multirc", tmp_path).splits == splits
    assert set(Read("multirc", tmp_path, split="val").splits.values()) == {"val"}


def test_a_question_of_multirc_without_sentences_has_no_evidence_and_is_counted(tmp_path):
    answers = Read("multirc", multirc(tmp_path, entry(used=())))
    assert answers.evidence("a.txt:0:0") == []
    assert answers.warnings == ["Questions without evidence (sentences_used is empty): 1 (a.txt:0)."]


@pytest.mark.parametrize(
    ("wrong", "field", "reason"),
    [
        (entry(used=[3]), "paragraph.questions[0].sentences_used", "No sentence 3; the paragraph has 3, from 0."),
        (entry(text="Ada bought beans."), "paragraph.text", "Every sentence must follow its mark"),
        (entry(text="<b>Sent 2: </b>Ada."), "paragraph.text", "Every sentence must follow its mark"),
        (entry(answers=[{"text": "Peas"}]), "paragraph.questions[0].answers[0].isAnswer", "Required field 'isAnswer'"),
        ({"id": "a", "paragraph": {"text": TEXT}}, "paragraph.questions", "Required field 'questions' is missing."),
    ],
)  # fmt: skip
def test_what_is_wrong_in_multirc_is_told_with_its_place_and_the_rest_is_read(tmp_path, wrong, field, reason):
    read = Read("multirc", multirc(tmp_path, entry("good.txt"), wrong))
    [problem] = read.problems
    assert (problem.source, problem.field) == ("dev_83-fixedIds.json[1]", field)
    assert problem.reason.startswith(reason)
    assert {instance.key for instance in read.instances} == {"good.txt:0:0", "good.txt:0:1"}


def test_a_paragraph_that_multirc_has_twice_is_told(tmp_path):
    [problem] = Read("multirc", multirc(tmp_path, entry(), entry())).problems
    assert (problem.field, problem.value, problem.reason) == ("id", "a.txt", "Duplicate. Keep one.")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"data": [{"id": "a", "par', "Invalid JSON: unterminated string at character 23 of 26."),
        (b'{"version": 1}', "No list 'data'."),
        (b'{"data": "\xff"}', "Not UTF-8."),
        (b"[1]", "Must be an object {...}."),
        (b'{"idx": 0, "version": 1.1, "passage": {"text": "A."}}\n{"idx": 1, "passage": {}}\n', "SuperGLUE's release"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_multirc_is_told_with_the_files_that_are_read(tmp_path, content, words):
    path = tmp_path / "dev.json"
    path.write_bytes(content)
    read = Read("multirc", path)
    assert read.instances == []
    [problem] = read.problems
    assert problem.reason.startswith(words)
    assert problem.reason.endswith("It should be MultiRC's train_456-fixedIds.json or dev_83-fixedIds.json.")


def test_multirc_is_known_by_its_fields_on_one_line_or_on_several(tmp_path):
    path = multirc(tmp_path, entry())
    assert guess_format(path).format_name == "multirc"
    path.write_text(json.dumps({"data": [entry()]}, indent=1))
    assert guess_format(path).format_name == "multirc"


@pytest.mark.parametrize("name", ["multirc", "movies"])
def test_a_corpus_is_not_read_into_a_task_of_another_form_or_from_nothing(tmp_path, name):
    with pytest.raises(InvalidValue, match=r"a document, a query and a label\. Use verification, not 'reading'\."):
        Read(name, tmp_path, "reading")
    with pytest.raises(InvalidValue, match=r"^No (MultiRC file|reviews) \(such as"):
        Read(name, tmp_path)
    with pytest.raises(NotFound, match="No file or folder"):
        Read(name, tmp_path / "absent")


def test_boolq_is_refused_because_its_evidence_needs_a_dump_of_wikipedia():
    with pytest.raises(InvalidValue, match=r"BoolQ's files lack the evidence, which needs Wikipedia's dump of 2018"):
        get_reader("boolq")


# Tagged movie reviews ------------------------------------------------------------------------------------------------


def movies(tmp_path: Path, **reviews: str) -> Path:
    """posR_000="..." of withRats; a name that begins with no is of noRats."""
    for name, text in reviews.items():
        folder = f"{'no' if name.startswith('no') else 'with'}Rats_{name.removeprefix('no')[:3]}"
        write(tmp_path, **{f"{folder}/{name.removeprefix('no')}.txt": text})
    return tmp_path


def test_every_mark_of_a_movie_review_is_a_set_of_its_own_and_the_fold_its_split(tmp_path):
    folder = movies(
        tmp_path,
        posR_000="a <POS> superb film </POS> .\nit isn't <POS> dull\nat all </POS> .\n",
        negR_799="<NEG>no fun</NEG>, alas .\nbad .\n", posR_800="<POS> good </POS> .", nonegR_900="bad .",
    )  # fmt: skip
    reviews = Read("movies", folder)
    assert reviews.problems == []
    assert reviews.splits == {
        "posR_000.txt": "train", "negR_799.txt": "train", "posR_800.txt": "val", "negR_900.txt": "test",
    }  # fmt: skip
    assert reviews.evidence("posR_000.txt") == [["superb film"], ["dull\nat all"]]
    assert reviews.evidence("negR_799.txt") == [["no fun"]]
    assert {i.segments["query"].text for i in reviews.instances} == {"What is the sentiment of this review?"}
    assert [i.result for i in reviews.instances] == ["POS", "NEG", "POS", "NEG"]
    assert reviews.documents["posR_000.txt"].text == "a superb film .\nit isn't dull\nat all .\n"
    # a superb film . | it is n't dull | at all .
    assert reviews.documents["posR_000.txt"].tokens.sentence_starts == (0, 4, 8)
    assert reviews.documents["negR_799.txt"].text == "no fun, alas .\nbad .\n"
    [unmarked] = [i for i in reviews.instances if i.key == "negR_900.txt"]
    assert unmarked.annotations == ()
    assert reviews.warnings == [
        "Reviews of noRats, not annotated (ERASER collected marks of the last folds itself): 1 (negR_900.txt)."
    ]
    assert reviews.told[0].endswith(": 4 instances kept (train 2, val 1, test 1).")


def test_what_is_left_out_of_movie_reviews_is_counted_by_rule(tmp_path):
    folder = movies(
        tmp_path, posR_001="a <NEG> dull </NEG> and <POS>  </POS> <POS> good </POS> film .", noposR_001="a film",
        negR_002="a film .",
    )  # fmt: skip
    write(folder, **{"withRats_pos/readme.txt": "About."})
    reviews = Read("movies", folder, "sentiment")
    assert reviews.evidence("posR_001.txt") == [["good"]]
    assert reviews.evidence("negR_002.txt") == []
    assert sorted(reviews.warnings) == [
        "Left out: files of noRats whose review has marks in withRats: 1 (posR_001.txt).",
        "Left out: files with other names than posR_000.txt: 1 (readme.txt).",
        "Left out: marks for the other label: 1 (posR_001.txt).",
        "Left out: marks without words: 1 (posR_001.txt).",
        "Reviews of withRats without marks, as having no rationale: 1 (negR_002.txt).",
    ]
    assert {tuple(i.metadata.items()) for i in reviews.instances} == {
        (("query", "What is the sentiment of this review?"),)
    }


@pytest.mark.parametrize(
    ("text", "line", "value", "reason"),
    [
        ("a\n<POS> good film .", 2, "<POS>", "No </POS> follows. Close it."),
        ("good </POS> film .", 1, "</POS>", "Every <POS> needs one </POS>"),
        ("<POS> a <NEG> b </NEG> film", 1, "<NEG>", "Every <POS> needs one </POS>"),
        ("a \0 film", 1, "", "Contains a NUL character. Remove it."),
    ],
)  # fmt: skip
def test_tags_that_do_not_fit_are_told_with_their_line(tmp_path, text, line, value, reason):
    reviews = Read("movies", movies(tmp_path, posR_001=text, posR_002="<POS> good </POS>"))
    problem = reviews.problems[0]
    assert (problem.line, problem.value) == (line, value)
    assert problem.reason.startswith(reason)
    assert [i.key for i in reviews.instances] == ["posR_002.txt"]


def test_a_movie_review_in_latin_1_names_its_line_and_the_option(tmp_path):
    movies(tmp_path, posR_001="x")
    (tmp_path / "withRats_pos" / "posR_001.txt").write_bytes("good\na caf\xe9 .".encode("latin-1"))
    [problem] = Read("movies", tmp_path).problems
    assert (problem.source, problem.line, problem.value) == ("posR_001.txt", 2, "0xe9")
    assert problem.reason.startswith("Not UTF-8. Set --encoding")


def test_a_movie_review_in_the_folder_of_the_other_label_is_told(tmp_path):
    write(tmp_path, **{"withRats_pos/negR_001.txt": "<NEG> bad </NEG>"})
    [problem] = Read("movies", tmp_path).problems
    assert problem.reason == "A review of the other label in 'withRats_pos'. Move it."


def test_movie_reviews_are_known_by_the_names_of_their_folders_or_files(tmp_path):
    folder = movies(tmp_path, posR_001="<POS> good </POS> film .")
    file = folder / "withRats_pos" / "posR_001.txt"
    assert [guess_format(path).format_name for path in (folder, file.parent, file)] == ["movies"] * 3
    assert [Read("movies", path).evidence("posR_001.txt") for path in (folder, file.parent, file)] == [[["good"]]] * 3
