"""Instances as rows of an HTML table, each with a link that opens it."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from annotator.language import _

_STYLE = """
.instance-list { overflow-x: auto; }
.instance-list table { border-collapse: collapse; font-size: .875rem; width: 100%; margin: 0; }
.instance-list th, .instance-list td { border: 0; border-bottom: 1px solid light-dark(#dbe1e7, #303842);
  padding: .3rem .6rem .3rem 0; text-align: left; font-weight: 400; }
.instance-list thead th { font-size: .75rem; color: light-dark(#52606d, #9fb0c0); }
.instance-list td.number { font-variant-numeric: tabular-nums; }
.instance-list a { color: light-dark(#2f6299, #8dbbe6); overflow-wrap: anywhere; }
"""


@dataclass(frozen=True, slots=True)
class LinkedRow:
    """An instance: where it opens (an address of ours), its key, and its other cells as text."""

    address: str
    key: str
    cells: Sequence[str]


def instance_list_html(rows: Sequence[LinkedRow], heads: Sequence[str], *, label: str) -> str:
    """The rows, a link in the first column of each; every text is escaped. heads: of the other columns."""
    above = "".join(f'<th scope="col">{escape(head)}</th>' for head in (_("instance"), *heads))
    body = "".join(_row(row) for row in rows)
    return (
        f'<style>{_STYLE}</style><div class="instance-list"><table aria-label="{escape(label)}">'
        f"<thead><tr>{above}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(row: LinkedRow) -> str:
    cells = "".join(f'<td class="number">{escape(cell)}</td>' for cell in row.cells)
    link = f'<a href="{escape(row.address)}" target="_blank" rel="noopener">{escape(row.key)}</a>'
    return f'<tr><th scope="row">{link}</th>{cells}</tr>'
