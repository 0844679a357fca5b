"""The tables of recruitment links: the links, who came in by which, and the secret under which platforms' ids are hashed."""

CROWD = (
    "ALTER TABLE users ADD COLUMN is_worker INTEGER NOT NULL DEFAULT 0 CHECK (is_worker IN (0, 1))",
    """CREATE TABLE crowd_doors (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        token TEXT NOT NULL UNIQUE CHECK (length(token) >= 22),
        name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
        state TEXT NOT NULL DEFAULT 'paused' CHECK (state IN ('open', 'paused', 'closed')),
        most_workers INTEGER NOT NULL CHECK (most_workers >= 1),
        quota INTEGER NOT NULL CHECK (quota >= 1),
        minutes INTEGER NOT NULL CHECK (minutes >= 1),
        at_once INTEGER NOT NULL CHECK (at_once >= 1),
        until TEXT,
        parameter TEXT NOT NULL DEFAULT '',
        return_address TEXT NOT NULL DEFAULT '',
        introduction TEXT NOT NULL DEFAULT '',
        must_read INTEGER NOT NULL DEFAULT 0 CHECK (must_read IN (0, 1)),
        created_by TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (project_id, name)
    ) STRICT""",
    # A worker's id on the platform is nowhere, only its hash; of whoever came without one there is none.
    """CREATE TABLE crowd_workers (
        user_id INTEGER PRIMARY KEY REFERENCES users (id),
        door_id INTEGER NOT NULL REFERENCES crowd_doors (id),
        platform_hash BLOB CHECK (platform_hash IS NULL OR length(platform_hash) = 32),
        visit_hash BLOB NOT NULL UNIQUE CHECK (length(visit_hash) = 32),
        code TEXT NOT NULL UNIQUE,
        state TEXT NOT NULL DEFAULT 'working' CHECK (state IN ('working', 'finished', 'left', 'out of time')),
        began_at TEXT NOT NULL,
        ends_at TEXT NOT NULL,
        ended_at TEXT,
        paid_at TEXT,
        UNIQUE (door_id, platform_hash),
        CHECK ((state = 'working') = (ended_at IS NULL))
    ) STRICT""",
    "CREATE INDEX crowd_workers_at_work ON crowd_workers (ends_at) WHERE state = 'working'",
    """CREATE TABLE crowd_secret (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        secret BLOB NOT NULL CHECK (length(secret) = 32)
    ) STRICT""",
)
