/**
 * Texts of the Perturb screen as nodes: tokens in sets as stacked underlines, neighbours that look alike in one
 * element.
 */
import { element } from "../shared/dom.js";
import { combinations, goldRules, lanesOf } from "../shared/gold_underlines.js";
import { lookOf } from "../shared/palette.js";

/**
 * The combination of sets that each token is in, by the numbers of the original's sets.
 * @param {number[][]} sets
 * @param {number} n
 * @param {number[]|null} [origins]
 */
export function combosOf(sets, n, origins = null) {
  if (!origins) return combinations(sets, n);
  /** @type {number[][]} */
  const byOrigin = [];
  origins.forEach((origin, place) => {
    byOrigin[origin] = sets[place];
  });
  return combinations(
    Array.from(byOrigin, (tokens) => tokens || []),
    n,
  );
}

/**
 * The rules of all underlines on screen: the original's sets in their own styles, proposals dashed.
 * @param {string[]} gold  the combination of sets of each token
 * @param {string[]} proposed
 * @param {number} nSets
 * @param {{dark: boolean, lit: number|null}} look  lit: the only set that is shown while its chip is pointed at
 */
export function setRules(gold, proposed, nSets, { dark, lit }) {
  /** @param {number} set */
  const isLit = (set) => lit === null || lit === set;
  /** @param {string|null} style @returns {(set: number) => import("../shared/gold_underlines.js").UnderlineLook} */
  const lookAt = (style) => (set) => {
    const look = lookOf(set, dark, nSets);
    return { ...look, style: style || look.style, set, color: isLit(set) ? look.color : "transparent" };
  };
  const lanes = lanesOf(Array.from({ length: nSets }, () => []));
  return (
    goldRules(gold, lanes, { lookAt: lookAt(null) }) +
    goldRules(proposed, lanes, { prefix: "p", lookAt: lookAt("proposed") })
  );
}

/**
 * Tokens from one to another (places in the segment) as nodes; white space between two that look alike goes with them.
 * @param {Pick<CutSegment, "before"|"tokens"|"first">} segment
 * @param {number} from
 * @param {number} to
 * @param {(token: number) => string} classOf  by the token's number in the instance
 */
export function nodesOf(segment, from, to, classOf) {
  /** @type {{name: string, text: string}[]} */
  const nodes = [];
  /** @type {{name: string, text: string}|null} */
  let open = null;
  for (let at = from; at < to; at += 1) {
    const name = classOf(segment.first + at);
    if (open && open.name === name) open.text += segment.before[at] + segment.tokens[at];
    else {
      if (segment.before[at]) nodes.push({ name: "", text: segment.before[at] });
      nodes.push((open = { name, text: segment.tokens[at] }));
    }
  }
  return nodes.map(({ name, text }) => (name ? element("span", { class: `u ${name}` }, text) : text));
}

/**
 * A whole segment, with what follows its last token.
 * @param {CutSegment} segment
 * @param {string[]} combos
 * @param {string} prefix
 */
export function segmentNodes(segment, combos, prefix) {
  /** @param {number} token */
  const classOf = (token) => (combos[token] ? prefix + combos[token] : "");
  return [...nodesOf(segment, 0, segment.tokens.length, classOf), segment.rest];
}
