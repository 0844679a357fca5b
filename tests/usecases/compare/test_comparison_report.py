"""A comparison as one HTML page: the words of the Metrics page, texts with maps and gold, nothing from outside but as text."""

import re
import shlex
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from annotator.cli.main import run
from annotator.domain.models import MarkedPart, Quotes, Run, SourceOutput, SourceRationale
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed, NotFound
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.events import all_events
from annotator.store.instances import find_instance_ids
from annotator.usecases.compare import report_texts
from annotator.usecases.compare.comparison_report import comparison_report, score_for_report, write_report
from annotator.usecases.compare.report_content import two_models_of
from annotator.usecases.compare.report_request import ReportRequest, TextChoice
from annotator.usecases.inspect.text_lists import put_on_list, save_instance
from tests.usecases.compare.hostile_comparison import HOSTILE, hostile_project, hostile_request
from tests.usecases.transfer.comparing import (
    N,
    blind,
    key_of,
    knowing,
    mistaken,
    output,
    project_of,
    rows_of,
    said,
    take,
)

PAIR = {"base": "mistaken", "other": "knowing"}
PAIR_OF_TWO = {"base": "blind", "other": "knowing"}
# What a page of ours is made of; none of it loads or runs anything.
TAGS = frozenset(
    """html head meta title style body main h1 h2 h3 h4 dl dt dd div section p span table thead tbody tfoot tr th td small figure
    figcaption svg line path rect circle polyline g text ul li article header i b pre""".split()  # noqa: SIM905
)


class Page(HTMLParser):
    """The tags and attributes of a page, and the texts of what stands in headings and `pre`."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[tuple[str, str]] = []
        self._within: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag != "meta":
            self._within.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        while self._within and self._within.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._within and data.strip():
            self.texts.append((self._within[-1], data))

    def of(self, tag: str) -> list[str]:
        return [text for within, text in self.texts if within == tag]

    @property
    def words(self) -> str:
        return " ".join(" ".join(text for within, text in self.texts if within != "style").split())


@pytest.fixture
def compared(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """One model knows the gold and most labels, the other neither; a third one is blind."""
    made = project_of(make_project, import_rows)
    for model, scores, n_right in (("knowing", knowing, 36), ("mistaken", mistaken, 10), ("third", blind, 20)):
        take(store, made, (output(k, Run(model, "ig", is_signed=True), scores(k)) for k in range(N)))
        take(store, made, (output(k, Run(model), None, [said(k, k < n_right, p=0.6 + k / 100)]) for k in range(N)))
    return made


def page_of(store: Store, project: Project, actor: User = LOCAL_OPERATOR, **asked: object) -> Page:
    return Page(comparison_report(store, actor, project, ReportRequest(**asked)).html)  # type: ignore[arg-type]


def keys_of(page: Page) -> list[str]:
    return [text for text in page.of("h3") if re.fullmatch(r"t\d\d", text)]


def test_the_page_says_what_was_asked_and_what_the_numbers_are(store: Store, compared: Project) -> None:
    page = page_of(store, compared, **PAIR)
    assert page.of("h1") == ["knowing against mistaken: Project"]
    assert "policy “all”: 40 texts, 40 rationale sets" in page.words
    assert "mistaken, knowing" not in page.words
    assert "knowing, mistaken" in page.words
    assert "third" not in page.words  # only the two that were named
    assert "knowing · ig: better than random on this gold" in page.words
    assert "mistaken · ig: worse than random on this gold" in page.words
    assert "Source: " in page.words
    assert re.search(r"Version rationale annotator \d", page.words)
    assert re.search(r"Date \d{4}-\d\d-\d\d", page.words)


def test_of_two_models_it_tells_what_is_won_lost_and_kept(store: Store, compared: Project) -> None:
    words = page_of(store, compared, **PAIR).words
    assert "Only knowing is right on 26 texts (won), only mistaken on none (lost)." in words
    assert "Both right: 10; both wrong: 4." in words
    assert "Accuracy 90.0 % against 25.0 % (n 40): knowing is better." in words
    assert "+0.650 [" in words
    assert "< .001" in words
    assert "Where the base was unsure" in words


def test_without_two_models_all_are_in_the_table_and_nothing_is_won_or_lost(store: Store, compared: Project) -> None:
    page = page_of(store, compared)
    assert page.of("h1") == ["Models of Project"]
    assert "third · ig" in page.words
    assert "(won)" not in page.words


def test_texts_are_drawn_from_the_seed_and_the_first_are_those_of_a_longer_draw(
    store: Store, compared: Project
) -> None:
    short, long = (keys_of(page_of(store, compared, texts=TextChoice(n=n, seed=3))) for n in (4, 9))
    assert len(long) == 9
    assert short == long[:4]
    assert keys_of(page_of(store, compared, texts=TextChoice(n=4, seed=4))) != short
    assert (
        "9 texts of 40 with gold, drawn at random from seed 3"
        in page_of(store, compared, texts=TextChoice(n=9, seed=3)).words
    )


def test_the_texts_on_which_two_models_differ_most_come_first(store: Store, compared: Project) -> None:
    """From 10 to 35 one model is right and the other wrong, both with the probability 0.6 + k / 100: the later the more."""
    page = page_of(store, compared, **PAIR, texts=TextChoice("differences", 3))
    assert keys_of(page) == [key_of(35), key_of(34), key_of(33)]
    assert "They are not typical of the rest." in page.words


def test_texts_of_a_list_and_of_keys_come_in_their_order(store: Store, compared: Project) -> None:
    [second], [first] = (find_instance_ids(store, compared.id, key_of(n)) for n in (2, 1))
    saved = save_instance(store, LOCAL_OPERATOR, compared.id, second, "Hard ones", "")
    put_on_list(store, LOCAL_OPERATOR, saved.id, first)
    assert keys_of(page_of(store, compared, texts=TextChoice("list", list_name="Hard ones"))) == [key_of(2), key_of(1)]
    keys = (key_of(7), key_of(3))
    assert keys_of(page_of(store, compared, texts=TextChoice("keys", keys=keys))) == list(keys)


def test_a_map_has_heat_the_top_k_and_gold_and_says_what_its_colours_mean(store: Store, compared: Project) -> None:
    html = comparison_report(
        store, LOCAL_OPERATOR, compared, ReportRequest(**PAIR, texts=TextChoice("keys", keys=("t01",)))
    ).html
    assert '<span class="s10 g0 top">w1x3</span>' in html  # token 3 is gold; one word of eight is the top k
    assert '<span class="o10 g0">w1x3</span>' in html  # the mistaken model is against it
    page = Page(html)
    assert "− opposes, + supports an unnamed label" in page.words
    assert "−1.00 0 1.00" in page.words  # the scale is symmetric
    assert "✓ negative 61 %" in page.words
    assert "gold set A, 1 token" in page.words
    assert "Best-set token F1 1.00" in page.words


def test_the_maps_of_two_models_by_one_method_share_their_scale(store: Store, compared: Project) -> None:
    take(
        store,
        compared,
        (output(k, Run("loud", "ig", is_signed=True), [2 * score for score in knowing(k)]) for k in range(N)),
    )
    words = page_of(store, compared, models=("knowing", "loud"), texts=TextChoice("keys", keys=("t01",))).words
    assert words.count("−2.00 0 2.00") == 2


@pytest.mark.parametrize(
    ("quotes", "sentence"),
    [
        (Quotes(3, 1, ("<b>nowhere</b>",)), "1 of 3 quotes is not in the text: “<b>nowhere</b>”."),
        (Quotes(9, 7, tuple("abcdefg")), "7 of 9 quotes are not in the text: “a”, “b”, “c”, “d”, “e” and 2 more."),
        (Quotes(2, 2), "2 of 2 quotes are not in the text."),
        (Quotes(2), ""),
    ],
)
def test_quotes_that_are_not_in_a_text_are_told_below_its_map(
    store: Store, compared: Project, quotes: Quotes, sentence: str
) -> None:
    said_of_one = SourceRationale("hard", (MarkedPart(((0, 1),)),), outcome=quotes)
    run = Run("gpt", "quotes")
    take(store, compared, [SourceOutput(key_of(2), run, "f", 1, None, rationales=(said_of_one,))])
    page = page_of(store, compared, models=("gpt",), texts=TextChoice("keys", keys=(key_of(2),)))
    assert "selected tokens are boxed" in page.words
    assert [words for words in page.of("p") if "in the text" in words] == [sentence][: bool(sentence)]


def test_names_are_in_it_only_where_they_are_asked_for(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project(gold_policy="all")
    import_rows(made, rows_of(range(N), annotator="Ada Lovelace"))
    take(store, made, (output(k, Run("knowing", "ig"), knowing(k), [said(k, True)]) for k in range(N)))
    assert "Lovelace" not in comparison_report(store, LOCAL_OPERATOR, made, ReportRequest()).html
    assert "gold set A, 1 token, by Ada Lovelace" in page_of(store, made, has_names=True).words


@pytest.fixture
def of_two(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Ada marked all texts; Bob the first word of the first ten."""
    made = make_project(gold_policy="all")
    import_rows(made, rows_of(range(N), annotator="Ada Lovelace"))
    import_rows(made, rows_of(range(10), annotator="Bob Bell", rationales=[[[0, 1]]]))
    take(store, made, (output(k, Run("knowing", "ig"), knowing(k), [said(k, True)]) for k in range(N)))
    take(store, made, (output(k, Run("blind", "ig"), blind(k), [said(k, k < 9)]) for k in range(N)))
    return made


def test_a_report_of_a_group_says_which_and_of_how_many_texts_and_shows_no_others(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project(gold_policy="all")
    import_rows(made, [{**row, "split": "dev" if n < 7 else "test"} for n, row in enumerate(rows_of(range(N)))])
    take(store, made, (output(k, Run("knowing", "ig"), knowing(k), [said(k, True)]) for k in range(N)))
    options = ScoringOptions(by="split", group="dev")
    page = page_of(store, made, options=options, texts=TextChoice(n=30))
    assert page.of("h1") == ["Models of Project, split dev"]
    assert "Metrics: split dev (7 texts)" in page.of("h2")
    assert "Group split dev: 7 texts" in page.words
    assert "7 instances with gold (policy “all”, split dev)" in page.words
    assert sorted(keys_of(page)) == [key_of(n) for n in range(7)]
    by_key = page_of(store, made, options=options, texts=TextChoice("keys", keys=(key_of(3), key_of(20))))
    assert keys_of(by_key) == [key_of(3)]
    assert "1 text is left out, not being of the group “split dev”." in by_key.words
    with pytest.raises(NotFound, match=r"No gold instance has split 'train', only 'dev', 'test'\."):
        page_of(store, made, options=ScoringOptions(by="split", group="train"))


def test_of_an_annotators_group_nobody_is_named_until_names_are_asked_for(store: Store, of_two: Project) -> None:
    for group in ("Bob Bell", None):
        options = ScoringOptions(by="annotator", group=group)
        html = comparison_report(store, LOCAL_OPERATOR, of_two, ReportRequest(options=options)).html
        assert "Bell" not in html
        assert "Lovelace" not in html
    options = ScoringOptions(by="annotator", group="Bob Bell")
    page = page_of(store, of_two, options=options, **PAIR_OF_TWO)
    assert "Metrics: annotator (unnamed) (10 texts)" in page.of("h2")
    assert "--group-by annotator --group NAME" in page.of("pre")[0]
    assert "with the annotator’s name in the place of NAME" in page.words
    assert "Annotator groups affect only gold sets, not labels or answers." in page.words
    named = page_of(store, of_two, options=options, has_names=True)
    assert "Metrics: annotator Bob Bell (10 texts)" in named.of("h2")
    assert "Lovelace 40" in named.words


def test_the_texts_of_an_annotators_group_have_that_persons_sets_alone(store: Store, of_two: Project) -> None:
    options, texts = ScoringOptions(by="annotator", group="Bob Bell"), TextChoice("keys", keys=(key_of(3), key_of(20)))
    page = page_of(store, of_two, options=options, texts=texts, has_names=True)
    assert keys_of(page) == [key_of(3)]
    assert "gold set A, 1 token, by Bob Bell" in page.words
    assert "gold set B" not in page.words
    everybody = page_of(store, of_two, texts=texts, has_names=True)
    assert "gold set B, 1 token, by Bob Bell" in everybody.words


def test_who_may_not_see_all_annotations_gets_no_report_of_an_annotators(
    store: Store, of_two: Project, add_person: Callable[..., User]
) -> None:
    """Not even where the numbers are there already, as on the page."""
    request = ReportRequest(options=ScoringOptions(by="annotator", group="Bob Bell"))
    table = score_for_report(store, LOCAL_OPERATOR, of_two, request)
    researcher = add_person("res", of_two, "researcher")
    with pytest.raises(NotAllowed, match="see all annotations"):
        comparison_report(store, researcher, of_two, request, table=table)


def test_against_a_row_the_differences_are_in_it_with_interval_p_correction_and_words(
    store: Store, compared: Project
) -> None:
    page = page_of(store, compared, against="mistaken/ig", columns=("editing.mrr", "eraser.accuracy"))
    assert "Differences from mistaken · ig" in page.of("h2")
    assert "reference for the other rows" in page.words
    assert "Holm-corrected for this table's 10 comparisons" in page.words
    assert re.search(r"knowing · ig: \+0\.\d+ \[\+0\.\d+, \+0\.\d+\], p < \.001.*?: better", page.words)
    assert "Differences from" not in page_of(store, compared).words


def test_the_texts_in_which_two_rows_differ_are_listed_and_shown_with_both_maps_first(
    store: Store, compared: Project
) -> None:
    asked = {
        "against": "third",
        "row": "knowing",
        "metric": "editing.mrr",
        "columns": ("eraser.accuracy", "editing.mrr"),
    }
    page = page_of(store, compared, texts=TextChoice("differences", 2), models=("knowing", "mistaken"), **asked)
    assert "Where they differ: MRR with removal (sentence editing) ↑" in page.of("h3")
    assert "Instances: knowing · ig higher in 35, third · ig in 0, equal in 5." in page.words
    assert "third · ig is higher No text to list." in page.words
    assert keys_of(page) == [key_of(7), key_of(15)]
    assert "The 2 texts in which knowing · ig and third · ig differ most: MRR" in page.words
    assert page.of("h4")[2:5] == ["knowing · ig", "third · ig", "mistaken · ig"]
    first = page_of(store, compared, against="third", columns=("eraser.accuracy",))
    assert "Where they differ: Accuracy" in first.words


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"against": "unknown"}, "Unknown row 'unknown'. Available:"),
        (
            {"against": "third", "row": "third"},
            "'third' is not among the rows that are compared with third · ig: knowing",
        ),
        ({"against": "third", "metric": "eraser.f1"}, "no column 'eraser.f1' to compare rows in"),
    ],
)
def test_rows_and_numbers_that_are_not_compared_are_named(
    store: Store, compared: Project, asked: dict[str, object], sentence: str
) -> None:
    with pytest.raises(NotFound, match=sentence):
        page_of(store, compared, **asked)


@pytest.fixture
def unfinished(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Two models, and texts that more annotators may still be given."""
    made = make_project(gold_policy="all", annotators_per_instance=3)
    import_rows(made, rows_of(range(N), annotator="source"))
    for model, scores in (("knowing", knowing), ("blind", blind)):
        take(store, made, (output(k, Run(model, "ig"), scores(k), [said(k, True)]) for k in range(N)))
    return made


def test_what_somebody_may_still_be_given_is_not_among_the_texts_that_differ(
    store: Store, unfinished: Project, add_person: Callable[..., User]
) -> None:
    made, ada = unfinished, add_person("ada", unfinished, "researcher", "annotator")
    asked = {"against": "blind", "columns": ("editing.mrr",), "texts": TextChoice(n=0)}
    page = page_of(store, made, ada, **asked)
    assert "35 texts that differ are not listed" in page.words
    assert not re.search(r"\bt\d\d\b", page.words)
    assert re.search(r"\bt\d\d\b", page_of(store, made, **asked).words)


def test_a_researcher_may_make_a_report_but_not_with_names(
    store: Store, compared: Project, add_person: Callable[..., User]
) -> None:
    ada = add_person("ada", compared, "researcher")
    assert keys_of(page_of(store, compared, ada))
    n_events = len(list(all_events(store, compared.id)))
    with pytest.raises(NotAllowed, match="see all annotations"):
        page_of(store, compared, ada, has_names=True)
    assert len(list(all_events(store, compared.id))) == n_events


def test_texts_that_somebody_may_still_be_given_are_left_out_for_them_and_counted(
    store: Store, unfinished: Project, add_person: Callable[..., User]
) -> None:
    made, ada = unfinished, add_person("ada", unfinished, "researcher", "annotator")
    page = page_of(store, made, ada, texts=TextChoice(n=5))
    assert keys_of(page) == []
    assert "5 texts are left out, which whoever made this report annotates or may still be given." in page.words
    assert len(keys_of(page_of(store, made, texts=TextChoice(n=5)))) == 5


def test_whatever_names_and_texts_hold_stays_text(store: Store, tmp_path: Path) -> None:
    made = hostile_project(store, tmp_path)
    request = hostile_request()
    page = Page(comparison_report(store, LOCAL_OPERATOR, made, request, file_name=HOSTILE).html)
    assert page.tags <= TAGS
    assert page.of("h1") == page.of("title") == [request.title]
    assert f"{HOSTILE}1" in page.of("h3")
    addressed = {(tag, name) for tag, name, _ in page.attributes if name in {"src", "href", "action", "data", "srcset"}}
    assert addressed == set()
    assert not any(name.startswith("on") for _, name, _ in page.attributes)
    assert ("meta", "http-equiv", "Content-Security-Policy") in page.attributes
    policy = next(value for tag, name, value in page.attributes if name == "content" and "default-src" in value)
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    assert not any("url(" in value for _, _, value in page.attributes)


def test_the_command_on_the_page_makes_the_same_page(
    store: Store, compared: Project, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = ReportRequest(
        "Ours 'against' theirs", "mistaken", "knowing", methods=("ig",), columns=("sets.best_f1",),
        texts=TextChoice(n=3, seed=9),
        options=ScoringOptions(split="", explained="gold", by="label", group="negative"),
        against="mistaken · ig", row="knowing · ig", metric="sets.best_f1",
    )  # fmt: skip
    write_report(store, LOCAL_OPERATOR, compared, request, tmp_path / "one.html")
    first = (tmp_path / "one.html").read_text(encoding="utf-8")
    [command] = Page(first).of("pre")
    program, *words = shlex.split(command)
    monkeypatch.chdir(database.parent)
    (tmp_path / "one.html").rename(tmp_path / "kept.html")
    words[words.index("one.html")] = str(tmp_path / "one.html")
    assert (program, run(words)) == ("annotator", 0)
    assert (tmp_path / "one.html").read_text(encoding="utf-8") == first
    assert str(database.parent) not in first


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"models": ("knowing", "unknown")}, r"have no model 'unknown' \(there is knowing, mistaken, third\)"),
        ({"methods": ("lime",)}, r"have no method 'lime' \(there is ig\)"),
        ({"columns": ("eraser.f1",)}, "have no column 'eraser.f1'"),
        ({"texts": TextChoice("list", list_name="Hard")}, r"has no list 'Hard' \(it has none yet\)"),
        ({"texts": TextChoice("keys", keys=("t99",))}, "has no instance 't99'"),
    ],
)
def test_what_is_not_there_is_named(store: Store, compared: Project, asked: dict[str, object], sentence: str) -> None:
    with pytest.raises(NotFound, match=sentence):
        page_of(store, compared, **asked)


def test_a_project_without_output_is_refused(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    with pytest.raises(NotFound, match="There are no numbers of 'Project' to report"):
        page_of(store, project_of(make_project, import_rows))


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"base": "a"}, "Name two models"),
        ({"base": "a", "other": "a"}, "both 'a'"),
        ({"texts": {"how": "differences"}}, "Differing texts need --base and --other, or --against."),
        ({"options": ScoringOptions(group="x")}, "A group needs a grouping. Set --group-by."),
        ({"row": "a"}, "--instances and --instances-in need --against."),
        ({"texts": {"n": 501}}, "A report shows at most 500 texts, not 501."),
        ({"texts": {"seed": -1}}, "Seed is -1; use 0 or more."),
        ({"title": "x" * 201}, r"Use one line of up to 200 visible characters for the title\."),
        ({"title": "two\nlines"}, "one line"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_what_can(asked: dict[str, object], sentence: str) -> None:
    texts = asked.pop("texts", {})
    with pytest.raises(InvalidValue, match=sentence):
        ReportRequest(**asked, texts=TextChoice(**texts))  # type: ignore[arg-type]


def test_two_models_of_a_project_that_asks_for_answers_are_not_compared(
    store: Store, make_project: Callable[..., Project]
) -> None:
    with pytest.raises(InvalidValue, match="'Project' asks for answers. Leave out --base and --other."):
        two_models_of(store, LOCAL_OPERATOR, make_project("reading"), ReportRequest(base="a", other="b"))


def test_a_page_that_could_hardly_be_opened_is_refused_with_its_size(
    store: Store, compared: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_texts, "MOST_WORDS", 100)
    with pytest.raises(
        InvalidValue,
        match=r"10 texts with 3 heatmaps have 240 words; a page of more than 100 is slow to open\. Ask for fewer texts, or for fewer methods\.",
    ):
        page_of(store, compared)


def test_a_report_is_in_the_record(store: Store, compared: Project, tmp_path: Path) -> None:
    write_report(store, LOCAL_OPERATOR, compared, ReportRequest(texts=TextChoice(n=2)), tmp_path / "ours.html")
    event = list(all_events(store, compared.id))[-1]
    assert (event.action, event.detail) == ("export", {"format": "report", "file": "ours.html", "instances": 2})
