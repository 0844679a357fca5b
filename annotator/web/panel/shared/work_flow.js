/**
 * What the flows of all screens have in common: fetching work, what an earlier page left behind, a lost connection, a
 * sign-in that ended, and two tabs with the same work. A flow of one kind adds what happens when work arrives and
 * leaves.
 */
import { Leftovers } from "./leftovers.js";
import { SIGNED_OUT, sentenceOf } from "./messages.js";
import { addressOf, rememberPlace } from "./sign_in.js";

const TRY_AGAIN_MS = 2000;

/** @param {string} why  the server's sentence, for whoever runs it */
const unstored = (why) =>
  `The server cannot store anything at the moment. What you do here is kept in this browser and sent later. Please tell whoever runs the server: ${why}`;

export class WorkFlow {
  /**
   * @param {Object} parts  messages, storage, outbox, screen, trigger, project (its id)
   * @param {{same: (a: Object, b: Object) => boolean, lost: string}} kind  lost: what is said of kept work that nobody
   *   takes
   */
  constructor(parts, { same, lost }) {
    this.messages = parts.messages;
    this.storage = parts.storage;
    this.outbox = parts.outbox;
    this.screen = parts.screen;
    this.trigger = parts.trigger;
    this.project = parts.project;
    this.current = null;
    this.waiting = true;
    this.settings = null;
    this.closed = false;
    this.leftovers = new Leftovers({
      messages: this.messages,
      storage: this.storage,
      same,
      isClosed: () => this.closed,
      onlost: (sentence) => this.screen.notices.setPage({ text: `${lost}: ${sentence}`, closable: true }),
    });
  }

  /** The sessions on the screen and behind it. */
  get sessions() {
    return [this.current].filter(Boolean);
  }

  /** What an earlier page left behind is sent first: the server must not hand it out again. */
  async start(wanted) {
    rememberPlace(() => this.address);
    const refused = await this.leftovers.sendFinished();
    await this.load(refused ?? wanted);
    await this.leftovers.sendDrafts(new Set(this.sessions.map((session) => session.id)));
  }

  /** Fetches work: a given piece of it, or the one that the server chooses. */
  async load(wanted = null) {
    this.waiting = true;
    const answer = await this.messages.next(this.project, wanted);
    if (this.closed) return;
    if (answer.status === 0 || answer.status >= 500) return this.#loadLater(wanted, answer);
    if (answer.status === 401) return this.#signedOut(() => this.load(wanted));
    if (answer.status !== 200) return this.#refusedHere(answer, wanted);
    this.arrived(answer.body);
  }

  /** A text that one asked for by its address is not one's own to open: there may be others that are. */
  #refusedHere(answer, wanted) {
    this.screen.showEmpty(sentenceOf(answer));
    if (wanted !== null && wanted !== undefined) this.screen.offer("Go on with your own texts", () => this.load());
  }

  #loadLater(wanted, answer) {
    if (this.current) this.screen.hint(sentenceOf(answer), { stay: true });
    else this.screen.showEmpty(answer.status ? sentenceOf(answer) : "The server cannot be reached. Trying again …");
    this.again = setTimeout(() => this.load(wanted), TRY_AGAIN_MS);
  }

  #signedOut(again) {
    this.#saySignedOut();
    this.onretry = again;
  }

  #saySignedOut() {
    this.screen.notices.setPage({ text: SIGNED_OUT, address: () => this.address });
  }

  /** The address of the page with what is on the screen. */
  get address() {
    return addressOf({ project: this.project, ...(this.current ? this.placeOf(this.current) : {}) });
  }

  /** A session changed: it is kept and sent. */
  changed(session) {
    this.outbox.changed(session);
  }

  /** The word in the bar. @param {import("./saving.js").Word} word */
  say(word) {
    this.outbox.word = word;
    this.screen.bar.word.say((word === "saved" && this.current?.unsaved) || word);
    if (word === "signed-out") this.#saySignedOut();
    else if (word === "unstored") this.screen.notices.setPage({ text: unstored(this.outbox.why) });
    else if (word === "saved" && this.screen.notices.page && !this.screen.notices.page.closable)
      this.screen.notices.setPage(null);
  }

  retry() {
    this.screen.notices.setPage(null);
    this.outbox.retry();
    this.onretry?.();
    this.onretry = null;
  }

  keepMine() {
    const session = this.current;
    session.revision = session.conflict.work.revision;
    session.conflict = null;
    session.version += 1;
    this.screen.refresh();
    this.changed(session);
  }

  /** What was here is one step of the session: where it has a history, one undo away. */
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

  /** The flow ends with its screen. */
  close() {
    this.closed = true;
    rememberPlace(null);
    clearTimeout(this.again);
  }
}
