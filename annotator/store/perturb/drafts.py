"""Changed versions that somebody is still writing."""

from annotator.domain.people import User
from annotator.domain.perturbations import ChangedText, DraftTurn
from annotator.store.connection.database import Store
from annotator.store.perturb.perturbations import changed_text, packed_texts


def save_draft(store: Store, user: User, original_id: int, changed: ChangedText, turn: DraftTurn) -> None:
    """What somebody is writing, in place of what they had; nothing where the same writer has sent a later state already."""
    store.run(
        """INSERT INTO perturbation_drafts (user_id, original_id, kind, texts, result, note, saved_at, writer, turn)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (user_id, original_id) DO UPDATE SET kind = excluded.kind, texts = excluded.texts,
                result = excluded.result, note = excluded.note, saved_at = excluded.saved_at, writer = excluded.writer,
                turn = excluded.turn
            WHERE perturbation_drafts.writer <> excluded.writer OR perturbation_drafts.turn <= excluded.turn""",
        (
            user.id, original_id, changed.kind, packed_texts(changed), changed.result, changed.note, store.now(),
            turn.writer, turn.number,
        ),
    )  # fmt: skip


def find_draft(store: Store, user: User, original_id: int) -> ChangedText | None:
    """What somebody was writing; None for nothing."""
    row = store.row("SELECT * FROM perturbation_drafts WHERE user_id = ? AND original_id = ?", (user.id, original_id))
    return None if row is None else changed_text(row)


def drafts_by(store: Store, project_id: int, user: User) -> list[tuple[int, ChangedText]]:
    """What somebody has begun, the latest first: the original, and what they were writing of it."""
    rows = store.rows(
        """SELECT d.* FROM perturbation_drafts AS d JOIN instances AS i ON i.id = original_id
            WHERE user_id = ? AND project_id = ? ORDER BY d.saved_at DESC""",
        (user.id, project_id),
    )
    return [(row["original_id"], changed_text(row)) for row in rows]


def drop_draft(store: Store, user: User, original_id: int) -> None:
    """It was handed in, or given up."""
    store.run("DELETE FROM perturbation_drafts WHERE user_id = ? AND original_id = ?", (user.id, original_id))
