"""What goes into a project and out of it: model output as rows, files of any format, a Hugging Face data set."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.api.frames import Rows, mappings
from annotator.api.project import OpenProject, report_in_python, speaks_python
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GoldPolicy
from annotator.errors import InvalidValue
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport

if TYPE_CHECKING:
    from datasets import DatasetDict
    from pandas import DataFrame

    from annotator.text.subword_scores import How
    from annotator.usecases.gold import Half
    from annotator.usecases.transfer.export import Exported
    from annotator.usecases.transfer.import_report import GoldMode


@speaks_python
class ProjectFiles(OpenProject):
    """The part of a Project that takes in and gives out."""

    def add_predictions(
        self,
        rows: "Rows | DataFrame",
        *,
        model: str = "",
        seed: int | None = None,
        split: str | None = None,
        update: bool = False,
        skip_invalid: bool = False,
        dry_run: bool = False,
    ) -> ImportReport:
        """Store what a model answers: all rows or none. The names count where a row does not say them itself.

        rows:   mappings with the fields of docs/model_output.md, "Annotator JSONL", or a DataFrame with such columns
        Raises: ImportRefused, whose `problems` name row, field, value and reason
        """
        options = ImportOptions(
            model=model, seed=seed, split=split, update=update, skip_invalid=skip_invalid, dry_run=dry_run
        )
        return self._add(rows, options)

    def add_attributions(
        self,
        rows: "Rows | DataFrame",
        *,
        model: str = "",
        method: str = "",
        seed: int | None = None,
        params: Mapping[str, object] | None = None,
        merge: "How" = "sum",
        split: str | None = None,
        update: bool = False,
        skip_invalid: bool = False,
        dry_run: bool = False,
    ) -> ImportReport:
        """Store scores of tokens (or of subwords, which are merged into tokens) and rationales; see add_predictions."""
        options = ImportOptions(
            model=model, method=method, seed=seed, merge=merge, split=split, update=update, skip_invalid=skip_invalid,
            dry_run=dry_run,
        )  # fmt: skip
        return self._add(rows, options, params)

    def _add(
        self, rows: "Rows | DataFrame", options: ImportOptions, params: Mapping[str, object] | None = None
    ) -> ImportReport:
        from annotator.usecases.transfer.import_values import import_rows  # noqa: PLC0415

        rules = self.rules
        given = mappings(rows, rules.labels)
        return report_in_python(
            import_rows(self.database.store, LOCAL_OPERATOR, rules, given, options, parameters=params)
        )

    def import_(
        self,
        path: Path | str | Iterable[Path | str],
        format: str | None = None,  # noqa: A002  (as the command calls it)
        *,
        split: str | None = None,
        language: str | None = None,
        gold: "GoldMode" = "accepted",
        gold_policy: GoldPolicy | None = None,
        key_prefix: str = "",
        rename: Mapping[str, str] | None = None,
        model: str = "",
        method: str = "",
        seed: int | None = None,
        vocabulary: Path | str | None = None,
        merge: "How" = "sum",
        add_labels: Sequence[str] = (),
        leave_out_labels: Sequence[str] = (),
        merge_labels: bool = False,
        number_keys: bool = False,
        majority_labels: bool = False,
        entities: bool = False,
        columns: Mapping[str, str] | None = None,
        metadata_columns: Sequence[str] = (),
        all_doubles: bool = False,
        prompt: str = "",
        encoding: str | None = None,
        sheet: str | None = None,
        update: bool = False,
        skip_invalid: bool = False,
        dry_run: bool = False,
    ) -> ImportReport:
        """Read a file or folder, all of it or nothing, as `annotator import` does.

        path:             of model output also several, such as Path("out").glob("*.jsonl"): all of them or nothing; the report
                          is of them together, its `by_file` has each
        format:           one of docs/formats.md, such as "csv"; None: what its first lines tell
        rename:           what the project calls labels of the file
        vocabulary:       of model output with token numbers alone, a file with each token's text
        add_labels:       labels of the file that the project gets
        leave_out_labels: labels of the file that are left out, with what carries them
        merge_labels:     labels that differ in case, blanks or width alone are one
        number_keys:      texts of a file without keys get numbers
        majority_labels:  a text without a label gets the one that most of its annotators in the file gave
        entities:         of labelling tools' exports and conll, each labelled span is the target of an instance of its own
        columns:          of a CSV or JSONL, the column that holds a field, such as {"text": "sentence"}; it is remembered
        metadata_columns: columns that look like marks, and are metadata
        prompt:           of inseq's files, what stands around the project's text in what the model read, as in
                          "Review: {text} Sentiment:"
        encoding:         in which the files are, such as "windows-1252", where they are not UTF-8
        sheet:            of a spreadsheet with several sheets, the one that is read
        all_doubles:      model output without keys is given to every instance with its text
        Raises: ImportRefused, whose `problems` name line, field, value and reason
        """
        from annotator.usecases.transfer.several_files import import_paths  # noqa: PLC0415

        paths = _paths(path)
        options = ImportOptions(
            gold=gold, split=split, language=language, key_prefix=key_prefix, update=update, dry_run=dry_run,
            skip_invalid=skip_invalid, model=model, method=method, seed=seed, merge=merge, renamed=rename or {},
            gold_policy=gold_policy, vocabulary=None if vocabulary is None else Path(vocabulary),
            added_labels=tuple(add_labels), left_labels=tuple(leave_out_labels), merge_labels=merge_labels,
            number_keys=number_keys, entities=entities,
            majority_labels=majority_labels, columns=columns or {}, metadata_columns=tuple(metadata_columns),
            all_doubles=all_doubles, prompt=prompt, encoding=encoding, sheet=sheet,
        )  # fmt: skip
        return report_in_python(import_paths(self.database.store, LOCAL_OPERATOR, self.rules, paths, options, format))

    def export(
        self,
        path: Path | str,
        format: str = "jsonl",  # noqa: A002  (as the command calls it)
        *,
        gold_policy: GoldPolicy | None = None,
        split: str | None = None,
        include_submitted: bool = False,
        half: "Half" = "both",
        names: bool = False,
        annotator: str | None = None,
        unhelped: bool = False,
    ) -> "Exported":
        """Write gold (or, as jsonl, everything) to a file or folder, as `annotator export` does; `.n` says how many instances.

        half:  "both", "originals" or "perturbed"
        names: "csv", "parquet", "datasets" and "parquet-annotations" tell who made each annotation; else people are pseudonyms
        annotator: this person's sets and labels alone; unhelped: annotations that were made without help alone
        """
        from annotator.domain.measurements import ANNOTATOR, WITHOUT_HELP, Whose  # noqa: PLC0415
        from annotator.usecases.gold import GoldOptions, checked_policy  # noqa: PLC0415
        from annotator.usecases.transfer.export import export_file  # noqa: PLC0415

        if unhelped and annotator is not None:
            raise InvalidValue("Give annotator or unhelped, not both.")
        whose = Whose(ANNOTATOR, annotator) if annotator is not None else WITHOUT_HELP if unhelped else None
        options = GoldOptions(checked_policy(gold_policy), split, include_submitted, half, whose)
        rules = self.rules
        return export_file(self.database.store, LOCAL_OPERATOR, rules, format, Path(path), options, has_names=names)

    def to_datasets(self, policy: GoldPolicy | None = None) -> "DatasetDict":
        """The gold as a Hugging Face DatasetDict, a row an instance, by split; needs the package datasets."""
        from annotator.api.tables import dataset_dict  # noqa: PLC0415
        from annotator.usecases.transfer.contents import iterate_gold  # noqa: PLC0415

        rules = self.rules
        return dataset_dict(
            self._read(lambda store, _: iterate_gold(store, LOCAL_OPERATOR, rules, policy)), rules.task, rules.labels
        )


def _paths(path: object) -> list[Path]:
    """What is to be read, as paths."""
    given = [path] if isinstance(path, str | bytes) or not isinstance(path, Iterable) else list(path)
    paths = [Path(each) for each in given if isinstance(each, str | Path)]
    if len(paths) < len(given):
        odd = next(each for each in given if not isinstance(each, str | Path))
        raise InvalidValue(
            f"'path' must be a file or folder, as text or a Path, or several of them; this is of the type {type(odd).__name__}: "
            f"{odd!r:.80}."
        )
    return paths
