/**
 * Two numbers of the listed texts against each other. What is drawn around, or typed as bounds, is what the list shows;
 * a point opens its text.
 */
import { button, chooseOption, div, element, paragraph, press, setText, toggle } from "../shared/dom.js";
import { counted } from "../shared/naming.js";
import { _, listed, together } from "../words/language.js";
import { fullTitleOf, layerWords } from "./runs.js";
import { ScatterPlot } from "./scatter_plot.js";
import {
  brushOf,
  brushWords,
  holds,
  learnedWords,
  missingWords,
  queryOf,
  spotsOf,
  valueWords,
} from "./scatter_points.js";

const MOST_KEYS = 3;

/**
 * @typedef {Object} ScatterActions
 * @property {(query: Query) => Promise<ScatterPoints|NoAnswer>} ask
 * @property {() => Query} listed  what the list asks for, without a part of the scatter
 * @property {() => unknown} drawn  the points came
 * @property {() => unknown} changed  another part of it is chosen
 * @property {() => void} remember
 * @property {(id: number) => unknown} open
 */

export class Scatter {
  /** @param {ScatterActions} actions */
  constructor(actions) {
    this.actions = actions;
    /** @type {Brush|null} */
    this.brush = null;
    /** @type {ScatterPoints|null} */
    this.points = null;
    /** @type {Map<number, number>}  where each text stands among the points */
    this.places = new Map();
    /** @type {number|null}  the text on the screen */
    this.current = null;
    /** What the points were asked for with. */
    this.asked = "";
    /** The newest question to the server. */
    this.asking = 0;
    const choose = () => this.#chooseAxes();
    this.x = element("select", { "aria-label": _("Number to the right (x)"), onchange: choose });
    this.y = element("select", { "aria-label": _("Number upwards (y)"), onchange: choose });
    this.plot = new ScatterPlot({
      brushed: (brush) => this.select(brush),
      clicked: (spot) => this.#open(spot),
      pointed: (spot) => this.#tell(spot),
    });
    this.lasso = toggle(_("Outline"), "", _("Select with a lasso instead of a box"), () => {
      this.plot.isLasso = !this.plot.isLasso;
      press(this.lasso, this.plot.isLasso);
    });
    this.fields = ["x from", "x to", "y from", "y to"].map((name) =>
      element("input", { type: "number", step: "any", "aria-label": name, onchange: () => this.#type() }),
    );
    this.clear = this.#clearButton();
    this.count = element("p", { class: "scatter-count", role: "status" });
    this.pointed = paragraph("scatter-pointed");
    this.root = element(
      "section",
      { class: "scatter", hidden: true, "aria-label": _("Scatter") },
      div(
        "scatter-axes",
        row("x", this.x),
        row("y", this.y),
        this.lasso,
        button(_("Close"), {
          title: _("Close the scatter plot; the selection stays"),
          className: "plain",
          onclick: () => this.close(),
        }),
      ),
      this.plot.root,
      this.pointed,
      div(
        "scatter-foot",
        div(
          "scatter-bounds",
          ...boundsRow("x", this.fields[0], this.fields[1]),
          ...boundsRow("y", this.fields[2], this.fields[3]),
          this.clear,
        ),
        this.count,
      ),
    );
    this.button = button(_("Scatter"), {
      key: "d",
      title: _("Scatter plot of two numbers"),
      className: "plain",
      onclick: () => this.toggle(),
    });
    this.note = element("div", { class: "scatter-note", hidden: true });
  }

  #clearButton() {
    const title = _("Select no part of the scatter");
    return button(_("Clear"), { title, className: "plain", onclick: () => this.select(null) });
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /**
   * What can be an axis: numbers of every text, of every model's answers, and of every run that was measured.
   * @param {MeasuredNumbers} given
   */
  offer({ runs, names, of_texts, of_answers }) {
    this.names = names;
    /** @param {string} run @param {{layer: number|null, name: string}[]} numbers */
    const options = (run, numbers) =>
      numbers.map(({ layer, name }) =>
        element(
          "option",
          { value: `${run}:${layer ?? "-"}:${name}`, title: names[name]?.definition },
          layerWords(names[name]?.title ?? name, layer),
        ),
      );
    /** @param {string} label @param {HTMLOptionElement[]} of */
    const group = (label, of) => (of.length ? [element("optgroup", { label }, ...of)] : []);
    for (const select of [this.x, this.y]) {
      const before = select.value;
      select.replaceChildren(
        ...group(
          _("the text"),
          options(
            "-",
            of_texts.map((name) => ({ layer: null, name })),
          ),
        ),
        ...runs.flatMap((run) => {
          const answers = run.has_probabilities ? of_answers.map((name) => ({ layer: null, name })) : [];
          return group(fullTitleOf(run, runs), options(String(run.run), [...answers, ...run.numbers]));
        }),
      );
      chooseOption(select, before);
    }
    this.asked = "";
    this.#showBrush();
  }

  /** To begin with: how well the first measured run fits gold, by how sure a model is, or by length. */
  #begin() {
    const values = [...this.x.options].map(({ value }) => value);
    const sure = values.find((value) => value.endsWith(":answer.confidence"));
    const measured = values.find(
      (value) => /^\d+:/.test(value) && !value.includes(":answer.") && !value.includes("accuracy"),
    );
    chooseOption(this.x, sure ?? values[0] ?? "");
    chooseOption(this.y, measured ?? values[1] ?? "");
  }

  open() {
    if (!this.chosen) this.#begin();
    this.root.hidden = false;
    this.actions.remember();
    this.refresh();
    this.x.focus();
  }

  close() {
    this.root.hidden = true;
    this.actions.drawn();
    this.actions.remember();
  }

  toggle() {
    if (this.isOpen) this.close();
    else this.open();
  }

  /** Whether both axes were chosen by somebody, or by an address. */
  get chosen() {
    return this.isOpen || this.brush !== null;
  }

  /** What the list and its like ask for. @returns {Record<string, string>} */
  get query() {
    return this.brush ? { x: this.x.value, y: this.y.value, ...queryOf(this.brush) } : {};
  }

  /** For the address; an empty name is left out there. @returns {Query} */
  get address() {
    const axes = this.chosen ? { x: this.x.value, y: this.y.value } : { x: "", y: "" };
    return { ...axes, ...queryOf(this.brush), scatter: this.brush && !this.isOpen ? "closed" : "" };
  }

  /**
   * What an address asks for; nothing where one of its numbers is not there (any more).
   * @param {URLSearchParams} asked
   */
  restore(asked) {
    const isThere = chooseOption(this.x, asked.get("x")) && chooseOption(this.y, asked.get("y"));
    this.brush = isThere ? brushOf(asked) : null;
    this.root.hidden = !isThere || (this.brush !== null && asked.get("scatter") === "closed");
    this.#showBrush();
  }

  #chooseAxes() {
    const had = this.brush !== null;
    this.brush = null;
    this.#showBrush();
    this.refresh();
    if (had) this.actions.changed();
    else this.actions.remember();
  }

  /** Asks for the points where what is listed, or an axis, is another one. */
  async refresh(isForced = false) {
    if (!this.isOpen) return;
    const query = { ...this.actions.listed(), x: this.x.value, y: this.y.value };
    const name = JSON.stringify(query);
    if (name === this.asked && !isForced) return this.#showCount();
    this.asked = name;
    const asking = (this.asking += 1);
    const answer = await this.actions.ask(query);
    if (asking !== this.asking) return;
    if ("error" in answer) {
      this.asked = "";
      return setText(this.count, answer.error);
    }
    this.points = answer;
    this.places = new Map(answer.ids.map((id, place) => [id, place]));
    const [xTitle, yTitle] = [this.x, this.y].map(named);
    const isSame = nameOf(this.x) === nameOf(this.y) && this.x.value !== this.y.value;
    const current = this.places.get(this.current ?? -1) ?? null;
    const seen = new Set(Object.values(answer.learned).flat());
    const learned = new Set(answer.ids.flatMap((id, place) => (seen.has(id) ? [place] : [])));
    this.plot.show({ spots: spotsOf(answer.x, answer.y), learned, xTitle, yTitle, isSame, brush: this.brush, current });
    this.#tell(null);
    this.actions.drawn();
    return this.#showCount();
  }

  /** Marks the text on the screen. @param {number|null} id */
  mark(id) {
    this.current = id;
    this.plot.mark(this.places.get(id ?? -1) ?? null);
  }

  /** @param {Brush|null} brush */
  select(brush) {
    this.brush = brush;
    this.#showBrush();
    this.plot.select(brush);
    this.#showCount();
    this.actions.changed();
  }

  #type() {
    const [xFrom, xTo, yFrom, yTo] = this.fields.map(({ value }) => (value === "" ? null : Number(value)));
    const crossed = [
      [xFrom, xTo],
      [yFrom, yTo],
    ].some(([from, to]) => from !== null && to !== null && from > to);
    if (crossed) return setText(this.count, _("Not changed: the smaller number comes first."));
    const isEmpty = [xFrom, xTo, yFrom, yTo].every((bound) => bound === null);
    return this.select(isEmpty ? null : { xs: [xFrom, xTo], ys: [yFrom, yTo], outline: [] });
  }

  /** What is selected stands in the fields, and above the list too, where the scatter may be closed. */
  #showBrush() {
    const bounds = this.brush ? [...this.brush.xs, ...this.brush.ys] : [null, null, null, null];
    this.fields.forEach((field, at) => (field.value = bounds[at] === null ? "" : String(bounds[at])));
    this.clear.disabled = !this.brush;
    this.note.hidden = !this.brush;
    if (!this.brush) return this.note.replaceChildren();
    return this.note.replaceChildren(
      element(
        "span",
        {},
        _("Selected in the scatter: {part}", { part: brushWords(this.brush, titleOf(this.x), titleOf(this.y)) }),
      ),
      this.#clearButton(),
    );
  }

  #showCount() {
    if (!this.points) return;
    const { brush, points } = this;
    const n = brush ? points.ids.filter((_, place) => holds(brush, points.x[place], points.y[place])).length : 0;
    const all = counted(points.ids.length, "text");
    const chosen = brush
      ? _("{n} of {all} selected and listed.", { n: n.toLocaleString("en"), all })
      : _("{all}. Draw a box or type bounds to filter.", { all });
    const isShared = this.plot.shown.spots.length < points.ids.length;
    const missing = missingWords(points, titleOf(this.x), titleOf(this.y));
    const shared = isShared ? _("Larger points: several texts with equal numbers.") : "";
    const learned = learnedWords(points.learned);
    const words = together(
      points.ids.length ? chosen : _("No listed text has both numbers."),
      learned,
      missing,
      shared,
    );
    setText(this.count, words);
    this.plot.canvas.setAttribute(
      "aria-label",
      _("{y} by {x}: {words}", { y: titleOf(this.y), x: titleOf(this.x), words }),
    );
  }

  /** The two numbers of a text, for its row in the list; "" while the scatter is closed. @param {number} id */
  valuesOf(id) {
    const place = this.places.get(id);
    if (!this.isOpen || place === undefined || !this.points) return "";
    return `x ${valueWords(this.points.x[place])} · y ${valueWords(this.points.y[place])}`;
  }

  /** Opens a text of a spot; of several the one after that on the screen. @param {Spot} spot */
  #open({ places }) {
    if (!this.points) return;
    const at = places.indexOf(this.places.get(this.current ?? -1) ?? -1);
    this.actions.open(this.points.ids[places[(at + 1) % places.length]]);
  }

  /** @param {Spot|null} spot */
  #tell(spot) {
    const { points } = this;
    if (!spot || !points) return setText(this.pointed, "");
    const keys = spot.places.slice(0, MOST_KEYS).map((place) => points.keys[place]);
    const more = spot.places.length - keys.length;
    const whose = more
      ? _("{texts} and {more} more with the same numbers", { texts: listed(keys), more: more.toLocaleString("en") })
      : listed(keys);
    return setText(this.pointed, `${whose} · x ${valueWords(spot.x)} · y ${valueWords(spot.y)}`);
  }

  updateTheme() {
    this.plot.draw();
  }

  destroy() {
    this.plot.destroy();
  }
}

/** @param {string} name @param {HTMLElement} field */
const row = (name, field) =>
  element("label", { class: "scatter-axis" }, element("b", { "aria-hidden": "true" }, name), field);

/** @param {string} name @param {HTMLElement} from @param {HTMLElement} to */
const boundsRow = (name, from, to) => [
  element("b", { "aria-hidden": "true" }, name),
  from,
  element("span", { "aria-hidden": "true" }, _("to")),
  to,
];

/** Which number a menu has chosen, of whatever run. @param {HTMLSelectElement} select */
const nameOf = (select) => select.value.split(":").slice(2).join(":");

/** The closed menu says whose number it is, as the open one does above its group. @param {HTMLSelectElement} select */
function named(select) {
  for (const option of select.options) option.removeAttribute("label");
  select.title = titleOf(select);
  select.selectedOptions[0]?.setAttribute("label", select.title);
  return select.title;
}

/** @param {HTMLSelectElement} select */
function titleOf(select) {
  const option = select.selectedOptions[0];
  const group = option?.parentElement;
  const isOfRun = group instanceof HTMLOptGroupElement && !select.value.startsWith("-");
  const number = option?.textContent ?? "";
  return isOfRun ? _("{number}, {run}", { number, run: group.label }) : number;
}
