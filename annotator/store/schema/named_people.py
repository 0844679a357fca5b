"""The people for whom texts are (migration m028), and how many annotators a text wants beyond the project's number.

named_as, of an instance: 'only' the named people are given it, 'first' them and others when nothing else is left for these, and
NULL where nobody is named. named_people keeps beside each person whether the queue could give the text out, and its position, so
that the next text for them is one look into an index, however many texts name them.
"""

_IS_FREE = "{row}.open_slots > 0 AND {row}.state = 'open'"
_NEW, _OLD = _IS_FREE.format(row="NEW"), _IS_FREE.format(row="OLD")

NAMED_PEOPLE = (
    """ALTER TABLE instances ADD COLUMN extra_annotators INTEGER NOT NULL DEFAULT 0
        CHECK (extra_annotators BETWEEN 0 AND 100)""",
    "ALTER TABLE instances ADD COLUMN named_as TEXT CHECK (named_as IN ('first', 'only'))",
    """CREATE TABLE named_people (
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        user_id INTEGER NOT NULL REFERENCES users (id),
        project_id INTEGER NOT NULL REFERENCES projects (id),
        is_free INTEGER NOT NULL DEFAULT 0 CHECK (is_free IN (0, 1)),
        queue_position INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (instance_id, user_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX named_people_in_queue ON named_people (project_id, user_id, queue_position) WHERE is_free = 1",
    "CREATE INDEX named_people_of_user ON named_people (user_id, project_id)",
    f"""CREATE TRIGGER named_people_begin AFTER INSERT ON named_people BEGIN
        UPDATE named_people SET (is_free, queue_position) =
            (SELECT {_IS_FREE.format(row="instances")}, instances.queue_position FROM instances WHERE id = NEW.instance_id)
            WHERE instance_id = NEW.instance_id AND user_id = NEW.user_id; END""",
    f"""CREATE TRIGGER named_people_follow AFTER UPDATE OF state, open_slots, queue_position ON instances
        WHEN NEW.named_as IS NOT NULL AND (({_OLD}) <> ({_NEW}) OR OLD.queue_position <> NEW.queue_position)
        BEGIN UPDATE named_people SET is_free = ({_NEW}), queue_position = NEW.queue_position
            WHERE instance_id = NEW.id; END""",
    # The queue of everybody looks past texts that name somebody without reading them.
    "DROP INDEX instances_in_queue",
    """CREATE INDEX instances_in_queue ON instances (project_id, queue_position)
        WHERE open_slots > 0 AND state = 'open' AND named_as IS NULL""",
    """CREATE INDEX instances_named ON instances (project_id, named_as, queue_position)
        WHERE named_as IS NOT NULL""",
    # Few: those of which one wants more annotators than of others.
    "CREATE INDEX instances_with_extra ON instances (project_id) WHERE extra_annotators > 0",
)
