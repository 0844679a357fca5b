"""A project and the rules that its lead sets."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from annotator.domain.numbers import require_between
from annotator.domain.perturbations import KINDS, PerturbationKind, own_kind, title_of
from annotator.domain.project.queue_orders import ModelOrder, Order, QueueOrder
from annotator.domain.project.recruitment import PayRate
from annotator.domain.proposed_sets import Arm, HelpFor
from annotator.domain.reviews import Thresholds
from annotator.domain.tasks import Task
from annotator.errors import InvalidValue
from annotator.language import _, unsaid

# What previews of sets may ask: the names of models and methods in a project's settings.


NO_MODEL = "none"
NEWEST_METHODS = "newest"
NO_METHOD = "none"
ModelKind = Literal["none", "built-in", "spacy", "transformers", "transformers-zero-shot"]
USUAL_PROMPT = "{text}\nLabel: {label}"  # of zero-shot models
_FORMS = "none, built-in, built-in:NAME, spacy:FOLDER, transformers:FOLDER or transformers-zero-shot:FOLDER"


def preview_model_kind(spec: str) -> ModelKind:
    """What sort of model a setting names; raises InvalidValue saying what it may be.

    >>> preview_model_kind("transformers:/models/bert"), preview_model_kind("none")
    ('transformers', 'none')
    """
    kind, colon, source = spec.partition(":")
    has_source = bool(source.strip())
    match kind:
        case "none" if not colon:
            return "none"
        case "built-in" if has_source or not colon:
            return "built-in"
        case "spacy" if has_source:
            return "spacy"
        case "transformers" if has_source:
            return "transformers"
        case "transformers-zero-shot" if has_source:
            return "transformers-zero-shot"
    raise InvalidValue(_("'{spec}' isn't a preview model. Use {forms}.", spec=spec, forms=_FORMS))


def preview_model_name(spec: str) -> str:
    """What people are shown of a model: never the folder in which it lies.

    >>> preview_model_name("spacy:/srv/models/food"), preview_model_name("built-in:second")
    ('food', 'second')
    """
    kind, _, source = spec.partition(":")
    parts = [part for part in source.replace("\\", "/").split("/") if part.strip()]
    return parts[-1].strip() if parts else kind


def is_folder_named(spec: str) -> bool:
    """Whether a setting names a place on the machine, which means nothing, and tells too much, anywhere else."""
    return preview_model_kind(spec) in {"spacy", "transformers", "transformers-zero-shot"}


Previews = Literal["nobody", "reviewers", "annotators"]
PREVIEWS: tuple[Previews, ...] = ("nobody", "reviewers", "annotators")
ResultMode = Literal["confirm", "contest", "give", "labels_only"]
GoldPolicy = Literal["chosen", "all", "majority", "union"]
GOLD_POLICIES: tuple[GoldPolicy, ...] = ("chosen", "all", "majority", "union")
Perspective = Literal["soft", "personal"]  # gold that keeps people apart: of one evaluation, never a project's policy
ScoredPolicy = GoldPolicy | Perspective
DISCARD_REASONS: tuple[str, ...] = (
    unsaid("offensive"),
    unsaid("names a person"),
    unsaid("politics, weapons, drugs, violence, pornography"),
    unsaid("broken text"),
    unsaid("wrong language"),
    unsaid("other"),
)


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """The rules of a project; every default is the papers' or the least surprising. SETTINGS says what each decides.

    Thresholds are decimals, since 3.6 is exactly on the edge (Wang et al. 2022, section 3.3).
    """

    order: Order = "sequential"
    seed: int = 0
    model_order: ModelOrder | None = None
    annotators_per_instance: int = 1
    reviewers_per_annotation: int = 3
    result_mode: ResultMode = "contest"
    may_be_empty: bool = False
    sets_may_cross_segments: bool = True
    required_segments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    forbidden_segments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lease_minutes: int = 30
    idle_after_seconds: int = 60
    sufficiency_threshold: Decimal = Decimal("3.0")
    compactness_threshold: Decimal = Decimal("3.6")
    comprehensiveness_threshold: Decimal = Decimal("2.6")
    are_scores_pooled: bool = False
    max_rounds: int = 3
    away_after_days: int = 7
    gold_policy: GoldPolicy = "chosen"
    is_exhaustive: bool = False
    researchers_see_submitted: bool = False
    model_previews: Previews = "reviewers"
    help_for: HelpFor = "all"
    are_carried_sets_proposed: bool = True
    are_first_sets_proposed: bool = False
    proposed_word_lists: tuple[str, ...] = ()
    proposed_model: str = ""
    checkers_per_perturbation: int = 2
    checkers_see_author: bool = False
    perturbations_per_kind: int = 100
    own_perturbation_kinds: tuple[str, ...] = ()
    preview_model: str = "built-in"
    preview_labels: Mapping[str, str] = field(default_factory=dict)
    preview_prompt: str = USUAL_PROMPT
    preview_words: Mapping[str, str] = field(default_factory=dict)
    preview_method: str = NEWEST_METHODS
    import_columns: Mapping[str, str] = field(default_factory=dict)
    import_left_columns: tuple[str, ...] = ()
    import_metadata_columns: tuple[str, ...] = ()
    import_labels: Mapping[str, str] = field(default_factory=dict)
    pay_rate: PayRate | None = None

    def __post_init__(self) -> None:
        for name, lowest, highest in (
            ("annotators_per_instance", 1, 100),
            ("reviewers_per_annotation", 0, 100),
            ("lease_minutes", 1, 60 * 24 * 30),
            ("idle_after_seconds", 5, 3600),
            ("sufficiency_threshold", 1, 3),
            ("compactness_threshold", 1, 4),
            ("comprehensiveness_threshold", 1, 3),
            ("max_rounds", 1, 20),
            ("away_after_days", 1, 365),
            ("checkers_per_perturbation", 0, 20),
            ("perturbations_per_kind", 0, 1_000_000),
        ):
            require_between(name, getattr(self, name), lowest, highest)
        for kind in self.own_perturbation_kinds:
            own_kind(kind)
        preview_model_kind(self.preview_model)

    @property
    def portable(self) -> "ProjectSettings":
        """The rules as another machine can have them: without the folder of a model of this one."""
        return replace(self, preview_model=NO_MODEL) if is_folder_named(self.preview_model) else self

    @property
    def queue_order(self) -> QueueOrder:
        """In which order texts are given out."""
        return QueueOrder(self.order, self.seed, self.model_order)

    @property
    def thresholds(self) -> Thresholds:
        """What the gate asks for, as exact numbers."""
        return Thresholds(
            Fraction(self.sufficiency_threshold),
            Fraction(self.compactness_threshold),
            Fraction(self.comprehensiveness_threshold),
            self.max_rounds,
            self.are_scores_pooled,
        )


# What each setting decides; docs/settings.md is made of it (python -m tools.documents).
SETTINGS: Mapping[str, str] = {
    "order": "In which order the queue gives texts out: `sequential`, as they were imported, or `random`.",
    "seed": (
        "The seed of the random order, and of what comes first among equals. The same seed and texts give the same "
        "order."
    ),
    "model_order": (
        "What comes first by models' stored predictions (docs/rules.md#what-comes-next). Set it on the page "
        "Project, Order, or by `annotator order`."
    ),
    "annotators_per_instance": (
        "How many people annotate each text, 1 to 100; accepted annotations from files count. Nobody annotates and "
        "reviews the same text (docs/review.md#who-reviews-what)."
    ),
    "reviewers_per_annotation": "How many people score each annotation, 0 to 100; 0 accepts it when it is submitted.",
    "result_mode": (
        "What annotators do with the result: `confirm`, `contest`, `give` or `labels_only` (docs/rules.md#results)."
    ),
    "may_be_empty": (
        "Whether an annotation may have no set, as “no rationale in the text”. The answer that there is none never "
        "needs one."
    ),
    "sets_may_cross_segments": "Whether a set may hold tokens of several segments.",
    "required_segments": (
        'Segments in which something must be marked, by label: `{"contradiction": ["premise", "hypothesis"]}`.'
    ),
    "forbidden_segments": 'Segments in which nothing may be marked, by label: `{"neutral": ["premise"]}`.',
    "lease_minutes": (
        "After how many idle minutes a reserved text goes back into the queue, 1 to 43,200. Its draft is kept. A "
        "shorter time also holds for texts that are reserved now."
    ),
    "idle_after_seconds": "A longer pause does not count as working time, 5 to 3,600.",
    "sufficiency_threshold": "What the mean of each set's sufficiency scores (1 to 3) must reach.",
    "compactness_threshold": "What the mean of each set's compactness scores (1 to 4) must reach.",
    "comprehensiveness_threshold": "What the mean of the annotation's comprehensiveness scores (1 to 3) must reach.",
    "are_scores_pooled": "Whether sufficiency and compactness are averaged over all sets together, not set by set.",
    "max_rounds": "After how many rounds an annotation that still falls short is discarded, 1 to 20.",
    "away_after_days": "After how many days others may take returned work, or score a correction, 1 to 365.",
    "gold_policy": "Which sets are gold: `chosen`, `all`, `majority` or `union` (docs/rules.md#gold-policies).",
    "is_exhaustive": (
        "Whether gold marks all the evidence; only then does recall measure comprehensiveness. A text may say "
        "otherwise."
    ),
    "researchers_see_submitted": (
        "Whether researchers see submitted annotations that are not accepted yet; they always see gold."
    ),
    "model_previews": (
        "Who sees what models say of sets on the screen: `nobody`, `reviewers`, or `annotators` too, who may then "
        "follow the model."
    ),
    "help_for": (
        "Who gets help while annotating (proposed sets, model predictions): `all`, `none`, or by `lot`, drawn for each "
        "person and text when it is given out. *Quality* then says what help did (docs/rules.md#help-while-annotating)."
    ),
    "are_carried_sets_proposed": (
        "Whether the gold sets of an original are proposed, dashed, to annotators of its perturbed versions."
    ),
    "are_first_sets_proposed": (
        "In a second pass: whether the gold sets of the first pass are proposed, dashed, to its annotators."
    ),
    "proposed_word_lists": (
        "Word lists used while people mark: words of a keep list are proposed as a set, words of an ignore list are "
        "shown as no rationale. Lists in another language than the text do nothing."
    ),
    "proposed_model": (
        "The model whose own sets (docs/sufficient.md) are proposed, dashed, to annotators; empty for none."
    ),
    "checkers_per_perturbation": (
        "How many others approve a perturbed version, 0 to 20; 0 accepts it when it is submitted."
    ),
    "checkers_see_author": "Whether they see who wrote or corrected it before it is decided.",
    "perturbations_per_kind": (
        "How many perturbed versions of each kind Perturb aims at, 0 to 1,000,000 (Wang et al. 2022: 100)."
    ),
    "own_perturbation_kinds": "Further kinds of perturbation; up to 40 letters, digits, blanks and `_ . : -` each.",
    "preview_model": (
        "Which model is asked: `none`, `built-in`, `built-in:NAME`, `spacy:FOLDER`, `transformers:FOLDER` or "
        "`transformers-zero-shot:FOLDER`. The folder must exist; only leads see it, and exports say `none`."
    ),
    "preview_labels": (
        'What the project calls labels of that model: `{"LABEL_0": "negative"}`; `""` is never an answer. Empty: '
        "what was confirmed before (docs/attribution.md#labels-of-other-projects)."
    ),
    "preview_prompt": (
        "For a zero-shot model: what the text stands in, with `{text}` once and `{label}` at the end "
        "(docs/attribution.md#zero-shot)."
    ),
    "preview_words": 'For a zero-shot model: what labels are called in the prompt: `{"positive": "great"}`.',
    "preview_method": (
        "Which stored attributions sets are compared with: the `newest` three methods, `none`, or a method by name."
    ),
    "import_columns": 'For CSV and JSONL: the column of a field, as it was chosen last: `{"text": "sentence"}`.',
    "import_left_columns": "Columns of such files that are not read.",
    "import_metadata_columns": "Columns of such files that look like marks and are metadata.",
    "import_labels": 'The project\'s names for labels of files, as they were chosen last: `{"pos": "positive"}`.',
    "pay_rate": "What work is paid; set it on the page Project, Progress (docs/progress.md#hours-and-cost).",
}


@dataclass(frozen=True, slots=True)
class Project:
    """One data set being built.

    archived_at: since when nothing of it changes any more; None: it is at work
    """

    id: int
    name: str
    task: Task
    labels: tuple[str, ...]
    language: str
    settings: ProjectSettings
    guidelines: str = ""
    question: str = ""  # empty: the task's own
    licence: str = ""
    citation: str = ""
    archived_at: str | None = None

    @property
    def is_archived(self) -> bool:
        return self.archived_at is not None

    @property
    def lacks_labels(self) -> bool:
        """Whether its texts are to get labels, of which it has none yet: then no work can be given out."""
        return self.task.result_kind == "label" and not self.labels

    @property
    def shown_question(self) -> str:
        return self.question or self.task.question

    @property
    def question_in_cards(self) -> str:
        """The question in one line, for those who never saw it above a text."""
        question = " ".join(self.shown_question.split())
        return f"{question} ({{result}}: the label or answer of a text.)" if "{result}" in question else question


def are_rationales_reviewed(project: Project) -> bool:
    """Whether submissions come before reviewers; where only labels are given there is no rationale to score."""
    return project.settings.reviewers_per_annotation > 0 and project.settings.result_mode != "labels_only"


def may_have_help(project: Project, arm: Arm | None) -> bool:
    """Whether a piece of work may have help; what has no arm (a blind check, older work) has it where everybody has."""
    return project.settings.help_for == "all" if arm is None else arm in {"all", "helped"}


def kinds_of(project: Project) -> tuple[PerturbationKind, ...]:
    """The kinds that are always there, then the project's own."""
    return (*KINDS, *(own_kind(name) for name in project.settings.own_perturbation_kinds))


def titles_of_kinds(project: Project) -> dict[str, str]:
    """What these kinds are called, by name, in the language of who reads it."""
    return {kind.name: title_of(kind) for kind in kinds_of(project)}
