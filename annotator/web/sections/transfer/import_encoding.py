"""In which encoding the chosen files are: asked, never guessed, with a few of their letters as they are then read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from annotator.domain.file_problems import on_page
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.usecases.transfer.row_keys import ENCODINGS, UTF8, is_text, marked, recoded_bytes, samples
from annotator.web.frame import as_text


@dataclass(frozen=True, slots=True)
class RecodedFile:
    """An uploaded file as it is in UTF-8."""

    name: str
    file_id: str
    content: bytes

    def getbuffer(self) -> memoryview:
        return memoryview(self.content)


def ask_encoding(files: Sequence[Any]) -> list[Any]:
    """The files in UTF-8; none of them where one is not in the encoding that is chosen, which is said."""
    if not files:
        return []
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    encoding = left.selectbox(
        _("Encoding"), list(ENCODINGS), format_func=lambda name: _(ENCODINGS[name]), key="import_encoding",
        help=_("How the letters of the files are written down. Spreadsheets often write Windows-1252; everything else here "
            "reads UTF-8. Nothing is guessed."),
    )  # fmt: skip
    if encoding == UTF8:
        files = [
            _recoded(file, encoding) for file in files for encoding in [marked(bytes(file.getbuffer()[:4])) or UTF8]
        ]
        _warn_of_other_bytes(files)
        return files
    try:
        made = [_recoded(file, encoding) for file in files]
    except InvalidValue as error:
        st.error(as_text(on_page(str(error))), icon=":material/error:")
        return []
    lines = [sample for file in files for sample in samples(bytes(file.getbuffer()), encoding)][:5]
    shown = " · ".join(f"{sample.line}: {sample.text}" for sample in lines)
    right.caption(
        as_text(_("So its letters are read, line by line: {shown}", shown=shown))
        if lines
        else _("No letter in these files depends on the encoding.")
    )
    return made


def _recoded(file: Any, encoding: str) -> Any:
    """The file in UTF-8; one that holds no text, or is in it already, as it is."""
    if encoding == UTF8 or not (is_text(file.name) or file.name.lower().endswith(".zip")):
        return file
    if file.name.lower().endswith(".zip"):
        raise InvalidValue(
            _(
                "'{name}' is an archive, whose files are read as UTF-8 here. Unpack it, and choose its files.",
                name=file.name,
            )
        )
    return RecodedFile(
        file.name, f"{file.file_id}-{encoding}", recoded_bytes(bytes(file.getbuffer()), encoding, file.name)
    )


def _warn_of_other_bytes(files: Sequence[Any]) -> None:
    for file in files:
        content = bytes(file.getbuffer())
        try:
            content.decode(UTF8)
        except UnicodeDecodeError as fault:
            line = content[: fault.start].count(b"\n") + 1
            if b"\0" not in content[:1000]:  # what is no text at all is refused by the check
                st.warning(
                    as_text(
                        _(
                            "“{name}” is not UTF-8: line {line} has other bytes. Choose its encoding, and look at its letters.",
                            name=file.name,
                            line=line,
                        )
                    ),
                    icon=":material/translate:",
                )
