"""What models answered, as arrays: a member for each seed of each model, a column for each text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.assignment.ranks import Floats, Integers
from annotator.domain.models import Prediction
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotFound
from annotator.language import _, listed, several
from annotator.store import Store
from annotator.store.annotate.instance_queue import QueueRow
from annotator.store.models import full_answers, has_full_answers, list_runs

Answers = Mapping[int, Prediction]  # by instance


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """The answers of models to some texts, a member for each seed.

    n_models: how many models; labels: what was answered or has a probability; numbers: those of labels
    Shapes:   votes int[n_members, n_texts], a number of a label or −1 for no answer;
              probabilities float[n_members, n_texts, n_labels], NaN where there is none; of written answers no label has any
    """

    n_models: int
    labels: tuple[str, ...]
    numbers: Mapping[str, int]
    votes: Integers
    probabilities: Floats

    @staticmethod
    def of(store: Store, project: Project, models: Sequence[str], texts: Sequence[QueueRow]) -> "Members":
        """Raises NotFound for a model without answers here."""
        members = [answers for model in models for answers in answers_of(store, project, model).values()]
        labels = dict.fromkeys(project.labels)
        for answers in members:
            for prediction in answers.values():
                labels |= dict.fromkeys(prediction.probabilities if project.labels else ())
                labels[prediction.label or ""] = None
        numbers = {label: number for number, label in enumerate(labels)}
        n_with_probabilities = len(numbers) if project.labels else 0
        votes = np.full((len(members), len(texts)), -1, dtype=np.int64)
        probabilities = np.full((len(members), len(texts), n_with_probabilities), np.nan)
        for member, answers in enumerate(members):
            for column, text in enumerate(texts):
                answer = answers.get(text.id)
                if answer is not None:
                    votes[member, column] = numbers[answer.label or ""]
                    if n_with_probabilities and answer.probabilities:
                        probabilities[member, column] = 0.0
                        for label, p in answer.probabilities.items():
                            probabilities[member, column, numbers[label]] = p
        return Members(len(models), tuple(labels), numbers, votes, probabilities)

    @property
    def n_seeds(self) -> int:
        return len(self.votes)

    def number_of(self, label: str | None) -> int:
        """The number of a label; −1 of one that nobody answered or gave a probability."""
        return -1 if label is None else self.numbers.get(label, -1)

    def answer_words(self, column: int) -> str:
        """What the members answered to a text, the most frequent first.

        "2 answer “positive”, 1 “negative”"
        """
        votes = self.votes[:, column]
        counts = {self.labels[vote]: int((votes == vote).sum()) for vote in dict.fromkeys(votes.tolist()) if vote >= 0}
        if len(votes) == 1:
            return _("answers {label}", label=_quoted(next(iter(counts))))
        ranked = sorted(counts.items(), key=lambda counted_label: -counted_label[1])
        (label, n), *others = ranked
        first = several("{n} answers {label}", "{n} answer {label}", n, label=_quoted(label))
        return listed([first, *(_("{n} {label}", n=n_others, label=_quoted(name)) for name, n_others in others)])


def answers_of(store: Store, project: Project, model: str) -> dict[int | None, Answers]:
    """What a model answers to whole texts, by seed; raises NotFound naming the models that have answers."""
    answers = full_answers(store, project.id, model)
    if answers:
        return dict(answers)
    known = models_with_answers(store, project)
    raise NotFound(
        _(
            "No answers of a model '{model}' are stored in the project '{project}'. Models with answers: {names}.",
            model=model,
            project=project.name,
            names=listed([f"'{name}'" for name in known]) or _("none yet"),
        )
    )


def models_with_answers(store: Store, project: Project) -> dict[str, list[int | None]]:
    """The models whose answers to whole texts are stored, by name, each with its seeds."""
    seeds: dict[str, list[int | None]] = {}
    for stored in list_runs(store, project.id):
        of_model = seeds.setdefault(stored.run.model, [])
        if stored.run.seed not in of_model and has_full_answers(store, stored.id):
            of_model.append(stored.run.seed)
    return {model: of_model for model, of_model in seeds.items() if of_model}


def require_several(members: Members) -> None:
    """Raise InvalidValue where one model with one seed is alone: it disagrees with nobody."""
    if members.n_seeds < 2:
        raise InvalidValue(
            _(
                "One model with one seed has nobody to disagree with. Name a second model with --model, or import its answers "
                "with another seed."
            )
        )


def _quoted(label: str) -> str:
    return f"“{label}”" if label else _("that there is none")
