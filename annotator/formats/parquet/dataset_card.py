"""The dataset card of the format `datasets`: README.md with the YAML that Hugging Face `datasets` and its hub read."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotator.domain.instances import WORDS_OF_GOLD, Annotation, GoldInstance, Instance
from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.formats.base import WriteOptions

# What the hub calls licences; anything else is `other`, with its name beside it.
_HUB_LICENCES = frozenset(
    f"cc-{terms}-{version}"
    for terms in ("by", "by-sa", "by-nc", "by-nd", "by-nc-sa", "by-nc-nd")
    for version in ("3.0", "4.0")
) | {"apache-2.0", "mit", "bsd-3-clause", "cc0-1.0", "odc-by", "odbl", "pddl", "gpl-3.0", "lgpl-3.0"}

COLUMNS: dict[str, str] = {
    "key": "the instance's key, unique in its split",
    "split": "the split's name in the project; empty where there is none",
    "language": "the language of the texts",
    "task": "what kind of input it is: sentiment (any classification), similarity, reading ...",
    "result": "the label, or the answer (the empty text: there is none); null where nobody gave one",
    "parent_key": "of a changed version: the key of its original",
    "perturbation_kind": "of a changed version: how it was changed",
    "exhaustive": "whether the sets mark all the evidence; only then does recall measure comprehensiveness",
    "target": "the span that the label is about, where the task has one",
    "segments": "the texts, in the order in which tokens are numbered: `name`, `is_selectable`, `docid` (of a document that "
    "instances share), `text`, `first_token` (its number in the instance), `tokens`, `token_starts` and `token_ends` "
    "(characters), `sentence_starts` (tokens)",
    "rationales": "the rationale sets, each a list of spans: `segment`, `start_token`, `end_token`, `start_char`, `end_char` "
    "(within the segment) and `text`",
    "rationale_tokens": "the same sets as token indices of the instance: those of a segment begin at its `first_token`",
    "rationale_origins": "for each set the annotations that it came from: `annotator`, `round`, and `set`, its place there "
    "from 0 (null: all of their sets took part), and `help`, as below; null where it is not known",
    "metadata": "everything else that came with the instance, as JSON",
}

ANNOTATION_COLUMNS: dict[str, str] = {
    "key, split, language": "as in the gold",
    "annotator, round": "whose annotation it is, and in which pass of annotating and scoring it was made",
    "state": "`accepted`; where it was asked for also `submitted`",
    "{kind}": "the annotator's own result",
    "instance_{kind}": "what the instance came with or was given",
    "segments, rationales, rationale_tokens": "as in the gold; the sets are this annotator's",
    "rationale_help": "for each set what help had to do with it: `free` (none was given), `free-after-help` (given, not used), "
    "`accepted` or `edited` (a proposed set), `carried` (it lay there); null where it was not recorded",
    "facts": "what the file that the annotation came from tells of the annotator, as JSON",
}

MODEL_SET_COLUMNS: dict[str, str] = {
    "key, split": "as in the gold; only texts with gold",
    "model, params": "the model, and how its sets were looked for, as JSON",
    "label, p_full, p_empty": "the model's own answer to the text, and its probability on the text and on nothing",
    "threshold": "from which probability of that answer on a set is sufficient",
    "side": "`model`: a set of the model's own (of the model `sets_of` of `params`, where it names one); `people`: a gold "
    "set, as it was when the model was asked",
    "tokens": "the set, as token indices of the instance",
    "p, p_rest": "the probability on the set alone and on the text without it (less 1 where another label is more probable)",
    "sufficient, compact, comprehensive": "whether the set is enough; whether none of its tokens can go (null where it is not "
    "enough); whether the answer falls without all sets of its side",
    "late": "whether the set is enough only without what speaks against it",
}


@dataclass(slots=True)
class Facts:
    """What is counted of a split."""

    n_instances: int = 0
    n_sets: int = 0
    n_without_sets: int = 0
    n_exhaustive: int = 0
    languages: set[str] = field(default_factory=set)

    def count(self, gold: GoldInstance, *, is_exhaustive: bool) -> None:
        """Count an instance; is_exhaustive: for one that does not say it itself."""
        stated = gold.instance.is_exhaustive
        self.n_instances += 1
        self.n_sets += len(gold.sets)
        self.n_without_sets += not gold.sets
        self.n_exhaustive += is_exhaustive if stated is None else stated
        self.languages.add(gold.instance.language)


@dataclass(slots=True)
class AnnotationFacts:
    """What is counted of a split's annotations."""

    n_annotations: int = 0
    instances: set[int] = field(default_factory=set)
    people: set[str] = field(default_factory=set)

    def count(self, instance: Instance, annotation: Annotation) -> None:
        """Count an annotation."""
        self.n_annotations += 1
        self.instances.add(instance.id)
        self.people.add(annotation.annotator)


def card(
    options: WriteOptions,
    facts: Mapping[str, Facts],
    annotations: Mapping[str, AnnotationFacts],
    model_sets: Mapping[str, int],
) -> str:
    """The card of a folder with data/<split>.parquet for each of the splits in `facts`; annotations/, model_sets/ likewise."""
    splits = {"data": [*facts], "annotations": [*annotations], "model_sets": [*model_sets]}
    front = _front_matter(options.project, facts, splits)
    return "\n".join([*front, "", *_body(options, facts, annotations, model_sets), ""])


def _front_matter(
    project: Project, facts: Mapping[str, Facts], splits_of: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    yield "---"
    yield f"pretty_name: {yaml_text(project.name)}"
    languages = {language for of_split in facts.values() for language in of_split.languages}
    yield "language:"  # the hub knows no more than the first part of zh-words or pt-BR
    yield from (f"- {yaml_text(first)}" for first in sorted({re.split("[-_]", code)[0] for code in languages}))
    yield from _licence(project.licence)
    yield "configs:"
    for folder, splits in splits_of.items():
        if splits:
            yield from (f"- config_name: {'default' if folder == 'data' else folder}", "  data_files:")
        for split in splits:
            yield f"  - split: {yaml_text(split)}"
            yield f"    path: {yaml_text(f'{folder}/{split}.parquet')}"
    yield "---"


def _licence(licence: str) -> Iterator[str]:
    known = "-".join(licence.lower().split())
    if known in _HUB_LICENCES:
        yield f"license: {known}"
    elif known:
        yield "license: other"
        yield f"license_name: {yaml_text(licence)}"


def _body(
    options: WriteOptions,
    facts: Mapping[str, Facts],
    annotations: Mapping[str, AnnotationFacts],
    model_sets: Mapping[str, int],
) -> Iterator[str]:
    project = options.project
    total = sum(of_split.n_instances for of_split in facts.values())
    n_exhaustive = sum(of_split.n_exhaustive for of_split in facts.values())
    yield from (f"# {' '.join(project.name.split())}", "")
    yield from ("Rationales: for each input its result, and the sets of tokens each of which supports it alone.", "")
    yield f"* Task: {project.task.title}. Asked was: {project.question_in_cards}"
    if project.labels:
        yield f"* Labels: {', '.join(f'`{label}`' for label in project.labels)}"
    yield f"* Gold policy `{options.gold_policy}`: {WORDS_OF_GOLD[options.gold_policy]}."
    yield f"* Sets mark all the evidence (`exhaustive`) in {n_exhaustive:,} of {counted(total, 'instance')}."
    yield from ("", "| split | instances | rationale sets | instances without a set |", "|---|---|---|---|")
    for split, of_split in facts.items():
        yield f"| {split} | {of_split.n_instances:,} | {of_split.n_sets:,} | {of_split.n_without_sets:,} |"
    yield from ("", "    from datasets import load_dataset", '    data = load_dataset("path/to/this/folder")', "")
    yield from ("Ranges are half open and count from 0; characters are Unicode code points.", "")
    yield from _columns(COLUMNS)
    if annotations:
        yield from _of_people(options, annotations)
    if model_sets:
        yield from ("## Models' own sets", "", '    data = load_dataset("path/to/this/folder", "model_sets")', "")
        yield "A row is a set that is enough for a model's answer, or a set of people's, with what the model answers to it."
        yield from (
            "",
            "| split | sets |",
            "|---|---|",
            *(f"| {split} | {n:,} |" for split, n in model_sets.items()),
            "",
        )
        yield from _columns({name.replace(", ", "`, `"): meaning for name, meaning in MODEL_SET_COLUMNS.items()})
    yield from (
        "## Licence",
        "",
        project.licence or "The project names no licence: ask its lead before you use it.",
        "",
    )
    yield from ("## Citation", "", *_verbatim(project.citation or "The project names no citation."))


def _columns(columns: Mapping[str, str]) -> Iterator[str]:
    yield from ("| column | holds |", "|---|---|", *(f"| `{name}` | {of} |" for name, of in columns.items()), "")


def _of_people(options: WriteOptions, annotations: Mapping[str, AnnotationFacts]) -> Iterator[str]:
    """What the configuration `annotations` holds."""
    kind = options.project.task.result_kind
    yield from (
        "## Every person's annotations",
        "",
        '    data = load_dataset("path/to/this/folder", "annotations")',
        "",
    )
    yield "A row is what one person marked of an instance, with that person's own result."
    if kind == "label" and options.project.labels:
        yield f"`label` and `instance_label` are a `ClassLabel`: numbers in the order {', '.join(options.project.labels)}."
    yield from ("", "| split | annotations | instances | annotators |", "|---|---|---|---|")
    for split, of in annotations.items():
        yield f"| {split} | {of.n_annotations:,} | {len(of.instances):,} | {len(of.people):,} |"
    names = {
        name.replace("{kind}", kind).replace(", ", "`, `"): meaning for name, meaning in ANNOTATION_COLUMNS.items()
    }
    yield from ("", *_columns(names))


def _verbatim(text: str) -> list[str]:
    """Lines that Markdown leaves as they are."""
    return [f"    {line}" for line in text.splitlines()]


def yaml_text(text: str) -> str:
    """A text as YAML writes it between quotes.

    >>> yaml_text("Films: 2024")
    '"Films: 2024"'
    """
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in quoted)
