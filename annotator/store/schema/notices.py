"""The tables of notices to people, and of what of them leaves the server."""

NOTICES = (
    # What leaves the server: one mail to one person, or one call of the webhook about one project. It is claimed before it is
    # sent ('sending'), so that none is sent twice; what was in the middle of it when the server ended is 'unknown'. No secret
    # stands here.
    """CREATE TABLE messages (
        id INTEGER PRIMARY KEY,
        channel TEXT NOT NULL CHECK (channel IN ('mail', 'webhook')),
        purpose TEXT NOT NULL CHECK (purpose IN ('notices', 'address')),
        user_id INTEGER REFERENCES users (id),
        project_id INTEGER REFERENCES projects (id),
        state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sending', 'sent', 'failed', 'unknown')),
        n_tries INTEGER NOT NULL DEFAULT 0 CHECK (n_tries >= 0),
        due_at TEXT NOT NULL,
        problem TEXT NOT NULL DEFAULT '',
        created_at TEXT NOT NULL,
        changed_at TEXT NOT NULL,
        CHECK ((channel = 'mail') = (user_id IS NOT NULL)),
        CHECK ((channel = 'webhook') = (project_id IS NOT NULL)),
        CHECK (purpose = 'notices' OR channel = 'mail')
    ) STRICT""",
    "CREATE INDEX messages_to_send ON messages (due_at) WHERE state IN ('waiting', 'sending')",
    "CREATE INDEX messages_by_state ON messages (state, id)",
    "CREATE INDEX messages_of_user ON messages (user_id, id)",
    "CREATE INDEX messages_of_project ON messages (project_id, id)",
    # detail: what the sentence needs besides the kind, such as the role; never anything of a text.
    """CREATE TABLE notices (
        id INTEGER PRIMARY KEY,
        user_id INTEGER NOT NULL REFERENCES users (id),
        project_id INTEGER NOT NULL REFERENCES projects (id),
        kind TEXT NOT NULL CHECK (kind IN
            ('returned', 'version returned', 'answer', 'question', 'decision', 'stuck', 'role')),
        instance_id INTEGER REFERENCES instances (id),
        detail TEXT NOT NULL DEFAULT '',
        created_at TEXT NOT NULL,
        read_at TEXT,
        mail_id INTEGER REFERENCES messages (id),
        webhook_id INTEGER REFERENCES messages (id)
    ) STRICT""",
    "CREATE INDEX notices_of_user ON notices (user_id, id)",
    "CREATE INDEX notices_unread ON notices (user_id, project_id, kind) WHERE read_at IS NULL",
    "CREATE INDEX notices_by_time ON notices (created_at)",
    "CREATE INDEX notices_by_instance ON notices (instance_id)",
    "CREATE INDEX notices_by_mail ON notices (mail_id) WHERE mail_id IS NOT NULL",
    "CREATE INDEX notices_by_webhook ON notices (webhook_id) WHERE webhook_id IS NOT NULL",
    "CREATE INDEX notices_for_webhook ON notices (project_id, id) WHERE webhook_id IS NULL",
    # How the server reaches others: off until an administrator turns it on. options: everything but the secret.
    """CREATE TABLE channels (
        kind TEXT PRIMARY KEY CHECK (kind IN ('mail', 'webhook')),
        is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
        options TEXT NOT NULL CHECK (json_valid(options)),
        on_since TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    # Where somebody wants their mail; nothing but the code is sent there before it is confirmed.
    """CREATE TABLE mail_addresses (
        user_id INTEGER PRIMARY KEY REFERENCES users (id),
        address TEXT NOT NULL CHECK (length(address) BETWEEN 3 AND 254 AND address NOT GLOB '*[^!-~]*'),
        confirmed_at TEXT,
        code_hash BLOB CHECK (code_hash IS NULL OR length(code_hash) = 32),
        code_until TEXT,
        n_tries INTEGER NOT NULL DEFAULT 0 CHECK (n_tries >= 0),
        mailed_at TEXT
    ) STRICT""",
)
