"""The table that counts what strangers can cause again and again (migration m011)."""

REPEATED_EVENTS = (
    # One row for what somebody did or tried to do (subject_id 0: to nothing known), and how often within the hour of `hour`.
    """CREATE TABLE repeated_events (
        actor TEXT NOT NULL,
        action TEXT NOT NULL,
        subject_id INTEGER NOT NULL,
        hour TEXT NOT NULL,
        n INTEGER NOT NULL CHECK (n >= 1),
        PRIMARY KEY (actor, action, subject_id)
    ) STRICT, WITHOUT ROWID""",
)
