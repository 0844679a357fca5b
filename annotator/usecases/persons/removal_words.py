"""What will go and what stays, in sentences, before somebody is anonymised or erased."""

from collections.abc import Sequence

from annotator.domain.numbers import counted
from annotator.usecases.persons.anonymisation import AnonymisingPlan
from annotator.usecases.persons.erasure import ErasingPlan
from annotator.usecases.persons.removal import BACKUPS_HOLD


def anonymising_lines(plan: AnonymisingPlan) -> tuple[str, ...]:
    """What anonymising takes, what it leaves, and what it cannot reach."""
    held = plan.held
    goes = (
        f"What goes: the account and the name '{plan.name}', every session, link and role, mail address and "
        f"notices, and {counted(held.words, 'note or message', 'notes and messages')} in their own words. What they hold goes "
        "to others."
    )
    stays = (
        f"What stays, under a drawn name that leads nowhere: {counted(held.annotations, 'annotation')} with "
        f"{counted(held.sets, 'rationale set')}, {counted(held.reviews, 'review')} with their scores, "
        f"{counted(held.versions, 'changed version')}, {counted(held.verdicts, 'verdict')} in audits, "
        f"{counted(held.answers, 'answer')} in training and blind checks, {counted(held.events, 'event')} of the record, and "
        "all times. No number changes."
    )
    return (goes, stays, *_lead_lines(plan.only_lead_of), *mention_lines(plan.n_mentions), BACKUPS_HOLD)


def erasing_lines(plan: ErasingPlan) -> tuple[str, ...]:
    """What erasing takes, what becomes of gold and releases, and what it cannot reach."""
    held = plan.held
    goes = (
        f"What goes: the account and the name '{plan.name}', {counted(held.annotations, 'annotation')} with "
        f"{counted(held.sets, 'rationale set')}, {counted(held.reviews, 'review')} with their scores, "
        f"{counted(held.versions, 'changed version')}, {counted(held.checks, 'check')} of changed versions, "
        f"{counted(held.verdicts, 'verdict')} in audits, {counted(held.answers, 'answer')} in training and blind checks, mail "
        "address and notices, and "
        f"{counted(held.words, 'note or message', 'notes and messages')} in their own words."
    )
    gold = (
        f"{counted(plan.n_gold_lost, 'instance')} would have no gold any more, where nobody else's annotation is accepted. "
        "Instances that want somebody again go back to the queue. Numbers that were measured before are shown as out "
        "of date. What the thresholds or a lead decided stays decided."
    )
    instances = (
        f"{counted(plan.n_instances, 'instance is a changed version', 'instances are changed versions')} that they wrote. It "
        f"goes as a whole, with what models said of it and {counted(plan.n_of_others, 'annotation')} that others made there."
    )
    releases = (
        f"From {name} {counted(n, 'rationale set')} would go. It says how many are gone, not whose."
        for name, n in plan.releases.items()
    )
    return (
        goes, gold, *([instances] if plan.n_instances else []), *releases, *_lead_lines(plan.only_lead_of),
        *mention_lines(plan.n_mentions), BACKUPS_HOLD,
    )  # fmt: skip


def _lead_lines(projects: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        f"Nobody would lead '{name}' any more but administrators: give somebody the role lead first."
        for name in projects
    )


def mention_lines(n: int) -> tuple[str, ...]:
    """That texts, and words of others, stay as they are."""
    if not n:
        return ()
    return (
        f"The name also stands in {counted(n, 'text or message', 'texts and messages')} that others wrote. They stay as they "
        "are: read them, since it may be somebody else's name.",
    )
