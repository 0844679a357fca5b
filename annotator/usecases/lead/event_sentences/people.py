"""What happened to people, their accounts and tokens, to recruitment links, and to the database as a whole."""

from annotator.domain.numbers import counted
from annotator.language import _, unsaid
from annotator.usecases.lead.event_sentences.parts import Detail, Sentences, values_listed, with_more, with_note


def _role(detail: Detail) -> str:
    return _(detail["role"])


def _claimed(words: str, detail: Detail) -> str:
    return with_note(words, _("by single sign-on") if detail.get("is_claimed") else "")


def _token(detail: Detail) -> str:
    details = values_listed([*detail.get("scopes", ()), counted(detail["days"], "day")])
    return _(
        "created access token {number} for {name} ({details})",
        number=detail["token"],
        name=detail["of"],
        details=details,
    )


def _reset(detail: Detail) -> str:
    if detail.get("was_disabled"):
        return _("created a sign-in link for {name} and re-enabled the account", name=detail["name"])
    return _("created a new sign-in link for {name}", name=detail["name"])


def _times(words: str, detail: Detail) -> str:
    """Of what strangers cause only the 1st, 2nd, 4th, 8th ... time is written down."""
    n = detail.get("n", 1)
    return with_note(words, _("{n} times within the hour", n=n) if n > 1 else "")


def _link_of(words: str, detail: Detail) -> str:
    return _(
        words,
        name=detail["door"],
        texts=counted(detail["texts"], "text"),
        workers=counted(detail["workers"], "worker"),
        minutes=counted(detail["minutes"], "minute"),
    )


_MADE_LINK = unsaid("created recruitment link “{name}”: {texts} each, {workers}, {minutes}")
_CHANGED_LINK = unsaid("changed recruitment link “{name}”: {texts} each, {workers}, {minutes}")
_ENDS = {
    "finished": unsaid("finished at “{name}” after {texts}"),
    "left": unsaid("stopped at “{name}” after {texts}"),
    "out of time": unsaid("ran out of time at “{name}” after {texts}"),
}


def _set_password(detail: Detail) -> str:
    if detail.get("is_first"):
        return _("created the first account")
    return _("set a password with a sign-in link")


def _signed_in(detail: Detail) -> str:
    return _("signed in to the demonstration") if detail.get("is_demonstration") else _("signed in")


def _restored(detail: Detail) -> str:
    copy = detail.get("kept")
    words = _("restored the backup “{file}”", file=detail["file"])
    return with_more(words, _("previous data kept as “{file}”", file=copy) if copy else "")


SENTENCES: Sentences = {
    "leave project": lambda detail: _("left the project ({roles})", roles=values_listed(map(_, detail["roles"]))),
    "change password": lambda _detail: _("changed their password"),
    "take data along": lambda detail: _("downloaded the data of {name}", name=detail["name"]),
    "anonymise person": lambda detail: _("removed the name and words of {name}; marks stay", name=detail["name"]),
    "erase person": lambda detail: _(
        "erased a person, with {annotations} and {reviews}",
        annotations=counted(detail["annotations"], "annotation"),
        reviews=counted(detail["reviews"], "review"),
    ),
    "give role": lambda detail: _claimed(
        _("gave {user} the role {role}", user=detail["user"], role=_role(detail)), detail
    ),
    "take role": lambda detail: _claimed(
        _("removed the role {role} from {user}", user=detail["user"], role=_role(detail)), detail
    ),
    "join by single sign-on": lambda _detail: _("first came by single sign-on"),
    "join accounts": lambda detail: _(
        "joined {name} with {other}'s single sign-on", name=detail["name"], other=detail["other"]
    ),
    "add user": lambda detail: _(
        "created an account and link for {name}, role {role}", name=detail["name"], role=_role(detail)
    ),
    "add role": lambda detail: _("gave {user} the role {role}", user=detail["name"], role=_role(detail)),
    "disable user": lambda detail: _("disabled the account of {name}", name=detail["name"]),
    "reset user": _reset,
    "renew link": lambda detail: _("created a new sign-in link for {name}", name=detail["name"]),
    "make first link": lambda _detail: _("created the first-account link"),
    "set password": _set_password,
    "sign in": _signed_in,
    "sign out": lambda _detail: _("signed out"),
    "fail to sign in": lambda detail: _times(_("failed to sign in"), detail),
    "fail to use token": lambda detail: _times(
        _("failed to use access token {number}", number=detail["token"]), detail
    ),
    "make token": _token,
    "revoke token": lambda detail: _(
        "revoked access token {number} of {name}", number=detail["token"], name=detail["of"]
    ),
    "make door": lambda detail: _link_of(_MADE_LINK, detail),
    "change door": lambda detail: _link_of(_CHANGED_LINK, detail),
    "open door": lambda detail: _("opened the recruitment link “{name}”", name=detail["door"]),
    "pause door": lambda detail: _("paused the recruitment link “{name}”", name=detail["door"]),
    "close door": lambda detail: _("closed the recruitment link “{name}”", name=detail["door"]),
    "begin as worker": lambda detail: _("came by the recruitment link “{name}”", name=detail["door"]),
    "end as worker": lambda detail: _(
        _ENDS[detail["state"]], name=detail["door"], texts=counted(detail["texts"], "text")
    ),
    "stop worker": lambda detail: _(
        "ended the work of {name} after {texts}", name=detail["name"], texts=counted(detail["texts"], "text")
    ),
    "pay worker": lambda detail: _("marked {name} as paid", name=detail["name"]),
    "take payment back": lambda detail: _("marked {name} as unpaid", name=detail["name"]),
    "backup": lambda detail: _("created the backup “{file}”", file=detail["file"]),
    "restore": _restored,
}
