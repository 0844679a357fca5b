"""The table of API tokens (migration m004)."""

TOKENS = (
    # Only the secret's SHA-256 is kept. A token that was revoked stays, so that its use can still be explained.
    """CREATE TABLE api_tokens (
        id INTEGER PRIMARY KEY,
        secret_hash BLOB NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
        user_id INTEGER NOT NULL REFERENCES users (id),
        project_id INTEGER NOT NULL REFERENCES projects (id),
        may_read INTEGER NOT NULL CHECK (may_read IN (0, 1)),
        may_write_output INTEGER NOT NULL CHECK (may_write_output IN (0, 1)),
        note TEXT NOT NULL DEFAULT '' CHECK (length(note) <= 200),
        created_by TEXT NOT NULL,
        created_at TEXT NOT NULL,
        expires_at TEXT NOT NULL CHECK (expires_at > created_at),
        last_used_at TEXT,
        revoked_at TEXT,
        CHECK (may_read + may_write_output > 0)
    ) STRICT""",
    "CREATE INDEX api_tokens_by_user ON api_tokens (user_id)",
    "CREATE INDEX api_tokens_by_project ON api_tokens (project_id)",
)
