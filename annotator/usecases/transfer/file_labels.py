"""What becomes of the labels of a file: called otherwise, added or left out, as it was said for earlier files."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotator.domain.labels import trimmed
from annotator.domain.models import Prediction, SourceOutput
from annotator.domain.numbers import counted
from annotator.domain.own_sources import SourceProject
from annotator.domain.people import User, has_right
from annotator.domain.projects import Project
from annotator.domain.sources import SourceAnnotation, SourceInstance
from annotator.errors import InvalidValue, Problem
from annotator.formats.rows.findings import listed
from annotator.language import _, several, unknown
from annotator.language import listed as listed_words
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.people import roles_of
from annotator.store.projects import set_labels, update_project
from annotator.usecases.access.rights import require
from annotator.usecases.transfer.import_report import ImportOptions

_SHOWN = 12
_COUNTED = 1_000


@dataclass(slots=True)
class OwnLabels:
    """The labels of a file's instances and model output in the project's words.

    renamed: what the project calls labels of the file; left: those that are left out; added: those that become the project's
    remembered: what it called labels of earlier files, which this one need not have
    are_needed: whether the file has to have the labels that are renamed, added or left out; one of several need not
    merged: labels that differ from another one in case, blanks or width alone, and are called what that one is
    """

    renamed: Mapping[str, str]
    left: frozenset[str] = frozenset()
    added: tuple[str, ...] = ()
    remembered: Mapping[str, str] = field(default_factory=dict)
    are_needed: bool = True
    merged: Mapping[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)  # of the labels of texts, else of their annotators
    n_rows: int = 0  # left out, and of the others, annotations and parts of what models say
    n_annotations: int = 0
    n_parts: int = 0
    are_as_written: bool = False  # answers, and the labels of the program's own export
    _met: dict[str, None] = field(default_factory=dict)  # in the order of the file
    _recalled: dict[str, str] = field(default_factory=dict)  # of those that are remembered the ones that were met
    _gone: set[int] = field(default_factory=set)  # keys and splits of instances that were left out

    @property
    def not_own(self) -> frozenset[str]:
        """Labels of the file that the project need not have."""
        return frozenset((*self.renamed, *self.left, *self.added, *self.remembered, *self.merged))

    def each(self, items: Iterable[object]) -> Iterator[object]:
        """The same items in the project's labels, without those that are left out.

        Raises: InvalidValue for the program's own export, and at the end where a label was never met
        """
        for item in items:
            if isinstance(item, SourceProject) and (self.renamed or self.left):
                option = "--rename" if self.renamed else "--leave-out-label"
                raise InvalidValue(_("Annotator exports keep their labels. Import without {option}.", option=option))
            if isinstance(item, SourceProject):
                self.remembered, self.are_as_written = {}, True
            kept_row: object = item
            if isinstance(item, SourceInstance):
                kept_row = self._kept(item if self.are_as_written else with_trimmed_labels(item))
            elif isinstance(item, SourceOutput) and self.is_anything_asked:
                kept_row = self._output(item)
            if kept_row is not None:
                yield kept_row
        unmet = unmet_label((*self.renamed, *self.left, *self.added), self.met) if self.are_needed else None
        if unmet is not None:
            raise InvalidValue(unknown(_("label"), unmet, listed(list(self.met), _SHOWN)))

    @property
    def met(self) -> tuple[str, ...]:
        """The labels that the file has: those of which something is said, and a few others."""
        return tuple(self._met)

    def notes(self) -> list[str]:
        """What was merged, called as before, or left out, in sentences."""
        numbers = (
            (self.n_rows, counted(self.n_rows, "row")),
            (self.n_annotations, counted(self.n_annotations, "annotation")),
            (self.n_parts, counted(self.n_parts, "score or probability", "scores or probabilities")),
        )
        counts = [words for n, words in numbers if n]
        recalled, merged = (
            listed_words([_("“{label}” as “{theirs}”", label=label, theirs=theirs) for label, theirs in of.items()])
            for of in (self._recalled, self.merged)
        )
        sentences = [_("Labels mapped as before: {labels}.", labels=recalled)] if recalled else []
        sentences += [_("Labels merged: {labels}.", labels=merged)] if merged else []
        if not counts:
            return sentences
        n = sum(n for n, _words in numbers)
        parts = counts[0]
        for part in counts[1:]:
            parts = _("{before} and {word}", before=parts, word=part)
        left_words = several(
            "Skipped {parts} labelled {labels}.",
            "Skipped {parts} labelled {labels}.",
            n,
            parts=parts,
            labels=listed(sorted(self.left)),
        )
        return [*sentences, left_words]

    def _named(self, label: str) -> str:
        if len(self._met) < _SHOWN or label in self.renamed or label in self.left or label in self.added:
            self._met[label] = None
        if label in self.remembered:
            self._recalled[label] = self.remembered[label]
            return self.remembered[label]
        ours = self.renamed.get(label, label)
        return self.merged.get(ours, ours)

    @property
    def is_anything_asked(self) -> bool:
        """Whether a label of the file is to be treated in any way."""
        return bool(self.renamed or self.left or self.added or self.remembered or self.merged)

    def _kept(self, row: SourceInstance) -> SourceInstance | None:
        """A row in the project's labels, which are counted; None where it is left out."""
        kept_row = self._instance(row) if self.is_anything_asked else row
        if kept_row is not None and len(self.counts) < _COUNTED:
            results = [kept_row.result]
            if kept_row.result is None:
                results = [annotation.result for annotation in kept_row.annotations]
            self.counts.update(label for label in results if label is not None)
        return kept_row

    def _result(self, result: str | None) -> str | None:
        return None if result is None else self._named(result)

    def _is_left(self, result: str | None) -> bool:
        return result is not None and result in self.left

    def _instance(self, instance: SourceInstance) -> SourceInstance | None:
        result = self._result(instance.result)
        annotations = tuple(
            replace(annotation, result=self._result(annotation.result)) for annotation in instance.annotations
        )
        if self._is_left(instance.result) or (not instance.segments and hash(instance.place) in self._gone):
            self._gone.add(hash(instance.place))
            self.n_rows += 1
            return None
        kept_ones = self._without_left(instance.annotations, annotations)
        if instance.is_addition and not instance.segments and annotations and not kept_ones:
            return None
        return replace(instance, result=result, annotations=kept_ones)

    def _without_left(
        self, given: tuple[SourceAnnotation, ...], renamed: tuple[SourceAnnotation, ...]
    ) -> tuple[SourceAnnotation, ...]:
        if not self.left:
            return renamed
        kept_ones = tuple(now for now, before in zip(renamed, given, strict=True) if not self._is_left(before.result))
        self.n_annotations += len(renamed) - len(kept_ones)
        return kept_ones

    def _output(self, row: SourceOutput) -> SourceOutput | Problem | None:
        attributions = tuple(
            replace(part, label=self._named(part.label)) if part.label else part
            for part in row.attributions
            if not self._is_left_part(part.label)
        )
        predictions = tuple(self._prediction(part) for part in row.predictions)
        if any(self._is_left(part.result) for part in row.predictions) or (row.attributions and not attributions):
            self.n_rows += 1
            return None
        n_before = sum(label not in self.left for part in row.predictions for label in part.probabilities)
        n_places = sum(part.label not in self.left for part in row.attributions)
        is_twice = (
            sum(len(part.probabilities) for part in predictions) < n_before
            or len({(part.label, part.layer) for part in attributions}) < n_places
        )
        if is_twice:
            reason = _("Two labels map to one. Rename them separately (--rename).")
            return Problem(row.source, row.line, "label", row.key, reason)
        return replace(row, attributions=attributions, predictions=predictions)

    def _is_left_part(self, label: str) -> bool:
        """Whether what a row says of a label is left out; it is met, and counted."""
        if label not in self.left:
            return False
        self._named(label)
        self.n_parts += 1
        return True

    def _prediction(self, prediction: Prediction) -> Prediction:
        probabilities = {
            self._named(label): p for label, p in prediction.probabilities.items() if not self._is_left_part(label)
        }
        return replace(prediction, result=self._result(prediction.result), probabilities=probabilities)


def with_trimmed_labels(instance: SourceInstance) -> SourceInstance:
    """The instance with labels without blanks at their ends; the same one where none has any."""
    given = (instance.result, *(annotation.result for annotation in instance.annotations))
    if all(label is None or label == trimmed(label) for label in given):
        return instance
    return replace(
        instance,
        result=_trimmed(instance.result),
        annotations=tuple(
            replace(annotation, result=_trimmed(annotation.result)) for annotation in instance.annotations
        ),
    )


def _trimmed(label: str | None) -> str | None:
    return None if label is None else trimmed(label) or None


def unmet_label(labels: Iterable[str], met: Sequence[str]) -> str | None:
    """The first of these labels that was not met, though others were."""
    return next((label for label in labels if label not in met), None) if met else None


def check_renamed(project: Project, renamed: Mapping[str, str], added: Iterable[str] = ()) -> None:
    """Raise InvalidValue where a label is to be called what the project does not have, and is not given now."""
    if renamed and project.task.result_kind != "label":
        raise InvalidValue(_("This needs labels; this project has answers."))
    labels = (*project.labels, *added)
    for label, theirs in renamed.items():
        if project.labels and theirs not in labels:
            raise InvalidValue(
                _(
                    "Can't rename '{label}' to '{theirs}' (only {labels}).",
                    label=label,
                    theirs=theirs,
                    labels=listed(project.labels, _SHOWN),
                )
            )


def check_labels(project: Project, renamed: Mapping[str, str], added: Iterable[str], left: Iterable[str]) -> None:
    """Raise InvalidValue where labels are to be treated in a way that cannot be."""
    check_renamed(project, renamed, added)
    if (added or left) and project.task.result_kind != "label":
        raise InvalidValue(_("This needs labels; this project has answers."))
    all_named = [*renamed, *added, *left]
    twice = next((label for label in all_named if all_named.count(label) > 1), None)
    if twice is not None:
        raise InvalidValue(_("Conflicting options for '{label}'. Keep one.", label=twice))
    for label in added:
        if not label.strip() or label != label.strip():
            raise InvalidValue(_("'{label}' is empty or has outer blanks. Rename it.", label=label))


def with_labels(store: Store, actor: User, project: Project, added: Iterable[str]) -> Project:
    """The project with more labels, where it has some; one without labels takes those of the file anyway."""
    new = [label for label in added if label not in project.labels]
    if not new or not project.labels:
        return project
    require(store, actor, project.id, "manage project")
    labels = (*project.labels, *new)
    set_labels(store, project.id, labels)
    add_event(
        store, actor.name, "change", "project", project.id, project_id=project.id, changed=["labels"], settings=[]
    )
    return replace(project, labels=labels)


# What labels of files are called in a project: as it was said for earlier files.


_OF_ONE_MODEL = re.compile(r"(?:LABEL_)?[0-9]+", re.IGNORECASE)  # a class number is another label in the next model


def remembered_labels(project: Project, options: ImportOptions) -> Mapping[str, str]:
    """What was said before of labels that the project does not have and of which nothing is said now."""
    if options.forget_columns or project.task.result_kind != "label":
        return {}
    said_now = {*options.renamed, *options.added_labels, *options.left_labels}
    return {
        label: theirs
        for label, theirs in project.settings.import_labels.items()
        if label not in project.labels and theirs in project.labels and label not in said_now
    }


def remember_labels(store: Store, actor: User, project: Project, options: ImportOptions) -> None:
    """Keep what was said now, where whoever says it may change the project's rules; class numbers are not kept."""
    before = {} if options.forget_columns else dict(project.settings.import_labels)
    now = {label: theirs for label, theirs in options.renamed.items() if not _OF_ONE_MODEL.fullmatch(label)}
    after = {**before, **now}
    may_change = has_right(actor, roles_of(store, actor, project.id), "manage project")
    if after == project.settings.import_labels or not may_change:
        return
    update_project(store, replace(project, settings=replace(project.settings, import_labels=after)))
    add_event(
        store, actor.name, "change", "project", project.id, project_id=project.id, changed=["settings"],
        settings=["import_labels"],
    )  # fmt: skip
