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
        return _("changed the lead’s version: {result} ({reason})", **values)
    return _("made a version of the lead’s the gold: {result} ({reason})", **values)


def _number(detail: Detail) -> str:
    return _("no. {number}", number=detail["perturbation"])


def _judged(detail: Detail) -> str:
    """What somebody said in an audit; of whoever was erased, that they judged it."""
    values = {"number": _number(detail), "version": detail["version"]}
    match detail.get("is_right"):
        case None:
            return _("judged changed version {number}, version {version}", **values)
        case True:
            return _("judged changed version {number}, version {version}: right", **values)
    faults = values_listed(detail["faults"])
    return _("judged changed version {number}, version {version}: wrong ({faults})", **values, faults=faults)


def _checked(words: str, detail: Detail) -> str:
    """Which one a checker spoke of, what became of it, and why."""
    sentence = _(words, number=_number(detail), version=detail["version"])
    return with_note(sentence, detail.get("reason"))


_CHECKED = {
    "check perturbation": unsaid("checked changed version {number}, version {version}"),
    "check perturbation: approve": unsaid("approved changed version {number}, version {version}"),
    "check perturbation: correct": unsaid("corrected changed version {number}, version {version}"),
    "check perturbation: reject": unsaid("returned changed version {number}, version {version} to its author"),
}


def _automatic(detail: Detail) -> str:
    name = detail["evidence_pass"]
    if detail["is_automatic"]:
        return _("had what is accepted in “{name}” taken over at once", name=name)
    return _("had what is accepted in “{name}” no longer taken over at once", name=name)


def _every_evidence(detail: Detail) -> str:
    return several(
        "made what “{name}” marked the gold: {before} → {n} token, all the evidence",
        "made what “{name}” marked the gold: {before} → {n} tokens, all the evidence",
        detail["tokens_after"],
        name=detail["evidence_pass"],
        before=f"{detail['tokens_before']:,}",
    )


def _drawn(detail: Detail) -> str:
    return several(
        "drew {versions} of {n} accepted changed version for an audit (seed {seed})",
        "drew {versions} of {n} accepted changed versions for an audit (seed {seed})",
        detail["of"],
        versions=f"{detail['versions']:,}",
        seed=detail["seed"],
    )


def _training_changed(detail: Detail) -> str:
    values = values_listed(
        f"{name.replace('_', ' ')} {value_words(value)}" for name, value in detail["changed"].items()
    )
    return _("changed the training of {audience}: {values}", audience=_(detail["audience"]), values=values)


_ENDED = {
    "passed": unsaid("passed try {number} of the training of {audience}"),
    "failed": unsaid("failed try {number} of the training of {audience}"),
    "ended": unsaid("ended try {number} of the training of {audience}"),
}


def _training_ended(detail: Detail) -> str:
    state, audience = detail.get("state", "ended"), _(detail["audience"])
    sentence = _(
        _ENDED.get(state, _ENDED["ended"]),
        state=state,
        number=detail["number"],
        audience=audience,
    )
    parts = [sentence]
    parts += [] if detail.get("f1") is None else [_("token F1 {f1}", f1=f"{detail['f1']:.2f}")]
    parts += [_("{right} of {n} right", right=detail["right"], n=detail["n"])] if detail.get("n") else []
    return in_a_row(parts)


def _allowed(detail: Detail) -> str:
    values = {"user": detail["user"], "audience": _(detail["audience"])}
    if detail["kind"] == "let through":
        return _("let {user} work without having passed the training of {audience}", **values)
    return _("gave {user} another try at the training of {audience}", **values)


def _picked(detail: Detail) -> str:
    purpose = _(_PURPOSES[detail["purpose"]])
    return several("picked {n} text for {purpose}", "picked {n} texts for {purpose}", detail["n"], purpose=purpose)


_PURPOSES = {
    "annotators": unsaid("the training of annotators"),
    "reviewers": unsaid("the training of reviewers"),
    "checks": unsaid("blind checks"),
}

SENTENCES: Sentences = {
    "change training": _training_changed,
    "pick training texts": _picked,
    "take out training text": lambda detail: _(
        "took the text out of {purpose}", purpose=_(_PURPOSES[detail["purpose"]])
    ),
    "accept training gold": lambda detail: _(
        "took the changed gold of the text for {purpose}", purpose=_(_PURPOSES[detail["purpose"]])
    ),
    "end training": _training_ended,
    "allow after training": _allowed,
    "submit": _submitted,
    "skip": lambda _detail: _("skipped the text"),
    "propose discard": lambda detail: _("proposed to discard the text: {reason}", reason=_(detail["reason"])),
    "give back": lambda _detail: _("released the text, to look at what others marked"),
    "withdraw": lambda detail: _("withdrew round {round}", round=detail["round"]),
    "decide: discard": lambda detail: _("discarded the text ({proposal})", proposal=_proposal(detail)),
    "decide: keep": _kept,
    "decide: relabel": lambda detail: _("changed the label to “{label}”", label=detail["reason"]),
    "choose gold": lambda detail: _(
        "chose {annotator}, round {round}, as the gold ({reason})",
        annotator=detail["annotator"],
        round=detail["round"],
        reason=detail["reason"],
    ),
    "adjudicate": _adjudicated,
    "take gold choice back": lambda detail: with_note(_("took back the choice of gold"), detail.get("reason")),
    "start evidence pass": lambda detail: several(
        "started the pass “{name}” over {n} text, to mark all their evidence",
        "started the pass “{name}” over {n} texts, to mark all their evidence",
        detail["texts"],
        name=detail["evidence_pass"],
    ),
    "change evidence pass": _automatic,
    "choose every evidence": _every_evidence,
    "take over every evidence": lambda detail: several(
        "made what “{name}” marked the gold of {n} text",
        "made what “{name}” marked the gold of {n} texts",
        detail["texts"],
        name=detail["evidence_pass"],
    ),
    "take back every evidence": lambda detail: several(
        "took back what “{name}” marked as the gold of {n} text",
        "took back what “{name}” marked as the gold of {n} texts",
        detail["texts"],
        name=detail["evidence_pass"],
    ),
    "write perturbation": lambda detail: _(
        "wrote changed version {number} of the text ({kind})", number=_number(detail), kind=detail["kind"]
    ),
    "revise perturbation": lambda detail: _(
        "revised changed version {number}, now version {version}", number=_number(detail), version=detail["version"]
    ),
    "withdraw perturbation": lambda detail: _("withdrew changed version {number}", number=_number(detail)),
    "check perturbation": lambda detail: _checked(_CHECKED["check perturbation"], detail),
    "check perturbation: approve": lambda detail: _checked(_CHECKED["check perturbation: approve"], detail),
    "check perturbation: correct": lambda detail: _checked(_CHECKED["check perturbation: correct"], detail),
    "check perturbation: reject": lambda detail: _checked(_CHECKED["check perturbation: reject"], detail),
    "approve perturbation": lambda detail: _(
        "was the last to approve changed version {number}; it is now instance number {instance}",
        number=_number(detail),
        instance=detail["instance"],
    ),
    "draw audit": _drawn,
    "judge version": _judged,
    "send back version": lambda detail: _(
        "sent changed version {number} back to its author after an audit ({faults})",
        number=_number(detail),
        faults=detail["faults"],
    ),
    "discard version": lambda detail: _(
        "discarded changed version {number} after an audit ({faults})", number=_number(detail), faults=detail["faults"]
    ),
}


def decided_words(outcome: str, detail: Detail) -> str:
    """How a round was decided."""
    words = _(_DECIDED.get(outcome, "{outcome} round {round} of {annotator}"), outcome=outcome, **_of_round(detail))
    return with_value(words, detail.get("reason"))


def _of_round(detail: Detail) -> dict[str, object]:
    return {"round": detail["round"], "annotator": detail["annotator"]}


_DECIDED = {
    "accepted": unsaid("accepted round {round} of {annotator}"),
    "returned": unsaid("returned round {round} of {annotator}"),
    "discarded": unsaid("discarded round {round} of {annotator}"),
}
