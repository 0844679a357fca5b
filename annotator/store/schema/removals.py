"""The table of people who were made nameless or erased (migrations m025 and m035)."""

REMOVALS = (
    # It names nobody. is_wiped: whether the file was written anew since, so that no byte is left of what was taken out.
    """CREATE TABLE removals (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('anonymise', 'erase')),
        at TEXT NOT NULL,
        is_wiped INTEGER NOT NULL DEFAULT 0 CHECK (is_wiped IN (0, 1))
    ) STRICT""",
)

# By what a restore knows in a backup whom it has to take out again. account: a number that no row refers to any more.
REMOVED_ACCOUNTS = (
    "ALTER TABLE removals ADD COLUMN account INTEGER",
    "ALTER TABLE removals ADD COLUMN account_made_at TEXT",
    "ALTER TABLE removals ADD COLUMN name_hash TEXT NOT NULL DEFAULT ''",
)
