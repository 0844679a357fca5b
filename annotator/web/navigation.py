"""The pages, the parts of *Project* and their settings by name, and who sees which page."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotator.domain.people import Right, Role, User, has_right
from annotator.errors import NotFound
from annotator.files import resource_folder
from annotator.language import unsaid


@dataclass(frozen=True, slots=True)
class PageEntry:
    """One page: its script, its address, and the rights of which one must have one in some project to see it in the sidebar.

    icon: one of the symbols in the font that Streamlit brings along
    """

    file: str
    path: str
    title: str
    icon: str
    rights: tuple[Right, ...]


_ANYBODY: tuple[Right, ...] = ("annotate", "review", "use models", "manage project", "export")

START = PageEntry("start.py", "start", unsaid("Start"), ":material/inbox:", _ANYBODY)
PAGES: tuple[PageEntry, ...] = (
    START,
    PageEntry("annotate.py", "annotate", unsaid("Annotate"), ":material/ink_highlighter:", ("annotate",)),
    PageEntry("review.py", "review", unsaid("Review"), ":material/rate_review:", ("review",)),
    PageEntry("perturb.py", "perturb", unsaid("Perturb"), ":material/edit_note:", ("annotate", "review")),
    PageEntry("saliency.py", "saliency", unsaid("Saliency"), ":material/gradient:", ("use models",)),
    PageEntry("metrics.py", "metrics", unsaid("Metrics"), ":material/monitoring:", ("use models",)),
    PageEntry("tests.py", "tests", unsaid("Tests"), ":material/fact_check:", ("use models",)),
    PageEntry("project.py", "project", unsaid("Project"), ":material/folder_open:", ("manage project",)),
    PageEntry("export.py", "export", unsaid("Export"), ":material/download:", ("export",)),
)

# Project: the sections in the order of a lead's week, each with its parts: as an address names them, and their titles.
PROJECT_SECTIONS: Mapping[str, Mapping[str, str]] = {
    unsaid("Overview"): {"Progress": unsaid("Progress"), "Decisions": unsaid("Decisions")},
    unsaid("Data"): {
        "Import": unsaid("Import"),
        "Instances": unsaid("Texts"),
        "Export": unsaid("Export"),
        "Releases": unsaid("Releases"),
    },
    unsaid("Task"): {"Rules": unsaid("Rules"), "Guidelines": unsaid("Guidelines"), "Order": unsaid("Order")},
    unsaid("People"): {"People": unsaid("People")},
    unsaid("Quality"): {"Quality": unsaid("Agreement"), "Rounds": unsaid("Rounds"), "Training": unsaid("Training")},
    unsaid("Models"): {"Previews": unsaid("Previews")},
    unsaid("Record"): {"Record": unsaid("Record")},
}
PARTS_OF_ARCHIVED = ("Progress", "Instances", "Quality", "Export", "Releases", "Record")  # what changes nothing

# What one may look for by name in a part of *Project*: labels of fields and headings as they stand there.
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "Rules": (
        unsaid("Labels, separated by commas"), unsaid("Result"), unsaid("Annotators per text"),
        unsaid("Reviewers per annotation"), unsaid("Allow “No rationale in the text”"),
        unsaid("Sets can cross segments"), unsaid("Suggest the original's gold sets for perturbed versions"),
        unsaid("Word lists that suggest sets"), unsaid("Reservation (minutes)"), unsaid("Idle (seconds)"),
        unsaid("Absent after (days)"), unsaid("Sufficiency score"), unsaid("Compactness score"),
        unsaid("Comprehensiveness score"), unsaid("Average scores over all sets instead of per set"),
        unsaid("Gold policy"), unsaid("Gold is exhaustive (marks all evidence)"),
        unsaid("Researchers see annotations not accepted yet"), unsaid("Checkers"), unsaid("Target per type"),
        unsaid("Show authors of perturbed versions to checkers"), unsaid("Custom types, comma-separated"),
        unsaid("Project name"), unsaid("Language"), unsaid("Licence"), unsaid("Citation"),
    ),
    "Guidelines": (unsaid("Guidelines (Markdown)"),),
    "People": (
        unsaid("Invite people"), unsaid("Change a role"), unsaid("A person's data"), unsaid("New recruitment link"),
    ),
    "Previews": (
        unsaid("Who sees predictions for sets"), unsaid("Model"), unsaid("Compare sets with"),
        unsaid("Zero-shot prompt and label words"),
    ),
    "Order": (unsaid("Seed"), unsaid("First")),
    "Releases": (unsaid("Freeze current gold"),),
    "Record": (unsaid("Archive or delete the project"),),
}  # fmt: skip


# What else Ctrl+K finds by its name, in the part that has it.
ALSO_FOUND: Mapping[str, tuple[str, ...]] = {
    "Progress": (unsaid("Forecast"), unsaid("Hours and cost (payment rate)"), unsaid("Flagged work (quick or slow)")),
    "Decisions": (unsaid("Questions to the lead"),),
    "Instances": (unsaid("Assign splits"), unsaid("Start second pass")),
    "Releases": (unsaid("License and datasheet"),),
    "Rules": (unsaid("Rename or merge a label"), unsaid("Thresholds")),
    "People": (unsaid("Reset a password (new link)"), unsaid("Remove or erase a person's data")),
    "Quality": (unsaid("Agreement (kappa, alpha, F1)"),),
    "Training": (unsaid("Blind checks"),),
}


def pages_for(user: User, roles: frozenset[Role]) -> list[PageEntry]:
    """The pages of a person with these roles (those of all their projects: the page itself checks the project's).

    A worker of a recruitment link has the page with the work, and no other.
    """
    if user.is_worker:
        return [page for page in PAGES if page.path == "annotate"]
    return [page for page in PAGES if any(has_right(user, roles, right) for right in page.rights)]


def first_page_for(user: User, roles: frozenset[Role], *, has_projects: bool = True) -> PageEntry | None:
    """Where a person begins: a lead with what waits in all their projects, everybody else with their first screen.

    Whoever marks or reviews is at their text without a click; a lead who began there would take work they may not want.
    has_projects: whether the person has any; an administrator without one begins where the first is made
    """
    pages = [page for page in pages_for(user, roles) if page is not START]
    if not has_right(user, roles, "manage project"):
        return pages[0] if pages else None
    return START if has_projects else next(page for page in pages if "manage project" in page.rights)


def page_at(path: str) -> PageEntry:
    """The page of an address."""
    return next(page for page in PAGES if page.path == path)


def missing_pages() -> list[str]:
    """The page files that are not there."""
    try:
        folder = resource_folder("pages")
    except NotFound:
        return [page.file for page in PAGES]
    return [page.file for page in PAGES if not (folder / page.file).is_file()]
