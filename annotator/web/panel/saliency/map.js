/** One panel: a text with heat, gold underlines and boxes, its legend, its bars, its numbers. */
import { element, setText } from "../shared/dom.js";
import { letterOf } from "../shared/model.js";
import { percent, written } from "./written_numbers.js";
import { goldBadge } from "../shared/gold_underlines.js";
import { colourOf, stepOf } from "./heat.js";
import { meaningOf } from "./meaning.js";
import { factsOf, fitOf, orderOf, ranksOf, selectedOf, tiesOf } from "./numbers.js";

const BARS = 15;
const LABEL = "Label that is explained";

/**
 * What stands in the place of a panel where no map is chosen, or no model has said anything: the text and its gold
 * alone.
 */
export const TEXT_AND_GOLD = {
  run: null,
  model: "",
  method: "",
  parameters: "{}",
  seed: null,
  unit: "none",
  is_signed: false,
  label: "",
  asked_label: null,
  layer: null,
  answer: null,
  numbers: {},
  scores: null,
  ranking: null,
  spans: null,
  pieces: null,
  convergence: null,
  facts: {},
  spread: null,
  trust: null,
  seen: null,
};

export class SaliencyMap {
  /**
   * @param {Object} view   what the route answered: segments, gold, sides
   * @param {Object} panel  one of its panels
   * @param {Object} actions  hover(token), remove(), choose(panel)
   * @param {Object|null} choice  the layers and labels that its run has; null: the panel cannot be changed
   */
  constructor(view, panel, actions, choice = null) {
    this.view = view;
    this.panel = panel;
    this.actions = actions;
    this.choice = choice;
    this.order = orderOf(panel);
    this.meaning = meaningOf(panel);
    this.ranks = ranksOf(this.order);
    this.names = [];
    this.isEmpty = !panel.scores && !panel.ranking && !panel.spans;
    this.tokens = [];
    this.text = element(
      "div",
      { class: "heat-text", dir: "auto", lang: view.instance.language },
      ...view.segments.map((segment) => this.#segment(segment)),
    );
    this.bars = element("div", { class: "heat-bars", hidden: true });
    this.pieces = element("div", { class: "heat-pieces", hidden: true });
    this.legend = element("div", { class: "heat-legend" });
    this.pointed = element("p", { class: "heat-pointed", "aria-live": "polite" });
    const paper = element(
      "div",
      { class: "heat-paper", onpointerover: (event) => this.#over(event), onpointerleave: () => actions.hover(null) },
      this.text,
      this.bars,
    );
    this.root = element(
      "section",
      {
        class: "heat-panel",
        "aria-label": [this.title(), panel.scores && this.meaning.head].filter(Boolean).join(", "),
      },
      this.#header(),
      paper,
      this.pieces,
      this.legend,
      this.pointed,
    );
  }

  #header() {
    const { panel, view } = this;
    const layer = this.#choose("Layer", this.choice?.layers, panel.layer, (one) => `layer ${one}`);
    const label = this.#choose(LABEL, this.choice?.labels, panel.label, (one) => `for “${one}”`);
    const seed = this.#seed();
    const about =
      panel.scores && !(label && panel.is_signed) && element("span", { class: "heat-head-meaning" }, this.meaning.head);
    return element(
      "header",
      {},
      element(
        "div",
        { class: "heat-head" },
        element("h3", { title: this.#details() }, this.title(!layer, !seed)),
        panel.answer &&
          element(
            "span",
            { class: `heat-answer ${panel.answer.label === view.instance.result ? "right" : "wrong"}` },
            this.answerWords(),
          ),
        panel.run !== null &&
          element(
            "button",
            {
              type: "button",
              class: "button plain icon-only",
              title: "Remove this map",
              "aria-label": "Remove this map",
              onclick: this.actions.remove,
            },
            "×",
          ),
      ),
      (layer || seed || label || about) && element("div", { class: "heat-head" }, layer, seed, label, about),
    );
  }

  /** A choice between the seeds of its group: the maps of the others are one step away. */
  #seed() {
    const seeds = this.choice?.seeds || [];
    const words = (run) => `seed ${seeds.find((one) => one.run === run)?.seed ?? "none"} (of ${seeds.length})`;
    return this.#choose(
      "Seed",
      seeds.map(({ run }) => run),
      this.panel.run,
      words,
    );
  }

  /** A choice between what the run has; null where there is nothing to choose. */
  #choose(what, there, now, words) {
    if (!there || there.length < 2) return null;
    const select = element(
      "select",
      { "aria-label": `${what}, ${this.title()}`, "data-words": words(now) },
      ...there.map((one) => element("option", { value: one, selected: one === now }, words(one))),
    );
    const chosen = () => ({
      Seed: this.panel.run,
      Layer: this.panel.layer ?? "-",
      [LABEL]: this.panel.asked_label || "",
      [what]: select.value,
    });
    select.addEventListener("change", () =>
      this.actions.choose(`${chosen().Seed}:${chosen().Layer}:${chosen()[LABEL]}`, what),
    );
    return select;
  }

  title(withLayer = true, withSeed = true) {
    const { run, model, method, layer, seed } = this.panel;
    if (run === null) return "Text and gold";
    return [
      model,
      method || "predictions",
      withLayer && layer !== null && `layer ${layer}`,
      withSeed && seed !== null && `seed ${seed}`,
      this.panel.differs,
    ]
      .filter(Boolean)
      .join(" · ");
  }

  #details() {
    const { parameters, unit, convergence } = this.panel;
    const facts = [
      this.panel.scores && this.meaning.legend,
      parameters !== "{}" && parameters,
      unit !== "none" && `unit: ${unit}`,
      convergence !== null && `convergence: ${written(convergence)}`,
    ];
    return facts.filter(Boolean).join(" · ") || this.title();
  }

  /** What the model answers, and whether that is right; "" where it is not known. */
  answerWords() {
    if (!this.panel.answer) return "";
    const { label, probabilities } = this.panel.answer;
    const p = probabilities[label];
    const right = label === this.view.instance.result ? "✓" : "✗";
    return `${right} ${label}${p === undefined ? "" : ` ${Math.round(100 * p)} %`}`;
  }

  /**
   * How far the model is to be trusted: how often it is right, and whether it learned from this text; "" where nothing
   * is known.
   */
  trustWords() {
    const { model, trust, seen } = this.panel;
    const words = [trust && `${trust[0].toLowerCase()}${trust.slice(1)}`, seen].filter(Boolean);
    return words.length ? `${model}: ${words.join(" ")}` : "";
  }

  /** Which version of the text this is, where two stand side by side. */
  get version() {
    return this.view.isPaired ? this.view.instance.key : "";
  }

  #segment(segment) {
    const spans = segment.tokens.map((token, place) => {
      const made = element("span", { class: "t", "data-token": segment.first + place }, token || "\u00a0");
      this.tokens[segment.first + place] = made;
      return [segment.before[place], made];
    });
    const name = this.view.segments.length > 1 && element("span", { class: "heat-segment" }, segment.name);
    return element("p", { class: segment.is_selectable ? "" : "asked" }, name, ...spans.flat(), segment.rest);
  }

  #over(event) {
    const token = event.target.closest?.("[data-token]")?.dataset.token;
    this.actions.hover(token === undefined ? null : Number(token));
  }

  /** Paints heat, boxes and gold for what the controls say now. */
  paint({ scale, counts, combos, magnitude, showNumbers }) {
    const { panel, view } = this;
    this.selected = selectedOf(panel, view.sides, counts, this.order);
    this.scale = scale;
    this.magnitude = magnitude;
    this.isSigned = panel.is_signed && !magnitude;
    const scores = panel.scores || [];
    let nCut = 0;
    this.tokens.forEach((made, token) => {
      const score = scores[token] ?? null;
      const heat = stepOf(score, scale, this.isSigned);
      const isCut = score !== null && Math.abs(score) > scale * (1 + 1e-9);
      nCut += isCut;
      const classes = [
        "t",
        heat,
        isCut && "cut",
        combos[token] && `g${combos[token]}`,
        this.selected.has(token) && "top",
        scores.length && score === null && token < view.n && "not-seen",
      ];
      const name = classes.filter(Boolean).join(" ");
      if (this.names[token] !== name) made.className = this.names[token] = name;
    });
    this.nCut = nCut;
    if (this.numbered !== showNumbers) this.#number(showNumbers);
    this.text.classList.toggle("with-numbers", showNumbers);
    this.#paintLegend();
    if (!this.bars.hidden) this.#paintBars();
  }

  /** Writes the scores under the words, or takes them away. */
  #number(showNumbers) {
    this.numbered = showNumbers;
    this.tokens.forEach((made, token) => {
      const score = this.panel.scores?.[token] ?? null;
      if (showNumbers && score !== null) made.setAttribute("data-score", this.meaning.number(score));
      else made.removeAttribute("data-score");
    });
  }

  /** The colour of a token as channels, or null for none. */
  shadeOf(token) {
    const score = this.panel.scores?.[token] ?? null;
    return score && this.scale ? colourOf(score / this.scale, this.isSigned) : null;
  }

  /** What the colours mean. bar: whether there are any; low and high: the numbers at the ends. */
  legendWords() {
    const { panel, scale, magnitude } = this;
    if (panel.run === null) return { bar: false, words: "" };
    if (this.isEmpty) return { bar: false, words: "this run has no attribution of this text" };
    if (!panel.scores)
      return { bar: false, words: panel.spans ? "selected tokens are boxed" : "a ranking without scores" };
    if (!scale) return { bar: false, words: "all scores are 0, so the top k are the first tokens" };
    const meaning = panel.is_signed && magnitude ? `sizes without signs, ${this.meaning.head}` : this.meaning.legend;
    return {
      bar: true,
      isSigned: this.isSigned,
      low: this.isSigned ? -scale : 0,
      high: scale,
      words: [
        meaning,
        panel.unit !== "none" && panel.unit,
        this.nCut > 0 && `${this.nCut} ${this.nCut === 1 ? "word" : "words"} beyond the scale, in bold`,
      ]
        .filter(Boolean)
        .join(" · "),
    };
  }

  legendLine() {
    const { bar, low, high, words } = this.legendWords();
    return bar ? `${written(low)} to ${written(high)} · ${words}` : words;
  }

  #paintLegend() {
    const { bar, isSigned, low, high, words } = this.legendWords();
    if (!bar) return this.legend.replaceChildren(element("span", {}, words));
    this.legend.replaceChildren(
      element("span", {}, written(low)),
      element(
        "span",
        { class: `heat-scale ${isSigned ? "two-sided" : "one-sided"}`, "aria-hidden": "true" },
        isSigned && element("i", {}, "0"),
      ),
      element("span", {}, written(high)),
      element("span", { class: "heat-meaning" }, words),
    );
    return undefined;
  }

  /** The numbers of this map for the table: title, value, what it is, and what is to be said of this value alone. */
  numberRows() {
    const { panel, view, selected } = this;
    if (panel.run === null) return [];
    const fit = fitOf(selected, this.isEmpty ? [] : view.gold);
    const ties = tiesOf(panel, view.sides, selected);
    return [
      {
        title: "Token F1",
        value: written(fit.f1),
        words: "2 · |top k ∩ set| / (|top k| + |set|) of the gold set that fits best, whose letter stands beside it",
        ...(fit.f1 === null ? {} : { badge: goldBadge(fit.set), badgeWords: `set ${letterOf(fit.set)}` }),
      },
      { title: "IoU", value: written(fit.iou), words: "|top k ∩ set| / |top k ∪ set| of the same set" },
      {
        title: "Sets found",
        value: written(fit.recall),
        words: "share of the gold sets whose tokens are all among the top k",
      },
      {
        title: "Coverage",
        value: written(fit.coverage),
        words: "share of the tokens of all gold sets that are among the top k",
      },
      ...Object.entries(NAMES)
        .filter(([name]) => name in panel.numbers)
        .map(([name, [title, words]]) => ({ title, value: written(panel.numbers[name]), words })),
      ...factsOf(panel),
      ...(ties > 0
        ? [
            {
              title: "Ties at k",
              value: String(ties),
              words:
                "tokens that were left out although their score equals one in the top k; the first by position were taken",
            },
          ]
        : []),
    ];
  }

  #paintBars() {
    const { panel, scale } = this;
    this.bars.classList.toggle("one-sided", !panel.is_signed);
    const words = this.tokens.map((made) => made.textContent);
    const list = (panel.scores || []).map((score, token) => [score, token]).filter(([score]) => score !== null);
    list.sort((a, b) => Math.abs(b[0]) - Math.abs(a[0]) || a[1] - b[1]);
    this.bars.replaceChildren(
      ...list.slice(0, BARS).map(([score, token]) =>
        element(
          "div",
          { class: "bar-row", "data-token": token },
          element("span", { class: "bar-word" }, words[token]),
          element(
            "span",
            { class: "bar-track" },
            element("span", {
              class: `bar-fill ${!panel.is_signed ? "weight" : score < 0 ? "against" : "for"}`,
              style: `width:${scale ? ((panel.is_signed ? 50 : 100) * Math.min(1, Math.abs(score) / scale)).toFixed(1) : 0}%`,
            }),
          ),
          element("span", { class: "bar-number" }, this.meaning.number(score)),
        ),
      ),
    );
  }

  /** Shows or hides the list of bars, and the sub-word pieces. */
  look({ bars, pieces }) {
    this.bars.hidden = !bars || !this.panel.scores;
    if (!this.bars.hidden) this.#paintBars();
    this.pieces.hidden = !pieces;
    if (pieces && !this.pieces.childElementCount) this.pieces.append(...this.#pieceChips());
  }

  #pieceChips() {
    if (!this.panel.pieces) return [element("p", {}, "There are no pieces: the source gives a score for each word.")];
    const special = this.panel.pieces.filter((piece) => piece[3]).reduce((sum, piece) => sum + Math.abs(piece[5]), 0);
    const all = this.panel.pieces.reduce((sum, piece) => sum + Math.abs(piece[5]), 0);
    return [
      ...this.panel.pieces.map(([text, , , isSpecial, , score]) =>
        element(
          "span",
          { class: `piece ${isSpecial ? "special" : ""}` },
          text || "∅",
          element("small", {}, this.meaning.number(score)),
        ),
      ),
      element(
        "p",
        {},
        `${percent(all ? special / all : 0)} of all |score| lies on special pieces, which belong to no word.`,
      ),
    ];
  }

  /** Marks a token, and says its number and rank. `scrolls`: whether a long text is moved so that it can be seen. */
  point(token, scrolls = false) {
    this.hot?.classList.remove("hot");
    this.hot = token === null ? null : this.tokens[token];
    this.hot?.classList.add("hot");
    setText(this.pointed, this.hot ? this.wordsAbout(token) : "");
    if (scrolls && this.hot) this.#scrollTo(this.hot);
  }

  /** The number and the rank of a token, in words. */
  wordsAbout(token) {
    const score = this.panel.scores?.[token] ?? null;
    const rank = this.ranks.get(token);
    const sets =
      this.panel.run === null &&
      this.view.gold.flatMap((tokens, set) => (tokens.includes(token) ? [letterOf(set)] : []));
    if (sets)
      return [
        `“${this.tokens[token].textContent}”`,
        sets.length ? `in gold ${sets.length === 1 ? "set" : "sets"} ${sets.join(", ")}` : "in no gold set",
      ].join(" · ");
    const words = [
      `“${this.tokens[token].textContent}”`,
      score === null ? "no score" : this.meaning.said(score),
      rank && `rank ${rank} of ${this.ranks.size}`,
      this.selected?.has(token) && "in the top k",
    ];
    return words.filter(Boolean).join(" · ");
  }

  #scrollTo(made) {
    const [box, seen] = [made.getBoundingClientRect(), this.text.getBoundingClientRect()];
    if (box.top < seen.top || box.bottom > seen.bottom) this.text.scrollTop += box.top - seen.top - seen.height / 2;
  }
}

const NAMES = {
  "editing.average_precision": ["AP", "average precision of the ranking against the best gold set"],
  "editing.mrr": ["MRR", "1 / the mean rank of a set's tokens, each removed once it is found; for the best gold set"],
  "er_test.order": ["Order loss", "0 when every token of the best gold set ranks above all others"],
  "method.sufficiency": ["Sufficiency", "p(full text) − p(rationale alone); lower is better"],
  "method.comprehensiveness": ["Comprehensiveness", "p(full text) − p(text without the rationale); higher is better"],
  "benchmark.map": ["MAP", "agreement with the original's ranking, token by token as text"],
  "benchmark.map_aligned": ["MAP, aligned", "agreement with the original's ranking, token by token in place"],
};
