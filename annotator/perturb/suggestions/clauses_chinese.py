"""Chinese syntax: clauses in another order, and 被 and 把 with a pronoun."""

import re
from collections.abc import Iterator

from annotator.language import _
from annotator.perturb.passage import Passage
from annotator.perturb.registry import Proposal, suggester
from annotator.text.edits import Edit

_CLAUSE = r"[^，,。！？!?；;]"
_PAIRED = re.compile(
    rf"(?P<first>(?:虽然|尽管|因为|由于){_CLAUSE}+)[，,](?P<link>但是|但|可是|不过|所以|因此)(?P<main>{_CLAUSE}+)(?P<end>[。！!]|$)"
)
_PRONOUN = "我们|你们|他们|她们|它们|咱们|我|你|他|她|它"
_BEI = re.compile(
    rf"(?:^|(?<=[，,。！？!?；;]))(?P<patient>(?:(?![不没也都就又还被把]){_CLAUSE}){{1,8}})被(?P<agent>{_PRONOUN})(?P<rest>{_CLAUSE}+了)"
)
_BA = re.compile(rf"(?:^|(?<=[，,。！？!?；;]))(?P<agent>{_PRONOUN})把(?P<patient>{_PRONOUN})(?P<rest>{_CLAUSE}+了)")


@suggester("Clause to the end", kinds="syntax", languages="zh")
def chinese_clause_to_the_end(passage: Passage) -> Iterator[Proposal]:
    """From 虽然A，但是B to B，虽然A."""
    for match in _PAIRED.finditer(passage.text):
        edits = [
            Edit(match.start(), match.start("main"), ""),
            Edit(match.end("main"), match.end("main"), "，" + match["first"]),
        ]
        yield edits, _("“{words}” to the end", words=match["first"])


@suggester("被 to 把", kinds="syntax", languages="zh")
def chinese_passive_to_active(passage: Passage) -> Iterator[Proposal]:
    """杯子被我打碎了 → 我把杯子打碎了. Only with a pronoun, since where a longer agent ends is not written."""
    for match in _BEI.finditer(passage.text):
        yield [Edit(match.start("patient"), match.start("rest"), f"{match['agent']}把{match['patient']}")], "被 → 把"


@suggester("把 to 被", kinds="syntax", languages="zh")
def chinese_active_to_passive(passage: Passage) -> Iterator[Proposal]:
    for match in _BA.finditer(passage.text):
        yield [Edit(match.start("agent"), match.start("rest"), f"{match['patient']}被{match['agent']}")], "把 → 被"
