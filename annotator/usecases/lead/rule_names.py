"""What each rule of a project is called in sentences about its changes."""

from collections.abc import Mapping

RULE_NAMES: Mapping[str, str] = {
    "order": "the order of the texts", "seed": "the seed of the order",
    "model_order": "what comes first", "annotators_per_instance": "the number of annotators",
    "reviewers_per_annotation": "the number of reviewers", "result_mode": "what annotators do with the label",
    "may_be_empty": "whether “no rationale” may be submitted", "sets_may_cross_segments": "whether sets may cross segments",
    "required_segments": "the segments that labels require", "forbidden_segments": "the segments that labels forbid",
    "lease_minutes": "how long a text is kept for somebody", "idle_after_seconds": "when a pause counts as idle",
    "sufficiency_threshold": "the threshold of the sufficiency score",
    "compactness_threshold": "the threshold of the compactness score",
    "comprehensiveness_threshold": "the threshold of the comprehensiveness score",
    "are_scores_pooled": "how scores are averaged", "max_rounds": "the number of rounds",
    "away_after_days": "after how many days work goes to somebody else", "gold_policy": "the gold policy",
    "is_exhaustive": "whether gold is exhaustive", "researchers_see_submitted": "what researchers see",
    "model_previews": "who sees what a model answers", "are_carried_sets_proposed": "whether gold sets are carried over",
    "are_first_sets_proposed": "whether the sets of the first pass are proposed",
    "proposed_word_lists": "the word lists that propose sets", "checkers_per_perturbation": "the number of checkers",
    "checkers_see_author": "whether checkers see the author", "perturbations_per_kind": "the target for each kind",
    "own_perturbation_kinds": "the kinds of the project’s own", "preview_method": "the method for previews",
    "preview_model": "the model for previews", "preview_labels": "the labels of the model for previews",
    "preview_prompt": "the prompt for previews", "preview_words": "the words of labels in it",
    "import_columns": "the columns of files", "import_left_columns": "the columns that are not read",
    "import_labels": "the labels of files", "pay_rate": "what work is paid at",
}  # fmt: skip
