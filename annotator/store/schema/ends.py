"""What archiving and deleting a project needs (migration m026)."""

_GOES = "EXISTS (SELECT 1 FROM projects WHERE projects.id = {project} AND is_being_deleted = 1)"

ENDS = (
    "ALTER TABLE projects ADD COLUMN archived_at TEXT",
    # 1 only within the transaction that deletes a project: what is append only goes with its project, and in no other way.
    """ALTER TABLE projects ADD COLUMN is_being_deleted INTEGER NOT NULL DEFAULT 0
        CHECK (is_being_deleted IN (0, 1))""",
    "DROP TRIGGER events_are_not_deleted",
    f"""CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events WHEN NOT {_GOES.format(project="OLD.project_id")}
        BEGIN SELECT RAISE(ABORT, 'events are append only'); END""",
    "DROP TRIGGER comments_are_not_deleted",
    f"""CREATE TRIGGER comments_are_not_deleted BEFORE DELETE ON comments
        WHEN NOT {_GOES.format(project="(SELECT project_id FROM threads WHERE threads.id = OLD.thread_id)")}
        BEGIN SELECT RAISE(ABORT, 'comments are append only'); END""",
    # The highest numbers that deleted rows had: a page that is still open must not come to mean another row.
    """CREATE TABLE used_numbers (
        table_name TEXT PRIMARY KEY,
        highest INTEGER NOT NULL CHECK (highest >= 1)
    ) STRICT, WITHOUT ROWID""",
)
