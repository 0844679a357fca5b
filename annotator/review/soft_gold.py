"""Gold that keeps people apart: what everybody said of an instance, or one person alone."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from annotator.domain.instances import Annotation, GoldInstance, Instance, Opinion
from annotator.domain.sources import is_mask_of_nobody
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


def latest_of_each(annotations: Iterable[Annotation]) -> list[Annotation]:
    """Of each annotator the latest round, in the order in which they came."""
    latest: dict[str, Annotation] = {}
    for annotation in annotations:
        known = latest.get(annotation.annotator)
        if known is None or (annotation.round_number, annotation.id) > (known.round_number, known.id):
            latest[annotation.annotator] = annotation
    return list(latest.values())


def labels_alone(annotations: Sequence[Annotation], part: Sequence[Annotation]) -> list[Annotation]:
    """Where marks of nobody known take part: what a file says of those who gave a label, since some of the marks are theirs."""
    if not any(is_mask_of_nobody(a.annotator) for a in part):
        return []
    names = {a.annotator for a in part}
    brought = (a for a in annotations if a.state == "reference" and a.user_id is None and a.annotator not in names)
    return [a for a in brought if a.result is not None and not a.sets]
