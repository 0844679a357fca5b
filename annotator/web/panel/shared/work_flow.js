/**
 * What the flows of all screens have in common: fetching work, what an earlier page left behind, a lost connection, a
 * sign-in that ended, and two tabs with the same work. A flow of one kind adds what happens when work arrives and
 * leaves.
 */
import { _ } from "../words/language.js";
import { Leftovers } from "./leftovers.js";
import { SIGNED_OUT, sentenceOf } from "./messages.js";
import { addressOf, rememberPlace } from "./sign_in.js";

const TRY_AGAIN_MS = 2000;

/** @param {string} why  the server's sentence, for whoever runs it */
const unstored = (why) =>
  _(
    "The server cannot store anything at the moment. What you do here is kept in this browser and sent later. Please tell whoever runs the server: {why}",
    { why },
  );

/**
 * The screen that shows the work.
 * @typedef {Object} WorkScreen
 * @property {{word: import("./word.js").Word}} bar
 * @property {{page: PageNotice|null, setPage: (notice: PageNotice|null) => void}} notices
 * @property {(sentence: string, how?: {stay?: boolean}) => void} hint
 * @property {(sentence: string) => void} showEmpty
 * @property {(words: string, onclick: () => void) => void} offer
 * @property {() => void} refresh
 */
/** @typedef {import("./notices.js").PageNotice} PageNotice */
/** @typedef {import("./word.js").SavingWord} SavingWord */
/**
 * Whether two drafts say the same.
 * @template {WorkSession} S
 * @typedef {(a: S["draft"]|null|undefined, b: S["draft"]|null|undefined) => boolean} Same
 */
/**
 * What a flow is made of; N: what its screen begins with.
 * @template {WorkSession} S
 * @template {{project: object}} N
 * @template {WorkScreen} Screen
 * @template {FlowMessages<S, N>} M
 * @typedef {Object} FlowParts
 * @property {M} messages
 * @property {import("./storage.js").DraftStorage} storage
 * @property {import("./saving.js").Outbox<S>} outbox
 * @property {Screen} screen
 * @property {Trigger} trigger
 * @property {number} project  its id
 */
/**
 * @template {WorkSession} S
 * @template {{project: object}} N
 * @typedef {(project: number, wanted: number|null) => Promise<Answer<N, S["work"]>>} AskNext
 */
/**
 * @template {WorkSession} S
 * @template {{project: object}} N
 * @typedef {Sender<S["work"]> & {next: AskNext<S, N>}} FlowMessages
 */

/**
 * @template {WorkSession} S
 * @template {{project: object}} N
 * @template {WorkScreen} Screen
 * @template {FlowMessages<S, N>} M
 */
export class WorkFlow {
  /**
   * @param {FlowParts<S, N, Screen, M>} parts
   * @param {{same: Same<S>, lost: string}} kind  lost: what is said of kept work that nobody takes
   */
  constructor(parts, { same, lost }) {
    this.messages = parts.messages;
    this.storage = parts.storage;
    this.outbox = parts.outbox;
    this.screen = parts.screen;
    this.trigger = parts.trigger;
    this.project = parts.project;
    /** @type {S|null} */
    this.current = null;
    this.waiting = true;
    /** @type {SavingWord}  what the bar says */
    this.word = "saved";
    /** @type {N["project"]|null} */
    this.settings = null;
    this.closed = false;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.again = undefined;
    /** @type {(() => void)|null} */
    this.onretry = null;
    /** @type {Leftovers<S>} */
    this.leftovers = new Leftovers({
      messages: this.messages,
      storage: this.storage,
      same,
      isClosed: () => this.closed,
      onlost: (sentence) =>
        this.screen.notices.setPage({ text: _("{title}: {sentence}", { title: lost, sentence }), closable: true }),
    });
  }

  /** The sessions on the screen and behind it. @returns {S[]} */
  get sessions() {
    return this.current ? [this.current] : [];
  }

  /**
   * An answer of `next`, however it came: each flow says what it makes of it.
   * @type {(body: N) => void}
   */
  arrived() {}

  /**
   * What stands in the address for a session.
   * @type {(session: S) => Record<string, number>}
   */
  placeOf() {
    return {};
  }

  /**
   * What an earlier page left behind is sent first: the server must not hand it out again.
   * @param {number|null} wanted
   */
  async start(wanted) {
    rememberPlace(() => this.address);
    const refused = await this.leftovers.sendFinished();
    await this.load(refused ?? wanted);
    await this.leftovers.sendDrafts(new Set(this.sessions.map((session) => session.id)));
  }

  /**
   * Fetches work: a given piece of it, or the one that the server chooses.
   * @param {number|null} [wanted]
   */
  async load(wanted = null) {
    this.waiting = true;
    const answer = await this.messages.next(this.project, wanted);
    if (this.closed) return;
    if (answer.status === 200) this.arrived(answer.body);
    else if (answer.status === 0 || answer.status >= 500) this.#loadLater(wanted, answer);
    else if (answer.status === 401) this.#signedOut(() => this.load(wanted));
    else this.#refusedHere(answer, wanted);
  }

  /**
   * A text that one asked for by its address is not one's own to open: there may be others that are.
   * @param {{ status: Refused, body: Refusal<S["work"]> }} answer
   * @param {number|null} wanted
   */
  #refusedHere(answer, wanted) {
    this.screen.showEmpty(sentenceOf(answer));
    if (wanted !== null && wanted !== undefined) this.screen.offer(_("Go on with your own texts"), () => this.load());
  }

  /** @param {number|null} wanted @param {{ status: Refused, body: Refusal<S["work"]> }} answer */
  #loadLater(wanted, answer) {
    if (this.current) this.screen.hint(sentenceOf(answer), { stay: true });
    else this.screen.showEmpty(answer.status ? sentenceOf(answer) : _("The server cannot be reached. Trying again …"));
    this.again = setTimeout(() => this.load(wanted), TRY_AGAIN_MS);
  }

  /** @param {() => void} again */
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

  /**
   * A session changed: it is kept and sent.
   * @param {S} session
   */
  changed(session) {
    this.outbox.changed(session);
  }

  /** The word in the bar. @param {SavingWord} word */
  say(word) {
    this.word = word;
    this.screen.bar.word.say((word === "saved" && this.current?.unsaved) || word);
    if (word === "signed-out") this.#saySignedOut();
    else if (word === "unstored") this.screen.notices.setPage({ text: unstored(this.outbox.why ?? "") });
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
    if (!session?.conflict) return;
    session.revision = session.conflict.work.revision;
    session.conflict = null;
    session.version += 1;
    this.screen.refresh();
    this.changed(session);
  }

  /** What was here is one step of the session: where it has a history, one undo away. */
  takeTheirs() {
    const session = this.current;
    if (!session?.conflict) return;
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
