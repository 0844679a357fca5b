"""GET /api/palette: what Ctrl+K finds by its name: pages, parts of *Project* and their settings, projects, people, texts."""

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec
from starlette.routing import Route

from annotator.domain.measurements import Question
from annotator.domain.people import Role, User, has_right, role_name
from annotator.domain.project.search import LONGEST_WORDS, Search, folded
from annotator.domain.projects import Project
from annotator.language import _, listed
from annotator.usecases.access.rights import roles_anywhere, roles_in
from annotator.usecases.databases import Store
from annotator.usecases.delivery.channels import mail_options
from annotator.usecases.lead.instance_search import search_instances
from annotator.usecases.project.projects import members_of, projects_of
from annotator.web import navigation
from annotator.web.addresses import page_address
from annotator.web.routes.messages import Query, get_route

_MOST = 40  # of all kinds
_MOST_TEXTS = 8
_LONGEST_SHOWN = 80  # characters of a text


class Target(msgspec.Struct, frozen=True):
    """Where one may go. kind and name: as they are read; seek: the label or heading to be shown there, "" for the page."""

    kind: str
    name: str
    address: str
    seek: str = ""


class Found(msgspec.Struct, frozen=True):
    """What was found, the best known places first."""

    targets: tuple[Target, ...]


def _address(path: str, project: Project | None, **parameters: str) -> str:
    return page_address(path, **({"project": project.id} if project else {}), **parameters)


def _pages(store: Store, user: User, project: Project | None) -> Iterator[Target]:
    for page in navigation.pages_for(user, roles_anywhere(store, user)):
        yield Target(_("Page"), _(page.title), _address(page.path, None if page is navigation.START else project))


def _of_account(store: Store, user: User) -> Iterator[Target]:
    """What is of a person or of the server, and of no project."""
    if user.is_worker:
        return
    yield Target(_("Page"), _("My account"), "/account")
    yield Target(_("Page"), _("Sign out"), "/sign-out")
    folds = [_("Server mail and webhook")] if user.is_administrator else []
    folds += [_("Email notices")] if mail_options(store)[1] else []
    for fold in folds:
        yield Target(_(navigation.START.title), fold, _address(navigation.START.path, None), seek=fold)


def _parts(user: User, project: Project) -> Iterator[Target]:
    """The parts of a project, and what can be set there."""
    kind = _(navigation.page_at("project").title)
    for section, parts in navigation.PROJECT_SECTIONS.items():
        for part, title in parts.items():
            if project.is_archived and part not in navigation.PARTS_OF_ARCHIVED:
                continue
            address = _address("project", project, section=part)
            yield Target(kind, _(title) if _(title) == _(section) else f"{_(section)} › {_(title)}", address)
    for part, labels in {**dict.fromkeys(navigation.ALSO_FOUND, ()), **navigation.SETTINGS}.items():
        if project.is_archived and part not in navigation.PARTS_OF_ARCHIVED:
            continue
        title = next(parts[part] for parts in navigation.PROJECT_SECTIONS.values() if part in parts)
        for label in labels:
            yield Target(_(title), _(label), _address("project", project, section=part), seek=_(label))
        for name in navigation.ALSO_FOUND.get(part, ()):
            yield Target(_(title), _(name), _address("project", project, section=part))
    if user.is_administrator:
        yield Target(
            _("Record"), _("Backup and restore"), _address("project", project, section="Record", about="server")
        )


def _projects(store: Store, user: User, wanted: Sequence[str]) -> Iterator[Target]:
    for project in projects_of(store, user):
        if not _has(wanted, f"{project.name} {_('Project')}"):
            continue  # its roles need not be looked up
        roles = roles_in(store, user, project.id)
        is_led = has_right(user, roles, "manage project")
        page = navigation.page_at("project") if is_led else navigation.first_page_for(user, roles)
        if page is not None:
            yield Target(_("Project"), project.name, _address(page.path, project))


def _people(store: Store, user: User, project: Project) -> Iterator[Target]:
    roles: dict[str, list[str]] = {}
    for member, role in members_of(store, user, project.id):
        roles.setdefault(member.name, []).append(role_name(role))
    for name, held in roles.items():
        yield Target(listed(held), name, _address("project", project, section="People"))


def _texts(store: Store, user: User, project: Project, words: str) -> Iterator[Target]:
    page = search_instances(store, user, project, Search(words=words), size=_MOST_TEXTS)
    for hit in page.instances:
        excerpt = hit.context.line if hit.context else hit.row.excerpt
        yield Target(hit.row.key, excerpt[:_LONGEST_SHOWN], _address("project", project, instance=str(hit.row.id)))


def _texts_of_saliency(store: Store, user: User, project: Project, words: str) -> Iterator[Target]:
    """For who looks at models: the texts with these words or this ID, on Saliency."""
    from annotator.usecases.inspect.saliency import list_instances_by  # noqa: PLC0415  (NumPy)

    rows, _n = list_instances_by(store, user, Question(project.id, words=words), 1, _MOST_TEXTS)
    for row in rows:
        yield Target(row.key, row.excerpt[:_LONGEST_SHOWN], _address("saliency", project, instance=str(row.id)))


def _has(wanted: Sequence[str], name: str) -> bool:
    within = folded(name)
    return all(word in within for word in wanted)


def _palette(store: Store, user: User, query: Query) -> Found:
    """Everything whose kind or name has all the words in it; with no words the pages and the parts of the project."""
    words = query.get("words", "")[:LONGEST_WORDS]
    wanted = folded(words.encode("utf-8", "replace").decode()).split()
    project = next((p for p in projects_of(store, user) if str(p.id) == query.get("project")), None)
    roles = frozenset[Role]() if project is None else roles_in(store, user, project.id)
    is_led = has_right(user, roles, "manage project")

    def named() -> Iterator[Target]:
        yield from _pages(store, user, project)
        if project is not None and is_led:
            yield from (target for target in _parts(user, project) if wanted or not target.seek)
        if wanted:
            yield from _of_account(store, user)
            yield from _projects(store, user, wanted)
        if wanted and project is not None and is_led:
            yield from _people(store, user, project)

    targets = list(islice((target for target in named() if _has(wanted, f"{target.name} {target.kind}")), _MOST))
    if wanted and project is not None and is_led:
        targets += _texts(store, user, project, words)
    elif wanted and project is not None and has_right(user, roles, "use models"):
        targets += _texts_of_saliency(store, user, project, words)
    return Found(tuple(targets))


routes: list[Route] = [get_route("palette", _palette)]
