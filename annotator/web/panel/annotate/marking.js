/** What a person can do to the instance on the screen: each action changes its state, shows it and saves it. */
import * as model from "../shared/annotation.js";
import { countTokens, counted, quoted, spokenLabel, within, without } from "../shared/naming.js";
import { _, joined } from "../words/language.js";

// ---- The answer's place: a draft holds its words alone; which of several places was meant is known while one works

/** @type {Span[]} */
const NOWHERE = [];

/**
 * Where the answer stands: at the place it was taken from, else where its words stand, if that is at one place only.
 * @param {Session} session
 */
export function answerSpans(session) {
  const { project, result } = session;
  if (project?.result_kind !== "answer" || project.result_mode === "confirm" || !result) return NOWHERE;
  const known = session.answerPlace;
  const place = known?.words === result ? known : { words: result, spans: onlyPlaceOf(result, session.map) };
  session.answerPlace = place;
  return place.spans;
}

/** @param {string} words @param {TokenMap} map */
function onlyPlaceOf(words, map) {
  /** @type {Span[]} */
  const found = [];
  for (const segment of map.reading) {
    const { text } = map.segments[segment];
    for (let at = text.indexOf(words); at >= 0 && found.length < 2; at = text.indexOf(words, at + 1)) {
      const span = map.spanAt(segment, at, at + words.length);
      if (span) found.push(span);
    }
  }
  return found.length === 1 ? found : NOWHERE;
}

/** @param {string} what */
function switched(what) {
  return [_("off"), _("on")].map((value) => _("{what}: {value}", { what, value }));
}

/** What is said when a view is switched off, and when it is switched on. */
const LOOK_WORDS = { erase: switched(_("Erase")), only: switched(_("This set only")), hide: switched(_("Hide sets")) };
/** @typedef {{count: string, letter: string, words: string}} Changed  how many words, of which set */
/** @param {Changed} values */
const addedWords = (values) => _("{count} added to set {letter}: {words}", values);
/** @param {Changed} values */
const removedWords = (values) => _("{count} removed from set {letter}: {words}", values);

/** @typedef {string|((state: State) => string)|null} Said  what is said of a change, perhaps of what it came to */

export class Marking {
  /**
   * @param {import("./screen.js").Screen} screen
   * @param {(session: Session) => void} onchange
   */
  constructor(screen, onchange) {
    this.screen = screen;
    this.onchange = onchange;
  }

  get session() {
    return this.screen.session;
  }

  get labelsOnly() {
    return this.session?.project?.result_mode === "labels_only";
  }

  /** Whether anything may be changed now. */
  get writable() {
    return this.#writing !== null;
  }

  /** The session, if anything of it may be changed now. */
  get #writing() {
    const { session } = this;
    return session?.open && !this.screen.readOnly ? session : null;
  }

  /**
   * One step of the history.
   * @param {(state: State) => State} change
   * @param {Said} [say]
   */
  edit(change, say = null) {
    const session = this.#writing;
    if (!session) return false;
    const before = session.state;
    const after = change(before);
    if (after === before) return false;
    session.history.push(after);
    this.#changed(session, say);
    return true;
  }

  /** @param {Session} session @param {Said} say */
  #changed(session, say) {
    session.version += 1;
    session.clock.edit();
    if (!session.held) session.problem = null;
    this.screen.refresh();
    this.screen.markedAt();
    if (say) this.screen.announce(typeof say === "function" ? say(session.state) : say);
    this.onchange(session);
  }

  /**
   * The session, if its current set may take these spans; says why if not.
   * @param {Span[]} spans
   */
  #taking(spans) {
    const session = this.#writing;
    if (!session || this.labelsOnly) return null;
    const { state, map, project } = session;
    const letter = model.letterOf(state.current);
    if (state.sets[state.current].locked) {
      this.screen.hint(_("Set {letter} is locked. Unlock it (u), or make a new set (n).", { letter }));
      return null;
    }
    if (project?.sets_may_cross_segments !== false) return session;
    const segments = map.segmentsOf([...state.sets[state.current].spans, ...spans]);
    if (segments.length <= 1) return session;
    const there = map.segments[segments[0]].title || map.segments[segments[0]].name;
    this.screen.hint(_("Set {letter} is in “{there}” and can't span segments. Make a new set (n).", { letter, there }));
    return null;
  }

  /** @param {Span[]} spans */
  add(spans) {
    const session = spans.length ? this.#taking(spans) : null;
    if (!session) return;
    // Spans of different segments never join, even where their token indices are neighbours.
    /** @param {number} a @param {number} b */
    const same = (a, b) => session.map.segmentOf(a) === session.map.segmentOf(b);
    const said = saying(session, addedWords, without(spans, heldBy(session)));
    this.edit((state) => model.addSpans(state, spans, same), said);
  }

  /** @param {Span[]} spans */
  remove(spans) {
    const session = spans.length ? this.#taking([]) : null;
    if (!session) return;
    const said = saying(session, removedWords, within(spans, heldBy(session)));
    this.edit((state) => model.removeSpans(state, spans), said);
  }

  /** Whether the next words that are selected are the answer. */
  get isPicking() {
    return this.screen.looks.answer && this.writable;
  }

  /**
   * The words of the text become the answer, as they stand there; after that one marks the set again that one was at.
   * @param {Span[]} spans
   */
  pick(spans) {
    const session = spans.length && this.isPicking ? this.session : null;
    if (!session) return;
    const words = session.map.textOf(spans[0]);
    session.answerPlace = { words, spans: [spans[0]] };
    this.screen.looks.answer = false;
    const isNew = this.edit((state) => model.setResult(state, words));
    if (!isNew) this.screen.refresh();
    const letter = model.letterOf(session.state.current);
    this.screen.announce(
      this.labelsOnly
        ? _("answer: “{words}”", { words })
        : _("answer: “{words}”; set {letter} again", { words, letter }),
    );
  }

  /** Whether the project asks for an answer that may be given here. */
  get #answers() {
    const { project } = this.session ?? {};
    return project?.result_kind === "answer" && project.result_mode !== "confirm" && this.writable;
  }

  /** Says that the text holds no answer, or takes that back. */
  noAnswer() {
    const { session } = this;
    if (!session || !this.#answers) return;
    const isSaid = session.state.result === "";
    this.edit((state) => model.setNoAnswer(state, !isSaid), isSaid ? _("no longer “no answer”") : _("no answer"));
  }

  /**
   * Adds the spans, or removes them if the set holds them all; in the erase mode always removes.
   * @param {Span[]} spans
   */
  toggle(spans) {
    if (!spans.length) return;
    if (this.isPicking) return this.pick(spans);
    const set = this.session?.state.sets[this.session.state.current];
    const held = set && spans.every((span) => model.covers(set.spans, span));
    if (held || this.screen.looks.erase) this.remove(spans);
    else this.add(spans);
  }

  /**
   * The sentence of a token, in place of the click that the double click began with.
   * @param {number} token
   * @param {boolean} erase
   */
  sentence(token, erase) {
    if (!this.session) return;
    const { map } = this.session;
    const [start, end] = map.sentenceOf(token);
    const spans = map.spansBetween(map.rankOf(start), map.rankOf(end - 1));
    if (erase) this.remove(spans);
    else this.add(spans);
  }

  /** Takes back the click that a double click began with. */
  forgetLast() {
    const session = this.#writing;
    if (!session) return;
    session.history.forget();
    session.version += 1;
    this.screen.refresh();
    this.onchange(session);
  }

  clear() {
    const session = this.#taking([]);
    if (!session) return;
    const { sets, current } = session.state;
    const { size } = sets[current];
    const letter = model.letterOf(current);
    const gone = size
      ? _("set {letter} cleared, {count}", { letter, count: countTokens(size) })
      : _("set {letter} removed", { letter });
    this.edit(model.clearSet, gone);
  }

  /**
   * Which set is current is no edit; a new set becomes one with its first token.
   * @param {number} index
   */
  choose(index) {
    const { session } = this;
    if (!session || this.labelsOnly) return;
    const { looks, readMode } = this.screen;
    if (readMode) {
      // Nothing can be marked: the set is only looked at.
      looks.pinned = looks.pinned === index ? null : index;
      return this.screen.refresh();
    }
    looks.answer = false;
    const { state } = session;
    this.#goTo(session, index === state.sets.length ? model.newSet(state) : model.chooseSet(state, index));
  }

  newSet() {
    const session = this.#writing;
    if (!session || this.labelsOnly) return;
    this.screen.looks.answer = false;
    this.#goTo(session, model.newSet(session.state));
  }

  /** @param {Session} session @param {State} after */
  #goTo(session, after) {
    if (after === session.state) return this.screen.refresh();
    session.history.replace(after);
    this.screen.refresh();
    const set = after.sets[after.current];
    const letter = model.letterOf(after.current);
    this.screen.announce(joined(_("set {letter}", { letter }), counted(set.size, "token"), set.locked && _("locked")));
  }

  unlock(index = this.session?.state.current) {
    if (index === undefined) return;
    this.edit((state) => model.unlockSet(state, index), _("set {letter} unlocked", { letter: model.letterOf(index) }));
  }

  /** @param {string|null} result */
  setResult(result) {
    const typed = this.session?.project?.result_kind === "answer";
    const said = typed || result === null ? null : spokenLabel(result, this.session?.work.instance);
    this.edit((state) => model.setResult(state, result), said);
  }

  /** @param {number} step */
  cycleLabel(step) {
    const session = this.#writing;
    const project = session?.project;
    if (!project || project.result_mode === "confirm") return;
    if (project.result_kind === "answer") return this.screen.bar.focusAnswer();
    const at = session.result === null ? -1 : project.labels.indexOf(session.result);
    const count = project.labels.length;
    const next = at < 0 ? (step > 0 ? 0 : count - 1) : (at + step + count) % count;
    this.setResult(project.labels[next]);
  }

  toggleNoRationale() {
    const session = this.#writing;
    if (!session?.project?.may_be_empty || this.labelsOnly) return;
    if (session.state.sets.some((set) => set.locked)) {
      this.screen.hint(_("A set is locked. Unlock it first (u)."));
      return;
    }
    const on = !session.state.noRationale;
    this.edit(
      (state) => model.setNoRationale(state, on),
      on ? _("no rationale in the text") : _("rationale sets again"),
    );
  }

  /** @param {string} note */
  setNote(note) {
    const session = this.#writing;
    if (!session) return;
    session.history.replace(model.setNote(session.state, note));
    session.version += 1;
    session.clock.edit();
    this.onchange(session);
  }

  undo() {
    this.#step("undo", _("undone"));
  }

  redo() {
    this.#step("redo", _("redone"));
  }

  /** @param {"undo"|"redo"} way @param {string} word */
  #step(way, word) {
    const session = this.#writing;
    if (!session) return;
    if (!session.history[way]())
      return this.screen.hint(way === "undo" ? _("Nothing to undo.") : _("Nothing to redo."));
    this.#changed(session, word);
  }

  /**
   * Views: they change what is seen, not what is marked.
   * @param {LookName} name
   */
  toggleLook(name) {
    const { looks } = this.screen;
    if (name === "answer" && !this.#answers) return;
    const on = !looks[name];
    Object.assign(looks, { only: false, hide: false, [name]: on });
    this.screen.refresh();
    if (name === "answer") return this.#saysPicking(on);
    this.screen.announce(LOOK_WORDS[name][Number(on)]);
  }

  /**
   * While the answer is selected the hand is in the text, wherever the mode was begun.
   * @param {boolean} on
   */
  #saysPicking(on) {
    if (on) this.screen.focusText();
    if (on) return this.screen.announce(_("Select the answer in the text, or press Esc."));
    const letter = model.letterOf(this.session?.state.current ?? 0);
    this.screen.announce(this.labelsOnly ? _("No answer selected.") : _("No answer selected.", { letter }));
  }
}

/**
 * What buttons and keys do to the marks; they are made before the parts of the page that do it.
 * @param {{screen: import("./screen.js").Screen, marking: Marking}} page
 * @returns {Pick<WorkActions, "hover"|"choose"|"newSet"|"undo"|"redo"|"look"|"noRationale"|"result"|"note"|"nextMark"|
 *   "table"|"reading"|"noAnswer"|"focusText">}
 */
export const markingActions = (page) => ({
  hover: (index) => page.screen.hover(index),
  choose: (index, byHand) => page.screen.chosen(page.marking, index, byHand),
  newSet: () => page.marking.newSet(),
  undo: () => page.marking.undo(),
  redo: () => page.marking.redo(),
  look: (name) => page.marking.toggleLook(name),
  noRationale: () => page.marking.toggleNoRationale(),
  result: (label) => page.marking.setResult(label),
  note: (text) => page.marking.setNote(text),
  nextMark: (by) => page.screen.nextMark(by),
  table: () => page.screen.keepTable(),
  reading: () => page.screen.reading.open(),
  noAnswer: () => page.marking.noAnswer(),
  focusText: () => page.screen.focusText(),
});

/** @param {Session} given */
const heldBy = ({ state }) => state.sets[state.current].spans;

/**
 * "3 words added to set A: “the room was”": what a change really added or removed.
 * @param {Session} given
 * @param {(values: Changed) => string} sentence
 * @param {Span[]} spans
 */
function saying({ map, state }, sentence, spans) {
  const letter = model.letterOf(state.current);
  return () => sentence({ count: countTokens(model.sizeOf(spans)), letter, words: quoted(map, spans) });
}
