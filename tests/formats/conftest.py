"""What tests of readers share: a value that stands otherwise in one place, and what every reader's items have to be."""

from collections.abc import Iterable, Iterator
from typing import Any

from annotator.domain.sources import SourceDocument, SourceInstance
from annotator.errors import Problem


def paths_of(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Every place of a JSON value, itself first."""
    yield path
    if isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths_of(inner, (*path, step))


def with_value(value: Any, path: tuple, new: object) -> Any:
    """The value, with another one in a place."""
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = with_value(copy[path[0]], path[1:], new)
    return copy


def check_items(items: Iterable[object]) -> list[SourceInstance]:
    """Whatever a file held, a reader gives documents, instances whose spans are some, and problems that say something."""
    instances: list[SourceInstance] = []
    documents: set[str] = set()
    for item in items:
        match item:
            case SourceInstance():
                instances.append(item)
            case SourceDocument():
                documents.add(item.docid)
            case Problem():
                assert item.reason
                assert str(item)
            case _:
                assert item is not None
    for instance in instances:
        assert all(not isinstance(body, str) or body in documents for body in instance.segments.values())
        assert all(0 <= span.start < span.end for a in instance.annotations for spans in a.sets for span in spans)
    return instances
