"""Whether an alignment brought anything: an aligned model beside its twin and its control, on texts that none learned from."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal
from zlib import crc32

from annotator.attribution.loaders import BUILT_IN, LoadOptions
from annotator.domain.people import User
from annotator.domain.projects import GoldPolicy, Project
from annotator.language import _, unsaid
from annotator.store import Store
from annotator.store.models import known_outputs, list_runs
from annotator.training.card import Card
from annotator.usecases.access.rights import require
from annotator.usecases.gold import labelled_gold
from annotator.usecases.models.alignment_gains import INDEPENDENT, OWN, Measured, compared_gold, learned_by, measured
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.models.related_models import (
    Kin,
    cards_in,
    control_command,
    related_models_of,
    trained_method,
    twin_command,
)

MOST_TEXTS = 200  # that are asked about
_MOST_TOKENS = 20_000
_NO_COMMON_TEXT = unsaid(
    "No independent check of plausibility: no text outside training has gold and all occlusion attributions."
)


@dataclass(frozen=True, slots=True)
class Lack:
    """What is not there: a relative of a model, or attributions of it. command: what makes it; "" where nothing does.

    is_elsewhere: the model is not here, so that its attributions may have to come from a file as well
    """

    kind: Literal["twin", "control", "attributions"]
    name: str
    sentence: str
    command: str = ""
    is_elsewhere: bool = False

    def __str__(self) -> str:
        makes = {"twin": "Train one", "control": "Train one", "attributions": "Compute them"}[self.kind]
        if self.is_elsewhere:
            makes = (
                "Its imported attributions are compared by 'annotator evaluate project --against'. Where the model can be "
                "asked, compute them"
            )
        return f"{self.sentence} {makes}: {self.command}" if self.command else self.sentence


@dataclass(frozen=True, slots=True)
class AlignmentProof:
    """An aligned model, or several seeds of it, beside its twin without alignment and its control on shuffled rationales.

    twins, controls: of each name its own, where it has one; what lacks is in `lacking`
    measures:        the models beside their twins; without twins beside themselves, so that there is no gain
    lacking:         what is not there
    """

    names: tuple[str, ...]
    twins: tuple[str, ...]
    controls: tuple[str, ...]
    is_control: bool
    measures: tuple[Measured, ...]
    lacking: tuple[Lack, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each number comes to; of the attribution that was trained, that it proves nothing."""
        return tuple(of.sentence(self.is_control) for of in self.measures if self.twins and of.gain.gain is not None)


def alignment_proof(
    store: Store, actor: User, project: Project, names: Sequence[str], folder: Path | None = None
) -> AlignmentProof | None:
    """What is known of the gains of an aligned model; None of one that was not aligned, or whose card is not there.

    names:  trainings that differ in the seed alone
    folder: where the models lie; None: among the project's
    """
    require(store, actor, project.id, "use models")
    models_path = folder or models_folder(store, project)
    cards = cards_in(models_path)
    related = [of for name in names if (of := related_models_of(name, cards)) is not None and of.is_aligned]
    if not related or len(related) < len(names):
        return None
    paired = [of for of in related if of.twin is not None]
    twins, controls = _present([of.twin for of in related]), _present([of.control for of in related])
    lacking = [*missing_kin(related, cards, folder)]
    compared = [*names, *twins, *controls]
    with store.snapshot():
        gold = compared_gold(store, project, compared, _policy(project, cards[names[0]]))
        others = [of.name for of in paired] or names  # what each is compared with is there
        trained = trained_method(names, cards)
        measures = measured(store, project, gold, twins or names, others, controls if twins else (), trained=trained)
        folders = {name: models_path / name for name in cards}
        lacking += missing_numbers(store, project, compared, measures, folders, controls if twins else ())
    return AlignmentProof(tuple(names), twins, controls, related[0].is_control, measures, tuple(lacking))


def plausibility_alone(
    store: Store, actor: User, project: Project, name: str, folder: Path | None = None
) -> dict[str, float | None]:
    """The AUPRC of a model by method, over the texts that it did not learn from."""
    require(store, actor, project.id, "use models")
    cards = cards_in(folder or models_folder(store, project))
    with store.snapshot():
        gold = compared_gold(store, project, [name], _policy(project, cards[name]))
        trained = trained_method([name], cards)
        return {of.measure: of.gain.other for of in measured(store, project, gold, [name], [name], trained=trained)}


def _present(names: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(name for name in names if name is not None)


def missing_kin(related: Sequence[Kin], cards: Mapping[str, Card], folder: Path | None) -> Iterator[Lack]:
    """Which twins and controls there are not."""
    for of in related:
        card = cards[of.name]
        if of.twin is None:
            sentence = _("“{name}” has no unaligned baseline: alignment's effect is unknown.", name=of.name)
            yield Lack("twin", of.name, sentence, twin_command(card, cards, folder))
        if of.control is None and not of.is_control:
            sentence = _("“{name}” has no shuffled-rationale control: gains may have other causes.", name=of.name)
            yield Lack("control", of.name, sentence, control_command(card, cards, folder))


def missing_numbers(
    store: Store, project: Project, names: Sequence[str], measures: Sequence[Measured], folders: Mapping[str, Path],
    controls: Sequence[str] = (),
) -> Iterator[Lack]:  # fmt: skip
    """Why nothing independent is said of their plausibility, or no control stands beside it.

    folders: of those whose weights are here; controls: those of the names that are controls
    """
    if not measures:
        return
    independent = next(of.gain for of in measures if of.measure == INDEPENDENT)
    is_compared = independent.gain is not None
    if is_compared:
        names = controls if independent.control is None else ()
    unasked = [name for name in dict.fromkeys(names) if not list_runs(store, project.id, name, INDEPENDENT)]
    for name in unasked:
        model = f"transformers:{folders[name]}" if name in folders else name if name == BUILT_IN else "MODEL"
        words = ["annotator", "attribute", "--project", project.name, "--model", model, "--method", INDEPENDENT]
        sentence = _("No independent check of plausibility: no occlusion attributions of “{name}”.", name=name)
        yield Lack("attributions", name, sentence, shlex.join(words), name not in folders and name != BUILT_IN)
    if not unasked and not is_compared:
        yield Lack("attributions", "", _(_NO_COMMON_TEXT))


def _policy(project: Project, card: Card) -> GoldPolicy:
    policy: GoldPolicy = card.asked["data"]["gold_policy"] or project.settings.gold_policy
    return policy


@dataclass(frozen=True, slots=True)
class Question:
    """Attributions that the proof is made of, and that are not there yet."""

    model: str
    method: str
    options: AttributingOptions


def questions_for_proof(
    store: Store, actor: User, project: Project, name: str, folder: Path | None = None
) -> list[Question]:
    """What is still to be computed of a model, its twin and its control.

    At most 200 texts with gold sets that the model did not learn from, drawn by their number, so that its relatives are asked
    about the same.
    """
    require(store, actor, project.id, "use models")
    models_path = folder or models_folder(store, project)
    cards = cards_in(models_path)
    related = related_models_of(name, cards)
    relatives = (
        []
        if related is None
        else [relative for relative in (name, related.twin, related.control) if relative is not None]
    )
    trained = trained_method([name], cards)
    with store.snapshot():
        return [
            question
            for relative in relatives
            for question in _questions(
                store, project, models_path / relative, cards[relative],
                [method for method in (trained, INDEPENDENT) if method != OWN or _has_extractor(cards[relative])],
            )
        ]  # fmt: skip


def ask_for_proof(
    store: Store, actor: User, project: Project, name: str, folder: Path | None = None, *,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> None:  # fmt: skip
    """Compute it.

    Raises: ModelError where a model cannot be loaded, or fails
    """
    for of in questions_for_proof(store, actor, project, name, folder):
        attribute(store, actor, project, of.model, of.method, of.options, progress=progress)


def _has_extractor(card: Card) -> bool:
    return trained_method([card.name], {card.name: card}) == OWN


def _questions(store: Store, project: Project, path: Path, card: Card, methods: Sequence[str]) -> Iterator[Question]:
    texts = _drawn(store, project, card)
    model = card.asked["model"]
    load = LoadOptions(
        device=model["device"], threads=model["threads"], too_long=model["too_long"], is_query_first=model["is_query_first"]
    )  # fmt: skip
    for method in methods:
        missing = texts - _known(store, project, card.name, method, texts)
        if missing:
            yield Question(f"transformers:{path}", method, AttributingOptions(only=frozenset(missing), load=load))


def _drawn(store: Store, project: Project, card: Card) -> set[int]:
    learned = learned_by(store, project, card.name)
    texts = [
        (gold.instance.id, gold.instance.layout.n_tokens)
        for gold in labelled_gold(store, project, _policy(project, card))
        if gold.sets and gold.instance.id not in learned
    ]
    drawn: set[int] = set()
    n_tokens = 0
    for number, n in islice(sorted(texts, key=lambda text: crc32(str(text[0]).encode())), MOST_TEXTS):
        if drawn and n_tokens + n > _MOST_TOKENS:
            break
        drawn.add(number)
        n_tokens += n
    return drawn


def _known(store: Store, project: Project, name: str, method: str, texts: set[int]) -> set[int]:
    runs = list_runs(store, project.id, name, method)
    return {
        number
        for stored in runs
        for number, output in known_outputs(store, stored.id, sorted(texts)).items()
        if output.attributions
    }
