/**
 * Going to places in the text: to the marks, one after the other, to a set's place, and back to where one was reading.
 * Nothing here changes what is marked.
 */
import { _ } from "../words/language.js";
import { letterOf } from "./annotation.js";
import { countTokens, quoted } from "./naming.js";

/** In a long text places move while it is laid out, so one looks again in so many frames. */
const FRAMES = 10;
/** So many parts of a set are looked at to find out whether one of them is in sight. */
const PARTS = 40;
/** Where in the window a place is put, counted from its upper edge: one sees what follows it. */
const UPPER_PART = 0.3;
/** Less than this many pixels is no scrolling of one's own. */
const STILL = 3;

/** @typedef {import("./text_screen.js").TextScreen<Session|ReviewSession>} Stage */
/** @typedef {{index: number, span: Span, rank: number}} Mark  index: of its set */

export class Navigation {
  /** @param {Stage} stage */
  constructor(stage) {
    this.stage = stage;
    /** @type {number|null}  where one was reading before a jump */
    this.left = null;
    /** @type {number|null}  where the jump led */
    this.arrived = null;
    /** @type {number|null}  the set whose place was shown */
    this.set = null;
    /** @type {number|undefined}  asked for while a jump is under way */
    this.frame = undefined;
    /** @type {{mark: Mark, session: WorkSession}|null}  the mark that a step led to, and in which text */
    this.last = null;
  }

  /** Another text: there is nowhere to go back to. */
  reset() {
    this.stop();
    this.left = null;
    this.arrived = null;
    this.set = null;
  }

  stop() {
    if (this.frame !== undefined) cancelAnimationFrame(this.frame);
    this.frame = undefined;
  }

  /** @param {number} token */
  isInSight(token) {
    const box = this.stage.view.boxOf(token);
    const { top, bottom } = this.stage.textWindow();
    return box !== null && box.top >= top && box.bottom <= bottom;
  }

  /**
   * Brings a token into sight, if it is not there, to the upper part of the window.
   * @param {number} token
   */
  bring(token) {
    this.stop();
    if (!this.isInSight(token)) this.#scrollTo(token, FRAMES);
  }

  /** @param {number} token @param {number} frames */
  #scrollTo(token, frames) {
    const { stage } = this;
    this.frame = undefined;
    const box = stage.session && stage.view.boxOf(token);
    if (!box) return;
    const { top, bottom } = stage.textWindow();
    stage.scrollBy(box.top - top - (bottom - top) * UPPER_PART);
    this.arrived = stage.scroll;
    if (frames) this.frame = requestAnimationFrame(() => this.#scrollTo(token, frames - 1));
  }

  /** Whether the text stands where a jump brought it, or is still brought there: then one has not read on since. */
  get #isThere() {
    if (this.frame !== undefined) return true;
    return this.arrived !== null && Math.abs(this.stage.scroll - this.arrived) < STILL;
  }

  /**
   * Goes to a token; where one was reading is kept, so that one can come back.
   * @param {number} token
   */
  go(token) {
    if (!this.#isThere) this.left = this.stage.scroll;
    this.bring(token);
  }

  /** Back to where one was reading before the last jump; once more, and one is at the jump's place again. */
  back() {
    if (this.left === null) return this.stage.hint(_("Nothing to go back to."));
    this.stop();
    const here = this.stage.scroll;
    this.stage.scrollTo(this.left);
    this.left = here;
    this.arrived = null;
    this.set = null;
    this.stage.announce(_("Back to where you were reading"));
  }

  /**
   * To the place of a set, if none of it is in sight; asked again for the same set, back to where one was reading.
   * @param {number} index
   * @param {Span[]} spans
   */
  toSet(index, spans) {
    if (this.set === index && this.#isThere) return this.back();
    this.set = null;
    if (!spans.length || spans.slice(0, PARTS).some(([start]) => this.isInSight(start))) return;
    this.go(spans[0][0]);
    this.set = index;
  }

  /**
   * The next mark of these sets in reading order, or the one before; after the last comes the first.
   * @param {Array<{index: number, spans: import("./tokens.js").Span[]}>} sets
   * @param {number} by
   */
  next(by, sets) {
    const { stage } = this;
    const { session } = stage;
    if (!session) return;
    const { map, cursor } = session;
    const marks = sets.flatMap(({ index, spans }) => spans.map((span) => ({ index, span, rank: map.rankOf(span[0]) })));
    if (!marks.length) return stage.hint(_("Nothing is marked."));
    marks.sort((a, b) => a.rank - b.rank || a.index - b.index);
    // One looks on from the cursor, if it is in sight, else from the first line.
    const from = cursor !== null && this.isInSight(cursor) ? map.rankOf(cursor) : stage.firstInSight() - 0.5;
    const at = nextOf(marks, by, this.#standing(marks, session), from);
    this.last = { mark: marks[at], session };
    session.anchor = null;
    session.cursor = marks[at].span[0];
    this.go(marks[at].span[0]);
    stage.showPlace();
    stage.announce(
      _("{mark}, mark {position} of {all}", { mark: words(marks[at], map), position: at + 1, all: marks.length }),
    );
  }

  /**
   * Where one stands among the marks, if a step through them led here.
   * @param {Mark[]} marks
   * @param {WorkSession} session
   */
  #standing(marks, session) {
    const last = this.last?.mark;
    if (!last || this.last?.session !== session || session.cursor !== last.span[0]) return -1;
    return marks.findIndex(
      ({ index, span }) => index === last.index && span[0] === last.span[0] && span[1] === last.span[1],
    );
  }
}

/**
 * @param {number} standing  one's place among the marks, or -1 @param {number} from  the rank one looks on from
 * @param {Mark[]} marks
 * @param {number} by
 */
function nextOf(marks, by, standing, from) {
  if (standing >= 0) return (standing + by + marks.length) % marks.length;
  if (by > 0) {
    const after = marks.findIndex(({ rank }) => rank > from);
    return after < 0 ? 0 : after;
  }
  const before = marks.findLastIndex(({ rank }) => rank < from);
  return before < 0 ? marks.length - 1 : before;
}

/** @param {Mark} mark @param {TokenMap} map */
const words = ({ index, span }, map) =>
  _("set {letter}, {count}: {words}", {
    letter: letterOf(index),
    count: countTokens(span[1] - span[0]),
    words: quoted(map, [span]),
  });
