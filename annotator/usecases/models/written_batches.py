"""One batch of instances of a model that writes its answers: what is stored already, what it writes, what that answers.

What is written has a map for each of its pieces. It is an answer of the project where the task asks for answers, or where it
begins with the words of a label; else the model has no answer, and nothing of it is counted as right or wrong.
"""

import re
from collections.abc import Mapping, Sequence

from annotator.attribution.base import Explained, Input
from annotator.domain.instances import Instance
from annotator.domain.models import Output, Prediction, Run
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.store import Store
from annotator.store.models import RunFinder, outputs_of_run, store_outputs
from annotator.usecases.models.attribution_batches import BatchResult, WrittenMethod
from annotator.usecases.models.project_model import ProjectModel


def label_in(answer: str, labels: Sequence[str], label_words: Mapping[str, str]) -> str | None:
    """The label with whose words an answer begins, as whole words and whatever their case; the longest words count.

    >>> label_in(" Not good, really", ("good", "not good"), {})
    'not good'
    >>> label_in("goodness", ("good", "bad"), {}) is None
    True
    """
    words = {label: label_words.get(label, label).strip() for label in labels}
    for label in sorted(labels, key=lambda label: -len(words[label])):
        if words[label] and re.match(rf"\W*{re.escape(words[label])}(?!\w)", answer, re.IGNORECASE):
            return label
    return None


def check_label_words(labels: Sequence[str], label_words: Mapping[str, str]) -> None:
    """Raise InvalidValue for words of a label that there is not."""
    strange = [label for label in label_words if label not in labels]
    if strange:
        raise InvalidValue(
            _(
                "There is no label '{strange}' to give words to. There are {labels}.",
                strange=strange[0],
                labels=", ".join(labels) or _("none"),
            )
        )


class WrittenBatches:
    """Computes and writes batches for a model that writes its answers, as `Batches` does for others."""

    def __init__(
        self,
        store: Store,
        project: Project,
        model: ProjectModel,
        method: WrittenMethod,
        label_words: Mapping[str, str],
    ) -> None:
        self._store = store
        self._project = project
        self._model = model
        self._method = method
        self._label_words = label_words
        self._runs = RunFinder(store, project.id)
        self._answers_run = Run(model.name)

    def computed(self, instances: Sequence[Instance]) -> BatchResult:
        """Everything of the instances that is not stored. Raises: ModelError when the model fails for one of them."""
        result = BatchResult()
        ids = [instance.id for instance in instances]
        maps, answers = self._stored(self._method.run, ids), self._stored(self._answers_run, ids)
        todo = [instance for instance in instances if instance.id not in maps or not maps[instance.id].attributions]
        result.n_known = len(instances) - len(todo)
        explainer = self._method.explainer
        if explainer is None or not todo:
            return result
        explained = explainer.explain([Input.of(instance) for instance in todo], [""] * len(todo))
        for instance, of_one in zip(todo, explained, strict=True):
            result.outputs.append((self._method.run, Output(instance.id, attributions=of_one.attributions)))
            result.n_attributions += 1
            result.n_seen_in_part += "unseen_tokens" in of_one.facts
            result.add_facts(of_one.facts)
            answer = self._answer(of_one)
            result.n_unscored += answer is None
            if answer is not None and not (instance.id in answers and answers[instance.id].predictions):
                result.outputs.append((self._answers_run, Output(instance.id, (answer,))))
                result.n_answers += 1
        return result

    def write(self, result: BatchResult) -> None:
        """Write a batch in one transaction: all of it or nothing."""
        if not result.outputs:
            return
        with self._store.transaction():
            for run, output in result.outputs:
                store_outputs(self._store, self._runs.id_of(run), [output])

    def _stored(self, run: Run, instance_ids: Sequence[int]) -> dict[int, Output]:
        run_id = self._runs.find(run)
        return {} if run_id is None else outputs_of_run(self._store, run_id, instance_ids)

    def _answer(self, explained: Explained) -> Prediction | None:
        """What was written, as an answer of the project; None where it is none."""
        written = explained.attributions[0].written
        text = "" if written is None else written.text
        if self._project.task.result_kind != "label":
            return Prediction(text)
        label = label_in(text, self._project.labels, self._label_words)
        return None if label is None else Prediction(label)
