"""What the files of the Metrics page are called."""

from annotator.domain.projects import Project


def file_stem(project: Project) -> str:
    """The project's name as a file's name may begin."""
    return "".join(c if c.isalnum() else "-" for c in project.name).strip("-") or "project"
