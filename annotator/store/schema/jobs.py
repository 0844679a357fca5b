"""The queue of long work (migrations m005, m016)."""

JOBS = (
    # worker: the number of the process that runs it; beat_at: when that process last gave a sign of life.
    """CREATE TABLE jobs (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        kind TEXT NOT NULL CHECK (kind IN ('attribute', 'measure', 'suite')),
        title TEXT NOT NULL,
        options TEXT NOT NULL CHECK (json_valid(options)),
        asked_by INTEGER REFERENCES users (id),
        asked_at TEXT NOT NULL,
        state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'failed', 'stopped')),
        n_done INTEGER NOT NULL DEFAULT 0 CHECK (n_done >= 0),
        n_of INTEGER NOT NULL DEFAULT 0 CHECK (n_of >= 0),
        told TEXT NOT NULL DEFAULT '',
        wants_stop INTEGER NOT NULL DEFAULT 0 CHECK (wants_stop IN (0, 1)),
        n_starts INTEGER NOT NULL DEFAULT 0 CHECK (n_starts >= 0),
        worker INTEGER,
        beat_at TEXT,
        ended_at TEXT,
        CHECK ((state = 'running') = (worker IS NOT NULL)),
        CHECK ((state = 'running') = (beat_at IS NOT NULL)),
        CHECK ((state IN ('done', 'failed', 'stopped')) = (ended_at IS NOT NULL))
    ) STRICT""",
    "CREATE INDEX jobs_that_are_open ON jobs (id) WHERE state IN ('waiting', 'running')",
    "CREATE INDEX jobs_by_project ON jobs (project_id, id)",
)

# With another kind of work. SQLite cannot change a CHECK, so the table is made anew; nothing refers to it.
JOBS_WITH_TRAINING = (
    "ALTER TABLE jobs RENAME TO jobs_before",
    JOBS[0].replace("'suite')", "'suite', 'train')"),
    "INSERT INTO jobs SELECT * FROM jobs_before",
    "DROP TABLE jobs_before",
    *JOBS[1:],
)
