/**
 * What a reviewer can do to the review on the screen: score, go from step to step, look, comment; and the keys for it.
 * Each shows itself at once.
 */
import { letterOf } from "../shared/annotation.js";
import { KeyListener, isCombined, isEntry, keyOf, moveRadio, parts } from "../shared/dom.js";
import { _ } from "../words/language.js";
import { SCALES, carriedWords, nameOf, nextMissing, placeOf, scoreAt, withComment, withScore } from "./scores.js";
import { isInSet } from "./session.js";

/** @typedef {import("./session.js").View} View */

/** @type {Record<View, string>} */
const NOT_HERE = {
  all: "",
  alone: _("This score is about all sets. Score one set first."),
  less: _("This score is about all sets. Score one set first."),
  without: _("There are no sets."),
  changes: _("First round: no changes yet."),
};

export class Scoring {
  /**
   * @param {import("./screen.js").ReviewScreen} screen
   * @param {(session: import("./session.js").ReviewSession) => void} onchange
   */
  constructor(screen, onchange) {
    this.screen = screen;
    this.onchange = onchange;
  }

  get session() {
    return this.screen.session;
  }

  /** The session, if scores may be given now; says why if not. */
  #writing() {
    const { session } = this;
    if (session?.open && !this.screen.busy) return session;
    if (session?.work.state === "decided") this.screen.hint(_("This round is decided. Its scores are final."));
    return null;
  }

  /**
   * Gives the score of the step and goes to the next one without a score; after the last one to the submit button.
   * @param {number} value
   */
  score(value) {
    const { screen } = this;
    const session = this.#writing();
    if (!session) return;
    const { step, steps, at } = session;
    const words = SCALES[step.property];
    if (value > words.length)
      return screen.hint(
        _("The {score} is a number from 1 to {most}.", { score: nameOf(step.property), most: words.length }),
      );
    const isNew = session.set(withScore(session.scores, step, value));
    session.explained = value < words.length ? step.set : undefined;
    const next = nextMissing(steps, session.scores, at);
    const given = _("{number}, {words}.", { number: value, words: words[value - 1] });
    if (next >= 0) {
      session.goTo(next);
      screen.moved(given);
    } else {
      screen.refresh();
      screen.focusSubmit();
      screen.announce(_("{given} All scores are given. Submit with Ctrl+Enter.", { given }));
    }
    screen.markedAt();
    if (isNew) this.onchange(session);
  }

  /** Takes the score of the step back. */
  clear() {
    const session = this.#writing();
    if (!session) return;
    if (!session.set(withScore(session.scores, session.step, null))) return;
    this.screen.refresh();
    this.screen.announce(
      _("{score} of {place} removed", { score: nameOf(session.step.property), place: placeOf(session.step.set) }),
    );
    this.onchange(session);
  }

  /** @param {number} by */
  move(by) {
    const { session } = this;
    if (!session) return;
    this.goTo(Math.min(Math.max(0, session.at + by), session.steps.length - 1));
  }

  /** @param {number} at */
  goTo(at) {
    if (!this.session) return;
    this.session.explained = undefined;
    if (at !== this.session.at || this.session.pinned !== null) this.session.goTo(at);
    this.screen.moved();
  }

  /**
   * A set, or null for the whole: its wanted step, else its first one without a score, else its first one. A set that
   * has passed has no steps; it is only looked at.
   * @param {number|null} set
   * @param {ScoreName|null} [property]
   */
  choose(set, property = null) {
    const { session } = this;
    if (!session) return;
    const own = session.steps.map((step, at) => ({ ...step, at })).filter((step) => step.set === set);
    if (!own.length) return this.#glance(session, set);
    const wanted =
      own.find((step) => step.property === property) || own.find((step) => scoreAt(session.scores, step) === null);
    this.goTo((wanted || own[0]).at);
  }

  /** @param {ReviewSession} session @param {number|null} set */
  #glance(session, set) {
    const { screen } = this;
    const pinned = session.pinned === set ? null : set;
    session.look("all");
    session.pinned = pinned;
    screen.refresh();
    if (pinned !== null) screen.announce(describeSet(session.work.sets, pinned));
  }

  /**
   * A view of the text; the same one again, and the plain one, show the text with all sets.
   * @param {View} view
   */
  look(view) {
    const { session, screen } = this;
    if (!session) return;
    const wanted = session.view === view ? "all" : view;
    if (!session.views.includes(wanted)) return screen.hint(NOT_HERE[wanted]);
    session.pinned = null;
    session.look(wanted);
    screen.closeHint();
    screen.looked();
  }

  /**
   * The place to the right in the text, or to the left: another token to take out, another part of a set.
   * @param {boolean} right
   */
  arrow(right) {
    const { session, screen } = this;
    const by = right === (session?.map.direction !== "rtl") ? 1 : -1;
    if (!session?.stops.length)
      return screen.hint(
        session?.view === "changes" ? _("Nothing changed since the previous round.") : _("There are no sets."),
      );
    const count = session.stops.length;
    session.stop = session.stop === null ? (by > 0 ? 0 : count - 1) : (session.stop + by + count) % count;
    screen.refresh();
    screen.showStop();
  }

  /**
   * A token was pointed at: where one token is taken out, it is that one.
   * @param {number} token
   */
  point(token) {
    const { session, screen } = this;
    if (session?.view !== "less" || token < 0 || !isInSet(session, token)) return;
    session.stop = session.stops.findIndex(([start]) => start === token);
    screen.refresh();
    screen.showStop();
  }

  /** @param {number|null} set @param {string} text */
  comment(set, text) {
    const { session, screen } = this;
    if (!session?.open || screen.busy || !session.set(withComment(session.scores, set, text))) return;
    screen.refresh();
    this.onchange(session);
  }
}

/**
 * A set that has passed, in words.
 * @param {ReviewedSet[]} sets
 * @param {number} index
 */
const describeSet = (sets, index) => {
  const { carried } = sets[index];
  const letter = letterOf(index);
  return carried ? _("Set {letter} {what}", { letter, what: carriedWords(carried) }) : _("Set {letter}", { letter });
};

// ---- The keyboard: one key for each of them

export class ReviewKeyboard {
  /**
   * @param {import("./screen.js").ReviewScreen} screen
   * @param {Scoring} scoring
   * @param {ReviewActions} actions
   */
  constructor(screen, scoring, actions) {
    this.screen = screen;
    this.scoring = scoring;
    this.actions = actions;
    this.bindings = this.#bindings();
    this.listener = new KeyListener(screen.root, (event, target) => this.#handle(event, target));
  }

  destroy() {
    this.listener.destroy();
  }

  /**
   * @param {KeyboardEvent} event
   * @param {EventTarget|null} target
   * @returns {boolean} whether the key meant something here
   */
  #handle(event, target) {
    const { session } = this.screen;
    const key = keyOf(event);
    // Where there is nothing to review the lists can still be opened.
    if (!session)
      return !isCombined(event) && ["m", "g", "?"].includes(key) && this.#do(() => this.bindings[key](false));
    session.clock.touch();
    const isControl = event.ctrlKey || event.metaKey;
    if (isControl && key === "Enter") return this.#do(this.actions.submit);
    if (isEntry(target)) return key === "Escape" && this.#do(() => this.screen.leaveComment());
    if (isControl || event.altKey) return false;
    const answer = this.#onControl(key, target);
    return answer === null ? this.#plain(event, key) : answer;
  }

  /** @param {() => unknown} action */
  #do(action) {
    action();
    return true;
  }

  /**
   * A radio button moves with the arrows, a button is pressed.
   * @param {string} key
   * @param {EventTarget|null} target
   */
  #onControl(key, target) {
    if (!(target instanceof Element)) return null;
    const radio = target.closest(".chip");
    if (radio instanceof HTMLElement && (key === "ArrowLeft" || key === "ArrowRight"))
      return this.#do(() => moveRadio(radio, key === "ArrowRight" ? 1 : -1));
    const choice = target.closest(".choice");
    if (choice && (key === "ArrowLeft" || key === "ArrowRight")) return this.#do(() => besideOf(choice, key)?.focus());
    if ((key === "Enter" || key === " ") && target.closest("button")) return false;
    return null;
  }

  /** @param {KeyboardEvent} event @param {string} key */
  #plain(event, key) {
    if (/^[1-9]$/.test(key)) {
      // A key that is held down gives one score, not the next ones too.
      if (!event.repeat) this.scoring.score(Number(key));
      return true;
    }
    const bound = this.bindings[key] || this.bindings[key.toLowerCase()];
    if (!bound) return false;
    bound(event.shiftKey);
    return true;
  }

  /** @returns {Record<string, (shift: boolean) => unknown>} */
  #bindings() {
    const { scoring, actions, screen } = this;
    return {
      j: () => scoring.move(1),
      k: () => scoring.move(-1),
      ArrowRight: () => scoring.arrow(true),
      ArrowLeft: () => scoring.arrow(false),
      v: () => scoring.look("all"),
      o: () => scoring.look("alone"),
      t: () => scoring.look("less"),
      x: () => scoring.look("without"),
      p: () => scoring.look("changes"),
      Escape: () => scoring.look("all"),
      Delete: () => scoring.clear(),
      Backspace: () => scoring.clear(),
      f: () => screen.foldQuestion(),
      b: () => screen.places.back(),
      z: () => actions.reading(),
      "+": () => screen.reading.step("size", 1),
      "=": () => screen.reading.step("size", 1),
      "-": () => screen.reading.step("size", -1),
      c: () => screen.focusComment(),
      s: () => actions.skip(),
      q: () => actions.ask?.(),
      w: () => actions.answers(),
      g: (shift) => actions.guidelines(shift),
      m: () => actions.mine?.(),
      "?": () => actions.keys(),
    };
  }
}

/**
 * Another step of the scale gets the focus; Enter gives it.
 * @param {Element} choice
 * @param {string} key
 */
function besideOf(choice, key) {
  const all = choice.parentElement ? parts(choice.parentElement, ".choice:not([hidden])", HTMLElement) : [];
  return all[all.findIndex((one) => one === choice) + (key === "ArrowRight" ? 1 : -1)];
}
