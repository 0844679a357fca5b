"""What can be done about a file, in the words of the page and the language of whoever reads it."""

from annotator.domain.file_problems import on_page
from annotator.language import speaking


def test_a_remedy_names_the_fields_of_the_page_in_the_language_of_the_page() -> None:
    with speaking("zh"):
        assert on_page("请用有变动的行覆盖（--update）。") == "请用有变动的行覆盖（“用有变动的行覆盖”）。"
        assert on_page("请选择该列（--column text=body）。", {"text": "文本"}.__getitem__) == (
            "请选择该列（在“列”中为“文本”选择“body”）。"
        )
