"""What was done with models, their output, word lists and functional tests."""

from annotator.domain.labels import LabelTable
from annotator.domain.measurements import FORGOT_WRONG_K, wrong_k_summary
from annotator.domain.numbers import counted
from annotator.language import _, listed, several, unsaid
from annotator.store.trained_models import MAP_LABELS
from annotator.usecases.lead.event_sentences import parts


def _attributed(detail: parts.Detail) -> str:
    counts = [counted(detail["answers"], "answer")] if detail.get("answers") else []
    counts += [counted(detail["attributions"], "attribution")] if detail.get("attributions") else []
    counts += [counted(detail["reduced"], "rationale")] if detail.get("reduced") else []
    run = _run(detail)
    words = (
        _("computed {counts} from {run}", counts=listed(counts), run=run)
        if counts
        else _("computed nothing new from {run}", run=run)
    )
    left_out = detail.get("left_out")
    return parts.with_more(words, _("{n} excluded", n=left_out) if left_out else "")


def _run(detail: parts.Detail) -> str:
    """The model, the method with its parameters, and the seeds that were drawn."""
    seeds = [seed for seed in detail.get("seeds", ()) if seed is not None]
    more = [f"{name} {parts.value_words(value)}" for name, value in (detail.get("parameters") or {}).items()]
    if seeds:
        shown = parts.values_listed(seeds)
        more.append(_("seeds {seeds}", seeds=shown) if len(seeds) > 1 else _("seed {seed}", seed=shown))
    model, method = detail["model"], detail.get("method")
    words = _("model {model} by {method}", model=model, method=method) if method else _("model {model}", model=model)
    return parts.with_note(words, listed(more))


def _trained(detail: parts.Detail) -> str:
    instances, split = counted(detail["examples"], "instance"), detail.get("split")
    texts = listed([instances, _("split {split}", split=split)]) if split else instances
    return _(
        "trained {model} on {instances} (seed {seed})", model=detail["model"], instances=texts, seed=detail["seed"]
    )


def _mapped(detail: parts.Detail) -> str:
    labels = LabelTable(detail["names"]).words()
    if detail["model"]:
        return _("confirmed the labels of {model}: {labels}", model=detail["model"], labels=labels)
    project = detail["learned_in"]
    return _("confirmed the labels of models trained on {project}: {labels}", project=project, labels=labels)


def _word_list(words: str, detail: parts.Detail) -> str:
    stored = detail.get("words", 0)
    n = stored if isinstance(stored, int) else len(stored)
    return _(words, name=detail["list"], n_words=counted(n, "word"))


_MADE_LIST = unsaid("created the word list “{name}” ({n_words})")
_CHANGED_LIST = unsaid("changed the word list “{name}” ({n_words})")
_REMOVED_LIST = unsaid("removed the word list “{name}” ({n_words})")


def _suite(whole: str, of_test: str, detail: parts.Detail) -> str:
    """whole: of the suite; of_test: of one of its tests."""
    counts = [counted(detail["tests"], "test")] if isinstance(detail.get("tests"), int) else []
    counts += [counted(detail["cases"], "case")] if isinstance(detail.get("cases"), int) else []
    test = detail.get("test")
    words = _(of_test, test=test, suite=detail["suite"]) if test else _(whole, suite=detail["suite"])
    file = detail.get("file")
    return parts.with_note(parts.with_value(words, listed(counts)), _("file “{file}”", file=file) if file else "")


_SUITES = {
    "made": (unsaid("created the suite “{suite}”"), unsaid("created the test “{test}” of “{suite}”")),
    "imported": (unsaid("imported the suite “{suite}”"), unsaid("imported the test “{test}” of “{suite}”")),
    "exported": (unsaid("exported the suite “{suite}”"), unsaid("exported the test “{test}” of “{suite}”")),
    "removed": (unsaid("removed the suite “{suite}”"), unsaid("removed the test “{test}” of “{suite}”")),
}


def _ran_suite(detail: parts.Detail) -> str:
    counts = listed([counted(detail["tests"], "test"), counted(detail["texts"], "text")])
    return _("ran “{suite}” with {model}: {counts}", suite=detail["suite"], model=detail["model"], counts=counts)


def _suite_predictions(detail: parts.Detail) -> str:
    return _(
        "imported predictions of {model} for “{suite}” from {files}",
        model=detail["model"],
        suite=detail["suite"],
        files=listed([f"“{name}”" for name in detail["files"]]),
    )


SENTENCES: parts.Sentences = {
    "train model": _trained,
    "forget model": lambda detail: _("deleted all stored data of {model}", model=detail["model"]),
    MAP_LABELS: _mapped,
    "start attributing": lambda detail: _(
        "started computing predictions and attributions from {run}", run=_run(detail)
    ),
    "attribute": _attributed,
    "find sufficient sets": lambda detail: several(
        "searched {n} text for sets sufficient for {model}",
        "searched {n} texts for sets sufficient for {model}",
        detail["texts"],
        model=detail["model"],
    ),
    "shadow review": lambda detail: several(
        "had {model} score {n} annotation as shadow reviewer",
        "had {model} score {n} annotations as shadow reviewer",
        detail["annotations"],
        model=detail["model"],
    ),
    "write prompts": lambda detail: several(
        "wrote {n} prompt to “{file}”", "wrote {n} prompts to “{file}”", detail["instances"], file=detail["file"]
    ),
    "measure": lambda detail: several("measured {n} run", "measured {n} runs", detail["runs"]),
    FORGOT_WRONG_K: wrong_k_summary,
    "make word list": lambda detail: _word_list(_MADE_LIST, detail),
    "change word list": lambda detail: _word_list(_CHANGED_LIST, detail),
    "remove word list": lambda detail: _word_list(_REMOVED_LIST, detail),
    "make suite": lambda detail: _suite(*_SUITES["made"], detail),
    "make test": lambda detail: _suite(*_SUITES["made"], detail),
    "import suite": lambda detail: _suite(*_SUITES["imported"], detail),
    "export suite": lambda detail: _suite(*_SUITES["exported"], detail),
    "remove test": lambda detail: _suite(*_SUITES["removed"], detail),
    "remove suite": lambda detail: _suite(*_SUITES["removed"], detail),
    "run suite": _ran_suite,
    "import suite predictions": _suite_predictions,
}
