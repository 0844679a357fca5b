"""Formats by name, each imported when it is asked for; and how a file tells its format by its first lines."""

import codecs
import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import cast

import msgspec

from annotator.domain.self_explanations import read_request_name
from annotator.errors import InvalidValue
from annotator.formats.base import OutputReader, Reader, Writer
from annotator.language import _, listed, unknown, unsaid
from annotator.text.tag_schemes import looks_like_tags

READERS: dict[str, str] = {
    "csv": "annotator.formats.rows.csv_rows:read",
    "jsonl": "annotator.formats.own.jsonl:read",
    "eraser": "annotator.formats.eraser.reader:read",
    "benchmark": "annotator.formats.benchmark.reader:read",
    "aesw": "annotator.formats.datasets.aesw:read",
    "hatexplain": "annotator.formats.datasets.hatexplain:read",
    "esnli": "annotator.formats.datasets.esnli:read",
    "fair-rationales": "annotator.formats.datasets.fair_rationales:read",
    "cose": "annotator.formats.datasets.cose:read",
    "multirc": "annotator.formats.corpora.multirc:read",
    "movies": "annotator.formats.corpora.movies:read",
    "fever": "annotator.formats.corpora.fever:read",
    "evidence-inference": "annotator.formats.corpora.evidence_inference:read",
    "contrast": "annotator.formats.contrast.reader:read",
    "label-studio": "annotator.formats.tools.label_studio:read",
    "doccano": "annotator.formats.tools.doccano:read",
    "argilla": "annotator.formats.tools.argilla:read",
    "prodigy": "annotator.formats.tools.prodigy:read",
    "conll": "annotator.formats.tools.conll:read",
}
# What models answer and give as their reasons.
OUTPUT_READERS: dict[str, str] = {
    "predictions": "annotator.formats.model_output.own_lines:read",
    "attributions": "annotator.formats.model_output.own_lines:read",
    "attributions-csv": "annotator.formats.model_output.score_tables:read",
    "eraser-predictions": "annotator.formats.eraser.predictions:read",
    "benchmark-predictions": "annotator.formats.benchmark.output:read",
    "benchmark-saliency": "annotator.formats.benchmark.output:read_saliency_output",
    "thermostat": "annotator.formats.model_output.thermostat:read",
    "xai-benchmark": "annotator.formats.model_output.xai_benchmark:read",
    "inseq": "annotator.formats.model_output.inseq:read",
    "shap": "annotator.formats.model_output.shap_values:read",
    "lime": "annotator.formats.model_output.lime_weights:read",
    "captum": "annotator.formats.model_output.captum_records:read",
    "transformers-interpret": "annotator.formats.model_output.captum_records:read_pairs",
    "ferret": "annotator.formats.model_output.ferret:read",
    "interpreto": "annotator.formats.model_output.interpreto:read",
    "argilla-attributions": "annotator.formats.model_output.argilla_attributions:read",
    "self-explanations": "annotator.formats.model_output.self_explanations:read",
}
# The format jsonl is written with annotator.formats.own.jsonl.write_own, since it holds more than gold.
WRITERS: dict[str, str] = {
    "eraser": "annotator.formats.eraser.writer:write",
    "benchmark": "annotator.formats.benchmark.writer:write",
    "benchmark-trustai": "annotator.formats.benchmark.writer:write_trustai",
    "contrast": "annotator.formats.contrast.reader:write",
    "label-studio": "annotator.formats.tools.label_studio:write",
    "doccano": "annotator.formats.tools.doccano:write",
    "argilla": "annotator.formats.tools.argilla:write",
    "prodigy": "annotator.formats.tools.prodigy:write",
    "csv": "annotator.formats.rows.gold_csv:write",
    "conll": "annotator.formats.tools.conll:write",
    "parquet": "annotator.formats.parquet.writer:write",
    "datasets": "annotator.formats.parquet.dataset_folder:write_datasets",
}


def get_reader(name: str) -> Reader:
    """The reader of a format; raises InvalidValue naming those there are."""
    return cast(Reader, _load(name, READERS))


def get_output_reader(name: str) -> OutputReader:
    """The reader of a format of model output; raises InvalidValue naming those there are."""
    return cast(OutputReader, _load(name, OUTPUT_READERS))


def get_writer(name: str) -> Writer:
    """The writer of a format from gold; raises InvalidValue naming those there are."""
    return cast(Writer, _load(name, WRITERS))


def _load(name: str, modules: dict[str, str]) -> object:
    if name == "boolq" and modules is READERS:
        raise InvalidValue(
            _(
                "BoolQ's files lack the evidence, which needs Wikipedia's dump of 2018-12-20. "
                "Import ERASER's release (format eraser)."
            )
        )
    if name not in modules:
        raise InvalidValue(unknown(_("format"), name, listed(list(modules))))
    module, _colon, function = modules[name].partition(":")
    return getattr(import_module(module), function)


# Which format a file or folder seems to be in, from its names and its first lines. A guess: people may know better.


_READ_BYTES = 2**18
_MOST_FILES = 50
_LINES_LOOKED_AT = 50
_FIELD = re.compile(rb'"([\w .-]{1,60})"\s*:')
_SHEETS = frozenset({".xlsx", ".xlsm", ".ods"})
_ZIP = b"PK\x03\x04"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BOM = b"\xef\xbb\xbf"
_DELIMITERS = ",;\t|"
_TABLES = frozenset({".csv", ".tsv"})
_TEXTS = frozenset(
    {"text", "sentence", "context", "passage", "premise", "sentence1", "document", "question", "fields", "record"}
)


@dataclass(frozen=True, slots=True)
class Guess:
    """A format by its name, and what a person would call such a file. other: a format that it may be as well.

    is_general: nothing but the form of the lines is known, which files of other formats have as well
    """

    format_name: str
    words: str
    other: "Guess | None" = None
    is_general: bool = False


# The fields by which a format is known (all of them, of one alternative); more particular ones go first.
_FORMS: tuple[tuple[Guess, tuple[frozenset[str], ...]], ...] = tuple(
    (Guess(name, words), tuple(frozenset(fields.split()) for fields in alternatives))
    for name, words, alternatives in (
        ("jsonl", unsaid("Annotator's export"), ("record",)),
        ("suite", unsaid("a suite of functional tests"), ("test type case texts",)),
        ("contrast", unsaid("contrast sets"), ("contrasts", "Sentiment batch_id")),
        ("eraser", "ERASER", ("annotation_id evidences",)),
        ("eraser-predictions", unsaid("ERASER's predictions"),
         ("annotation_id rationales docid", "annotation_id classification_scores")),
        ("hatexplain", "HateXplain", ("post_tokens annotators",)),
        ("fair-rationales", "FairRationales", ("text_id sentence original_label rationale_index annotator_ID",)),
        ("cose", "CoS-E", ("explanation open-ended", "answerKey question")),
        ("esnli", "e-SNLI", ("pairID gold_label Sentence1 Sentence2",)),
        ("multirc", "MultiRC", ("sentences_used isAnswer",)),
        ("fever", "FEVER", ("verifiable claim evidence",)),
        ("evidence-inference", "Evidence Inference", ("PromptID PMCID",)),
        ("benchmark-saliency", unsaid("the benchmark's saliency"), ("char_attri",)),
        ("benchmark-predictions", unsaid("the benchmark's predictions"), ("pred_label rationale",)),
        ("benchmark", unsaid("the benchmark's input or gold"),
         ("sent_token", "sent_label", "text_q_seg", "rationale_q_idx", "rel_ids")),
        ("prodigy", "Prodigy", ("_input_hash", "_task_hash", "spans answer text")),
        ("argilla-attributions", unsaid("attributions from Argilla"), ("explanation prediction", "token attributions")),
        ("argilla", "Argilla", ("fields responses", "fields suggestions", "inputs annotation")),
        ("label-studio", "Label Studio", ("annotations data result", "lead_time annotator")),
        ("inseq", "Inseq", ("sequence_attributions", "source_attributions")),
        ("captum", "Captum", ("word_attributions raw_input_ids", "word_attributions attr_score")),
        ("transformers-interpret", "Transformers Interpret", ("word_attributions",)),
        ("ferret", "ferret", ("tokens scores explainer",)),
        ("interpreto", "Interpreto", ("elements attributions",)),
        ("thermostat", "Thermostat", ("attributions input_ids",)),
        ("lime", "LIME", ("as_list", "as_map")),
        ("shap", "SHAP", ("values data base_values", "values data output_names")),
        ("self-explanations", unsaid("self-explanations"), ("custom_id response", "prompt_version key", "custom_id choices")),
        ("attributions-csv", unsaid("a CSV table of attributions"), ("token_index score",)),
        ("attributions", unsaid("FairRationales' attributions"), ("tokens_merged lrp", "tokens_merged attention")),
        ("attributions", unsaid("model output"), ("scores", "model rationale")),
        ("predictions", unsaid("a model's predictions"), ("prediction", "probabilities")),
    )
)  # fmt: skip
_ROWS = Guess("jsonl", "JSONL", is_general=True)
_REASONS = Guess("self-explanations", unsaid("self-explanations"))
_REQUEST_NAMES = ("custom_id", "key", "id", "instance_id")
_TABLE = Guess("csv", unsaid("a CSV table"), is_general=True)
_SHEET = Guess("csv", unsaid("a spreadsheet"), is_general=True)
_ANSWERS = Guess("predictions", unsaid("a model's predictions"))
_SCORES = Guess("attributions", unsaid("model output"))
# Fields of model output that stand beside texts: those may be texts to be marked, with what a model said of them.
_SAID = {
    _ANSWERS: frozenset(
        {"prediction", "predicted", "predicted_label", "pred", "pred_label", "y_pred", "probabilities"}
    ),
    _SCORES: frozenset({"scores"}),
}
_AESW = Guess("aesw", "AESW")
_CONLL = Guess("conll", unsaid("tokens with tags (CoNLL)"))
_DOCCANO = Guess("doccano", "doccano")
_MOVIES = Guess("movies", unsaid("tagged movie reviews"))
_MOVIE_FOLDER = re.compile(r"(?:with|no)Rats_(?:pos|neg)", re.IGNORECASE)
_MOVIE_FILE = re.compile(r"(?:pos|neg)R_[0-9]{1,3}\.txt", re.IGNORECASE)
_XAI = Guess("xai-benchmark", unsaid("attributions of the Diagnostic Study"))
_REVISIONS = Guess("contrast", unsaid("counterfactually augmented pairs"))
_REVISED_COLUMNS = frozenset({"sentence1", "sentence2", "gold_label"})
_REVISED = re.compile(r"original|revised_(?:premise|hypothesis)")
_GENERAL = frozenset({"jsonl", "csv"})


def guess_format(path: Path) -> Guess | None:
    """The format of a file, or of a folder by what its files are; None where nothing tells it.

    Raises: OSError when it cannot be read
    """
    within = [path, *path.iterdir()] if path.is_dir() else [path]
    if any(_MOVIE_FILE.fullmatch(p.name) or (p.is_dir() and _MOVIE_FOLDER.fullmatch(p.name)) for p in within):
        return _MOVIES
    guesses = [guess for file in _files(path) if (guess := _of_file(file)) is not None]
    return next((guess for guess in guesses if guess.format_name not in _GENERAL), guesses[0] if guesses else None)


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))[
            :_MOST_FILES
        ]
    else:
        yield path


def _of_file(path: Path) -> Guess | None:
    with path.open("rb") as file:
        start = _in_utf8(file.read(_READ_BYTES)).removeprefix(_BOM).lstrip()
    if start.startswith((b"{", b"[")):
        return _of_json(start)
    if start.startswith(_ZIP):
        return _SHEET if path.suffix.lower() in _SHEETS else None
    if start.startswith(b"<") or (b"<del>" in start and b"<ins>" in start and path.suffix.lower() not in _TABLES):
        return _AESW if b"<del>" in start or b"<ins>" in start or b"<sentence" in start else None
    return _of_table(start, path)


def _in_utf8(start: bytes) -> bytes:
    """The beginning of a file in UTF-8, where it says by its byte order mark that it is in UTF-16."""
    if start.startswith(_UTF16) and not start.startswith(codecs.BOM_UTF32_LE):
        return start.decode("utf-16", "ignore").encode("utf-8", "ignore")
    return start


def _of_json(start: bytes) -> Guess | None:
    row = _object(start.partition(b"\n")[0])
    if row is None:
        return _known({name.decode() for name in _FIELD.findall(start)}) or _listed_tokens(start)
    if any(isinstance(name := row.get(field), str) and read_request_name(name) for field in _REQUEST_NAMES):
        return _REASONS  # it answers a prompt of ours, whatever the answer stands in
    has_texts = not _TEXTS.isdisjoint(row)
    known = _known(set(row), has_texts=has_texts)
    if known is None and any(_are_marks(other) for other in (row, *_objects(start))):
        return _DOCCANO
    inner = {name for value in row.values() if isinstance(value, dict) for name in value}
    known = known or _known(set(row) | inner, has_texts=True) or _listed_tokens(start)
    if known is None and isinstance(row.get("data"), list):
        known = _known({name.decode() for name in _FIELD.findall(start)}, has_texts=True)
    return known or _undecided(_ROWS, set(row), has_texts=has_texts)


def _known(names: set[str], *, has_texts: bool = False) -> Guess | None:
    """has_texts: the rows bring texts, so that a field called like one of model output does not make them that."""
    for guess, alternatives in _FORMS:
        if has_texts and guess in _SAID:
            continue
        if any(fields <= names for fields in alternatives):
            return guess
    return None


def _undecided(general: Guess, names: set[str], *, has_texts: bool) -> Guess:
    """Rows with texts and what a model says of them may be either."""
    output = next((guess for guess, fields in _SAID.items() if fields & names), None)
    if output is None:
        return general
    return replace(general, other=output) if has_texts else output


def _object(line: bytes) -> Mapping[str, object] | None:
    try:
        return msgspec.json.decode(line, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _objects(start: bytes) -> Iterator[Mapping[str, object]]:
    """The objects of the first lines, since the first one may hold no marks."""
    yield from filter(None, map(_object, start.split(b"\n", _LINES_LOOKED_AT)[1:_LINES_LOOKED_AT]))


def _are_marks(row: Mapping[str, object]) -> bool:
    """Whether a row holds marks as doccano writes them: [start, end, label], or objects with a user."""
    for name in ("label", "labels", "entities", "annotations"):
        marks = row.get(name)
        first = marks[0] if isinstance(marks, list) and marks else None
        is_triple = isinstance(first, list) and len(first) == 3 and isinstance(first[0], int)
        if is_triple or (isinstance(first, dict) and ("start_offset" in first or {"label", "user"} <= {*first})):
            return True
    return bool({"annotation_approver", "Comments"} & {*row})


def _listed_tokens(start: bytes) -> Guess | None:
    return _XAI if start.startswith(b'{"tokens"') and b'"token"' in start[:200] else None


def _of_table(start: bytes, path: Path) -> Guess | None:
    """A table by its name, or by a first line that names several columns and a second that has as many cells."""
    all_lines = start.decode("utf-8", "replace").splitlines()
    lines = all_lines[:2]
    if not lines or "\0" in lines[0]:
        return None
    if looks_like_tags(all_lines):
        return _CONLL
    delimiter = max(_DELIMITERS, key=lines[0].count)
    try:
        header, *rows = csv.reader(lines, delimiter=delimiter)
    except (csv.Error, ValueError):
        return _TABLE if path.suffix.lower() in _TABLES else None
    has_columns = len(header) > 1 and all(len(row) == len(header) for row in rows)
    if not has_columns and path.suffix.lower() not in _TABLES:
        return None
    names = {name.strip() for name in header}
    if names == _REVISED_COLUMNS and _REVISED.search("/".join(path.parts[-2:])):
        return _REVISIONS
    return _known(names, has_texts=True) or _undecided(_TABLE, names, has_texts=not _TEXTS.isdisjoint(names))
