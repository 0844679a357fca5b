"""Releases: the gold of a project as it was at one moment, under a number and a name that stay."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.numbers import counted
from annotator.domain.projects import GoldPolicy, Project
from annotator.language import _, listed, several, unsaid

LONGEST_NAME = 100
CITED = unsaid("release {number} “{name}” ({day})")
_SHORT = 12  # characters of a digest that people compare by eye


@dataclass(frozen=True, slots=True)
class ReleaseRules:
    """What a project said of itself when its gold was frozen; title is its name.

    n_left_out: annotations that might have been gold and have no set in it
    process:    how the gold was made, in English sentences for its card; () of releases that are older than these
    """

    title: str
    labels: tuple[str, ...]
    language: str
    question: str
    is_exhaustive: bool
    policy: GoldPolicy
    licence: str
    citation: str
    n_left_out: int = 0
    process: tuple[str, ...] = ()

    @staticmethod
    def of(project: Project, licence: str, citation: str) -> "ReleaseRules":
        settings = project.settings
        return ReleaseRules(
            project.name, project.labels, project.language, project.question, settings.is_exhaustive,
            settings.gold_policy, licence, citation,
        )  # fmt: skip

    def applied_to(self, project: Project) -> Project:
        """The project as it was; its task and everything else cannot have changed, or is not in a release."""
        settings = replace(project.settings, is_exhaustive=self.is_exhaustive, gold_policy=self.policy)
        return replace(
            project, name=self.title, labels=self.labels, language=self.language, question=self.question,
            licence=self.licence, citation=self.citation, settings=settings, guidelines="",
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class FrozenGold:
    """What is counted of frozen gold, and its digest, which the same gold has anywhere."""

    n_instances: int
    n_sets: int
    n_annotators: int
    digest: str

    @property
    def short_digest(self) -> str:
        """So much of the digest as people compare by eye."""
        return self.digest[:_SHORT]

    @property
    def words(self) -> str:
        """How much there is.

        >>> FrozenGold(2, 3, 1, "").words
        '2 instances, 3 rationale sets, 1 annotator'
        """
        return listed(
            (
                counted(self.n_instances, "instance"),
                counted(self.n_sets, "rationale set"),
                counted(self.n_annotators, "annotator"),
            )
        )


@dataclass(frozen=True, slots=True)
class Release:
    """A release. It is never edited; n_erased: sets that are gone since, with everything of the person who made them.

    event_id: the project's last event before the gold was read; 0 where another database knows it
    secret:   what its pseudonyms are made with, so that the sets of a person who asks for it are found; no file of a format
              that others get holds it
    """

    id: int
    project_id: int
    number: int
    name: str
    rules: ReleaseRules
    gold: FrozenGold
    made_by: str
    user_id: int | None
    created_at: str
    event_id: int
    secret: bytes
    n_erased: int = 0

    @property
    def gold_words(self) -> str:
        """How much gold there was when it was frozen, and how many sets are gone since."""
        if not self.n_erased:
            return self.gold.words
        return several(
            "{gold} ({n} set since erased)", "{gold} ({n} sets since erased)", self.n_erased, gold=self.gold.words
        )

    @property
    def day(self) -> str:
        return self.created_at[: len("2026-01-31")]

    @property
    def words(self) -> str:
        """As a sentence names it: number, name and day."""
        return _(CITED, number=self.number, name=self.name, day=self.day)


def gold_digest(item: GoldInstance, *, is_exhaustive: bool) -> str:
    """The digest of one instance's gold: its label, sets in their order, texts with the borders of their tokens.

    Neither who marked it nor what else came with it: the same gold has the same digest anywhere.
    is_exhaustive: for an instance that does not say it itself
    """
    instance = item.instance
    stated = instance.is_exhaustive
    return _digest(
        {
            "key": instance.key,
            "split": instance.split,
            "label": item.result,
            "sets": [rationale_set.token_indices for rationale_set in item.sets],
            "texts": texts_digest(instance),
            "exhaustive": is_exhaustive if stated is None else stated,
        }
    )


def texts_digest(instance: Instance) -> str:
    """The digest of an instance's texts, their tokens, and the word that is asked about."""
    texts = [[s.name, s.body.text, s.body.starts, s.body.ends] for s in instance.segments]
    return _digest([texts, instance.target])


def root_digest(rows: Iterable[tuple[str, str, str]]) -> str:
    """The digest of gold, from split, key and digest of its instances, in whatever order they come."""
    return _digest([digest for _, _, digest in sorted(rows)])


def _digest(value: object) -> str:
    """SHA-256 of JSON of which there is only one form: no floats, sorted names, no blanks."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(slots=True)
class GoldTally:
    """Counts gold that passes, and makes its digest; is_exhaustive: of instances that do not say it themselves."""

    is_exhaustive: bool
    n_sets: int = 0
    annotators: set[str] = field(default_factory=set)
    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def counted(self, items: Iterable[GoldInstance]) -> Iterator[GoldInstance]:
        for item in items:
            self.n_sets += len(item.sets)
            self.annotators.update(origin.annotator for origins in item.origins for origin in origins)
            digest = gold_digest(item, is_exhaustive=self.is_exhaustive)
            self.rows.append((item.instance.split, item.instance.key, digest))
            yield item

    @property
    def result(self) -> FrozenGold:
        return FrozenGold(len(self.rows), self.n_sets, len(self.annotators), root_digest(self.rows))
