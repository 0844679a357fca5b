/** One panel: a text with heat, gold underlines and boxes, its legend, its bars, its numbers. */
import { badgeOf } from "./chip.js";
import { element, setText } from "./dom.js";
import { letterOf } from "./model.js";
import { colourOf, hexOf, signed, stepOf, written } from "./saliency_heat.js";
import { factsOf, fitOf, orderOf, ranksOf, selectedOf, tiesOf } from "./saliency_numbers.js";

const BARS = 15;

export class SaliencyMap {
  /**
   * @param {Object} view   what the route answered: segments, gold, sides
   * @param {Object} panel  one of its panels
   * @param {Object} actions  hover(token), remove(), choose(panel)
   * @param {Object|null} choice  the layers and labels that its run has; null: the panel cannot be changed
   */
  constructor(view, panel, actions, choice = null) {
    Object.assign(this, { view, panel, actions, choice });
    this.order = orderOf(panel);
    this.ranks = ranksOf(this.order);
    this.names = [];
    this.isEmpty = !panel.scores && !panel.ranking && !panel.spans;
    this.tokens = [];
    this.text = element("div", { class: "heat-text", dir: "auto", lang: view.instance.language }, ...view.segments.map((segment) => this.#segment(segment)));
    this.bars = element("div", { class: "heat-bars", hidden: true });
    this.pieces = element("div", { class: "heat-pieces", hidden: true });
    this.legend = element("div", { class: "heat-legend" });
    this.pointed = element("p", { class: "heat-pointed", "aria-live": "polite" });
    this.numbers = element("dl", { class: "heat-numbers" });
    this.trust = element("div", { class: "heat-trust" }, ...this.trustWords().map((words) => element("p", {}, words)));
    const paper = element("div", { class: "heat-paper", onpointerover: (event) => this.#over(event), onpointerleave: () => actions.hover(null) }, this.text, this.bars);
    this.root = element("section", { class: "heat-panel", "aria-label": this.title() }, this.#header(), paper, this.pieces, this.legend, this.pointed, this.numbers, this.trust);
  }

  #header() {
    const { panel, view } = this;
    const selects = [this.#choose("Layer", this.choice?.layers, panel.layer, (layer) => `layer ${layer}`), this.#choose("Label that is explained", this.choice?.labels, panel.label, (label) => `for ${label}`)];
    return element("header", {}, element("h3", { title: this.#details() }, this.title(!selects[0])), ...selects,
      panel.answer && element("span", { class: `heat-answer ${panel.answer.label === view.instance.result ? "right" : "wrong"}` }, this.answerWords()),
      element("button", { type: "button", class: "button plain icon-only", title: "Take this panel away", "aria-label": "Take this panel away", onclick: this.actions.remove }, "×"));
  }

  /** A choice between what the run has; null where there is nothing to choose. */
  #choose(what, there, now, words) {
    if (!there || there.length < 2) return null;
    const select = element("select", { "aria-label": `${what}, ${this.title()}`, "data-words": words(now) }, ...there.map((one) => element("option", { value: one, selected: one === now }, words(one))));
    const [layer, label] = what === "Layer" ? [() => select.value, () => this.panel.asked_label || ""] : [() => this.panel.layer ?? "-", () => select.value];
    select.addEventListener("change", () => this.actions.choose(`${this.panel.run}:${layer()}:${label()}`, what));
    return select;
  }

  title(withLayer = true) {
    const { model, method, layer, seed } = this.panel;
    return [model, method || "answers", withLayer && layer !== null && `layer ${layer}`, seed !== null && `seed ${seed}`, this.panel.differs].filter(Boolean).join(" · ");
  }

  #details() {
    const { parameters, unit, convergence } = this.panel;
    const facts = [parameters !== "{}" && parameters, unit !== "none" && `unit: ${unit}`, convergence !== null && `convergence: ${written(convergence)}`];
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

  /** How far the model is to be trusted, in sentences: how often it is right, and whether it learned from this text. */
  trustWords() {
    const { model, trust, seen } = this.panel;
    return [trust && `${model}: ${trust[0].toLowerCase()}${trust.slice(1)}`, seen].filter(Boolean);
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
    Object.assign(this, { scale, magnitude });
    const scores = panel.scores || [];
    let nCut = 0;
    this.tokens.forEach((made, token) => {
      const score = scores[token] ?? null;
      const heat = stepOf(magnitude && score !== null ? Math.abs(score) : score, scale);
      const isCut = score !== null && Math.abs(score) > scale * (1 + 1e-9);
      nCut += isCut;
      const classes = ["t", heat, isCut && "cut", combos[token] && `g${combos[token]}`, this.selected.has(token) && "top", scores.length && score === null && token < view.n && "unseen"];
      const name = classes.filter(Boolean).join(" ");
      if (this.names[token] !== name) made.className = this.names[token] = name;
    });
    this.nCut = nCut;
    if (this.numbered !== showNumbers) this.#number(showNumbers);
    this.text.classList.toggle("with-numbers", showNumbers);
    this.#paintLegend();
    this.#paintNumbers();
    if (!this.bars.hidden) this.#paintBars();
  }

  /** Writes the scores under the words, or takes them away. */
  #number(showNumbers) {
    this.numbered = showNumbers;
    this.tokens.forEach((made, token) => {
      const score = this.panel.scores?.[token] ?? null;
      if (showNumbers && score !== null) made.setAttribute("data-score", signed(score));
      else made.removeAttribute("data-score");
    });
  }

  /** The colour of a token as channels, or null for none. */
  shadeOf(token) {
    const score = this.panel.scores?.[token] ?? null;
    return score && this.scale ? colourOf((this.magnitude ? Math.abs(score) : score) / this.scale) : null;
  }

  /** What the colours mean. bar: whether there are any; low and high: the numbers at the ends. */
  legendWords() {
    const { panel, scale, magnitude } = this;
    if (this.isEmpty) return { bar: false, words: "nothing is known of this text" };
    if (!panel.scores) return { bar: false, words: panel.spans ? "selected tokens are boxed" : "a ranking without scores" };
    if (!scale) return { bar: false, words: "all scores are 0, so that the top k are the first tokens" };
    const isSigned = panel.is_signed && !magnitude;
    const of = panel.label || panel.answer?.label || "the answer";
    const meaning = isSigned ? `− opposes, + supports ${of}` : magnitude ? `sizes without signs, for ${of}` : `supports ${of}`;
    return { bar: true, isSigned, low: isSigned ? -scale : 0, high: scale, words: [meaning, panel.unit !== "none" && panel.unit, this.nCut > 0 && `${this.nCut} beyond the scale, in bold`].filter(Boolean).join(" · ") };
  }

  legendLine() {
    const { bar, low, high, words } = this.legendWords();
    return bar ? `${written(low)} to ${written(high)} · ${words}` : words;
  }

  #paintLegend() {
    const { bar, isSigned, low, high, words } = this.legendWords();
    if (!bar) return this.legend.replaceChildren(element("span", {}, words));
    const stops = (isSigned ? [-1, -0.5, 0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]).map((part) => hexOf(colourOf(part)));
    this.legend.replaceChildren(element("span", {}, written(low)),
      element("span", { class: "heat-scale", style: `background:linear-gradient(90deg,${stops.join(",")})`, "aria-hidden": "true" }, isSigned && element("i", {}, "0")),
      element("span", {}, written(high)), element("span", { class: "heat-meaning" }, words));
    return undefined;
  }

  #paintNumbers() {
    const { panel, view, selected } = this;
    const fit = fitOf(selected, this.isEmpty ? [] : view.gold);
    const ties = tiesOf(panel, view.sides, selected);
    const rows = [
      ["Token F1", fit.f1 === null ? "–" : written(fit.f1), "2·|top k ∩ set| / (|top k| + |set|), the best gold set", fit.f1 === null ? null : badgeOf(fit.set, false)],
      ["IoU", written(fit.iou), "|top k ∩ set| / |top k ∪ set| of the same set"],
      ["Sets found", written(fit.recall), "share of gold sets of which all tokens are among the top k"],
      ["Coverage", written(fit.coverage), "share of the tokens of all gold sets that are among the top k"],
      ...Object.entries(NAMES).filter(([name]) => name in panel.numbers).map(([name, [title, words]]) => [title, written(panel.numbers[name]), words]),
      ...factsOf(panel),
    ];
    this.fit = fit;
    this.numbers.replaceChildren(...rows.map(([title, value, words, badge]) => element("div", { title: words }, element("dt", {}, title), element("dd", {}, value, badge && element("span", { class: "of-set", "aria-label": `set ${letterOf(fit.set)}` }, badge)))),
      ...(ties > 0 ? [element("div", { class: "ties", title: "Equal scores at k: the first ones by position were taken" }, element("dt", {}, "Ties at k"), element("dd", {}, String(ties)))] : []));
  }

  #paintBars() {
    const { panel, scale } = this;
    this.bars.classList.toggle("one-sided", !panel.is_signed);
    const words = this.tokens.map((made) => made.textContent);
    const list = (panel.scores || []).map((score, token) => [score, token]).filter(([score]) => score !== null);
    list.sort((a, b) => Math.abs(b[0]) - Math.abs(a[0]) || a[1] - b[1]);
    this.bars.replaceChildren(...list.slice(0, BARS).map(([score, token]) => element("div", { class: "bar-row", "data-token": token },
      element("span", { class: "bar-word" }, words[token]),
      element("span", { class: "bar-track" }, element("span", { class: `bar-fill ${score < 0 ? "against" : "for"}`, style: `width:${scale ? ((panel.is_signed ? 50 : 100) * Math.min(1, Math.abs(score) / scale)).toFixed(1) : 0}%` })),
      element("span", { class: "bar-number" }, signed(score)))));
  }

  /** Shows or hides the list of bars, and the sub-word pieces. */
  look({ bars, pieces }) {
    this.bars.hidden = !bars || !this.panel.scores;
    if (!this.bars.hidden) this.#paintBars();
    this.pieces.hidden = !pieces;
    if (pieces && !this.pieces.childElementCount) this.pieces.append(...this.#pieceChips());
  }

  #pieceChips() {
    if (!this.panel.pieces) return [element("p", {}, "No pieces: the source scores words.")];
    const special = this.panel.pieces.filter((piece) => piece[3]).reduce((sum, piece) => sum + Math.abs(piece[5]), 0);
    const all = this.panel.pieces.reduce((sum, piece) => sum + Math.abs(piece[5]), 0);
    return [...this.panel.pieces.map(([text, , , isSpecial, , score]) => element("span", { class: `piece ${isSpecial ? "special" : ""}` }, text || "∅", element("small", {}, signed(score)))),
      element("p", {}, `Special pieces have ${all ? Math.round((100 * special) / all) : 0} % of all |score| and are in no word.`)];
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
    const words = [`“${this.tokens[token].textContent}”`, score === null ? "no score" : signed(score), rank && `rank ${rank} of ${this.ranks.size}`, this.selected?.has(token) && "in the top k"];
    return words.filter(Boolean).join(" · ");
  }

  #scrollTo(made) {
    const [box, seen] = [made.getBoundingClientRect(), this.text.getBoundingClientRect()];
    if (box.top < seen.top || box.bottom > seen.bottom) this.text.scrollTop += box.top - seen.top - seen.height / 2;
  }
}

const NAMES = {
  "editing.average_precision": ["AP", "average precision of the ranking, against the best gold set"],
  "editing.mrr": ["MRR", "1 / mean rank of a set's tokens, each taken out once found; the best gold set"],
  "er_test.order": ["Order loss", "0: each token of the set outranks all others; the best gold set"],
  "method.sufficiency": ["Sufficiency", "p(full) − p(rationale alone); lower is better"],
  "method.comprehensiveness": ["Comprehensiveness", "p(full) − p(without rationale); higher is better"],
  "benchmark.map": ["MAP", "with the original's ranking, by string"],
  "benchmark.map_aligned": ["MAP, aligned", "with the original's ranking, by place"],
};
