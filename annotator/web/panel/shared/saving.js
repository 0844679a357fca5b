/**
 * The way out: drafts, submits, skips and discards, one message at a time and in the order in which they were made.
 *
 * Drafts hold no content while they wait: the newest state of their session is read when their turn comes, so
 * the last one wins and none overtakes another. A message that cannot be delivered stays at the head of the
 * queue and is tried again; everything unacknowledged lies in the browser's storage meanwhile.
 */
import { _ } from "../words/language.js";
import { element, setText } from "./dom.js";
import { dayBegan, isForLater, retryAfter } from "./messages.js";

/** @typedef {"draft"|"submit"|"skip"|"discard"} JobKind */
/**
 * @template {WorkSession} S
 * @typedef {{kind: JobKind, session: S, extra: object}} Job
 */
/**
 * What is sent; the rest is what a submit or a discard adds.
 * @typedef {{assignment: number, ahead?: number|null, day?: string, revision?: number, draft?: object,
 *   timing?: Timing}} Body
 */

/** @template {WorkSession} S */
export class Outbox {
  /**
   * @param {Object} parts
   * @param {Sender<S["work"]>} parts.messages
   * @param {import("./browser_storage.js").DraftStorage} parts.storage
   * @param {(word: SavingWord) => void} parts.onword
   * @param {(job: Job<S>, answer: { status: Refused, body: Refusal<S["work"]> }) => void} parts.onrefused
   * @param {(job: Job<S>, answer: { body: Saved }) => void} parts.ondone
   * @param {(session: S) => number|null} parts.aheadOf  the assignment shown after this one
   * @param {import("./work_flow.js").Same<S>} parts.same
   */
  constructor(parts) {
    this.same = parts.same;
    this.messages = parts.messages;
    this.storage = parts.storage;
    this.onword = parts.onword;
    this.onrefused = parts.onrefused;
    this.ondone = parts.ondone;
    this.aheadOf = parts.aheadOf;
    /** @type {Job<S>[]} */
    this.queue = [];
    /** @type {Job<S>|null} */
    this.sending = null;
    /** @type {object|null}  the draft that is on its way */
    this.sentDraft = null;
    /** @type {SavingWord|null}  why nothing gets through */
    this.stuck = null;
    this.tries = 0;
    /** @type {string|null}  what the server says of why it stores nothing now */
    this.why = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    this.closed = false;
  }

  /**
   * A session changed: keep it here, and send it as soon as nothing else is on its way.
   * @param {S} session
   */
  changed(session) {
    this.#keep(session);
    if (session.held) return this.#say();
    if (!this.#waiting().some((job) => job.session === session)) this.queue.push({ kind: "draft", session, extra: {} });
    this.#go();
  }

  /**
   * Submit, skip or discard; a draft that still waits is contained in a submit.
   * @param {JobKind} kind
   * @param {S} session
   */
  finish(kind, session, extra = {}) {
    const started = this.sending;
    this.queue = this.queue.filter((job) => job === started || job.session !== session);
    this.queue.push({ kind, session, extra });
    this.#keep(session);
    this.#go();
  }

  /** Whether anything has not been acknowledged. */
  busy() {
    return this.queue.length > 0;
  }

  /** Whether a submit, skip or discard is still on its way. */
  isFinishing() {
    return this.queue.some((job) => job.kind !== "draft");
  }

  /** Tries again at once: the connection is back, or the person has signed in again. */
  retry() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.tries = 0;
    this.#go();
  }

  #waiting() {
    return this.queue.filter((job) => job !== this.sending);
  }

  /** @param {S} session */
  #finishOf(session) {
    return this.queue.find((job) => job.session === session && job.kind !== "draft") || null;
  }

  /** @param {S} session */
  #keep(session) {
    const finish = this.#finishOf(session);
    if (!session.dirty && !finish) return this.storage.drop(session.id);
    this.storage.keep({
      assignment: session.id,
      instance: session.opens,
      state: session.work.state,
      revision: session.revision,
      draft: session.draft,
      sent: this.sending?.session === session ? this.sentDraft : null,
      finish: finish && { kind: finish.kind, extra: finish.extra },
    });
  }

  /** @param {Job<S>} job */
  #body({ kind, session, extra }) {
    /** @type {Body} */
    const body = { assignment: session.id, ...extra };
    if (kind === "draft" || kind === "submit") {
      Object.assign(body, { revision: session.revision, draft: session.draft, timing: session.clock.timing() });
    }
    if (kind !== "draft") Object.assign(body, { ahead: this.aheadOf(session), day: dayBegan() });
    return body;
  }

  /** @returns {Promise<void>} */
  async #go() {
    if (this.sending || this.timer) return;
    const job = this.queue[0];
    if (!job) return this.#say();
    if (job.kind === "draft" && (!job.session.dirty || job.session.held)) {
      this.queue.shift();
      return this.#go();
    }
    await this.#send(job);
  }

  /** @param {Job<S>} job */
  async #send(job) {
    const body = this.#body(job);
    const version = job.session.version;
    this.sending = job;
    this.sentDraft = body.draft || null;
    this.#keep(job.session);
    this.#say();
    const answer = await this.messages.post(job.kind, body);
    this.sending = null;
    if (answer.status !== 200 && isForLater(answer)) this.#later(answer);
    else this.#settle(job, answer, body, version);
  }

  /** @param {{ status: Refused, body: Refusal<S["work"]> }} given */
  #later({ status, body }) {
    this.why = (status >= 500 && body.error) || null;
    this.stuck = status === 401 ? "signed-out" : this.why ? "unstored" : "offline";
    if (this.closed) return;
    this.storage.renew();
    const wait = retryAfter(this.tries);
    this.tries += 1;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.#go();
    }, wait);
    this.#say();
  }

  /**
   * @param {Job<S>} job
   * @param {Answer<Saved, S["work"]>} answer
   * @param {Body} body
   * @param {number} version
   */
  #settle(job, answer, body, version) {
    this.tries = 0;
    this.stuck = this.why = null;
    this.queue = this.queue.filter((other) => other !== job);
    if (answer.status === 200) this.#accept(job, answer.body, body, version);
    else if (!this.#acceptedBefore(job, answer, body, version)) this.onrefused(job, answer);
    this.#go();
  }

  /** @param {Job<S>} job @param {Saved} saved @param {Body} body @param {number} version */
  #accept(job, saved, body, version) {
    const { session } = job;
    if (body.timing) session.clock.acknowledge(body.timing);
    if (job.kind === "draft") session.revision = saved.revision ?? session.revision;
    session.saved = version;
    if (job.kind !== "draft") session.saved = session.version;
    this.#keep(session);
    performance.mark("annotator:saved");
    this.ondone(job, { body: saved });
  }

  /**
   * A conflict with ourselves: the message had arrived and only its answer was lost. What the server
   * holds is then what was sent, and its revision is good to go on from.
   * @param {Job<S>} job
   * @param {{ status: Refused, body: Refusal<S["work"]> }} answer
   * @param {Body} body
   * @param {number} version
   */
  #acceptedBefore(job, answer, body, version) {
    const work = answer.body.work;
    if (answer.status !== 409 || !work || !body.draft || !this.same(work.draft, body.draft)) return false;
    const { session } = job;
    session.revision = work.revision;
    if (job.kind === "draft") {
      session.saved = version;
      this.#keep(session);
      return true;
    }
    if (work.state === "submitted") {
      this.#accept(job, {}, body, version);
      return true;
    }
    this.queue.unshift(job);
    return true;
  }

  /**
   * What the browser says of the connection and of the page's end.
   * @param {AbortSignal} signal
   */
  listen(signal) {
    window.addEventListener("online", () => this.retry(), { signal });
    window.addEventListener("focus", () => this.queue.length && this.retry(), { signal });
    window.addEventListener("pagehide", () => this.flush(), { signal });
  }

  /**
   * Keeps a session whose message was refused; it waits for the person.
   * @param {S} session
   */
  hold(session) {
    this.#keep(session);
    this.#say();
  }

  #say() {
    if (this.stuck && this.queue.length) this.onword(this.stuck);
    else if (this.queue.length) this.onword("saving");
    else this.onword("saved");
  }

  /**
   * The page closes: what waits is sent at once, without waiting for what is on its way. Should it arrive in
   * the wrong order the server refuses it, and the entry in the storage is sent when the page is opened again.
   */
  flush() {
    for (const job of this.#waiting()) {
      if (job.kind === "draft" && (!job.session.dirty || job.session.held || this.#finishOf(job.session))) continue;
      const body = this.#body(job);
      if (this.sending?.session === job.session && body.revision !== undefined) body.revision += 1;
      this.messages.post(job.kind, body);
    }
    this.storage.release();
  }

  /**
   * The panel goes away while the page stays: what waits is still sent in its order, once. What fails lies in
   * the storage, given up, and is sent by the next panel.
   */
  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.storage.release();
    this.#go();
  }
}

// ---- The small word that says whether everything has been saved

const WORDS = {
  saved: _("saved"),
  saving: _("saving…"),
  offline: _("offline – kept in this browser"),
  unstored: _("not stored – kept in this browser"),
  "signed-out": _("signed out – kept in this browser"),
  held: _("not saved – see below"),
  unsent: _("changed – submit sends it"),
  kept: _("kept in this browser"),
};
/** @typedef {keyof typeof WORDS} SavingWord */

const PATIENCE_MS = 150;

export class SavingLabel {
  constructor() {
    this.root = element("span", { class: "word", role: "status" }, WORDS.saved);
  }

  /**
   * "saving…" appears only if it takes a moment: a word that flickers at each mark tires.
   * @param {SavingWord} word
   */
  say(word) {
    clearTimeout(this.timer);
    const show = () => {
      setText(this.root, WORDS[word]);
      this.root.title = WORDS[word];
      this.root.dataset.word = word;
    };
    if (word === "saving" && !["offline", "unstored"].includes(this.root.dataset.word ?? ""))
      this.timer = setTimeout(show, PATIENCE_MS);
    else show();
  }
}
