/**
 * One work object while it is in the panel: its states and their history, its place in the text, its time, what is
 * wrong with it.
 */
import { draftOf, sameDraft, stateFrom } from "./annotation.js";
import { Offer } from "./proposals.js";
import { TokenMap } from "./tokens.js";

// ---- Time spent on an instance since the last message about it that the server acknowledged

export class Clock {
  /** @param {number|undefined} idleAfter  seconds; a longer pause counts as idle */
  constructor(idleAfter, now = Date.now) {
    this.idleAfter = (idleAfter || 60) * 1000;
    this.now = now;
    this.last = null;
    /** @type {string|null} */
    this.firstAction = null;
    this.reported = false;
    this.active = 0;
    this.idle = 0;
    this.edits = 0;
  }

  /** The instance is on the screen from now on. */
  start() {
    this.last = this.now();
  }

  /** The instance has left the screen. */
  stop() {
    this.touch();
    this.last = null;
  }

  /** The person did something. */
  touch() {
    const now = this.now();
    const pause = this.last === null ? 0 : now - this.last;
    if (pause > this.idleAfter) this.idle += pause;
    else this.active += pause;
    this.last = now;
  }

  edit() {
    this.touch();
    this.edits += 1;
    this.firstAction ??= new Date(this.now()).toISOString();
  }

  /** What to send. */
  timing() {
    return {
      first_action_at: this.reported ? null : this.firstAction,
      active_ms: Math.round(this.active),
      idle_ms: Math.round(this.idle),
      edits: this.edits,
    };
  }

  /**
   * A timing reached the server: count from there on.
   * @param {Timing} timing
   */
  acknowledge(timing) {
    this.active = Math.max(0, this.active - timing.active_ms);
    this.idle = Math.max(0, this.idle - timing.idle_ms);
    this.edits = Math.max(0, this.edits - timing.edits);
    if (timing.first_action_at) this.reported = true;
  }
}

// ---- The states of a piece of work: undo goes back without limit, redo on again

export class History {
  /** @param {State} state */
  constructor(state) {
    this.present = state;
    /** @type {State[]} */
    this.past = [];
    /** @type {State[]} */
    this.future = [];
  }

  /**
   * Goes on to another state; the old one can be come back to.
   * @param {State} state
   */
  push(state) {
    this.past.push(this.present);
    this.future.length = 0;
    this.present = state;
  }

  /**
   * Replaces the present without a step in the past: for what is not an edit (which set is current, the note).
   * @param {State} state
   */
  replace(state) {
    this.present = state;
  }

  undo() {
    if (!this.past.length) return false;
    this.future.push(this.present);
    this.present = this.#carry(/** @type {State} */ (this.past.pop()));
    return true;
  }

  redo() {
    if (!this.future.length) return false;
    this.past.push(this.present);
    this.present = this.#carry(/** @type {State} */ (this.future.pop()));
    return true;
  }

  /** Takes the last step back as if it had not been (a double click begins with a click). */
  forget() {
    const before = this.past.pop();
    if (before) this.present = this.#carry(before);
  }

  /**
   * The note has an undo of its own in its field, so it is not changed from here.
   * @param {State} state
   */
  #carry(state) {
    return state.note === this.present.note ? state : { ...state, note: this.present.note };
  }
}

/**
 * What sessions of all kinds know of their work: its text and time, which of its versions is saved, what is wrong.
 * @template {{state: string, revision: number, draft: object, instance: Instance}} W  as the server has it
 * @template {{idle_after_s?: number}} P
 */
export class WorkOnScreen {
  /** @param {W} work @param {P|null} project */
  constructor(work, project) {
    this.work = work;
    this.project = project;
    this.clock = new Clock(project?.idle_after_s);
    this.map = new TokenMap(work.instance);
    this.revision = work.revision;
    this.version = 0;
    this.saved = 0;
    /** @type {Problem|null} */
    this.problem = null;
    /** @type {{work: W, error: string}|null} */
    this.conflict = null;
    this.leaving = false;
    /** @type {number|null}  the token that the cursor stands on, and the other end of its range */
    this.cursor = null;
    /** @type {number|null} */
    this.anchor = null;
  }

  /** Whether there are changes that the server has not acknowledged. */
  get dirty() {
    return this.version > this.saved;
  }

  /** Whether nothing may be sent until the person has decided something. */
  get held() {
    return Boolean(this.conflict || this.problem?.lost);
  }
}

/** @extends {WorkOnScreen<Work, Project>} */
export class Session extends WorkOnScreen {
  /** @param {Work} work @param {Project|null} project */
  constructor(work, project) {
    super(work, project);
    /** @type {number|null} */
    this.scroll = null;
    /** @type {{words: string, spans: Span[]}|null}  where the answer was taken from (annotate/marking.js) */
    this.answerPlace = null;
    this.reopened = false;
    this.hasSaidUnchanged = false;
    this.gone = false;
    this.seen = false;
    // An instance without a result is given one by the annotator, whatever the project's rule for the others is.
    if (this.project && work.result?.mode) this.project = { ...this.project, result_mode: work.result.mode };
    this.offer = new Offer(this);
    this.history = new History(this.stateOf(work.draft));
  }

  /** @param {Partial<Draft>} draft */
  stateOf(draft) {
    return stateFrom(draft, {
      locked: this.work.locked_sets || [],
      unlocked: draft.unlocked || [],
      labelsOnly: this.project?.result_mode === "labels_only",
      proposes: Boolean(this.work.proposes),
    });
  }

  get id() {
    return this.work.assignment;
  }

  /** What one asks the server for to see this again. */
  get opens() {
    return this.work.instance.id;
  }

  get state() {
    return this.history.present;
  }

  get draft() {
    return draftOf(this.state);
  }

  /** The word for changes that are not on their way: a person has to do something first. */
  /** @returns {"held"|null} */
  get unsaved() {
    return this.held || (this.problem && this.dirty) ? "held" : null;
  }

  get open() {
    return this.work.state !== "submitted" && !this.leaving;
  }

  /**
   * Brings in a draft as one more step, so that undo leads back to what was there before.
   * @param {Draft} draft
   */
  load(draft) {
    if (sameDraft(draft, this.draft)) return;
    this.history.push({ ...this.stateOf(draft), current: 0 });
    this.version += 1;
  }

  /** The result as it is to be shown: chosen, else given. */
  get result() {
    const given = this.work.result?.given ?? null;
    const mode = this.project?.result_mode;
    if (mode === "give" || mode === "labels_only") return this.state.result;
    return this.state.result ?? given;
  }
}
