"""How a file is to be imported, and what an import did, in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Literal

from annotator.domain.imports import DocumentPlan, InstancePlan, NewInstance, Place, PreparedRow
from annotator.domain.instances import POLICY_WORDS, Accepted
from annotator.domain.labels import Variants, variant_words, variants_of
from annotator.domain.models import Output, OutputPlan, SourceOutput
from annotator.domain.numbers import counted
from annotator.domain.projects import GoldPolicy
from annotator.domain.sources import SourceColumns, SourceInstance, is_numbered_in_text
from annotator.errors import OTHER_VALUES, Problem
from annotator.formats.rows.findings import Places
from annotator.language import _, listed, several, together, unsaid
from annotator.text.subword_scores import HOWS, How
from annotator.text.tokenisation import has_tags, is_in_clauses

# Which of several annotations of a text the gold is made from, in words.


def annotators_words(accepted: Accepted) -> str:
    """How many people annotated a text, where several did.

    >>> annotators_words(Accepted(960, 160, 160, 6, 160)), annotators_words(Accepted(5, 3, 2, 2, 3))
    ('6 annotators per text.', 'Up to 2 annotators per text.')
    """
    if accepted.n_annotations == accepted.n_instances * accepted.most:
        return _("{n} annotators per text.", n=accepted.most)
    return _("Up to {n} annotators per text.", n=accepted.most)


def gold_words(policy: GoldPolicy, accepted: Accepted) -> str:
    """What the gold of a project is made from, with counts."""
    words = _(
        "Gold policy “{policy}”: {how}; {counts}.",
        policy=policy,
        how=_(POLICY_WORDS[policy]),
        counts=_chosen_words(accepted) if policy == "chosen" else _all_words(accepted),
    )
    others = [_other_words(policy, accepted.n_other)] if accepted.n_other else []
    return together(words, *others, *([tied_words(accepted.n_tied)] if accepted.n_tied else []))


def tied_words(n: int) -> str:
    """That texts have no gold, since several results were given as often."""
    return several(
        "{n} text has tied results. Choose its gold under Texts.",
        "{n} texts have tied results. Choose their gold under Texts.",
        n,
    )


def _other_words(policy: GoldPolicy, n_other: int) -> str:
    if policy == "chosen":
        return several(
            "{n} annotation with another result counts only if chosen.",
            "{n} annotations with another result count only if chosen.",
            n_other,
        )
    return several(
        "{n} annotation with another result isn't in the gold.",
        "{n} annotations with another result aren't in the gold.",
        n_other,
    )


def _chosen_words(accepted: Accepted) -> str:
    return several(
        "{chosen} of {n} accepted annotation counts",
        "{chosen} of {n} accepted annotations count",
        accepted.n_annotations,
        chosen=f"{accepted.n_chosen:,}",
    )


def _all_words(accepted: Accepted) -> str:
    texts = counted(accepted.n_instances, "text")
    return several(
        "{n} accepted annotation of {texts}, with any result",
        "{n} accepted annotations of {texts}, with any result",
        accepted.n_annotations,
        texts=texts,
    )


_RESULTS = {"label": unsaid("label"), "answer": unsaid("answer")}
GoldMode = Literal["accepted", "draft", "reference"]
GOLD_MODES: tuple[GoldMode, ...] = ("accepted", "draft", "reference")
MERGES = HOWS
_SHOWN_PROBLEMS = 200
_SHOWN_ROWS = 8
_SHOWN_LABELS = 12
_NAMED_REPEATS = 5
# What several files have together as the sum of each; of instances, or of rows of model output, and of anything.
_ROW_COUNTS = ("n_new", "n_unchanged", "n_updated")
_COUNTS = (
    "n_annotations", "n_reference", "n_sets", "n_problems", "n_left_out", "n_warnings", "n_predictions", "n_attributions",
    "n_rationales",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How a file is taken.

    gold: how annotations of the file are stored (accepted; as drafts to correct; as reference only).
    update: changed rows of known keys overwrite. skip_invalid: store the good rows and list the rest.
    one_set_per_edit: rationales that follow from edits get one set a deletion.
    model, method, seed, vocabulary: of model output, what the file does not say itself.
    prompt: of model output, what stands around the text in what the model read, with {text} in its place.
    merge: how the scores of a token's subwords are joined.
    all_doubles: of model output without keys, what is said of a text that several instances have is said of each.
    renamed: what the project calls labels of the file. merge_labels: those that differ in case, blanks or width alone are one.
    added_labels: labels of the file that become the project's; left_labels: those that are left out, with what carries them.
    number_keys: texts of a file without keys get numbers.
    majority_labels: a text without a label gets the one that most of its annotators in the file gave.
    columns: of plain rows, the column that holds a field; left_columns: those that are not read; metadata_columns: those that
    look like marks and become metadata. All are remembered; forget_columns: what was remembered before is forgotten.
    gold_policy: what the project's gold is made from, from now on; None leaves it as it is.
    encoding: in which the file is, where it is not UTF-8; none is ever guessed. sheet: of a spreadsheet, the one that is read.
    is_one_of_several: the file is read with others, and need not have every label of which something is said.
    entities: each labelled span of a labelling tool's export is the target of an instance of its own.
    """

    gold: GoldMode = "accepted"
    split: str | None = None
    language: str | None = None
    key_prefix: str = ""
    update: bool = False
    dry_run: bool = False
    skip_invalid: bool = False
    one_set_per_edit: bool = False
    model: str = ""
    method: str = ""
    seed: int | None = None
    vocabulary: Path | None = None
    prompt: str = ""
    merge: How = "sum"
    all_doubles: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict)
    gold_policy: GoldPolicy | None = None
    added_labels: tuple[str, ...] = ()
    left_labels: tuple[str, ...] = ()
    number_keys: bool = False
    majority_labels: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)
    left_columns: tuple[str, ...] = ()
    metadata_columns: tuple[str, ...] = ()
    forget_columns: bool = False
    encoding: str | None = None
    sheet: str | None = None
    merge_labels: bool = False
    is_one_of_several: bool = False
    entities: bool = False


@dataclass
class ImportReport:
    """What an import did, or would do; `problems` and `warnings` hold the first 200 different ones, the counts all.

    columns: what the columns of a table are taken for; doubts: which of them may be meant otherwise, which count
    as warnings; in sentences
    notes: what the person who imports should know of the file as a whole, in sentences
    n_new, n_updated, n_unchanged: instances; of model output, rows of the file
    n_instances, n_predictions, n_attributions, n_rationales: of model output, what is new or changed, and of how many instances
    n_answered, n_mapped: texts of which the file has an answer, and a map; first_mapped: (number, key) of the first with a map
    n_reference: of the annotations those that do not count as gold, for reference alone; n_unmarked: of these without marks
    n_unlabelled: new texts without a label, where the project has no labels either
    n_numbered: texts whose annotators may be numbered in each text anew; numbered: how the first of them is called
    accepted: where several people annotated texts, how many annotations there are; gold_policy: what is made of them
    labels: of a project without labels, those that it gets, with how many texts have each
    variants: labels of the file that differ in case, blanks or width alone, with how often each stands there
    by_file: where several files were read at once, the report of each by its path; all else is of them together
    """

    n_new: int = 0
    n_unchanged: int = 0
    n_updated: int = 0
    n_documents: int = 0
    n_annotations: int = 0
    n_reference: int = 0
    n_unmarked: int = 0
    n_accepted: int = 0
    n_sets: int = 0
    n_problems: int = 0
    n_left_out: int = 0
    n_warnings: int = 0
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    is_dry_run: bool = False
    is_output: bool = False  # of models, and not of instances
    n_instances: int = 0
    n_predictions: int = 0
    n_attributions: int = 0
    n_rationales: int = 0
    n_answered: int = 0
    n_mapped: int = 0
    first_mapped: tuple[int, str] | None = None
    n_character_spans: int = 0  # spans that the file gives in characters
    widened: Places = field(default_factory=Places)  # those of them that became larger, since they end within a token
    n_unlabelled: int = 0
    n_numbered: int = 0
    numbered: str = ""
    accepted: Accepted | None = None
    gold_policy: GoldPolicy | None = None
    columns: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    variants: list[Variants] = field(default_factory=list)
    preview: list[dict[str, object]] = field(default_factory=list)
    by_file: dict[str, "ImportReport"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # What follows is no field: it says nothing that whoever reads the report needs.
        self.labels_met: tuple[str, ...] = ()
        self.with_output: set[int] = set()
        self.answered: set[int] = set()
        self.mapped: set[int] = set()
        self.repeated = Places()  # new texts that the file had before under another key
        self.in_clauses = Places()  # texts whose language is another than that by which they were split
        self.with_tags = Places()
        self._texts: dict[int, int | str] = {}  # the line, else the key, of those that the file brings new
        self._bad_rows: set[tuple[str, int]] = set()
        self._reasons: set[tuple[bool, str, str, str]] = set()
        self._kept: dict[tuple[bool, str, str, str, str], int] = {}

    def add_problem(self, problem: Problem) -> None:
        """Count a problem or a warning; the first 200 of each are listed, the same one of several rows once.

        Of those that come then only how many have the same reason as one that is listed.
        """
        if problem.is_warning:
            self.n_warnings += 1
        else:
            self.n_problems += 1
            self._count_left_out(problem)
        problems = self.warnings if problem.is_warning else self.problems
        if (problem.is_warning, *problem.kind) not in self._kept and len(problems) >= _SHOWN_PROBLEMS:
            if (problem.is_warning, problem.source, problem.field, problem.reason) not in self._reasons:
                return
            problem = replace(problem, value=OTHER_VALUES)
        seen = self._kept.get(kind := (problem.is_warning, *problem.kind))
        if seen is not None:
            problems[seen] = problems[seen].again(problem.line)
        else:
            self._kept[kind] = len(problems)
            self._reasons.add((problem.is_warning, problem.source, problem.field, problem.reason))
            problems.append(problem)

    def _count_left_out(self, problem: Problem) -> None:
        """A row with two problems is left out once; what names no line is a row of its own."""
        row = None if problem.line is None else (problem.source, problem.line)
        if row is None or row not in self._bad_rows:
            self.n_left_out += 1
        if row is not None:
            self._bad_rows.add(row)

    def add_file(self, name: str, report: "ImportReport") -> None:
        """Take in what one of several files brought; what is to be known of the file begins with its name.

        Where texts came with model output, what is new or changed are texts alone.
        """
        self.by_file[name] = report
        for count in (*_COUNTS, *(_ROW_COUNTS if report.is_output == self.is_output else ())):
            setattr(self, count, getattr(self, count) + getattr(report, count))
        self.problems += report.problems[: _SHOWN_PROBLEMS - len(self.problems)]
        self.warnings += report.warnings[: _SHOWN_PROBLEMS - len(self.warnings)]
        self.with_output |= report.with_output
        self.answered |= report.answered
        self.mapped |= report.mapped
        self.n_instances, self.n_answered, self.n_mapped = map(len, (self.with_output, self.answered, self.mapped))
        self.first_mapped = min(filter(None, (self.first_mapped, report.first_mapped)), default=None)
        self.notes += [_("'{name}': {sentence}", name=name, sentence=sentence) for sentence in report.file_words]

    def tell_columns(self, tables: Iterable[SourceColumns]) -> None:
        """Say what became of the columns."""
        for table in tables:
            self.columns.append(table.told)
            self.doubts += table.doubts
            self.n_warnings += len(table.doubts)

    def tell_labels(self, counts: Mapping[str, int], labels: Sequence[str]) -> None:
        """Say which labels a project gets that has none, and which of the file's are probably one."""
        self.labels = {} if labels else dict(counts)
        self.variants = variants_of(counts, labels)
        if self.labels:
            named = [f"“{label}” ({n:,})" for label, n in islice(self.labels.items(), _SHOWN_LABELS)]
            more = len(self.labels) - len(named)
            words = listed(named, "and") if not more else _("{names} and {n} more", names=listed(named), n=more)
            self.columns.append(_("New project labels: {labels}.", labels=words))
        if self.variants:
            self.doubts.append(variant_words(self.variants, counts))
            self.n_warnings += 1

    @property
    def file_words(self) -> list[str]:
        """What is to be known of the file as a whole, in sentences."""
        return [*self.columns, *self.doubts, *self.notes]

    def tell_widened(self) -> None:
        """Say which spans were widened to whole tokens, and of how many."""
        if n := self.widened.n:
            self.notes.append(
                several(
                    "{n} of {spans} was widened to whole tokens: {places}.",
                    "{n} of {spans} were widened to whole tokens: {places}.",
                    n,
                    spans=counted(self.n_character_spans, "span"),
                    places=self.widened,
                )
            )

    @property
    def repeated_words(self) -> str:
        """Which texts the file has under several keys; "" if none."""
        return (
            several(
                "{n} text repeats an earlier one: {places}.",
                "{n} texts repeat earlier ones: {places}.",
                self.repeated.n,
                places=self.repeated,
            )
            if self.repeated.n
            else ""
        )

    def count_odd_tokens(self, rows: Iterable[PreparedRow | Problem]) -> None:
        """Note which texts were split by the rules of another language, so that whole clauses are one token, or have tags."""
        for row in (row for row in rows if isinstance(row, PreparedRow)):
            bodies, location = row.split_here(), row.source.key if row.source.line is None else row.source.line
            for places, are_odd in ((self.in_clauses, is_in_clauses), (self.with_tags, has_tags)):
                if any(map(are_odd, bodies)):
                    places.add(_in_words(location))

    def tell_odd_tokens(self) -> None:
        tags = several(
            "{n} text has HTML tags, which become tokens: {places}. Remove them first.",
            "{n} texts have HTML tags, which become tokens: {places}. Remove them first.",
            self.with_tags.n,
            places=self.with_tags,
        )
        self.doubts += [self.clause_words] * bool(self.in_clauses.n) + [tags] * bool(self.with_tags.n)
        self.n_warnings += bool(self.in_clauses.n) + bool(self.with_tags.n)

    @property
    def clause_words(self) -> str:
        """Which texts were split so, and what mends it."""
        return several(
            "{n} text has whole clauses as tokens: {places}. Name its language (zh, ja, th …).",
            "{n} texts have whole clauses as tokens: {places}. Name their language (zh, ja, th …).",
            self.in_clauses.n,
            places=self.in_clauses,
        )

    def tell_own_spacing(self, n_texts: int) -> None:
        """Say that texts stay as they are, where the file says their tokens alone."""
        if n_texts:
            self.notes.append(
                _("Only tokens for {texts}; the project's spacing is kept.", texts=counted(n_texts, "text"))
            )

    def tell_unknown_guidelines(self, n_annotations: int) -> None:
        """Say that which guidelines were read is not kept, where the project's versions are others."""
        if n_annotations:
            self.notes.append(
                several(
                    "{n} annotation's unknown guideline version was dropped.",
                    "{n} annotations' unknown guideline versions were dropped.",
                    n_annotations,
                )
            )

    def count_numbered(self, rows: Iterable[SourceInstance]) -> None:
        """Count the texts whose annotators have numbers for names."""
        for row in rows:
            numbered = (a.annotator for a in row.annotations if is_numbered_in_text(a.annotator, row.metadata))
            if not row.is_addition and (first := next(numbered, None)) is not None:
                self.numbered = self.numbered or first
                self.n_numbered += 1

    def tell_numbered(self) -> None:
        """Say that such a name may be somebody else in each text."""
        if self.n_numbered:
            self.notes.append(
                _(
                    "Annotators of {texts} are numbered per text: “{name}” may be different people.",
                    texts=counted(self.n_numbered, "text"),
                    name=self.numbered,
                )
            )

    def tell_unlabelled(self, n_unlabelled: int) -> None:
        """Say that nobody can be given these texts, since there is no label to give them."""
        self.n_unlabelled = n_unlabelled
        if n_unlabelled:
            self.notes.append(
                several(
                    "No label for this text. Add labels before assigning work.",
                    "No labels for these {n} texts. Add labels before assigning work.",
                    n_unlabelled,
                )
            )

    def show_labels(self, labels: Mapping[Place, str]) -> None:
        """Show texts of the preview with the labels that they got after they were read."""
        for row in self.preview:
            key_and_split = (str(row["key"]), str(row["split"]))
            row["result"] = labels.get(key_and_split, row["result"])

    def count_relabelled(self, n: int) -> None:
        """Count texts that the file left as they were, and that got a label."""
        self.n_updated += n
        self.n_unchanged -= n

    def tell_majority(self, n_labelled: int, tied: Places, what: str, *, is_asked: bool) -> None:
        """Say which label texts have whose annotators alone gave some; tied: those without a majority."""
        n = n_labelled + tied.n
        if n and is_asked:
            self.notes.append(
                several(
                    "{texts} had no {what}; {n} got the majority {what}.",
                    "{texts} had no {what}; {n} got the majority {what}.",
                    n_labelled,
                    what=_(_RESULTS[what]),
                    texts=counted(n, "text"),
                )
                + _tied_words(tied, what)
            )
        elif n:
            self.notes.append(
                several(
                    "{n} text has only annotators' {what}s. Use --majority-labels ({n_labelled} available).",
                    "{n} texts have only annotators' {what}s. Use --majority-labels ({n_labelled} available).",
                    n,
                    what=_(_RESULTS[what]),
                    n_labelled=f"{n_labelled:,}",
                )
            )

    def tell_several(self, accepted: Accepted, policy: GoldPolicy) -> None:
        """Say what the gold is made from, where several people annotated a text."""
        if accepted.n_several:
            self.accepted, self.gold_policy = accepted, policy
            self.notes.append(_several_words(accepted, policy))

    def tell_reference(self) -> None:
        """Say how many annotations the file gives without saying what they mark: they count less than there are."""
        if self.n_unmarked:
            kept_words = several(
                "{n} of {annotations} is reference only: it has no marks.",
                "{n} of {annotations} are reference only: they have no marks.",
                self.n_unmarked,
                annotations=counted(self.n_annotations, "annotation"),
            )
            self.notes.append(together(kept_words, several("{n} is accepted.", "{n} are accepted.", self.n_accepted)))

    def notes_under(self, policy: GoldPolicy | None) -> list[str]:
        """The notes as they are when another gold policy is chosen; None changes nothing."""
        if policy is None or self.accepted is None or self.gold_policy is None:
            return list(self.notes)
        words = _several_words(self.accepted, self.gold_policy)
        return [_several_words(self.accepted, policy) if note == words else note for note in self.notes]

    def refuse(self, row: SourceInstance | SourceOutput, name: str, value: str, reason: str) -> None:
        """A row cannot be taken: which field of it, and why."""
        self.add_problem(Problem(row.source, row.line, name, value, reason))

    def count_documents(self, plan: DocumentPlan) -> None:
        """Documents with names of their own were stored, or refused."""
        self.n_documents += len(plan.new)
        for problem in plan.problems:
            self.add_problem(problem)

    def count_planned(self, plan: InstancePlan) -> None:
        """What was planned of a batch of instances is stored."""
        for problem in plan.problems:
            self.add_problem(problem)
        self.n_character_spans += plan.n_character_spans
        for widening in plan.widened:
            self.widened.add(widening)
        self._add_preview(plan.rows)
        self._count_repeated(plan.new)
        self.n_new += len(plan.new)
        self.n_updated += plan.n_updated
        self.n_unchanged += len(plan.changes) - plan.n_updated
        for annotations in (*(i.annotations for i in plan.new), *(change.added for change in plan.changes)):
            self.n_annotations += len(annotations)
            self.n_reference += sum(annotation.state == "reference" for annotation in annotations)
            self.n_unmarked += sum(a.state == "reference" and not a.sets for a in annotations)
            self.n_accepted += sum(annotation.state == "accepted" for annotation in annotations)
            self.n_sets += sum(len(a.sets) for a in annotations)

    def _count_repeated(self, instances: Iterable[NewInstance]) -> None:
        for instance in instances:
            text = hash((instance.target, *(segment.document for segment in instance.segments)))
            source = instance.source
            location = source.key if source.line is None else source.line
            first = self._texts.setdefault(text, location)
            if first == location:
                continue
            if self.repeated.n < _NAMED_REPEATS:
                self.repeated.add(f"{_in_words(location)} = {_in_words(first)}")
            else:
                self.repeated.n += 1

    def count_reach(self, outputs: Iterable[Output], keys: Mapping[int, str]) -> None:
        """Count the texts that have answers and maps; keys: of the instances, by number."""
        for output in outputs:
            if any(prediction.on == "full" for prediction in output.predictions):
                self.answered.add(output.instance_id)
            if output.attributions:
                self.mapped.add(output.instance_id)
                if self.first_mapped is None or output.instance_id < self.first_mapped[0]:
                    self.first_mapped = (output.instance_id, keys[output.instance_id])
        self.n_answered, self.n_mapped = len(self.answered), len(self.mapped)

    def count_outputs(self, plan: OutputPlan) -> None:
        """What was planned of a batch of model output is stored."""
        for problem in plan.problems:
            self.add_problem(problem)
        for changes in plan.changes.values():
            self.n_predictions += sum([len(change.output.predictions) for change in changes])
            self.n_attributions += sum([len(change.output.attributions) for change in changes])
            self.n_rationales += sum([len(change.output.rationales) for change in changes])
            self.with_output.update([change.output.instance_id for change in changes])
        self.n_instances = len(self.with_output)
        self.n_new += plan.n_new
        self.n_updated += plan.n_updated
        self.n_unchanged += plan.n_unchanged

    @property
    def output_words(self) -> str:
        """What is new or changed of model output: “18 attributions and 3 predictions of 3 instances”."""
        numbers = (
            (self.n_attributions, counted(self.n_attributions, "attribution")),
            (self.n_predictions, counted(self.n_predictions, "prediction")),
            (self.n_rationales, counted(self.n_rationales, "machine rationale")),
        )
        words = listed([words for n, words in numbers if n], "and") or _("nothing new")
        if not self.n_instances:
            return words
        return several("{what} of {n} instance", "{what} of {n} instances", self.n_instances, what=words)

    @property
    def words(self) -> str:
        """What is new or changed, of texts as well: “2 new and 0 changed instances with 3 annotations”."""
        if self.is_output:
            return self.output_words
        return several(
            "{n_new} new and {n} changed instance with {annotations}",
            "{n_new} new and {n} changed instances with {annotations}",
            self.n_updated,
            n_new=f"{self.n_new:,}",
            annotations=counted(self.n_annotations, "annotation"),
        )

    @property
    def reach_words(self) -> str:
        """Of how many texts the file has answers and maps, in a sentence."""
        return _(
            "The file has predictions for {texts}, attributions for {n_mapped}.",
            texts=counted(self.n_answered, "text"),
            n_mapped=f"{self.n_mapped:,}",
        )

    def _add_preview(self, rows: Iterable[NewInstance]) -> None:
        """The first rows as they would be stored, for the person to look at."""
        for row in islice(rows, _SHOWN_ROWS - len(self.preview)):
            source = row.source
            texts = {name: t if isinstance(t, str) else t.text[:120] for name, t in source.segments.items()}
            n_sets = sum(len(a.sets) for a in row.annotations)
            facts = {"key": source.key, "split": source.split, "language": row.language, "result": source.result}
            self.preview.append({**facts, "sets": n_sets, **texts})


def _tied_words(tied: Places, what: str) -> str:
    if not tied.n:
        return ""
    words = several(
        "One text has tied {what}s ({texts}). Choose its gold under “Texts”.",
        "{n} texts have tied {what}s ({texts}). Choose their gold under “Texts”.",
        tied.n,
        what=_(_RESULTS[what]),
        texts=tied,
    )
    return f" {words}"


def _in_words(location: int | str) -> str:
    return location if isinstance(location, str) else _("line {line}", line=location)


def _several_words(accepted: Accepted, policy: GoldPolicy) -> str:
    return together(annotators_words(accepted), gold_words(policy, accepted))
