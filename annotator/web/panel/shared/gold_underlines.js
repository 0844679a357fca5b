/**
 * Gold sets as stacked underlines over the heat: a channel that the heat does not use. One rule for each combination of
 * sets.
 */
import { element } from "./dom.js";
import { letterOf } from "./model.js";
import { lookOf } from "./palette.js";

/** How far the underlines of two sets are apart, on the screen and in pictures. */
export const LANE = 4;
const FIRST = 1;
const MOST_LANES = 6;

/**
 * How many lanes the text needs room for.
 * @param {number[][]} gold
 */
export const lanesOf = (gold) => Math.max(1, Math.min(MOST_LANES, gold.length));

/**
 * The combination of sets that each token is in: "" for none, else their numbers with dashes, such as "0-2".
 * @param {number[][]} gold
 * @param {number} n
 */
export function combinations(gold, n) {
  const sets = Array.from({ length: n }, () => /** @type {number[]} */ ([]));
  gold.forEach((tokens, set) => {
    for (const token of tokens) if (token < n) sets[token].push(set);
  });
  return sets.map((of) => of.join("-"));
}

/**
 * The rules of all combinations that are met.
 * @param {string[]} names
 * @param {number} lanes
 * @param {{dark?: boolean, prefix?: string, lookAt?: (set: number) => UnderlineLook}} [looks]
 *   the colours of the light theme unless said otherwise
 */
export function goldRules(names, lanes, { dark = false, prefix = "g", lookAt = (set) => lookOf(set, dark) } = {}) {
  return [...new Set(names)]
    .filter(Boolean)
    .map((name) => {
      const sets = name.split("-").map(Number);
      const images = sets.map((set) => line(lookAt(set)));
      const places = sets.map((set) => `0 calc(100% - ${FIRST + (lanes - 1 - (set % lanes)) * LANE}px)`);
      return (
        `.${prefix}${name}{background-image:${images.join(",")};background-size:${sets.map(() => "100% 3px").join(",")};` +
        `background-position:${places.join(",")};background-repeat:repeat-x}`
      );
    })
    .join("");
}

/**
 * The rules for both themes, so that a saved page, which is light, needs no other sheet.
 * @param {string[]} names
 * @param {number} lanes
 * @param {{prefix: string, lookAt: (set: number, dark: boolean) => UnderlineLook}} looks
 */
export const goldRulesOfThemes = (names, lanes, { prefix, lookAt }) =>
  goldRules(names, lanes, { prefix, lookAt: (set) => lookAt(set, false) }) +
  goldRules(names, lanes, {
    prefix: `saliency[data-theme="dark"] .${prefix}`,
    lookAt: (set) => lookAt(set, true),
  });

/**
 * A set's letter, in the colour of its underline in either theme.
 * @param {number} set
 */
export const goldBadge = (set) =>
  element(
    "span",
    { class: "badge", style: `--set-light:${lookOf(set, false).color};--set-dark:${lookOf(set, true).color}` },
    letterOf(set),
  );

/** Every proposal is dashed; the dashes of neighbouring sets differ in length, so that colour is not all. */
const DASHES = [8, 4, 12, 6, 2];

/** @typedef {{color: string, style: string, set?: number}} UnderlineLook */

/** @type {Record<string, (color: string, set: number) => string>} */
const PATTERNS = {
  solid: (color) => `linear-gradient(${color} 0 3px,transparent 3px)`,
  dashed: (color) => `repeating-linear-gradient(90deg,${color} 0 6px,transparent 6px 9px)`,
  dotted: (color) => `repeating-linear-gradient(90deg,${color} 0 3px,transparent 3px 5px)`,
  double: (color) => `linear-gradient(${color} 0 1px,transparent 1px 2px,${color} 2px 3px)`,
  proposed: (color, set) =>
    `repeating-linear-gradient(90deg,${color} 0 ${DASHES[set % DASHES.length]}px,transparent 0 ${DASHES[set % DASHES.length] + 3}px)`,
  wavy: (color) => `repeating-linear-gradient(115deg,${color} 0 3px,transparent 3px 6px)`,
};

/** @param {UnderlineLook} look */
function line({ color, style, set = 0 }) {
  return (PATTERNS[style] || PATTERNS.solid)(color, set);
}
