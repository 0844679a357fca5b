"""Releases in our own JSONL: written with their gold, and restored as they were."""

from collections.abc import Iterator, Sequence

from annotator.domain.instances import GoldInstance
from annotator.domain.own_sources import SourceFrozen, SourceRelease
from annotator.domain.project.releases import GoldTally, Release
from annotator.domain.sources import SourceItem
from annotator.errors import Problem
from annotator.formats.own.releases import pack, unpack
from annotator.language import _
from annotator.store import Store
from annotator.store.gold.releases import add_part, add_release, parts_of, releases_of
from annotator.store.people import account_for
from annotator.usecases.transfer.import_report import ImportReport


def releases_as_sources(store: Store, project_id: int) -> Iterator[SourceItem]:
    """The releases of a project, each with its gold behind it."""
    for release in releases_of(store, project_id):
        yield SourceRelease(
            release.number, release.name, release.rules, release.gold, release.made_by, release.user_id is not None,
            release.created_at, release.secret, release.n_erased,
        )  # fmt: skip
        for part in parts_of(store, release.id):
            yield from (SourceFrozen(release.number, item) for item in unpack(part))


class ReleaseRestorer:
    """Takes releases back into a project that was empty; into another one they are not taken, whose numbers are its own.

    What was changed in the file is refused: a number that papers cite must stand for what it stood for.
    """

    def __init__(self, store: Store, project_id: int, *, is_wanted: bool) -> None:
        self.store = store
        self.project_id = project_id
        self.is_wanted = is_wanted
        self.taken: dict[int, tuple[int, SourceRelease, GoldTally]] = {}

    def take(self, source: SourceRelease, report: ImportReport) -> None:
        """A release without its gold."""
        if not self.is_wanted:
            return
        if source.number in self.taken or source.name in {taken.name for _id, taken, _tally in self.taken.values()}:
            reason = _("the file has two releases of this number or name; keep one of them")
            report.add_problem(Problem(source.source, source.line, "number", str(source.number), reason))
            return
        user_id = account_for(self.store, source.made_by).id if source.by_user else None
        release_id = add_release(self.store, _release(source, self.project_id, user_id))
        self.taken[source.number] = (release_id, source, GoldTally(source.rules.is_exhaustive))

    def take_gold(self, batch: Sequence[SourceFrozen], report: ImportReport) -> None:
        """Instances of releases that came before them."""
        by_release: dict[int, list[GoldInstance]] = {}
        for frozen in batch if self.is_wanted else ():
            by_release.setdefault(frozen.release, []).append(frozen.gold)
        for number, items in by_release.items():
            if number not in self.taken:
                reason = _("the file has no release {number} before it", number=number)
                report.add_problem(Problem("", None, "release", str(number), reason))
                continue
            release_id, _source, tally = self.taken[number]
            add_part(self.store, release_id, pack(number, list(tally.counted(items))))

    def check(self, report: ImportReport) -> None:
        """Every release has the gold that its digest is of; of those that people were erased from, as many instances."""
        for number, (_id, source, tally) in self.taken.items():
            has_all = tally.result.n_instances == source.gold.n_instances
            is_same = has_all and (source.n_erased > 0 or tally.result.digest == source.gold.digest)
            if not is_same:
                reason = _(
                    "the gold that follows it is not the one that was frozen: its digest is another one. Take the file as it was "
                    "written, or leave the release out"
                )
                report.add_problem(Problem(source.source, source.line, "digest", f"release {number}", reason))


def _release(source: SourceRelease, project_id: int, user_id: int | None) -> Release:
    return Release(
        0, project_id, source.number, source.name, source.rules, source.gold, source.made_by, user_id,
        source.created_at, 0, source.secret, source.n_erased,
    )  # fmt: skip
