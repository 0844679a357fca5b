/**
 * The keys with which audited versions are judged, said in a line under the verdict: what they press is drawn by the
 * page (annotator/web/sections/audits/verdicts.py), since judging is no part of the Perturb screen.
 */
import { afterwards, element, isCombined, isEntry, isSend, keyOf, paragraph } from "../shared/dom.js";
import { mountable } from "../shared/streamlit.js";
import { _ } from "../words/language.js";

/** What is judged, and how many faults it can have. @typedef {{version: string, faults: number}} Judged */

class AuditKeys {
  /** @param {Judged} data @param {HTMLElement|ShadowRoot} parent @param {Trigger} trigger */
  constructor(data, parent, trigger) {
    this.data = data;
    this.trigger = trigger;
    this.root = paragraph(
      "panel audit-keys",
      ...said(`1 – ${data.faults}`, _("problem")),
      ...said("c", _("comment")),
      ...said("Esc", _("leave the comment")),
      ...said("Ctrl+⏎", _("give the verdict and go on")),
    );
    parent.append(this.root);
    this.leaving = new AbortController();
    // Before anybody else: Streamlit listens on the page for c.
    document.addEventListener("keydown", (event) => this.#down(event), { capture: true, signal: this.leaving.signal });
  }

  /** @param {KeyboardEvent} event */
  #down(event) {
    const target = event.composedPath()[0];
    if (event.isComposing || (target instanceof Element && target.closest("[role=dialog], dialog"))) return;
    if (isSend(event)) return this.#submit();
    if (target instanceof HTMLTextAreaElement && event.key === "Escape") return target.blur();
    if (isEntry(target) || isCombined(event)) return;
    const wanted = this.#wanted(keyOf(event));
    if (!wanted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (isEntry(wanted)) wanted.focus();
    else wanted.click();
  }

  /** @param {string} key @returns {HTMLElement|null|undefined} */
  #wanted(key) {
    if (key === "c") return this.#comment;
    return /^[1-9]$/.test(key) ? this.#field("faults")?.querySelectorAll("button")[Number(key) - 1] : null;
  }

  /** What is in the comment is told to the page first. */
  #submit() {
    this.#comment?.blur();
    afterwards(() => this.trigger("submit", this.data.version));
  }

  get #comment() {
    return this.#field("comment")?.querySelector("textarea");
  }

  /**
   * The newest one: while the page goes on to the next version, the last one's may still stand before it.
   * @param {string} name
   */
  #field(name) {
    return [...document.querySelectorAll(`[class*="st-key-audit_"][class*="_${name}"]`)].at(-1);
  }

  /** @param {Judged} data */
  differs(data) {
    return data.faults !== this.data.faults;
  }

  /** @param {Judged} data @param {Trigger} trigger */
  update(data, trigger) {
    this.data = data;
    this.trigger = trigger;
  }

  destroy() {
    this.leaving.abort();
    this.root.remove();
  }
}

/** @param {string} key @param {string} words */
const said = (key, words) => [element("kbd", {}, key), ` ${words} `];

export default mountable((data, parent, trigger) => new AuditKeys(data, parent, trigger));
