"""The tables of releases of gold."""

RELEASES = (
    # rules: what the project said of itself, as JSON. secret: what the pseudonyms in the parts are made with.
    # user_id NULL: made by nobody who has an account; made_by keeps the name either way.
    """CREATE TABLE releases (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        number INTEGER NOT NULL CHECK (number >= 1),
        name TEXT NOT NULL COLLATE NOCASE CHECK (length(name) BETWEEN 1 AND 100),
        rules TEXT NOT NULL CHECK (json_valid(rules)),
        n_instances INTEGER NOT NULL CHECK (n_instances >= 1),
        n_sets INTEGER NOT NULL CHECK (n_sets >= 0),
        n_annotators INTEGER NOT NULL CHECK (n_annotators >= 0),
        digest TEXT NOT NULL CHECK (length(digest) = 64),
        made_by TEXT NOT NULL,
        user_id INTEGER REFERENCES users (id),
        created_at TEXT NOT NULL,
        event_id INTEGER NOT NULL,
        secret BLOB NOT NULL CHECK (length(secret) = 32),
        n_erased INTEGER NOT NULL DEFAULT 0 CHECK (n_erased >= 0),
        UNIQUE (project_id, number),
        UNIQUE (project_id, name)
    ) STRICT""",
    # content: some instances with their gold, as lines of our own JSONL, compressed
    """CREATE TABLE release_parts (
        release_id INTEGER NOT NULL REFERENCES releases (id),
        position INTEGER NOT NULL CHECK (position >= 0),
        content BLOB NOT NULL,
        UNIQUE (release_id, position)
    ) STRICT""",
)
