"""What leads did with a project: its rules, texts, lists, files, releases, and many texts at once."""

from dataclasses import asdict

from annotator.domain.numbers import counted
from annotator.domain.project.search import BulkAction
from annotator.language import _, listed, several, unsaid
from annotator.usecases.lead.event_sentences.parts import (
    RULE_NAMES,
    Detail,
    Sentences,
    values_listed,
    with_more,
    with_note,
    with_value,
)
from annotator.usecases.project.labels import replacement_summary
from annotator.usecases.queue.orders import order_from, order_words

_OF_PROJECT = {
    "name": unsaid("Project name"), "labels": unsaid("labels"), "language": unsaid("language"),
    "guidelines": unsaid("Guidelines"), "question": unsaid("question"), "licence": unsaid("Licence"),
    "citation": unsaid("Citation"),
}  # fmt: skip


def _imported(detail: Detail) -> str:
    n_new = detail.get("new", 0)
    if "annotations" in detail:
        held = [counted(n_new, "new text")]
    else:
        held = [counted(n_new, "text with model output", "texts with model output")]
    held += [_("{n} changed", n=f"{detail['updated']:,}")] if detail.get("updated") else []
    held += [counted(detail["annotations"], "annotation")] if detail.get("annotations") else []
    return _(
        "imported “{file}” (format {format}): {contents}",
        file=detail["file"],
        format=detail["format"],
        contents=listed(held),
    )


def _changed(detail: Detail) -> str:
    names = [_(_OF_PROJECT.get(name, name)) for name in detail.get("changed", ()) if name != "settings"]
    rules = [_(RULE_NAMES.get(name, name.replace("_", " "))) for name in detail.get("settings", ())]
    if "settings" in detail.get("changed", ()) and not rules:
        rules = [_("Rules")]
    changed = listed([*names, *rules])
    words = _("changed: {what}", what=changed or _("nothing"))
    version = detail.get("guidelines")
    return with_more(words, _("guidelines now version {version}", version=version) if version else "")


def _split(detail: Detail) -> str:
    parts = values_listed(f"{name} {share}" for name, share in detail["parts"].items())
    return _("split the project: {parts} (seed {seed})", parts=parts, seed=detail["seed"])


def _changed_many(detail: Detail) -> str:
    """What was done to how many texts, and how many were passed over."""
    done = _done_to_many(detail)
    if people := values_listed(detail.get("people", ())):
        done = _(_WAYS[detail.get("named_as")], done=done, people=people)
    if passed_over := detail.get("passed_over"):
        done = with_more(done, _("{n} skipped", n=passed_over))
    number = detail.get("number")
    return with_note(done, _("change {number}", number=number) if number else "")


_WAYS = {
    "only": unsaid("{done}, only for {people}"),
    "first": unsaid("{done}, first for {people}"),
    None: unsaid("{done}, for {people}"),
}


def _done_to_many(detail: Detail) -> str:
    n = detail["instances"]
    match detail["kind"]:
        case "give out":
            return several("reassigned {n} text", "reassigned {n} texts", n)
        case "split":
            return _put_into(detail.get("split"), n)
        case "exhaustive":
            return _marked(detail.get("is_exhaustive"), n)
        case "discard":
            reason = with_value(_(detail.get("reason") or "other"), detail.get("comment"))
            return several("discarded {n} text ({reason})", "discarded {n} texts ({reason})", n, reason=reason)
        case "put back":
            return several("restored {n} text", "restored {n} texts", n)
        case "name":
            return _named(n) if detail.get("people") else _freed(n)
    raise KeyError(detail["kind"])


def _put_into(split: str | None, n: int) -> str:
    if not split:
        return several("removed {n} text from splits", "removed {n} texts from splits", n)
    return several(
        "assigned {n} text to the split “{split}”", "assigned {n} texts to the split “{split}”", n, split=split
    )


def _named(n: int) -> str:
    return several("assigned people to {n} text", "assigned people to {n} texts", n)


def _freed(n: int) -> str:
    return several("opened {n} text to everyone", "opened {n} texts to everyone", n)


def _marked(is_exhaustive: bool | None, n: int) -> str:
    match is_exhaustive:
        case True:
            return several("marked {n} text as exhaustive", "marked {n} texts as exhaustive", n)
        case False:
            return several("marked {n} text as not exhaustive", "marked {n} texts as not exhaustive", n)
    return several("cleared whether {n} text is exhaustive", "cleared whether {n} texts are exhaustive", n)


def bulk_words(action: BulkAction) -> str:
    """What somebody did to many texts, as the rest of a sentence that begins with their name."""
    return _changed_many({**asdict(action.change), "instances": action.n_instances})


def _undone(detail: Detail) -> str:
    words = several(
        "undid change {number} of {n} text",
        "undid change {number} of {n} texts",
        detail["instances"],
        number=detail["number"],
    )
    changed = detail.get("changed_since")
    return with_more(words, _("{n} had changed since and stay", n=changed) if changed else "")


def _exported(detail: Detail) -> str:
    counts = counted(detail["lines"], "line") if "lines" in detail else counted(detail.get("instances", 0), "instance")
    return _(
        "exported {counts} to “{file}” (format {format})", counts=counts, file=detail["file"], format=detail["format"]
    )


def _changed_list(detail: Detail) -> str:
    name, before = detail["list"], detail.get("before", {}).get("list")
    if before not in (None, name):
        return _("renamed “{before}” to “{name}”", before=before, name=name)
    return _("changed the note of the list “{name}”", name=name)


def _copied(detail: Detail) -> str:
    if detail["has_people"]:
        return _("copied the rules and people of “{source}”", source=detail["source"])
    return _("copied the rules of “{source}”", source=detail["source"])


def _deleted(detail: Detail) -> str:
    return _(
        "deleted the project “{name}” ({instances}, {annotations}); backup “{backup}”",
        name=detail["name"],
        instances=counted(detail["instances"], "instance"),
        annotations=counted(detail["annotations"], "annotation"),
        backup=detail["backup"],
    )


SENTENCES: Sentences = {
    "create": lambda detail: _("created project “{name}”", name=detail["name"]),
    "copy rules": _copied,
    "change": _changed,
    "order texts": lambda detail: _(
        "set the order of the texts: {order}", order=order_words(order_from(detail["order"]))
    ),
    "import": _imported,
    "export": _exported,
    "split": _split,
    "change many texts": _changed_many,
    "undo change of many texts": _undone,
    "freeze gold": lambda detail: several(
        "froze the gold of {n} instance as release {release} “{name}”",
        "froze the gold of {n} instances as release {release} “{name}”",
        detail["instances"],
        release=detail["release"],
        name=detail["name"],
    ),
    "erase from releases": lambda detail: several(
        "removed {n} set from releases at a person's request",
        "removed {n} sets from releases at a person's request",
        detail["sets"],
    ),
    "export release": lambda detail: _(
        "exported release {release} to “{file}” (format {format})",
        release=detail["release"],
        file=detail["file"],
        format=detail["format"],
    ),
    "add label": lambda detail: _("added the label “{label}”", label=detail["label"]),
    "replace label": lambda detail: _(
        "replaced the label “{label}” by “{by}” ({summary})",
        label=detail["label"],
        by=detail["by"],
        summary=replacement_summary(detail),
    ),
    "archive": lambda _detail: _("archived the project"),
    "bring back": lambda _detail: _("unarchived the project"),
    "delete": _deleted,
    "save list": lambda detail: several(
        "saved the list “{name}” with {n} text",
        "saved the list “{name}” with {n} texts",
        detail["instances"],
        name=detail["list"],
    ),
    "put on list": lambda detail: _("added the text to the list “{name}”", name=detail["list"]),
    "take off list": lambda detail: _("removed the text from the list “{name}”", name=detail["list"]),
    "change list": _changed_list,
    "delete list": lambda detail: _("deleted the list “{name}”", name=detail["list"]),
    "save view": lambda detail: _("saved the metrics view “{name}”", name=detail["view"]),
    "rename view": lambda detail: _(
        "renamed “{before}” to “{name}”", before=detail["before"]["view"], name=detail["view"]
    ),
    "delete view": lambda detail: _("deleted the metrics view “{name}”", name=detail["view"]),
    "turn mail on": lambda detail: _("turned mail on, through {address}", address=detail["to"]),
    "turn mail off": lambda _detail: _("turned mail off"),
    "turn webhook on": lambda detail: _("turned the webhook on, at {address}", address=detail["to"]),
    "turn webhook off": lambda _detail: _("turned the webhook off"),
}
