/**
 * Which instance is on the screen, and what happens when it leaves: submit, skip, discard, refusals, conflicts, lost
 * leases, finished work, the end of a recruited worker's visit. The next instance is leased ahead, so it is drawn at
 * once and saved behind it.
 */
import { problemOf, sameDraft } from "../shared/annotation.js";
import { afterPaint } from "../shared/dom.js";
import { at, dayBegan, sentenceOf } from "../shared/messages.js";
import { Session } from "../shared/session.js";
import { WorkFlow } from "../shared/work_flow.js";
import { _, several } from "../words/language.js";

// ---- The visit of whoever came by a recruitment link: it ends with the quota or the time; routes/crowd.py has its
// last page

const END = at("/crowd/end");
const WARN_MS = 5 * 60 * 1000;
/** What is on its way is let arrive first; what still waits then is sent as the page closes. */
const LAST_SAVE_MS = 2000;

export class CrowdVisit {
  /**
   * @param {{say: (sentence: string) => void, go?: (address: string) => void}} parts
   */
  constructor({ say, go = (address) => location.assign(address) }) {
    this.say = say;
    this.go = go;
    this.isOne = false;
    this.isDone = false;
    this.hasEnded = false;
    /** @type {ReturnType<typeof setTimeout>[]} */
    this.timers = [];
  }

  /** What a message said of it; of everybody else's work it says nothing. @param {Counts} counts */
  note({ quota, done, seconds_left: seconds }) {
    if (quota === undefined) return;
    this.isOne = true;
    this.isDone = (done ?? 0) >= quota;
    this.#wait((seconds ?? 0) * 1000);
  }

  /** @param {number} left  milliseconds */
  #wait(left) {
    this.close();
    const timeIsUp = () => {
      this.say(_("Time is up. Your marks are saved."));
      this.timers = [setTimeout(() => this.end(), LAST_SAVE_MS)];
    };
    this.timers = [setTimeout(timeIsUp, left)];
    if (left <= WARN_MS) return;
    const warn = () => this.say(_("Five minutes left. Submit what is finished."));
    this.timers.push(setTimeout(warn, left - WARN_MS));
  }

  end() {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.close();
    this.go(END);
  }

  close() {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [];
  }
}

const ON_ITS_WAY = _("Your last submission is being sent, then it reopens.");
const NOTHING = _("Nothing to do right now.");
const BARE = _("Nothing is marked. Accept a proposed set (a), or mark tokens.");

/** @typedef {import("./screen.js").Screen} Screen */
/** @typedef {import("./main.js").PanelMessages} PanelMessages */
/** @typedef {import("../shared/saving.js").Job<Session>} Job */
/** @typedef {{ status: Refused, body: Refusal }} Refusing */

/** @extends {WorkFlow<Session, NextWork, Screen, PanelMessages>} */
export class Flow extends WorkFlow {
  /** @param {import("../shared/work_flow.js").FlowParts<Session, NextWork, Screen, PanelMessages>} parts */
  constructor(parts) {
    super(parts, { same: sameDraft, lost: _("One submission failed") });
    /** @type {Session[]} */
    this.upcoming = [];
    /** Whether one goes back as soon as what is on its way has arrived; whether one does so now. */
    this.goesBack = false;
    this.isGoingBack = false;
    this.hasSaidUndecided = false;
    this.visit = new CrowdVisit({ say: (sentence) => this.#sayAnywhere(sentence) });
  }

  get sessions() {
    return [...super.sessions, ...this.upcoming];
  }

  /** @param {Session} given */
  placeOf({ work }) {
    return { instance: work.instance.id };
  }

  /** @param {NextWork} body */
  arrived(body) {
    this.settings = body.project;
    this.#count(body.counts);
    if (!body.work && this.visit.isOne) return this.visit.end();
    if (!body.work) {
      this.current = null;
      this.waiting = false;
      this.screen.showEmpty(body.empty || NOTHING);
      for (const [project, name] of body.elsewhere)
        this.screen.offer(name, () => location.assign(at(`/annotate?project=${project}`)));
      return this.screen.offer(_("Go to Start"), () => location.assign(at("/start")));
    }
    const session = this.#admit(body.work);
    if (body.ahead) this.#expect(body.ahead);
    this.upcoming = this.upcoming.filter((other) => other.id !== session.id);
    if (this.leftovers.refusal) this.#refuse(session, "submit", this.leftovers.refusal);
    this.leftovers.refusal = null;
    this.show(session);
  }

  /** What a message says of how far the work is goes to the page's script too. @param {Counts|undefined} counts */
  #progressed(counts) {
    if (!counts) return;
    this.#count(counts);
    this.trigger("progress", counts);
  }

  /** @param {Counts} counts */
  #count(counts) {
    this.screen.head.showProgress(counts);
    this.visit.note(counts);
  }

  /**
   * Makes a session of a work object, with whatever this browser had kept of it.
   * @param {Work} work
   */
  #admit(work) {
    const known = this.sessions.find((session) => session.id === work.assignment && session.open);
    if (known) return known;
    const session = new Session(work, this.settings);
    if (this.leftovers.adopt(session)) this.outbox.changed(session);
    return session;
  }

  /** @param {Work} work */
  #expect(work) {
    if (
      !work ||
      this.current?.id === work.assignment ||
      this.upcoming.some((session) => session.id === work.assignment)
    )
      return;
    this.upcoming.push(this.#admit(work));
  }

  /** @param {Session} session */
  show(session) {
    if (this.current && this.current !== session) {
      this.current.scroll = this.screen.scroll;
      this.current.clock.stop();
    }
    this.current = session;
    this.waiting = false;
    session.leaving = false;
    session.clock.start();
    this.screen.show(session);
    this.say(this.word);
    if (!session.seen && session.open) {
      session.seen = true;
      this.messages.post("seen", { assignment: session.id, at: new Date().toISOString() });
    }
    afterPaint(() => {
      performance.mark("annotator:shown");
      this.#askProposed(this.current);
    });
  }

  /**
   * What is proposed is asked for when the text is on the screen, so that nothing waits for it, and after what was
   * handed in has arrived: its sets may be what is carried over. Without an answer it is asked for again when the next
   * message gets through.
   * @param {Session|null} session
   */
  async #askProposed(session) {
    if (!session?.work.proposes || !session.open || session.offer.asked || this.outbox.isFinishing()) return;
    const { offer } = session;
    offer.asked = true;
    const answer = await this.messages.post("proposed", { assignment: session.id });
    if (answer.status === 200) offer.receive(answer.body);
    else offer.asked = false;
    if (offer.answered && session === this.current && session.offer === offer && !this.closed) this.screen.refresh();
  }

  close() {
    this.visit.close();
    super.close();
  }

  submit(confirmed = false) {
    const session = this.current;
    if (!session?.project || !session.open || this.waiting) return;
    if (session.held) return this.screen.hint(_("First decide what to do with these changes (below)."));
    const problem = problemOf(session.state, session.project, session.result);
    if (problem) return this.#refuseHere(session, problem);
    if (this.#saysFirst(session)) return;
    this.#leave("submit", confirmed ? { confirmed: true } : {});
  }

  /**
   * What is easily overlooked is said once, and sent when one submits again: that proposals without an answer are
   * dropped, and that what came back is as it was.
   * @param {Session} session
   */
  #saysFirst(session) {
    const { work, draft, offer } = session;
    const count = offer.undecided.length;
    const isUnchanged = work.feedback && work.revision <= 1 && sameDraft(draft, work.draft);
    if (count && !this.hasSaidUndecided) {
      this.hasSaidUndecided = true;
      const words = several(
        "{n} undecided proposed set will be dropped. Submit again to confirm.",
        "{n} undecided proposed sets will be dropped. Submit again to confirm.",
        count,
      );
      this.screen.hint(words, { stay: true });
    } else if (isUnchanged && !session.hasSaidUnchanged) {
      session.hasSaidUnchanged = true;
      this.screen.hint(_("Nothing changed since it was returned. Submit again to confirm."), { stay: true });
    } else return false;
    return true;
  }

  /**
   * What is plainly wrong is said before anything is sent.
   * @param {Session} session
   * @param {{error: string, set: number|null}} given
   */
  #refuseHere(session, { error, set }) {
    if (set !== null && session.state.sets[set]) {
      session.history.replace({ ...session.state, current: set });
      this.screen.refresh();
    }
    const isBare = session.offer.undecided.length > 0 && !session.draft.sets.length;
    this.screen.hint(isBare && set !== null ? BARE : error, { stay: true });
  }

  skip() {
    if (this.current?.open && !this.waiting) this.#leave("skip", {});
  }

  /** @param {string} reason @param {string} comment */
  discard(reason, comment) {
    if (this.current?.open && !this.waiting) this.#leave("discard", { reason, comment });
  }

  /** @param {JobKind} kind @param {object} extra */
  #leave(kind, extra) {
    const session = this.current;
    if (!session) return;
    session.problem = null;
    session.clock.touch();
    session.leaving = true;
    this.goesBack = false;
    // The next text comes first: the message can go out while it is being painted.
    this.#advance();
    this.outbox.finish(kind, session, extra);
  }

  #advance() {
    const next = this.upcoming.shift();
    if (next) return this.show(next);
    this.waiting = true;
    this.screen.setBusy(true);
    if (this.word === "offline")
      this.screen.hint(_("No connection. Your work is kept in this browser."), { stay: true });
    else this.screen.announce(_("Loading the next text."));
  }

  /** @param {Session} session */
  aheadOf(session) {
    if (this.current && this.current !== session && this.current.open) return this.current.id;
    return this.upcoming[0]?.id ?? null;
  }

  /**
   * @param {Job} job
   * @param {{ body: Saved }} answer
   */
  done({ kind, session }, { body }) {
    if (this.closed) return;
    this.#askProposed(this.current);
    if (kind === "draft") return;
    session.gone = true;
    this.#progressed(body.counts);
    if (kind === "discard") this.screen.hint(_("Sent to the lead."));
    if (this.visit.isDone && !this.outbox.busy()) return this.visit.end();
    if (body.ahead) this.#expect(body.ahead);
    if (this.goesBack && !this.outbox.isFinishing()) return this.back();
    this.#showWaiting();
  }

  #showWaiting() {
    const next = this.waiting ? this.upcoming.shift() : undefined;
    if (next) return this.show(next);
    if (this.waiting && !this.outbox.busy()) this.load();
  }

  /**
   * A message was refused: its session comes back as it was, with the reason. What another tab submitted stays left,
   * unless there are changes here that it has not.
   * @param {Job} job
   * @param {Refusing} answer
   */
  refused(job, answer) {
    if (this.closed) return;
    const { session, kind } = job;
    this.#refuse(session, kind, answer);
    this.outbox.hold(session);
    const { problem, dirty, work } = session;
    if (kind !== "draft" && !(problem?.ended && (!dirty || kind === "skip"))) return this.#bringBack(session);
    if (kind === "draft") return session === this.current ? this.screen.refresh() : undefined;
    const text = _("{title}: {sentence}", { title: work.instance.key, sentence: sentenceOf(answer) });
    this.screen.notices.setPage({ text, closable: true });
    this.#showWaiting();
    if (problem?.ended) this.#countAgain(session);
  }

  /** Another tab submitted a text: a refusal does not say how far the work is. @param {Session} session */
  async #countAgain({ work }) {
    const answer = await this.messages.next(this.project, work.instance.id);
    if (answer.status === 200 && !this.closed) this.#progressed(answer.body.counts);
  }

  /** @param {Session} session @param {JobKind} kind @param {Refusing} answer */
  #refuse(session, kind, answer) {
    const { status, body } = answer;
    session.leaving = false;
    const other = body.work && body.work.assignment === session.id ? body.work : null;
    const ended = status === 409 && other?.state === "submitted";
    if (status === 409 && other && !ended) session.conflict = { work: other, error: sentenceOf(answer) };
    else {
      const lost = status === 410 || ended;
      session.problem = { error: sentenceOf(answer), warning: Boolean(body.warning), lost, ended, kind };
    }
    const { set } = body;
    if (set !== null && set !== undefined && session.state.sets[set])
      session.history.replace({ ...session.state, current: set });
  }

  /** @param {Session} session */
  #bringBack(session) {
    const shown = this.current;
    if (shown && shown !== session && shown.open && !shown.gone) this.upcoming.unshift(shown);
    this.show(session);
    this.screen.announce(session.problem?.error || session.conflict?.error || "");
  }

  /** The lease ran out: ask for the same text again and go on with the marks that are here. */
  async takeAgain() {
    const session = this.current;
    if (!session) return;
    const answer = await this.messages.next(this.project, session.work.instance.id);
    const work = answer.status === 200 ? answer.body.work : null;
    if (!work || work.instance.id !== session.work.instance.id || work.state === "submitted") {
      session.problem = {
        error:
          answer.status === 200
            ? _("Someone else has this text now. Your work is kept in this browser.")
            : sentenceOf(answer),
        lost: true,
      };
      return this.screen.refresh();
    }
    const { draft } = session;
    this.storage.drop(session.id);
    this.current = null;
    const fresh = new Session(work, this.settings);
    fresh.load(draft);
    this.show(fresh);
    if (fresh.dirty) this.outbox.changed(fresh);
  }

  /** Leaves a text that cannot be worked on. */
  goOn() {
    this.current = null;
    const next = this.upcoming.shift();
    if (next) this.show(next);
    else this.load();
  }

  /**
   * Opens a text of one's own list; the one on the screen comes back after it.
   * @param {number} instance
   */
  async open(instance) {
    if (this.current?.work.instance.id === instance) return;
    const answer = await this.messages.next(this.project, instance);
    if (answer.status !== 200) return this.screen.hint(sentenceOf(answer));
    if (!answer.body.work) return this.screen.hint(answer.body.empty || NOTHING);
    const session = this.#admit(answer.body.work);
    this.upcoming = this.upcoming.filter((other) => other !== session);
    if (this.current?.open) this.upcoming.unshift(this.current);
    this.show(session);
  }

  async withdraw() {
    if (!this.current) return;
    const answer = await this.messages.post("withdraw", { assignment: this.current.id, day: dayBegan() });
    this.#reopened(answer);
  }

  /**
   * Goes back to the last submission, which is reopened. What is on its way is let arrive first: it may be just that
   * one.
   */
  async back() {
    this.goesBack = this.outbox.isFinishing();
    if (this.goesBack) return this.screen.hint(ON_ITS_WAY);
    if (this.isGoingBack) return;
    this.isGoingBack = true;
    const answer = await this.messages.post("back", { project: this.project, day: dayBegan() });
    this.isGoingBack = false;
    this.#reopened(answer);
  }

  /**
   * The text that was on the screen comes after the one that was reopened, with all its marks.
   * @param {Answer<PanelRoutes["back"]>} answer
   */
  #reopened(answer) {
    if (this.closed) return;
    if (answer.status !== 200) {
      if (this.waiting && !this.outbox.busy()) this.load();
      return this.#sayAnywhere(sentenceOf(answer));
    }
    const { body } = answer;
    const left = this.current;
    const session = new Session(body.work, this.settings);
    session.reopened = true;
    this.upcoming = this.upcoming.filter((other) => other.id !== session.id);
    if (left?.open && left.id !== session.id) this.upcoming.unshift(left);
    this.show(session);
    this.#progressed(body.counts);
  }

  /**
   * Where no text is on the screen a sentence has its place among the notices.
   * @param {string} sentence
   */
  #sayAnywhere(sentence) {
    if (this.screen.session) this.screen.hint(sentence, { stay: true });
    else this.screen.notices.setPage({ text: sentence, closable: true });
    this.screen.announce(sentence);
  }

  /**
   * Returns to the text that was left to go back or to look at finished work; the one that is left now comes after it.
   * A submission that one only looked at is submitted again as it was.
   */
  forward() {
    const session = this.current;
    if (!session || this.waiting) return;
    if (!session.open) return this.goOn();
    const next = this.upcoming.find((other) => other.seen);
    if (!next) return this.screen.hint(_("No other text to return to."));
    if (session.reopened && !session.held && sameDraft(session.draft, session.work.draft)) {
      this.#leave("submit", {});
      return this.screen.hint(_("“{key}” is submitted again, unchanged.", { key: session.work.instance.key }));
    }
    const others = this.upcoming.filter((other) => other !== next);
    this.upcoming = [...others.filter((other) => other.seen), session, ...others.filter((other) => !other.seen)];
    this.show(next);
  }
}
