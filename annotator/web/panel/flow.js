/**
 * Which instance is on the screen, and what happens when it leaves: submit, skip, discard, refusals, conflicts,
 * lost leases, finished work. The next instance is leased ahead, so it is drawn at once and saved behind it.
 */
import { afterPaint } from "./dom.js";
import { sentenceOf } from "./messages.js";
import { problemOf, sameDraft } from "./model.js";
import { Session } from "./session.js";

const TRY_AGAIN_MS = 2000;

export class Flow {
  /** @param {Object} parts  messages, storage, outbox, screen, trigger, project (its id) */
  constructor(parts) {
    Object.assign(this, parts);
    /** @type {Session|null} */
    this.current = null;
    /** @type {Session[]} */
    this.upcoming = [];
    this.waiting = true;
    this.settings = null;
    this.closed = false;
  }

  /** What an earlier page left behind is sent first: the server must not hand it out again. */
  async start(instance) {
    const refused = await this.#sendLeftovers();
    await this.load(refused ?? instance);
    await this.#sendOldDrafts();
  }

  /** Drafts of texts that are not on the screen: what the server does not take stays until the text is opened. */
  async #sendOldDrafts() {
    const here = new Set([this.current, ...this.upcoming].map((session) => session?.id));
    for (const { assignment, revision, draft, finish } of this.storage.list()) {
      if (finish || here.has(assignment) || this.closed) continue;
      const answer = await this.messages.post("draft", { assignment, revision, draft, timing: NO_TIME });
      if (answer.status === 200 || sameDraft(answer.body.work?.draft, draft)) this.storage.drop(assignment);
    }
  }

  async #sendLeftovers() {
    let refused = null;
    for (const entry of this.storage.list()) {
      if (!entry.finish) continue;
      const { kind, extra } = entry.finish;
      const body = { assignment: entry.assignment, ...extra, ahead: null };
      if (kind === "submit") Object.assign(body, { revision: entry.revision, draft: entry.draft, timing: NO_TIME });
      const answer = await this.messages.post(kind, body);
      if (answer.status === 200 || answer.body.work?.state === "submitted") this.storage.drop(entry.assignment);
      else if (answer.status === 422 || answer.status === 409) [refused, this.refusal] = [entry.instance, answer];
      else if (answer.status === 410 || answer.status === 404) this.#lose(entry, answer);
    }
    return refused;
  }

  #lose(entry, answer) {
    this.screen.notices.setPage({ text: `One text could not be submitted any more: ${sentenceOf(answer)}`, closable: true });
    this.storage.drop(entry.assignment);
  }

  /** Fetches a text: a given one, or the one that the server chooses. */
  async load(instance = null) {
    this.waiting = true;
    const answer = await this.messages.next(this.project, instance);
    if (this.closed) return;
    if (answer.status === 0 || answer.status >= 500) return this.#loadLater(instance, answer);
    if (answer.status === 401) return this.#signedOut(() => this.load(instance));
    if (answer.status !== 200) return this.screen.showEmpty(sentenceOf(answer));
    this.#arrived(answer.body);
  }

  #loadLater(instance, answer) {
    if (this.current) this.screen.hint(sentenceOf(answer), { stay: true });
    else this.screen.showEmpty(answer.status ? sentenceOf(answer) : "The server cannot be reached. Trying again …");
    this.again = setTimeout(() => this.load(instance), TRY_AGAIN_MS);
  }

  #signedOut(again) {
    this.screen.notices.setPage({ text: sentenceOf({ status: 401, body: {} }) });
    this.onretry = again;
  }

  #arrived(body) {
    this.settings = body.project;
    this.counts = body.counts;
    if (!body.work) {
      this.current = null;
      this.waiting = false;
      return this.screen.showEmpty(body.empty || "There is nothing to annotate here now.");
    }
    const session = this.#admit(body.work);
    if (body.ahead) this.#expect(body.ahead);
    this.upcoming = this.upcoming.filter((other) => other.id !== session.id);
    if (this.refusal) this.#refuse(session, "submit", this.refusal);
    this.refusal = null;
    this.show(session);
  }

  /** Makes a session of a work object, with whatever this browser had kept of it. */
  #admit(work) {
    const known = [this.current, ...this.upcoming].find((session) => session?.id === work.assignment && session.open);
    if (known) return known;
    const session = new Session(work, this.settings);
    this.#adopt(session);
    return session;
  }

  #adopt(session) {
    const entry = this.storage.find(session.id);
    if (!entry) return;
    if (sameDraft(entry.draft, session.work.draft) || session.work.state === "submitted") this.storage.drop(session.id);
    else if (entry.revision === session.revision || sameDraft(entry.sent, session.work.draft)) {
      session.load(entry.draft);
      this.outbox.changed(session);
    } else {
      session.load(entry.draft);
      session.conflict = { work: session.work, error: "This browser kept marks that were never saved, and meanwhile others were saved elsewhere." };
    }
  }

  #expect(work) {
    if (!work || this.current?.id === work.assignment || this.upcoming.some((session) => session.id === work.assignment)) return;
    this.upcoming.push(this.#admit(work));
  }

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
    this.say(this.outbox.word || "saved");
    if (!session.seen && session.open) {
      session.seen = true;
      this.messages.post("seen", { assignment: session.id, at: new Date().toISOString() });
    }
    afterPaint(() => performance.mark("annotator:shown"));
  }

  /** The word in the bar. @param {import("./saving.js").Word} word */
  say(word) {
    this.outbox.word = word;
    this.screen.bar.setWord(this.current?.held && word === "saved" ? "held" : word);
    if (word === "signed-out") this.screen.notices.setPage({ text: sentenceOf({ status: 401, body: {} }) });
    else if (word === "saved" && this.screen.notices.page && !this.screen.notices.page.closable) this.screen.notices.setPage(null);
  }

  retry() {
    this.screen.notices.setPage(null);
    this.outbox.retry();
    this.onretry?.();
    this.onretry = null;
  }

  submit(confirmed = false) {
    const session = this.current;
    if (!session?.open || this.waiting) return;
    if (session.held) return this.screen.hint("Decide first what to do with these marks (above the text).");
    const problem = problemOf(session.state, session.project, session.result);
    if (problem) return this.#refuseHere(session, problem);
    this.#leave("submit", confirmed ? { confirmed: true } : {});
  }

  /** What is plainly wrong is said before anything is sent. */
  #refuseHere(session, { error, set }) {
    if (set !== null && session.state.sets[set]) {
      session.history.replace({ ...session.state, current: set });
      this.screen.refresh();
    }
    this.screen.hint(error, { stay: true });
  }

  skip() {
    if (this.current?.open && !this.waiting) this.#leave("skip", {});
  }

  discard(reason, comment) {
    if (this.current?.open && !this.waiting) this.#leave("discard", { reason, comment });
  }

  #leave(kind, extra) {
    const session = this.current;
    session.problem = null;
    session.clock.touch();
    session.leaving = true;
    // The next text comes first: the message can go out while it is being painted.
    this.#advance();
    this.outbox.finish(kind, session, extra);
  }

  #advance() {
    const next = this.upcoming.shift();
    if (next) return this.show(next);
    this.waiting = true;
    this.screen.setBusy(true);
    this.screen.announce("Fetching the next text.");
  }

  /** The assignment that is on the screen after `session` has left. */
  aheadOf(session) {
    if (this.current && this.current !== session && this.current.open) return this.current.id;
    return this.upcoming[0]?.id ?? null;
  }

  /** @param {import("./saving.js").Job} job */
  done({ kind, session }, { body }) {
    if (kind === "draft" || this.closed) return;
    session.gone = true;
    if (body.counts) this.trigger("progress", (this.counts = body.counts));
    if (body.ahead) this.#expect(body.ahead);
    if (this.waiting && this.upcoming.length) return this.show(this.upcoming.shift());
    if (this.waiting && !this.outbox.busy()) this.load();
  }

  /** A message was refused: its session comes back as it was, with the reason. */
  refused(job, answer) {
    if (this.closed) return;
    const { session, kind } = job;
    this.#refuse(session, kind, answer);
    this.outbox.hold(session);
    if (kind !== "draft") return this.#bringBack(session);
    if (session === this.current) this.screen.refresh();
  }

  #refuse(session, kind, answer) {
    const { status, body } = answer;
    session.leaving = false;
    const other = body.work && body.work.assignment === session.id ? body.work : null;
    if (status === 409 && other && other.state !== "submitted") session.conflict = { work: other, error: sentenceOf(answer) };
    else session.problem = { error: sentenceOf(answer), warning: Boolean(body.warning), lost: status === 410, kind };
    if (Number.isInteger(body.set) && session.state.sets[body.set]) session.history.replace({ ...session.state, current: body.set });
  }

  #bringBack(session) {
    const shown = this.current;
    if (shown && shown !== session && shown.open && !shown.gone) this.upcoming.unshift(shown);
    this.show(session);
    this.screen.announce(session.problem?.error || session.conflict?.error || "");
  }

  keepMine() {
    const session = this.current;
    session.revision = session.conflict.work.revision;
    session.conflict = null;
    session.version += 1;
    this.screen.refresh();
    this.outbox.changed(session);
  }

  /** What was here stays one undo away. */
  takeTheirs() {
    const session = this.current;
    const { work } = session.conflict;
    session.revision = work.revision;
    session.conflict = null;
    session.load(work.draft);
    session.saved = session.version;
    this.outbox.hold(session);
    this.screen.refresh();
  }

  /** The lease ran out: ask for the same text again and go on with the marks that are here. */
  async takeAgain() {
    const session = this.current;
    const answer = await this.messages.next(this.project, session.work.instance.id);
    const work = answer.body.work;
    if (answer.status !== 200 || work?.instance.id !== session.work.instance.id || work.state === "submitted") {
      session.problem = { error: answer.status === 200 ? "Somebody else has this text now. Your marks stay in this browser." : sentenceOf(answer), lost: true };
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

  /** Opens a text of one's own list; the one on the screen comes back after it. */
  async open(instance) {
    if (this.current?.work.instance.id === instance) return;
    const answer = await this.messages.next(this.project, instance);
    if (answer.status !== 200 || !answer.body.work) return this.screen.hint(answer.body.empty || sentenceOf(answer));
    const session = this.#admit(answer.body.work);
    this.upcoming = this.upcoming.filter((other) => other !== session);
    if (this.current?.open) this.upcoming.unshift(this.current);
    this.show(session);
  }

  async withdraw() {
    const session = this.current;
    const { status, body } = await this.messages.post("withdraw", { assignment: session.id });
    if (status !== 200) return this.screen.hint(sentenceOf({ status, body }));
    session.take(body.work);
    session.seen = false;
    this.show(session);
    this.trigger("progress", body.counts || this.counts);
  }
}

const NO_TIME = { first_action_at: null, active_ms: 0, idle_ms: 0, edits: 0 };
