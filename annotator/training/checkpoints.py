"""What is written down of a training after each epoch, so that it goes on after a kill as if nothing had happened."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from annotator.errors import InvalidValue
from annotator.files import part_folder, sync_file, sync_folder
from annotator.training.trainable_models import Trainable

State = Mapping[str, Any]  # weights by name


@dataclass(frozen=True, slots=True)
class Progress:
    """epochs: the results of those that are done; best: the number of the best, with its weights."""

    epochs: tuple[Mapping[str, Any], ...]
    best: int
    best_state: State

    def after(self, result: Mapping[str, Any], trainable: Trainable, *, has_validation: bool) -> "Progress":
        """With one more epoch, which is the best where its validation loss is the lowest, or where there is none."""
        epochs = (*self.epochs, result)
        is_best = (
            not self.epochs
            or not has_validation
            or result["validation_loss"] < self.epochs[self.best]["validation_loss"]
        )
        if is_best:
            return Progress(epochs, len(epochs) - 1, trainable.state())
        return Progress(epochs, self.best, self.best_state)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file that holds all of it.

    plan:    what makes two trainings the same one, compared before going on
    is_anew: what was written of another training is passed over, and written over
    """

    path: Path
    plan: str
    is_anew: bool = False

    def load(self, trainable: Trainable, optimizer: Any, schedule: Any) -> Progress | None:
        """Put a training where it was; None where nothing was written.

        Raises: InvalidValue where what was written is of another training
        """
        if not self.path.exists():
            return None
        torch = import_module("torch")
        written = torch.load(self.path, map_location="cpu", weights_only=True)  # never runs what a file holds
        if written["plan"] != self.plan:
            if self.is_anew:
                return None
            raise InvalidValue(
                f"A training of this name was stopped that has other texts or settings ({self.path}). Choose another name, or "
                "begin it again (--again)."
            )
        trainable.restore(written["model"])
        optimizer.load_state_dict(written["optimizer"])
        schedule.load_state_dict(written["schedule"])
        return Progress(tuple(written["epochs"]), written["best"], written["best_state"])

    def save(self, progress: Progress, trainable: Trainable, optimizer: Any, schedule: Any) -> None:
        """Write everything, whole or not at all."""
        written = {
            "plan": self.plan,
            "epochs": [dict(epoch) for epoch in progress.epochs],
            "best": progress.best,
            "best_state": dict(progress.best_state),
            "model": dict(trainable.state()),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
        }
        with part_folder(self.path) as folder:
            made = folder / self.path.name
            import_module("torch").save(written, made)
            sync_file(made)
            made.replace(self.path)
            sync_folder(self.path.parent)
