"""Gold that keeps people apart: what everybody said of an instance, or one person alone."""

from collections.abc import Sequence
from dataclasses import replace

from annotator.domain.instances import Annotation, GoldInstance, Instance, Opinion
from annotator.domain.sources import is_mask_of_nobody
from annotator.review.agreement import labels_alone, latest_of_each
from annotator.review.gold import gold_of, gold_result


def soft_gold(
    instance: Instance, annotations: Sequence[Annotation], counting: Sequence[Annotation]
) -> GoldInstance | None:
    """The gold of an instance with what each person said of it; None where nobody counts.

    The sets are those of the policy “all”, and none where labels tie; the lead's choice has no part in it.
    counting: of `annotations`, those that may be gold; labels of people whose marks are not known count for labels alone
    """
    latest = latest_of_each(counting)
    if not latest:
        return None
    opinions = [Opinion(a.annotator, a.result, a.sets, is_of_person=not is_mask_of_nobody(a.annotator)) for a in latest]
    opinions += [Opinion(a.annotator, a.result, None) for a in labels_alone(annotations, latest)]
    gold = gold_of(instance, latest, "all") or GoldInstance(instance, (), gold_result(instance, latest))
    return replace(gold, opinions=tuple(opinions))


def personal_gold(instance: Instance, counting: Sequence[Annotation]) -> GoldInstance | None:
    """The sets and the label of the one person whose annotations count; the label is the instance's where they gave none."""
    latest = latest_of_each(counting)
    gold = gold_of(replace(instance, result=None), latest, "all") if latest else None
    return gold and replace(gold, instance=instance, result=instance.result if gold.result is None else gold.result)
