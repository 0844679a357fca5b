/** One panel: a text with heat, gold underlines and boxes, its legend, its bars, its numbers. */
import { div, element, inline, paragraph, pressable, setText } from "../shared/dom.js";
import { inPercent } from "../shared/naming.js";
import { _, dotted, listed, several } from "../words/language.js";
import { WrittenAnswer, boxedWords, missingQuotes } from "./generation.js";
import { barsOf, colourOf, isBeyond, meaningOf, subwordsOf, stepOf } from "./heat_scale.js";
import { hasNoOrder, orderOf, ranksOf, remarksOf, selectedOf, written } from "./map_numbers.js";
import { ownerOf, signOf } from "./shown_sets.js";

const LABEL = _("Explained label");
const LAYER = _("Layer");
const SEED = _("Seed");

/**
 * What stands in the place of a panel where no map is chosen, or no model has said anything: the text and its gold
 * alone.
 */
/** @type {HeatPanel} */
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
  quotes: null,
  subwords: null,
  convergence: null,
  facts: {},
  spread: null,
  beside_random: null,
  held_out: "",
  trust: null,
  seen: null,
  written: null,
};

/**
 * What can be shown in the place of a map: the layers and labels of its run, and the runs with other seeds.
 * @typedef {{layers: number[], labels: string[], seeds: RunName[]}} MapChoice
 */
/**
 * @typedef {Object} MapActions
 * @property {(token: number|null) => void} hover
 * @property {() => void} remove
 * @property {(panel: string, what: string) => void} choose
 * @property {() => void} repaint  the map is another one: everything is painted anew
 */
/**
 * What the controls say.
 * @typedef {{scale: number, counts: number[], combos: string[], magnitude: boolean, showNumbers: boolean}} Painting
 */
/** @typedef {{bar: true, isSigned: boolean, low: number, high: number, words: string}} LegendWithColours */
/**
 * What the colours mean; low and high: the numbers at the ends.
 * @typedef {{bar: false, words: string}|LegendWithColours} Legend
 */

export class SaliencyMap {
  /**
   * @param {HeatView} view
   * @param {HeatPanel} panel  one of its panels
   * @param {MapActions} actions
   * @param {MapChoice|null} choice  null: the panel cannot be changed
   * @param {number|null} step  the subword of what was written whose map is shown; null: all of them
   */
  constructor(view, panel, actions, choice = null, step = null) {
    this.view = view;
    this.actions = actions;
    this.choice = choice;
    this.answer =
      panel.written &&
      new WrittenAnswer({ ...panel, written: panel.written }, view.instance.result !== null, () => this.#other());
    this.answer?.begin(step);
    this.panel = this.answer?.shown ?? panel;
    this.order = orderOf(this.panel);
    this.ranks = ranksOf(this.order);
    /** @type {HTMLElement|null}  what the scores mean, where it stands in the head */
    this.about = null;
    this.warnings = div("heat-remarks");
    this.#remark();
    /** @type {string[]}  the classes of each token */
    this.names = [];
    /** @type {Set<number>}  the top k, or what the run selects */
    this.selected = new Set();
    /** @type {number[]}  how many tokens of each side are the top k */
    this.counts = [];
    this.scale = 0;
    this.magnitude = false;
    this.isSigned = panel.is_signed;
    /** How many words are beyond the scale, and whether the scores stand under them. */
    this.nCut = 0;
    this.numbered = false;
    /** @type {HTMLElement|null}  the token that is pointed at */
    this.hot = null;
    this.isEmpty = !panel.scores && !panel.ranking && !panel.spans;
    /** @type {HTMLElement[]} */
    this.tokens = [];
    this.text = element(
      "div",
      { class: "heat-text", dir: "auto", lang: view.instance.language },
      ...view.segments.map((segment) => this.#segment(segment)),
    );
    this.bars = element("div", { class: "heat-bars", hidden: true });
    this.subwords = element("div", { class: "heat-pieces", hidden: true });
    this.legend = div("heat-legend");
    this.pointed = element("p", { class: "heat-pointed", "aria-live": "polite" });
    const paper = element(
      "div",
      { class: "heat-paper", onpointerleave: () => actions.hover(null) },
      this.text,
      this.bars,
    );
    paper.addEventListener("pointerover", ({ target }) => actions.hover(tokenAt(target)));
    this.root = element(
      "section",
      {
        class: "heat-panel",
        "aria-label": [this.title(), panel.scores && this.meaning.head].filter(Boolean).join(", "),
      },
      this.#header(),
      this.answer?.root,
      paper,
      this.subwords,
      this.legend,
      missingQuotes(panel),
      this.pointed,
    );
  }

  #header() {
    const { panel, view } = this;
    const layer = this.#choose(LAYER, this.choice?.layers, panel.layer, (one) =>
      _("layer {layer}", { layer: one ?? "" }),
    );
    const label = this.#choose(LABEL, this.choice?.labels, panel.label, (one) =>
      _("for {label}", { label: `“${one}”` }),
    );
    const seed = this.#seed();
    const about = panel.scores && !(label && panel.is_signed) ? inline("heat-head-meaning", this.meaning.head) : null;
    this.about = about;
    const apart = this.#apart(!layer, !seed);
    const own = apart && element("b", { class: "heat-apart" }, apart);
    return element(
      "header",
      {},
      div(
        "heat-head",
        element("h3", { title: this.#details() }, this.#name()),
        panel.answer && inline(`heat-answer ${rightOf(panel.answer.label, view.instance.result)}`, this.answerWords()),
        panel.run !== null &&
          pressable(
            "button plain icon-only",
            { title: _("Remove this heatmap"), "aria-label": _("Remove this heatmap"), onclick: this.actions.remove },
            "×",
          ),
      ),
      (own || layer || seed || label || about) &&
        div(own || layer || seed || label ? "heat-head" : "heat-head spare", own, layer, seed, label, about),
      panel.answer &&
        panel.held_out &&
        element("p", { class: "heat-held-out", title: panel.trust ?? "" }, panel.held_out),
      this.warnings,
    );
  }

  /** In the language of now: files may be in another one than the screen. */
  get meaning() {
    return meaningOf(this.panel);
  }

  /** What has to be known before the map is read. */
  get remarks() {
    return remarksOf(this.panel);
  }

  #remark() {
    this.warnings.replaceChildren(...this.remarks.map(({ words }) => element("p", {}, words)));
  }

  /** Leaves the head and the reason of a map that shows nothing; the text stands in another one. */
  fold() {
    this.root.classList.toggle("folded", this.isEmpty);
  }

  get isFolded() {
    return this.root.classList.contains("folded");
  }

  /** Whether nothing can be in its top k: there is no attribution of the text, or one without an order. */
  get isUnranked() {
    return this.isEmpty || hasNoOrder(this.panel);
  }

  /** Draws the map of another subword of what was written. */
  #other() {
    if (!this.answer) return;
    this.panel = this.answer.shown;
    this.order = orderOf(this.panel);
    this.ranks = ranksOf(this.order);
    if (this.about) setText(this.about, this.meaning.head);
    this.#remark();
    this.numbered = false;
    this.actions.repaint();
  }

  /** A choice between the seeds of its group: the maps of the others are one step away. */
  #seed() {
    const seeds = this.choice?.seeds || [];
    /** @param {number|null} run */
    const words = (run) =>
      _("seed {seed} (of {n})", { seed: seeds.find((one) => one.run === run)?.seed ?? _("none"), n: seeds.length });
    return this.#choose(
      SEED,
      seeds.map(({ run }) => run),
      this.panel.run,
      words,
    );
  }

  /**
   * A choice between what the run has; null where there is nothing to choose.
   * @template {string|number|null} T
   * @param {string} what
   * @param {T[]|undefined} there
   * @param {T} now
   * @param {(one: T) => string} words
   */
  #choose(what, there, now, words) {
    if (!there || there.length < 2) return null;
    const select = element(
      "select",
      { "aria-label": `${what}, ${this.title()}`, "data-words": words(now) },
      ...there.map((one) => element("option", { value: one, selected: one === now }, words(one))),
    );
    const chosen = () => ({
      [SEED]: this.panel.run,
      [LAYER]: this.panel.layer ?? "-",
      [LABEL]: this.panel.asked_label || "",
      [what]: select.value,
    });
    select.addEventListener("change", () =>
      this.actions.choose(`${chosen()[SEED]}:${chosen()[LAYER]}:${chosen()[LABEL]}`, what),
    );
    return select;
  }

  title() {
    return dotted(this.#name(), this.#apart());
  }

  /** What maps of a model and a method have in common. */
  #name() {
    const { run, model, method } = this.panel;
    return run === null ? _("Text and gold") : dotted(model, method || _("predictions"));
  }

  /** What tells it apart from other maps of its name; "" where nothing does. */
  #apart(withLayer = true, withSeed = true) {
    const { layer, seed, differs } = this.panel;
    return dotted(
      withLayer && layer !== null && _("layer {layer}", { layer }),
      withSeed && seed !== null && _("seed {seed}", { seed }),
      differs,
    );
  }

  #details() {
    const { parameters, unit, convergence } = this.panel;
    const facts = [
      this.panel.scores && this.meaning.legend,
      parameters !== "{}" && parameters,
      unit !== "none" && _("unit: {unit}", { unit }),
      convergence !== null && _("convergence: {value}", { value: written(convergence) }),
    ];
    return dotted(...facts) || this.title();
  }

  /** What the model answers, and whether that is right; "" where it is not known. */
  answerWords() {
    if (!this.panel.answer) return "";
    const { label, probabilities } = this.panel.answer;
    const p = probabilities[label];
    const { result } = this.view.instance;
    const mark = result === null ? "" : label === result ? "✓ " : "✗ ";
    return `${mark}${label}${p === undefined ? "" : ` ${inPercent(Math.round(100 * p))}`}`;
  }

  /** Whether the model learned from this text; "" where that is not known. How often it is right stands in the head. */
  seenWords() {
    const { model, seen } = this.panel;
    return seen ? _("{model}: {words}", { model, words: seen }) : "";
  }

  /** Whether maps of its run beat random ones on texts that the model did not learn from; "" where it is not known. */
  chanceWords() {
    const { beside_random } = this.panel;
    return beside_random ? _("{map}: {words}.", { map: this.title(), words: beside_random }) : "";
  }

  /** Which version of the text this is, where two stand side by side. */
  get version() {
    return this.view.isPaired ? this.view.instance.key : "";
  }

  /** @param {CutSegment} segment */
  #segment(segment) {
    const spans = segment.tokens.map((token, place) => {
      const made = element("span", { class: "t", "data-token": segment.first + place }, token || "\u00a0");
      this.tokens[segment.first + place] = made;
      return [segment.before[place] || null, made];
    });
    const name = this.view.segments.length > 1 && inline("heat-segment", segment.name);
    return paragraph(segment.is_selectable ? "" : "asked", name, ...spans.flat(), segment.rest);
  }

  /**
   * Paints heat, boxes and gold for what the controls say now.
   * @param {Painting} given
   */
  paint({ scale, counts, combos, magnitude, showNumbers }) {
    const { panel, view } = this;
    this.selected = selectedOf(panel, view.sides, counts, this.order);
    this.counts = counts;
    this.scale = scale;
    this.magnitude = magnitude;
    this.isSigned = panel.is_signed && !magnitude;
    const scores = panel.scores || [];
    let nCut = 0;
    this.tokens.forEach((made, token) => {
      const score = scores[token] ?? null;
      const heat = stepOf(score, scale, this.isSigned);
      const isCut = score !== null && isBeyond(score, scale);
      nCut += Number(isCut);
      const classes = [
        "t",
        heat,
        isCut && "cut",
        combos[token] && `${view.prefix}${combos[token]}`,
        this.selected.has(token) && "top",
        made.textContent?.length === 1 && "narrow",
        this.#isJoined(token) && "joined",
        this.#isJoined(token + 1) && "goes-on",
        scores.length && score === null && token < view.n && "not-seen",
      ];
      const name = classes.filter(Boolean).join(" ");
      if (this.names[token] !== name) made.className = this.names[token] = name;
    });
    this.nCut = nCut + (panel.earlier ?? []).filter((score) => isBeyond(score, scale)).length;
    if (this.numbered !== showNumbers) this.#number(showNumbers);
    this.text.classList.toggle("with-numbers", showNumbers);
    this.answer?.paint({ scale, isSigned: this.isSigned, showNumbers });
    this.#paintLegend();
    if (!this.bars.hidden) this.#paintBars();
  }

  /**
   * Whether a chosen token goes on without a blank from another one: they have one frame.
   * @param {number} token
   */
  #isJoined(token) {
    const [before, made] = [this.tokens[token - 1], this.tokens[token]];
    return this.selected.has(token) && this.selected.has(token - 1) && made?.previousSibling === before;
  }

  /**
   * Writes the scores under the words, or takes them away.
   * @param {boolean} showNumbers
   */
  #number(showNumbers) {
    this.numbered = showNumbers;
    this.tokens.forEach((made, token) => {
      const score = this.panel.scores?.[token] ?? null;
      if (showNumbers && score !== null) made.setAttribute("data-score", this.meaning.number(score));
      else made.removeAttribute("data-score");
    });
  }

  /**
   * The colour of a token as channels, or null for none.
   * @param {number} token
   */
  shadeOf(token) {
    return this.shade(this.panel.scores?.[token] ?? null);
  }

  /**
   * The colour of a score on the map's scale as channels, or null for none.
   * @param {number|null} score
   */
  shade(score) {
    return score && this.scale ? colourOf(score / this.scale, this.isSigned) : null;
  }

  /** What the colours mean. @returns {Legend} */
  legendWords() {
    const { panel, scale, magnitude } = this;
    if (panel.run === null) return { bar: false, words: "" };
    if (this.isEmpty) return { bar: false, words: _("no attribution of this text in this run") };
    if (panel.spans) return { bar: false, words: boxedWords(panel) };
    const boxed = this.selected.size > 0 && _("boxed: top {k}", { k: this.counts.join(" + ") });
    if (!panel.scores) return { bar: false, words: dotted(_("a ranking without scores"), boxed) };
    if (!scale) return { bar: false, words: _("all scores are 0") };
    const meaning =
      panel.is_signed && magnitude
        ? _("sizes without signs, {meaning}", { meaning: this.meaning.head })
        : this.meaning.legend;
    return {
      bar: true,
      isSigned: this.isSigned,
      low: this.isSigned ? -scale : 0,
      high: scale,
      words: dotted(meaning, panel.unit !== "none" && panel.unit, this.nCut > 0 && this.#cutWords(), boxed),
    };
  }

  #cutWords() {
    if (this.panel.earlier?.length)
      return several("{n} beyond the scale, in bold", "{n} beyond the scale, in bold", this.nCut);
    return several("{n} beyond the scale, in bold", "{n} beyond the scale, in bold", this.nCut);
  }

  legendLine() {
    const legend = this.legendWords();
    if (!legend.bar) return legend.words;
    const { low, high, words } = legend;
    return _("{low} to {high} · {words}", { low: written(low), high: written(high), words });
  }

  #paintLegend() {
    const legend = this.legendWords();
    if (!legend.bar) return this.legend.replaceChildren(element("span", {}, legend.words));
    const { isSigned, low, high, words } = legend;
    this.legend.replaceChildren(
      element("span", {}, written(low)),
      element(
        "span",
        { class: `heat-scale ${isSigned ? "two-sided" : "one-sided"}`, "aria-hidden": "true" },
        isSigned && element("i", {}, "0"),
      ),
      element("span", {}, written(high)),
      inline("heat-meaning", words),
    );
    return undefined;
  }

  #paintBars() {
    this.bars.classList.toggle("one-sided", !this.panel.is_signed);
    this.bars.replaceChildren(...barsOf(this));
  }

  /**
   * Shows or hides the list of bars, and the subwords.
   * @param {{bars: boolean, pieces: boolean}} given
   */
  look({ bars, pieces }) {
    this.bars.hidden = !bars || !this.panel.scores;
    if (!this.bars.hidden) this.#paintBars();
    this.subwords.hidden = !pieces;
    if (pieces && !this.subwords.childElementCount) this.subwords.append(...subwordsOf(this));
  }

  /**
   * Marks a token, and says its number and rank. `scrolls`: whether a long text is moved so that it can be seen.
   * @param {number|null} token
   */
  point(token, scrolls = false) {
    this.hot?.classList.remove("hot");
    this.hot = token === null ? null : (this.tokens[token] ?? null);
    this.hot?.classList.add("hot");
    setText(this.pointed, token === null || !this.hot ? "" : this.wordsAbout(token));
    if (!scrolls || !this.hot) return;
    const [box, seen] = [this.hot.getBoundingClientRect(), this.text.getBoundingClientRect()];
    if (box.top < seen.top || box.bottom > seen.bottom) this.text.scrollTop += box.top - seen.top - seen.height / 2;
  }

  /** @param {number} token */
  wordsAbout(token) {
    const score = this.panel.scores?.[token] ?? null;
    const rank = this.ranks.get(token);
    const sets =
      this.panel.run === null && this.view.gold.flatMap((tokens, set) => (tokens.includes(token) ? [set] : []));
    if (sets) return `“${this.tokens[token].textContent}” · ${this.#setWords(sets)}`;
    const words = [
      `“${this.tokens[token].textContent}”`,
      score === null ? _("no score") : this.meaning.said(score),
      rank && _("rank {rank} of {n}", { rank, n: this.ranks.size }),
      this.selected.has(token) && _("in the top k"),
    ];
    return dotted(...words);
  }

  /** Which sets a token is in. @param {number[]} sets */
  #setWords(sets) {
    const { view } = this;
    if (view.people)
      return sets.length
        ? _("marked by {people}", { people: listed(sets.map((set) => ownerOf(view, set))) })
        : _("not marked");
    const signs = listed(sets.map((set) => signOf(view, set)));
    return sets.length
      ? several("in gold set {sets}", "in gold sets {sets}", sets.length, { sets: signs })
      : _("in no gold set");
  }
}

/**
 * Whether an answer is right; "" where the label of the text is not known.
 * @param {string} label
 * @param {string|null} result
 */
const rightOf = (label, result) => (result === null ? "" : label === result ? "right" : "wrong");

/**
 * The token that something of a map or of the matrix stands for; null for none.
 * @param {EventTarget|null} target
 */
export function tokenAt(target) {
  const token = target instanceof Element ? target.closest("[data-token]")?.getAttribute("data-token") : null;
  return token === null || token === undefined ? null : Number(token);
}
