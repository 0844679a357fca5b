/** The list of originals: those without a changed version first or alone, by key or words, a page at a time. */
import { _, several } from "../words/language.js";
import { counted } from "../shared/spoken.js";
import { button, element, parts, setText } from "../shared/dom.js";
import { sentenceOf } from "../shared/messages.js";
import { shownKey } from "../shared/naming.js";

const PAUSE_MS = 250;

export class Originals {
  /**
   * @typedef {{words: string, page: number, without: number}} Asked
   * @param {{ask: (asked: Asked) => Promise<Answer<PerturbRoutes["originals"]>>, open: (id: number) => void}} actions
   */
  constructor(actions) {
    this.actions = actions;
    this.page = 1;
    /** @type {OriginalRow[]} */
    this.rows = [];
    /** @type {number|null} */
    this.current = null;
    /** The newest question to the server. */
    this.asked = 0;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    this.words = element("input", {
      type: "search",
      placeholder: _("key or words"),
      "aria-label": _("Key or words"),
      oninput: () => this.#later(),
    });
    this.without = element("input", { type: "checkbox", checked: true, onchange: () => this.load(1) });
    this.count = element("p", { class: "list-count", role: "status" });
    this.body = element("div", { class: "list-rows", role: "group", "aria-label": _("Originals") });
    this.back = button("‹", { title: _("Previous page"), className: "plain", onclick: () => this.load(this.page - 1) });
    this.on = button("›", { title: _("Next page"), className: "plain", onclick: () => this.load(this.page + 1) });
    this.root = element(
      "aside",
      { class: "list", "aria-label": _("Originals") },
      this.words,
      element("label", { class: "list-without" }, this.without, _("without a changed version")),
      this.count,
      this.body,
      element("div", { class: "list-pages" }, this.back, this.on),
    );
  }

  #later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(1), PAUSE_MS);
  }

  async load(page = this.page) {
    const asked = (this.asked += 1);
    const answer = await this.actions.ask({
      words: this.words.value.trim(),
      page,
      without: this.without.checked ? 1 : 0,
    });
    if (this.asked !== asked) return;
    if (answer.status !== 200) return setText(this.count, sentenceOf(answer));
    const { rows, n, n_unfinished: unfinished, per_page: perPage } = answer.body;
    this.page = page;
    this.rows = rows;
    const pages = Math.max(1, Math.ceil(n / perPage));
    const texts = counted(n, "text");
    const where = pages > 1 ? _("{texts} · page {page} of {pages}", { texts, page, pages }) : texts;
    setText(this.count, (n ? where : this.#none()) + waitingWords(unfinished));
    this.back.disabled = page <= 1;
    this.on.disabled = page >= pages;
    this.#draw();
  }

  #draw() {
    this.body.replaceChildren(...this.rows.map((row) => this.#row(row)));
    this.mark(this.current);
  }

  /**
   * A changed version of this one was begun.
   * @param {number} id
   */
  begun(id) {
    const row = this.rows.find((one) => one.id === id);
    if (!row || row.has_draft) return;
    row.has_draft = true;
    this.#draw();
  }

  #none() {
    if (this.words.value.trim()) return _("No text or key contains these words.");
    return this.without.checked
      ? _("No complete text is without a changed version. Clear the tick to see those that have one.")
      : _("No text is complete yet. A text can be changed once its rationale sets are decided.");
  }

  /** @param {OriginalRow} given */
  #row({ id, key, result, excerpt, n_there: there, n_waiting: waiting, has_draft: hasDraft }) {
    const counts = [
      hasDraft && _("draft"),
      there && counted(there, "version"),
      waiting && _("{waiting} in progress", { waiting }),
    ]
      .filter(Boolean)
      .join(", ");
    return element(
      "button",
      { type: "button", class: "list-row", "data-id": id, title: key, onclick: () => this.actions.open(id) },
      element("b", {}, shownKey(key)),
      element("span", { class: "facts" }, counts || result || "–"),
      element("span", { class: "excerpt", dir: "auto" }, excerpt || ""),
    );
  }

  /** @param {number|null} id */
  mark(id) {
    this.current = id;
    for (const row of parts(this.body, ".list-row", HTMLElement)) {
      if (Number(row.dataset.id) === id) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }
}

/**
 * Texts are offered only when their annotation is complete: their sets are shown beside what is written.
 * @param {number} n
 */
function waitingWords(n) {
  if (!n) return "";
  return several(
    " · {n} more can be changed once its annotation is complete",
    " · {n} more can be changed once their annotation is complete",
    n,
  );
}
