"""What a file calls its labels, in the project's words, as the person who imports says it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from annotator.domain.models import Prediction, SourceOutput
from annotator.domain.projects import Project
from annotator.domain.sources import SourceInstance, SourceProject
from annotator.errors import InvalidValue, Problem
from annotator.formats.rows.findings import listed

_SHOWN = 12


@dataclass(slots=True)
class OwnLabels:
    """Renames the labels of a file's instances and model output. renamed: what the project calls labels of the file."""

    renamed: Mapping[str, str]
    _met: dict[str, None] = field(default_factory=dict)  # in the order of the file

    def each(self, items: Iterable[object]) -> Iterator[object]:
        """The same items in the project's labels.

        Raises: InvalidValue for the program's own export, and at the end where a label was never met
        """
        for item in items:
            if isinstance(item, SourceProject):
                raise InvalidValue("The program's own export keeps its labels; import it without --rename.")
            if isinstance(item, SourceInstance):
                yield self._instance(item)
            elif isinstance(item, SourceOutput):
                yield self._output(item)
            else:
                yield item
        unmet = [label for label in self.renamed if label not in self._met]
        if unmet and self._met:
            raise InvalidValue(
                f"The file has no label '{unmet[0]}' that could be renamed. It has {listed(list(self._met), _SHOWN)}."
            )

    def _named(self, label: str) -> str:
        if len(self._met) < _SHOWN or label in self.renamed:
            self._met[label] = None
        return self.renamed.get(label, label)

    def _result(self, result: str | None) -> str | None:
        return None if result is None else self._named(result)

    def _instance(self, instance: SourceInstance) -> SourceInstance:
        annotations = tuple(
            replace(annotation, result=self._result(annotation.result)) for annotation in instance.annotations
        )
        return replace(instance, result=self._result(instance.result), annotations=annotations)

    def _output(self, row: SourceOutput) -> SourceOutput | Problem:
        attributions = tuple(
            replace(part, label=self._named(part.label)) if part.label else part for part in row.attributions
        )
        predictions = tuple(self._prediction(part) for part in row.predictions)
        n_before = sum(len(part.probabilities) for part in row.predictions)
        n_places = len({(part.label, part.layer) for part in row.attributions})
        is_twice = (
            sum(len(part.probabilities) for part in predictions) < n_before
            or len({(part.label, part.layer) for part in attributions}) < n_places
        )
        if is_twice:
            reason = (
                "Two labels of this row would be one of the project's; rename each to a label of its own (--rename)."
            )
            return Problem(row.source, row.line, "label", row.key, reason)
        return replace(row, attributions=attributions, predictions=predictions)

    def _prediction(self, prediction: Prediction) -> Prediction:
        probabilities = {self._named(label): p for label, p in prediction.probabilities.items()}
        return replace(prediction, result=self._result(prediction.result), probabilities=probabilities)


def check_renamed(project: Project, renamed: Mapping[str, str]) -> None:
    """Raise InvalidValue where a label is to be called what the project does not have."""
    if renamed and project.task.result_kind != "label":
        raise InvalidValue(f"The project '{project.name}' asks for answers, which are not renamed.")
    for label, theirs in renamed.items():
        if project.labels and theirs not in project.labels:
            raise InvalidValue(
                f"'{label}' cannot be renamed to '{theirs}', which is no label of the project '{project.name}'. It has "
                f"{listed(project.labels, _SHOWN)}."
            )
