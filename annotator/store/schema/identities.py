"""By whom an identity provider vouches, and which roles came from its claims (migration m039)."""

IDENTITIES = (
    # Whoever signs in elsewhere is known by the provider's address and its name for them, which never changes.
    # is_administrator: whether a claim made them one, so that they are none when it goes.
    """CREATE TABLE identities (
        issuer TEXT NOT NULL,
        subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
        user_id INTEGER NOT NULL REFERENCES users (id),
        is_administrator INTEGER NOT NULL DEFAULT 0 CHECK (is_administrator IN (0, 1)),
        created_at TEXT NOT NULL,
        PRIMARY KEY (issuer, subject)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX identities_by_user ON identities (user_id)",
    "ALTER TABLE memberships ADD COLUMN is_claimed INTEGER NOT NULL DEFAULT 0 CHECK (is_claimed IN (0, 1))",
)
