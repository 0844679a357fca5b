"""Training in our own JSONL: its rules, its texts, and who may work; what people answered stays in the database."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from annotator.domain.own_sources import SourceQualification
from annotator.domain.project.qualification import AUDIENCES, PURPOSES, Known, QualificationRules
from annotator.domain.projects import Project
from annotator.errors import Problem
from annotator.language import _
from annotator.review.gold import spoiled
from annotator.store import Store
from annotator.store.instances import get_instance, ids_of_keys, queue_keys
from annotator.store.people import account_for
from annotator.store.qualification import rules as items_store
from annotator.store.qualification.rules import add_grant, add_rules, newest_rules, people_who_may_work
from annotator.usecases.gold import find_gold
from annotator.usecases.transfer.import_report import ImportReport

_FILE = "a file"


def qualification_as_source(store: Store, project: Project) -> Iterator[SourceQualification]:
    """What there is of it, if there is anything."""
    stored = {audience: newest_rules(store, project.id, audience) for audience in AUDIENCES}
    items = [item for purpose in PURPOSES for item in items_store.list_items(store, project.id, purpose)]
    passed = [(audience, name) for audience in AUDIENCES for name in people_who_may_work(store, project.id, audience)]
    if not items and not passed and not any(rules.number for rules in stored.values()):
        return
    names = {number: (key, split) for number, key, split in queue_keys(store, project.id)}
    yield SourceQualification(
        {audience: asdict(rules.rules) for audience, rules in stored.items() if rules.number},
        tuple(names[item.instance_id] for item in items),
        tuple((item.purpose, item.spoiling, item.seed) for item in items),
        tuple(passed),
    )


def take_qualification(
    store: Store, project: Project, sources: Sequence[SourceQualification], report: ImportReport
) -> None:
    """Training of a file, where the project has no rules of it and no texts for it yet."""
    for source in sources:
        if any(newest_rules(store, project.id, audience).number for audience in AUDIENCES):
            continue
        missing = _take_items(store, project, source)
        if missing is not None:
            reason = _("the training names a text that is neither in the file nor in the project")
            report.add_problem(Problem(source.source, source.line, "members", missing, reason))
            continue
        for audience, rules in source.rules.items():
            add_rules(store, project.id, audience, QualificationRules(**rules), _FILE)  # type: ignore[arg-type]
        for audience, name in source.passed:
            add_grant(store, project.id, audience, account_for(store, name).id or 0, "let through", _FILE)


def _take_items(store: Store, project: Project, source: SourceQualification) -> str | None:
    """Pick the texts that the file names; answers the key of the first that is not there, and picks none then."""
    ids = ids_of_keys(store, project.id, sorted({key for key, _ in source.members}))
    numbers = []
    for key, split in source.members:
        number = next((i for now, before, i in ids.get(key, []) if split in {now, before}), None)
        if number is None:
            return key
        numbers.append(number)
    for number, (purpose, spoiling, seed) in zip(numbers, source.items, strict=True):
        known = _known(store, project, number)
        if purpose == "reviewers":
            selectable = range(get_instance(store, number).layout.n_selectable)
            known = spoiled(known, spoiling, seed, selectable) or known
        items_store.add_item(store, project.id, purpose, number, known, _FILE, spoiling=spoiling, seed=seed)
    return None


def _known(store: Store, project: Project, instance_id: int) -> Known:
    """The gold that came with the text; without sets where it has none now, which the lead is told."""
    gold = find_gold(store, project, get_instance(store, instance_id))
    return Known(None, ()) if gold is None else Known(gold.result, gold.sets)
