"""Asking models from Python: attributions of a project, a text that is not stored, and how a notebook shows an instance."""

from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

import annotator
from annotator.api import Database, Project
from annotator.errors import InvalidValue, ModelError, NotFound
from annotator.store import Store

TEXTS = {"good": "positive", "great": "positive", "bad": "negative", "awful": "negative"}


class _Words(HTMLParser):
    """The text of a page, and whether it is well formed and only shows."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.open: list[str] = []
        self.titles: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {"div", "span", "b", "sup"}
        assert {name for name, _ in attrs} <= {"style", "title", "class", "dir"}
        self.titles += [value or "" for name, value in attrs if name == "title"]
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> _Words:
    words = _Words()
    words.feed(html)
    words.close()
    assert not words.open
    return words


@pytest.fixture
def db(database: Path, make_project: Callable[..., object], import_rows: Callable[..., object]) -> Iterator[Database]:
    rows = [
        {"id": f"{word}{n}", "text": f"A {word} film number {n} .", "label": label, "rationales": [[[1, 2]], [[1, 3]]]}
        for word, label in TEXTS.items()
        for n in range(3)
    ]
    rows.append({"id": "<i>", "text": "<script>alert(1)</script> & $x$ bad", "label": "negative", "rationales": []})
    import_rows(make_project(), rows)
    with annotator.open(database) as opened:
        yield opened


@pytest.fixture
def opened(db: Database) -> Project:
    return db.project("Project")


def test_attributions_are_computed_and_stored(opened: Project) -> None:
    steps: list[tuple[int, int]] = []
    report = opened.attribute(
        "built-in", "lime", seeds=[1, 2], params={"samples": 20}, progress=lambda *of: steps.append(of)
    )
    assert (report.n_answers, report.n_attributions, report.n_left_out) == (13, 26, 0)
    assert steps[-1] == (13, 13)
    assert opened.attributions("built-in", "lime")["seed"].drop_duplicates().tolist() == [1, 2]
    assert opened.attribute("built-in", "lime", seeds=1, params={"samples": 20}).n_attributions == 0
    with pytest.raises(InvalidValue, match="has no parameter depth"):
        opened.attribute("built-in", "lime", params={"depth": 3})


def test_a_text_that_is_not_stored_is_explained_and_not_kept(opened: Project) -> None:
    before = len(opened.instances())
    shown = opened.explain("A great film.", methods=["linear", "occlusion"])
    assert shown.tokens == ["A", "great", "film", "."]
    [answer] = shown.predictions().to_dict("records")
    assert (answer["model"], answer["answer"]) == ("built-in", "positive")
    maps = shown.attributions()
    assert maps["method"].tolist() == ["linear", "occlusion"]
    assert maps["target"].tolist() == ["positive"] * 2
    assert max(maps["scores"][0]) == maps["scores"][0][1]
    assert len(opened.instances()) == before
    assert opened.attributions().empty
    against = opened.explain("A great film.", methods="linear", label="negative").attributions()["scores"][0]
    assert min(against) == against[1]


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"text": " "}, InvalidValue, "The text is empty"),
        ({"text": {"body": "x"}}, InvalidValue, "The text is empty"),
        ({"text": {"text": "x", "body": "y"}}, InvalidValue, r"Unknown segment 'body'\. Available: text\."),
        ({"text": "x", "methods": "shap"}, InvalidValue, "Unknown method 'shap'. Any model:"),
        (
            {"text": "x", "label": "neutral"},
            InvalidValue,
            r"'built-in' has no label 'neutral'\. Available: negative, positive\.",
        ),
        ({"text": "x", "model": "nowhere"}, InvalidValue, r"'nowhere' isn't a model\. Use built-in, "),
    ],
)
def test_what_cannot_be_explained_is_refused(
    opened: Project, options: dict[str, object], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        opened.explain(**options)


def test_a_pair_needs_both_of_its_texts(db: Database, make_project: Callable[..., object]) -> None:
    make_project("similarity", "Pairs")
    with pytest.raises(InvalidValue, match=r"Texts of 'Pairs' need sentence1 and sentence2; 'sentence2' is empty\."):
        db.project("Pairs").explain("one text")
    make_project("reading", "Reading")
    with pytest.raises(ModelError, match=r"needs answers\."):
        db.project("Reading").explain({"passage": "It rained .", "question": "Why ?"})


def test_a_notebook_shows_an_instance_with_its_sets_and_maps(opened: Project) -> None:
    opened.attribute("built-in", "linear")
    shown = opened.instance("good1")
    assert (shown.sets, repr(shown)) == ([[1], [1, 2]], "<annotator instance 'good1', 6 tokens>")
    words = read(shown._repr_html_())
    assert "good1 · gold: positive · 2 rationale sets" in words.text
    assert "A ABgood film number 1 ." in words.text  # both sets begin at "good"
    assert "built-in · linear · for “positive”" in words.text
    assert len(words.titles) == 6


def test_runs_that_differ_in_their_seed_alone_are_shown_by_the_first(opened: Project) -> None:
    opened.attribute("built-in", "lime", seeds=[3, 5], params={"samples": 20})
    text = read(opened.instance("good1")._repr_html_()).text
    assert "lime · seed 3 (of 2 seeds)" in text
    assert "seed 5" not in text
    assert opened.instance("good1").attributions()["seed"].tolist() == [3, 5]


def test_text_from_people_is_shown_as_text(opened: Project) -> None:
    opened.attribute("built-in", "linear")
    html = opened.instance("<i>")._repr_html_()
    assert "<script" not in html
    assert "<script>alert(1)</script> & $x$ bad" in read(html).text
    assert "mathjax_ignore" in html
    hostile = opened.explain('<img src=x onerror="a">')._repr_html_()
    assert '<img src=x onerror="a">' in read(hostile).text


def test_an_instance_is_named_by_key_and_where_needed_by_split(
    opened: Project, import_rows: Callable[..., object], store: Store
) -> None:
    import_rows(opened.rules, [{"id": "good1", "text": "Another .", "label": "positive", "split": "test"}])
    with pytest.raises(NotFound, match="No text with ID 'nowhere' in"):
        opened.instance("nowhere")
    with pytest.raises(InvalidValue, match=r"ID 'good1' is in several splits \('', 'test'\)\. Choose one\."):
        opened.instance("good1")
    assert opened.instance("good1", split="test").tokens == ["Another", "."]
    assert opened.instance("good1", split="test").attributions().empty
