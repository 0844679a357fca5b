"""Where the database names a person, refers to one, or keeps what they wrote.

`tests/store/test_columns.py` walks the tables and fails for a column that is in none of these lists and that nobody
has looked at: whoever adds a column says here, or there, whether it is of a person.
"""

from dataclasses import dataclass

TAKEN_OUT = "(taken out)"  # in the place of words that cannot be empty


@dataclass(frozen=True, slots=True)
class Reference:
    """A column with the number of an account. is_of_project: the row stays when the person goes, and names nobody then."""

    table: str
    column: str
    is_of_project: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """A column with what somebody wrote. whose: the condition for a person's (?1: their number, ?2: their names as JSON)."""

    table: str
    column: str
    whose: str
    instead: str = ""


@dataclass(frozen=True, slots=True)
class PackedWords:
    """A column of JSON in which somebody's words stand, at any depth, under some names; else as `Words`."""

    table: str
    column: str
    names: frozenset[str]
    whose: str
    instead: str = ""


# In the order in which rows can go: a notice before the mail that told of it, an answer before its try.
REFERENCES = (
    Reference("annotations", "user_id"),
    Reference("api_tokens", "user_id"),
    Reference("assignment_counts", "user_id"),
    Reference("assignments", "user_id"),
    Reference("audit_items", "auditor", is_of_project=True),
    Reference("audit_items", "held_by", is_of_project=True),
    Reference("bulk_actions", "user_id", is_of_project=True),
    Reference("comments", "user_id"),
    Reference("crowd_workers", "user_id"),
    Reference("exercises", "user_id"),
    Reference("guidelines_read", "user_id"),
    Reference("identities", "user_id"),
    Reference("jobs", "asked_by"),
    Reference("mail_addresses", "user_id"),
    Reference("memberships", "user_id"),
    Reference("named_people", "user_id"),
    Reference("notices", "user_id"),
    Reference("messages", "user_id"),
    Reference("perturbation_checks", "checker"),
    Reference("perturbation_drafts", "user_id"),
    Reference("perturbation_versions", "made_by"),
    Reference("perturbations", "author"),
    Reference("qualification_attempts", "user_id"),
    Reference("qualification_grants", "user_id"),
    Reference("queue_cursors", "user_id"),
    Reference("releases", "user_id", is_of_project=True),
    Reference("reviews", "user_id"),
    Reference("saved_lists", "user_id", is_of_project=True),
    Reference("saved_views", "user_id", is_of_project=True),
    Reference("sessions", "user_id"),
    Reference("sets_shown", "user_id"),
    Reference("sign_in_links", "user_id"),
    Reference("threads", "begun_by", is_of_project=True),
)

# Names of people as they were when the row was written; the account's own is users.name.
NAMES = (
    ("annotations", "annotator"), ("api_tokens", "created_by"), ("audits", "made_by"), ("bulk_actions", "made_by"),
    ("bulk_actions", "undone_by"), ("comments", "author"), ("crowd_doors", "created_by"), ("events", "actor"),
    ("evidence_passes", "made_by"), ("gold_choices", "chosen_by"), ("guidelines_versions", "made_by"),
    ("proposals", "decided_by"), ("proposals", "proposed_by"), ("qualification_grants", "granted_by"),
    ("qualification_items", "added_by"), ("qualification_rules", "made_by"), ("releases", "made_by"),
    ("rounds", "decided_by"), ("saved_lists", "made_by"), ("saved_views", "made_by"), ("suite_runs", "created_by"),
    ("suite_tests", "created_by"), ("suites", "created_by"), ("word_lists", "created_by"),
)  # fmt: skip

# Names in rows that only count, and are deleted with the name.
COUNTED_NAMES = (("repeated_events", "actor"), ("sign_in_failures", "name"))

_NAMED = "{column} IN (SELECT value FROM json_each(?2))"
_OF_ACCOUNT = "{column} = ?1"


def _named(column: str) -> str:
    return _NAMED.format(column=column)


def _of_account(column: str) -> str:
    return _OF_ACCOUNT.format(column=column)


WORDS = (
    Words("annotations", "note", f"({_of_account('user_id')} OR {_named('annotator')})"),
    Words("api_tokens", "note", _of_account("user_id")),
    Words("audit_items", "comment", _of_account("auditor")),
    Words("comments", "text", f"({_of_account('user_id')} OR {_named('author')})", TAKEN_OUT),
    Words("drafts", "note", "assignment_id IN (SELECT id FROM assignments WHERE user_id = ?1)"),
    Words("gold_choices", "reason", _named("chosen_by"), TAKEN_OUT),
    Words("perturbation_checks", "reason", _of_account("checker"), TAKEN_OUT),
    Words("perturbation_versions", "note", _of_account("made_by")),
    Words("perturbation_versions", "reason", _of_account("made_by"), TAKEN_OUT),
    Words("proposals", "comment", _named("proposed_by")),
    Words("reviews", "comment", _of_account("user_id")),
    Words("rounds", "reason", _named("decided_by"), TAKEN_OUT),
    Words("saved_lists", "note", f"({_of_account('user_id')} OR {_named('made_by')})"),
    Words("scores", "comment", "review_id IN (SELECT id FROM reviews WHERE user_id = ?1)"),
)

PACKED_WORDS = (
    PackedWords(
        "bulk_actions", "detail", frozenset({"comment"}),
        f"({_of_account('user_id')} OR {_named('made_by')})", TAKEN_OUT,  # “other” as a reason needs one
    ),
    PackedWords(
        "evidence_copies", "former_choice", frozenset({"reason"}), _named("former_choice ->> '$.chosen_by'"), TAKEN_OUT
    ),
    PackedWords("exercises", "answer", frozenset({"note", "comment"}), _of_account("user_id")),
)  # fmt: skip
