"""The table of people to whom others' sets of a text were shown (migration m012).

Reviews put their reviewers into it by a trigger, whoever writes them. is_free: whether the queue could give the text out now,
kept so that what a person can still be given is counted without looking at all that they were ever shown.
"""

_IS_FREE = "{row}.open_slots > 0 AND {row}.state = 'open'"
_NEW, _OLD = _IS_FREE.format(row="NEW"), _IS_FREE.format(row="OLD")

SHOWN = (
    """CREATE TABLE sets_shown (
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        user_id INTEGER NOT NULL REFERENCES users (id),
        project_id INTEGER NOT NULL REFERENCES projects (id),
        at TEXT NOT NULL,
        is_free INTEGER NOT NULL DEFAULT 0 CHECK (is_free IN (0, 1)),
        PRIMARY KEY (instance_id, user_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX sets_shown_of_free ON sets_shown (project_id, user_id) WHERE is_free = 1",
    f"""CREATE TRIGGER sets_shown_begin AFTER INSERT ON sets_shown BEGIN
        UPDATE sets_shown SET is_free = (SELECT {_IS_FREE.format(row="instances")} FROM instances WHERE id = NEW.instance_id)
            WHERE instance_id = NEW.instance_id AND user_id = NEW.user_id; END""",
    f"""CREATE TRIGGER sets_shown_follow AFTER UPDATE OF state, open_slots ON instances WHEN ({_OLD}) <> ({_NEW})
        BEGIN UPDATE sets_shown SET is_free = ({_NEW}) WHERE instance_id = NEW.id; END""",
    """CREATE TRIGGER reviews_show_sets AFTER INSERT ON reviews BEGIN
        INSERT INTO sets_shown (instance_id, user_id, project_id, at)
            SELECT instance_id, NEW.user_id, NEW.project_id, NEW.created_at FROM annotations WHERE id = NEW.annotation_id
            AND NOT EXISTS (SELECT 1 FROM sets_shown AS s
                WHERE s.instance_id = annotations.instance_id AND s.user_id = NEW.user_id); END""",
    # Whoever was annotator and reviewer of a text before this rule goes on as both.
    """INSERT INTO sets_shown (instance_id, user_id, project_id, at)
        SELECT instance_id, reviews.user_id, project_id, min(reviews.created_at) FROM reviews
            JOIN annotations ON annotations.id = annotation_id
            WHERE NOT EXISTS (SELECT 1 FROM assignments AS a WHERE a.instance_id = annotations.instance_id
                AND a.user_id = reviews.user_id AND a.state IN ('leased', 'returned', 'submitted', 'proposed'))
            GROUP BY instance_id, reviews.user_id, project_id""",
)
