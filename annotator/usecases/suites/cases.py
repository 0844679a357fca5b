"""Which cases a project's suites may hold."""

from collections.abc import Sequence

from annotator.domain.projects import Project
from annotator.domain.suites import Case, Text
from annotator.errors import InvalidValue
from annotator.language import _, listed
from annotator.perturb.templates import MOST_CASES


def check_cases(project: Project, cases: Sequence[Case]) -> None:
    """Raise InvalidValue, naming the case, unless they can be the cases of one test of the project."""
    if not 1 <= len(cases) <= MOST_CASES:
        raise InvalidValue(
            _("A test has 1 to {most} cases; this one has {n}.", most=f"{MOST_CASES:,}", n=f"{len(cases):,}")
        )
    seen: set[str] = set()
    for case in cases:
        reason = why_not(project, case)
        if reason is not None:
            raise InvalidValue(_("Case {case} of '{test}': {reason}", case=case.case, test=case.test, reason=reason))
        if case.case in seen:
            raise InvalidValue(
                _(
                    "Two cases of '{test}' are called '{case}'; give each a name of its own.",
                    test=case.test,
                    case=case.case,
                )
            )
        seen.add(case.case)


def why_not(project: Project, case: Case) -> str | None:
    """Why a case cannot be one of the project's; None where it can."""
    if len(case.test) > 200 or len(case.category) > 200:
        return _("The name of a test, and its capability, have up to 200 characters.")
    strange = [label for label in case.labels if label not in project.labels]
    if strange and project.labels:
        return _(
            "'{label}' is none of the project's labels ({labels}).", label=strange[0], labels=listed(project.labels)
        )
    for text in case.texts:
        reason = _why_no_text(project, text)
        if reason is not None:
            return reason
    if case.type != "MFT" and any(text == case.texts[0] for text in case.texts[1:]):
        return _("A changed text is the same as the original; change it, or drop the case.")
    return None


def _why_no_text(project: Project, text: Text) -> str | None:
    specs = project.task.segments
    if isinstance(text, str):
        if len(specs) > 1:
            return _(
                "The task has the segments {segments}; write a text for each.", segments=listed([s.name for s in specs])
            )
        return None if text.strip() else _("A text is empty.")
    strange = [name for name in text if project.task.spec_of(name) is None]
    if strange:
        return _(
            "The task has no segment '{segment}' (it has {segments}).",
            segment=strange[0],
            segments=listed([spec.name for spec in specs]),
        )
    for spec in specs:
        if not spec.may_be_empty and not text.get(spec.name, "").strip():
            return _("The segment '{segment}' is missing or empty.", segment=spec.name)
    return None
