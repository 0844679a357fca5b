"""Which kinds of model can learn what a project asks for, and what is particular to those that answer questions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotator.attribution.transformers_subwords import has_window_with
from annotator.domain.models import HeldOut
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError
from annotator.language import _
from annotator.metrics.aggregate import paired_bootstrap
from annotator.metrics.significance import FEWEST
from annotator.training.answers import Judged, asked_for_answers, n_too_long, texts_of, threshold_by
from annotator.training.examples import Example, Row, answer_rows
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import PIPELINES, Architecture, NewModel, Trainable
from annotator.usecases.training.examples import TrainingData


def architectures_for(project: Project, *, has_base: bool) -> tuple[Architecture, ...]:
    """What can be trained there, the usual one first; a base brings its own encoder or decoder. None where nothing can be."""
    if project.task.result_kind == "answer":
        of_answers: tuple[Architecture, ...] = ("reading",) if has_base else ("reading", "match-lstm")
        return () if project.task.query_segment is None else of_answers
    from_scratch: tuple[Architecture, ...] = () if has_base else ("decoder", "lei", "encoder-lstm", "lstm")
    if project.task.has_target:
        return ("transformer", *from_scratch, "tokens")
    pipelines: tuple[Architecture, ...] = PIPELINES[1:] if has_base else PIPELINES
    if sum(segment.is_selectable for segment in project.task.segments) > 1:  # one sentence of a pair decides nothing
        pipelines = ("bert-to-bert-tokens",)
    return ("transformer", *from_scratch, *pipelines)


def check_architecture(project: Project, new: NewModel, fitting: FittingOptions) -> None:
    """Raise ModelError or InvalidValue for a model that cannot learn what a project asks for."""
    is_reading, asks_for_answers = new.reads == "answer", project.task.result_kind == "answer"
    if asks_for_answers and not is_reading:
        raise ModelError(_("Project '{name}' needs answers. Use --architecture reading.", name=project.name))
    if is_reading and not asks_for_answers:
        raise ModelError(
            _("Project '{name}' needs labels. Remove --architecture {kind}.", name=project.name, kind=new.architecture)
        )
    if is_reading and project.task.query_segment is None:
        raise ModelError(_("Texts of '{name}' have no question (unmarkable segment).", name=project.name))
    if new.architecture == "tokens" and not project.task.has_target:
        raise ModelError(_("Texts of '{name}' have no target. Remove --architecture tokens.", name=project.name))
    offered = architectures_for(project, has_base=False)
    if new.architecture in PIPELINES and new.architecture not in offered:
        raise ModelError(
            _(
                "'{architecture}' doesn't suit the texts of '{name}'. Use --architecture {others}.",
                architecture=new.architecture, name=project.name, others=", ".join(offered)
            )
        )  # fmt: skip
    _check_rationaliser(new, fitting)
    check_alignment(new, fitting)
    wrong = {
        _("alignment with rationales (--align)"): fitting.alignment is not None,
        _("one sigmoid output (--output sigmoid)"): new.output != "softmax",
        _("balanced labels (--balance)"): fitting.balances_labels,
    }
    for what, is_wanted in wrong.items():
        if is_reading and is_wanted:
            raise InvalidValue(_("Extractive QA trains on answers only. Remove {what}.", what=what))


def _check_rationaliser(new: NewModel, fitting: FittingOptions) -> None:
    is_rationaliser, is_pipeline = new.architecture == "lei", new.architecture in PIPELINES
    if fitting.rationaliser is not None and not is_rationaliser:
        raise InvalidValue(_("How a mask is learned (sparsity, supervision …) goes with --architecture lei."))
    if is_rationaliser and fitting.alignment is not None:
        raise InvalidValue(_("Alignment isn't for --architecture lei. Use --supervision."))
    if is_pipeline and fitting.alignment is not None:
        raise InvalidValue(_("Pipelines already learn from rationales. Remove --align."))
    if (is_rationaliser or is_pipeline) and new.output != "softmax":
        raise InvalidValue(_("--architecture {architecture} has softmax output.", architecture=new.architecture))


def check_evidence(learn: Sequence[Example]) -> None:
    """Raise ModelError where a pipeline would have nothing to learn from."""
    if not learn:
        raise ModelError(_("No training text has a rationale, which pipelines need. Annotate some first."))


def check_alignment(new: NewModel, fitting: FittingOptions) -> None:
    """Raise InvalidValue where attention or an extractor cannot be read from one pass over a whole text."""
    if fitting.alignment is None or fitting.alignment.is_by_gradient:
        return
    by = fitting.alignment.by
    if new.architecture not in {"transformer", "decoder"}:
        raise InvalidValue(
            _("--architecture {architecture} can't be aligned by {by}.", architecture=new.architecture, by=by)
        )
    if new.too_long == "windows":
        raise InvalidValue(_("Aligning by {by} doesn't work in windows. Truncate long texts.", by=by))


# What is particular to models that answer questions: what they learn from, when there is no answer, how well they do.


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Texts whose answer a model never reads whole: it would learn that they have none.

    n_cut: the text is cut before the answer ends; n_between: it is read in windows, none of which holds the answer
    """

    n_cut: int = 0
    n_between: int = 0


def rows_with_answers(trainable: Trainable, examples: Sequence[Example]) -> tuple[list[Row], LeftOut]:
    """Texts as subwords, and how many are left out."""
    rows = answer_rows(trainable.cutter, examples)
    seen = [row for row, example in zip(rows, examples, strict=True) if example.place is None or _sees_end(row)]
    whole = [row for row in seen if _is_in_a_window(row, trainable.cutter.limit)]
    return whole, LeftOut(len(rows) - len(seen), len(seen) - len(whole))


def check_answers(learn: Sequence[Row]) -> None:
    """Raise ModelError where no text is left of which a model would learn an answer."""
    if not any(_sees_end(row) for row in learn):
        raise ModelError(
            "There is nothing to learn: the model sees no answer whole, in no text. Have longer texts read in windows "
            "(--too-long windows), or shorten them."
        )


def _sees_end(row: Row) -> bool:
    return row.answer is not None and row.answer.subwords is not None


def _is_in_a_window(row: Row, limit: int | None) -> bool:
    if row.answer is None or row.answer.subwords is None:
        return True
    return has_window_with(row.encoded.may_answer, *row.answer.subwords, limit)


def answer_facts(data: TrainingData, learn: Sequence[Row], left_out: LeftOut) -> dict[str, object]:
    """What the card says of the answers that were learned from."""
    return {
        "answers": {"in the text": len(data.learn) - data.n_without_answer, "none": data.n_without_answer},
        "answers that stand in the text several times": sum(e.place is not None and e.place.n > 1 for e in data.learn),
        "answers that do not stand in the text (left out)": data.n_absent,
        "answers that it does not see (left out)": left_out.n_cut,
        "answers that no window holds (left out)": left_out.n_between,
        "answers longer than it gives": n_too_long(learn),
    }


@dataclass(frozen=True, slots=True)
class ReadingOutcome:
    """How well a reading model does. facts: when it says that there is no answer; scores: of its answers."""

    held_out: HeldOut | None
    facts: dict[str, object]
    scores: dict[str, object]


def judged_answers(
    trainable: Trainable, learn: Sequence[Row], stop: Sequence[Row], judge: Sequence[Row]
) -> ReadingOutcome:
    """Choose when the model says that there is no answer, have its folder say so, and judge it on texts of other splits."""
    threshold, how = _threshold(trainable, learn, stop)
    trainable.state_threshold(threshold)
    facts: dict[str, object] = {"says that there is no answer": how}
    if len(judge) < FEWEST:
        return ReadingOutcome(None, facts, {})
    _, findings = asked_for_answers(trainable, judge)
    judged = Judged.of(judge, texts_of(judge, findings, threshold))
    return ReadingOutcome(_held_out(judged), facts, _scores(judged))


def _threshold(trainable: Trainable, learn: Sequence[Row], stop: Sequence[Row]) -> tuple[float | None, str]:
    """How much better than the best stretch "no answer" has to be, and how that came about; None: it always answers."""
    if all(row.answer is not None and row.answer.text for row in learn):
        return None, "never, since it learned from no text without an answer"
    chosen = threshold_by(stop, asked_for_answers(trainable, stop)[1]) if stop else None
    if chosen is None:
        return (
            0.0,
            "where its score at [CLS] is above that of the best stretch (0; too few validation texts to choose by)",
        )
    return chosen, f"where its score at [CLS] is above that of the best stretch by {chosen:.3g} (chosen on validation)"


def _held_out(judged: Judged) -> HeldOut:
    """Exact matches, beside always saying that there is no answer."""
    is_exact, is_none = judged.exact, judged.is_none.astype(np.float64)
    interval = paired_bootstrap(is_exact, is_none)
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return HeldOut("splits", len(is_exact), int(is_exact.sum()), "", int(is_none.sum()), low, high)


def _scores(judged: Judged) -> dict[str, object]:
    none, some = judged.is_none, ~judged.is_none
    scores: dict[str, object] = {
        "way": "splits",
        "texts": len(judged.exact),
        "exact match": float(judged.exact.mean()),
        "answer F1": float(judged.f1.mean()),
    }
    for name, part in (("with an answer", some), ("without an answer", none)):
        scores[f"questions {name}"] = int(part.sum())
    if some.any():
        scores["answer F1 of those with an answer"] = float(judged.f1[some].mean())
    if none.any():
        scores["of those without an answer told right"] = float(judged.says_none[none].mean())
    return scores
