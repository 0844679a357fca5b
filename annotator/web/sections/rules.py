"""The project's rules: what annotators do, what counts as gold, and what previews show of models."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.instances import POLICY_WORDS
from annotator.domain.projects import (
    GOLD_POLICIES,
    NEWEST_METHODS,
    NO_METHOD,
    NO_MODEL,
    PREVIEWS,
    GoldPolicy,
    Previews,
    Project,
    ResultMode,
)
from annotator.domain.proposed_sets import HELP_FOR, HelpFor
from annotator.domain.reviews import SCALES, SCORE_TITLES, Property
from annotator.domain.suites import WordListRole
from annotator.errors import InvalidValue, LabelInUse
from annotator.language import _, parted, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.inspect.metrics_table import policy_in_words
from annotator.usecases.models.model_places import methods_to_compare, models_with_sets
from annotator.usecases.project.projects import change_project
from annotator.usecases.project.rules import effects_of_rules
from annotator.usecases.project.word_lists import word_lists
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, confirm
from annotator.web.project_warnings import labels_in, missing_people_words
from annotator.web.sections import labels as label_replacement
from annotator.web.sections.labels import read_pairs, written_pairs
from annotator.web.sections.tables import choose
from annotator.web.session import Visit, current_visit, page_store

# What the gold policies mean, in the same words wherever one is chosen.


def meaning_of(policy: GoldPolicy) -> str:
    """What a policy makes gold of."""
    return _(POLICY_WORDS[policy])


def all_meanings() -> str:
    """A line for each policy, as Markdown."""
    lines = (_("{what}: {value}", what=policy_in_words(name), value=meaning_of(name)) for name in GOLD_POLICIES)
    return "\n".join(f"* {line}" for line in lines)


# The rules of previews: who sees what models say of sets, which model is asked, what sets are compared with.


_WHO: dict[Previews, str] = {
    "nobody": unsaid("nobody"),
    "reviewers": unsaid("reviewers, while scoring"),
    "annotators": unsaid("also annotators, while marking"),
}
_COMPARED = {NEWEST_METHODS: unsaid("newest methods"), NO_METHOD: unsaid("nothing")}
_HELP_FOR: dict[HelpFor, str] = {
    "all": unsaid("for everyone"),
    "none": unsaid("for nobody"),
    "lot": unsaid("by lot, per annotator and text"),
}
_HELP_WHO = unsaid("Predictions for sets, the rest, and sets less each token. May bias annotators.")
_HELP_MODEL = unsaid(
    "none, built-in, spacy:FOLDER, transformers:FOLDER or transformers-zero-shot:FOLDER. Only leads see folders."
)
_HELP_LABELS = unsaid(
    "The model's label names, comma-separated; neutral= if never predicted. Empty: as under “Compute attributions”."
)


def ask_previews(store: Store, visit: Visit, project: Project) -> Callable[[Project], Project]:
    """Shows the fields; the answer writes them into a project, and raises InvalidValue for what cannot be read."""
    settings = project.settings
    who = choose(
        _("Who sees predictions for sets"), _WHO, PREVIEWS, settings.model_previews, key=_key(project, "previews"),
        help=_(_HELP_WHO)
    )  # fmt: skip
    model = st.text_input(_("Model"), settings.preview_model, key=_key(project, "preview_model"), help=_(_HELP_MODEL))
    left, right = st.columns(2)
    labels = left.text_input(
        _("Its labels, if different"),
        written_pairs(settings.preview_labels),
        placeholder="LABEL_0=negative, LABEL_1=positive",
        key=_key(project, "preview_labels"),
        help=_(_HELP_LABELS),
    )
    methods = methods_to_compare(store, visit.user, project)
    method = right.selectbox(
        _("Compare sets with"), methods, methods.index(settings.preview_method),
        format_func=lambda name: _(_COMPARED[name]) if name in _COMPARED else name, key=_key(project, "preview_method"),
        help=_("From stored attributions: F1 and IoU with the top k, average precision.")
    )  # fmt: skip

    with st.expander(_("Zero-shot prompt and label words")):
        prompt = st.text_area(
            _("Prompt"), settings.preview_prompt, key=_key(project, "preview_prompt"), height=80,
            help=_("Must contain {text} once and end with {label}.")
        )  # fmt: skip
        words = st.text_input(
            _("Label words"), written_pairs(settings.preview_words), placeholder="positive=great, negative=terrible",
            key=_key(project, "preview_words"), help=_("Label names in the prompt.")
        )  # fmt: skip
    return lambda changed: _with(
        changed, model_previews=who, preview_model=model.strip() or NO_MODEL, preview_labels=read_pairs(labels),
        preview_method=method, preview_prompt=prompt, preview_words=read_pairs(words),
    )  # fmt: skip


_MODES: dict[ResultMode, str] = {
    "contest": unsaid("given, can be contested"),
    "confirm": unsaid("given, fixed"),
    "give": unsaid("set by annotators"),
    "labels_only": unsaid("labels only, no rationales"),
}


def show(store: Store, visit: Visit, project: Project) -> None:
    """One form, stored as a whole: what every project sets, and the rest folded by subject."""
    if project.labels and pressed(
        _("Add, rename or merge a label …"), icon=":material/label:", key="rules_change_labels", type="tertiary"
    ):
        label_replacement.changes_dialog(project)
    with st.form("rules", border=False):
        changed = _ask_basics(project)
        with st.expander(_("Marking")):
            changed = _ask_marking(store, visit, project, changed)
            changed = _ask_segment_rules(project, changed)
            changed = _ask_time(project, changed)
        with st.expander(_("Reviewing and gold")):
            changed = _ask_review(project, changed)
            changed = _ask_gold(project, changed)
        with st.expander(_("Perturbed versions")):
            changed = _ask_perturbing(project, changed)
            own_kinds = _ask_own_kinds(project)
        with st.expander(_("Data set")):
            changed = _ask_data_set(project, changed)
        in_use = None
        if submitted(_("Save rules"), type="primary", key="rules_save") is not None:
            in_use = _save(store, visit, project, changed, own_kinds)
        # The browser holds such a form back by itself, and says so only at the field, which may be out of sight. Our style
        # sheet (routes/documents.py) shows this sentence while a number is out of range.
        st.container(key="out_of_range").caption(_("Can't save: a number is out of range."))
    if notice := st.session_state.pop("rules_told", None):
        confirm(notice)
    if in_use is not None:
        label_replacement.dialog(project, in_use, changed.labels)


def show_previews(store: Store, visit: Visit, project: Project) -> None:
    """What annotators and reviewers see of models: a form of its own."""
    with st.form("previews", border=False):
        with_previews = ask_previews(store, visit, project)
        if submitted(_("Save previews"), type="primary", key="previews_save") is None:
            return
    try:
        change_project(store, visit.user, with_previews(project))
    except InvalidValue as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    confirm(_("Previews saved."))


def _save(store: Store, visit: Visit, before: Project, changed: Project, own_kinds: tuple[str, ...]) -> str | None:
    """Answers the label that something still uses, where that is why nothing was saved."""
    try:
        settings = replace(changed.settings, own_perturbation_kinds=own_kinds)  # refuses what is no name for a kind
        wanted = replace(changed, settings=settings)
        known = missing_people_words(store, visit, before)
        lacking = (words for words in missing_people_words(store, visit, wanted) if words not in known)
        effects = (*effects_of_rules(store, visit.user, wanted), *lacking)
        if effects:
            st.dialog(_("Before saving the rules"), width="medium")(_show_effects)(wanted, effects)
            return None
        change_project(store, visit.user, wanted)
    except InvalidValue as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return error.label if isinstance(error, LabelInUse) else None
    st.session_state["rules_told"] = _("Rules saved.")
    return None


def _show_effects(wanted: Project, effects: tuple[str, ...]) -> None:
    """What rules would undo of work that is done; they are saved by whoever has read it. It runs again by itself."""
    st.markdown("\n".join(f"- {as_text(sentence)}" for sentence in effects))
    if pressed(_("Save anyway"), type="primary", key="rules_save_anyway"):
        try:
            with page_store() as store:
                change_project(store, current_visit(store).user, wanted)
        except InvalidValue as error:
            st.error(as_text(str(error)), icon=":material/error:")
            return
        st.session_state["rules_told"] = _("Rules saved.")
        st.rerun()


def _key(project: Project, field: str) -> str:
    return f"rules_{field}_{project.id}"


def _with(changed: Project, **settings: Any) -> Project:
    return replace(changed, settings=replace(changed.settings, **settings))


def _number(
    column: DeltaGenerator, project: Project, field: str, label: str, least: int, most: int, value: int, hint: str | None = None
) -> int:  # fmt: skip
    return int(column.number_input(label, least, most, value, key=_key(project, field), help=hint))


def _box(project: Project, field: str, label: str, value: bool, hint: str | None = None) -> bool:
    return st.checkbox(label, value, key=_key(project, field), help=hint)


def _ask_basics(project: Project) -> Project:
    settings = project.settings
    left, right = st.columns(2, gap="large")
    with left:
        labels = _labels_field(project)
        mode = choose(_("Result"), _MODES, chosen=settings.result_mode, key=_key(project, "mode"))
    annotators = _number(
        right, project, "annotators", _("Annotators per text"), 1, 100, settings.annotators_per_instance
    )
    reviewers = _number(
        right, project, "reviewers", _("Reviewers per annotation"), 0, 100, settings.reviewers_per_annotation
    )
    changed = replace(project, labels=labels)
    return _with(changed, result_mode=mode, annotators_per_instance=annotators, reviewers_per_annotation=reviewers)


def _ask_marking(store: Store, visit: Visit, project: Project, changed: Project) -> Project:
    """What sets may be, and what is proposed; a chosen list that is gone meanwhile stays to be seen, and to be taken out."""
    settings = project.settings
    question = st.text_input(
        _("Question above the text ({result}: label or answer)"), project.question,
        placeholder=_(project.task.question), key=_key(project, "question")
    )  # fmt: skip
    may_be_empty = _box(project, "empty", _("Allow “No rationale in the text”"), settings.may_be_empty)
    may_cross = _box(project, "cross", _("Sets can cross segments"), settings.sets_may_cross_segments)
    help_for = choose(
        _("Help while annotating"), _HELP_FOR, HELP_FOR, settings.help_for, key=_key(project, "help_for"),
        help=_("Suggested sets and predictions. By lot: *Quality* shows the effect."),
    )  # fmt: skip
    carries = _box(
        project, "carried", _("Suggest the original's gold sets for perturbed versions"),
        settings.are_carried_sets_proposed, _("Shown dashed; don't count until accepted."),
    )  # fmt: skip
    role_by_name = {named.name: named.role for named in word_lists(store, visit.user, project) if named.role != "slot"}
    names = [*role_by_name, *(name for name in settings.proposed_word_lists if name not in role_by_name)]
    lists = st.multiselect(
        _("Word lists that suggest sets"),
        names,
        list(settings.proposed_word_lists),
        key=_key(project, "lists"),
        format_func=lambda name: _("{name} ({role})", name=name, role=_list_role(role_by_name.get(name))),
        disabled=not names,
        placeholder=_("none") if names else _("no keep or ignore lists yet"),
        help=_("Keep lists suggest sets; ignore lists mark non-rationale words. May bias annotators."),
    )
    models = models_with_sets(store, visit.user, project)
    model = settings.proposed_model
    if models or model:
        options = ["", *dict.fromkeys((*models, *([model] if model else [])))]
        model = st.selectbox(
            _("Model whose sets are suggested"), options, options.index(model), key=_key(project, "proposed_model"),
            format_func=lambda name: name or _("none"),
        )  # fmt: skip
    return _with(
        replace(changed, question=question), proposed_model=model, may_be_empty=may_be_empty, help_for=help_for,
        sets_may_cross_segments=may_cross, are_carried_sets_proposed=carries, proposed_word_lists=tuple(lists),
    )  # fmt: skip


def _list_role(role: WordListRole | None) -> str:
    if role is None:
        return _("deleted")
    return _("keep") if role == "keep" else _("ignore")


def _ask_review(project: Project, changed: Project) -> Project:
    settings = project.settings
    left, right = st.columns(2, vertical_alignment="bottom")
    rounds = _number(
        left, project, "rounds", _("Rounds"), 1, 20, settings.max_rounds,
        _("Annotations below the thresholds by then are discarded."),
    )  # fmt: skip
    away = _number(
        right, project, "away", _("Absent after (days)"), 1, 365, settings.away_after_days,
        _("After this, others can revise and score returned work."),
    )  # fmt: skip
    st.caption(_("Minimum mean scores for acceptance"))
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    sufficiency = _threshold_field(left, project, "sufficiency", settings.sufficiency_threshold)
    compactness = _threshold_field(middle, project, "compactness", settings.compactness_threshold)
    comprehensiveness = _threshold_field(right, project, "comprehensiveness", settings.comprehensiveness_threshold)
    is_pooled = _box(
        project, "pooled", _("Average scores over all sets instead of per set"), settings.are_scores_pooled
    )
    return _with(
        changed, max_rounds=rounds, away_after_days=away, sufficiency_threshold=sufficiency,
        compactness_threshold=compactness, comprehensiveness_threshold=comprehensiveness, are_scores_pooled=is_pooled,
    )  # fmt: skip


def _threshold_field(column: DeltaGenerator, project: Project, name: Property, threshold: Decimal) -> Decimal:
    """A decimal stays the one that is shown: 3.6 is exactly on the edge."""
    scale = [f"{score}: {_(words)}" for score, words in enumerate(SCALES[name], start=1)]
    value = column.number_input(
        _(SCORE_TITLES[name]), 1.0, float(len(scale)), float(threshold), 0.1, format="%g", key=_key(project, name),
        help=parted(scale),
    )  # fmt: skip
    return Decimal(str(round(value, 6)))


def _labels_field(project: Project) -> tuple[str, ...]:
    if project.task.result_kind == "answer":
        return ()
    text = st.text_input(
        _("Labels, separated by commas"), ", ".join(project.labels), key=label_replacement.labels_key(project)
    )
    return labels_in(text)


def _ask_time(project: Project, changed: Project) -> Project:
    settings = project.settings
    left, right = st.columns(2, vertical_alignment="bottom")
    lease = _number(
        left, project, "lease", _("Reservation (minutes)"), 1, 43_200, settings.lease_minutes,
        _("After this, texts are reassigned; drafts are kept."),
    )  # fmt: skip
    idle = _number(
        right, project, "idle", _("Idle (seconds)"), 5, 3600, settings.idle_after_seconds,
        _("Longer pauses don't count as work."),
    )  # fmt: skip
    return _with(changed, lease_minutes=lease, idle_after_seconds=idle)


def _ask_gold(project: Project, changed: Project) -> Project:
    settings = project.settings
    policy = st.radio(
        _("Gold policy"), GOLD_POLICIES, GOLD_POLICIES.index(settings.gold_policy), format_func=policy_in_words,
        captions=[meaning_of(name) for name in GOLD_POLICIES], key=_key(project, "policy"),
        help=_("Annotations with another label count only if a lead chooses them.")
    )  # fmt: skip
    is_exhaustive = _box(
        project, "exhaustive", _("Gold is exhaustive (marks all evidence)"), settings.is_exhaustive,
        _("Required for recall to measure comprehensiveness."),
    )  # fmt: skip
    may_see = _box(
        project, "researchers", _("Researchers see annotations not accepted yet"), settings.researchers_see_submitted
    )
    return _with(changed, gold_policy=policy, is_exhaustive=is_exhaustive, researchers_see_submitted=may_see)


def _ask_perturbing(project: Project, changed: Project) -> Project:
    settings = project.settings
    left, right = st.columns(2)
    checkers = _number(
        left, project, "checkers", _("Checkers"), 0, 20, settings.checkers_per_perturbation,
        _("Approvals before a perturbed version becomes an instance. 0: immediately."),
    )  # fmt: skip
    target = _number(
        right, project, "perturbations", _("Target per type"), 0, 1_000_000, settings.perturbations_per_kind,
    )  # fmt: skip
    sees_author = _box(
        project, "sees_author", _("Show authors of perturbed versions to checkers"), settings.checkers_see_author,
        _("Other checkers' opinions stay hidden until a verdict."),
    )  # fmt: skip
    return _with(
        changed, checkers_per_perturbation=checkers, checkers_see_author=sees_author, perturbations_per_kind=target
    )


def _ask_own_kinds(project: Project) -> tuple[str, ...]:
    """As they were typed, so that a name that cannot be is refused when the form is sent and not while it is drawn."""
    kinds = st.text_input(
        _("Custom types, comma-separated"),
        ", ".join(project.settings.own_perturbation_kinds),
        key=_key(project, "own_kinds"),
    )
    return tuple(dict.fromkeys(name.strip() for name in kinds.split(",") if name.strip()))


def _ask_segment_rules(project: Project, changed: Project) -> Project:
    """For tasks with several segments to mark: what each label requires or forbids of them.

    No data editor: it reports a change only after a moment, so that one made just before the click on Save would be lost.
    """
    segments = [spec.name for spec in project.task.segments if spec.is_selectable]
    if len(segments) < 2 or not project.labels:
        return changed
    st.markdown(_("**Segments by label**"))
    required: dict[str, tuple[str, ...]] = {}
    forbidden: dict[str, tuple[str, ...]] = {}
    for number, label in enumerate(project.labels):
        left, right = st.columns(2, gap="large")
        with left:
            words = _("“{label}”: required marks in", label=as_text(label))
            required[label] = _segments_field(project, segments, words, "required", number)
        with right:
            words = _("“{label}”: no marks allowed in", label=as_text(label))
            forbidden[label] = _segments_field(project, segments, words, "forbidden", number)
    return _with(
        changed, required_segments=_kept(required, changed.labels), forbidden_segments=_kept(forbidden, changed.labels)
    )


def _segments_field(
    project: Project, segments: list[str], words: str, kind: Literal["required", "forbidden"], number: int
) -> tuple[str, ...]:
    settings = project.settings
    rules = settings.required_segments if kind == "required" else settings.forbidden_segments
    chosen = [name for name in rules.get(project.labels[number], ()) if name in segments]
    return tuple(
        st.multiselect(words, segments, chosen, placeholder=_("no rule"), key=_key(project, f"{kind}_{number}"))
    )


def _kept(rules: Mapping[str, tuple[str, ...]], labels: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {label: segments for label, segments in rules.items() if segments and label in labels}


def _ask_data_set(project: Project, changed: Project) -> Project:
    left, middle, right = st.columns([2, 1, 1])
    name = left.text_input(_("Project name"), project.name, key=_key(project, "name"))
    language = middle.text_input(
        _("Language"),
        project.language,
        key=_key(project, "language"),
        help=_("For files that name no language: en, zh, de …"),
    )
    licence = right.text_input(_("Licence"), project.licence, placeholder="CC BY 4.0", key=_key(project, "licence"))
    citation = st.text_area(_("Citation"), project.citation, height=68, key=_key(project, "citation"))
    return replace(changed, name=name, language=language, licence=licence, citation=citation)
