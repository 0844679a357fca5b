/**
 * The panel's elements and what they show. It knows which session is on the screen and how it is looked at;
 * it changes nothing in it.
 */
import { _, joined, listed, several } from "../words/language.js";
import { answerSpans } from "./answering.js";
import { Bar } from "./bar.js";
import { element, focused } from "../shared/dom.js";
import { Head } from "../shared/head.js";
import { holds, letterOf } from "../shared/model.js";
import { nameOf } from "../shared/naming.js";
import { WorkNotices } from "./notices.js";
import { Preview } from "./preview.js";
import { counted, rangeWords } from "../shared/spoken.js";
import { Stage } from "../shared/stage.js";
import { TabTitle } from "../shared/tab_title.js";

/** @type {Span[]} */
const NONE = [];
const DESCRIPTION = _(
  "Arrow keys move from token to token, Space marks, digits choose the rationale set, question mark lists all keys.",
);
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
/** @typedef {Stage<Session>["room"]} Room */

/** @typedef {import("./pointer.js").Pointer} Pointer */

/** @extends {Stage<Session>} */
export class Screen extends Stage {
  /**
   * @param {HTMLElement|ShadowRoot} parent
   * @param {WorkActions} actions  what its buttons do
   * @param {boolean} readMode  a foreign or finished annotation is shown: no marking, no keys
   * @param {boolean} isPage  whether the page is this screen's, so that it names the browser's tab
   */
  constructor(parent, actions, readMode, isPage = !readMode) {
    const bar = new Bar(actions);
    const notices = new WorkNotices(actions);
    const parts = { head: new Head(actions), bar: bar.root, urgent: notices.urgent };
    const className = readMode ? "panel read" : "panel";
    super(parent, className, parts, {
      role: readMode ? "document" : "application",
      "aria-label": _("Text to mark"),
      "aria-description": readMode ? null : DESCRIPTION,
    });
    this.bar = bar;
    this.notices = notices;
    this.readMode = readMode;
    /** @type {Looks} */
    this.looks = { ...NO_LOOKS };
    this.cursorShown = false;
    /** @type {Pointer|null} */
    this.pointer = null;
    this.tab = isPage ? new TabTitle() : null;
    this.numbers = new Preview(actions);
    this.text.addEventListener("focus", () => this.moveCursor(null));
    this.text.addEventListener("blur", () => this.view.showCursor(null));
    const title = element("h2", { class: "heard" }, _("Text"));
    const main = element("div", { class: "main" }, title, notices.root, this.text, this.empty);
    const body = element("div", { class: "body" }, main, this.numbers.root);
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

  /**
   * Draws another instance.
   * @param {Session} session
   */
  show(session) {
    Object.assign(this.looks, NO_LOOKS);
    this.draw(session);
    this.head.show(session);
    this.numbers.show(session);
    this.notices.show(session);
    this.refresh();
    this.showQuestion();
    this.scrollTo(session.scroll);
    const at = focused();
    if (at === document.body || at === this.root || this.numbers.root.contains(at)) this.focusText();
    this.moveCursor(null);
    this.tab?.name(nameOf(session.work.instance));
    this.onshow?.(session);
    const { instance, state } = session.work;
    const values = { name: nameOf(instance), size: counted(session.map.selectableCount, "token") };
    this.announce(state === "returned" ? _("Returned text {name}, {size}", values) : _("Text {name}, {size}", values));
  }

  /** @param {string} sentence */
  showEmpty(sentence) {
    super.showEmpty(sentence);
    this.head.showNothing();
    this.notices.show(null);
    this.tab?.name("");
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
    this.head.update(session);
    this.asked.update(this.head.words);
    this.notices.update(session, { dark: this.dark });
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
    if (spans.length) this.text.classList.add("dragging");
    else this.text.classList.remove("dragging");
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

  /**
   * To the next mark of the sets that are shown, or to the one before.
   * @param {number} by
   */
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
    this.announce(
      this.looks.table ? _("the table of sets is kept in sight") : _("the table of sets is below the text again"),
    );
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
    const range = rangeOf(session, cursor);
    this.marks.showPreview(range, "range", 0);
    this.keepInSight(cursor);
    this.view.showCursor(cursor);
    if (speak) this.announce(range.length ? rangeWords(session.map, range) : describe(session, cursor));
  }

  destroy() {
    this.tab?.destroy();
    super.destroy();
  }
}

/**
 * The range that the keyboard has made, if there is one.
 * @param {Session} session
 * @param {number} cursor
 */
function rangeOf({ anchor, map }, cursor) {
  return anchor === null ? NONE : map.spansBetween(map.rankOf(anchor), map.rankOf(cursor));
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
