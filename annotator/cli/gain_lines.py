"""What a model gained over another as lines of text, with its control beside it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from annotator.domain.numbers import signed, written_in_report

if TYPE_CHECKING:
    from annotator.metrics.significance import Verdict
    from annotator.usecases.models.alignment_gains import Measured
    from annotator.usecases.models.alignment_proofs import AlignmentProof

TITLES = {
    "accuracy": "accuracy",
    "gradient-x-input": "AUPRC, gradient × input",
    "occlusion": "AUPRC, occlusion",
    "linear": "AUPRC, exact weights",
}
_WIDTH = max(map(len, TITLES.values()))


def gain_lines(proof: "AlignmentProof") -> Iterator[str]:
    """An alignment beside its twin and its control, and in words what that comes to."""
    if proof.twins:
        control = f"; control: {', '.join(proof.controls)}" if proof.controls else ""
        yield f"{', '.join(proof.names)} against {', '.join(proof.twins)}, without alignment{control}"
        yield from measure_lines(proof.measures)
        yield from (f"  {sentence}" for sentence in proof.sentences)
    else:
        numbers = (
            f"{TITLES[of.measure]} {written_in_report(of.gain.other)} (n {of.gain.n:,})" for of in proof.measures
        )
        yield f"{', '.join(proof.names)}, on texts that it did not learn from: {'; '.join(numbers)}"
    yield from map(str, proof.lacking)


def measure_lines(measures: "Sequence[Measured]") -> Iterator[str]:
    has_control = any(of.gain.control is not None for of in measures)
    head = f"  {'':<{_WIDTH}}       n    base   other  difference"
    yield head + (f"{'':<15}  control  its difference" if has_control else "")
    for of in measures:
        gain = of.gain
        numbers = "  ".join(f"{written_in_report(value):>6}" for value in (gain.base, gain.other))
        title = TITLES[of.measure] + ("" if of.is_alike else " ¹")
        line = f"  {title:<{_WIDTH}}  {gain.n:>6,}  {numbers}  {_difference(gain.gain):<25}"
        if has_control:
            line += f"  {written_in_report(gain.control):>7}  {_difference(gain.of_control)}"
        yield line.rstrip()
    if not all(of.is_alike for of in measures):
        yield "  ¹ each with its own parameters"


def _difference(verdict: "Verdict | None") -> str:
    if verdict is None or verdict.difference is None:
        return "–"
    if verdict.low is None or verdict.high is None:
        return signed(verdict.difference)
    return f"{signed(verdict.difference)} [{signed(verdict.low)}, {signed(verdict.high)}]"


def proof_as_json(proof: "AlignmentProof") -> dict[str, object]:
    from annotator.usecases.models.alignment_gains import measures_as_json

    return {
        "models": proof.names, "twins": proof.twins, "controls": proof.controls, "is_control": proof.is_control,
        "measures": measures_as_json(proof.measures), "sentences": proof.sentences,
        "lacking": [str(lack) for lack in proof.lacking],
    }  # fmt: skip
