"""Clauses and phrases in another order, passive and active (English, Chinese), where the words themselves show how.

English active to passive is left to people: it needs to be known which words are the object and what the participle is.
"""

import re
from collections.abc import Iterator

from annotator.language import _
from annotator.perturb.passage import Passage
from annotator.perturb.suggested_texts import Proposal, suggester
from annotator.text.edits import Edit

_SUBORDINATE = r"although|though|because|when|while|if|since|unless|whenever|even though|as soon as"
_PREPOSITION = r"in|at(?! (?:least|most|first|last))|on|during|after|before|since|by|throughout|until"
_SENTENCE_END = r"(?P<end> ?[.!]?)"
# Although A, B. The comma is the only one: with more, nobody knows where A ends.
_FRONTED = re.compile(
    rf"(?P<first>(?:{_SUBORDINATE}|{_PREPOSITION}) [^,;:?!\"“”()]+?)(?P<comma> ?, )(?P<main>[^,;:?!\"“”()]+?){_SENTENCE_END}",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"(?P<main>[^,;:?!\"“”()]+?)(?P<comma> ?,)? "
    r"(?P<last>(?:although|though|because|even though|unless|whenever) [^,;:?!\"“”()]+?)"
    rf"{_SENTENCE_END}",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?:i|you|he|she|it|we|they|the|this|that|these|those|there|my|his|her|its|our|their|a|an)\b", re.IGNORECASE
)
_VERB = re.compile(
    r"\b(?:am|is|are|was|were|has|have|had|do|does|did|can|could|will|would|should|may|might|must|\w+ed|\w+s|\w+n['’]t|\w+['’](?:s|re|m|ve|ll|d))\b"
)
_PAIR = re.compile(
    r"(?<=\b)(?:is|are|was|were|be|been|feels|felt|looks|looked|seems|seemed) "
    r"(?P<one>[a-z]{3,})(?P<and> (?:and|but) )(?P<other>[a-z]{3,})(?= ?[.,!?;]|\Z)"
)
_NO_ADJECTIVE = frozenset(
    {"not", "all", "here", "there", "then", "now", "that", "this", "what", "who", "the", "him", "her", "them"}
)
_DETERMINER = "(?i:the|this|that|these|those|his|her|my|our|their)"
_PASSIVE = re.compile(
    rf"(?P<patient>(?:{_DETERMINER}|[A-Z][a-z]+)(?: [A-Za-z]+){{0,4}}) (?:was|were) (?P<verb>[a-z]+ed) by "
    rf"(?P<agent>(?:an?|{_DETERMINER}|[A-Z][a-z]+)\b[^,;:?!.\"“”()]*?)(?P<end> ?[.!]?)"
)


@suggester("Clause to the end", kinds="syntax", languages="en")
def clause_to_the_end(passage: Passage) -> Iterator[Proposal]:
    """Although A, B. → B, although A. In 1990, B. → B in 1990."""
    for start, end in passage.sentences:
        match = _FRONTED.fullmatch(passage.text, start, end)
        if match is None or not _has_subject(match["main"]):
            continue
        is_clause = re.match(_SUBORDINATE, match["first"], re.IGNORECASE) is not None
        if not is_clause and not _VERB.search(match["main"]):
            continue
        comma = match["comma"].rstrip() + " " if is_clause else " "
        moved = comma + match["first"][:1].lower() + match["first"][1:]
        main = match.start("main")
        capital = Edit(
            start, main + 1, passage.text[main].upper() if passage.text[start].isupper() else passage.text[main]
        )
        yield (
            [capital, Edit(match.end("main"), match.end("main"), moved)],
            _("“{words}” to the end", words=match["first"]),
        )


@suggester("Clause to the front", kinds="syntax", languages="en")
def clause_to_the_front(passage: Passage) -> Iterator[Proposal]:
    """B because A. → Because A, B."""
    for start, end in passage.sentences:
        match = _TRAILING.fullmatch(passage.text, start, end)
        if match is None or not _has_subject(match["main"]):
            continue
        first = passage.next_word(start)
        if first != "i" and first not in passage.word_lists.list("function_words"):
            continue
        letter = passage.text[start]
        is_capital = letter.isupper()
        last = match["last"]
        front = (last[:1].upper() if is_capital else last[:1]) + last[1:] + (" , " if passage.is_spaced else ", ")
        yield (
            [
                Edit(start, start + 1, front + (letter if first == "i" else letter.lower())),
                Edit(match.end("main"), match.end("last"), ""),
            ],
            _("“{words}” to the front", words=last),
        )


@suggester("Exchange two adjectives", kinds="syntax", languages="en")
def exchange_adjectives(passage: Passage) -> Iterator[Proposal]:
    """Slow and boring → boring and slow, after a form of be and before a sign."""
    for match in _PAIR.finditer(passage.text):
        first, other = match["one"], match["other"]
        if first != other and not {first, other} & _NO_ADJECTIVE:
            yield [Edit(*match.span("one"), other), Edit(*match.span("other"), first)], f"{other}{match['and']}{first}"


@suggester("Passive to active", kinds="syntax", languages="en")
def passive_to_active(passage: Passage) -> Iterator[Proposal]:
    """The film was directed by John. → John directed the film. A whole sentence with a regular verb, in the past."""
    lists = passage.word_lists
    for start, end in passage.sentences:
        match = _PASSIVE.fullmatch(passage.text, start, end)
        if (
            match is None
            or match["verb"].lower() in lists.list("no_actions")
            or set(lists.list("no_agents")) & {*match["agent"].lower().split()}
        ):
            continue
        patient, agent = match["patient"], match["agent"]
        if patient.split()[0].lower() in lists.list("function_words"):
            patient = patient[:1].lower() + patient[1:]
        if re.search(r"\b(?:who|which|that|and)\b", agent):
            continue
        yield (
            [
                Edit(start, match.start("verb"), agent[:1].upper() + agent[1:] + " "),
                Edit(match.end("verb"), match.start("end"), " " + patient),
            ],
            _("active: {verb}", verb=match["verb"]),
        )


def _has_subject(clause: str) -> bool:
    """Whether words look like a clause: a pronoun or a determiner, and something after it."""
    return _SUBJECT.match(clause) is not None and " " in clause


# Chinese syntax: clauses in another order, and 被 and 把 with a pronoun.


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
