"""Everything that is chosen on the Metrics page, as its address has it: each choice is declared here, once."""

from collections.abc import Callable

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import unsaid
from annotator.web.addresses import page_address
from annotator.web.page_choices import Choice, PageChoices, Params
from annotator.web.session import is_just_opened

_PROJECT = "project"

INTERVALS = Choice("intervals", unsaid("Intervals"))
POLICY = Choice("policy", unsaid("Gold policy"))
SPLIT = Choice("split", unsaid("Split"))
GROUPING = Choice("group_by", unsaid("Group by"))
GROUP = Choice("group", unsaid("Group"))
GROUP_METRIC = Choice("group_metric", unsaid("Group metric"))
GROUP_PAGE = Choice("group_page", unsaid("Page"))
EXPLAINED = Choice("explained", unsaid("Explained label"))
RATIO = Choice("top_k", unsaid("Top k, % of tokens"))
TRAINING = Choice("training", unsaid("Training texts"))
COLUMNS = Choice("columns", unsaid("Columns"))
ORDER = Choice("order", unsaid("Sort rows by"))
MODELS = Choice("models", unsaid("Model"))
METHODS = Choice("methods", unsaid("Method"))
LAYERS = Choice("layers", unsaid("Layer"))
INSTANCES = Choice("shared", unsaid("Shared instances only"))
AGAINST = Choice("against", unsaid("Compare with"))
COMPARED_METRIC = Choice("compared_metric", unsaid("Compared metric"))
COMPARED_ROW = Choice("compared_row", unsaid("Compared row"))
TABLE_PAGE = Choice("page", unsaid("Page"))
CHART = Choice("chart", unsaid("Chart"))
# Of the chart that is shown:
ROW = Choice("row", unsaid("Row"))
SEED = Choice("seed", unsaid("Seed"))
METRIC = Choice("metric", unsaid("Metric"))
MINUS = Choice("minus", unsaid("Subtract"))
BY = Choice("by", unsaid("Group by"))
BASE_MODEL = Choice("base", unsaid("Base model"))
OTHER_MODEL = Choice("other", unsaid("Other model"))
WORD_LISTS = Choice("lists", unsaid("Word lists"))
POSITIVE = Choice("positive", unsaid("Label for false positives"))
SUITE = Choice("suite", unsaid("Suite"))
LIST_OF = Choice("listed", unsaid("List"))
LIST_ORDER = Choice("sorted", unsaid("Sort rows by"))
LIST_PAGE = Choice("list_page", unsaid("Page"))

VIEW = Choice("view", unsaid("View"))  # instead of the others: what was saved under a name

CHOICES = (
    VIEW,
    INTERVALS, POLICY, SPLIT, GROUPING, GROUP, GROUP_METRIC, GROUP_PAGE, EXPLAINED, RATIO, TRAINING,
    COLUMNS, ORDER, MODELS, METHODS, LAYERS, INSTANCES, TABLE_PAGE, CHART,
    AGAINST, COMPARED_METRIC, COMPARED_ROW,
    ROW, SEED, METRIC, MINUS, BY, BASE_MODEL, OTHER_MODEL, WORD_LISTS, POSITIVE, SUITE, LIST_OF, LIST_ORDER, LIST_PAGE,
)  # fmt: skip


def choices_of(project: Project) -> PageChoices:
    """What is chosen of a project in this visit."""
    return PageChoices(st.session_state, "metrics", project.id, CHOICES)


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


def saliency_address(project: Project, **parameters: object) -> str:
    """The address of something on Saliency, beside the gold that is chosen here."""
    policy = choices_of(project).params().get(POLICY.name, ())
    return page_address("saliency", project=project.id, **parameters, **({"gold": policy[0]} if policy else {}))


def address() -> Params:
    """What the address of the page names, beside the project."""
    return {name: tuple(st.query_params.get_all(name)) for name in st.query_params if name != _PROJECT}
