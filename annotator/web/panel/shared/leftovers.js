/**
 * What an earlier page left in the browser's storage: messages that were never acknowledged. They are sent when a
 * screen opens, before it asks for work, and a piece of work that is shown again takes up what was kept of it.
 */
import { _ } from "../words/language.js";
import { sentenceOf } from "./messages.js";

const NO_TIME = { first_action_at: null, active_ms: 0, idle_ms: 0, edits: 0 };

/** @template {WorkSession} S */
export class Leftovers {
  /**
   * @param {Object} parts
   * @param {Sender<S["work"]>} parts.messages
   * @param {import("./storage.js").DraftStorage} parts.storage
   * @param {import("./work_flow.js").Same<S>} parts.same
   * @param {(sentence: string) => void} parts.onlost  something kept can never be sent any more
   * @param {() => boolean} parts.isClosed  whether the screen has gone
   */
  constructor(parts) {
    this.messages = parts.messages;
    this.storage = parts.storage;
    this.same = parts.same;
    this.onlost = parts.onlost;
    this.isClosed = parts.isClosed;
    /** @type {{ status: Refused, body: Refusal<S["work"]> }|null}  of the work that is shown next */
    this.refusal = null;
  }

  /**
   * Submits, skips and discards. The server must not hand these out again, so they go first.
   * @returns {Promise<number|null>}  the instance of a refused one, which is then to be shown with `refusal`
   */
  async sendFinished() {
    let refused = null;
    for (const entry of this.storage.list()) {
      const { finish } = entry;
      if (!finish) continue;
      const answer = await this.#finish({ ...entry, finish });
      if (answer.status === 200 || this.#arrivedBefore(entry, answer)) this.storage.drop(entry.assignment);
      else if (answer.status === 422 || answer.status === 409) [refused, this.refusal] = [entry.instance, answer];
      else if (answer.status === 410 || answer.status === 404) this.#lose(entry, answer);
    }
    return refused;
  }

  /**
   * Sent again if only its draft had arrived: then nobody else was faster, and the server's revision is good.
   * @param {Entry & {finish: NonNullable<Entry["finish"]>}} entry
   * @returns {Promise<Answer<Saved, S["work"]>>}
   */
  async #finish(entry, revision = entry.revision) {
    const { kind, extra } = entry.finish;
    const body = { assignment: entry.assignment, ...extra, ahead: null };
    if (kind === "submit") Object.assign(body, { revision, draft: entry.draft, timing: NO_TIME });
    const answer = await this.messages.post(kind, body);
    if (answer.status !== 409 || !answer.body.work) return answer;
    const { work } = answer.body;
    const isBehind = work.state !== "submitted" && work.revision !== revision;
    return isBehind && this.same(work.draft, entry.draft) ? this.#finish(entry, work.revision) : answer;
  }

  /** @param {Entry} entry @param {{ body: Refusal<S["work"]> }} given */
  #arrivedBefore(entry, { body }) {
    return body.work?.state === "submitted" && (entry.state !== "submitted" || this.same(body.work.draft, entry.draft));
  }

  /** @param {Entry} entry @param {Answer<object, object>} answer */
  #lose(entry, answer) {
    this.onlost(sentenceOf(answer));
    this.storage.drop(entry.assignment);
  }

  /**
   * Drafts of texts that are not on the screen: what the server does not take stays until the text is opened.
   * @param {Set<number>} here
   */
  async sendDrafts(here) {
    for (const { assignment, revision, draft, finish, state } of this.storage.list()) {
      if (finish || state === "submitted" || here.has(assignment) || this.isClosed()) continue;
      const answer = await this.messages.post("draft", { assignment, revision, draft, timing: NO_TIME });
      if (answer.status === 200 || this.same(answer.body.work?.draft, draft)) this.storage.drop(assignment);
    }
  }

  /**
   * Gives a session what this browser had kept of it.
   * @param {S} session
   * @returns {boolean} whether that is to be sent
   */
  adopt(session) {
    const entry = this.storage.find(session.id);
    if (!entry) return false;
    if (this.same(entry.draft, session.work.draft) || !this.#mayTake(entry, session)) {
      this.storage.drop(session.id);
      return false;
    }
    session.load(entry.draft);
    if (entry.revision === session.revision || this.same(entry.sent, session.work.draft)) return true;
    session.conflict = {
      work: session.work,
      error: _("This browser kept changes that were never saved, and meanwhile others were saved elsewhere."),
    };
    return false;
  }

  /**
   * What is finished takes nothing more, unless it was finished already when it was changed here.
   * @param {Entry} entry
   * @param {S} session
   */
  #mayTake(entry, session) {
    const { state } = session.work;
    return state !== "decided" && (state !== "submitted" || entry.state === "submitted");
  }
}
