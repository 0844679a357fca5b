/** The right side: the text's head, the controls, the maps, the matrix, the partner. */
import { button, div, element, inline, menu, option, press, setText, toggle } from "../shared/dom.js";
import { nameOf } from "../shared/naming.js";
import { goldBadge } from "../shared/set_styles.js";
import { TabTitle } from "../shared/streamlit.js";
import { _, together } from "../words/language.js";
import { openExport } from "./export.js";
import { heatRules, scalesOf } from "./heat_scale.js";
import { SaliencyMap, TEXT_AND_GOLD } from "./heatmap.js";
import { countsOf } from "./map_numbers.js";
import { familiesBlock, familyRules } from "./model_sets.js";
import { differences, groupOf, groupsOf, nextOfGroup } from "./runs.js";
import { PeopleLegend, goldChoice, goldWords, offerGold, paintAgreements, setRulesOf, viewOf } from "./shown_sets.js";
import { NumbersTable, columnsFor, depthsTable, matrixOf, matrixOfAnswer } from "./tables.js";

// ---- The head of a text: its name and label, and which sets, which version and which maps are shown

/** @typedef {Pick<ScreenActions, "step"|"list"|"partner"|"gold"|"type">} TitleActions */

class TextTitle {
  /** @param {TitleActions} actions @param {(run: number) => unknown} added  a run is to be opened as a map */
  constructor(actions, added) {
    this.actions = actions;
    this.gold = goldChoice(actions.gold);
    this.add = element("select", { class: "add-panel", "aria-label": _("Add a heatmap") });
    this.add.addEventListener("change", () => {
      const run = Number(this.add.value);
      this.add.value = "";
      added(run);
    });
    this.partner = element("select", {
      class: "partner",
      "aria-label": _("Version beside it"),
      onchange: () => actions.partner(this.partner.value ? Number(this.partner.value) : null),
    });
    this.where = div("heat-where");
    const texts = button(_("Texts"), {
      key: "i",
      title: _("Show or hide the list"),
      className: "plain",
      onclick: () => actions.list(),
    });
    this.type = button(_("Type a text"), {
      key: "t",
      title: _("Edit a copy of this text, or type another"),
      className: "plain",
      onclick: () => actions.type(),
    });
    this.choose = div("heat-choose", this.gold, this.partner, this.add, this.type, texts);
    this.root = div("heat-title", this.where, this.choose);
  }

  /**
   * @param {HeatAnswer} answer
   * @param {{name: string, partner: number|null, gold: string}} looks
   *   gold: which sets are asked for; partner: the version beside it
   */
  show({ instance, gold: sets, partners, choices, policy }, { name, partner, gold }) {
    this.where.replaceChildren(
      button("‹", { title: _("Previous text"), key: "k", className: "plain", onclick: () => this.actions.step(-1) }),
      button("›", { title: _("Next text"), key: "j", className: "plain", onclick: () => this.actions.step(1) }),
      element("h2", { title: _("Text ID: {key}", { key: instance.key }) }, name),
      inline("gold-label", labelWords(instance.result)),
      ...sets.map((tokens, set) => inline("gold-chip", goldBadge(set), `${tokens.length}`)),
      ...(instance.kind
        ? [inline("kind", _("{kind} of {parent}", { kind: instance.kind, parent: String(instance.parent) }))]
        : []),
    );
    offerGold(this.gold, { gold, policy });
    this.#offerVersions(partners, partner);
    this.add.replaceChildren(
      option("", `${_("Add a heatmap")} …`),
      ...groupsOf(choices).map(({ first, title }) => option(first.run, title)),
    );
    this.add.disabled = !choices.length;
  }

  /** @param {HeatAnswer["partners"]} partners @param {number|null} partner */
  #offerVersions(partners, partner) {
    const options = partners.map(({ id, key, kind }) =>
      option(id, kind ? _("{key} ({kind})", { key, kind }) : _("{key} (original)", { key })),
    );
    this.partner.replaceChildren(
      option("", _("no version beside it")),
      ...options,
      ...(partner === 0 ? [option(0, _("the typed text"))] : []),
    );
    this.partner.value = partner === null ? "" : String(partner);
    this.partner.hidden = !partners.length && partner !== 0;
  }
}

/** @param {string|null} result */
const labelWords = (result) =>
  result === null ? _("no label") : _("gold: {label}", { label: result || _("no answer") });

const DARK = matchMedia("(prefers-color-scheme: dark)");

/** @typedef {"own"|"partner"} Which  of two versions side by side */
/**
 * @typedef {Object} ScreenActions
 * @property {(by: number) => unknown} step
 * @property {() => void} list
 * @property {(id: number|null) => unknown} partner
 * @property {() => void} type  a text is to be typed
 * @property {() => unknown} copy  the link to what is on the screen
 * @property {(gold: string) => unknown} gold  other sets are to stand below the words
 * @property {() => boolean} hasRuns  whether anything explains a text of the project
 * @property {() => string} goldAsked
 * @property {() => void} remember
 * @property {(panel: string) => unknown} add
 * @property {(place: number) => unknown} remove
 * @property {(place: number, panel: string, what: string) => unknown} choose
 * @property {(kind: FileKind) => unknown} save
 */

export class SaliencyScreen {
  /** @param {HTMLElement|ShadowRoot} parent @param {ScreenActions} actions @param {HeatState} state */
  constructor(parent, actions, state) {
    this.actions = actions;
    this.state = state;
    /** @type {RunChoice[]}  what can be shown of the text */
    this.choices = [];
    /** @type {(number|null)[]|null}  the tokens of the text in the places of the other version's */
    this.aligned = null;
    /** @type {{answer: HeatAnswer, other: HeatPartner|null}|null}  what is shown, as it came */
    this.answers = null;
    /** @type {HeatView|null}  the text, and the version beside it */
    this.view = null;
    /** @type {HeatView|null} */
    this.partnerView = null;
    /** @type {SaliencyMap[]} */
    this.maps = [];
    /** @type {SaliencyMap[]} */
    this.partnerMaps = [];
    /** @type {ReturnType<typeof matrixOf>[]} */
    this.matrices = [];
    /** @type {number|null}  the token that is pointed at */
    this.at = null;
    /** Of people's sets those of this group are drawn, until somebody chooses; "": all. */
    this.group = "";
    /** @type {number[]|null}  those of whom somebody chose to draw the sets, in the text on the screen */
    this.drawn = null;
    /** @type {number[]|null|undefined}  the same for the text that is shown next, where an address says it */
    this.drawnNext = undefined;
    /** @type {(number|null)[]|null}  the subwords that the next text's maps are of, where an address says it */
    this.stepsNext = null;
    /** What is said of the link that led to a text, as long as that text is on the screen. */
    this.ofLink = { instance: 0, words: "" };
    this.name = "";
    /** @type {Map<HeatFlag, HTMLButtonElement>} */
    this.flips = new Map();
    this.rules = element("style");
    this.title = new TextTitle(actions, (run) => this.#added(run));
    this.k = element("input", {
      type: "range",
      min: 0,
      max: 100,
      step: 1,
      "aria-label": _("Share of the tokens in the top k"),
      oninput: () => this.#takeShare(Number(this.k.value)),
    });
    this.kWords = element("output", { class: "k-words" });
    this.controls = this.#controls();
    this.people = new PeopleLegend((drawn) => ((this.drawn = drawn), this.#draw()));
    this.grid = div("heat-grid");
    this.matrix = element("div", {});
    this.numbers = new NumbersTable();
    this.depths = div("heat-depths");
    this.families = div("heat-families");
    this.notice = element("p", { class: "heat-notice", role: "status" });
    this.content = div("heat-content");
    this.content.append(this.people.root, this.grid, this.matrix, this.families, this.numbers.root, this.depths);
    this.widths = new ResizeObserver(() => this.#layOut());
    this.widths.observe(this.content);
    this.main = element(
      "main",
      { class: "heat-main nothing" },
      this.title.root,
      this.controls,
      this.notice,
      this.content,
    );
    this.root = element("div", { class: "panel saliency", tabIndex: -1 }, this.rules);
    this.root.append(this.main);
    parent.append(this.root);
    this.tab = new TabTitle();
    this.updateTheme();
  }

  #controls() {
    const { state } = this;
    /** @param {HeatFlag} name @param {string} label @param {string} key @param {string} title */
    const flip = (name, label, key, title) => {
      const made = toggle(label, key, title, () => {
        state[name] = !state[name];
        press(made, state[name]);
        this.changed();
      });
      press(made, state[name]);
      this.flips.set(name, made);
      return made;
    };
    return div(
      "heat-controls",
      element("label", { class: "k" }, _("Top k"), this.k),
      this.kWords,
      menu(
        _("View"),
        _("View"),
        button("RLR", {
          title: _("Set k by the mean rationale length ratio (RLR)"),
          className: "plain",
          onclick: () => this.#takeShare(null),
        }),
        flip("shared", _("Shared scale"), "s", _("Use one scale per method")),
        flip("magnitude", _("Without signs"), "m", _("Show sizes without signs")),
        flip("clip", _("Cut outliers"), "c", _("Cut the scale at the 98th percentile")),
        flip("numbers", _("Scores"), "n", _("Show the scores under the words")),
        flip("bars", _("Bars"), "b", _("Show the highest scores as bars")),
        flip("pieces", _("Subwords"), "p", _("Show the model's subwords")),
        flip("matrix", _("Matrix"), "x", _("Show a matrix of heatmaps by tokens")),
      ),
      button(_("Export"), {
        title: _("Export the heatmaps"),
        key: "e",
        className: "always",
        onclick: () => this.openExport(),
      }),
      button(_("Copy link"), { key: "u", className: "plain always", onclick: () => this.actions.copy() }),
    );
  }

  /** The controls as the state says, which has come from elsewhere. */
  followState() {
    for (const [name, made] of this.flips) press(made, this.state[name]);
  }

  /** Presses a button of the controls, as its key does. @param {HeatFlag} name */
  flip(name) {
    this.flips.get(name)?.click();
  }

  /**
   * Shows another text.
   * @param {HeatAnswer} answer
   * @param {HeatPartner|null} [other]  the version beside it
   */
  show(answer, other = null) {
    const before = this.answers?.answer.instance.id ?? answer.instance.id;
    if (before !== answer.instance.id) this.drawn = null;
    if (this.drawnNext !== undefined) this.drawn = this.drawnNext;
    this.drawnNext = undefined;
    this.answers = { answer, other };
    this.#draw(before === answer.instance.id);
  }

  /** Of each map the subword of what was written that it is of; null: all of them, or nothing was written. */
  get steps() {
    return this.maps.map(({ answer }) => answer?.step ?? null);
  }

  /**
   * The subwords with which the maps begin: those of an address, else, where the text stays, those that were chosen.
   * @param {boolean} isSame
   * @returns {(panel: HeatPanel, place: number) => number|null}
   */
  #stepsToBegin(isSame) {
    const { stepsNext, steps } = this;
    this.stepsNext = null;
    if (stepsNext) return (_, place) => stepsNext[place] ?? null;
    const chosen = new Map(isSame ? this.maps.map(({ panel }, place) => [nameOfMap(panel), steps[place]]) : []);
    return (panel) => chosen.get(nameOfMap(panel)) ?? null;
  }

  /** Of people's sets those of a group. @param {string} group */
  drawGroup(group) {
    if (group === this.group) return;
    this.group = group;
    if (this.view) this.drawn = null;
    if (this.view?.people) this.#draw();
  }

  /** Draws the text; of people's sets those that somebody has chosen. isSame: it was on the screen before. */
  #draw(isSame = true) {
    if (!this.answers) return;
    const stepOf = this.#stepsToBegin(isSame);
    const { answer, other } = this.answers;
    const { group, drawn } = this;
    const isDrawn = drawn ? (/** @type {number} */ person) => drawn.includes(person) : undefined;
    const view = viewOf(answer, { isPaired: other !== null, isDrawn, group });
    const partner = other && viewOf(other, { isPaired: true, prefix: "h", group });
    this.view = view;
    this.partnerView = partner;
    this.choices = answer.choices;
    this.aligned = other?.aligned ?? null;
    const lanes = Math.max(view.lanes, partner?.lanes ?? 1);
    const rules = [view, ...(partner ? [partner] : [])].map((one) => setRulesOf(one, lanes));
    const families = answer.families ?? [];
    if (families.length) rules.push(familyRules(families, view.n));
    setText(this.rules, heatRules() + rules.join(""));
    this.families.replaceChildren(...families.map((one) => familiesBlock(view, one, families)));
    this.content.style.setProperty("--lanes", String(lanes));
    this.people.show([view]);
    this.name = nameOf({ key: view.instance.key, segments: view.segments });
    const partnerId = partner?.instance.id ?? null;
    this.title.show(answer, { name: this.name, partner: partnerId, gold: this.actions.goldAsked() });
    this.tab.name(this.name);
    /** @param {HeatView} one @param {Which} which */
    const made = (one, which) =>
      (one.panels.length ? one.panels : [TEXT_AND_GOLD]).map(
        (panel, place) =>
          new SaliencyMap(
            one,
            { ...panel, differs: differences(panel, answer.choices) },
            {
              hover: (token) => this.hover(which, token),
              remove: () => this.actions.remove(place),
              repaint: () => this.changed(),
              choose: (panel_, what) => this.actions.choose(place, panel_, what),
            },
            which === "own" ? choiceOf(panel.run, answer.choices) : null,
            which === "own" ? stepOf(panel, place) : null,
          ),
      );
    this.maps = made(view, "own");
    this.partnerMaps = partner ? made(partner, "partner") : [];
    for (const maps of [this.maps, this.partnerMaps])
      if (maps.some((map) => !map.isEmpty)) maps.forEach((map) => map.fold());
    this.at = null;
    this.grid.replaceChildren(...this.shown.map((map) => map.root));
    this.grid.classList.toggle("paired", Boolean(partner));
    this.main.classList.remove("nothing");
    this.#layOut();
    this.main.classList.toggle("without-maps", this.isWithoutMaps);
    const ofLink = this.ofLink.instance === view.instance.id ? this.ofLink.words : "";
    setText(this.notice, together(ofLink, this.#words()));
    this.changed();
  }

  /** All maps in the order of the screen: each beside its partner's. */
  get shown() {
    return this.maps.flatMap((map, place) => [map, ...this.partnerMaps.slice(place, place + 1)]);
  }

  /** Maps in rows of equal length; a map beside its partner's where there are two versions. */
  #layOut() {
    const drawn = this.maps.filter((map) => !map.isFolded);
    const n = this.partnerMaps.length ? 2 : Math.max(1, drawn.length);
    const columns = this.partnerMaps.length ? 2 : columnsFor(n, this.content.clientWidth);
    this.content.style.setProperty("--maps", String(n));
    this.content.style.setProperty("--columns", String(columns));
  }

  /** Whether the text stands there with its gold alone. */
  get isWithoutMaps() {
    return !this.view?.panels.length;
  }

  #words() {
    const withheld = this.view?.withheld || this.partnerView?.withheld;
    if (withheld) return withheld;
    const gold = this.view ? goldWords(this.view, this.#goldAsked) : "";
    if (!this.choices.length)
      return together(
        this.actions.hasRuns()
          ? _("This text has no attributions. Import or compute some below.")
          : _("No attributions yet. Import or compute some below."),
        gold,
      );
    return this.isWithoutMaps ? together(_("No heatmap is open. See “Add a heatmap”."), gold) : gold;
  }

  /** What is asked for below the words, and the project's own policy. */
  get #goldAsked() {
    return { gold: this.actions.goldAsked(), policy: this.answers?.answer.policy ?? "" };
  }

  /** Adds the run that was chosen; of one that is on screen already its next layer, label or seed. */
  #added(/** @type {number} */ run) {
    const group = groupOf(run, this.choices);
    if (!group || !this.view) return undefined;
    const next = nextOfGroup(group, this.view.panels);
    return next ? this.actions.add(next) : this.say(_("All heatmaps of {title} are shown.", { title: group.title }));
  }

  /** The share of each side of a text that is in the top k. @param {HeatView} view */
  #sharesOf({ ratios, sides }) {
    const { share } = this.state;
    return share === null ? ratios : sides.map(() => share / 100);
  }

  /** @param {number|null} share  null: the usual one */
  #takeShare(share) {
    this.state.share = share;
    this.changed();
  }

  /** @param {number} by */
  nudge(by) {
    if (!this.view) return;
    const n = Math.max(1, this.view.n);
    const counts = countsOf(this.view.sides, this.#sharesOf(this.view)).reduce((sum, count) => sum + count, 0);
    this.state.share = Math.min(100, Math.max(0, (100 * (counts + by)) / n));
    this.changed();
  }

  /** Paints what the controls say now; nothing is asked of the server. */
  changed() {
    const { state, view } = this;
    if (!view) return;
    const shares = this.#sharesOf(view);
    this.k.value = String(Math.round(100 * shares[0]));
    const all = [...this.maps, ...this.partnerMaps];
    const scales = scalesOf(
      all.map((map) => map.panel),
      state.shared ? "method" : "own",
      { clip: state.clip },
    );
    all.forEach((map, place) => {
      const counts = countsOf(map.view.sides, this.#sharesOf(map.view));
      map.paint({
        scale: scales[place],
        counts,
        combos: map.view.combos,
        magnitude: state.magnitude,
        showNumbers: state.numbers,
      });
      map.look({ bars: state.bars, pieces: state.pieces });
      paintAgreements(map);
    });
    const counts = countsOf(view.sides, shares);
    setText(this.kWords, this.#kWords(view, counts));
    this.#showMatrix(scales);
    this.numbers.root.hidden = this.isWithoutMaps;
    if (!this.isWithoutMaps) this.numbers.show(this.shown);
    this.grid.hidden = state.matrix && !this.isWithoutMaps;
    this.#showDepths();
    this.actions.remember();
  }

  /**
   * How many tokens of each side the top k are, and where that comes from.
   * @param {HeatView} view
   * @param {number[]} counts
   */
  #kWords({ sides, are_ratios_measured }, counts) {
    const chosen = sides.map(({ n }, side) => _("{n} of {all}", { n: counts[side], all: n })).join(_(" and "));
    if (this.state.share !== null) return chosen;
    return are_ratios_measured
      ? _("{chosen} (RLR)", { chosen })
      : _("{chosen} (RLR not measured yet: 20 %)", { chosen });
  }

  /** @param {number[]} scales */
  #showMatrix(scales) {
    const { state } = this;
    /** @param {HeatView} view @param {SaliencyMap[]} maps @param {Which} which @param {number} from */
    const of = (view, maps, which, from) =>
      matrixOf(view, maps, { scales: scales.slice(from), hover: (token) => this.hover(which, token) });
    this.matrices = [];
    if (this.isWithoutMaps) return this.matrix.replaceChildren();
    if (state.matrix && this.view) this.matrices.push(of(this.view, this.maps, "own", 0));
    if (state.matrix && this.partnerView && this.partnerMaps.length)
      this.matrices.push(of(this.partnerView, this.partnerMaps, "partner", this.maps.length));
    const answers = state.matrix ? this.shown.map((map) => matrixOfAnswer(map.view, map)) : [];
    this.matrix.replaceChildren(...this.matrices.map(({ root }) => root), ...answers.filter((made) => made !== null));
    return undefined;
  }

  /** How alike the rankings of the two versions are. */
  #showDepths() {
    if (!this.partnerMaps.length || this.isWithoutMaps) return this.depths.replaceChildren();
    const pairs = this.maps.map((map, place) => ({ map, partner: this.partnerMaps[place] }));
    return this.depths.replaceChildren(depthsTable(pairs, Boolean(this.view?.instance.parent)));
  }

  /**
   * Points at a token in every map at once, and at the one in its place in the maps of the other version.
   * @param {Which} which
   * @param {number|null} token
   */
  hover(which, token, scrolls = false) {
    const { aligned } = this;
    const own = which === "own" ? token : token === null || !aligned ? null : (aligned[token] ?? null);
    const there = which === "partner" ? token : token === null || !aligned ? null : aligned.indexOf(token);
    const other = there === -1 ? null : there;
    if (which === "own") this.at = token;
    for (const map of this.maps) map.point(own, scrolls);
    for (const map of this.partnerMaps) map.point(other, scrolls);
    this.matrices[0]?.point(own, scrolls);
    this.matrices[1]?.point(other, scrolls);
  }

  /**
   * Points at the next token, or the one before, as the pointer does.
   * @param {number} by
   */
  stepToken(by) {
    if (!this.maps.length || !this.view?.n) return;
    const from = this.at ?? (by > 0 ? -1 : this.view.n);
    this.hover("own", Math.min(this.view.n - 1, Math.max(0, from + by)), true);
  }

  openExport() {
    if (!this.maps.length) return this.say(_("No text is open."));
    openExport(this.root, this.actions.save);
    return undefined;
  }

  /**
   * Says something of the link that led to the text on the screen; it stays when the text is drawn anew. "": nothing.
   * @param {string} words
   */
  sayOfLink(words) {
    this.ofLink = { instance: this.view?.instance.id ?? 0, words };
    if (words) this.say(words);
  }

  /** @param {string} words */
  say(words) {
    setText(this.notice, words);
  }

  updateTheme() {
    const scheme = getComputedStyle(this.root).getPropertyValue("color-scheme").trim();
    const paper = getComputedStyle(this.root).getPropertyValue("--st-background-color").trim();
    const dark = isDark(paper) ?? (scheme === "dark" || DARK.matches);
    this.root.dataset.theme = dark ? "dark" : "light";
  }

  destroy() {
    this.widths.disconnect();
    this.tab.destroy();
    this.root.remove();
  }
}

/**
 * What a map can be changed to: the layers and labels of its run, and the runs with other seeds.
 * @param {number|null} run
 * @param {RunChoice[]} choices
 */
function choiceOf(run, choices) {
  const choice = choices.find((one) => one.run === run);
  return choice ? { ...choice, seeds: groupOf(run, choices)?.runs ?? [] } : null;
}

/** What a map of a text is known by. @param {HeatPanel} panel */
const nameOfMap = ({ run, layer, asked_label }) => `${run}:${layer}:${asked_label}`;

/** @param {string} colour */
function isDark(colour) {
  const found = /^#([0-9a-f]{6})$/i.exec(colour);
  if (!found) return null;
  const channels = [0, 2, 4].map((at) => parseInt(found[1].slice(at, at + 2), 16));
  return channels.reduce((sum, channel) => sum + channel, 0) < 3 * 128;
}
