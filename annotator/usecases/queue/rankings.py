"""By which numbers texts come first: models' answers as arrays, a function for each kind of order, and reasons in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.assignment.ranks import Flags, Floats, Integers, jensen_shannon, mean_known, pairwise_disagreement
from annotator.domain.models import Prediction
from annotator.domain.numbers import written
from annotator.domain.project.queue_orders import FirstKind, ModelOrder
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotFound
from annotator.language import _, listed, several
from annotator.metrics.registry import definition_of
from annotator.store import Store
from annotator.store import measurements as measurements_store
from annotator.store.annotate.instance_queue import QueueRow
from annotator.store.models import StoredRun, full_answers, has_full_answers, list_runs
from annotator.usecases.inspect.stale_numbers import has_changed

# What models answered, as arrays: a member for each seed of each model, a column for each text.


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
            return _("predicts {label}", label=_quoted(next(iter(counts))))
        ranked = sorted(counts.items(), key=lambda counted_label: -counted_label[1])
        (label, n), *others = ranked
        first = several("{n} predicts {label}", "{n} predict {label}", n, label=_quoted(label))
        return listed([first, *(_("{n} {label}", n=n_others, label=_quoted(name)) for name, n_others in others)])


def answers_of(store: Store, project: Project, model: str) -> dict[int | None, Answers]:
    """What a model answers to whole texts, by seed; raises NotFound naming the models that have answers."""
    answers = full_answers(store, project.id, model)
    if answers:
        return dict(answers)
    known = models_with_answers(store, project)
    raise NotFound(
        _(
            "No predictions of '{model}'. Available: {names}.",
            model=model,
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
        raise InvalidValue(_("Disagreement needs two models or seeds. Add a --model."))


def _quoted(label: str | None) -> str:
    return f"“{label}”" if label else _("that there is none")


# What is said beside a ranking of texts that it cannot rank, or ranks by less than it has of the others.


@dataclass(frozen=True, slots=True, eq=False)
class Remark:
    """Something to be said of some texts, with how many of those that wait it is said of.

    Shapes: is_meant bool[n_texts]
    """

    is_meant: Flags
    say: Callable[[int], str]

    def sentence(self, is_free: Flags) -> str:
        """With the number of texts that wait; "" where there is none."""
        n = int((self.is_meant & is_free).sum())
        return self.say(n) if n else ""


def say_lacking(n: int) -> str:
    return several(
        "{n} waiting text lacks what this order needs and stays behind.",
        "{n} waiting texts lack what this order needs and stay behind.",
        n,
    )


def say_unfit(n: int) -> str:
    return several(
        "{n} waiting text doesn't fit this order and comes behind.",
        "{n} waiting texts don't fit this order and come behind.",
        n,
    )


def say_own_answer(n: int) -> str:
    return several(
        "{n} waiting text has no label: its prediction's probability counts.",
        "{n} waiting texts have no label: their predictions' probabilities count.",
        n,
    )


def said_of_some(values: Floats) -> Remark:
    """Texts that some of the members say nothing of."""
    n_known, n_members = np.isfinite(values).sum(axis=0), len(values)

    def say(n: int) -> str:
        return several(
            "{n} waiting text has only some of the {n_members} models and seeds: those count.",
            "{n} waiting texts have only some of the {n_members} models and seeds: those count.",
            n,
            n_members=n_members,
        )

    return Remark((n_known > 0) & (n_known < n_members), say)


# Metrics of single texts that hold attributions against gold, as measuring keeps them.
PLAUSIBILITY: tuple[str, ...] = (
    "sets.best_f1", "sets.best_iou", "sets.coverage", "editing.mrr", "editing.average_precision", "eraser.auprc",
    "er_test.order", "er_test.mae_mean",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The numbers of some texts, from the first to come to the last.

    keys:    float[n_texts] each, low first; the second and later ones part what is equal in those before. NaN in the first: the
             text has no such number and is not among those that come first
    reason:  of a text, in words, by its column
    remarks: about texts without a number, and about how the numbers came about; warning: that they are old, or ""
    """

    keys: Sequence[Floats]
    reason: Callable[[int], str]
    remarks: tuple[Remark, ...]
    warning: str = ""


def rank(store: Store, project: Project, order: ModelOrder, texts: Sequence[QueueRow]) -> Ranked:
    """The numbers that an order goes by.

    Raises: NotFound for a model, method or number that is not stored; InvalidValue where the models do not have what it takes
    """
    return _RANKINGS[order.kind](store, project, order, texts)


def _by_confidence(store: Store, project: Project, order: ModelOrder, texts: Sequence[QueueRow]) -> Ranked:
    """1 − p of the text's label, as a mean over seeds (ER-TEST, LC and HC); of a text without one 1 − the highest p."""
    members = Members.of(store, project, order.models, texts)
    p_label, has_label = _of_labels(members, texts)
    p = np.where(has_label, p_label, _highest(members.probabilities))
    mean = mean_known(p)
    if not np.isfinite(mean).any():
        raise InvalidValue(_("{models} has no probabilities. Choose another order.", models=_models(order)))

    def reason(column: int) -> str:
        text = texts[column]
        values = {"p": _mean_words(p[:, column]), "answer": members.answer_words(column)}
        if has_label[column]:
            return _("{p} for its label “{label}”; {answer}", label=text.result, **values)
        return _("{p} for its own prediction; {answer}", **values)

    remarks = (
        Remark(np.isnan(mean), say_lacking),
        said_of_some(p),
        Remark(~has_label & ~np.isnan(mean), say_own_answer),
    )
    sign = 1 if order.kind == "least confident" else -1
    return Ranked([sign * mean], reason, remarks)


def _by_disagreement(store: Store, project: Project, order: ModelOrder, texts: Sequence[QueueRow]) -> Ranked:
    """The share of pairs of models and seeds that answer differently; equal ones by Jensen–Shannon divergence."""
    members = Members.of(store, project, order.models, texts)
    require_several(members)
    differing, divergence = pairwise_disagreement(members.votes), jensen_shannon(members.probabilities)

    def reason(column: int) -> str:
        parts = [members.answer_words(column), _("{share} of pairs differ", share=written(float(differing[column])))]
        if np.isfinite(divergence[column]):
            parts.append(_("divergence {bits} bits", bits=written(float(divergence[column]))))
        return "; ".join(parts)

    remarks = (
        Remark(np.isnan(differing), say_lacking),
        said_of_some(np.where((members.votes < 0) | np.isnan(differing), np.nan, 0.0)),
    )
    return Ranked([-differing, -divergence], reason, remarks)


def _by_disputed_label(store: Store, project: Project, order: ModelOrder, texts: Sequence[QueueRow]) -> Ranked:
    """Texts whose label is not what is answered: by the share of seeds that say so, then by how improbable the label is."""
    members = Members.of(store, project, order.models, texts)
    numbers = np.array([members.number_of(text.result) for text in texts], dtype=np.int64)
    is_labelled = np.array([text.result is not None for text in texts], dtype=np.bool_)
    if not is_labelled.any():
        raise InvalidValue(_("No text has a label to disagree with."))
    is_other = np.where(members.votes < 0, np.nan, (members.votes != numbers).astype(np.float64))
    share = np.where(is_labelled, mean_known(is_other), np.nan)
    p = mean_known(_of_labels(members, texts)[0])

    def reason(column: int) -> str:
        values = {"label": texts[column].result, "answer": members.answer_words(column)}
        if not np.isfinite(p[column]):
            return _("labelled “{label}”; {answer}", **values)
        return _("labelled “{label}”; {answer}; {p} for its label", p=written(float(p[column])), **values)

    remarks = (Remark(np.isnan(share), say_lacking), Remark(share == 0, say_unfit))
    return Ranked([np.where(share > 0, -share, np.nan), p], reason, remarks)


def _by_plausibility(store: Store, project: Project, order: ModelOrder, texts: Sequence[QueueRow]) -> Ranked:
    """A metric of a method's attributions against gold, the worst first; a mean over the seeds' runs."""
    runs = _runs(store, project, order)
    by_run = [measurements_store.values_of_run(store, stored.id, order.number, order.layer) for stored in runs]
    if not any(by_run):
        raise NotFound(
            _(
                "'{number}' of {models} by {method} isn't stored. Measure it, or choose: {numbers}.",
                number=order.number,
                models=_models(order),
                method=order.method,
                numbers=listed(PLAUSIBILITY),
            )
        )
    values = np.array([[of_run.get(text.id, np.nan) for text in texts] for of_run in by_run], dtype=np.float64)
    mean, definition = mean_known(values), definition_of(order.number)

    def reason(column: int) -> str:
        return f"{definition.title} {_mean_words(values[:, column])}"

    remarks = (Remark(np.isnan(mean), say_lacking), said_of_some(values))
    sign = -1 if definition.direction == "lower is better" else 1
    return Ranked([sign * mean], reason, remarks, _age(store, project, runs))


def _by_nothing(store: Store, project: Project, order: ModelOrder, texts: Sequence[QueueRow]) -> Ranked:
    """Texts in which most seeds found nothing, in no other order than the drawn one: so the first of them are a sample."""
    is_nothing = _answers_nothing(store, project, order, texts) if order.method == "" else _marks_nothing(
        store, project, order, texts
    )  # fmt: skip
    share = mean_known(is_nothing)

    def reason(column: int) -> str:
        known = is_nothing[:, column]
        n, n_known = int(np.nansum(known)), int(np.isfinite(known).sum())
        if order.method:
            what = _("no token selected by {method}", method=order.method)
        else:
            what = _("the prediction is {label}", label=_quoted(order.label))
        if len(known) == 1:
            return what
        return several(
            "{what} in {n_nothing} of {n} seed", "{what} in {n_nothing} of {n} seeds", n_known, what=what, n_nothing=n
        )

    remarks = (Remark(np.isnan(share), say_lacking), Remark(share <= 0.5, say_unfit))
    return Ranked([np.where(share > 0.5, 0.0, np.nan)], reason, remarks)


def _answers_nothing(store: Store, project: Project, order: ModelOrder, texts: Sequence[QueueRow]) -> Floats:
    """float[n_members, n_texts]: 1 where the answer is the one that says that there is nothing."""
    members = Members.of(store, project, order.models, texts)
    number = members.number_of(order.label)
    if number < 0 or not (members.votes == number).any():
        raise NotFound(
            _(
                "{models} never predicted {label}. Choose with --label: {answers}.",
                models=_models(order),
                label=_quoted(order.label),
                answers=listed([f"'{label}'" for label in members.labels[:10]]),
            )
        )
    return np.where(members.votes < 0, np.nan, (members.votes == number).astype(np.float64))


def _marks_nothing(store: Store, project: Project, order: ModelOrder, texts: Sequence[QueueRow]) -> Floats:
    """float[n_runs, n_texts]: 1 where the rationale has no token; of runs that only score tokens, where no score is above 0."""
    rows = [_nothing_of_run(store, project, stored) for stored in _runs(store, project, order)]
    return np.array([[float(of_run[t.id]) if t.id in of_run else np.nan for t in texts] for of_run in rows])


def _nothing_of_run(store: Store, project: Project, stored: StoredRun) -> dict[int, bool]:
    rationales = measurements_store.empty_rationales(store, stored.id)
    if rationales:
        return rationales
    answers = answers_of(store, project, stored.run.model).get(stored.run.seed, {})
    return measurements_store.without_support(
        store, stored.id, {number: prediction.label for number, prediction in answers.items()}
    )


def _runs(store: Store, project: Project, order: ModelOrder) -> list[StoredRun]:
    runs = list_runs(store, project.id)
    chosen = [stored for stored in runs if stored.run.model in order.models and stored.run.method == order.method]
    for model in order.models:
        if model not in {stored.run.model for stored in chosen}:
            methods = sorted({stored.run.method for stored in runs if stored.run.model == model and stored.run.method})
            raise NotFound(
                _(
                    "No '{method}' output of '{model}'. Available: {names}.",
                    method=order.method,
                    model=model,
                    names=listed([f"'{name}'" for name in methods]) or _("none"),
                )
            )
    return chosen


def measured_numbers(store: Store, project: Project) -> list[tuple[str, str, int | None, str]]:
    """(model, method, layer, name) of each plausibility that was measured."""
    made = measurements_store.measurements_of(store, project.id)
    return [
        (stored.run.model, stored.run.method, layer, name)
        for stored in list_runs(store, project.id)
        if stored.id in made and stored.run.method
        for layer, name in measurements_store.measured_names(store, stored.id)
        if name in PLAUSIBILITY
    ]


def _age(store: Store, project: Project, runs: Sequence[StoredRun]) -> str:
    made = measurements_store.measurements_of(store, project.id)
    n_stale = sum(has_changed(store, project.id, made[stored.id].last_event_id) for stored in runs if stored.id in made)
    if not n_stale:
        return ""
    return several(
        "The numbers of {n} run are out of date. Measure again first.",
        "The numbers of {n} runs are out of date. Measure again first.",
        n_stale,
    )


def _of_labels(members: Members, texts: Sequence[QueueRow]) -> tuple[Floats, Flags]:
    """Probability of each text's label, NaN where there is none, and whether the text has a label that has probabilities."""
    numbers: Integers = np.array([members.number_of(text.result) for text in texts], dtype=np.int64)
    n_members, n_texts, n_labels = members.probabilities.shape
    has_label = (numbers >= 0) & (numbers < n_labels)
    p = np.full((n_members, n_texts), np.nan)
    columns = np.nonzero(has_label)[0]
    p[:, columns] = members.probabilities[:, columns, numbers[columns]]
    return p, has_label


def _highest(probabilities: Floats) -> Floats:
    if not probabilities.shape[2]:
        return np.full(probabilities.shape[:2], np.nan)
    highest: Floats = probabilities.max(axis=2)  # NaN where there is none
    return highest


def _mean_words(values: Floats) -> str:
    """A number, or the mean over seeds with the lowest and the highest."""
    known = values[np.isfinite(values)]
    mean = written(float(known.mean()))
    if len(known) == 1:
        return mean
    return _(
        "{mean} ({lowest} to {highest} over {n})",
        mean=mean, lowest=written(float(known.min())), highest=written(float(known.max())), n=len(known)
    )  # fmt: skip


def _models(order: ModelOrder) -> str:
    return listed([f"'{model}'" for model in order.models], "and")


_RANKINGS: dict[FirstKind, Callable[[Store, Project, ModelOrder, Sequence[QueueRow]], Ranked]] = {
    "least confident": _by_confidence,
    "most confident": _by_confidence,
    "models disagree": _by_disagreement,
    "label disputed": _by_disputed_label,
    "least plausible": _by_plausibility,
    "nothing found": _by_nothing,
}
