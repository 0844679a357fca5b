"""What the file that an instance came from says of its annotators, which stands in the instance's metadata.

Each row of metadata["annotations"] is of one annotator: who it is, and what the file tells of them.
"""

from collections.abc import Callable, Collection, Mapping

ANNOTATIONS = "annotations"
ANNOTATOR = "annotator"
AUTHOR, CORRECTORS, NOTE = "author", "corrected_by", "note"  # of a changed version, beside its kind
_MOST_FACTS = 8
_LONGEST_FACT = 40  # characters


def facts_of_annotators(metadata: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """By annotator what is told of them.

    >>> facts_of_annotators({"annotations": [{"annotator": "ada", "group": "G1"}, "odd"]})
    {'ada': {'group': 'G1'}}
    """
    rows = metadata.get(ANNOTATIONS)
    named = [row for row in rows if isinstance(row, dict) and ANNOTATOR in row] if isinstance(rows, list) else []
    return {str(row[ANNOTATOR]): {name: value for name, value in row.items() if name != ANNOTATOR} for row in named}


def short_facts(metadata: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """By annotator the first of what is told of them, cut to what stands beside a name.

    >>> short_facts({"annotations": [{"annotator": "ada", "group": "G1", "marks": [0, 1]}]})
    {'ada': ('G1',)}
    """
    by_annotator: dict[str, tuple[str, ...]] = {}
    for annotator, facts in facts_of_annotators(metadata).items():
        values = [value for value in facts.values() if isinstance(value, str | int)]
        by_annotator[annotator] = tuple(str(value)[:_LONGEST_FACT] for value in values[:_MOST_FACTS])
    return by_annotator


def with_annotators_called(metadata: Mapping[str, object], called: Callable[[str], str]) -> dict[str, object]:
    """The metadata with other names for its annotators, in the order of those names.

    >>> facts = {"year": 2, "annotations": [{"annotator": "zoe", "group": "G1"}, {"annotator": "ada"}]}
    >>> with_annotators_called(facts, str.upper)
    {'year': 2, 'annotations': [{'annotator': 'ADA'}, {'annotator': 'ZOE', 'group': 'G1'}]}
    """
    rows = metadata.get(ANNOTATIONS)
    if not isinstance(rows, list):
        return dict(metadata)
    return {**metadata, ANNOTATIONS: sorted((_called(row, called) for row in rows), key=_annotator)}


def without_annotators(metadata: Mapping[str, object]) -> dict[str, object]:
    """The metadata with what is told of annotators, but not of whom.

    >>> without_annotators({"year": 2, "annotations": [{"annotator": "ada", "group": "G1"}]})
    {'year': 2, 'annotations': [{'group': 'G1'}]}
    """
    rows = metadata.get(ANNOTATIONS)
    if not isinstance(rows, list):
        return dict(metadata)
    nameless = [
        {name: row[name] for name in row if name != ANNOTATOR} if isinstance(row, dict) else row for row in rows
    ]
    return {**metadata, ANNOTATIONS: nameless}


def without_annotator(metadata: Mapping[str, object], name: str) -> dict[str, object]:
    """The metadata without anything that is told of one annotator.

    >>> without_annotator({"annotations": [{"annotator": "ada", "group": "G1"}, {"annotator": "zoe"}]}, "ada")
    {'annotations': [{'annotator': 'zoe'}]}
    """
    rows = metadata.get(ANNOTATIONS)
    if not isinstance(rows, list):
        return dict(metadata)
    return {**metadata, ANNOTATIONS: [row for row in rows if not isinstance(row, dict) or row.get(ANNOTATOR) != name]}


def with_authors_called(metadata: Mapping[str, object], called: Callable[[str], str]) -> dict[str, object]:
    """The metadata of a changed version with other names for who wrote it and who corrected it.

    >>> with_authors_called({"author": "ada", "corrected_by": ["zoe"], "note": "shorter"}, str.upper)
    {'author': 'ADA', 'corrected_by': ['ZOE'], 'note': 'shorter'}
    """
    renamed = dict(metadata)
    if isinstance(author := metadata.get(AUTHOR), str):
        renamed[AUTHOR] = called(author)
    if isinstance(correctors := metadata.get(CORRECTORS), list):
        renamed[CORRECTORS] = [called(name) if isinstance(name, str) else name for name in correctors]
    return renamed


def without_note(metadata: Mapping[str, object], notes: Collection[str]) -> dict[str, object]:
    """The metadata of a changed version without its author's note, where that is one of some notes.

    >>> without_note({"author": "ada", "note": "shorter"}, {"shorter"})
    {'author': 'ada'}
    """
    return {name: value for name, value in metadata.items() if not (name == NOTE and value in notes)}


def _called(row: object, called: Callable[[str], str]) -> object:
    if not isinstance(row, dict) or ANNOTATOR not in row:
        return row
    return {**row, ANNOTATOR: called(str(row[ANNOTATOR]))}


def _annotator(row: object) -> str:
    return str(row.get(ANNOTATOR, "")) if isinstance(row, dict) else ""
