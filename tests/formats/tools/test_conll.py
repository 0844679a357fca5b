"""CoNLL: columns, schemes of tags, comments, blank lines, what is refused by its line, and what reads back."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from annotator.domain.sources import SourceInstance, SourceText
from annotator.domain.tasks import TASKS
from annotator.errors import ExportRefused, InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.registry import guess_format
from annotator.formats.tools.conll import read, write
from tests.formats.tools.tool_gold import LABELS, golds, instances_of, problems_of, project_options


def saved(tmp_path: Path, text: str, name: str = "tags.conll") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8"))
    return path


def numbered(_split, _texts, _annotator, line) -> str:
    return str(line)


def spans(instance: SourceInstance) -> list[list[tuple[int, int]]]:
    [annotation] = instance.annotations
    return [[(span.start, span.end) for span in one_set] for one_set in annotation.sets]


def read_numbered(path: Path, task: str = "sentiment") -> tuple[list[SourceInstance], list[Problem]]:
    items = list(read(path, ReadOptions(TASKS[task], LABELS, key_of=numbered)))
    return [i for i in items if isinstance(i, SourceInstance)], [i for i in items if isinstance(i, Problem)]


# The first sentences of CoNLL-2003's documentation, in its columns and its scheme (IOB1).
CONLL_2003 = (
    "-DOCSTART- -X- -X- O\n\nU.N. NNP I-NP I-ORG\nofficial NN I-NP O\nEkeus NNP I-NP I-PER\nheads VBZ I-VP O\nfor IN I-PP O\n"
    "Baghdad NNP I-NP I-LOC\n. . O O\n\n-DOCSTART- -X- -X- O\n\nEkeus NNP I-NP I-PER\nleft VBD I-VP O\n"
)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_conll_2003_is_known_and_each_label_is_a_set(tmp_path, ends):
    path = saved(tmp_path, CONLL_2003.replace("\n", ends), "eng.testa")
    guess = guess_format(path)
    assert guess is not None
    assert guess.format_name == "conll"
    [first, second], warnings = read_numbered(path)
    assert first.segments["text"].tokens.tokens() == ["U.N.", "official", "Ekeus", "heads", "for", "Baghdad", "."]
    assert spans(first) == [[(0, 1)], [(2, 3)], [(5, 6)]]
    assert spans(second) == [[(0, 1)]]
    assert (first.metadata, second.metadata) == ({"document": 1}, {"document": 2})
    assert [w.value for w in warnings] == ["NNP I-NP", "'ORG', 'PER', 'LOC'"]
    assert all(w.is_warning for w in warnings)


def test_a_line_of_any_white_space_alone_is_a_blank_line(tmp_path):
    path = saved(tmp_path, "\x1c\n" + CONLL_2003.replace("\n\n", "\n \x1c\n"))
    assert [len(spans(text)) for text in read_numbered(path)[0]] == [3, 1]


SCHEMES = [
    ("B-X I-X O B-X", [(0, 2), (3, 4)], "BIO"),
    ("I-X I-X O I-X B-X", [(0, 2), (3, 4), (4, 5)], "IOB1"),
    ("B-X E-X O S-X S-X", [(0, 2), (3, 4), (4, 5)], "BIOES"),
    ("B-X L-X O U-X U-X", [(0, 2), (3, 4), (4, 5)], "BILUO"),
    ("B-X M-X E-X S-X O", [(0, 3), (3, 4)], "BMES"),
    ("X X O X", [(0, 2), (3, 4)], "IO"),
    ("B I O B", [(0, 2), (3, 4)], "BIO without labels"),
]


@pytest.mark.parametrize(("tags", "wanted", "_scheme"), SCHEMES, ids=[case[2] for case in SCHEMES])
def test_all_schemes_of_tags_are_read(tmp_path, tags, wanted, _scheme):
    lines = "".join(f"w{n}\t{tag}\n" for n, tag in enumerate(tags.split()))
    [instance], _warnings = read_numbered(saved(tmp_path, lines + "\nw O\n"))[0][:1], None
    assert spans(instance) == [wanted]


def test_comments_give_key_split_label_and_metadata(tmp_path):
    text = "# sent_id = s-1\n# split = dev\n# label = positive\n# source = web\n# a remark\nso\tO\ngood\tB-why\n"
    [instance] = instances_of(read, saved(tmp_path, text))
    assert (instance.key, instance.split, instance.result) == ("s-1", "dev", "positive")
    assert instance.metadata == {"source": "web"}


def test_the_text_of_a_comment_keeps_its_blanks(tmp_path):
    [instance] = instances_of(read, saved(tmp_path, "# id = 1\n# text = Don't!\nDo\tO\nn't\tB-why\n!\tO\n"))
    body = instance.segments["text"]
    assert isinstance(body, SourceText)
    assert (body.text, body.is_text_of_tokens) == ("Don't!", False)


def test_a_number_sign_or_a_hashtag_may_be_a_token(tmp_path):
    instances, _warnings = read_numbered(saved(tmp_path, "# O\n#wow B-why\n1 O\n\ngood O\n"))
    assert [i.segments["text"].tokens.tokens() for i in instances] == [["#", "#wow", "1"], ["good"]]


def test_without_tags_other_than_o_there_is_no_rationale(tmp_path):
    instances, _warnings = read_numbered(saved(tmp_path, "good O\nfilm O\n\nwhy B-x\n"))
    assert [spans(i) for i in instances] == [[], [[(0, 1)]]]


def test_a_text_without_a_key_says_that_it_can_be_numbered(tmp_path):
    problems = problems_of(read, saved(tmp_path, "good B-x\nfilm O\n"))
    assert "--number-keys" in problems[0].reason


WRONG_LINES = [
    ("good B-x\nfilm\n\nso O\nso O\n", 2, "Text skipped: 1 columns instead of 2."),
    ("good B-x\nfilm x\n", 2, "Text skipped: invalid tag 'x' (valid: B-PER, O)."),
    ("a\tB-x\n\tO\n", 2, "Text skipped: empty token."),
]


@pytest.mark.parametrize(("text", "line", "words"), WRONG_LINES)
def test_a_wrong_line_is_told_by_its_number_and_its_text_left_out(tmp_path, text, line, words):
    _instances, problems = read_numbered(saved(tmp_path, text))
    [problem] = [p for p in problems if not p.is_warning]
    assert problem.line == line
    assert problem.reason.startswith(words)


REFUSED = [("a NN\nb VB\n", "Put them last."), ("one\nword\n", "Put them last.")]


@pytest.mark.parametrize(("text", "words"), REFUSED)
def test_what_holds_no_tags_is_refused_by_name(tmp_path, text, words):
    with pytest.raises(InvalidValue, match=words):
        list(read(saved(tmp_path, text), ReadOptions(TASKS["sentiment"])))


@given(golds())
def test_our_own_tags_read_back_with_all_sets(drawn):
    task, written = drawn
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gold.conll"
        try:
            write(path, [written], project_options(task))
        except ExportRefused:
            return  # a token that a line cannot hold
        [back] = instances_of(read, path, task, LABELS if TASKS[task].result_kind == "label" else ())
    segments = written.instance.layout.segments
    first = {segment.name: segment.first_token for segment in segments}
    now = [
        sorted({first[span.segment] + n for span in one for n in range(span.start, span.end)})
        for one in back.annotations[0].sets
    ]
    assert now == [list(one.token_indices) for one in written.sets]
    assert (back.split, back.result or "") == (" ".join(written.instance.split.split()), written.result or "")
