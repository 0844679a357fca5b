"""A sentence that sends somebody to a page is true for whoever reads it: they have the page, or it says who has it."""

import ast
import re
from pathlib import Path

import pytest

from annotator.domain.people import Role, User
from annotator.web.navigation import pages_for
from tests.conftest import REPOSITORY, parsed

ROOT = REPOSITORY / "annotator"
# The sections of the Project page, which are a lead's.
SECTIONS = {"Import", "Rules", "People", "Rounds", "Quality", "Decisions", "Record"}
PAGES = {"Annotate", "Review", "Perturb", "Saliency", "Metrics", "Tests", "Project", "Export"}
SENDS = re.compile(
    rf"\b(?:on|On|under|Under|to|in|see|See) (?:the )?(?:page )?[*“]*({'|'.join(sorted(PAGES | SECTIONS))})\b(?! (?:sets?|versions?)\b)"
)
SAYS_WHO = re.compile(r"\b(lead|leads|administrator|[Aa]nnotators|[Rr]eviewers|researcher)\b")

# What somebody of a role may read: modules whose sentences reach their screens.
READ_BY: dict[Role, list[str]] = {
    "researcher": [
        "web/sections/metrics/*.py", "web/sections/suites/*.py", "web/sections/computation.py", "web/sections/computation.py",
        "web/sections/computation.py", "web/sections/transfer/export.py", "web/panel/saliency/*.js", "usecases/transfer/output_plan.py",
        "usecases/inspect/saliency.py", "usecases/inspect/text_lists.py", "usecases/models/attribution*.py", "usecases/models/built_in_model.py",
        "usecases/models/project_model.py", "usecases/suites/construction.py", "usecases/suites/runs.py", "usecases/suites/files.py",
        "usecases/transfer/export.py", "usecases/inspect/project_scores.py", "usecases/inspect/metric_values.py", "scoring/*.py",
        "formats/**/*.py", "attribution/*.py",
    ],
    "annotator": [
        "web/panel/shared/*.js", "web/panel/annotate/*.js", "web/panel/perturb/*.js", "usecases/annotate/work.py",
        "usecases/annotate/my_work.py", "usecases/annotate/submission.py", "usecases/annotate/my_work.py",
        "usecases/annotate/submission.py", "usecases/perturb/versions.py",
        "usecases/perturb/checks.py", "usecases/perturb/version_draft.py", "usecases/annotate/proposals.py", "usecases/annotate/talk.py",
        "usecases/models/preview*.py", "usecases/annotate/*messages.py", "domain/instances.py",
    ],
    "reviewer": ["web/panel/review/*.js", "web/panel/perturb/*.js", "usecases/review/reviews.py", "usecases/models/preview*.py",
        "usecases/annotate/talk.py"],
}  # fmt: skip
SHOWN_TO_THOSE_WHO_MAY = {  # what others do not get
    "open in Annotate",
    "To review it instead, view it under Project, Texts.",  # to who sees all annotations
}
WANTED = [(role, pattern) for role, patterns in READ_BY.items() for pattern in patterns]


def texts_in(path: Path) -> list[str]:
    """The texts of a module; in Python those that are put together of several pieces as one, names in braces as …."""
    if path.suffix == ".js":
        return [found[1:-1] for found in re.findall(r'"[^"\n]*"|`[^`]*`', path.read_text(encoding="utf-8"))]
    tree = parsed(path)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            texts.append("".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            texts.append(node.value)
    return texts


@pytest.mark.parametrize(("role", "pattern"), WANTED)
def test_a_page_that_a_sentence_names_is_the_readers_or_it_says_whose_it_is(role, pattern):
    own = {page.title for page in pages_for(User(1, "somebody"), frozenset({role}))}
    files = sorted(ROOT.glob(pattern))
    assert files, f"no module is called {pattern}"
    untrue = [
        (path.name, sentence.strip())
        for path in files
        for text in texts_in(path)
        for sentence in re.split(r"(?<=[.;])\s", text)
        if not set(SENDS.findall(sentence)) <= own
        and not SAYS_WHO.search(sentence)
        and sentence.strip() not in SHOWN_TO_THOSE_WHO_MAY
    ]
    assert untrue == []


@pytest.mark.parametrize("pattern", ["web/sections/**/*.py", "web/panel/*/*.js", "web/page_parts.py"])
def test_no_page_calls_for_a_command_unless_it_says_whose_it_is(pattern):
    called = [
        (path.name, text)
        for path in sorted(ROOT.glob(pattern))
        for text in texts_in(path)
        if re.search(r"\bannotator (import|attribute|evaluate|suite|words|user|split|project|measure|stats)\b", text)
        and not SAYS_WHO.search(text)
    ]
    assert called == []
