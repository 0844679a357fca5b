/**
 * The project's guidelines beside the text. The page draws them, outside of the panel (annotator/web/guidelines.py);
 * here they are opened and closed, in the browser alone, and whether they are open stays in its storage. Before a text
 * a person is asked to read them, where the server says so; then they lie over everything until they are answered.
 */

import { _ } from "../words/language.js";
import { safeStorage, storeValue, storedValue } from "./browser_storage.js";
import { isCombined, parts } from "./dom.js";
import { Messages, sentenceOf } from "./messages.js";

const PLACE = ".st-key-guidelines";
const CLOSE = ".guidelines-close";
const READ = ".guidelines-read";
const LATER = ".guidelines-later";
/** As in guidelines.css: they lie over the text. */
const NARROW = matchMedia("(max-width: 1000px)");
const root = document.documentElement;

/**
 * The screen that they stand beside.
 * @typedef {Object} Screen
 * @property {HTMLElement} root
 * @property {{guidelines: HTMLElement}} head
 * @property {(change: () => void) => void} reflow
 * @property {(sentence: string) => void} announce
 * @property {(sentence: string, how?: {stay?: boolean}) => void} hint
 * @property {() => void} focusText
 */
/** @typedef {{read: object}} GuidelinesRoutes */

export class Guidelines {
  /**
   * @param {GuidelinesData} data
   * @param {Screen} screen
   */
  constructor({ project, csrf, guidelines }, screen) {
    this.project = project;
    this.screen = screen;
    /** @type {Messages<GuidelinesRoutes, object>} */
    this.messages = new Messages("/api/guidelines", csrf);
    this.isOpen = false;
    this.isAsking = false;
    this.key = `annotator:guidelines:${guidelines?.user ?? ""}`;
    this.version = guidelines?.version ?? 0;
    this.laterVersion = 0;
    /** What is to be said of them until they are read: they are new to this person, or have changed; "": nothing. */
    this.asks = guidelines?.asks ?? "";
    this.readVersion = 0;
    /** @type {number|null} */
    this.text = null;
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    document.addEventListener("click", (event) => this.#click(event), { signal });
    // Before the panel's own keys, which mean the text also where the focus is nowhere.
    window.addEventListener("keydown", (event) => this.#keyDown(event), { signal, capture: true });
    this.paint();
    this.#show(Boolean(this.version) && this.#isKeptOpen());
    if (this.asks && !this.#isPutOff()) this.#ask();
  }

  /** Opens or closes them. @param {boolean} reads  the focus goes to them, so that the keys scroll them */
  toggle(reads = false) {
    if (!this.isOpen || !reads) this.screen.reflow(() => this.#show(!this.isOpen));
    storeValue(this.key, { open: this.isOpen });
    this.screen.announce(this.isOpen ? _("guidelines are open") : _("guidelines are closed"));
    if (this.isOpen && (reads || NARROW.matches)) this.#part(CLOSE)?.focus();
  }

  /**
   * A script ran again: the lead may have changed them meanwhile. The text does not move for it, and nobody is asked in
   * the middle of one.
   * @param {GuidelinesData} data
   */
  update({ csrf, guidelines }) {
    this.messages.csrf = csrf;
    if (!guidelines) return;
    const isNew = guidelines.version !== this.version;
    this.version = guidelines.version;
    this.asks = this.version === this.readVersion ? "" : guidelines.asks;
    if (!this.asks && this.isAsking) this.#answered();
    else this.#show(this.isOpen);
    if (isNew && this.asks && !this.isAsking) this.screen.hint(_("The guidelines changed. Press g to read them."));
  }

  /**
   * A text comes on the screen; whoever has not read the guidelines is asked first.
   * @param {number} id
   */
  beforeText(id) {
    if (id === this.text) return;
    this.text = id;
    if (this.asks && !this.#isPutOff()) this.#ask();
  }

  /** The colours of the page, which its parts outside of the panel do not know by name. */
  paint() {
    const colours = getComputedStyle(this.screen.root);
    root.style.setProperty("--guidelines-paper", colours.getPropertyValue("--paper") || "Canvas");
    root.style.setProperty("--guidelines-focus", colours.getPropertyValue("--focus"));
  }

  /** As soon as the page has drawn them; until then nothing is held up. */
  #ask() {
    if (this.isAsking || this.closed) return;
    if (!this.#part(READ)) return void requestAnimationFrame(() => this.asks && this.#ask());
    this.isAsking = true;
    this.screen.root.inert = true;
    this.#show(true);
    this.#part(READ)?.focus();
    this.screen.announce(_("Please read the guidelines."));
  }

  /** The answer may come late or never: the work goes on meanwhile. */
  async #read() {
    const { version, asks } = this;
    this.asks = "";
    this.readVersion = version; // also for a script that ran before the answer was stored
    this.#answered();
    const answer = await this.messages.post("read", { project: this.project, version });
    if (answer.status === 200 || this.closed) return;
    this.readVersion = 0;
    this.asks = asks;
    this.screen.hint(_("Your confirmation was not saved. {why}", { why: sentenceOf(answer) }), { stay: true });
  }

  /** Once in a visit is enough; whoever comes back another day, or finds another version, is asked again. */
  #later() {
    this.laterVersion = this.version;
    storeValue(this.#laterKey, this.version, safeStorage("sessionStorage")); // a visit lasts as long as the browser's tab
    this.#answered();
    this.screen.hint(_("The guidelines changed. Press g to read them."));
  }

  #answered(isOpen = this.#isKeptOpen()) {
    this.isAsking = false;
    this.screen.root.inert = false;
    this.#show(isOpen);
    this.screen.focusText();
  }

  /** @param {boolean} isOpen */
  #show(isOpen) {
    this.isOpen = isOpen;
    const words = ["open", this.isAsking ? "asking" : "", this.asks].filter(Boolean);
    if (isOpen) root.dataset.guidelines = words.join(" ");
    else delete root.dataset.guidelines;
    this.screen.head.guidelines.setAttribute("aria-expanded", String(isOpen));
  }

  /** @param {string} selector */
  #part(selector) {
    return parts(document, `${PLACE} ${selector}`, HTMLElement)[0];
  }

  get closed() {
    return this.leaving.signal.aborted;
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const target = event.target instanceof Element ? event.target : null;
    if (!target?.closest(PLACE)) return;
    if (target.closest(READ)) this.#read();
    else if (target.closest(LATER)) this.#later();
    else if (target.closest(CLOSE)) this.#close();
    // The keys go on meaning the text, unless a link is followed or words are selected to be copied.
    else if (!this.isAsking && !target.closest("a, button, summary") && getSelection()?.isCollapsed !== false)
      this.screen.focusText();
  }

  /** @param {KeyboardEvent} event */
  #keyDown(event) {
    const target = event.target instanceof Element ? event.target : null;
    const isHere = Boolean(target?.closest(PLACE));
    if (this.isAsking) return void ((isHere || target === document.body) && this.#answerKey(event));
    if (!isHere || isCombined(event) || !["Escape", "g", "G"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "G") this.screen.focusText();
    else this.#close();
  }

  /**
   * While one is asked the keys mean the guidelines. One that is still held down from before answers nothing.
   * @param {KeyboardEvent} event
   */
  #answerKey(event) {
    event.stopPropagation();
    const target = event.target instanceof Element ? event.target : null;
    if (isCombined(event)) return;
    const isOther = target?.closest(`a, ${LATER}`);
    const answer = event.key === "Escape" ? () => this.#later() : () => this.#read();
    if (event.key === "Escape" || (event.key === "Enter" && !isOther)) {
      event.preventDefault();
      if (!event.repeat) answer();
    } else if (target === document.body) this.#part(READ)?.focus();
  }

  #close() {
    if (this.isOpen) this.toggle();
    this.screen.focusText();
  }

  /** Who never closed them in this browser has them open, where there is room beside the text. */
  #isKeptOpen() {
    return !NARROW.matches && storedValue(this.key)?.open !== false;
  }

  get #laterKey() {
    return `${this.key}:later:${this.project}`;
  }

  #isPutOff() {
    const stored = storedValue(this.#laterKey, safeStorage("sessionStorage"));
    return Boolean(this.version) && [this.laterVersion, stored].includes(this.version);
  }

  destroy() {
    this.leaving.abort();
    this.screen.root.inert = false;
    delete root.dataset.guidelines;
  }
}
