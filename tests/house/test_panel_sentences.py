"""What the panel's modules say is gathered, also where it stands within a template."""

from tools.catalogues import panel_sentences

MODULE = """/** A comment: _("is not gathered"). */
show(_("Nothing is here."), `${_("page {page} of {pages}", { page })} · ${counted(sizes.at(f(0)), "new token")}`);
show(`${several("{n} text waits.", "{n} texts wait.", 2)}`);
const all_ = list.map_("is no sentence");
show(
  _(
    'It is called “{name}” and says "no".',
    { name },
  ),
);
"""


def test_a_sentence_is_gathered_with_its_line_also_within_a_template() -> None:
    assert list(panel_sentences(MODULE)) == [
        (2, "Nothing is here."),
        (2, "page {page} of {pages}"),
        (2, ("{n} new token", "{n} new tokens")),
        (3, ("{n} text waits.", "{n} texts wait.")),
        (6, 'It is called “{name}” and says "no".'),
    ]
