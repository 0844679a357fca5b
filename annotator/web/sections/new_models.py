"""Training a model from the page: the form, the built-in model's offer, what came of it, and what is known of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.jobs import Job
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _, together, unsaid
from annotator.usecases import background
from annotator.usecases.databases import Store
from annotator.usecases.training.architectures import architectures_for
from annotator.usecases.training.examples import RationaleSource
from annotator.usecases.training.forecast import (
    Choices,
    Forecast,
    TrainedModel,
    base_of,
    choices,
    forecast,
    free_name,
    last_event,
    missing_package,
    missing_words,
    standing_of,
    trained_models,
)
from annotator.usecases.training.transformers import (
    PIPELINES,
    AlignmentOptions,
    Architecture,
    Criterion,
    DataOptions,
    Extractor,
    FittingOptions,
    NewModel,
    OfSeveral,
    Output,
    RationaleOptions,
    RationaliserOptions,
    TooLong,
    TrainingOptions,
)
from annotator.web.buttons import pressed
from annotator.web.cached_numbers import cache_of
from annotator.web.frame import as_text, confirm_and_rerun, refusals_shown
from annotator.web.sections import computation, model_cards
from annotator.web.sections.tables import choose
from annotator.web.session import Visit, database_path

# The form of a training: what is asked, with defaults that a small machine can live with, and what it comes to.


_BASES = {"scratch": unsaid("small, from scratch"), "pretrained": unsaid("pretrained")}
_RATES = {"scratch": 1e-3, "pretrained": 2e-5}
_ARCHITECTURES: dict[Architecture, str] = {
    "transformer": unsaid("encoder (reads in both directions)"),
    "decoder": unsaid("decoder (reads left to right)"),
    "tokens": unsaid("encoder predicting for the target"),
    "reading": unsaid("encoder extracting an answer span"),
    "lei": unsaid("rationaliser (predicts from selected tokens)"),
    "lehman": unsaid("sentence pipeline (GRUs)"),
    "bert-to-bert": unsaid("sentence pipeline (two encoders)"),
    "bert-to-bert-tokens": unsaid("token pipeline (two encoders)"),
    "encoder-lstm": unsaid("bidirectional LSTM with attention"),
    "lstm": unsaid("LSTM (predicts from its last state)"),
    "match-lstm": unsaid("match-LSTM extracting an answer span"),
}
_OF_A_BASE: dict[Architecture, str] = {
    "transformer": unsaid("predicts for the text"),
    "tokens": unsaid("predicts for the target"),
    "bert-to-bert": unsaid("selects a sentence, predicts from it"),
    "bert-to-bert-tokens": unsaid("selects tokens, predicts from them"),
}
_PIPELINE_WORDS = unsaid("Learns from gold rationales what to select, and predicts from that alone.")
_READING_WORDS = unsaid("Learns answer spans or no answer. Skips texts without their gold answer.")
_RATIONALISER_WORDS = unsaid("Predicts from the tokens it selects; unsupervised, it may select all or none.")
_ALIGNMENTS: dict[Literal["none"] | Criterion, str] = {
    "none": unsaid("none"),
    "mae": "MAE",
    "mse": "MSE",
    "huber": "Huber",
    "bce": "BCE",
    "order": "Order",
}
_HIGH_AND_LOW = unsaid("Aligns attributions: high on rationale tokens, low elsewhere.")
_WORDS_OF: dict[Architecture, str] = {
    "reading": _READING_WORDS,
    "match-lstm": _READING_WORDS,
    "lei": _RATIONALISER_WORDS,
    **dict.fromkeys(PIPELINES, _PIPELINE_WORDS),
}
_ALIGNMENT_WORDS = {
    "none": unsaid("Labels only; rationales aren't used."),
    "mae": _HIGH_AND_LOW,
    "mse": _HIGH_AND_LOW,
    "huber": unsaid("As MSE for small errors, MAE for large."),
    "bce": unsaid("Aligns attributions: high on rationale tokens; others ignored."),
    "order": unsaid("Aligns attributions: rationale tokens above all others."),
}
PROVES_NOTHING = unsaid("A falling alignment loss proves nothing: compare with a shuffled-rationale control.")
FORGETS = unsaid("λ = 1 (under “More”) can destroy a pretrained model's accuracy. Try a lower λ.")
_SOURCES: dict[RationaleSource, str] = {
    "gold": unsaid("gold rationales"),
    "shuffled": unsaid("shuffled rationales (control)"),
    "lexicon": unsaid("word lists"),
}
_TOO_LONG: dict[TooLong, str] = {
    "cut": unsaid("truncate the end"),
    "windows": unsaid("use windows"),
    "refuse": unsaid("stop with an error"),
}
_OF_SEVERAL: dict[OfSeveral, str] = {"lowest": unsaid("best-matching set"), "union": unsaid("union of all sets")}
_ALIGNED_BY: dict[Extractor, str] = {
    "gradient-x-input": unsaid("gradient × input"),
    "attention": unsaid("attention"),
    "integrated-gradients": unsaid("integrated gradients (slow)"),
    "extractor": unsaid("learned extractor"),
}
_OUTPUTS: dict[Output, str] = {"softmax": unsaid("one per label"), "sigmoid": unsaid("one sigmoid (two labels)")}
_USUAL_VALIDATION = unsaid("validation, val or dev; else 10 % of training texts")
_LONGEST_STEM = 40
_STAYS: dict[str, Any] = {"persist_state": "session"}  # of a field: what stands in it, also while it is not drawn


@dataclass(frozen=True, slots=True)
class Given:
    """What stands in the form. base: as it was written, None for a model from scratch; source: "" where nothing is aligned."""

    name: str
    base: str | None
    split: str | None
    validation: str | None
    source: RationaleSource | Literal[""]
    word_lists: tuple[str, ...]
    share: float
    fitting: FittingOptions
    model: NewModel

    def request(self, *, is_anew: bool = False) -> background.AskedTraining:
        """What is asked for; raises InvalidValue for what cannot be."""
        rationales = RationaleOptions()
        if self.source:
            word_lists = self.word_lists if self.source == "lexicon" else ()
            rationales = RationaleOptions(self.source, word_lists, self.share)
        data = DataOptions(self.split, self.validation, None, rationales, self.fitting.seed)
        model = replace(self.model, base=None if self.base is None else base_of(self.base))
        return background.AskedTraining(self.name, TrainingOptions(model, data, self.fitting, None, is_anew))


def ask(store: Store, visit: Visit, project: Project) -> Given:
    """The form. Whatever is hidden by a choice keeps what stood there."""
    offered = choices(store, visit.user, project)
    name_place, kind_place, base_place = st.columns([2, 2, 3], vertical_alignment="bottom")
    kind = choose(_("Start from"), _BASES, column=kind_place, key="train_kind", **_STAYS)
    base, architecture = _ask_base(base_place, project, kind)
    split_place, alignment_place, source_place = st.columns([2, 2, 3], vertical_alignment="bottom")
    split = _ask_split(split_place, project, offered)
    criterion: Literal["none"] | Criterion = "none"
    if architecture not in _WORDS_OF:
        title = _("Rationale alignment")
        criterion = choose(title, _ALIGNMENTS, column=alignment_place, key="train_alignment", **_STAYS)
    rationaliser = _ask_rationaliser(alignment_place) if architecture == "lei" else None
    source: RationaleSource | Literal[""] = ""
    lists: tuple[str, ...] = ()
    if criterion != "none":
        source, lists = _ask_source(source_place, project, offered)
    st.caption(_(_WORDS_OF.get(architecture, _ALIGNMENT_WORDS[criterion])))
    if criterion != "none":
        st.caption(f":material/warning: {_(PROVES_NOTHING)}")
        if kind == "pretrained":
            st.caption(f":material/warning: {_(FORGETS)}")
    *steps_places, more = st.columns([2, 2, 2, 1], vertical_alignment="bottom")
    n_epochs, learning_rate, seed = _ask_steps(steps_places, kind)
    with more.popover(_("More"), width="stretch", key="train_more"):
        rest = _ask_the_rest(project, offered, architecture, is_aligned=criterion != "none")
    alignment = None if criterion == "none" else replace(rest.alignment, criterion=criterion)
    fitting = replace(rest.fitting, epochs=n_epochs, learning_rate=learning_rate, seed=seed, alignment=alignment)
    fitting = replace(fitting, rationaliser=rationaliser)
    kind_of_model = "" if architecture in {"transformer", "reading"} else architecture
    by = "" if alignment is None or alignment.by == "gradient-x-input" else alignment.by
    stem = _stem(base, kind_of_model, f"{criterion}-{by}" if by else criterion, source, seed)
    suggested = free_name(store, project, stem)
    name = name_place.text_input(
        _("Model name"), key=f"train_name_{project.id}", persist_state="session", placeholder=suggested
    ).strip()
    return Given(name or suggested, base, split, rest.validation, source, lists, rest.share, fitting, rest.model)


def _ask_base(column: DeltaGenerator, project: Project, kind: str) -> tuple[str | None, Architecture]:
    """The pretrained model, None from scratch; and what kind of model it becomes."""
    architectures = architectures_for(project, has_base=kind == "pretrained")
    architecture_place = column
    if kind == "pretrained" and len(architectures) > 1:
        column, architecture_place = column.columns(2, vertical_alignment="bottom")
    base = None if kind == "scratch" else column.text_input(
        _("Pretrained model"), key="train_base", placeholder="transformers:FOLDER-OR-NAME", persist_state="session",
        help=_("Folder on the server, or a Hugging Face name (if accessible).")
    )  # fmt: skip
    return base, _ask_architecture(architecture_place, project, kind, architectures)


def _ask_rationaliser(column: DeltaGenerator) -> RationaliserOptions:
    is_supervised = column.selectbox(
        _("Rationale supervision"), [True, False], format_func=lambda is_on: _("gold rationales") if is_on else _("none"),
        key="train_supervision", persist_state="session"
    )  # fmt: skip
    return RationaliserOptions(supervision=1.0 if is_supervised else 0.0)


def _ask_steps(columns: Sequence[DeltaGenerator], kind: str) -> tuple[int, float, int]:
    """Epochs, learning rate and seed."""
    of_epochs, of_rate, of_seed = columns
    n_epochs = of_epochs.number_input(
        _("Maximum epochs"), 1, 1_000, 10, key="train_epochs", persist_state="session"
    )  # fmt: skip
    rate = of_rate.number_input(
        _("Learning rate"), 1e-7, 0.1, _RATES[kind], step=_RATES[kind] / 2, format="%g", key=f"train_rate_{kind}",
        persist_state="session"
    )  # fmt: skip
    seed = of_seed.number_input(_("Seed"), 0, 2**31 - 1, 0, key="train_seed", persist_state="session")
    return int(n_epochs), float(rate), int(seed)


def _ask_architecture(
    column: DeltaGenerator, project: Project, kind: str, architectures: tuple[Architecture, ...]
) -> Architecture:
    """What the project's task can have; where that is one thing alone, nothing is asked."""
    if len(architectures) == 1:
        return architectures[0]
    titles, key = _ARCHITECTURES if kind == "scratch" else _OF_A_BASE, f"train_architecture_{project.id}_{kind}"
    return choose(_("Model type"), titles, architectures, column=column, key=key, **_STAYS)


def _ask_split(column: DeltaGenerator, project: Project, offered: Choices) -> str | None:
    """The training texts; the use case takes all where none is named and no split has the usual name."""
    splits: list[str | None] = list(offered.splits)
    if "train" not in offered.splits:
        splits = [None, *(name for name in splits if name)]
    # By number: Streamlit shows no choice where None is chosen.
    number = column.selectbox(
        _("Training texts"), range(len(splits)), splits.index("train") if "train" in splits else 0,
        format_func=lambda number: _split_title(splits[number]), key=f"train_split_{project.id}", persist_state="session"
    )  # fmt: skip
    return splits[number]


def _split_title(split: str | None) -> str:
    if split is None:
        return _("all texts")
    return _("split {split}", split=split) if split else _("texts without a split")


def _ask_source(column: DeltaGenerator, project: Project, offered: Choices) -> tuple[RationaleSource, tuple[str, ...]]:
    sources = list(_SOURCES) if offered.word_lists else [source for source in _SOURCES if source != "lexicon"]
    source = choose(_("Rationales"), _SOURCES, sources, column=column, key=f"train_source_{project.id}", **_STAYS)
    if source != "lexicon":
        return source, ()
    lists = column.multiselect(
        _("Word lists"), offered.word_lists, list(offered.word_lists[:1]), key=f"train_lists_{project.id}",
        persist_state="session",
        help=_("Keep-list words form the rationale; ignore-list words are excluded."),
        placeholder=_("Choose")
    )  # fmt: skip
    return source, tuple(lists)


@dataclass(frozen=True, slots=True)
class _Rest:
    """What is rarely changed."""

    validation: str | None
    share: float
    alignment: AlignmentOptions
    fitting: FittingOptions
    model: NewModel


def _ask_the_rest(project: Project, offered: Choices, architecture: Architecture, *, is_aligned: bool) -> _Rest:
    validation, patience, batch_size = _ask_stopping(project, offered)
    too_long, output = _ask_texts_and_answers(project)
    alignment, share = _ask_alignment(architecture) if is_aligned else (AlignmentOptions("mae"), 100.0)
    threads, balances = _ask_threads_and_balance(architecture)
    fitting = FittingOptions(patience=patience, batch_size=batch_size, balances_labels=balances)
    model = NewModel((), output=output, too_long=too_long, threads=threads, architecture=architecture)
    return _Rest(validation, share, alignment, fitting, model)


def _ask_stopping(project: Project, offered: Choices) -> tuple[str | None, int, int]:
    """The split to stop by, after how many epochs without gain, and how many texts are in a batch."""
    validation = st.selectbox(
        _("Early stopping on"), ["", *(name for name in offered.splits if name)],
        format_func=lambda name: _("split {split}", split=name) if name else _(_USUAL_VALIDATION),
        key=f"train_validation_{project.id}", persist_state="session"
    )  # fmt: skip
    left, right = st.columns(2, vertical_alignment="bottom")
    patience = left.number_input(_("Patience (epochs)"), 1, 1_000, 5, key="train_patience", persist_state="session")
    batch_size = right.number_input(_("Batch size"), 1, 512, 16, key="train_batch", persist_state="session")
    return validation or None, int(patience), int(batch_size)


def _ask_texts_and_answers(project: Project) -> tuple[TooLong, Output]:
    """What becomes of texts that are too long, and of what form the answers are."""
    left, right = st.columns(2, vertical_alignment="bottom")
    too_long = choose(_("Texts too long for the model"), _TOO_LONG, column=left, key="train_too_long", **_STAYS)
    if len(project.labels) != 2:
        return too_long, "softmax"
    return too_long, choose(_("Outputs"), _OUTPUTS, column=right, key="train_output", **_STAYS)


def _ask_threads_and_balance(architecture: Architecture) -> tuple[int, bool]:
    """How many threads work, and whether each label counts alike."""
    left, right = st.columns(2, vertical_alignment="bottom")
    threads = left.number_input(
        _("Threads"), 1, 64, 1, key="train_threads", persist_state="session",
        help=_("One leaves the machine responsive.")
    )  # fmt: skip
    balances = architecture not in {"reading", "match-lstm"} and right.checkbox(
        _("Balance labels"), key="train_balances", persist_state="session",
        help=_("Otherwise all texts weigh the same.")
    )  # fmt: skip
    return int(threads), balances


def _ask_alignment(architecture: Architecture) -> tuple[AlignmentOptions, float]:
    methods = [by for by in _ALIGNED_BY if architecture != "tokens" or "gradient" in by]
    by = choose(
        _("Attributions to align"), _ALIGNED_BY, methods, key=f"train_aligned_by_{architecture}", **_STAYS,
        help=_("The extractor scores tokens beside predictions; compute “Selection” to see its scores.")
    )  # fmt: skip
    left, right = st.columns(2, vertical_alignment="bottom")
    strength = left.number_input(
        _("Alignment weight (λ)"), 0.0001, 1000.0, 1.0, format="%g", key="train_strength", persist_state="session",
        help=_(FORGETS)
    )  # fmt: skip
    scale = right.number_input(
        _("Attribution scale (γ)"), 0.01, 100_000.0, 100.0, format="%g", key="train_scale", persist_state="session"
    )
    left, right = st.columns(2, vertical_alignment="bottom")
    of_several = choose(_("If several sets"), _OF_SEVERAL, column=left, key="train_several", **_STAYS)
    share = right.number_input(
        _("Texts with rationales (%)"), 1.0, 100.0, 100.0, format="%g", key="train_share", persist_state="session",
        help=_("The rest, drawn by seed, contribute labels only.")
    )  # fmt: skip
    return AlignmentOptions("mae", strength=strength, scale=scale, of_several=of_several, by=by), share


def _stem(base: str | None, kind_of_model: str, criterion: str, source: str, seed: int) -> str:
    """What a model is called whose name was left open: by what makes it another one.

    >>> _stem(None, "decoder", "none", "", 0), _stem("transformers:models/tiny bert", "", "mae", "shuffled", 3)
    ('small-decoder', 'tiny-bert-mae-shuffled-3')
    """
    last = "small" if base is None else re.split(r"[/:]", base.strip().rstrip("/"))[-1]
    parts = [re.sub(r"[^\w.-]+", "-", last).strip("-.")[:_LONGEST_STEM] or "model"]
    parts += [kind_of_model] if kind_of_model else []
    parts += [criterion] if criterion != "none" else []
    parts += [source] if source in {"shuffled", "lexicon"} else []
    return "-".join([*parts, *([str(seed)] if seed else [])])


# The built-in model, offered where somebody looks for a model: a button that trains it, and its progress in the same place.


_WHAT = unsaid("Trains a word classifier in minutes; needs no installation.")


def offer(store: Store, visit: Visit, project: Project, *, where: str) -> None:
    """A button, or the progress of what runs; below it what came of the last work. Nothing where texts have no labels.

    where: names the place, of which a page has several
    """
    if project.task.result_kind != "label" or project.is_archived:
        return
    with st.container(border=True):
        if computation.show_open(store, visit, project, where):
            return
        words, button = st.columns([3, 1], vertical_alignment="center")
        words.markdown(_(_WHAT))
        if pressed(
            _("Train built-in model"), container=button, width="stretch", key=f"built_in_go_{where}",
            icon=":material/model_training:"
        ):  # fmt: skip
            with refusals_shown():
                background.ask_for_built_in(store, visit.user, project)
                st.rerun()
        for job in computation.ended(store, visit, project, "attribute")[:1]:
            computation.show_line(job)


_LEARNS = unsaid("Learns from this project's gold.")
_NEXT = unsaid("Runs in the background; you can close this page.")
_ASKED = unsaid("Queued; progress is shown above.")
_NO_QUESTION = unsaid("Texts need a question (a segment that can't be marked).")


def show(store: Store, visit: Visit, project: Project, *, is_open: bool) -> None:
    """The form, what came of the last trainings, and the cards; nothing where nobody looks (is_open False).

    What was chosen in the form stays while it is closed.
    """
    if not is_open:
        return
    offer(store, visit, project, where="train")
    if not architectures_for(project, has_base=False):
        st.info(_(_NO_QUESTION), icon=":material/info:")
        return
    if package := missing_package():
        st.info(as_text(missing_words(package)), icon=":material/info:")
    else:
        _show_form(store, visit, project)
    models = trained_models(store, visit.user, project)
    _show_ended(store, visit, project, models)
    model_cards.show(store, visit, project, models)


def _show_form(store: Store, visit: Visit, project: Project) -> None:
    st.caption(together(_(_LEARNS), _(_NEXT)))
    given = ask(store, visit, project)
    refusal = st.container()  # always there: what stands below keeps its place, and so its state
    try:
        is_anew = _ask_anew(store, visit, project, given.name)
        request = given.request(is_anew=is_anew)
        foreseen = _foreseen(store, visit, project, request)
    except AnnotatorError as error:
        refusal.warning(as_text(str(error)), icon=":material/error:")
        pressed(_("Train"), type="primary", key="train_go", icon=":material/model_training:", disabled=True)
        return
    refusal.markdown(as_text(foreseen.summary()))
    if pressed(_("Train"), type="primary", key="train_go", icon=":material/model_training:"):
        with refusals_shown():
            background.ask_to_train(store, visit.user, project, request)
            confirm_and_rerun(_(_ASKED))


def _foreseen(store: Store, visit: Visit, project: Project, request: background.AskedTraining) -> Forecast:
    """Kept until something happens in the project: of ten thousand texts it takes a second, and each change of the form asks."""
    options = request.options.data
    key = (str(database_path()), project.id, options, last_event(store, visit.user, project))
    forecasts = cache_of("forecasts", 100)
    return forecasts.get_or_make(key, Forecast, lambda: forecast(store, visit.user, project, options), lambda _n: 1)


def _ask_anew(store: Store, visit: Visit, project: Project, name: str) -> bool:
    """Where the name is a model's already, or that of a training that was stopped, whether it begins anew."""
    if any(
        background.training_of(job).name == name
        for job in background.queue_of(store, visit.user, project, "train").open
    ):
        return False  # it is under way: its folder says nothing
    standing = standing_of(store, visit.user, project, name)
    if standing == "free":
        return False
    if standing == "there":
        return st.checkbox(
            as_text(_("Replace the existing model '{name}'", name=name)),
            key=f"train_replace_{project.id}_{name}",
            help=_("Removes the old predictions and attributions.")
        )  # fmt: skip
    return st.checkbox(
        as_text(_("Restart '{name}' from scratch", name=name)), key=f"train_anew_{project.id}_{name}",
        help=_(
            "Stopped. The same texts and settings resume it."
        )
    )  # fmt: skip


def _show_ended(store: Store, visit: Visit, project: Project, models: tuple[TrainedModel, ...]) -> None:
    """What came of the last trainings, and what can be done next about the last of each name."""
    queue = background.queue_of(store, visit.user, project, "train")
    names = {background.training_of(job).name for job in queue.open}
    by_name = {model.name: model for model in models}
    for job in queue.ended:
        name = background.training_of(job).name
        computation.show_line(job)
        if name not in names:
            _offer_next(store, visit, project, job, by_name.get(name))
        names.add(name)


def _offer_next(store: Store, visit: Visit, project: Project, job: Job, model: TrainedModel | None) -> None:
    with st.container(horizontal=True, gap="small"):
        if job.state == "done":
            if model is not None:
                st.button(
                    _("Compute attributions"), key=f"train_compute_{job.id}", icon=":material/calculate:",
                    on_click=_fill_in, args=(model.spec,)
                )  # fmt: skip
                st.button(
                    _("Show model card"), key=f"train_card_of_{job.id}", icon=":material/description:",
                    on_click=model_cards.choose, args=(project, model.name)
                )  # fmt: skip
        elif pressed(
            _("Continue") if job.state == "stopped" else _("Try again"),
            key=f"train_again_{job.id}",
            icon=":material/play_arrow:",
        ):
            with refusals_shown():
                background.train_again(store, visit.user, project, job.id)
                confirm_and_rerun(_(_ASKED))


def _fill_in(spec: str) -> None:
    """The form under “Compute attributions” with the model in it, in the place of this one, so that it is seen."""
    st.session_state["compute_model"] = spec
    st.session_state["compute_open"] = True
    st.session_state["train_open"] = False
