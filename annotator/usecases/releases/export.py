"""A release as files to give away: the gold in a format, with LICENSE, CITATION and its card."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from annotator.domain.instances import POLICY_WORDS, GoldInstance
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.project.releases import Release
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.formats.base import WriteOptions
from annotator.formats.own.writer import write_gold_lines
from annotator.formats.registry import get_writer
from annotator.formats.rows.files import new_folder
from annotator.language import _, speaking, unknown
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.gold.releases import get_release
from annotator.store.project.guidelines import versions_of
from annotator.usecases.access.rights import require
from annotator.usecases.releases.frozen_gold import frozen_gold

# What stands beside the gold of a release that is given away: its card, and how it is cited.


@dataclass(slots=True)
class _Split:
    n: int = 0
    n_sets: int = 0
    n_without: int = 0


@dataclass(slots=True)
class SplitCounts:
    """Counts gold that passes, by split; is_exhaustive: of instances that do not say it themselves."""

    is_exhaustive: bool
    n_exhaustive: int = 0
    splits: dict[str, _Split] = field(default_factory=dict)

    def counted(self, items: Iterable[GoldInstance]) -> Iterator[GoldInstance]:
        for item in items:
            of_split = self.splits.setdefault(item.instance.split, _Split())
            of_split.n += 1
            of_split.n_sets += len(item.sets)
            of_split.n_without += not item.sets
            stated = item.instance.is_exhaustive
            self.n_exhaustive += self.is_exhaustive if stated is None else stated
            yield item


def citation_of(release: Release) -> str:
    """What to cite: the text of the lead, and which release it is."""
    cited = f"{release.rules.citation}\n\n" if release.rules.citation else ""
    with speaking("en"):  # a file, whoever asked for it
        return f"{cited}{_which(release)}\nSHA-256 of its gold: {release.gold.digest}\n"


def card_of(release: Release, as_it_was: Project, counts: SplitCounts) -> str:
    """The card of a release, as Markdown."""
    with speaking("en"):  # a file, whoever asked for it
        return "\n".join(_lines(release, as_it_was, counts)) + "\n"


def _lines(release: Release, as_it_was: Project, counts: SplitCounts) -> Iterator[str]:
    rules, gold = release.rules, release.gold
    yield from (f"# {_which(release)}", "")
    yield f"* Task: {as_it_was.task.title}. Asked was: {as_it_was.question_in_cards}"
    if rules.labels:
        yield f"* Labels: {', '.join(f'`{label}`' for label in rules.labels)}"
    yield f"* Gold policy `{rules.policy}`: {POLICY_WORDS[rules.policy]}."
    yield f"* Gold of {gold.words}{', when it was frozen' if release.n_erased else ''}."
    if rules.n_left_out:
        yield f"* Accepted annotations that the policy leaves out: {rules.n_left_out:,}."
    yield f"* Sets mark all the evidence in {counts.n_exhaustive:,} of {counted(gold.n_instances, 'instance')}."
    if release.n_erased:
        yield f"* {erased_words(release.n_erased)}"
    yield from (f"* {line}" for line in rules.process)
    yield "* People have pseudonyms, which are the same in every file of this release and others in another one."
    yield f"* SHA-256 of the gold: `{gold.digest}`"
    yield from ("", "| split | instances | rationale sets | instances without a set |", "|---|---|---|---|")
    for split, of_split in counts.splits.items():
        yield f"| {split or '(none)'} | {of_split.n:,} | {of_split.n_sets:,} | {of_split.n_without:,} |"
    yield from ("", f"Licence: {rules.licence} (file LICENSE). How to cite it stands in the file CITATION.")


def erased_words(n: int) -> str:
    """How many sets are gone since a release was frozen; not whose.

    >>> erased_words(1)
    '1 rationale set is gone since it was frozen, because its maker asked for it; texts without any left are left out.'
    """
    is_one = n == 1
    return (
        f"{counted(n, 'rationale set is', 'rationale sets are')} gone since it was frozen, because "
        f"{'its maker' if is_one else 'their makers'} asked for it; texts without any left are left out."
    )


def _which(release: Release) -> str:
    return f"{' '.join(release.rules.title.split())}, {release.words}"


FORMATS = ("jsonl", "eraser", "datasets", "csv", "conll", "parquet")
_FOLDERS = frozenset({"eraser", "datasets"})


def export_release(store: Store, actor: User, project: Project, number: int, format_name: str, folder: Path) -> Release:
    """Write a folder: the gold of a release as it was frozen, LICENSE, CITATION, README.md, and the guidelines of then.

    `jsonl` is an instance a line, as `annotator import jsonl` reads it. People have the pseudonyms of the release, which are
    the same in each of its files.
    Raises: InvalidValue for another format; ExportRefused for a folder that holds something, and for what a format cannot hold
    """
    require(store, actor, project.id, "see all annotations")
    if format_name not in FORMATS:
        raise InvalidValue(unknown(_("format"), format_name, ", ".join(FORMATS)))
    with store.snapshot():
        release = get_release(store, project.id, number)
        as_it_was = release.rules.applied_to(project)
        guidelines = next(
            (v.text for v in reversed(versions_of(store, project.id)) if v.made_at <= release.created_at), ""
        )
        with new_folder(folder) as part:
            counts = SplitCounts(is_exhaustive=release.rules.is_exhaustive)
            _write_gold(part, counts.counted(frozen_gold(store, release)), as_it_was, format_name)
            _write_texts(part, release, as_it_was, counts)
            if guidelines:
                (part / "GUIDELINES.md").write_text(guidelines + "\n", encoding="utf-8", newline="\n")
    with store.transaction():
        add_event(
            store, actor.name, "export release", "project", project.id, project_id=project.id,
            release=number, format=format_name, file=folder.name,
        )  # fmt: skip
    return release


def _write_gold(folder: Path, gold: Iterator[GoldInstance], as_it_was: Project, format_name: str) -> None:
    if format_name == "jsonl":
        write_gold_lines(folder / "gold.jsonl", gold, as_it_was.task)
        return
    path = folder if format_name in _FOLDERS else folder / f"gold.{format_name}"
    get_writer(format_name)(path, gold, WriteOptions(as_it_was, as_it_was.settings.gold_policy, is_frozen=True))


def _write_texts(folder: Path, release: Release, as_it_was: Project, counts: SplitCounts) -> None:
    """LICENSE, CITATION and README.md; a card that the format wrote stays, before ours."""
    readme = folder / "README.md"
    of_format = readme.read_text(encoding="utf-8") + "\n" if readme.exists() else ""
    for name, text in (
        ("LICENSE", release.rules.licence + "\n"),
        ("CITATION", citation_of(release)),
        ("README.md", of_format + card_of(release, as_it_was, counts)),
    ):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
