"""What a version of a perturbation has otherwise than the original or the one before it, as running text (docs/perturb.md)."""

from collections.abc import Mapping

from annotator.domain.instances import Instance
from annotator.domain.perturbations import ChangedText, Perturbation, PerturbationVersion
from annotator.domain.texts import TokenizedText
from annotator.text.token_diff import diff_tokens, tokenise_like
from annotator.text.tokenisation import tokenise

Piece = tuple[str, str, str]
ChangedSegments = Mapping[str, list[Piece]]  # by the name of a segment that differs


def changes_from(original: Instance, changed: ChangedText) -> ChangedSegments:
    """By segment that differs from the original: (kind of run, text before, text after), in order."""
    texts = {segment.name: changed.texts.get(segment.name, segment.body.text) for segment in original.segments}
    return {
        segment.name: pieces_of(segment.body, tokenise_like(segment.body, texts[segment.name], original.language))
        for segment in original.segments
        if texts[segment.name] != segment.body.text
    }


def changes_since(original: Instance, perturbation: Perturbation) -> dict[int, ChangedSegments]:
    """By number of the version, then by segment that differs: (kind of run, text before, text after), in order."""
    return {
        after.number: _changed_segments(original, before, after)
        for before, after in zip(perturbation.versions, perturbation.versions[1:], strict=False)
    }


def _changed_segments(original: Instance, before: PerturbationVersion, after: PerturbationVersion) -> ChangedSegments:
    changes = {}
    for segment in original.segments:
        texts = [version.changed.texts.get(segment.name, segment.body.text) for version in (before, after)]
        if texts[0] != texts[1]:
            changes[segment.name] = pieces_of(*(tokenise(text, original.language) for text in texts))
    return changes


def pieces_of(before: TokenizedText, after: TokenizedText) -> list[Piece]:
    """The two texts cut at the runs of their token diff; the pieces of either put together are that text.

    White space between two tokens goes with the second, so that a run begins where the one before it ends.
    """
    cuts = [_cuts(before), _cuts(after)]
    pieces: list[Piece] = [
        (
            run.kind,
            before.text[cuts[0][run.start] : cuts[0][run.end]],
            after.text[cuts[1][run.other_start] : cuts[1][run.other_end]],
        )
        for run in diff_tokens(before.tokens(), after.tokens()).runs
    ]
    rest = (before.text[cuts[0][-1] :], after.text[cuts[1][-1] :])
    return [*pieces, ("kept", *rest)] if any(rest) else pieces


def _cuts(body: TokenizedText) -> list[int]:
    """Where each token's white space begins, then where the last token ends."""
    return [0, *body.ends]
