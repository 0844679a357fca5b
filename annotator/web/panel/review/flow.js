/**
 * Which review is on the screen, what happens when it leaves (submit, skip, refusals, conflicts, lost leases), and its
 * messages.
 */
import { letterOf } from "../shared/annotation.js";
import { afterPaint } from "../shared/dom.js";
import { at, Messages, sentenceOf } from "../shared/messages.js";
import { WorkFlow } from "../shared/work_flow.js";
import { _ } from "../words/language.js";
import { nameOf, nextMissing, sameScores } from "./scores.js";
import { ReviewSession } from "./session.js";

const UNSENT = _("You changed a submitted review. Submit it again or undo.");
const NOTHING = _("Nothing to do right now.");
const KEPT = _("No connection. Your work is kept in this browser.");

/** @typedef {import("./screen.js").ReviewScreen} Screen */
/** @typedef {import("../shared/saving.js").Job<ReviewSession>} Job */
/** @typedef {{ status: Refused, body: Refusal<ReviewWork> }} Refusing */

/** @extends {WorkFlow<ReviewSession, NextReview, Screen, ReviewMessages>} */
export class ReviewFlow extends WorkFlow {
  /** @param {import("../shared/work_flow.js").FlowParts<ReviewSession, NextReview, Screen, ReviewMessages>} parts */
  constructor(parts) {
    super(parts, { same: sameScores, lost: _("One submission failed") });
  }

  /** @param {ReviewSession} given */
  placeOf({ opens }) {
    return { annotation: opens };
  }

  /**
   * An answer of `next`, however it came.
   * @param {NextReview} body
   */
  arrived(body) {
    this.settings = body.project;
    this.waiting = false;
    if (!body.work) {
      this.current?.clock.stop();
      this.current = null;
      this.screen.showEmpty(body.empty || NOTHING);
      return this.screen.offer(_("Go to Start"), () => location.assign(at("/start")));
    }
    const session = this.#admit(body.work);
    if (this.leftovers.refusal) this.#refuse(session, this.leftovers.refusal);
    this.leftovers.refusal = null;
    this.show(session);
  }

  /** @param {ReviewWork} work */
  #admit(work) {
    if (this.current?.id === work.review && this.current.open) return this.current;
    const session = new ReviewSession(work, this.settings);
    if (this.leftovers.adopt(session)) this.changed(session);
    session.goTo(Math.max(0, nextMissing(session.steps, session.scores)));
    return session;
  }

  /** @param {ReviewSession} session */
  show(session) {
    if (this.current && this.current !== session) this.current.clock.stop();
    this.current = session;
    session.clock.start();
    this.screen.show(session);
    this.say(this.word);
    afterPaint(() => performance.mark("annotator:shown"));
  }

  /**
   * A submitted review is kept here until it is submitted again; anything else is saved at once.
   * @param {ReviewSession} session
   */
  changed(session) {
    if (session.problem && !session.held) {
      session.problem = null;
      this.screen.refresh();
    }
    if (!session.submitted) return super.changed(session);
    this.outbox.hold(session);
    if (session === this.current) this.screen.refresh();
  }

  /** @param {SavingWord} word */
  say(word) {
    super.say(word);
    if (["offline", "unstored"].includes(word) && this.waiting && this.current) this.screen.hint(KEPT, { stay: true });
  }

  /** Where nothing was waiting there may be something when one comes back to the page. */
  lookAgain() {
    if (!this.current && !this.waiting) this.load();
  }

  submit() {
    const session = this.current;
    if (!session || this.waiting) return;
    if (session.work.state === "decided") return this.screen.hint(_("This round is decided. Its scores are final."));
    if (session.held) return this.screen.hint(_("First decide what to do with these changes (below)."));
    if (session.submitted && !session.dirty) return this.screen.hint(_("This review is submitted, unchanged."));
    const missing = nextMissing(session.steps, session.scores, session.at - 1);
    if (missing >= 0) return this.#ask(session, missing);
    this.#leave("submit");
  }

  /**
   * A score is missing: its step is shown, and said.
   * @param {ReviewSession} session
   * @param {number} at
   */
  #ask(session, at) {
    const { property, set } = session.steps[at];
    session.goTo(at);
    this.screen.focusText();
    this.screen.moved();
    const score = nameOf(property);
    const sentence =
      set === null
        ? _("The {score} is missing.", { score })
        : _("Set {letter} needs a {score}.", { letter: letterOf(set), score });
    this.screen.hint(sentence, { stay: true });
  }

  skip() {
    const session = this.current;
    if (!session?.open || session.submitted || this.waiting) return;
    if (session.held) return this.screen.hint(_("First decide what to do with these changes (below)."));
    this.#leave("skip");
  }

  /**
   * The answer brings the next review; until then this one stays to be read.
   * @param {"submit"|"skip"} kind
   */
  #leave(kind) {
    const session = this.current;
    if (!session) return;
    session.problem = null;
    session.clock.touch();
    session.leaving = true;
    this.waiting = true;
    this.screen.setBusy(true);
    this.screen.announce(kind === "submit" ? _("Submitting.") : _("Skipping."));
    this.outbox.finish(kind, session);
  }

  /** @param {Job} job @param {{ body: Saved }} answer */
  done({ kind, session }, { body }) {
    if (this.closed) return;
    if (kind === "draft") return;
    if (body.next?.counts) this.trigger("progress", body.next.counts);
    if (session !== this.current) return;
    if (body.next) this.arrived(body.next);
    else this.load();
  }

  /**
   * A message was refused: its review stays, or comes back, with the reason.
   * @param {Job} given
   * @param {Refusing} answer
   */
  refused({ session }, answer) {
    if (this.closed) return;
    this.#refuse(session, answer);
    this.outbox.hold(session);
    if (session !== this.current) return;
    this.waiting = false;
    this.screen.setBusy(false);
    this.screen.moved();
    this.screen.announce(session.problem?.error || session.conflict?.error || "");
    this.say(this.word);
  }

  /** @param {ReviewSession} session @param {Refusing} given */
  #refuse(session, { status, body }) {
    session.leaving = false;
    const other = body.work?.review === session.id ? body.work : null;
    if (status === 409 && other) {
      session.conflict = { work: other, error: sentenceOf({ status, body }) };
      return;
    }
    const isLost = status === 410 || status === 404;
    session.problem = { error: sentenceOf({ status, body }), lost: isLost, ended: isLost };
    const { set } = body;
    const at = set === null || set === undefined ? -1 : session.steps.findIndex((step) => step.set === set);
    if (at >= 0) session.goTo(at);
  }

  keepMine() {
    this.#takeStanding();
    super.keepMine();
  }

  takeTheirs() {
    this.#takeStanding();
    super.takeTheirs();
    this.say(this.word);
  }

  /** Another tab may have submitted the review meanwhile: then it is a submitted one here too. */
  #takeStanding() {
    const session = this.current;
    if (!session?.conflict) return;
    const { state, draft } = session.conflict.work;
    session.work = { ...session.work, state, draft };
  }

  /** Gives the change of a submitted review up. */
  takeBack() {
    const session = this.current;
    if (!session) return;
    session.load(session.work.draft);
    session.saved = session.version;
    this.outbox.hold(session);
    this.screen.refresh();
  }

  /** Leaves a review that is finished or that cannot be scored any more. */
  goOn() {
    const session = this.current;
    if (session?.unsaved === "unsent") return this.screen.hint(UNSENT);
    if (session?.problem?.ended) this.storage.drop(session.id);
    this.load();
  }

  /** @param {number} annotation */
  async open(annotation) {
    if (this.waiting || this.current?.opens === annotation) return;
    if (this.current?.unsaved === "unsent") return this.screen.hint(UNSENT);
    const answer = await this.messages.next(this.project, annotation);
    if (this.closed) return;
    if (answer.status !== 200) return this.screen.hint(sentenceOf(answer));
    if (!answer.body.work) return this.screen.hint(answer.body.empty || NOTHING);
    this.arrived(answer.body);
  }
}

// ---- The routes of docs/review.md for saving.js, browser_storage.js and work_flow.js, to which a draft is all that
// was scored

/** @typedef {{assignment: number, revision: number, draft: Scores, timing: Timing}} Sent  what those send */

export class ReviewMessages {
  /** @param {string} routes @param {string} csrf */
  constructor(routes, csrf) {
    /** @type {Messages<ReviewRoutes, Review>} */
    this.messages = new Messages(routes, csrf);
  }

  /** @param {string} csrf */
  set csrf(csrf) {
    this.messages.csrf = csrf;
  }

  /** @param {number} project @param {number|null} annotation @returns {Promise<Answer<NextReview, ReviewWork>>} */
  async next(project, annotation) {
    const answer = await this.messages.get("next", { project, annotation });
    return answer.status === 200 ? { ...answer, body: nextOf(answer.body) } : refusalOf(answer);
  }

  /** @param {number} project @param {import("../shared/work_flow.js").Asked} asked */
  mine(project, asked) {
    return this.messages.get("mine", { project, ...asked });
  }

  /**
   * @param {JobKind} kind
   * @param {Sent} sent
   * @returns {Promise<Answer<Saved, ReviewWork>>}
   */
  async post(kind, { assignment, revision, draft, timing }) {
    if (kind === "skip") return goneOf(await this.messages.post("skip", { review: assignment }));
    const { active_ms, idle_ms } = timing;
    const body = { review: assignment, revision, scores: draft, timing: { active_ms, idle_ms } };
    if (kind === "submit") return goneOf(await this.messages.post("submit", body));
    const answer = await this.messages.post("save", body);
    return answer.status === 200 ? answer : refusalOf(answer);
  }
}

/** @param {Review} work @returns {ReviewWork} */
const workOf = (work) => ({ ...work, assignment: work.review, draft: work.scores });

/** @param {NextReview<Review>} next @returns {NextReview} */
const nextOf = (next) => ({ ...next, work: next.work && workOf(next.work) });

/**
 * @param {{status: Refused, body: Refusal<Review>}} answer
 * @returns {{status: Refused, body: Refusal<ReviewWork>}}
 */
const refusalOf = ({ status, body: { work, ...body } }) => ({
  status,
  body: work ? { ...body, work: workOf(work) } : body,
});

/** @param {Answer<{next: NextReview<Review>}, Review>} answer @returns {Answer<Saved, ReviewWork>} */
const goneOf = (answer) =>
  answer.status === 200 ? { ...answer, body: { next: nextOf(answer.body.next) } } : refusalOf(answer);
