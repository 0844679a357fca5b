"""Everything that is chosen on the Metrics page, as its address has it: each piece is declared here, once."""

from collections.abc import Callable

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import unsaid
from annotator.web.page_choices import PageChoices, Params, Piece
from annotator.web.session import is_just_opened

_PROJECT = "project"

INTERVALS = Piece("intervals", unsaid("intervals"))
POLICY = Piece("policy", unsaid("the gold policy"))
SPLIT = Piece("split", unsaid("the split"))
GROUPING = Piece("group_by", unsaid("the grouping by"))
GROUP = Piece("group", unsaid("the group"))
GROUP_METRIC = Piece("group_metric", unsaid("the group metric"))
GROUP_PAGE = Piece("group_page", unsaid("the page of groups"))
EXPLAINED = Piece("explained", unsaid("the explained label"))
RATIO = Piece("top_k", unsaid("the top-k share of tokens"))
TRAINING = Piece("training", unsaid("the training texts of a model"))
COLUMNS = Piece("columns", unsaid("the column"))
ORDER = Piece("order", unsaid("the sort order"))
MODELS = Piece("models", unsaid("the model"))
METHODS = Piece("methods", unsaid("the method"))
LAYERS = Piece("layers", unsaid("the layer filter"))
INSTANCES = Piece("shared", unsaid("the compared instances"))
AGAINST = Piece("against", unsaid("the reference row"))
COMPARED_METRIC = Piece("compared_metric", unsaid("the compared metric"))
COMPARED_ROW = Piece("compared_row", unsaid("the compared row"))
TABLE_PAGE = Piece("page", unsaid("the table page"))
CHART = Piece("chart", unsaid("the chart"))
# Of the chart that is shown:
ROW = Piece("row", unsaid("the row"))
SEED = Piece("seed", unsaid("the seed"))
METRIC = Piece("metric", unsaid("the metric"))
MINUS = Piece("minus", unsaid("the subtracted row"))
BY = Piece("by", unsaid("the chart grouping"))
BASE_MODEL = Piece("base", unsaid("the base model"))
OTHER_MODEL = Piece("other", unsaid("the other model"))
WORD_LISTS = Piece("lists", unsaid("the word list"))
POSITIVE = Piece("positive", unsaid("the label for false positives"))
SUITE = Piece("suite", unsaid("the suite"))
LIST_OF = Piece("listed", unsaid("the text list"))
LIST_ORDER = Piece("sorted", unsaid("the list order"))
LIST_PAGE = Piece("list_page", unsaid("the list page"))

VIEW = Piece("view", unsaid("the view number"))  # instead of the others: what was saved under a name

PIECES = (
    VIEW,
    INTERVALS, POLICY, SPLIT, GROUPING, GROUP, GROUP_METRIC, GROUP_PAGE, EXPLAINED, RATIO, TRAINING,
    COLUMNS, ORDER, MODELS, METHODS, LAYERS, INSTANCES, TABLE_PAGE, CHART,
    AGAINST, COMPARED_METRIC, COMPARED_ROW,
    ROW, SEED, METRIC, MINUS, BY, BASE_MODEL, OTHER_MODEL, WORD_LISTS, POSITIVE, SUITE, LIST_OF, LIST_ORDER, LIST_PAGE,
)  # fmt: skip


def choices_of(project: Project) -> PageChoices:
    """What is chosen of a project in this visit."""
    return PageChoices(st.session_state, "metrics", project.id, PIECES)


def begin(project: Project, expand: Callable[[Params], Params]) -> PageChoices:
    """Take what the address names; before any control is drawn. expand: what it stands for, where it names a saved view."""
    choices = choices_of(project)
    choices.begin(address(), is_arrival=is_just_opened(), expand=expand)
    return choices


def end(choices: PageChoices, *, is_whole: bool) -> None:
    """Let the address follow what was chosen; after the last control."""
    params = choices.end(is_whole=is_whole)
    if params is not None:
        go_to(params)


def go_to(params: Params) -> None:
    """Bring the page's address to other choices of the same project."""
    project = st.query_params.get_all(_PROJECT)
    st.query_params.from_dict({_PROJECT: project, **{name: list(texts) for name, texts in params.items()}})


def link_of(project: Project, choices: PageChoices) -> Params:
    """The whole address of what is chosen."""
    return {_PROJECT: (str(project.id),), **choices.params()}


def address() -> Params:
    """What the address of the page names, beside the project."""
    return {name: tuple(st.query_params.get_all(name)) for name in st.query_params if name != _PROJECT}


# What the files of the Metrics page are called.


def file_stem(project: Project) -> str:
    """The project's name as a file's name may begin."""
    return "".join(c if c.isalnum() else "-" for c in project.name).strip("-") or "project"
