"""Where the files are that are not Python modules of the package: the pages and the demonstration's data."""

from pathlib import Path
from typing import Literal

from annotator.errors import NotFound

_PACKAGE = Path(__file__).resolve().parent


def resource_folder(name: Literal["pages", "data"]) -> Path:
    """The folder inside the installed package, or in a checkout beside it; raises NotFound naming both places."""
    inside, beside = _PACKAGE / name, _PACKAGE.parent / name
    for folder in (inside, beside):
        if folder.is_dir():
            return folder
    raise NotFound(f"The folder '{name}' is missing: it is neither at '{inside}' nor at '{beside}'. Install again.")
