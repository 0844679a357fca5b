/** The matrix: methods down, tokens across; one cell a token, gold and top k as in the maps. */
import { element } from "./dom.js";
import { signed, stepOf } from "./saliency_heat.js";

export function matrixOf(view, maps, { scales, combos, magnitude }) {
  const words = view.segments.filter((segment) => segment.is_selectable).flatMap((segment) => segment.tokens);
  const head = element("tr", {}, element("th", { scope: "col" }, "gold"), ...words.map((word, token) => element("th", { scope: "col", class: combos[token] ? `g${combos[token]}` : "", "data-token": token }, word || "\u00a0")));
  const rows = maps.map((map, place) => element("tr", {}, element("th", { scope: "row" }, map.title()),
    ...words.map((word, token) => {
      const score = map.panel.scores?.[token] ?? null;
      const heat = stepOf(magnitude && score !== null ? Math.abs(score) : score, scales[place]);
      return element("td", { class: [heat, map.selected.has(token) && "top"].filter(Boolean).join(" "), title: `${word}: ${score === null ? "–" : signed(score)}`, "data-token": token });
    })));
  return element("div", { class: "heat-matrix", tabIndex: 0, role: "region", "aria-label": "Methods by tokens" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
}
