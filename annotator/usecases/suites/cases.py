"""Which cases a project's suites may hold."""

from collections.abc import Sequence

from annotator.domain.projects import Project
from annotator.domain.suites import Case, Text
from annotator.errors import InvalidValue
from annotator.perturb.templates import MOST_CASES


def check_cases(project: Project, cases: Sequence[Case]) -> None:
    """Raise InvalidValue, naming the case, unless they can be the cases of one test of the project."""
    if not 1 <= len(cases) <= MOST_CASES:
        raise InvalidValue(f"A test has 1 to {MOST_CASES:,} cases; this one has {len(cases):,}.")
    seen: set[str] = set()
    for case in cases:
        reason = why_not(project, case)
        if reason is not None:
            raise InvalidValue(f"Case {case.case} of '{case.test}': {reason}")
        if case.case in seen:
            raise InvalidValue(f"Two cases of '{case.test}' are called '{case.case}'; give each a name of its own.")
        seen.add(case.case)


def why_not(project: Project, case: Case) -> str | None:
    """Why a case cannot be one of the project's; None where it can."""
    if len(case.test) > 200 or len(case.category) > 200:
        return "The name of a test, and its capability, have up to 200 characters."
    strange = [label for label in case.labels if label not in project.labels]
    if strange and project.labels:
        return f"'{strange[0]}' is none of the project's labels ({', '.join(project.labels)})."
    for text in case.texts:
        reason = _why_no_text(project, text)
        if reason is not None:
            return reason
    if case.type != "MFT" and any(text == case.texts[0] for text in case.texts[1:]):
        return "A changed text is the same as the original; change it, or drop the case."
    return None


def _why_no_text(project: Project, text: Text) -> str | None:
    specs = project.task.segments
    if isinstance(text, str):
        if len(specs) > 1:
            return f"The task has the segments {', '.join(s.name for s in specs)}; write a text for each."
        return None if text.strip() else "A text is empty."
    strange = [name for name in text if project.task.spec_of(name) is None]
    if strange:
        return f"The task has no segment '{strange[0]}' (it has {', '.join(s.name for s in specs)})."
    for spec in specs:
        if not spec.may_be_empty and not text.get(spec.name, "").strip():
            return f"The segment '{spec.name}' is missing or empty."
    return None
