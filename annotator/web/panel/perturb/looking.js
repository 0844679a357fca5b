/**
 * Asks what a changed text comes to, a moment after the last keystroke, and keeps it: in the browser at once, on the
 * server with each answer. One question at a time, so that no older answer or draft comes after a newer one.
 */
import { isForLater, sentenceOf } from "../shared/messages.js";

const PAUSE_MS = 250;
const RETRY_MS = [500, 1000, 2000, 4000, 8000];

/**
 * A text that is written: `key` of its entry in the browser's storage; `isKept`: whether the server keeps it as a
 * draft.
 * @typedef {Object} Asked
 * @property {string} key
 * @property {(changed: Changed, turn: Turn) => Promise<Answer<Look>>} ask
 * @property {() => Changed} value
 * @property {boolean} isKept
 */
/**
 * How far it has come: the version that is written, and the one that the server knows; `writer` names this writing, so
 * that of two messages which overtake each other the older is not kept.
 * @typedef {Asked & {writer: string, version: number, saved: number, tries: number,
 *   sending: Promise<Answer<Look>>|null, timer: ReturnType<typeof setTimeout>|undefined}} Written
 */

export class Looking {
  /**
   * @param {Object} parts
   * @param {(look: Look, isNewest: boolean) => void} parts.onlook
   * @param {(word: import("../shared/word.js").SavingWord) => void} parts.onword
   * @param {(sentence: string) => void} parts.onproblem  why it can be neither looked at nor kept
   */
  constructor(parts) {
    this.onlook = parts.onlook;
    this.onword = parts.onword;
    this.onproblem = parts.onproblem;
    /** @type {Written|null} */
    this.work = null;
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    window.addEventListener("pagehide", () => this.#flush(), { signal });
    window.addEventListener("online", () => this.retry(), { signal });
  }

  /**
   * Another text is written.
   * @param {Asked} work
   */
  begin(work) {
    this.stop();
    const writer = Math.random().toString(36).slice(2);
    this.work = { ...work, writer, version: 0, saved: 0, tries: 0, sending: null, timer: undefined };
    this.onword(work.isKept ? "saved" : "kept");
  }

  /**
   * What this browser still has of a text that did not reach the server.
   * @param {string} key
   * @returns {Changed|null}
   */
  static entry(key) {
    try {
      const entry = JSON.parse(localStorage.getItem(key) ?? "null");
      return entry?.texts ? entry : null;
    } catch {
      return null;
    }
  }

  /** @param {string} key */
  static forget(key) {
    try {
      localStorage.removeItem(key);
    } catch {
      // A browser may forbid storage; then there is nothing to forget.
    }
  }

  /** Something was typed. @param {number} [pause]  0: at once, for what is no keystroke */
  changed(pause = PAUSE_MS) {
    const { work } = this;
    if (!work) return;
    work.version += 1;
    this.#store(work);
    if (work.isKept) this.onword("saving");
    clearTimeout(work.timer);
    work.timer = setTimeout(() => {
      work.timer = undefined;
      this.#go(work);
    }, pause);
  }

  /** @param {Written} work */
  #store(work) {
    try {
      localStorage.setItem(work.key, JSON.stringify(work.value()));
    } catch {
      // A full storage must not stop the writing; it is on its way to the server.
    }
  }

  /** @param {Written} work */
  async #go(work) {
    if (work.sending || this.work !== work) return;
    const { version } = work;
    const asked = performance.now();
    work.sending = work.ask(work.value(), turnOf(work));
    const answer = await work.sending;
    work.sending = null;
    if (this.work !== work) return;
    if (answer.status === 200) this.#arrived(work, version, answer.body, asked);
    else if (isForLater(answer)) return this.#later(work, answer);
    else {
      this.onword("held");
      this.onproblem(sentenceOf(answer));
    }
    if (work.version !== version && !work.timer) this.#go(work);
  }

  /** @param {Written} work @param {number} version @param {Look} look @param {number} asked */
  #arrived(work, version, look, asked) {
    Object.assign(work, { saved: version, tries: 0 });
    const isNewest = version === work.version;
    if (isNewest && work.isKept) {
      Looking.forget(work.key);
      this.onword("saved");
    }
    this.onlook(look, isNewest);
    performance.measure("annotator:look", { start: asked });
  }

  /** @param {Written} work @param {{ status: Refused }} given */
  #later(work, { status }) {
    this.onword(status === 401 ? "signed-out" : "offline");
    const wait = RETRY_MS[Math.min(work.tries, RETRY_MS.length - 1)];
    work.tries += 1;
    clearTimeout(work.timer);
    work.timer = setTimeout(() => {
      work.timer = undefined;
      this.#go(work);
    }, wait);
  }

  /** The connection is back. */
  retry() {
    const { work } = this;
    if (!work || work.version === work.saved) return;
    clearTimeout(work.timer);
    work.timer = undefined;
    this.#go(work);
  }

  /** Waits for what is on its way; what was not sent yet is contained in what comes next. */
  async settle() {
    const { work } = this;
    clearTimeout(work?.timer);
    if (work) work.timer = undefined;
    await work?.sending;
  }

  /** It was handed in: nothing more is sent or kept of it. */
  finish() {
    if (this.work) Looking.forget(this.work.key);
    this.#drop();
  }

  /** Another text takes its place: what was not sent yet is sent without waiting. */
  stop() {
    this.#flush();
    this.#drop();
  }

  #drop() {
    clearTimeout(this.work?.timer);
    this.work = null;
  }

  #flush() {
    const { work } = this;
    if (!work?.isKept || work.version === work.saved) return;
    const sent = JSON.stringify(work.value());
    work.ask(work.value(), turnOf(work)).then(({ status }) => {
      if (status === 200 && JSON.stringify(Looking.entry(work.key)) === sent) Looking.forget(work.key);
    });
  }

  destroy() {
    this.stop();
    this.leaving.abort();
  }
}

/** @param {Written} work @returns {Turn} */
const turnOf = ({ writer, version }) => ({ writer, turn: version });
