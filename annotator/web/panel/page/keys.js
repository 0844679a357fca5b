/**
 * Keys on every page. Streamlit draws what a popover holds at the end of the document, so that Tab went from its button
 * past it; here it comes next after the button, in both directions. And Ctrl+K finds what has a name.
 */
import { element, inline, paragraph } from "../shared/dom.js";
import { at, sentenceOf } from "../shared/messages.js";
import { _ } from "../words/language.js";

const BUTTON = "[data-testid=stPopoverButton]";
const BODY = "[data-testid=stPopoverBody]";
const STOPS = "a[href], button, input, select, textarea, [tabindex]";

/**
 * What Tab comes to in a popover; while the focus is elsewhere, Streamlit has taken it out of the order and keeps what
 * was there as `data-tabindex`.
 * @param {Element} body
 */
const stopsOf = (body) =>
  [.../** @type {NodeListOf<HTMLElement>} */ (body.querySelectorAll(STOPS))].filter(
    (stop) =>
      (stop.tabIndex >= 0 || "tabindex" in stop.dataset) && !stop.matches(":disabled") && stop.getClientRects().length,
  );

/** @param {KeyboardEvent} event */
function follow(event) {
  const [body] = document.querySelectorAll(BODY);
  /** @type {HTMLElement|null} */
  const button = document.querySelector(`${BUTTON}[aria-expanded=true]`);
  if (event.key !== "Tab" || !body || !button) return;
  const stops = stopsOf(body);
  const at = document.activeElement;
  if (at === button && !event.shiftKey && stops.length) {
    event.preventDefault();
    stops[0].focus();
  } else if (at === stops[0] && event.shiftKey) {
    event.preventDefault();
    button.focus();
  } else if (at === stops[stops.length - 1] && !event.shiftKey) button.focus(); // from there Tab itself goes on
}

addEventListener("keydown", follow, { capture: true });

// ---- Ctrl+K: everything that has a name

const ASK_AFTER_MS = 120;
const SEEK_MS = 15000;
const SOUGHT = "annotator:sought";

/** @typedef {{kind: string, name: string, address: string, seek: string}} Target */

/** The list of what is found while one types; Enter goes there. */
class Palette {
  constructor() {
    /** @type {HTMLAnchorElement[]} */
    this.shown = [];
    this.chosen = 0;
    this.asked = 0;
    /** Whether what is shown answers an earlier question, and whether Enter was pressed meanwhile. */
    this.waits = this.goes = false;
    this.list = element("div", { id: "palette-list", role: "listbox", "aria-label": _("Results") });
    this.field = element("input", {
      type: "text",
      role: "combobox",
      autocomplete: "off",
      placeholder: _("Go to a page, setting, project, person or text"),
      "aria-label": _("Go to"),
      "aria-expanded": "true",
      "aria-controls": this.list.id,
      oninput: () => this.#askSoon(),
    });
    this.dialog = element("dialog", { class: "palette", "aria-label": _("Go to") }, this.field, this.list);
    this.dialog.addEventListener("keydown", (event) => this.#down(event));
    this.dialog.addEventListener("pointerdown", (event) => event.target === this.dialog && this.dialog.close());
    this.dialog.addEventListener("close", () => this.dialog.remove());
  }

  open() {
    const page = getComputedStyle(document.querySelector(".stApp") ?? document.body);
    const { color, backgroundColor, colorScheme } = page;
    Object.assign(this.dialog.style, { color, backgroundColor, colorScheme });
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.#ask();
  }

  /** An answer that is still on its way is one to other words. */
  #askSoon() {
    this.asked++;
    this.waits = true;
    this.goes = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask(), ASK_AFTER_MS);
  }

  /** Only the answer to the last question is shown. */
  async #ask() {
    const number = ++this.asked;
    const query = new URLSearchParams({ words: this.field.value });
    const project = new URLSearchParams(location.search).get("project");
    if (project) query.set("project", project);
    const answer = await fetch(at(`/api/palette?${query}`)).catch(() => null);
    if (number !== this.asked) return;
    if (answer?.ok) this.#show((await answer.json()).targets);
    else this.#show([], sentenceOf({ status: /** @type {Refused} */ (answer?.status ?? 0), body: {} }));
  }

  /** @param {Target[]} targets @param {string} [none]  what is said where there are none */
  #show(targets, none = _("Nothing found.")) {
    this.shown = targets.map((target, place) => {
      const parts = [inline("palette-name", target.name), inline("palette-kind", target.kind)];
      const made = element("a", { id: `palette-${place}`, role: "option", href: target.address }, ...parts);
      made.addEventListener("click", () => target.seek && sessionStorage.setItem(SOUGHT, target.seek));
      return made;
    });
    this.list.replaceChildren(...(this.shown.length ? this.shown : [paragraph("palette-none", none)]));
    this.#choose(0);
    this.waits = false;
    if (this.goes) this.shown[0]?.click();
  }

  /** @param {number} place */
  #choose(place) {
    this.chosen = (place + this.shown.length) % (this.shown.length || 1);
    for (const [at, made] of this.shown.entries()) made.setAttribute("aria-selected", String(at === this.chosen));
    this.field.setAttribute("aria-activedescendant", this.shown[this.chosen]?.id ?? "");
    this.shown[this.chosen]?.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  #down(event) {
    event.stopPropagation(); // a screen has keys of its own
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.#choose(this.chosen + step);
    else if (event.key === "Enter" && this.waits) this.goes = true;
    else if (event.key === "Enter") this.shown[this.chosen]?.click();
    else if (event.key === "Tab") this.field.focus();
    else return;
    event.preventDefault();
  }
}

addEventListener(
  "keydown",
  (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (!document.querySelector("dialog[open]")) new Palette().open();
  },
  { capture: true },
);

/** Shows a label or heading on the page that one has gone to, unfolding what it stands in, and puts the focus there. */
function seek() {
  const words = sessionStorage.getItem(SOUGHT);
  if (!words) return;
  sessionStorage.removeItem(SOUGHT);
  const look = () => {
    const found = [...document.querySelectorAll("[data-testid=stMain] label, [data-testid=stMain] summary")].find(
      (one) => (one.querySelector("p") ?? one).textContent?.trim() === words, // but for the icon of a fold
    );
    if (!found) return;
    watcher.disconnect();
    const fold = found.closest("details:not([open])")?.querySelector("summary");
    fold?.click();
    setTimeout(() => {
      found.scrollIntoView({ block: "center" });
      const holder = found.closest("[data-testid=stElementContainer], details");
      /** @type {HTMLElement|null|undefined} */
      const field = holder?.querySelector("input, textarea, summary");
      field?.focus({ preventScroll: true });
    }, 300);
  };
  const watcher = new MutationObserver(look);
  watcher.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watcher.disconnect(), SEEK_MS);
  look();
}

seek();
