/** The list of instances: filter, order, words, one page at a time. */
import { button, element, setText } from "./dom.js";
import { written } from "./saliency_heat.js";

const WHICH = [
  ["all", "all texts"], ["wrong", "prediction wrong"], ["right", "prediction right"], ["disagree", "models disagree"],
  ["won", "won against …"], ["lost", "lost against …"], ["perturbed", "perturbed versions"],
];
const NEEDS_MODEL = new Set(["wrong", "right", "won", "lost"]);
const PER_PAGE = 25;
const PAUSE = 250;

export class InstanceList {
  /** @param {Object} actions  ask(query) -> answer, open(id) */
  constructor(actions) {
    Object.assign(this, { actions, page: 1, rows: [], n: 0 });
    const changed = () => this.load(1);
    this.which = element("select", { "aria-label": "Which texts", onchange: () => (this.#offer(), changed()) }, ...WHICH.map(([value, words]) => element("option", { value }, words)));
    this.model = element("select", { "aria-label": "Whose answers", onchange: changed });
    this.other = element("select", { "aria-label": "Against whose answers", onchange: changed });
    this.by = element("select", { "aria-label": "Order", onchange: changed });
    this.order = element("select", { "aria-label": "Direction", onchange: changed }, element("option", { value: "lowest" }, "lowest first"), element("option", { value: "highest" }, "highest first"));
    this.words = element("input", { type: "search", placeholder: "key or words", "aria-label": "Key or words", oninput: () => this.#later() });
    this.count = element("p", { class: "list-count", "aria-live": "polite" });
    this.body = element("div", { class: "list-rows", role: "listbox", "aria-label": "Texts" });
    this.back = button("‹", { title: "Page before", className: "plain icon-only", onclick: () => this.load(this.page - 1) });
    this.on = button("›", { title: "Next page", className: "plain icon-only", onclick: () => this.load(this.page + 1) });
    this.root = element("aside", { class: "list", "aria-label": "Texts" },
      element("div", { class: "list-asked" }, this.words, this.which, this.model, this.other, this.by, this.order),
      this.count, this.body, element("div", { class: "list-pages" }, this.back, this.on));
  }

  /** What can be chosen: the models with their answers, and every number of every run. */
  offer({ runs, names }) {
    this.runs = runs;
    const own = runs.filter((run) => !run.method);
    for (const select of [this.model, this.other]) select.replaceChildren(...own.map((run) => element("option", { value: run.run }, titleOf(run))));
    if (own.length > 1) this.other.selectedIndex = 1;
    const kept = this.by.value;
    this.by.replaceChildren(element("option", { value: "" }, "order of import"), ...runs.filter((run) => run.numbers.length).map((run) => element("optgroup", { label: titleOf(run) },
      ...run.numbers.map(({ layer, name }) => element("option", { value: `${run.run}:${layer ?? "-"}:${name}`, title: names[name]?.definition }, `${names[name]?.title || name}${layer === null ? "" : `, layer ${layer}`}`)))));
    this.by.value = kept;
    if (this.by.selectedIndex < 0) this.by.selectedIndex = 0;
    this.#offer();
  }

  #offer() {
    this.model.hidden = !NEEDS_MODEL.has(this.which.value);
    this.other.hidden = !["won", "lost"].includes(this.which.value);
  }

  #later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(1), PAUSE);
  }

  get query() {
    const query = { which: this.which.value, by: this.by.value, order: this.order.value, words: this.words.value.trim() };
    if (!this.model.hidden) query.answers = this.model.value;
    if (!this.other.hidden) query.other = this.other.value;
    return query;
  }

  async load(page) {
    const asked = (this.asked = {});
    const answer = await this.actions.ask({ ...this.query, page });
    if (this.asked !== asked) return;
    if (answer.error) return setText(this.count, answer.error);
    Object.assign(this, { page, rows: answer.rows, n: answer.n });
    const first = (page - 1) * PER_PAGE;
    setText(this.count, answer.n ? `${first + 1}–${first + answer.rows.length} of ${answer.n.toLocaleString("en")}` : "No text fits. Choose other texts, or clear the words.");
    this.back.disabled = page <= 1;
    this.on.disabled = first + answer.rows.length >= answer.n;
    this.by.parentElement.classList.toggle("sorted", this.by.value !== "");
    this.body.replaceChildren(...answer.rows.map((row) => this.#row(row)));
    this.mark(this.current);
    return undefined;
  }

  #row(row) {
    const facts = [row.value !== null && written(row.value), row.label !== null && row.label, row.kind].filter(Boolean).join(" · ");
    return element("button", { type: "button", class: "list-row", role: "option", "data-id": row.id, onclick: () => this.actions.open(row.id) },
      element("b", {}, row.key), element("span", { class: "facts" }, facts || row.result || ""), element("span", { class: "excerpt", dir: "auto" }, row.excerpt));
  }

  mark(id) {
    this.current = id;
    for (const row of this.body.children) row.setAttribute("aria-selected", String(Number(row.dataset.id) === id));
    const row = this.body.querySelector("[aria-selected=true]");
    if (row) this.#bringIntoList(row);
  }

  /** Scrolls the list alone: scrollIntoView would move the page too, under somebody who is at work further down. */
  #bringIntoList(row) {
    const [ofRow, ofList] = [row.getBoundingClientRect(), this.body.getBoundingClientRect()];
    this.body.scrollTop += Math.min(0, ofRow.top - ofList.top) + Math.max(0, ofRow.bottom - ofList.bottom);
  }

  /** The text after or before the one on screen, over pages too; null where there is none. */
  async neighbour(by) {
    const at = this.rows.findIndex((row) => row.id === this.current);
    if (at + by >= 0 && at + by < this.rows.length) return this.rows[at < 0 ? 0 : at + by].id;
    const page = this.page + by;
    if (page < 1 || (page - 1) * PER_PAGE >= this.n) return null;
    await this.load(page);
    return this.rows[by > 0 ? 0 : this.rows.length - 1]?.id ?? null;
  }
}

export const titleOf = ({ model, method, seed }) => [model, method, seed !== null && seed !== undefined && `seed ${seed}`].filter(Boolean).join(" · ");
