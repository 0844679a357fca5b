"""The rules of training: what holds, and setting others."""

from dataclasses import asdict

from annotator.domain.people import User
from annotator.domain.project.qualification import (
    AUDIENCES,
    Audience,
    QualificationRules,
    StoredRules,
    seen_in_second_try,
)
from annotator.errors import Conflict, InvalidValue
from annotator.language import _, several, unsaid
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.qualification import rules as rules_store
from annotator.store.qualification.rules import list_items
from annotator.usecases.access.rights import require

_NO_TEXTS: dict[Audience, str] = {
    "annotators": unsaid(
        "There are no training texts for annotators yet, so nobody could pass. Pick some texts with gold first."
    ),
    "reviewers": unsaid(
        "There are no training texts for reviewers yet, so nobody could pass. Pick some texts with gold first."
    ),
}


def training_rules(store: Store, actor: User, project_id: int, audience: Audience) -> StoredRules:
    """The rules that hold, for the project's lead."""
    require(store, actor, project_id, "manage project")
    return rules_store.newest_rules(store, project_id, audience)


def set_rules(
    store: Store, actor: User, project_id: int, audience: Audience, rules: QualificationRules, *, based_on: int
) -> int:
    """Make other rules hold; whoever is in the middle of a try goes on under those that they began under.

    based_on: the number of the rules that the lead had before them. Answers the number of those that hold

    Raises: Conflict where somebody else set rules meanwhile; InvalidValue where training is switched on without items
    """
    with store.transaction():
        require(store, actor, project_id, "manage project")
        before = rules_store.newest_rules(store, project_id, audience)
        if before.number != based_on:
            raise Conflict(
                _(
                    "{name} changed the rules of this training meanwhile, so yours were not saved. Reload the page and make your "
                    "changes to the rules that hold now.",
                    name=before.made_by,
                )
            )
        if rules == before.rules:
            return before.number
        _require_items(store, project_id, audience, rules, before.rules)
        number = rules_store.add_rules(store, project_id, audience, rules, actor.name)
        was = asdict(before.rules)
        changed = {name: value for name, value in asdict(rules).items() if value != was[name]}
        add_event(
            store, actor.name, "change training", "project", project_id,
            project_id=project_id, audience=audience, number=number, changed=changed,
        )  # fmt: skip
    return number


def _require_items(
    store: Store, project_id: int, audience: Audience, rules: QualificationRules, before: QualificationRules
) -> None:
    if rules.is_on and not before.is_on and not list_items(store, project_id, audience):
        raise InvalidValue(_(_NO_TEXTS[audience]))
    if rules.check_every and not before.check_every and not list_items(store, project_id, "checks"):
        raise InvalidValue(
            _("There are no texts for blind checks yet. Pick some texts with gold for them first, or write 0.")
        )


def repeated_texts_words(rules: QualificationRules, n_texts: int) -> str:
    """That a second try shows texts whose gold the first has shown, and how many would do; "" where it does not."""
    n_seen = seen_in_second_try(rules, n_texts)
    if not n_seen:
        return ""
    return several(
        "A second try shows texts whose gold was seen in the first: {n} of {in_a_try}. Choose {wanted} texts for {tries} tries "
        "of {texts}.",
        "A second try shows texts whose gold was seen in the first: {n} of {in_a_try}. Choose {wanted} texts for {tries} tries "
        "of {texts}.",
        n_seen,
        in_a_try=min(rules.texts, n_texts),
        wanted=rules.tries * rules.texts,
        tries=rules.tries,
        texts=rules.texts,
    )


def picked_but_off(store: Store, actor: User, project_id: int) -> list[Audience]:
    """Whose training has texts and is off, so that whoever comes is given work at once."""
    require(store, actor, project_id, "manage project")
    return [
        audience
        for audience in AUDIENCES
        if not rules_store.newest_rules(store, project_id, audience).rules.is_on
        and list_items(store, project_id, audience)
    ]
