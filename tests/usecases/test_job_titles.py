"""What a job does is stored in English and said in the language of who looks at it."""

from dataclasses import replace

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.language import speaking
from annotator.store import Store
from annotator.usecases.background import AskedAttribution, ask_to_attribute, title_in_words
from annotator.usecases.models.attributions import AttributingOptions

OPTIONS = AttributingOptions(parameters={"removal": "delete"}, has_faithfulness=True)


def test_a_job_that_was_asked_for_in_chinese_has_an_english_title_for_others(store: Store, project: Project) -> None:
    with speaking("zh"):
        job = ask_to_attribute(store, LOCAL_OPERATOR, project, AskedAttribution("built-in", "random", OPTIONS))
        assert title_in_words(job) == "built-in：随机、移除方式=删除、忠诚性"
    assert job.title == title_in_words(job) == "Random of built-in, removal delete, faithfulness"


def test_the_title_of_a_job_whose_request_cannot_be_read_is_the_stored_one(store: Store, project: Project) -> None:
    job = ask_to_attribute(store, LOCAL_OPERATOR, project, AskedAttribution("built-in", "random", OPTIONS))
    with speaking("zh"):
        assert title_in_words(replace(job, options="{}")) == job.title
