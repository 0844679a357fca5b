"""The table of people who were made nameless or erased (migration m025)."""

REMOVALS = (
    # It names nobody. is_wiped: whether the file was written anew since, so that no byte is left of what was taken out.
    """CREATE TABLE removals (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('anonymise', 'erase')),
        at TEXT NOT NULL,
        is_wiped INTEGER NOT NULL DEFAULT 0 CHECK (is_wiped IN (0, 1))
    ) STRICT""",
)
