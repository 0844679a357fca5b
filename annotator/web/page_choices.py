"""What is chosen on a page, in its address: taken from there and checked, and written back where it is not the default.

The controls of a page ask for their keys here, each for one choice. A choice that the address names is put into
its control when this is drawn for the first time; what is not among the control's options is left out and said. Whatever a
person chooses afterwards counts, and the address follows. Defaults are not written, so that addresses stay short.
"""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from annotator.domain.numbers import whole_number
from annotator.language import _, listed

T = TypeVar("T")
Params = Mapping[str, tuple[str, ...]]  # of an address, each name with its values

_LONGEST_SHOWN = 40  # characters of a value
_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that is chosen on a page. name: in the address; noun: in sentences, marked for the catalogues."""

    name: str
    noun: str


@dataclass(slots=True)
class _Control:
    """A control that was drawn in this run."""

    key: str
    default: Any
    write: Callable[[Any], tuple[str, ...]]


@dataclass(slots=True)
class _Memory:
    """What lasts from run to run.

    seen:    the address as it was read or written last
    asked:   what it names and no control has taken yet
    settled: controls that follow it already; values: what they held when they were drawn last
    gone:    what is left out of the address, in words; unknown: names in it that the page does not know
    written: what is chosen as of the last whole run, as an address has it; None before the first one
    """

    seen: Params = field(default_factory=dict)
    asked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    values: dict[str, Any] = field(default_factory=dict)
    drawn: dict[str, _Control] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    written: Params | None = None
    is_changed: bool = False


class PageChoices:
    """The choices of a page, kept in a visit's session.

    page: begins the keys of its controls; whose: ends them, such as a project's number
    """

    def __init__(self, session: MutableMapping[Any, Any], page: str, whose: object, choices: Sequence[Choice]) -> None:
        self._session = session
        self._page, self._whose = page, whose
        self._choices = {choice.name: choice for choice in choices}
        self._memory: _Memory = session.setdefault(f"{page}_choices_{whose}", _Memory())

    def begin(
        self, address: Params, *, is_arrival: bool = False, expand: Callable[[Params], Params] = lambda address: address
    ) -> bool:
        """Begin a run under an address; whether it is another one than that of what was chosen: a link, Back, F5.

        A run may still come with the former address when somebody chooses faster than the browser learns the new one: what they
        chose counts. is_arrival: the page was just opened; without an address, as from the menu, it is as it was left.
        expand: what an address stands for, where it names a saved view
        """
        memory = self._memory
        memory.drawn = {}
        has_chosen = any(self._session[key] != value for key, value in memory.values.items() if key in self._session)
        is_as_left = is_arrival and not address and memory.written is not None
        memory.is_changed |= has_chosen or is_as_left
        if address == memory.seen or has_chosen or is_as_left:
            memory.seen = address
            return False
        self._go(expand(address))
        memory.seen = address
        return True

    def _go(self, address: Params) -> None:
        """Take everything from an address; what it does not name is as before anybody chose."""
        unknown = [f"“{_short(name)}”" for name in address if name not in self._choices]
        self._memory.asked = {name: tuple(texts) for name, texts in address.items() if name in self._choices}
        self._memory.settled, self._memory.gone = set(), []
        self._memory.unknown = unknown
        self._memory.written, self._memory.is_changed = None, False

    def one(
        self, choice: Choice, options: Sequence[T], default: T, *, part: str = "", write: Callable[[T], str] = str,
        find: Callable[[str], T | None] = lambda _: None,
    ) -> str:  # fmt: skip
        """The key of a control that chooses one option.

        part: tells controls of the same choice apart; find: the option that a text means which none is written as
        """
        by_name = {write(option): option for option in options}

        def read(texts: tuple[str, ...]) -> T:
            if len(texts) == 1:
                meant = by_name[texts[0]] if texts[0] in by_name else find(texts[0])
                if texts[0] in by_name or meant is not None:
                    return cast("T", meant)
            self._leave_out(choice, texts)
            return default

        def mend(value: Any) -> Any:
            return value if value in options else default

        return self._settled(choice, part, default, read, mend, lambda value: (write(value),))

    def several(self, choice: Choice, options: Sequence[str], default: Sequence[str], *, part: str = "") -> str:
        """The key of a control that chooses any number of options."""

        def read(texts: tuple[str, ...]) -> list[str]:
            if texts == ("",) and "" not in options:
                return []
            chosen = [text for text in dict.fromkeys(texts) if text in options]
            self._leave_out(choice, [text for text in texts if text not in options])
            return chosen or list(default)

        def mend(value: Any) -> list[str]:
            possible = [name for name in value if name in options]
            return possible if possible or not value else list(default)

        return self._settled(choice, part, list(default), read, mend, lambda value: tuple(value) or ("",))

    def flag(
        self, choice: Choice, *, default: bool = False, words: tuple[str, str] = ("0", "1"), part: str = ""
    ) -> str:
        """The key of a switch. words: what the address says when it is off, and on."""
        return self.one(choice, (False, True), default, part=part, write=lambda is_on: words[bool(is_on)])

    def number(self, choice: Choice, lowest: int, highest: int, default: int, *, part: str = "") -> str:
        """The key of a control for a whole number."""

        def is_possible(value: Any) -> bool:
            return isinstance(value, int) and lowest <= value <= highest

        def read(texts: tuple[str, ...]) -> int:
            number = whole_number(texts[0]) if len(texts) == 1 else None
            if number is None or not is_possible(number):
                self._leave_out(choice, texts)
                return default
            return number

        def mend(value: Any) -> int:
            return value if is_possible(value) else default

        return self._settled(choice, part, default, read, mend, lambda value: (str(value),))

    def text(self, choice: Choice, longest: int) -> str:
        """The key of a field into which anything may be written, up to so many characters."""

        def mend(value: Any) -> str:
            return value[:longest] if isinstance(value, str) else ""

        return self._settled(choice, "", "", lambda texts: texts[0][:longest] if texts else "", mend, lambda v: (v,))

    def asked(self, choice: Choice) -> tuple[str, ...]:
        """What the address names and no control has taken yet."""
        return self._memory.asked.get(choice.name, ())

    def leave_out_text(self, choice: Choice, text: str) -> None:
        """Say that what a control has taken is not there after all."""
        self._leave_out(choice, (text,))

    def leave_out(self, words: str) -> None:
        """Say that something the address names is left out."""
        if words not in self._memory.gone:
            self._memory.gone.append(words)

    def params(self) -> Params:
        """What is chosen, as the address of the page has it; what no control has taken yet stays as it was asked for."""
        chosen = {
            name: control.write(self._session[control.key])
            for name, control in self._memory.drawn.items()
            if self._session[control.key] != control.default
        }
        return self._memory.asked | chosen

    def end(self, *, is_whole: bool) -> Params | None:
        """End a run: the address to be written, or None where it stays as it is.

        is_whole: the whole page was drawn, so that what no control has taken is not there to be chosen
        """
        memory = self._memory
        if is_whole:
            for name, texts in memory.asked.items():
                self._leave_out(self._choices[name], texts)
            memory.asked = {}
        params = self.params()
        has_moved = memory.is_changed or (memory.written is not None and params != memory.written)
        memory.values = memory.values | {c.key: self._session[c.key] for c in memory.drawn.values()}
        memory.written, memory.is_changed = params, False
        if not has_moved:
            return None
        memory.gone, memory.unknown = [], []
        memory.seen = params
        return params

    def gone(self, whose: str = "") -> str:
        """A sentence that names what is left out of an address, or of a view; "" where nothing is.

        whose: who asks for it, in words; "" for the address
        """
        names = self._memory.gone + self._memory.unknown  # what somebody chose before what may be a mistyped name
        if not names:
            return ""
        shown = names[:_MOST_SHOWN]
        rest = [_("{n} more", n=f"{len(names) - len(shown):,}")] if len(names) > len(shown) else []
        sentence = _("Not found, so ignored: {names}.", names=listed([*shown, *rest]))
        return _("{what}: {value}", what=whose, value=sentence) if whose else sentence

    def _settled(
        self, choice: Choice, part: str, default: Any, read: Callable[[tuple[str, ...]], Any],
        mend: Callable[[Any], Any], write: Callable[[Any], tuple[str, ...]],
    ) -> str:  # fmt: skip
        memory = self._memory
        key = "_".join(str(word) for word in (self._page, part, choice.name, self._whose) if word != "")
        if key not in memory.settled:
            memory.settled.add(key)
            texts = memory.asked.pop(choice.name, None)
            self._put(key, default if texts is None else read(texts))
        else:
            held = self._session.get(key, memory.values.get(key, default))
            mended = mend(held)
            if key not in self._session or mended != held:
                self._put(key, mended)
        memory.drawn[choice.name] = _Control(key, default, write)
        return key

    def _put(self, key: str, value: Any) -> None:
        self._session[key] = self._memory.values[key] = value

    def _leave_out(self, choice: Choice, texts: Sequence[str]) -> None:
        for text in texts:
            self.leave_out(_("{noun} “{value}”", noun=_(choice.noun), value=_short(text)))


def _short(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode()
    return whole if len(whole) <= _LONGEST_SHOWN else f"{whole[: _LONGEST_SHOWN - 1]}…"
