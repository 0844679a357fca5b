/**
 * The panel's elements and what they show. It knows which session is on the screen and how it is looked at;
 * it changes nothing in it.
 */
import { holds, letterOf } from "../shared/annotation.js";
import { openDialog } from "../shared/dialogs.js";
import { button, div, element, focused, paragraph } from "../shared/dom.js";
import { Head } from "../shared/head.js";
import { sentenceOf } from "../shared/messages.js";
import { counted, nameOf, rangeWords } from "../shared/naming.js";
import { Notices } from "../shared/dialogs.js";
import { badgeOf } from "../shared/set_styles.js";
import { pieceNodes } from "../shared/text_drawing.js";
import { TextScreen } from "../shared/text_screen.js";
import { _, joined, listed, several } from "../words/language.js";
import { Bar, SetTable } from "./bar.js";
import { answerSpans } from "./marking.js";
import { ProposedNotes } from "./proposals.js";

// ---- Boxes above the text: what has become of it, that it was reopened, changed, or sent back

/** @type {Record<string, string>} */
const STANDS = {
  submitted: _("You submitted this text."),
  accepted: _("Your work on this text was accepted."),
  proposed: _("You proposed to discard this text."),
  discarded: _("This text was discarded."),
  "passed on": _("This text was given to another annotator."),
  skipped: _("This text was given to another annotator."),
  returned: _("This text was given to another annotator."),
};

/** @extends {Notices<Session>} */
class WorkNotices extends Notices {
  /** @param {WorkActions} actions */
  constructor(actions) {
    super(actions);
    this.ways = actions;
    this.proposed = new ProposedNotes();
  }

  /** @param {Session} session @param {{dark: boolean}} look */
  update(session, look) {
    super.update(session, look);
    this.proposed.update(session);
  }

  /** @param {Session} session */
  keyOf(session) {
    return [...super.keyOf(session), session.reopened, session.state.sets.map((set) => set.origin)];
  }

  /** @param {Session} session */
  boxes(session) {
    return [this.#submitted(session), this.#reopened(session), this.#changed(session), this.#feedback(session)];
  }

  /**
   * What has become of a text that has left one's hands, with its scores and reasons.
   * @param {Session} given
   */
  #submitted({ work, state }) {
    if (work.state !== "submitted" || work.foreign) return null;
    const { state: stands = "submitted", closed = "", lines = [], sets = {} } = work.outcome ?? {};
    const isOpen = ["submitted", "accepted", "proposed"].includes(stands);
    const read = closed && isOpen ? _("Read only: {why}.", { why: closed }) : _("Read only.");
    const words = element(
      "div",
      {},
      paragraph("notice-title", STANDS[stands] ?? STANDS.submitted),
      element("p", {}, read),
      ...lines.map((line) => element("p", {}, line)),
      ...this.#setLines(state, sets),
    );
    return this.box(
      "info",
      "lock",
      words,
      isOpen && !closed && button(_("Reopen"), { onclick: this.ways.withdraw }),
      button(_("Back to work"), { key: "Shift+v", className: "plain", onclick: this.ways.forward }),
    );
  }

  /**
   * A submission that was reopened is a draft, and the text that one left for it is waiting.
   * @param {Session} session
   */
  #reopened({ reopened, work }) {
    if (!reopened || work.state === "submitted") return null;
    return this.box(
      "info",
      "unlocked",
      _("Reopened as a draft: submit it again."),
      button(_("Return to the text you left"), { key: "Shift+v", className: "plain", onclick: this.ways.forward }),
    );
  }

  /** @param {State} given @param {Record<number, string[]>} said */
  #setLines({ sets }, said) {
    return sets.flatMap((set, index) =>
      (set.origin === null ? [] : (said[set.origin] ?? [])).map((line) =>
        paragraph("set-line", badgeOf(index, this.dark), line),
      ),
    );
  }

  /**
   * What somebody who judges a changed version is to know, with the way to its original.
   * @param {Session} given
   */
  #changed({ work }) {
    if (!work.is_changed || !this.ways.original) return null;
    const words = element("p", {}, _("A perturbed version: judge the text as it stands."));
    return this.box(
      "changed",
      "warning",
      element("div", {}, words, this.proposed.root),
      button(_("Original"), { key: "c", title: _("Original and changes"), onclick: this.ways.original }),
    );
  }

  /** @param {Session} given */
  #feedback({ work, state }) {
    const { feedback } = work;
    if (!feedback) return null;
    const lines = feedback.lines.map((line) => element("p", {}, line));
    const sets = this.#setLines(state, feedback.sets ?? {});
    const words = feedback.round
      ? _("Returned after round {round}", { round: feedback.round })
      : _("Returned by the lead");
    const title = paragraph("notice-title", words);
    return this.box("returned", "returned", element("div", {}, title, ...lines, ...sets));
  }
}

/** @type {Span[]} */
const NONE = [];
const DESCRIPTION = _("Arrow keys move, Space marks, digits choose the set, ? lists all keys.");
/**
 * How a text is looked at when it comes. `answer`: the next words are the answer; `table`: the table of sets is kept in
 * sight.
 */
const NO_LOOKS = Object.freeze({
  erase: false,
  only: false,
  hide: false,
  answer: false,
  table: false,
  hovered: null,
  pinned: null,
  proposal: null,
});

/**
 * @typedef {{erase: boolean, only: boolean, hide: boolean, answer: boolean, table: boolean, hovered: number|null,
 *   pinned: number|null, proposal: number|null}} Looks  hovered, pinned: a set; proposal: the number of one
 */
/** @typedef {import("../shared/marks.js").Look} Look */
/** @typedef {import("../shared/marks.js").Intent} Intent */
/**
 * How a text is shown now.
 * @typedef {{looks: Looks, readOnly: boolean, readMode: boolean, busy: boolean, dark: boolean, room: Room}} Showing
 */
/** @typedef {TextScreen<Session>["room"]} Room */

/** @typedef {import("./pointer.js").Pointer} Pointer */

/** @extends {TextScreen<Session>} */
export class Screen extends TextScreen {
  /**
   * @param {HTMLElement|ShadowRoot} parent
   * @param {WorkActions} actions  what its buttons do
   * @param {boolean} readMode  a foreign or finished annotation is shown: no marking, no keys
   * @param {boolean} isPage  whether the page is this screen's, so that it names the browser's tab
   */
  constructor(parent, actions, readMode, isPage = !readMode) {
    const bar = new Bar(actions);
    const notices = new WorkNotices(actions);
    const parts = { head: new Head(actions), bar: bar.root, notices };
    const className = readMode ? "panel read" : "panel";
    const text = {
      role: readMode ? "document" : "application",
      "aria-label": _("Text to mark"),
      "aria-description": readMode ? null : DESCRIPTION,
    };
    super(parent, className, parts, text, isPage);
    this.bar = bar;
    this.readMode = readMode;
    /** @type {Looks} */
    this.looks = { ...NO_LOOKS };
    this.cursorShown = false;
    /** @type {Pointer|null} */
    this.pointer = null;
    this.numbers = new SetTable(actions);
    this.text.addEventListener("focus", () => this.moveCursor(null));
    this.text.addEventListener("blur", () => this.view.showCursor(null));
    const title = element("h2", { class: "heard" }, _("Text"));
    const main = div("main", title, notices.root, this.text, this.empty);
    const body = div("body", main, this.numbers.root);
    this.raise(body, [this.head.root, bar.root, body, notices.dock, this.live]);
  }

  /** The cursor's box is placed by measured pixels, so it follows when the text is laid out anew. */
  resized() {
    super.resized();
    if (this.cursorShown) this.view.showCursor(this.session?.cursor ?? null);
  }

  get readOnly() {
    return this.readMode || this.busy || !this.session?.open;
  }

  /** @param {Session} session */
  show(session) {
    Object.assign(this.looks, NO_LOOKS);
    this.present(session, this.numbers, session.scroll);
    const at = focused();
    if (at === document.body || at === this.root || this.numbers.root.contains(at)) this.focusText();
    this.moveCursor(null);
    this.onshow?.(session);
    const { instance, state } = session.work;
    const values = { name: nameOf(instance), size: counted(session.map.selectableCount, "token") };
    this.announce(state === "returned" ? _("Returned text {name}, {size}", values) : _("Text {name}, {size}", values));
  }

  /** Shows the session's state: marks, bar and numbers. */
  refresh() {
    const { session } = this;
    if (!session) return;
    const { sets, current } = session.state;
    this.marks.paint(sets, (index) => this.#lookAt(index, current), this.dark);
    this.marks.overlay("answer", this.looks.only || this.looks.hide ? NONE : answerSpans(session));
    this.#paintProposed(session);
    this.markMap.update(sets, this.dark);
    this.text.classList.toggle("only", this.looks.only);
    this.text.classList.toggle("erasing", this.looks.erase && !this.readOnly);
    this.text.classList.toggle("picking", this.looks.answer && !this.readOnly);
    this.root.classList.toggle("table-kept", this.looks.table);
    this.bar.update(session, {
      looks: this.looks,
      readOnly: this.readOnly,
      readMode: this.readMode,
      busy: this.busy,
      dark: this.dark,
      room: this.room,
    });
    this.numbers.update(session, { dark: this.dark, readOnly: this.readOnly });
    this.updateWords(session);
  }

  /**
   * Proposed sets lie above the words, the one at hand tinted; a view of the sets alone shows none.
   * @param {Session} given
   */
  #paintProposed({ offer }) {
    const hides = this.looks.only || this.looks.hide || this.readOnly;
    const shown = hides ? [] : offer.undecided;
    const hand =
      shown.find(({ id }) => id === this.looks.proposal) ?? shown.find((one) => one === offer.atHand) ?? null;
    this.marks.propose(shown, hand, hides ? NONE : (offer.ignored?.spans ?? NONE));
  }

  /**
   * Shows another proposed set as if it were at hand, while the pointer is on it.
   * @param {number|null} id
   */
  glance(id) {
    if (this.looks.proposal === id || !this.session) return;
    this.looks.proposal = id;
    this.#paintProposed(this.session);
  }

  /** @param {number} index @param {number} current @returns {import("../shared/marks.js").Look} */
  #lookAt(index, current) {
    const { looks } = this;
    const chosen = this.readMode ? looks.pinned : current;
    if (looks.hide) return "hidden";
    if (looks.only) return index === chosen ? "alone" : "away";
    const lit = looks.hovered ?? chosen;
    if (looks.hovered !== null && index !== lit) return "dim";
    return index === lit ? "current" : "other";
  }

  /** @param {number|null} index */
  hover(index) {
    if (this.looks.hovered === index) return;
    this.looks.hovered = index;
    if (!this.session) return;
    const { sets, current } = this.session.state;
    this.marks.paint(sets, (set) => this.#lookAt(set, current), this.dark);
  }

  /** @param {Span[]} spans @param {Intent|null} kind */
  preview(spans, kind) {
    this.marks.showPreview(spans, kind, this.session?.state.current ?? 0);
    this.text.classList.toggle("dragging", spans.length > 0);
  }

  /** The window for the text ends where the table begins that is kept in sight. */
  textWindow() {
    const { top, bottom } = super.textWindow();
    if (!this.looks.table) return { top, bottom };
    const table = this.numbers.root.getBoundingClientRect();
    return {
      top,
      bottom:
        table.left < this.text.getBoundingClientRect().right ? Math.max(top, Math.min(bottom, table.top)) : bottom,
    };
  }

  /**
   * A set was chosen; by hand also to see where it lies.
   * @param {import("./marking.js").Marking} marking
   * @param {number} index
   */
  chosen(marking, index, byHand = false) {
    const before = this.looks.pinned;
    marking.choose(index);
    if (byHand && !(this.readMode && before === index))
      this.places.toSet(index, this.session?.state.sets[index]?.spans ?? NONE);
  }

  /** @param {number} by */
  nextMark(by) {
    if (!this.session) return;
    const { sets, current } = this.session.state;
    const all = sets.map(({ spans }, index) => ({ index, spans }));
    this.places.next(by, this.looks.only ? [all[current]] : all);
  }

  /** Keeps the table of sets and the note in sight while one works, or lets it go again. */
  keepTable() {
    this.looks.table = !this.looks.table;
    this.refresh();
    this.announce(this.looks.table ? _("the table of sets stays visible") : _("the table of sets is below the text"));
  }

  /** Where a jump led: the cursor stands there, and a step from it goes on. */
  showPlace() {
    this.moveCursor(false);
  }

  /**
   * Shows the token cursor and its range, keeps it in sight and says it.
   * @param {boolean|null} speak  null: as after a mouse click, without box and words
   */
  moveCursor(speak = true) {
    const { session } = this;
    const cursor = session?.cursor ?? null;
    this.cursorShown = speak !== null && session !== null && cursor !== null;
    if (speak === null || session === null || cursor === null) return this.view.showCursor(null);
    const { anchor, map } = session;
    const range = anchor === null ? NONE : map.spansBetween(map.rankOf(anchor), map.rankOf(cursor));
    this.marks.showPreview(range, "range", 0);
    this.keepInSight(cursor);
    this.view.showCursor(cursor);
    if (speak) this.announce(range.length ? rangeWords(session.map, range) : describe(session, cursor));
  }
}

/**
 * A token in words: which sets it is in, and what else is to be known of it.
 * @param {Session} given
 * @param {number} token
 */
function describe({ map, state, offer }, token) {
  const inSets = state.sets.flatMap((set, index) => (holds(set.spans, token) ? [letterOf(index)] : []));
  const letters = listed(inSets, "and");
  const proposed = offer.undecided.filter(({ spans }) => holds(spans, token)).map(({ title }) => title);
  return joined(
    map.textOf([token, token + 1]),
    inSets.length > 0 && several("in set {letters}", "in sets {letters}", inSets.length, { letters }),
    proposed.length > 0 && _("proposed: {set}", { set: listed(proposed, "and") }),
    holds(offer.ignored?.spans ?? NONE, token) && _("not rationale by a word list"),
    map.isTarget(token) && _("target, cannot be marked"),
  );
}

// ---- The original of a changed version, asked for when one wants to see it

export class Original {
  /** @param {import("./main.js").PanelMessages} messages @param {Screen} screen */
  constructor(messages, screen) {
    this.messages = messages;
    this.screen = screen;
    /** @type {HTMLDialogElement|null} */
    this.dialog = null;
  }

  async open() {
    const { session } = this.screen;
    if (!session || this.dialog?.open) return;
    if (!session.work.is_changed) return this.screen.hint(_("This text isn't a perturbed version."));
    const body = div("original", "…");
    const dialog = (this.dialog = openDialog(this.screen.root, _("Original and changes"), body));
    dialog.addEventListener(
      "keydown",
      (event) => event.key.toLowerCase() === "c" && !event.ctrlKey && !event.metaKey && dialog.close(),
    );
    const answer = await this.messages.get("original", { assignment: session.work.assignment });
    if (answer.status !== 200) return body.replaceChildren(paragraph("dialog-words", sentenceOf(answer)));
    body.replaceChildren(...partsOf(answer.body, session.offer));
    body.querySelector("del, ins")?.scrollIntoView({ block: "center" });
  }
}

/** @param {ShownOriginal} given0 @param {Session["offer"]} given1 */
function partsOf({ language, direction, segments }, { change, warnings: all, isOfAnotherResult }) {
  const isNamed = segments.length > 1;
  const said = change && paragraph(`dialog-words${isOfAnotherResult ? " warns" : ""}`, change.words);
  const legend = paragraph(
    "dialog-words",
    element("del", {}, _("in the original only")),
    " · ",
    element("ins", {}, _("in this text only")),
  );
  const warnings = all.filter((words) => words !== change?.words);
  return [
    said,
    legend,
    ...segments.map(({ title, is_changed: isChanged, pieces }) =>
      element(
        "section",
        {},
        isNamed && element("h3", { class: "segment-title" }, isChanged ? title : _("{title} · not changed", { title })),
        element("p", { class: "since", dir: direction, lang: language }, ...pieceNodes(pieces)),
      ),
    ),
    warnings.length > 0 &&
      element(
        "section",
        { class: "proposed-notes" },
        element("h3", { class: "segment-title" }, _("Sets proposed from the original")),
        ...warnings.map((line) => element("p", {}, line)),
      ),
  ].filter((made) => made !== null && made !== false);
}
