"""How Sphinx makes the documents a site of files that needs no network: `make site`."""

import inspect
import re
import sys
from collections.abc import Callable
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import desc_annotation, toctree

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # Sphinx runs this file alone

from tools.site.docstrings import as_rst
from tools.site.reference import PAGES

project = "Rationale annotator"
project_copyright = "the authors of the Rationale annotator; Apache-2.0"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "benchmarks/*.md", "data/*/README.md", "data/demo/sentiment/minilm.md"]
exclude_patterns = [".*", "tests"]
html_theme = "furo"
html_title = project
html_extra_path = ["index.html"]  # the way from the site's root to the index
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 4
smartquotes_action = (
    "D"  # dashes, as Sphinx writes them between a parameter and its words; quotation marks stay straight
)
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 100
suppress_warnings = ["misc.highlighting_failure"]  # of `jsonl`, which no highlighter knows

# How types of arrays are written out, and what annotator/metrics/ragged.py calls them.
ARRAY = re.compile(
    r"~?(?:numpy\.)?ndarray\[tuple\[~?(?:typing\.)?Any, \.\.\.\], ~?(?:numpy\.)?dtype\[~?(?:\w+\.)*(\w+?)_?\]\]"
)
ARRAYS = {"bool": "Flags", "int64": "Integers", "float64": "Floats"}

# What stands at the left of every page. A document that is in none of them fails the building.
CHAPTERS = {
    "Tutorials": [
        "tutorials/annotator", "tutorials/reviewer", "tutorials/author", "tutorials/researcher", "tutorials/lead", "moving",
    ],
    "Reference": [
        "glossary", "commands", "settings", "rules", "training_of_people", "review", "perturb", "progress", "crowd",
        "notices", "desktop", "deploy", "server", "security", "single_sign_on", "languages", "personal_data", "formats",
        "columns", "data_sets", "labelling_tools", "model_output", "metrics", "metrics_page", "scores", "tests", "saliency",
        "attribution", "faithfulness", "sufficient", "built_in_model", "self_explanations", "training", "machines",
        "architectures", "training_trials", "planted_trials", "api", "panel",
    ],
    "Made from the code": ["reference/python", "reference/metric_functions"],
    "The project": [
        "/README", "/CHANGELOG", "/CONTRIBUTING", "/ARCHITECTURE", "decisions/index", "/benchmarks/README", "/benchmarks/RESULTS",
        "/data/demo/README", "/data/demo/sentiment/minilm", "/data/samples/README",
    ],
}  # fmt: skip


def _add_chapters(_app: Any, name: str, source: list[str]) -> None:
    """The documents themselves are plain Markdown, without a directive of any generator."""
    if name == root_doc:
        source[0] += "".join(_toctree(documents, f":caption: {title}") for title, documents in CHAPTERS.items())
    elif name == "docs/decisions/index":
        source[0] += _toctree(["0*"], ":glob:")
    elif name in PAGES:
        source[0] += "\n" + PAGES[name]()


def _toctree(documents: list[str], option: str) -> str:
    return "\n".join(["", "```{toctree}", option, ":hidden:", "", *documents, "```", ""])


def _read_docstring(_app: Any, _kind: str, _name: str, value: Any, _options: Any, lines: list[str]) -> None:
    """Ours are no reStructuredText."""
    try:
        parameters = inspect.signature(value).parameters if callable(value) else ()
    except ValueError:  # of what is written in C
        parameters = ()
    lines[:] = as_rst(lines, parameters)


def _read_signature(
    _app: Any, _kind: str, _name: str, _value: Any, _options: Any, arguments: str | None, answer: str | None
) -> tuple[str | None, str | None]:
    """Arrays by the names that the code has for them."""
    return _short(arguments), _short(answer)


def _short(text: str | None) -> str | None:
    return text and ARRAY.sub(lambda match: ARRAYS.get(match[1], f"NDArray[{match[1]}]"), text).replace(
        "<factory>", "..."
    )


def _shorten_property(_app: Any, _domain: str, kind: str, content: Any) -> None:
    """A property's type is no signature."""
    for part in content.parent[0].findall(desc_annotation) if kind == "property" else ():
        if ARRAY.search(part.astext()):
            words = nodes.Text(_short(part.astext()) or "")
            part.clear()
            part.append(words)


def _skips(_app: Any, _kind: str, _name: str, value: Any, skip: bool, _options: Any) -> bool | None:
    """The fields of a class stand in its signature already."""
    is_shown = inspect.isroutine(value) or inspect.isclass(value) or isinstance(value, property | cached_property)
    return skip or not is_shown or None


def _prune_sections(app: Any, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """The tree at the left has titles alone; the theme copies every document's sections first, half of the building."""
    if "toctree" in context:
        context["toctree"] = partial(_tree_of_titles, app.env, context["toctree"])


def _tree_of_titles(env: Any, tree: Callable[..., str], **options: Any) -> str:
    whole = env.tocs
    env.tocs = _titles(tuple(whole.items()))
    try:
        return tree(**options)
    finally:
        env.tocs = whole


@cache
def _titles(tocs: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    titles = {name: toc.deepcopy() for name, toc in tocs}
    for item in [item for toc in titles.values() for item in toc.children if len(item) > 1]:
        item[1][:] = list(item.findall(toctree))
        if not len(item[1]):
            item.pop(1)
    return titles


def setup(app: Any) -> None:
    app.connect("html-page-context", _prune_sections, priority=400)  # before the theme's
    app.connect("source-read", _add_chapters)
    app.connect("autodoc-process-docstring", _read_docstring)
    app.connect("autodoc-process-signature", _read_signature)
    app.connect("object-description-transform", _shorten_property)
    app.connect("autodoc-skip-member", _skips)
