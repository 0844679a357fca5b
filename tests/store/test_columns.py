"""Every column of the database is looked at: whoever adds one says whether it is of a person."""

import pytest

from annotator.store import Store
from annotator.store.persons.columns import COUNTED_NAMES, NAMES, PACKED_WORDS, REFERENCES, WORDS

# JSON in which a name, an account's number or somebody's words stand among other things, and an address that may name an
# annotator.
SEARCHED = {
    ("bulk_members", "after"), ("bulk_members", "before"), ("events", "detail"), ("instances", "metadata"),
    ("saved_views", "query"), *((packed.table, packed.column) for packed in PACKED_WORDS),
}  # fmt: skip

# Text that is of the project, of a model or of the program, and of nobody as a person. By table; a column of a name that says
# when, in which state or of which kind is listed once, under "*".
OF_NOBODY = {
    "*": (
        "action at asked_at beat_at changed_at created_at ended_at expires_at kind language last_used_at lease_until made_at "
        "opened_at read_at revoked_at role saved_at split state submitted_at used_at decided_at chosen_at first_view_at "
        "first_action_at trained_at answered_at archived_at audience began_at begun_at confirmed_at due_at ends_at granted_at "
        "added_at held_until imported_at judged_at mailed_at paid_at undone_at"
    ),
    "annotations": "result",
    "audit_items": "faults result texts",  # a verdict is of `auditor`; texts: a digest
    "audits": "drawing population",
    "attributions": "label pieces facts written",
    "channels": "options on_since",  # the server's
    "comments": "spoken_as",
    "crowd_doors": "introduction name parameter return_address token until",  # the project's; who made it is in created_by
    "crowd_workers": "code",  # drawn
    "documents": "docid text",
    "drafts": "result sets origins unlocked",
    "events": "subject",
    "evidence_copies": "copy_result gold result",  # gold as it was, and nobody's by name
    "exercises": "known measures",
    "gold_choices": "evidence_pass",
    "guidelines_versions": "text",  # the project's; who wrote it is in made_by
    "identities": "issuer subject",  # goes as a whole
    "instances": "key source_split result parent_key perturbation_kind named_as",
    "jobs": "title options told",
    "machine_rationales": "quotes",
    "mail_addresses": "address code_until",  # goes as a whole
    "measurements": "gold_policy parameters",
    "messages": "channel purpose problem",  # a mail goes as a whole; a call of the webhook is of nobody
    "metric_values": "name",
    "models": "name",
    "notices": "detail",  # goes as a whole; what others are told names nobody
    "perturbation_drafts": "texts result note writer",  # goes as a whole
    "perturbation_versions": "texts result",
    "perturbation_checks": "verdict",
    "perturbations": "gold",
    "predictions": "input result label probabilities",
    "projects": "name task segments result_kind labels settings guidelines question licence citation",
    "proposals": "reason",  # one of a list, or a label
    "proposed_sets": "source name spans",
    "help_log": "source name spans step",
    "assignments": "arm",
    "qualification_attempts": "items",
    "qualification_items": "known purpose spoiling",
    "qualification_rules": "rules",
    "rationale_sets": "spans origin",
    "releases": "name rules digest",
    "removals": "account_made_at name_hash",  # of whoever was taken out: nothing that leads to a name
    "repeated_events": "hour",
    "rounds": "outcome verdict",
    "runs": "method parameters unit",
    "saved_lists": "name",
    "saved_views": "name",
    "segments": "name",
    "sessions": "csrf",
    "sufficient_sets": "parameters label examined",
    "shadow_scores": "sets",
    "suite_answers": "answers",
    "suite_cases": "name texts expectation labels applies edits",
    "suite_runs": "model seed computed_by",
    "suite_tests": "name type category recipe",
    "suites": "name",
    "threads": "about",
    "trainings": "model digest held_out",
    "used_numbers": "table_name",
    "users": "name password_hash",  # the account itself
    "word_lists": "name words",
}
# Numbers without a foreign key that are nevertheless of an account.
KEPT_COUNTS = {("assignment_counts", "user_id")}


def columns(store: Store, kind: str) -> set[tuple[str, str]]:
    rows = store.rows(
        """SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
            WHERE t.type = 'table' AND t.name NOT LIKE '\\_%' ESCAPE '\\' AND c.type = ?""",
        (kind,),
    )
    return {(row[0], row[1]) for row in rows}


def test_every_text_is_somebodys_name_or_words_or_said_to_be_nobodys(store: Store) -> None:
    persons = {*NAMES, *COUNTED_NAMES, *SEARCHED, *((w.table, w.column) for w in WORDS)}
    nobodys = {(table, column) for table, names in OF_NOBODY.items() if table != "*" for column in names.split()}
    unknown = {
        (table, column)
        for table, column in columns(store, "TEXT") - persons - nobodys
        if column not in OF_NOBODY["*"].split()
    }
    assert not unknown, "say in store/persons/columns.py, or here, whether these are of a person"
    assert persons | nobodys <= columns(store, "TEXT"), "and nothing is listed that is not there any more"


def test_every_number_of_an_account_is_known(store: Store) -> None:
    referring = store.rows(
        """SELECT t.name, f."from" FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f
            WHERE t.type = 'table' AND f."table" = 'users'"""
    )
    known = {(reference.table, reference.column) for reference in REFERENCES}
    assert {(row[0], row[1]) for row in referring} | KEPT_COUNTS == known
    called_so = {(table, column) for table, column in columns(store, "INTEGER") if column == "user_id"}
    assert called_so <= known


@pytest.mark.parametrize("sql", ["ADD COLUMN told_by TEXT", "ADD COLUMN seen_by INTEGER REFERENCES users (id)"])
def test_a_column_that_nobody_looked_at_is_found(store: Store, sql: str) -> None:
    store.run(f"ALTER TABLE rounds {sql}")
    walk = (
        test_every_number_of_an_account_is_known
        if "INTEGER" in sql
        else test_every_text_is_somebodys_name_or_words_or_said_to_be_nobodys
    )
    with pytest.raises(AssertionError):
        walk(store)
