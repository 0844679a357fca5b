"""Reading AESW: edit markup to instances, derived rationale sets, and what is wrong in files that people paste together."""

from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.domain.sources import SourceInstance
from annotator.domain.tasks import TASKS
from annotator.errors import InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.datasets import aesw

PAPER = "The algorithm <del>descripted</del><ins>described</ins> above has several advantages."


def read(tmp_path: Path, content: str | bytes, name: str = "edits.xml", **options):
    """The instances, the problems and the warnings of a file with this content."""
    file = tmp_path / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    items = list(aesw.read(file, ReadOptions(TASKS["editing"], **options)))
    problems = [item for item in items if isinstance(item, Problem)]
    return (
        [item for item in items if isinstance(item, SourceInstance)],
        [p for p in problems if not p.is_warning],
        [p for p in problems if p.is_warning],
    )


def sentences(*contents: str) -> str:
    return "".join(f'<sentence sid="{n}">{content}</sentence>\n' for n, content in enumerate(contents))


def text_of(instance: SourceInstance) -> str:
    return instance.segments["text"].text


def sets_of(instance: SourceInstance) -> list[list[str]]:
    """The rationale sets of the one annotation as words."""
    [annotation] = instance.annotations
    body = instance.segments["text"].tokens
    return [[body.token(n) for span in spans for n in range(span.start, span.end)] for spans in annotation.sets]


# What an instance holds ----------------------------------------------------------------------------------------------


def test_a_sentence_becomes_an_instance_with_the_text_before_its_label_and_its_rationale(tmp_path):
    # The sentence and its sid are those of Stevens and Su 2021.
    [instance], problems, warnings = read(tmp_path, f'<sentence sid="250.9">{PAPER}</sentence>')
    assert (problems, warnings) == ([], [])
    assert (instance.key, instance.line, instance.result) == ("250.9", 1, "needs edit")
    assert text_of(instance) == "The algorithm descripted above has several advantages."
    assert sets_of(instance) == [["descripted"]]
    assert (instance.annotations[0].annotator, instance.annotations[0].result) == ("aesw", "needs edit")
    assert instance.metadata == {
        "text_after": "The algorithm described above has several advantages.",
        "criterion": "spelling",
        "edits": [[14, 24, "described"]],
    }


def test_a_sentence_without_edits_is_correct_and_says_nothing_more(tmp_path):
    [instance], problems, _ = read(tmp_path, sentences("All is well."))
    assert problems == []
    assert (instance.result, instance.annotations, instance.metadata) == ("correct", (), {})


@pytest.mark.parametrize(
    "markup", ["Cross <ins>the </ins>line.", "It <del>become</del><ins>becomes</ins> <ins>a </ins>line."]
)
def test_an_insertion_or_a_mixed_edit_gives_a_label_but_no_rationale(tmp_path, markup):
    [instance], problems, warnings = read(tmp_path, sentences(markup))
    assert (problems, warnings) == ([], [])
    assert (instance.result, instance.annotations) == ("needs edit", ())
    assert instance.metadata["criterion"] == "other"


def test_a_deleted_comma_is_a_deletion_whose_third_criterion_is_named(tmp_path):
    [comma, words], _, _ = read(tmp_path, sentences("The coil<del>,</del> and it.", "The <del>big </del>coil."))
    assert (comma.metadata["criterion"], comma.metadata["is_comma_edit"], sets_of(comma)) == ("deleted", True, [[","]])
    assert "is_comma_edit" not in words.metadata


def test_deletions_are_one_set_or_on_request_one_each(tmp_path):
    markup = sentences("However, we <del>must note that we </del>still see a <del>very </del>sharp <del>peak.</del>")
    [one], _, _ = read(tmp_path, markup)
    [each], _, _ = read(tmp_path, markup, one_set_per_edit=True)
    first = ["must", "note", "that", "we"]
    assert sets_of(one) == [[*first, "very", "peak", "."]]
    assert sets_of(each) == [first, ["very"], ["peak", "."]]
    assert one.metadata == each.metadata


def test_two_deletions_in_one_word_give_no_second_set(tmp_path):
    [instance], problems, warnings = read(
        tmp_path, sentences("A <del>pre</del>cooled<del>ly</del> and <del>big </del>coil."), one_set_per_edit=True
    )
    assert problems == []
    assert sets_of(instance) == [["precooledly"], ["big"]]
    assert [(w.field, w.value, w.reason) for w in warnings] == [
        ("del", "characters 11 to 13", "Same word as another deletion; no second set."),
        ("del", "precooledly", "Cuts a word; the whole word is marked."),
    ]


def test_a_part_of_a_word_selects_the_word_and_the_exact_characters_are_kept(tmp_path):
    [instance], problems, [warning] = read(tmp_path, sentences("Two <del>un</del>likely models."))
    assert problems == []
    assert sets_of(instance) == [["unlikely"]]
    assert instance.metadata["edits"] == [[4, 6, ""]]
    assert (warning.line, warning.value) == (1, "unlikely")
    assert "Cuts a word; the whole word is marked." in warning.reason


def test_deleted_white_space_gives_an_annotation_without_a_set_and_a_warning(tmp_path):
    [instance], problems, [warning] = read(tmp_path, sentences("An upper<del> </del>triangular matrix."))
    assert problems == []
    assert sets_of(instance) == []
    assert instance.metadata["criterion"] == "deleted"
    assert (warning.value, warning.reason) == ("characters 8 to 9", "Only white space is deleted: no rationale set.")


def test_deleted_white_space_beside_other_deletions_gets_no_set_of_its_own(tmp_path):
    markup = sentences("An upper<del> </del>triangular <del>big </del>matrix.")
    [instance], _, [warning] = read(tmp_path, markup, one_set_per_edit=True)
    assert sets_of(instance) == [["big"]]
    assert warning.value == "characters 8 to 9"


def test_a_sentence_that_is_all_deleted_is_selected_whole_and_told(tmp_path):
    [instance], problems, [warning] = read(tmp_path, sentences("<del>All gone.</del>"))
    assert problems == []
    assert (text_of(instance), instance.metadata["text_after"]) == ("All gone.", "")
    assert sets_of(instance) == [["All", "gone", "."]]
    assert "Whole sentence deleted: every word is rationale." in warning.reason


def test_a_sentence_without_a_text_before_is_refused(tmp_path):
    instances, problems, _ = read(tmp_path, sentences("<ins>New.</ins>", "", "  "))
    assert instances == []
    assert [(p.line, p.reason) for p in problems] == [(n, "Must not be empty.") for n in (1, 2, 3)]


def test_an_empty_mark_still_counts_as_an_edit_and_is_told(tmp_path):
    # As in the paper's code: any child makes the label.
    [instance], problems, [warning] = read(tmp_path, sentences("A <del/>b."))
    assert problems == []
    assert (instance.result, sets_of(instance)) == ("needs edit", [])
    assert "Empty <del>: the sentence counts as edited. Remove it." in warning.reason


# Labels, keys, splits -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "without_edits", "with_edits", "n_warnings"),
    [
        ((), "correct", "needs edit", 0),
        (("needs edit", "correct"), "correct", "needs edit", 0),
        (("correct", "needs edit", "unclear"), "correct", "needs edit", 0),
        (("0", "1"), "0", "1", 1),  # the numbers of the released data
        (("fine", "edit"), "fine", "edit", 1),
        (("need edit", "correct"), "correct", "need edit", 0),  # one of ours tells which is the other
        (("needs edit", "fine"), "fine", "needs edit", 0),
    ],
)
def test_the_projects_own_two_labels_are_taken(tmp_path, labels, without_edits, with_edits, n_warnings):
    instances, problems, warnings = read(tmp_path, sentences("A b.", "A <del>b </del>c."), labels=labels)
    assert problems == []
    assert [i.result for i in instances] == [without_edits, with_edits]
    assert instances[1].annotations[0].result == with_edits
    assert len(warnings) == n_warnings
    assert all(f"Unedited: '{without_edits}'; edited: '" in w.reason for w in warnings)


def test_labels_of_which_none_is_meant_are_refused(tmp_path):
    instances, [problem], _ = read(tmp_path, sentences("A b."), labels=("a", "b", "c"))
    assert instances == []
    assert (problem.field, problem.value) == ("label", "correct")


def test_another_task_is_refused_with_the_way_out(tmp_path):
    (tmp_path / "a.xml").write_text(sentences("A b."))
    with pytest.raises(InvalidValue, match=r"AESW needs the task editing\."):
        list(aesw.read(tmp_path / "a.xml", ReadOptions(TASKS["sentiment"])))


def test_a_file_that_is_not_there_or_a_folder_is_refused(tmp_path):
    with pytest.raises(NotFound, match="No file or folder '"):
        list(aesw.read(tmp_path / "none.xml", ReadOptions(TASKS["editing"])))
    with pytest.raises(InvalidValue, match=r"is a folder\. Name a file\."):
        list(aesw.read(tmp_path, ReadOptions(TASKS["editing"])))


def test_the_split_is_the_asked_one_else_the_files_name(tmp_path):
    for name, asked, split in [("train.xml", None, "train"), ("train.xml", "dev", "dev"), ("edits.xml", None, "")]:
        [instance], _, _ = read(tmp_path, sentences("A b."), name=name, split=asked)
        assert instance.split == split


def test_a_sentence_without_sid_gets_its_line_as_key_and_a_warning(tmp_path):
    content = "<par>\n<sentence>A b.</sentence> <sentence sid=' '>C d.</sentence>\n</par>\n"
    instances, problems, warnings = read(tmp_path, content, key_prefix="p-")
    assert problems == []
    assert [i.key for i in instances] == ["p-line2", "p-line2.2"]
    assert [(w.line, w.field) for w in warnings] == [(2, "sid"), (2, "sid")]
    assert "changes if lines move." in warnings[0].reason


def test_a_sid_that_stands_twice_is_refused_naming_the_first_line(tmp_path):
    instances, [problem], _ = read(tmp_path, sentences("A b.", "C d.") + sentences("E f."))
    assert [text_of(i) for i in instances] == ["A b.", "C d."]
    assert (problem.line, problem.field, problem.value) == (3, "sid", "0")
    assert "Duplicate of line 1." in problem.reason


def test_other_attributes_of_a_sentence_go_to_the_metadata(tmp_path):
    [instance], _, _ = read(tmp_path, '<sentence sid="1" domain="Physics">A <del>b </del>c.</sentence>')
    assert (instance.metadata["domain"], instance.metadata["criterion"]) == ("Physics", "deleted")


# Files ---------------------------------------------------------------------------------------------------------------


def test_wrappers_comments_and_the_declaration_are_passed_over(tmp_path):
    content = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!-- <sentence sid="0">no</sentence>\n nor this -->\n'
        '<document><doc id="1"><par pid="1"><sentence sid="1">A b.</sentence>\n'
        '<sentence\n   sid="2">C <!-- not this -->d.</sentence></par>\n</doc></document>\n'
    )
    instances, problems, warnings = read(tmp_path, content)
    assert (problems, warnings) == ([], [])
    assert [(i.key, i.line, text_of(i)) for i in instances] == [("1", 4, "A b."), ("2", 5, "C d.")]


def test_plain_lines_are_a_sentence_each_with_the_line_as_key(tmp_path):
    content = f'First of all.\n\n{PAPER}\n<sentence sid="x">A <del>b </del>c.</sentence>\n'
    instances, problems, warnings = read(tmp_path, content)
    assert (problems, warnings) == ([], [])
    assert [(i.key, i.result) for i in instances] == [
        ("line1", "correct"),
        ("line3", "needs edit"),
        ("x", "needs edit"),
    ]


def test_plain_lines_may_begin_with_a_mark(tmp_path):
    [instance], problems, _ = read(tmp_path, "<del>Indeed, </del>we agree.\n")
    assert problems == []
    assert (text_of(instance), sets_of(instance)) == ("Indeed, we agree.", [["Indeed", ","]])


def test_a_byte_order_mark_windows_line_ends_and_a_last_line_without_end_are_met(tmp_path):
    content = sentences("A b.", "C <del>d\ne </del>f.").rstrip().replace("\n", "\r\n")
    instances, problems, _ = read(tmp_path, "\ufeff" + content)
    assert problems == []
    assert [text_of(i) for i in instances] == ["A b.", "C d\ne f."]
    assert sets_of(instances[1]) == [["d", "e"]]
    lines, problems, _ = read(tmp_path, b"\xef\xbb\xbfA b.\r\n\r\n<del>C </del>d.\r\n")
    assert problems == []
    assert [text_of(i) for i in lines] == ["A b.", "C d."]


def test_entities_no_break_spaces_and_right_to_left_text_keep_their_characters(tmp_path):
    markup = "a &lt; b &amp; <del>c\u00a0</del>&#233; &quot;d&quot;"
    [entities, hebrew], problems, _ = read(tmp_path, sentences(markup, "שלום <del>גדול </del>עולם."))
    assert problems == []
    assert text_of(entities) == 'a < b & c\u00a0é "d"'
    assert (sets_of(entities), entities.metadata["edits"]) == ([["c"]], [[8, 10, ""]])
    assert text_of(hebrew) == "שלום גדול עולם."
    assert (sets_of(hebrew), hebrew.metadata["edits"]) == ([["גדול"]], [[5, 10, ""]])


def test_a_file_is_read_as_it_is_asked_for(tmp_path):
    file = tmp_path / "a.xml"
    file.write_text(sentences("A b."))
    items = aesw.read(file, ReadOptions(TASKS["editing"]))
    first = next(items)
    with file.open("a") as rest:
        rest.write('<sentence sid="late">C d.</sentence>\n')
    assert [first.key, *(item.key for item in items)] == ["0", "late"]


# What is wrong -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "value", "reason"),
    [
        ("a <del>b c.", "a <del>b c.", "Unmatched tags. Close every <del> and <ins> in order."),
        ("a b</del> c.", "a b</del> c.", "Unmatched tags. Close every <del> and <ins> in order."),
        ("a <del>b <ins>c</del> d</ins>.", "<ins>c</del>", "Unmatched tags. Close every <del> and <ins> in order."),
        ("a <del>b <ins>c</ins></del> d.", "<ins>", "Close <del> before <ins>."),
        ("a <b>b</b> c.", "<b>b</b>", "Unknown tag <b>. Remove it or write &lt;."),
        ("a <DEL>b</DEL> c.", "<DEL>b</DEL>", "Unknown tag <DEL>. Remove it or write &lt;."),
        ("R&D in Köln & é", "R&D", "Invalid XML. Write &amp; and &lt;; remove control characters."),
        ("a < b", "a < b", "Invalid XML. Write &amp; and &lt;; remove control characters."),
        ("a\x0bb", "a\x0bb", "Invalid XML. Write &amp; and &lt;; remove control characters."),
        ("a&nbsp;b", "&nbsp;", "Unknown entity. Use &amp; &lt; &gt; &quot; &apos; or the character itself."),
        ("a &#xD800; b", "&#xD800;", "Character number not allowed. Write the character."),
        ('a <del x="1" x="2">b</del>', 'x="2"', "Duplicate attribute in a tag. Keep one."),
        ("a <x:y>b</x:y>", "<x:y>", "Not well-formed XML. Close every tag."),
    ],
)
@pytest.mark.parametrize("is_line", [True, False])
def test_bad_markup_is_refused_with_its_line_and_a_remedy_and_the_rest_is_read(
    tmp_path, markup, value, reason, is_line
):
    content = f"Good one.\n{markup}\nGood two.\n" if is_line else sentences("Good one.", markup, "Good two.")
    instances, problems, _ = read(tmp_path, content)
    assert [text_of(i) for i in instances] == ["Good one.", "Good two."]
    assert {(p.line, p.field) for p in problems} == {(2, "sentence")}
    assert value in problems[0].value
    assert reason in problems[0].reason


def test_a_sentence_that_is_not_closed_spoils_no_other(tmp_path):
    content = (
        '<par>\n<sentence sid="1">open\n<sentence sid="2">A b.</sentence>\n<sentence sid="3">open\n</par>\n'
        '<sentence sid="4">C d.</sentence>\n<sentence sid="5">open'
    )
    instances, problems, _ = read(tmp_path, content)
    assert [i.key for i in instances] == ["2", "4"]
    assert [(p.line, p.reason) for p in problems] == [
        (2, "<sentence> still open at '<sentence', line 3. Add </sentence>."),
        (4, "<sentence> still open at '</par>', line 5. Add </sentence>."),
        (7, "<sentence> still open at the end of the file, line 7. Add </sentence>."),
    ]


def test_text_outside_sentences_is_told_and_never_taken(tmp_path):
    content = '<par>\nLost text.\n<sentence sid="1">A b.</sentence> and <del>more</del>\n</par>\n<![CDATA[x]]>\n'
    [instance], problems, _ = read(tmp_path, content)
    assert text_of(instance) == "A b."
    assert [(p.line, p.value) for p in problems] == [
        (2, "Lost text."), (3, "and <del>more</del>"), (5, "<![CDATA[x]]>"),
    ]  # fmt: skip
    assert 'Skipped: outside <sentence>. Add <sentence sid="..."> and </sentence>.' in problems[0].reason


def test_a_comment_that_is_not_closed_is_told(tmp_path):
    instances, [problem], _ = read(tmp_path, sentences("A b.") + "<!-- a\n" + sentences("C d."))
    assert len(instances) == 1
    assert (problem.line, problem.reason) == (2, "Unclosed comment; the rest isn't read. Add -->.")


BILLION_LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>\n'
    '<doc><sentence sid="1">&c;</sentence></doc>\n'
)


@pytest.mark.parametrize(
    "content",
    [
        BILLION_LAUGHS,
        '<!doctype x>\n<sentence sid="1">A</sentence>',
        '<doc><!ENTITY a SYSTEM "file:///x">\n<sentence>A</sentence>',
    ],
)
def test_a_document_type_is_refused_and_nothing_is_read_after_it(tmp_path, content):
    instances, [problem], _ = read(tmp_path, content)
    assert instances == []
    assert problem.reason.startswith("Reading stopped at the document type. Remove it.")
    assert problem.line == content[: content.index("<!")].count("\n") + 1


def test_a_line_cannot_bring_a_document_type_in(tmp_path):
    content = 'A b.\n</sentence><!DOCTYPE x [<!ENTITY a "b">]><sentence>&a;\n<!DOCTYPE x [<!ENTITY a "b">]><sentence>&a;</sentence>\n'
    [instance], problems, _ = read(tmp_path, content)
    assert text_of(instance) == "A b."
    assert [p.line for p in problems] == [2, 3]


def test_bytes_that_are_not_utf_8_are_named_and_no_half_sentence_is_taken(tmp_path):
    xml = b'<par>\n<sentence sid="1">begin\n\xff\nend</sentence>\n<sentence sid="2">A b.</sentence>\n'
    [instance], [problem], _ = read(tmp_path, xml)
    assert text_of(instance) == "A b."
    assert (problem.line, problem.reason) == (3, "Byte 1 isn't UTF-8. Save as UTF-8.")
    instances, [problem], _ = read(tmp_path, b"A b.\nC \xe9 d.\nE f.\n")
    assert [text_of(i) for i in instances] == ["A b.", "E f."]
    assert (problem.line, problem.reason[:6]) == (2, "Byte 3")


def test_a_sentence_that_never_ends_is_refused_once(tmp_path):
    long = "word " * 30_000
    instances, [problem], _ = read(tmp_path, sentences("A b.", long, "C d."))
    assert [text_of(i) for i in instances] == ["A b.", "C d."]
    assert problem.line == 2
    assert "Over 100,000 characters. Close or split the sentence." in problem.reason
    instances, [problem], _ = read(tmp_path, f"A b.\n{long}\nC d.\n")
    assert len(instances) == 2
    assert "Over 100,000 characters. Close or split the sentence." in problem.reason


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff", "<doc></doc>", '<?xml version="1.0"?>'])
def test_a_file_without_sentences_gives_nothing(tmp_path, content):
    assert read(tmp_path, content) == ([], [], [])


# Any file ------------------------------------------------------------------------------------------------------------

SCRAPS = st.sampled_from(
    ["<sentence>", '<sentence sid="1">', "</sentence>", "<sentence", "<del>", "</del>", "<ins>", "</ins>", "<del/>", "<par>",
     "</par>", "<!--", "-->", "<!DOCTYPE", "<![CDATA[", "]]>", "<?xml?>", "&amp;", "&", "<", ">", "\n", "\r\n", " ", "a", "word.",
     "'s", '"', "_MATH_", "\u00a0", "א", "\x00", "\ufffe", "\u2028"]
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scraps=st.lists(SCRAPS, max_size=14))
def test_odd_markup_never_makes_the_reader_fail(tmp_path, scraps):
    instances, problems, warnings = read(tmp_path, "".join(scraps))
    assert all(problem.reason and str(problem) for problem in problems + warnings)
    for instance in instances:
        body = instance.segments["text"].tokens
        body.check()
        assert all(
            0 <= s.start < s.end <= body.n_tokens for a in instance.annotations for spans in a.sets for s in spans
        )


KINDS = {"kept": "{}", "deleted": "<del>{}</del>", "inserted": "<ins>{}</ins>"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(sorted(KINDS)), st.text("ab <&>'\u00a0א.", min_size=1, max_size=5)), max_size=5)
)
def test_whatever_text_is_marked_up_comes_back(tmp_path, pieces):
    before = "".join(text for kind, text in pieces if kind != "inserted")
    content = "".join(KINDS[kind].format(escape(text)) for kind, text in pieces)
    instances, problems, _ = read(tmp_path, sentences("x", content))
    if not before.strip():
        assert len(problems) == 1
        return
    assert [text_of(i) for i in instances] == ["x", before]
    after = "".join(text for kind, text in pieces if kind != "deleted")
    assert instances[1].metadata.get("text_after", before) == after
