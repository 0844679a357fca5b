/**
 * The visit of whoever came in by a crowd door: it ends when the quota is reached or the time is up, and the page of
 * the end (routes/crowd.py) says what comes then.
 */
import { _ } from "../words/language.js";
const END = "/crowd/end";
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
    this.timers = [setTimeout(() => this.#timeIsUp(), left)];
    if (left > WARN_MS) this.timers.push(setTimeout(() => this.#warn(), left - WARN_MS));
  }

  #warn() {
    this.say(_("Five minutes are left. What you marked is saved; hand in what is finished."));
  }

  #timeIsUp() {
    this.say(_("Your time is up. What you marked is saved."));
    this.timers = [setTimeout(() => this.end(), LAST_SAVE_MS)];
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
