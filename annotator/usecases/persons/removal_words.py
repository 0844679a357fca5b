"""What will go and what stays, in sentences, before somebody is anonymised or erased."""

from collections.abc import Sequence

from annotator.domain.numbers import counted
from annotator.language import _, several
from annotator.store.persons.own_data import Held
from annotator.usecases.persons.anonymisation import AnonymisingPlan
from annotator.usecases.persons.erasure import ErasingPlan
from annotator.usecases.persons.removal import BACKUPS_HOLD


def anonymising_lines(plan: AnonymisingPlan) -> tuple[str, ...]:
    """What anonymising takes, what it leaves, and what it cannot reach."""
    goes = _(
        "What goes: the account and the name '{name}', every session, link and role, mail address and notices, and "
        "{words} in their own words. What they hold goes to others.",
        name=plan.name,
        **_amounts(plan.held),
    )
    stays = _(
        "What stays, under a drawn name that leads nowhere: {annotations} with {sets}, {reviews} with their "
        "scores, {changed_versions}, {verdicts} in audits, {answers} in training and blind checks, {events} of the "
        "record, and all times. No number changes.",
        **_amounts(plan.held),
    )
    return (goes, stays, *_lead_lines(plan.only_lead_of), *mention_lines(plan.n_mentions), _(BACKUPS_HOLD))


def erasing_lines(plan: ErasingPlan) -> tuple[str, ...]:
    """What erasing takes, what becomes of gold and releases, and what it cannot reach."""
    goes = _(
        "What goes: the account and the name '{name}', {annotations} with {sets}, {reviews} with their scores, "
        "{changed_versions}, {checks} of changed versions, {verdicts} in audits, {answers} in training and blind checks, "
        "mail address and notices, and {words} in their own words.",
        name=plan.name,
        **_amounts(plan.held),
    )
    gold = several(
        "{n} instance would have no gold any more, where nobody else's annotation is accepted. Instances that want "
        "somebody again go back to the queue. Numbers that were measured before are shown as out of date. What the "
        "thresholds or a lead decided stays decided.",
        "{n} instances would have no gold any more, where nobody else's annotation is accepted. Instances that want "
        "somebody again go back to the queue. Numbers that were measured before are shown as out of date. What the "
        "thresholds or a lead decided stays decided.",
        plan.n_gold_lost,
    )
    instances = several(
        "{n} instance is a changed version that they wrote. It goes as a whole, with what models said of it and "
        "{annotations} that others made there.",
        "{n} instances are changed versions that they wrote. It goes as a whole, with what models said of it and "
        "{annotations} that others made there.",
        plan.n_instances,
        annotations=counted(plan.n_of_others, "annotation"),
    )
    releases = (
        several(
            "From {release} {n} rationale set would go. It says how many are gone, not whose.",
            "From {release} {n} rationale sets would go. It says how many are gone, not whose.",
            n,
            release=name,
        )
        for name, n in plan.releases.items()
    )
    return (
        goes, gold, *([instances] if plan.n_instances else []), *releases, *_lead_lines(plan.only_lead_of),
        *mention_lines(plan.n_mentions), _(BACKUPS_HOLD),
    )  # fmt: skip


def _amounts(held: Held) -> dict[str, str]:
    """What the database holds of somebody, each amount under the name that it has in the sentences above."""
    return {
        "annotations": counted(held.annotations, "annotation"),
        "sets": counted(held.sets, "rationale set"),
        "reviews": counted(held.reviews, "review"),
        "changed_versions": counted(held.versions, "changed version"),
        "checks": counted(held.checks, "check"),
        "verdicts": counted(held.verdicts, "verdict"),
        "answers": counted(held.answers, "answer"),
        "events": counted(held.events, "event"),
        "words": counted(held.words, "note or message", "notes and messages"),
    }


def _lead_lines(projects: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        _("Nobody would lead '{name}' any more but administrators: give somebody the role lead first.", name=name)
        for name in projects
    )


def mention_lines(n: int) -> tuple[str, ...]:
    """That texts, and words of others, stay as they are."""
    if not n:
        return ()
    return (
        several(
            "The name also stands in {n} text or message that others wrote. They stay as they are: read them, since it may be "
            "somebody else's name.",
            "The name also stands in {n} texts and messages that others wrote. They stay as they are: read them, since it may "
            "be somebody else's name.",
            n,
        ),
    )
