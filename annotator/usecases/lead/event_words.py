"""The record in words: what each kind of event says to somebody who reads it.

Every action that the program writes down has its sentence here. An action of another version of the program, which a file may
bring, is told by its name and its values.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from annotator.domain.label_tables import LabelTable
from annotator.domain.measurements import FORGOT_WRONG_K, wrong_k_summary
from annotator.domain.numbers import counted
from annotator.domain.project.bulk_actions import BulkAction
from annotator.domain.rationales import set_letter
from annotator.review.score_wording import finding_line
from annotator.store.events import Event
from annotator.store.label_tables import MAP_LABELS
from annotator.store.review.rounds import unpack_verdict
from annotator.usecases.lead.rule_names import RULE_NAMES
from annotator.usecases.project.label_replacement import replacement_summary
from annotator.usecases.queue.order_words import order_from, order_words
from annotator.usecases.review.rounds import GATE

Detail = Mapping[str, Any]

_DECIDE_ROUND = "decide round: "

# A file may bring an event without the values that this program writes, or with others: it is told by what is there.
_INCOMPLETE = (KeyError, TypeError, AttributeError, ValueError, IndexError)


def event_words(event: Event, whose: str = "") -> str:
    """What somebody did, as the rest of a sentence that begins with their name.

    whose: the annotation that the event is about (“Annotator 1, round 2”), where it is known

    >>> event_words(Event(1, "", "Lead", "give role", "project", 1, {"user": "Ann", "role": "reviewer"}))
    'gave Ann the role reviewer'
    """
    try:
        return _words(event, event.detail, whose)
    except _INCOMPLETE:
        return _plain(event)


def _words(event: Event, detail: Detail, whose: str) -> str:
    if event.action.startswith(_DECIDE_ROUND):
        outcome = event.action.removeprefix(_DECIDE_ROUND)
        return f"{outcome} round {detail['round']} of {detail['annotator']}{_in_form(detail.get('reason'), ': {}')}"
    if event.action in OF_ANNOTATIONS:
        return OF_ANNOTATIONS[event.action].format(whose or _unnamed(detail))
    sentence = SENTENCES.get(event.action)
    return sentence(detail) if sentence else _plain(event)


def event_actor(event: Event) -> str:
    """Who did it; what the scores decided by themselves the gate did, and what a newer version had to mend its upgrade."""
    if event.action == FORGOT_WRONG_K:
        return "the upgrade"
    return "the thresholds" if event.actor == GATE and event.action.startswith(_DECIDE_ROUND) else event.actor


def event_lines(event: Event) -> tuple[str, ...]:
    """The numbers that belong to an event."""
    try:
        return _lines(event, event.detail)
    except _INCOMPLETE:
        return ()


def _lines(event: Event, detail: Detail) -> tuple[str, ...]:
    if event.action.startswith(_DECIDE_ROUND) and "findings" in detail:
        return tuple(finding_line(finding) for finding in unpack_verdict(detail).findings)
    if event.action == "review":
        return tuple(_score_lines(detail["scores"]))
    if event.action == "change score":
        return tuple(_change_line(change) for change in detail["changed"])
    if event.action == "adjudicate":
        return tuple(_version_lines(detail))
    return ()


def _score_lines(scores: Detail) -> Iterable[str]:
    for number, (sufficiency, compactness) in enumerate(scores["sets"]):
        if sufficiency is not None or compactness is not None:
            yield (
                f"set {set_letter(number)}: sufficiency score {_shown(sufficiency)}, "
                f"compactness score {_shown(compactness)}"
            )
    yield f"comprehensiveness score {_shown(scores['comprehensiveness'])}"


def _change_line(change: Detail) -> str:
    of_set = "" if change["set"] is None else f" of set {set_letter(change['set'])}"
    return f"{change['score']}{of_set}: {_shown(change['before'])} → {_shown(change['after'])}"


def _version_lines(detail: Detail) -> Iterable[str]:
    for number, taken in enumerate(detail["taken"]):
        origin = "as the lead marked it"
        if taken is not None:
            origin = f"as set {set_letter(taken['set'])} of {taken['annotator']}, round {taken['round']}"
        yield f"set {set_letter(number)}: tokens {_tokens(detail['after']['sets'][number])}, {origin}"
    for number, spans in enumerate((detail.get("before") or {}).get("sets", ())):
        yield f"before, set {set_letter(number)}: tokens {_tokens(spans)}"


def _tokens(spans: Sequence[Sequence[int]]) -> str:
    return ", ".join(str(start) if end == start + 1 else f"{start}–{end - 1}" for start, end in spans)


def _shown(score: object) -> str:
    return "–" if score is None else str(score)


def _in_form(value: object, form: str) -> str:
    """The value in its place in some words; "" where there is none."""
    return form.format(value) if value not in (None, "", 0) else ""


def _unnamed(detail: Detail) -> str:
    return f"an annotation, round {detail['round']}" if "round" in detail else "an annotation"


def _listed(values: Iterable[object]) -> str:
    return ", ".join(str(value) for value in values)


def _submitted(detail: Detail) -> str:
    result = "no result" if detail["result"] is None else detail["result"]
    return f"submitted round {detail['round']}: {result}, {counted(detail['sets'], 'set')}"


def _proposed(detail: Detail) -> str:
    return f"{'proposed label' if detail['kind'] == 'contest' else 'proposed to discard'}: {detail['reason']}"


def _adjudicated(detail: Detail) -> str:
    again = "changed the lead’s version" if detail.get("before") else "made a version of the lead’s the gold"
    return f"{again}: {detail['after']['result']} ({detail['reason']})"


def _number(detail: Detail) -> str:
    return f"no. {detail['perturbation']}"


def _judged(detail: Detail) -> str:
    """What somebody said in an audit; of whoever was erased, that they judged it."""
    version = f"judged changed version {_number(detail)}, version {detail['version']}"
    match detail.get("is_right"):
        case None:
            return version
        case True:
            return f"{version}: right"
    return f"{version}: wrong ({_listed(detail['faults'])})"


def _checked(detail: Detail, what: str = "") -> str:
    """Which one a checker spoke of, what became of it, and why."""
    return f"{_number(detail)}, version {detail['version']}{what}{_in_form(detail.get('reason'), ' ({})')}"


def _imported(detail: Detail) -> str:
    new = ("new text",) if "annotations" in detail else ("text with model output", "texts with model output")
    held = [counted(detail.get("new", 0), *new)]
    held += [f"{detail['updated']:,} changed"] if detail.get("updated") else []
    held += [counted(detail["annotations"], "annotation")] if detail.get("annotations") else []
    return f"imported “{detail['file']}” (format {detail['format']}): {', '.join(held)}"


def _changed(detail: Detail) -> str:
    names = [name for name in detail.get("changed", ()) if name != "settings"]
    rules = [RULE_NAMES.get(name, name.replace("_", " ")) for name in detail.get("settings", ())]
    if "settings" in detail.get("changed", ()) and not rules:
        rules = ["a rule"]
    version = _in_form(detail.get("guidelines"), "; the guidelines are version {} now")
    return f"changed {_listed([*(_OF_PROJECT.get(name, name) for name in names), *rules]) or 'nothing in the rules'}{version}"


def _attributed(detail: Detail) -> str:
    counts = [
        counted(detail[name], noun)
        for name, noun in (
            ("answers", "answer"),
            ("attributions", "attribution"),
            ("reduced", "rationale"),
        )
        if detail.get(name)
    ]
    left_out = _in_form(detail.get("left_out"), "; {} left out")
    return f"computed {_listed(counts) or 'nothing new'} from {_run(detail)}{left_out}"


def _run(detail: Detail) -> str:
    """The model, the method with its parameters, and the seeds that were drawn."""
    seeds = [seed for seed in detail.get("seeds", ()) if seed is not None]
    more = [*(f"{name} {_value(value)}" for name, value in (detail.get("parameters") or {}).items())]
    more += [f"seed{'s' if len(seeds) > 1 else ''} {_listed(seeds)}"] if seeds else []
    method = _in_form(detail.get("method"), " by {}")
    return f"model {detail['model']}{method}{f' ({_listed(more)})' if more else ''}"


def _trained(detail: Detail) -> str:
    split = _in_form(detail.get("split"), " of the split {}")
    return (
        f"trained model {detail['model']} on {counted(detail['examples'], 'instance')}{split} (seed {detail['seed']})"
    )


def _split(detail: Detail) -> str:
    parts = _listed(f"{name} {share}" for name, share in detail["parts"].items())
    return f"divided the project into splits: {parts} (seed {detail['seed']})"


def _changed_many(detail: Detail) -> str:
    """What was done to how many texts, and how many were passed over."""
    texts = counted(detail["instances"], "text")
    done = {
        "give out": f"gave {texts} out again",
        "split": f"put {texts} into the split “{detail['split']}”"
        if detail.get("split")
        else f"took {texts} out of splits",
        "exhaustive": _MARKS[detail.get("is_exhaustive")].format(texts),
        "discard": f"discarded {texts} ({detail.get('reason')}{_in_form(detail.get('comment'), ': {}')})",
        "put back": f"put {texts} back",
        "name": f"freed {texts} for everybody" if not detail.get("people") else f"named people for {texts}",
    }[detail["kind"]]
    people = _in_form(_listed(detail.get("people", ())), f", {_WAYS[detail.get('named_as')]} {{}}")
    passed_over = _in_form(detail.get("passed_over"), "; {} passed over")
    return f"{done}{people}{passed_over}{_in_form(detail.get('number'), ' (change no. {})')}"


def bulk_words(action: BulkAction) -> str:
    """What somebody did to many texts, as the rest of a sentence that begins with their name."""
    return _changed_many({**asdict(action.change), "instances": action.n_instances})


_MARKS = {
    True: "marked {} as exhaustive",
    False: "marked {} as not exhaustive",
    None: "no longer says of {} whether they are exhaustive",
}
_WAYS = {"only": "only for", "first": "first for", None: "for"}


def _exported(detail: Detail) -> str:
    counts = counted(detail["lines"], "line") if "lines" in detail else counted(detail.get("instances", 0), "instance")
    return f"exported {counts} to “{detail['file']}” (format {detail['format']})"


def _saved_list(detail: Detail) -> str:
    return f"saved the list “{detail['list']}” with {counted(detail['instances'], 'text')}"


def _changed_list(detail: Detail) -> str:
    before = detail.get("before", {})
    renamed = before.get("list") not in (None, detail["list"])
    return (
        f"renamed the list “{before['list']}” to “{detail['list']}”"
        if renamed
        else f"changed the note of the list “{detail['list']}”"
    )


def _word_list(verb: str) -> Callable[[Detail], str]:
    def summary(detail: Detail) -> str:
        words = detail.get("words", 0)
        n = words if isinstance(words, int) else len(words)
        return f"{verb} the word list “{detail['list']}” ({counted(n, 'word')})"

    return summary


def _suite(verb: str, what: str = "the suite") -> Callable[[Detail], str]:
    def summary(detail: Detail) -> str:
        counts = [counted(detail[name], name[:-1]) for name in ("tests", "cases") if isinstance(detail.get(name), int)]
        file = _in_form(detail.get("file"), " (file “{}”)")
        test = _in_form(detail.get("test"), "the test “{}” of ")
        return f"{verb} {test}{what} “{detail['suite']}”{_in_form(_listed(counts), ': {}')}{file}"

    return summary


def _ran_suite(detail: Detail) -> str:
    counts = f"{counted(detail['tests'], 'test')}, {counted(detail['texts'], 'text')}"
    return f"ran the suite “{detail['suite']}” with model {detail['model']}: {counts}"


def _suite_predictions(detail: Detail) -> str:
    files = _listed(f"“{name}”" for name in detail["files"])
    return f"imported predictions of model {detail['model']} for the suite “{detail['suite']}” from {files}"


def _token(detail: Detail) -> str:
    allows = _in_form(_listed(detail.get("scopes", ())), " that allows {}")
    return f"made access token no. {detail['token']} for {detail['of']}{allows}, valid for {counted(detail['days'], 'day')}"


def _added(detail: Detail) -> str:
    return f"gave {detail['name']} the role {detail['role']}"


def _reset(detail: Detail) -> str:
    enabled = " and enabled their account again" if detail.get("was_disabled") else ""
    return f"made a new sign-in link for {detail['name']}{enabled}"


def _times(detail: Detail) -> str:
    """Of what strangers cause only the 1st, 2nd, 4th, 8th ... time is written down."""
    return f" ({detail['n']} times within the hour)" if detail.get("n", 1) > 1 else ""


def _door(verb: str) -> Callable[[Detail], str]:
    def summary(detail: Detail) -> str:
        texts, workers = counted(detail["texts"], "text"), counted(detail["workers"], "worker")
        return (
            f"{verb} the crowd door “{detail['door']}”: {texts} each, {workers}, {counted(detail['minutes'], 'minute')}"
        )

    return summary


def _ended_visit(detail: Detail) -> str:
    ends = {"finished": "finished", "left": "stopped", "out of time": "ran out of time"}
    return f"{ends[detail['state']]} behind the crowd door “{detail['door']}” after {counted(detail['texts'], 'text')}"


def _plain(event: Event) -> str:
    values = [f"{name.replace('_', ' ')} {_value(value)}" for name, value in event.detail.items() if value is not None]
    return f"{event.action} ({'; '.join(values)})" if values else event.action


def _value(value: object) -> str:
    """A value of JSON as people write it.

    >>> _value({"a": [1, None], "b": True}), _value([])
    ('a 1, –; b yes', 'none')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_value(inner)}" for name, inner in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(_value(inner) for inner in value) or "none"
    return "–" if value is None else str(value)


OF_ANNOTATIONS = {
    "review": "scored {}",
    "change score": "changed scores of {}",
    "skip review": "left the scoring of {} to others",
}


def _training_changed(detail: Detail) -> str:
    values = _listed(f"{name.replace('_', ' ')} {_value(value)}" for name, value in detail["changed"].items())
    return f"changed the training of {detail['audience']}: {values}"


def _training_ended(detail: Detail) -> str:
    f1 = "" if detail.get("f1") is None else f"; token F1 {detail['f1']:.2f}"
    right = f"; {detail['right']} of {detail['n']} right" if detail.get("n") else ""
    return f"{detail.get('state', 'ended')} try {detail['number']} of the training of {detail['audience']}{f1}{right}"


_PURPOSES = {
    "annotators": "the training of annotators", "reviewers": "the training of reviewers", "checks": "blind checks",
}  # fmt: skip

SENTENCES: dict[str, Callable[[Detail], str]] = {
    "change training": _training_changed,
    "pick training texts": lambda detail: f"picked {counted(detail['n'], 'text')} for {_PURPOSES[detail['purpose']]}",
    "take out training text": lambda detail: f"took the text out of {_PURPOSES[detail['purpose']]}",
    "accept training gold": lambda detail: f"took the changed gold of the text for {_PURPOSES[detail['purpose']]}",
    "end training": _training_ended,
    "allow after training": lambda detail: (
        f"let {detail['user']} work without having passed the training of {detail['audience']}"
        if detail["kind"] == "let through"
        else f"gave {detail['user']} another try at the training of {detail['audience']}"
    ),
    "submit": _submitted,
    "skip": lambda _: "skipped the text",
    "propose discard": lambda detail: f"proposed to discard the text: {detail['reason']}",
    "give back": lambda _: "released the text, to look at what others marked",
    "withdraw": lambda detail: f"withdrew round {detail['round']}",
    "decide: discard": lambda detail: f"discarded the text ({_proposed(detail)})",
    "decide: keep": lambda detail: (
        f"kept the {'label' if detail['kind'] == 'contest' else 'text'} ({_proposed(detail)})"
    ),
    "decide: relabel": lambda detail: f"changed the label to “{detail['reason']}”",
    "choose gold": lambda detail: (
        f"chose {detail['annotator']}, round {detail['round']}, as the gold ({detail['reason']})"
    ),
    "adjudicate": _adjudicated,
    "start evidence pass": lambda detail: (
        f"started the pass “{detail['evidence_pass']}” over {counted(detail['texts'], 'text')}, to mark all their evidence"
    ),
    "change evidence pass": lambda detail: (
        f"had what is accepted in “{detail['evidence_pass']}” {'' if detail['is_automatic'] else 'no longer '}taken over at once"
    ),
    "choose every evidence": lambda detail: (
        f"made what “{detail['evidence_pass']}” marked the gold: {detail['tokens_before']:,} → "
        f"{counted(detail['tokens_after'], 'token')}, all the evidence"
    ),
    "take over every evidence": lambda detail: (
        f"made what “{detail['evidence_pass']}” marked the gold of {counted(detail['texts'], 'text')}"
    ),
    "take back every evidence": lambda detail: (
        f"took back what “{detail['evidence_pass']}” marked as the gold of {counted(detail['texts'], 'text')}"
    ),
    "take gold choice back": lambda detail: f"took back the choice of gold{_in_form(detail.get('reason'), ' ({})')}",
    "save list": _saved_list,
    "put on list": lambda detail: f"put the text on the list “{detail['list']}”",
    "take off list": lambda detail: f"took the text off the list “{detail['list']}”",
    "change list": _changed_list,
    "delete list": lambda detail: f"deleted the list “{detail['list']}”; its texts stay",
    "turn mail on": lambda detail: f"turned mail on, through {detail['to']}",
    "turn mail off": lambda _: "turned mail off",
    "turn webhook on": lambda detail: f"turned the webhook on, at {detail['to']}",
    "turn webhook off": lambda _: "turned the webhook off",
    "save view": lambda detail: f"saved the view “{detail['view']}” of the metrics",
    "rename view": lambda detail: f"renamed the view “{detail['before']['view']}” to “{detail['view']}”",
    "delete view": lambda detail: f"deleted the view “{detail['view']}” of the metrics",
    "write perturbation": lambda detail: f"wrote changed version {_number(detail)} of the text ({detail['kind']})",
    "revise perturbation": lambda detail: f"revised changed version {_number(detail)}, now version {detail['version']}",
    "withdraw perturbation": lambda detail: f"withdrew changed version {_number(detail)}",
    "check perturbation": lambda detail: f"checked changed version {_checked(detail)}",
    "check perturbation: approve": lambda detail: f"approved changed version {_checked(detail)}",
    "check perturbation: correct": lambda detail: f"corrected changed version {_checked(detail)}",
    "check perturbation: reject": lambda detail: f"returned changed version {_checked(detail, ' to its author')}",
    "approve perturbation": lambda detail: (
        f"was the last to approve changed version {_number(detail)}; it is now instance number {detail['instance']}"
    ),
    "draw audit": lambda detail: (
        f"drew {detail['versions']:,} of {counted(detail['of'], 'accepted changed version')} for an audit (seed {detail['seed']})"
    ),
    "judge version": _judged,
    "send back version": lambda detail: (
        f"sent changed version {_number(detail)} back to its author after an audit ({detail['faults']})"
    ),
    "discard version": lambda detail: (
        f"discarded changed version {_number(detail)} after an audit ({detail['faults']})"
    ),
    "leave project": lambda detail: f"left the project ({_listed(detail['roles'])})",
    "change password": lambda _: "changed their password",
    "take data along": lambda detail: f"took the data of {detail['name']} along",
    "anonymise person": lambda detail: f"took the name and words of {detail['name']} out; what they marked stays",
    "erase person": lambda detail: (
        f"erased somebody, with {counted(detail['annotations'], 'annotation')} and {counted(detail['reviews'], 'review')}"
    ),
    "create": lambda detail: f"created the project “{detail['name']}”",
    "copy rules": lambda detail: (
        f"took the rules of “{detail['source']}”" + (", and its people" if detail["has_people"] else "")
    ),
    "change": _changed,
    "order texts": lambda detail: f"set the order of the texts: {order_words(order_from(detail['order']))}",
    "import": _imported,
    "export": _exported,
    "split": _split,
    "change many texts": _changed_many,
    "undo change of many texts": lambda detail: (
        f"undid change no. {detail['number']} of {counted(detail['instances'], 'text')}"
        f"{_in_form(detail.get('changed_since'), '; {} had changed since and stay')}"
    ),
    "freeze gold": lambda detail: (
        f"froze the gold of {counted(detail['instances'], 'instance')} as release {detail['release']} “{detail['name']}”"
    ),
    "erase from releases": lambda detail: (
        f"took {counted(detail['sets'], 'set')} of a person who asked for it out of the releases"
    ),
    "export release": lambda detail: (
        f"exported release {detail['release']} to “{detail['file']}” (format {detail['format']})"
    ),
    "add label": lambda detail: f"added the label “{detail['label']}”",
    "replace label": lambda detail: (
        f"replaced the label “{detail['label']}” by “{detail['by']}” ({replacement_summary(detail)})"
    ),
    "archive": lambda _: "archived the project",
    "bring back": lambda _: "brought the project back from the archive",
    "delete": lambda detail: (
        f"deleted the project “{detail['name']}” with {counted(detail['instances'], 'instance')} and "
        f"{counted(detail['annotations'], 'annotation')}; the backup from before is “{detail['backup']}”"
    ),
    "give role": lambda detail: f"gave {detail['user']} the role {detail['role']}",
    "take role": lambda detail: f"took the role {detail['role']} from {detail['user']}",
    "add user": lambda detail: (
        f"made an account and a sign-in link for {detail['name']}, with the role {detail['role']}"
    ),
    "add role": _added,
    "disable user": lambda detail: f"disabled the account of {detail['name']}",
    "reset user": _reset,
    "renew link": lambda detail: f"made a new sign-in link for {detail['name']}; an older one ended",
    "make first link": lambda _: "made the link for the first account; an older one ended",
    "set password": lambda detail: (
        "made the first account with the first link" if detail.get("is_first") else "set a password with a sign-in link"
    ),
    "sign in": lambda detail: f"signed in{' to the demonstration' if detail.get('is_demonstration') else ''}",
    "sign out": lambda _: "signed out",
    "fail to sign in": lambda detail: f"failed to sign in{_times(detail)}",
    "fail to use token": lambda detail: f"failed to use access token no. {detail['token']}{_times(detail)}",
    "make door": _door("made"),
    "change door": _door("changed"),
    "open door": lambda detail: f"opened the crowd door “{detail['door']}”",
    "pause door": lambda detail: f"paused the crowd door “{detail['door']}”",
    "close door": lambda detail: f"closed the crowd door “{detail['door']}”",
    "begin as worker": lambda detail: f"came in by the crowd door “{detail['door']}”",
    "end as worker": _ended_visit,
    "pay worker": lambda detail: f"noted that {detail['name']} is paid",
    "take payment back": lambda detail: f"took back that {detail['name']} is paid",
    "backup": lambda detail: f"made the backup “{detail['file']}”",
    "restore": lambda detail: (
        f"restored the backup “{detail['file']}”{_in_form(detail.get('kept'), '; what was there is kept as “{}”')}"
    ),
    "make token": _token,
    "revoke token": lambda detail: f"revoked access token no. {detail['token']} of {detail['of']}",
    "train model": _trained,
    "forget model": lambda detail: f"deleted everything that was stored of model {detail['model']}",
    MAP_LABELS: lambda detail: (
        f"confirmed the labels of {detail['model'] or 'models that learned from ' + detail['learned_in']}: "
        f"{LabelTable(detail['names']).words()}"
    ),
    "start attributing": lambda detail: f"began to compute answers and attributions from {_run(detail)}",
    "attribute": _attributed,
    "write prompts": lambda detail: f"wrote {counted(detail['instances'], 'prompt')} to “{detail['file']}”",
    "measure": lambda detail: f"measured {counted(detail['runs'], 'run')}",
    FORGOT_WRONG_K: wrong_k_summary,
    "make word list": _word_list("made"),
    "change word list": _word_list("changed"),
    "remove word list": _word_list("removed"),
    "make suite": _suite("made"),
    "make test": _suite("made"),
    "import suite": _suite("imported"),
    "export suite": _suite("exported"),
    "remove test": _suite("removed"),
    "remove suite": _suite("removed"),
    "run suite": _ran_suite,
    "import suite predictions": _suite_predictions,
}

_OF_PROJECT = {
    "name": "the name", "labels": "the labels", "language": "the language", "guidelines": "the guidelines",
    "question": "the question", "licence": "the licence", "citation": "the citation",
}  # fmt: skip
