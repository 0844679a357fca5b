"""What the columns of a file may be chosen for, before it is read."""

from dataclasses import dataclass

# What columns with a model's answers are called.
PREDICTED = ("prediction", "predicted", "predicted_label", "pred", "pred_label", "y_pred")


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """What a field of ours may be read from.

    name:   as it is written with --column; words: for a sentence
    column: the one that is taken, by its name or because it was chosen before; None where there is none
    likely: those that look like it; the only one is a guess, several have to be asked about
    is_doubted: whether the column that would be taken looks like something else
    """

    name: str
    words: str
    column: str | None
    likely: tuple[str, ...]
    is_needed: bool
    is_doubted: bool = False

    @property
    def guess(self) -> str | None:
        """The column that is taken, or the only one that looks like it."""
        if self.is_doubted:
            return None
        return self.column or (self.likely[0] if len(self.likely) == 1 else None)


@dataclass(frozen=True, slots=True)
class ColumnChoices:
    """The columns of a file, and what they may be chosen for.

    left: those that are not read; marks: those that look like marks, of which metadata are kept as that
    """

    columns: tuple[str, ...]
    choices: tuple[ColumnChoice, ...]
    left: tuple[str, ...]
    marks: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()

    @property
    def are_open(self) -> bool:
        """Whether somebody has to look: something needed is missing, or something is only guessed."""
        return any(choice.column is None and (choice.is_needed or choice.likely) for choice in self.choices)
