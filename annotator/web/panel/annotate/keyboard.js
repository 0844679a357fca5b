/** The keyboard: a token cursor that walks through the text, one key for each action, and the list of keys. */
import { KeyListener, isCombined, isEntry, keyOf, moveRadio, scrollerOf } from "../shared/dom.js";
import { _ } from "../words/language.js";

const WITHOUT_TEXT = new Set(["v", "m", "g", "?"]);

/** @typedef {(shift: boolean) => unknown} Binding */
/** @typedef {{session: Session, map: TokenMap, rank: number}} Stand */

export class Keyboard {
  /**
   * @param {import("./screen.js").Screen} screen
   * @param {import("./marking.js").Marking} marking
   * @param {WorkActions} actions
   */
  constructor(screen, marking, actions) {
    this.screen = screen;
    this.marking = marking;
    this.actions = actions;
    /** @type {number|null}  the column that one goes through the lines in */
    this.goal = null;
    this.bindings = this.#bindings();
    // Where a text is only read, all keys belong to the page around it.
    this.listener = screen.readMode
      ? null
      : new KeyListener(screen.root, (event, target) => this.#handle(event, target));
  }

  destroy() {
    this.listener?.destroy();
  }

  /**
   * @param {KeyboardEvent} event
   * @param {EventTarget|null} target
   * @returns {boolean} whether the key meant something here
   */
  #handle(event, target) {
    const { session } = this.screen;
    if (!session) return this.#withoutText(event, target);
    session.clock.touch();
    this.screen.pointer?.forgetClick();
    const key = keyOf(event);
    if ((event.ctrlKey || event.metaKey) && key === "Enter") return this.#do(this.actions.submit);
    if (target instanceof Element && isEntry(target)) return this.#inEntry(key, target);
    // On some keyboards the brackets are written with AltGr, which a browser may report as Control and Alt.
    if (key === "]" || key === "[") return this.#do(() => this.actions.nextMark(key === "]" ? 1 : -1));
    if (event.ctrlKey || event.metaKey) return this.#withControl(event, key, session);
    if (event.altKey) return false;
    if (target instanceof Element && target.closest(".bar, .head, .notices, .aside")) {
      const answer = this.#onControl(key, target);
      if (answer !== null) return answer;
    }
    return this.#plain(key, event.shiftKey, session);
  }

  /**
   * Where there is no text one can still go back, look at one's work, and read the guidelines and the list of keys.
   * @param {KeyboardEvent} event
   * @param {EventTarget|null} target
   */
  #withoutText(event, target) {
    const key = keyOf(event).toLowerCase();
    if (!WITHOUT_TEXT.has(key) || isEntry(target) || isCombined(event)) return false;
    this.bindings[key](event.shiftKey);
    return true;
  }

  /** @param {() => unknown} action */
  #do(action) {
    action();
    return true;
  }

  /** @param {string} key @param {Element} target */
  #inEntry(key, target) {
    if (key === "Escape") return this.#do(() => this.screen.focusText());
    if (key === "Enter" && target.matches(".answer")) return this.#do(this.actions.submit);
    return false;
  }

  /** @param {KeyboardEvent} event @param {string} key @param {Session} session */
  #withControl(event, key, session) {
    const letter = key.toLowerCase();
    if (letter === "z") return this.#do(() => (event.shiftKey ? this.marking.redo() : this.marking.undo()));
    if (letter === "y") return this.#do(() => this.marking.redo());
    if (key === "Home") return this.#do(() => this.#jump(0, event.shiftKey));
    if (key === "End") return this.#do(() => this.#jump(session.map.readable - 1, event.shiftKey));
    return false;
  }

  /**
   * On the bar: a radio button moves with the arrows and submits with Enter, a button is pressed.
   * @param {string} key
   * @param {Element} target
   */
  #onControl(key, target) {
    const radio = target.closest("[role=radio]");
    if (radio instanceof HTMLElement && (key === "ArrowLeft" || key === "ArrowRight"))
      return this.#do(() => moveRadio(radio, key === "ArrowRight" ? 1 : -1));
    if ((key === "Enter" || key === " ") && target.closest(".proposal"))
      return this.#do(() => this.actions.accept(false));
    if (key === "Enter" && (radio || target.matches(".bar"))) return this.#do(this.actions.submit);
    if ((key === "Enter" || key === " ") && target.closest("button, a, summary")) return false;
    return null;
  }

  /** @param {string} key @param {boolean} shift @param {Session} session */
  #plain(key, shift, session) {
    if (/^[1-9]$/.test(key)) return this.#do(() => this.#digit(session, Number(key) - 1));
    if (key === "0") return this.#do(() => this.marking.toggleLook("answer"));
    const bound = this.bindings[key] || this.bindings[key.toLowerCase()];
    if (!bound) return false;
    bound(shift);
    return true;
  }

  /** @param {Session} given @param {number} index */
  #digit({ project, state }, index) {
    if (project?.result_mode === "labels_only") {
      if (index < project.labels.length) this.marking.setResult(project.labels[index]);
    } else if (index < state.sets.length) this.marking.choose(index);
    else this.screen.hint(_("No set {index}. Press n for a new one.", { index: index + 1 }));
  }

  /** @returns {Record<string, Binding>} */
  #bindings() {
    const { marking, actions, screen } = this;
    const forward = () => (this.#isRightToLeft() ? -1 : 1);
    return {
      ArrowRight: (shift) => this.#step(forward(), shift),
      ArrowLeft: (shift) => this.#step(-forward(), shift),
      ArrowDown: (shift) => this.#line(1, shift),
      ArrowUp: (shift) => this.#line(-1, shift),
      Home: (shift) => this.#lineEnd(-1, shift),
      End: (shift) => this.#lineEnd(1, shift),
      PageDown: (shift) => this.#page(1, shift),
      PageUp: (shift) => this.#page(-1, shift),
      " ": () => this.#mark(),
      // Where nothing is marked, Enter has no other meaning than to go on.
      Enter: () => (marking.labelsOnly ? actions.submit() : this.#mark()),
      Escape: () => this.#escape(),
      Delete: () => marking.clear(),
      Backspace: () => marking.clear(),
      n: () => marking.newSet(),
      u: () => marking.unlock(),
      l: (shift) => marking.cycleLabel(shift ? -1 : 1),
      a: (shift) => actions.accept(shift),
      r: (shift) => actions.reject(shift),
      p: (shift) => actions.nextProposal(shift ? -1 : 1),
      e: () => marking.toggleLook("erase"),
      o: () => marking.toggleLook("only"),
      x: () => marking.toggleLook("hide"),
      t: () => actions.table(),
      f: () => screen.foldQuestion(),
      b: () => screen.places.back(),
      i: () => marking.noAnswer(),
      z: () => actions.reading(),
      "+": () => screen.reading.step("size", 1),
      "=": () => screen.reading.step("size", 1),
      "-": () => screen.reading.step("size", -1),
      s: () => actions.skip(),
      d: () => actions.discard(),
      q: () => actions.ask?.(),
      c: () => actions.original?.(),
      w: () => actions.answers?.(),
      g: (shift) => actions.guidelines(shift),
      m: () => actions.mine?.(),
      v: (shift) => (shift ? actions.forward() : actions.back?.()),
      "?": () => actions.keys(),
    };
  }

  /**
   * The text and where the cursor stands in it, as a rank; -1 where it stands nowhere.
   * @returns {Stand|null}
   */
  get #stand() {
    const { session } = this.screen;
    if (!session?.map.readable) return null;
    const { cursor, map } = session;
    return { session, map, rank: cursor === null ? -1 : map.rankOf(cursor) };
  }

  /** Which way the text runs where the cursor stands. */
  #isRightToLeft() {
    const { session } = this.screen;
    if (!session) return false;
    const { cursor, map } = session;
    return (cursor === null ? map.direction : map.directionAt(cursor)) === "rtl";
  }

  /**
   * Moves the cursor; with Shift the range grows from where it stood.
   * @param {number} rank
   * @param {boolean} shift
   */
  #jump(rank, shift, keepGoal = false) {
    const stand = this.#stand;
    if (!stand) return;
    const { session, map } = stand;
    if (shift) session.anchor ??= session.cursor ?? map.tokenAtRank(0);
    else session.anchor = null;
    session.cursor = map.tokenAtRank(Math.min(Math.max(0, rank), map.readable - 1));
    if (!keepGoal) this.goal = null;
    this.screen.moveCursor();
  }

  /**
   * The first arrow brings the cursor to the first token in sight.
   * @param {boolean} shift
   */
  #enter(shift) {
    this.#jump(this.screen.firstInSight(), shift);
  }

  /** @param {number} by @param {boolean} shift */
  #step(by, shift) {
    const stand = this.#stand;
    if (!stand || stand.rank < 0) this.#enter(shift);
    else this.#jump(stand.rank + by, shift);
  }

  /** @param {number} by @param {boolean} shift */
  #line(by, shift) {
    const stand = this.#stand;
    const from = stand && this.#box(stand, stand.rank);
    if (!stand || !from) return this.#enter(shift);
    this.goal ??= (from.left + from.right) / 2;
    const rank = this.#onNextLine(stand, by, from, this.goal);
    this.#jump(rank ?? (by > 0 ? stand.map.readable - 1 : 0), shift, true);
  }

  /** @param {Pick<Stand, "map">} given @param {number} rank */
  #box({ map }, rank) {
    return rank < 0 ? null : this.screen.view.boxOf(map.tokenAtRank(rank));
  }

  /**
   * The token of the next line that stands nearest to the column one came from.
   * @param {Stand} stand
   * @param {number} by
   * @param {DOMRect} from
   * @param {number} goal
   */
  #onNextLine(stand, by, from, goal) {
    /** @type {number|null} */
    let best = null;
    let least = Infinity;
    /** @type {DOMRect|null} */
    let line = null;
    for (let at = stand.rank + by; at >= 0 && at < stand.map.readable; at += by) {
      const box = this.#box(stand, at);
      if (!box || sameLine(box, from)) continue;
      line ??= box;
      if (!sameLine(box, line)) break;
      const away =
        box.left <= goal && goal <= box.right ? 0 : Math.min(Math.abs(box.left - goal), Math.abs(box.right - goal));
      if (away < least) [best, least] = [at, away];
    }
    return best;
  }

  /** @param {number} by @param {boolean} shift */
  #lineEnd(by, shift) {
    const stand = this.#stand;
    const from = stand && this.#box(stand, stand.rank);
    if (!stand || !from) {
      this.#enter(shift);
      if (by > 0 && stand?.rank === -1 && (this.#stand?.rank ?? -1) >= 0) this.#lineEnd(by, shift);
      return;
    }
    let { rank } = stand;
    for (let at = rank + by; at >= 0 && at < stand.map.readable; at += by) {
      const box = this.#box(stand, at);
      if (box && !sameLine(box, from)) break;
      rank = at;
    }
    this.#jump(rank, shift);
  }

  /** @param {number} by @param {boolean} shift */
  #page(by, shift) {
    const stand = this.#stand;
    const box = stand && this.#box(stand, stand.rank);
    if (!stand || !box) return this.#enter(shift);
    const { top, bottom } = this.screen.textWindow();
    const scroller = scrollerOf(this.screen.root);
    const before = scroller.scrollTop;
    scroller.scrollTop += by * (bottom - top) * 0.85;
    const moved = scroller.scrollTop - before;
    const y = box.top + box.height / 2 + (by * (bottom - top) * 0.85 - moved);
    const place = this.screen.view.placeNear((box.left + box.right) / 2, y, top, bottom);
    this.#jump(place ? Math.max(place.low, place.high) : stand.rank, shift);
  }

  /** Marks the range, or the token under the cursor. */
  #mark() {
    const stand = this.#stand;
    if (!stand || stand.rank < 0) return this.#enter(false);
    const { session, map, rank } = stand;
    const from = session.anchor === null ? rank : map.rankOf(session.anchor);
    this.marking.toggle(map.spansBetween(from, rank));
    session.anchor = null;
    this.screen.moveCursor(false);
  }

  #escape() {
    const { session, looks } = this.screen;
    if (this.screen.pointer?.cancel()) return;
    Object.assign(looks, { erase: false, only: false, hide: false, answer: false, table: false });
    if (session) session.anchor = null;
    this.screen.asked.fold(true);
    this.screen.closeHint();
    this.screen.moveCursor(false);
    this.screen.refresh();
  }
}

/** @param {DOMRect} a @param {DOMRect} b */
const sameLine = (a, b) =>
  Math.abs((a.top + a.bottom) / 2 - (b.top + b.bottom) / 2) < Math.max(a.height, b.height) * 0.6;

// ---- The keys as they are listed for people

/** @type {KeyGroup} */
const ANSWER_KEYS = [
  _("The answer"),
  [
    ["0", _("Select the answer in the text")],
    ["i", _("no answer")],
    ["l", _("type it")],
  ],
];

/** @type {KeyGroup} */
export const PROPOSED_KEYS = [
  _("Proposed sets"),
  [
    ["p", _("Go to the next one (Shift + p: back)")],
    ["a", _("Accept the current proposed set")],
    ["Shift + a", _("Accept all proposed sets")],
    ["r", _("Reject the current one (Shift + r: all)")],
  ],
];

/** @type {KeyGroup} */
const WORK_KEYS = [
  _("Work"),
  [
    ["l", _("Next label (Shift + l: previous)")],
    ["Ctrl+⏎", _("Submit")],
    ["s", _("Skip")],
    ["d", _("Propose to discard")],
    ["q", _("Comments, and questions to the lead")],
    ["w", _("Show the model's prediction, if allowed")],
    ["c", _("Compare a perturbed version with its original")],
    ["g", _("Show or hide the guidelines")],
    ["Shift + g", _("Scroll the guidelines (Shift + g or Esc: back)")],
    ["v", _("Reopen your last submission")],
    ["Shift + v", _("Return to the text you left")],
    ["m", _("My work")],
    ["?", _("this list")],
  ],
];

/** The list of keys as it is shown to people; one line for each thing one can do. @type {KeyGroup[]} */
export const KEY_LIST = [
  [
    _("In the text"),
    [
      ["← →", _("move the token cursor")],
      ["↑ ↓", _("move by a line")],
      ["Home End", _("Start or end of the line (Ctrl: text)")],
      ["PgUp PgDn", _("move by a screen")],
      [_("Shift + move"), _("Extend a range of tokens")],
      ["Space ⏎", _("Mark or unmark the token or the range")],
      ["Esc", _("Cancel the range (marks stay)")],
    ],
  ],
  [
    _("With the mouse"),
    [
      [_("drag"), _("Add tokens to the current set")],
      [_("click"), _("Mark or unmark a token")],
      [_("Shift + click"), _("Extend from the last token")],
      [_("double click"), _("add the sentence")],
      [_("Alt + drag"), _("remove tokens")],
      [_("set"), _("Select and jump to it; again: back")],
      [_("map"), _("Where the marks are; click to jump")],
    ],
  ],
  [
    _("In long texts"),
    [
      ["] [", _("next or previous mark")],
      ["b", _("Back to where you were reading")],
      ["f", _("Show or hide the whole question")],
      ["t", _("Keep the table of sets and the note visible")],
      ["+ −", _("larger or smaller text")],
      ["z", _("Text size and line spacing")],
    ],
  ],
  PROPOSED_KEYS,
  [
    _("Sets"),
    [
      ["1 – 9", _("Choose a set (or a label)")],
      ["n", _("New set")],
      ["Del", _("Clear the set, or remove it if empty")],
      ["u", _("Unlock a set that passed")],
      ["e", _("Erase by click and drag")],
      ["o", _("This set only")],
      ["x", _("Hide sets")],
      ["Ctrl+Z", _("undo")],
      ["Ctrl+Shift+Z", _("redo")],
    ],
  ],
  WORK_KEYS,
];

/**
 * The keys of a project: those of the answer only where one is given, and for a worker of a recruitment link none that
 * leads away from the work.
 * @param {Project|null} project
 */
export function keysFor(project, isCrowd = false) {
  const groups = givesAnswer(project) ? KEY_LIST.flatMap(withAnswer) : KEY_LIST;
  return isCrowd ? groups.map((group) => withoutKeys(group, ["q", "w", "m"])) : groups;
}

/** @param {Project|null} project */
const givesAnswer = (project) => project?.result_kind === "answer" && project.result_mode !== "confirm";

/** @param {KeyGroup} group */
const withAnswer = (group) => (group === WORK_KEYS ? [ANSWER_KEYS, withoutKeys(group, ["l"])] : [group]);

/**
 * A group without some of its keys.
 * @param {KeyGroup} group
 * @param {string[]} left  out
 * @returns {KeyGroup}
 */
export const withoutKeys = ([title, rows], left) => [title, rows.filter(([key]) => !left.includes(key))];
