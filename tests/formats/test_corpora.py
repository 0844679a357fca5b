"""Corpora as their authors publish them become the instances of ERASER's appendix A. The files here are made up in their form."""

import json
from pathlib import Path

import pytest

from annotator.domain.sources import SourceColumns, SourceDocument, SourceInstance
from annotator.domain.tasks import TASKS
from annotator.errors import InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.registry import get_reader, guess_format
from tests.conftest import SHARED_DATA, needs_data


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
    assert answers.told == ["Instances kept: 2 (test 2)."]


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
    assert answers.warnings == ["Questions without evidence (empty sentences_used): 1 (a.txt:0)."]


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
    assert problem.reason.endswith("Use MultiRC's train_456-fixedIds.json or dev_83-fixedIds.json.")


def test_multirc_is_known_by_its_fields_on_one_line_or_on_several(tmp_path):
    path = multirc(tmp_path, entry())
    assert guess_format(path).format_name == "multirc"
    path.write_text(json.dumps({"data": [entry()]}, indent=1))
    assert guess_format(path).format_name == "multirc"


@pytest.mark.parametrize("name", ["multirc", "movies", "fever", "evidence-inference"])
def test_a_corpus_is_not_read_into_a_task_of_another_form_or_from_nothing(tmp_path, name):
    with pytest.raises(InvalidValue, match=r"a document, a query and a label\. Use verification, not 'reading'\."):
        Read(name, tmp_path, "reading")
    with pytest.raises(InvalidValue, match=r"^No (train_456|posR_000|train\.jsonl|'prompts_merged)"):
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
    assert reviews.told == ["Instances kept: 4 (train 2, val 1, test 1)."]


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
        "Left out: files not named like posR_000.txt: 1 (readme.txt).",
        "Left out: marks for the other label: 1 (posR_001.txt).",
        "Left out: marks without words: 1 (posR_001.txt).",
        "Left out: noRats files of reviews with marks in withRats: 1 (posR_001.txt).",
        "Unmarked reviews of withRats, as having no rationale: 1 (negR_002.txt).",
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


# FEVER ---------------------------------------------------------------------------------------------------------------

OAK = ["Oak Hill is a hill -LRB- 210 m -RRB- .", "", "Oaks grow on it ."]


def page(name: str, lines: list[str]) -> dict:
    numbered = "\n".join(f"{n}\t{line}\tOak\tOak_-LRB-tree-RRB-" if line else f"{n}\t" for n, line in enumerate(lines))
    return {"id": name, "text": " ".join(lines), "lines": f"{numbered}\n{len(lines)}\t"}


def claim(number: int, *groups: list[tuple[str | None, int | None]], label: str = "SUPPORTS", **more) -> dict:
    evidence = [[[900 + number, 10 * number, name, line] for name, line in group] for group in groups]
    return {
        "id": number,
        "verifiable": "VERIFIABLE",
        "label": label,
        "claim": f"Claim {number}.",
        "evidence": evidence,
        **more,
    }


def jsonl(*rows: dict) -> str:
    return "".join(json.dumps(row, ensure_ascii=row.get("id") != "Café") + "\n" for row in rows)


def fever(tmp_path: Path, train=(), dev=(), pages=("Oak",)) -> Path:
    files = {"train.jsonl": jsonl(*train)} if train else {}
    files |= {"shared_task_dev.jsonl": jsonl(*dev)} if dev else {}
    rows = [name if isinstance(name, dict) else page(name, OAK) for name in pages]
    half = len(rows) // 2
    files |= {
        "wiki-pages/wiki-001.jsonl": jsonl(page("", []), *rows[:half]),
        "wiki-pages/wiki-002.jsonl": jsonl(*rows[half:]),
    }
    return write(tmp_path, **files)


def test_the_lines_of_a_wiki_page_are_sentences_and_alternatives_of_fever_sets_of_their_own(tmp_path):
    name = "Oak_Hill_-LRB-hill-RRB-"
    train = [claim(1, [(name, 2), (name, 0)], [(name, 0)], [(name, 0)]), claim(2, [(name, 2)], label="REFUTES")]
    read = Read("fever", fever(tmp_path, train, pages=[name]))
    assert read.problems == read.warnings == []
    assert [(i.key, i.split, i.result, i.segments) for i in read.instances] == [
        ("1", "train", "SUPPORTS", {"document": name, "query": read.instances[0].segments["query"]}),
        ("2", "train", "REFUTES", {"document": name, "query": read.instances[1].segments["query"]}),
    ]
    assert read.instances[0].segments["query"].text == "Claim 1."
    # Two people gave line 0 alone; the empty line 1 is no sentence. Tokens are those between blanks, as ERASER's.
    assert read.evidence("1") == [[OAK[0], OAK[2]], [OAK[0]]]
    assert read.evidence("2") == [[OAK[2]]]
    body = read.documents[name]
    assert (body.text, body.tokens.sentence_starts) == (f"{OAK[0]}\n{OAK[2]}", (0, 10))
    [first, _second] = [[(span.start, span.end) for span in spans] for spans in read.instances[0].annotations[0].sets]
    assert first == [(0, 10), (10, 15)]


def test_what_eraser_leaves_out_of_fever_is_counted_by_rule(tmp_path):
    train = [
        claim(1, [("Oak", 0)]),
        claim(2, [(None, None)], label="NOT ENOUGH INFO"),
        claim(3, [("Oak", 0), ("Elm", 0)]),
        claim(4, [("Oak", 0)], [("Elm", 0)]),
        claim(5, [("Absent", 0)]),
        claim(6, [("Oak", 1)], [("Oak", 0)]),
        claim(7, [("Oak", 9)]),
        claim(8),
    ]
    read = Read("fever", fever(tmp_path, train, pages=["Oak", "Elm"]))
    assert list(read.splits) == ["1", "6"]
    assert read.evidence("6") == [[OAK[0]]]
    assert set(read.documents) == {"Oak"}
    assert sorted(read.warnings) == [
        "Left out: claims labelled NOT ENOUGH INFO: 1 (train.jsonl:2).",
        "Left out: claims whose page is missing: 1 (train.jsonl:5).",
        "Left out: claims with support in several documents: 2 (train.jsonl:3; train.jsonl:4).",
        "Left out: claims without evidence: 1 (train.jsonl:8).",
        "Left out: claims without other evidence: 1 (train.jsonl:7).",
        "Left out: evidence whose line is empty or missing: 2 (train.jsonl:6, Oak 1; train.jsonl:7, Oak 9).",
    ]
    assert read.told == ["Instances kept: 2 (train 2)."]


def test_no_document_of_fever_is_in_two_splits(tmp_path):
    train = [claim(1, [("Oak", 0)]), claim(2, [("Elm", 0)])]
    dev = [claim(n, [(name, 0)]) for n, name in enumerate(["Elm", "Ash", "Ash", "Ash", "Yew", "Yew"], start=11)]
    read = Read("fever", fever(tmp_path, train, dev, ["Oak", "Elm", "Ash", "Yew"]))
    # Ash (3 claims) is val; Yew (2), then Elm (1) go to test, which has fewer; the claim of train on Elm is left out.
    assert read.splits == {
        "1": "train", "11": "test", "12": "val", "13": "val", "14": "val", "15": "test", "16": "test",
    }  # fmt: skip
    assert read.warnings == ["Left out: train claims on a dev document: 1 (train.jsonl:2)."]
    splits_of: dict[str, set[str]] = {}
    for instance in read.instances:
        splits_of.setdefault(instance.segments["document"], set()).add(instance.split)
    assert all(len(splits) == 1 for splits in splits_of.values())


def test_files_of_fever_that_repeat_claims_or_are_nothing_to_read_are_counted(tmp_path):
    folder = fever(tmp_path, dev=[claim(1, [("Oak", 0)])])
    write(
        folder,
        **{"paper_dev.jsonl": jsonl(claim(1, [("Oak", 0)])), "shared_task_test.jsonl": '{"id": 5, "claim": "a"}\n'},
    )
    read = Read("fever", folder)
    assert read.splits == {"1": "val"}
    assert sorted(read.warnings) == [
        "Left out: claims of an earlier file: 1 (paper_dev.jsonl:1).",
        "Left out: files named neither train nor dev: 1 (shared_task_test.jsonl).",
    ]


def test_pages_are_found_whatever_form_their_letters_have_and_in_a_file_beside_the_claims(tmp_path):
    folder = fever(tmp_path, [claim(1, [("Cafe\u0301", 0)])], pages=["Café"])
    [instance] = Read("fever", folder / "train.jsonl", split="mine").instances
    assert (instance.segments["document"], instance.split) == ("Café", "mine")


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        (claim(2, [("Oak", 0)], label="MAYBE"), "label", "Must be one of SUPPORTS, REFUTES, NOT ENOUGH INFO."),
        (claim(1, [("Oak", 0)]), "id", "Duplicate of line 1. Keep one."),
        ({"id": 2, "label": "SUPPORTS", "claim": "a"}, "evidence", "Required field 'evidence' is missing."),
        (claim(2, [("Oak", "0")]), "evidence[0][0][3]", "Must be an integer or null, not text."),
        ({"id": 2, "claim": "a", "label": "SUPPORTS", "evidence_wiki_url": "Oak"}, "evidence_wiki_url", "Another release"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_claim_of_fever_is_told_with_its_line(tmp_path, row, field, reason):
    read = Read("fever", fever(tmp_path, [claim(1, [("Oak", 0)]), row]))
    [problem] = read.problems
    assert (problem.source, problem.line, problem.field) == ("train.jsonl", 2, field)
    assert problem.reason.startswith(reason)
    assert list(read.splits) == ["1"]


def test_a_torn_page_and_one_of_another_release_are_told_with_their_line(tmp_path):
    folder = fever(tmp_path, [claim(1, [("Oak", 0)])], pages=[{"id": "Oak", "text": "Oak Hill."}])
    path = folder / "wiki-pages" / "wiki-002.jsonl"
    [problem] = Read("fever", folder).problems
    assert (problem.source, problem.line, problem.field) == ("wiki-002.jsonl", 1, "lines")
    path.write_text(json.dumps(page("Oak", OAK))[:40])
    [problem] = Read("fever", folder).problems
    assert (problem.line, problem.value) == (1, '{"id": "Oak", "text": "Oak Hill is a hil')
    assert problem.reason.startswith("Invalid JSON: unterminated string")


def test_claims_of_fever_without_pages_say_what_to_put_where(tmp_path):
    write(tmp_path, **{"train.jsonl": jsonl(claim(1, [("Oak", 0)]))})
    with pytest.raises(InvalidValue, match=r"No wiki-pages/wiki-001\.jsonl in .*\. Choose another folder"):
        Read("fever", tmp_path)
    assert guess_format(tmp_path).format_name == "fever"


# Evidence Inference --------------------------------------------------------------------------------------------------

ARTICLE = "TITLE: Tea\n\nRESULTS:\nPatients with tea slept longer (p < 0.01). Pain did not differ. Mood was better with tea.\n"
SLEPT, PAIN, MOOD = "Patients with tea slept longer (p < 0.01).", "Pain did not differ.", "Mood was better with tea."
UP, SAME = "significantly increased", "no significant difference"
CODES = {UP: 1, "significantly increase": 1, SAME: 0, "invalid prompt": 0}
HEAD = "UserID,PromptID,PMCID,Valid Label,Valid Reasoning,Label,Annotations,Label Code,In Abstract,Evidence Start,Evidence End\n"


def place(quote: str) -> tuple[int, int]:
    """Where a text is, both ends within it, as the authors count."""
    return ARTICLE.index(quote), ARTICLE.index(quote) + len(quote) - 1


def marked(user: int, prompt: int, quote: str, label=UP, valid="True,True", at: tuple[int, int] | None = None) -> str:
    start, end = place(quote) if at is None else at
    return f'{user},{prompt},1,{valid},{label},"{quote}",{CODES.get(label, 7)},1,{start},{end}\n'


def trials(tmp_path: Path, *rows: str, **files: str) -> Path:
    prompts = (
        "PromptID,PMCID,Outcome,Intervention,Comparator\n7,1,sleep,tea,water\n8,1,pain,tea,water\n9,2,mood,tea,water\n"
    )
    given = {
        "prompts_merged.csv": prompts,
        "annotations_merged.csv": HEAD + "".join(rows),
        "txt_files/PMC1.txt": ARTICLE,
    }
    return write(tmp_path, **{**given, **files})


def test_the_spans_of_a_user_of_evidence_inference_are_one_set_with_both_ends_within(tmp_path):
    folder = trials(tmp_path, marked(0, 7, MOOD), marked(0, 7, SLEPT), marked(3, 7, SLEPT), marked(3, 8, PAIN, SAME))
    read = Read("evidence-inference", folder)
    [sleep, pain] = read.instances
    assert (sleep.key, sleep.result, sleep.split, sleep.segments["document"]) == ("7", UP, "", "PMC1")
    assert sleep.segments["query"].text == "tea || water || sleep"
    assert [(a.annotator, a.result, len(a.sets)) for a in sleep.annotations] == [("user 0", UP, 1), ("user 3", UP, 1)]
    assert read.evidence("7") == [[SLEPT, MOOD], [SLEPT]]
    assert (pain.result, read.evidence("8")) == (SAME, [[PAIN]])
    assert read.documents["PMC1"].text == ARTICLE
    assert read.warnings == ["Left out: prompts without an article: 1 (prompts_merged.csv:4)."]
    assert read.told == ["Instances kept: 2 (no split 2)."]


def test_offsets_of_evidence_inference_are_compared_with_the_quoted_text_and_moved_a_few_characters(tmp_path):
    start, end = place(SLEPT)
    folder = trials(
        tmp_path,
        marked(0, 7, SLEPT, at=(start - 1, end)),  # begins with the line end before: the same text
        marked(1, 7, SLEPT, at=(start + 4, end + 4)),
        marked(2, 7, SLEPT, at=(start, end + 1)),  # end exclusive
        marked(3, 7, "Patients with tea slept longer (p<0.01)", at=(start, end)),  # same words, other signs
        marked(4, 7, SLEPT, at=(-1, -1)),
        marked(5, 7, "Nobody slept.", at=(start, end)),
        marked(6, 7, SLEPT, at=(9_000, 9_040)),
    )  # fmt: skip
    read = Read("evidence-inference", folder)
    [instance] = read.instances
    assert [a.annotator for a in instance.annotations] == ["user 0", "user 1", "user 2", "user 3"]
    assert read.evidence("7") == [[SLEPT]] * 4
    assert sorted(read.warnings) == [
        "Left out: prompts without a span: 1 (prompts_merged.csv:3).",
        "Left out: prompts without an article: 1 (prompts_merged.csv:4).",
        "Left out: spans whose text isn't there or nearby: 2 (annotations_merged.csv:7; annotations_merged.csv:8).",
        "Left out: spans without place (-1): 1 (annotations_merged.csv:6).",
        "Spans moved to the quoted text nearby: 1 (annotations_merged.csv:3).",
    ]


def test_annotations_that_do_not_count_are_left_out_and_the_label_is_that_of_most(tmp_path):
    folder = trials(
        tmp_path, marked(0, 7, SLEPT, SAME), marked(1, 7, SLEPT, "significantly increase"), marked(2, 7, MOOD), marked(3, 7, PAIN, valid="0,1"),
        marked(4, 7, PAIN, valid="True,False"), marked(5, 7, "", "invalid prompt", at=(-1, -1)), marked(6, 99, PAIN),
    )  # fmt: skip
    read = Read("evidence-inference", folder)
    [instance] = read.instances
    assert instance.result == UP
    assert [(a.annotator, a.result) for a in instance.annotations] == [("user 0", SAME), ("user 1", UP), ("user 2", UP)]
    assert {warning.rpartition(":")[0].rpartition(" (")[0] for warning in read.warnings} >= {
        "Left out: annotations rejected by the verifier (Valid Label, Valid Reasoning): 2",
        "Left out: annotations “invalid prompt”: 1",
        "Left out: annotations without a prompt: 1",
    }


def test_splits_of_evidence_inference_are_those_of_the_authors_lists(tmp_path):
    lists = {"splits/train_article_ids.txt": "3\n", "splits/validation_article_ids.txt": "2\n1\n"}
    folder = trials(tmp_path, marked(0, 7, SLEPT), marked(0, 9, SLEPT), **{"txt_files/PMC2.txt": ARTICLE}, **lists)
    assert Read("evidence-inference", folder).splits == {"7": "val", "9": "val"}
    assert Read("evidence-inference", folder, split="train").splits == {}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"prompts_merged.csv": None}, r"^No 'prompts_merged\.csv', 'prompts\.csv' in .*\. Choose another folder\.$"),
        ({"annotations_merged.csv": None}, r"^No 'annotations_merged\.csv', "),
        ({"txt_files/PMC1.txt": None}, r"^No txt_files/PMC….txt in .*\. Choose another folder\.$"),
    ],
)  # fmt: skip
def test_a_partner_file_of_evidence_inference_that_is_missing_is_named(tmp_path, files, words):
    folder = trials(tmp_path, marked(0, 7, SLEPT))
    for name in files:
        (folder / name).unlink()
    with pytest.raises(InvalidValue, match=words):
        Read("evidence-inference", folder)


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        (marked(0, 7, SLEPT, "better"), "Label Code", "Must be one of -1, 0, 1."),
        (marked(0, 7, SLEPT, at=("x", 2)), "Evidence Start", "Must be a whole number, or -1."),
        ("0,7,1\n", "line", "Row has 3 cells, header 11 columns."),
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_tables_of_evidence_inference_is_told_with_its_line(tmp_path, row, field, reason):
    read = Read("evidence-inference", trials(tmp_path, marked(0, 8, PAIN), row))
    [problem] = read.problems
    assert (problem.source, problem.line, problem.field) == ("annotations_merged.csv", 3, field)
    assert problem.reason.startswith(reason)
    assert list(read.splits) == ["8"]


def test_a_table_of_evidence_inference_with_other_columns_names_those_that_are_missing(tmp_path):
    folder = trials(tmp_path, **{"annotations_merged.csv": "UserID,PromptID,PMCID,Label\n0,7,1,a\n"})
    [problem] = Read("evidence-inference", folder).problems
    assert problem.reason.startswith("Columns 'Valid Label', 'Valid Reasoning', 'Label Code'")


def test_an_article_that_is_not_utf_8_is_told_with_its_line(tmp_path):
    folder = trials(tmp_path, marked(0, 7, SLEPT), marked(0, 8, PAIN))
    (folder / "txt_files" / "PMC1.txt").write_bytes(b"Tea\ncaf\xe9\n")
    [problem] = Read("evidence-inference", folder).problems
    assert (problem.source, problem.line, problem.value) == ("PMC1.txt", 2, "0xe9")


def test_evidence_inference_is_known_by_its_columns_and_read_from_one_of_its_tables(tmp_path):
    folder = trials(tmp_path, marked(0, 7, SLEPT))
    for path in (folder, folder / "prompts_merged.csv", folder / "annotations_merged.csv"):
        assert guess_format(path).format_name == "evidence-inference"
        assert list(Read("evidence-inference", path).splits) == ["7"]
    assert Read("evidence-inference", folder / "prompts_merged.csv", split="train").splits == {}
    with pytest.raises(NotFound):
        Read("evidence-inference", folder / "absent.csv")


@needs_data
def test_a_real_part_of_evidence_inference_2_has_every_quoted_text_where_it_says():
    """Of version 1.1, which ERASER has, no part is at hand. 59 rows say “significantly increase”, code 1."""
    read = Read("evidence-inference", SHARED_DATA / "evidence_inference" / "raw")
    assert len(read.instances) > 100
    assert read.problems == []
    assert not [warning for warning in read.warnings if "quoted text" in warning]
