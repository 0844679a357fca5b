/**
 * What is asked of the text, in one line below the bar, while it has scrolled out of sight itself: the question or
 * claim of the text, else the project's question. It lies over the text, so that nothing moves when it comes; a click
 * or a key unfolds it.
 */
import { _ } from "../words/language.js";
import { element, setText } from "./dom.js";

/** Of less than this nothing can be read. */
const HIDDEN_PIXELS = 6;

export class QuestionLine {
  /** @param {() => void} onturn  it was folded or unfolded */
  constructor(onturn) {
    this.parts = element("span", { class: "asked-parts" });
    this.root = element(
      "button",
      {
        type: "button",
        class: "asked-line",
        hidden: true,
        title: _("Unfold or fold what is asked (f)"),
        "aria-keyshortcuts": "f",
        onclick: onturn,
      },
      this.parts,
      element("kbd", { "aria-hidden": "true" }, "f"),
    );
    /** @type {HTMLElement[]} */
    this.sources = [];
    this.rule = element("span", { class: "asked-part asked-rule" });
    this.isFolded = true;
    this.hasOwn = false;
  }

  /**
   * @param {Array<{title: string, words: string, dir: string, lang: string|undefined}>} asked  the segments that ask
   *   something
   * @param {HTMLElement[]} sources  the elements that show it in full
   * @param {string} rule  the project's question
   */
  show(asked, sources, rule) {
    this.sources = sources;
    this.hasOwn = asked.length > 0;
    this.rule = element("span", { class: "asked-part asked-rule" }, rule);
    const own = asked.map(({ title, words, dir, lang }) =>
      element(
        "span",
        { class: "asked-part" },
        element("span", { class: "asked-title" }, title),
        element("bdi", { class: "asked-words", dir, lang }, words),
      ),
    );
    this.parts.replaceChildren(...own, this.rule);
    this.fold(true);
    this.root.hidden = true;
  }

  /**
   * The project's question changes with the result.
   * @param {string} rule
   */
  update(rule) {
    setText(this.rule, rule);
  }

  /**
   * Shows itself when what it repeats is out of sight, above the window or behind the bar.
   * @param {number} top  of what can be seen of the page @param {HTMLElement} bar
   */
  place(top, bar) {
    const source = this.sources.findLast((one) => one.isConnected);
    const box = source?.getBoundingClientRect();
    const line = this.hasOwn ? bar.getBoundingClientRect().bottom : top;
    const isGone = box !== undefined && box.height > 0 && box.bottom < line + HIDDEN_PIXELS;
    if (this.root.hidden === isGone) this.root.hidden = !isGone;
  }

  fold(isFolded = !this.isFolded) {
    this.isFolded = isFolded;
    this.root.classList.toggle("folded", isFolded);
    this.root.setAttribute("aria-expanded", String(!isFolded));
    this.rule.hidden = isFolded && this.hasOwn;
  }

  get words() {
    return this.parts.textContent;
  }

  get height() {
    return this.root.hidden ? 0 : this.root.offsetHeight;
  }
}
