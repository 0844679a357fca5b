"""The register of metrics: all definitions by name, in one place that screens, commands and documents read."""

from collections.abc import Iterable
from functools import cache

from annotator.errors import NotFound
from annotator.metrics.definitions import Definition


def by_name(definitions: Iterable[Definition]) -> dict[str, Definition]:
    """Definitions by their names. Raises ValueError where one name stands for two things."""
    named: dict[str, Definition] = {}
    for definition in definitions:
        if named.setdefault(definition.name, definition) != definition:
            raise ValueError(f"two definitions of {definition.name}")
    return named


@cache
def _definitions() -> dict[str, Definition]:
    from annotator.metrics.families import DEFINITIONS  # noqa: PLC0415  (NumPy: the server asks when it is running)

    return by_name(DEFINITIONS)


def definition_of(name: str) -> Definition:
    """A metric by name; raises NotFound."""
    try:
        return _definitions()[name]
    except KeyError:
        raise NotFound(f"There is no metric '{name}'. docs/metrics.md lists those there are.") from None


def all_definitions() -> list[Definition]:
    """Every metric, by family and name."""
    return sorted(_definitions().values(), key=lambda definition: definition.name)
