/** The matrix: methods down, tokens across; one cell a token, gold and top k as in the maps. */
import { element, setText } from "../shared/dom.js";
import { written } from "./written_numbers.js";
import { stepOf } from "./heat.js";
import { tokenAt } from "./map.js";

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
          title: `${word}: ${score === null ? "no score" : map.meaning.said(score)}`,
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
      "aria-label": `Methods by tokens, ${view.instance.key}`,
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
  const range = `${map.isSigned ? "±" : "0 to "}${written(scale)}${unit}`;
  return [range, map.meaning.head, ...map.remarks.map(({ short }) => short)].join(" · ");
}
