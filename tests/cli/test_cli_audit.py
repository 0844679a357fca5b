"""`annotator audit` on the command line."""

import json
from collections.abc import Callable

from annotator.domain.people import User
from annotator.domain.perturbations import ChangedText
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.usecases.perturb import versions
from annotator.usecases.perturb.audits import judge, next_to_audit


def test_a_sample_is_drawn_shown_exported_and_remedied(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
    says: Callable[..., str],
) -> None:
    project = make_project(name="Reviews", checkers_per_perturbation=0)
    import_rows(project, [{"id": "a", "text": "so dull", "label": "negative", "rationales": [[[1, 2]]]}])
    ann, dan = add_person("Ann", project, "annotator"), add_person("Dan", project, "annotator")
    versions.hand_in(store, ann, 1, ChangedText("dispensable", {"text": "really so dull"}, "negative"))

    def answer(*words: str, code: int = 0) -> str:
        return says("audit", *words, "--project", "Reviews", code=code)

    assert "has no audit" in answer("show")
    assert answer("draw", "--n", "5", "--dry-run").startswith("It would hold 1 version:\n  dispensable: 1 of 1\n")
    assert json.loads(answer("draw", "--percent", "50", "--json"))["audit"] == 1
    shown = next_to_audit(store, dan, project.id)
    assert shown is not None
    judge(store, dan, 1, shown.item.perturbation_id, shown.says, faults=["language"])
    assert "altogether: 0.0 % right of 1 judged (95 % interval 0.0 % to 79.3 %); 1 drawn of 1" in answer("show")
    assert "audit of changed versions: 0.0 % right of 1 judged" in says("stats", "--project", "Reviews")
    [audit] = json.loads(answer("show", "--json"))["audits"]
    assert audit["wrong"] == [
        {
            "key": "a~dispensable",
            "kind": "dispensable",
            "faults": "it does not read like a text that somebody would write",
        }
    ]
    assert answer("export", "1").splitlines()[1].startswith("1,a~dispensable,dispensable,1,wrong,language,")
    assert answer("remedy", "1", "--send-back") == "1 wrong version sent back.\n"
    assert "no audit number 7" in answer("remedy", "7", "--discard", code=1)
