"""The instance that a changed version would be."""

from annotator.domain.instances import Instance, Segment
from annotator.domain.perturbations import ChangedText
from annotator.errors import InvalidValue
from annotator.language import _, listed
from annotator.text.token_diff import tokenise_like

LONGEST_TEXT = 200_000


def changed_instance(instance: Instance, changed: ChangedText) -> Instance:
    """The changed version as an instance that is not stored (id 0); raises InvalidValue for other segments."""
    names = {segment.name for segment in instance.segments}
    if unknown := sorted(set(changed.texts) - names):
        raise InvalidValue(
            _(
                "The original has no segment '{name}' (it has {names}).",
                name=unknown[0],
                names=listed(sorted(names)),
            )
        )
    segments = []
    for segment in instance.segments:
        text = changed.texts.get(segment.name, segment.body.text)
        check_length(segment.name, text)
        same = text == segment.body.text
        body = segment.body if same else tokenise_like(segment.body, text, instance.language)
        segments.append(Segment(segment.name, segment.is_selectable, body))
    return Instance(
        0, instance.key, instance.split, instance.language, tuple(segments), changed.result,
        parent_key=instance.key, perturbation_kind=changed.kind,
    )  # fmt: skip


def check_length(name: str, text: str) -> None:
    """Raise InvalidValue for a text that is too long."""
    if len(text) > LONGEST_TEXT:
        raise InvalidValue(
            _(
                "The text of '{name}' is longer than {n} characters.",
                name=name,
                n=f"{LONGEST_TEXT:,}",
            )
        )
