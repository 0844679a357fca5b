/**
 * The project's guidelines beside the text. The page draws them, outside of the panel (annotator/web/guidelines.py);
 * here they are opened and closed, in the browser alone. What this person has seen, and whether they are open, stays in
 * its storage.
 */

import { parts } from "./dom.js";

const PLACE = ".st-key-guidelines";
const CLOSE = ".guidelines-close";
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
 * @property {(sentence: string) => void} hint
 * @property {() => void} focusText
 */
/** @typedef {{open: boolean, seen: Record<string, string>}} Kept  seen: the version, by project */

export class Guidelines {
  /**
   * @param {GuidelinesData} data
   * @param {Screen} screen
   */
  constructor({ project, guidelines }, screen) {
    this.project = project;
    this.screen = screen;
    this.isOpen = false;
    this.news = "";
    this.key = `annotator:guidelines:${guidelines?.user ?? ""}`;
    this.version = guidelines?.version ?? "";
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    document.addEventListener("click", (event) => this.#click(event), { signal });
    document.addEventListener("keydown", (event) => this.#keyDown(event), { signal, capture: true });
    this.paint();
    const kept = this.#kept();
    this.#show(this.#isUnseen(kept) || (kept.open && !NARROW.matches), kept);
  }

  /** Opens or closes them. @param {boolean} reads  the focus goes to them, so that the keys scroll them */
  toggle(reads = false) {
    if (!this.isOpen || !reads) this.screen.reflow(() => this.#show(!this.isOpen));
    this.#remember({ open: this.isOpen });
    this.screen.announce(this.isOpen ? "guidelines are open" : "guidelines are closed");
    if (this.isOpen && (reads || NARROW.matches)) parts(document, `${PLACE} ${CLOSE}`, HTMLElement)[0]?.focus();
  }

  /**
   * A script ran again: the lead may have changed them meanwhile. The text does not move for it.
   * @param {GuidelinesData["guidelines"]} guidelines
   */
  update(guidelines) {
    const version = guidelines?.version ?? this.version;
    if (version === this.version) return;
    this.version = version;
    if (this.isOpen) this.#show(true);
    else if (version) this.screen.hint("The guidelines have changed. To read them: g.");
  }

  /** The colours of the page, which its parts outside of the panel do not know by name. */
  paint() {
    const colours = getComputedStyle(this.screen.root);
    root.style.setProperty("--guidelines-paper", colours.getPropertyValue("--paper") || "Canvas");
    root.style.setProperty("--guidelines-focus", colours.getPropertyValue("--focus"));
  }

  /** @param {boolean} isOpen */
  #show(isOpen, kept = this.#kept()) {
    this.isOpen = isOpen;
    if (isOpen && this.#isUnseen(kept)) {
      this.news = kept.seen[this.project] ? "changed" : "first";
      this.#remember({ open: true, seen: { ...kept.seen, [this.project]: this.version } });
    } else if (!isOpen) this.news = "";
    if (isOpen) root.dataset.guidelines = `open ${this.news}`.trim();
    else delete root.dataset.guidelines;
    this.screen.head.guidelines.setAttribute("aria-expanded", String(isOpen));
  }

  /** @param {Kept} given */
  #isUnseen({ seen }) {
    return Boolean(this.version) && seen[this.project] !== this.version;
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const target = event.target instanceof Element ? event.target : null;
    if (!target?.closest(PLACE)) return;
    if (target.closest(CLOSE)) this.#close();
    // The keys go on meaning the text, unless a link is followed or words are selected to be copied.
    else if (!target.closest("a, button, summary") && getSelection()?.isCollapsed !== false) this.screen.focusText();
  }

  /** @param {KeyboardEvent} event */
  #keyDown(event) {
    const isHere = event.target instanceof Element && event.target.closest(PLACE);
    if (!isHere || event.ctrlKey || event.metaKey || event.altKey || !["Escape", "g", "G"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "G") this.screen.focusText();
    else this.#close();
  }

  #close() {
    if (this.isOpen) this.toggle();
    this.screen.focusText();
  }

  /** @returns {Kept} */
  #kept() {
    try {
      const kept = JSON.parse(localStorage.getItem(this.key) ?? "null") || {};
      return { open: kept.open === true, seen: { ...kept.seen } };
    } catch {
      return { open: false, seen: {} };
    }
  }

  /** @param {Partial<Kept>} changes */
  #remember(changes) {
    try {
      localStorage.setItem(this.key, JSON.stringify({ ...this.#kept(), ...changes }));
    } catch {
      // A browser that keeps nothing shows them all the same.
    }
  }

  destroy() {
    this.leaving.abort();
    delete root.dataset.guidelines;
  }
}
