/** MAP between the rankings of two versions of a text, depth by depth, as a table. */
import { _ } from "../words/language.js";
import { element } from "../shared/dom.js";
import { depthsOf } from "./numbers.js";
import { written } from "./written_numbers.js";

const DEPTHS = 12;
const CAPTION = _(
  "MAP of the top k, and for each depth i the share of the changed version's first i tokens that are among the original's first i",
);

/** @typedef {import("./map.js").SaliencyMap} SaliencyMap */

/**
 * The words of the top k in their order.
 * @param {SaliencyMap} map
 */
const topOf = ({ order, selected, tokens }) =>
  order.filter((token) => selected.has(token)).map((token) => tokens[token].textContent ?? "");

/**
 * @param {{map: SaliencyMap, partner: SaliencyMap}[]} pairs  each map with that of the version beside it
 * @param {boolean} isChanged  whether the text is the changed version, and its partner the original
 */
export function depthsTable(pairs, isChanged) {
  const rows = pairs.map(({ map, partner }) => {
    const [original, changed] = isChanged ? [partner, map] : [map, partner];
    const { depths, map: value } = depthsOf(topOf(original), topOf(changed));
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, map.title()),
      element("td", {}, element("b", {}, written(value))),
      ...depths.slice(0, DEPTHS).map((depth) => element("td", {}, written(depth))),
    );
  });
  const most = Math.min(DEPTHS, Math.max(...pairs.map(({ map }) => map.selected.size), 1));
  const heads = ["i", "MAP", ...Array.from({ length: most }, (_n, i) => String(i + 1))];
  const head = element("tr", {}, ...heads.map((words) => element("th", { scope: "col" }, words)));
  return element(
    "table",
    {},
    element("caption", {}, CAPTION),
    element("thead", {}, head),
    element("tbody", {}, ...rows),
  );
}
