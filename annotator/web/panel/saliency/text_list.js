/** The list of instances: filter, order, words, one page at a time. */
import {
  chooseOption,
  div,
  element,
  inline,
  option,
  pageButtons,
  parts,
  pressable,
  setText,
  whenAtRest,
} from "../shared/dom.js";
import { _, dotted, several } from "../words/language.js";
import { written } from "./map_numbers.js";
import { groupOf, groupsOf, layerWords, whoseOf } from "./runs.js";
import { NAMES, NEEDS_MODEL, NEEDS_OTHER, Slices, WHICH, answeringOf, whichOf } from "./slices.js";

/** An address without a slice names none. @type {Query} */
const NO_SLICE = Object.fromEntries(NAMES.map((name) => [name, ""]));
const PER_PAGE = 10;
const PAUSE = 250;

/**
 * @typedef {Object} ListActions
 * @property {(query: Query) => Promise<ListedTexts|NoAnswer>} ask
 * @property {(query: Query) => Promise<SaliencyRoutes["slices"]|NoAnswer>} askSlices
 * @property {() => Promise<SaliencyRoutes["slice_names"]|NoAnswer>} askSliceNames
 * @property {(id: number) => unknown} open
 * @property {() => void} listed  another list is shown
 * @property {(run: number, layer: string) => void} run  a run is chosen
 */

export class InstanceList {
  /**
   * @param {ListActions} actions
   * @param {import("./saved_lists.js").SavedLists} saved
   * @param {import("./scatter.js").Scatter} scatter
   */
  constructor(actions, saved, scatter) {
    this.actions = actions;
    this.saved = saved;
    this.scatter = scatter;
    this.page = 1;
    /** @type {ListedText[]} */
    this.rows = [];
    this.n = 0;
    /** @type {MeasuredRun[]} */
    this.runs = [];
    /** @type {MeasuredNumbers["names"]} */
    this.names = {};
    /** @type {number|null}  the text on the screen */
    this.current = null;
    /** The newest question to the server. */
    this.asking = 0;
    const changed = () => this.load(1);
    this.which = element(
      "select",
      { "aria-label": _("Which texts"), onchange: () => (this.#offer(), changed()) },
      ...WHICH.map(([value, words]) => option(value, words)),
    );
    this.model = element("select", {
      "aria-label": _("Whose predictions"),
      onchange: () => (this.#offerOther(), changed()),
    });
    this.other = element("select", { "aria-label": _("The other model"), onchange: changed });
    this.learned = element("input", { type: "checkbox", onchange: changed });
    this.withLearned = element("label", { hidden: true }, this.learned, " ", _("also texts that a model learned from"));
    this.by = element("select", { "aria-label": _("Order by a run"), onchange: () => this.#chooseRun() });
    this.seed = element("select", { "aria-label": _("Seed of the run"), onchange: () => this.#chooseSeed() });
    this.number = element("select", { "aria-label": _("Number of the run"), onchange: changed });
    this.order = element(
      "select",
      { "aria-label": _("Direction"), onchange: changed },
      option("lowest", _("lowest first")),
      option("highest", _("highest first")),
    );
    this.words = element("input", {
      type: "search",
      placeholder: _("ID or words"),
      "aria-label": _("ID or words"),
      oninput: whenAtRest(() => this.load(1), PAUSE),
    });
    this.slices = new Slices({
      ask: actions.askSlices,
      askNames: actions.askSliceNames,
      changed,
      listed: () => this.query,
    });
    this.count = element("p", { class: "list-count", "aria-live": "polite" });
    this.elsewhere = element("p", { class: "list-elsewhere", role: "status" });
    this.body = element("div", { class: "list-rows", role: "listbox", "aria-label": _("Texts") });
    this.pages = pageButtons((by) => this.load(this.page + by), { className: "plain icon-only" });
    this.root = element(
      "aside",
      { class: "list", "aria-label": _("Texts") },
      div(
        "list-asked",
        this.saved.root,
        this.words,
        this.which,
        this.model,
        this.other,
        this.withLearned,
        this.by,
        this.seed,
        this.number,
        this.order,
        this.slices.root,
        element("div", {}, this.scatter.button),
        this.scatter.note,
      ),
      this.count,
      this.elsewhere,
      this.body,
      this.pages.root,
    );
  }

  /**
   * What can be chosen: the models with their answers, and every number of every run.
   * @param {MeasuredNumbers} given
   */
  offer({ runs, names }) {
    this.runs = runs;
    this.names = names;
    const before = this.model.value;
    this.model.replaceChildren(...answeringOf(this.runs).map((run) => option(run.run, whoseOf(run))));
    chooseOption(this.model, before);
    this.#offerOther();
    const [run, number] = [this.runId, this.number.value];
    this.by.replaceChildren(
      option("", _("order of import")),
      ...groupsOf(this.#measured).map(({ first, title }) => option(first.run, title)),
    );
    this.#chooseOf(run);
    chooseOption(this.number, number);
    this.#offer();
  }

  /** The models that the chosen one can be held against: nobody is right where they are wrong themselves. */
  #offerOther() {
    const before = this.other.value;
    const others = answeringOf(this.runs).filter((run) => String(run.run) !== this.model.value);
    this.other.replaceChildren(...others.map((run) => option(run.run, whoseOf(run))));
    chooseOption(this.other, before);
    for (const option of this.which.options) option.disabled = NEEDS_OTHER.has(option.value) && !others.length;
  }

  get #measured() {
    return this.runs.filter((one) => one.numbers.length);
  }

  /** The number of the run to order by, as menus hold it; "" for none. */
  get runId() {
    return this.by.value && (this.seed.value || this.by.value);
  }

  /**
   * Chooses the menus' entries for a run; answers whether there is one.
   * @param {string} run
   */
  #chooseOf(run) {
    const group = groupOf(Number(run), this.#measured);
    if (!group) return false;
    chooseOption(this.by, String(group.first.run));
    this.#offerSeeds();
    chooseOption(this.seed, run);
    this.#offerNumbers();
    return true;
  }

  /** The seeds of the group that is chosen: each has numbers of its own. */
  #offerSeeds() {
    const seeds = groupOf(Number(this.by.value), this.#measured)?.runs || [];
    this.seed.replaceChildren(
      ...seeds.map(({ run, seed }) => option(run, _("seed {seed}", { seed: seed ?? _("none") }))),
    );
  }

  /** The numbers of the run that is chosen; the one of before is kept where the run has it. */
  #offerNumbers() {
    const run = this.runs.find((one) => String(one.run) === this.runId);
    const kept = this.number.selectedOptions[0]?.dataset.name;
    this.number.replaceChildren(
      ...(run?.numbers || []).map(({ layer, name }) =>
        element(
          "option",
          { value: `${layer ?? "-"}:${name}`, "data-name": name, title: this.names[name]?.definition },
          layerWords(this.names[name]?.title || name, layer),
        ),
      ),
    );
    const same = [...this.number.options].find((option) => option.dataset.name === kept);
    if (same) same.selected = true;
    this.#offer();
  }

  /** Another run to order by: its numbers are offered, and it is opened as a map beside those that are there. */
  #chooseRun() {
    this.#offerSeeds();
    return this.#chooseSeed();
  }

  async #chooseSeed() {
    this.#offerNumbers();
    await this.load(1);
    const { run } = this;
    if (run) this.actions.run(run.id, run.layer);
  }

  /** The run that the texts are ordered by, with the layer of the number, as an address names them; null for none. */
  get run() {
    return this.by.value ? { id: Number(this.runId), layer: this.number.value.split(":")[0] } : null;
  }

  #offer() {
    this.model.hidden = !NEEDS_MODEL.has(this.which.value);
    this.number.hidden = this.order.hidden = !this.by.value;
    this.seed.hidden = !this.by.value || this.seed.options.length < 2;
    this.other.hidden = !NEEDS_OTHER.has(this.which.value);
  }

  /** @returns {Record<string, string>} */
  get query() {
    return { ...this.queryOfAll, ...this.scatter.query };
  }

  /** What is asked for whatever part of the scatter is selected. @returns {Record<string, string>} */
  get queryOfAll() {
    /** @type {Record<string, string>} */
    const query = {
      which: this.which.value,
      by: this.by.value ? `${this.runId}:${this.number.value}` : "",
      order: this.order.value,
      words: this.words.value.trim(),
    };
    if (!this.model.hidden) query.answers = this.model.value;
    if (!this.other.hidden) query.other = this.other.value;
    if (!this.other.hidden && this.learned.checked) query.learned = "yes";
    if (this.saved.value) query.list = this.saved.value;
    return { ...query, ...this.slices.query };
  }

  /** What differs from all texts in the order of import, for the address. @returns {Query} */
  get asked() {
    const { which, by, order, words, answers, other, learned, list } = this.query;
    return {
      ...NO_SLICE,
      ...this.slices.query,
      which: which === "all" ? "" : which,
      by,
      order: by && order === "highest" ? order : "",
      words,
      answers,
      other,
      learned,
      list,
      ...this.scatter.address,
    };
  }

  /**
   * Chooses what an address asks for; a number or a model that is not there (any more) is left out.
   * @param {URLSearchParams} asked
   */
  restore(asked) {
    const { which, answers, other } = whichOf(asked, this.runs);
    [this.which.value, this.order.value, this.by.value] = [which, "lowest", ""];
    chooseOption(this.model, answers);
    this.#offerOther();
    chooseOption(this.other, other);
    this.learned.checked = asked.get("learned") === "yes";
    chooseOption(this.order, asked.get("order"));
    this.#restoreNumber(asked.get("by") || "");
    this.words.value = asked.get("words") || "";
    this.slices.restore(asked);
    this.#offer();
  }

  /**
   * RUN:LAYER:NAME; the order of import where the run or its number is not there (any more).
   * @param {string} by
   */
  #restoreNumber(by) {
    const run = by.split(":")[0];
    if (!this.#chooseOf(run)) return;
    if (!chooseOption(this.number, by.slice(run.length + 1))) this.by.value = "";
  }

  /** @param {number} page */
  async load(page) {
    const asked = (this.asking += 1);
    setText(this.by.options[0], this.saved.value ? _("order of the list") : _("order of import"));
    const answer = await this.actions.ask({ ...this.query, page });
    if (this.asking !== asked) return;
    if ("error" in answer) return setText(this.count, answer.error);
    this.page = page;
    this.rows = answer.rows;
    this.n = answer.n;
    // Where no model learned from any of these texts there is nothing to choose.
    this.withLearned.hidden = this.other.hidden || !(answer.learned || this.learned.checked);
    const first = (page - 1) * PER_PAGE;
    setText(this.count, this.#countWords(first, answer));
    this.pages.back.disabled = page <= 1;
    this.pages.forth.disabled = first + answer.rows.length >= answer.n;
    this.drawRows();
    this.slices.refresh();
    this.actions.listed();
    return undefined;
  }

  /** Draws the rows as they came; the scatter may know more of them now. */
  drawRows() {
    this.body.replaceChildren(...this.rows.map((row) => this.#row(row)));
    this.mark(this.current);
  }

  /**
   * How many texts are listed, and how many are not because they have no value of the number.
   * @param {number} first
   * @param {ListedTexts} given
   */
  #countWords(first, { n, rows, without, learned }) {
    const missing = without
      ? several("{n} has no value of this number", "{n} have no value of this number", without)
      : "";
    const leftOut = learned
      ? several("{n} that a model was trained on is left out", "{n} that a model was trained on are left out", learned)
      : "";
    if (n)
      return dotted(
        _("{first}–{last} of {n}", { first: first + 1, last: first + rows.length, n: n.toLocaleString("en") }),
        missing,
        leftOut,
      );
    if (leftOut) return _("No other text is listed: {left}.", { left: leftOut });
    return missing
      ? _("No texts listed: {missing}. Choose another number.", { missing })
      : _("Nothing found. Change the search or filters.");
  }

  /** @param {ListedText} row */
  #row(row) {
    const { value, label, kind } = row;
    const facts = dotted(value !== null && written(value), label && `→ ${label}`, kind);
    const axes = this.scatter.valuesOf(row.id);
    return pressable(
      "list-row",
      {
        role: "option",
        "data-id": row.id,
        "aria-description": label ? _("{label}: predicted label", { label }) : null,
        onclick: () => this.actions.open(row.id),
      },
      element("b", { title: row.key }, row.key),
      element(
        "span",
        { class: "facts", title: label ? `→ ${_("{label}: predicted label", { label })}` : "" },
        facts || row.result || "",
      ),
      ...(axes ? [inline("axes", axes)] : []),
      element("span", { class: "excerpt", dir: "auto" }, row.excerpt),
    );
  }

  /** @param {number|null} id */
  mark(id) {
    this.current = id;
    for (const row of parts(this.body, ".list-row", HTMLElement))
      row.setAttribute("aria-selected", String(Number(row.dataset.id) === id));
    const row = this.body.querySelector("[aria-selected=true]");
    if (row) {
      // The list alone: scrollIntoView would move the page too, under somebody who is at work further down.
      const [ofRow, ofList] = [row.getBoundingClientRect(), this.body.getBoundingClientRect()];
      this.body.scrollTop += Math.min(0, ofRow.top - ofList.top) + Math.max(0, ofRow.bottom - ofList.bottom);
    }
    const isElsewhere = !row && this.current !== null && this.rows.length > 0;
    const words =
      this.n > this.rows.length ? _("The open text isn't on this page.") : _("The open text is not listed here.");
    setText(this.elsewhere, isElsewhere ? words : "");
  }

  /**
   * The text after or before the one on screen, over pages too; null where there is none. Of rows that do not have it
   * the first.
   * @param {number} by
   */
  async neighbour(by) {
    const at = this.rows.findIndex((row) => row.id === this.current);
    if (at < 0) return this.rows[0]?.id ?? null;
    if (at + by >= 0 && at + by < this.rows.length) return this.rows[at + by].id;
    const page = this.page + by;
    if (page < 1 || (page - 1) * PER_PAGE >= this.n) return null;
    await this.load(page);
    return this.rows[by > 0 ? 0 : this.rows.length - 1]?.id ?? null;
  }
}
