/** The right side: the text's head, the controls, the maps, the matrix, the partner. */
import { openDialog } from "../shared/dialogs.js";
import { button, element, press, setText, toggle } from "../shared/dom.js";
import { nameOf } from "../shared/naming.js";
import { combinations, goldBadge, goldRulesOfThemes, lanesOf } from "../shared/gold_underlines.js";
import { written } from "./written_numbers.js";
import { heatRules, scalesOf } from "./heat.js";
import { SaliencyMap, TEXT_AND_GOLD } from "./map.js";
import { matrixOf } from "./matrix.js";
import { countsOf, depthsOf } from "./numbers.js";
import { differences, groupOf, groupsOf, nextOfGroup } from "./runs.js";
import { columnsFor, NumbersTable } from "./table.js";
import { TabTitle } from "../shared/tab_title.js";

const DARK = matchMedia("(prefers-color-scheme: dark)");

export class SaliencyScreen {
  constructor(parent, actions, state) {
    this.actions = actions;
    this.state = state;
    this.maps = [];
    this.partnerMaps = [];
    this.rules = element("style");
    this.title = element("div", { class: "heat-title" });
    this.k = element("input", {
      type: "range",
      min: 0,
      max: 100,
      step: 1,
      "aria-label": "Share of the tokens in the top k",
      oninput: () => this.#slide(),
    });
    this.kWords = element("output", { class: "k-words" });
    this.controls = this.#controls();
    this.add = element("select", { class: "add-panel", "aria-label": "Add a map", onchange: () => this.#added() });
    this.partner = element("select", {
      class: "partner",
      "aria-label": "Version beside it",
      onchange: () => actions.partner(this.partner.value ? Number(this.partner.value) : null),
    });
    this.grid = element("div", { class: "heat-grid" });
    this.matrix = element("div", {});
    this.numbers = new NumbersTable();
    this.depths = element("div", { class: "heat-depths" });
    this.notice = element("p", { class: "heat-notice", role: "status" });
    this.content = element("div", { class: "heat-content" }, this.grid, this.matrix, this.numbers.root, this.depths);
    this.widths = new ResizeObserver(() => this.#layOut());
    this.widths.observe(this.content);
    this.main = element("main", { class: "heat-main nothing" }, this.title, this.controls, this.notice, this.content);
    this.root = element("div", { class: "panel saliency", tabIndex: -1 }, this.rules);
    this.root.append(this.main);
    parent.append(this.root);
    this.tab = new TabTitle();
    this.updateTheme();
  }

  #controls() {
    const { state } = this;
    const flip = (name, label, key, title) => {
      const made = toggle(label, key, title, () => {
        state[name] = !state[name];
        press(made, state[name]);
        this.changed();
      });
      press(made, state[name]);
      return (this[`${name}Button`] = made);
    };
    return element(
      "div",
      { class: "heat-controls" },
      element("label", { class: "k" }, "Top k", this.k),
      this.kWords,
      button("RLR", {
        title: "Take k from the project's mean rationale length ratio (RLR)",
        className: "plain",
        onclick: () => this.#usual(),
      }),
      flip("shared", "Shared scale", "s", "Use one scale for all maps of a method"),
      flip("magnitude", "Without signs", "m", "Show sizes without signs"),
      flip("clip", "Cut outliers", "c", "Cut the scale at the 98th percentile"),
      flip("numbers", "Scores", "n", "Show the scores under the words"),
      flip("bars", "Bars", "b", "Show the highest scores as bars"),
      flip("pieces", "Pieces", "p", "Show the model's own pieces"),
      flip("matrix", "Matrix", "x", "Show a matrix of maps by tokens"),
      button("Export", {
        title: "Save the maps as a file",
        key: "e",
        className: "always",
        onclick: () => this.openExport(),
      }),
    );
  }

  /** Shows another text. */
  show(view, partner = null) {
    this.view = view;
    this.partnerView = partner;
    for (const one of [view, partner].filter(Boolean)) {
      one.n = one.sides.reduce((sum, side) => sum + side.n, 0);
      one.combos = combinations(one.gold, one.n);
      one.isPaired = Boolean(partner);
    }
    const lanes = Math.max(lanesOf(view.gold), lanesOf(partner?.gold || []));
    setText(this.rules, heatRules() + goldRulesOfThemes([...view.combos, ...(partner?.combos || [])], lanes));
    this.content.style.setProperty("--lanes", lanes);
    this.name = nameOf({ key: view.instance.key, segments: view.segments });
    this.#showTitle();
    this.tab.name(this.name);
    this.#offerMaps();
    const made = (one, which) =>
      (one.panels.length ? one.panels : [TEXT_AND_GOLD]).map(
        (panel, place) =>
          new SaliencyMap(
            one,
            { ...panel, differs: differences(panel, view.choices) },
            {
              hover: (token) => this.hover(which, token),
              remove: () => this.actions.remove(place),
              choose: (panel_, what) => this.actions.choose(place, panel_, what),
            },
            which === "own" ? choiceOf(panel.run, view.choices) : null,
          ),
      );
    this.maps = made(view, "own");
    this.partnerMaps = partner ? made(partner, "partner") : [];
    this.at = null;
    this.grid.replaceChildren(...this.shown.map((map) => map.root));
    this.grid.classList.toggle("paired", Boolean(partner));
    this.main.classList.remove("nothing");
    this.#layOut();
    this.main.classList.toggle("without-maps", this.isWithoutMaps);
    setText(this.notice, this.#words());
    this.changed();
  }

  /** All maps in the order of the screen: each beside its partner's. */
  get shown() {
    return this.maps.flatMap((map, place) => [map, this.partnerMaps[place]].filter(Boolean));
  }

  /** Maps in rows of equal length; a map beside its partner's where there are two versions. */
  #layOut() {
    const n = this.partnerMaps.length ? 2 : Math.max(1, this.maps.length);
    this.content.style.setProperty("--maps", n);
    this.content.style.setProperty("--columns", this.partnerMaps.length ? 2 : columnsFor(n, this.content.clientWidth));
  }

  /** Whether the text stands there with its gold alone. */
  get isWithoutMaps() {
    return !this.view.panels.length;
  }

  #words() {
    const withheld = this.view.withheld || this.partnerView?.withheld;
    if (withheld) return withheld;
    const gold = this.view.gold.length
      ? ""
      : "This text has no gold sets, so there is nothing to compare an attribution with.";
    if (!this.view.choices.length)
      return `No model has an attribution of this text yet. Below you can import attributions or have them computed. ${gold}`.trim();
    return this.isWithoutMaps ? `No map is open. Choose one under “Add a map”. ${gold}`.trim() : gold;
  }

  #showTitle() {
    const { instance, gold } = this.view;
    const sets = gold.map((tokens, set) => element("span", { class: "gold-chip" }, goldBadge(set), `${tokens.length}`));
    this.title.replaceChildren(
      element(
        "div",
        { class: "heat-where" },
        button("‹", { title: "Previous text", key: "k", className: "plain", onclick: () => this.actions.step(-1) }),
        button("›", { title: "Next text", key: "j", className: "plain", onclick: () => this.actions.step(1) }),
        element("h2", { title: `Key of this text: ${instance.key}` }, this.name),
        element(
          "span",
          { class: "gold-label" },
          instance.result === null ? "no label" : `gold: ${instance.result || "no answer"}`,
        ),
        ...sets,
        instance.kind && element("span", { class: "kind" }, `${instance.kind} of ${instance.parent}`),
      ),
      element(
        "div",
        { class: "heat-choose" },
        this.partner,
        this.add,
        button("Texts", {
          key: "i",
          title: "Show or hide the list of texts",
          className: "plain",
          onclick: () => this.actions.list(),
        }),
      ),
    );
    const partners = this.view.partners.map(({ id, key, kind }) =>
      element("option", { value: id }, kind ? `${key} (${kind})` : `${key} (original)`),
    );
    this.partner.replaceChildren(
      element("option", { value: "" }, partners.length ? "no version beside it" : "no other version"),
      ...partners,
    );
    this.partner.value = this.partnerView ? String(this.partnerView.instance.id) : "";
    this.partner.disabled = !partners.length;
  }

  #offerMaps() {
    const { choices } = this.view;
    this.add.replaceChildren(
      element("option", { value: "" }, "Add a map …"),
      ...groupsOf(choices).map(({ first, title }) => element("option", { value: first.run }, title)),
    );
    this.add.disabled = !choices.length;
  }

  /** Adds the run that was chosen; of one that is on screen already its next layer, label or seed. */
  #added() {
    const group = groupOf(Number(this.add.value), this.view.choices);
    this.add.value = "";
    if (!group) return undefined;
    const next = nextOfGroup(group, this.view.panels);
    return next ? this.actions.add(next) : this.say(`Every map of ${group.title} is on the screen already.`);
  }

  get shares() {
    const { share } = this.state;
    return share === null ? this.view.ratios : this.view.sides.map(() => share / 100);
  }

  #slide() {
    this.state.share = Number(this.k.value);
    this.changed();
  }

  #usual() {
    this.state.share = null;
    this.changed();
  }

  /** One token more or fewer. */
  nudge(by) {
    const n = Math.max(1, this.view?.n || 1);
    const counts = countsOf(this.view.sides, this.shares).reduce((sum, count) => sum + count, 0);
    this.state.share = Math.min(100, Math.max(0, (100 * (counts + by)) / n));
    this.changed();
  }

  /** Paints what the controls say now; nothing is asked of the server. */
  changed() {
    if (!this.view) return;
    const { state } = this;
    this.k.value = String(Math.round(100 * this.shares[0]));
    const all = [...this.maps, ...this.partnerMaps];
    const scales = scalesOf(
      all.map((map) => map.panel),
      state.shared ? "method" : "own",
      { clip: state.clip },
    );
    all.forEach((map, place) => {
      const counts = countsOf(map.view.sides, map.view === this.view ? this.shares : this.#partnerShares());
      map.paint({
        scale: scales[place],
        counts,
        combos: map.view.combos,
        magnitude: state.magnitude,
        showNumbers: state.numbers,
      });
      map.look({ bars: state.bars, pieces: state.pieces });
    });
    const counts = countsOf(this.view.sides, this.shares);
    setText(
      this.kWords,
      `${this.view.sides.map(({ n }, side) => `${counts[side]} of ${n}`).join(" and ")}${state.share !== null ? "" : this.view.are_ratios_measured ? " (RLR)" : " (RLR not measured yet: 20 %)"}`,
    );
    this.#showMatrix(scales);
    this.numbers.root.hidden = this.isWithoutMaps;
    if (!this.isWithoutMaps) this.numbers.show(this.shown);
    this.grid.hidden = state.matrix && !this.isWithoutMaps;
    this.#showDepths();
    this.actions.remember();
  }

  #showMatrix(scales) {
    const { state } = this;
    const of = (view, maps, which, from) =>
      matrixOf(view, maps, {
        scales: scales.slice(from),
        combos: view.combos,
        hover: (token) => this.hover(which, token),
      });
    this.matrices = [];
    if (this.isWithoutMaps) return this.matrix.replaceChildren();
    if (state.matrix) this.matrices.push(of(this.view, this.maps, "own", 0));
    if (state.matrix && this.partnerMaps.length)
      this.matrices.push(of(this.partnerView, this.partnerMaps, "partner", this.maps.length));
    this.matrix.replaceChildren(...this.matrices.map(({ root }) => root));
    return undefined;
  }

  #partnerShares() {
    return this.state.share === null
      ? this.partnerView.ratios
      : this.partnerView.sides.map(() => this.state.share / 100);
  }

  /** MAP between the rankings of the two versions, depth by depth. */
  #showDepths() {
    if (!this.partnerMaps.length || this.isWithoutMaps) return this.depths.replaceChildren();
    const lists = (map) =>
      map.order.filter((token) => map.selected.has(token)).map((token) => map.tokens[token].textContent);
    const rows = this.maps.map((map, place) => {
      const [first, second] = this.view.instance.parent
        ? [this.partnerMaps[place], map]
        : [map, this.partnerMaps[place]];
      const { depths, map: value } = depthsOf(lists(first), lists(second));
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, map.title()),
        element("td", {}, element("b", {}, written(value))),
        ...depths.slice(0, 12).map((depth) => element("td", {}, written(depth))),
      );
    });
    const most = Math.min(12, Math.max(...this.maps.map((map) => map.selected.size), 1));
    return this.depths.replaceChildren(
      element(
        "table",
        {},
        element(
          "caption",
          {},
          "MAP of the top k, and for each depth i the share of the changed version's first i tokens that are among the original's first i",
        ),
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            element("th", { scope: "col" }, "i"),
            element("th", { scope: "col" }, "MAP"),
            ...Array.from({ length: most }, (_, i) => element("th", { scope: "col" }, String(i + 1))),
          ),
        ),
        element("tbody", {}, ...rows),
      ),
    );
  }

  /** Points at a token in every map at once, and at the one in its place in the maps of the other version. */
  hover(which, token, scrolls = false) {
    const { aligned } = this.partnerView || {};
    const own = which === "own" ? token : token === null || !aligned ? null : (aligned[token] ?? null);
    const there = which === "partner" ? token : token === null || !aligned ? null : aligned.indexOf(token);
    const other = there === -1 ? null : there;
    if (which === "own") this.at = token;
    for (const map of this.maps) map.point(own, scrolls);
    for (const map of this.partnerMaps) map.point(other, scrolls);
    this.matrices[0]?.point(own, scrolls);
    this.matrices[1]?.point(other, scrolls);
  }

  /** Points at the next token, or the one before, as the pointer does. */
  stepToken(by) {
    if (!this.maps.length || !this.view.n) return;
    const from = this.at ?? (by > 0 ? -1 : this.view.n);
    this.hover("own", Math.min(this.view.n - 1, Math.max(0, from + by)), true);
  }

  openExport() {
    if (!this.maps.length) return this.say("There is no text on the screen, so there is nothing to save.");
    const offer = (label, words, kind) =>
      element(
        "div",
        { class: "export-row" },
        button(label, { onclick: () => (dialog.close(), this.actions.save(kind)) }),
        words,
      );
    const dialog = openDialog(
      this.root,
      "Export the maps",
      offer("HTML", "a page of its own, without scripts", "html"),
      offer("SVG", "a drawing, for slides and papers", "svg"),
      offer("PNG", "a picture, at twice the size of the drawing", "png"),
      offer("LaTeX", "coloured boxes, for a paper (needs xcolor)", "tex"),
      offer("CSV", "a row for each token of each map", "csv"),
    );
    return undefined;
  }

  /** A file that could not be made, and another kind instead. */
  offerInstead(refusal, label, kind) {
    const dialog = openDialog(
      this.root,
      "The file could not be made",
      element("p", { class: "dialog-words", role: "alert" }, refusal),
      element(
        "div",
        { class: "dialog-foot" },
        button(`Save as ${label}`, { className: "primary", onclick: () => (dialog.close(), this.actions.save(kind)) }),
      ),
    );
  }

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

/** What a map can be changed to: the layers and labels of its run, and the runs with other seeds. */
function choiceOf(run, choices) {
  const choice = choices.find((one) => one.run === run);
  return choice && { ...choice, seeds: groupOf(run, choices).runs };
}

function isDark(colour) {
  const found = /^#([0-9a-f]{6})$/i.exec(colour);
  if (!found) return null;
  const channels = [0, 2, 4].map((at) => parseInt(found[1].slice(at, at + 2), 16));
  return channels.reduce((sum, channel) => sum + channel, 0) < 3 * 128;
}
