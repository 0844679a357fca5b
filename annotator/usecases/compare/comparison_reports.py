"""Two models of one or several projects beside each other, as the object that `annotator evaluate models --json` prints."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.usecases.compare.model_comparison import ModelComparison, ModelPair, compare_models
from annotator.usecases.compare.model_gains import ModelGains, model_gains
from annotator.usecases.models.alignment_gains import measures_as_json


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """What is won and lost in a project, and what is gained beside a control."""

    comparison: ModelComparison
    gains: ModelGains

    def as_json(self) -> dict[str, object]:
        """The object of a project (docs/commands.md)."""
        gains = self.gains
        return {
            **asdict(self.comparison),
            "gains": {
                "bond": gains.relation.bond,
                "controls": gains.relation.controls,
                "measures": measures_as_json(gains.measures),
                "sentences": [sentence for sentence in (gains.relation.sentence, *gains.sentences) if sentence],
                "lacking": [*map(str, gains.lacking)],
            },
        }


def comparison_reports(
    store: Store, actor: User, projects: Sequence[Project], pair: ModelPair, options: ScoringOptions = ScoringOptions()
) -> Mapping[str, ComparisonReport]:
    """By the name of the project; see compare_models and model_gains."""
    comparisons = compare_models(store, actor, projects, pair, options)
    by_name = {project.name: project for project in projects}
    return {
        name: ComparisonReport(comparison, model_gains(store, actor, projects, by_name[name], pair, options))
        for name, comparison in comparisons.items()
    }
