"""How Sphinx makes the documents a site of files that needs no network: `make site`."""

from typing import Any

project = "Rationale annotator"
project_copyright = "the authors of the Rationale annotator; Apache-2.0"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "benchmarks/*.md", "data/*/README.md", "data/demo/sentiment/minilm.md"]
exclude_patterns = [".*", "tests"]
html_theme = "furo"
html_title = project
html_extra_path = ["index.html"]  # the way from the site's root to the index
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]  # of `jsonl`, which no highlighter knows

# What stands at the left of every page. A document that is in none of them fails the building.
CHAPTERS = {
    "Tutorials": [
        "tutorials/annotator", "tutorials/reviewer", "tutorials/author", "tutorials/researcher", "tutorials/lead", "moving",
    ],
    "Reference": [
        "glossary", "commands", "formats", "settings", "api", "metrics", "metrics_page", "saliency", "tests", "attribution",
        "self_explanations", "training", "built_in_model", "review", "perturb", "panel",
    ],
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


def _toctree(documents: list[str], option: str) -> str:
    return "\n".join(["", "```{toctree}", option, ":hidden:", "", *documents, "```", ""])


def setup(app: Any) -> None:
    app.connect("source-read", _add_chapters)
