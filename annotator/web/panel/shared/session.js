/** One work object while it is in the panel: its states, its place in the text, its time, what is wrong with it. */
import { Clock } from "./clock.js";
import { History } from "./history.js";
import { draftOf, sameDraft, stateFrom } from "./model.js";
import { Offer } from "./proposals.js";
import { TokenMap } from "./text.js";

export class Session {
  /** @param {Work} work  the server's work object @param {Project|null} project */
  constructor(work, project) {
    this.work = work;
    this.project = project;
    this.clock = new Clock(project?.idle_after_s);
    this.map = new TokenMap(work.instance);
    /** @type {number|null} */
    this.cursor = null;
    /** @type {number|null} */
    this.anchor = null;
    /** @type {number|null} */
    this.scroll = null;
    /** @type {{words: string, spans: Span[]}|null}  where the answer was taken from (annotate/answering.js) */
    this.answerPlace = null;
    this.version = 0;
    this.saved = 0;
    /** @type {Problem|null} */
    this.problem = null;
    /** @type {{work: Work, error: string}|null} */
    this.conflict = null;
    this.reopened = false;
    this.gone = false;
    this.seen = false;
    this.leaving = false;
    // An instance without a result is given one by the annotator, whatever the project's rule for the others is.
    if (this.project && work.result?.mode) this.project = { ...this.project, result_mode: work.result.mode };
    this.revision = work.revision;
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

  /** Whether there are changes that the server has not acknowledged. */
  get dirty() {
    return this.version > this.saved;
  }

  /** Whether nothing may be sent until the person has decided something. */
  get held() {
    return Boolean(this.conflict || this.problem?.lost);
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
