"""What annotators, reviewers and leads did with texts, one by one; what authors and checkers did with changed versions."""

from annotator.domain.numbers import counted
from annotator.language import _, several, unsaid
from annotator.usecases.lead.event_sentences.parts import (
    Detail,
    Sentences,
    in_a_row,
    value_words,
    values_listed,
    with_note,
    with_value,
)

OF_ANNOTATIONS = {
    "review": unsaid("scored {whose}"),
    "change score": unsaid("changed scores of {whose}"),
    "skip review": unsaid("left the scoring of {whose} to others"),
}


def _submitted(detail: Detail) -> str:
    result = _("no result") if detail["result"] is None else detail["result"]
    sets = counted(detail["sets"], "set")
    return _("submitted round {round}: {result}, {sets}", round=detail["round"], result=result, sets=sets)


def _proposal(detail: Detail) -> str:
    if detail["kind"] == "contest":
        return _("proposed label: {reason}", reason=_(detail["reason"]))
    return _("proposed to discard: {reason}", reason=_(detail["reason"]))


def _kept(detail: Detail) -> str:
    proposal = _proposal(detail)
    if detail["kind"] == "contest":
        return _("kept the label ({proposal})", proposal=proposal)
    return _("kept the text ({proposal})", proposal=proposal)


def _adjudicated(detail: Detail) -> str:
    values = {"result": detail["after"]["result"], "reason": detail["reason"]}
    if detail.get("before"):
        return _("changed the lead's version: {result} ({reason})", **values)
    return _("made the lead's version the gold: {result} ({reason})", **values)


def _number(detail: Detail) -> str:
    return _("no. {number}", number=detail["perturbation"])


def _judged(detail: Detail) -> str:
    """What somebody said in an audit; of whoever was erased, that they judged it."""
    values = {"number": _number(detail), "version": detail["version"]}
    match detail.get("is_right"):
        case None:
            return _("audited version {number} (v{version})", **values)
        case True:
            return _("audited version {number} (v{version}): right", **values)
    faults = values_listed(detail["faults"])
    return _("audited version {number} (v{version}): wrong ({faults})", **values, faults=faults)


def _checked(words: str, detail: Detail) -> str:
    """Which one a checker spoke of, what became of it, and why."""
    sentence = _(words, number=_number(detail), version=detail["version"])
    return with_note(sentence, detail.get("reason"))


_CHECKED = {
    "check perturbation": unsaid("checked version {number} (v{version})"),
    "check perturbation: approve": unsaid("approved version {number} (v{version})"),
    "check perturbation: correct": unsaid("corrected version {number} (v{version})"),
    "check perturbation: reject": unsaid("returned version {number} (v{version}) to its author"),
}


def _automatic(detail: Detail) -> str:
    name = detail["evidence_pass"]
    if detail["is_automatic"]:
        return _("turned on automatic adoption from “{name}”", name=name)
    return _("turned off automatic adoption from “{name}”", name=name)


def _every_evidence(detail: Detail) -> str:
    return several(
        "made the marks of “{name}” exhaustive gold: {before} → {n} token",
        "made the marks of “{name}” exhaustive gold: {before} → {n} tokens",
        detail["tokens_after"],
        name=detail["evidence_pass"],
        before=f"{detail['tokens_before']:,}",
    )


def _drawn(detail: Detail) -> str:
    return several(
        "sampled {versions} of {n} accepted version for an audit (seed {seed})",
        "sampled {versions} of {n} accepted versions for an audit (seed {seed})",
        detail["of"],
        versions=f"{detail['versions']:,}",
        seed=detail["seed"],
    )


def _training_changed(detail: Detail) -> str:
    values = values_listed(
        f"{name.replace('_', ' ')} {value_words(value)}" for name, value in detail["changed"].items()
    )
    return _("changed training for {audience}: {values}", audience=_(detail["audience"]), values=values)


_ENDED = {
    "passed": unsaid("passed attempt {number} at training for {audience}"),
    "failed": unsaid("failed attempt {number} at training for {audience}"),
    "ended": unsaid("ended attempt {number} at training for {audience}"),
}


def _training_ended(detail: Detail) -> str:
    state, audience = detail.get("state", "ended"), _(detail["audience"])
    sentence = _(_ENDED.get(state, _ENDED["ended"]), number=detail["number"], audience=audience)
    parts = [sentence]
    parts += [] if detail.get("f1") is None else [_("token F1 {f1}", f1=f"{detail['f1']:.2f}")]
    parts += [_("{right} of {n} right", right=detail["right"], n=detail["n"])] if detail.get("n") else []
    return in_a_row(parts)


def _allowed(detail: Detail) -> str:
    values = {"user": detail["user"], "audience": _(detail["audience"])}
    if detail["kind"] == "let through":
        return _("exempted {user} from training for {audience}", **values)
    return _("gave {user} another training attempt for {audience}", **values)


def _picked(detail: Detail) -> str:
    purpose = _(_PURPOSES[detail["purpose"]])
    return several("picked {n} text for {purpose}", "picked {n} texts for {purpose}", detail["n"], purpose=purpose)


_PURPOSES = {
    "annotators": unsaid("annotator training"),
    "reviewers": unsaid("reviewer training"),
    "checks": unsaid("blind checks"),
}

SENTENCES: Sentences = {
    "change training": _training_changed,
    "pick training texts": _picked,
    "take out training text": lambda detail: _(
        "removed the text from {purpose}", purpose=_(_PURPOSES[detail["purpose"]])
    ),
    "accept training gold": lambda detail: _(
        "adopted the changed gold for {purpose}", purpose=_(_PURPOSES[detail["purpose"]])
    ),
    "end training": _training_ended,
    "allow after training": _allowed,
    "submit": _submitted,
    "skip": lambda _detail: _("skipped the text"),
    "propose discard": lambda detail: _("proposed to discard: {reason}", reason=_(detail["reason"])),
    "give back": lambda _detail: _("gave up the text to see others' marks"),
    "withdraw": lambda detail: _("withdrew round {round}", round=detail["round"]),
    "decide: discard": lambda detail: _("discarded the text ({proposal})", proposal=_proposal(detail)),
    "decide: keep": _kept,
    "decide: relabel": lambda detail: _("changed the label to “{label}”", label=detail["reason"]),
    "choose gold": lambda detail: _(
        "chose {annotator}, round {round}, as gold ({reason})",
        annotator=detail["annotator"],
        round=detail["round"],
        reason=detail["reason"],
    ),
    "adjudicate": _adjudicated,
    "take gold choice back": lambda detail: with_note(_("undid the choice of gold"), detail.get("reason")),
    "start evidence pass": lambda detail: several(
        "started the exhaustive pass “{name}” over {n} text",
        "started the exhaustive pass “{name}” over {n} texts",
        detail["texts"],
        name=detail["evidence_pass"],
    ),
    "change evidence pass": _automatic,
    "choose every evidence": _every_evidence,
    "take over every evidence": lambda detail: several(
        "made the marks of “{name}” the gold of {n} text",
        "made the marks of “{name}” the gold of {n} texts",
        detail["texts"],
        name=detail["evidence_pass"],
    ),
    "take back every evidence": lambda detail: several(
        "withdrew the gold of “{name}” from {n} text",
        "withdrew the gold of “{name}” from {n} texts",
        detail["texts"],
        name=detail["evidence_pass"],
    ),
    "write perturbation": lambda detail: _(
        "wrote version {number} of the text ({kind})", number=_number(detail), kind=detail["kind"]
    ),
    "revise perturbation": lambda detail: _(
        "revised version {number}, now v{version}", number=_number(detail), version=detail["version"]
    ),
    "withdraw perturbation": lambda detail: _("withdrew version {number}", number=_number(detail)),
    "check perturbation": lambda detail: _checked(_CHECKED["check perturbation"], detail),
    "check perturbation: approve": lambda detail: _checked(_CHECKED["check perturbation: approve"], detail),
    "check perturbation: correct": lambda detail: _checked(_CHECKED["check perturbation: correct"], detail),
    "check perturbation: reject": lambda detail: _checked(_CHECKED["check perturbation: reject"], detail),
    "approve perturbation": lambda detail: _(
        "accepted version {number}: instance {instance}", number=_number(detail), instance=detail["instance"]
    ),
    "draw audit": _drawn,
    "judge version": _judged,
    "send back version": lambda detail: _(
        "returned version {number} after an audit ({faults})", number=_number(detail), faults=detail["faults"]
    ),
    "discard version": lambda detail: _(
        "discarded version {number} after an audit ({faults})", number=_number(detail), faults=detail["faults"]
    ),
}


def decided_words(outcome: str, detail: Detail) -> str:
    """How a round was decided."""
    words = _("{outcome} round {round} of {annotator}", outcome=_(outcome), **_of_round(detail))
    return with_value(words, detail.get("reason"))


def _of_round(detail: Detail) -> dict[str, object]:
    return {"round": detail["round"], "annotator": detail["annotator"]}
