/** The matrices: methods down, tokens across, gold and top k as in the maps; and of a written answer pieces down. */
import { _ } from "../words/language.js";
import { element, setText } from "../shared/dom.js";
import { written } from "./written_numbers.js";
import { scalesOf, stepOf } from "./heat.js";
import { tokenAt } from "./map.js";
import { meaningOf } from "./meaning.js";
import { shownPieces } from "./written_files.js";

/** @typedef {import("./map.js").SaliencyMap} SaliencyMap */

/**
 * @param {import("./view.js").HeatView} view
 * @param {SaliencyMap[]} maps
 * @param {{scales: number[], hover: (token: number|null) => void}} looks
 * @returns {{root: HTMLElement, point: (token: number|null, scrolls: boolean) => void}}
 */
export function matrixOf(view, maps, { scales, hover }) {
  const { combos } = view;
  const words = view.segments.filter((segment) => segment.is_selectable).flatMap((segment) => segment.tokens);
  const head = element(
    "tr",
    {},
    element("th", { scope: "col" }, view.instance.key),
    ...words.map((word, token) =>
      element(
        "th",
        { scope: "col", class: combos[token] ? `${view.prefix}${combos[token]}` : "", "data-token": token },
        word || "\u00a0",
      ),
    ),
  );
  const facts = maps.map((map, place) => element("small", { "aria-live": "polite" }, scaleWords(map, scales[place])));
  const rows = maps.map((map, place) =>
    element(
      "tr",
      {},
      element("th", { scope: "row", title: map.legendLine() }, map.title(), facts[place]),
      ...words.map((word, token) => {
        const score = map.panel.scores?.[token] ?? null;
        const heat = stepOf(score, scales[place], map.isSigned);
        return element("td", {
          class: [heat, map.selected.has(token) && "top"].filter(Boolean).join(" "),
          title: `${word}: ${score === null ? _("no score") : map.meaning.said(score)}`,
          "data-token": token,
        });
      }),
    ),
  );
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
  const box = element(
    "div",
    {
      class: "heat-matrix",
      tabIndex: 0,
      role: "region",
      "aria-label": _("Methods by tokens, {key}", { key: view.instance.key }),
      onpointerleave: () => hover(null),
    },
    table,
  );
  box.addEventListener("pointerover", ({ target }) => hover(tokenAt(target)));
  const usual = facts.map((fact) => fact.textContent ?? "");
  /** @param {number|null} token */
  const say = (token) =>
    facts.forEach((fact, place) => setText(fact, token === null ? usual[place] : maps[place].wordsAbout(token)));
  return { root: box, point: pointer(box, table, say) };
}

/**
 * What was written as a matrix of its own: pieces down, words and earlier pieces across, on one scale.
 * @param {import("./view.js").HeatView} view
 * @param {SaliencyMap} map
 */
export function matrixOfAnswer(view, map) {
  const { answer } = map;
  if (!answer) return null;
  const words = view.segments.filter((segment) => segment.is_selectable).flatMap((segment) => segment.tokens);
  const pieces = shownPieces(map).map((piece) => piece.words);
  const rows = pieces.map((_, step) => answer.panelOf(step));
  const [scale] = scalesOf([{ ...map.panel, scores: rows.flatMap((panel) => scoresOf(panel, words.length)) }], "own");
  const head = [...words, ...pieces].map((word) => element("th", { scope: "col" }, word || "\u00a0"));
  const body = rows.map((panel, step) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, `${step + 1} ${pieces[step]}`),
      ...[...words, ...pieces].map((word, place) => {
        const score = scoresOf(panel, words.length)[place] ?? null;
        const said = score === null ? _("no score") : meaningOf(panel).said(score);
        return element("td", { class: stepOf(score, scale, map.isSigned), title: `${word}: ${said}` });
      }),
    ),
  );
  const corner = element("th", { scope: "col" }, map.title(), element("small", {}, rangeWords(map, written(scale))));
  return element(
    "div",
    {
      class: "heat-matrix",
      tabIndex: 0,
      role: "region",
      "aria-label": _("Written pieces by tokens, {title}", { title: map.title() }),
    },
    element("table", {}, element("thead", {}, element("tr", {}, corner, ...head)), element("tbody", {}, ...body)),
  );
}

/**
 * Of the n words that can be marked, and behind them of the pieces that were written before.
 * @param {HeatPanel} panel
 * @param {number} n
 */
const scoresOf = ({ scores, earlier }, n) => [...(scores ?? []).slice(0, n), ...(earlier ?? [])];

/**
 * Marks a column; each row's head says the number and rank there, in the place of its scale, so that nothing moves.
 * @param {HTMLElement} box
 * @param {HTMLTableElement} table
 * @param {(token: number|null) => void} say
 */
function pointer(box, table, say) {
  /** @type {HTMLTableCellElement[]} */
  let hot = [];
  /** @param {number|null} token @param {boolean} scrolls */
  return (token, scrolls) => {
    for (const cell of hot) cell.classList.remove("hot");
    hot = token === null ? [] : [...table.rows].map((row) => row.cells[token + 1]).filter(Boolean);
    for (const cell of hot) cell.classList.add("hot");
    const [first] = hot;
    say(first ? token : null);
    if (first && scrolls) box.scrollLeft = first.offsetLeft - box.clientWidth / 2;
  };
}

/** @param {SaliencyMap} map @param {number} scale */
function scaleWords(map, scale) {
  if (!map.panel.scores) return "";
  const unit = map.panel.unit === "none" ? "" : ` ${map.panel.unit}`;
  const range = rangeWords(map, `${written(scale)}${unit}`);
  return [range, map.meaning.head, ...map.remarks.map(({ short }) => short)].join(" · ");
}

/** @param {SaliencyMap} map @param {string} most */
const rangeWords = ({ isSigned }, most) => (isSigned ? `±${most}` : _("0 to {most}", { most }));
