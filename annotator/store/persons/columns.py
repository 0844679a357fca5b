"""Where the database names a person, refers to one, or keeps what they wrote.

`tests/store/persons/test_columns.py` walks the tables and fails for a column that is in none of these lists and that nobody
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


REFERENCES = (
    Reference("annotations", "user_id"),
    Reference("api_tokens", "user_id"),
    Reference("assignment_counts", "user_id"),
    Reference("assignments", "user_id"),
    Reference("comments", "user_id"),
    Reference("guidelines_read", "user_id"),
    Reference("jobs", "asked_by"),
    Reference("memberships", "user_id"),
    Reference("perturbation_checks", "checker"),
    Reference("perturbation_drafts", "user_id"),
    Reference("perturbation_versions", "made_by"),
    Reference("perturbations", "author"),
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
    ("annotations", "annotator"),
    ("api_tokens", "created_by"),
    ("comments", "author"),
    ("events", "actor"),
    ("gold_choices", "chosen_by"),
    ("guidelines_versions", "made_by"),
    ("proposals", "decided_by"),
    ("proposals", "proposed_by"),
    ("releases", "made_by"),
    ("rounds", "decided_by"),
    ("saved_lists", "made_by"),
    ("saved_views", "made_by"),
    ("suite_runs", "created_by"),
    ("suite_tests", "created_by"),
    ("suites", "created_by"),
    ("word_lists", "created_by"),
)

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

# JSON in which a name or somebody's words stand among other things, and an address that may name an annotator.
SEARCHED = (("events", "detail"), ("instances", "metadata"), ("saved_views", "query"))
